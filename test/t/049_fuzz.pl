# Random tables of every kind and random queries of them (../fuzz), run in every
# way that a session has, without and with the device: the same rows, an error of
# the same kind, and nothing left behind.
#
# GPUAGG_SEED, GPUAGG_FUZZ_SECONDS and GPUAGG_FUZZ_DIR in the environment: another
# start, more rounds than one, and where scripts of what differs are kept.
use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../fuzz";

use FuzzRun;
use FuzzShapes;
use FuzzTables;
use GpuAggTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomQuery qw(random_query odd_types);
use Test::More;

my $seed = $ENV{GPUAGG_SEED} // 20261126;
my $seconds = $ENV{GPUAGG_FUZZ_SECONDS} // 0;
my $rounds = 6;
my $dir = $ENV{GPUAGG_FUZZ_DIR} // "$PostgreSQL::Test::Utils::log_path/fuzz";
my $per_round = 40;
my $begin = time;

mkdir $dir;
odd_types();
my $node = new_node('fuzz', 'shared_buffers = 64MB', 'autovacuum = off', 'log_min_messages = warning', 'gpuagg.device_memory = 64MB', 'gpuagg.cache_size = 16MB');
$node->safe_psql('postgres', 'CREATE ROLE fuzz_reader; GRANT USAGE ON SCHEMA gpuagg TO fuzz_reader;');

# Everything of a round is in one schema.
my $head = "DROP SCHEMA IF EXISTS fuzz CASCADE;\nCREATE SCHEMA fuzz;\nGRANT USAGE ON SCHEMA fuzz TO fuzz_reader;\n";
local $ENV{PGOPTIONS} = '-c search_path=fuzz,public -c client_min_messages=error -c statement_timeout=60s -c max_parallel_workers_per_gather=0 -c jit=off';

sub script_file
{
	my ($script) = @_;
	my $file = File::Temp->new;

	print $file $script;
	$file->flush;
	return $file;
}

sub psql_of { return ('psql', client_options(), '-d', $node->connstr('postgres'), '-f', $_[0]->filename); }

sub run_script
{
	my ($script) = @_;
	my $file = script_file($script);
	my ($out, $err) = ('', '');

	IPC::Run::run([ psql_of($file) ], '>', \$out, '2>', \$err);
	return ($out, $err);
}

# Makes a table's world again and asks one question of it
sub keep
{
	my ($name, $what, $why, @parts) = @_;

	append_to_file("$dir/$name.sql", "-- $what\n" . join('', map { "-- $_\n" } split /\n/, $why) . "-- PGOPTIONS=\"$ENV{PGOPTIONS}\"\n" .
		  "CREATE EXTENSION IF NOT EXISTS gpuagg;\nCREATE ROLE fuzz_reader;\n" . join '', @parts);
	return;
}

# The same of two scripts, with another session that writes beside the second
sub run_shared
{
	my ($made, $asked) = @_;
	my $writes = script_file(random_writes());
	my ($first, $err) = run_script($made);
	my $writer = IPC::Run::start([ psql_of($writes) ], '>', '/dev/null', '2>', '/dev/null');
	my ($out) = run_script($asked);

	$writer->kill_kill;
	return ($first . $out, $err);
}

# How often which source was on the device, and not, and which errors both gave
my %kinds;

sub round
{
	my ($n, $outcomes) = @_;

	srand($seed + $n);
	my ($world, $made) = random_world();
	my $shared = $n % 6 == 5;
	my (@cases, @scripts);

	foreach (1 .. $per_round)
	{
		my $source = random_source($world);
		my ($query, $tolerance, $settings) = random_query($source);
		($query, my $lenient) = shaped(($source->{with} // '') . $query, $tolerance);
		my @asked = ($query, $tolerance, $settings);
		my $case = $shared ? snapshot_case(@asked) : random_case(@asked);

		$case->{kind} = $source->{kind};
		$case->{lenient} = $lenient || $case->{form} eq 'modifying';
		$case->{change} = !$shared && rand() < 0.15 ? random_change() . "\n" : '';
		push @cases, $case;
		push @scripts, "RESET ALL;\n$case->{change}" . case_script($case);
	}
	$made .= "\\echo \@\@ made\n";
	my ($out, $err) = $shared ? run_shared($head . $made =~ s/CREATE TEMP /CREATE UNLOGGED /gr, join '', @scripts) : run_script(join '', $head, $made, @scripts);
	my @results = parse_output($out);
	my $changes = '';
	my $wrong = 0;

	if ($out !~ /^\@\@ made/m)
	{
		keep("$seed-$n-made", 'tables are not made', $err, $head . $made);
		return 1;
	}
	foreach my $i (0 .. $#cases)
	{
		my $case = $cases[$i];
		my ($what, $why) = judge($case, $results[$i] // {});

		$changes .= $case->{change};
		$outcomes->{$what}++;
		$kinds{"$case->{kind} $what"}++ if $what =~ /device/;
		$kinds{'error ' . substr $results[$i]{stock}{error}, 0, 5}++ if $what eq 'same error';
		next if $why eq '';
		$wrong++;
		keep("$seed-$n-$i", "$what: $case->{form}", $why, $head, $made, $changes, case_sql($case));
		diag("$what ($case->{form}), $dir/$seed-$n-$i.sql\n$case->{query}\n$why") if $wrong < 5;
		last if $what eq 'unanswered';
	}
	return $wrong;
}

my (%outcomes, $wrong);
my $n = 0;
while ($seconds ? time < $begin + $seconds : $n < $rounds)
{
	$wrong += round($n++, \%outcomes);
	$node->poll_query_until('postgres', 'SELECT true');
	if ($seconds && $n % 20 == 0)
	{
		diag("round $n: ", join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes), '; worker ', rss_kb(worker_pid($node)), ' kB');
	}
}
is($wrong, 0, "random sessions (seed $seed)");
my ($tasks, $fallbacks) = split /\|/, $node->safe_psql('postgres',
	q{SELECT sum(value) FILTER (WHERE name = 'tasks'), sum(value) FILTER (WHERE name LIKE 'fallbacks%') FROM gpuagg.stat});
my $asked = $n * $per_round;
note(join ', ', map { "$kinds{$_} $_" } sort keys %kinds);
note("Summary: seed $seed, $asked queries: ", join(', ', map { "$outcomes{$_} $_" } sort keys %outcomes), "; $tasks tasks, $fallbacks fallbacks");
cmp_ok($outcomes{'on the device'}, '>', $outcomes{'not on the device'} // 0, 'most were planned on the device');
cmp_ok($tasks, '>', $asked * 0.5, 'and ran there');
no_tasks($node, 'nothing left');
unlike(slurp_file($node->logfile), qr/WARNING:  .*(?:leak|still|not closed)/, 'nothing left open');
crash_free($node, 'no crash');
$node->stop;
done_testing();
