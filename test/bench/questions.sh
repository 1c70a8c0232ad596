# questions.sh
#		Files of questions, whether all engines answer them alike, and DuckDB as
#		one of the engines.
#
# Sourced by "run", after lib.sh.

# question_lines FILE [SCALE]: question, its @check, its SQL, separated by tabs, of each; behind them the table
# whose rows it is about, where it says @rows.  TPC-H has a fraction that goes by the scale.
question_lines()
{
	awk -v scale="${2:-1}" 'BEGIN { fraction = sprintf("%.12f", 0.0001 / scale); sub(/0+$/, "", fraction) }
		{ gsub(/:fraction/, fraction) }
		/^-- @id/ { id = $3; sub(/^[a-z0-9]*\.q/, "q", id); sql = ""; of = "" }
		/@rows/ { of = $0; sub(/.*@rows +/, "", of); sub(/ .*/, "", of) }
		/@check/ { check = $0; sub(/.*@check +/, "", check) }
		!/^--/ && NF { sql = sql (sql == "" ? "" : " ") $0
			if (sub(/;[ \t]*$/, "", sql)) print id "\t" check "\t" sql (of == "" ? "" : "\t" of) }' \
		"$1"
}

# answer_sums SESSION ENGINE CHECK SQL: REPLY is the answer's column sums by one engine; false if it took too long
answer_sums()
{
	if [ "$2" = duckdb ]; then
		session_do duckdb "RUN CREATE OR REPLACE TABLE ans AS $4"
		session_do duckdb "RUN SELECT count(*), $3 FROM ans"
		return
	fi
	engine_settings "$2"
	# "prefer", as the aggregate over the answer must be PostgreSQL's
	session_try "$1" "${REPLY/require = require/require = prefer}
		SELECT count(*), $3 FROM ($4) ans;"
}

# answer_check SESSION QUESTION CHECK SQL ENGINE...: do all engines that answer in time agree with the first?
answer_check()
{
	local session=$1 question=$2 check=$3 sql=$4 first= engine expected

	shift 4
	for engine in "$@"; do
		answer_sums "$session" "$engine" "$check" "$sql" ||
			{ bench_say "   $question: $engine's answer is not compared: it takes too long"; continue; }
		[ -n "$first" ] || { first=$engine expected=$REPLY; continue; }
		# DuckDB writes null where psql writes nothing
		perl -e 's/\s|null//g for @ARGV;
			my @a = split /\|/, $ARGV[0], -1; my @b = split /\|/, $ARGV[1], -1;
			exit 1 if @a != @b;
			for (0 .. $#a) { exit 1 if ($a[$_] eq "") != ($b[$_] eq "") || abs($a[$_] - $b[$_]) >
				1e-9 * (abs($a[$_]) + 1e-3) } ' "$expected" "$REPLY" ||
			die "$question: $engine answers $REPLY, $first $expected"
	done
}

# duckdb_library: REPLY is libduckdb.so: BENCH_DUCKDB, or in the folder that this names, where npm puts it; false
# where it cannot be had or BENCH_DUCKDB is "no".
duckdb_library()
{
	local dir=${BENCH_DUCKDB:-$BENCH_TOP/build/duckdb}

	REPLY=$dir
	[ ! -f "$dir" ] || return 0
	[ "$dir" != no ] && mkdir -p "$dir" || return 1
	[ -d "$dir/node_modules/@duckdb" ] || ! command -v npm >/dev/null ||
		npm install --prefix "$dir" --no-save --no-audit --no-fund --silent @duckdb/node-api >/dev/null 2>&1
	REPLY=$(find "$dir" -name libduckdb.so | head -n 1)
	[ -n "$REPLY" ]
}

# DuckDB in a session of its own; false where there is none
duckdb_start()
{
	command -v python3 >/dev/null && duckdb_library || return 1
	session_open duckdb python3 "$BENCH_HERE/duckdb.py" "$REPLY" "$BENCH_CORES" "$BENCH_STATEMENT_SECONDS"
	session_do duckdb "RUN SELECT 'DuckDB ' || version()"
	DUCKDB_VERSION=${REPLY%$'\n'}
}

# duckdb_load TABLE: the same rows, in columns of the types that it has there
duckdb_load()
{
	local columns list pages

	columns=$(server_sql main "SELECT string_agg(quote_literal(attname) || ': ' || quote_literal(
			CASE WHEN atttypid IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) THEN 'VARCHAR'
				ELSE upper(format_type(atttypid, atttypmod)) END), ', ' ORDER BY attnum)
		FROM pg_attribute WHERE attrelid = '$1'::regclass AND attnum > 0 AND NOT attisdropped")
	# without the blanks of char(n)
	list=$(server_sql main "SELECT string_agg(quote_ident(attname) ||
			CASE atttypid WHEN 'bpchar'::regtype THEN '::text' ELSE '' END, ', ' ORDER BY attnum)
		FROM pg_attribute WHERE attrelid = '$1'::regclass AND attnum > 0 AND NOT attisdropped")
	# of the largest table that it is made of, where it is partitioned
	pages=$(server_sql main "SELECT max(pg_relation_size(oid)) / 8192 FROM pg_class
		WHERE oid = '$1'::regclass OR oid IN (SELECT relid FROM pg_partition_tree('$1'))")
	in_parts "$pages" duckdb_export "$1" "$list" || return 1
	session_do duckdb "RUN CREATE TABLE $1 AS FROM read_csv('$RUN_DIR/$1.*.csv',
		header = false, columns = {$columns})"
	rm -f "$RUN_DIR/$1".*.csv
}

# duckdb_export TABLE COLUMNS FROM TO: what is in these pages, as a file, if there is anything
duckdb_export()
{
	local csv=$RUN_DIR/$1.$3-$4.csv

	server_psql main -c "\\copy (SELECT $2 FROM $1 WHERE ctid >= '($(($3 - 1)),0)' AND ctid < '($4,0)') TO '$csv' (FORMAT csv)" &&
		{ [ -s "$csv" ] || rm "$csv"; }
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

# false if it takes longer than BENCH_STATEMENT_SECONDS
duckdb_time()
{
	duckdb_dialect "$1"
	session_try duckdb "TIME $REPLY" || return 1
	REPLY=${REPLY%$'\n'}
}

# ------------------------------------------- suites: many tables, many questions

# suite_tables NAME SCALE ORDERS TABLE...: the tables of NAME_gen.sql, of whose orders
# each core makes its part; they are finished side by side.
suite_tables()
{
	local name=$1 scale=$2 orders=$3 table pids=()

	shift 3
	suite_part "$name" "$scale" 1 0 && in_parts "$orders" suite_part "$name" "$scale" ||
		die "${name}_gen.sql failed: $(cat "$RUN_DIR/$name".*.log)"
	bench_say "   rows are made: $SECONDS s"
	# once, as several at once would fail
	server_sql main "SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS pg_prewarm" 2>/dev/null
	for table in "$@"; do
		suite_finish "$BENCH_HERE/${name}_keys.sql" "$table" &
		pids+=($!)
	done
	all_ended_well "${pids[@]}" || die "cannot finish the tables"
	for table in "$@"; do
		[ "$HAVE_GPUAGG" = 0 ] || server_sql main "SELECT gpuagg.load('$table')" >/dev/null
	done
	bench_say "   tables are loaded: $SECONDS s"
}

suite_part()
{
	PGOPTIONS="-c work_mem=256MB" server_psql main -v sf="$2" -v from="$3" -v to="$4" \
		-f "$BENCH_HERE/$1_gen.sql" >/dev/null 2>"$RUN_DIR/$1.$3-$4.log"
}

# suite_finish FILE TABLE: its keys and indexes, if there is such a file; statistics, and into shared_buffers
suite_finish()
{
	[ ! -f "$1" ] || grep " $2 " "$1" |
		PGOPTIONS="-c maintenance_work_mem=1GB" server_psql main -f - || return 1
	server_sql main "VACUUM (FREEZE, ANALYZE) $2" && table_prewarm main "$2"
}

# gpuagg over columns that the device keeps, as an engine of measure_query
gpuagg-warm_time()
{
	engine_settings gpuagg-warm
	session_do suite "$REPLY"
	explain_run suite "$1" || return 1
	REPLY=$EXEC_MS
}

# suite_warm SQL: until the kernels that gpuagg wants for it are compiled, which the server does beside its
# statements.  A statement of seconds is not asked to wait: kernels hardly matter to it.
suite_warm()
{
	local round

	for ((round = 0; round < 3; round++)); do
		gpuagg-warm_time "$1" || return 0
		kernels_settle suite
		[ "${EXEC_MS%.*}" -lt 1000 ] || return 0
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
		explain_run suite "$3" ON || return 0
		[ "$round" -gt 0 ] && [ -n "$NODE_MS" ] || continue
		samples_add "$key/node" "$NODE_MS"
		samples_add "$key/predicted" "$PREDICTED_NODE_MS"
	done
	csv_row "$1" "$2" gpuagg-warm node ms "$4" "$PLAN_ROWS" "$key/node" "$key/predicted" predicted \
		"predicted $PREDICTED_NODE_MS ms: $NODE"
}

# suite_question NAME QUESTION CHECK SQL ROWS: answers compared, then times
suite_question()
{
	local name=$1 question=$2 check=$3 sql=$4 rows=$5 engine engines= warm= duckdb=

	if gpuagg_takes suite gpuagg-warm "$sql" && bench_measures gpuagg-warm "$question"; then
		warm=gpuagg-warm
	fi
	[ -z "$DUCKDB_VERSION" ] || ! bench_measures duckdb "$question" || duckdb=duckdb
	gpuagg_engine suite "$sql"
	for engine in postgres $duckdb $REPLY $warm; do
		! bench_measures "$engine" "$question" || engines+=" $engine"
	done
	answer_check suite "$question" "$check" "$sql" $engines
	[ -z "$warm" ] || suite_warm "$sql"
	measure_query suite "$name" "$question" "$sql" "$rows" "$BENCH_WORK_MEM" $warm $duckdb
	if [ -n "$warm" ]; then
		suite_node "$name" "$question" "$sql" "$rows"
	elif bench_measures gpuagg-warm "$question"; then
		csv_note "$name" "$question" gpuagg-warm "not taken" "$rows" "" "PostgreSQL's plan is cheaper"
	fi
}

# suite_file NAME SCALE: beyond scale 10 results have a file of their own, to stay beside those of 10
suite_file()
{
	awk -v name="$1" -v scale="$2" 'BEGIN { print name (scale > 10 ? "-" scale : "") }'
}

# suite_run NAME SCALE TABLE...: every question of NAME.sql over these tables by
# gpuagg where it takes it, by PostgreSQL and by DuckDB.  The first table is the facts,
# of which questions are that do not say @rows.  After BENCH_UNTIL seconds none is begun.
suite_run()
{
	local name=$1 scale=$2 fact=$3 question check sql of table DUCKDB_VERSION=
	local BENCH_FORCED=no		# a correlated subquery would run once a row
	local -A rows=()

	shift 2
	bench_need_main
	csv_open "$(suite_file "$name" "$scale")"
	suite_tables "$name" "$scale" "$(awk "BEGIN { printf \"%d\", 1500000 * $scale }")" "$@"
	session_psql suite main
	session_do suite "SET statement_timeout = '${BENCH_STATEMENT_SECONDS}s';"
	if bench_measures duckdb && duckdb_start; then
		for table in "$@"; do
			duckdb_load "$table" || die "DuckDB does not load $table"
		done
		bench_say "   DuckDB has them: $SECONDS s"
	fi
	csv_heading
	while IFS=$'\t' read -r question check sql of <&3; do
		bench_wants "$question" || continue
		of=${of:-$fact}
		rows[$of]=${rows[$of]:-$(server_sql main "SELECT count(*) FROM $of")}
		if [ "$SECONDS" -lt "${BENCH_UNTIL:-1000000}" ]; then
			suite_question "$name" "$question" "$check" "$sql" "${rows[$of]}"
		else
			csv_note "$name" "$question" - "not reached" "${rows[$of]}" "" "BENCH_UNTIL was over"
		fi
	done 3< <(question_lines "$BENCH_HERE/$name.sql" "$scale")
	session_close suite
	session_close duckdb
	for table in "$@"; do
		server_sql main "DROP TABLE $table"
	done
}
