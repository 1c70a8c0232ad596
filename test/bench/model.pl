# model.pl POINTS SEED WORKERS WORK_MEM SECONDS NARROW CSV ROWS ...
#		Draws random grouping queries over tables model_ROWS, runs each on the device
#		and by PostgreSQL, and writes what was predicted and what was measured.
#		Speaks to the server through one psql session (PGHOST and so on).
#
# A time is the median of runs.  As the machine's speed may change (a CPU of a virtual
# machine is slow for seconds on end), BATCH queries are visited VISITS times each, and in
# a visit either side runs, one after the other, until it has taken SAMPLE_MS in all, or
# MAX_RUNS times, so small tables, whose times vary most, run most often; one that takes
# LONG_MS counts once; PostgreSQL is stopped after STOP_MS, and then that is its time.
#
# A side's first run in a visit does not count: it comes after seconds in which others
# ran, and finds caches cold and, on some machines, pages no longer mapped.  It is
# written beside the others, as gpuagg_first_ms and postgres_first_ms (median of visits).
# Stages come from a run of their own, for their timers cost time.
use strict;
use warnings;

use File::Basename;
use IPC::Open2;
use JSON::PP;
use POSIX qw(floor);

use constant {
	BATCH => 8, VISITS => 3, SAMPLE_MS => 250, MAX_RUNS => 99, LONG_MS => 600,
	STOP_MS => 8000 };

my ($points, $seed, $workers, $work_mem, $seconds, $narrow_rows, $csv, @sizes) = @ARGV;
my $metadata = $ENV{MODEL_METADATA} // '';
srand($seed);

my @aggregates = (
	'count(*)', 'sum(v1)', 'avg(v2)', 'min(v3)', 'max(v1)', 'sum(v4)',
	'sum(x1)', 'avg(x2)', 'count(v2)', 'min(x1)');
my @keys = ([], ['g1'], ['g2'], ['g3'], ['g4'], ['g5'], ['g6'], ['g7'],
	['g1', 'g3'], ['g2', 'g4'], ['t4']);
my %values = (g1 => 10, g2 => 100, g3 => 1e3, g4 => 1e4, g5 => 1e5, g6 => 1e6,
	g7 => 1e7, t4 => 1e4);
# tables of NARROW rows or more have these columns only
my %narrow = map { $_ => 1 } qw(g1 g3 g5 g7 v1 v2 x1);
my @selectivities = (1, 1, 1, 0.5, 0.1, 0.01);

my $pid = open2(my $from, my $to,
	'exec psql -X -q -A -t -v ON_ERROR_STOP=0 2>&1');

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

sub explain
{
	my ($options, $sql) = @_;
	my $json = ask("EXPLAIN ($options, FORMAT JSON) $sql;");

	return if $json =~ /statement timeout/;
	die "$sql: $json" unless $json =~ /^\[/;
	return decode_json($json)->[0];
}

# A side's next run in a visit
sub run_once
{
	my ($side, $sql, $visit) = @_;
	my ($plan, $ms);

	$plan = explain('ANALYZE, TIMING OFF', $sql);
	$ms = $plan ? $plan->{'Execution Time'} : STOP_MS;
	$side->{plan} = $plan;
	if (!$side->{warm})
	{
		$side->{warm} = 1;
		push @{ $side->{first} }, $ms;
		return if $plan;
	}
	push @{ $side->{ms} }, $ms;
	$side->{spent} += $ms;
	$side->{done} = !$plan || $ms >= LONG_MS;
	$side->{visited} = @{ $side->{ms} } * VISITS >= MAX_RUNS * $visit ||
	  (@{ $side->{ms} } >= $visit && $side->{spent} * VISITS >= SAMPLE_MS * $visit);
}

# Both sides, as far as a visit goes
sub visit
{
	my ($q, $visit) = @_;

	foreach my $side (grep { !$_->{done} } @$q{qw(device postgres)})
	{
		@$side{qw(warm visited)} = (0, 0);
		ask($side->{settings});
		run_once($side, $q->{sql}, $visit) until $side->{done} || $side->{visited};
	}
}

sub median
{
	my @ms = sort { $a <=> $b } @_;

	return $ms[ $#ms / 2 ];
}

# The plan, its median time, and that of first runs
sub result
{
	my ($side) = @_;

	return ($side->{plan}, median(@{ $side->{ms} }), median(@{ $side->{first} }));
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

sub has_columns
{
	my ($rows, @columns) = @_;

	return $rows < $narrow_rows || !grep { !$narrow{$_} } @columns;
}

sub query
{
	my $rows = draw(@sizes);
	my $key = draw(grep { has_columns($rows, @$_) } @keys);
	my $selectivity = draw(@selectivities);
	my @pool = grep { has_columns($rows, /\((\w+)\)/) } @aggregates;
	my $n = 1 + floor(rand(@pool < 8 ? @pool : 8));
	my $groups = 1;

	my @chosen = map { splice(@pool, floor(rand(@pool)), 1) } 1 .. $n;
	$groups *= $values{$_} foreach @$key;
	my $where = $selectivity == 1 ? '' : ' WHERE v1 < ' . $selectivity * 1000;
	my $sql = 'SELECT ' . join(', ', @$key, @chosen) . " FROM model_$rows$where";
	$sql .= ' GROUP BY ' . join(', ', @$key) if @$key;
	return { rows => $rows, key => join('+', @$key) || '-', aggregates => $n,
		selectivity => $selectivity, values => $groups, sql => $sql,
		device => { settings => "SET statement_timeout = 0; SET gpuagg.enable = on; SET gpuagg.debug_require = require; SET max_parallel_workers_per_gather = 0;" },
		postgres => { settings => "SET statement_timeout = " . STOP_MS . "; SET gpuagg.enable = off; SET gpuagg.debug_require = allow; SET max_parallel_workers_per_gather = $workers;" } };
}

my @stages = qw(Start Feed Link Kernel Emit);
open(my $out, '>', $csv) or die "$csv: $!";
print $out join(',', qw(point rows key values aggregates selectivity groups
	  gpuagg_cost predicted_ms gpuagg_ms bound),
	(map { "predicted_" . lc($_) . "_ms" } @stages),
	(map { "measured_" . lc($_) . "_ms" } @stages),
	qw(profile postgres_cost postgres_ms chosen postgres_plan
		gpuagg_first_ms postgres_first_ms query)), ",date,device,driver,cpu,cores,postgres,commit,shared_buffers,huge_pages,command\n";

ask("SET work_mem = '$work_mem'; SET jit = off;");
my $end = time + $seconds;

# A visited query's line
sub write_line
{
	my ($point, $q) = @_;
	my ($device, $device_ms, $device_first_ms) = result($q->{device});
	my ($postgres, $postgres_ms, $postgres_first_ms) = result($q->{postgres});
	my $node = node($device->{Plan}) or die "no GpuAgg: $q->{sql}";
	ask($q->{device}{settings});
	my $stages = node(explain('ANALYZE', $q->{sql})->{Plan});
	ask("$q->{postgres}{settings} SET statement_timeout = 0;");
	$postgres //= explain('COSTS', $q->{sql});
	ask("SET gpuagg.enable = on;");
	my $choice = decode_json(ask("EXPLAIN (FORMAT JSON) $q->{sql};"))->[0];
	my $chosen = node($choice->{Plan}) ? 'gpuagg' : 'postgres';
	my $cost = $chosen eq 'gpuagg' ? $choice->{Plan}{'Total Cost'} : '';
	my $predicted = $node->{'Predicted Time'} // 0;

	print $out join(',', $point, @$q{qw(rows key values aggregates selectivity)},
		$node->{'Groups'} // $node->{'Actual Rows'} // '', $cost, $predicted, $device_ms,
		$node->{'Bound By'} // '', (map { $node->{"Predicted $_ Time"} // '' } @stages),
		(map { $stages->{"Measured $_ Time"} // '' } @stages), $node->{'Profile'} // '',
		$postgres->{Plan}{'Total Cost'}, $postgres_ms, $chosen,
		$postgres->{Plan}{'Node Type'}, $device_first_ms, $postgres_first_ms,
		"\"$q->{sql}\""), "$metadata\n";
}

my $point = 0;
while ($point < $points && time <= $end)
{
	my @batch;

	while (@batch < BATCH && $point + @batch < $points && time <= $end)
	{
		push @batch, query();
		visit($batch[-1], 1);
	}
	foreach my $visit (2 .. VISITS)
	{
		visit($_, $visit) foreach @batch;
	}
	write_line(++$point, $_) foreach @batch;
}
close($out);
close($to);
waitpid($pid, 0);

open(STDOUT, '>&', \*STDERR) or die "stdout: $!";
exec($^X, dirname(__FILE__) . '/model_figures.pl', $csv) or die "model_figures.pl: $!";
