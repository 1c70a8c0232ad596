# sampling.gp: random draws a second against the bytes drawn from, a line for each way
set logscale x 2
set logscale y 10
set format x bytes
set format y "10^{%L}"
set yrange [2e9:4e11]
set xlabel "resident values of 8 bytes"
set ylabel "draws a second"
set title "Random draws: ".device
set key bottom left
set xrange [2**20:2**38]
plot for [i = 0:4] work."/sampling" index i using 1:2 with linespoints lc i + 1 lw 2 pt 5 + i ps 0.5 title columnheader(1), \
	"" index 5 using 1:2 with lines lc rgb "black" lw 1.2 dt 2 title columnheader(1), \
	work."/reaches" using 1:(4e11) with impulses dt 2 lw 1.5 lc rgb "#c00000" notitle, \
	"" using 1:(3e11):3 with labels right offset -0.5, 0 tc rgb "#c00000" notitle
