# predicted.sh
#		What kernels over kept columns were predicted to take, and by which strategy, beside
#		what they took and ran by: shapes each by keys of 10 to 10^7 values, over
#		BENCH_PREDICTED_ROWS rows.  HAVING keeps groups on the device, so that returning them
#		takes no time.  To some, constants of src/cost/predict_compiled.c were fitted: the
#		summary tells of the others alone, too.

PREDICTED_FITTED="few list half average deviation slope"

# Lines: shape; what is selected beside the key, conditions, further keys
predicted_shapes()
{
	printf '%s|%s|%s|%s\n' \
		extremes "min(v), max(v)" "" "" \
		sum-int8 "sum(w)" "" "" \
		three-sums "sum(v), sum(q), sum(w)" "" "" \
		average "avg(v), count(v)" "" "" \
		float-extremes "min(f), max(f)" "" "" \
		deviation "stddev(f)" "" "" \
		half "count(*), sum(q)" "v < 524288 AND q <> 7" "" \
		few "sum(w)" "q < 10" "" \
		list "count(*), sum(v)" "q IN (1, 5, 7, 100, 300, 500, 901, 902, 903)" "" \
		product "sum(v::int8 * q)" "" "" \
		nulls "sum(nullif(q, 7)), count(nullif(q, 7))" "" "" \
		weekday "count(*), sum(v)" "" "extract(dow FROM d)" \
		text "count(*), sum(q)" "" "s" \
		any "bool_or(q < 5), bit_or(v)" "" "" \
		rare "count(*), max(w)" "q = 500" "" \
		strings "sum(v), sum(w)" "s IN ('s1', 's7', 's13')" "" \
		slope "regr_slope(f, q)" "v < 262144" ""
}

# A part of the table: predicted_fill FROM TO
predicted_fill()
{
	server_sql main "INSERT INTO predicted
		SELECT h % 10, h % 1000, h % 100000, h % 1000000, h % 10000000, r & 1048575, (r >> 20) % 1000,
			   r >> 4, (r >> 8) % 1000000 / 8.0, '1992-01-01'::date + ((r >> 30) % 2520)::int4, 's' || (r >> 42) % 20
		FROM generate_series($1::int8, $2::int8) i,
			 LATERAL (SELECT hashint8extended(i, 1) & 9223372036854775807, hashint8extended(i, 2) & 9223372036854775807) x (h, r)"
}

# By as many processes as there are cores
predicted_table()
{
	local rows=$1 parts=$BENCH_CORES part pids=() pid

	server_sql main "SET client_min_messages = error; DROP TABLE IF EXISTS predicted;
		CREATE TABLE predicted (g1 int4, g3 int4, g5 int4, g6 int4, g7 int4, v int4, q int4, w int8, f float8,
			d date, s text COLLATE \"C\") WITH (autovacuum_enabled = off)" || die "cannot make table predicted"
	for ((part = 0; part < parts; part++)); do
		predicted_fill $((rows * part / parts + 1)) $((rows * (part + 1) / parts)) >/dev/null &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || die "cannot fill table predicted"
	done
	server_sql main "VACUUM (FREEZE, ANALYZE) predicted" && server_sql main "SELECT gpuagg.load('predicted')" >/dev/null ||
		die "cannot load table predicted"
}

# predicted_case SHAPE KEY SQL: the first run compiles and does not count
predicted_case()
{
	local round case=$1-$2

	explain_run predicted "$3" ON
	for ((round = 1; round <= (BENCH_RUNS < 2 ? 1 : 2); round++)); do
		explain_run predicted "$3" ON
		[ -n "$KERNEL_MS" ] || { bench_say "   $case: no kernel was timed"; return; }
		samples_add "$case/kernel" "$KERNEL_MS"
		samples_add "$case/predicted" "$PREDICTED_KERNEL_MS"
	done
	csv_row predicted "$case" gpuagg kernel ms "$PREDICTED_ROWS" "$NGROUPS" "$case/kernel" "$case/predicted" predicted \
		"planned $PLANNED_STRATEGY, ran $RAN_STRATEGY, compiled $COMPILED, predicted $PREDICTED_KERNEL_MS ms"
	[ "$PLANNED_STRATEGY" = "$RAN_STRATEGY" ] ||
		bench_say "   $case: planned $PLANNED_STRATEGY, ran $RAN_STRATEGY"
}

# Of the ratios of this run: how many are within which factor, and how many strategies differ
predicted_summary()
{
	predicted_ratios "" kernels
	predicted_ratios "$PREDICTED_FITTED" "kernels that nothing was fitted to"
}

# predicted_ratios SHAPES WHAT: but of these shapes
predicted_ratios()
{
	awk -F, -v without=" $1 " -v what="$2" 'NR > 1 {
		shape = $2; sub(/-10\^.*/, "", shape)
		if (index(without, " " shape " "))
			next
		n++
		planned = $0; sub(/.*planned /, "", planned); sub(/,.*/, "", planned)
		ran = $0; sub(/.* ran /, "", ran); sub(/,.*/, "", ran)
		others += planned != ran
		off = $12 < 1 ? 1 / $12 : $12
		near += off <= 1.3; twice += off <= 2
		if (off > worst) { worst = off; which = $2 }
	}
	END {
		if (n > 0)
			printf "%d %s: %.0f %% within 1.3 times of what was predicted, %.0f %% within twice, %s the worst (%.1f times); %d ran by another strategy than planned\n",
				n, what, 100 * near / n, 100 * twice / n, which, worst, others
	}' "$CSV"
}

# predicted_bench NAME: NAME_case SHAPE KEY SQL for each of NAME_shapes, then NAME_summary
predicted_bench()
{
	local name=$1 PREDICTED_ROWS=${BENCH_PREDICTED_ROWS:-60000000} shape what condition keys key

	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open "$name"
	csv_heading
	session_psql "$name" main
	predicted_table "$PREDICTED_ROWS"
	engine_settings gpuagg-warm
	session_do "$name" "$REPLY SET gpuagg.compile = always; SET gpuagg.debug_require = require;"
	while IFS='|' read -r shape what condition keys <&3; do
		bench_wants "$shape" || continue
		for key in 1 3 5 6 7; do
			# with further keys they would be as many as rows
			[ "$key$keys" = "$key" ] || [ "$key" -lt 7 ] || continue
			"${name}_case" "$shape" "10^$key" \
				"SELECT g$key, $what FROM predicted ${condition:+WHERE $condition} GROUP BY g$key${keys:+, $keys} HAVING count(*) < 0"
		done
	done 3< <("${name}_shapes")
	"${name}_summary"
	server_sql main 'DROP TABLE predicted'
	session_close "$name"
}

bench_predicted() { predicted_bench predicted; }
