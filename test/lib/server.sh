# server.sh
#		A private PostgreSQL with gpuagg: for the tests, the quick start and
#		the GPU machine.  Sourced by bash; needs no root, changes nothing of
#		the system's PostgreSQL and reads no cluster of its own.
#
# Prefix: a copy of an installed PostgreSQL's program, library and share
# directories under one directory, with gpuagg installed into it.  PostgreSQL
# finds its files relative to its program as long as their layout stays.  The
# file "layout" in it holds that layout; "syslib" (GPU bundle only) the system
# libraries that a foreign machine lacks.  With SANITIZE=1 in the environment
# gpuagg is built with sanitizers, and the prefix's server loads their library.
#
# PostgreSQL refuses to run as root: then servers and tests run as the user
# TEST_USER, and their directories must be readable for it.

# Sessions of ours must not inherit somebody's server or locale.
unset PGHOST PGHOSTADDR PGPORT PGDATABASE PGUSER PGPASSWORD PGPASSFILE \
	PGSERVICE PGSERVICEFILE PGOPTIONS PGDATA PGSSLMODE LANGUAGE LC_ALL
export LANG=C.UTF-8

say() { printf '%s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# Sets TEST_USER: who runs servers.
test_user()
{
	if [ "$(id -u)" -ne 0 ]; then
		TEST_USER=$(id -un)
		return
	fi
	TEST_USER=${TEST_USER:-postgres}
	if ! id "$TEST_USER" >/dev/null 2>&1; then
		TEST_USER=gpuaggtest
		id "$TEST_USER" >/dev/null 2>&1 ||
			useradd --system --home-dir /nonexistent \
				--shell /usr/sbin/nologin "$TEST_USER"
	fi
}

# as_user COMMAND ...: runs it as TEST_USER.
as_user()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid="$TEST_USER" --regid="$(id -g "$TEST_USER")" \
			--clear-groups env HOME=/nonexistent USER="$TEST_USER" "$@"
	else
		"$@"
	fi
}

# own PATH ...: gives a directory that root made to TEST_USER.
own() { [ "$(id -u)" -ne 0 ] || chown -R "$TEST_USER" "$@"; }

# sources_id: the commit, and a digest of all that is compiled or installed.
sources_id()
{
	local commit digest

	commit=$(git -c safe.directory='*' describe --always --exclude '*' \
		2>/dev/null) || commit=unknown
	digest=$({ find src sql/gpuagg--*.sql cuda gpuagg.control -type f ! -name '*.[od]' \
		-exec sha256sum {} + 2>/dev/null || true; } | LC_ALL=C sort | sha256sum)
	printf '%s sources %s\n' "$commit" "${digest:0:12}"
}

# What PGXS adds to the compiler's flags
[ -z "${SANITIZE:-}" ] ||
	export PROFILE="-fsanitize=address,undefined -fno-omit-frame-pointer"

# prefix_sanitize BINDIR: a module with sanitizers needs their library to be the
# server's first.
prefix_sanitize()
{
	mv "$1/postgres" "$1/postgres.bin"
	cat >"$1/postgres" <<-WRAPPER
		#!/bin/bash
		LD_PRELOAD=$("${CC:-gcc}" -print-file-name=libasan.so) exec -a "\$0" "\$0.bin" "\$@"
	WRAPPER
	chmod 755 "$1/postgres"
}

# prefix_make DIR: copies the PostgreSQL of pg_config to DIR, unless that is
# there from the same PostgreSQL, and installs gpuagg into it.
prefix_make()
{
	local dir=$1 config=${PG_CONFIG:-pg_config} which d

	which=$("$config" --version; "$config" --bindir --pkglibdir --sharedir --pgxs
		stat -c '%Y %s' "$("$config" --bindir)/postgres"
		say "${SANITIZE:+sanitized}")
	if [ "$(cat "$dir/origin" 2>/dev/null)" != "$which" ]; then
		rm -rf "$dir"
		for d in "$("$config" --bindir)" "$("$config" --pkglibdir)" \
			"$("$config" --sharedir)"; do
			mkdir -p "$dir$d"
			cp -a "$d/." "$dir$d"
		done
		[ -z "${SANITIZE:-}" ] || prefix_sanitize "$dir$("$config" --bindir)"
		printf '%s\n' "$which" >"$dir/origin"
	fi
	cat >"$dir/layout" <<-LAYOUT
		PG_BINDIR=$("$config" --bindir)
		PG_TESTDIR=$(dirname "$(dirname "$("$config" --pgxs)")")/test
	LAYOUT
	# A build without CUDA leaves no older one's library behind.
	rm -f "$dir$("$config" --pkglibdir)/gpuagg_cuda.so" \
		"$dir$("$config" --pkglibdir)/gpuagg_compile"
	"${MAKE:-make}" --no-print-directory -s install DESTDIR="$dir" \
		PG_CONFIG="$config" &&
		# upgrades start from it (test/t/026_versions.pl)
		cp test/data/version_1_0.sql \
			"$dir$("$config" --sharedir)/extension/gpuagg--1.0.sql"
}

# prefix_use DIR: puts its programs first on PATH; sets PG_BINDIR and
# PG_TESTDIR (pg_regress, perl modules) to where they are in DIR.
prefix_use()
{
	. "$1/layout"
	PG_BINDIR=$1$PG_BINDIR
	PG_TESTDIR=$1$PG_TESTDIR
	export PG_BINDIR PATH=$PG_BINDIR:$PATH
	[ ! -d "$1/syslib" ] || export LD_LIBRARY_PATH=$1/syslib
}

# server_start DIR [SETTING ...]: starts a server that preloads gpuagg, on the
# cluster in DIR/data (made if it is not there), and points libpq to it.  DIR
# belongs to TEST_USER and is short: it holds the socket.  Settings are lines
# of postgresql.conf; the server's log is DIR/log.
server_start()
{
	local dir=$1

	shift
	if [ ! -f "$dir/data/PG_VERSION" ]; then
		(cd "$dir" && as_user initdb -D "$dir/data" -U postgres -A trust --no-sync \
			--locale=C --encoding=UTF8) >"$dir/initdb.log" 2>&1 ||
			{ cat "$dir/initdb.log" >&2; die "initdb failed"; }
	fi
	{
		cat <<-CONF
			listen_addresses = ''
			unix_socket_directories = '$dir'
			shared_preload_libraries = 'gpuagg'
		CONF
		printf '%s\n' "$@"
	} | as_user tee "$dir/data/postgresql.auto.conf" >/dev/null
	(cd "$dir" && as_user pg_ctl -D "$dir/data" -l "$dir/log" -t 120 -w start) >/dev/null ||
		{ tail -n 20 "$dir/log" >&2; die "the server does not start"; }
	export PGHOST=$dir PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

# server_stop DIR [fast|immediate]
server_stop()
{
	[ ! -f "$1/data/postmaster.pid" ] ||
		(cd "$1" && as_user pg_ctl -D "$1/data" -m "${2:-fast}" -w stop) \
			>/dev/null 2>&1 || true
}

# run_directory NAME: makes a directory of TEST_USER's with a short name that
# it can reach, wherever the checkout is; sets RUN_DIR.
run_directory()
{
	RUN_DIR=$(mktemp -d "${TMPDIR:-/tmp}/gpuagg-$1.XXXXXX")
	own "$RUN_DIR"
}

# prefix_reachable DIR: DIR, or where TEST_USER cannot read it a copy in
# RUN_DIR; sets PREFIX.
prefix_reachable()
{
	PREFIX=$1
	if ! as_user test -r "$1/layout" 2>/dev/null; then
		PREFIX=$RUN_DIR/pg
		cp -a "$1" "$PREFIX"
	fi
}
