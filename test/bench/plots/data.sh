# data.sh
#		What the pictures need of the CSV files, as columns for gnuplot.
#
# Sourced by "run", which sets profile (the directory of a profile's files), and by
# the benchmark of sampling.

# profile_tables FILE DIR: the tables of a profile that "export" wrote, a file each
profile_tables()
{
	mkdir -p "$2"
	[ ! -s "$1" ] || awk -v dir="$2" '{
		table = $0
		sub(/,.*/, "", table)
		print substr($0, length(table) + 2) >(dir "/" table ".csv")
	}' "$1"
}

# columns FILE NAME ...: these columns, "?" where there is no value.  Quoted values
# with commas may only stand behind the last column that is asked for.
columns()
{
	local file=$1

	shift
	awk -F, -v names="$*" '
		NR == 1 {
			n = split(names, name, " ")
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		{
			for (i = 1; i <= n; i++)
				printf "%s%s", $at[name[i]] == "" ? "?" : $at[name[i]], i < n ? " " : "\n"
		}' "$file"
}

device_name()
{
	sed -n '2s/^[^,]*,[^,]*,\("[^"]*"\|[^,]*\),.*/\1/p' "$profile/profile.csv" | tr -d "\"'"
}

# levels KIND: reach, page and name of each cache or TLB
levels()
{
	columns "$profile/memory_level.csv" kind level reach_bytes page_bytes |
		awk -v kind="$1" '$1 == kind && $3 != "?" {
			print $3, $4, kind == "tlb" ? "\"TLB " $2 "\"" : "\"L" $2 " cache\"" }'
}

# last FILE COLUMN: of its last line; 0 if it is empty
last() { awk -v column="$2" '{ value = $column } END { print value + 0 ? value : 0 }' "$1"; }

# curves CURVE FILE: a block of (x, y) for each series, headed by the series in words
curves()
{
	columns "$2" curve series x y | awk -v curve="$1" '$1 == curve { print $2, $3, $4 }' |
		sort -k1,1n -k2,2n | awk '
			function words(bytes,	unit)
			{
				for (unit = 1; bytes >= 1024 && unit < 4; unit++)
					bytes /= 1024
				return "\"" bytes " " substr("B  KiBMiBGiB", 3 * unit - 2, 3) "\""
			}
			$1 != series { if (NR > 1) print "\n"; series = $1; print words(series) }
			{ print $2, $3 }'
}

# series_index CURVE FILE SERIES: which block that is, from 0; -1 if there is none
series_index()
{
	columns "$2" curve series | awk -v curve="$1" '$1 == curve { print $2 }' |
		sort -n -u | awk -v series="$3" 'BEGIN { at = -1 }
			$1 == series { at = NR - 1 }
			END { print at }'
}

# same_group FILE: pairs of units of one group
same_group()
{
	awk '{ group[$1] = $2 }
		END {
			for (a in group)
				for (b in group)
					if (a + 0 < b + 0 && group[a] == group[b])
						print a, b, group[a]
		}' "$1" | sort -n -k3,3 -k1,1 -k2,2
}

count_groups() { awk '!seen[$2]++ { n++ } END { print n + 0 }' "$1"; }

# rate NAME: a ceiling, in something a second
rate()
{
	columns "$profile/ceiling.csv" name per_second |
		awk -v name="$1" '$1 == name && $2 != "?" { print $2 }'
}

# Roofs: rate, 1 if it is of bytes and 0 if it is of operations, what it is
ceilings()
{
	local name unit label value

	while IFS=: read -r name unit label; do
		value=$(rate "$name")
		[ -z "$value" ] || printf '%s %s "%s"\n' "$value" "$unit" "$label"
	done <<-END
		cache_read:1:last cache
		memory_read:1:memory
		zero_copy_in:1:pages, read in place
		int_ops:0:integer multiply-adds
		local_atomics_1024:0:shared atomics, 1024 places
		local_atomics_1:0:shared atomics, one place
	END
}

# Points: rows a byte, rows a second, what.  A partitioning pass reads its 4-byte
# keys, reads keys and 4-byte values, and writes both: 20 bytes a row.
partition_point() { printf '%s %s "partition"\n' 0.05 "$(rate partition)"; }

# Decoding reads the pages, grouping the values of the columns that the query names
# (h2o's integers and v3 of 8 bytes); times by the GPU's clock, in cold's notes.
query_points()
{
	awk -F, '
		BEGIN { width["id4"] = width["id6"] = 8; width["q4"] = width["q5"] = 20 }
		function took(stage)
		{
			if (!match($0, stage " Time [0-9.]+"))
				return 0
			return substr($0, RSTART + length(stage) + 6, RLENGTH - length(stage) - 6) / 1e3
		}
		$3 != "gpuagg" { next }
		$4 == "execution" && took("Kernel") > 0 && ($2 in width) && !($2 in kernel) {
			rows[$2] = $6; groups[$2] = $7
			decode[$2] = took("Decode"); kernel[$2] = took("Kernel")
			order[++n] = $2
		}
		$4 == "pages_gb_s" { match($0, /[0-9]+ pages/); bytes[$2] = substr($0, RSTART, RLENGTH) * 8192 }
		END {
			for (i = 1; i <= n; i++) {
				q = order[i]
				if (i == 1 && bytes[q] > 0)
					printf "%g %g \"decode\"\n", rows[q] / bytes[q], rows[q] / decode[q]
				printf "%g %g \"%s, %d groups\"\n", 1 / width[q],
					rows[q] / kernel[q], q, groups[q]
			}
		}' "$1"
}

# scope_points STRATEGY TITLE: GiB of the group table, which the cases say, and rows a
# second, as a block of gnuplot's
scope_points()
{
	printf '"%s"\n' "$2"
	columns "$device/grouping.csv" case engine metric median | awk -v engine="$1" '
		$1 ~ /^scopes-/ && $2 == engine && $(NF - 1) == "rate" {
			sub(/^scopes-/, "", $1)
			print $1 + 0, $NF
		}' | sort -n
	printf '\n\n'
}

# grouping_points STRATEGY TITLE: groups and rows a second of an int4 key with two
# aggregates, as a block of gnuplot's
grouping_points()
{
	printf '"%s"\n' "$2"
	awk -F, -v engine="$1 uniform int4 2aggs" '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		$at["case"] == "groups" && $at["metric"] == "rate" && index($at["engine"], engine) == 1 {
			print $at["groups"], $at["median"]
		}' "$device/grouping.csv" | sort -n
	printf '\n\n'
}

# sampling_points ENGINE TITLE [GIB]: bytes and draws a second, as a block of
# gnuplot's; of as few windows as are no larger than that
sampling_points()
{
	printf '"%s"\n' "$2"
	awk -F, -v engine="^$1\$" -v gib="${3:-0}" '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		$at["engine"] ~ engine {
			bytes = 8 * $at["rows"]
			split($at["engine"], word, " ")
			if (gib > 0 && word[2] != int((bytes + gib * 2 ^ 30 - 1) / (gib * 2 ^ 30)))
				next
			printf "%.0f %s\n", bytes, $at["median"]
		}' "$device/sampling.csv" | sort -n
	printf '\n\n'
}

# suite_points FILE: question, ms measured and ms predicted of gpuagg's node over columns that are kept
suite_points()
{
	columns "$1" case engine metric median ratio | awk '$2 == "gpuagg-warm" && $3 == "node" && $5 != "?" {
		print $1, $4, $4 * $5 }'
}

# speed_points ENGINE FILE TITLE: millions of rows a second of whole queries, a line for
# each question of speed_questions; 0 where it was not measured
speed_points()
{
	printf '"%s"\n' "$3"
	columns "$2" case engine metric rows median | awk -v engine="$1" -v asked="$speed_questions" '
		$2 == engine && $3 == "execution" && !($1 in rate) { rate[$1] = $4 / $5 / 1e3 }
		END {
			n = split(asked, question, " ")
			for (i = 1; i <= n; i++)
				printf "%d %.4g\n", i, rate[question[i]]
		}'
	printf '\n\n'
}

# titled TITLE: points, sorted, as a block of gnuplot's; nothing of no points
titled()
{
	sort -n | awk -v title="$1" 'NR == 1 { print "\"" title "\"" } { print } END { if (NR > 0) print "\n" }'
}

# live_curve FILE SHAPE ENGINE WHICH TITLE: % of the pages that changed and ms; nothing changed lies left
# of what a logarithmic axis shows.  ENGINE is a pattern.
live_curve()
{
	columns "$1" case engine metric median | awk -v asked="changed-$2" -v engine="^($3)\$" -v which="$4-" '
		$1 == asked && $2 ~ engine && index($3, which) == 1 {
			percent = substr($3, length(which) + 1)
			print percent == 0 ? 0.03 : percent, $4
		}' | titled "$5"
}

# live_rates FILE ENGINE CLIENTS TITLE: writes a second of each kind and queries a second; at rest left of them
live_rates()
{
	columns "$1" case engine metric median | awk -v engine="^($2)\$" -v clients="$3" '
		$1 ~ /^clients-[0-9]+$/ && $2 ~ engine {
			if ($3 == "tps-" clients) print substr($1, 9), $4
			if ($3 == "rest-tps-" clients && !(seen++)) print 50, $4
		}' | titled "$4"
}
