# Memory of look-up tables that a device makes of columns that it keeps: it is the device's, not
# gpuagg.lookup_memory; tables give way to each other and to tasks, and where there is no room for
# one the query is answered all the same.
#
# GPUAGG_STRESS_SECONDS: for how long many sessions ask at once.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# tables have half of what tasks may use
my $node = new_node('made_memory', 'shared_buffers = 128MB', 'autovacuum = off', 'gpuagg.cache_size = 128MB', 'gpuagg.device_memory = 48MB',
	"gpuagg.lookup_memory = '2MB'", 'max_parallel_workers_per_gather = 0');
my $room = 24 * 1024 * 1024;

$node->safe_psql(
	'postgres', q{
	CREATE TABLE f AS SELECT i AS id, i % 120000 AS a, 'k' || i % 120000 AS s, i % 7 AS g, repeat('x', 110) AS pad FROM generate_series(1, 400000) i;
	-- some 4 MB as a table
	CREATE TABLE m AS SELECT i AS k, i % 100 AS n, i * 10000000007 AS o, -i * 10000000007 AS p, i * 10000000009 AS q, i * 10000000019 AS r
	FROM generate_series(0, 99999) i;
	ALTER TABLE m ADD PRIMARY KEY (k);
	-- more than the room for all
	CREATE TABLE large AS SELECT i AS k, i % 7 AS n, i * 10000000007 AS o, -i * 10000000007 AS p, i * 10000000009 AS q, i * 10000000019 AS r
	FROM generate_series(0, 849999) i;
	ALTER TABLE large ADD PRIMARY KEY (k);
	CREATE TABLE words AS SELECT 'k' || i AS s, i % 7 AS n FROM generate_series(0, 399999) i;
	ALTER TABLE words ADD PRIMARY KEY (s);
	CREATE FUNCTION inputs(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = 'prefer' AS $$
	DECLARE
		line text;
	BEGIN
		FOR line IN EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
			EXIT WHEN line LIKE '%Look-up Joins%';
		END LOOP;
		RETURN line;
	END $$;});
$node->safe_psql('postgres', 'VACUUM (FREEZE, ANALYZE) f, m, large, words');
$node->safe_psql('postgres', "SELECT gpuagg.load('f'), gpuagg.load('m'), gpuagg.load('large'), gpuagg.load('words')");

sub join_of { return "SELECT g, count(*), sum(o), min(p), max(q), sum(r) FROM f JOIN m ON a = k AND n <> $_[0] GROUP BY 1 ORDER BY 1" }

sub memory_used { return $node->safe_psql('postgres', 'SELECT sum(memory_used) FROM gpuagg.devices') }

# ------------------------------------------------ beyond lookup_memory ---

like($node->safe_psql('postgres', 'SELECT inputs($$' . join_of(1) . '$$)'), qr/rows from kept columns/, 'a table larger than gpuagg.lookup_memory is made');
same_answer($node, join_of(1), 'and looked up in');

# ------------------------------------------------- tables give way ---

my @lines = split /\n/, $node->safe_psql('postgres', "SET client_min_messages = error;\n" . join ';', map { 'SELECT inputs($$' . join_of($_) . '$$)' } 1 .. 12, 12, 1);
is(scalar(grep { /from kept columns/ } @lines), 14, 'each of many is made');
like($lines[12], qr/made before/, 'the last is still there');
unlike($lines[13], qr/made before/, 'the first has given way');
$node->poll_query_until('postgres', "SELECT sum(memory_used) <= $room FROM gpuagg.devices")
  or diag(memory_used());
cmp_ok(memory_used(), '<=', $room, 'they take no more than their part');
# a task that finds no memory beside them runs without those that nobody uses; the last one is used
cmp_ok(memory_used(), '>', 3_000_000, 'and the last is there');

# more than there are places in the list of tables
@lines = split /\n/, $node->safe_psql('postgres', '
	SET client_min_messages = error;
	DO $do$ BEGIN FOR i IN 1 .. 270 LOOP PERFORM inputs(format($$SELECT g, count(*) FROM f JOIN m ON a = k AND k < %s GROUP BY 1$$, i)); END LOOP; END $do$;
	SELECT inputs($$SELECT g, count(*) FROM f JOIN m ON a = k AND k < 3000 GROUP BY 1$$);
	SELECT inputs($$SELECT g, count(*) FROM f JOIN m ON a = k AND k < 3000 GROUP BY 1$$);');
like($lines[1], qr/made before/, 'one after many is used again');

# ------------------------------------------------- tasks go first ---

my $fill = join ';', map { 'SELECT inputs($$' . join_of($_) . '$$)' } 1 .. 6;

# the second expects few groups and finds many
foreach my $groups ('SELECT id, count(*) FROM f GROUP BY 1', 'SELECT id % 400001 / 1, count(*), sum(id), max(id), min(g) FROM f GROUP BY 1')
{
	my $compared = "SELECT md5(string_agg(x::text, ',' ORDER BY x::text COLLATE \"C\")) FROM ($groups) x";
	my $before = counter($node, 'fallbacks');
	my $stock = $node->safe_psql('postgres', "SET gpuagg.enable = off; $compared");

	is((split /\n/, $node->safe_psql('postgres', "SET gpuagg.debug_require = 'prefer'; $fill; $compared"))[-1], $stock, 'many groups beside tables');
	is(counter($node, 'fallbacks'), $before, 'have found memory');
}

# ------------------------------------------- no room, also not the device's ---

my $large = 'SELECT g, count(*), sum(o), min(p), max(q), sum(r) FROM f JOIN large ON a = k GROUP BY 1 ORDER BY 1';
my $words = 'SELECT g, count(*), sum(n) FROM f JOIN words USING (s) GROUP BY 1 ORDER BY 1';

like($node->safe_psql('postgres', "SELECT inputs('$large')"), qr/rows in \d+ windows/, 'a table larger than the device\'s part is made in windows');
same_answer($node, $large, 'which answer');
is($node->safe_psql('postgres', "SELECT * FROM gpuagg.why_not(\$\$$words\$\$)"), 'the inputs of the join would take more than gpuagg.lookup_memory', 'or not at all');

# a table that was expected to be small
$node->safe_psql('postgres', "CREATE TABLE was AS SELECT 'k' || i AS s, i % 7 AS n FROM generate_series(0, 999) i; ALTER TABLE was ADD PRIMARY KEY (s); VACUUM ANALYZE was");
my $was = 'SELECT g, count(*), sum(n) FROM f JOIN was USING (s) GROUP BY 1 ORDER BY 1';
is($node->safe_psql('postgres', "SET gpuagg.debug_require = 'prefer'; SET plan_cache_mode = force_generic_plan; PREPARE q AS $was; EXECUTE q;"),
	$node->safe_psql('postgres', "SET gpuagg.enable = off; $was"), 'a plan for a small table');
is($node->safe_psql('postgres', "
	SET gpuagg.debug_require = 'prefer';
	SET plan_cache_mode = force_generic_plan;
	SET client_min_messages = error;
	PREPARE q AS $was;
	INSERT INTO was SELECT s, n FROM words ON CONFLICT DO NOTHING;
	EXECUTE q;"), $node->safe_psql('postgres', "SET gpuagg.enable = off; $was"), 'whose table has become too large');

# ------------------------------------------- many at once ---

# More tables than there is room for, groups that need most of the memory, and windows, side by side: whoever
# finds no room waits, goes on without, or is answered by PostgreSQL.
my $seconds = $ENV{GPUAGG_STRESS_SECONDS} // 8;

make_compared($node, "gpuagg.debug_require = 'prefer'");
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION ask(n int) RETURNS void LANGUAGE sql AS $$
		SELECT compared(CASE n WHEN 0 THEN 'SELECT id % 60000, count(*), sum(a) FROM f GROUP BY 1'
			WHEN 1 THEN 'SELECT g, count(*), sum(n) FROM f JOIN large ON a = k GROUP BY 1'
			ELSE format('SELECT g, count(*), sum(o), min(p), max(q), sum(r) FROM f JOIN m ON a = k AND n <> %s GROUP BY 1', n) END)
	$$;});
append_to_file("$PostgreSQL::Test::Utils::tmp_check/ask.sql", "\\set n random(0, 14)\nSELECT ask(:n);\n");
my $done = finish_pgbench(start_pgbench($node, $seconds + 120, '-c', 6, '-j', 2, '-T', $seconds, '-f', "$PostgreSQL::Test::Utils::tmp_check/ask.sql"));

cmp_ok($done->{transactions}, '>', 10, "$done->{transactions} transactions");
unlike($done->{stderr}, qr/DIFFERENT/, 'each answer is PostgreSQL\'s');
unlike($done->{stderr}, qr/ERROR|FATAL|aborted|PANIC/, 'no session failed');

no_tasks($node, 'nothing is left');
$node->stop;
done_testing();
