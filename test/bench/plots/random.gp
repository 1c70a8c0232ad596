# random.gp: independent random accesses of the whole device against the region
stats work."/random" using 4 nooutput
low = STATS_min / 2
stats work."/random" using 2 nooutput
high = STATS_max * 2
set logscale x 2
set logscale y 10
set format x bytes
set format y "10^{%L}"
set yrange [low:high]
set xlabel "region that accesses fall into"
set ylabel "accesses a second"
set title "Random accesses: ".device
set key bottom left
first_x = system("awk 'NR == 1 { print $1 }' ".work."/random") + 0
set xrange [first_x:*]
plot work."/random" using 1:2 with linespoints lc 1 lw 2 pt 7 ps 0.4 title "reads of 8 bytes", \
	"" using 1:3 with linespoints lc 2 lw 2 pt 5 ps 0.4 title "reads of 32 bytes", \
	"" using 1:4 with linespoints lc 3 lw 2 pt 9 ps 0.5 title "atomic additions to 8 bytes", \
	work."/reaches" using ($1 >= first_x ? $1 : NaN):(high) with impulses dt 2 lw 1.5 lc rgb "#c00000" notitle, \
	"" using ($1 >= first_x ? $1 : NaN):(high / 1.3):3 with labels left offset 0.5, 0 tc rgb "#c00000" notitle
