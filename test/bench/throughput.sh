# throughput.sh
#		Queries a second over kept columns: prepared statements of many clients at
#		once over BENCH_KEPT_ROWS rows, gpuagg's from the column cache, PostgreSQL's
#		with parallel plans.  Latencies are pgbench's own log's; late is the 99th
#		percentile beside the median.

throughput_cases()
{
	printf '%s\t%s\n' \
		hundred "SELECT k, sum(v) FROM kept GROUP BY k" \
		dates "SELECT k, sum(v) FROM kept WHERE d >= '1993-01-01' AND d < '1993-07-01' GROUP BY k" \
		month "SELECT s, sum(v) FROM kept WHERE d >= '1993-03-01' AND d < '1993-04-01' GROUP BY s ORDER BY 2 DESC LIMIT 10"
}

throughput_table()
{
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS kept;
		CREATE TABLE kept AS
		SELECT (h % 100)::int4 AS k, ((h >> 7) % 1000000)::int4 AS v,
			   '1992-01-01'::date + ((h >> 27) % 2520)::int4 AS d,
			   's' || lpad(((h >> 40) % 500)::text, 6, '0') AS s
		FROM generate_series(1, $1::int8) i,
			 LATERAL (SELECT hashint8extended(i, 1) & 9223372036854775807) x (h);
		ALTER TABLE kept SET (parallel_workers = $BENCH_MAX_WORKERS)" &&
		server_sql main "VACUUM (FREEZE, ANALYZE) kept" ||
		die "cannot fill table kept"
	table_prewarm main kept
}

# throughput_run ENGINE CLIENTS: TPS, MEDIAN and LATE (ms) of one pgbench run
throughput_run()
{
	local out

	engine_settings "$1"
	settings_options "$REPLY"
	rm -f "$RUN_DIR"/throughput.log*
	out=$(server_env main
		PGOPTIONS=$REPLY pgbench -n -M prepared -f "$RUN_DIR/throughput.sql" \
			-c "$2" -j "$(($2 < BENCH_CORES ? $2 : BENCH_CORES))" -T "$THROUGHPUT_SECONDS" \
			--log --log-prefix="$RUN_DIR/throughput.log" 2>&1) ||
		die "pgbench failed: $out"
	TPS=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' <<<"$out")
	read -r MEDIAN LATE < <(cat "$RUN_DIR"/throughput.log* | perl -lane '
		push @t, $F[2] / 1000;
		END { @t = sort { $a <=> $b } @t; printf "%.3f %.3f\n", $t[@t / 2], $t[@t * 0.99] }')
}

# throughput_case CASE SQL
throughput_case()
{
	local clients engine round engines

	printf '%s;\n' "$2" >"$RUN_DIR/throughput.sql"
	for clients in 1 16 64; do
		engines="gpuagg-warm"
		[ "$clients" = 64 ] || engines+=" ${BENCH_PARALLEL##* }"
		for ((round = 0; round <= BENCH_RUNS; round++)); do
			for engine in $engines; do
				[ "$round" -gt 0 ] || [ "$engine" = gpuagg-warm ] || continue
				throughput_run "$engine" "$clients"
				[ "$round" -gt 0 ] || continue
				samples_add "$1/$clients/$engine" "$TPS"
				samples_add "$1/$clients/$engine/median" "$MEDIAN"
				samples_add "$1/$clients/$engine/late" "$LATE"
			done
		done
		for engine in $engines; do
			csv_row throughput "$1, $clients clients" "$engine" throughput tps "$THROUGHPUT_ROWS" 0 \
				"$1/$clients/$engine" "$1/$clients/${BENCH_PARALLEL##* }" "${BENCH_PARALLEL##* }" ""
			csv_row throughput "$1, $clients clients" "$engine" median ms "$THROUGHPUT_ROWS" 0 \
				"$1/$clients/$engine/median" "" "" ""
			csv_row throughput "$1, $clients clients" "$engine" late ms "$THROUGHPUT_ROWS" 0 \
				"$1/$clients/$engine/late" "$1/$clients/$engine/median" median ""
		done
	done
}

bench_throughput()
{
	local case sql

	THROUGHPUT_ROWS=${BENCH_KEPT_ROWS:-20000000}
	THROUGHPUT_SECONDS=${BENCH_SECONDS:-3}
	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open throughput
	csv_heading
	throughput_table "$THROUGHPUT_ROWS"
	server_sql main "SELECT gpuagg.load('kept')" >/dev/null
	while IFS=$'\t' read -r case sql <&3; do
		! bench_wants "$case" || throughput_case "$case" "$sql"
	done 3< <(throughput_cases)
	server_sql main 'DROP TABLE kept'
}
