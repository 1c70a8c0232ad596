# gpuagg.calibrate(): a run is stored whole or not at all, is used by all
# sessions at once, can be watched and ended, and leaves nothing behind.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_node(
	'calibrate',
	'shared_buffers = 128MB',
	'restart_after_crash = on',
	'log_min_messages = info');
my $kind = device_kind($node);
my $low = "SELECT gpuagg.calibrate(effort => 'low')";
my $normal = "SELECT gpuagg.calibrate(effort => 'normal')";
my $group = 'SELECT g, count(*), sum(id) FROM t GROUP BY g ORDER BY g';
my $cpus = q{SELECT (regexp_match(pg_read_file('/proc/self/status'), 'Cpus_allowed_list:\s*(\S+)'))[1]};
my ($rc, $out, $err);

$node->safe_psql(
	'postgres', q{
	CREATE TABLE t AS SELECT i AS id, i % 10 AS g FROM generate_series(1, 100000) i;
	VACUUM ANALYZE t;});

sub sql
{
	my ($query, %params) = @_;

	return $node->safe_psql('postgres', $query, %params);
}

# Measured profiles, and all rows that belong to some
sub stored
{
	return sql(
		q{SELECT (SELECT count(*) FROM gpuagg.profile WHERE profile_id > 0),
		(SELECT count(*) FROM gpuagg.ceiling WHERE profile_id > 0),
		(SELECT count(*) FROM gpuagg.curve WHERE profile_id > 0)});
}

# A backend is bound to one CPU, as it is while it measures itself, after the device: on a
# machine that others use only after a minute or two
sub wait_bound
{
	my ($backend) = @_;

	for (1 .. 12000)
	{
		return if slurp_file("/proc/$backend/status") =~ /^Cpus_allowed_list:\s*\d+$/m;
		sleep 0.02;
	}
	die 'it is never bound';
}

# A measurement is on the device; gives the backend's pid.
sub wait_measuring
{
	for (1 .. 600)
	{
		my $pid = sql(
			"SELECT pid FROM gpuagg.tasks WHERE state = 'measuring' LIMIT 1");
		return $pid if $pid ne '';
		sleep 0.02;
	}
	die 'nothing is measured';
}

sub intact
{
	my ($what, $want) = @_;

	no_tasks($node, "$what: nothing is left on the device");
	is(stored(), $want, "$what: nothing is stored");
	is(sql("SELECT count(*) FROM pg_class WHERE relname = 'calibration_scratch'"),
		'0', "$what: no table is left");
	return same_answer($node, $group, "$what: the next query is right");
}

# What EXPLAIN says of the profile, in a session that is open
my $explain = "SET gpuagg.debug_require = 'require'; EXPLAIN (VERBOSE, FORMAT %s) SELECT g, count(*) FROM t GROUP BY g";
my $session = $node->background_psql('postgres');
# its time is a query's, not the session's, which may be minutes old
$session->set_query_timer_restart;

sub profile_line
{
	my $plan = $session->query(sprintf $explain, 'TEXT');

	return join ' ', $plan =~ /^\s*Profile: (.*)$/m, $plan =~ /^\s*Profile Number: (.*)$/m;
}

sub profile_json
{
	my $plan = $session->query(sprintf $explain, 'JSON');

	return join ' ', $plan =~ /"Profile": "(.*?)"/, $plan =~ /"Profile Number": (-?\d+)/;
}

# ---------- before ----------

my $shipped = profile_line();
like($shipped, qr/^(generic|shipped) -\d+$/, 'before: a shipped profile');
is(profile_json(), $shipped, 'before: JSON says the same');
is(stored(), '0|0|0', 'before: nothing is stored');

# ---------- a run ----------

my $begin = time;
my $first = sql($low);
note('calibrate: ' . (time - $begin) . ' s');
cmp_ok($first, '>', 0, 'a run gives its number');
cmp_ok(time - $begin, '<', 60, 'effort low takes seconds');
is( sql("SELECT p.device_kind = d.kind, p.device_name = d.name, p.machine = gpuagg.machine(), p.origin, p.effort,
		p.seconds BETWEEN 0.1 AND 60, p.units > 0, p.memory_bytes > 0, p.spread >= 0,
		p.measured_at BETWEEN now() - interval '2 minutes' AND now(), p.huge_pages IS NOT NULL,
		p.server_version = current_setting('server_version')
		FROM gpuagg.profile p, gpuagg.devices d WHERE d.state = 'ready' AND profile_id = $first"),
	't|t|t|measured|low|t|t|t|t|t|t|t',
	'the profile tells device and run');
is(sql("SELECT feeder_start_ns BETWEEN 1e4 AND 1e11, feeder_ns BETWEEN 1e4 AND 1e11 FROM gpuagg.profile WHERE profile_id = $first"), 't|t',
	'what a parallel worker takes');
is(sql("SELECT copy_row_ns BETWEEN 0.1 AND 1e5, copy_value_ns BETWEEN 0.1 AND 1e5 FROM gpuagg.profile WHERE profile_id = $first"), 't|t',
	'what rows of a plan take');
is( sql("SELECT least(feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns) > 0,
		feed_page_ns < 1e6, round_trip_ns < 1e9 FROM gpuagg.profile WHERE profile_id = $first"),
	't|t|t', 'its times are positive and no nonsense');
is( sql(qq{SELECT count(*) > 0, bool_and(searched_bytes > 0), bool_and(reach_bytes IS NOT NULL OR confidence = 0 AND level = 1)
		FROM gpuagg.memory_level WHERE profile_id = $first AND kind = 'tlb'}),
	't|t|t', 'TLB levels, or that there is none as far as was looked');
is(sql("SELECT busy = (spread > 0.25 OR postgres_slowdown > 1.4) FROM gpuagg.profile WHERE profile_id = $first"),
	't', 'busy is by what was measured');
# its three runs of five queries never take the same to the microsecond
is(sql("SELECT postgres_slowdown > 1, postgres_slowdown < 10 FROM gpuagg.profile WHERE profile_id = $first"),
	't|t', 'what a query takes in the mean is more than its fastest run');
is( sql("SELECT count(*) >= 3, bool_and(coalesce(per_second, ns) > 0) FROM gpuagg.ceiling WHERE profile_id = $first"),
	't|t', 'ceilings');
is( sql("SELECT string_agg(name, ' ' ORDER BY name) FROM gpuagg.ceiling WHERE profile_id = $first AND name IN ('int_ops', 'memory_read')"),
	'int_ops memory_read', 'those that costs need');
is(sql("SELECT count(*) FROM gpuagg.ceiling WHERE profile_id = $first AND name = 'group' AND per_second BETWEEN 1e5 AND 1e12"),
	$kind eq 'host' ? '1' : '0', 'rows grouped, of the host');
is( sql("SELECT r.per_second BETWEEN 1e8 AND 1e12,
		p.device_kind <> 'host' OR p.busy OR r.per_second BETWEEN t.per_second / 8 AND t.per_second * 8
	FROM gpuagg.profile p JOIN gpuagg.ceiling r USING (profile_id) JOIN gpuagg.ceiling t USING (profile_id)
	WHERE profile_id = $first AND r.name = 'host_read' AND t.name = 'thread_read'"),
	't|t', 'a backend reads about as fast as a thread of the host device, unless others use the machine');
is( sql("SELECT count(*), bool_and(per_second > 0 AND ns IS NULL) FROM gpuagg.ceiling WHERE profile_id = $first AND name = 'touch'"),
	'1|t', 'first touch');
is( sql("SELECT count(*) >= 2, bool_and(least(read8_per_second, read32_per_second, atomic8_per_second) > 0) FROM gpuagg.random_access WHERE profile_id = $first"),
	't|t', 'random accesses');
is( sql("SELECT count(*) >= 1, bool_and(coalesce(reach_bytes, 1) > 0 AND confidence BETWEEN 0 AND 1) FROM gpuagg.memory_level WHERE profile_id = $first"),
	't|t', 'levels of memory');
is( sql("SELECT count(*), bool_and(cost_units > 0 AND milliseconds > 0) FROM gpuagg.cost_unit WHERE profile_id = $first"),
	'5|t', 'the queries that tell the cost unit');
is( sql("SELECT count(*) > 5, bool_and(y > 0) FROM gpuagg.curve WHERE profile_id = $first"),
	't|t', 'points of curves');
is(sql('SELECT count(*) FROM gpuagg.thread_scaling WHERE profile_id = '
			. $first) > 0, $kind eq 'host', 'thread scaling, of the host');
is(sql('SELECT count(*) FROM gpuagg.kernel WHERE profile_id = ' . $first) > 0,
	$kind ne 'host', 'kernels, of a GPU');
is(sql("SELECT count(*) FROM pg_class WHERE relname = 'calibration_scratch'"),
	'0', 'the scratch table is gone');
no_tasks($node, 'nothing is left on the device');
helpers_blocked(worker_pid($node), 'after a run');
is(profile_line(), "measured $first", 'an open session uses it');
is(profile_json(), "measured $first", 'JSON says so');
same_answer($node, $group, 'queries answer as before');

# What is edited is no longer called measured.
$session->query_safe("BEGIN; UPDATE gpuagg.ceiling SET per_second = per_second * 2 WHERE profile_id = $first AND name = 'touch'");
is(profile_line(), "edited $first", 'a ceiling was edited');
$session->query_safe('ROLLBACK');
is(profile_line(), "measured $first", 'or not');

# ---------- the plan's strategy is the one that runs ----------

SKIP: {
	skip 'partitions of the host device', 3 if $kind ne 'host';
	sql('CREATE TABLE many AS SELECT i AS id, h % 50000 AS g5e4, h % 200000 AS g2e5 FROM (SELECT i, hashint8(i)::int8 & 2147483647 AS h FROM generate_series(1, 600000) i) r; VACUUM ANALYZE many');
	# The host device asks the system how large a core's cache is; noise in what was
	# measured must not make the plan think otherwise.
	$session->query_safe("BEGIN; UPDATE gpuagg.memory_level SET reach_bytes = 65536 WHERE profile_id = $first AND kind = 'cache' AND level = 2");
	foreach my $key (qw(g5e4 g2e5 id))
	{
		my $plan = $session->query_safe(
			"SET gpuagg.debug_require = 'require'; EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) SELECT $key, count(*) FROM many GROUP BY $key");
		my ($planned) = $plan =~ /"Planned Strategy": "(.*?)"/;
		my ($ran) = $plan =~ /"Strategy": "(.*?)"/;
		ok(defined $planned && $ran eq $planned, "groups by $key are grouped as planned")
		  or diag($plan);
	}
	$session->query_safe('ROLLBACK');
}

# ---------- another one; history ----------

my $second = sql($low);
cmp_ok($second, '>', $first, 'a second run has a number of its own');
is(sql('SELECT count(*) FROM gpuagg.profile WHERE profile_id > 0'),
	'2', 'the first is kept');
is(profile_line(), "measured $second", 'the newest counts');

# Rolled back: as if it had not been
sql("BEGIN; $low; ROLLBACK");
is(sql('SELECT count(*) FROM gpuagg.profile WHERE profile_id > 0'),
	'2', 'a run that is rolled back is not stored');
is(profile_line(), "measured $second", 'and not used');

# ---------- dump and restore ----------

my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
my $digest = q{SELECT md5(string_agg(p::text, ',' ORDER BY p::text)) FROM gpuagg.%s p};
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres') ],
	'pg_dump');
sql('CREATE DATABASE restored');
$node->command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('restored'), '-f', $dump ],
	'restore');
foreach my $table (
	qw(profile memory_level tlb_group random_access ceiling kernel host_pattern
	thread_scaling cost_unit curve))
{
	is($node->safe_psql('restored', sprintf $digest, $table),
		sql(sprintf $digest, $table), "restored: $table is the same");
}
is( $node->safe_psql('restored',
		"SELECT count(*) FROM gpuagg.profile WHERE profile_id < 0"),
	'3', 'restored: what is shipped is there once');
like($node->safe_psql('restored', sprintf $explain, 'TEXT'),
	qr/Profile Number: $second$/m, 'restored: in use');
$node->safe_psql('restored', "UPDATE gpuagg.profile SET machine = 'another' WHERE profile_id > 0");
like($node->safe_psql('restored', sprintf $explain, 'TEXT'),
	qr/Profile Number: -\d+\n\s*Profile of Another Machine: $second$/m,
	'restored on another machine: not in use, and EXPLAIN says so');
cmp_ok($node->safe_psql('restored', $low), '>', $second,
	'restored: numbers go on');

# ---------- forgotten ----------

sql("DELETE FROM gpuagg.profile WHERE profile_id = $second");
is(profile_line(), "measured $first", 'deleted: the one before counts');
sql("DELETE FROM gpuagg.profile WHERE origin = 'measured'");
is(profile_line(), $shipped, 'all deleted: the shipped one, in the open session');
is(stored(), '0|0|0', 'what belonged to them went along');

# ---------- who may ----------

sql('CREATE ROLE tuner LOGIN; CREATE ROLE nobody LOGIN');
($rc, $out, $err) = $node->psql('postgres', $low, extra_params => [ '-U', 'tuner' ]);
like($err, qr/permission denied for function calibrate/, 'not for everyone');
sql('GRANT EXECUTE ON FUNCTION gpuagg.calibrate(text, text) TO tuner');
my $granted = sql($low, extra_params => [ '-U', 'tuner' ]);
is(sql("SELECT effort FROM gpuagg.profile WHERE profile_id = $granted", extra_params => [ '-U', 'nobody' ]),
	'low', 'but for whom it is granted to; everyone may read');
foreach my $write (
	'DELETE FROM gpuagg.profile',
	'UPDATE gpuagg.ceiling SET per_second = 1',
	'CREATE TABLE gpuagg.mine (x int)')
{
	($rc, $out, $err) = $node->psql('postgres', $write, extra_params => [ '-U', 'tuner' ]);
	like($err, qr/permission denied/, "who may measure may not: $write");
}
sql('DELETE FROM gpuagg.profile WHERE profile_id > 0');

# ---------- arguments ----------

foreach my $bad (
	[ "device => 'quantum'", '22023', qr/HINT:  Devices are "auto", "host", "cuda" and "cuda:N"/ ],
	[ "device => 'cuda:-1'", '22023', qr/invalid device/ ],
	[ "device => ''", '22023', qr/invalid device/ ],
	[ "effort => 'much'", '22023', qr/effort must be "low", "normal" or "high"/ ],
	[ "device => 'cuda:77', effort => 'low'", '55000', qr/HINT:  Only the device in use/ ])
{
	my ($args, $state, $pattern) = @$bad;

	($rc, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT gpuagg.calibrate($args)");
	like($err, qr/ERROR:  $state: /, "$args: SQLSTATE $state");
	like($err, $pattern, "$args: says why");
}
SKIP:
{
	skip 'there is a GPU', 1 if $kind ne 'host';
	($rc, $out, $err) = $node->psql('postgres', "SELECT gpuagg.calibrate('cuda', 'low')");
	like($err, qr/device "cuda" runs no tasks/, 'no GPU to measure');
}
is(sql("SELECT gpuagg.calibrate(NULL)"), '', 'NULL is NULL');
($rc, $out, $err) = $node->psql('postgres',
	"\\set VERBOSITY verbose\nBEGIN READ ONLY; $normal");
like($err, qr/ERROR:  25006: cannot execute gpuagg.calibrate\(\) in a read-only transaction/,
	'not in a read-only transaction');
intact('bad arguments', '0|0|0');

# ---------- while it runs ----------

my $psql = start_psql($node, "$normal;");
my $pid = wait_measuring();
ok( $node->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM gpuagg.tasks WHERE pid = $pid AND state = 'measuring' AND pages_done > 0"),
	'progress can be watched');
is( sql("SELECT pages_done BETWEEN 1 AND 1000, pages_total, datname, usename IS NOT NULL FROM gpuagg.tasks WHERE pid = $pid"),
	't|1000|postgres|t', 'in thousandths');
helpers_blocked(worker_pid($node), 'while it runs');
same_answer($node, $group, 'a query runs beside it');
is(sql("SELECT state FROM gpuagg.tasks WHERE pid = $pid"),
	'measuring', 'which goes on');
# another one waits, as long as it may
($rc, $out, $err) = $node->psql('postgres',
	"\\set VERBOSITY verbose\nSET gpuagg.queue_timeout = '300ms'; $low");
like($err, qr/ERROR:  55000: the device cannot be measured/,
	'a second run at the same time fails after gpuagg.queue_timeout');
like($err, qr/DETAIL:  .*gpuagg\.queue_timeout/, 'and says why');

# cancelled
sql("SELECT pg_cancel_backend($pid)");
$begin = time;
finish_psql($psql);
cmp_ok(time - $begin, '<', 2.3, 'cancel acts within 2 s');
like($psql->{stderr}, qr/canceling statement due to user request/, 'cancelled');
intact('cancel', '0|0|0');

# statement_timeout
$psql = finish_psql(start_psql($node, "SET statement_timeout = '1s'; $normal;"));
cmp_ok($psql->{seconds}, '<', 4, 'statement_timeout acts within 2 s');
like($psql->{stderr}, qr/canceling statement due to statement timeout/, 'statement_timeout');
intact('statement_timeout', '0|0|0');

# the backend measures itself on one CPU after the other, and may use all of them afterwards
my $all_cpus = sql($cpus);
is((split /\n/, sql("$low; $cpus"))[1], $all_cpus, 'a run is over: it may use all CPUs');
sql('DELETE FROM gpuagg.profile WHERE profile_id > 0');
$psql = start_psql($node, "\\set ON_ERROR_STOP 0\n$normal;\n$cpus;");
$pid = wait_measuring();
wait_bound($pid);
sql("SELECT pg_cancel_backend($pid)");
$begin = time;
finish_psql($psql);
cmp_ok(time - $begin, '<', 2.3, 'cancel acts within 2 s while it measures itself');
like($psql->{stderr}, qr/canceling statement due to user request/, 'cancelled');
is($psql->{stdout}, $all_cpus, 'it may use all CPUs again');
intact('cancel of reference queries', '0|0|0');

# Others use the CPUs: the backend stands still now and then.  By chance all runs of a
# query may stand still alike, but not time after time.
my $slowed = 0;
for (1 .. 10)
{
	$psql = start_psql($node, "$low;");
	$pid = wait_measuring();
	while (kill 'STOP', $pid)
	{
		sleep 0.1;
		kill 'CONT', $pid;
		sleep 0.02 + rand 0.03;
	}
	finish_psql($psql);
	last if $slowed = $psql->{stderr} =~ /WARNING:  the CPUs seem to have been used by others/;
}
ok($slowed, 'a WARNING says that the CPUs were used by others');
is(sql('SELECT busy, postgres_slowdown > 1.4 FROM gpuagg.profile ORDER BY profile_id DESC LIMIT 1'),
	't|t', 'busy');
sql('DELETE FROM gpuagg.profile WHERE profile_id > 0');

# terminated, while another one waits
$psql = start_psql($node, "$normal;");
$pid = wait_measuring();
my $waiter = start_psql($node, "$low;");
ok( $node->poll_query_until('postgres', "SELECT count(*) = 1 FROM gpuagg.tasks WHERE state = 'queued'"),
	'a second run at the same time waits');
sql("SELECT pg_terminate_backend($pid)");
$begin = time;
finish_psql($psql);
cmp_ok(time - $begin, '<', 2.3, 'termination acts within 2 s');
like($psql->{stderr}, qr/terminating connection due to administrator command/, 'terminated');
finish_psql($waiter);
is($waiter->{stderr} =~ /ERROR|FATAL/ ? $waiter->{stderr} : '', '', 'the second run has no error');
cmp_ok($waiter->{stdout}, '>', 0, 'and is done');
sql('DELETE FROM gpuagg.profile WHERE profile_id > 0');
intact('terminate', '0|0|0');

# the worker ends meanwhile
$psql = start_psql($node, "$normal;");
wait_measuring();
kill 'TERM', worker_pid($node);
finish_psql($psql);
like($psql->{stderr}, qr/ERROR:  the device cannot be measured/, 'the worker ended: an error');
like($psql->{stderr}, qr/DETAIL:  \S/, 'which says why');
ok(wait_ready($node), 'the worker is back');
intact('worker SIGTERM', '0|0|0');
$session->quit;
crash_free($node, 'no crash so far');

# the worker is killed: PostgreSQL restarts its processes
$psql = start_psql($node, "$normal;");
wait_measuring();
kill_and_recover($node, worker_pid($node));
finish_psql($psql);
isnt($psql->{stderr}, '', 'the worker is killed: the session is gone');
ok(wait_ready($node), 'with a device');
intact('kill -9 of the worker', '0|0|0');
cmp_ok(sql($low), '>', 0, 'and can be measured');

# shutdown does not wait for it
$psql = start_psql($node, "$normal;");
wait_measuring();
$begin = time;
$node->stop('fast');
cmp_ok(time - $begin, '<', 10, 'fast shutdown does not wait for a measurement');
finish_psql($psql);

# a server that may use one CPU of the machine measures, and predicts for, that one
my ($allowed) = slurp_file('/proc/self/status') =~ /^Cpus_allowed_list:\s*(\S+)/m;
my ($cpu) = $allowed =~ /^(\d+)/;
system_or_bail('taskset', '-pc', $cpu, $$);
$node->start;
system_or_bail('taskset', '-pc', $allowed, $$);
wait_ready($node);
$out = sql("SELECT gpuagg.calibrate('host', 'low')");
is( sql("SELECT units, device_name LIKE '% 1 thread' FROM gpuagg.profile WHERE profile_id = $out"),
	'1|t',
	'one CPU of the machine is measured as one');
is( sql("SELECT max(threads) FROM gpuagg.thread_scaling WHERE profile_id = $out"),
	'1',
	'and threads no further than that');
$node->stop('fast');

my $log = slurp_file($node->logfile);
unlike($log, qr/PANIC:|TRAP: /, 'no panic');
my @signals = $log =~ /was terminated by signal (\d+)/g;
is_deeply([ sort @signals ], [9], 'only our own kill shows in the log');
done_testing();
