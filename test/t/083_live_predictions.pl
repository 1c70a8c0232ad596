# Few pages of a table that was never vacuumed change now and then: a plan counts them, though a
# sample of the pages does not see them, for so many changed with so much WAL before.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('predictions', 'shared_buffers = 256MB', 'autovacuum = off', 'jit = off', 'gpuagg.learn_costs = off');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t (id int, g int, v int8, pad text) WITH (fillfactor = 60);
	INSERT INTO t SELECT i, i % 10, i, repeat('x', 400) FROM generate_series(1, 70000) i;
	CREATE TABLE other (v text);});
$node->safe_psql('postgres', 'ANALYZE t');
my $query = 'SELECT g, count(*), sum(v) FROM t GROUP BY g ORDER BY g';

sub plan
{
	my ($options) = @_;

	return $node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; EXPLAIN ($options, FORMAT JSON) $query");
}

sub predicted { return plan('VERBOSE') =~ /"Predicted Time": ([0-9.]+)/ ? $1 : -1; }
sub pages { return plan('ANALYZE') =~ /"Pages": (\d+)/ ? $1 : -1; }

# Rows of every 40th page, and of none that the sample asks: that is the first of each 64th part
my $blocks = $node->safe_psql('postgres', q{SELECT pg_relation_size('t') / 8192});
my $part = int($blocks / 64);
my $change = "UPDATE t SET v = v + 1 WHERE id IN (SELECT id FROM (SELECT min(id) AS id, b FROM (SELECT id, (ctid::text::point)[0]::int AS b FROM t) x GROUP BY b) y WHERE b % 40 = 7 AND b % $part > 3)";

cmp_ok($part, '>', 40, "$blocks pages");
pages() foreach 1 .. 2;
my $rest = predicted();
cmp_ok($rest, '>', 0, "at rest a query is predicted to take $rest ms");
my $changed;
foreach my $round (1 .. 4)
{
	$node->safe_psql('postgres', $change);
	$changed = pages();
	is(pages(), 0, "round $round: $changed pages have changed, and are kept again");
}
cmp_ok($changed, '>', 50, 'a good many');
cmp_ok(predicted(), '<', 1.02 * $rest, 'once they are kept, the prediction is that of rest');
$node->safe_psql('postgres', $change);
my $behind = predicted();
cmp_ok($behind, '>', 1.05 * $rest, "behind a change it is $behind ms");
is(pages(), $changed, 'so many pages are read');
# much WAL of another table, none of this one: no more than what a sample cannot rule out
$node->safe_psql('postgres', q{INSERT INTO other SELECT repeat('y', 1000) FROM generate_series(1, 60000)});
my $much = predicted();
note("behind much WAL of another table: $much ms");
is(pages(), 0, 'which changes nothing');
cmp_ok(predicted(), '<', $much, 'and is learned from');
same_answer($node, $query, 'the answer');
crash_free($node, 'no crash');
$node->stop;
done_testing();
