# groupby.sh
#		GROUP BY over BENCH_ROWS rows of (int4, int4, float8) in shared_buffers:
#		10, 100, 10^4 and 10^6 groups, each with count(*), sum(int), avg(float8).
#		Two tables of the same shape, each read by either of its integers, one
#		as the key and the other as the argument.

# groupby_table NAME KEYS KEYS: a table with so many values in "many" and "few"
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
		FROM generate_series(1, $GROUPBY_ROWS::int8) i;
		COMMIT;
		ALTER TABLE $1 SET (parallel_workers = $BENCH_MAX_WORKERS)" &&
		server_sql main "VACUUM (FREEZE, ANALYZE) $1" ||
		die "cannot fill table $1"
	table_prewarm main "$1"
}

# groupby_case CASE KEY ARGUMENT [WORK_MEM]
groupby_case()
{
	local psql=psql

	bench_wants "$1" || return 0
	[ -z "${4:-}" ] || psql=	# not twice what takes so long
	measure_query groupby groupby "$1" \
		"SELECT $2, count(*), sum($3), avg(x) FROM bench_groupby GROUP BY $2" \
		"$GROUPBY_ROWS" "${4:-$BENCH_WORK_MEM}" $psql
}

bench_groupby()
{
	GROUPBY_ROWS=${BENCH_ROWS:-20000000}
	bench_need_main
	csv_open groupby
	csv_heading
	session_psql groupby main
	if bench_wants g100 g1000000 g1000000-4MB; then
		groupby_table bench_groupby 1000000 100
		groupby_case g100 few many
		groupby_case g1000000 many few
		# the work_mem that PostgreSQL ships with
		groupby_case g1000000-4MB many few 4MB
	fi
	if bench_wants g10 g10000; then
		groupby_table bench_groupby 10000 10
		groupby_case g10 few many
		groupby_case g10000 many few
	fi
	session_close groupby
	server_sql main 'DROP TABLE IF EXISTS bench_groupby; CHECKPOINT'
}
