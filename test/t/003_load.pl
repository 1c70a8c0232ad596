# Many clients at once, fewer places than clients, and no leaks over thousands
# of queries.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_node('load', 'shared_buffers = 128MB', 'max_connections = 120');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t AS SELECT i AS id, i % 100 AS g, i % 1000 AS h, i / 8.0::float8 AS f, 'key ' || i % 500 AS k FROM generate_series(1, 50000) i;
	CREATE INDEX ON t (id);
	VACUUM ANALYZE t;
	CREATE TABLE checks (ok bool);});
my $answer = $node->safe_psql('postgres',
	q{SELECT md5(string_agg(x::text, ',' ORDER BY x.g)) FROM (SELECT g, count(*), sum(id) FROM t GROUP BY g) x});

# 64 clients; each checks its answers
my $dir = PostgreSQL::Test::Utils::tempdir();
append_to_file("$dir/mixed.sql", qq{
SET gpuagg.debug_require = 'require';
SELECT k, count(*), sum(id), avg(f) FROM t WHERE h <> :client_id GROUP BY k HAVING sum(id) < 0;
SELECT count(*) AS n, sum(id) AS s FROM t WHERE g = :client_id \\gset
SET gpuagg.debug_require = 'allow';
INSERT INTO checks SELECT :n = 500;
});
sub pgbench
{
	my ($clients, $file, @options) = @_;
	my $run = finish_pgbench(start_pgbench($node, 300, '-c', $clients, '-j', 2, '-f', $file, @options));
	my $failed = !$run->{ok} || $run->{stderr} =~ /error|aborted/i;

	diag($run->{stderr}) if $failed;
	my ($tps) = $run->{stdout} =~ /^tps = ([0-9.]+)/m;
	return $failed ? undef : $tps;
}
my $one = pgbench(1, "$dir/mixed.sql", '-t', 40);
ok(defined $one, 'one client');
my $many = pgbench(64, "$dir/mixed.sql", '-t', 5);
ok(defined $many, '64 clients finish');
note("tps: one client $one, 64 clients $many");
is($node->safe_psql('postgres', 'SELECT count(*), bool_and(ok) FROM checks'),
	'360|t', 'and all get the right answer');
no_tasks($node, '64 clients: nothing left');

# leaks: short queries by the thousand, errors and cursors among them
my $session = $node->background_psql('postgres', on_error_stop => 0);
my $leak = q{
	DO $$
	DECLARE
		n int8;
		r record;
	BEGIN
		FOR i IN 1..%d LOOP
			EXECUTE 'SELECT count(*) FROM t WHERE id < ' || i INTO n;
			FOR r IN SELECT g, count(*) AS n FROM t WHERE id < 2000 GROUP BY g ORDER BY g LIMIT 3 LOOP
				n := n + r.n;
			END LOOP;
			IF i %% 10 = 0 THEN
				BEGIN
					PERFORM sum(1 / (id - 5)) FROM t WHERE id < 3000;
				EXCEPTION WHEN division_by_zero THEN
					NULL;
				END;
			END IF;
		END LOOP;
	END $$;};
$node->safe_psql('postgres', 'CREATE TABLE small AS SELECT * FROM t LIMIT 3000');
(my $leak_small = $leak) =~ s/FROM t /FROM small /g;
$session->query("SET jit = off; SET gpuagg.debug_require = prefer; SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off");
my $pid = $session->query('SELECT pg_backend_pid()');
my $worker = worker_pid($node);
# A backend keeps the relation files that it has read open, as many as it likes (after
# a VACUUM it reads the table's visibility map): only a second time is a leak.
my $open = sub {
	my %relations;
	my @files = grep { defined } map { readlink } glob("/proc/$_[0]/fd/*");
	return join "\n",
	  sort grep { !m{/(base/\d+|global)/\d+[^/]*$} || $relations{$_}++ } @files;
};
my $tasks = counter($node, 'tasks');
$session->query(sprintf $leak_small, 600);
cmp_ok(counter($node, 'tasks') - $tasks, '>=', 1200, 'the device runs them');
my @before = (rss_kb($pid), rss_kb($worker), $open->($pid), $open->($worker));
$node->safe_psql('postgres', 'VACUUM ANALYZE small');
$session->query(sprintf $leak_small, 2000);
my @after = (rss_kb($pid), rss_kb($worker), $open->($pid), $open->($worker));
note("backend RSS $before[0] -> $after[0] kB, worker $before[1] -> $after[1] kB");
cmp_ok($after[0] - $before[0], '<', 1500, 'no leak in the backend');
cmp_ok($after[1] - $before[1], '<', 1500, 'no leak in the worker');
is($after[2], $before[2], 'no file left open in the backend');
is($after[3], $before[3], 'no file left open in the worker');
is($session->query("SELECT count(*) FROM pg_locks WHERE pid = $pid AND relation = 'small'::regclass"),
	'0', 'no lock left');
$session->quit;
# sessions come and go
ok( defined pgbench(8, "$dir/mixed.sql", '-C', '-t', 5),
	'a connection per transaction');
my $rss = rss_kb($worker);
ok(defined pgbench(8, "$dir/mixed.sql", '-C', '-t', 20), 'and more');
cmp_ok(rss_kb($worker) - $rss, '<', 3000, 'no leak in the worker');
is(worker_pid($node), $worker, 'the worker is still the same');
no_tasks($node, 'nothing left on the device');
crash_free($node, 'no crash');
$node->stop;

# one place only: queries queue, visibly, and time out to PostgreSQL's plan
slow: {
	# without cached columns, over which a GPU would soon be done
	my $queue = new_node('queue', 'gpuagg.max_tasks = 1', 'gpuagg.cache = off',
		'shared_buffers = 128MB', 'gpuagg.host_threads = 1');
	slow_table($queue, 10000);
	# longer than all that waits for it below; it is cancelled then
	my $slow = slow_query(6, $queue);
	my $prefer = 'SET jit = off; SET gpuagg.debug_require = prefer;';
	my $fast = 'SELECT g, count(*) FROM slow GROUP BY g ORDER BY g';
	my $stock = $queue->safe_psql('postgres', "SET gpuagg.enable = off; $fast");
	my $psql = start_psql($queue, "$prefer $slow;");

	wait_task($queue);
	my $waiting = start_psql($queue, "$prefer SET gpuagg.queue_timeout = 0; $fast;");
	ok( $queue->poll_query_until(
			'postgres',
			'SELECT bool_or(clients_waiting > 0 OR tasks_queued > 0) FROM gpuagg.devices'),
		'a query that waits can be seen');
	is( $queue->safe_psql(
			'postgres',
			"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Extension' AND query LIKE 'SELECT g, count(*) FROM slow%'"
		),
		'1',
		'with a wait event');
	# out of patience
	my $before = counter($queue, 'fallbacks_queue');
	my $begin = time;
	is( $queue->safe_psql('postgres',
			"$prefer SET gpuagg.queue_timeout = '200ms'; $fast"),
		$stock, 'after gpuagg.queue_timeout PostgreSQL answers');
	note(sprintf 'in %.2f s', time - $begin);
	is(counter($queue, 'fallbacks_queue') - $before, 1, 'and it is counted');
	my ($rc, $out, $err) = $queue->psql('postgres',
		"$prefer SET gpuagg.fallback = off; SET gpuagg.queue_timeout = '100ms'; $fast"
	);
	like($err, qr/ERROR:  no place on the device within gpuagg.queue_timeout/,
		'without fallback it is an error');
	# a waiting query can be cancelled
	($rc, $out, $err) = $queue->psql('postgres',
		"$prefer SET gpuagg.queue_timeout = 0; SET statement_timeout = '200ms'; $fast");
	like($err, qr/statement timeout/, 'a waiting query can be cancelled');
	# the long one goes away: the waiting one gets its turn
	$queue->safe_psql('postgres',
		"SELECT pg_cancel_backend(pid) FROM gpuagg.tasks WHERE state = 'running'");
	finish_psql($psql);
	finish_psql($waiting);
	is($waiting->{stdout}, $stock, 'the waiting query gets its turn');
	# many on one place
	append_to_file("$dir/queue.sql", "$prefer\n$fast;\n");
	$node = $queue;
	ok(defined pgbench(20, "$dir/queue.sql", '-t', 5),
		'20 clients share one place');
	no_tasks($queue, 'nothing left');
	crash_free($queue, 'no crash');
	$queue->stop;
}

# little device memory: smaller, later or in several passes, but right
my $tight = new_node('tight', "gpuagg.device_memory = '16MB'",
	'shared_buffers = 128MB');
$tight->safe_psql('postgres',
	q{CREATE TABLE many AS SELECT i AS id, 'a key of some length ' || i AS k FROM generate_series(1, 300000) i; ANALYZE many}
);
my $query = q{SELECT count(*), sum(n), min(k), max(s) FROM (SELECT k, count(*) AS n, sum(id) AS s FROM many GROUP BY k OFFSET 0) x};
is( $tight->safe_psql('postgres',
		"SET jit = off; SET gpuagg.debug_require = prefer; SET gpuagg.fallback = off; $query"),
	$tight->safe_psql('postgres', "SET gpuagg.enable = off; $query"),
	'more groups than device memory holds');
is(counter($tight, 'fallbacks_memory'), 0, 'the device did it');
no_tasks($tight, 'the memory is given back');
same_answer($tight, 'SELECT id % 10, count(*) FROM many GROUP BY 1 ORDER BY 1',
	'small queries go on');
$tight->stop;
done_testing();
