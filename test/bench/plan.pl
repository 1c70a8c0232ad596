# plan.pl
#		Reads EXPLAIN (ANALYZE, FORMAT JSON) and prints shell assignments: what
#		lib.sh's explain_run promises.  Knows only the shape that PostgreSQL
#		prints (one property a line), so that perl's base package is enough.
use strict;
use warnings;

my (%first, @nodes, %node);
my $in_gpuagg = 0;
my $margin = '';

while (<STDIN>)
{
	s/\s+$//;
	next unless /^(\s*)"([^"]+)": (.*?),?$/;
	my ($indent, $name, $value) = ($1, $2, $3);
	$value =~ s/^"(.*)"$/$1/;
	$first{$name} = $value unless exists $first{$name};
	if ($name eq 'Node Type')
	{
		push @nodes, $value;
		$in_gpuagg = 0;
	}
	$nodes[-1] = "$value $nodes[-1]"
	  if $name eq 'Strategy' && !$in_gpuagg && $nodes[-1] =~ /Aggregate$/;
	if ($name eq 'Custom Plan Provider')
	{
		$nodes[-1] = $value;
		$in_gpuagg = $value =~ /^Gpu(Agg|Sample)$/;
		$margin = $indent;
	}
	# gpuagg's own properties, those of its node only: neither of look-ups in it nor of plans below
	$node{$name} = $value if $in_gpuagg && $indent eq $margin && $value !~ /^[\[{]/;
	last if $name eq 'Execution Time';
}

sub assign
{
	my ($name, $value) = @_;
	$value = '' unless defined $value;
	$value =~ s/'//g;
	print "$name='$value'\n";
}

my @own = ('Device', 'Strategy', 'Compiled', 'Feed Time', 'Wait Time', 'Device Time',
	'Emit Time', 'Transfer Time', 'Decode Time', 'Kernel Time', 'Link Rate',
	'Link Utilization', 'Feeders Launched', 'Cached Pages', 'Pages Kept', 'Redone', 'Redone Detail', 'Fallback Reason',
	'Fallback Detail');
assign('EXEC_MS', $first{'Execution Time'});
assign('PLAN_ROWS', $first{'Actual Rows'});
assign('PLAN', join(' < ', @nodes));
assign('NODE', join(', ', map { "$_ $node{$_}" } grep { defined $node{$_} } @own));
assign('FEED_MS', $node{'Feed Time'});
assign('PAGES', $node{'Pages'});
assign('NODE_MS', $node{'Measured Time'});
assign('PREDICTED_NODE_MS', $node{'Predicted Time'});
assign('KERNEL_MS', $node{'Kernel Time'});
assign('PREDICTED_KERNEL_MS', $node{'Predicted Kernel Time'});
assign('PLANNED_STRATEGY', $node{'Planned Strategy'});
assign('RAN_STRATEGY', $node{'Strategy'});
assign('COMPILED', $node{'Compiled'});
assign('NGROUPS', $node{'Groups'});
