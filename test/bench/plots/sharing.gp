# sharing.gp: pairs of units that read at once, how much slower than alone; beside it
# the groups that follow.  Not all pairs were measured: a unit is compared with one of
# each group until one matches.
#
# A square is a short thick line, which takes a fifth of a point's bytes in SVG.
stats work."/units" using 1 nooutput
edge = STATS_max + 1
set multiplot title "Which multiprocessors share their last TLB level: ".device
set tmargin at screen 0.83
set bmargin at screen 0.16
set xrange [-2:edge]
set yrange [-2:edge]
set xtics 24 out
set ytics 24 out
set xlabel "multiprocessor"
set ylabel "multiprocessor"
square = "using ($1 - 0.5):2:(1):(0):3 with vectors nohead lw 2.6"
set macros
set lmargin at screen 0.07
set rmargin at screen 0.45
set title "pairs measured, and how many times slower than alone"
set colorbox
set cbrange [1:*]
set palette defined (0 "#d0d0d0", 0.2 "#9ecae1", 0.5 "#3182bd", 1 "#b00060")
plot work."/pairs" @square lc palette notitle
unset colorbox
set lmargin at screen 0.60
set rmargin at screen 0.98
set cbrange [0:groups - 1]
set title sprintf("the %d groups that follow", groups)
set palette defined (0 "#440154", 0.25 "#3b528b", 0.5 "#21918c", 0.75 "#5ec962", 1 "#d8c51c")
plot work."/groups" @square lc palette notitle
unset multiplot
