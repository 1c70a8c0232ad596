# sample.sh
#		TABLESAMPLE over h2o's table: groupings of BERNOULLI and SYSTEM samples
#		and a scan that returns rows, beside PostgreSQL, which samples in one
#		process, and DuckDB.  gpuagg's rows must be PostgreSQL's; DuckDB draws
#		another sample.  Then what SYSTEM costs beyond the pages it reads, and
#		whether a plan that cost chose was ever slower than PostgreSQL's.

. "$BENCH_HERE/h2o.sh"		# the table, DuckDB

# Each TABLESAMPLE has the same seed; all but scan-where are groupings.
SAMPLE_SEED='REPEATABLE (42)'
SAMPLE_GROUPS='SELECT id4, count(*), avg(v3) FROM h2o_g1'

# Lines: case, SQL, separated by a tab.
sample_cases()
{
	local case

	for case in "bernoulli-id4 BERNOULLI 1" "bernoulli-10 BERNOULLI 10" \
		"bernoulli-0.001 BERNOULLI 0.001" "system-1 SYSTEM 1" \
		"system-10 SYSTEM 10" "system-0.01 SYSTEM 0.01"; do
		set -- $case
		printf '%s\t%s\n' "$1" \
			"$SAMPLE_GROUPS TABLESAMPLE $2 ($3) $SAMPLE_SEED GROUP BY id4"
	done
	# one row in 750 of the sample passes
	printf '%s\t%s %s\n' scan-where \
		"SELECT id6, v3 FROM h2o_g1 TABLESAMPLE BERNOULLI (10) $SAMPLE_SEED" \
		"WHERE v1 = 3 AND v2 = 7 AND id4 <= 10"
}

# sample_rows ENGINE SQL: REPLY is the answer, sorted
sample_rows()
{
	engine_settings "$1"
	# "prefer", as the sort above the answer must be PostgreSQL's
	session_do h2o "${REPLY/require = require/require = prefer}
		SELECT * FROM ($2) ans ORDER BY 1, 2;"
}

# sample_check CASE SQL: are gpuagg's rows PostgreSQL's, one by one?  An average
# is a sum of floats, whose last digits depend on the order.
sample_check()
{
	local expected

	sample_rows postgres "$2"
	expected=$REPLY
	sample_rows gpuagg-forced "$2"
	perl -e 'my @cells;
		push @cells, [map { split /[|]/ } split /\n/] for @ARGV;
		my ($a, $b) = @cells;
		exit 1 if @$a != @$b;
		for (0 .. $#$a)
		{
			next if $a->[$_] eq $b->[$_];
			exit 1 unless $a->[$_] =~ /[.e]/ &&
				abs($a->[$_] - $b->[$_]) <= 1e-9 * abs($a->[$_]);
		}' "$expected" "$REPLY" ||
		die "$1: gpuagg's rows are not PostgreSQL's"
}

# sample_speed CASE ENGINE: its ratio to PostgreSQL's plan, for never-slower
sample_speed()
{
	local stats

	if [ "$2" != gpuagg ]; then
		SAMPLE_LEFT+="${SAMPLE_LEFT:+, }$1"
		return 0
	fi
	stats=$(perl "$BENCH_HERE/stats.pl" ms "${SAMPLES[$1/gpuagg]}" \
		"${SAMPLES[$1/postgres]}") || die "no statistics for $1"
	samples_add never-slower "$(cut -d, -f5 <<<"$stats")"
	SAMPLE_TAKEN+="${SAMPLE_TAKEN:+, }$1"
}

# sample_case CASE SQL
sample_case()
{
	local engine

	gpuagg_engine h2o "$2"
	engine=$REPLY
	[ -z "$engine" ] || sample_check "$1" "$2"
	measure_query h2o sample "$1" "$2" "$SAMPLE_ROWS" "$BENCH_WORK_MEM" $SAMPLE_DUCKDB
	sample_speed "$1" "$engine"
}

# Milliseconds of SYSTEM (1) that neither an empty task's round trip nor its
# pages explain, these at the rate of the same query over the whole table: of
# its page feed alone, and of all of it.
sample_overhead_round()
{
	local query=$1 round=$2 whole="$SAMPLE_GROUPS GROUP BY id4" system pages trip
	local feed scan

	session_do h2o "SELECT gpuagg.ping(100);"
	trip=$(perl -e 'printf "%.4g", $ARGV[0] / 1000' "${REPLY%$'\n'}")
	explain_run h2o "$query"
	system=$EXEC_MS pages=$PAGES
	explain_run h2o "$whole" ON
	feed=$(perl -e 'printf "%.4g", $ARGV[0] * 1e6 / $ARGV[1]' "$FEED_MS" "$PAGES")
	explain_run h2o "$whole"
	scan=$(perl -e 'printf "%.4g", $ARGV[0] * 1e6 / $ARGV[1]' "$EXEC_MS" "$PAGES")
	[ "$round" -gt 0 ] || return 0
	samples_add overhead/execution "$system"
	samples_add overhead/trip "$trip"
	samples_add overhead/pages "$pages"
	samples_add overhead/feed "$feed"
	samples_add overhead/scan "$scan"
	samples_add overhead/beyond-feed "$(sample_rest "$system" "$trip" "$pages" "$feed")"
	samples_add overhead/beyond-scan "$(sample_rest "$system" "$trip" "$pages" "$scan")"
}

# sample_rest MS ROUND_TRIP_MS PAGES NS_A_PAGE
sample_rest()
{
	perl -e 'my ($ms, $trip, $pages, $ns) = @ARGV;
		printf "%.4g", $ms - $trip - $pages * $ns / 1e6' "$@"
}

sample_overhead()
{
	local case=system-1-overhead round name metric unit note
	local query="$SAMPLE_GROUPS TABLESAMPLE SYSTEM (1) $SAMPLE_SEED GROUP BY id4"

	gpuagg_engine h2o "$query"
	if [ -z "$REPLY" ]; then
		csv_note sample $case gpuagg "not taken" "$SAMPLE_ROWS" "" "$WHY"
		return 0
	fi
	# also where cost left it to PostgreSQL: both queries by the same device
	engine_settings gpuagg-forced
	session_do h2o "$REPLY"
	for ((round = 0; round <= BENCH_RUNS; round++)); do
		sample_overhead_round "$query" $round
	done
	while IFS='|' read -r name metric unit note; do
		csv_row sample $case gpuagg-forced "$metric" "$unit" "$SAMPLE_ROWS" "" \
			"overhead/$name" "" "" "$note"
	done <<-'ROWS'
		execution|execution|ms|
		trip|round trip|ms|median of 100 empty tasks
		pages|pages|pages|that the sample reads
		feed|feed|ns/page|the whole table grouped: the node's Feed Time a page
		scan|whole|ns/page|the whole table grouped: execution a page
		beyond-feed|beyond feed|ms|execution less round trip and pages at the feed's rate; goal: at most 2 ms
		beyond-scan|beyond whole|ms|execution less round trip and pages at the whole's rate
	ROWS
}

# Cases that cost gave to gpuagg: "min" is the worst one's ratio.
sample_never_slower()
{
	csv_row sample never-slower gpuagg ratio x "$SAMPLE_ROWS" "" never-slower "" "" \
		"ratios to postgres of $SAMPLE_TAKEN${SAMPLE_LEFT:+; left to PostgreSQL: $SAMPLE_LEFT}"
}

bench_sample()
{
	local case sql
	local SAMPLE_ROWS=${BENCH_H2O_ROWS:-10000000} SAMPLE_DUCKDB= SAMPLE_TAKEN= SAMPLE_LEFT=

	bench_need_main
	csv_open sample
	h2o_table "$SAMPLE_ROWS"
	session_psql h2o main
	if duckdb_open; then
		SAMPLE_DUCKDB=duckdb
	else
		bench_say "   without DuckDB"
	fi
	csv_heading
	while IFS=$'\t' read -r case sql <&3; do
		! bench_wants "$case" || sample_case "$case" "$sql"
	done 3< <(sample_cases)
	! bench_wants system-1-overhead || sample_overhead
	! bench_wants never-slower || sample_never_slower
	session_close h2o
	session_close duckdb
	server_sql main 'DROP TABLE h2o_g1; CHECKPOINT'
}
