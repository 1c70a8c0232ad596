# Several clients that need the same pages at once: one reads them, and the others wait for that.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('await_fill', 'shared_buffers = 32MB', 'autovacuum = off',
	'gpuagg.cache_size = 512MB', "gpuagg.debug_require = 'require'");
my $least = 1024;
slow_table($node, 4000);
my $slow = slow_query(10, $node);

# Pages that a query read, and that the device had
sub pages
{
	my ($q, $session) = @_;
	my $plan = ($session // $node)->safe_psql('postgres', "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) $q");

	return map { $plan =~ /"$_": (\d+)/ ? $1 : 0 } ('Pages', 'Cached Pages');
}

sub awaited
{
	return counter($node, 'tasks_awaited');
}

# Each row in a page of its own, and all pages changed
sub change
{
	$node->safe_psql('postgres', 'UPDATE slow SET id = -id; VACUUM slow; UPDATE slow SET id = -id');
	return;
}

# Until a task has handed over some pages, but by far not all
sub wait_fed
{
	$node->poll_query_until('postgres', 'SELECT count(*) > 0 FROM gpuagg.tasks WHERE pages_done > 0')
	  or die 'no task hands over pages';
	return;
}

my @small = ('SELECT g, count(*), max(length(t)) FROM slow GROUP BY g ORDER BY g', 'SELECT count(*) FROM slow');
my $other = 'SELECT g, sum(id) FROM slow GROUP BY g ORDER BY g';
SKIP:
{
	my $seconds = slow_seconds($node, $slow);
	skip "a task takes $seconds s here, which is too short to do anything beside it", 1 if $seconds < 2;

	foreach my $query (@small)
	{
		change();
		my $reference = $node->safe_psql('postgres', "SET gpuagg.enable = off; $slow");
		my $before = awaited();
		my $psql = start_psql($node, "$slow;");
		wait_fed();
		my ($read, $cached) = pages($query);
		is(awaited(), $before + 1, "$query: it waits for the task that reads");
		is($read, 0, "$query: and reads nothing itself");
		cmp_ok($cached, '>=', $least, "$query: for all is kept by then");
		finish_psql($psql);
		is($psql->{stdout}, $reference, "$query: the first one's answer");
		same_answer($node, $query, "$query: the answer");
	}

	# what the first does not bring
	change();
	my $before = awaited();
	my $psql = start_psql($node, "$slow;");
	wait_fed();
	cmp_ok((pages($other))[0], '>=', $least, 'a task of other columns reads its pages itself');
	is(awaited(), $before, 'and waits for nobody');
	finish_psql($psql);
	same_answer($node, $other, 'the answer of other columns');

	# cancelled while it waits, and the first one's end
	change();
	$psql = start_psql($node, "SELECT pg_backend_pid(); $slow;");
	wait_fed();
	my ($rc, $out, $err) = $node->psql('postgres', "SET statement_timeout = 300; $small[0]");
	like($err, qr/statement timeout/, 'one that waits is cancelled');
	my $waiting = start_psql($node, "$small[0];");
	$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%max(length%' AND state = 'active' AND pid <> pg_backend_pid()});
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%LIKE%' AND pid <> pg_backend_pid()});
	finish_psql($psql);
	finish_psql($waiting);
	is($waiting->{stdout}, $node->safe_psql('postgres', "SET gpuagg.enable = off; $small[0]"),
		'the first one is terminated: who waited reads instead');
}

# One that makes no progress is not waited for, and after that was for nothing nor is the table.
my $holder = start_psql($node, 'SELECT pg_advisory_lock(72); SELECT pg_sleep(600);');
$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND granted");
change();
my $first = start_psql($node, "SET gpuagg.debug_wait = 71; $small[0];");
$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
my $before = awaited();
my $answer = $node->safe_psql('postgres', "$small[0]; UPDATE slow SET id = -id; $small[0];");
is(awaited(), $before + 1, 'one that stands still is waited for once');
my $stock = $node->safe_psql('postgres', "SET gpuagg.enable = off; $small[0]");
is($answer, "$stock\n$stock", 'but not for ever');
$holder->{run}->kill_kill;
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()});
finish_psql($first);
is($first->{stdout}, $node->safe_psql('postgres', "SET gpuagg.enable = off; $small[0]"), "and gives its answer when it goes on");
no_tasks($node, 'no task is left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
