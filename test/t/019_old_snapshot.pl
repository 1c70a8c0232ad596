# old_snapshot_threshold: VACUUM may remove rows that a snapshot sees.  Who then
# reads a page that was changed since gets an error, on the device as in
# PostgreSQL's plan; nobody gets a wrong answer.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'this PostgreSQL has no old_snapshot_threshold'
  unless `postgres --describe-config` =~ /^old_snapshot_threshold\t/m;
my $node = new_node('old', 'shared_buffers = 64MB', 'autovacuum = off', 'jit = off',
	'old_snapshot_threshold = 0');
$node->safe_psql(
	'postgres', q{
	-- all rows in their order, or the error's class
	CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		r record;
		answer text := '';
	BEGIN
		FOR r IN EXECUTE query LOOP
			answer := answer || r::text;
		END LOOP;
		RETURN answer;
	EXCEPTION WHEN OTHERS THEN
		RETURN 'error ' || SQLSTATE;
	END $$;
	CREATE TABLE t WITH (fillfactor = 50) AS SELECT i AS id, i % 10 AS g, i AS v FROM generate_series(1, 20000) i;
	CREATE TABLE calm AS SELECT * FROM t;
	CREATE INDEX ON t (id);});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE)');

my $group = 'SELECT g, count(*), sum(v), min(id) FROM %s GROUP BY g ORDER BY g';
my $sample = 'SELECT ctid, id, v FROM %s TABLESAMPLE SYSTEM (50) REPEATABLE (3)';
my $bernoulli = 'SELECT count(*), sum(v) FROM %s TABLESAMPLE BERNOULLI (40) REPEATABLE (3)';
# below 25 %, PostgreSQL looks at single rows and does not see that some are gone
my $thin = 'SELECT count(*), sum(v) FROM t TABLESAMPLE BERNOULLI (20) REPEATABLE (3)';
my $reader = $node->background_psql('postgres');

sub outcome
{
	my ($settings, $query) = @_;

	return $reader->query_safe("$settings SELECT outcome('$query')");
}

sub both
{
	my ($query, $what) = @_;
	my $stock = outcome('SET gpuagg.enable = off; SET gpuagg.debug_require = allow;', $query);
	my $device = outcome('SET gpuagg.enable = on; SET gpuagg.debug_require = require;', $query);

	is($device, $stock, "$what: $query");
	return $stock;
}

# in the cache, as far as it may be
$reader->query_safe("SET gpuagg.debug_require = 'require'; " . sprintf($group, 't')) for 1 .. 2;
foreach my $round (1 .. 2)
{
	my $begin = time;

	$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
	foreach my $query ($group, $sample, $bernoulli)
	{
		unlike(both(sprintf($query, 't'), "round $round, before"), qr/error/, 'no error');
	}
	$node->safe_psql('postgres', 'UPDATE t SET v = v + 1000000 WHERE id % 3 = 0; DELETE FROM t WHERE id % 7 = 1');
	$node->safe_psql('postgres', 'VACUUM t');
	# the threshold comes some seconds late (snapmgr.c): in between either answer is right
	foreach my $query ($group, $sample, $bernoulli)
	{
		SKIP:
		{
			skip 'the machine is slow', 1 if time - $begin > 3;
			both(sprintf($query, 't'), "round $round, vacuumed at once");
		}
	}
	$node->safe_psql('postgres', 'SELECT pg_sleep(6)');
	$node->safe_psql('postgres', 'UPDATE t SET g = g + 1 WHERE id % 5 = 0');
	$node->safe_psql('postgres', 'VACUUM t');
	is(both(sprintf($_, 't'), "round $round, vacuumed later"), 'error 72000', 'snapshot too old')
	  foreach ($group, $sample, $bernoulli);
	is(outcome('SET gpuagg.enable = on; SET gpuagg.debug_require = require;', $thin),
		'error 72000', 'snapshot too old, though PostgreSQL\'s plan does not tell');
	unlike(both(sprintf($group, 'calm'), "round $round, another table"), qr/error/, 'no error');
	$reader->query_safe('COMMIT');
	unlike(both(sprintf($_, 't'), "round $round, a new snapshot"), qr/error/, 'no error')
	  foreach ($group, $sample, $bernoulli);
}
$reader->quit;
no_tasks($node, 'nothing is left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
