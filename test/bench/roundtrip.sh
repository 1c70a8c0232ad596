# roundtrip.sh
#		An empty task from a backend to the device worker and back, in
#		microseconds, as gpuagg.ping() times it inside the backend, and the
#		smallest whole query through GpuAgg beside the same by PostgreSQL.

bench_roundtrip()
{
	local round engine query='SELECT count(*) FROM bench_one'

	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open roundtrip
	csv_heading
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS bench_one;
		CREATE TABLE bench_one AS SELECT 1 AS a" &&
		server_sql main 'VACUUM (FREEZE, ANALYZE) bench_one'
	session_psql bench main
	session_do bench "SELECT gpuagg.ping(100);"	# warm
	session_do bench "SELECT gpuagg.ping(1) FROM generate_series(1, 1000);"
	samples_add ping "${REPLY//$'\n'/ }"
	csv_row roundtrip "empty task" gpuagg ping us 0 0 ping "" "" ""
	for ((round = 0; round <= BENCH_RUNS * 20; round++)); do
		for engine in gpuagg-forced postgres; do
			engine_settings $engine
			session_do bench "$REPLY"
			explain_run bench "$query"
			[ "$round" -eq 0 ] || samples_add "$engine" \
				"$(perl -e 'print $ARGV[0] * 1000' "$EXEC_MS")"
		done
	done
	for engine in gpuagg-forced postgres; do
		csv_row roundtrip "count(*) of one row" $engine execution us 1 1 \
			$engine postgres postgres ""
	done
	session_close bench
	server_sql main 'DROP TABLE bench_one'
}
