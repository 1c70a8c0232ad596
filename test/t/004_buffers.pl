# Tables larger than shared_buffers, from 1 MB of them up.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('buffers', 'shared_buffers = 1MB',
	'max_connections = 20', 'autovacuum = off');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE big AS SELECT i AS id, i % 100 AS g, i % 7 AS h, repeat('x', 50) || i % 1000 AS t FROM generate_series(1, 400000) i;
	ANALYZE big;
	CREATE EXTENSION pg_buffercache;
	CREATE EXTENSION pg_prewarm;});
my @queries = (
	'SELECT g, count(*), sum(id), max(t) FROM big GROUP BY g ORDER BY g',
	'SELECT count(*), sum(id) FROM big WHERE h = 3',
	'SELECT t, count(*) FROM big GROUP BY t ORDER BY t');

foreach my $size ('1MB', '4MB', '16MB', '128MB')
{
	$node->adjust_conf('postgresql.conf', 'shared_buffers', "'$size'");
	$node->restart;
	wait_ready($node);
	same_answer($node, $_, "$size: $_") foreach @queries;
	# sessions that share those few buffers
	my @sessions = map {
		start_psql($node,
			"SET gpuagg.debug_require = 'require'; $queries[0]; $queries[1];")
	} (1 .. 4);
	my $right = $node->safe_psql('postgres',
		"SET gpuagg.enable = off; $queries[0]; $queries[1]");
	is(scalar(grep { finish_psql($_)->{stdout} eq $right } @sessions),
		4, "$size: four at once");
	diag($_->{stderr}) foreach grep { $_->{stderr} ne '' } @sessions;
	no_tasks($node, "$size: nothing left");
	is( $node->safe_psql(
			'postgres',
			'SELECT coalesce(max(pinning_backends), 0) FROM pg_buffercache WHERE relfilenode = pg_relation_filenode(\'big\')'
		),
		'0',
		"$size: no pin left");
}
# a scan of a large table keeps to its ring and leaves others' pages alone
$node->adjust_conf('postgresql.conf', 'shared_buffers', "'32MB'");
$node->restart;
wait_ready($node);
$node->safe_psql('postgres',
	q{CREATE TABLE small AS SELECT i FROM generate_series(1, 100000) i; CHECKPOINT; SELECT pg_prewarm('small')});
my $resident = q{SELECT count(*) FROM pg_buffercache WHERE relfilenode = pg_relation_filenode('small')};
my $before = $node->safe_psql('postgres', $resident);
$node->safe_psql('postgres',
	"SET gpuagg.debug_require = 'require'; $queries[0]") for 1 .. 3;
cmp_ok($node->safe_psql('postgres', $resident),
	'>=', $before * 0.9, 'a large scan does not flush shared_buffers');
# blocks that follow each other are read together where PostgreSQL has such requests
my (undef, undef, $said) = $node->psql('postgres',
	"SET gpuagg.debug_require = 'require'; SET gpuagg.cache = off;
	SET client_min_messages = debug2; $queries[0]");
my ($pages, $found, $reads, $batches) =
	$said =~ /of (\d+) pages of "big" (\d+) were found .* by (\d+) reads, in (\d+) batches/;
cmp_ok($batches, '<', $pages / 35, "a task alone has more pins than a backend's share: $batches batches of $pages pages");
cmp_ok($pages - $found, '>', 1000, 'most pages are read');
if ($node->pg_version >= 17)
{
	cmp_ok($reads, '<', ($pages - $found) / 4, "many at once: $reads reads of $pages pages");
}
else
{
	is($reads, $pages - $found, 'each by itself');
}
# dirty pages, and pages that another session changes meanwhile
$node->safe_psql('postgres',
	'UPDATE big SET h = h + 1 WHERE id % 5 = 0; DELETE FROM big WHERE id % 11 = 0');
same_answer($node, $_, "dirty: $_") foreach @queries;
$node->safe_psql('postgres', 'VACUUM big');
same_answer($node, $_, "vacuumed: $_") foreach @queries;
# Pages with dead rows are pruned by who reads them; since 19 they become all-visible, too, where
# the statement does not write the table.
$node->safe_psql('postgres', q{
	CREATE EXTENSION pg_visibility;
	CREATE TABLE heals (i int, g int);
	INSERT INTO heals SELECT i, i % 10 FROM generate_series(1, 50000) i;
	DELETE FROM heals WHERE i % 10 = 0});
my $visible = q{SELECT all_visible > 100 FROM pg_visibility_map_summary('heals')};
my $reads_alone = q{SET gpuagg.debug_require = 'require'; SET gpuagg.cache = off; SET gpuagg.debug_feeders = 0;};
$node->safe_psql('postgres', "$reads_alone INSERT INTO heals SELECT count(*), g FROM heals GROUP BY g");
is($node->safe_psql('postgres', $visible), 'f', 'not by a statement that writes the table');
# the first one may have to wait for what it would prune
$node->safe_psql('postgres', "$reads_alone SELECT g, count(*) FROM heals GROUP BY g");
is($node->safe_psql('postgres', $visible), $node->pg_version >= 19 ? 't' : 'f', 'by one that reads it, since 19');
same_answer($node, 'SELECT g, count(*), sum(i) FROM heals GROUP BY g ORDER BY g', 'healed');
crash_free($node, 'no crash');
$node->stop;
done_testing();
