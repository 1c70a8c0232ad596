# Random sessions (../fuzz/FuzzSession.pm): statements that depend on each other, in one
# database without and in another with the device.  Each gives the same rows or an error of
# the same kind, and both databases end alike.
#
# GPUAGG_SEED, GPUAGG_FUZZ_SECONDS and GPUAGG_FUZZ_DIR in the environment: another start, how
# long (20 s and six sessions else), and where sessions that differ are kept.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../fuzz";

use File::Temp;
use FuzzSession;
use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20261126;
my $seconds = $ENV{GPUAGG_FUZZ_SECONDS} // 20;
my $most = $ENV{GPUAGG_FUZZ_SECONDS} ? 1e9 : 6;
my $dir = $ENV{GPUAGG_FUZZ_DIR} // "$PostgreSQL::Test::Utils::log_path/fuzz";
my $steps = 80;

mkdir $dir;
my $node = new_node('sessions', 'shared_buffers = 64MB', 'autovacuum = off', 'max_prepared_transactions = 2', 'log_min_messages = warning', 'gpuagg.device_memory = 64MB', 'gpuagg.cache_size = 16MB');
$node->safe_psql('postgres', 'CREATE ROLE fuzz_reader; GRANT USAGE ON SCHEMA gpuagg TO fuzz_reader;');

# What both run under, and each
my $common = '-c client_min_messages=error -c statement_timeout=60s -c max_parallel_workers_per_gather=0 -c jit=off';
my %options = (
	stock => "$common -c gpuagg.enable=off",
	device => "$common -c gpuagg.debug_require=prefer -c cpu_tuple_cost=10 -c cpu_operator_cost=100");

sub run_script
{
	my ($which, $script) = @_;
	my $file = File::Temp->new;
	my ($out, $err) = ('', '');
	local $ENV{PGOPTIONS} = $options{$which};

	print $file $script;
	$file->flush;
	IPC::Run::run([ 'psql', '-XAtq', '-d', $node->connstr($which), '-f', $file->filename ], '>', \$out, '2>', \$err);
	return $out;
}

# By step: rows in no order, and the error
sub answers
{
	my ($out) = @_;
	my @answers;

	while ($out =~ /\G(.*?)^\@\@! (\w+)([^\n]*)\n/msg)
	{
		push @answers, { rows => join("\n", sort split /\n/, $1), error => $2 eq '00000' ? '' : $2, message => $3 };
	}
	return \@answers;
}

# Which step differs, and how: '' if none does.  Of several values that raise errors plans meet
# different ones, or none, and from there on sessions part.
my $parted = 0;

sub first_difference
{
	my ($steps, $stock, $device) = @_;

	foreach my $n (0 .. $#$steps)
	{
		my ($one, $two) = ($stock->[$n], $device->[$n]);

		return "step $n: $steps->[$n]{sql}\nnot answered" unless $one && $two;
		next if $one->{error} eq $two->{error} && ($one->{rows} eq $two->{rows} || $one->{error} ne '');
		if ("$one->{error}$two->{error}" =~ /^(?:22...){1,2}\z/)
		{
			$parted++;
			return '';
		}
		return "step $n: $steps->[$n]{sql}\nstock: $one->{error}$one->{message} $one->{rows}\ndevice: $two->{error}$two->{message} $two->{rows}";
	}
	return '';
}

my @tables = qw(s1 s2 s3 log);
my $contents = join '', map { "SELECT '$_', count(*), sum(hashtextextended($_\::text, 0)) FROM $_;\n" } @tables;
my ($wrong, $n, $asked) = (0, 0, 0);
my $begin = time;

while ($n < $most && time < $begin + $seconds)
{
	srand($seed + $n);
	my ($t1, $made) = session_world();
	my @session = session_steps($t1, $steps);
	push @session, { kind => 'end', sql => $_ } foreach 'COMMIT', 'RESET ALL', 'RESET ROLE', split /;\n/, $contents;
	my $script = "\\set ON_ERROR_ROLLBACK " . ($n % 3 ? 'on' : 'off') . "\n" . join '', map { "$_->{sql};\n\\echo \@\@! :SQLSTATE :LAST_ERROR_MESSAGE\n" } @session;
	my %answers;

	foreach my $which (qw(stock device))
	{
		$node->safe_psql('postgres', "CREATE DATABASE $which");
		$node->safe_psql($which, 'CREATE EXTENSION gpuagg');
		run_script($which, "\\set ON_ERROR_STOP on\n$made\n");
		$answers{$which} = answers(run_script($which, $script));
		$node->safe_psql('postgres', "DROP DATABASE $which WITH (FORCE)");
	}
	my $difference = first_difference(\@session, @answers{qw(stock device)});
	$asked += grep { $_->{error} eq '' } @{ $answers{device} };
	if ($difference ne '')
	{
		$wrong++;
		append_to_file("$dir/session-$seed-$n.sql", join('', map { "-- $_\n" } split /\n/, $difference) . "-- PGOPTIONS=\"$options{device}\"\n" .
			  "CREATE EXTENSION IF NOT EXISTS gpuagg;\nCREATE ROLE fuzz_reader;\n$made$script");
		diag("$dir/session-$seed-$n.sql\n", substr $difference, 0, 2000) if $wrong < 5;
	}
	$n++;
}
is($wrong, 0, "random sessions (seed $seed)");
my ($tasks, $fallbacks) = split /\|/, $node->safe_psql('postgres',
	q{SELECT sum(value) FILTER (WHERE name = 'tasks'), sum(value) FILTER (WHERE name LIKE 'fallbacks%') FROM gpuagg.stat});
note("Summary: seed $seed, $n sessions, of which $parted part over errors, $asked statements without an error; $tasks tasks, $fallbacks fallbacks");
cmp_ok($asked, '>', $n * $steps * 0.5, 'most statements have an answer');
cmp_ok($tasks, '>', $asked * 0.1, 'and many run on the device');
no_tasks($node, 'nothing left');
unlike(slurp_file($node->logfile), qr/WARNING:  .*(?:leak|still|not closed)/, 'nothing left open');
crash_free($node, 'no crash');
$node->stop;
done_testing();
