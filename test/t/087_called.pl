# What only PostgreSQL computes of a kept column's strings: by several clients at once, by ones that are stopped, over
# a worker that dies, of strings that rows are too old to have, under settings and policies that differ.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = new_node('called', 'max_worker_processes = 10', 'max_parallel_workers = 6', 'autovacuum = off', 'restart_after_crash = on');
my $with = "SET gpuagg.debug_require = 'require'; SET cpu_operator_cost = 100; SET cpu_tuple_cost = 10;";

sub sql { return $node->safe_psql('postgres', $_[0]); }

sub keep
{
	my ($table) = @_;

	sql("SELECT gpuagg.load('$table')");
	ok($node->poll_query_until('postgres', "SELECT count(*) > 0 FROM gpuagg.cache WHERE relation = '$table'::regclass"), "$table is kept");
}

# how many expressions are computed by string, and of how many strings one run computes
sub called
{
	my ($query, $settings) = @_;
	my $plan = sql("$with " . ($settings // '') . " EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $query");

	return ($plan =~ /Computed by String/ ? 1 : 0) . ' ' . ($plan =~ /Strings Computed: (\d+)/ ? $1 : 0);
}

sql(q{
	CREATE TABLE t AS SELECT i AS id, 'key ' || i % 2000 AS s, (i % 100)::text AS d FROM generate_series(1, 40000) i;
	VACUUM (FREEZE, ANALYZE) t;});
keep('t');
is(called("SELECT upper(s), count(*) FROM t GROUP BY 1 ORDER BY 1"), '1 2000', 'computed once');
is(called("SELECT upper(s), count(*) FROM t GROUP BY 1 ORDER BY 1"), '1 0', 'and kept');

# ---------- several clients at once; they, and the worker, are stopped ----------

# a hash of so long a text takes so long
sub slow { return "SELECT left(md5(repeat(s, 20000) || '$_[0]'), 1) AS k, count(*), sum(id) FROM t GROUP BY 1 ORDER BY 1"; }

my $stock = sql('SET gpuagg.enable = off; ' . slow('several'));
my @clients = map { start_psql($node, "$with SET gpuagg.debug_feeders = $_; " . slow('several') . ';') } (0, 0, 1, 2);
foreach my $psql (@clients)
{
	finish_psql($psql);
	is($psql->{stdout} =~ s/\n\z//r, $stock, 'clients that compute at once answer alike');
}
no_tasks($node);

foreach my $way (ways_to_stop('a client'))
{
	my $name = $way->[0];
	my $workers = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND query LIKE '%md5(repeat%'};
	my $psql = start_psql($node, "$with SET gpuagg.debug_feeders = 2; SET application_name = 'leader'; " . slow($name) . ';');
	my @pids;

	for (1 .. 500)
	{
		@pids = split /\n/, sql("(SELECT pid FROM pg_stat_activity WHERE application_name = 'leader' AND backend_type = 'client backend') UNION ALL ($workers)");
		last if @pids == 3;
		sleep 0.02;
	}
	is(scalar @pids, 3, "$name: two workers are at it");
	stop_query($node, $psql, $way, $name, @pids);
	ok($node->poll_query_until('postgres', "SELECT NOT EXISTS ($workers)"), "$name: no worker is left");
	same_answer($node, "$with " . slow($name), "$name: the next query is right");
}
no_tasks($node);

my $psql = start_psql($node, "SET cpu_operator_cost = 100; SET cpu_tuple_cost = 10; " . slow('several') . ' ;' . slow('the worker dies') . ';');
sleep 0.7;
kill 'KILL', worker_pid($node);
finish_psql($psql);
like($psql->{stdout} . $psql->{stderr}, qr/^0\|\d+\|\d+$|terminat|crash/m, 'the worker dies: an answer, or the error of a crash');
$node->poll_query_until('postgres', 'SELECT 1', 1);
wait_ready($node);
keep('t');
same_answer($node, "$with " . slow('the worker dies'), 'and the next query is right');

# ---------- rows that are older than the column ----------

sql(q{ALTER TABLE t ADD c text DEFAULT 'as it was'; UPDATE t SET c = 'new ' || id WHERE id % 50 = 0; VACUUM (FREEZE, ANALYZE) t;});
keep('t');
same_answer($node, "$with SELECT upper(c), count(*) FROM t GROUP BY 1 ORDER BY 1", 'a default that no row has');
foreach my $round (1 .. 4)
{
	sql("UPDATE t SET c = 'round $round ' || id WHERE id % 97 = $round; DELETE FROM t WHERE id % 101 = $round;");
	same_answer($node, "$with SELECT upper(c), count(*), sum(id) FROM t GROUP BY 1 ORDER BY 1", "strings that pages bring ($round)");
	same_answer($node, "$with SELECT c, count(*), sum(id) FROM t GROUP BY 1 ORDER BY 1", 'and no row has lost its own');
}

# ---------- settings, catalogues, policies ----------

foreach my $expr ('d::float8 / 3 || s', '(d::float8 / 3)::text', 'quote_ident(s)', "convert_to(s, 'UTF8')::text", 'd::bytea::text')
{
	foreach my $settings ('', 'SET extra_float_digits = -10; SET quote_all_identifiers = on; SET bytea_output = escape;')
	{
		same_answer($node, "$with SET gpuagg.debug_require = prefer; $settings SELECT $expr AS k, count(*) FROM t GROUP BY 1 ORDER BY 1", "$expr ($settings)");
	}
}
sql('CREATE TEXT SEARCH CONFIGURATION own (COPY = pg_catalog.english)');
my $search = "SELECT count(*) FROM t WHERE to_tsvector('own', s) @@ 'key'::tsquery";
is(sql($search), sql("SELECT count(*) FROM t WHERE s LIKE 'key%'"), 'a search');
sql('ALTER TEXT SEARCH CONFIGURATION own DROP MAPPING FOR asciiword');
is(sql("$with SET gpuagg.debug_require = prefer; $search"), '0', 'whose dictionary has changed');
sql(q{CREATE ROLE tenant; GRANT SELECT ON t TO tenant; ALTER TABLE t ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own_rows ON t USING (id < 10);});
my $hidden = sql("$with SET ROLE tenant; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) SELECT reverse(s), count(*) FROM t GROUP BY 1 ORDER BY 1");
unlike($hidden, qr/Strings Computed/, 'of how many strings it is computed tells nobody of rows that are hidden');
same_answer($node, "$with SET gpuagg.debug_require = prefer; SET ROLE tenant; SELECT reverse(s), count(*) FROM t GROUP BY 1 ORDER BY 1", 'of which there are none');
no_tasks($node);
done_testing();
