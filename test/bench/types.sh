# types.sh
#		Numerics, times in a zone, DISTINCT in aggregates, functions of strings and
#		grouping sets (types.sql) at scale BENCH_TYPES_SCALE: six million sales and a
#		million visits for each 1.

bench_types()
{
	suite_run types "${BENCH_TYPES_SCALE:-0.5}" sales visits
}
