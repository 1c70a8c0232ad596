# lib.sh
#		What the benchmarks share: private servers, one psql session that
#		engines take turns in, statistics, and the CSV rows.
#
# Sourced by "run", after test/lib/server.sh; not a program.  Needs bash 4,
# perl and PostgreSQL's programs, nothing else.  Everything made lives under
# $RUN_DIR and is removed by bench_cleanup; a server that was given (PGHOST) is
# left as it was found but for the tables bench_* and h2o_g1 of its first
# schema, which are dropped.
#
# Functions that answer with a value set REPLY, to save a fork where times are
# taken.

BENCH_RUNS=${BENCH_RUNS:-5}
BENCH_SHARED_BUFFERS=${BENCH_SHARED_BUFFERS:-4GB}
BENCH_WORK_MEM=${BENCH_WORK_MEM:-1GB}
BENCH_STATEMENT_SECONDS=${BENCH_STATEMENT_SECONDS:-0}	# 0: no limit
BENCH_CORES=$(nproc)

bench_say() { printf '%s\n' "$*" >&2; }

# ---------------------------------------------------------------- servers

# The server programs: PG_BINDIR, or the private prefix that "make prefix"
# lays out, or the system's (then gpuagg may be missing, and its columns with
# it).
bench_find_postgres()
{
	if [ -n "${PG_BINDIR:-}" ]; then
		PATH=$PG_BINDIR:$PATH
	elif [ -f "$BENCH_TOP/build/pg/layout" ]; then
		prefix_reachable "$BENCH_TOP/build/pg"
		prefix_use "$PREFIX"
	else
		PG_BINDIR=$("${PG_CONFIG:-pg_config}" --bindir) ||
			die "no PostgreSQL found: run \"make prefix\" or set PG_BINDIR"
		PATH=$PG_BINDIR:$PATH
	fi
	[ -x "$PG_BINDIR/postgres" ] || die "no postgres in $PG_BINDIR"
}

# bench_server NAME PRELOAD SHARED_BUFFERS: a private server for speed, not
# for safety; PRELOAD is "gpuagg" or empty.  Commits stay synchronous: VACUUM
# does not mark pages all-visible whose rows were committed asynchronously just
# before.
declare -A SERVER_DIR=()
bench_server()
{
	local dir=$RUN_DIR/$1

	[ -z "${SERVER_DIR[$1]:-}" ] || return 0
	mkdir -p "$dir"
	own "$dir"
	SERVER_DIR[$1]=$dir
	server_start "$dir" \
		"shared_preload_libraries = '$2'" \
		"shared_buffers = $3" \
		"max_connections = 200" \
		"max_worker_processes = $((BENCH_CORES + 16))" \
		"max_parallel_workers = $((BENCH_CORES + 8))" \
		"autovacuum = off" \
		"fsync = off" \
		"full_page_writes = off" \
		"wal_level = minimal" \
		"max_wal_senders = 0" \
		"max_wal_size = 8GB" \
		"checkpoint_timeout = 1d" \
		${2:+"gpuagg.cache = off"} \
		"${BENCH_CONF:-}"
	[ -z "$2" ] || server_sql "$1" 'CREATE EXTENSION gpuagg' ||
		die "CREATE EXTENSION gpuagg failed"
}

# server_env NAME: points libpq there.
server_env()
{
	if [ -n "${SERVER_DIR[$1]:-}" ]; then
		export PGHOST=${SERVER_DIR[$1]} PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
	elif [ "$1" = plain ]; then
		export PGHOST=$BENCH_PLAIN_PGHOST PGPORT=${BENCH_PLAIN_PGPORT:-5432}
	else
		export PGHOST=$BENCH_GIVEN_HOST PGPORT=$BENCH_GIVEN_PORT
	fi
	[ -z "$BENCH_GIVEN_HOST" ] ||
		export PGUSER=$BENCH_GIVEN_USER PGDATABASE=$BENCH_GIVEN_DATABASE
}

server_psql()
{
	local name=$1

	shift
	(server_env "$name"; exec psql -X -q -A -t -v ON_ERROR_STOP=1 "$@")
}

server_sql() { server_psql "$1" -c "$2"; }

# The server "main": the given one, or a private one of our own, with gpuagg
# where it is installed.
bench_need_main()
{
	local preload=gpuagg

	if [ -n "$BENCH_GIVEN_HOST" ]; then
		server_sql main 'SELECT 1' >/dev/null ||
			die "cannot connect to the server at $BENCH_GIVEN_HOST"
	else
		bench_has_gpuagg_files || preload=
		bench_server main "$preload" "$BENCH_SHARED_BUFFERS"
	fi
	HAVE_GPUAGG=$(server_sql main "SELECT count(*) FROM pg_extension
		WHERE extname = 'gpuagg'
		  AND current_setting('gpuagg.device', true) IS NOT NULL")
	bench_read_metadata main
}

bench_has_gpuagg_files()
{
	[ -e "$("$PG_BINDIR/pg_config" --sharedir 2>/dev/null)/extension/gpuagg.control" ]
}

# The pair "with" and "plain": two servers alike but for gpuagg, which is
# preloaded and created in one of them.
bench_need_pair()
{
	if [ -n "$BENCH_GIVEN_HOST" ]; then
		[ -n "${BENCH_PLAIN_PGHOST:-}" ] ||
			{ bench_say "   skipped: needs a second server without gpuagg" \
				"(BENCH_PLAIN_PGHOST)"; return 1; }
		WITH=main
	else
		bench_has_gpuagg_files ||
			{ bench_say "   skipped: gpuagg is not installed in $PG_BINDIR"; return 1; }
		bench_server with gpuagg 256MB
		bench_server plain '' 256MB
		WITH=with
	fi
	bench_read_metadata "$WITH"
}

bench_cleanup()
{
	local name

	session_close_all
	for name in "${!SERVER_DIR[@]}"; do
		server_stop "${SERVER_DIR[$name]}" immediate
	done
	[ -z "${BENCH_AT_END:-}" ] || "$BENCH_AT_END"
	[ -n "${BENCH_KEEP:-}" ] || rm -rf "${RUN_DIR:?}"
}

# --------------------------------------------------------------- sessions

# A long-lived program that is asked by lines and answers with lines up to
# "@end": psql, or DuckDB's driver.  Engines take turns in one psql session, so
# that all of them find the same warm backend.
declare -A SESSION_IN=() SESSION_OUT=() SESSION_PID=()
session_open()
{
	local name=$1 in out

	shift
	rm -f "$RUN_DIR/$name.in" "$RUN_DIR/$name.out"
	mkfifo "$RUN_DIR/$name.in" "$RUN_DIR/$name.out"
	"$@" <"$RUN_DIR/$name.in" >"$RUN_DIR/$name.out" 2>&1 &
	SESSION_PID[$name]=$!
	exec {in}>"$RUN_DIR/$name.in" {out}<"$RUN_DIR/$name.out"
	SESSION_IN[$name]=$in
	SESSION_OUT[$name]=$out
}

session_psql() { session_open "$1" server_psql "$2" -v ON_ERROR_STOP=0; }

# session_ask NAME TEXT: REPLY is the answer; false if it is an error.
session_ask()
{
	local line text=

	printf '%s\n\\echo @end\n' "$2" >&"${SESSION_IN[$1]}"
	while IFS= read -r line <&"${SESSION_OUT[$1]}"; do
		[ "$line" != @end ] || break
		text+=$line$'\n'
	done
	[ "$line" = @end ] || die "session $1 ended: $text"
	REPLY=$text
	case $text in
		*ERROR:*|*FATAL:*) return 1 ;;
	esac
}

session_do() { session_ask "$@" || die "session $1: $REPLY in: $2"; }

# session_try NAME TEXT: false if it took longer than BENCH_STATEMENT_SECONDS
session_try()
{
	session_ask "$@" && return
	case $REPLY in
		*"statement timeout"*) return 1 ;;
	esac
	die "session $1: $REPLY in: $2"
}

session_close()
{
	local in=${SESSION_IN[$1]:-} out=${SESSION_OUT[$1]:-}

	[ -n "$in" ] || return 0
	# said, as later sessions hold our end of its input, too
	printf "\\q\n" >&"$in" 2>/dev/null
	exec {in}>&- {out}<&-
	wait "${SESSION_PID[$1]}" 2>/dev/null
	unset "SESSION_IN[$1]" "SESSION_OUT[$1]" "SESSION_PID[$1]"
}

session_close_all()
{
	local name

	for name in "${!SESSION_IN[@]}"; do
		session_close "$name"
	done
}

# ---------------------------------------------------------------- engines

# How one psql session turns into an engine.
#	gpuagg			gpuagg's nodes compete on cost with PostgreSQL's plans; nothing
#					is kept on the device between queries
#	gpuagg-warm		the same with the column cache
#	gpuagg-forced	only those (where the planner preferred PostgreSQL)
#	postgres		PostgreSQL, one process
#	postgres-Nw		PostgreSQL with at most N parallel workers
engine_settings()
{
	local workers=0 enable=off require=allow cache=off

	case $1 in
		gpuagg) enable=on workers=${BENCH_WORKERS:-2} ;;
		gpuagg-warm) enable=on workers=${BENCH_WORKERS:-2} cache=on ;;
		gpuagg-forced) enable=on require=require ;;
		postgres-*w) workers=${1#postgres-}; workers=${workers%w} ;;
	esac
	REPLY="SET max_parallel_workers_per_gather = $workers;
		SET work_mem = '${2:-$BENCH_WORK_MEM}';"
	[ "$HAVE_GPUAGG" = 0 ] || REPLY+="
		SET gpuagg.enable = $enable; SET gpuagg.debug_require = $require;
		SET gpuagg.cache = $cache;"
}

# settings_options SETTINGS: REPLY is these statements for PGOPTIONS
settings_options()
{
	REPLY=$(sed 's/SET \([a-z_.]*\) = \([^;]*\);/-c \1=\2/g' <<<"$1" | tr -d "'" | tr '\n\t' '  ')
}

# PostgreSQL's parallel plans: two workers, and three quarters of the cores
# where there are many.
bench_parallel_engines()
{
	local many=$((BENCH_CORES * 3 / 4))

	REPLY=postgres-2w
	[ "$many" -le 2 ] || REPLY+=" postgres-${many}w"
	BENCH_MAX_WORKERS=$((many > 2 ? many : 2))
}

# explain_run SESSION QUERY [TIMING] [BEFORE]: false if it took too long; EXEC_MS, PLAN_ROWS (rows it returned), PLAN
# (its nodes, the top one first) and, of gpuagg's node, PAGES, and with TIMING
# FEED_MS, NODE (all its figures), NODE_MS, PREDICTED_NODE_MS, KERNEL_MS, PREDICTED_KERNEL_MS,
# PLANNED_STRATEGY, RAN_STRATEGY, COMPILED and NGROUPS (those that it found).  BEFORE is run straight
# before it, its rows are not kept.
explain_run()
{
	session_try "$1" "${4:+\\o /dev/null
$4;
\\o
}EXPLAIN (ANALYZE, TIMING ${3:-OFF}, FORMAT JSON) $2;" || return 1
	eval "$(printf '%s' "$REPLY" | perl "$BENCH_HERE/plan.pl")"
	[ -n "$EXEC_MS" ] || die "cannot read the plan: $REPLY"
}

# Sent to psql, received whole, not printed: REPLY is ms.
query_time()
{
	session_do "$1" "\\o /dev/null
\\timing on
$2;
\\timing off
\\o"
	REPLY=${REPLY#*Time: }
	REPLY=${REPLY%% *}
}

# ----------------------------------------------------- results, statistics

declare -A SAMPLES=()
samples_clear() { SAMPLES=(); }
samples_add() { SAMPLES[$1]+="$2 "; }

csv_quote()
{
	case $1 in
		*[,\"$'\n']*) REPLY="\"${1//\"/\"\"}\"" ;;
		*) REPLY=$1 ;;
	esac
}

# bench_wants CASE ...: is one of them among BENCH_CASES?
bench_wants()
{
	local case

	[ -n "${BENCH_CASES:-}" ] || return 0
	for case in "$@"; do
		case " $BENCH_CASES " in *" $case "*) return 0 ;; esac
	done
	return 1
}

# bench_measures ENGINE [CASE]: is it, or ENGINE@CASE, among BENCH_ENGINES?
bench_measures()
{
	case " ${BENCH_ENGINES:-$1} " in *" $1 "*|*" $1@${2:-} "*) ;; *) return 1 ;; esac
}

# csv_open BENCHMARK: a fresh file of the device's results, or with BENCH_CASES
# the old one without these cases.  It replaces the old one when the benchmark has
# ended well (csv_close).
csv_open()
{
	local folder=${BENCH_RESULTS:-$BENCH_HERE/results/$META_DEVICE} old=

	mkdir -p "$folder"
	CSV=$folder/$1.csv.part
	[ -z "${BENCH_CASES:-}" ] || old=$(awk -F, -v cases=" $BENCH_CASES " \
		'NR > 1 && !index(cases, " " $2 " ")' "${CSV%.part}" 2>/dev/null)
	printf '%s\n' "benchmark,case,engine,metric,unit,rows,groups,runs,min,median,max,ratio,ratio_min,ratio_max,ratio_to,note,date,device,driver,cpu,cores,postgres,commit,shared_buffers,huge_pages,command" ${old:+"$old"} >"$CSV"
}

# A file without rows replaces nothing: the benchmark could not run here.
csv_close()
{
	[ -n "$CSV" ] || return 0
	if [ "$(wc -l <"$CSV")" -gt 1 ]; then
		mv "$CSV" "${CSV%.part}"
	else
		rm "$CSV"
	fi
	CSV=
}

# The columns that say where figures come from, the same in every row.
csv_metadata()
{
	local field line=""

	for field in "$BENCH_DATE" "$META_DEVICE" "$META_DRIVER" "$META_CPU" \
		"$BENCH_CORES" "$META_POSTGRES" "$META_COMMIT" "$META_BUFFERS" \
		"$META_HUGE" "$BENCH_COMMAND"; do
		csv_quote "$field"
		line+=,$REPLY
	done
	REPLY=$line
}

# csv_row BENCHMARK CASE ENGINE METRIC UNIT ROWS GROUPS KEY BASE_KEY BASE NOTE
# KEY and BASE_KEY name samples taken in the same rounds.  The ratio tells how
# many times better KEY is than BASE_KEY, round by round: for units of time
# base / this, for tps, GB/s, lines/s, rows/s and draws/s this / base.
csv_row()
{
	local stats ratio line='' field

	[ -n "${SAMPLES[$8]:-}" ] || return 0
	stats=$(perl "$BENCH_HERE/stats.pl" "$5" "${SAMPLES[$8]}" \
		"${SAMPLES[${9:-none}]:-}") || die "no statistics for $8"
	for field in "$1" "$2" "$3" "$4" "$5" "$6" "$7"; do
		csv_quote "$field"
		line+=$REPLY,
	done
	line+=$stats
	csv_quote "${11}"
	line+=,${10},$REPLY
	csv_metadata
	line+=$REPLY
	printf '%s\n' "$line" >>"$CSV"
	IFS=, read -ra field <<<"$stats"
	printf '%-9s %-26s %-14s %-10s %12s %12s %12s %-8s %s\n' "$1" "$2" "$3" \
		"$4" "${field[1]}" "${field[2]}" "${field[3]}" "$5" \
		"${field[4]:+${field[4]}x ${10}}"
}

# csv_note BENCHMARK CASE ENGINE METRIC ROWS GROUPS NOTE: a row without figures
csv_note()
{
	local note

	csv_quote "$7"
	note=$REPLY
	csv_metadata
	printf '%s\n' "$1,$2,$3,$4,,$5,$6,0,,,,,,,,$note$REPLY" >>"$CSV"
}

csv_heading()
{
	printf '\n%-9s %-26s %-14s %-10s %12s %12s %12s %-8s %s\n' benchmark case \
		engine metric min median max unit ratio
}

# --------------------------------------------------------------- metadata

bench_read_metadata()
{
	local server=$1

	META_POSTGRES=$(server_sql "$server" 'SHOW server_version')
	META_BUFFERS=$(server_sql "$server" 'SHOW shared_buffers')
	META_HUGE=$(server_sql "$server" 'SHOW huge_pages')
	if [ -n "${SERVER_DIR[$server]:-}" ]; then
		META_HUGE=$(bench_page_size "$(as_user head -n 1 "${SERVER_DIR[$server]}/data/postmaster.pid")")
	fi
	META_CPU=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
	bench_read_device "$server"
	bench_read_commit
}

# The pages of the largest mapping (shared_buffers) of a process: huge?
bench_page_size()
{
	awk '/^Size:/ { size = $2 }
		/^KernelPageSize:/ && size > biggest { biggest = size; page = $2 }
		END { print (page > 4 ? "on, " page " kB" : page ? "off" : "unknown") }' \
		"/proc/$1/smaps" 2>/dev/null || echo unknown
}

# device_ask SERVER COLUMNS: of the device in use.  gpuagg.devices also lists
# those that are not; where none is ready, a GPU comes before the host.
device_ask()
{
	REPLY=$(server_sql "$1" "SELECT $2 FROM gpuagg.devices
		ORDER BY state <> 'ready', kind = 'host', device LIMIT 1")
}

# A GPU's worker opens its device while the server already answers: a query that
# comes sooner would not be the device's.
device_wait()
{
	local tries

	for ((tries = 0; tries < 300; tries++)); do
		device_ask "$1" state
		[ "$REPLY" != ready ] || return 0
		sleep 0.2
	done
	device_ask "$1" "state, why_not"
	bench_say "   the device is not ready: $REPLY"
}

# The device's name as a folder's: "cuda-nvidia-h200", or "host-2c-amd-epyc".
bench_read_device()
{
	local kind=host name=""

	META_DRIVER=-
	if [ "$(server_sql "$1" "SELECT to_regclass('gpuagg.devices') IS NOT NULL")" = t ]; then
		device_wait "$1"
		device_ask "$1" "kind, name"
		IFS="|" read -r kind name <<<"$REPLY"
	fi
	if [ "${kind:-host}" = host ]; then
		name="host ${BENCH_CORES}c $META_CPU"
	else
		name="$kind $name"
		META_DRIVER=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader \
			2>/dev/null | head -n 1)
		META_DRIVER=${META_DRIVER:-unknown}
	fi
	name=$(printf %s "${BENCH_DEVICE:-$name}" | tr -cs "A-Za-z0-9\n" - |
		tr A-Z a-z)
	META_DEVICE=${name%-}
}

bench_read_commit()
{
	local git=(git -c safe.directory=* -C "$BENCH_TOP")

	META_COMMIT=${BENCH_COMMIT:-}
	[ -z "$META_COMMIT" ] || return 0
	META_COMMIT=$("${git[@]}" rev-parse --short HEAD 2>/dev/null) ||
		{ META_COMMIT=unknown; return 0; }
	"${git[@]}" diff --quiet HEAD -- . ":!test/bench/results" 2>/dev/null ||
		META_COMMIT+=-dirty
}

# in_parts COUNT COMMAND ...: COMMAND ... FROM TO of each core's part of 1 to COUNT, side by side; false if one failed
in_parts()
{
	local count=$1 part from to pids=()

	shift
	for ((part = 0; part < BENCH_CORES; part++)); do
		from=$((count * part / BENCH_CORES + 1)) to=$((count * (part + 1) / BENCH_CORES))
		[ "$from" -le "$to" ] || continue
		"$@" "$from" "$to" &
		pids+=($!)
	done
	all_ended_well "${pids[@]}"
}

# all_ended_well PID ...: waits for them
all_ended_well()
{
	local pid failed=

	for pid in "$@"; do
		wait "$pid" || failed=1
	done
	[ -z "$failed" ]
}

# table_pages SERVER TABLE
table_pages()
{
	REPLY=$(server_sql "$1" "SELECT pg_relation_size('$2') / 8192")
}

# Brings a table into shared_buffers; tells if not all of it is there.
table_prewarm()
{
	server_sql "$1" "SET client_min_messages = error;
		CREATE EXTENSION IF NOT EXISTS pg_prewarm;
		SELECT pg_prewarm('$2')" >/dev/null 2>&1 ||
		server_sql "$1" "SET max_parallel_workers_per_gather = 0;
			SELECT count(*) FROM $2" >/dev/null
	REPLY=$(server_sql "$1" "SET max_parallel_workers_per_gather = 0; SET enable_indexonlyscan = off;
		EXPLAIN (ANALYZE, TIMING OFF, BUFFERS) SELECT 1 FROM $2" |
		sed -n 's/.*Buffers: .*read=\([0-9]*\).*/\1/p' | head -n 1)
	[ -z "$REPLY" ] || bench_say "   $2: $REPLY pages are not in shared_buffers:" \
		"raise BENCH_SHARED_BUFFERS"
}

# stat_fallbacks: REPLY is how many runs the server main has left to PostgreSQL so far
stat_fallbacks()
{
	REPLY=0
	[ "$HAVE_GPUAGG" = 0 ] || REPLY=$(server_sql main \
		"SELECT coalesce(sum(value), 0) FROM gpuagg.stat WHERE name LIKE 'fallbacks%'")
}

# in_turn ROUND ENGINE ENGINE: the two, in every other round the second first:
# where a round is short, being first or second is a difference of its own.
in_turn()
{
	if [ $(($1 % 2)) -eq 0 ]; then
		echo "$2 $3"
	else
		echo "$3 $2"
	fi
}

# ------------------------------------------------- one query, all engines

# gpuagg_engine SESSION QUERY: REPLY is the engine that stands for gpuagg
# ("gpuagg", "gpuagg-forced", or empty where it does not take the query), WHY
# the reason if it is not the first.  With BENCH_FORCED=no cost alone decides.
gpuagg_engine()
{
	REPLY= WHY='gpuagg is not installed'
	[ "$HAVE_GPUAGG" != 0 ] || return 0
	! gpuagg_takes "$1" gpuagg "$2" || { REPLY=gpuagg WHY=; return 0; }
	session_do "$1" "SELECT string_agg(w::text, '; ') FROM gpuagg.why_not(\$why\$$2\$why\$) w;"
	WHY=${REPLY%$'\n'}
	WHY=${WHY:-gpuagg.why_not() names no obstacle}
	REPLY=
	[ "${BENCH_FORCED:-}" != no ] || return 0
	! gpuagg_takes "$1" gpuagg-forced "$2" || { REPLY=gpuagg-forced; return 0; }
	REPLY=
}

# gpuagg_takes SESSION ENGINE QUERY: has that engine's plan a node of gpuagg's?
gpuagg_takes()
{
	[ "$HAVE_GPUAGG" != 0 ] || return 1
	engine_settings "$2"
	session_do "$1" "$REPLY"
	session_ask "$1" "EXPLAIN $3;"
	case $REPLY in *'Custom Scan (Gpu'*) ;; *) return 1 ;; esac
}

# parallel_engines SESSION QUERY WORK_MEM: PARALLEL, those of PostgreSQL's
# parallel engines that really plan with workers, and SERIAL, the others.
parallel_engines()
{
	local engine

	PARALLEL= SERIAL=
	for engine in $BENCH_PARALLEL; do
		engine_settings "$engine" "$3"
		session_do "$1" "$REPLY EXPLAIN $2;"
		case $REPLY in
			*Gather*) PARALLEL+="${PARALLEL:+ }$engine" ;;
			*) SERIAL+="${SERIAL:+ }$engine" ;;
		esac
	done
}

# kernels_settle SESSION: no kernel is being compiled any more (20 s at most).  A query that
# takes less than compiling its kernel saves is interpreted meanwhile.
kernels_settle()
{
	local tries

	for ((tries = 0; tries < 200; tries++)); do
		session_do "$1" "SELECT count(*) FROM gpuagg.kernels WHERE state = 'compiling';"
		[ "${REPLY//[^0-9]/}" != 0 ] || return 0
		sleep 0.1
	done
}

# measure_turn ENGINE ROUND: one of measure_query's turns, of whose variables it lives; false if it took longer
# than BENCH_STATEMENT_SECONDS
measure_turn()
{
	local engine=$1 round=$2

	if declare -F "${engine}_time" >/dev/null; then
		"${engine}_time" "$query" || return 1
		groups=${groups:-${PLAN_ROWS:-}}
		[ "$round" -eq 0 ] || samples_add "$case/$engine" "$REPLY"
		return 0
	fi
	engine_settings "$engine" "$mem"
	session_do "$session" "$REPLY"
	if [ "$round" -eq 0 ]; then
		case $engine in
			gpuagg*) explain_run "$session" "$query" || return 1; kernels_settle "$session" ;;
		esac
		explain_run "$session" "$query" ON || return 1
		note[$engine]="$PLAN${NODE:+: $NODE}"
		return 0
	fi
	explain_run "$session" "$query" || return 1
	groups=$PLAN_ROWS
	samples_add "$case/$engine" "$EXEC_MS"
	case $psql$engine in
		1gpuagg*|1postgres) query_time "$session" "$query"; samples_add "$case/$engine/psql" "$REPLY" ;;
	esac
}

# measure_query SESSION BENCHMARK CASE QUERY ROWS WORK_MEM [psql] [ENGINE ...]
# Engines in turn, BENCH_RUNS rounds after one that does not count, in which kernels are made.  "psql"
# adds the whole way to a client, for gpuagg and one process.  An engine that is
# none of PostgreSQL's is asked through function NAME_time QUERY, which sets
# REPLY to ms.  One that takes too long once has no further turn.
measure_query()
{
	local session=$1 bench=$2 case=$3 query=$4 rows=$5 mem=$6
	local engines engine round psql= groups= gpuagg why
	local -A note=() late=()

	shift 6
	if [ "${1:-}" = psql ]; then
		psql=1
		shift
	fi
	gpuagg_engine "$session" "$query"
	gpuagg=$REPLY why=$WHY
	parallel_engines "$session" "$query" "$mem"
	engines=
	for engine in $gpuagg postgres $PARALLEL "$@"; do
		! bench_measures "$engine" "$case" || engines+=" $engine"
	done
	[ -z "$why" ] || bench_say "   $case: ${gpuagg:-not taken}: $why"
	for ((round = 0; round <= BENCH_RUNS; round++)); do
		for engine in $engines; do
			[ -n "${late[$engine]:-}" ] || measure_turn "$engine" "$round" || late[$engine]=1
		done
	done
	note[${gpuagg:-none}]+=${why:+ ($why)}
	measure_rows "$@"
}

# measure_rows ENGINE ...: the rows of measure_query, of whose variables it lives
measure_rows()
{
	local engine subject

	for engine in $engines; do
		csv_row "$bench" "$case" "$engine" execution ms "$rows" "$groups" \
			"$case/$engine" "$case/postgres" postgres "${note[$engine]:-}"
		csv_row "$bench" "$case" "$engine" psql ms "$rows" "$groups" \
			"$case/$engine/psql" "$case/postgres/psql" postgres ""
		[ -z "${late[$engine]:-}" ] ||
			csv_note "$bench" "$case" "$engine" "not in time" "$rows" "$groups" \
				"took longer than $BENCH_STATEMENT_SECONDS s"
	done
	# what is compared with each other engine: gpuagg, or where it is not measured what is kept
	subject=$gpuagg
	[ -n "${SAMPLES[$case/${gpuagg:-none}]:-}" ] || subject=gpuagg-warm
	for engine in $PARALLEL "$@"; do
		[ "$engine" = "$subject" ] || [ -z "${SAMPLES[$case/$engine]:-}" ] ||
			csv_row "$bench" "$case" "$subject" execution ms "$rows" "$groups" \
				"$case/$subject" "$case/$engine" "$engine" ""
	done
	for engine in $SERIAL; do
		! bench_measures "$engine" "$case" || csv_note "$bench" "$case" "$engine" "same plan" "$rows" "$groups" \
			"PostgreSQL does not want workers: the plan is that of engine postgres"
	done
	[ -n "$gpuagg" ] || [ "$HAVE_GPUAGG" = 0 ] || ! bench_measures gpuagg "$case" ||
		csv_note "$bench" "$case" gpuagg "not taken" "$rows" "$groups" "$why"
}
