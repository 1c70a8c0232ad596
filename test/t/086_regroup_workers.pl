# Parallel workers that regroup: they and their leader are stopped, they cannot be had, memory is short, and the
# answer is right or the error is the one of any parallel plan.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = new_node('regroup_workers', 'max_worker_processes = 8', 'max_parallel_workers = 4', 'restart_after_crash = on',
	'autovacuum = off');

sub sql { return $node->safe_psql('postgres', $_[0]); }

sql(q{
	CREATE TABLE t AS SELECT i AS id, 'key' || i % 3000 AS s FROM generate_series(1, 30000) i;
	VACUUM (FREEZE, ANALYZE) t;
	CREATE FUNCTION part(s text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM pg_sleep(current_setting('test.pause', true)::float8);
		RETURN left(s, 5);
	END $$;});
my $query = 'SELECT part(s), count(*), sum(id) FROM t GROUP BY 1 ORDER BY 1';
my $stock = sql("SET gpuagg.enable = off; SET test.pause = 0; SET max_parallel_workers_per_gather = 0; $query");
my $with = "SET gpuagg.debug_require = 'require'; SET gpuagg.debug_feeders = 2;";
my $workers = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND query LIKE '%SELECT part(s)%' ORDER BY pid};

sub workers
{
	my ($settings) = @_;
	my $plan = sql("$with SET test.pause = 0; $settings EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $query");

	return $plan =~ /Regroup Workers: (\d+)/ ? $1 : 0;
}

is(workers(''), 2, 'two workers');
is(workers('SET max_parallel_workers = 1;'), 1, 'one, where no more can be had');
is(workers('SET max_parallel_workers = 0;'), 0, 'none: the backend does it');
foreach my $settings ('', 'SET max_parallel_workers = 0;', "SET work_mem = '64kB'; SET hash_mem_multiplier = 1;")
{
	same_answer($node, "SET test.pause = 0; $with $settings $query", "the answer ($settings)");
}

# ---------- they and their leader are stopped ----------

foreach my $way (ways_to_stop('a worker'))
{
	my $name = $way->[0];
	my $psql = start_psql($node, "$with SET test.pause = 0.01; SET application_name = 'leader'; $query;");
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
	same_answer($node, "SET test.pause = 0; $with $query", "$name: the next query is right");
}

# in a transaction that goes on
my ($rc, $out, $err) = $node->psql('postgres', "$with SET test.pause = 0.01;\nBEGIN;\nSAVEPOINT s;\nSET LOCAL statement_timeout = '300ms';\n$query;\nROLLBACK TO s;\nSELECT 'alive', count(*) FROM t;\nCOMMIT;",
	on_error_stop => 0);
like($out, qr/^alive\|30000$/m, 'a transaction goes on behind a savepoint');
like($err, qr/canceling statement due to statement timeout/, 'where time had run out');

# ---------- one is killed, which ends the server as in any parallel plan ----------

my $psql = start_psql($node, "$with SET test.pause = 0.01; $query;");
ok($node->poll_query_until('postgres', "SELECT count(*) = 2 FROM ($workers) x"), 'two workers once more');
my ($pid) = split /\n/, sql($workers);
kill_and_recover($node, $pid);
finish_psql($psql);
isnt($psql->{stderr}, '', 'one is killed: its query has failed');
same_answer($node, "SET test.pause = 0; $with $query", 'and the next one is right');
done_testing();
