# A partitioned table that is read by the device and by PostgreSQL's parallel workers, below
# one Gather: which process runs the device's part, what EXPLAIN tells of it, rescans, none
# to be had, and processes that are cancelled or told to end with a task at the device.
# Partitions of an access method that is heap under another name (test/lib/other_heap.c)
# are PostgreSQL's; a provider made of the host device stands for a GPU
# (test/lib/fake_device.c), which reads as slowly as it is told.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $tmp = PostgreSQL::Test::Utils::tempdir();
my $fake = fake_cards($tmp);
plan skip_all => 'needs a C compiler, PostgreSQL\'s headers and our sources'
  unless defined $fake && build_module('other_heap', $tmp);

my $node = new_node(
	'gather',
	'shared_buffers = 128MB',
	'max_worker_processes = 8',
	'max_parallel_workers = 4',
	"gpuagg.device = 'auto'",
	$fake,
	'gpuagg.host_threads = 2',
	'gpuagg.watchdog = 20',
	'autovacuum = off');

sub sql { return $node->safe_psql('postgres', $_[0]); }

sql(qq{
	CREATE FUNCTION other_heap_handler(internal) RETURNS table_am_handler LANGUAGE C AS '$tmp/other_heap';
	CREATE ACCESS METHOD other_heap TYPE TABLE HANDLER other_heap_handler;
	CREATE TABLE p (id int, k int, v int8, n numeric(12,2), w numeric, f float8, t text, b bool) PARTITION BY RANGE (id);
	CREATE TABLE p0 PARTITION OF p FOR VALUES FROM (0) TO (30000);
	CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (30000) TO (60000);
	CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (60000) TO (90000) USING other_heap;
	CREATE TABLE p3 PARTITION OF p FOR VALUES FROM (90000) TO (120000) USING other_heap;
	INSERT INTO p SELECT i, i % 11, nullif(i % 50, 7) * 100000000000, i % 90 / 8.0, (i / 8.0)::numeric(12,3), i % 30 / 4.0, 't' || i % 13, i % 3 = 0
		FROM generate_series(0, 119999) i;
	CREATE FUNCTION unsafe(int) RETURNS int IMMUTABLE PARALLEL UNSAFE LANGUAGE plpgsql AS 'BEGIN RETURN \$1; END';
	VACUUM (FREEZE, ANALYZE);});
is(device_kind($node), 'cuda', 'the fake is the device');

my $cheap = "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;";
my $with = "SET gpuagg.debug_require = 'require'; SET gpuagg.cache = off; $cheap";
my $worker = 'SET parallel_leader_participation = off;';	# so a worker runs the node
my $leader = 'SET max_parallel_workers = 0;';
my $query = 'SELECT k, count(*), sum(v), avg(v), avg(n), min(t COLLATE "C"), sum(w) FROM p GROUP BY k ORDER BY k';
my $stock = sql("SET gpuagg.enable = off; $query");

# ---------- the plan ----------

sub plan_of
{
	my ($set, $q) = @_;

	return sql("$with $set EXPLAIN (COSTS OFF) $q");
}

my $shape = qr/Finalize HashAggregate\n.*Gather\n.*Workers Planned: 2\n\s+->  Parallel Append\n.*->  Parallel Custom Scan \(GpuAgg\)\n.*Tables: 2\n.*Partial: true/s;
like(plan_of('', $query), $shape, 'the device and workers below one Gather');
like(plan_of('', $query), qr/->  Partial HashAggregate\n.*->  Parallel Append\n\s+->  Parallel Seq Scan on p[23] p_\d\n\s+->  Parallel Seq Scan on p[23]/s,
	'the workers read what the device does not');
like(plan_of('', 'SELECT k, count(*) FROM p WHERE id < 90000 GROUP BY k'), qr/Gather\n.*Partial HashAggregate\n[^\n]*Group Key[^\n]*\n\s+->  Parallel Seq Scan on p2/s, 'one such table');
foreach my $case (
	[ 'SET max_parallel_workers_per_gather = 0;', $query, 'no parallel query' ],
	[ 'SET enable_parallel_append = off;', $query, 'no Parallel Append' ],
	[ 'SET parallel_setup_cost = 1e9;', $query, 'Gather is dear' ],
	[ '', 'SELECT k, count(*) FROM p WHERE unsafe(id) > 3 GROUP BY k', 'what workers may not do' ])
{
	unlike(sql("SET gpuagg.debug_require = 'prefer'; $cheap $case->[0] EXPLAIN (COSTS OFF) $case->[1]"), qr/Gather/, $case->[2]);
}
like(sql("SET gpuagg.cost_scale = 0.001; $cheap EXPLAIN (COSTS OFF) $query"), $shape, 'it is a matter of cost');

# ---------- answers ----------

foreach my $set ('', $worker, $leader, "$worker SET gpuagg.strategy = 'multi-pass-naive';", 'SET gpuagg.debug_feeders = 2;', 'SET gpuagg.cache = on;')
{
	foreach my $q ($query,
		'SELECT count(*), sum(v), avg(n), min(f), max(id), sum(w) FROM p',
		'SELECT count(*), sum(v), avg(n) FROM p WHERE k = 77',
		'SELECT id, count(*), avg(v) FROM p GROUP BY id ORDER BY id',
		'SELECT t, k, stddev(v), var_pop(n), bool_or(b), count(*) FILTER (WHERE b) FROM p GROUP BY t, k HAVING sum(v) > 5 ORDER BY t, k',
		'SELECT DISTINCT k, b FROM p ORDER BY k, b',
		'SELECT upper(t), avg(v) FROM p GROUP BY 1 ORDER BY 1',
		'SELECT k, avg(f)::numeric(20,6), stddev(f)::numeric(20,6) FROM p GROUP BY k ORDER BY k',
		# 19's states of it are not combined
		$node->pg_version->major < 19 ? 'SELECT k, corr(f, id)::numeric(20,6) FROM p GROUP BY k ORDER BY k' : (),
		'SELECT k, count(*) FROM p WHERE id BETWEEN 29000 AND 61000 AND v > (SELECT avg(v) FROM p1) GROUP BY k ORDER BY k',
		'SELECT g.x, s.* FROM generate_series(1, 3) g(x) LEFT JOIN (SELECT count(*) AS c, sum(v) FROM p OFFSET 0) s ON s.c > g.x ORDER BY 1')
	{
		is(sql("$with $set SET enable_material = off; $q"), sql("SET gpuagg.enable = off; $q"), "$set $q");
	}
}

# ---------- what EXPLAIN tells of a run in a worker ----------

sub analyzed
{
	my ($set, $q) = @_;

	return sql("$with $set EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, SUMMARY OFF) $q");
}

foreach my $set ($worker, $leader)
{
	my $text = analyzed($set, $query);

	like($text, qr/Rows Scanned: 60000\n.*Device: cuda|Device: cuda.*Rows Scanned: 60000/s, "$set rows and device");
	like($text, qr/Workers Launched: @{[$set eq $worker ? 2 : 0]}/, "$set workers");
	like($text, qr/Parallel Custom Scan \(GpuAgg\) [^\n]*rows=11(?:\.00)? loops=1\)/, "$set one process runs it") if $set eq $leader;
}
like(analyzed("$worker SET enable_material = off;", 'SELECT g.x, s.* FROM generate_series(1, 3) g(x) LEFT JOIN (SELECT count(*) AS c, sum(v) FROM p OFFSET 0) s ON s.c > g.x'),
	qr/Device Runs: 3\n.*Rows Scanned: 180000/s, 'rescans: each in workers of its own, all counted');
like(analyzed("$worker SET gpuagg.debug_require = 'prefer'; SET gpuagg.debug_fault = 'results';", $query), qr/Fallback Reason: /, 'a fallback in a worker');
like(analyzed("$leader SET gpuagg.debug_require = 'prefer'; SET gpuagg.debug_fault = 'results';", $query), qr/Fallback Reason: /, 'and in the leader');

# ---------- parameters, cursors, transactions ----------

is(sql("$with $worker SET plan_cache_mode = 'force_generic_plan'; PREPARE q(int, int) AS SELECT count(*), sum(id) FROM p WHERE id >= \$1 AND id < \$2;
	EXECUTE q(10, 20); EXECUTE q(59990, 60010); EXECUTE q(70000, 70010); EXECUTE q(200000, 200001);"),
	"10|145\n20|1199990\n10|700045\n0|", 'pruned when execution begins');
is(sql("$with $worker BEGIN; UPDATE p SET v = 5 WHERE id = 3 OR id = 80000; INSERT INTO p (id, k, v) VALUES (4, 77, 1), (80001, 77, 2);
	SELECT k, count(*), sum(v) FROM p WHERE k = 77 GROUP BY k; ROLLBACK; BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM p WHERE k = 77; COMMIT;"),
	"77|2|3\n0", 'what the transaction has written itself');
is(sql("$with BEGIN; DECLARE c CURSOR FOR $query; FETCH 2 FROM c; SAVEPOINT a; FETCH 1 FROM c; ROLLBACK TO a; FETCH 1 FROM c; CLOSE c; SELECT 'end'; COMMIT;"),
	join("\n", (split /\n/, $stock)[0 .. 3], 'end'), 'a cursor that is closed early');
is(sql("$with $query LIMIT 1"), (split /\n/, $stock)[0], 'a LIMIT');

# ---------- errors ----------

foreach my $set ($worker, $leader)
{
	my ($rc, $out, $err) = $node->psql('postgres', "$with $set SELECT k, sum(v / (id - 5)) FROM p GROUP BY k");

	like($err, qr/ERROR:  division by zero/, "$set an error of the data");
	foreach my $fault ('begin', 'pages', 'finish', 'results', 'memory')
	{
		is(sql("$with $set SET gpuagg.debug_require = 'prefer'; SET gpuagg.debug_fault = '$fault'; $query"), $stock, "$set $fault: PostgreSQL's plan in its place");
	}
	fake_does('fault 1');
	is(sql("$with $set SET gpuagg.debug_require = 'prefer'; $query"), $stock, "$set the GPU fails: the host device answers");
	fake_does('lost 1');
	is(sql("$with $set SET gpuagg.debug_require = 'prefer'; $query"), $stock, "$set the GPU is lost");
	fake_does();
	wait_ready($node);
}

# ---------- processes that are stopped ----------

my $workers = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND query LIKE '%GROUP BY k ORDER BY k%' ORDER BY pid};

# A query whose task is with the device; gives its psql, the backend's pid, and the pid of who runs the task
sub start_query
{
	fake_does('hold');
	my $psql = start_psql($node, "$with $worker $query;");
	my ($backend, $runs);
	for (1 .. 200)
	{
		$runs = sql("SELECT pid FROM gpuagg.tasks WHERE state = 'running' AND pages_done > 0");
		last if $runs ne '';
		sleep 0.02;
	}
	$backend = sql("SELECT leader_pid FROM pg_stat_activity WHERE pid = 0$runs");
	isnt($backend, '', 'a worker has a task at the device') or die 'it has not';
	return ($psql, $backend, $runs);
}

foreach my $case (
	[ 'the worker is cancelled', 'pg_cancel_backend', 2, qr/canceling statement due to user request/ ],
	[ 'the worker is terminated', 'pg_terminate_backend', 2, qr/terminating background worker "parallel worker" due to administrator command/ ],
	[ 'the backend is cancelled', 'pg_cancel_backend', 1, qr/canceling statement due to user request/ ],
	[ 'the backend is terminated', 'pg_terminate_backend', 1, qr/terminating connection due to administrator command/ ])
{
	my ($name, $function, $which, $error) = @$case;
	my @started = start_query();
	my $begin = time;

	sql("SELECT $function($started[$which])");
	finish_psql($started[0]);
	like($started[0]->{stderr}, $error, $name);
	cmp_ok(time - $begin, '<', 4, "$name: within seconds");
	fake_does();
	no_tasks($node, "$name: nothing is left on the device");
	ok($node->poll_query_until('postgres', "SELECT NOT EXISTS ($workers)"), "$name: no worker is left");
	is(sql("$with $worker $query"), $stock, "$name: the next query is right");
}
crash_free($node, 'nothing crashed');
done_testing();
