# Columns of tables that are dropped or rewritten leave the device within seconds, without
# anybody's query; never before the commit; also on a standby, and after a crash.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('cache_gone', 'autovacuum = off', 'gpuagg.cache_size = 256MB');
my $relations = 'SELECT count(DISTINCT relid) FROM gpuagg.get_cache()';

# Tables, loaded on some node
sub make
{
	my ($node, @names) = @_;

	foreach my $name (@names)
	{
		$node->safe_psql('postgres',
			"CREATE TABLE IF NOT EXISTS $name AS SELECT i AS id, i % 3 AS g FROM generate_series(1, 5000) i");
		$node->safe_psql('postgres', "VACUUM $name");
		$node->safe_psql('postgres', "SELECT gpuagg.load('$name')");
	}
	return is($node->safe_psql('postgres', $relations), scalar @names, 'kept: ' . join ' ', @names);
}

sub gone
{
	my ($node, $left, $name) = @_;

	return ok($node->poll_query_until('postgres', "SELECT ($relations) = $left"), $name);
}

make($node, 't');
foreach my $statement (
	'DROP TABLE t', 'TRUNCATE t', 'VACUUM FULL t',
	'CREATE INDEX t_id ON t (id); CLUSTER t USING t_id',
	'ALTER TABLE t ALTER g TYPE int8',
	'CREATE SCHEMA s; ALTER TABLE t SET SCHEMA s; DROP SCHEMA s CASCADE',
	'CREATE ROLE r; ALTER TABLE t OWNER TO r; DROP OWNED BY r; DROP ROLE r',
	'CREATE TABLE p (id int, g int) PARTITION BY RANGE (id); ALTER TABLE p ATTACH PARTITION t FOR VALUES FROM (0) TO (5001); DROP TABLE p')
{
	$node->safe_psql('postgres', 'DROP TABLE IF EXISTS t');
	gone($node, 0, 'nothing is kept');
	make($node, 't');
	$node->safe_psql('postgres', $statement);
	gone($node, 0, $statement);
}

# what is rolled back, or not committed yet, changes nothing
$node->safe_psql('postgres', 'DROP TABLE IF EXISTS t');
make($node, 't', 'u');
$node->safe_psql('postgres', 'BEGIN; DROP TABLE t; SELECT pg_sleep(3); ROLLBACK');
is($node->safe_psql('postgres', $relations), 2, 'a rollback: both are kept');
same_answer($node, 'SELECT g, count(*) FROM t GROUP BY g ORDER BY g', 'and answer');
my $psql = start_psql($node, 'BEGIN; DROP TABLE t; SELECT pg_sleep(4); COMMIT;');
sleep 2;
is($node->safe_psql('postgres', $relations), 2, 'before the commit both are kept');
finish_psql($psql);
gone($node, 1, 'after it one');
same_answer($node, 'SELECT g, count(*) FROM u GROUP BY g ORDER BY g', 'which answers');

# Pinned columns that are dropped are pinned no more, for there may be 4096 of all databases;
# so are those of a table.
my $columns = join ', ', map { "c$_ int" } 1 .. 1300;
my $names = join ',', map { "c$_" } 1 .. 300;
my $full = qr/no more than 4096 columns can be pinned/;
$node->safe_psql('postgres', "CREATE TABLE w$_ ($columns); INSERT INTO w$_ DEFAULT VALUES; VACUUM w$_; SELECT gpuagg.pin('w$_')")
  foreach 1 .. 3;
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', "CREATE EXTENSION gpuagg; CREATE TABLE w ($columns); INSERT INTO w DEFAULT VALUES; VACUUM w;");
sub pin_other
{
	my ($rc, $out, $err) = $node->psql('other', "SELECT gpuagg.pin('w', '{$names}'); SELECT gpuagg.unpin('w')");

	return $err;
}
like(pin_other(), $full, '3900 columns are pinned in one database: no 300 in another one');
$node->safe_psql('postgres', 'BEGIN; DROP TABLE w1; ROLLBACK; BEGIN; SAVEPOINT s; DROP TABLE w1; ROLLBACK TO s; COMMIT;');
like(pin_other(), $full, 'drops that are rolled back change nothing');
$node->safe_psql('postgres', 'TRUNCATE w1');
like(pin_other(), $full, 'nor do files that have gone');
$node->safe_psql('postgres', 'ALTER TABLE w2 ' . join ', ', map { "DROP c$_" } 1 .. 104);
is(pin_other(), '', 'columns that are dropped');
is($node->safe_psql('postgres', "SELECT gpuagg.unpin('w2')"), 1196, 'of one table, which has its others still');
$node->safe_psql('postgres', "SELECT gpuagg.pin('w2', '{" . (join ',', map { "c$_" } 105 .. 1300) . "}')");
$node->safe_psql('postgres', "CREATE TABLE w4 ($columns); INSERT INTO w4 DEFAULT VALUES; VACUUM w4; SELECT gpuagg.pin('w4', '{" . (join ',', map { "c$_" } 1 .. 200) . "}')");
like(pin_other(), $full, 'others are pinned in their place');
$node->safe_psql('postgres', 'DROP TABLE w1');
is(pin_other(), '', 'a table that is dropped');
$node->safe_psql('postgres', 'DROP TABLE w2, w3, w4');
$node->safe_psql('postgres', 'DROP DATABASE other');
gone($node, 1, 'one table is kept');

# a standby replays it
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('cache_gone_standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
wait_ready($standby);
$standby->safe_psql('postgres', "SELECT gpuagg.load('u')");
is($standby->safe_psql('postgres', $relations), 1, 'a standby keeps a table');
$node->safe_psql('postgres', 'DROP TABLE u');
gone($standby, 0, 'and forgets it when the drop is replayed');
gone($node, 0, 'so does the primary');

# more tables than are asked for at once
my $many = 600;
$node->safe_psql('postgres', qq{
	CREATE TABLE m (id int, g int) PARTITION BY LIST (g);
	DO \$\$ BEGIN FOR i IN 1 .. $many LOOP EXECUTE format('CREATE TABLE m%s PARTITION OF m FOR VALUES IN (%s)', i, i); END LOOP; END \$\$;
	INSERT INTO m SELECT i, 1 + i % $many FROM generate_series(1, 6000) i});
$node->safe_psql('postgres', 'VACUUM m');
$node->safe_psql('postgres', "SELECT gpuagg.load('m')");
cmp_ok($node->safe_psql('postgres', $relations), '>', 256, 'many partitions are kept');
$node->safe_psql('postgres', 'DROP TABLE m');
gone($node, 0, 'and go');
crash_free($node, 'no crash');
$node->stop;
$standby->stop('immediate');
done_testing();
