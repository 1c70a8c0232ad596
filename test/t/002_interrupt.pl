# Cancel, timeout, termination and death, of backends and of the worker, while
# a task runs: quick, without traces, and never a wrong or lost answer.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = new_node(
	'interrupt',
	'gpuagg.cache = off',		# over cached columns a GPU would soon be done
	'shared_buffers = 256MB',
	'restart_after_crash = on',
	'log_min_messages = info');
slow_table($node, 24000);
my $slow = slow_query(2, $node);
my $require = "SET gpuagg.debug_require = 'require';";
my $fast = "SELECT g, count(*), sum(id) FROM slow GROUP BY g ORDER BY g";

sub intact
{
	my ($what) = @_;

	no_tasks($node, "$what: nothing is left on the device");
	is( $node->safe_psql(
			'postgres',
			"SELECT count(*) FROM pg_locks WHERE relation = 'slow'::regclass"),
		'0',
		"$what: no lock is left");
	# a pin that is left would keep VACUUM from freezing
	$node->safe_psql('postgres',
		"SET statement_timeout = '20s'; VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) slow");
	same_answer($node, $fast, "$what: the next query is right");
	return;
}

my $begin = time;
my $reference = $node->safe_psql('postgres', "$require $slow");
my $alone = time - $begin;
note("the slow query takes $alone s");
cmp_ok($alone, '>', 1, 'the slow query is slow enough to be interrupted');

# pins of a task in progress: a share of shared_buffers, and not so long on one page
# that VACUUM, which waits for each of them, would not get on; this one freezes, for
# the first time
$node->safe_psql('postgres', 'CREATE EXTENSION pg_buffercache');
my $pins = 'SELECT count(*) FROM pg_buffercache WHERE pinning_backends > 0 AND relfilenode = pg_relation_filenode(\'slow\')';
my $share = $node->safe_psql('postgres',
	"SELECT setting::int / least(current_setting('max_connections')::int, 16) FROM pg_settings WHERE name = 'shared_buffers'");
my $psql = start_psql($node, "$require $slow;");
wait_task($node);
my $most = 0;
for (my $looks = 0; $looks < 5 || $most == 0 && $looks < 100; $looks++)
{
	my $pinned = $node->safe_psql('postgres', $pins);
	$most = $pinned if $pinned > $most;
}
cmp_ok($most, '>', 0, 'a task has pages pinned');
cmp_ok($most, '<=', $share, "a task's share of them at most ($most)");
finish_psql($psql);
is($psql->{stdout}, $reference, 'which hurts nobody');
$psql = start_psql($node, "$require $slow;");
wait_task($node);
$begin = time;
my ($rc, $out, $err) = $node->psql('postgres',
	"SET statement_timeout = '60s'; VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) slow");
is($err, '', 'VACUUM of pages that a task has pinned');
note(sprintf 'took %.2f s', time - $begin);
finish_psql($psql);
is($psql->{stdout}, $reference, 'the answer beside it is right');
is($node->safe_psql('postgres',
		"SELECT count(*) FROM pg_class WHERE relname = 'slow' AND age(relfrozenxid) < 100 AND relallvisible = relpages"),
	'1', 'it has frozen all of them');
# but for a moment by who writes them
ok($node->poll_query_until('postgres', "SELECT ($pins) = 0"), 'no page is pinned any more');

# statement_timeout
$psql = finish_psql(
	start_psql($node, "$require SET statement_timeout = '300ms'; $slow;"));
like($psql->{stderr}, qr/canceling statement due to statement timeout/,
	'statement_timeout');
cmp_ok($psql->{seconds}, '<', 2.3, 'statement_timeout acts within 2 s');
intact('statement_timeout');

# cancel, from another session; the transaction's other work goes on
$psql = start_psql($node,
	"$require\n\\set ON_ERROR_STOP 0\nBEGIN; SAVEPOINT s;\n$slow;\nROLLBACK TO s; SELECT 'alive', count(*) FROM slow; COMMIT;\n"
);
my $pid = wait_task($node);
$begin = time;
is($node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)"),
	't', 'cancel');
ok( $node->poll_query_until(
		'postgres', 'SELECT count(*) = 0 FROM gpuagg.tasks'),
	'the cancelled task goes');
cmp_ok(time - $begin, '<', 2.3, 'cancel acts within 2 s');
finish_psql($psql);
like($psql->{stderr}, qr/canceling statement due to user request/, 'cancelled');
is($psql->{stdout}, 'alive|24000', 'the transaction goes on');
intact('cancel');

# a sampled scan, while the device chooses rows and while they are returned
(my $patterns = $slow) =~ s/.*?count\(\*\) FILTER \(WHERE (.*?)\) FROM slow.*/$1/s;
$patterns =~ s/\), count\(\*\) FILTER \(WHERE / OR /g;
my $rows = "SELECT id FROM slow TABLESAMPLE BERNOULLI (100) WHERE $patterns";
$psql = start_psql($node, "$require $rows;");
$pid = wait_task($node);
$begin = time;
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
finish_psql($psql);
cmp_ok(time - $begin, '<', 2.3, 'cancel of a sampled scan acts within 2 s');
like($psql->{stderr}, qr/canceling statement due to user request/, 'cancelled');
intact('cancel of a sampled scan');
$psql = finish_psql(start_psql($node,
	"$require SET statement_timeout = '1s'; SELECT id, pg_sleep(0.01) FROM slow TABLESAMPLE BERNOULLI (90);"));
like($psql->{stderr}, qr/canceling statement due to statement timeout/, 'timeout while rows are returned');
intact('timeout while rows are returned');

# many groups, while PostgreSQL looks at them one by one
$node->safe_psql('postgres', q{
	CREATE TABLE many AS SELECT i AS id, i % 1000 AS g, i / 8.0::float8 AS f, 'key ' || i % 5000 AS k FROM generate_series(1, 300000) i;
	VACUUM (FREEZE, ANALYZE) many;});
my $tasks = counter($node, 'tasks');
$psql = start_psql($node,
	"$require SELECT id, count(*) FROM many GROUP BY id HAVING md5(repeat(id::text || count(*), 3000)) = '';");
ok( $node->poll_query_until('postgres',
		"SELECT value > $tasks AND NOT EXISTS (SELECT FROM gpuagg.tasks) FROM gpuagg.stat WHERE name = 'tasks'"),
	'the device has done its part');
$pid = $node->safe_psql('postgres',
	"SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT id, count(*) FROM many%'");
is($node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)"),
	't', 'cancel while groups are returned');
$begin = time;
finish_psql($psql);
cmp_ok(time - $begin, '<', 2.3, 'acts within 2 s');
like($psql->{stderr}, qr/canceling statement due to user request/, 'cancelled');
intact('cancel while groups are returned');

# A timeout at ever later moments, until the query is done before it
sub timeouts
{
	my ($name, $before, $query) = @_;
	my ($cancelled, $slowest, @wrong) = (0, 0);
	my $begin = time;

	$node->psql('postgres', 'SELECT 1');
	my $client = time - $begin;		# what of the time is psql's
	for (my $ms = 1;; $ms = int($ms * 1.4) + 1)
	{
		$node->safe_psql('postgres', $before);
		my $start = time;
		my (undef, $answer, $error) = $node->psql('postgres',
			"$require SET gpuagg.cache = on; SET statement_timeout = $ms; $query");
		my $late = time - $start - $ms / 1000 - $client;

		last if $error eq '' || $ms > 60_000;
		$cancelled++;
		$slowest = $late if $late > $slowest;
		push @wrong, $error if $error !~ /canceling statement due to statement timeout/;
		no_tasks($node, "$name: nothing is left after $ms ms");
	}
	cmp_ok($cancelled, '>', 0, "$name: cancelled $cancelled times");
	cmp_ok($slowest, '<', 2.3, "$name: within 2 s each");
	is("@wrong", '', "$name: no other error");
	intact($name);
	return;
}

my $all = 'SELECT id, g, k, count(*), sum(f) FROM many GROUP BY id, g, k ORDER BY id LIMIT 10';
timeouts('many groups', "SELECT gpuagg.unload('many')", $all);
timeouts('load', "SELECT gpuagg.unload('many')", "SELECT gpuagg.load('many')");
same_answer($node, "SET gpuagg.cache = on; $all", 'what was loaded in the end is right');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM gpuagg.cache'), '>', 0, 'and is there');
$node->safe_psql('postgres', "SELECT gpuagg.unload('many')");
# a load that is cut off leaves nothing that is wrong
$node->psql('postgres', "SET gpuagg.cache = on; SET statement_timeout = 20; SELECT gpuagg.load('many')");
same_answer($node, "SET gpuagg.cache = on; $all", 'after a load that was cut off');
$node->safe_psql('postgres', "SELECT gpuagg.unload('many')");

# progress can be watched, by its owner and by pg_monitor only
$node->safe_psql('postgres', 'CREATE ROLE nosy LOGIN; CREATE ROLE watcher LOGIN IN ROLE pg_monitor');
$psql = start_psql($node, "$require $slow;");
$pid = wait_task($node);
$node->poll_query_until('postgres',
	"SELECT count(*) > 0 FROM gpuagg.tasks WHERE pid = $pid AND pages_done > 0 AND memory > 0"
);
is( $node->safe_psql(
		'postgres',
		"SELECT relation, state, pages_done BETWEEN 1 AND pages_total, pages_total = pg_relation_size('slow') / 8192, datname, usename IS NOT NULL, memory > 0 FROM gpuagg.tasks WHERE pid = $pid"
	),
	'slow|running|t|t|postgres|t|t',
	'progress');
is( $node->safe_psql(
		'postgres', 'SELECT count(*) FROM gpuagg.tasks WHERE relid IS NOT NULL',
		extra_params => [ '-U', 'nosy' ]),
	'0',
	"others' tasks are hidden");
is( $node->safe_psql(
		'postgres', 'SELECT count(*) FROM gpuagg.tasks WHERE relid IS NOT NULL',
		extra_params => [ '-U', 'watcher' ]),
	'1',
	'pg_monitor sees them');
# termination
$begin = time;
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
finish_psql($psql);
cmp_ok(time - $begin, '<', 2.3, 'termination acts within 2 s');
like($psql->{stderr}, qr/terminating connection due to administrator command/,
	'terminated');
intact('terminate');

# a client that is gone
$psql = start_psql($node,
	"SET client_connection_check_interval = '100ms'; $require $slow;");
$pid = wait_task($node);
$psql->{run}->signal('KILL');
ok( $node->poll_query_until(
		'postgres',
		"SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid"),
	'the backend of a lost client goes');
eval { $psql->{run}->finish; };
intact('lost client');

# the worker is told to stop, or killed by its own exit, in the middle of a
# query: PostgreSQL answers, or the host device in the place of a GPU, and the
# worker comes back
my $gpu = device_kind($node) ne 'host';
my $counter = $gpu ? 'redone' : 'fallbacks_device';
my $worker = worker_pid($node);
my $before = counter($node, $counter);
$psql = start_psql($node,
	"SET jit = off; SET gpuagg.debug_require = prefer; $slow;");
wait_task($node);
kill 'TERM', $worker;
finish_psql($psql);
is($psql->{stdout}, $reference, 'SIGTERM to the worker: the query answers');
ok(wait_ready($node), 'the worker is back');
isnt(worker_pid($node), $worker, 'as another process');
is( $node->safe_psql('postgres',
		"SELECT restarts > 0 FROM gpuagg.devices WHERE state = 'ready'"),
	't', 'the restart is counted');
cmp_ok(counter($node, $counter), '>', $before, 'who answered is counted');
intact('worker SIGTERM');
# the same without fallback: an error, and the next query runs
$psql = start_psql($node,
	"SET gpuagg.fallback = off; SET jit = off; SET gpuagg.debug_require = prefer; $slow;"
);
wait_task($node);
kill 'TERM', worker_pid($node);
finish_psql($psql);
if ($gpu)
{
	is($psql->{stdout}, $reference,
		'SIGTERM to the worker without fallback: the host device answers');
}
else
{
	like(
		$psql->{stderr},
		qr/ERROR:  the device stopped before the query was done/,
		'SIGTERM to the worker without fallback: an error');
}
ok(wait_ready($node), 'the worker is back again');
intact('worker SIGTERM without fallback');
# pg_terminate_backend reaches the worker as well; SIGHUP and SIGINT do not hurt
$worker = worker_pid($node);
kill 'HUP', $worker;
$node->reload;
same_answer($node, $fast, 'after SIGHUP');
is(worker_pid($node), $worker, 'SIGHUP does not stop the worker');
# a query that comes while no worker is there waits or is answered by PostgreSQL
kill 'TERM', $worker;
is( $node->safe_psql('postgres',
		"SET jit = off; SET gpuagg.debug_require = prefer; $fast"),
	$node->safe_psql('postgres', "SET gpuagg.enable = off; $fast"),
	'a query in the gap is answered');
ok(wait_ready($node), 'the worker is back once more');

# kill -9 of a backend in the middle of a task: PostgreSQL restarts all
# processes; then all works, and nothing is orphaned
crash_free($node, 'no crash so far');
my $postmaster = (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];
$worker = worker_pid($node);
$psql = start_psql($node, "$require $slow;");
$pid = wait_task($node);
kill_and_recover($node, $pid);
finish_psql($psql);
isnt($psql->{stderr}, '', 'the killed session is gone');
ok(wait_ready($node), 'with a device');
intact('kill -9 of a backend');
is(kill(0, $worker), 0, 'the old worker is gone');
# kill -9 of the worker
$worker = worker_pid($node);
$psql = start_psql($node, "$require $slow;");
wait_task($node);
kill_and_recover($node, $worker);
finish_psql($psql);
ok(wait_ready($node), 'the server recovers from a killed worker');
intact('kill -9 of the worker');
is( (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0],
	$postmaster, 'the postmaster stayed');

# shutdown in the middle of a task is quick
$psql = start_psql($node, "$require $slow;");
wait_task($node);
$begin = time;
$node->stop('fast');
cmp_ok(time - $begin, '<', 5, 'fast shutdown does not wait for a task');
finish_psql($psql);
my $log = slurp_file($node->logfile);
unlike($log, qr/PANIC:|TRAP: /, 'no panic');
my @signals = $log =~ /was terminated by signal (\d+)/g;
is_deeply([ sort @signals ], [ 9, 9 ], 'only our own kills show in the log');
done_testing();
