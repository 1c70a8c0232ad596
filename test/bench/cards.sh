# cards.sh
#		Several GPUs: 16 clients that group BENCH_CLIENT_ROWS rows, and one query over
#		BENCH_CARD_ROWS rows, from columns that the cards have, with one card and with
#		all of them.  Skipped where there are fewer than two.

CARDS_SERVER=cards

# cards_restart DEVICE: the server anew, with that gpuagg.device
cards_restart()
{
	local dir=${SERVER_DIR[$CARDS_SERVER]} tries

	server_sql "$CARDS_SERVER" "ALTER SYSTEM SET gpuagg.device = '$1'" >/dev/null
	server_stop "$dir" fast
	(cd "$dir" && as_user pg_ctl -D "$dir/data" -l "$dir/log" -t 120 -w start) >/dev/null ||
		die "the server does not start"
	for ((tries = 0; tries < 300; tries++)); do
		[ "$(server_sql "$CARDS_SERVER" "SELECT bool_and(state IN ('ready', 'not used', 'fallback')) AND
			bool_or(state = 'ready') FROM gpuagg.devices")" != t ] || break
		sleep 0.2
	done
	CARDS=$(server_sql "$CARDS_SERVER" \
		"SELECT count(*) FROM gpuagg.devices WHERE kind = 'cuda' AND state = 'ready'")
	table_prewarm "$CARDS_SERVER" bench_clients
	table_prewarm "$CARDS_SERVER" bench_cards
}

# cards_pgbench SECONDS: REPLY is statements a second of 16 clients
cards_pgbench()
{
	local out

	out=$(server_env "$CARDS_SERVER"
		PGOPTIONS="-c gpuagg.debug_require=require" pgbench -n -f "$RUN_DIR/cards.sql" \
			-c 16 -j "$((BENCH_CORES < 16 ? BENCH_CORES : 16))" -T "$1" 2>&1) ||
		die "pgbench failed: $out"
	REPLY=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' <<<"$out")
}

# cards_round NAME: one of either measurement, after what brings the columns there
cards_round()
{
	cards_pgbench 3
	cards_pgbench "${BENCH_SECONDS:-3}"
	samples_add "clients/$1" "$REPLY"
	session_psql bench "$CARDS_SERVER"
	session_do bench "SET gpuagg.debug_require = 'require';"
	query_time bench "SELECT k, count(*), sum(v), avg(x) FROM bench_cards GROUP BY k"
	query_time bench "SELECT k, count(*), sum(v), avg(x) FROM bench_cards GROUP BY k"
	query_time bench "SELECT k, count(*), sum(v), avg(x) FROM bench_cards GROUP BY k"
	samples_add "query/$1" "$REPLY"
	session_close bench
}

cards_table()
{
	server_sql "$CARDS_SERVER" "CREATE TABLE $1 AS
		SELECT (i % 100)::int4 AS k, i::int4 AS v, i::float8 AS x FROM generate_series(1, $2) i" &&
		server_sql "$CARDS_SERVER" "VACUUM (FREEZE, ANALYZE) $1" ||
		die "cannot fill table $1"
}

bench_cards()
{
	local rows=${BENCH_CARD_ROWS:-10000000} clients=${BENCH_CLIENT_ROWS:-200000} round

	bench_has_gpuagg_files ||
		{ bench_say "   skipped: gpuagg is not installed in $PG_BINDIR"; return 0; }
	BENCH_CONF="gpuagg.cache = on" bench_server "$CARDS_SERVER" gpuagg "$((rows / 10000 + 512))MB"
	cards_table bench_clients "$clients"
	cards_table bench_cards "$rows"
	cards_restart cuda:all
	if [ "$CARDS" -lt 2 ]; then
		bench_say "   skipped: there are not two GPUs"
		return 0
	fi
	bench_read_metadata "$CARDS_SERVER"
	csv_open cards
	csv_heading
	echo 'SELECT k, count(*), sum(v), avg(x) FROM bench_clients GROUP BY k;' >"$RUN_DIR/cards.sql"
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		cards_restart cuda:0
		cards_round one
		cards_restart cuda:all
		cards_round all
	done
	csv_row cards "16 clients" one throughput tps "$clients" 100 clients/one "" "" ""
	csv_row cards "16 clients" all throughput tps "$clients" 100 clients/all clients/one "one card" "$CARDS cards"
	csv_row cards "one query" one latency ms "$rows" 100 query/one "" "" ""
	csv_row cards "one query" all latency ms "$rows" 100 query/all query/one "one card" "$CARDS cards"
}
