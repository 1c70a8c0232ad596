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

# Groups of multiprocessors that share a TLB, as measured on this card last, or now
grouping_units()
{
	local units

	units=$(server_sql main "SELECT string_agg(units, ';') FROM (
		SELECT string_agg(unit::text, ',' ORDER BY unit) AS units FROM gpuagg.tlb_group
		WHERE profile_id = (SELECT max(profile_id) FROM gpuagg.tlb_group)
		GROUP BY group_no ORDER BY min(unit)) g")
	[ -n "$units" ] || units=$("$PROGRAMS/sampling_gpu" sms) || die "sampling_gpu failed"
	printf '%s' "$units"
}

bench_grouping()
{
	local log2 units

	GROUPING_ROWS=${BENCH_GROUPING_ROWS:-1000000000}
	kernels_find
	bench_need_main			# it knows the device's name, and so the folder's
	[ -x "$PROGRAMS/grouping_gpu" ] ||
		{ bench_say "   no grouping_gpu: no nvcc where the programs were built"; return 0; }
	csv_open grouping
	csv_heading
	grouping_run groups keys=4,8 aggs=2,4 strategies=auto,single,cub
	# what auto did not choose, and both sides of where it changes its mind
	grouping_run forced-few groups=10,1000,8000,20000,100000 strategies=auto,local,partitioned
	grouping_run forced-many groups=10000000,100000000,2000000000 windows=1,2,3 \
		strategies=partitioned,multi
	grouping_run skew dists=uniform,zipf1,zipf1.5,half,one,sorted \
		groups=10,1000,100000,10000000,100000000 strategies=auto
	units=$(grouping_units)
	# tables of 16 to 128 GiB, all half full at most; auto makes the table that it wants
	for log2 in 29 30 31 32; do
		grouping_run "scopes-$((1 << (log2 - 25)))g" check=0 aggs=3 capacity=$log2 \
			groups=$((1 << (log2 - 1))) windows=1,2,3 \
			strategies="single,multi${units:+,spatial}" ${units:+"sms=$units"}
		grouping_run "scopes-$((1 << (log2 - 25)))g" check=0 aggs=3 groups=$((1 << (log2 - 1))) \
			strategies=auto ${units:+"sms=$units"}
	done
}
