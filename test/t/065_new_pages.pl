# Tables with pages that nobody has written to, as several sessions that fill a table leave them: the
# device makes look-up tables of all others, and sees when such a page gets rows.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('new_pages', 'autovacuum = off', 'gpuagg.cache_size = 32MB');
my $query = 'SELECT v, count(*), sum(id) FROM f JOIN d ON id = k GROUP BY v';

sub sql { return $node->safe_psql('postgres', $_[0]); }

# What the node says of its look-ups
sub inputs
{
	my ($line) = grep /Look-up Joins/, split /\n/, sql("
		SET gpuagg.debug_require = 'require'; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query");

	return $line;
}

sub same
{
	my ($name) = @_;

	is(sql("SET gpuagg.debug_require = 'require'; SELECT * FROM ($query) x ORDER BY 1"),
		sql("SET gpuagg.enable = off; SELECT * FROM ($query) x ORDER BY 1"), $name);
}

sql(q{
	CREATE TABLE f AS SELECT i AS id, repeat('x', 200) AS pad FROM generate_series(1, 20000) i;
	CREATE TABLE d (k int PRIMARY KEY, v int, pad char(100));
	INSERT INTO d SELECT i, i % 7, '' FROM generate_series(1, 2000) i;
});
my $file = $node->data_dir . '/' . sql("SELECT pg_relation_filepath('d')");
$node->stop;
open my $pages, '>>:raw', $file or die $!;
print $pages "\0" x (4 * 8192);
close $pages;
$node->start;
wait_ready($node);
# into the last of them, and behind
sql(q{INSERT INTO d SELECT i, i % 7, '' FROM generate_series(2001, 2500) i});
sql('VACUUM (FREEZE, ANALYZE) f, d');
is(sql(q{SELECT pg_relation_size('d') / 8192 - relallvisible FROM pg_class WHERE relname = 'd'}), 3, 'pages that are new');
like(inputs(), qr/2500 rows from kept columns/, 'the device makes the table of the others');
same('... with the same answer');
like(join("\n", map { inputs() } 1 .. 2), qr/2500 rows from kept columns/, '... in each session');
like(sql("SET gpuagg.debug_require = 'require'; $query; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query"),
	qr/made before/, '... which uses it again');

# A row in one of them: new to those who may see it, and to no others
my $old = $node->background_psql('postgres');
$old->query_safe("SET gpuagg.debug_require = 'prefer'; BEGIN ISOLATION LEVEL REPEATABLE READ");
my $before = $old->query_safe("$query ORDER BY 1");
sql(q{INSERT INTO d SELECT i, i % 7, '' FROM generate_series(2501, 2520) i});
cmp_ok(sql(q{SELECT min((ctid::text::point)[0]) FROM d WHERE k > 2500}), '<',
	sql(q{SELECT max((ctid::text::point)[0]) FROM d}), 'rows have gone into a new page');
unlike(inputs(), qr/from kept columns/, 'then the backend reads the input');
same('... with these rows');
is($old->query_safe("$query ORDER BY 1"), $before, 'an older snapshot has none of them');
$old->query_safe('COMMIT');
is($old->query_safe("$query ORDER BY 1"), sql("SET gpuagg.enable = off; $query ORDER BY 1"), '... until it ends');
$old->quit;
sql('VACUUM (FREEZE, ANALYZE) d');
like(inputs(), qr/2520 rows from kept columns/, 'vacuumed, they are in the table');
same('... with the same answer');
$node->stop;
done_testing();
