# A worker that stands still, a kernel that does not end, a device that takes long to
# start: no client is held, every query is answered, and views say what is the matter.
# The device is test/lib/fake_device.c, which holds a task at any step.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# What is promised is a second; machines may be slow, psql has to start.
my $soon = 3;

my $tmp = PostgreSQL::Test::Utils::tempdir();
my $fake = need_fake_cards($tmp);

my $node = new_node(
	'stuck',
	"gpuagg.device = 'cuda'",
	$fake,
	'gpuagg.host_threads = 2',
	'gpuagg.max_tasks = 4',
	'gpuagg.watchdog = 0',
	'shared_buffers = 24MB',
	'autovacuum = off');
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION pg_buffercache;
	CREATE TABLE t (id int, g int, k text);
	INSERT INTO t SELECT i, i % 50, 'key ' || i % 70 FROM generate_series(1, 150000) i;
	VACUUM (FREEZE, ANALYZE) t;});
my $query = 'SELECT g, k, count(*), sum(id) FROM t GROUP BY g, k ORDER BY g, k';
my $reference = $node->safe_psql('postgres', "SET gpuagg.enable = off; $query");
my $prefer = "SET jit = off; SET gpuagg.debug_require = 'prefer';";

sub wait_tasks
{
	my ($n) = @_;

	return $node->poll_query_until('postgres',
		"SELECT count(*) = $n FROM gpuagg.tasks WHERE state = 'running'");
}

sub task_pid
{
	return $node->safe_psql('postgres', 'SELECT min(pid) FROM gpuagg.tasks');
}

sub state
{
	return $node->safe_psql('postgres',
		"SELECT state, why_not FROM gpuagg.devices WHERE state NOT IN ('not used', 'fallback')");
}

# A worker that stands still is stopped by its pid, which the views show all the time.
sub stop_worker
{
	my $pid = $node->safe_psql('postgres', 'SELECT max(pid) FROM gpuagg.devices');

	kill 'STOP', $pid;
	return $pid;
}

sub answers
{
	my ($limit, $name) = @_;
	my $psql = finish_psql(start_psql($node, "$prefer $query;"));

	is($psql->{stdout}, $reference, "$name: the query is answered");
	cmp_ok($psql->{seconds}, '<', $limit, "$name: in time");
	return;
}

# Nothing is left of it, and all of it works.
sub intact
{
	my ($name) = @_;

	no_tasks($node, "$name: nothing is left on the device");
	ok( $node->poll_query_until('postgres',
			'SELECT count(*) = 0 FROM pg_buffercache WHERE pinning_backends > 0 AND relfilenode = pg_relation_filenode(\'t\')'),
		"$name: no page is pinned");
	same_answer($node, "SET gpuagg.cache = off; $query", "$name: the next query, of pages");
	same_answer($node, $query, "$name: the next query, of what is kept");
	return;
}

# ------------------------------------------------ a worker that stands still

my %ends = (
	'statement_timeout' => [ qr/canceling statement due to statement timeout/, '' ],
	'cancel' => [ qr/canceling statement due to user request/, 'pg_cancel_backend' ],
	'terminate' => [ qr/terminating connection due to administrator command/, 'pg_terminate_backend' ]);

foreach my $step (
	[ 'a batch of pages', 'hang 1', 'off' ],
	[ 'the third batch of pages', 'hang 3', 'off' ],
	[ 'kept columns', 'hang 1', 'on' ],
	[ 'the finish', 'hang_finish', 'off' ],
	[ 'the finish, of kept columns', 'hang_finish', 'on' ],
	[ 'results', 'busy 1000000000', 'off' ])
{
	my ($name, $does, $cache) = @$step;

	foreach my $end (sort keys %ends)
	{
		my ($message, $function) = @{ $ends{$end} };
		my $what = "$end, waiting for $name";
		my $timeout = $end eq 'statement_timeout' ? 'SET statement_timeout = 2000;' : '';

		$node->safe_psql('postgres', "SELECT gpuagg.load('t')") if $cache eq 'on';
		fake_does($does);
		my $psql = start_psql($node, "SET gpuagg.cache = $cache; $timeout $prefer $query;");
		wait_tasks(1);
		my $pid = task_pid();
		my $worker = stop_worker();
		my $begin = time;
		$node->safe_psql('postgres', "SELECT $function($pid)") if $function ne '';
		finish_psql($psql);
		like($psql->{stderr}, $message, $what);
		cmp_ok(time - $begin, '<', $soon + ($function eq '' ? 2 : 0), "$what: in time");
		fake_does();
		kill 'CONT', $worker;
		intact($what);
		is(task_pid(), '', "$what: no task is shown");
	}
}

# before it has taken the task
my $worker = stop_worker();
foreach my $timeout (100, 1500)
{
	my $psql = finish_psql(start_psql($node, "SET statement_timeout = $timeout; $prefer $query;"));

	like($psql->{stderr}, $ends{statement_timeout}[0], "timeout after $timeout ms of the begin");
	cmp_ok($psql->{seconds}, '<', $soon + $timeout / 1000, 'in time');
	sleep 0.1;
	kill 'CONT', $worker;
	intact('timeout in the begin');
	stop_worker();
}

# Who comes first finds out, everybody later knows.
answers(5, 'a stuck worker');
answers(1.5, 'a worker known to be stuck');
like(state(), qr/^stuck\|the device worker has not answered for \d+ s$/, 'the view tells');
is($node->safe_psql('postgres', "SELECT why_not FROM gpuagg.why_not('$query') WHERE why_not LIKE 'no device takes tasks at present: the device worker has not answered for%'") ne '',
	1, 'why_not tells');
my ($rc, $out, $err) = $node->psql('postgres', "SET gpuagg.debug_require = 'require'; $query");
like($err, qr/the device was not used: device\nDETAIL:  the device worker has not answered for \d+ s/, 'and so does who requires it');
kill 'CONT', $worker;
ok($node->poll_query_until('postgres', "SELECT state = 'ready' FROM gpuagg.devices WHERE pid IS NOT NULL AND state <> 'fallback'"),
	'it is not stuck any more');
intact('a worker that was stuck');

# All places taken
fake_does('hang 1');
my @four = map { start_psql($node, "SET gpuagg.cache = off; $prefer $query;") } 1 .. 4;
wait_tasks(4);
$worker = stop_worker();
answers(6, 'all places taken');
answers(1.5, 'all places taken, again');
$node->safe_psql('postgres', 'SELECT count(pg_cancel_backend(pid)) FROM gpuagg.tasks');
foreach my $psql (@four)
{
	finish_psql($psql);
	like($psql->{stderr}, $ends{cancel}[0], 'each of them is cancelled');
}
answers(1.5, 'all places left to the worker');
fake_does();
kill 'CONT', $worker;
intact('all places taken');
isnt(worker_pid($node), '', 'the worker goes on');
is(worker_pid($node), $worker, 'and is the same');

# ---------------------------------------- pages that change after they were left

# The device looks at pages of a task whose client has gone; by then they belong to
# another table.  It reads whatever it finds, and keeps none of it.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE other AS SELECT md5(i::text) AS a, repeat(chr(33 + i % 90), i % 300) AS b FROM generate_series(1, 300000) i;
	CREATE TABLE p (id int, k text, f float8);
	INSERT INTO p SELECT i, 'a key of some length ' || i % 1000, i FROM generate_series(1, 20000) i;
	VACUUM (FREEZE, ANALYZE) p;});
foreach my $of ("k, count(*), sum(id), min(k), sum(f) FROM p GROUP BY k", "count(*) FROM p", "k, count(*) FROM p WHERE k LIKE '%7%' GROUP BY k")
{
	$node->safe_psql('postgres', "SELECT gpuagg.unload('p')");
	fake_does('hold');
	my $psql = start_psql($node, "$prefer SELECT $of;");
	wait_tasks(1);
	$node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM gpuagg.tasks WHERE pages_done > 10');
	my $begin = time;
	$node->safe_psql('postgres', 'SELECT pg_cancel_backend(pid) FROM gpuagg.tasks');
	finish_psql($psql);
	cmp_ok(time - $begin, '<', $soon, 'a client does not wait for a device that is slow');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_buffercache WHERE pinning_backends > 0 AND relfilenode = pg_relation_filenode(\'p\')'),
		'0', 'it has dropped its pins');
	$node->safe_psql('postgres',
		'SET gpuagg.enable = off; BEGIN; LOCK p; CREATE TABLE q AS SELECT * FROM other; SELECT count(*) FROM q WHERE a < b; ROLLBACK; UPDATE other SET b = a');
	fake_does();
	no_tasks($node, 'the device has looked at the pages');
	is($node->safe_psql('postgres', 'SELECT coalesce(sum(pages), 0) FROM gpuagg.cache WHERE relation = \'p\'::regclass'),
		'0', 'and keeps none of them');
	same_answer($node, "SELECT $of ORDER BY 1", 'the next task answers');
	same_answer($node, "SELECT $of ORDER BY 1", 'and so it does from what that has kept');
}
is(worker_pid($node), $worker, 'the worker has seen nothing of it');
# who drops the table is not held by a device that still reads it
fake_does('hold');
my $psql = start_psql($node, "SET gpuagg.cache = off; $prefer SELECT k, count(*) FROM p GROUP BY k;");
wait_tasks(1);
$worker = stop_worker();
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(pid) FROM gpuagg.tasks');
finish_psql($psql);
($rc, $out, $err) = $node->psql('postgres', "SET statement_timeout = '10s'; DROP TABLE p");
is($err, '', 'its table can be dropped');
fake_does();
kill 'CONT', $worker;
intact('pages that changed');

# ------------------------------------------------------------- the watchdog

$node->append_conf('postgresql.conf', 'gpuagg.watchdog = 2');
$node->reload;
$node->poll_query_until('postgres', "SELECT setting = '2' FROM pg_settings WHERE name = 'gpuagg.watchdog'");
foreach my $does ('hang 2', 'hang_finish', 'busy 1000000000')
{
	my $log = -s $node->logfile;
	my $losses = counter($node, 'errors');

	$worker = worker_pid($node);
	fake_does($does);
	my $psql = start_psql($node, "SET gpuagg.cache = off; $prefer $query;");
	wait_tasks(1);
	finish_psql($psql);
	is($psql->{stdout}, $reference, "$does: the query is answered");
	cmp_ok($psql->{seconds}, '>', 2, "$does: not too early");
	cmp_ok($psql->{seconds}, '<', 15, "$does: nor too late");
	fake_does();
	ok(wait_ready($node), "$does: the device is ready again");
	isnt(worker_pid($node), $worker, "$does: with a new worker");
	cmp_ok(counter($node, 'errors'), '>', $losses, "$does: the loss is counted");
	like(substr(slurp_file($node->logfile), $log), qr/device lost, restarting its worker: no sign of life of a task for 2 s/, "$does: and told");
	intact($does);
	$node->safe_psql('postgres', 'SELECT gpuagg.reset_device()');
}

# slow, but alive
$worker = worker_pid($node);
fake_does('every 500');
$psql = finish_psql(start_psql($node, "SET gpuagg.cache = off; SET gpuagg.debug_require = 'require'; $query;"));
is($psql->{stdout}, $reference, 'a slow device answers');
cmp_ok($psql->{seconds}, '>', 2, 'after longer than the watchdog');
is(worker_pid($node), $worker, 'which sees that it is alive');
# a client that does not read is not the device's fault
fake_does();
$psql = start_psql($node, "BEGIN; DECLARE c CURSOR FOR SELECT id, count(*) FROM t GROUP BY id; FETCH 10 FROM c; SELECT pg_sleep(3); FETCH 10 FROM c; COMMIT;");
finish_psql($psql);
is($psql->{stderr}, '', 'a client that takes its time');
is(worker_pid($node), $worker, 'nor is that');
# a worker that stands still while a task runs: the client gives it up
fake_does('hang 1');
$psql = start_psql($node, "SET gpuagg.cache = off; $prefer $query;");
wait_tasks(1);
stop_worker();
finish_psql($psql);
is($psql->{stdout}, $reference, 'a task of a worker that stands still is given up');
cmp_ok($psql->{seconds}, '<', 10, 'in time');
kill 'CONT', $worker;
sleep 0.5;
fake_does();
intact('a task that was given up');
is(worker_pid($node), $worker, 'and the device is not blamed for it');

# --------------------------------------------------------------- the start

# tasks run while shared_buffers are being registered
fake_does('registered 37');
$node->restart;
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM gpuagg.devices WHERE progress = 37"), 'a device that goes on starting');
is($node->safe_psql('postgres', 'SELECT kind, state, progress, why_not FROM gpuagg.devices ORDER BY device'),
	"cuda|starting|37|\ncuda|not used||\nhost|fallback||", 'how far it is');
same_answer($node, $query, 'it takes tasks');
is($node->safe_psql('postgres', "SET gpuagg.debug_require = 'prefer'; SELECT count(*) FROM gpuagg.why_not('$query')"), '0', 'nothing keeps queries from it');
fake_does('registered 81');
ok($node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM gpuagg.devices WHERE progress = 81'), 'it goes on, though nobody asks');
my $log_start = -s $node->logfile;
fake_does();
ok(wait_ready($node), 'and is ready');
is($node->safe_psql('postgres', "SELECT progress, why_not FROM gpuagg.devices WHERE state = 'ready'"), '100|', 'with all of them');
like(substr(slurp_file($node->logfile), $log_start), qr/reads 100 % of shared_buffers in place/, 'the log tells');
same_answer($node, $query, 'it takes tasks');

# a device that takes long to open
fake_does('open_sleep 9');
$node->stop;
$node->start;
is($node->safe_psql('postgres', 'SELECT kind, state, progress, why_not FROM gpuagg.devices ORDER BY device'),
	"cuda|starting||the device is starting\ncuda|not used||\nhost|fallback||", 'a device that takes long to open');
$node->poll_query_until('postgres', "SELECT now() - pg_postmaster_start_time() > interval '5.5 s'");
like($node->safe_psql('postgres', "$prefer EXPLAIN (ANALYZE, TIMING OFF) $query"), qr/Fallback Reason: starting/, 'EXPLAIN tells');
is($node->safe_psql('postgres', "$prefer SELECT * FROM gpuagg.why_not('$query')"),
	'no device takes tasks at present: the device is starting', 'why_not tells');
($rc, $out, $err) = $node->psql('postgres', "SET gpuagg.debug_require = 'require'; $query");
like($err, qr/the device was not used: starting\nDETAIL:  the device is starting/, 'and so does who requires it');
unlike(state(), qr/max_worker_processes/, 'none of them has another reason');
ok(wait_ready($node), 'it is ready in the end');
same_answer($node, $query, 'and takes tasks');

# a worker that has no place at all
$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
$node->restart;
is(state(), 'starting|the device is starting', 'no place for a worker: at first nobody knows');
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM gpuagg.devices WHERE why_not = 'the device worker has not started; it needs a place among max_worker_processes'"),
	'then it is told');
answers(1.5, 'no place for a worker');

$node->stop;
crash_free($node, 'no crash');
unlike(slurp_file($node->logfile), qr/refcount leak|PrivateRefCount/, 'no pin was leaked');
done_testing();
