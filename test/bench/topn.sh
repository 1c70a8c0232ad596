# topn.sh
#		Few of many groups: the first ten of BENCH_TOPN_ROWS rows' groups, as
#		dashboards ask for them, with columns on the device, by PostgreSQL and by
#		DuckDB; and the same groupings with all their groups returned.
#
#		The table is like one of visits to pages: six times as many rows as users.

. "$BENCH_HERE/h2o.sh"		# DuckDB

# Lines: case, grouping, ORDER BY of its first ten
topn_cases()
{
	printf '%s\t%s\t%s\n' \
		user "SELECT user_id, count(*) AS n FROM visits GROUP BY user_id" "n DESC, user_id" \
		user-phrase "SELECT user_id, phrase, count(*) AS n FROM visits GROUP BY user_id, phrase" \
		"n DESC, user_id, phrase" \
		user-minute-phrase "SELECT user_id, minute, phrase, count(*) AS n FROM visits GROUP BY user_id, minute, phrase" \
		"n DESC, user_id, minute, phrase" \
		visit-ip "SELECT visit_id, ip, count(*) AS n, sum(refresh) AS s, avg(width) AS w FROM visits GROUP BY visit_id, ip" \
		"w DESC, visit_id, ip" \
		url "SELECT url, count(*) AS n FROM visits GROUP BY url" "n DESC, url"
}

topn_table()
{
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS visits;
		BEGIN;
		CREATE TABLE visits (visit_id int8, user_id int8, minute int4, ip int4, refresh int4,
							 width int4, phrase text COLLATE \"C\", url text COLLATE \"C\");
		INSERT INTO visits
		SELECT hashint8extended(i, 1), hashint8extended(abs(hashint8extended(i, 2)) % ($1 / 5), 3),
			   abs(hashint8extended(i, 4)) % 60, hashint8(i), (i % 50 = 0)::int4,
			   abs(hashint8extended(i, 5)) % 2000,
			   CASE WHEN i % 8 = 0 THEN 'phrase ' || abs(hashint8extended(i, 6)) % 100000 ELSE '' END,
			   'https://example.org/' || md5((abs(hashint8extended(i, 7)) % ($1 / 5))::text) || '/page'
		FROM generate_series(1, $1::int8) i;
		COMMIT;
		ALTER TABLE visits SET (parallel_workers = $BENCH_MAX_WORKERS)" &&
		server_sql main "VACUUM (FREEZE, ANALYZE) visits" ||
		die "cannot fill table visits"
	table_prewarm main visits
}

# topn_run ENGINE SAMPLE SQL
topn_run()
{
	if [ "$1" = duckdb ]; then
		duckdb_time "$3"
		samples_add "$2" "$REPLY"
		return
	fi
	engine_settings "$1" "$TOPN_WORK_MEM"
	session_do topn "$REPLY"
	explain_run topn "$3"
	samples_add "$2" "$EXEC_MS"
}

# topn_case CASE SQL: engines in turn, after a round that does not count
topn_case()
{
	local round engine groups
	local -A note=()

	for engine in gpuagg-warm postgres "$TOPN_PARALLEL"; do
		engine_settings "$engine" "$TOPN_WORK_MEM"
		session_do topn "$REPLY"
		explain_run topn "$2" ON
		note[$engine]="$PLAN${NODE:+: $NODE}"
	done
	groups=$PLAN_ROWS
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		for engine in gpuagg-warm postgres "$TOPN_PARALLEL" $TOPN_DUCKDB; do
			topn_run "$engine" "$1/$engine" "$2"
		done
	done
	for engine in gpuagg-warm postgres "$TOPN_PARALLEL" $TOPN_DUCKDB; do
		csv_row topn "$1" "$engine" execution ms "$TOPN_ROWS" "$groups" "$1/$engine" \
			"$1/$TOPN_PARALLEL" "$TOPN_PARALLEL" "${note[$engine]:-}"
	done
}

bench_topn()
{
	local case sql order
	local TOPN_ROWS=${BENCH_TOPN_ROWS:-6000000} TOPN_WORK_MEM=2GB TOPN_DUCKDB=
	local TOPN_PARALLEL=postgres-$((BENCH_MAX_WORKERS > 12 ? 12 : BENCH_MAX_WORKERS))w

	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open topn
	csv_heading
	topn_table "$TOPN_ROWS"
	session_psql topn main
	! duckdb_start || TOPN_DUCKDB=duckdb
	[ -z "$TOPN_DUCKDB" ] || duckdb_load visits "'visit_id': 'BIGINT', 'user_id': 'BIGINT',
		'minute': 'INTEGER', 'ip': 'INTEGER', 'refresh': 'INTEGER', 'width': 'INTEGER',
		'phrase': 'VARCHAR', 'url': 'VARCHAR'"
	while IFS=$'\t' read -r case sql order <&3; do
		! bench_wants "$case" || topn_case "$case" "$sql ORDER BY $order LIMIT 10"
		! bench_wants "$case-all" || topn_case "$case-all" "$sql"
	done 3< <(topn_cases)
	session_close topn
	session_close duckdb
	server_sql main 'DROP TABLE visits; CHECKPOINT'
}
