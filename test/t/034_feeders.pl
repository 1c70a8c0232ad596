# Parallel workers that feed a task beside its backend: each is cancelled, told to end
# and fails, with pages at the device; the device fails and is lost; there are none to
# be had; and how many there are by cost.  A provider made of the host device
# (test/lib/fake_device.c) stands for a GPU, which reads as slowly as it is told.
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
my $fake = need_fake_cards($tmp);

my $node = new_node(
	'feeders',
	'shared_buffers = 128MB',
	'max_worker_processes = 8',
	'max_parallel_workers = 4',
	"gpuagg.device = 'auto'",
	$fake,
	'gpuagg.host_threads = 2',
	'gpuagg.watchdog = 20',
	'restart_after_crash = on',
	'autovacuum = off');

sub sql { return $node->safe_psql('postgres', $_[0]); }

sql(q{
	CREATE TABLE t (id int, g int, f float8, pad text) WITH (autovacuum_enabled = off);
	ALTER TABLE t ALTER pad SET STORAGE PLAIN;
	INSERT INTO t SELECT i, i % 10, i, repeat('x', 500) FROM generate_series(1, 60000) i;
	CREATE TABLE parts (id int, g int) PARTITION BY RANGE (id);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (40000);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (40000) TO (60000);
	CREATE TABLE parts3 PARTITION OF parts FOR VALUES FROM (60000) TO (90000);
	INSERT INTO parts SELECT i, i % 7 FROM generate_series(0, 89999) i;
	VACUUM (FREEZE, ANALYZE);});
is(device_kind($node), 'cuda', 'the fake is the device');
my $query = 'SELECT g, count(*), sum(id), sum(f) FROM t GROUP BY g ORDER BY g';
my $stock = sql("SET gpuagg.enable = off; $query");
my $with = "SET gpuagg.debug_require = 'require'; SET gpuagg.debug_feeders = 2; SET gpuagg.cache = off;";
my $feeders = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND query LIKE 'SELECT g, count(*), sum(id)%' ORDER BY pid};

sub intact
{
	my ($what) = @_;

	fake_does();
	no_tasks($node, "$what: nothing is left on the device");
	ok($node->poll_query_until('postgres', "SELECT NOT EXISTS ($feeders)"), "$what: no feeder is left");
	sql("SET statement_timeout = '20s'; VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) t");
	is(sql("$with $query"), $stock, "$what: the next query is right");
	return;
}

# A query whose pages are with the device; gives its psql, its backend's pid and its feeders'
sub start_query
{
	my ($before, @fake) = @_;

	fake_does(@fake);
	my $psql = start_psql($node, "$with $before $query;");
	my @pids;
	for (1 .. 200)
	{
		@pids = split /\n/, sql("SELECT pid FROM gpuagg.tasks WHERE state = 'running' AND pages_done > 0 UNION ALL ($feeders)");
		last if @pids == 3;
		sleep 0.02;
	}
	is(scalar @pids, 3, 'a task and two feeders are at work') or die 'they are not';
	return ($psql, @pids);
}

# ---------- answers ----------

my $before = counter($node, 'feeders');
same_answer($node, "SET gpuagg.cache = off; SET gpuagg.debug_feeders = 3; $query", 'three feeders');
is(counter($node, 'feeders') - $before, 3, 'which the counter tells');
same_answer($node, "SET gpuagg.cache = off; SET gpuagg.debug_feeders = 2; SELECT g, count(*), sum(id) FROM parts GROUP BY g ORDER BY g",
	'several tables');
is(counter($node, 'feeders') - $before, 5, 'which have two together');
my ($psql, @pids) = start_query('', 'hold');
fake_does();
finish_psql($psql);
is($psql->{stdout}, $stock, 'a device that is slower than they are');

# ---------- they and their leader are stopped ----------

foreach my $way (ways_to_stop('a feeder'))
{
	foreach my $fake ('every 1000', 'hold')
	{
		my $name = "$way->[0] ($fake)";

		($psql, @pids) = start_query('', $fake);
		my $begin = time;

		stop_query($node, $psql, $way, $name, @pids);
		cmp_ok(time - $begin, '<', 4, "$name: within seconds");
		intact($name);
	}
}

# in a transaction that goes on
($psql, @pids) = start_query("\n\\set ON_ERROR_STOP 0\nBEGIN; SAVEPOINT s;\n$query;\nROLLBACK TO s; SELECT 'alive', count(*) FROM t; COMMIT;\n--", 'hold');
sql("SELECT pg_cancel_backend($pids[1])");
fake_does();
finish_psql($psql);
like($psql->{stdout}, qr/^alive\|60000$/m, 'which goes on behind a savepoint');
intact('savepoint');

# pages that a feeder had to let go of, and that have others' rows when the device looks
# at them, are neither believed nor kept
sql("SELECT gpuagg.unload('t')");
($psql, @pids) = start_query('SET gpuagg.cache = on;', 'hold');
sql("SELECT pg_terminate_backend($pids[1])");
finish_psql($psql);
like($psql->{stderr}, qr/terminating background worker/, 'a feeder goes while its pages are to be kept');
sql('TRUNCATE t; INSERT INTO t SELECT i, 3, 1, repeat($$y$$, 500) FROM generate_series(1, 60000) i; VACUUM (FREEZE) t');
fake_does();
no_tasks($node, 'the device has looked at them');
is(sql("SET gpuagg.cache = on; SET gpuagg.debug_require = 'require'; $query"), '3|60000|1800030000|60000', 'the table as it is now');
sql('TRUNCATE t; INSERT INTO t SELECT i, i % 10, i, repeat($$x$$, 500) FROM generate_series(1, 60000) i; VACUUM (FREEZE) t');
is(sql("SET gpuagg.cache = on; SET gpuagg.debug_require = 'require'; $query"), $stock, 'and as it is then');

# ---------- the device fails ----------

foreach my $fault ('fault 3', 'memory 3', 'lost 3')
{
	fake_does($fault);
	is(sql("SET gpuagg.debug_feeders = 2; SET gpuagg.cache = off; SET gpuagg.debug_require = 'prefer'; $query"), $stock,
		"$fault: the host device answers");
	fake_does();
	wait_ready($node);
	intact($fault);
}
($psql) = start_query("SET gpuagg.debug_require = 'prefer';", 'hold');
sql('SELECT gpuagg.reset_device()');
fake_does();
finish_psql($psql);
is($psql->{stdout}, $stock, 'the device worker ends: another answers');
wait_ready($node);
intact('reset');

# ---------- none, or fewer, are to be had ----------

is(sql("$with SET max_parallel_workers = 1; $query"), $stock, 'one of two');
is(sql("$with SET max_parallel_workers = 0; $query"), $stock, 'none');

# ---------- by cost ----------

sql(q{
	INSERT INTO gpuagg.profile (device_kind, device_name, origin, measured_at, units, memory_bytes, clock_ghz,
		feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns, feeder_start_ns, feeder_ns)
	SELECT 'cuda', name, 'edited', now(), 60, 16000000000, 1.5, 5000, 120000, 3400, 40, 25, 500, 1e6, 2e5
	FROM gpuagg.devices WHERE state = 'ready'});

sub planned
{
	my ($set, $query) = (@_, $query);

	return sql("SET gpuagg.debug_require = 'require'; SET gpuagg.cache = off; SET max_parallel_workers_per_gather = 4; $set EXPLAIN (ANALYZE, VERBOSE, TIMING OFF, SUMMARY OFF) $query") =~
	  /Feeders Planned: (\d+)\n.*Feeders Launched: (\d+)\n.*Pages Read by Feeders: (\d+)/s ? "$1 $2 " . ($3 > 0 ? 'some' : 'none') : 'none';
}

like(planned(''), qr/^([234]) \1 (some|none)$/, 'a slow feed of many pages');
is(planned('SET max_parallel_workers_per_gather = 1;') =~ s/ (some|none)$//r, '1 1', 'as many as a Gather may have');
is(planned('SET max_parallel_workers_per_gather = 0;'), 'none', 'no parallel query, no feeders');
is(planned('SET gpuagg.debug_feeders = 0;'), 'none', 'none is none');

# what a page took when the table was read last counts, not what the profile says
sql(q{
	UPDATE gpuagg.profile SET feed_page_ns = 1, feeder_start_ns = 1e4, feeder_ns = 1e4;
	CREATE TABLE again (LIKE t) WITH (autovacuum_enabled = off);
	ALTER TABLE again ALTER pad SET STORAGE PLAIN;
	INSERT INTO again TABLE t;
	VACUUM (FREEZE, ANALYZE) again});
my $again = $query =~ s/FROM t/FROM again/r;
is(planned('', $again), 'none', 'a table that was not read before, by the profile');
like(planned('', $again), qr/^([1234]) \1 (some|none)$/, 'its pages took longer than the profile says');
sql('UPDATE gpuagg.profile SET feed_page_ns = 5000, feeder_start_ns = 1e6, feeder_ns = 2e5');

# a task of several tables: those of one of them would not be worth while
sql(q{
	CREATE TABLE many (id int, g int, f float8, pad text) PARTITION BY RANGE (id);
	SELECT format('CREATE TABLE many%s PARTITION OF many FOR VALUES FROM (%s) TO (%s)', i, i * 5000, i * 5000 + 5000)
	FROM generate_series(0, 12) i \gexec
	ALTER TABLE many ALTER pad SET STORAGE PLAIN;
	INSERT INTO many TABLE t;
	VACUUM (FREEZE, ANALYZE) many;
	UPDATE gpuagg.profile SET feeder_start_ns = 4e6 WHERE feed_page_ns = 5000});
my $many = $query =~ s/FROM t/FROM many/r;
is(planned('', $many =~ s/WHERE|GROUP/WHERE id < 5000 GROUP/r), 'none', 'one small table: none');
like(planned('', $many), qr/^([1234]) \1 (some|none)$/, 'twelve of them: some, for all together');
is(sql("SET gpuagg.debug_require = 'require'; SET gpuagg.cache = off; SET max_parallel_workers_per_gather = 4; $many"), $stock,
	'the backend and feeders together, over several tables');
# what is kept needs none
sql("SELECT gpuagg.load('many', ARRAY['g', 'id', 'f'])");
is(planned('SET gpuagg.cache = on;', $many), 'none', 'all of them are kept: none');
sql('UPDATE gpuagg.profile SET feeder_start_ns = 1e9, feeder_ns = 1e9 WHERE feed_page_ns = 5000');
is(planned(''), 'none', 'workers that take long');
sql('UPDATE gpuagg.profile SET feeder_start_ns = NULL, feeder_ns = NULL WHERE feed_page_ns = 5000');
is(planned('SET parallel_setup_cost = 1e6;'), 'none', 'not measured: parallel_setup_cost');
like(planned('SET parallel_setup_cost = 100;'), qr/^\d \d/, 'which may be low');
is(sql("SET gpuagg.debug_require = 'require'; SET gpuagg.cache = off; SET parallel_setup_cost = 10; SET max_parallel_workers_per_gather = 4; $query"), $stock,
	'the backend and feeders together');
crash_free($node, 'nothing crashed');

# ---------- one is killed, which ends the server as in any parallel plan ----------

($psql, @pids) = start_query('', 'hold');
kill_and_recover($node, $pids[2]);
fake_does();
finish_psql($psql);
isnt($psql->{stderr}, '', 'a feeder is killed: its query has failed');
wait_ready($node);
no_tasks($node, 'nothing is left on the device');
is(sql("$with $query"), $stock, 'and the next query is right');

done_testing();
