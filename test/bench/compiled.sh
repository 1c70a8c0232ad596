# compiled.sh
#		Kernels compiled for the query beside the interpreter, and DuckDB: small
#		queries of each shape over BENCH_COMPILED_ROWS rows whose columns are on
#		the device.  Execution is what EXPLAIN ANALYZE says of a run straight behind
#		another one, as a client's that goes on asking; kernel, what the device's clock
#		says of it.

# Lines: case, query; literals of DuckDB's SQL and PostgreSQL's
compiled_cases()
{
	printf '%s\t%s\n' \
		sum "SELECT sum(v) AS s FROM shapes" \
		key-count "SELECT k, count(*) AS n FROM shapes GROUP BY k" \
		key-sum "SELECT k, sum(v) AS s FROM shapes GROUP BY k" \
		two-keys "SELECT a, b, sum(v) AS s FROM shapes GROUP BY a, b" \
		filter "SELECT a, sum(v) AS s FROM shapes WHERE q < 500 GROUP BY a" \
		q11 "SELECT sum(price::int8 * b) AS s FROM shapes WHERE d >= '1993-01-01' AND d < '1994-01-01' AND b BETWEEN 1 AND 3 AND q < 250" \
		month "SELECT date_trunc('month', d)::date AS m, sum(price::int8) AS s FROM shapes GROUP BY date_trunc('month', d)::date" \
		case "SELECT a, count(*) FILTER (WHERE q < 500) AS n, sum(CASE WHEN q > 100 THEN v ELSE 0 END) AS s FROM shapes GROUP BY a" \
		float "SELECT k, avg(f) AS m, sum(f) AS s FROM shapes GROUP BY k" \
		million "SELECT u, count(*) AS n FROM shapes GROUP BY u"
}

compiled_table()
{
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS shapes;
		BEGIN;
		CREATE TABLE shapes (k int4, a int4, b int4, v int4, q int4, price int4, u int4, d date, f float8);
		INSERT INTO shapes
		SELECT abs(hashint8extended(i, 1)) % 1000, abs(hashint8extended(i, 2)) % 50,
			   abs(hashint8extended(i, 3)) % 11, abs(hashint8extended(i, 4)) % 1000000,
			   abs(hashint8extended(i, 5)) % 1000, abs(hashint8extended(i, 6)) % 100000,
			   abs(hashint8extended(i, 7)) % 1000000,
			   '1992-01-01'::date + (abs(hashint8extended(i, 8)) % 2520)::int4,
			   (abs(hashint8extended(i, 9)) % 1000000) / 8.0
		FROM generate_series(1, $1::int8) i;
		COMMIT;
		ALTER TABLE shapes SET (parallel_workers = $BENCH_MAX_WORKERS)" &&
		server_sql main "VACUUM (FREEZE, ANALYZE) shapes" ||
		die "cannot fill table shapes"
	table_prewarm main shapes
}

# compiled_engine ENGINE: the session is that engine from now on.
compiled_engine()
{
	engine_settings gpuagg-warm
	case $1 in
		compiled) session_do compiled "$REPLY SET gpuagg.compile = always;" ;;
		*) session_do compiled "$REPLY SET gpuagg.compile = off;" ;;
	esac
}

# compiled_run ENGINE CASE SQL
compiled_run()
{
	if [ "$1" = duckdb ]; then
		duckdb_time "$3"
		samples_add "$2/$1" "$REPLY"
		return
	fi
	compiled_engine "$1"
	explain_run compiled "$3" ON
	case $NODE in
		*"Kernel Time "*) NODE=${NODE#*"Kernel Time "}; samples_add "$2/$1/kernel" "${NODE%%,*}" ;;
	esac
	explain_run compiled "$3" OFF "$3"
	samples_add "$2/$1" "$EXEC_MS"
}

# compiled_case CASE SQL: two runs do not count; the second finds what the first has measured
compiled_case()
{
	local round engine groups
	local -A note=()

	for engine in compiled compiled interpreted; do
		compiled_engine "$engine"
		explain_run compiled "$2" ON
		note[$engine]="$PLAN${NODE:+: $NODE}"
	done
	groups=$PLAN_ROWS
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		for engine in compiled interpreted $COMPILED_DUCKDB; do
			compiled_run "$engine" "$1" "$2"
		done
	done
	for engine in compiled interpreted $COMPILED_DUCKDB; do
		csv_row compiled "$1" "$engine" execution ms "$COMPILED_ROWS" "$groups" "$1/$engine" \
			"$1/interpreted" interpreted "${note[$engine]:-}"
		[ "$engine" = duckdb ] || [ -z "${SAMPLES[$1/$engine/kernel]:-}" ] ||
			csv_row compiled "$1" "$engine" kernel ms "$COMPILED_ROWS" "$groups" "$1/$engine/kernel" \
				"$1/interpreted/kernel" interpreted ""
	done
}

bench_compiled()
{
	local COMPILED_ROWS=${BENCH_COMPILED_ROWS:-60000000} COMPILED_DUCKDB= case sql

	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open compiled
	csv_heading
	session_psql compiled main
	! duckdb_start || COMPILED_DUCKDB=duckdb
	compiled_table "$COMPILED_ROWS"
	server_sql main "SELECT gpuagg.load('shapes')" >/dev/null
	[ -z "$COMPILED_DUCKDB" ] || duckdb_load shapes
	while IFS=$'\t' read -r case sql <&3; do
		! bench_wants "$case" || compiled_case "$case" "$sql"
	done 3< <(compiled_cases)
	server_sql main 'DROP TABLE shapes; CHECKPOINT'
	session_close compiled
	session_close duckdb
}
