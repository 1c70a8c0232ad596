# Pages are found by the buffers of those before, however tables lie in shared_buffers.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $blocks = 500;
my $node = new_node('hints', 'shared_buffers = 128MB', 'autovacuum = off');
# one row a page
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION pg_prewarm;
	CREATE TABLE parts (p int, id int, filler text) PARTITION BY LIST (p);
	ALTER TABLE parts ALTER filler SET STORAGE PLAIN;
	DO \$\$ BEGIN FOR p IN 0 .. 15 LOOP
		EXECUTE format('CREATE TABLE parts_%s PARTITION OF parts FOR VALUES IN (%s)', p, p);
	END LOOP; END \$\$;
	INSERT INTO parts SELECT p, i, repeat('x', 5000) FROM generate_series(1, $blocks) i, generate_series(0, 15) p;
	VACUUM (FREEZE, ANALYZE) parts});
my $query = 'SELECT p, count(*), sum(id) FROM parts GROUP BY p ORDER BY p';

# Reads the blocks into empty buffers in this order, and tells how many of all pages were
# found without the buffer mapping table, in percent.
sub hits
{
	my ($order, $name) = @_;

	$node->restart;
	wait_ready($node);
	$node->safe_psql(
		'postgres', qq{
		SELECT setseed(0.5);
		SELECT sum(pg_prewarm(format('parts_%s', p)::regclass, 'buffer', 'main', b, b))
		FROM (SELECT b, p FROM generate_series(0, $blocks - 1) b, generate_series(0, 15) p ORDER BY $order) x});
	same_answer($node, $query, "$name: answer");
	my (undef, undef, $err) = $node->psql('postgres',
		"SET gpuagg.debug_require = 'require'; SET gpuagg.cache = off;
		SET client_min_messages = debug2; $query");
	my ($pages, $found) = (0, 0);
	while ($err =~ /of (\d+) pages of "parts_\d+" (\d+) were found/g)
	{
		$pages += $1;
		$found += $2;
	}
	is($pages, 16 * $blocks, "$name: all pages");
	diag("$name: $found of $pages");
	return 100 * $found / $pages;
}

cmp_ok(hits('p, b', 'one after the other'), '>', 95, 'one after the other');
cmp_ok(hits('p, b DESC', 'downwards'), '>', 90, 'downwards');
cmp_ok(hits('p, b + random() * 8', 'not quite in order'), '>', 80, 'not quite in order');
cmp_ok(hits('p % 2, b, p', 'eight side by side'), '>', 95, 'eight side by side');
cmp_ok(hits('b, p', 'sixteen side by side'), '>', 95, 'sixteen side by side');
cmp_ok(hits('b + random() * 3', 'sixteen, not quite in order'),
	'>', 90, 'sixteen, not quite in order');
cmp_ok(hits('b DESC, p', 'sixteen, downwards'), '>', 90, 'sixteen, downwards');
# where nothing is to be seen it is not tried for each page
cmp_ok(hits('random()', 'anywhere'), '<', 20, 'anywhere');
crash_free($node, 'no crash');
$node->stop;
done_testing();
