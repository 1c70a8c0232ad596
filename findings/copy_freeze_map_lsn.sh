#!/usr/bin/env bash
# copy_freeze_map_lsn.sh
#		PostgreSQL 15.20: a table that COPY ... FREEZE fills in the transaction
#		that made it, under wal_level = minimal, has a visibility map whose pages
#		have LSN 0/0, though its bits are set and its heap is all-visible.  VACUUM
#		does not change that, with DISABLE_PAGE_SKIPPING neither: bits that are set
#		are not set again, and so nothing is logged.  Whoever tells by a page's LSN
#		whether it has changed (incremental copies, caches) sees a page that looks
#		as if nobody had ever written to it.  The first UPDATE clears a bit; the
#		VACUUM behind it sets it and gives the page a position.  Under
#		wal_level = replica the map's pages have positions from the beginning, and so
#		has a table smaller than wal_skip_threshold, which is logged as it is committed.
#
# Output seen:
#	minimal: COPY FREEZE, all visible 2000 of 2000 pages: heap 0/0, map 0/0
#	minimal: VACUUM: map 0/0
#	minimal: VACUUM (DISABLE_PAGE_SKIPPING): map 0/0
#	minimal: UPDATE, VACUUM: map above 0/0
#	replica: COPY FREEZE, all visible 2000 of 2000 pages: heap above 0/0, map above 0/0
#
# Packages of Debian, unpacked into a temporary folder; exit 77 if they are not to be had.
set -eu -o pipefail

SELF=$(realpath "$0")
VERSION=15.20-0+deb12u1
DIR=$(mktemp -d)
BIN=$DIR/root/usr/lib/postgresql/15/bin
RUN=()

stop()
{
	[ ! -f "$DIR/data/postmaster.pid" ] || "${RUN[@]}" "$BIN/pg_ctl" -D "$DIR/data" -m immediate stop >/dev/null
}
trap 'stop; rm -rf "$DIR"' EXIT

cd "$DIR"
chmod 755 "$DIR"
apt-get -q download "postgresql-15=$VERSION" "postgresql-client-15=$VERSION" >apt.log 2>&1 ||
	{ echo "postgresql-15 $VERSION is not to be had here"; exit 77; }
for package in *.deb; do dpkg -x "$package" root; done
if [ "$(id -u)" -eq 0 ]; then
	RUN=(runuser -u nobody --)
	chown nobody "$DIR"
fi
LIBS=$DIR/root/usr/lib/x86_64-linux-gnu
"${RUN[@]}" env LD_LIBRARY_PATH="$LIBS" "$BIN/initdb" -D "$DIR/data" -U postgres -A trust --no-sync >initdb.log 2>&1 ||
	{ cat initdb.log; exit 77; }

sql() { "$BIN/psql" -X -q -A -t -h "$DIR" -U postgres -d postgres -v ON_ERROR_STOP=1 -c "$1"; }

# server LEVEL: (re)starts with this wal_level
server()
{
	stop
	"${RUN[@]}" "$BIN/pg_ctl" -D "$DIR/data" -l "$DIR/log" -w start \
		-o "-c wal_level=$1 -c max_wal_senders=0 -c listen_addresses= -c autovacuum=off -c unix_socket_directories=$DIR" \
		>/dev/null
}

# above FORK: the position of its first page, in words
above()
{
	sql "SELECT CASE lsn WHEN '0/0' THEN '0/0' ELSE 'above 0/0' END
		FROM page_header(get_raw_page('t', '$1', 0))"
}

# fill: the table, and what its pages are
fill()
{
	"$BIN/psql" -X -q -h "$DIR" -U postgres -d postgres -v ON_ERROR_STOP=1 <<-SQL
		BEGIN;
		CREATE TABLE t (v int);
		\\copy t FROM PROGRAM 'seq 1 452000' WITH (FREEZE)
		COMMIT;
	SQL
	echo "$1: COPY FREEZE, all visible $(sql "SELECT format('%s of %s pages', (pg_visibility_map_summary('t')).all_visible,
		pg_relation_size('t') / 8192)"): heap $(above main), map $(above vm)"
}

{
	server minimal
	sql "CREATE EXTENSION pageinspect; CREATE EXTENSION pg_visibility"
	fill minimal
	sql "VACUUM t"
	echo "minimal: VACUUM: map $(above vm)"
	sql "VACUUM (DISABLE_PAGE_SKIPPING) t"
	echo "minimal: VACUUM (DISABLE_PAGE_SKIPPING): map $(above vm)"
	sql "UPDATE t SET v = 0 WHERE v = 1"
	sql "VACUUM t"
	echo "minimal: UPDATE, VACUUM: map $(above vm)"
	sql "DROP TABLE t"
	server replica
	fill replica
} | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
