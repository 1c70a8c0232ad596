# topn.sh
#		Few of many groups: the first ten of BENCH_TOPN_ROWS rows' groups, as
#		dashboards ask for them, with columns on the device, by PostgreSQL and by
#		DuckDB; and the same groupings with all their groups returned.
#
#		The table is like one of visits to pages: six times as many rows as users.
#		The case six-keys is the last question of h2o, on its table (h2o.sh).

. "$BENCH_HERE/h2o.sh"		# its table

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

# The cases of table visits
topn_visits()
{
	local case sql order

	bench_wants $(topn_cases | cut -f 1 | sed 'p; s/$/-all/') || return 0
	topn_table "$TOPN_ROWS"
	[ -z "$TOPN_DUCKDB" ] || duckdb_load visits
	while IFS=$'\t' read -r case sql order <&3; do
		! bench_wants "$case" || topn_case "$case" "$sql ORDER BY $order LIMIT 10"
		! bench_wants "$case-all" || topn_case "$case-all" "$sql"
	done 3< <(topn_cases)
	server_sql main 'DROP TABLE visits; CHECKPOINT'
}

# And that of h2o's
topn_h2o()
{
	local TOPN_ROWS=${BENCH_H2O_ROWS:-10000000}

	bench_wants six-keys || return 0
	h2o_table "$TOPN_ROWS"
	[ -z "$TOPN_DUCKDB" ] || duckdb_load h2o_g1
	topn_case six-keys "SELECT id1, id2, id3, id4, id5, id6, sum(v3) AS v3, count(*) AS n FROM h2o_g1
		GROUP BY id1, id2, id3, id4, id5, id6 ORDER BY v3 DESC LIMIT 10"
	server_sql main 'DROP TABLE h2o_g1; CHECKPOINT'
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
	local TOPN_ROWS=${BENCH_TOPN_ROWS:-6000000} TOPN_WORK_MEM=2GB TOPN_DUCKDB=
	local TOPN_PARALLEL=postgres-$((BENCH_MAX_WORKERS > 12 ? 12 : BENCH_MAX_WORKERS))w

	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open topn
	csv_heading
	session_psql topn main
	! duckdb_start || TOPN_DUCKDB=duckdb
	topn_visits
	topn_h2o
	session_close topn
	session_close duckdb
}
