# tpch.sh
#		The 22 queries of TPC-H (tpch.sql) at scale BENCH_TPCH_SCALE: six
#		million rows of lineitem for each 1.  Look-up tables may take what work_mem (1 GB)
#		lets PostgreSQL's hash tables take.

bench_tpch()
{
	local scale=${BENCH_TPCH_SCALE:-1}

	BENCH_CONF="${BENCH_CONF:-}
gpuagg.lookup_memory = 2GB"
	suite_run tpch "$scale" lineitem orders partsupp part customer \
		supplier nation region
}
