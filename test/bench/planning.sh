# planning.sh
#		What gpuagg costs the queries that it does not take: planning time of a
#		few, and pgbench -S, on two servers alike but for gpuagg, in turn.

# planning_time SESSION QUERY: appends us of one planning
planning_time()
{
	session_do "$1" "EXPLAIN (SUMMARY) $2;"
	REPLY=${REPLY##*Planning Time: }
	REPLY=$(perl -e 'print $ARGV[0] * 1000' "${REPLY%% *}")
}

planning_case()
{
	local case=$1 query=$2 round engine

	for ((round = 0; round <= BENCH_RUNS * 20; round++)); do
		for engine in $(in_turn $round gpuagg postgres); do
			planning_time $engine "$query"
			[ "$round" -lt 5 ] || samples_add "$case/$engine" "$REPLY"
		done
	done
	for engine in gpuagg postgres; do
		csv_row planning "$case" $engine planning us "" "" "$case/$engine" \
			"$case/postgres" postgres ""
	done
}

planning_select()
{
	local round server engine out

	for ((round = 1; round <= BENCH_RUNS; round++)); do
		for engine in $(in_turn $round gpuagg postgres); do
			server=plain
			[ $engine = postgres ] || server=$WITH
			out=$(server_env $server
				pgbench -n -S -c 1 -T "${BENCH_SECONDS:-3}" 2>&1) ||
				die "pgbench failed: $out"
			samples_add "S/$engine" "$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' <<<"$out")"
		done
	done
	for engine in gpuagg postgres; do
		csv_row planning "pgbench -S, 1 client" $engine throughput tps "" "" \
			"S/$engine" S/postgres postgres ""
	done
}

bench_planning()
{
	local server t=pgbench_accounts b=pgbench_branches

	bench_need_pair || return 0
	csv_open planning
	csv_heading
	for server in $WITH plain; do
		(server_env $server; pgbench -i -q -s 5 >/dev/null 2>&1) ||
			die "pgbench -i failed"
	done
	session_psql gpuagg "$WITH"
	session_psql postgres plain
	planning_case "primary key lookup" "SELECT abalance FROM $t WHERE aid = 17"
	planning_case "join of four tables" \
		"SELECT 1 FROM $t a JOIN $b b USING (bid) JOIN pgbench_tellers t USING (bid)
		 JOIN pgbench_history h ON h.aid = a.aid WHERE a.aid = 17"
	planning_case "group-by over a join" \
		"SELECT b.bid, count(*) FROM $t a JOIN $b b USING (bid) GROUP BY b.bid"
	planning_case "aggregate not taken" \
		"SELECT bid, string_agg(filler, ',') FROM $t GROUP BY bid"
	planning_case "group-by taken" \
		"SELECT bid, count(*), sum(abalance) FROM $t GROUP BY bid"
	session_close gpuagg
	session_close postgres
	planning_select
	for server in $WITH plain; do
		server_sql $server "DROP TABLE $t, $b, pgbench_tellers, pgbench_history"
	done
}
