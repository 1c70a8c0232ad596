# pg_upgrade: views on gpuagg's, what was measured and rights go along, once.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $bin = $ENV{PG_BINDIR} // '';
plan skip_all => 'no pg_upgrade' unless -x "$bin/pg_upgrade" && -x "$bin/pg_dumpall";

my $old = new_node('old');
$old->safe_psql(
	'postgres', q{
	CREATE TABLE t AS SELECT i AS id, i % 10 AS g, 'text ' || i % 7 AS s FROM generate_series(1, 20000) i;
	VACUUM (FREEZE, ANALYZE) t;
	CREATE VIEW tasks AS SELECT pid, state FROM gpuagg.tasks;
	CREATE VIEW sample AS SELECT g FROM t TABLESAMPLE gpuagg.random_rows (100) REPEATABLE (1);
	INSERT INTO gpuagg.profile (device_kind, device_name, machine, origin, measured_at, units, memory_bytes, clock_ghz,
		feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
	VALUES ('host', '*', NULL, 'edited', '2026-01-01', 4, 16000000000, 2.6, 151, 50001, 3401, 41, 26, 501);
	INSERT INTO gpuagg.memory_level (profile_id, kind, level, page_bytes, reach_bytes, hit_ns, miss_ns, confidence)
	SELECT max(profile_id), 'cache', 1, 64, 32768, 1.2, 3, 0.5 FROM gpuagg.profile;
	CREATE ROLE measurer;
	GRANT EXECUTE ON FUNCTION gpuagg.calibrate(text, text) TO measurer;});
my $group = 'SELECT s, g, count(*), sum(id) FROM t GROUP BY s, g ORDER BY s, g';
my $state = q{
	SELECT 'profile', md5(string_agg(p::text, ',' ORDER BY profile_id)) FROM gpuagg.profile p UNION ALL
	SELECT 'level', md5(string_agg(l::text, ',' ORDER BY l::text)) FROM gpuagg.memory_level l UNION ALL
	SELECT 'sample', md5(string_agg(g::text, ',' ORDER BY g)) FROM sample UNION ALL
	SELECT 'granted', has_function_privilege('measurer', 'gpuagg.calibrate(text, text)', 'EXECUTE')::text UNION ALL
	SELECT 'group', md5(string_agg(q::text, ',')) FROM (} . $group . ') q';
my $before = $old->safe_psql('postgres', $state);
$old->stop;

# as new_node() makes it, but empty
my $new = PostgreSQL::Test::Cluster->new('new');
$new->init(extra => [ initdb_options($new) ]);
$new->append_conf('postgresql.conf',
	"shared_preload_libraries = 'gpuagg'\nfsync = off\nmax_connections = 100\n");
# its log and its socket go where it runs
my $dir = PostgreSQL::Test::Utils::tempdir_short();
chdir $dir or die $!;
command_ok(
	[
		"$bin/pg_upgrade", '-d', $old->data_dir, '-D', $new->data_dir,
		'-b', $bin, '-B', $bin, '-p', $old->port, '-P', $new->port, '-s', $dir, '-N'
	],
	'pg_upgrade');
$new->start;
wait_ready($new);
is($new->safe_psql('postgres', $state), $before, 'all is there, once');
same_answer($new, $group, 'a query runs on the device');
is($new->safe_psql('postgres', 'SELECT count(*) FROM tasks'), '0', 'a view on ours');
$new->safe_psql('postgres', 'DROP EXTENSION gpuagg CASCADE');
$new->stop;
done_testing();
