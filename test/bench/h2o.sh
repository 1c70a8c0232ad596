# h2o.sh
#		The ten group-by questions of the H2O.ai / DuckDB Labs db-benchmark at
#		BENCH_H2O_ROWS rows (h2o_gen.sql, h2o_groupby.sql), each by gpuagg where
#		it takes it, PostgreSQL, and DuckDB over its own columns with the same
#		rows, all threads.  Answers of all engines are compared first by the
#		column sums that the question file names (@check).

h2o_questions() { question_lines "$BENCH_HERE/h2o_groupby.sql"; }

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

# With h2o's table
duckdb_open()
{
	duckdb_start && duckdb_load h2o_g1
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
		answer_check h2o "$question" "$check" "$sql" postgres $gpuagg $duckdb
		measure_query h2o h2o "$question" "$sql" "$rows" "$BENCH_WORK_MEM" $duckdb
	done 3< <(h2o_questions)
	session_close h2o
	session_close duckdb
	server_sql main 'DROP TABLE h2o_g1; CHECKPOINT'
}
