# sorted.sh
#		Values in order, DISTINCT, and groups between a thousand and a million: shapes over the kept columns
#		of one table of BENCH_SORTED_ROWS rows, beside PostgreSQL and DuckDB, with all workers each.
#		`execution` is a run behind another one, `kernel` what the device's clock says of it, and `predicted`
#		what was predicted of the node.  BENCH_SORTED_FORCED: strategies that are forced, too, for their kernels.

# Lines: case|query|DuckDB's, where it is another one
sorted_cases()
{
	printf '%s|%s|%s\n' \
		median "SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS p FROM sorting GROUP BY g" "" \
		disc-array "SELECT g, percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY x) AS p FROM sorting GROUP BY g" \
		"SELECT g, quantile_disc(x, [0.5, 0.95, 0.99]) AS p FROM sorting GROUP BY g" \
		median-all "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS p FROM sorting" "" \
		median-avg "SELECT g, avg(price) AS a, percentile_disc(0.9) WITHIN GROUP (ORDER BY price) AS p FROM sorting GROUP BY g" "" \
		median-groups "SELECT h, percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS p FROM sorting GROUP BY h" "" \
		distinct-million "SELECT h, count(DISTINCT price) AS n FROM sorting GROUP BY h" "" \
		distinct-thousand "SELECT g, count(DISTINCT w) AS n FROM sorting GROUP BY g" "" \
		distinct-month "SELECT date_trunc('month', d) AS m, count(DISTINCT cust) AS n, sum(price) AS s FROM sorting GROUP BY 1" "" \
		two-keys "SELECT b, h, count(*) AS n, sum(price) AS s FROM sorting GROUP BY b, h" "" \
		three-keys "SELECT h, b, g, sum(n) AS s FROM sorting WHERE w < 700 GROUP BY h, b, g ORDER BY s DESC, h, b, g LIMIT 5" "" \
		hour "SELECT date_trunc('hour', ts) AS t, avg(price) AS a FROM sorting WHERE ts >= '2024-03-01' AND ts < '2024-06-01' GROUP BY 1" "" \
		equal "SELECT count(*) AS n FROM sorting WHERE price = 12345" "" \
		quotient "SELECT sum(n * (1 - b / 100.0)) AS s FROM sorting" "" \
		bernoulli "SELECT g, avg(price) AS a FROM sorting TABLESAMPLE BERNOULLI (1) REPEATABLE (42) GROUP BY g" \
		"SELECT g, avg(price) AS a FROM sorting TABLESAMPLE BERNOULLI (1%) GROUP BY g" \
		system "SELECT g, avg(price) AS a FROM sorting TABLESAMPLE SYSTEM (20) REPEATABLE (42) GROUP BY g" \
		"SELECT g, avg(price) AS a FROM sorting TABLESAMPLE SYSTEM (20%) GROUP BY g" \
		mode "SELECT g, mode() WITHIN GROUP (ORDER BY w) AS m FROM sorting GROUP BY g" "SELECT g, mode(w) AS m FROM sorting GROUP BY g" \
		case-text "SELECT CASE WHEN x < 1000 THEN 'low' WHEN x < 8000 THEN 'middle' ELSE 'high' END AS k, count(*) AS n, sum(price) AS s FROM sorting GROUP BY 1" "" \
		extreme-texts "SELECT g, min(s) AS l, max(s) AS h FROM sorting GROUP BY g" "" \
		like "SELECT count(*) AS n, sum(price) AS p FROM sorting WHERE s LIKE 'city1%' AND price BETWEEN 1000 AND 900000" "" \
		to-char "SELECT to_char(tz, 'YYYY-MM') AS m, sum(n) AS s FROM sorting GROUP BY 1" \
		"SELECT strftime(tz::TIMESTAMP, '%Y-%m') AS m, sum(n) AS s FROM sorting GROUP BY 1" \
		text-date "SELECT s, d, count(*) AS n, sum(price) AS p FROM sorting GROUP BY s, d" "" \
		many-ints "SELECT cust, count(*) AS n FROM sorting GROUP BY cust" "" \
		many-texts "SELECT phrase, count(*) AS n FROM sorting GROUP BY phrase" "" \
		distinct-phrases "SELECT phrase, count(DISTINCT cust) AS u FROM sorting WHERE phrase <> '' GROUP BY phrase ORDER BY u DESC, phrase LIMIT 10" "" \
		regexp-key "SELECT regexp_replace(url, '^https?://(?:www[.])?([^/]+)/.*\$', '\\1') AS k, avg(length(url)) AS l, count(*) AS c FROM sorting WHERE url <> '' GROUP BY 1 ORDER BY l DESC, k LIMIT 25" "" \
		regexp-where "SELECT count(*) AS n, sum(price) AS p FROM sorting WHERE phrase ~ '[13579]7\$'" "SELECT count(*) AS n, sum(price) AS p FROM sorting WHERE regexp_matches(phrase, '[13579]7\$')" \
		regexp "SELECT regexp_replace(url, '^https?://(?:www[.])?([^/]+)/.*\$', '\\1') AS k, avg(length(url)) AS l, count(*) AS c, min(url) AS m FROM sorting WHERE url <> '' GROUP BY 1 HAVING count(*) > 1000 ORDER BY l DESC, k LIMIT 25" ""
}

# Each core makes its part of the rows.
sorted_table()
{
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS sorting;
		CREATE TABLE sorting (g int4, h int4, b int4, w int4, price int4, cust int4, x float8, n numeric(12, 2), d date,
			ts timestamp, tz timestamptz, s text, phrase text, url text) WITH (autovacuum_enabled = off);
		ALTER TABLE sorting SET (parallel_workers = $BENCH_MAX_WORKERS)" &&
		in_parts "$1" sorted_part &&
		server_sql main "VACUUM (FREEZE, ANALYZE) sorting" ||
		die "cannot fill table sorting"
	table_prewarm main sorting
}

# sorted_part FROM TO
sorted_part()
{
	server_sql main "INSERT INTO sorting
		SELECT (a & 1048575) % 50, (a >> 20 & 1048575) % 1000, (a >> 40 & 1048575) % 8, (b & 1048575) % 1000,
			   (b >> 20 & 16777215) % 1000000, (c & 16777215) % 2000000, ((c >> 24 & 16777215) % 100000) / 8.0,
			   ((a >> 10 & 16777215) % 1000000) / 100.0, '2022-01-01'::date + ((b >> 8 & 1048575) % 1140)::int4,
			   '2022-01-01'::timestamp + (c >> 8 & 1073741823) % 98496000 * interval '1 s',
			   '2022-01-01'::timestamptz + (c >> 8 & 1073741823) % 98496000 * interval '1 s',
			   'city' || (a >> 15 & 1048575) % 550,
			   CASE WHEN (b >> 35 & 1048575) % 5 = 0 THEN 'what to look for ' || (b >> 12 & 16777215) % 600000 ELSE '' END,
			   CASE WHEN (b >> 33 & 1048575) % 2 = 0 THEN 'https://www.site' || (c >> 9 & 16777215) % 5000 || '.org/p/' || (c >> 9 & 16777215) % 2100000 ELSE '' END
		FROM (SELECT hashint8extended(i, 1) AS a, hashint8extended(i, 2) AS b, hashint8extended(i, 3) AS c
			  FROM generate_series($1::int8, $2::int8) i OFFSET 0) r"
}

# sorted_run ENGINE CASE SQL DUCKDB
sorted_run()
{
	if [ "$1" = duckdb ]; then
		duckdb_time "$4"
		samples_add "$2/$1" "$REPLY"
		return
	fi
	engine_settings "$1"
	session_do sorted "$REPLY"
	if [ "$1" != gpuagg-warm ]; then
		! explain_run sorted "$3" OFF || samples_add "$2/$1" "$EXEC_MS"
		return
	fi
	explain_run sorted "$3" ON
	[ -z "$KERNEL_MS" ] || samples_add "$2/$1/kernel" "$KERNEL_MS"
	[ -z "$PREDICTED_NODE_MS" ] || samples_add "$2/$1/predicted" "$PREDICTED_NODE_MS"
	explain_run sorted "$3" OFF "$3"
	samples_add "$2/$1" "$EXEC_MS"
}

# sorted_case CASE SQL DUCKDB: kernels are made before the first run that counts
sorted_case()
{
	local case=$1 round engine note='' figure

	engine_settings gpuagg-warm
	session_do sorted "$REPLY"
	# the first run asks for a kernel, the second makes it come
	explain_run sorted "$2" ON
	explain_run sorted "$2" ON
	kernels_settle sorted
	explain_run sorted "$2" ON
	note="$PLAN${NODE:+: $NODE}"
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		for engine in gpuagg-warm $SORTED_DUCKDB; do
			sorted_run "$engine" "$case" "$2" "${3:-$2}"
		done
	done
	! bench_measures "$SORTED_POSTGRES" "$case" || sorted_run "$SORTED_POSTGRES" "$case" "$2"
	for engine in gpuagg-warm $SORTED_DUCKDB $SORTED_POSTGRES; do
		[ -z "${SAMPLES[$case/$engine]:-}" ] ||
			csv_row sorted "$case" "$engine" execution ms "$SORTED_ROWS" "$PLAN_ROWS" "$case/$engine" \
				"$case/gpuagg-warm" gpuagg-warm "$([ "$engine" != gpuagg-warm ] || printf '%s' "$note")"
	done
	for figure in kernel predicted; do
		[ -z "${SAMPLES[$case/gpuagg-warm/$figure]:-}" ] ||
			csv_row sorted "$case" gpuagg-warm "$figure" ms "$SORTED_ROWS" "" "$case/gpuagg-warm/$figure" \
				"$case/gpuagg-warm" gpuagg-warm ""
	done
}

# sorted_forced CASE SQL: kernels by strategies that are forced, where they run
sorted_forced()
{
	local strategy

	for strategy in $BENCH_SORTED_FORCED; do
		engine_settings gpuagg-warm
		session_do sorted "$REPLY SET gpuagg.strategy = '$strategy';"
		explain_run sorted "$2" ON
		explain_run sorted "$2" ON
		kernels_settle sorted
		explain_run sorted "$2" ON
		[ "$RAN_STRATEGY" != "$strategy" ] || [ -z "$KERNEL_MS" ] || samples_add "$1/$strategy" "$KERNEL_MS"
		[ -z "${SAMPLES[$1/$strategy]:-}" ] ||
			csv_row sorted "$1" "$strategy" kernel ms "$SORTED_ROWS" "$NGROUPS" "$1/$strategy" \
				"$1/gpuagg-warm/kernel" gpuagg-warm "$PLAN${NODE:+: $NODE}"
	done
	session_do sorted "RESET gpuagg.strategy;"
}

bench_sorted()
{
	local SORTED_ROWS=${BENCH_SORTED_ROWS:-60000000} SORTED_DUCKDB= SORTED_POSTGRES case sql other
	local BENCH_WORKERS=${BENCH_WORKERS:-$BENCH_MAX_WORKERS}

	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open sorted
	csv_heading
	session_psql sorted main
	! bench_measures duckdb sorted || ! duckdb_start || SORTED_DUCKDB=duckdb
	SORTED_POSTGRES=postgres-${BENCH_MAX_WORKERS}w
	sorted_table "$SORTED_ROWS"
	server_sql main "SELECT gpuagg.load('sorting')" >/dev/null
	[ -z "$SORTED_DUCKDB" ] || duckdb_load sorting
	while IFS='|' read -r case sql other <&3; do
		bench_wants "$case" || continue
		sorted_case "$case" "$sql" "$other"
		[ -z "${BENCH_SORTED_FORCED:-}" ] || sorted_forced "$case" "$sql"
	done 3< <(sorted_cases)
	server_sql main 'DROP TABLE sorting; CHECKPOINT'
	session_close sorted
	session_close duckdb
}
