# speed.gp: rows grouped a second by whole queries, a bar for each way to run them
set terminal svg size 900,460 font "sans-serif,13" background rgb "white"
set logscale y 10
set yrange [3:400000]
set ytics ("10 million" 10, "100 million" 100, "10^9" 1000, "10^{10}" 10000, "10^{11}" 100000)
set ylabel "rows a second (logarithmic)"
set xrange [0.5:5.6]
set xtics ("int key,\n100 groups" 1, "text key,\n100 groups" 2, "two text keys,\n10^4  groups" 3, "int key,\nmany groups" 4, "text key,\nmany groups" 5)
set title "GROUP BY, whole queries on ".device
set key top right horizontal
set boxwidth 0.2
set style fill solid 0.9 noborder
set grid noxtics ytics
set label "Labels: million rows a second. From pages: 10^7  rows, many groups are 10^5. From the cache: 10^8  rows, 10^6  groups." at screen 0.5,0.02 center font ",11"
set bmargin 5
set format y "%g"
number(x) = x <= 0 ? "" : x < 10 ? sprintf("%.1f", x) : x < 9950 ? sprintf("%.0f", x) : sprintf("%.0f 000", x / 1000)
color(i) = word("#bbbbbb #888888 #3b528b #21918c", i + 1)
plot for [i = 0:3] work."/speed" index i using ($1 + 0.21 * (i - 1.5)):2 with boxes lc rgb color(i) title columnheader(1), \
	for [i = 0:3] work."/speed" index i using ($1 + 0.21 * (i - 1.5)):($2 * 1.15):(number($2)) every ::1 with labels font ",9" notitle
