# idle.sh
#		Memory of an idle backend, kB, of two servers alike but for gpuagg, after
#		"SELECT 1", and after one group-by, which a device runs where gpuagg is.
#		From /proc/PID/smaps: "private" is what is written in mappings of its own
#		(heap, stack, data), PSS and RSS count its share, and all, of what it
#		shares, too, shared_buffers among it.

# idle_memory PID: REPLY is private, PSS, RSS
idle_memory()
{
	REPLY=$(perl -ne '
		$own = $1 eq "p" if /^[0-9a-f]+-[0-9a-f]+ ...(.) /;
		$kb{$1} += $2 if /^(Pss|Rss): +(\d+)/;
		$kb{own} += $1 if $own && /^Private_Dirty: +(\d+)/;
		END { print join(" ", map { $_ // 0 } @kb{qw(own Pss Rss)}), "\n" }' \
		"/proc/$1/smaps") || die "cannot read /proc/$1/smaps"
}

# idle_session SERVER ENGINE CASE QUERY
idle_session()
{
	local pid key=$3/$2 private pss rss

	session_psql "idle_$2" "$1"
	session_do "idle_$2" "$4;"
	session_do "idle_$2" "SELECT 'pid ' || pg_backend_pid();"
	pid=${REPLY##*pid }
	pid=${pid%%$'\n'*}
	sleep 0.1
	idle_memory "$pid"
	read -r private pss rss <<<"$REPLY"
	samples_add "$key/private" "$private"
	samples_add "$key/PSS" "$pss"
	samples_add "$key/RSS" "$rss"
	session_close "idle_$2"
}

idle_case()
{
	local case=$1 query=$2 round metric engine

	for ((round = 1; round <= BENCH_RUNS; round++)); do
		idle_session "$WITH" gpuagg "$case" "$query"
		idle_session plain postgres "$case" "$query"
	done
	for metric in private PSS RSS; do
		for engine in gpuagg postgres; do
			csv_row idle "$case" $engine $metric kB "" "" \
				"$case/$engine/$metric" "$case/postgres/$metric" postgres ""
		done
	done
}

bench_idle()
{
	local server

	bench_need_pair || return 0
	csv_open idle
	csv_heading
	for server in $WITH plain; do
		server_sql $server "SET client_min_messages = error;
			DROP TABLE IF EXISTS bench_idle;
			CREATE TABLE bench_idle AS SELECT a FROM generate_series(1, 200000) a" &&
			server_sql $server 'VACUUM (FREEZE, ANALYZE) bench_idle'
	done
	idle_case "after SELECT 1" "SELECT 1"
	idle_case "after a group-by" "SELECT a % 10, count(*) FROM bench_idle GROUP BY 1"
	for server in $WITH plain; do
		server_sql $server 'DROP TABLE bench_idle'
	done
}
