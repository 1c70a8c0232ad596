# grouping.sh
#		GROUP BY over columns that stay in device memory
#		(test/bench/kernels/grouping_gpu.cu): rows a second of whole tasks, as
#		the worker runs them, and of their kernels alone, beside CUB's radix sort
#		and reduce-by-key.  The program compares the groups with a table indexed
#		by key before it times anything.  Then such queries end to end.

. "$BENCH_HERE/kernels.sh"

# grouping_run CASE OPTION ...: its lines become samples and rows
grouping_run()
{
	local case=$1 engine dist key aggs groups rate kernels detail name metric
	local -A notes=() order=()
	local -a names=()
	shift
	bench_wants "$case" || return 0
	"$PROGRAMS/grouping_gpu" "$BENCH_RUNS" rows="$GROUPING_ROWS" "$@" >"$RUN_DIR/grouping" ||
		die "grouping_gpu failed"
	while IFS=$'\t' read -r engine dist key aggs groups rate kernels detail; do
		name="$engine $dist int$key ${aggs}aggs $groups"
		[ -n "${order[$name]:-}" ] || names+=("$name")
		order[$name]=$groups
		samples_add "$case/$name/rate" "$rate"
		samples_add "$case/$name/kernels" "$kernels"
		notes[$name]=$detail
	done <"$RUN_DIR/grouping"
	for name in "${names[@]}"; do
		engine=${name%% *}
		for metric in rate kernels; do
			csv_row grouping "$case" "$name" $metric rows/s "$GROUPING_ROWS" "${order[$name]}" \
				"$case/$name/$metric" "$case/cub ${name#* }/$metric" "cub" "${notes[$name]}"
		done
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

# Keys of both widths, of a thousand and of a million groups
grouping_table()
{
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS bench_grouping;
		BEGIN;
		CREATE TABLE bench_grouping (int4_1000 int4, int4_1000000 int4, int8_1000 int8,
									 int8_1000000 int8, v int4);
		INSERT INTO bench_grouping
		SELECT h % 1000, h % 1000000, h % 1000, h % 1000000, h >> 32
		FROM (SELECT hashint8extended(i, 1) & 9223372036854775807 AS h
			  FROM generate_series(1, $1::int8) i OFFSET 0) g;
		COMMIT" &&
		server_sql main "VACUUM (FREEZE, ANALYZE) bench_grouping" ||
		die "cannot fill bench_grouping"
	table_prewarm main bench_grouping
}

# grouping_query ROWS KEY GROUPS AGGS LIST: a query by the column cache and from the
# table's pages, in turn; the first round fills the cache and does not count
grouping_query()
{
	local name="$2 ${4}aggs $3" engine round metric
	local sql="SELECT $2_$3, $5 FROM bench_grouping GROUP BY 1"
	local -A note=()

	for ((round = 0; round <= BENCH_RUNS; round++)); do
		for engine in $(in_turn "$round" gpuagg-warm gpuagg); do
			engine_settings "$engine"
			session_do grouping "$REPLY"
			explain_run grouping "$sql" ON
			note[$engine]="$PLAN${NODE:+: $NODE}"
			[ "$round" -gt 0 ] || continue
			samples_add "$name/$engine/execution" "$EXEC_MS"
			query_time grouping "$sql"
			samples_add "$name/$engine/psql" "$REPLY"
		done
	done
	for engine in gpuagg-warm gpuagg; do
		for metric in execution psql; do
			csv_row grouping end-to-end "$engine $name" $metric ms "$1" "$3" \
				"$name/$engine/$metric" "$name/gpuagg/$metric" gpuagg "${note[$engine]}"
		done
	done
}

grouping_queries()
{
	local key groups

	grouping_table "$1"
	session_psql grouping main
	for key in int4 int8; do
		for groups in 1000 1000000; do
			grouping_query "$1" $key $groups 2 'count(*), sum(v)'
			grouping_query "$1" $key $groups 4 'count(*), sum(v), min(v), max(v)'
		done
	done
	session_close grouping
	server_sql main 'DROP TABLE bench_grouping; CHECKPOINT'
}

# Not where the server has no gpuagg, or no rows are wanted
grouping_end_to_end()
{
	local rows=${BENCH_GROUPING_TABLE_ROWS:-10000000}

	! bench_wants end-to-end || [ "$rows" -eq 0 ] || [ "$HAVE_GPUAGG" = 0 ] ||
		grouping_queries "$rows"
}

grouping_kernels()
{
	local log2 units

	GROUPING_ROWS=${BENCH_GROUPING_ROWS:-1000000000}
	kernels_find
	[ -x "$PROGRAMS/grouping_gpu" ] ||
		{ bench_say "   no grouping_gpu: no nvcc where the programs were built"; return 0; }
	grouping_run groups keys=4,8 aggs=2,4 strategies=auto,single,cub
	# what auto did not choose, and both sides of where it changes its mind
	grouping_run forced-few groups=10,1000,8000,20000,100000 strategies=auto,local,partitioned
	grouping_run forced-many groups=10000000,100000000 windows=1,2 strategies=partitioned,copy
	grouping_run skew dists=uniform,zipf1,zipf1.5,half,one,sorted \
		groups=10,1000,100000,10000000 strategies=auto
	units=$(grouping_units)
	# tables of 16 to 128 GiB, all half full at most, which leave room for so many rows;
	# auto makes the table that it wants
	GROUPING_ROWS=${BENCH_SCOPES_ROWS:-500000000}
	for log2 in 29 30 31 32; do
		grouping_run "scopes-$((1 << (log2 - 25)))g" check=0 aggs=3 capacity=$log2 \
			groups=$((1 << (log2 - 1))) windows=1,2 \
			strategies="copy1,copy${units:+,spatial}" ${units:+"sms=$units"}
		grouping_run "scopes-$((1 << (log2 - 25)))g" check=0 aggs=3 groups=$((1 << (log2 - 1))) \
			strategies=auto ${units:+"sms=$units"}
	done
}

bench_grouping()
{
	bench_need_main			# it knows the device's name, and so the folder's
	csv_open grouping
	csv_heading
	grouping_kernels
	grouping_end_to_end
}
