# grouping.sh
#		GROUP BY over columns that are resident in device memory
#		(test/bench/kernels/grouping_gpu.cu): rows a second of kernel time, by
#		each strategy of scoped grouping, beside CUB's radix sort and
#		reduce-by-key.  The program compares the groups with a table indexed by
#		key before it times anything.

. "$BENCH_HERE/kernels.sh"

# grouping_run CASE OPTION ...: its lines become samples and rows
grouping_run()
{
	local case=$1 engine dist key aggs groups rate detail name
	local -A notes=() order=()
	local -a names=()
	shift
	bench_wants "$case" || return 0
	"$PROGRAMS/grouping_gpu" "$BENCH_RUNS" rows="$GROUPING_ROWS" "$@" >"$RUN_DIR/grouping" ||
		die "grouping_gpu failed"
	while IFS=$'\t' read -r engine dist key aggs groups rate detail; do
		name="$engine $dist int$key ${aggs}aggs $groups"
		[ -n "${order[$name]:-}" ] || names+=("$name")
		order[$name]=$groups
		samples_add "$case/$name" "$rate"
		notes[$name]="${detail%%,*} rows without place in shared memory${detail#"${detail%%,*}"}"
	done <"$RUN_DIR/grouping"
	for name in "${names[@]}"; do
		engine=${name%% *}
		csv_row grouping "$case" "$name" rate rows/s "$GROUPING_ROWS" "${order[$name]}" \
			"$case/$name" "$case/cub ${name#* }" "cub" "${notes[$name]}"
	done
}

# Groups of multiprocessors that share a TLB, as measured on this card last; empty
# if it was not: then spatial has no windows of its own and is left out.
grouping_units()
{
	server_sql main "SELECT string_agg(units, ';') FROM (
		SELECT string_agg(unit::text, ',' ORDER BY unit) AS units FROM gpuagg.tlb_group
		WHERE profile_id = (SELECT max(profile_id) FROM gpuagg.tlb_group)
		GROUP BY group_no ORDER BY min(unit)) g"
}

bench_grouping()
{
	local units

	GROUPING_ROWS=${BENCH_GROUPING_ROWS:-1000000000}
	kernels_find
	bench_need_main			# it knows the device's name, and so the folder's
	[ -x "$PROGRAMS/grouping_gpu" ] ||
		{ bench_say "   no grouping_gpu: no nvcc where the programs were built"; return 0; }
	csv_open grouping
	csv_heading
	grouping_run groups keys=4,8 aggs=2,4 strategies=auto,single,cub
	grouping_run skew dists=uniform,zipf1,zipf1.5,half,one,sorted \
		groups=10,1000,100000,10000000,100000000 strategies=auto
	units=$(grouping_units)
	grouping_run table-128g check=0 aggs=3 groups=2000000000 capacity=32 windows=1,2,3 \
		strategies="single,multi${units:+,spatial}" ${units:+"sms=$units"}
	grouping_run table-128g-partitioned aggs=3 groups=2000000000 strategies=partitioned
}
