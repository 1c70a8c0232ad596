# cold.sh
#		What a device does with nothing kept on it between queries: h2o's table
#		by the keys that show its strategies, and what else it must not cost: two
#		backends at once, a table without statistics, the start of the server,
#		the memory of an idle worker.  Engines as in h2o, PostgreSQL in its best
#		parallel plan (at most 12 workers).

. "$BENCH_HERE/h2o.sh"		# the table, its questions, DuckDB
. "$BENCH_HERE/clients.sh"	# pgbench

COLD_ID4='SELECT id4, count(*) AS c, sum(v1) AS v FROM h2o_g1 GROUP BY id4'

# Lines as h2o_questions has them; q10 last, as it leaves the device fullest.
cold_questions()
{
	local sums='count(*) AS c, sum(v1) AS v FROM h2o_g1'

	printf '%s\tsum(c), sum(v)\t%s\n' id4 "$COLD_ID4" \
		filter-id5 "SELECT id5, $sums WHERE v2 <= 5 GROUP BY id5" \
		id6 "SELECT id6, $sums GROUP BY id6"
	h2o_questions
}

# cold_rate MS PAGES: REPLY is GB/s of heap pages
cold_rate() { REPLY=$(perl -e 'printf "%.4g", $ARGV[1] * 8192 / $ARGV[0] / 1e6' "$1" "$2"); }

# cold_question CASE CHECK SQL
cold_question()
{
	local engine ms pages

	gpuagg_engine h2o "$3"
	engine=$REPLY
	if [ -z "$engine" ]; then
		bench_say "   $1: not taken: $WHY"
		csv_note cold "$1" gpuagg "not taken" "$COLD_ROWS" "" "$WHY"
		return 0
	fi
	# also warms the backend: measure_query notes figures of its first round
	answer_check h2o "$1" "$2" "$3" "$BENCH_PARALLEL" "$engine" $COLD_DUCKDB
	measure_query h2o cold "$1" "$3" "$COLD_ROWS" "$BENCH_WORK_MEM" $COLD_DUCKDB
	table_pages main h2o_g1
	pages=$REPLY
	for ms in ${SAMPLES[$1/$engine]}; do
		cold_rate "$ms" "$pages"
		samples_add "$1/rate" "$REPLY"
	done
	csv_row cold "$1" "$engine" pages_gb_s GB/s "$COLD_ROWS" "" "$1/rate" "" "" \
		"$pages pages"
}

# One session and two that run id4 over and over.
cold_two_backends()
{
	local engine round sessions pages before note

	gpuagg_engine h2o "$COLD_ID4"
	engine=$REPLY
	[ -n "$engine" ] || return 0
	table_pages main h2o_g1
	pages=$REPLY
	echo "$COLD_ID4;" >"$RUN_DIR/clients.sql"
	CLIENTS_SECONDS=${BENCH_SECONDS:-3}
	clients_fallbacks
	before=$REPLY
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		for sessions in $(in_turn "$round" 1 2); do
			clients_run "$engine" "$sessions"
			cold_rate "$(perl -e 'print 1000 / $ARGV[0]' "$TPS")" "$pages"
			samples_add "sessions/$sessions" "$REPLY"
		done
	done
	clients_fallbacks
	note="fallbacks $((REPLY - before))"
	for sessions in 1 2; do
		csv_row cold two-backends "$engine x$sessions" pages_gb_s GB/s "$COLD_ROWS" \
			100 "sessions/$sessions" "sessions/1" "1 session" "$note"
	done
}

# Two tables alike, with and without statistics.  Each value of k comes twice.
cold_never_analysed()
{
	local groups=$((COLD_ROWS / 2)) table query round engine pid pids=()
	local -A engines=() note=()

	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS bench_never, bench_analysed;
		CREATE TABLE bench_never (k int4, v int4) WITH (autovacuum_enabled = off);
		CREATE TABLE bench_analysed (LIKE bench_never)
			WITH (autovacuum_enabled = off)" || die "cannot make tables"
	for table in never analysed; do
		# a prime, so that neighbours are no neighbours
		server_sql main "INSERT INTO bench_$table
			SELECT i * 2654435761 % $groups, i % 1000
			FROM generate_series(1, $COLD_ROWS::int8) i" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || die "cannot fill tables"
	done
	session_psql never main
	for table in never analysed; do
		server_sql main "VACUUM (FREEZE) bench_$table"	# of both: all-visible
		[ $table = never ] || server_sql main "ANALYZE bench_$table"
		table_prewarm main "bench_$table"
		gpuagg_engine never "SELECT k, count(*), sum(v) FROM bench_$table GROUP BY k"
		engines[$table]=$REPLY
	done
	for ((round = 0; round <= BENCH_RUNS; round++)); do
		for table in $(in_turn "$round" never analysed); do
			engine=${engines[$table]}
			[ -n "$engine" ] || continue
			engine_settings "$engine"
			session_do never "$REPLY"
			query="SELECT k, count(*), sum(v) FROM bench_$table GROUP BY k"
			if [ "$round" -eq 0 ]; then
				explain_run never "$query"		# warm, for the note's figures
				explain_run never "$query" ON
				note[$table]="$PLAN${NODE:+: $NODE}"
			else
				explain_run never "$query"
				samples_add "stats/$table" "$EXEC_MS"
			fi
		done
	done
	csv_row cold never-analysed "${engines[never]}" execution ms "$COLD_ROWS" \
		"$groups" stats/never stats/analysed analysed "${note[never]:-}"
	csv_row cold never-analysed "${engines[analysed]}" analysed ms "$COLD_ROWS" \
		"$groups" stats/analysed stats/analysed analysed "${note[analysed]:-}"
	session_close never
	server_sql main 'DROP TABLE bench_never, bench_analysed'
}

# cold_until SAMPLE QUERY: asks until the answer is 1; milliseconds since BEGAN
cold_until()
{
	local give_up=$((SECONDS + 120))

	until [ "$(server_sql main "$2" 2>/dev/null)" = 1 ]; do
		[ $SECONDS -lt $give_up ] || { bench_say "   gave up: $2"; return 0; }
	done
	samples_add "$1" $((($(date +%s%N) - BEGAN) / 1000000))
}

# pg_ctl start to the first answer, and to a device that is ready
cold_start()
{
	local dir=${SERVER_DIR[main]:-} device round
	local -A note=()

	[ -n "$dir" ] || { bench_say "   start: skipped: not a server of our own"; return 0; }
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		for device in $(in_turn "$round" host auto); do
			server_stop "$dir"
			BEGAN=$(date +%s%N)
			(cd "$dir" && as_user pg_ctl -D "$dir/data" -l "$dir/log" -W \
				-o "-c gpuagg.device=$device" start) >/dev/null ||
				die "the server does not start"
			cold_until "start/$device/answers" 'SELECT 1'
			cold_until "start/$device/ready" \
				"SELECT 1 FROM gpuagg.devices WHERE state = 'ready' LIMIT 1"
			device_ask main "kind || ' ' || name"
			note[$device]=$REPLY
		done
	done
	for device in host auto; do
		csv_row cold start "device $device" answers ms "" "" "start/$device/answers" \
			start/host/answers "device host" "${note[$device]}"
		csv_row cold start "device $device" ready ms "" "" "start/$device/ready" \
			start/host/ready "device host" "${note[$device]}"
	done
	server_stop "$dir"		# back to the settings of its file
	(cd "$dir" && as_user pg_ctl -D "$dir/data" -l "$dir/log" -t 120 -w start) >/dev/null ||
		die "the server does not start"
	device_wait main
}

# cold_memory WHEN: MiB that the idle worker holds on its card
cold_memory()
{
	local pid memory note

	[ "$COLD_GPU" = yes ] && bench_wants idle-memory || return 0
	sleep 1					# what the last task had is freed
	device_ask main "pid, 'gpuagg.devices: ' || memory_used || ' of ' ||
		memory_limit || ' bytes in use'"
	IFS='|' read -r pid note <<<"$REPLY"
	memory=$(nvidia-smi --query-compute-apps=pid,used_memory \
		--format=csv,noheader,nounits | awk -F', *' -v pid="$pid" '$1 == pid { print $2 }')
	case $memory in
		*[!0-9]*|'')		# in a container processes may not be told apart
			memory=$(nvidia-smi -i 0 --query-gpu=memory.used \
				--format=csv,noheader,nounits)
			note="all that is in use on card 0; $note" ;;
	esac
	samples_add "memory/$1" "$memory"
	csv_row cold idle-memory gpuagg "$1" MiB "" "" "memory/$1" "" "" "$note"
}

bench_cold()
{
	local question check sql
	# those of the engines that are asked for here
	local BENCH_PARALLEL BENCH_MAX_WORKERS=$BENCH_MAX_WORKERS

	COLD_ROWS=${BENCH_H2O_ROWS:-10000000} COLD_DUCKDB= COLD_GPU=no
	BENCH_MAX_WORKERS=$((BENCH_MAX_WORKERS > 12 ? 12 : BENCH_MAX_WORKERS))
	BENCH_PARALLEL=postgres-${BENCH_MAX_WORKERS}w
	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	[ "$META_DRIVER" = - ] || ! command -v nvidia-smi >/dev/null || COLD_GPU=yes
	csv_open cold
	csv_heading
	cold_memory "before queries"
	if bench_wants two-backends idle-memory $(cold_questions | cut -f 1); then
		h2o_table "$COLD_ROWS"
		session_psql h2o main
		! duckdb_open || COLD_DUCKDB=duckdb
		while IFS=$'\t' read -r question check sql <&3; do
			! bench_wants "$question" || cold_question "$question" "$check" "$sql"
		done 3< <(cold_questions)
		cold_memory "after queries"
		! bench_wants two-backends || cold_two_backends
		session_close h2o
		session_close duckdb
		server_sql main 'DROP TABLE h2o_g1; CHECKPOINT'
	fi
	! bench_wants never-analysed || cold_never_analysed
	! bench_wants start || cold_start
}
