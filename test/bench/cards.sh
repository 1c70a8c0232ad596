# cards.sh
#		Several GPUs: statements a second of 16 clients, and one query over
#		BENCH_CARD_ROWS rows, from columns that the cards have, with one card and with
#		all of them.  Skipped where there are fewer than two.
#
# Two servers, one with one card and one with all.  Clients group BENCH_CARD_CLIENT_ROWS rows:
# all by the same statement, which may share a pass over the columns, and each by a statement
# of its own.  The query's table is in the second server alone, which leaves it to one card or
# spreads it; so each card has all columns that it reads.  It is filled by all cores, each of
# which has a child table of its own.
#
# Machines with several GPUs are lent for short: each case's row is written when the case has
# ended, and each sample is told at once.

# cards_server NAME DEVICE SHARED_BUFFERS CACHE: with that gpuagg.device; CARDS is how many it has
cards_server()
{
	local tries start=$SECONDS

	BENCH_CONF="${BENCH_CONF:-}
gpuagg.cache = on
gpuagg.device = '$2'
gpuagg.device_memory = 8GB
gpuagg.cache_size = $4" bench_server "$1" gpuagg "$3"
	for ((tries = 0; tries < 300; tries++)); do
		[ "$(server_sql "$1" "SELECT bool_and(state IN ('ready', 'not used', 'fallback')) AND
			bool_or(state = 'ready') FROM gpuagg.devices")" != t ] || break
		sleep 0.2
	done
	CARDS=$(server_sql "$1" \
		"SELECT count(*) FROM gpuagg.devices WHERE kind = 'cuda' AND state = 'ready'")
	bench_say "   $((SECONDS - start)) s: server $1, $CARDS cards"
}

# cards_sample KEY VALUE: kept, and told at once
cards_sample()
{
	samples_add "$1" "$2"
	bench_say "   $1 $2"
}

# cards_both FUNCTION ...: for both servers at once
cards_both()
{
	local server pids=() pid

	for server in cards_one cards_all; do
		"$1" "$server" "${@:2}" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || die "$1 failed"
	done
}

cards_clients_table()
{
	server_sql "$1" "CREATE TABLE bench_clients_$2 AS
		SELECT (i % 100)::int4 AS k, i::int4 AS v, i::float8 AS x
		FROM (SELECT generate_series(1, $2) i) s" &&
		server_sql "$1" "VACUUM (FREEZE, ANALYZE) bench_clients_$2" &&
		server_sql "$1" "SELECT gpuagg.load('bench_clients_$2')" >/dev/null
}

# cards_each SERVER COMMAND: for each child table, all at once; %d is its number
cards_each()
{
	local i pids=() pid

	for ((i = 0; i < CHILDREN; i++)); do
		server_sql "$1" "${2//%d/$i}" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || die "cannot fill table bench_cards"
	done
}

# cards_table SERVER ROWS: a child is created by the transaction that fills it, which then
# writes no WAL; rows that were inserted while others still are would not be frozen
cards_table()
{
	local rows=$(($2 / CHILDREN)) columns="(k int4, v int4, x float8)" start=$SECONDS

	server_sql "$1" "CREATE TABLE bench_cards $columns" || die "no table bench_cards"
	cards_each "$1" "BEGIN; CREATE TABLE bench_cards_%d $columns;
		INSERT INTO bench_cards_%d SELECT i % 100, i, i FROM (SELECT generate_series(1, $rows) i) s;
		COMMIT"
	bench_say "   $((SECONDS - start)) s: rows inserted"
	cards_each "$1" "VACUUM (FREEZE, ANALYZE) bench_cards_%d"
	cards_each "$1" "ALTER TABLE bench_cards_%d INHERIT bench_cards"
	server_sql "$1" "ANALYZE bench_cards"
	bench_say "   $((SECONDS - start)) s: frozen and analysed"
}

# cards_pgbench SERVER STATEMENT SECONDS: REPLY is statements a second of 16 clients
cards_pgbench()
{
	local out

	out=$(server_env "$1"
		PGOPTIONS="-c gpuagg.debug_require=require" timeout $(($3 + 60)) pgbench -n \
			-f "$RUN_DIR/cards-$2.sql" -c 16 -j "$((BENCH_CORES < 16 ? BENCH_CORES : 16))" \
			-T "$3" 2>&1) || die "pgbench failed: $out"
	case $out in
		*'number of failed transactions: 0 '*) ;;
		*'failed transactions'*) die "pgbench: transactions failed: $out" ;;
	esac
	REPLY=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' <<<"$out")
}

# cards_clients ROWS same|own
cards_clients()
{
	local rows=$1 case="16 clients, $2 statement" round way key=$2-$1 where=

	[ "$2" = same ] || where="WHERE v <> :client_id"
	echo "SELECT k, count(*), sum(v), avg(x) FROM bench_clients_$rows $where GROUP BY k;" \
		>"$RUN_DIR/cards-$key.sql"
	for way in one all; do
		cards_pgbench "cards_$way" "$key" 2
		bench_say "   $key/$way $REPLY (not counted)"
	done
	for ((round = 1; round <= CARDS_ROUNDS; round++)); do
		for way in $(in_turn "$round" one all); do
			cards_pgbench "cards_$way" "$key" "$CARDS_SECONDS"
			cards_sample "$key/$way" "$REPLY"
		done
	done
	csv_row cards "$case" one throughput tps "$rows" 100 "$key/one" "" "" ""
	csv_row cards "$case" all throughput tps "$rows" 100 "$key/all" "$key/one" "one card" "$CARDS cards"
}

# cards_query SPREAD: REPLY is ms
cards_query()
{
	session_do bench "SET gpuagg.spread = $1;"
	query_time bench "$CARDS_QUERY"
}

# cards_explain SPREAD: REPLY is what EXPLAIN ANALYZE tells of the device's part
cards_explain()
{
	session_do bench "SET gpuagg.spread = $1;"
	session_do bench "EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $CARDS_QUERY;"
	REPLY=$(grep -E '^ *(Spread|Device|Cached Pages|Pages|Strategy|Kernel Time|Device Time|Execution Time)' <<<"$REPLY" |
		sed 's/^ *//' | paste -sd';')
}

# cards_one_query NAME ROWS GROUPS COLUMNS: all columns are on the cards before it is timed
cards_one_query()
{
	local name=$1 key=query-$1 round note way

	CARDS_QUERY="SELECT $4, count(*), sum(v), avg(x) FROM bench_cards GROUP BY 1"
	for way in always always off off off; do
		cards_query "$way"
		bench_say "   $key, spread $way: $REPLY ms (not counted)"
	done
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		cards_query off
		cards_query off
		cards_sample "$key/one" "$REPLY"
		cards_query always
		cards_query always
		cards_sample "$key/all" "$REPLY"
	done
	cards_explain auto
	bench_say "   $key, spread auto: $REPLY"
	cards_explain always
	note=$REPLY
	bench_say "   $key, spread always: $note"
	csv_row cards "one query, $name" one latency ms "$2" "$3" "$key/one" "" "" ""
	csv_row cards "one query, $name" all latency ms "$2" "$3" "$key/all" "$key/one" "one card" \
		"$CARDS cards: $note"
}

bench_cards()
{
	local rows=${BENCH_CARD_ROWS:-200000000} size sizes=${BENCH_CARD_CLIENT_ROWS:-200000 20000000}
	local most=0 cards

	CARDS_ROUNDS=$((BENCH_RUNS < 3 ? BENCH_RUNS : 3))
	CARDS_SECONDS=${BENCH_SECONDS:-3}
	bench_has_gpuagg_files ||
		{ bench_say "   skipped: gpuagg is not installed in $PG_BINDIR"; return 0; }
	for size in $sizes; do
		most=$((most + size))
	done
	cards_server cards_all cuda:all "$(((rows + most) / 20000 + 512))MB" \
		"$(((rows + most) / 40000 + 256))MB"
	if [ "$CARDS" -lt 2 ]; then
		bench_say "   skipped: there are not two GPUs"
		return 0
	fi
	cards=$CARDS
	cards_server cards_one cuda:0 "$((most / 20000 + 512))MB" "$((most / 40000 + 256))MB"
	CARDS=$cards
	bench_read_metadata cards_all
	csv_open cards
	csv_heading
	for size in $sizes; do
		cards_both cards_clients_table "$size"
		cards_clients "$size" same
		cards_clients "$size" own
	done
	CHILDREN=$BENCH_CORES
	cards_table cards_all "$rows"
	session_psql bench cards_all
	session_do bench "SET gpuagg.debug_require = 'require'; SET gpuagg.fallback = off;"
	cards_one_query "few groups" "$rows" 100 k
	cards_one_query "many groups" "$rows" 100000 "v % 100000"
	session_close bench
}
