# Columns are kept again after changes and VACUUM while other tasks use them the whole time.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A GPU's dictionary makes room for all bytes of the pages under way, though all of slow's
# strings are equal.
my $node = new_node('cache_overlap', 'shared_buffers = 256MB', 'autovacuum = off',
	'gpuagg.cache_size = 512MB');

# Pages that a query read, that the device had, and that it kept
sub pages
{
	my ($q) = @_;
	my $plan = $node->safe_psql('postgres',
		"SET gpuagg.debug_require = 'require'; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) $q");

	return map { $plan =~ /"$_": (\d+)/ ? $1 : -1 } ('Pages', 'Cached Pages', 'Pages Kept');
}

sub tasks
{
	return $node->safe_psql('postgres', "SELECT count(*) FROM gpuagg.tasks WHERE state = 'running'");
}

# A task uses all pages from the cache when rows of some of them change beside it.  Each round
# replaces blocks at positions that the rounds before have left.
my $query;
SKIP:
{
	slow_table($node, 3000);
	my $slow = slow_query(10, $node);
	$query = 'SELECT g, count(*), sum(id), min(length(t)) FROM slow GROUP BY g ORDER BY g';
	$node->safe_psql('postgres', 'VACUUM (FREEZE) slow');
	$node->safe_psql('postgres', "SELECT gpuagg.load('slow')");
	my $seconds = slow_seconds($node, $slow);
	skip "a task over kept columns takes $seconds s here, which is too short to do anything beside it", 24 if $seconds < 3;

	foreach my $round (1 .. 3)
	{
		$node->safe_psql('postgres', "UPDATE slow SET id = -id WHERE abs(id) % 40 = $round");
		$node->safe_psql('postgres', 'VACUUM slow');
		my $reference = $node->safe_psql('postgres', "SET gpuagg.enable = off; $slow");
		pages($query);
		my $psql = start_psql($node, "SET gpuagg.debug_require = require; $slow;");
		$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM gpuagg.tasks WHERE state = 'running'");
		$node->safe_psql('postgres', 'UPDATE slow SET id = -id WHERE (ctid::text::point)[0] < 200');
		my ($read, $cached, $kept) = pages($query);
		cmp_ok($read, '>', 10, "round $round: changed pages are read ($read)");
		cmp_ok($cached, '>', $read, "round $round: others are cached ($cached)");
		is($kept, $read, "round $round: and kept");
		($read) = pages($query);
		is($read, 0, "round $round: the second run reads none");
		is(tasks(), 1, "round $round: the other task uses them still");
		same_answer($node, $query, "round $round: the answer beside it");
		finish_psql($psql);
		is($psql->{stdout}, $reference, "round $round: its answer");
		same_answer($node, $query, "round $round: the answer after it");
	}
}

# Clients that overlap for ever
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t AS SELECT i AS id, i % 10 AS g, i::int8 AS v FROM generate_series(1, 200000) i;
	CREATE INDEX ON t (id);});
$node->safe_psql('postgres', 'VACUUM (ANALYZE) t');
$query = 'SELECT g, count(*), sum(v), max(id) FROM t GROUP BY g ORDER BY g';
my $file = PostgreSQL::Test::Utils::tempdir() . '/query.sql';
append_to_file($file, "$query;\n");
$node->append_conf('postgresql.conf', "gpuagg.debug_require = 'prefer'\n");
$node->reload;
my $clients_count = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
my $invisible = "SELECT relpages - relallvisible FROM pg_class WHERE relname = 't'";
my $clients = start_pgbench($node, 600, '-c', 4, '-T', 600, '-f', $file);
foreach my $round (1 .. 4)
{
	$node->safe_psql('postgres', "UPDATE t SET v = v + 1 WHERE id % 100000 < 3000 AND id % 7 = $round % 7");
	# VACUUM leaves out pages that somebody has pinned just then, so the clients pause; and by
	# default pages with dead entries of indexes if these are fewer than a fiftieth of all.
	$clients->{run}->signal('STOP');
	ok($node->poll_query_until('postgres', "SELECT ($clients_count AND state = 'active') = 0"),
		"beside four clients, round $round: they pause");
	$node->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP ON) t');
	$clients->{run}->signal('CONT');
	is($node->safe_psql('postgres', $invisible), 0, "beside four clients, round $round: all pages are visible to all");
	pages($query) foreach 1 .. 2;
	is((pages($query))[0], 0, "beside four clients, round $round: all are cached after two runs");
	same_answer($node, $query, "beside four clients, round $round: the answer");
	is($node->safe_psql('postgres', $clients_count), 4, "beside four clients, round $round: they are at it");
}
# Changes of all rows: what the clients read of a page stays until they have left
foreach my $round (1 .. 6)
{
	$node->safe_psql('postgres', 'UPDATE t SET v = v + 1');
	pages($query) foreach 1 .. 2;
	is((pages($query))[0], 0, "beside four clients, all rows changed $round times: all are cached after two runs");
}
same_answer($node, $query, 'beside four clients, all rows changed: the answer');
$clients->{run}->kill_kill;
no_tasks($node, 'no task is left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
