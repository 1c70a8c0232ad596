# reports.sh
#		Everyday reports of a shop (reports.sql) at scale BENCH_REPORTS_SCALE: 1.5
#		million orders for each 1.

bench_reports()
{
	local scale=${BENCH_REPORTS_SCALE:-1}
	local BENCH_DUCKDB=no	# another dialect

	suite_run reports "$scale" order_items orders events metrics customers products countries
}
