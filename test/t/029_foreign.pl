# Tables and partitions on other servers (postgres_fdw): what is pushed there runs on their
# devices, side by side where the plan is asynchronous; answers are those without gpuagg.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @conf = ('shared_buffers = 64MB', 'autovacuum = off', 'jit = off');
my $node = new_node('foreign', @conf);
my @remotes = map {
	new_node("remote$_", @conf, "session_preload_libraries = 'auto_explain'", 'auto_explain.log_min_duration = 0')
} (1, 2);

# Rows of months 0 to 11: 0 to 3 are here, 4 to 7 on the first other server, 8 to 11 on the second.
# A part has its index in the table's name.
my $columns = q{id int, month int, g int, v int8, n numeric(10, 2), f float8, s text COLLATE "C", d date};

sub make_part
{
	my ($where, $part) = @_;

	$where->safe_psql(
		'postgres', qq{
		CREATE TABLE part$part ($columns);
		INSERT INTO part$part SELECT i, $part * 4 + i % 4, i % 50, CASE WHEN i % 7 > 0 THEN i END, i % 1000 / 100.0, i % 8 / 8.0,
			's' || i % 11, date '2024-01-01' + i % 60 FROM generate_series(1, 20000) i;
		CREATE TABLE names (g int PRIMARY KEY, name text);
		INSERT INTO names SELECT i, 'name ' || i % 5 FROM generate_series(0, 49) i;
		VACUUM ANALYZE;});
	return;
}
make_part($node, 0);
make_part($remotes[ $_ - 1 ], $_) foreach (1, 2);

# Schema "device" has tables whose servers prefer the device, schema "stock" those where it is off.
my %options = (
	device => '-c gpuagg.debug_require=prefer -c cursor_tuple_fraction=1',
	stock => '-c gpuagg.enable=off');

$node->safe_psql('postgres', 'CREATE EXTENSION postgres_fdw');
foreach my $schema (sort keys %options)
{
	my $sql = "CREATE SCHEMA $schema; CREATE TABLE $schema.t ($columns) PARTITION BY RANGE (month); CREATE TABLE $schema.far ($columns) PARTITION BY RANGE (month);";

	foreach my $i (1, 2)
	{
		my $server = "${schema}_$i";
		my ($host, $port) = ($remotes[ $i - 1 ]->host, $remotes[ $i - 1 ]->port);
		my $bounds = 'FOR VALUES FROM (' . $i * 4 . ') TO (' . ($i + 1) * 4 . ')';

		$sql .= qq{
			CREATE SERVER $server FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres',
				async_capable 'true', use_remote_estimate 'true', fetch_size '10000', options '$options{$schema}');
			CREATE USER MAPPING FOR CURRENT_USER SERVER $server;
			CREATE FOREIGN TABLE $schema.t$i PARTITION OF $schema.t $bounds SERVER $server OPTIONS (schema_name 'public', table_name 'part$i');
			CREATE FOREIGN TABLE $schema.far$i PARTITION OF $schema.far $bounds SERVER $server OPTIONS (schema_name 'public', table_name 'part$i');
			CREATE FOREIGN TABLE $schema.names$i (g int, name text) SERVER $server OPTIONS (schema_name 'public', table_name 'names');};
	}
	$sql .= qq{
		CREATE TABLE $schema.t0 PARTITION OF $schema.t FOR VALUES FROM (0) TO (4);
		INSERT INTO $schema.t0 TABLE public.part0;};
	$node->safe_psql('postgres', $sql);
}
$node->safe_psql('postgres', "VACUUM ANALYZE device.t0; VACUUM ANALYZE stock.t0; ANALYZE device.t; ANALYZE device.far; ANALYZE stock.t; ANALYZE stock.far");

my $partitionwise = 'SET enable_partitionwise_aggregate = on;';

sub local_settings
{
	my ($schema) = @_;

	return "SET search_path = $schema, public; SET gpuagg.enable = " . ($schema eq 'device' ? "on; SET gpuagg.debug_require = 'prefer';" : 'off;');
}

# How many statements each of the other servers has run on its device
sub remote_runs
{
	return map { scalar(() = slurp_file($_->logfile) =~ /Custom Scan \(GpuAgg\)/g) } @remotes;
}

# The same rows both ways; on the other servers' devices where that is expected
sub compare_query
{
	my ($query, $settings, @on_device) = @_;
	my @before = remote_runs();
	my ($rc, $device, $err) = $node->psql('postgres', local_settings('device') . "$settings $query");

	is($err, '', "no error: $query");
	is($device, $node->safe_psql('postgres', local_settings('stock') . "$settings $query"), "same rows: $query");
	# the log of a statement is written when its cursor is closed, before the answer
	my @after = remote_runs();
	foreach my $i (0, 1)
	{
		if ($on_device[$i]) { cmp_ok($after[$i], '>', $before[$i], 'on the device of server ' . ($i + 1)); }
		else { is($after[$i], $before[$i], 'not on the device of server ' . ($i + 1)); }
	}
	return;
}

sub plan_of
{
	my ($query, $settings) = @_;

	return $node->safe_psql('postgres', local_settings('device') . "$settings EXPLAIN (VERBOSE, COSTS OFF) $query");
}

# ---------- one foreign table: the whole grouping goes there ----------

foreach my $query (
	'SELECT g, count(*), sum(v), avg(n), min(s), max(d) FROM t1 GROUP BY g ORDER BY g',
	'SELECT count(*), sum(v), count(v), min(d) FROM t1',
	q{SELECT s, count(*), sum(n) FILTER (WHERE f > 0.5) FROM t1 WHERE d < '2024-02-01' GROUP BY s HAVING count(*) > 3 ORDER BY s},
	'SELECT month, g, bool_and(v > 0), sum(id) FROM t1 GROUP BY month, g ORDER BY month, g',
	'SELECT g, count(DISTINCT s) FROM t1 GROUP BY g ORDER BY g',
	'SELECT name, count(*), sum(v) FROM t1 JOIN names1 USING (g) GROUP BY name ORDER BY name')
{
	like(plan_of($query, ''), qr/Foreign Scan.*Relations: Aggregate on/s, "pushed down: $query");
	compare_query($query, '', 1, 0);
}
# what is not pushed down: the rows come, and PostgreSQL groups them
$node->safe_psql('postgres', 'CREATE FUNCTION twice(int8) RETURNS int8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN 2 * $1; END $$');
compare_query('SELECT g, sum(twice(v)) FROM t1 GROUP BY g ORDER BY g', '', 0, 0);
# parameters
compare_query('PREPARE p (int) AS SELECT g, count(*), sum(v) FROM t1 WHERE id > $1 GROUP BY g ORDER BY g; EXECUTE p (500);',
	'SET plan_cache_mode = force_generic_plan;', 1, 0);

# ---------- partitions: each groups its own ----------

my $by_month = 'SELECT month, count(*), sum(v), avg(n), max(s) FROM far GROUP BY month ORDER BY month';
my $plan = plan_of($by_month, $partitionwise);
is(scalar(() = $plan =~ /Async Foreign Scan/g), 2, 'partitions on two servers, asynchronous') or diag($plan);
is(scalar(() = $plan =~ /Relations: Aggregate on/g), 2, 'each is grouped where it is');
compare_query($by_month, $partitionwise, 1, 1);
compare_query('SELECT month, g, count(*), sum(v) FROM far GROUP BY month, g HAVING sum(v) > 100000 ORDER BY month, g', $partitionwise, 1, 1);
compare_query('SELECT month, count(*) FROM far WHERE month > 8 GROUP BY month ORDER BY month', $partitionwise, 0, 1);
# which is the right one is not known before: both are asked
compare_query('SELECT month, count(*) FROM far WHERE month = (SELECT 5) GROUP BY month', $partitionwise, 1, 1);
# with a partition that is here
$by_month =~ s/far/t/;
compare_query($by_month, $partitionwise, 1, 1);
# keys that partitions share: rows come, for postgres_fdw sends no partial aggregates
compare_query('SELECT g, count(*), sum(v), avg(n) FROM t GROUP BY g ORDER BY g', $partitionwise, 0, 0);
compare_query('SELECT g, count(*), sum(v), avg(n) FROM t GROUP BY g ORDER BY g', '', 0, 0);
# the part that is here is grouped here, and states are combined
like(plan_of('SELECT g, count(*), sum(v), avg(n) FROM t GROUP BY g', 'SET gpuagg.debug_require = require;'),
	qr/Finalize.*Custom Scan \(GpuAgg\).*Partial: true.*Foreign Scan/s, 'partial groups of the device, and of rows of other servers');
compare_query('SELECT g, count(*), sum(v), avg(v), avg(n), max(s) FROM t GROUP BY g ORDER BY g', 'SET gpuagg.debug_require = prefer;', 0, 0);
# unless the query says how its parts are put together
compare_query(
	'SELECT g, sum(c), sum(s) FROM (SELECT g, count(*) AS c, sum(v) AS s FROM t0 GROUP BY g UNION ALL SELECT g, count(*), sum(v) FROM t1 GROUP BY g
	UNION ALL SELECT g, count(*), sum(v) FROM t2 GROUP BY g) x GROUP BY g ORDER BY g', '', 1, 1);
like(
	plan_of('SELECT g, sum(c) FROM (SELECT g, count(*) AS c FROM t0 GROUP BY g UNION ALL SELECT g, count(*) FROM t1 GROUP BY g) x GROUP BY g', ''),
	qr/Custom Scan \(GpuAgg\).*Foreign Scan/s, 'the part that is here on its own device');
like( $node->safe_psql('postgres', q{SET search_path = device; SELECT * FROM gpuagg.why_not('SELECT g, count(DISTINCT v) FROM t GROUP BY g')}),
	qr/foreign table/, 'why_not() tells');

# ---------- trouble there ----------

# a device that fails is the other server's own matter
foreach my $fault (qw(begin pages results))
{
	$remotes[0]->safe_psql('postgres', "ALTER SYSTEM SET gpuagg.debug_fault = '$fault'; SELECT pg_reload_conf()");
	$remotes[0]->poll_query_until('postgres', "SELECT current_setting('gpuagg.debug_fault') = '$fault'");
	compare_query('SELECT g, count(*), sum(v) FROM t1 GROUP BY g ORDER BY g', '', 1, 0);
}
$remotes[0]->safe_psql('postgres', "ALTER SYSTEM RESET gpuagg.debug_fault; SELECT pg_reload_conf()");
$remotes[0]->poll_query_until('postgres', "SELECT current_setting('gpuagg.debug_fault') = 'none'");
# errors of values come as PostgreSQL's
my ($rc, $out, $err) = $node->psql('postgres', local_settings('device') . 'SELECT g, sum(1 / (id - 7)) FROM t1 GROUP BY g');
like($err, qr/division by zero/, 'an error there is an error here');
# transactions: what this one has changed there is seen there
compare_query('BEGIN; UPDATE t1 SET v = 5 WHERE id < 100; SELECT g, count(*), sum(v) FROM t1 GROUP BY g ORDER BY g; ROLLBACK;', '', 1, 0);
no_tasks($_, 'nothing is left') foreach (@remotes, $node);
crash_free($_, 'no crash') foreach (@remotes, $node);
$_->stop foreach ($node, @remotes);
done_testing();
