# start.sh
#		How soon after its start a server runs queries on its device, and how soon
#		the device reads all of shared_buffers in place, by size of shared_buffers.
#		Seconds from the call of pg_ctl; `server`: until it takes connections.

# start_until BEGAN QUERY: REPLY is how many seconds after that the query answers true
start_until()
{
	local began=$1 query=$2

	until [ "$(server_psql "$START_SERVER" -c "$query" 2>/dev/null | tail -n 1)" = t ]; do
		[ "$(perl -MTime::HiRes=time -e 'print time - $ARGV[0] > 120' "$began")" != 1 ] ||
			die "the device has not come within two minutes"
		sleep 0.05
	done
	REPLY=$(perl -MTime::HiRes=time -e 'print time - $ARGV[0]' "$began")
}

start_round()
{
	local dir=${SERVER_DIR[$START_SERVER]} began

	server_stop "$dir" fast
	began=$(perl -MTime::HiRes=time -e 'print time')
	(cd "$dir" && as_user pg_ctl -D "$dir/data" -l "$dir/log" -t 120 -w start) >/dev/null ||
		die "the server does not start"
	samples_add "$1/server" "$(perl -MTime::HiRes=time -e 'print time - $ARGV[0]' "$began")"
	start_until "$began" "SET gpuagg.debug_require = 'require'; SELECT count(*) > 0 FROM bench_start"
	samples_add "$1/query" "$REPLY"
	start_until "$began" "SELECT bool_and(progress = 100) FROM gpuagg.devices WHERE progress IS NOT NULL"
	samples_add "$1/registered" "$REPLY"
}

bench_start()
{
	local size round metric

	bench_has_gpuagg_files ||
		{ bench_say "   skipped: gpuagg is not installed in $PG_BINDIR"; return 0; }
	for size in ${BENCH_START_BUFFERS:-256MB 1GB}; do
		START_SERVER=start_$size
		bench_server "$START_SERVER" gpuagg "$size"
		bench_read_metadata "$START_SERVER"
		[ -n "$CSV" ] || { csv_open start; csv_heading; }
		server_sql "$START_SERVER" 'CREATE TABLE bench_start AS SELECT 1 AS a'
		for ((round = 1; round <= BENCH_RUNS; round++)); do
			start_round "$size"
		done
		for metric in server query registered; do
			csv_row start "$size" gpuagg $metric s 0 0 "$size/$metric" "" "" ""
		done
		server_stop "${SERVER_DIR[$START_SERVER]}" immediate
	done
}
