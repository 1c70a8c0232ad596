# questions.sh
#		Files of questions, whether all engines answer them alike, and DuckDB as
#		one of the engines.
#
# Sourced by "run", after lib.sh.

# question_lines FILE: question, its @check, its SQL, separated by tabs, of each; behind them the table
# whose rows it is about, where it says @rows
question_lines()
{
	awk '/^-- @id/ { id = $3; sub(/^[a-z0-9]*\.q/, "q", id); sql = ""; of = "" }
		/@rows/ { of = $0; sub(/.*@rows +/, "", of); sub(/ .*/, "", of) }
		/@check/ { check = $0; sub(/.*@check +/, "", check) }
		!/^--/ && NF { sql = sql (sql == "" ? "" : " ") $0
			if (sub(/;[ \t]*$/, "", sql)) print id "\t" check "\t" sql (of == "" ? "" : "\t" of) }' \
		"$1"
}

# answer_sums SESSION ENGINE CHECK SQL: REPLY is the answer's column sums by one engine
answer_sums()
{
	if [ "$2" = duckdb ]; then
		session_do duckdb "RUN CREATE OR REPLACE TABLE ans AS $4"
		session_do duckdb "RUN SELECT count(*), $3 FROM ans"
		return 0
	fi
	engine_settings "$2"
	# "prefer", as the aggregate over the answer must be PostgreSQL's
	session_do "$1" "${REPLY/require = require/require = prefer}
		SELECT count(*), $3 FROM ($4) ans;"
}

# answer_check SESSION QUESTION CHECK SQL ENGINE...: do all engines agree with the first?
answer_check()
{
	local session=$1 question=$2 check=$3 sql=$4 first=$5 engine expected

	answer_sums "$session" "$first" "$check" "$sql"
	expected=$REPLY
	shift 5
	for engine in "$@"; do
		answer_sums "$session" "$engine" "$check" "$sql"
		# DuckDB writes null where psql writes nothing
		perl -e 's/\s|null//g for @ARGV;
			my @a = split /\|/, $ARGV[0], -1; my @b = split /\|/, $ARGV[1], -1;
			exit 1 if @a != @b;
			for (0 .. $#a) { exit 1 if ($a[$_] eq "") != ($b[$_] eq "") || abs($a[$_] - $b[$_]) >
				1e-9 * (abs($a[$_]) + 1e-3) } ' "$expected" "$REPLY" ||
			die "$question: $engine answers $REPLY, $first $expected"
	done
}

# DuckDB from npm, into a folder that git ignores, in a session of its own; false where
# it cannot be had or BENCH_DUCKDB is "no".
duckdb_start()
{
	local dir=${BENCH_DUCKDB:-$BENCH_TOP/build/duckdb}

	[ "$dir" != no ] && command -v node >/dev/null && command -v npm >/dev/null || return 1
	mkdir -p "$dir"
	[ -d "$dir/node_modules/@duckdb/node-api" ] ||
		npm install --prefix "$dir" --no-save --no-audit --no-fund --silent \
			@duckdb/node-api >/dev/null 2>&1 || return 1
	cp "$BENCH_HERE/duckdb.mjs" "$dir/"
	session_open duckdb node "$dir/duckdb.mjs" "$BENCH_CORES"
	session_do duckdb "RUN SELECT 'DuckDB ' || version()"
	DUCKDB_VERSION=${REPLY%$'\n'}
}

# duckdb_load TABLE: the same rows, in columns of the types that it has there
duckdb_load()
{
	local csv=$RUN_DIR/$1.csv columns list

	columns=$(server_sql main "SELECT string_agg(quote_literal(attname) || ': ' || quote_literal(
			CASE WHEN atttypid IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) THEN 'VARCHAR'
				ELSE upper(format_type(atttypid, atttypmod)) END), ', ' ORDER BY attnum)
		FROM pg_attribute WHERE attrelid = '$1'::regclass AND attnum > 0 AND NOT attisdropped")
	# without the blanks of char(n)
	list=$(server_sql main "SELECT string_agg(quote_ident(attname) ||
			CASE atttypid WHEN 'bpchar'::regtype THEN '::text' ELSE '' END, ', ' ORDER BY attnum)
		FROM pg_attribute WHERE attrelid = '$1'::regclass AND attnum > 0 AND NOT attisdropped")
	server_psql main -c "\\copy (SELECT $list FROM $1) TO '$csv' (FORMAT csv)" || return 1
	session_do duckdb "RUN CREATE TABLE $1 AS FROM read_csv('$csv',
		header = false, columns = {$columns})"
	rm -f "$csv"
}

# duckdb_dialect QUERY: REPLY is the query in DuckDB's SQL, which wants a unit
# in TABLESAMPLE; without the seed, for with it DuckDB samples in one thread.
duckdb_dialect()
{
	REPLY=$1
	while [[ $REPLY =~ TABLESAMPLE\ ([A-Z]+)\ \(([0-9.]+)\)(\ REPEATABLE\ \([0-9]+\))? ]]; do
		REPLY=${REPLY/"${BASH_REMATCH[0]}"/"TABLESAMPLE ${BASH_REMATCH[1]} (${BASH_REMATCH[2]} PERCENT)"}
	done
}

duckdb_time()
{
	duckdb_dialect "$1"
	session_do duckdb "TIME $REPLY"
	REPLY=${REPLY%$'\n'}
}

# ------------------------------------------- suites: many tables, many questions

# suite_tables NAME SCALE ORDERS TABLE...: the tables of NAME_gen.sql, of whose orders
# each core makes its part.
suite_tables()
{
	local name=$1 scale=$2 orders=$3 table

	shift 3
	suite_part "$name" "$scale" 1 0 && in_parts "$orders" suite_part "$name" "$scale" ||
		die "${name}_gen.sql failed: $(cat "$RUN_DIR/$name".*.log)"
	for table in "$@"; do
		server_sql main "VACUUM (FREEZE, ANALYZE) $table" || die "cannot finish table $table"
		table_prewarm main "$table"
		[ "$HAVE_GPUAGG" = 0 ] || server_sql main "SELECT gpuagg.load('$table')" >/dev/null
	done
}

suite_part()
{
	server_psql main -v sf="$2" -v from="$3" -v to="$4" \
		-f "$BENCH_HERE/$1_gen.sql" >/dev/null 2>"$RUN_DIR/$1.$3-$4.log"
}

# gpuagg over columns that the device keeps, as an engine of measure_query
gpuagg-warm_time()
{
	engine_settings gpuagg-warm
	session_do suite "$REPLY"
	explain_run suite "$1"
	REPLY=$EXEC_MS
}

# suite_warm SQL: until the kernels that gpuagg wants for it are compiled, which the server does beside its
# statements
suite_warm()
{
	local round tries

	for ((round = 0; round < 3; round++)); do
		gpuagg-warm_time "$1"
		for ((tries = 0; tries < 100; tries++)); do
			[ "$(server_sql main "SELECT count(*) FROM gpuagg.kernels WHERE state = 'compiling'")" != 0 ] || break
			sleep 0.1
		done
	done
}

# suite_node NAME QUESTION SQL ROWS: what gpuagg's node took over columns that are kept, beside what
# was predicted of it; the figures of measure_query are those of whole statements
suite_node()
{
	local round key=$2/gpuagg-warm

	engine_settings gpuagg-warm
	session_do suite "$REPLY"
	for ((round = 0; round <= BENCH_RUNS; round++)); do
		explain_run suite "$3" ON
		[ "$round" -gt 0 ] && [ -n "$NODE_MS" ] || continue
		samples_add "$key/node" "$NODE_MS"
		samples_add "$key/predicted" "$PREDICTED_NODE_MS"
	done
	csv_row "$1" "$2" gpuagg-warm node ms "$4" "$PLAN_ROWS" "$key/node" "$key/predicted" predicted \
		"predicted $PREDICTED_NODE_MS ms: $NODE"
}

# suite_run NAME SCALE TABLE...: every question of NAME.sql over these tables by
# gpuagg where it takes it, by PostgreSQL and by DuckDB, answers compared first.  The
# first table is the facts, of which questions are that do not say @rows.
suite_run()
{
	local name=$1 scale=$2 fact=$3 question check sql of rows engines duckdb= table
	local BENCH_FORCED=no		# a correlated subquery would run once a row

	shift 2
	bench_need_main
	csv_open "$name"
	suite_tables "$name" "$scale" "$(awk "BEGIN { printf \"%d\", 1500000 * $scale }")" "$@"
	session_psql suite main
	if bench_measures duckdb && duckdb_start; then
		duckdb=duckdb
		for table in "$@"; do
			duckdb_load "$table"
		done
	fi
	csv_heading
	while IFS=$'\t' read -r question check sql of <&3; do
		bench_wants "$question" || continue
		rows=$(server_sql main "SELECT count(*) FROM ${of:-$fact}")
		gpuagg_engine suite "$sql"
		engines=${REPLY:+$REPLY gpuagg-warm}
		! bench_measures postgres ||
			answer_check suite "$question" "$check" "$sql" postgres $engines $duckdb
		[ -z "$engines" ] || ! bench_measures gpuagg-warm || suite_warm "$sql"
		measure_query suite "$name" "$question" "$sql" "$rows" "$BENCH_WORK_MEM" \
			${engines:+gpuagg-warm} $duckdb
		[ -z "$engines" ] || ! bench_measures gpuagg-warm || suite_node "$name" "$question" "$sql" "$rows"
	done 3< <(question_lines "$BENCH_HERE/$name.sql")
	session_close suite
	session_close duckdb
	for table in "$@"; do
		server_sql main "DROP TABLE $table"
	done
}
