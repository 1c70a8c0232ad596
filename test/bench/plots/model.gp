# model.gp: predicted against measured execution time, a colour for each device
set logscale xy 10
set xlabel "measured, ms"
set ylabel "predicted, ms"
set title "The cost model: ".device
set key bottom right
stats work."/model" using 2 nooutput
low = STATS_min / 2
high = STATS_max * 2
set xrange [low:high]
set yrange [low:high]
set samples 2
plot x with lines lw 1.5 lc rgb "black" title "equal", \
	x * 1.15 with lines dt 2 lc rgb "#008000" title "15 % off", x * 0.85 with lines dt 2 lc rgb "#008000" notitle, \
	x * 1.4 with lines dt 3 lw 1.5 lc rgb "#c00000" title "40 % off", x * 0.6 with lines dt 3 lw 1.5 lc rgb "#c00000" notitle, \
	for [i = 0:files - 1] work."/model" index i using 2:1 with points pt 6 + 2 * i ps 0.5 lc rgb word("#3182bd #e07000 #440154 #008060 #c000a0", 1 + i % 5) title columnheader(1)
