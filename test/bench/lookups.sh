# lookups.sh
#		Look-ups of a join's rows in tables of slots, by kernels/lookup_gpu: rows a second by the size of
#		the table, in one pass, in windows of slots, a pass each, and behind a Bloom filter.

. "$BENCH_HERE/kernels.sh"

bench_lookups()
{
	local mib windows filter share rate engine case
	local -a names=()
	local -A filters=()

	bench_need_main			# it knows the device's name, and so the folder's
	kernels_find
	[ -x "$PROGRAMS/lookup_gpu" ] ||
		{ bench_say "   no lookup_gpu: no nvcc where the programs were built"; return 0; }
	"$PROGRAMS/lookup_gpu" "$BENCH_RUNS" ${BENCH_LOOKUPS:-} >"$RUN_DIR/lookups" || die "lookup_gpu failed"
	[ -s "$RUN_DIR/lookups" ] || { bench_say "   no figures: there is no GPU"; return 0; }
	csv_open lookups
	csv_heading
	while IFS=$'\t' read -r mib windows filter share rate; do
		case="$mib-mib-$share"
		engine="windows $windows"
		[ "$windows" != 1 ] || engine=single
		[ "$filter" = 0 ] || engine+=" filter"
		[ -n "${filters[$case/$engine]:-}" ] || names+=("$case/$engine")
		filters[$case/$engine]=$filter
		samples_add "$case/$engine" "$rate"
	done <"$RUN_DIR/lookups"
	for case in "${names[@]}"; do
		engine=${case#*/} case=${case%%/*}
		filter=${filters[$case/$engine]}
		csv_row lookups "$case" "$engine" rate rows/s 0 0 "$case/$engine" "$case/single" single \
			"$([ "$filter" = 0 ] || echo "filter of $filter MiB")"
	done
}
