# model.pl POINTS SEED WORKERS WORK_MEM CSV ROWS ...
#		Draws random grouping queries over tables model_ROWS, runs each on the device
#		and by PostgreSQL, and writes what was predicted and what was measured.
#		Speaks to the server through one psql session (PGHOST and so on).
use strict;
use warnings;

use IPC::Open2;
use JSON::PP;
use POSIX qw(floor);

my ($points, $seed, $workers, $work_mem, $csv, @sizes) = @ARGV;
my $metadata = $ENV{MODEL_METADATA} // '';
srand($seed);

my @aggregates = (
	'count(*)', 'sum(v1)', 'avg(v2)', 'min(v3)', 'max(v1)', 'sum(v4)',
	'sum(x1)', 'avg(x2)', 'count(v2)', 'min(x1)');
my @keys = ([], ['g1'], ['g2'], ['g3'], ['g4'], ['g5'], ['g6'], ['g7'],
	['g1', 'g3'], ['g2', 'g4'], ['t4']);
my %values = (g1 => 10, g2 => 100, g3 => 1e3, g4 => 1e4, g5 => 1e5, g6 => 1e6,
	g7 => 1e7, t4 => 1e4);
my @selectivities = (1, 1, 1, 0.5, 0.1, 0.01);

my $pid = open2(my $from, my $to, 'psql', '-X', '-q', '-A', '-t', '-v',
	'ON_ERROR_STOP=0');

sub ask
{
	my ($sql) = @_;
	my $text = '';

	print $to "$sql\n\\echo \@end\n";
	$to->flush;
	while (my $line = <$from>)
	{
		return $text if $line eq "\@end\n";
		$text .= $line;
	}
	die "the session ended: $text";
}

# EXPLAIN (ANALYZE): the plan, and the median time of some runs after a first one
sub run
{
	my ($sql, $runs) = @_;
	my ($plan, @ms);

	foreach my $run (0 .. $runs)
	{
		my $json = ask("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) $sql;");
		die "$sql: $json" unless $json =~ /^\[/;
		$plan = decode_json($json)->[0];
		push @ms, $plan->{'Execution Time'} if $run > 0;
	}
	@ms = sort { $a <=> $b } @ms;
	return ($plan, $ms[$#ms / 2]);
}

# Our node in a plan
sub node
{
	my ($plan) = @_;

	return $plan if ($plan->{'Custom Plan Provider'} // '') eq 'GpuAgg';
	foreach my $child (@{ $plan->{Plans} // [] })
	{
		my $found = node($child);
		return $found if $found;
	}
	return;
}

sub draw { return $_[ floor(rand(@_)) ]; }

sub query
{
	my $rows = draw(@sizes);
	my $key = draw(@keys);
	my $selectivity = draw(@selectivities);
	my $n = 1 + floor(rand(8));
	my @pool = @aggregates;
	my $groups = 1;

	my @chosen = map { splice(@pool, floor(rand(@pool)), 1) } 1 .. $n;
	$groups *= $values{$_} foreach @$key;
	my $where = $selectivity == 1 ? '' : ' WHERE v1 < ' . $selectivity * 1000;
	my $sql = 'SELECT ' . join(', ', @$key, @chosen) . " FROM model_$rows$where";
	$sql .= ' GROUP BY ' . join(', ', @$key) if @$key;
	return { rows => $rows, key => join('+', @$key) || '-', aggregates => $n,
		selectivity => $selectivity, values => $groups, sql => $sql };
}

my @stages = qw(Start Feed Link Kernel Emit);
open(my $out, '>', $csv) or die "$csv: $!";
print $out join(',', qw(point rows key values aggregates selectivity groups
	  gpuagg_cost predicted_ms gpuagg_ms bound),
	(map { "predicted_" . lc($_) . "_ms" } @stages),
	qw(postgres_cost postgres_ms chosen postgres_plan query)), ",date,device,driver,cpu,cores,postgres,commit,shared_buffers,huge_pages,command\n";

ask("SET work_mem = '$work_mem'; SET jit = off;");
my (@errors, $right, $worst, $done);
($right, $worst, $done) = (0, 1, 0);
foreach my $point (1 .. $points)
{
	my $q = query();
	my $runs = $q->{rows} >= 1e7 ? 2 : 3;

	ask("SET gpuagg.enable = on; SET gpuagg.debug_require = require; SET max_parallel_workers_per_gather = 0;");
	my ($device, $device_ms) = run($q->{sql}, $runs);
	my $node = node($device->{Plan}) or die "no GpuAgg: $q->{sql}";
	ask("SET gpuagg.enable = off; SET gpuagg.debug_require = allow; SET max_parallel_workers_per_gather = $workers;");
	my ($postgres, $postgres_ms) = run($q->{sql}, $runs);
	ask("SET gpuagg.enable = on;");
	my $choice = decode_json(ask("EXPLAIN (FORMAT JSON) $q->{sql};"))->[0];
	my $chosen = node($choice->{Plan}) ? 'gpuagg' : 'postgres';
	my $cost = $chosen eq 'gpuagg' ? $choice->{Plan}{'Total Cost'} : '';
	my $ratio = $chosen eq 'gpuagg' ? $device_ms / $postgres_ms : $postgres_ms / $device_ms;
	my $predicted = $node->{'Predicted Time'} // 0;

	$done++;
	$right++ if $ratio <= 1.05;
	$worst = $ratio if $ratio > $worst;
	push @errors, abs($predicted - $device_ms) / $device_ms;
	print $out join(',', $point, @$q{qw(rows key values aggregates selectivity)},
		$node->{'Groups'} // $node->{'Actual Rows'} // '', $cost, $predicted, $device_ms,
		$node->{'Bound By'} // '', (map { $node->{"Predicted $_ Time"} // '' } @stages),
		$postgres->{Plan}{'Total Cost'}, $postgres_ms, $chosen,
		$postgres->{Plan}{'Node Type'}, "\"$q->{sql}\""), "$metadata\n";
}
close($out);
close($to);
waitpid($pid, 0);
@errors = sort { $a <=> $b } @errors;
printf STDERR "model: %d points; error of the prediction: median %.1f %%, 95th percentile %.1f %%; "
  . "right choice in %.1f %%; at worst %.2f times the better plan\n", $done,
  100 * $errors[ $#errors / 2 ], 100 * $errors[ $#errors * 0.95 ], 100 * $right / $done, $worst;
