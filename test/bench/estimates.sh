# estimates.sh
#		What wrong estimates and little device memory cost a grouping that runs on
#		the device.  Columns k_right, k_low and k_high hold the same ESTIMATES_GROUPS
#		keys; of the last two the planner is told a tenth and ten times as many.
#		"memory": ten times as many groups, once with all the memory that the device
#		gives, once with a tenth of what their table takes (a server of its own),
#		which is grouped in windows of the hash space.

estimates_table()
{
	local groups=$ESTIMATES_GROUPS

	server_sql "$1" "SET client_min_messages = error;
		DROP TABLE IF EXISTS bench_estimates;
		BEGIN;
		CREATE TABLE bench_estimates (k_right int4, k_low int4, k_high int4, k_many int4, v int4);
		ALTER TABLE bench_estimates ALTER k_right SET (n_distinct = $groups),
			ALTER k_low SET (n_distinct = $((groups / 10))),
			ALTER k_high SET (n_distinct = $((groups * 10))),
			ALTER k_many SET (n_distinct = $((groups * 10)));
		INSERT INTO bench_estimates
		SELECT k % $groups, k % $groups, k % $groups, k % ($groups * 10), i % 1000
		FROM (SELECT i, hashint8extended(i, 1) & 9223372036854775807 AS k
			  FROM generate_series(1, $ESTIMATES_ROWS::int8) i OFFSET 0) r;
		COMMIT" &&
		server_sql "$1" "VACUUM (FREEZE, ANALYZE) bench_estimates" ||
		die "cannot fill bench_estimates"
	table_prewarm "$1" bench_estimates
}

# estimates_run SESSION KEY SAMPLE ROUND: the node's own figures come in round 0
estimates_run()
{
	local timing=OFF

	[ "$4" -gt 0 ] || timing=ON
	explain_run "$1" "SELECT $2, count(*), sum(v) FROM bench_estimates GROUP BY $2" $timing
	if [ "$4" -eq 0 ]; then
		ESTIMATES_NOTE[$3]="$PLAN${NODE:+: $NODE}"
	else
		samples_add "$3" "$EXEC_MS"
	fi
	ESTIMATES_FOUND=$PLAN_ROWS
}

estimates_session()
{
	session_psql "$1" "$2"
	engine_settings gpuagg-forced
	session_do "$1" "$REPLY"
}

bench_estimates()
{
	local round key bytes
	local -A ESTIMATES_NOTE=()

	ESTIMATES_ROWS=${BENCH_ROWS:-20000000}
	ESTIMATES_GROUPS=${BENCH_ESTIMATES_GROUPS:-1000000}
	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] || die "gpuagg is not installed"
	[ -z "$BENCH_GIVEN_HOST" ] || die "estimates needs servers of its own"
	csv_open estimates
	csv_heading
	estimates_table main
	# an entry of int4 key, count and sum is 24 bytes; tables are half full
	bytes=$((ESTIMATES_GROUPS * 10 * 24 * 2 / 10 / 1048576))
	BENCH_CONF="gpuagg.device_memory = '$((bytes > 16 ? bytes : 16))MB'" \
		bench_server small gpuagg "$BENCH_SHARED_BUFFERS"
	estimates_table small
	estimates_session all main
	estimates_session tenth small
	for ((round = 0; round <= BENCH_RUNS; round++)); do
		for key in right low high; do
			estimates_run all k_$key $key $round
		done
	done
	for key in right low high; do
		csv_row estimates "estimate-$key" gpuagg execution ms "$ESTIMATES_ROWS" \
			"$ESTIMATES_FOUND" $key right estimate-right "${ESTIMATES_NOTE[$key]}"
	done
	for ((round = 0; round <= BENCH_RUNS; round++)); do
		estimates_run all k_many memory-all $round
		estimates_run tenth k_many memory-tenth $round
	done
	for key in all tenth; do
		csv_row estimates "memory-$key" gpuagg execution ms "$ESTIMATES_ROWS" \
			"$ESTIMATES_FOUND" memory-$key memory-all memory-all \
			"${ESTIMATES_NOTE[memory-$key]}"
	done
	session_close all
	session_close tenth
	server_sql main 'DROP TABLE bench_estimates'
}
