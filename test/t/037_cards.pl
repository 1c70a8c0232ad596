# Several GPUs: which of them a task is given to, what becomes of tasks whose card is
# lost, of lists with cards that are not there, and what views tell.  No GPU is needed: a
# provider library made of the host device (test/lib/fake_device.c) gives the cards.
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
	'cards',
	'shared_buffers = 64MB',
	'max_worker_processes = 12',
	"gpuagg.device = 'cuda:all'",
	$fake,
	'gpuagg.host_threads = 1',
	'gpuagg.device_memory = 64MB',
	'gpuagg.cache_size = 32MB',
	'restart_after_crash = on',
	'jit = off',
	'autovacuum = off');

sub sql { return $node->safe_psql('postgres', $_[0]); }

# State and number of each device at work, or not
sub devices
{
	return sql('SELECT device, kind, state FROM gpuagg.devices ORDER BY device');
}

sub restart_with
{
	my ($ready, @conf) = @_;

	$node->append_conf('postgresql.conf', "$_\n") foreach @conf;
	$node->restart;
	wait_ready($node);
	return wait_cards($node, $ready);
}

my $require = "SET gpuagg.debug_require = 'require'; SET gpuagg.fallback = off;";

# Which card answered, by EXPLAIN
sub card_of
{
	my ($query, $settings) = @_;
	my $plan = sql("$require " . ($settings // '') . " EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $query");

	return $plan =~ /^ *Device: (\S+)$/m ? $1 : $plan;
}

sub cached_on
{
	my ($table) = @_;

	return sql("SELECT string_agg(DISTINCT device::text, ',') FROM gpuagg.cache WHERE relation = '$table'::regclass AND attnum > 0 AND pages > 0");
}

# Processes of the server that are device workers; they have no line in pg_stat_activity.
sub workers
{
	my $postmaster = (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];
	my $n = 0;

	foreach my $pid (split ' ', slurp_file("/proc/$postmaster/task/$postmaster/children"))
	{
		open my $file, '<', "/proc/$pid/cmdline" or next;
		$n++ if (<$file> // '') =~ /gpuagg device worker/;
	}
	return $n;
}

wait_cards($node, 2);
is(workers(), 2, 'a worker for each card');
sql(q{
	CREATE TABLE a (id int, g int) WITH (autovacuum_enabled = off);
	CREATE TABLE b (id int, g int) WITH (autovacuum_enabled = off);
	CREATE TABLE c (x int, y int, z int) WITH (autovacuum_enabled = off);
	CREATE TABLE names (g int PRIMARY KEY, name text);
	INSERT INTO c SELECT i % 5, i % 6, i % 7 FROM generate_series(1, 60000) i;
	INSERT INTO a SELECT i, i % 50 FROM generate_series(1, 60000) i;
	INSERT INTO b SELECT i, i % 70 FROM generate_series(1, 60000) i;
	INSERT INTO names SELECT i, 'n' || i % 9 FROM generate_series(0, 69) i;
	CREATE TABLE parts (id int, g int) PARTITION BY RANGE (id);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (10000);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (10000) TO (30000);
	INSERT INTO parts SELECT i, i % 7 FROM generate_series(0, 29999) i;});
sql('VACUUM (FREEZE, ANALYZE)');

my $a = 'SELECT g, count(*), sum(id) FROM a GROUP BY g ORDER BY g';
my $b = 'SELECT g, count(*), sum(id) FROM b GROUP BY g ORDER BY g';

# ---------------------------------------------------------- all of them

is(devices(), "0|cuda|ready\n1|cuda|ready\n2|host|fallback", 'cuda:all: two cards at work');
is( sql("SELECT count(DISTINCT pid), count(DISTINCT uuid), string_agg(name, ',' ORDER BY device) FROM gpuagg.devices WHERE kind = 'cuda'"),
	'2|2|Fake card 0,Fake card 1', 'each with a worker, a name and a number of its own');
is(sql(q{SELECT count(*) FROM gpuagg.metrics WHERE name = 'gpuagg_device_ready' AND value = 1}),
	'2', 'metrics of both');

# ------------------------------------------------ columns stay by table

is(card_of($a), 'cuda:0', 'the first table: the first card');
is(card_of($b), 'cuda:1', 'the second table: the card with more room');
is(cached_on('a') . cached_on('b'), '01', 'their columns are there');
foreach my $query ($a, $b)
{
	my $card = card_of($query);
	my $plan = sql("$require EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $query");

	same_answer($node, $query, "$card answers");
	like($plan, qr/^ *Device: $card$/m, "$card answers again");
	like($plan, qr/^ *Cached Pages: [1-9]/m, 'from its columns');
}
my $alone = 'SET gpuagg.spread = off;';
my $c = card_of('SELECT x, count(*) FROM c GROUP BY x', $alone);
is(card_of("SELECT $_, count(*) FROM c GROUP BY $_", $alone), $c, 'other columns of a table stay where the first are') foreach ('y', 'z');
is(card_of('SELECT x, sum(y), max(z) FROM c GROUP BY x', $alone), $c, 'which are read together there');
sql("SELECT gpuagg.unload('c')");
is(sql("SELECT gpuagg.unload('a') > 0"), 't', 'unload');
is(cached_on('a') . cached_on('b'), '1', 'only that table');
is(sql("SELECT gpuagg.load('a') > 0"), 't', 'load');
is(cached_on('a'), '0', 'one card has it again');
same_answer($node, $_, 'both cards')
  foreach ('SELECT name, count(*), sum(id) FROM a JOIN names USING (g) GROUP BY name ORDER BY name',
	'SELECT a.g, count(*) FROM a JOIN b ON a.id = b.id GROUP BY a.g ORDER BY a.g',
	'SELECT g, count(*) FROM parts GROUP BY g ORDER BY g',
	'SELECT x.g, x.n, y.n FROM (SELECT g, count(*) n FROM a GROUP BY g) x JOIN (SELECT g, count(*) n FROM b GROUP BY g) y USING (g) ORDER BY 1');

# an input that is grouped by its key, for an aggregate that no table has, is grouped where its columns are; the next one's table is made where those of the
# table that is read are
my $grouped = 'SELECT name, count(*), count(b.id) FILTER (WHERE b.id > 0) FROM a LEFT JOIN b ON b.g = a.g LEFT JOIN names ON names.g = a.g GROUP BY name ORDER BY name';
my $below = "$alone SET gpuagg.cost_scale = 0.001; SET join_collapse_limit = 1;";
same_answer($node, "$below $grouped", 'an input that another card groups');
my $plan_below = sql("$require $below EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $grouped");
like($plan_below, qr/left \(70 rows, [^)]*\), left \(70 rows from kept columns[^)]*\)\n *Device: cuda:0\n.*\n *Device: cuda:1\n/s, 'a card for each')
  or diag($plan_below);

# ---------------------------------------------- least predicted finish

# A card that is busy: others take what does not need its columns.
fake_does('hang:0 2');
my $settings = 'SET gpuagg.cache = off;';
my $busy = start_psql($node, "$require $settings SET gpuagg.debug_feeders = 0; $a;");
$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM gpuagg.tasks WHERE device = 0 AND pages_done > 0');
is(card_of($a, $settings), 'cuda:1', 'a card that is busy is passed by');
is(sql('SELECT tasks_running FROM gpuagg.devices WHERE kind = \'cuda\' ORDER BY device'), "1\n0", 'it has one task');
is(sql('SELECT device, state FROM gpuagg.tasks'), '0|running', 'gpuagg.tasks tells the card');
# what waits for the card with the columns adds up, until they are read on the other one, too
my $tries = 0;
$tries++ while $tries < 20 && card_of($a) eq 'cuda:0';
cmp_ok($tries, '<', 20, 'tasks over columns of a busy card move');
is(cached_on('a'), '0,1', 'both cards have a hot table\'s columns');

# cancelled on one card, while the other goes on
my $pid = sql('SELECT pid FROM gpuagg.tasks WHERE device = 0');
sql("SELECT pg_cancel_backend($pid)");
finish_psql($busy);
like($busy->{stderr}, qr/canceling statement due to user request/, 'cancelled');
same_answer($node, $b, 'the other card answers meanwhile');
fake_does();
ok($node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM gpuagg.tasks'), 'nothing is left');

# -------------------------------------------------------- a lost card

my %worker = map { split /\|/ } split /\n/, sql("SELECT device, pid FROM gpuagg.devices WHERE kind = 'cuda'");

# in the middle of a task: the other card does it again, and no fallback
fake_does('lost:0 1');
my $before = counter($node, 'redone');
sql("SELECT gpuagg.unload('a'), gpuagg.unload('b')");
my $stock = sql("SET gpuagg.enable = off; $a");
is(sql("$require $a"), $stock, 'a card is lost: the right answer');
is(counter($node, 'redone') - $before, 1, 'redone');
is($worker{1}, sql('SELECT pid FROM gpuagg.devices WHERE device = 1'), 'by the other card, which goes on');
is(sql("SELECT state FROM gpuagg.devices WHERE kind = 'host'"), 'fallback', 'the host device was not asked');
wait_cards($node, 2);
my $plan = sql("$require EXPLAIN (ANALYZE, VERBOSE, COSTS OFF) $b");
like($plan, qr/^ *Device: cuda:1$/m, 'EXPLAIN tells who answered') if $plan =~ /Redone/;
fake_does();

# killed
wait_cards($node, 2);
kill 'TERM', sql('SELECT pid FROM gpuagg.devices WHERE device = 1');
is(sql("$require $a"), $stock, 'a worker is ended: the others answer');
wait_cards($node, 2);

# both lost: the host device does it
fake_does('lost 1');
is(sql("$require $a"), $stock, 'both cards are lost: the host device answers');
fake_does();
$node->poll_query_until('postgres', "SELECT count(*) = 2 FROM gpuagg.devices WHERE kind = 'cuda' AND state IN ('ready', 'stopped', 'starting')");
wait_cards($node, 2);

# lost too often: off, and the other one does it all; then on again, that card alone
fake_does('lost:0 1');
my $wrong_answers = 0;
my $off = 0;
for (my $loss = 0; $loss < 6 && !$off; $loss++)
{
	my $got = sql("$require $a");

	$wrong_answers++ if $got ne $stock;
	# so that the first card is asked again
	sql("SELECT gpuagg.unload('a'), gpuagg.unload('b')");
	$node->poll_query_until('postgres', "SELECT state IN ('ready', 'off') FROM gpuagg.devices WHERE device = 0");
	$off = sql('SELECT state FROM gpuagg.devices WHERE device = 0') eq 'off';
}
fake_does();
is($wrong_answers, 0, 'each loss: the right answer');
ok($off, 'a card that is lost too often is off');
is(card_of($a), 'cuda:1', 'the other one answers');
is(sql('SELECT gpuagg.reset_device(0)'), 't', 'reset_device of one card');
is(devices(), "0|cuda|ready\n1|cuda|ready\n2|host|fallback", 'it is on again');
my ($rc, $out, $err) = $node->psql('postgres', 'SELECT gpuagg.reset_device(7)');
like($err, qr/device 7 runs no tasks/, 'reset_device of a card that is not there');

# what another card kept went with its worker: nobody waits for that to unload it
fake_does('lost:1 1');
for (my $loss = 0; $loss < 6 && sql('SELECT state FROM gpuagg.devices WHERE device = 1') ne 'off'; $loss++)
{
	sql("SET gpuagg.cache = off; SET gpuagg.spread = always; $require $a");
	$node->poll_query_until('postgres', "SELECT state IN ('ready', 'off') FROM gpuagg.devices WHERE device = 1");
}
fake_does();
is(sql('SELECT state FROM gpuagg.devices WHERE device = 1'), 'off', 'the other card is off');
($rc, $out, $err) = $node->psql('postgres', "SET statement_timeout = '20s'; SELECT gpuagg.unload('a')");
is($err, '', 'unload');
is(sql('SELECT gpuagg.reset_device(1)'), 't', 'and it is on again');
wait_cards($node, 2);

# a crash of the server: each card has one worker afterwards
my $backend = sql('SELECT pid FROM gpuagg.devices WHERE device = 1');
kill_and_recover($node, $backend);
wait_cards($node, 2);
is(workers(), 2, 'two workers after a crash');
same_answer($node, $a, 'and they answer');

# ----------------------------------------------------------- profiles

# each card's own profile counts before that of another one of its name
sql(q{
	INSERT INTO gpuagg.profile (device_kind, device_name, device_uuid, machine, origin, measured_at, units, feed_page_ns,
		round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
	SELECT 'cuda', 'Fake card 0', uuid, gpuagg.machine(), 'measured', now() + CASE name WHEN 'own' THEN interval '0' ELSE '1 day' END,
		1, 100, CASE name WHEN 'own' THEN 7e9 ELSE 1e3 END, 3400, 40, 25, 500
	FROM (VALUES ('own', 'GPU-00000000-0000-0000-0000-000000000000'), ('other', 'GPU-another')) p(name, uuid)});
is(card_of("SELECT g, count(*) FROM names GROUP BY g"), 'cuda:1', 'a card that is slow by its own profile is passed by');
sql(q{UPDATE gpuagg.profile SET device_uuid = 'GPU-a third' WHERE device_uuid LIKE '%000'});
is(card_of("SELECT g, count(*) FROM names WHERE g >= 0 GROUP BY g"), 'cuda:0', 'without one of its own, the newest of its name counts');
sql('DELETE FROM gpuagg.profile WHERE device_uuid IS NOT NULL');

# ----------------------------------------------------- sixteen clients

SKIP:
{
	my $pgbench = ($ENV{PG_BINDIR} // '') . '/pgbench';
	skip 'no pgbench', 3 unless -x $pgbench || system('pgbench --version >/dev/null 2>&1') == 0;

	sql(q{
		CREATE TABLE wrong (query text);
		CREATE FUNCTION check_one(q text, stock text) RETURNS void LANGUAGE plpgsql AS $$
		DECLARE got text;
		BEGIN
			EXECUTE format('SELECT md5(string_agg(x::text, '','' ORDER BY x::text)) FROM (%s) x', q) INTO got;
			IF got IS DISTINCT FROM stock THEN INSERT INTO wrong VALUES (q); END IF;
		END $$;
		CREATE TABLE checks AS SELECT q, '' AS stock FROM unnest(ARRAY[
			'SELECT g, count(*), sum(id) FROM a GROUP BY g',
			'SELECT g, count(*), sum(id) FROM b GROUP BY g',
			'SELECT id % 1000, count(*) FROM a GROUP BY 1',
			'SELECT g, max(id) FROM parts GROUP BY g']) q;
		SET gpuagg.enable = off;
		DO $$
		DECLARE c record; m text;
		BEGIN
			FOR c IN SELECT * FROM checks LOOP
				EXECUTE format('SELECT md5(string_agg(x::text, '','' ORDER BY x::text)) FROM (%s) x', c.q) INTO m;
				UPDATE checks SET stock = m WHERE q = c.q;
			END LOOP;
		END $$;});
	open my $file, '>', "$tmp/check.sql" or die $!;
	print $file "\\set n random(0, 3)\nSELECT check_one(q, stock) FROM checks ORDER BY q OFFSET :n LIMIT 1;\n";
	close $file;
	sql('ALTER SYSTEM SET gpuagg.debug_require = prefer; SELECT pg_reload_conf()');
	my $run = start_pgbench($node, 100, '-c', 16, '-j', 2, '-T', 4, '-f', "$tmp/check.sql");
	sleep 1;
	kill 'TERM', sql('SELECT pid FROM gpuagg.devices WHERE device = 0') || 0;
	sleep 1.5;
	fake_does('lost:1 2');
	sleep 0.3;
	fake_does();
	finish_pgbench($run);
	ok($run->{ok}, '16 clients over two cards, of which one is ended and one lost') or diag($run->{stderr});
	is(sql('SELECT count(*) FROM wrong'), '0', 'all answers are right');
	unlike($run->{stderr}, qr/aborted|ERROR/, 'and no client ended') or diag($run->{stderr});
	sql('ALTER SYSTEM RESET gpuagg.debug_require; SELECT pg_reload_conf()');
	wait_cards($node, 2);
	ok($node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM gpuagg.tasks'), 'nothing is left');
}

# ----------------------------------------------------------- lists

fake_does('cards 3');
restart_with(2, "gpuagg.device = 'cuda:2, cuda:0'");
is(devices(), "0|cuda|ready\n1|cuda|not used\n2|cuda|ready\n3|host|fallback", 'a list: those cards');
is(card_of($a), 'cuda:2', 'its first card is the first');
same_answer($node, $a, 'they answer');
my $log = -s $node->logfile;
restart_with(1, "gpuagg.device = 'cuda:1,cuda:7'");
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM gpuagg.devices WHERE device = 7 AND state = 'failed'");
is( sql('SELECT device, kind, state, why_not FROM gpuagg.devices WHERE device = 7'),
	'7|cuda|failed|there is no GPU number 7; the machine has 3', 'a list with a card that is not there: it is told');
like(substr(slurp_file($node->logfile), $log), qr/LOG:  gpuagg: a GPU cannot be used: there is no GPU number 7; the machine has 3/,
	'the log tells it, too');
is(card_of($a), 'cuda:1', 'the others work');
restart_with(1, "gpuagg.device = 'cuda:9,cuda:1'");
is(card_of($a), 'cuda:1', 'also where the first is not there');
same_answer($node, $b, 'they answer');
foreach my $wrong ('cuda:0,cuda:0', 'cuda:0,host', 'cuda:0,', 'cuda:all,cuda:1', 'cuda:999', join(',', map { "cuda:$_" } 0 .. 8))
{
	($rc, $out, $err) = $node->psql('postgres', "ALTER SYSTEM SET gpuagg.device = '$wrong'");
	like($err, qr/invalid value for parameter "gpuagg.device"/, "refused: $wrong");
}
done_testing();
