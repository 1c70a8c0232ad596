# scopes.gp: rows grouped a second against the bytes of the group table, a line for
# each scope: in how many windows the table is filled, a pass each
set logscale x 2
set yrange [0:*]
set format x "%.0f GiB"
set xrange [12:160]
set xtics (16, 32, 64, 128)
set xlabel "group table"
set ylabel "rows a second"
set title "GROUP BY of 10^9 resident rows by one table, window by window: ".device
set key bottom left
plot for [i = 0:lines - 1] work."/scopes" index i using 1:2 with linespoints lc i + 1 lw 2 pt 5 + 2 * i ps 0.6 title columnheader(1)
