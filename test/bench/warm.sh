# warm.sh
#		What the column cache gives: h2o's table at BENCH_WARM_ROWS rows with its
#		columns on the device ("gpuagg-warm") and without the cache ("gpuagg"),
#		beside PostgreSQL's best parallel plan (once, to compare answers) and
#		DuckDB.  Then what filling the cache costs a query, and what a changed page
#		costs the next one, before and after VACUUM has seen it.

. "$BENCH_HERE/h2o.sh"		# the table, its questions, DuckDB

# Lines as h2o_questions has them
warm_questions()
{
	local sums='count(*) AS c, sum(v1) AS v FROM h2o_g1'

	printf '%s\tsum(c), sum(v)\t%s\n' id4 "SELECT id4, $sums GROUP BY id4" \
		filter-id5 "SELECT id5, $sums WHERE v2 <= 5 GROUP BY id5" \
		id6 "SELECT id6, $sums GROUP BY id6"
	h2o_questions | grep -E '^q[12357]	'
}

# warm_do ENGINE: the session is that engine from now on.
warm_do()
{
	engine_settings "$1"
	session_do h2o "$REPLY"
}

warm_unload() { server_sql main "SELECT gpuagg.unload('h2o_g1')" >/dev/null; }

# warm_run ENGINE SAMPLE SQL: both times of a query
warm_run()
{
	warm_do "$1"
	explain_run h2o "$3"
	samples_add "$2/execution" "$EXEC_MS"
	query_time h2o "$3"
	samples_add "$2/psql" "$REPLY"
}

# warm_rows CASE SQL GROUPS: what psql takes for the answer's rows alone, out of a
# table: no plan of the query sends them faster.
warm_rows()
{
	local round

	server_sql main "CREATE UNLOGGED TABLE warm_rows AS $2" >/dev/null
	server_sql main "VACUUM (FREEZE, ANALYZE) warm_rows" >/dev/null
	warm_do gpuagg
	for ((round = 0; round <= BENCH_RUNS; round++)); do
		query_time h2o "SELECT * FROM warm_rows"
		[ "$round" -eq 0 ] || samples_add "$1/rows/psql" "$REPLY"
	done
	csv_row warm "$1" rows psql ms "$WARM_ROWS" "$3" "$1/rows/psql" \
		"$1/gpuagg/psql" gpuagg "the answer's rows, read from a table"
	server_sql main "DROP TABLE warm_rows"
}

# warm_question CASE CHECK SQL
warm_question()
{
	local case=$1 sql=$3 engine round metric groups
	local -A note=()

	warm_do gpuagg-warm
	explain_run h2o "$sql"		# fills
	answer_check h2o "$case" "$2" "$sql" "$WARM_PARALLEL" gpuagg-warm gpuagg $WARM_DUCKDB
	for engine in gpuagg-warm gpuagg; do
		warm_do "$engine"
		explain_run h2o "$sql" ON
		note[$engine]="$PLAN${NODE:+: $NODE}"
	done
	groups=$PLAN_ROWS
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		for engine in $(in_turn "$round" gpuagg-warm gpuagg); do
			warm_run "$engine" "$case/$engine" "$sql"
		done
		[ -z "$WARM_DUCKDB" ] || {
			duckdb_time "$sql"
			samples_add "$case/duckdb/execution" "$REPLY"
		}
	done
	for engine in gpuagg-warm gpuagg duckdb; do
		for metric in execution psql; do
			csv_row warm "$case" "$engine" $metric ms "$WARM_ROWS" "$groups" \
				"$case/$engine/$metric" "$case/gpuagg/$metric" gpuagg \
				"${note[$engine]:-}"
			note[$engine]=
		done
	done
	[ "$groups" -lt 100000 ] || warm_rows "$case" "$sql" "$groups"
	[ -z "$WARM_DUCKDB" ] || csv_row warm "$case" gpuagg-warm execution ms \
		"$WARM_ROWS" "$groups" "$case/gpuagg-warm/execution" \
		"$case/duckdb/execution" duckdb ""
}

# What filling costs: each round begins with nothing cached.  It is the difference of
# two times that vary by more, so there are three times as many rounds.
warm_fill()
{
	local round engine
	local -A note=()

	for ((round = 0; round <= 3 * BENCH_RUNS; round++)); do
		for engine in $(in_turn "$round" gpuagg-warm gpuagg); do
			warm_unload
			warm_do "$engine"
			explain_run h2o "$WARM_ID4" ON
			note[$engine]="$PLAN${NODE:+: $NODE}"
			[ "$round" -eq 0 ] || samples_add "fill/$engine" "$EXEC_MS"
		done
	done
	csv_row warm fill gpuagg-warm execution ms "$WARM_ROWS" 100 fill/gpuagg-warm \
		fill/gpuagg gpuagg "nothing cached: fills the cache; ${note[gpuagg-warm]}"
	csv_row warm fill gpuagg execution ms "$WARM_ROWS" 100 fill/gpuagg \
		fill/gpuagg gpuagg "without the cache; ${note[gpuagg]}"
}

# One row changes, another page of the table each round.
warm_changed()
{
	local round pages block

	table_pages main h2o_g1
	pages=$REPLY
	warm_do gpuagg-warm
	explain_run h2o "$WARM_ID4"
	for ((round = 1; round <= BENCH_RUNS; round++)); do
		block=$((pages * round / (BENCH_RUNS + 1)))
		explain_run h2o "$WARM_ID4"
		explain_run h2o "$WARM_ID4"
		samples_add changed/before "$EXEC_MS"
		server_sql main "UPDATE h2o_g1 SET v1 = v1 WHERE ctid = '($block,1)'" >/dev/null
		explain_run h2o "$WARM_ID4"
		samples_add changed/update "$EXEC_MS"
		server_sql main "VACUUM h2o_g1" >/dev/null
		explain_run h2o "$WARM_ID4"
		samples_add changed/vacuum "$EXEC_MS"
	done
	csv_row warm changed gpuagg-warm unchanged ms "$WARM_ROWS" 100 changed/before \
		changed/before unchanged "$pages pages"
	csv_row warm changed gpuagg-warm update ms "$WARM_ROWS" 100 changed/update \
		changed/before unchanged "the first query after a row was updated"
	csv_row warm changed gpuagg-warm vacuum ms "$WARM_ROWS" 100 changed/vacuum \
		changed/before unchanged "the first query after VACUUM"
}

bench_warm()
{
	local question check sql

	WARM_ROWS=${BENCH_WARM_ROWS:-20000000} WARM_DUCKDB=
	WARM_PARALLEL=postgres-$((BENCH_MAX_WORKERS > 12 ? 12 : BENCH_MAX_WORKERS))w
	WARM_ID4=$(warm_questions | awk -F '\t' '$1 == "id4" { print $3 }')
	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open warm
	csv_heading
	h2o_table "$WARM_ROWS"
	session_psql h2o main
	! duckdb_open || WARM_DUCKDB=duckdb
	! bench_wants fill || warm_fill
	while IFS=$'\t' read -r question check sql <&3; do
		! bench_wants "$question" || warm_question "$question" "$check" "$sql"
	done 3< <(warm_questions)
	! bench_wants changed || warm_changed
	session_close h2o
	session_close duckdb
	server_sql main 'DROP TABLE h2o_g1; CHECKPOINT'
}
