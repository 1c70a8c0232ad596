# More groups than the device's memory holds: windows over the hash space, as
# many as it takes, none of them lost, and no fallback.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_node('capacity', "gpuagg.device_memory = '16MB'", 'shared_buffers = 256MB');
# the outer aggregate is PostgreSQL's; the inner one must not be
my $device = 'SET jit = off; SET gpuagg.debug_require = prefer; SET gpuagg.fallback = off;';

# Some 80 MB of groups for a device of 16 MB.  "clustered" lies in the order of
# its groups; of "seen" the planner knows nothing.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE many (id int, c int, k int8) WITH (autovacuum_enabled = off);
	INSERT INTO many SELECT i, i / 2, (i::int8 * 7919) % 600011 * 1000003 FROM generate_series(1, 1200000) i;
	CREATE TABLE texts (id int, k text COLLATE "C") WITH (autovacuum_enabled = off);
	INSERT INTO texts SELECT i, 'a key of some length ' || i % 250000 FROM generate_series(1, 500000) i;
	VACUUM ANALYZE many, texts;
	CREATE TABLE few AS SELECT i AS id, i % 10 AS k FROM generate_series(1, 20000) i;
	VACUUM ANALYZE few;});

sub summary
{
	my ($group, $table) = @_;

	return "SELECT count(*), sum(n), min(k), max(k), sum(hashint8(s)) FROM (SELECT $group AS k, count(*) AS n, sum(id) AS s FROM $table GROUP BY $group OFFSET 0) x";
}

sub same_summary
{
	my ($query, $name) = @_;

	return is($node->safe_psql('postgres', "$device $query"),
		$node->safe_psql('postgres', "SET gpuagg.enable = off; $query"), $name);
}

# EXPLAIN ANALYZE's lines of the GpuAgg node, as a hash
sub explain
{
	my ($query, $set) = @_;
	my %lines = $node->safe_psql('postgres', "$device $set EXPLAIN (ANALYZE, VERBOSE) $query") =~
	  /^\s*((?:[A-Z][A-Za-z]+ ?)+): (.*)$/mg;

	return \%lines;
}

my $fallbacks = counter($node, 'fallbacks_memory');
foreach my $case (
	[ 'at random', 'k', 'many' ],
	[ 'clustered', 'c', 'many' ],
	[ 'texts', 'k', 'texts' ])
{
	my ($name, $group, $table) = @$case;

	same_summary(summary($group, $table), "more groups than memory: $name");
}
is(counter($node, 'fallbacks_memory'), $fallbacks, 'PostgreSQL did none of it');
no_tasks($node, 'all memory is given back');
my $lines = explain(summary('k', 'many'), '');
note("$_: $lines->{$_}") foreach sort keys %$lines;
is($lines->{'Planned Strategy'}, 'multi-pass-naive', 'windows are planned where the estimate says so');
cmp_ok($lines->{'Passes'}, '>', 1, 'several of them');
is($lines->{'Rows Scanned'}, 1200000, 'rows are counted once');
is($lines->{'Groups'}, 600011, 'all groups');

# The first of all groups: each window returns no more of its own than are asked for.
foreach my $case ([ 'k', 'sum(id) DESC, k', 10 ], [ 'k', 'k', 3000 ], [ 'k', 'count(*), sum(id)', 7 ])
{
	my ($group, $order, $n) = @$case;
	my $top = "SELECT $group, count(*), sum(id) FROM many GROUP BY $group ORDER BY $order LIMIT $n";

	same_summary($top, "the first $n by $order");
	$lines = explain($top, '');
	note("$_: $lines->{$_}") foreach grep { /Groups|Passes/ } sort keys %$lines;
	is($lines->{'Groups'}, 600011, '... of more groups than memory');
	cmp_ok($lines->{'Groups Returned'}, '<=', $n * $lines->{'Passes'}, '... of each window so many');
}
same_summary('SELECT k, count(*) FROM texts GROUP BY k ORDER BY count(*) DESC, k LIMIT 10', '... texts');
is(counter($node, 'fallbacks_memory'), $fallbacks, 'PostgreSQL did none of it');

# The planner expects few groups: windows come when memory runs out.
my $surprise = summary('(k % 1000000000000 + 5)', 'many');
same_summary($surprise, 'more groups than memory, and than expected');
$node->safe_psql('postgres', q{ALTER TABLE many ALTER k SET (n_distinct = 50); ANALYZE many});
same_summary(summary('k', 'many'), 'windows that nobody planned');
$lines = explain(summary('k', 'many'), '');
note("$_: $lines->{$_}") foreach sort keys %$lines;
isnt($lines->{'Planned Strategy'}, 'multi-pass-naive', 'they were not planned');
cmp_ok($lines->{'Window Splits'}, '>', 0, 'but made when memory ran out');
is($lines->{'Groups'}, 600011, 'and lost no group');
is($lines->{'Rows Scanned'}, 1200000, 'rows are counted once');

# The planner expects far too many: windows are joined.
$node->safe_psql('postgres', q{ALTER TABLE many ALTER k SET (n_distinct = -1); ANALYZE many; });
$lines = explain('SELECT k - k, count(*) FROM many GROUP BY k - k', '');
note("$_: $lines->{$_}") foreach sort keys %$lines;
is($lines->{'Groups'}, 1, 'fewer groups than expected');
cmp_ok($lines->{'Passes'}, '<', $lines->{'Planned Passes'}, 'needs fewer passes than planned');

# Work on a small device is the same work, several times.
my $begin = time;
$node->safe_psql('postgres', "$device " . summary('k', 'many'));
my $tight = time - $begin;

# cancelled in the middle, with nothing left; earlier where it would have ended
$node->safe_psql('postgres', q{SET gpuagg.strategy = 'multi-pass-naive'; SET gpuagg.scope_size = 64;} . summary('k', 'few'));
my $psql;
foreach my $pause (0.5, 0.1, 0.02, 0, 0, 0)
{
	$psql = start_psql($node,
		"$device SET gpuagg.strategy = 'multi-pass-naive'; SET gpuagg.scope_size = 64; " . summary('k', 'many') . ';');
	my $pid = wait_task($node);
	sleep $pause;
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	finish_psql($psql);
	last if $psql->{stderr} ne '';
}
like($psql->{stderr}, qr/canceling statement due to user request/, 'cancelled between windows, or within one');
no_tasks($node, 'nothing is left of it');

# a fault in a later window: the whole work goes to PostgreSQL
my $before = counter($node, 'fallbacks_device');
is( $node->safe_psql('postgres',
		"$device SET gpuagg.fallback = on; SET gpuagg.debug_fault = 'results'; SET gpuagg.debug_fault_pass = 2; "
		  . summary('k', 'many')),
	$node->safe_psql('postgres', 'SET gpuagg.enable = off; ' . summary('k', 'many')),
	'a fault in the second window: PostgreSQL answers');
cmp_ok(counter($node, 'fallbacks_device'), '>', $before, 'and it is counted');

# two at once share what there is
my @both = map { start_psql($node, "$device " . summary('k', 'many') . ';') } 1 .. 2;
finish_psql($_) foreach @both;
is($both[0]{stdout}, $both[1]{stdout}, 'two at once agree');
is($both[0]{stderr} . $both[1]{stderr}, '', 'without errors');

# rows of a plan have one window: groups of more than half of the memory, of several clients
# at once, each of which comes back to have the device for itself
my $rows = 'SELECT count(*), sum(n), sum(hashint8(g)) FROM (SELECT k % 100003 AS g, count(*) AS n FROM (SELECT k FROM many OFFSET 0) y GROUP BY 1 OFFSET 0) x';
my $expected = $node->safe_psql('postgres', "SET gpuagg.enable = off; $rows");
my @crowd = map { start_psql($node, "$device " . ("$rows;" x 2)) } 1 .. 4;
finish_psql($_) foreach @crowd;
is(join('', map { $_->{stderr} } @crowd), '', 'rows of plans of four clients: none fails');
is(join("\n", map { $_->{stdout} } @crowd), join("\n", ($expected) x 8), 'with the right answers');

# so do rows of a sample, beside a look-up table that a join has left: their one task is done
# again, without that table
$node->safe_psql('postgres', 'CREATE TABLE dim AS SELECT i AS k, i % 3 AS d FROM generate_series(0, 9) i; ALTER TABLE dim ADD PRIMARY KEY (k)');
$node->safe_psql('postgres', 'VACUUM ANALYZE dim');
my $join = 'SELECT d, count(*) FROM few JOIN dim USING (k) GROUP BY d';
$node->safe_psql('postgres', "$device $join; $join");
like($node->safe_psql('postgres', "$device EXPLAIN (ANALYZE) $join"), qr/rows from kept columns/, 'a look-up table is on the device');
my $sample = 'SELECT count(*), sum(id) FROM (SELECT id FROM few TABLESAMPLE BERNOULLI (50) REPEATABLE (1) OFFSET 0) x';
my $struck = "$device SET gpuagg.debug_fault = 'memory'; SET gpuagg.debug_fault_pass = 1;";
like($node->safe_psql('postgres', "$struck EXPLAIN (ANALYZE) $sample"), qr/GpuSample/, 'a sample is drawn by the device');
$node->safe_psql('postgres', "$device $join");
is($node->safe_psql('postgres', "$struck $sample"), $node->safe_psql('postgres', "SET gpuagg.enable = off; $sample"), 'though it had no memory at first');

# no task waits for another one of its own query: with one place for all tasks, a plan whose
# rows need tasks has been read before the task over them begins
$node->safe_psql('postgres', 'ALTER SYSTEM SET gpuagg.running_tasks = 1');
$node->safe_psql('postgres', 'SELECT pg_reload_conf()');
$node->safe_psql('postgres', 'CREATE FUNCTION few_of(int) RETURNS int8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT max(n) FROM (SELECT count(*) AS n FROM few WHERE k = $1 GROUP BY k) x); END $$');
foreach my $within (
	'SELECT n % 7 AS g, count(*) AS c FROM generate_series(1, 40) g(x), LATERAL (SELECT k, count(*) AS n FROM few WHERE id > g.x * 10 GROUP BY k OFFSET 0) l, generate_series(1, 200) GROUP BY 1',
	'SELECT x % 7 AS g, sum(CASE WHEN x % 1000 = 0 THEN few_of(x % 10) END) AS c FROM generate_series(1, 60000) x GROUP BY 1',
	'SELECT x % 7 AS g, sum(CASE WHEN x > 50000 THEN (SELECT max(n) FROM (SELECT count(*) AS n FROM few GROUP BY k) z) END) AS c FROM generate_series(1, 60000) x GROUP BY 1')
{
	my @same = map { start_psql($node, "$device SET gpuagg.queue_timeout = '5s'; SELECT * FROM ($within OFFSET 0) y ORDER BY g;") } 1 .. 2;
	finish_psql($_) foreach @same;
	is($_->{stderr}, '', "no deadlock: $within") foreach @same;
	is($_->{stdout}, $node->safe_psql('postgres', "SET gpuagg.enable = off; SELECT * FROM ($within) y ORDER BY g"), 'the same') foreach @same;
}
like($node->safe_psql('postgres', "$device EXPLAIN SELECT x % 7, sum(few_of(x % 10)) FROM generate_series(1, 60000) x GROUP BY 1"), qr/GpuAgg/, 'on the device');
$node->safe_psql('postgres', 'ALTER SYSTEM RESET gpuagg.running_tasks');
$node->safe_psql('postgres', 'SELECT pg_reload_conf()');

same_answer($node, 'SELECT k, count(*), sum(id) FROM few GROUP BY k ORDER BY k', 'small queries go on');
no_tasks($node, 'nothing is left');
crash_free($node, 'no crash');
$node->stop;

# the same with room for all
$node->append_conf('postgresql.conf', "gpuagg.device_memory = '512MB'");
$node->start;
wait_ready($node);
$lines = explain(summary('k', 'many'), '');
ok(!exists $lines->{'Passes'}, 'one pass where there is room');
$begin = time;
$node->safe_psql('postgres', "$device " . summary('k', 'many'));
my $roomy = time - $begin;
note(sprintf 'with 16 MB %.2f s, with room %.2f s', $tight, $roomy);
cmp_ok($tight, '<', 15 * $roomy, 'a small memory costs less than fifteen times');
$node->stop;
done_testing();
