# Several clients that need the same pages at once: one reads them, and the others wait for that.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('await_fill', 'shared_buffers = 256MB', 'autovacuum = off',
	'gpuagg.cache_size = 512MB', "gpuagg.debug_require = 'require'");
my ($pages, @queries, $holder);

# A table of enough pages that a task is waited for, whose columns are kept.  Its name is one that no
# other has had: of a table for which waiting was of no use nobody waits for a while.
sub table
{
	my ($name) = @_;

	$node->safe_psql(
		'postgres', qq{
		CREATE TABLE $name WITH (fillfactor = 20) AS SELECT i AS id, i % 10 AS g, i::int8 AS v, repeat('x', 20) AS t FROM generate_series(1, 150000) i;
		VACUUM ANALYZE $name;});
	$pages = $node->safe_psql('postgres', "SELECT pg_relation_size('$name') / current_setting('block_size')::int");
	@queries = ("SELECT g, count(*), sum(v), max(id) FROM $name GROUP BY g ORDER BY g", "SELECT count(*), sum(v) FROM $name");
	$node->safe_psql('postgres', $_) foreach @queries;
	return;
}

# A row of each page
sub change
{
	$node->safe_psql('postgres', "UPDATE $_[0] SET v = v + 1 WHERE id % 20 = 0");
	return;
}

sub stock
{
	return $node->safe_psql('postgres', "SET gpuagg.enable = off; $_[0]");
}

# How much a counter rises while something is done
sub rise
{
	my ($name, $do) = @_;
	my $before = counter($node, $name);

	$do->();
	return counter($node, $name) - $before;
}

# The first task stands still when it is about to read, until the lock is given up.
sub hold
{
	$holder = $node->background_psql('postgres');
	$holder->query_safe('SELECT pg_advisory_lock(72)');
	my $first = start_psql($node, "SET gpuagg.debug_wait = 71; $_[0];");
	$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
	  or die 'no task waits';
	return $first;
}

# Eight clients at once: one task reads for all, unless a busy machine takes too long for that.
my ($awaited, $read) = (0, 0);
foreach my $try (1 .. 8)
{
	table("t$try");
	cmp_ok($pages, '>=', 4096, 'pages enough') if $try == 1;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/query.sql';
	append_to_file($file, "$queries[0];\n");
	change("t$try");
	$awaited = rise('tasks_awaited', sub {
		$read = rise('pages', sub { finish_pgbench(start_pgbench($node, 60, '-c', 8, '-t', 1, '-f', $file)) });
	});
	same_answer($node, $queries[0], "try $try: the answer");
	last if $awaited > 0 && $read < 2 * $pages;
}
cmp_ok($awaited, '>', 0, "some wait for another ($awaited)");
cmp_ok($read, '<', 2 * $pages, "which reads for them ($read of $pages pages)");

# One that makes no progress is waited for, but not for long; and after that was for nothing nor is the table.
table('t');
change('t');
my $first = hold($queries[0]);
my $reference = stock($queries[0]);
my $answer;
is(rise('tasks_awaited', sub { $answer = $node->safe_psql('postgres', $queries[1]) }), 1, 'one that stands still is waited for');
is($answer, stock($queries[1]), 'but not for ever');
change('t');
is(rise('tasks_awaited', sub { $answer = $node->safe_psql('postgres', $queries[1]) }), 0, 'once');
is($answer, stock($queries[1]), 'the answer then');
$holder->quit;
finish_psql($first);
is($first->{stdout}, $reference, 'the first one goes on');

# What the first one does not bring is not waited for; nor is who has left.
$node->safe_psql('postgres', 'CREATE TABLE u WITH (fillfactor = 20) AS TABLE t; VACUUM ANALYZE u');
my $u = 'SELECT count(*), sum(v) FROM u';
$first = hold('SELECT g, count(*) FROM u GROUP BY g ORDER BY g');
is(rise('tasks_awaited', sub { $answer = $node->safe_psql('postgres', $u) }), 0, 'one that brings other columns is not waited for');
is($answer, stock($u), 'the answer');
change('u');
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%FROM u GROUP BY%' AND pid <> pg_backend_pid()});
finish_psql($first);
is(rise('tasks_awaited', sub { $answer = $node->safe_psql('postgres', $u) }), 0, 'one that has ended is not waited for');
is($answer, stock($u), 'the answer');
$holder->quit;
no_tasks($node, 'no task is left');
crash_free($node, 'no crash');
$node->stop;
done_testing();
