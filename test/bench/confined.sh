# confined.sh
#		gpuagg.what_if() beside runs on a part of the device: the small queries of compiled.sh over
#		kept columns, by a server whose worker has only some of the GPU's multiprocessors
#		(NVIDIA's MPS) or of the host's threads.  A ratio of 1 says that what the whole device
#		predicts of the part is what it takes.

. "$BENCH_HERE/compiled.sh"

# The daemon through which a process has a part of a card; of the server's user.
confined_mps()
{
	export CUDA_MPS_PIPE_DIRECTORY=$RUN_DIR/mps CUDA_MPS_LOG_DIRECTORY=$RUN_DIR/mps
	mkdir -p "$RUN_DIR/mps"
	own "$RUN_DIR/mps"
	(cd "$RUN_DIR" && as_user nvidia-cuda-mps-control -d) >/dev/null 2>&1 || return 1
	BENCH_AT_END=confined_quit
}

confined_quit()
{
	(cd "$RUN_DIR" && echo quit | as_user nvidia-cuda-mps-control) >/dev/null 2>&1
	BENCH_AT_END=
}

# confined_start UNITS: the server with so many
confined_start()
{
	local dir=${SERVER_DIR[main]} options=

	session_close confined
	server_stop "$dir" fast
	if [ "$CONFINED_KIND" = host ]; then
		options="-c gpuagg.host_threads=$1"
	else
		# its driver rounds up to what it can give
		export CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=$((($1 * 100 + CONFINED_ALL - 1) / CONFINED_ALL))
	fi
	(cd "$dir" && as_user pg_ctl -D "$dir/data" -l "$dir/log" -t 120 -w -o "$options" start) >/dev/null ||
		die "the server does not start"
	unset CUDA_MPS_ACTIVE_THREAD_PERCENTAGE
	device_wait main
	server_sql main "SELECT gpuagg.load('shapes')" >/dev/null
	session_psql confined main
	engine_settings gpuagg-warm
	# each with its kernel: under auto the first runs may be interpreted
	session_do confined "$REPLY SET gpuagg.debug_require = require; SET gpuagg.compile = always;"
}

# confined_warm SQL: two runs do not count, the second finds what the first has measured
confined_warm()
{
	explain_run confined "$1" ON
	kernels_settle confined
	explain_run confined "$1" ON
}

# What the whole device predicts of each part, of kernels that are made
confined_predict()
{
	local case sql units

	while IFS=$'\t' read -r case sql <&3; do
		bench_wants "$case" || continue
		confined_warm "$sql"
		for units in $CONFINED_PARTS; do
			session_do confined "SELECT gpuagg.what_if(\$q\$$sql\$q\$, multiprocessors := $units);"
			CONFINED_PREDICTED[$case/$units]=${REPLY//[^0-9.]/}
		done
	done 3< <(compiled_cases)
}

confined_measure()
{
	local units=$1 case sql round

	while IFS=$'\t' read -r case sql <&3; do
		bench_wants "$case" || continue
		confined_warm "$sql"
		for ((round = 1; round <= BENCH_RUNS; round++)); do
			explain_run confined "$sql" ON
			samples_add "$case/$units" "$NODE_MS"
			samples_add "$case/$units/what-if" "${CONFINED_PREDICTED[$case/$units]}"
		done
		csv_row confined "$case" "$units of $CONFINED_ALL" node ms "$CONFINED_ROWS" "$PLAN_ROWS" \
			"$case/$units" "$case/$units/what-if" what-if \
			"what_if ${CONFINED_PREDICTED[$case/$units]} ms$([ "$COMPILED" != true ] || echo "; compiled")"
	done 3< <(compiled_cases)
}

bench_confined()
{
	local CONFINED_ROWS=${BENCH_CONFINED_ROWS:-60000000} CONFINED_KIND CONFINED_ALL CONFINED_PARTS units
	local -A CONFINED_PREDICTED=()

	[ -z "$BENCH_GIVEN_HOST" ] || { bench_say "   skipped: it restarts its server"; return 0; }
	bench_has_gpuagg_files || { bench_say "   skipped: gpuagg is not installed in $PG_BINDIR"; return 0; }
	command -v nvidia-smi >/dev/null && [ -n "$(nvidia-smi -L 2>/dev/null)" ] && CONFINED_KIND=cuda || CONFINED_KIND=host
	if [ "$CONFINED_KIND" = cuda ] && ! command -v nvidia-cuda-mps-control >/dev/null; then
		bench_say "   skipped: no nvidia-cuda-mps-control, without which a process has all of a GPU"
		return 0
	fi
	[ "$CONFINED_KIND" = host ] || confined_mps ||
		{ bench_say "   skipped: nvidia-cuda-mps-control does not start"; return 0; }
	bench_need_main
	server_sql main "SELECT gpuagg.calibrate('auto', '${BENCH_CONFINED_EFFORT:-normal}')" >/dev/null || die "no profile"
	CONFINED_ALL=$(server_sql main 'SELECT units FROM gpuagg.profile ORDER BY profile_id DESC LIMIT 1')
	CONFINED_PARTS=$(for units in 1 2 4 8; do echo $(((CONFINED_ALL + units - 1) / units)); done | uniq)
	compiled_table "$CONFINED_ROWS"
	csv_open confined
	csv_heading
	confined_start "$CONFINED_ALL"
	confined_predict
	for units in $CONFINED_PARTS; do
		confined_start "$units"
		confined_measure "$units"
	done
	session_close confined
	server_stop "${SERVER_DIR[main]}" fast
	unset "SERVER_DIR[main]"
	[ "$CONFINED_KIND" = host ] || confined_quit
}
