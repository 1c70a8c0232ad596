# Backups: every format of dump, restored by any number of jobs, whole, in parts or
# over a new extension, brings back what was measured, whole.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @parts = qw(memory_level tlb_group random_access ceiling kernel host_pattern thread_scaling cost_unit curve);
my $node = new_node('backup', 'gpuagg.device = host');	# the device that the profiles are of
my $dir = PostgreSQL::Test::Utils::tempdir();

# Two profiles; the larger a table, the earlier a restore begins with it
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t AS SELECT i AS id, i % 10 AS g FROM generate_series(1, 1000) i;
	INSERT INTO gpuagg.profile (device_kind, device_name, machine, origin, measured_at, units, memory_bytes, clock_ghz,
		feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
	SELECT 'host', name, gpuagg.machine(), 'measured', '2026-01-01', 4, 16000000000, 2.6, 151, 50001, 3401, 41, 26, 501
	FROM gpuagg.devices, generate_series(1, 2) WHERE state = 'ready';
	INSERT INTO gpuagg.memory_level (profile_id, kind, level, page_bytes, reach_bytes, hit_ns, miss_ns, confidence)
	SELECT profile_id, 'cache', l, 64, 32768 * l, 1.2, 3, 0.5 FROM gpuagg.profile, generate_series(1, 3) l WHERE profile_id > 0;
	INSERT INTO gpuagg.tlb_group SELECT profile_id, u, u / 2 FROM gpuagg.profile, generate_series(0, 99) u WHERE profile_id > 0;
	INSERT INTO gpuagg.random_access SELECT profile_id, 1024 * r, 1e9, 1e9, 1e9 FROM gpuagg.profile, generate_series(1, 40) r WHERE profile_id > 0;
	INSERT INTO gpuagg.ceiling SELECT profile_id, 'c' || c, c, NULL FROM gpuagg.profile, generate_series(1, 20) c WHERE profile_id > 0;
	INSERT INTO gpuagg.kernel SELECT profile_id, 'k' || k, 256, 32, 0, 0, k FROM gpuagg.profile, generate_series(1, 20) k WHERE profile_id > 0;
	INSERT INTO gpuagg.host_pattern SELECT profile_id, w, false, 1024, w FROM gpuagg.profile, generate_series(1, 4) w WHERE profile_id > 0;
	INSERT INTO gpuagg.thread_scaling SELECT profile_id, n, n FROM gpuagg.profile, generate_series(1, 16) n WHERE profile_id > 0;
	INSERT INTO gpuagg.cost_unit SELECT profile_id, 'SELECT ' || n, n, n FROM gpuagg.profile, generate_series(1, 5) n WHERE profile_id > 0;
	INSERT INTO gpuagg.curve SELECT profile_id, 'chase', 64, x, x FROM gpuagg.profile, generate_series(1, 20000) x WHERE profile_id > 0;});

# All rows, and the next number of a profile
my $state = join "\nUNION ALL\n",
  map { "SELECT '$_', count(*), md5(string_agg(r::text, ',' ORDER BY r::text COLLATE \"C\")) FROM gpuagg.$_ r" }
  'profile', @parts;
$state .= "\nUNION ALL SELECT 'next', last_value, is_called::text FROM gpuagg.profile_profile_id_seq";
my $before = $node->safe_psql('postgres', $state);
my $empty = $node->safe_psql('postgres', "BEGIN; DELETE FROM gpuagg.profile WHERE profile_id > 0; $state; ROLLBACK");
unlike($empty, qr/^curve\|[1-9]/m, 'a profile goes with all that belongs to it');
like($before, qr/^curve\|40000\|/m, 'there is something to lose');

sub dump_to
{
	my ($name, @options) = @_;

	command_ok([ 'pg_dump', '-f', "$dir/$name", @options, $node->connstr('postgres') ], "pg_dump: $name");
	return "$dir/$name";
}

sub restore
{
	my ($database, $file, @options) = @_;

	return command_ok([ 'pg_restore', '-e', '-d', $node->connstr($database), @options, $file ],
		"pg_restore @options");
}

# What fill does to an empty database leaves what there was before.
my $n = 0;
sub comes_back
{
	my ($name, $setup, $fill) = @_;
	my $database = 'restored' . $n++;

	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	$node->safe_psql($database, $setup) if $setup;
	$fill->($database);
	is($node->safe_psql($database, $state), $before, "$name: all rows are there");
	return $database;
}

sub run_script
{
	my ($file) = @_;

	return sub {
		command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, $node->connstr($_[0]) ], "psql -f $file");
	};
}

my $plain = dump_to('plain', '-Fp');
my $custom = dump_to('custom', '-Fc');
my $tar = dump_to('tar', '-Ft');
my $directory = dump_to('directory', '-Fd', '-j2');
my $last = comes_back('plain', '', run_script($plain));
comes_back('inserts', '', run_script(dump_to('inserts', '-Fp', '--rows-per-insert=100')));
comes_back('tar', '', sub { restore($_[0], $tar) });
foreach my $jobs (1, 2, 4)
{
	comes_back("custom, $jobs jobs", '', sub { restore($_[0], $custom, '-j', $jobs) });
	comes_back("directory, $jobs jobs", '', sub { restore($_[0], $directory, '-j', $jobs) });
}
comes_back('one transaction', '', sub { restore($_[0], $custom, '-1') });
comes_back('sections', '', sub { restore($_[0], $directory, '-j4', "--section=$_") for ('pre-data', 'data', 'post-data') });

# data alone
my $tables = 'CREATE EXTENSION gpuagg; CREATE TABLE t (id int, g int)';
comes_back('data only, plain', $tables, run_script(dump_to('data', '-Fp', '--data-only')));
comes_back('data only, of all', $tables, sub { restore($_[0], $directory, '--data-only', '-j4') });
comes_back('data only, no triggers', $tables, sub { restore($_[0], $custom, '--data-only', '--disable-triggers') });
my $data = dump_to('data.d', '-Fd', '--data-only');
comes_back('data only', $tables, sub { restore($_[0], $data, '-j2') });

# the restored profile is one like any other: it counts, and is whole
like(
	$node->safe_psql($last, "SET gpuagg.debug_require = 'prefer'; EXPLAIN (VERBOSE) SELECT g, count(*) FROM t GROUP BY g"),
	qr/Profile: measured/, 'what was measured counts again');
foreach my $part (@parts)
{
	my ($rc, $out, $err) = $node->psql($last,
		"INSERT INTO gpuagg.$part SELECT (jsonb_populate_record(r, '{\"profile_id\": 99}')).* FROM gpuagg.$part r LIMIT 1");

	like($err, qr/profile 99 does not exist/, "$part: rows belong to a profile");
}
my ($rc, $out, $err) = $node->psql($last, 'UPDATE gpuagg.profile SET profile_id = 99 WHERE profile_id = 1');
like($err, qr/the number of a profile cannot be changed/, 'which keeps its number');
$node->safe_psql($last, 'DELETE FROM gpuagg.profile WHERE profile_id = 1');
is( $node->safe_psql($last, join ' UNION ALL ', map { "SELECT count(*) FROM gpuagg.$_ WHERE profile_id = 1" } @parts),
	join("\n", (0) x @parts), 'they go with it');
is( $node->safe_psql($last, join ' UNION ALL ', map { "SELECT count(*) > 0 FROM gpuagg.$_ WHERE profile_id = 2" } @parts),
	join("\n", ('t') x @parts), 'and no others');
$node->stop;
done_testing();
