# clients.sh
#		Many clients at once: pgbench with a group-by of BENCH_CLIENT_ROWS rows
#		into 100 groups, 1 to 64 clients, gpuagg on and off, in turn.  The note
#		tells how many of the statements PostgreSQL had to answer because the
#		device had no place (gpuagg.stat).

# clients_run ENGINE CLIENTS: TPS and LATENCY of one pgbench run
clients_run()
{
	local out workers=0 options="-c work_mem=4MB"

	case $1 in
		gpuagg) options+=" -c gpuagg.enable=on" ;;
		gpuagg-forced) options+=" -c gpuagg.enable=on -c gpuagg.debug_require=require" ;;
		*w) workers=${1#postgres-}; workers=${workers%w} ;;&
		*) [ "$HAVE_GPUAGG" = 0 ] || options+=" -c gpuagg.enable=off" ;;
	esac
	options+=" -c max_parallel_workers_per_gather=$workers"
	out=$(server_env main
		PGOPTIONS=$options pgbench -n -f "$RUN_DIR/clients.sql" \
			-c "$2" -j "$(($2 < BENCH_CORES ? $2 : BENCH_CORES))" \
			-T "$CLIENTS_SECONDS" 2>&1) ||
		die "pgbench failed: $out"
	case $out in
		*'number of failed transactions: 0 '*) ;;
		*'failed transactions'*) die "pgbench: transactions failed: $out" ;;
	esac
	TPS=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' <<<"$out")
	LATENCY=$(sed -n 's/^latency average = \([0-9.]*\) ms.*/\1/p' <<<"$out")
}

clients_case()
{
	local clients=$1 engines=$2 engine round before fallbacks=0 note key

	for ((round = 1; round <= BENCH_RUNS; round++)); do
		for engine in $engines; do
			stat_fallbacks
			before=$REPLY
			clients_run "$engine" "$clients"
			stat_fallbacks
			fallbacks=$((fallbacks + REPLY - before))
			samples_add "$clients/$engine" "$TPS"
			samples_add "$clients/$engine/latency" "$LATENCY"
		done
	done
	for engine in $engines; do
		note=
		[ "$engine" != gpuagg ] || note="fallbacks $fallbacks"
		key=$clients/$engine
		csv_row clients "$clients clients" "$engine" throughput tps "$CLIENTS_ROWS" \
			100 "$key" "$clients/postgres" postgres "$note"
		csv_row clients "$clients clients" "$engine" latency ms "$CLIENTS_ROWS" \
			100 "$key/latency" "$clients/postgres/latency" postgres ""
	done
	[ "$clients" -eq 1 ] || for engine in $engines; do
		csv_row clients "$clients clients" "$engine" scaling tps "$CLIENTS_ROWS" \
			100 "$clients/$engine" "1/$engine" "1 client" ""
	done
}

bench_clients()
{
	local clients engines=postgres

	CLIENTS_ROWS=${BENCH_CLIENT_ROWS:-200000}
	CLIENTS_SECONDS=${BENCH_SECONDS:-3}
	bench_need_main
	csv_open clients
	csv_heading
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS bench_clients;
		CREATE TABLE bench_clients AS
		SELECT (i % 100)::int4 AS k, i::int4 AS v, i::float8 AS x
		FROM generate_series(1, $CLIENTS_ROWS) i" &&
		server_sql main 'VACUUM (FREEZE, ANALYZE) bench_clients' ||
		die "cannot fill table bench_clients"
	table_prewarm main bench_clients
	echo 'SELECT k, count(*), sum(v), avg(x) FROM bench_clients GROUP BY k;' \
		>"$RUN_DIR/clients.sql"
	if [ "$HAVE_GPUAGG" != 0 ]; then
		session_psql bench main
		gpuagg_engine bench "$(tr -d ';' <"$RUN_DIR/clients.sql")"
		session_close bench
		if [ "$REPLY" = gpuagg ]; then
			engines="gpuagg postgres"
		else
			bench_say "   gpuagg is not chosen: $WHY"
		fi
	fi
	for clients in 1 4 16 64; do
		clients_case $clients "$engines postgres-2w"
	done
	server_sql main 'DROP TABLE bench_clients'
}
