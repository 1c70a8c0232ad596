# model_figures.pl FILE ...
#		What rows of model.csv, of all files together, say of the cost model: how far
#		gpuagg_ms was predicted off, how often cost chose the plan that takes at most
#		1.05 times as long as the other, how many times as long the chosen one takes
#		at worst; the same of a visit's first runs, which do not count; then what the
#		choice would be worth if it were gpuagg's plan each time.
#
# The median is the mean of the two middle ones, the 95th percentile the least value
# that 95 % of all do not exceed (nearest rank).
use strict;
use warnings;

use List::Util qw(max min);
use POSIX qw(ceil);

use constant RIGHT => 1.05;

sub rows
{
	my ($file) = @_;
	my @rows;

	open my $in, '<', $file or die "$file: $!\n";
	chomp(my $head = <$in>);
	my @names = split /,/, $head;
	while (my $line = <$in>)
	{
		my %row;

		chomp $line;
		# only the query and what comes behind it may be quoted
		@row{@names} = split /,/, $line;
		push @rows, \%row;
	}
	return @rows;
}

sub percent { return sprintf '%.1f %%', 100 * $_[0]; }

sub errors
{
	my ($measured, @rows) = @_;
	my @e = sort { $a <=> $b }
	  map { abs($_->{predicted_ms} - $_->{$measured}) / $_->{$measured} } @rows;

	return sprintf 'median %s, 95th percentile %s',
	  percent(($e[ $#e / 2 ] + $e[ @e / 2 ]) / 2), percent($e[ ceil(0.95 * @e) - 1 ]);
}

sub choice
{
	my ($gpuagg, $postgres, $chosen, @rows) = @_;
	my @times = map {
		my $mine = ($chosen // $_->{chosen}) eq 'gpuagg' ? $gpuagg : $postgres;
		$_->{$mine} / min($_->{$gpuagg}, $_->{$postgres})
	} @rows;

	return sprintf 'right in %s, at worst %.2f times the better plan',
	  percent((grep { $_ <= RIGHT } @times) / @times), max(@times);
}

my @rows = map { rows($_) } @ARGV;
@rows or die "model_figures.pl: no rows\n";
printf "model: %d queries; %s; %s\n", scalar(@rows), errors('gpuagg_ms', @rows),
  choice('gpuagg_ms', 'postgres_ms', undef, @rows);
foreach my $part ([ 'up to 10^6 rows', grep { $_->{rows} <= 1e6 } @rows ],
	[ 'beyond', grep { $_->{rows} > 1e6 } @rows ])
{
	my ($name, @some) = @$part;

	printf "%s: %d queries; %s\n", $name, scalar(@some), errors('gpuagg_ms', @some) if @some;
}
printf "first runs of a visit: %s; %s\n", errors('gpuagg_first_ms', @rows),
  choice('gpuagg_first_ms', 'postgres_first_ms', undef, @rows)
  unless grep { !defined $_->{gpuagg_first_ms} } @rows;
printf "gpuagg's plan each time: %s; chosen in %d\n",
  choice('gpuagg_ms', 'postgres_ms', 'gpuagg', @rows), scalar(grep { $_->{chosen} eq 'gpuagg' } @rows);
