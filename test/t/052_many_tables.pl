# The column cache over many tables: hundreds of partitions that do not fit it, files that
# give way to others, and more columns than the list has room for that backends see.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Columns that ipc/cache_shared.h has room for, and what makes more of them
my ($room, $tables, $columns) = (16384, 70, 240);

sub ask
{
	my ($node, $sql) = @_;

	return $node->safe_psql('postgres', $sql);
}

# Tables of which something is listed
sub listed
{
	my ($node, $like) = @_;

	return ask($node, "SELECT count(DISTINCT relid) FROM gpuagg.cache WHERE relation::text LIKE '$like'");
}

sub within_limit
{
	my ($node, $name) = @_;

	return is(ask($node, "SELECT cache_used <= cache_limit FROM gpuagg.devices WHERE state = 'ready'"),
		't', "$name: no more than gpuagg.cache_size is used");
}

sub pages_read
{
	my ($node, $query) = @_;
	my $plan = ask($node, "SET gpuagg.debug_require = require; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) $query");

	return $plan =~ /"Pages": (\d+)/ ? $1 : die $plan;
}

# ---------------------------------------------- tables that do not fit ---

my $node = new_node('many', 'autovacuum = off', 'max_locks_per_transaction = 1000',
	'gpuagg.cache_size = 1MB');
ask($node, q{
	CREATE TABLE many (p int, k int, v int8) PARTITION BY LIST (p);
	DO $$ BEGIN FOR p IN 1 .. 300 LOOP
		EXECUTE format('CREATE TABLE many_%s PARTITION OF many FOR VALUES IN (%s)', p, p);
	END LOOP; END $$;
	INSERT INTO many SELECT p, i % 7, i FROM generate_series(1, 300) p, generate_series(1, 150) i;});
ask($node, 'VACUUM (FREEZE, ANALYZE) many');
my $all = 'SELECT k, count(*), sum(v) FROM many GROUP BY k ORDER BY k';
my $some = 'SELECT k, count(*), sum(v) FROM many WHERE p <= 20 GROUP BY k ORDER BY k';
foreach my $i (1 .. 3)
{
	same_answer($node, $all, "300 partitions in a cache of 1 MB, $i");
	within_limit($node, "300 partitions, $i");
}
my $kept = listed($node, 'many\_%');
cmp_ok($kept, '>', 0, "some of them are kept ($kept)");
cmp_ok($kept, '<', 300, 'not all of them');

# What was held of the others takes no room from those that are used now.
my $round = 0;
$round++ while pages_read($node, $some) > 0 && $round < 20;
cmp_ok($round, '<', 20, "20 of them come to be kept whole (after $round rounds)");
same_answer($node, $some, '20 partitions that are kept');
same_answer($node, 'SELECT p, count(*), min(v) FROM many GROUP BY p ORDER BY p', 'other columns of all');
within_limit($node, 'other columns');

# Backends still see tables that give way at once, to the first string of another.
ask($node, "SELECT gpuagg.unload('many_' || p) FROM generate_series(1, 300) p");
ask($node, q{CREATE TABLE named AS SELECT i, 'string ' || i % 50 AS t FROM generate_series(1, 3000) i});
ask($node, 'VACUUM (FREEZE, ANALYZE) named');
same_answer($node, 'SELECT count(*), sum(v) FROM many', 'one column of 300 partitions');
my $before = listed($node, 'many\_%');
same_answer($node, 'SELECT t, count(*) FROM named GROUP BY t ORDER BY t', 'a column of strings');
cmp_ok(listed($node, 'many\_%'), '<', $before, 'for which others have gone');
cmp_ok(listed($node, 'named'), '>', 0, 'and which is kept');
within_limit($node, 'strings');

# Files that others take the place of
$round = 0;
$round++ while pages_read($node, $some) > 0 && $round < 20;
ask($node, 'TRUNCATE many_1; INSERT INTO many SELECT 1, i % 7, i * 2 FROM generate_series(1, 150) i');
ask($node, 'VACUUM (FREEZE, ANALYZE) many_1');
same_answer($node, $some, 'after TRUNCATE of one');
is(ask($node, q{SELECT count(*) FROM (SELECT relid FROM gpuagg.cache WHERE attnum = 0 GROUP BY relid HAVING count(*) > 1) x}),
	0, 'a table is listed once, with one file');
ask($node, 'VACUUM FULL many_2');
ask($node, 'VACUUM (FREEZE, ANALYZE) many_2');
same_answer($node, $some, 'after VACUUM FULL of one');
ask($node, q{SELECT gpuagg.unload('many_3')});
is(listed($node, 'many\_3'), 0, 'one is unloaded');
cmp_ok(listed($node, 'many\_4'), '>', 0, 'its neighbour is not');
same_answer($node, $some, 'after unloading one');

# A database goes with all of its tables, others stay.
ask($node, 'CREATE DATABASE other');
$node->safe_psql('other', q{
	CREATE EXTENSION gpuagg;
	CREATE TABLE t AS SELECT i % 7 AS k, i AS v FROM generate_series(1, 150) i;});
$node->safe_psql('other', 'VACUUM (FREEZE, ANALYZE) t');
$node->safe_psql('other', 'SET gpuagg.debug_require = require; SELECT k, sum(v) FROM t GROUP BY k');
is(ask($node, q{SELECT count(*) > 0 FROM gpuagg.get_cache() WHERE datid = (SELECT oid FROM pg_database WHERE datname = 'other')}), 't', 'a table of another database');
ask($node, 'DROP DATABASE other');
ok($node->poll_query_until('postgres',
		'SELECT count(*) = 0 FROM gpuagg.get_cache() WHERE datid <> (SELECT oid FROM pg_database WHERE datname = current_database())'),
	'it goes with it');
cmp_ok(listed($node, 'many\_%'), '>', 0, 'the others stay');
$node->stop;

# ------------------------------------------ more columns than are listed ---

$node = new_node('wide', 'autovacuum = off', 'gpuagg.cache_size = 256MB');
my $list = join(', ', map { "$_ AS c$_" } (1 .. $columns));
my $names = join(',', map { "c$_" } (1 .. $columns));
ask($node, qq{
	DO \$\$ BEGIN FOR t IN 1 .. $tables LOOP
		EXECUTE format('CREATE TABLE w%s AS SELECT $list', t);
	END LOOP; END \$\$});
ask($node, 'VACUUM (FREEZE, ANALYZE)');
ask($node, "SELECT count(gpuagg.load(format('w%s', t)::regclass, '{$names}')) FROM generate_series(1, $tables) t");

my $one = $columns + 1;			# what its columns share is one more
sub entries
{
	my ($table) = @_;

	return ask($node, "SELECT count(*) FROM gpuagg.cache WHERE relation = '$table'::regclass");
}
my $fit = int($room / $one);
cmp_ok(ask($node, 'SELECT count(*) FROM gpuagg.cache'), '<=', $room, 'the list does not overflow');
cmp_ok($tables, '>', $fit, 'there would be more');
is(listed($node, 'w%'), $fit, "$fit tables are listed, each whole");
is(entries("w$tables"), $one, 'the one used last');
is(entries('w1'), 0, 'not the one that was used least recently');
is(pages_read($node, 'SELECT sum(c1), sum(c2) FROM w1'), 0, 'which is kept all the same');
is(entries('w1'), $one, 'and is listed when it is used');
my $oldest = $tables - $fit + 1;
is(entries("w$oldest"), 0, "in the place of w$oldest");
is(entries('w' . ($oldest + 1)), $one, 'and of no other');
ask($node, "SELECT gpuagg.unload('w1')");
is(entries('w1'), 0, 'it is unloaded');
is(pages_read($node, "SELECT sum(c1) FROM w$oldest"), 0, "w$oldest is used");
is(entries("w$oldest"), $one, 'and takes its place');
is(listed($node, 'w%'), $fit, 'for which nothing else goes');
ask($node, "SELECT gpuagg.unload('w2', '{c7}')");
is(entries('w2'), 0, 'what is not listed is unloaded, too');
is(pages_read($node, 'SELECT sum(c8) FROM w2'), 0, 'a column of it is left');
is(entries('w2'), $one - 1, 'of which the view tells');

# A worker that comes again begins with an empty list.
my $worker = worker_pid($node);
kill 'TERM', $worker;
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM gpuagg.devices WHERE state = 'ready' AND pid <> $worker");
is(ask($node, 'SELECT count(*) FROM gpuagg.cache'), 0, 'nothing is listed of a worker that is gone');
same_answer($node, 'SELECT sum(c1), sum(c2) FROM w1', 'a table is read again');
is(entries('w1'), 3, 'and listed');
$node->stop;

done_testing();
