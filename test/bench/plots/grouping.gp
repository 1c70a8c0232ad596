# grouping.gp: rows grouped a second against the number of groups, a line for each
# strategy
set logscale xy 10
set format x "10^{%L}"
set format y "10^{%L}"
set xlabel "groups"
set ylabel "rows a second"
set title "GROUP BY of 10^9 resident rows, int4 key, count and sum: ".device
set key bottom left
plot for [i = 0:2] work."/grouping" index i using 1:2 with linespoints lc i + 1 lw 2 pt 5 + 2 * i ps 0.6 title columnheader(1)
