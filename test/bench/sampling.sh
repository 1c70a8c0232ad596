# sampling.sh
#		Random draws of values that are resident in device memory
#		(test/bench/kernels/sampling_gpu.cu): draws a second against how many
#		bytes they are, all at once and by windows of several sizes.  The program
#		checks the sum of what each of them drew before it is counted.

. "$BENCH_HERE/kernels.sh"
. "$BENCH_HERE/plots/data.sh"

# sampling_name WAY SCOPE WINDOWS: REPLY
sampling_name()
{
	REPLY=$1
	[[ $1 = *single || $1 = *auto ]] || REPLY+=" $3"
}

bench_sampling()
{
	local bytes way scope windows rate predicted name
	local -A notes=() sizes=()
	local -a names=()

	kernels_find
	bench_need_main			# it knows the device's name, and so the folder's
	[ -x "$PROGRAMS/sampling_gpu" ] ||
		{ bench_say "   no sampling_gpu: no nvcc where the programs were built"; return 0; }
	csv_open sampling
	csv_heading
	profile_tables "$BENCH_HERE/results/$META_DEVICE/profile.csv" "$RUN_DIR/profile"
	"$PROGRAMS/sampling_gpu" "$BENCH_RUNS" profile="$RUN_DIR/profile" \
		>"$RUN_DIR/sampling" || die "sampling_gpu failed"
	while IFS=$'\t' read -r bytes way scope windows rate predicted; do
		sampling_name "$way" "$scope" "$windows"
		name=$bytes/$REPLY
		[ -n "${sizes[$name]:-}" ] || names+=("$name")
		sizes[$name]=$bytes
		samples_add "$name" "$rate"
		notes[$name]="$windows windows of $scope bytes"
		[ "$predicted" = 0 ] || notes[$name]+="; predicted $predicted"
	done <"$RUN_DIR/sampling"
	for name in "${names[@]}"; do
		bytes=${sizes[$name]}
		csv_row sampling draws "${name#*/}" rate draws/s "$((bytes / 8))" "" \
			"$name" "$bytes/single" single "${notes[$name]}"
	done
}
