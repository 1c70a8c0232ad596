# Many clients at once: 64 sessions with queries of every kind, small and large, of
# tables that change, each compared with gpuagg off under one snapshot, while tasks are
# cancelled, backends end, devices fail and the worker restarts; then shares, short
# tasks beside long ones, and what views tell of those that wait.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{GPUAGG_CLIENT_SECONDS} // 60;
my $clients = $ENV{GPUAGG_CLIENTS} // 64;
my $bin = $ENV{PG_BINDIR} // '';
plan skip_all => 'no pgbench' unless -x "$bin/pgbench" || system('pgbench --version >/dev/null 2>&1') == 0;

my $tmp = PostgreSQL::Test::Utils::tempdir();
my $fake = fake_cards($tmp);

my $node = new_node(
	'clients',
	'shared_buffers = 128MB',
	'max_connections = 120',
	'max_worker_processes = 12',
	'gpuagg.max_tasks = 24',
	'gpuagg.running_tasks = 6',
	'gpuagg.queue_timeout = 120s',
	$fake // '',
	'gpuagg.host_threads = 2',
	'gpuagg.device_memory = 64MB',
	'jit = off',
	'autovacuum = off');

sub sql { return $node->safe_psql('postgres', $_[0]); }

sql(q{
	CREATE TABLE small (id int, g int, v numeric(10,2)) WITH (autovacuum_enabled = off);
	INSERT INTO small SELECT i, i % 7, i / 3.0 FROM generate_series(1, 2000) i;
	CREATE TABLE large (id int, g int, k text COLLATE "C", f float8, d date) WITH (autovacuum_enabled = off);
	INSERT INTO large SELECT i, i % 100, 'k' || i % 500, i, '2026-01-01'::date + i % 300 FROM generate_series(1, 60000) i;
	CREATE TABLE parts (id int, g int) PARTITION BY RANGE (id);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (4000);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (4000) TO (9000);
	INSERT INTO parts SELECT i, i % 7 FROM generate_series(0, 8999) i;
	CREATE TABLE wrong (at timestamptz DEFAULT clock_timestamp(), query text, difference text);
	VACUUM (FREEZE, ANALYZE);
	CREATE ROLE light LOGIN; CREATE ROLE heavy LOGIN;
	GRANT ALL ON ALL TABLES IN SCHEMA public TO light, heavy;
	ALTER ROLE heavy SET gpuagg.share = 300;
	CREATE TABLE checks (query text);
	INSERT INTO checks VALUES
		('SELECT g, count(*), sum(v), avg(v) FROM small GROUP BY g'),
		('SELECT count(*), sum(v), min(id), max(id) FROM small WHERE g = 3'),
		('SELECT g, count(*), sum(id) FROM large GROUP BY g'),
		('SELECT k, count(*), max(id) FROM large GROUP BY k'),
		('SELECT k, g, count(*) FROM large WHERE id % 3 = 0 GROUP BY k, g'),
		('SELECT id, count(*) FROM large GROUP BY id HAVING id % 1000 = 7'),
		('SELECT d, count(DISTINCT g), sum(f) FROM large GROUP BY d'),
		('SELECT g, count(*), sum(id) FROM parts GROUP BY g'),
		('SELECT s.g, count(*), sum(l.id) FROM large l JOIN (SELECT DISTINCT g FROM small) s ON l.g = s.g GROUP BY s.g'),
		('SELECT g, count(*), sum(id) FROM large TABLESAMPLE BERNOULLI (20) REPEATABLE (5) GROUP BY g'),
		('SELECT date_trunc(''month'', d), count(*) FROM large GROUP BY 1'),
		('SELECT g, sum(id / (g - 200)) FROM large GROUP BY g');
	-- one of them, on and off, under the caller's snapshot; what differs goes to wrong
	CREATE FUNCTION check_one(n int, ways text[]) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		q text := (SELECT query FROM checks OFFSET n % 12 LIMIT 1);
		stock text[];
		device text[];
	BEGIN
		PERFORM set_config('gpuagg.enable', 'off', true);
		EXECUTE format('SELECT ARRAY(SELECT x::text FROM (%s) x ORDER BY 1)', q) INTO stock;
		PERFORM set_config('gpuagg.enable', 'on', true);
		PERFORM set_config('gpuagg.debug_require', 'prefer', true);
		PERFORM set_config('gpuagg.cache', ways[1 + n / 12 % 2], true);
		PERFORM set_config('gpuagg.debug_feeders', CASE WHEN n / 24 % 4 = 0 THEN '2' ELSE '-1' END, true);
		EXECUTE format('SELECT ARRAY(SELECT x::text FROM (%s) x ORDER BY 1)', q) INTO device;
		IF stock IS DISTINCT FROM device THEN
			INSERT INTO wrong (query, difference) VALUES (q, left(stock::text || ' / ' || device::text, 500));
		END IF;
	-- one that is cancelled goes on with the next: pgbench's client would end
	EXCEPTION WHEN query_canceled THEN NULL;
	END $$;});

my %script = (
	'check.sql' => q{
\set n random(0, 95)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT check_one(:n, '{on,off}');
COMMIT;
},
	'write.sql' => q{
\set id random(1, 60000)
UPDATE large SET g = (g + 1) % 100 WHERE id = :id;
UPDATE small SET v = v + 1 WHERE id = :id % 2000;
INSERT INTO parts VALUES (:id % 9000, :id % 7);
\sleep 20 ms
});
foreach my $name (keys %script)
{
	open my $file, '>', "$tmp/$name" or die $!;
	print $file $script{$name};
	close $file;
}

# ---------- all at once, with faults ----------

my $pgbench = start_pgbench($node, $seconds + 300, '-c', $clients, '-j', '2', '-T', $seconds, '--max-tries=1',
	'-f', "$tmp/check.sql\@15", '-f', "$tmp/write.sql\@1");
my $end = time + $seconds - 5;
my @faults = (
	sub { fake_does('fault 2') }, sub { fake_does() },
	sub { sql('SELECT pg_cancel_backend(pid) FROM gpuagg.tasks ORDER BY random() LIMIT 2') },
	sub { sql('VACUUM large; VACUUM small') },
	sub { fake_does('memory 1') }, sub { fake_does('busy 3') }, sub { fake_does() },
	sub { sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type = 'parallel worker' LIMIT 1}) },
	sub { sql('SELECT gpuagg.reset_device()') },
	sub { sql('SELECT gpuagg.unload(\'large\')') });
my $faults = 0;
my $waiting = 0;

while (time < $end)
{
	$faults[ $faults++ % @faults ]->();
	my $queued = sql(q{SELECT count(*) FROM gpuagg.tasks WHERE state = 'queued' AND waited_ms IS NOT NULL AND share > 0});
	$waiting = $queued if $queued > $waiting;
	sleep 0.2;
}
fake_does();
finish_pgbench($pgbench);
note($pgbench->{stdout});

my $done = $pgbench->{transactions};
my $err = $pgbench->{stderr};
cmp_ok($done, '>', $clients / 2, "$clients clients ran $done transactions, $faults faults");
is(sql('SELECT count(*) FROM wrong'), '0', 'every answer is that of PostgreSQL')
  or diag(sql('SELECT query, difference FROM wrong LIMIT 5'));
my %seen = map { $_ => 1 } $err =~ /ERROR:  (.*)/g;
my @other = grep { !/^(canceling statement due to user request|could not serialize access|deadlock detected|terminating background worker)/ } sort keys %seen;
is("@other", '', 'no errors but those that were asked for');
ok(wait_ready($node), 'the device is ready');
no_tasks($node, 'nothing is left on the device');
cmp_ok(counter($node, 'tasks'), '>', 20, 'devices did their part');
cmp_ok(counter($node, 'tasks_waited'), '>', 0, "tasks had to wait (at most $waiting were seen)");
same_answer($node, 'SELECT g, count(*), sum(id) FROM large GROUP BY g ORDER BY g', 'and the next query is right');

# ---------- short ones beside long ones ----------

SKIP:
{
	skip 'no fake device here', 11 unless $fake;
	$node->append_conf('postgresql.conf', 'gpuagg.running_tasks = 1');
	$node->reload;
	sql(q{
		INSERT INTO gpuagg.profile (device_kind, device_name, origin, measured_at, units, memory_bytes, clock_ghz,
			feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
		SELECT 'cuda', name, 'edited', now(), 60, 16000000000, 1.5, 50000, 120000, 3400, 40, 25, 500
		FROM gpuagg.devices WHERE state = 'ready'});
	my $as = sub { return "SET gpuagg.debug_require = 'require'; SET gpuagg.cache = off; SET max_parallel_workers_per_gather = 0; " . $_[0]; };
	my $long = 'SELECT g, count(*) FROM large GROUP BY g';

	fake_does('hold');
	my $first = start_psql($node, $as->("$long;"));
	wait_task($node);
	my $light = start_psql($node, $as->("SET SESSION AUTHORIZATION light; $long;"));
	ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM gpuagg.tasks WHERE state = 'queued' AND usename = 'light'}),
		'a second long one waits');
	is(sql(q{SELECT share, waited_ms >= 0, predicted_ms > 10 FROM gpuagg.tasks WHERE state = 'queued'}), '100|t|t', 'which gpuagg.tasks tells');
	is(sql(q{SELECT wait_event FROM pg_stat_activity WHERE pid = (SELECT pid FROM gpuagg.tasks WHERE state = 'queued')}),
		$node->pg_version >= 17 ? 'GpuAggAdmission' : 'Extension', 'and pg_stat_activity');
	# costs tell of it
	my $cost = sub { return sql("SET gpuagg.cost_scale = 0.001; SET gpuagg.cache = off; EXPLAIN $long") =~ /GpuAgg\).*?cost=(\d+\.\d+)/ ? $1 : -1; };
	my $crowded = $cost->();

	# a short one has a place of its own: it begins, and ends as soon as it may
	my $short = start_psql($node, $as->('SELECT g, count(*) FROM small GROUP BY g ORDER BY g;'));
	ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM gpuagg.tasks WHERE state = 'running' AND relation = 'small'::regclass}),
		'a short one does not wait');
	fake_does();
	finish_psql($_) foreach ($short, $first, $light);
	is(join(',', map { $_->{stderr} } ($short, $first, $light)), ',,', 'all answer');
	no_tasks($node, 'all are through');
	my $free = $cost->();
	cmp_ok($free, '>=', 0, 'alone it is a plan for the device');
	cmp_ok($crowded, '>', $free, 'which costs more while others wait');

	# six long ones of each of two roles: with a share of 300 against 100, three in four of the first
	# that begin are the one's
	fake_does('hold');
	$first = start_psql($node, $as->("$long;"));
	wait_task($node);
	my @waiting = map { start_psql($node, $as->("SET gpuagg.share = " . ($_ < 6 ? 100 : 300) . "; SET SESSION AUTHORIZATION " . ($_ < 6 ? 'light' : 'heavy') . "; $long; SELECT clock_timestamp();")) } 0 .. 11;
	ok($node->poll_query_until('postgres', q{SELECT count(*) = 12 FROM gpuagg.tasks WHERE state = 'queued'}), 'twelve wait');
	fake_does();
	finish_psql($_) foreach ($first, @waiting);
	my %by = map { ($waiting[$_]{stdout} =~ /(\d{4}-\S+ \S+)$/)[0] // '' => $_ < 6 ? 'light' : 'heavy' } 0 .. 11;
	my @order = map { $by{$_} } sort keys %by;
	note("@order");
	cmp_ok(scalar(grep { $_ eq 'heavy' } @order[ 0 .. 5 ]), '>=', 4, 'a share of three times as much begins three times as often');
	no_tasks($node, 'all are through again');
}
# ---------- a long one that works does not keep short ones waiting ----------

fake_does();
$node->append_conf('postgresql.conf', 'gpuagg.running_tasks = 0');
$node->reload;
slow_table($node, 3000);
my $works = start_psql($node, "SET gpuagg.debug_require = 'require'; " . slow_query(60, $node) . ';');
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM gpuagg.tasks WHERE relation = 'slow'::regclass AND state = 'running'}),
	'a long one runs');
# ten of them, each of whose times the server tells
my @took = split /\n/, sql(q{
	SET gpuagg.debug_require = 'require';
	CREATE FUNCTION took() RETURNS float8 LANGUAGE plpgsql AS $$
	DECLARE begun timestamptz := clock_timestamp();
	BEGIN
		PERFORM g, count(*) FROM small GROUP BY g;
		RETURN extract(epoch FROM clock_timestamp() - begun) * 1000;
	END $$;} . 'SELECT took();' x 10);
is(sql(q{SELECT count(*) FROM gpuagg.tasks WHERE relation = 'slow'::regclass AND state = 'running'}), '1',
	'ten short ones are through before a long one is: ' . join(', ', map { sprintf '%.1f', $_ } @took) . ' ms');
is(scalar(@took), 10, 'all of them');
sql(q{SELECT pg_cancel_backend(pid) FROM gpuagg.tasks WHERE relation = 'slow'::regclass});
finish_psql($works);
no_tasks($node, 'and nothing is left');
crash_free($node, 'nothing crashed');
done_testing();
