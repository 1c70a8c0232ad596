# Tables that never rest: writers of every kind beside readers at every isolation level, with old
# and new snapshots, on a primary and its standby.  Each answer of the device, given twice, is
# PostgreSQL's in the same snapshot; what a snapshot saw first it sees until its end.
#
# GPUAGG_LIVE_SECONDS: for how long; GPUAGG_SEED: another course.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use LiveScripts;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $seconds = $ENV{GPUAGG_LIVE_SECONDS} // 25;
my $seed = $ENV{GPUAGG_SEED} // 20261128;
my $dir = PostgreSQL::Test::Utils::tempdir();

note("seed $seed");
srand $seed;

# of every other seed, hint bits are logged and so move LSNs
my $hints = $seed % 2 ? 'on' : 'off';
# of two in four, what is kept is packed at once
my $pack = $seed % 4 < 2 ? 'on' : 'off';

my $primary = new_node('live',
	'shared_buffers = 48MB', 'autovacuum = off', 'max_prepared_transactions = 20', 'gpuagg.cache_size = 16MB',
	'jit = off', 'max_worker_processes = 32', "wal_log_hints = $hints", "gpuagg.debug_pack = $pack");
live_tables($primary, $dir);
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('live_standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\nhot_standby_feedback = off\n");
$standby->start;
wait_ready($standby);

# A transaction exports its snapshot, others take it; writers go on in between.
sub exported
{
	my ($node, $round) = @_;
	my @numbers = map { live_number() } 1 .. 2;
	my $ask = 'SELECT ' . join ', ', map { "live_answer(live_query($_))" } @numbers;
	my ($give, @take) = map { $node->background_psql('postgres') } 1 .. 3;
	my @level = ('REPEATABLE READ', 'REPEATABLE READ, READ ONLY');

	$give->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
	my $snapshot = $give->query_safe('SELECT pg_export_snapshot()');
	my @answers = $give->query_safe($ask);
	foreach my $session (@take)
	{
		sleep rand 0.2;
		$session->query_safe('BEGIN ISOLATION LEVEL ' . shift @level);
		$session->query_safe("SET TRANSACTION SNAPSHOT '$snapshot'");
		push @answers, $session->query_safe($ask);
	}
	foreach my $session (@take, $give)
	{
		sleep rand 0.2;
		push @answers, $session->query_safe($ask);
		$session->query_safe('COMMIT');
		$session->quit;
	}
	unlike("@answers", qr/DIFFERENT/, "round $round: PostgreSQL's answers in an exported snapshot of " . $node->name);
	my @others = grep { $_ ne $answers[0] } @answers;
	return is(@others, 0, "round $round: one answer in all sessions that have it");
}

# Clients of each script, of which each run draws its own numbers
sub start
{
	my ($node, @jobs) = @_;

	return map { start_scripts($node, $seconds, live_scripts($dir), [ @$_, '--random-seed=' . int(rand(2**31)) ]) } @jobs;
}

my @runs = start($primary,
	[ 'update', 2 ], [ 'own', 1 ], [ 'subtransactions', 1 ], [ 'prepared', 1 ], [ 'locks', 3 ], [ 'keys', 1 ],
	[ 'upsert', 2 ], [ 'copy', 1 ], [ 'bulk', 1 ], [ 'long', 2 ], [ 'serial', 1 ], [ 'rewrite', 1 ], [ 'vacuum', 1 ],
	[ 'read_committed', 2 ], [ 'held', 2 ], [ 'serializable', 1 ], [ 'deferrable', 1 ], [ 'cursor', 1 ]);
push @runs, start($standby, [ 'standby_read', 1 ], [ 'standby_held', 1 ]);
my $deadline = time + $seconds - 3;
my $round = 0;
while (time < $deadline)
{
	$round++;
	exported($primary, $round);
	sleep 0.2;
}
finish_scripts(@runs);
cmp_ok($round, '>', 1, "rounds of exported snapshots: $round");
is($primary->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts'), 0, 'no prepared transaction is left');

# Digests of all answers, one of which may tell how device and PostgreSQL differ
sub answers
{
	my ($node, $which) = @_;
	my $last = live_queries($which);

	return $node->safe_psql('postgres', "SELECT live_answer(live_query(n)) FROM generate_series(1, $last) n");
}

# At rest all agree, and the tables are sound.  A standby's snapshot is exported not before: while
# subtransactions overflow, PostgreSQL leaves out of it what runs, and who imports it spoils hint
# bits (findings/standby_snapshot_loses_running.sh).
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
exported($standby, $round + 1);
unlike(answers($primary, 'all'), qr/DIFFERENT/, 'at rest') foreach 1 .. 2;
unlike(answers($standby, 'shared'), qr/DIFFERENT/, 'the standby at rest');
is(answers($standby, 'shared'), answers($primary, 'shared'), 'both agree');
is($primary->safe_psql('postgres', join ' UNION ALL ', map { "SELECT '$_' FROM verify_heapam('$_') UNION ALL SELECT '$_' FROM pg_check_visible('$_') UNION ALL SELECT '$_' FROM pg_check_frozen('$_')" } live_names()),
	'', 'the tables are sound');

# The device ran, and used what it had kept; it gave up nothing.
foreach my $node ($primary, $standby)
{
	my $name = $node->name;
	my %is = map { $_ => counter($node, $_) } qw(tasks pages pages_cached pages_kept rows_scanned refused errors fallbacks_device);

	note("$name: " . join ', ', map { "$_ $is{$_}" } sort keys %is);
	cmp_ok($is{tasks}, '>', 40, "$name: tasks ran");
	cmp_ok($is{pages_cached}, '>', 200, "$name: the cache was used");
	cmp_ok($is{pages_kept}, '>', 200, "$name: and filled");
	cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM gpuagg.cache WHERE pages > 0'), '>', 0, "$name: columns are there");
	is("$is{refused} $is{errors} $is{fallbacks_device}", '0 0 0', "$name: no task failed");
	no_tasks($node, "$name: no task is left");
	crash_free($node, "$name: no crash");
}

# Promoted, with what it has kept
$primary->stop;
$standby->promote;
foreach my $change ('UPDATE h SET v = v + 1 WHERE id % 100 = 3', 'DELETE FROM f WHERE id % 100 = 4', 'VACUUM h')
{
	$standby->safe_psql('postgres', $change);
	unlike(answers($standby, 'shared'), qr/DIFFERENT/, "promoted, after $change") foreach 1 .. 2;
}
$standby->stop;
diag("seed $seed") unless Test::More->builder->is_passing;
done_testing();
