# kernels.sh
#		Operators alone, without a server's part in them (test/bench/kernels):
#		how many line pointers a second TABLESAMPLE BERNOULLI's decision takes,
#		a core of the host and a GPU; how many rows a second the host device
#		groups, strategy by strategy.  The programs compare their samples with
#		PostgreSQL's, and their groups with the input, on the way.

# kernels_find: PROGRAMS, the directory of the programs: BENCH_KERNELS, or
# made here.  CUDA code is for CUDA_ARCHS, as the rest of "make bench".
kernels_find()
{
	PROGRAMS=${BENCH_KERNELS:-$BENCH_TOP/build/native/kernels}
	[ -z "${BENCH_KERNELS:-}" ] || return 0
	(unset MAKEFLAGS MFLAGS MAKELEVEL
		make -s -C "$BENCH_TOP" -f test/lib/native.mk kernels >&2) ||
		die "cannot build test/bench/kernels"
}

# kernels_row ENGINE KEY BASE_KEY BASE LINES NOTE
kernels_row()
{
	csv_row kernels sample-decision "$1" rate lines/s "$5" "" "$2" "$3" "$4" "$6"
}

# Both forms, one thread and all cores: a second and core.
kernels_host()
{
	local form threads lines rate base

	"$PROGRAMS/sample_host" "$BENCH_RUNS" "$BENCH_CORES" >"$RUN_DIR/kernels" ||
		die "sample_host failed"
	while IFS=$'\t' read -r form threads lines rate; do
		samples_add "$form/$threads" "$rate"
		KERNELS_LINES[$form/$threads]=$lines
	done <"$RUN_DIR/kernels"
	for threads in 1 $(((BENCH_CORES > 1)) && echo "$BENCH_CORES"); do
		base=has_line/$threads
		for form in has_line choose_lines; do
			kernels_row "host $form x$threads" "$form/$threads" "$base" \
				"host has_line x$threads" "${KERNELS_LINES[$form/$threads]}" \
				"a second and core; goal 1e8; samples are PostgreSQL's"
		done
	done
}

kernels_gpu()
{
	local engine card lines rate name= decisions=

	[ -x "$PROGRAMS/sample_gpu" ] ||
		{ bench_say "   no sample_gpu: no nvcc where the programs were built"; return 0; }
	"$PROGRAMS/sample_gpu" "$BENCH_RUNS" >"$RUN_DIR/kernels" || die "sample_gpu failed"
	while IFS=$'\t' read -r engine card lines rate; do
		samples_add "$engine" "$rate"
		name=$card decisions=$lines
	done <"$RUN_DIR/kernels"
	[ -n "$name" ] || [ "$META_DRIVER" = - ] || die "sample_gpu found no GPU"
	kernels_row gpu gpu choose_lines/1 "host choose_lines x1" "$decisions" \
		"$name; goal 1e11 on an H200; samples are PostgreSQL's"
}

# Strategies of the host device, by how many groups and how their rows come
kernels_grouping()
{
	local rows=${BENCH_ROWS:-20000000} keys strategy did rate

	"$PROGRAMS/grouping_host" "$BENCH_RUNS" "$BENCH_CORES" "$rows" "${KERNELS_KEYS[@]}" \
		>"$RUN_DIR/kernels" || die "grouping_host failed"
	while IFS=$'\t' read -r keys strategy did rate; do
		samples_add "$keys/$strategy" "$rate"
		KERNELS_DID[$keys/$strategy]=$did
	done <"$RUN_DIR/kernels"
	for keys in "${KERNELS_KEYS[@]}"; do
		for strategy in single-pass partitioned auto; do
			csv_row kernels grouping "host $strategy $keys" rate rows/s "$rows" "" \
				"$keys/$strategy" "$keys/single-pass" "host single-pass $keys" \
				"${KERNELS_DID[$keys/$strategy]}; counts and sums are the input's"
		done
	done
}

bench_kernels()
{
	local -A KERNELS_LINES=() KERNELS_DID=()
	local KERNELS_KEYS=(uniform:1e5 uniform:1e6 uniform:1e7 half:1e6 zipf1.0:1e6 zipf1.5:1e6
		one:1e6 sorted:1e6 uniform:1e5:1e6 uniform:1e6:1e7 uniform:1e6:1e5
		cached-uniform:1e6 cached-uniform:3e6 cached-uniform:1e7)

	bench_wants sample-decision grouping || return 0
	kernels_find
	bench_need_main			# it knows the device's name, and so the folder's
	csv_open kernels
	csv_heading
	if bench_wants sample-decision; then
		kernels_host
		kernels_gpu
	fi
	! bench_wants grouping || kernels_grouping
}
