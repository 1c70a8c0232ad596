# Writers, vacuum and readers together: every snapshot of the device is the
# snapshot of PostgreSQL, and the table is sound afterwards.  GPUAGG_STRESS_SECONDS: for how
# long.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $seconds = $ENV{GPUAGG_STRESS_SECONDS} // 12;
my $node = new_node(
	'stress',
	'shared_buffers = 24MB',
	'autovacuum_naptime = 1s',
	'autovacuum_vacuum_cost_delay = 0',
	'autovacuum_vacuum_threshold = 100',
	'autovacuum_vacuum_scale_factor = 0.001',
	'vacuum_freeze_min_age = 0',
	'synchronous_commit = off',
	'max_prepared_transactions = 4');
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION amcheck;
	CREATE EXTENSION pg_visibility;
	CREATE TABLE s (id int PRIMARY KEY, g int, v int8, t text) WITH (fillfactor = 70);
	INSERT INTO s SELECT i, i % 20, 100, CASE i % 50 WHEN 0 THEN repeat('long ' || i % 3, 1500) ELSE 't' || i % 11 END FROM generate_series(1, 40000) i;
	CREATE TABLE wrong (what text, stock text, device text);
	-- Both ways in one snapshot.
	CREATE FUNCTION check_s(q text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		stock text[];
		device text[];
	BEGIN
		SET LOCAL gpuagg.debug_require = 'allow';
		SET LOCAL gpuagg.enable = off;
		EXECUTE format('SELECT ARRAY(SELECT x::text FROM (%s) x)', q) INTO stock;
		SET LOCAL gpuagg.enable = on;
		SET LOCAL gpuagg.debug_require = 'require';
		EXECUTE format('SELECT ARRAY(SELECT x::text FROM (%s) x)', q) INTO device;
		SET LOCAL gpuagg.debug_require = 'allow';
		SET LOCAL gpuagg.enable = off;
		IF ARRAY(SELECT unnest(stock) ORDER BY 1) <> ARRAY(SELECT unnest(device) ORDER BY 1) THEN
			INSERT INTO wrong SELECT q, left(stock::text, 1000), left(device::text, 1000);
		END IF;
	END $$;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) s');
my $dir = PostgreSQL::Test::Utils::tempdir();
append_to_file("$dir/write.sql", q{
\set a random(1, 40000)
\set b random(1, 40000)
\set r random(1, 10)
BEGIN;
UPDATE s SET v = v - 1 WHERE id = least(:a, :b);
SAVEPOINT x;
UPDATE s SET v = v + 5, t = 'new' || :r WHERE id = :b;
ROLLBACK TO x;
UPDATE s SET v = v + 1 WHERE id = greatest(:a, :b);
\if :r = 1
DELETE FROM s WHERE id = :a AND id <> :b AND v = 100;
INSERT INTO s SELECT :a, :a % 20, 100, 'back' WHERE NOT EXISTS (SELECT FROM s WHERE id = :a);
\endif
\if :r = 2
ROLLBACK;
\else
COMMIT;
\endif
});
append_to_file("$dir/read.sql", q{
\set r random(1, 5)
BEGIN ISOLATION LEVEL REPEATABLE READ;
\if :r = 1
SELECT check_s('SELECT g, count(*), sum(v), min(id), max(t COLLATE "C") FROM s GROUP BY g');
\elif :r = 2
SELECT check_s('SELECT t, count(*), sum(v) FROM s WHERE v <> 100 GROUP BY t');
\elif :r = 3
SELECT check_s('SELECT count(*), sum(v) FROM s');
\elif :r = 4
SELECT check_s('SELECT ctid, id, v, md5(t) FROM s TABLESAMPLE BERNOULLI (30) REPEATABLE (1) WHERE v <> 99 AND t <> ''new3''');
\else
UPDATE s SET g = g WHERE id BETWEEN 10 AND 300 AND id % 7 = 0 AND false;
SELECT check_s('SELECT length(t), count(*), max(id) FROM s GROUP BY 1');
\endif
COMMIT;
});
append_to_file("$dir/vacuum.sql", "VACUUM s;\n");
my @runs;
foreach my $script ([ 'write', 3 ], [ 'read', 3 ], [ 'vacuum', 1 ])
{
	my $run = start_pgbench($node, $seconds + 108, '-c', $script->[1], '-T', $seconds, '--max-tries=1000', '-f', "$dir/$script->[0].sql");

	$run->{name} = $script->[0];
	push @runs, $run;
}
foreach my $run (@runs)
{
	finish_pgbench($run);
	note("$run->{name}: $run->{transactions}");
	cmp_ok($run->{transactions}, '>', 3, "$run->{name} did something");
	unlike($run->{stderr}, qr/aborted|PANIC|server closed/, "$run->{name}: no session lost")
	  or diag(substr($run->{stderr}, 0, 8000));
}
is($node->safe_psql('postgres', 'SELECT * FROM wrong LIMIT 5'),
	'', 'every snapshot had one answer');
same_answer($node, 'SELECT g, count(*), sum(v) FROM s GROUP BY g ORDER BY g', 'at rest');
is( $node->safe_psql('postgres',
		"SELECT count(*) FROM verify_heapam('s', check_toast := true)"),
	'0',
	'verify_heapam finds nothing');
is( $node->safe_psql('postgres',
		"SELECT (SELECT count(*) FROM pg_check_visible('s')), (SELECT count(*) FROM pg_check_frozen('s'))"
	),
	'0|0',
	'the visibility map is sound');
$node->command_ok([ 'pg_amcheck', '-t', 's', '--heapallindexed', 'postgres' ],
	'pg_amcheck');
no_tasks($node, 'nothing left');
# wraparound is not held up: nothing keeps an old snapshot
is( $node->safe_psql(
		'postgres',
		"SELECT count(*) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid() AND backend_type NOT LIKE 'autovacuum%'"
	),
	'0',
	'no process holds a snapshot');
crash_free($node, 'no crash');
$node->stop;
done_testing();
