# Which device runs tasks, and what happens when it is a GPU that fails.  No GPU
# is needed: a provider library made of the host device (test/lib/fake_device.c)
# stands for one and fails on demand.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $tmp = PostgreSQL::Test::Utils::tempdir();
my $fake = build_fake();
plan skip_all => 'needs a C compiler, PostgreSQL\'s headers and our sources'
  unless defined $fake;

# What the fake does; see there.
sub fake_does
{
	my @lines = @_;

	open my $file, '>', "$tmp/fake.conf" or die $!;
	print $file map { "$_\n" } @lines;
	close $file;
	return;
}

# The name of the library below $libdir, or undef if it cannot be built here.
sub build_fake
{
	return build_module('fake_device', $tmp) ?
	  ('../' x 20) . substr("$tmp/fake_device", 1) : undef;
}

sub devices
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		'SELECT device, kind, state, why_not FROM gpuagg.devices ORDER BY device'
	);
}

# Log lines of a kind since the server was last restarted by restart_with.
my $log_start = 0;

sub log_lines
{
	my ($node, $pattern) = @_;
	my @lines = grep { /$pattern/ } split /\n/,
	  substr(slurp_file($node->logfile), $log_start);

	return scalar @lines;
}

sub restart_with
{
	my ($node, @conf) = @_;

	$node->append_conf('postgresql.conf', "$_\n") foreach @conf;
	$log_start = -s $node->logfile;
	$node->restart;
	return wait_ready($node);
}

my $group = 'SELECT g, count(*), sum(id) FROM t GROUP BY g ORDER BY g';
my $stand_in = qr/gpuagg: the host device takes the place of a GPU: /;
my ($rc, $out, $err);

$ENV{GPUAGG_FAKE_DEVICE} = "$tmp/fake.conf";
fake_does();
my $node = new_node(
	'device',
	'shared_buffers = 128MB',
	"gpuagg.device = 'auto'",
	'gpuagg.cache = off',
	"gpuagg.device_provider = 'no_such_library'",
	'gpuagg.host_threads = 2');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t (id int, g int, v text) WITH (autovacuum_enabled = off);
	INSERT INTO t SELECT i, i % 50, CASE WHEN i % 1000 = 0 THEN repeat(md5(i::text), 300) ELSE 'v' END FROM generate_series(1, 200000) i;
	VACUUM ANALYZE t;});

# ------------------------------------------------------------------ choice

is(devices($node), '0|host|ready|', 'auto without a library: the host device');
is(log_lines($node, $stand_in), 0, 'and nothing to tell');
same_answer($node, $group, 'it answers');

restart_with($node, "gpuagg.device = 'cuda'");
is( devices($node),
	'0|host|ready|this installation has no library "no_such_library.so"',
	'cuda without a library: the host device, and why');
is(log_lines($node, $stand_in), 1, 'one line in the log');
same_answer($node, $group, 'it answers');

# a file that is no library
open my $broken, '>', "$tmp/broken.so" or die $!;
print $broken "this is no library\n";
close $broken;
restart_with($node,
	"gpuagg.device_provider = '" . ($fake =~ s/fake_device$/broken/r) . "'",
	"gpuagg.device = 'auto'");
like(devices($node), qr/^0\|host\|ready\|could not load library .*broken/,
	'a broken library: the host device, and why');
is(log_lines($node, $stand_in), 1, 'one line in the log');
is(log_lines($node, qr/ERROR|FATAL/), 0, 'and no error');
is(worker_pid($node),
	$node->safe_psql('postgres', 'SELECT pg_sleep(2.5); SELECT pid FROM gpuagg.devices') =~ s/^\s+//r,
	'and no new worker after it');
same_answer($node, $group, 'it answers');

restart_with($node, "gpuagg.device_provider = '$fake'");
is( devices($node), "0|cuda|ready|\n1|cuda|not used|\n2|host|fallback|",
	'auto with a library: its first card');
is(log_lines($node, $stand_in), 0, 'nothing to tell');
is( $node->safe_psql('postgres',
		'SELECT name, memory_limit / 1024 / 1024, pid IS NULL FROM gpuagg.devices WHERE kind = \'cuda\' ORDER BY device'
	),
	"Fake card 0|8192|f\nFake card 1|10240|t",
	'80 % of the memory of the card in use');
same_answer($node, $group, 'it answers');
is(log_lines($node, qr/LOG:  gpuagg: device "Fake card 0" is ready/),
	1, 'the log tells its name');

# EXPLAIN
my $analyze = $node->safe_psql('postgres',
	"SET gpuagg.debug_require = 'require'; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $group"
);
like($analyze, qr/^ *$_$/m, "EXPLAIN: $_")
  foreach (
	'Device: cuda',
	'Device Name: Fake card 0',
	'Transfer Time: 1.000 ms',
	'Decode Time: \d+\.\d+ ms',
	'Kernel Time: 3.000 ms',
	'Link Rate: 20.480 GB/s',
	'Link Utilization: 0.381');
unlike($analyze, qr/Redone/, 'EXPLAIN: nothing was redone');
is( $node->safe_psql(
		'postgres', q{
		CREATE FUNCTION explain_json(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
		DECLARE plan jsonb;
		BEGIN
			EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
			RETURN jsonb_path_query_first(plan, 'strict $.** ? (@."Custom Plan Provider" == "GpuAgg")');
		END $$;
		SET gpuagg.debug_require = 'require';
		SELECT p->'Device', p->'Transfer Time', p->'Kernel Time', p->'Link Rate', p->'Link Utilization', p->'Redone'
		FROM explain_json('SELECT g, count(*) FROM t GROUP BY g') p}),
	'"cuda"|1.000|3.000|20.480|0.381|',
	'EXPLAIN: the same as JSON');
like(
	$node->safe_psql('postgres',
		"SET gpuagg.debug_require = 'require'; EXPLAIN (VERBOSE) $group"),
	qr/Device: auto/,
	'EXPLAIN without ANALYZE: what is asked for');

# Children of a process that has called CUDA cannot call it: the library is loaded
# by the worker, and by nobody else before or after it has answered.
sub process_maps
{
	my ($pid) = @_;

	# it may have ended meanwhile
	open my $file, '<', "/proc/$pid/maps" or return '';
	return join '', <$file>;
}

my $postmaster = (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];
my $session = $node->background_psql('postgres');
$session->query_safe("SET gpuagg.debug_require = 'require'");
$session->query_safe($group);
my $backend = $session->query_safe('SELECT pg_backend_pid()');
my $worker = worker_pid($node);
my @children = split /\n/, $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE pid NOT IN (pg_backend_pid(), $worker)");
ok((grep { $_ == $backend } @children), 'processes of the server, the session among them');
like(process_maps($_), qr{/gpuagg\.so}, 'gpuagg is loaded in the postmaster, a session and the worker')
  foreach ($postmaster, $backend, $worker);
is_deeply([ grep { process_maps($_) =~ /fake_device/ } $postmaster, $worker, @children ],
	[$worker], 'the library is loaded in the worker alone');
helpers_blocked($worker, 'after queries');
$session->quit;

restart_with($node, "gpuagg.device = 'cuda:1'", 'gpuagg.device_memory = 64MB');
is( devices($node), "0|cuda|not used|\n1|cuda|ready|\n2|host|fallback|",
	'cuda:1: its second card');
is( $node->safe_psql('postgres',
		'SELECT memory_limit / 1024 / 1024 FROM gpuagg.devices WHERE device = 1'),
	'64', 'gpuagg.device_memory holds for it');
same_answer($node, $group, 'it answers');

# what cannot be opened, listed, found or understood
foreach my $case (
	[ 'cuda:7', '', qr/^2\|host\|ready\|there is no GPU number 7; the machine has 2$/m ],
	[ 'cuda', 'no_cards', qr/^0\|host\|ready\|the machine has no GPU$/m ],
	[ 'auto', 'list', qr/^0\|host\|ready\|fake: the driver is too old$/m ],
	[ 'auto', 'abi', qr/^0\|host\|ready\|library ".*" belongs to another version of gpuagg$/m ],
	[ 'cuda', 'open', qr/^0\|cuda\|failed\|fake: no memory to open it\n1\|cuda\|not used\|\n2\|host\|ready\|fake: no memory to open it$/m ])
{
	my ($device, $does, $devices) = @$case;

	fake_does($does);
	restart_with($node, "gpuagg.device = '$device'");
	like(devices($node), $devices, "$device, $does: the host device, and why");
	is(log_lines($node, $stand_in), 1, "$device, $does: one line in the log");
	same_answer($node, $group, "$device, $does: it answers");
}

# ... which may pass: reset_device tries again
fake_does();
is($node->safe_psql('postgres', 'SELECT gpuagg.reset_device()'),
	't', 'reset_device after a card could not be opened');
like(devices($node), qr/^0\|cuda\|ready\|$/m, 'now it is');
same_answer($node, $group, 'it answers');

# the host device, told to
restart_with($node, "gpuagg.device = 'host'");
is(devices($node), '0|host|ready|', 'host: the library is not even loaded');
my $pid = worker_pid($node);
unlike(slurp_file("/proc/$pid/maps"), qr/fake_device/, 'not at all');
is($node->safe_psql('postgres', 'SELECT gpuagg.reset_device()'),
	't', 'reset_device on the host device');
isnt(worker_pid($node), $pid, 'has made a new worker');
same_answer($node, $group, 'it answers');

# ------------------------------------------------------------------ redo

restart_with($node, "gpuagg.device = 'cuda'", 'gpuagg.device_memory = 0');
$node->safe_psql('postgres', 'CREATE ROLE someone LOGIN');

# A failure of the card: the answer is right, redone and counted; no fallback.
# With gpuagg.fallback off as well, since the host device is a device.
my $toasted =
  'SELECT g, count(*), sum(length(v)), sum(id) FROM t WHERE id > 7 GROUP BY g ORDER BY g';

sub redone
{
	my ($name, $query, $message, $settings) = @_;
	my $before = counter($node, 'redone');
	my $fallbacks = "SELECT sum(value) FROM gpuagg.stat WHERE name LIKE 'fallbacks%'";
	my $fallen = $node->safe_psql('postgres', $fallbacks);
	my $stock = $node->safe_psql('postgres', "SET gpuagg.enable = off; $query");

	($rc, $out, $err) = $node->psql('postgres',
		"SET gpuagg.debug_require = 'require'; SET gpuagg.fallback = off; $settings; $query"
	);
	is($err, '', "$name: no error");
	is($out, $stock, "$name: the right answer");
	is(counter($node, 'redone') - $before, 1, "$name: redone is counted");
	wait_ready($node);
	my $plan = $node->safe_psql('postgres',
		"SET gpuagg.debug_require = 'require'; $settings; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $query"
	);
	like($plan, qr/^ *Redone: 1$/m, "$name: EXPLAIN shows it");
	like($plan, qr/^ *Redone Detail: $message$/m, "$name: with the reason");
	like($plan, qr/^ *Device: host$/m, "$name: and who answered");
	is($node->safe_psql('postgres', $fallbacks), $fallen, "$name: no fallback");
	wait_ready($node);
	like(devices($node), qr/^0\|cuda\|ready\|$/m, "$name: the card goes on");
	no_tasks($node, "$name: nothing is left");
	return;
}

my $require = "SET gpuagg.debug_require = 'require';";
my $sampled = 'SELECT ctid, id, length(v) FROM t TABLESAMPLE BERNOULLI (60) REPEATABLE (3) WHERE id > 7';
foreach my $case (
	[ 'fault 1', 'fake: a kernel failed' ],
	[ 'fault 2', 'fake: a kernel failed' ],
	[ 'memory 2', 'fake: no memory to grow' ],
	[ 'unsupported', 'fake: too difficult' ])
{
	fake_does($case->[0]);
	redone($case->[0], $toasted, $case->[1], '');
	fake_does($case->[0]);
	redone("$case->[0], rows of a sample", $sampled, $case->[1], '') if $case->[0] !~ /2/;
}
is( $node->safe_psql('postgres',
		"SELECT memory_limit > 0 FROM gpuagg.devices WHERE state = 'fallback'"),
	't', 'the host device behind the card is open');
fake_does();
redone('kernel', $group, 'fake: a kernel failed', "SET gpuagg.debug_fault = 'kernel'");
my $windows = "SET gpuagg.strategy = 'multi-pass-naive'; SET gpuagg.scope_size = 1;";
redone('a fault in the second window', $group, 'fake: a kernel failed',
	"$windows SET gpuagg.debug_fault = 'kernel'; SET gpuagg.debug_fault_pass = 2");
like(
	$node->safe_psql('postgres',
		"$require $windows SET gpuagg.debug_fault = 'kernel'; SET gpuagg.debug_fault_pass = 2; EXPLAIN (ANALYZE, VERBOSE) $group"),
	qr/^ *Strategy: multi-pass-naive\n.*^ *Passes: \d/ms,
	'the host device has windows, too');
like(
	$node->safe_psql('postgres',
		"$require $windows SET gpuagg.debug_fault = 'kernel'; EXPLAIN (ANALYZE) $group"),
	qr/^ *Device: host, multi-pass-naive, after a GPU failed$/m,
	'EXPLAIN ANALYZE says so in a line');
fake_does('lost 2');
redone('lost', $toasted, 'fake: fell off the bus', '');
$node->safe_psql('postgres', 'SELECT gpuagg.reset_device()');
fake_does('lost 1');
redone('lost, rows of a sample', $sampled, 'fake: fell off the bus', '');
$node->safe_psql('postgres', 'SELECT gpuagg.reset_device()');
fake_does();
redone('trap', $group, 'fake: fell off the bus', "SET gpuagg.debug_fault = 'trap'");
$node->safe_psql('postgres', 'SELECT gpuagg.reset_device()');
redone('the fault lost', $group, 'injected fault: the device is lost', "SET gpuagg.debug_fault = 'lost'");
$node->safe_psql('postgres', 'SELECT gpuagg.reset_device()');

# Values that PostgreSQL must judge, and injected faults, are not redone.
my $redone = counter($node, 'redone');
($rc, $out, $err) = $node->psql('postgres', "$require SELECT g, sum(1 / (id - id)) FROM t GROUP BY g");
like($err, qr/division by zero/, 'an error of the data is PostgreSQL\'s');
($rc, $out, $err) = $node->psql('postgres', "SET gpuagg.fallback = off; SET gpuagg.debug_fault = 'finish'; $require $group");
like($err, qr/injected fault at stage "finish"/, 'injected faults are not redone');
is(counter($node, 'redone'), $redone, 'neither is counted');
# When the host device fails as well, PostgreSQL answers.
fake_does('fault 1');
is( $node->safe_psql('postgres',
		"SET jit = off; SET gpuagg.debug_require = prefer; SET gpuagg.debug_fault = 'memory'; $group"
	),
	$node->safe_psql('postgres', "SET gpuagg.enable = off; $group"),
	'both devices fail: PostgreSQL answers');
# Rescans, cursors and prepared plans redo, too.
foreach my $query (
	'SELECT d.i, x.* FROM generate_series(1, 3) d(i), LATERAL (SELECT count(*), sum(id) FROM t WHERE g = d.i) x',
	'WITH a AS MATERIALIZED (SELECT g, count(*) AS n FROM t GROUP BY g), b AS (SELECT g, sum(id) AS s FROM t GROUP BY g) SELECT * FROM a JOIN b USING (g) ORDER BY g')
{
	same_answer($node, $query, 'redone within a plan');
}
# A card's loss takes every task on it along; all are redone.
fake_does('lost 3');
my @sessions = map { start_psql($node, "$require SET gpuagg.fallback = off; $toasted;") } 1 .. 4;
my $stock = $node->safe_psql('postgres', "SET gpuagg.enable = off; $toasted");
foreach my $session (@sessions)
{
	finish_psql($session);
	my $ok = $session->{stdout} eq $stock
	  || $session->{stderr} =~ /the device stopped before the query was done|was not used/;
	ok($ok, 'a session among others whose card was lost') or diag($session->{stderr});
}
wait_ready($node);
fake_does();
$node->safe_psql('postgres', 'SELECT gpuagg.reset_device()');
same_answer($node, $group, 'afterwards');

# Groups that are not at hand when first asked for, without an event
fake_does('busy 5');
my $begin = time;
same_answer($node, $group, 'groups that are late');
cmp_ok(time - $begin, '<', 5, 'are waited for');
fake_does();

# ------------------------------------------------------- off, and on again

($rc, $out, $err) = $node->psql('postgres', 'SELECT gpuagg.reset_device()',
	extra_params => [ '-U', 'someone' ]);
like($err, qr/permission denied/, 'reset_device is not for everyone');
$node->safe_psql('postgres',
	'GRANT EXECUTE ON FUNCTION gpuagg.reset_device() TO someone; GRANT USAGE ON SCHEMA gpuagg TO someone'
);
$stock = $node->safe_psql('postgres', "SET gpuagg.enable = off; $group");
for my $loss (1 .. 5)
{
	is( $node->safe_psql('postgres', "$require SET gpuagg.fallback = off; SET gpuagg.debug_fault = 'trap'; $group"),
		$stock, "loss $loss: the right answer");
	wait_ready($node);
}
my $off = 'the GPU was lost 5 times in short succession; gpuagg.reset_device() turns it on again';
is( devices($node), "0|cuda|off|$off\n1|cuda|not used|\n2|host|ready|$off",
	'lost five times: off, and why');
same_answer($node, $group, 'the host device takes its place');
is( $node->safe_psql('postgres', "$require SET gpuagg.debug_fault = 'trap'; $group"),
	$stock, 'which knows nothing of traps');
kill 'TERM', worker_pid($node);
$node->poll_query_until('postgres', "SELECT state <> 'ready' FROM gpuagg.devices WHERE kind = 'host'");
wait_ready($node);
like(devices($node), qr/^0\|cuda\|off\|/m, 'still off after the worker\'s restart');
is( $node->safe_psql(
		'postgres', 'SELECT gpuagg.reset_device()',
		extra_params => [ '-U', 'someone' ]),
	't', 'reset_device, granted');
is( devices($node), "0|cuda|ready|\n1|cuda|not used|\n2|host|fallback|",
	'on again');
same_answer($node, $group, 'and it answers');

# ------------------------------------------------------------- interrupts

slow_table($node, 24000);
my $slow = slow_query(2, $node);
my $psql = start_psql($node, "$require $slow;");
$pid = wait_task($node);
is($node->safe_psql('postgres', 'SELECT DISTINCT device FROM gpuagg.tasks'),
	'0', 'gpuagg.tasks tells the card');
$begin = time;
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
finish_psql($psql);
like($psql->{stderr}, qr/canceling statement due to user request/,
	'cancelled on the card');
cmp_ok(time - $begin, '<', 2.3, 'soon');
no_tasks($node, 'nothing is left');

# cancelled while it is redone
fake_does('fault 1');
$psql = start_psql($node, "$require $slow;");
ok( $node->poll_query_until(
		'postgres',
		"SELECT count(*) = 1 FROM gpuagg.tasks WHERE device = 2 AND state = 'running' AND pages_done > 0"
	),
	'redone on the host device');
is( $node->safe_psql('postgres',
		"SELECT tasks_running FROM gpuagg.devices WHERE state = 'fallback'"),
	'1', 'gpuagg.devices tells it, too');
$pid = $node->safe_psql('postgres', 'SELECT pid FROM gpuagg.tasks');
$begin = time;
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
finish_psql($psql);
like($psql->{stderr}, qr/canceling statement due to user request/,
	'cancelled on the host device behind it');
cmp_ok(time - $begin, '<', 2.3, 'soon, too');
no_tasks($node, 'nothing is left again');

# cancelled while it waits for the lost card's worker, which takes its time
fake_does('lost 1', 'open_sleep 3');
$psql = start_psql($node, "SET statement_timeout = '1500ms'; $require $group;");
finish_psql($psql);
like($psql->{stderr}, qr/canceling statement due to statement timeout/,
	'cancelled while the worker restarts');
cmp_ok($psql->{seconds}, '<', 3, 'without waiting for it');
fake_does();
wait_ready($node);

# ------------------------------------------------------------ random draws

# A card whose TLB reaches 256 kB of the 1.6 MB that are drawn from
restart_with($node, "gpuagg.cache_size = '64MB'", 'gpuagg.cache = on');
$node->safe_psql(
	'postgres', q{
	CREATE TABLE d WITH (autovacuum_enabled = off) AS SELECT i AS id, i % 50 AS g FROM generate_series(1, 200000) i;
	VACUUM ANALYZE d;
	SELECT gpuagg.load('d');
	INSERT INTO gpuagg.profile (profile_id, device_kind, device_name, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
		SELECT 1000001, 'cuda', name, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns FROM gpuagg.profile, gpuagg.devices WHERE profile_id = -1 AND device = 0;
	INSERT INTO gpuagg.memory_level (profile_id, kind, level, reach_bytes) VALUES (1000001, 'tlb', 1, 262144);
	INSERT INTO gpuagg.random_access VALUES (1000001, 262144, 4e10, 4e10, 4e10), (1000001, 524288, 4e9, 4e9, 4e9);
	INSERT INTO gpuagg.ceiling VALUES (1000001, 'int_ops', 1.6e13, NULL, 0), (1000001, 'launch', NULL, 7000, 0);});
my $drawing = 'SELECT g, count(*), sum(id) FROM d TABLESAMPLE gpuagg.random_rows (300000) REPEATABLE (7) GROUP BY g ORDER BY g';

sub draws
{
	my ($way, $name) = @_;
	my $plan;

	same_answer($node, $drawing, "draws, $name");
	$plan = $node->safe_psql('postgres', "$require EXPLAIN (ANALYZE, VERBOSE) $drawing");
	like($plan, qr/^ *Planned Draw Strategy: $way\n *Planned Draw Windows: 7$/m, "$name: what is planned");
	like($plan, qr/^ *Draw Strategy: $way\n *Draw Windows: 7$/m, "$name: and done");
	return;
}

draws('multi-pass', 'units are not known');
$node->safe_psql('postgres',
	'INSERT INTO gpuagg.tlb_group SELECT 1000001, u, u / 2 FROM generate_series(0, 63) u');
draws('spatial', 'units share TLBs');
$node->safe_psql('postgres', 'DELETE FROM gpuagg.memory_level WHERE profile_id = 1000001');
$out = $node->safe_psql('postgres', "$require EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) $drawing");
like($out, qr/"Draw Strategy": "single-pass",\s+"Draw Windows": 1,/, 'no reach is known: all at once');
$node->safe_psql('postgres', 'DROP TABLE d; DELETE FROM gpuagg.profile WHERE profile_id = 1000001');
restart_with($node, 'gpuagg.cache = off');

# ---------------------------------------------------------- a slow start

fake_does('open_sleep 3');
$begin = time;
$log_start = -s $node->logfile;
$node->restart;
cmp_ok(time - $begin, '<', 2.8, 'the server does not wait for its device');
is($node->safe_psql('postgres', "SELECT state FROM gpuagg.devices WHERE state IN ('starting', 'stopped')"),
	'starting', 'which is starting');
is($node->safe_psql('postgres', "SET gpuagg.enable = off; $group"),
	$stock, 'other queries run');
is($node->safe_psql('postgres', "$require $group"),
	$stock, 'a query waits for it');
cmp_ok(time - $begin, '>', 2.8, 'as long as it takes');
like(devices($node), qr/^0\|cuda\|ready\|$/m, 'and the card is there');
# but not for ever
fake_does('open_sleep 12');
$node->restart;
$begin = time;
is( $node->safe_psql('postgres',
		"SET jit = off; SET gpuagg.debug_require = prefer; $group"),
	$stock, 'a device that does not come: PostgreSQL answers');
my $waited = time - $begin;
cmp_ok($waited, '<', 8, 'after some seconds');
fake_does();
is($node->safe_psql('postgres', 'SELECT gpuagg.reset_device()'),
	't', 'reset_device while the device is starting');
like(devices($node), qr/^0\|cuda\|ready\|$/m, 'waits until it is there');

# No worker and no card was left behind by all that.
crash_free($node, 'no crash');
$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'none at all');
done_testing();
