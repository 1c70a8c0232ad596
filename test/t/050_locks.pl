# Places on the device and PostgreSQL's locks, of which its deadlock detection sees only one
# half: who waits for a place may have locks for which those wait who have a place.  Then many
# sessions with locks, and two places for all of them.  GPUAGG_STRESS_SECONDS: for how long.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('locks', 'shared_buffers = 64MB', 'autovacuum = off', 'jit = off', 'gpuagg.running_tasks = 1', 'gpuagg.queue_timeout = 0');

$node->safe_psql(
	'postgres', q{
	CREATE TABLE other (g int, v int) WITH (autovacuum_enabled = off);
	INSERT INTO other SELECT i % 3, i FROM generate_series(1, 1000) i;
	CREATE TABLE long (id int, k text) WITH (autovacuum_enabled = off);
	ALTER TABLE long ALTER COLUMN k SET STORAGE EXTERNAL;
	INSERT INTO long SELECT i, CASE i % 500 WHEN 0 THEN repeat('long ' || i % 3, 2000) ELSE 'k' || i % 5 END FROM generate_series(1, 2000) i;
	VACUUM ANALYZE;
	-- so many other sessions wait for a lock
	CREATE FUNCTION wait_for(n int) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		FOR i IN 1 .. 3000 LOOP
			IF (SELECT count(*) FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()) = n THEN
				RETURN;
			END IF;
			PERFORM pg_sleep(0.01);
		END LOOP;
		RAISE 'nobody waits';
	END $$;});
my ($toast_index) = $node->safe_psql('postgres', q{
	SELECT i.indexrelid::regclass FROM pg_class c JOIN pg_index i ON i.indrelid = c.reltoastrelid WHERE c.oid = 'long'::regclass});

my $grouped = 'SELECT k, count(*), max(id) FROM long GROUP BY k ORDER BY k';
my $stock = $node->safe_psql('postgres', "SET gpuagg.enable = off; $grouped");
my $reindex = "BEGIN; REINDEX INDEX $toast_index;";
my $asked = 'SELECT g, count(*), sum(v) FROM other GROUP BY g ORDER BY g; COMMIT;';
my $answer = "0|333|166833\n1|334|167167\n2|333|166500";

sub sleeping
{
	return $node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
}

# A task that comes to wait for a lock
sub start_task
{
	return start_psql($node, "SET gpuagg.debug_require = 'require'; $grouped;");
}

# ->{stdout} of all is what it should be, soon
sub are_answered
{
	my ($name, @of) = @_;

	while (my ($psql, $wanted) = splice @of, 0, 2)
	{
		finish_psql($psql);
		is($psql->{stderr} . $psql->{stdout} =~ s/^\n+//r, $wanted, "$name: the answer");
		cmp_ok($psql->{seconds}, '<', 20, "$name: soon");
	}
	no_tasks($node, "$name: nothing is left");
	return;
}

# Who makes the index anew asks the device, too, once another's task waits for the index.
sub crossed
{
	my ($name) = @_;
	my $before = counter($node, 'fallbacks_queue');
	my $owner = start_psql($node, "$reindex SELECT wait_for(1); SET gpuagg.debug_require = 'prefer'; $asked");

	sleeping();
	are_answered($name, $owner, $answer, start_task(), $stock);
	is(counter($node, 'fallbacks_queue'), $before + 1, "$name: the lock's owner went without the device");
	return;
}

crossed('a task runs');
$node->append_conf('postgresql.conf', "gpuagg.max_tasks = 1\ngpuagg.running_tasks = 0");
$node->restart;
wait_ready($node);
crossed('all places are taken');

# in a ring of three
my $first = start_psql($node, "BEGIN; UPDATE other SET v = v WHERE v = 1; SELECT wait_for(2); SET gpuagg.debug_require = 'prefer'; $asked");
sleeping();
my $second = start_psql($node, "$reindex UPDATE other SET v = v WHERE v = 1; COMMIT;");
$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted');
are_answered('a ring of three', $first, $answer, $second, '', start_task(), $stock);

# a ring that closes after who waits for a place has looked the first time: who is in it then
# waits for deadlock_timeout once more, not for a second
$node->safe_psql(
	'postgres', q{
	CREATE TABLE halves (id int, k text) PARTITION BY RANGE (id);
	CREATE TABLE half1 PARTITION OF halves FOR VALUES FROM (0) TO (1001);
	CREATE TABLE half2 PARTITION OF halves FOR VALUES FROM (1001) TO (2001);
	ALTER TABLE half1 ALTER COLUMN k SET STORAGE EXTERNAL;
	ALTER TABLE half2 ALTER COLUMN k SET STORAGE EXTERNAL;
	INSERT INTO halves TABLE long;
	VACUUM ANALYZE halves;});
my @halves = map { "REINDEX TABLE pg_toast.pg_toast_" . $node->safe_psql('postgres', "SELECT '$_'::regclass::oid") . ';' } 'half1', 'half2';
my @stood;
foreach my $round (1 .. 3)
{
	my $behind = start_psql($node, "SET deadlock_timeout = '100ms'; BEGIN; $halves[1] SELECT wait_for(1); SET application_name = 'behind'; SET gpuagg.debug_require = 'prefer'; "
		  . "SELECT g, count(*), sum(v) FROM other GROUP BY g ORDER BY g; SELECT extract(epoch FROM clock_timestamp() - min(waitstart)) FROM pg_locks WHERE NOT granted; COMMIT;");
	my $ahead = start_psql($node, "BEGIN; $halves[0] SELECT wait_for(1), set_config('application_name', 'ahead', false);"
		  . q{ DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'behind' AND query LIKE 'SELECT g%' AND wait_event IN ('Extension', 'GpuAggSlot')) LOOP
			PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; PERFORM pg_sleep(0.25); END $$; COMMIT;});
	$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
	my $task = start_psql($node, "SET gpuagg.debug_require = 'require'; " . $grouped =~ s/long/halves/r . ';');
	finish_psql($_) foreach $behind, $ahead, $task;
	is($task->{stdout} . $task->{stderr}, $stock, "a ring that closes late: the answer, $round") or last;
	push @stood, $behind->{stdout} =~ /([0-9.]+)\s*$/;
	like($behind->{stdout}, qr/^\s*\Q$answer\E\n/, "a ring that closes late: the answer of the lock's owner, $round");
}
note("it stood for @stood s");
cmp_ok((sort { $a <=> $b } @stood)[0] // 9, '<', 0.5, 'a ring that closes late is found soon');

# who has no lock that others wait for goes on waiting
my $owner = start_psql($node, "$reindex SELECT wait_for(1), pg_sleep(4); COMMIT;");
sleeping();
my $task = start_task();
$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted');
my $patient = start_psql($node, "BEGIN; LOCK TABLE other IN EXCLUSIVE MODE; SET gpuagg.debug_require = 'require'; $asked");
are_answered('no ring', $owner, '|', $task, $stock, $patient, $answer);

# and without PostgreSQL's plan it is told
$owner = start_psql($node, "$reindex SELECT wait_for(1); SET gpuagg.debug_require = 'prefer'; SET gpuagg.fallback = off; $asked");
sleeping();
$task = start_task();
finish_psql($owner);
like($owner->{stderr}, qr/ERROR:  no place on the device.*\nDETAIL:.*a session that has a place on the device waits for a lock of this one/, 'an error where there is no fallback');
are_answered('after it', $task, $stock);


# ---------- many sessions, two places ----------

my $seconds = $ENV{GPUAGG_STRESS_SECONDS} // 12;
$node->append_conf('postgresql.conf', "gpuagg.max_tasks = 2\ndeadlock_timeout = '50ms'\nstatement_timeout = '60s'\ngpuagg.debug_require = prefer\nmax_parallel_workers_per_gather = 0");
$node->restart;
wait_ready($node);
$node->safe_psql('postgres', q{
	CREATE TABLE parts (id int, g int) PARTITION BY RANGE (id);
	CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (4000);
	CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (4000) TO (9000);
	INSERT INTO parts SELECT i, i % 7 FROM generate_series(0, 8999) i;
	CREATE TABLE wrong (query text, sum numeric);
	ANALYZE parts;
	-- a query whose first column sums up to this, whatever others do
	CREATE FUNCTION sums_up(q text, wanted numeric) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE s numeric;
	BEGIN
		EXECUTE format('SELECT sum(n) FROM (%s) q', q) INTO s;
		IF s IS DISTINCT FROM wanted THEN
			INSERT INTO wrong VALUES (q, s);
		END IF;
	END $$;});
my $dir = PostgreSQL::Test::Utils::tempdir();
my %asked = (
	'SELECT count(*) AS n, k FROM long GROUP BY k' => 2000,
	'SELECT count(*) AS n, g FROM other GROUP BY g' => 1000,
	'SELECT count(*) AS n, g FROM parts GROUP BY g' => 9000,
	# inputs that are plans, with tasks of their own
	'SELECT count(*) AS n, l.k FROM long l JOIN (SELECT g, max(v) FROM other GROUP BY g) o ON l.id % 3 = o.g GROUP BY l.k' => 2000,
	'SELECT sum(c) AS n, g FROM (SELECT g, (SELECT count(*) FROM other o WHERE o.g = p.g) AS c FROM parts p WHERE id < 3) q GROUP BY g' => 1000,
	'SELECT count(*) AS n, i FROM (SELECT DISTINCT g, k FROM parts JOIN long USING (id)) q, generate_series(1, 2) i GROUP BY i' => 0);
my @locks = (
	"REINDEX INDEX $toast_index", 'LOCK TABLE other IN SHARE MODE', 'LOCK TABLE other IN EXCLUSIVE MODE', 'LOCK TABLE parts1', 'UPDATE long SET k = k WHERE id = :id * 500',
	'UPDATE other SET v = v WHERE v = :id', 'ALTER TABLE parts DETACH PARTITION parts2; ALTER TABLE parts ATTACH PARTITION parts2 FOR VALUES FROM (4000) TO (9000)',
	'CREATE INDEX i:client_id ON long (id); DROP INDEX i:client_id', 'DECLARE c CURSOR FOR SELECT k, count(*) FROM long GROUP BY k; FETCH 1 FROM c');
# whom PostgreSQL has ended as part of a deadlock goes again, and not at once: two who do that in
# turn leave the others hardly a lock for seconds
my $pause = "SELECT pg_sleep(0.1 * random());\n";
my $n = 0;
$asked{ (grep { !$asked{$_} } keys %asked)[0] } = $node->safe_psql('postgres', 'SET gpuagg.enable = off; SELECT 2 * count(*) FROM (SELECT DISTINCT g, k FROM parts JOIN long USING (id)) q');
foreach my $lock (@locks)
{
	foreach my $query (sort keys %asked)
	{
		my ($other) = sort { ($n * 7 + length $a) % 5 <=> ($n * 7 + length $b) % 5 } keys %asked;

		append_to_file("$dir/" . $n++ . '.sql', "\\set id random(1, 4)\nBEGIN;\n$pause" . join(";\n", split /; /, $lock) .
			  ";\nSELECT sums_up('$query', $asked{$query});\nSELECT sums_up('$other', $asked{$other});\nCOMMIT;\n");
	}
}
my $run = start_pgbench($node, $seconds + 120, '-c', 12, '-j', 2, '-T', $seconds, '--max-tries=1000', map { ('-f', "$dir/$_.sql") } 0 .. $n - 1);
finish_pgbench($run);
note("$run->{transactions} transactions, ", counter($node, 'fallbacks_queue'), ' without a place, ', counter($node, 'tasks'), ' tasks');
cmp_ok($run->{transactions}, '>', 12, 'many sessions with locks and two places');
unlike($run->{stderr}, qr/ERROR|aborted/, 'none ended') or diag(substr $run->{stderr}, 0, 4000);
is($node->safe_psql('postgres', 'SELECT * FROM wrong LIMIT 5'), '', 'and none is wrong');
no_tasks($node, 'nothing is left of them');
crash_free($node, 'no crash');
$node->stop;
done_testing();
