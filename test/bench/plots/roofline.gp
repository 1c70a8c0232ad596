# roofline.gp: what the device does at most, and our kernels.  An operation of a kernel
# is a row, for rows are what was counted: bytes are the pages' (decode), those of the
# columns that a query names (group), or those that a pass moves (partition).
set logscale xy 10
set format y "10^{%L}"
set format x "10^{%L}"
set xrange [1e-3:1e1]
set yrange [*:*]
set xlabel "rows (or operations) a byte"
set ylabel "rows (or operations) a second"
set title "Roofline: ".device
set key outside right top samplen 2 width -2
set linetype 1 lc rgb "#440154"
set linetype 2 lc rgb "#008060"
set linetype 3 lc rgb "#3182bd"
set linetype 4 lc rgb "#c00000"
set linetype 5 lc rgb "#e07000"
set linetype 6 lc rgb "#806000"
stats work."/ceilings" using 1 nooutput
n = STATS_records
field(file, i, f) = system(sprintf("awk -F'\"' 'NR == %d { split($1, n, \" \"); print %s }' %s/%s", i, f, work, file))
array v[n]
array s[n]
array name[n]
do for [i = 1:n] {
	v[i] = field("ceilings", i, "n[1]") + 0
	s[i] = field("ceilings", i, "n[2]") + 0
	name[i] = field("ceilings", i, "$2")
}
flat = 0
do for [i = 1:n] { if (s[i] == 0 && v[i] > flat) { flat = v[i] } }
roof(i, x) = s[i] == 0 ? v[i] : (flat > 0 && v[i] * x > flat ? NaN : v[i] * x)
set samples 100
points = system("wc -l <".work."/kernels") + 0
set macros
roofs = 'for [i = 1:n] roof(i, x) with lines lt i lw 2 dt 2 - s[i] title name[i]'
kernels = 'for [i = 1:points] work."/kernels" every ::(i - 1)::(i - 1) using 1:2 with points pt (i + 3) ps 1.1 lw 2 lc rgb "black" title field("kernels", i, "$2")'
if (points > 0) { plot @roofs, @kernels } else { plot @roofs }
