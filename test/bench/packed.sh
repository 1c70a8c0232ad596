# packed.sh
#		Columns packed beside the same columns plain: bytes a row, and the queries of compiled.sh
#		over them.  The table is kept plain, asked, kept packed, asked, and so on by turns.

. "$BENCH_HERE/compiled.sh"

# packed_keep ENGINE: the table's columns are kept as that engine has them.
packed_keep()
{
	local pack=on case sql

	[ "$1" = packed ] || pack=off
	server_sql main "SELECT gpuagg.unload('shapes')" >/dev/null
	server_sql main "ALTER SYSTEM SET gpuagg.pack = $pack"
	server_sql main "SELECT pg_reload_conf()" >/dev/null
	sleep 1					# until the worker has read it
	server_sql main "SET gpuagg.debug_pack = on; SELECT gpuagg.load('shapes')" >/dev/null
	compiled_engine compiled
	session_do compiled "SET gpuagg.debug_pack = on;"
	# the first run measures, for the second to be planned by
	while IFS=$'\t' read -r case sql <&3; do
		! bench_wants "$case" ||
			for _ in 1 2; do explain_run compiled "$sql" ON; done
	done 3< <(compiled_cases)
}

# packed_bytes ENGINE: bytes a row of each column
packed_bytes()
{
	local column bytes

	while IFS='|' read -r column bytes; do
		SAMPLES["$column/$1/bytes"]=$bytes
	done < <(server_sql main "SELECT column_name, bytes / $COMPILED_ROWS.0 FROM gpuagg.cache
		WHERE table_name = 'shapes' AND attnum > 0
		UNION ALL SELECT 'all', sum(bytes) / $COMPILED_ROWS.0 FROM gpuagg.cache
		WHERE table_name = 'shapes' AND attnum > 0")
}

# packed_round ENGINE
packed_round()
{
	local case sql

	packed_keep "$1"
	packed_bytes "$1"
	while IFS=$'\t' read -r case sql <&3; do
		bench_wants "$case" || continue
		for _ in 1 2 3; do
			explain_run compiled "$sql" ON
			case $NODE in
				*"Kernel Time "*)
					NODE=${NODE#*"Kernel Time "}
					samples_add "$case/$1/kernel" "${NODE%%,*}" ;;
			esac
			explain_run compiled "$sql" OFF "$sql"
			samples_add "$case/$1" "$EXEC_MS"
		done
	done 3< <(compiled_cases)
}

packed_rows()
{
	local case sql engine column

	for column in k a b v q price u d f all; do
		for engine in packed plain; do
			csv_row packed "$column" "$engine" bytes bytes/row "$COMPILED_ROWS" 0 \
				"$column/$engine/bytes" "$column/plain/bytes" plain ""
		done
	done
	while IFS=$'\t' read -r case sql <&3; do
		bench_wants "$case" || continue
		for engine in packed plain; do
			csv_row packed "$case" "$engine" execution ms "$COMPILED_ROWS" 0 "$case/$engine" \
				"$case/plain" plain ""
			[ -z "${SAMPLES[$case/$engine/kernel]:-}" ] ||
				csv_row packed "$case" "$engine" kernel ms "$COMPILED_ROWS" 0 \
					"$case/$engine/kernel" "$case/plain/kernel" plain ""
		done
	done 3< <(compiled_cases)
}

bench_packed()
{
	local COMPILED_ROWS=${BENCH_COMPILED_ROWS:-60000000} round engine

	bench_need_main
	[ "$HAVE_GPUAGG" != 0 ] ||
		{ bench_say "   skipped: the server has no gpuagg"; return 0; }
	csv_open packed
	csv_heading
	session_psql compiled main
	compiled_table "$COMPILED_ROWS"
	for ((round = 1; round <= (BENCH_RUNS + 2) / 3; round++)); do
		for engine in plain packed; do
			packed_round "$engine"
		done
	done
	packed_rows
	server_sql main "ALTER SYSTEM RESET gpuagg.pack"
	server_sql main "SELECT pg_reload_conf()" >/dev/null
	server_sql main 'DROP TABLE shapes; CHECKPOINT'
	session_close compiled
}
