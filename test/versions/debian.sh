# debian.sh
#		Debians with other versions of PostgreSQL, and commands in them.
#		Sourced by bash, from the top directory.
#
# Where one cannot be made, functions say why in one line and end the program
# with status 77, which means "skipped".

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/gpuagg

skip() { printf 'skipped: %s\n' "$*" >&2; exit 77; }

# The suite of Debian that has PostgreSQL $1
debian_suite()
{
	case $1 in
		15) echo bookworm ;;
		17) echo trixie ;;
		18) echo forky ;;
		19) echo experimental ;;
		*) return 1 ;;
	esac
}

# Where this machine's packages come from
debian_mirror()
{
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' \
		2>/dev/null | sed -n 's/ Debian$//p' | head -n 1
}

# debian_install ROOT SUITE: a new Debian with what test/lib/packages installs,
# and a user who runs tests.
debian_install()
{
	local root=$1 suite=$2 script

	# which has what is not in sid yet, and nothing else
	[ "$2" != experimental ] || suite=sid
	script=/usr/share/debootstrap/scripts/$suite
	# releases that this debootstrap does not know yet are made as sid is
	[ -e "$script" ] || script=${script%/*}/sid
	debootstrap --variant=minbase "$suite" "$root" "$MIRROR" "$script"
	if [ "$2" != "$suite" ]; then
		echo "deb $MIRROR $2 main" >"$root/etc/apt/sources.list.d/$2.list"
		printf 'Package: *postgresql* libpq* libecpg* libpgtypes*\nPin: release a=%s\nPin-Priority: 500\n' "$2" \
			>"$root/etc/apt/preferences.d/$2"
	fi
	# no service starts, and no cluster is made
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	# a mirror may lag behind; signatures count all the same
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90mirror"
	mkdir -p "$root/etc/postgresql-common" "$root/opt/test/lib"
	echo "create_main_cluster = false" >"$root/etc/postgresql-common/createcluster.conf"
	cp test/packages.txt "$root/opt/test/"
	cp test/lib/packages "$root/opt/test/lib/"
	ROOT=$root in_namespace /opt/test/lib/packages
	chroot "$root" useradd --create-home --shell /bin/bash tester
	rm -rf "$root"/var/cache/apt/archives/*.deb
}

# debian_make VERSION: sets ROOT, the Debian, and holds a lock on it for as
# long as this program runs.
debian_make()
{
	local suite digest old

	suite=$(debian_suite "$1") || skip "no Debian for PostgreSQL $1 is known"
	[ "$(id -u)" -eq 0 ] || skip "root makes a Debian with PostgreSQL $1"
	# of all that makes it
	digest=$({ declare -f debian_install; cat test/packages.txt test/lib/packages; } | sha256sum)
	ROOT=$CACHE/debian-$suite-${digest:0:12}
	mkdir -p "$CACHE"
	exec {DEBIAN_LOCK}>>"$CACHE/debian-$suite.lock"
	if [ ! -d "$ROOT" ] && flock -x "$DEBIAN_LOCK" && [ ! -d "$ROOT" ]; then
		MIRROR=$(debian_mirror)
		[ -n "$MIRROR" ] || skip "this machine's apt knows no mirror of Debian"
		command -v debootstrap >/dev/null ||
			DEBIAN_FRONTEND=noninteractive apt-get -qq install -y debootstrap \
				>/dev/null 2>&1 || skip "debootstrap cannot be installed"
		echo "makes a Debian $suite with PostgreSQL $1; log: $CACHE/debian-$suite.log" >&2
		# the lock says that nobody uses those of older recipes
		for old in "$CACHE/debian-$suite"-*; do
			rm -rf "$old"
		done
		(set -e; debian_install "$ROOT.part" "$suite") >"$CACHE/debian-$suite.log" 2>&1 ||
			{
				tail -n 20 "$CACHE/debian-$suite.log" >&2
				skip "no Debian $suite was made"
			}
		mv "$ROOT.part" "$ROOT"
	fi
	flock -s "$DEBIAN_LOCK"
}

debian_clean()
{
	local suite root

	for root in "$CACHE"/debian-*-*; do
		suite=${root#"$CACHE/debian-"}
		[ ! -d "$root" ] || flock -n "$CACHE/debian-${suite%%-*}.lock" rm -rf "$root" ||
			echo "in use: $root"
	done
}

# in_namespace COMMAND ...: in ROOT as it is, which the command may change.
in_namespace()
{
	# The first process's end ends all; what they mounted goes with them.
	# shellcheck disable=SC2016 # variables of the inner shell
	ROOT=$ROOT setpriv --pdeathsig KILL unshare --mount --pid --ipc --fork --kill-child bash -e -c '
		mount -t proc proc "$ROOT/proc"
		mount -t sysfs -o ro sysfs "$ROOT/sys"
		mount --rbind /dev "$ROOT/dev"
		mount -t tmpfs -o mode=1777 tmpfs "$ROOT/dev/shm"
		cp /etc/resolv.conf "$ROOT/etc/"
		exec chroot "$ROOT" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive "$@"' bash "$@"
}

# in_debian TREE COMMAND ...: in a copy of ROOT that is thrown away, in its
# folder /gpuagg, which is TREE; its /usr/local/cuda is TOOLKIT, if that is set.  Whoever
# is killed meanwhile takes all of it along.
in_debian()
{
	local tree=$1 layer lock old rc=0

	shift
	# those of runs that were killed
	for old in "$CACHE"/layer.*/lock; do
		[ ! -e "$old" ] || flock -n "$old" rm -rf "${old%/lock}" || :
	done
	layer=$(mktemp -d "$CACHE/layer.XXXXXX")
	mkdir "$layer/top" "$layer/work" "$layer/root"
	exec {lock}>"$layer/lock"
	flock "$lock"
	# shellcheck disable=SC2016 # variables of the inner shell
	LOWER=$ROOT ROOT=$layer/root LAYER=$layer TREE=$PWD/$tree setpriv --pdeathsig KILL \
		unshare --mount bash -e -c '
		mount -t overlay -o "lowerdir=$LOWER,upperdir=$LAYER/top,workdir=$LAYER/work" \
			overlay "$ROOT"
		mkdir -p "$ROOT/gpuagg"
		mount --bind "$TREE" "$ROOT/gpuagg"
		if [ -n "${TOOLKIT:-}" ]; then
			mkdir -p "$ROOT/usr/local/cuda"
			mount --bind -o ro "$TOOLKIT" "$ROOT/usr/local/cuda"
		fi
		. test/versions/debian.sh
		in_namespace sh -c "cd /gpuagg && exec \"\$@\"" sh "$@"' bash "$@" || rc=$?
	exec {lock}>&-
	rm -rf "$layer"
	return "$rc"
}

# Words before a command in_debian: run by a user without privileges
AS_TESTER=(setpriv --reuid=tester --regid=tester --init-groups env HOME=/home/tester
	USER=tester)

# What files of a list are, in FOLDER: a digest and a mode of each
files_digests()
{
	(cd "$2" && xargs -r -d '\n' sha256sum && xargs -r -d '\n' stat -c '%a  %n' <&3) \
		<"$1" 3<"$1" 2>/dev/null | LC_ALL=C sort
}

# debian_tree TREE: copies the files that git knows or would add, and removes those that an
# earlier copy had.  Products stay.  What has changed is newer than they are: not with its own
# time, for it may be older than a product that was made while it changed.
debian_tree()
{
	local list=$PWD/$1.files

	mkdir -p "$1"
	git ls-files --cached --others --exclude-standard | LC_ALL=C sort |
		while read -r file; do [ ! -e "$file" ] || echo "$file"; done >"$list.new"
	[ ! -f "$list" ] || LC_ALL=C comm -23 "$list" "$list.new" |
		(cd "$1" && xargs -r -d '\n' rm -f)
	mv "$list.new" "$list"
	LC_ALL=C comm -23 <(files_digests "$list" .) <(files_digests "$list" "$1") |
		sed 's/^[^ ]*  //' | LC_ALL=C sort -u >"$list.changed"
	tar -cf - -T "$list.changed" | tar -xf - --touch -C "$1"
	chown -R "$(stat -c '%u:%g' "$ROOT/home/tester")" "$1"
}
