# strategies.sh
#		Is the strategy that is chosen the fastest?  Shapes over the kept columns of
#		predicted.sh's table, each by keys of 10 to 10^7 values: kernels by the strategy that
#		is chosen, and by each that can be forced; BENCH_PREDICTED_ROWS rows.

. "$BENCH_HERE/predicted.sh"

STRATEGIES_FORCED="block-local single-pass multi-pass-copy partitioned"

# Lines: shape; what is selected beside the key, conditions, further keys
strategies_shapes()
{
	printf '%s|%s|%s|%s\n' \
		count "count(*)" "" "" \
		sum "sum(v), count(*)" "" "" \
		filter "sum(v)" "q < 500" "" \
		weekday "sum(v)" "" "extract(dow FROM d)" \
		case "count(*) FILTER (WHERE q < 500), sum(CASE WHEN q > 100 THEN v ELSE 0 END)" "" "" \
		float "avg(f), sum(f)" "" ""
}

# strategies_run CASE SQL STRATEGY: the first run compiles; nothing if another one ran
strategies_run()
{
	local round

	session_do strategies "SET gpuagg.strategy = '$3';"
	explain_run strategies "$2" ON
	[ "$3" = auto ] || [ "$RAN_STRATEGY" = "$3" ] || return 0
	for round in 1 2; do
		explain_run strategies "$2" ON
		[ -n "$KERNEL_MS" ] || { bench_say "   $1, $3: no kernel was timed"; return 0; }
		samples_add "$1/$3" "$KERNEL_MS"
	done
	[ "$3" != auto ] || chosen=$RAN_STRATEGY
}

# strategies_case SHAPE KEY SQL
strategies_case()
{
	local case=$1-$2 sql=$3 strategy chosen=''

	for strategy in auto $STRATEGIES_FORCED; do
		strategies_run "$case" "$sql" "$strategy"
	done
	for strategy in auto $STRATEGIES_FORCED; do
		csv_row strategies "$case" "$strategy" kernel ms "$PREDICTED_ROWS" "$NGROUPS" "$case/$strategy" "$case/auto" auto \
			"$([ "$strategy" != auto ] || printf 'chosen %s' "$chosen")"
	done
}

# Of each case the time by the strategy that was chosen, against the least of all
strategies_summary()
{
	awk -F, 'NR > 1 {
		if ($3 == "auto") { auto[$2] = $10; n++ }
		if (!($2 in best) || $10 + 0 < best[$2]) { best[$2] = $10 + 0; by[$2] = $3 }
	}
	END {
		for (c in auto)
		{
			off = best[c] > 0 ? auto[c] / best[c] : 1
			near += off <= 1.15
			if (off > 1.15)
				printf "   %s: %.3f ms, by %s %.3f\n", c, auto[c], by[c], best[c]
		}
		printf "%d cases: of %d the chosen strategy is the fastest, or within 15 %% of it\n", n, near
	}' "$CSV"
}

bench_strategies() { predicted_bench strategies; }
