# tpch.sh
#		The 22 queries of TPC-H (tpch.sql) at scale BENCH_TPCH_SCALE: six
#		million rows of lineitem for each 1.  Look-up tables may take what work_mem (1 GB)
#		lets PostgreSQL's hash tables take.
#
# Scale 10 within ten minutes of 16 cores, 24 GB of shared_buffers and 40 GB of disk, some 200 s of it until all
# is loaded:
#
#	BENCH_TPCH_SCALE=10 BENCH_SHARED_BUFFERS=24GB BENCH_RUNS=1 BENCH_WORKERS=12 \
#	BENCH_STATEMENT_SECONDS=12 BENCH_UNTIL=520 BENCH_ENGINES="gpuagg-warm duckdb postgres-12w" \
#	BENCH_DUCKDB=/path/libduckdb.so test/gpu/run --bench tpch

bench_tpch()
{
	local scale=${BENCH_TPCH_SCALE:-1}

	BENCH_CONF="${BENCH_CONF:-}
gpuagg.lookup_memory = 2GB"
	suite_run tpch "$scale" lineitem orders partsupp part customer \
		supplier nation region
}
