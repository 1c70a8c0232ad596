# model.sh
#		How honest the cost model is: random grouping queries over tables of
#		BENCH_MODEL_LEAST to BENCH_MODEL_ROWS rows, predicted and measured, on the device and by
#		PostgreSQL's best plan, and which of the two the planner chose.  The costs are
#		those of a profile that is measured first.
#
# A table of 10^8 rows has fewer columns, which also makes rows of another width.  It
# needs a BENCH_SHARED_BUFFERS of four times its 6 GB, or scans would go by a ring.
# Tables are unlogged, and filled by as many sessions as there are cores.
#
# The file model.csv has columns of its own, a row for each query; a summary goes
# to the terminal.  The profile that was predicted from goes beside it (profile.csv).
# Where all tables are small the file is model-small.csv: choices are hard there.

# Tables of so many rows, each with keys of 1 to 10^7 values
model_sizes()
{
	local rows

	REPLY=
	for ((rows = ${BENCH_MODEL_LEAST:-10000}; rows <= MODEL_ROWS; rows *= ${BENCH_MODEL_STEP:-10})); do
		REPLY+="$rows "
	done
}

model_is_narrow() { [ "$1" -ge "$MODEL_NARROW" ]; }

# model_columns ROWS: names and types
model_columns()
{
	REPLY="g1 int4, g2 int4, g3 int4, g4 int4, g5 int4, g6 int4, g7 int4, t4 text,
		v1 int4, v2 int4, v3 int4, v4 int8, x1 float8, x2 float8"
	! model_is_narrow "$1" ||
		REPLY="g1 int4, g3 int4, g5 int4, g7 int4, v1 int4, v2 int4, x1 float8"
}

# model_values ROWS: of row i, with h and w that hash it
model_values()
{
	REPLY="h % 10, h % 100, h % 1000, h % 10000, h % 100000, h % 1000000, h % 10000000,
			   'key ' || lpad((h % 10000)::text, 6, '0'),
			   w % 1000, (w / 1000) % 100, w % 100000, i, (w % 4096) / 16.0, i::float8"
	! model_is_narrow "$1" ||
		REPLY="h % 10, h % 1000, h % 100000, h % 10000000,
			w % 1000, (w / 1000) % 100, (w % 4096) / 16.0"
}

# model_distinct ROWS: how many values each key has, as ALTER TABLE takes it
model_distinct()
{
	REPLY=$(awk -v rows="$1" -v narrow="$(model_is_narrow "$1" && echo 1)" 'BEGIN {
		n = split("g1 g2 g3 g4 g5 g6 g7 t4", keys)
		for (i = 1; i <= n; i++) {
			if (narrow && keys[i] !~ /g[1357]/)
				continue
			values = 10 ^ substr(keys[i], 2)
			printf "%sALTER %s SET (n_distinct = %d)", sep, keys[i],
				values * (1 - exp(-rows / values)) + 0.5
			sep = ", "
		}
	}')
}

# model_part ROWS FROM TO: rows of one session
model_part()
{
	model_values "$1"
	server_sql main "INSERT INTO model_$1 SELECT $REPLY
		FROM (SELECT i, hashint8extended(i, 7) & 4611686018427387903 AS h,
					 hashint8extended(i, 8) & 4611686018427387903 AS w
			  FROM generate_series($2::int8, $3::int8) i OFFSET 0) r"
}

model_table()
{
	local rows=$1 table=model_$1 part parts=$BENCH_CORES pids=() pid

	[ "$rows" -gt 100000 ] || parts=1
	model_columns "$rows"
	server_sql main "SET client_min_messages = error; DROP TABLE IF EXISTS $table;
		CREATE UNLOGGED TABLE $table ($REPLY)" || die "cannot make $table"
	for ((part = 0; part < parts; part++)); do
		model_part "$rows" $((rows * part / parts + 1)) \
			$((rows * (part + 1) / parts)) &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || die "cannot fill $table"
	done
	# the model is tested, not estimates of groups: of keys, and of keys that depend
	# on each other
	model_distinct "$rows"
	server_sql main "ALTER TABLE $table $REPLY" || die "no numbers of distinct values"
	server_sql main "CREATE STATISTICS ${table}_a (ndistinct) ON g1, g3 FROM $table" ||
		die "no statistics"
	model_is_narrow "$rows" ||
		server_sql main "CREATE STATISTICS ${table}_b (ndistinct) ON g2, g4 FROM $table" ||
		die "no statistics"
	server_sql main "VACUUM (FREEZE, ANALYZE) $table" || die "cannot finish $table"
	table_prewarm main "$table"
}

# The profile in use
model_profile()
{
	device_ask main kind
	(server_env main
		exec "$BENCH_HERE/plots/export" "$REPLY" "${CSV%/*}/profile.csv") ||
		die "cannot export the profile"
}

bench_model()
{
	local rows tables= name=model

	MODEL_ROWS=${BENCH_MODEL_ROWS:-1000000}
	MODEL_NARROW=${BENCH_MODEL_NARROW:-100000000}
	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] || { bench_say "   skipped: needs gpuagg"; return 0; }
	[ "$MODEL_ROWS" -gt 10000 ] || name=model-small
	csv_open $name
	server_sql main "SELECT gpuagg.calibrate()" >/dev/null || die "no profile"
	model_profile
	model_sizes
	for rows in $REPLY; do
		model_table "$rows"
		tables+="$rows "
	done
	# what files grew by the kernel writes out, several GB, with the cores that are measured
	sync
	(server_env main
		csv_metadata
		MODEL_METADATA=$REPLY perl "$BENCH_HERE/model.pl" \
			"${BENCH_MODEL_POINTS:-200}" "${BENCH_MODEL_SEED:-1}" \
			"$BENCH_MAX_WORKERS" "$BENCH_WORK_MEM" \
			"${BENCH_MODEL_SECONDS:-300}" "$MODEL_NARROW" "$CSV" $tables) ||
		die "the model's queries failed"
	for rows in $tables; do
		server_sql main "DROP TABLE model_$rows"
	done
}
