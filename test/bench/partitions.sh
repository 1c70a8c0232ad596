# partitions.sh
#		What it costs that a table is many: BENCH_PARTITIONS partitions of
#		BENCH_PARTITION_ROWS rows beside one table of the same rows, one of them that
#		pruning leaves beside that partition itself, UNION ALL of two tables beside one;
#		planning over BENCH_MANY_PARTITIONS, and adding up what a device and PostgreSQL
#		have grouped of 10^6 groups, beside PostgreSQL.

. "$BENCH_HERE/planning.sh"		# planning_time

# partitions_fill WORKER: every so many of the partitions, and their rows in the other tables
partitions_fill()
{
	local p half

	for ((p = $1; p < PARTITIONS; p += BENCH_CORES)); do
		half=$((p * 2 < PARTITIONS ? 1 : 2))
		server_psql main -c "INSERT INTO bench_parts_$p
			SELECT $p, hashint8extended(i, 1) & 1023, hashint8extended(i, 2) & 1048575
			FROM generate_series($p::int8 * $PARTITION_ROWS + 1, ($p + 1)::int8 * $PARTITION_ROWS) i" \
			-c "INSERT INTO bench_one TABLE bench_parts_$p" \
			-c "INSERT INTO bench_half_$half TABLE bench_parts_$p" \
			-c "VACUUM (FREEZE, ANALYZE) bench_parts_$p" || return
	done
}

# By as many processes as there are cores
partitions_tables()
{
	local worker pid pids=() table

	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS bench_parts, bench_one, bench_half_1, bench_half_2;
		CREATE TABLE bench_one (p int4, k int4, v int8);
		CREATE TABLE bench_half_1 (LIKE bench_one);
		CREATE TABLE bench_half_2 (LIKE bench_one);
		CREATE TABLE bench_parts (LIKE bench_one) PARTITION BY LIST (p);
		DO \$\$ BEGIN FOR p IN 0 .. $((PARTITIONS - 1)) LOOP
			EXECUTE format('CREATE TABLE bench_parts_%s PARTITION OF bench_parts FOR VALUES IN (%s)', p, p);
		END LOOP; END \$\$" || die "cannot make partitions"
	for ((worker = 0; worker < BENCH_CORES; worker++)); do
		partitions_fill "$worker" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || die "cannot fill partitions"
	done
	pids=()
	for table in one half_1 half_2; do
		server_sql main "VACUUM (FREEZE, ANALYZE) bench_$table" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || die "cannot finish tables"
	done
	server_sql main 'ANALYZE bench_parts'		# of all of them together
	for table in one half_1 half_2; do
		table_prewarm main "bench_$table"
	done
}

# partitions_run SAMPLE SQL: execution alone, and the whole query with its planning
partitions_run()
{
	explain_run partitions "$2"
	samples_add "$1" "$EXEC_MS"
	query_time partitions "$2"
	samples_add "$1/query" "$REPLY"
}

# partitions_pair CASE ONE SQL MANY SQL: in turn, without the cache and with it.  Devices that
# are fed slower than they read may have as many feeders as sessions have by default.
partitions_pair()
{
	local case round who cache
	local -A sql=([one]=$3 [many]=$5) name=([one]=$2 [many]=$4) note=()

	for cache in off on; do
		case=$1-$([ $cache = on ] && echo warm || echo cold)
		bench_wants "$case" || continue
		engine_settings gpuagg-forced
		session_do partitions "$REPLY SET gpuagg.cache = $cache;
			SET max_parallel_workers_per_gather = 2;"
		for who in one many; do
			explain_run partitions "${sql[$who]}" ON
			explain_run partitions "${sql[$who]}" ON
			note[$who]="$PLAN: $NODE"
		done
		for ((round = 1; round <= BENCH_RUNS; round++)); do
			for who in $(in_turn "$round" one many); do
				partitions_run "$case/$who" "${sql[$who]}"
			done
		done
		for who in one many; do
			csv_row partitions "$case" "${name[$who]}" execution ms "$PARTITIONS_ROWS" "$PLAN_ROWS" \
				"$case/$who" "$case/one" "${name[one]}" "${note[$who]}"
			csv_row partitions "$case" "${name[$who]}" query ms "$PARTITIONS_ROWS" "$PLAN_ROWS" \
				"$case/$who/query" "$case/one/query" "${name[one]}" ""
		done
	done
}

# Sessions alike but for gpuagg.enable, a few rows in each partition
partitions_planning()
{
	local many=${BENCH_MANY_PARTITIONS:-5000} query round engine
	local -A note=()

	bench_wants planning || return 0
	server_sql main "SET client_min_messages = error; DROP TABLE IF EXISTS bench_many;
		CREATE TABLE bench_many (p int4, k int4, v int8) PARTITION BY LIST (p);
		DO \$\$ BEGIN FOR p IN 1 .. $many LOOP
			EXECUTE format('CREATE TABLE bench_many_%s PARTITION OF bench_many FOR VALUES IN (%s)', p, p);
		END LOOP; END \$\$;
		INSERT INTO bench_many SELECT i % $many + 1, i % 100, i FROM generate_series(1, $many * 20) i" ||
		die "cannot make $many partitions"
	query="SELECT k, count(*), sum(v) FROM bench_many GROUP BY k"
	for engine in gpuagg-forced postgres; do
		session_psql $engine main
		engine_settings $engine
		session_do $engine "$REPLY"
		session_do $engine "EXPLAIN (COSTS OFF) $query;"
		note[$engine]=${REPLY%%$'\n'*}
	done
	for ((round = 0; round <= BENCH_RUNS * 2; round++)); do
		for engine in $(in_turn "$round" gpuagg-forced postgres); do
			planning_time $engine "$query"
			[ "$round" -eq 0 ] || samples_add "planning/$engine" "$REPLY"
		done
	done
	for engine in gpuagg-forced postgres; do
		csv_row partitions planning $engine planning us $((many * 20)) 100 "planning/$engine" \
			planning/postgres postgres "$many partitions; ${note[$engine]}"
		session_close $engine
	done
	server_sql main 'DROP TABLE bench_many'
}

# Two partitions of 10^6 groups, and an empty foreign one, for which states are added up
# by PostgreSQL
partitions_finalize()
{
	local groups=1000000

	bench_wants finalize || return 0
	server_sql main "SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS file_fdw" ||
		{ csv_note partitions finalize gpuagg "not measured" "" "" "no extension file_fdw"; return 0; }
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS bench_states;
		DROP SERVER IF EXISTS bench_files CASCADE;
		CREATE SERVER bench_files FOREIGN DATA WRAPPER file_fdw;
		CREATE TABLE bench_states (p int4, g int4, v int8) PARTITION BY LIST (p);
		CREATE TABLE bench_states_1 PARTITION OF bench_states FOR VALUES IN (1);
		CREATE TABLE bench_states_2 PARTITION OF bench_states FOR VALUES IN (2);
		CREATE FOREIGN TABLE bench_states_3 PARTITION OF bench_states FOR VALUES IN (3)
			SERVER bench_files OPTIONS (filename '/dev/null');
		INSERT INTO bench_states SELECT p, i * 7919::int8 % $groups, i FROM generate_series(1, 2) p, generate_series(1, $groups) i" &&
		server_sql main "VACUUM (FREEZE, ANALYZE) bench_states_1, bench_states_2" &&
		server_sql main 'ANALYZE bench_states' || die "cannot make table bench_states"
	measure_query partitions partitions finalize "SELECT g, count(*), sum(v) FROM bench_states GROUP BY g" \
		$((groups * 2)) "$BENCH_WORK_MEM"
	server_sql main "SET client_min_messages = error; DROP TABLE bench_states; DROP SERVER bench_files CASCADE"
}

bench_partitions()
{
	local PARTITIONS=${BENCH_PARTITIONS:-12} PARTITION_ROWS=${BENCH_PARTITION_ROWS:-1000000}
	local PARTITIONS_ROWS=$((PARTITIONS * PARTITION_ROWS)) one=$((PARTITIONS / 2)) select='SELECT k, count(*) AS c, sum(v) AS s'

	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open partitions
	csv_heading
	session_psql partitions main
	if bench_wants all-cold all-warm pruned-cold pruned-warm union-cold union-warm; then
		partitions_tables
		answer_check partitions all "sum(c), sum(s)" "$select FROM bench_parts GROUP BY k" \
			"postgres-${BENCH_MAX_WORKERS}w" gpuagg-forced
		partitions_pair all "one table" "$select FROM bench_one GROUP BY k" \
			"$PARTITIONS partitions" "$select FROM bench_parts GROUP BY k"
		partitions_pair union "one table" "$select FROM bench_one GROUP BY k" "UNION ALL" \
			"$select FROM (SELECT k, v FROM bench_half_1 UNION ALL SELECT k, v FROM bench_half_2) x GROUP BY k"
		PARTITIONS_ROWS=$PARTITION_ROWS
		partitions_pair pruned "its partition" "$select FROM bench_parts_$one WHERE p = $one GROUP BY k" \
			"pruned to one" "$select FROM bench_parts WHERE p = $one GROUP BY k"
		server_sql main 'DROP TABLE bench_parts, bench_one, bench_half_1, bench_half_2'
	fi
	partitions_planning
	partitions_finalize
	session_close partitions
}
