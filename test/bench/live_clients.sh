# live_clients.sh
#		Dashboards beside writers, and writers beside dashboards, on the table of live.sh.
#
#		clients-RATE		1, 4 and 64 dashboards at rest, and while RATE rows a second are updated
#							and as many inserted; autovacuum leaves the table alone
#		clients-RATE-auto	the same with PostgreSQL's default autovacuum
#		aging-RATE			one dashboard, after BENCH_LIVE_AGES seconds of such writes, without a VACUUM
#		aging-RATE-auto		the same with PostgreSQL's default autovacuum
#		writers-simple		pgbench -N on its own tables, alone and beside four dashboards
#		writers-same		updates and inserts of the dashboards' table, as fast as they go
#
# Dashboards ask without a pause, prepared, a mix of the shapes.  Under change they are measured
# when BENCH_LIVE_LEAD seconds of it are over, during which they ask, too.
#
# Sourced by live.sh, of whose table and shapes it lives.

# live_scripts: a file for each shape and for each kind of writer
live_scripts()
{
	local shape check sql

	while IFS=$'\t' read -r shape check sql; do
		printf '%s;\n' "$sql" >"$RUN_DIR/live-$shape.sql"
	done < <(live_shapes)
	cat >"$RUN_DIR/live-update.sql" <<-SQL
		\\set id random(1, $LIVE_ROWS)
		UPDATE bench_live SET amount = amount + 1 WHERE id = :id;
	SQL
	cat >"$RUN_DIR/live-insert.sql" <<-SQL
		\\set n random(0, 22499999)
		INSERT INTO bench_live (placed, due, region, item, customer, quantity, amount)
		VALUES (now(), date '2023-01-01' + :n / 25000, :n % 20, 'item ' || lpad((:n % 250)::text, 3, '0'),
			:n % 100000, :n % 10, 10000 + :n % 9000000 / 100.0);
	SQL
}

# live_pgbench ENGINE OPTION ...: one run; what each transaction took is in $RUN_DIR/live.log*
live_pgbench()
{
	local out

	live_settings "$1"
	settings_options "$REPLY"
	shift
	rm -f "$RUN_DIR"/live.log*
	out=$(server_env main
		PGOPTIONS=$REPLY pgbench -n -M prepared --log --log-prefix="$RUN_DIR/live.log" "$@" 2>&1) &&
		[[ $out != *aborted* ]] || die "pgbench failed: $out"
}

# live_mix: REPLY is the shapes' scripts with their weights, as options of pgbench
live_mix()
{
	local part

	REPLY=
	for part in $LIVE_MIX; do
		REPLY+=" -f $RUN_DIR/live-${part%@*}.sql@${part##*@}"
	done
}

# live_dashboards ENGINE CLIENTS LEAD KEY: samples of the queries that run in the seconds behind
# LEAD: KEY/tps, and of each shape KEY/SHAPE-median and KEY/SHAPE-p95.  Of a query that runs only
# partly in these seconds that part counts, or slow ones would be too few.
live_dashboards()
{
	local from name value

	live_mix
	from=$(date +%s.%N)
	live_pgbench "$1" $REPLY -c "$2" -j "$(($2 < BENCH_CORES ? $2 : BENCH_CORES))" -T "$(($3 + LIVE_SECONDS))"
	while read -r name value; do
		samples_add "$4/$name" "$value"
	done < <(cat "$RUN_DIR"/live.log* | perl -lane '
		BEGIN { ($from, $seconds, @shape) = splice @ARGV; s/@.*// for @shape }
		my ($end, $took) = ($F[4] + $F[5] / 1e6 - $from, $F[2] / 1e6);
		my ($first, $last) = ($end - $took, $end);
		$first = 0 if $first < 0;
		$last = $seconds if $last > $seconds;
		next if $first >= $last;
		$n += ($last - $first) / $took;
		push @{ $took{ $shape[$F[3]] } }, $took * 1000;
		END {
			printf "tps %.3f\n", $n / $seconds;
			foreach my $shape (sort keys %took)
			{
				my @t = sort { $a <=> $b } @{ $took{$shape} };
				printf "%s-median %.3f\n%s-p95 %.3f\n", $shape, $t[@t / 2], $shape, $t[@t * 0.95];
			}
		}' "$(awk "BEGIN { printf \"%.6f\", $from + $3 }")" "$LIVE_SECONDS" $LIVE_MIX)
}

# live_write DELAY SECONDS OPTION ...: pgbench's writers in the background, whose process is WRITERS
live_write()
{
	local threads=$((BENCH_CORES < LIVE_WRITERS ? BENCH_CORES : LIVE_WRITERS))

	(
		server_env main
		sleep "$1"
		shift
		exec pgbench -n -M prepared -c "$LIVE_WRITERS" -j "$threads" -T "$@"
	) >"$RUN_DIR/live-writers" 2>&1 &
	WRITERS=$!
}

# live_write_end: REPLY is how many transactions a second they had
live_write_end()
{
	wait "$WRITERS" || die "the writers failed: $(cat "$RUN_DIR/live-writers")"
	REPLY=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$RUN_DIR/live-writers")
	[ -n "$REPLY" ] || die "the writers failed: $(cat "$RUN_DIR/live-writers")"
}

# live_autovacuum on|off: of the table; a private server's runs only while it is wanted
live_autovacuum()
{
	server_sql main "ALTER TABLE bench_live SET (autovacuum_enabled = $1)"
	[ -n "$BENCH_GIVEN_HOST" ] ||
		server_psql main -c "ALTER SYSTEM SET autovacuum = $1" -c "SELECT pg_reload_conf()" >/dev/null
}

# live_again: without the rows that were inserted, vacuumed, all columns on the device
live_again()
{
	local shape check sql

	server_sql main "DELETE FROM bench_live WHERE id > $LIVE_ROWS"
	session_psql live main
	while IFS=$'\t' read -r shape check sql <&4; do
		live_rest "$sql"
	done 4< <(live_shapes)
	session_close live
}

# live_beside CASE RATE CLIENTS
live_beside()
{
	local case=$1 rate=$2 clients=$3 key=$1/$3 seconds engines=gpuagg-warm engine

	# as many sorts of PostgreSQL's at once would be a test of memory
	[ "$clients" -gt 16 ] || ! bench_measures "$LIVE_PARALLEL" || engines+=" $LIVE_PARALLEL"
	live_again
	live_dashboards gpuagg-warm "$clients" 1 "$key/rest"
	seconds=$((LIVE_LEAD + LIVE_SECONDS * $(wc -w <<<"$engines") + 3))
	stat_fallbacks
	LIVE_NOTE=$REPLY
	live_write 0 "$seconds" -R $((2 * rate)) -f "$RUN_DIR/live-update.sql" -f "$RUN_DIR/live-insert.sql"
	live_dashboards gpuagg-warm "$clients" "$LIVE_LEAD" "$key/gpuagg-warm"
	stat_fallbacks
	LIVE_NOTE="$((REPLY - LIVE_NOTE)) fallbacks"
	[ "$engines" = gpuagg-warm ] || live_dashboards "$LIVE_PARALLEL" "$clients" 1 "$key/$LIVE_PARALLEL"
	live_write_end
	samples_add "$key/written" "$REPLY"
	for engine in rest $engines; do
		live_beside_rows "$case" "$clients" "$engine"
	done
	csv_row live "$case" writers "written-$clients" tps "$LIVE_ROWS" 0 "$key/written" "" "" \
		"$((2 * rate)) a second are wanted, of $LIVE_WRITERS clients"
}

# live_beside_rows CASE CLIENTS ENGINE: engine rest is gpuagg's before the change
live_beside_rows()
{
	local key=$1/$2 engine=$3 what before= note=

	[ "$engine" != rest ] || { engine=gpuagg-warm; before=rest-; }
	[ "$3" != gpuagg-warm ] || note=$LIVE_NOTE
	for what in tps q{1,2,3,4}-{median,p95}; do
		csv_row live "$1" "$engine" "$before$what-$2" "$([ $what = tps ] && echo tps || echo ms)" "$LIVE_ROWS" 0 \
			"$key/$3/$what" "$key/rest/$what" rest "$note"
		note=
	done
}

# live_rate CASE RATE on|off
live_rate()
{
	local clients

	bench_wants "$1" || return 0
	live_table
	live_autovacuum "$3"
	for clients in ${BENCH_LIVE_CLIENTS:-1 4 64}; do
		live_beside "$1" "$2" "$clients"
	done
	live_autovacuum off
}

# live_foreseen KEY: what queries took beside the writers, and the node was predicted to; per shape
# KEY/SHAPE-took and KEY/SHAPE-predicted
live_foreseen()
{
	local shape check sql round

	session_psql live main
	live_do gpuagg-warm
	while IFS=$'\t' read -r shape check sql <&4; do
		[[ " $LIVE_MIX" == *" $shape@"* ]] || continue
		for ((round = 1; round <= 5; round++)); do
			sleep "0.$((RANDOM % 9))"
			explain_run live "$sql"
			samples_add "$1/$shape-took" "$EXEC_MS"
			samples_add "$1/$shape-predicted" "$PREDICTED_NODE_MS"
		done
	done 4< <(live_shapes)
	session_close live
}

# live_aging CASE RATE on|off: one dashboard, again and again, while the same writers go on
live_aging()
{
	local case=$1 ages=${BENCH_LIVE_AGES:-10 60} age passed=0 what arranged vacuums

	bench_wants "$case" || return 0
	live_table
	live_autovacuum "$3"
	live_again
	live_dashboards gpuagg-warm 1 1 "$case/rest"
	age=${ages##* }
	arranged=$(server_sql main "SELECT value FROM gpuagg.stat WHERE name = 'extents_arranged'")
	live_write 0 "$((age + LIVE_SECONDS + 15))" -R $((2 * $2)) -f "$RUN_DIR/live-update.sql" -f "$RUN_DIR/live-insert.sql"
	for age in $ages; do
		live_dashboards gpuagg-warm 1 "$((age - passed))" "$case/$age"
		passed=$((age + LIVE_SECONDS))
	done
	live_foreseen "$case/foreseen"
	live_write_end
	arranged=$(($(server_sql main "SELECT value FROM gpuagg.stat WHERE name = 'extents_arranged'") - arranged))
	vacuums=$(server_sql main "SELECT autovacuum_count FROM pg_stat_all_tables WHERE relname = 'bench_live'")
	live_autovacuum off
	for age in rest $ages; do
		for what in tps q{1,2,3,4}-{median,p95}; do
			csv_row live "$case" gpuagg-warm "$what-$age" "$([ $what = tps ] && echo tps || echo ms)" "$LIVE_ROWS" 0 \
				"$case/$age/$what" "$case/rest/$what" rest "vacuumed $vacuums times; $arranged extents laid in order"
		done
	done
	for what in q{1,2,3,4}; do
		csv_row live "$case" gpuagg-warm "$what-predicted" ms "$LIVE_ROWS" 0 "$case/foreseen/$what-predicted" \
			"$case/foreseen/$what-took" took "of a query that comes after up to 0.8 s without any"
		csv_row live "$case" gpuagg-warm "$what-took" ms "$LIVE_ROWS" 0 "$case/foreseen/$what-took" "" "" ""
	done
}

# live_writers_round CASE ENGINE OPTION ...: a round of writers beside four dashboards of that engine,
# which begin before them and end after them
live_writers_round()
{
	local case=$1 engine=$2

	shift 2
	live_again
	if [ "$engine" = alone ]; then
		live_write 0 "$LIVE_SECONDS" "$@"
	else
		live_write 0.5 "$LIVE_SECONDS" "$@"
		live_dashboards "$engine" 4 1 "$case/$engine/asked"
	fi
	live_write_end
	samples_add "$case/$engine" "$REPLY"
}

# live_writers CASE OPTION ...
live_writers()
{
	local case=$1 engine round engines="alone gpuagg-warm"

	bench_wants "$case" || return 0
	! bench_measures "$LIVE_PARALLEL" || engines+=" $LIVE_PARALLEL"
	for ((round = 1; round <= (BENCH_RUNS < 3 ? BENCH_RUNS : 3); round++)); do
		for engine in $engines; do
			live_writers_round "$case" "$engine" "${@:2}"
		done
	done
	for engine in $engines; do
		csv_row live "$case" "$engine" written tps "$LIVE_ROWS" 0 "$case/$engine" "$case/alone" alone \
			"$LIVE_WRITERS clients that write as fast as they can"
		csv_row live "$case" "$engine" asked tps "$LIVE_ROWS" 0 "$case/$engine/asked/tps" "" "" \
			"queries of four dashboards meanwhile"
	done
}

# pgbench's own tables may be somebody's on a server that is given
live_writers_simple()
{
	bench_wants writers-simple || return 0
	[ -z "$BENCH_GIVEN_HOST" ] || { bench_say "   writers-simple: skipped, pgbench would drop tables"; return 0; }
	(server_env main; exec pgbench -i -q -s "${BENCH_LIVE_SCALE:-10}") >"$RUN_DIR/live-writers" 2>&1 ||
		die "pgbench failed: $(cat "$RUN_DIR/live-writers")"
	live_writers writers-simple -b simple-update
	server_sql main "DROP TABLE pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers"
}

live_clients()
{
	local rate

	LIVE_SECONDS=${BENCH_LIVE_SECONDS:-15}
	LIVE_LEAD=${BENCH_LIVE_LEAD:-$LIVE_SECONDS}
	LIVE_MIX=${BENCH_LIVE_MIX:-q1@6 q2@3 q3@1}
	LIVE_WRITERS=${BENCH_LIVE_WRITERS:-8}
	live_scripts
	for rate in ${BENCH_LIVE_RATES:-200 2000 20000}; do
		live_rate "clients-$rate" "$rate" off
		live_rate "clients-$rate-auto" "$rate" on
		live_aging "aging-$rate" "$rate" off
		live_aging "aging-$rate-auto" "$rate" on
	done
	bench_wants writers-simple writers-same || return 0
	live_table
	live_writers_simple
	live_writers writers-same -f "$RUN_DIR/live-update.sql" -f "$RUN_DIR/live-insert.sql"
}
