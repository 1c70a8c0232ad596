# lookups.sh
#		Look-ups of a join's rows in tables of slots: rows a second by the size of the table, in one pass, in
#		windows of slots, a pass each, and behind a Bloom filter, by kernels/lookup_gpu; and joins as queries,
#		of BENCH_LOOKUP_ROWS rows that are kept, without a filter, with one, and with one where gpuagg wants it.

. "$BENCH_HERE/kernels.sh"

bench_lookups()
{
	bench_need_main			# it knows the device's name, and so the folder's
	csv_open lookups
	csv_heading
	case "${BENCH_CASES:--mib-}" in *-mib-*) lookups_kernels ;; esac
	! bench_wants $(lookups_cases | cut -f 1) || lookups_joins "${BENCH_LOOKUP_ROWS:-40000000}"
}

# ---------------------------------------------------------------- kernels

lookups_kernels()
{
	local mib windows filter share rate engine case
	local -a names=()
	local -A filters=()

	[ "$META_DRIVER" != - ] || { bench_say "   no figures of kernels: there is no GPU"; return 0; }
	kernels_find
	[ -x "$PROGRAMS/lookup_gpu" ] ||
		{ bench_say "   no lookup_gpu: no nvcc where the programs were built"; return 0; }
	"$PROGRAMS/lookup_gpu" "$BENCH_RUNS" ${BENCH_LOOKUPS:-} >"$RUN_DIR/lookups" || die "lookup_gpu failed"
	while IFS=$'\t' read -r mib windows filter share rate; do
		case="$mib-mib-$share"
		engine="windows $windows"
		[ "$windows" != 1 ] || engine=single
		[ "$filter" = 0 ] || engine+=" filter"
		[ -n "${filters[$case/$engine]:-}" ] || names+=("$case/$engine")
		filters[$case/$engine]=$filter
		samples_add "$case/$engine" "$rate"
	done <"$RUN_DIR/lookups"
	for case in "${names[@]}"; do
		engine=${case#*/} case=${case%%/*}
		filter=${filters[$case/$engine]}
		! bench_wants "$case" ||
			csv_row lookups "$case" "$engine" rate rows/s 0 0 "$case/$engine" "$case/single" single \
				"$([ "$filter" = 0 ] || echo "filter of $filter MiB")"
	done
}

# ------------------------------------------------------------------ joins

# Lines: case, which column of the facts finds so many keys
lookups_cases() { printf '%s\t%s\n' join-1 k1 join-0.1 k10 join-0.01 k100; }

# lookups_tables ROWS: facts, and a fifth as many keys.  Of 256 numbers that follow each other one is a key,
# so they are looked up in slots; of the facts all, a tenth and a hundredth have one.
lookups_tables()
{
	server_sql main "SET client_min_messages = error;
		DROP TABLE IF EXISTS bench_facts, bench_keys;
		CREATE TABLE bench_facts (k1 int4, k10 int4, k100 int4, v int4);
		ALTER TABLE bench_facts SET (parallel_workers = $BENCH_MAX_WORKERS);
		CREATE TABLE bench_keys AS
		SELECT (i * 256 + (hashint8extended(i, 1) & 255))::int4 AS k FROM generate_series(0, $1 / 5 - 1) i;
		ALTER TABLE bench_keys ADD PRIMARY KEY (k)" &&
		in_parts "$1" lookups_facts "$(($1 / 5))" &&
		server_sql main "VACUUM (FREEZE, ANALYZE) bench_facts" &&
		server_sql main "VACUUM (FREEZE, ANALYZE) bench_keys" ||
		die "cannot fill bench_facts and bench_keys"
}

# lookups_facts KEYS FROM TO.  A number beside a key is none.
lookups_facts()
{
	server_sql main "INSERT INTO bench_facts
		SELECT cell * 256 + key, cell * 256 + ((key + (i % 10 > 0)::int4) & 255),
			   cell * 256 + ((key + (i % 100 > 0)::int4) & 255), abs(hashint8extended(i, 3) % 1000)
		FROM generate_series($2::int8, $3::int8) i,
			 LATERAL (SELECT abs(hashint8extended(i, 2) % $1) AS cell) c,
			 LATERAL (SELECT hashint8extended(cell, 1) & 255 AS key) k"
}

lookups_sql() { REPLY="SELECT count(*), sum(v) FROM bench_facts JOIN bench_keys ON bench_keys.k = bench_facts.$1"; }

# lookups_session MODE: a session of its own for each, as it goes on using the tables that it has made
lookups_session()
{
	session_psql "lookups-$1" main
	engine_settings gpuagg-warm
	session_do "lookups-$1" "$REPLY SET gpuagg.debug_require = require; SET gpuagg.lookup_memory = '2GB';
		SET gpuagg.debug_filters = $1;"
}

# lookups_answers: does each answer as PostgreSQL does, of some rows?
lookups_answers()
{
	local case column mode expected

	lookups_tables 100000
	while IFS=$'\t' read -r case column <&3; do
		lookups_sql "$column"
		expected=$(server_sql main "SET gpuagg.enable = off; $REPLY")
		for mode in off always auto; do
			lookups_session "$mode"
			lookups_sql "$column"
			session_do "lookups-$mode" "$REPLY;"
			[ "${REPLY%$'\n'}" = "$expected" ] ||
				die "$case, filters $mode: $REPLY instead of $expected"
			session_close "lookups-$mode"
		done
	done 3< <(lookups_cases)
}

# lookups_table MODE QUERY: runs it; REPLY is what the keys became, and what making that took
lookups_table()
{
	session_do "lookups-$1" "EXPLAIN (ANALYZE, VERBOSE) $2;"
	REPLY=$(sed -n 's/^ *Look-up Joins: *//p' <<<"$REPLY")
}

# lookups_join CASE COLUMN ROWS: the modes in turn.  What share is found is known to a session that begins
# after the first run, and so to the table that it makes.
lookups_join()
{
	local mode round sql
	local -A note=()

	lookups_sql "$2"
	sql=$REPLY
	for mode in off always auto; do
		lookups_session "$mode"
		explain_run "lookups-$mode" "$sql"
		kernels_settle "lookups-$mode"
		session_close "lookups-$mode"
		lookups_session "$mode"
		lookups_table "$mode" "$sql"
		note[$mode]=$REPLY
	done
	for ((round = 0; round < BENCH_RUNS; round++)); do
		for mode in off always auto; do
			explain_run "lookups-$mode" "$sql"
			samples_add "$1/$mode" "$EXEC_MS"
		done
	done
	for mode in off always auto; do
		csv_row lookups "$1" "filters $mode" execution ms "$3" 1 "$1/$mode" "$1/off" "filters off" "${note[$mode]}"
		session_close "lookups-$mode"
	done
}

lookups_joins()
{
	local case column

	[ "$HAVE_GPUAGG" != 0 ] || { bench_say "   no joins: the server has no gpuagg"; return 0; }
	lookups_answers
	lookups_tables "$1"
	table_prewarm main bench_facts
	server_sql main "SELECT gpuagg.load('bench_facts'), gpuagg.load('bench_keys')" >/dev/null
	while IFS=$'\t' read -r case column <&3; do
		! bench_wants "$case" || lookups_join "$case" "$column" "$1"
	done 3< <(lookups_cases)
	server_sql main "DROP TABLE bench_facts, bench_keys"
}
