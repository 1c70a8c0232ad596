# beside.sh
#		What a short task waits for beside a long one on the same device: BENCH_CLIENT_ROWS
#		rows into 100 groups, again and again by one session, alone and while another one
#		groups BENCH_BESIDE_ROWS rows without a pause.  Both are over kept columns.
#
# The long one is a kernel made for it, the interpreter's, and partitions of many groups.

# beside_long CASE: settings and statement
beside_long()
{
	case $1 in
		compiled) REPLY="SET gpuagg.compile = always;|SELECT k, $(printf 'sum((v %% %d) * (v / %d)), ' \
			3 5 7 11 13 17 19 23 29 31 37 41 43 47 53 59) count(*) FROM bench_beside GROUP BY k" ;;
		interpreted) REPLY="SET gpuagg.compile = off;|SELECT k, sum(v), sum(v % 7) FROM bench_beside WHERE v % 3 < 2 GROUP BY k" ;;
		partitioned) REPLY="SET gpuagg.compile = always; SET gpuagg.strategy = partitioned;|SELECT count(*) FROM
			(SELECT v, sum(x) FROM bench_beside GROUP BY v ORDER BY 2 DESC LIMIT 3) s" ;;
	esac
}

# beside_short: MEDIAN, P99 and MOST ms of so many
beside_short()
{
	session_do short "SELECT * FROM bench_beside_short(300);"
	IFS='|' read -r MEDIAN P99 MOST <<<"$REPLY"
}

# beside_case CASE
beside_case()
{
	local case=$1 settings long pid round tries

	beside_long "$case"
	settings=${REPLY%%|*} long=${REPLY#*|}
	session_do short "$settings EXPLAIN (ANALYZE) $long;"
	session_do short "$settings EXPLAIN (ANALYZE) $long;"
	BESIDE_NOTE="the long one alone: $(sed -n 's/.*Execution Time: \([0-9.]* ms\).*/\1/p' <<<"$REPLY")"
	session_do short "RESET gpuagg.compile; RESET gpuagg.strategy;"
	server_sql beside "$settings SET gpuagg.debug_require = 'prefer';
		DO \$\$ BEGIN LOOP PERFORM * FROM ($long) l; END LOOP; END \$\$" >/dev/null 2>&1 &
	pid=$!
	for ((tries = 0; tries < 100; tries++)); do
		[ "$(server_sql beside "SELECT count(*) FROM gpuagg.tasks WHERE relation = 'bench_beside'::regclass")" = 0 ] || break
		sleep 0.1
	done
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		beside_short
		samples_add "$case/median" "$MEDIAN"
		samples_add "$case/p99" "$P99"
		samples_add "$case/most" "$MOST"
	done
	server_sql beside "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE query LIKE '%LOOP PERFORM%' AND pid <> pg_backend_pid()" >/dev/null
	wait "$pid" 2>/dev/null
}

bench_beside()
{
	local rows=${BENCH_BESIDE_ROWS:-100000000} few=${BENCH_CLIENT_ROWS:-200000} case what round

	bench_has_gpuagg_files ||
		{ bench_say "   skipped: gpuagg is not installed in $PG_BINDIR"; return 0; }
	BENCH_CONF="${BENCH_CONF:-}
gpuagg.cache = on
gpuagg.cache_size = $((rows / 40000 + 256))MB
work_mem = 1GB" bench_server beside gpuagg "$((rows / 20000 + 512))MB"
	bench_read_metadata beside
	csv_open beside
	csv_heading
	server_sql beside "CREATE TABLE bench_beside AS SELECT (i % 100)::int4 AS k, i::int4 AS v, i::float8 AS x
			FROM (SELECT generate_series(1, $rows) i) s" &&
		server_sql beside "CREATE TABLE bench_few AS SELECT * FROM bench_beside LIMIT $few" &&
		server_sql beside "VACUUM (FREEZE, ANALYZE) bench_beside, bench_few" ||
		die "cannot fill the tables"
	server_sql beside "CREATE FUNCTION bench_beside_short(n int, OUT median float8, OUT p99 float8, OUT most float8)
		LANGUAGE plpgsql AS \$\$
		DECLARE took float8[]; begun timestamptz;
		BEGIN
			FOR i IN 1 .. n LOOP
				begun := clock_timestamp();
				PERFORM k, count(*), sum(v), avg(x) FROM bench_few GROUP BY k;
				took[i] := extract(epoch FROM clock_timestamp() - begun) * 1000;
				PERFORM pg_sleep(0.002);
			END LOOP;
			SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY t), percentile_disc(0.99) WITHIN GROUP (ORDER BY t), max(t)
				INTO median, p99, most FROM unnest(took) t;
		END \$\$"
	session_psql short beside
	session_do short "SET gpuagg.debug_require = 'prefer'; SET gpuagg.fallback = off;"
	beside_short
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		beside_short
		samples_add alone/median "$MEDIAN"
		samples_add alone/p99 "$P99"
		samples_add alone/most "$MOST"
	done
	for what in median p99 most; do
		csv_row beside short alone "$what" ms "$few" 100 "alone/$what" "" "" ""
	done
	for case in compiled interpreted partitioned; do
		beside_case "$case"
		for what in median p99 most; do
			csv_row beside "short beside $case" gpuagg "$what" ms "$few" 100 "$case/$what" "alone/$what" alone "$BESIDE_NOTE"
		done
		bench_say "   $case: $BESIDE_NOTE"
	done
	session_close short
}
