# tpch.sh
#		The 22 queries of TPC-H (tpch.sql) at scale BENCH_TPCH_SCALE: six
#		million rows of lineitem for each 1.

bench_tpch()
{
	local scale=${BENCH_TPCH_SCALE:-1}

	suite_run tpch "$scale" lineitem orders partsupp part customer \
		supplier nation region
}
