# groupby.sh
#		GROUP BY over BENCH_ROWS rows of (int4, int4, float8) in shared_buffers:
#		10, 100, 10^4 and 10^6 groups, each with count(*), sum(int), avg(float8).
#		Two tables of the same shape, each read by either of its integers, one
#		as the key and the other as the argument.

groupby_table()
{
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS $1;
		BEGIN;
		CREATE TABLE $1 (many int4, few int4, x float8);
		INSERT INTO $1
		SELECT (hashint8extended(i, 1) & 9223372036854775807) % $2,
			   (hashint8extended(i, 2) & 9223372036854775807) % $3,
			   (hashint8extended(i, 3) & 1048575) / 1024.0
		FROM generate_series(1, $4::int8) i;
		COMMIT;
		ALTER TABLE $1 SET (parallel_workers = $BENCH_MAX_WORKERS)" &&
		server_sql main "VACUUM (FREEZE, ANALYZE) $1" ||
		die "cannot fill table $1"
	table_prewarm main "$1"
}

groupby_case()
{
	measure_query bench groupby "$1 groups${5:+ work_mem $5}" \
		"SELECT $3, count(*), sum($4), avg(x) FROM $2 GROUP BY $3" \
		"$BENCH_ROWS" "${5:-$BENCH_WORK_MEM}" psql
}

bench_groupby()
{
	BENCH_ROWS=${BENCH_ROWS:-20000000}

	bench_need_main
	csv_open groupby
	csv_heading
	session_psql bench main

	groupby_table bench_groupby 1000000 100 "$BENCH_ROWS"
	groupby_case 100 bench_groupby few many
	groupby_case 1000000 bench_groupby many few
	# what PostgreSQL does with the work_mem that it ships with
	groupby_case 1000000 bench_groupby many few 4MB
	server_sql main 'DROP TABLE bench_groupby'

	groupby_table bench_groupby 10000 10 "$BENCH_ROWS"
	groupby_case 10 bench_groupby few many
	groupby_case 10000 bench_groupby many few
	server_sql main 'DROP TABLE bench_groupby; CHECKPOINT'
	session_close bench
}
