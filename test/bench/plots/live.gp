# live.gp: what a query costs that comes behind a change, by how much has changed; and queries a second
# beside writers
set terminal svg size 900,700 font "sans-serif,12" background rgb "white"
set multiplot layout 2,2 title "A table that changes: ".device
set logscale xy 10
set format y "%g"
set key left top font ",10" samplen 2 spacing 0.9
set xrange [0.02:150]
set xtics ("0" 0.03, "0.1" 0.1, "1" 1, "10" 10, "100" 100)
set xlabel "% of the pages changed since the last query" offset 0, 0.4
set ylabel "ms" offset 1, 0
lines(file) = system("grep -c '^\"' ".file) + 0
color(i) = word("#d95f02 #21918c #888888 #3b528b", i + 1)
do for [q = 1:3] {
	file = work."/live-q".q
	set autoscale y
	stats file using 2 nooutput
	set yrange [STATS_min / 2:STATS_max * 30]
	set title q == 1 ? "q1: 20 groups, sum(numeric)" : q == 2 ? "q2: 30 days of 900, top 10 of 250 texts" : \
		"q3: by month, count(DISTINCT), sum"
	plot for [i = 0:lines(file) - 1] file index i using 1:2 with linespoints lc rgb color(i) lw 2 pt 5 + 2 * i ps 0.5 title columnheader(1)
}
set autoscale
file = work."/live-rates"
stats file using 2 nooutput
set yrange [STATS_min / 2:STATS_max * 30]
set xrange [30:40000]
set xtics ("none" 50, "200" 200, "2000" 2000, "20000" 20000)
set xlabel "updates a second, and as many inserts" offset 0, 0.4
set ylabel "queries a second" offset 1, 0
set title "Dashboards beside writers"
plot for [i = 0:lines(file) - 1] file index i using 1:2 with linespoints \
	lc rgb word("#5ec962 #21918c #3b528b #888888", i + 1) lw 2 pt 5 + 2 * i ps 0.5 title columnheader(1)
unset multiplot
