# tlb.gp: a dependent chase: latency against distance, a line for each stride; beside
# it the same about the last reach.  The line of the last level's page is wider.
stats work."/chase" using 1:2 nooutput
n = STATS_blocks
top = 1.08 * STATS_max_y
low = 0.9 * STATS_min_y
set logscale x 2
set format x bytes
set xtics rotate by -35
set yrange [low:top]
set ylabel "latency of an access, cycles"
set xlabel "bytes from the first to the last access"
set key outside right top title "stride" samplen 2
set multiplot title "Dependent chase: ".device

colour(i) = n > 1 ? i / (n - 1.0) : 0
wide(i) = i == page ? 3.5 : 1.2
has_reach = system("wc -l <".work."/reaches") + 0

set size (reach > 0 ? 0.5 : 1), 0.95
set origin 0, 0
if (reach > 0) { set key off }
set title "all distances"
set macros
lines = 'for [i = 0:n - 1] work."/chase" index i using 1:2 with lines lc palette frac colour(i) lw wide(i) title columnheader(1)'
marks = 'work."/reaches" using 1:(top) with impulses dt 2 lw 1.5 lc rgb "#c00000" notitle, work."/reaches" using 1:(low + 0.97 * (top - low)):3 with labels left offset 0.4, 0 tc rgb "#c00000" notitle'
if (has_reach > 0) { plot @lines, @marks } else { plot @lines }
if (reach > 0) {
	set origin 0.5, 0
	set key outside right top
	unset ylabel
	set xrange [reach / 4:reach * 2]
	set title "about the last reach, ".gprintf("%.0b %BB", reach)
	plot @lines, @marks
}
unset multiplot
