# stats.pl UNIT SAMPLES [BASE SAMPLES]
#		runs,min,median,max,ratio,ratio_min,ratio_max of one series.  The ratios
#		are taken round by round (machines drift; rounds are close in time) and
#		tell how many times better SAMPLES are than BASE.
use strict;
use warnings;

my ($unit, $this, $base) = @ARGV;
my @t = split ' ', $this;
my @b = split ' ', $base // '';

sub spread
{
	my @s = sort { $a <=> $b } @_;
	my $mid = int(@s / 2);
	my $median = @s % 2 ? $s[$mid] : ($s[$mid - 1] + $s[$mid]) / 2;
	return ($s[0], $median, $s[-1]);
}

exit 1 unless @t;
my @out = (scalar @t, map { sprintf '%.6g', $_ } spread(@t));
if (@b)
{
	my @r;
	for my $i (0 .. ($#t < $#b ? $#t : $#b))
	{
		push @r, $unit =~ m{^(tps|GB/s|lines/s|rows/s|draws/s)$} ? $t[$i] / $b[$i] : $b[$i] / $t[$i]
		  if $t[$i] > 0 && $b[$i] > 0;
	}
	my ($min, $median, $max) = @r ? spread(@r) : (0, 0, 0);
	push @out, map { sprintf '%.3f', $_ } ($median, $min, $max);
}
else
{
	push @out, '', '', '';
}
print join(',', @out), "\n";
