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

# DuckDB from npm, into a folder that git ignores; false where it cannot be had.
duckdb_open()
{
	local dir=${BENCH_DUCKDB:-$BENCH_TOP/build/duckdb} csv=$RUN_DIR/h2o.csv

	command -v node >/dev/null && command -v npm >/dev/null || return 1
	mkdir -p "$dir"
	[ -d "$dir/node_modules/@duckdb/node-api" ] ||
		npm install --prefix "$dir" --no-save --no-audit --no-fund --silent \
			@duckdb/node-api >/dev/null 2>&1 || return 1
	cp "$BENCH_HERE/duckdb.mjs" "$dir/"
	server_psql main -c "\\copy h2o_g1 TO '$csv' (FORMAT csv)" || return 1
	session_open duckdb node "$dir/duckdb.mjs" "$BENCH_CORES"
	session_do duckdb "RUN CREATE TABLE h2o_g1 AS FROM read_csv('$csv',
		header = false, columns = {'id1': 'VARCHAR', 'id2': 'VARCHAR',
		'id3': 'VARCHAR', 'id4': 'INTEGER', 'id5': 'INTEGER', 'id6': 'INTEGER',
		'v1': 'INTEGER', 'v2': 'INTEGER', 'v3': 'DOUBLE'})"
	rm -f "$csv"
	session_do duckdb "RUN SELECT 'DuckDB ' || version()"
	DUCKDB_VERSION=${REPLY%$'\n'}
}

duckdb_time() { session_do duckdb "TIME $1"; REPLY=${REPLY%$'\n'}; }

# The answer's column sums by one engine
h2o_sums()
{
	if [ "$1" = duckdb ]; then
		session_do duckdb "RUN CREATE OR REPLACE TABLE ans AS $3"
		session_do duckdb "RUN SELECT count(*), $2 FROM ans"
		return 0
	fi
	engine_settings "$1"
	session_do h2o "$REPLY CREATE TEMP TABLE ans AS $3;"
	engine_settings postgres
	session_do h2o "$REPLY SELECT count(*), $2 FROM ans; DROP TABLE ans;"
}

# h2o_check QUESTION CHECK SQL ENGINE...: do all engines agree?
h2o_check()
{
	local question=$1 check=$2 sql=$3 engine expected

	h2o_sums postgres "$check" "$sql"
	expected=$REPLY
	shift 3
	for engine in "$@"; do
		h2o_sums "$engine" "$check" "$sql"
		perl -e 'my @a = split /[|\s]+/, $ARGV[0]; my @b = split /[|\s]+/, $ARGV[1];
			exit 1 if @a != @b;
			for (0 .. $#a) { exit 1 if abs($a[$_] - $b[$_]) >
				1e-9 * (abs($a[$_]) + 1e-3) } ' "$expected" "$REPLY" ||
			die "$question: $engine answers $REPLY, PostgreSQL $expected"
	done
}

bench_h2o()
{
	local rows=${BENCH_H2O_ROWS:-10000000} question check sql duckdb= gpuagg

	bench_need_main
	csv_open h2o
	server_psql main -v n="$rows" -v k=100 -f "$BENCH_HERE/h2o_gen.sql" \
		>/dev/null 2>"$RUN_DIR/h2o.log" ||
		die "h2o_gen.sql failed: $(cat "$RUN_DIR/h2o.log")"
	server_sql main "ALTER TABLE h2o_g1 SET (parallel_workers = $BENCH_MAX_WORKERS)"
	table_prewarm main h2o_g1
	session_psql h2o main
	if duckdb_open; then
		duckdb=duckdb
	else
		bench_say "   without DuckDB: node or npm's @duckdb/node-api is not to be had"
	fi
	csv_heading
	while IFS=$'\t' read -r question check sql <&3; do
		bench_wants "$question" || continue
		gpuagg_engine h2o "$sql"
		gpuagg=$REPLY
		h2o_check "$question" "$check" "$sql" $gpuagg $duckdb
		measure_query h2o h2o "$question" "$sql" "$rows" "$BENCH_WORK_MEM" $duckdb
	done 3< <(h2o_questions)
	session_close h2o
	session_close duckdb
	server_sql main 'DROP TABLE h2o_g1; CHECKPOINT'
}
