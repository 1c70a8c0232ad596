# ssb.gp: each query of the Star Schema Benchmark: what its node took beside what the profile's rates allow
set logscale y 10
set ylabel "ms"
set xlabel "query"
set title "Star Schema Benchmark, measured and predicted on ".device
set key top left
set offsets 0.5, 0.5, 0, 0
set xrange [-0.6:*]
set boxwidth 0.6
set style fill solid 0.9 noborder
set grid noxtics ytics
stats work."/ssb" using (column(2) > column(3) ? column(2) : column(3)) nooutput
top = STATS_max * 6
stats work."/ssb" using (column(2) < column(3) ? column(2) : column(3)) nooutput
set yrange [STATS_min / 4:top]
plot work."/ssb" using 0:2:xtic(1) with boxes lc rgb "#21918c" title "measured", \
	"" using 0:3:($3 / 2):($3 * 2) with yerrorbars lc rgb "#c00000" pt 7 ps 0.7 lw 1.5 \
	title "predicted from memory bandwidth and random accesses; bars: half and twice"
