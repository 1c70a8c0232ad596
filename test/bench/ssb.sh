# ssb.sh
#		The 13 queries of the Star Schema Benchmark (ssb.sql) at scale BENCH_SSB_SCALE:
#		six million rows of lineorder for each 1.

bench_ssb()
{
	local scale=${BENCH_SSB_SCALE:-1}

	suite_run ssb "$scale" lineorder date customer supplier part
}
