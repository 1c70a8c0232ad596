# pg_upgrade: views on gpuagg's, what was measured and rights go along, once.  From this
# version of PostgreSQL to itself, or from the one installed in GPUAGG_UPGRADE_FROM
# (test/versions/upgrade).
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

my $from = $ENV{GPUAGG_UPGRADE_FROM};
# what its programs need and this system lacks
$ENV{LD_LIBRARY_PATH} = join ':', grep { $_ } "$from/lib", $ENV{LD_LIBRARY_PATH} if $from;
my $host = 'gpuagg.device = host';	# the device that the profiles are of
my $old = new_node($from ? [ 'old', install_path => $from ] : 'old', $host);
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
# of what is measured for what it is
$old->safe_psql('postgres', "SELECT gpuagg.calibrate('host', 'low')");
my $profile = q{EXPLAIN (VERBOSE) } . $group;
sub profile_of
{
	my ($node) = @_;
	my $plan = $node->safe_psql('postgres', "SET gpuagg.debug_require = 'require'; $profile");

	return join ', ', $plan =~ /(Profile[^\n]*: [^\n]+)/g;
}
my $before = $old->safe_psql('postgres', $state);
my $used = profile_of($old);
like($used, qr/Profile: measured/, 'plans go by what was measured');
$old->stop;

# as new_node() makes it, but empty
my $new = PostgreSQL::Test::Cluster->new('new');
$new->init(extra => [ initdb_options($new) ]);
$new->append_conf('postgresql.conf',
	"shared_preload_libraries = 'gpuagg'\nfsync = off\nmax_connections = 100\n$host\n");
note('Summary: from PostgreSQL ' . $old->pg_version . ' to ' . $new->pg_version);
isnt($new->pg_version . '', $old->pg_version . '', 'another version') if $from;
# its log and its socket go where it runs
my $dir = PostgreSQL::Test::Utils::tempdir_short();
chdir $dir or die $!;
command_ok(
	[
		"$bin/pg_upgrade", '-d', $old->data_dir, '-D', $new->data_dir,
		'-b', $from ? "$from/bin" : $bin, '-B', $bin, '-p', $old->port, '-P', $new->port, '-s', $dir, '-N'
	],
	'pg_upgrade');
$new->start;
wait_ready($new);
is($new->safe_psql('postgres', $state), $before, 'all is there, once');
is(profile_of($new), $used, 'plans go by the same profile');
cmp_ok($new->safe_psql('postgres', "SELECT gpuagg.calibrate('host', 'low')"), '>', $used =~ /Number: (\d+)/ ? $1 : 1e9,
	'the next one has a number of its own');
same_answer($new, $group, 'a query runs on the device');
is($new->safe_psql('postgres', 'SELECT count(*) FROM tasks'), '0', 'a view on ours');
$new->safe_psql('postgres', 'DROP EXTENSION gpuagg CASCADE');
$new->stop;
done_testing();
