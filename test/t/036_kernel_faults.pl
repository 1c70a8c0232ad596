# Kernels compiled for queries, where something goes wrong: as many new shapes as clients at
# once, a compiler that is killed, a worker that is, damaged files.  Whatever happens, the
# answers are PostgreSQL's.  Skipped unless a GPU runs tasks and compiles.  What needs no
# card: test/unit/compile_service_test.c, 025_kernels.pl.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;

use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $clients = 64;
my $node = new_node('kernel_faults', 'shared_buffers = 256MB', 'restart_after_crash = on',
	'gpuagg.max_tasks = 100', 'gpuagg.queue_timeout = 60000', 'gpuagg.compile_timeout = 60000');
if (device_kind($node) ne 'cuda'
	|| $node->safe_psql('postgres', "SELECT compiler ~ 'NVRTC' FROM gpuagg.devices WHERE state = 'ready'") ne 't')
{
	$node->stop;
	plan skip_all => 'no GPU here runs tasks and compiles kernels';
}
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t (id int, g int, a int, b int, v int);
	INSERT INTO t SELECT i, i % 50, i % 7, i % 11, i % 1000 FROM generate_series(1, 300000) i;
	VACUUM ANALYZE t;
	SELECT gpuagg.load('t');});
my $always = "SET gpuagg.debug_require = 'require'; SET gpuagg.compile = 'always';";

# Literals make no shapes, other operators do: a query for each number of so many bits.
sub shape
{
	my ($number, $bits) = @_;
	my $sum = 'v';

	for (0 .. $bits - 1)
	{
		$sum = $number >> $_ & 1 ? "($sum + a)" : "($sum - b)";
	}
	return "SELECT g, count(*), sum($sum) FROM t GROUP BY g ORDER BY g";
}

sub stock
{
	my ($query) = @_;

	return $node->safe_psql('postgres', "SET gpuagg.enable = off; $query");
}

# The compiler's processes, children of the worker
sub compiler_pids
{
	my $worker = worker_pid($node);
	my @pids;

	for my $stat (glob '/proc/[0-9]*/stat')
	{
		open my $f, '<', $stat or next;
		my $line = <$f>;
		close $f;
		push @pids, $1 if defined $line && $line =~ /^(\d+) \(gpuagg_compile.*?\) \S+ $worker /;
	}
	return @pids;
}

# The one that stays: others end some seconds after they have had nothing to do.
sub compiler_pid
{
	my @pids;

	for (1 .. 300)
	{
		@pids = compiler_pids();
		last if @pids <= 1;
		sleep 0.1;
	}
	return @pids == 1 ? $pids[0] : 0;
}

sub kernels
{
	my ($state) = @_;

	return $node->safe_psql('postgres', "SELECT count(*) FROM gpuagg.kernels WHERE state = '$state'");
}

sub log_lines
{
	my ($pattern) = @_;

	return scalar grep { /$pattern/ } split /\n/, slurp_file($node->logfile);
}

# A client whose new shape the compiler has, and does not answer
sub start_stuck
{
	my ($query) = @_;
	my $pid = compiler_pid();

	kill 'STOP', $pid;
	my $psql = start_psql($node, "$always $query");
	$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM gpuagg.kernels WHERE state = 'compiling'")
	  or die 'no kernel is being compiled';
	return ($psql, $pid);
}

# ------------------------------------------------- as many shapes as clients

my @queries = map { shape($_, 6) } 0 .. $clients - 1;
my @stock = map { stock($_) } @queries;
my @psql = map { start_psql($node, "$always $_") } @queries;
my $same = 0;

for my $i (0 .. $clients - 1)
{
	my $answer = finish_psql($psql[$i]);

	$same += $answer->{stdout} eq $stock[$i];
	diag($answer->{stderr}) if $answer->{stderr} ne '';
}
is($same, $clients, "$clients clients with as many new shapes: PostgreSQL's answers");
cmp_ok(kernels('ready'), '>=', $clients, 'each with a kernel');
is(counter($node, 'kernels_failed'), 0, 'none failed');

# ---------------------------------------------------- the compiler is killed

my $query = shape(5, 8);
my $expected = stock($query);
my ($psql, $pid) = start_stuck($query);
kill 'KILL', $pid;
is(finish_psql($psql)->{stdout}, $expected, 'the compiler killed while it compiles: interpreted');
is(counter($node, 'kernels_failed'), 1, 'which is counted');
is(counter($node, 'compiler_restarts'), 1, 'as is the end of the process');
is(log_lines('LOG:  gpuagg: could not compile a kernel'), 1, 'and logged once');
is($node->safe_psql('postgres', "$always $query"), $expected, 'again: interpreted');
is(log_lines('LOG:  gpuagg: could not compile a kernel'), 1, 'and not logged again');
$query = shape(6, 8);
is($node->safe_psql('postgres', "$always $query"), stock($query), 'another shape: compiled by another process');
is(kernels('failed'), 1, 'only one has failed');
my $other = compiler_pid();
ok($other != 0 && $other != $pid, 'which is not the one that was killed');

# ------------------------------------------------------- the worker is killed

$query = shape(7, 8);
$expected = stock($query);
($psql, $pid) = start_stuck($query);
kill_and_recover($node, worker_pid($node));
finish_psql($psql);
wait_ready($node);
$node->safe_psql('postgres', "SELECT gpuagg.load('t')");
is($node->safe_psql('postgres', "$always $query"), $expected,
	'the worker killed while a kernel is compiled: afterwards it is');
kill 'CONT', $pid;
for (1 .. 100)
{
	last unless -e "/proc/$pid";
	sleep 0.1;
}
ok(!-e "/proc/$pid", 'and the compiler has gone with the worker');

# --------------------------------------------------------------------- files

sub damage
{
	my $folder = $node->data_dir . '/gpuagg_kernels';
	my $n = 0;

	for my $file (glob "$folder/*")
	{
		my $bytes = -s $file;

		if ($n % 3 == 0)
		{
			truncate $file, $bytes / 2 or die $!;
		}
		else
		{
			open my $f, '+<:raw', $file or die $!;
			seek $f, $n % 3 == 1 ? $bytes / 2 : 0, 0;
			print $f $n % 3 == 1 ? 'damaged' : "\x7fELF foreign";
			close $f;
		}
		$n++;
	}
	return $n;
}

sub run_all
{
	my ($name) = @_;
	my $right = 0;

	$node->safe_psql('postgres', "SELECT gpuagg.load('t')");
	for my $i (0 .. 15)
	{
		$right += $node->safe_psql('postgres', "$always $queries[$i]") eq $stock[$i];
	}
	is($right, 16, $name);
	return;
}

$node->stop;
cmp_ok(damage(), '>=', $clients, 'kernels are on disk, and now damaged');
$node->start;
wait_ready($node);
$node->safe_psql('postgres', 'SELECT gpuagg.stat_reset()');
run_all('damaged, cut short and foreign files: the answers');
is(counter($node, 'kernels_from_disk'), 0, 'none of them is loaded');
is(counter($node, 'kernels_failed'), 0, 'and nothing fails');
$node->restart;
wait_ready($node);
$node->safe_psql('postgres', 'SELECT gpuagg.stat_reset()');
run_all('after another restart: the answers');
is(counter($node, 'kernels_from_disk'), 16, 'from disk, where they were replaced');
is(counter($node, 'kernels_compiled'), 0, 'and nothing is compiled');

$node->stop;
done_testing();
