# cards.sh
#		Several GPUs: 16 clients that group BENCH_CLIENT_ROWS rows, and one query over
#		BENCH_CARD_ROWS rows, from columns that the cards have, with one card and with
#		all of them.  Skipped where there are fewer than two.
#
# Two servers, one with one card and one with all.  The query's table is in the second alone,
# which leaves it to one card or spreads it; so each card has all columns that it reads.  It is
# filled by all cores, each of which has a child table of its own.

# cards_server NAME DEVICE SHARED_BUFFERS CACHE: with that gpuagg.device; CARDS is how many it has
cards_server()
{
	local tries

	BENCH_CONF="gpuagg.cache = on
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
}

cards_clients_table()
{
	server_sql "$1" "CREATE TABLE bench_clients AS
		SELECT (i % 100)::int4 AS k, i::int4 AS v, i::float8 AS x FROM generate_series(1, $2) i" &&
		server_sql "$1" "VACUUM (FREEZE, ANALYZE) bench_clients" ||
		die "cannot fill table bench_clients"
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

# cards_table SERVER ROWS: rows that were inserted while others still are would not be frozen
cards_table()
{
	local rows=$(($2 / CHILDREN))

	server_sql "$1" "CREATE TABLE bench_cards (k int4, v int4, x float8)" || die "no table bench_cards"
	cards_each "$1" "CREATE TABLE bench_cards_%d () INHERITS (bench_cards)"
	cards_each "$1" "INSERT INTO bench_cards_%d
		SELECT i % 100, i, i FROM generate_series(1, $rows) i"
	cards_each "$1" "VACUUM (FREEZE, ANALYZE) bench_cards_%d"
	server_sql "$1" "ANALYZE bench_cards"
}

# cards_pgbench SERVER SECONDS: REPLY is statements a second of 16 clients
cards_pgbench()
{
	local out

	out=$(server_env "$1"
		PGOPTIONS="-c gpuagg.debug_require=require" pgbench -n -f "$RUN_DIR/cards.sql" \
			-c 16 -j "$((BENCH_CORES < 16 ? BENCH_CORES : 16))" -T "$2" 2>&1) ||
		die "pgbench failed: $out"
	REPLY=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' <<<"$out")
}

# cards_query SPREAD: REPLY is ms, once the columns are where they are read
cards_query()
{
	session_do bench "SET gpuagg.spread = $1;"
	query_time bench "$CARDS_QUERY"
}

bench_cards()
{
	local rows=${BENCH_CARD_ROWS:-200000000} clients=${BENCH_CLIENT_ROWS:-200000} round
	local rounds=$((BENCH_RUNS < 5 ? BENCH_RUNS : 5)) seconds=${BENCH_SECONDS:-3} way

	bench_has_gpuagg_files ||
		{ bench_say "   skipped: gpuagg is not installed in $PG_BINDIR"; return 0; }
	cards_server cards_all cuda:all "$((rows / 20000 + 512))MB" "$((rows / 40000 + 256))MB"
	if [ "$CARDS" -lt 2 ]; then
		bench_say "   skipped: there are not two GPUs"
		return 0
	fi
	local cards=$CARDS
	cards_server cards_one cuda:0 512MB 256MB
	bench_read_metadata cards_all
	csv_open cards
	csv_heading
	CHILDREN=$BENCH_CORES
	CARDS_QUERY="SELECT k, count(*), sum(v), avg(x) FROM bench_cards GROUP BY k"
	cards_clients_table cards_one "$clients"
	cards_clients_table cards_all "$clients"
	cards_table cards_all "$rows"
	echo 'SELECT k, count(*), sum(v), avg(x) FROM bench_clients GROUP BY k;' >"$RUN_DIR/cards.sql"
	for way in one all; do
		cards_pgbench "cards_$way" 3
	done
	for ((round = 1; round <= rounds; round++)); do
		for way in $(in_turn "$round" one all); do
			cards_pgbench "cards_$way" "$seconds"
			samples_add "clients/$way" "$REPLY"
		done
	done
	session_psql bench cards_all
	session_do bench "SET gpuagg.debug_require = 'require'; SET gpuagg.fallback = off;"
	for way in always always off off off; do
		cards_query "$way"
	done
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		cards_query off
		cards_query off
		samples_add query/one "$REPLY"
		cards_query always
		cards_query always
		samples_add query/all "$REPLY"
	done
	session_ask bench "EXPLAIN (ANALYZE, VERBOSE) $CARDS_QUERY;" || true
	bench_say "   $(grep -E 'Spread:' <<<"$REPLY")"
	session_close bench
	csv_row cards "16 clients" one throughput tps "$clients" 100 clients/one "" "" ""
	csv_row cards "16 clients" all throughput tps "$clients" 100 clients/all clients/one "one card" "$cards cards"
	csv_row cards "one query" one latency ms "$rows" 100 query/one "" "" ""
	csv_row cards "one query" all latency ms "$rows" 100 query/all query/one "one card" "$cards cards"
}
