# idle.sh
#		Memory of an idle backend, kB, of two servers alike but for gpuagg:
#		private pages (its own alone), PSS (its share of what is shared, too)
#		and RSS, from /proc/PID/smaps_rollup, after "SELECT 1", and after one
#		group-by, which a device runs where gpuagg is.

# idle_field PID FIELD...: their sum
idle_field()
{
	local pid=$1

	shift
	REPLY=$(awk -v names=" $* " '{ sub(":", "", $1) }
		index(names, " " $1 " ") { sum += $2 } END { print sum + 0 }' \
		"/proc/$pid/smaps_rollup") || die "cannot read /proc/$pid/smaps_rollup"
}

# idle_session SERVER ENGINE CASE QUERY
idle_session()
{
	local pid

	session_psql "idle_$2" "$1"
	session_do "idle_$2" "$4;"
	session_do "idle_$2" "SELECT 'pid ' || pg_backend_pid();"
	pid=${REPLY##*pid }
	pid=${pid%%$'\n'*}
	sleep 0.1
	idle_field "$pid" Private_Clean Private_Dirty
	samples_add "$3/$2/private" "$REPLY"
	idle_field "$pid" Pss
	samples_add "$3/$2/PSS" "$REPLY"
	idle_field "$pid" Rss
	samples_add "$3/$2/RSS" "$REPLY"
	session_close "idle_$2"
}

bench_idle()
{
	local round case metric server engine
	local -A queries=(
		["after SELECT 1"]="SELECT 1"
		["after a group-by"]="SELECT a % 10, count(*) FROM bench_idle GROUP BY 1"
	)

	bench_need_pair || return 0
	csv_open idle
	csv_heading
	for server in $WITH plain; do
		server_sql $server "SET client_min_messages = error;
			DROP TABLE IF EXISTS bench_idle;
			CREATE TABLE bench_idle AS SELECT a FROM generate_series(1, 200000) a" &&
			server_sql $server 'VACUUM (FREEZE, ANALYZE) bench_idle'
	done
	for case in "after SELECT 1" "after a group-by"; do
		for ((round = 1; round <= BENCH_RUNS; round++)); do
			idle_session "$WITH" gpuagg "$case" "${queries[$case]}"
			idle_session plain postgres "$case" "${queries[$case]}"
		done
		for metric in private PSS RSS; do
			for engine in gpuagg postgres; do
				csv_row idle "$case" $engine $metric kB "" "" \
					"$case/$engine/$metric" "$case/postgres/$metric" postgres ""
			done
		done
	done
	for server in $WITH plain; do
		server_sql $server 'DROP TABLE bench_idle'
	done
}
