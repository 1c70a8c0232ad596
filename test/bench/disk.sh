# disk.sh
#		A table that is not in memory: BENCH_DISK_ROWS rows, four times shared_buffers and
#		more, whose files are dropped from the system's cache before each query.  gpuagg, whose
#		backend and feeders read ahead, beside PostgreSQL's plans; GB of the table a second.
#		Before that the same from the system's cache ("cached").

# disk_drop: writes the table's files out and has the system forget them
disk_drop()
{
	local file

	server_sql disk CHECKPOINT
	for file in $DISK_FILES; do
		dd if=/dev/null of="$file" conv=notrunc,fdatasync oflag=nocache count=0 status=none &&
			dd if="$file" iflag=nocache count=0 status=none || die "cannot drop $file"
	done
}

# disk_query ENGINE: REPLY is GB/s
disk_query()
{
	engine_settings "$1"
	session_do bench "$REPLY SET gpuagg.debug_require = $([ "$1" = gpuagg ] && echo require || echo allow);"
	query_time bench "SELECT k, count(*), sum(v) FROM bench_disk GROUP BY k"
	REPLY=$(awk -v ms="$REPLY" -v bytes="$DISK_BYTES" 'BEGIN { printf "%.3f", bytes / ms / 1e6 }')
}

# disk_case CASE: each engine in turn
disk_case()
{
	local round engine

	for ((round = 0; round <= BENCH_RUNS; round++)); do
		for engine in gpuagg postgres $BENCH_PARALLEL; do
			[ "$1" = cached ] || disk_drop
			disk_query "$engine"
			[ "$round" -eq 0 ] || samples_add "$1/$engine" "$REPLY"
		done
	done
	for engine in gpuagg postgres $BENCH_PARALLEL; do
		csv_row disk "$1" "$engine" rate GB/s "$DISK_ROWS" 100 "$1/$engine" "$1/postgres" postgres ""
	done
	for engine in $BENCH_PARALLEL; do
		csv_row disk "$1" gpuagg rate GB/s "$DISK_ROWS" 100 "$1/gpuagg" "$1/$engine" "$engine" ""
	done
}

bench_disk()
{
	local path

	DISK_ROWS=${BENCH_DISK_ROWS:-20000000}
	bench_has_gpuagg_files ||
		{ bench_say "   skipped: gpuagg is not installed in $PG_BINDIR"; return 0; }
	[ -z "$BENCH_GIVEN_HOST" ] ||
		{ bench_say "   skipped: the files of a given server are not ours to drop"; return 0; }
	BENCH_CONF="${BENCH_CONF:-}
effective_io_concurrency = ${BENCH_IO_CONCURRENCY:-32}" bench_server disk gpuagg \
		"$((DISK_ROWS / 100000 + 16))MB"
	HAVE_GPUAGG=1
	bench_read_metadata disk
	csv_open disk
	csv_heading
	server_sql disk "CREATE TABLE bench_disk AS SELECT (i % 100)::int4 AS k, i::int4 AS v, i::float8 AS x
			FROM (SELECT generate_series(1, $DISK_ROWS) i) s" &&
		server_sql disk "VACUUM (FREEZE, ANALYZE) bench_disk" || die "cannot fill the table"
	path=${SERVER_DIR[disk]}/data/$(server_sql disk "SELECT pg_relation_filepath('bench_disk')")
	DISK_FILES=$(ls "$path" "$path".[0-9]* 2>/dev/null)
	DISK_BYTES=$(server_sql disk "SELECT pg_relation_size('bench_disk')")
	session_psql bench disk
	disk_case cached
	disk_case dropped
	session_close bench
}
