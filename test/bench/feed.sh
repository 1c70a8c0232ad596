# feed.sh
#		What the page feed costs a backend: nanoseconds a page of a count(*),
#		the pages all in shared_buffers.  "1 row a page" leaves the device next
#		to nothing to do, so that it cannot be what is measured; "185 rows" is
#		the table of benchmark groupby.  Not all-visible: the backend tests
#		every row's visibility.  Beside it what PostgreSQL itself needs for a
#		page: "prewarm" is pg_prewarm's pin and unpin without lock or look,
#		"postgres" the whole count(*) of a sequential scan.

# feed_table NAME PAGES ROWS_A_PAGE VISIBLE
feed_table()
{
	local columns="a int4, b int4, x float8" values="i, i, i" setting=

	if [ "$3" = 1 ]; then
		# one row of more than half a page, never compressed or moved out
		columns="a int4, filler text"
		values="i, repeat('x', 5000)"
		setting="ALTER TABLE $1 ALTER filler SET STORAGE PLAIN;"
	fi
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS $1;
		BEGIN;
		CREATE TABLE $1 ($columns) WITH (autovacuum_enabled = off);
		$setting
		INSERT INTO $1 SELECT $values FROM generate_series(1, $2::int8 * $3) i;
		COMMIT" || die "cannot fill table $1"
	if [ "$4" = yes ]; then
		server_sql main "VACUUM (FREEZE, ANALYZE) $1"
	else
		server_sql main "ANALYZE $1"
	fi
	table_prewarm main "$1"		# its count(*) also sets the hint bits
}

# feed_sample CASE ENGINE ROUND MS PAGES
feed_sample()
{
	[ "$3" -eq 0 ] ||
		samples_add "$1/$2" "$(perl -e 'printf "%.2f", $ARGV[0] * 1e6 / $ARGV[1]' "$4" "$5")"
}

feed_case()
{
	local case=$1 table=$2 pages round note= engine metric rows
	local query="SELECT count(*) FROM $table"

	table_pages main "$table"
	pages=$REPLY
	for ((round = 0; round <= BENCH_RUNS; round++)); do
		if [ "$HAVE_GPUAGG" != 0 ]; then
			engine_settings gpuagg-forced
			session_do bench "$REPLY"
			explain_run bench "$query" ON
			feed_sample "$case" feed "$round" "$FEED_MS" "${PAGES:-$pages}"
			feed_sample "$case" gpuagg "$round" "$EXEC_MS" "${PAGES:-$pages}"
			note=$NODE
		fi
		if [ "$FEED_PREWARM" = 1 ]; then
			query_time bench "SELECT pg_prewarm('$table', 'buffer')"
			feed_sample "$case" prewarm "$round" "$REPLY" "$pages"
		fi
		engine_settings postgres
		session_do bench "$REPLY"
		explain_run bench "$query"
		feed_sample "$case" postgres "$round" "$EXEC_MS" "$pages"
	done
	session_do bench "$query;"
	rows=${REPLY%$'\n'}
	for engine in feed gpuagg prewarm postgres; do
		metric=whole
		[ $engine != feed ] || metric=feed
		csv_row feed "$case" $engine $metric ns/page "$rows" 1 "$case/$engine" \
			"$case/postgres" postgres "$pages pages${note:+; $note}"
		note=
	done
}

bench_feed()
{
	local pages=${BENCH_PAGES:-100000} rows visible table

	bench_need_main
	csv_open feed
	csv_heading
	session_psql bench main
	for rows in 1 185; do
		for visible in yes no; do
			table=bench_feed
			feed_table $table "$pages" $rows $visible
			FEED_PREWARM=$(server_sql main "SELECT count(*) FROM pg_extension
				WHERE extname = 'pg_prewarm'")
			if [ $visible = yes ]; then
				feed_case "$rows rows a page, all-visible" $table
			else
				feed_case "$rows rows a page, not all-visible" $table
			fi
			server_sql main "DROP TABLE $table"
		done
	done
	session_close bench
}
