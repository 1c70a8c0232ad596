# style.gp: what all pictures share; "run" sets work, out and device
set terminal svg size 900,520 font "sans-serif,13" background rgb "white"
set output out
set datafile missing "?"
set grid lc rgb "#dddddd" lw 1
set border 3 lc rgb "#666666"
set tics nomirror
set palette defined (0 "#440154", 0.25 "#3b528b", 0.5 "#21918c", 0.75 "#5ec962", 1 "#d8c51c")
unset colorbox
bytes = "%.0b %BB"
