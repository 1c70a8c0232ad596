# Places on the device and PostgreSQL's locks, of which its deadlock detection sees only one
# half: who waits for a place may have locks for which those wait who have a place.
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

crash_free($node, 'no crash');
$node->stop;
done_testing();
