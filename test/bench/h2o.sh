# h2o.sh
#		The ten group-by questions of the H2O.ai / DuckDB Labs db-benchmark at
#		BENCH_H2O_ROWS rows (h2o_gen.sql, h2o_groupby.sql), each by gpuagg where
#		it takes it, PostgreSQL, and DuckDB over its own columns with the same
#		rows, all threads.  Answers of all engines are compared first by the
#		column sums that the question file names (@check).

# Lines: question, its @check, its SQL, separated by tabs.
h2o_questions()
{
	awk '/^-- @id/ { id = $3; sub("h2o.", "", id); sql = "" }
		/@check/ { check = $0; sub(/.*@check +/, "", check) }
		!/^--/ && NF { sql = sql (sql == "" ? "" : " ") $0
			if (sub(/;[ \t]*$/, "", sql)) print id "\t" check "\t" sql }' \
		"$BENCH_HERE/h2o_groupby.sql"
}

# h2o_part ROWS FROM TO: these of the rows, into the table that is there
h2o_part()
{
	server_psql main -v n="$1" -v k=100 -v from="$2" -v to="$3" \
		-f "$BENCH_HERE/h2o_gen.sql" >/dev/null 2>"$RUN_DIR/h2o.$2.log"
}

# h2o_table ROWS: makes h2o_g1, as many sessions as there are cores each their
# part of it: the rows are those of one session, the order of pages is not.
h2o_table()
{
	local rows=$1 part pids=() pid failed= hidden

	server_sql main "SET client_min_messages = error; DROP TABLE IF EXISTS h2o_g1"
	h2o_part "$rows" 1 0 || failed=1
	for ((part = 0; part < BENCH_CORES; part++)); do
		h2o_part "$rows" $((rows * part / BENCH_CORES + 1)) \
			$((rows * (part + 1) / BENCH_CORES)) &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || failed=1
	done
	[ -z "$failed" ] || die "h2o_gen.sql failed: $(cat "$RUN_DIR"/h2o.*.log)"
	server_sql main "VACUUM (FREEZE, ANALYZE) h2o_g1" &&
		server_sql main "ALTER TABLE h2o_g1 SET (parallel_workers = $BENCH_MAX_WORKERS)" ||
		die "cannot finish table h2o_g1"
	hidden=$(server_sql main "SELECT relpages - relallvisible FROM pg_class
		WHERE oid = 'h2o_g1'::regclass")
	[ "$hidden" = 0 ] || bench_say "   h2o_g1: $hidden pages are not all-visible"
	table_prewarm main h2o_g1
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

# duckdb_load TABLE COLUMNS: the same rows; COLUMNS as read_csv has them
duckdb_load()
{
	local csv=$RUN_DIR/$1.csv

	server_psql main -c "\\copy $1 TO '$csv' (FORMAT csv)" || return 1
	session_do duckdb "RUN CREATE TABLE $1 AS FROM read_csv('$csv',
		header = false, columns = {$2})"
	rm -f "$csv"
}

duckdb_load_h2o()
{
	duckdb_load h2o_g1 "'id1': 'VARCHAR', 'id2': 'VARCHAR',
		'id3': 'VARCHAR', 'id4': 'INTEGER', 'id5': 'INTEGER', 'id6': 'INTEGER',
		'v1': 'INTEGER', 'v2': 'INTEGER', 'v3': 'DOUBLE'"
}

# With h2o's table
duckdb_open()
{
	duckdb_start && duckdb_load_h2o
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

# The answer's column sums by one engine
h2o_sums()
{
	if [ "$1" = duckdb ]; then
		session_do duckdb "RUN CREATE OR REPLACE TABLE ans AS $3"
		session_do duckdb "RUN SELECT count(*), $2 FROM ans"
		return 0
	fi
	engine_settings "$1"
	# "prefer", as the aggregate over the answer must be PostgreSQL's
	session_do h2o "${REPLY/require = require/require = prefer}
		SELECT count(*), $2 FROM ($3) ans;"
}

# h2o_check QUESTION CHECK SQL ENGINE...: do all engines agree with the first?
h2o_check()
{
	local question=$1 check=$2 sql=$3 first=$4 engine expected

	h2o_sums "$first" "$check" "$sql"
	expected=$REPLY
	shift 4
	for engine in "$@"; do
		h2o_sums "$engine" "$check" "$sql"
		perl -e 'my @a = split /[|\s]+/, $ARGV[0]; my @b = split /[|\s]+/, $ARGV[1];
			exit 1 if @a != @b;
			for (0 .. $#a) { exit 1 if abs($a[$_] - $b[$_]) >
				1e-9 * (abs($a[$_]) + 1e-3) } ' "$expected" "$REPLY" ||
			die "$question: $engine answers $REPLY, $first $expected"
	done
}

bench_h2o()
{
	local rows=${BENCH_H2O_ROWS:-10000000} question check sql duckdb= gpuagg

	bench_need_main
	csv_open h2o
	h2o_table "$rows"
	session_psql h2o main
	if duckdb_open; then
		duckdb=duckdb
	else
		bench_say "   without DuckDB"
	fi
	csv_heading
	while IFS=$'\t' read -r question check sql <&3; do
		bench_wants "$question" || continue
		gpuagg_engine h2o "$sql"
		gpuagg=$REPLY
		h2o_check "$question" "$check" "$sql" postgres $gpuagg $duckdb
		measure_query h2o h2o "$question" "$sql" "$rows" "$BENCH_WORK_MEM" $duckdb
	done 3< <(h2o_questions)
	session_close h2o
	session_close duckdb
	server_sql main 'DROP TABLE h2o_g1; CHECKPOINT'
}
