# Pages that change beside tasks come to lie mixed, so that zones tell nothing, in ever more memory:
# they are laid in the order of the table again, also while a task reads them as they were.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = new_node('arrange', 'shared_buffers = 128MB', 'autovacuum = off', 'jit = off');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t (id int, day int, v int8, s text) WITH (fillfactor = 60);
	INSERT INTO t SELECT i, i / 1000, i, 's' || i % 50 FROM generate_series(1, 400000) i;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) t');

# All columns are asked for, which days are few
my $query = 'SELECT s, count(*), sum(v), max(id), max(day) FROM t WHERE day BETWEEN 100 AND 110 GROUP BY s ORDER BY s';
my $all = 'SELECT s, count(*), sum(v), max(id), max(day) FROM t GROUP BY s ORDER BY s';

my $sample = 'SELECT s, count(*), sum(v), max(id) FROM t TABLESAMPLE BERNOULLI (20) REPEATABLE (2) GROUP BY s ORDER BY s';

# Zones that a query skipped, and read
sub zones
{
	my $plan = $node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, FORMAT JSON) $query");

	return map { $plan =~ /"Zones $_": (\d+)/ ? $1 : 0 } qw(Skipped Read);
}

sub bytes { return $node->safe_psql('postgres', q{SELECT sum(bytes) FROM gpuagg.cache WHERE table_name = 't'}); }

# Rows of all pages change, and come to be kept, without much time between
sub changes
{
	my ($what, @rounds) = @_;

	foreach my $round (@rounds)
	{
		$node->safe_psql('postgres', "UPDATE t SET v = v + 1 WHERE id % 40 = $round");
		zones() foreach 1 .. 2;
		same_answer($node, $_->[0], "$what, round $round: the answer$_->[1]") foreach [$all, ''], [$sample, ' of a sample'];
	}
}

# The same zones are skipped again, after as many queries as it takes
sub skips
{
	my ($wanted, $what) = @_;
	my ($skipped, $read);

	foreach (1 .. 300)
	{
		($skipped, $read) = zones();
		last if $skipped >= $wanted;
		sleep 0.1;
	}
	cmp_ok($skipped, '>=', $wanted, "$what: as many zones are skipped as at first ($read are read)");
	$node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; SET gpuagg.debug_compare = on; $_") foreach $query, $all;
	pass("$what: what is kept is what the table has");
	same_answer($node, $sample, "$what: and a sample of it");
	like($node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $sample"), qr/Pages: 0\b.*Cached Pages: [1-9]/s, "$what: which reads no page");
	return;
}

$node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; $all");
my ($skipped) = zones();
my $bytes = bytes();
cmp_ok($skipped, '>', 3, "zones are skipped: $skipped");
my $arranged = counter($node, 'extents_arranged');
changes('alone', 1 .. 3);
skips($skipped, 'alone');
cmp_ok(counter($node, 'extents_arranged'), '>', $arranged, 'by arranging');

# A task that has begun, and reads later what was there then; those behind it are laid anew
my $reference = $node->safe_psql('postgres', "SET gpuagg.enable = off; $all");
my $lock = $node->background_psql('postgres');
$lock->query_safe('SELECT pg_advisory_lock(77)');
my $held = start_psql($node, "SET gpuagg.debug_require = 'require'; SET gpuagg.debug_wait = 77; $all;");
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}),
	'a task has begun');
$arranged = counter($node, 'extents_arranged');
changes('beside a task', 4 .. 9);
skips($skipped, 'beside a task');
cmp_ok(counter($node, 'extents_arranged'), '>', $arranged, 'by arranging beside it');
note('bytes: ' . $bytes . ' at first, ' . bytes() . ' beside a task that reads what was there before');
$lock->query_safe('SELECT pg_advisory_unlock(77)');
finish_psql($held);
is($held->{stdout}, $reference, 'its answer is that of its snapshot');
skips($skipped, 'after it');
my $now = bytes();
cmp_ok($now, '<', 2.5 * $bytes, "memory is given back: $now bytes, $bytes at first");

# Growing and shrinking, again and again
foreach my $round (1 .. 5)
{
	$node->safe_psql('postgres', $_) foreach "DELETE FROM t WHERE id % 7 = $round", "INSERT INTO t SELECT id + 1000000, day, v, s FROM t WHERE id % 11 = $round AND id < 1000000", 'VACUUM t';
	zones() foreach 1 .. 2;
	same_answer($node, $all, "growing and shrinking, round $round");
}
$node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; SET gpuagg.debug_compare = on; $_") foreach $query, $all;
$now = bytes();
cmp_ok($now, '<', 4 * $bytes, "memory stays: $now bytes");
$lock->quit;
no_tasks($node, 'no task is left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
