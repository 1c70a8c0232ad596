# mapping.sh
#		What it costs a process to be switched to after some seconds, by how much
#		shared memory it maps, in pages of 4 kB and of 2 MB: no PostgreSQL in it, but
#		a server's backends and the device worker are such processes.  Pages of 2 MB
#		where they are reserved (vm.nr_hugepages, half of the largest size in MB), and
#		no size beyond half of the memory that is free.

bench_mapping()
{
	local idle=${BENCH_MAPPING_IDLE:-4} sizes=() free
	local size page message again first second case what

	free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
	for size in ${BENCH_MAPPING_MB:-64 1024 7168}; do
		[ "$size" -gt $((free / 2)) ] || sizes+=("$size")
	done

	. "$BENCH_HERE/kernels.sh"
	kernels_find
	bench_need_main			# it knows the device's name, and so the folder's
	csv_open mapping
	csv_heading
	"$PROGRAMS/mapping_host" "$BENCH_RUNS" "$idle" "${sizes[@]}" >"$RUN_DIR/mapping" ||
		die "mapping_host failed"
	while IFS=$'\t' read -r size page message again first second; do
		case="$size MB/$page kB"
		samples_add "$case/message" "$message"
		samples_add "$case/message-again" "$again"
		samples_add "$case/scan" "$first"
		samples_add "$case/scan-again" "$second"
	done <"$RUN_DIR/mapping"
	for case in $(cut -f1,2 "$RUN_DIR/mapping" | sort -u -k1,1n -k2,2n | tr '\t' /); do
		size=${case%/*} page=${case#*/}
		for what in message scan; do
			csv_row mapping "$size MB" "pages of $page kB" "$what-after-${idle}s" ns 0 0 \
				"$size MB/$page kB/$what" "$size MB/$page kB/$what-again" again \
				"$([ $what = scan ] && echo 'of 4 kB' || echo 'a byte there and back')"
		done
	done
}
