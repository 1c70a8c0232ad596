# suite.sh
#		The parts of the test suite that need a server, as test/check and
#		test/gpu/run run them.  Sourced by bash after server.sh and tally.sh,
#		with a prefix in use and RUN_DIR set.
#
# Tests are copied to RUN_DIR, where TEST_USER may read and write; what a
# failure leaves is in RUN_DIR: regress/, isolation/, tap/, server/log.

# Settings of the server under the regression and isolation tests.
SUITE_SETTINGS=(
	"shared_buffers = 256MB"
	"max_connections = 100"
	"max_prepared_transactions = 2"
	"max_worker_processes = 32"
	"fsync = off"
	"log_min_messages = info"
	"log_statement = none"
	"autovacuum = off"
	"gpuagg.autoload = off"
	# plans are those of the profile, whatever ran before on whatever machine
	"gpuagg.learn_costs = off"
)
# PACK=1: what is kept is packed at once, so that all tests read packed columns; new memory holds
# bits of any kind, lest zeros hide that it was never written
if [ -n "${PACK:-}" ]; then
	SUITE_SETTINGS+=("gpuagg.debug_pack = on")
	export MALLOC_PERTURB_=90
fi

suite_prepare()
{
	local results version

	version=$("$PG_BINDIR/pg_config" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
	cp -R sql expected test "$RUN_DIR/"
	[ ! -d doc ] || cp -R doc README.md "$RUN_DIR/"
	# which functions planning knows, for test/t/SqlCatalogue.pm
	mkdir -p "$RUN_DIR/src/planner"
	cp -R src/planner/catalogue "$RUN_DIR/src/planner/"
	for results in expected test/isolation/expected; do
		test/lib/expected "$RUN_DIR/$results" "$version"
	done
	suite_output regress expected
	suite_output isolation test/isolation/expected
	mkdir -p "$RUN_DIR/tap" "$RUN_DIR/server"
	suite_sanitizers
	own "$RUN_DIR"
}

# suite_output NAME EXPECTED: an output directory of pg_regress, which looks for expected
# results below it.
suite_output()
{
	mkdir -p "$RUN_DIR/$1"
	ln -sfn "../$2" "$RUN_DIR/$1/expected"
}

# suite_names DIR ENDING: names of the tests in DIR, setup first; the extension's scripts lie
# beside the regression tests.
suite_names()
{
	local f

	[ ! -f "$1/setup.$2" ] || echo setup
	for f in "$1"/*."$2"; do
		f=${f##*/}
		case $f in
			"setup.$2" | gpuagg--* | "*.$2") ;;
			*) echo "${f%."$2"}" ;;
		esac
	done
}

# suite_server [SETTING ...]: the server that both of pg_regress's kinds use.
suite_server()
{
	server_start "$RUN_DIR/server" "${SUITE_SETTINGS[@]}" "$@"
}

# suite_device SETTING: tests that tasks run on the kind of device that SETTING,
# as in gpuagg.device, stands for, lest a suite pass on another one, and waits for
# all of several.  "auto" is a GPU where there is one; where there is only its
# library, the host device and one line in the log.  Leaves the extension in the
# first database.
suite_device()
{
	local want=host lines=0 kind='' i

	case $1 in
		cuda*) want=cuda ;;
		auto)
			if [ ! -f "$("$PG_BINDIR/pg_config" --pkglibdir)/gpuagg_cuda.so" ]; then
				lines=0
			elif nvidia-smi -L >/dev/null 2>&1; then
				want=cuda
			else
				lines=1
			fi
			;;
	esac
	psql -X -q -c 'CREATE EXTENSION gpuagg'
	for ((i = 0; i < 600; i++)); do
		kind=$(psql -X -q -A -t -c "SELECT DISTINCT kind FROM gpuagg.devices
			WHERE state = 'ready' AND NOT EXISTS
				(SELECT FROM gpuagg.devices WHERE state = 'starting')")
		[ -z "$kind" ] || break
		sleep 0.1
	done
	[ "$kind" = "$want" ] && [ "$lines" -eq \
		"$(grep -c 'takes the place of a GPU' "$PGHOST/log")" ]
	tally_one "gpuagg.device = $1 is $want" $? || {
		psql -X -q -x -c 'TABLE gpuagg.devices'
		grep gpuagg: "$PGHOST/log"
		return 1
	}
}

# With SANITIZE=1: an error of memory ends the process as a crash.  Leaks are what
# a process leaves at its end, which PostgreSQL's leave to the system.
suite_sanitizers()
{
	[ -n "${SANITIZE:-}" ] || return 0
	export ASAN_OPTIONS="detect_leaks=0:abort_on_error=1:quarantine_size_mb=32"
}

# Reports are in the logs of servers, which have their standard error.
suite_sanitizer_reports()
{
	[ -n "${SANITIZE:-}" ] || return 0
	! grep -rE -A8 --include=log --include='*.log' --exclude='regress_log_*' \
		'runtime error: |ERROR: AddressSanitizer' "$RUN_DIR" >"$RUN_DIR/reports"
	tally_one "no report of a sanitizer" $? || head -n 200 "$RUN_DIR/reports"
}

# suite_pg_regress PART PROGRAM INPUT NAME ...
suite_pg_regress()
{
	local part=$1 program=$2 input=$3 rc=0

	shift 3
	(cd "$RUN_DIR" && as_user "$PG_TESTDIR/$program" --bindir="$PG_BINDIR" \
		--inputdir="$input" --outputdir="$part" --dbname="gpuagg_$part" "$@") \
		>"$RUN_DIR/$part.log" 2>&1 || rc=$?
	tally_regress "$part" "$rc" "$RUN_DIR/$part.log" \
		"$RUN_DIR/$part/regression.diffs"
}

# The server must come through: a crash that a later test hides is a failure.
suite_server_log()
{
	local rc=0

	if grep -E 'was terminated by signal|PANIC:|TRAP: ' "$RUN_DIR/server/log"; then
		rc=1
	fi
	tally_one "server survived" "$rc"
}

suite_regress()
{
	local names

	names=$(printf '%s ' ${TESTS:-$(suite_names sql sql)})
	case " $names" in
		*" setup "*) ;;
		*) names="setup $names" ;;
	esac
	# shellcheck disable=SC2086 # a list of names
	suite_pg_regress regress regress/pg_regress . $names
}

# suite_beside I DIR NAME ...: files of the regression tests on a server of their own
suite_beside()
{
	local dir=$2

	server_start "$dir" "${SUITE_SETTINGS[@]}" "${BESIDE_SETTINGS[@]}"
	suite_device "$BESIDE_DEVICE" && suite_pg_regress "regress$1" regress/pg_regress . "${@:3}"
	! grep -E 'was terminated by signal|PANIC:|TRAP: ' "$dir/log"
	tally_one "server $1 survived" $?
	server_stop "$dir"
	printf '%d passed, %d failed\n' "$PASSED" "$FAILED"
}

# suite_regress_beside N DEVICE [SETTING ...]: the same as suite_regress, by so many servers at
# once, each with every N-th file: where each file waits for something, as for compilers.
suite_regress_beside()
{
	local n=$1 BESIDE_DEVICE=$2 BESIDE_SETTINGS=("${@:3}") names=() name k=0 i sums passed failed

	for name in ${TESTS:-$(suite_names sql sql)}; do
		[ "$name" != setup ] || continue
		names[k % n]+=" $name"
		k=$((k + 1))
	done
	n=${#names[@]}
	for ((i = 0; i < n; i++)); do
		mkdir -p "$RUN_DIR/server$i"
		suite_output "regress$i" expected
		own "$RUN_DIR/regress$i" "$RUN_DIR/server$i"
		# shellcheck disable=SC2086 # a list of names
		(PASSED=0 FAILED=0 && suite_beside "$i" "$RUN_DIR/server$i" setup ${names[i]}) >"$RUN_DIR/beside$i.log" 2>&1 &
	done
	wait
	for ((i = 0; i < n; i++)); do
		# one that did not come so far is one failure
		sums=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$RUN_DIR/beside$i.log")
		read -r passed failed <<<"${sums:-0 1}"
		PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed))
		sed '$d' "$RUN_DIR/beside$i.log"
	done
}

suite_isolation()
{
	# shellcheck disable=SC2046 # a list of names
	suite_pg_regress isolation isolation/pg_isolation_regress test/isolation \
		${SPECS:-$(suite_names test/isolation/specs spec)}
}

# Servers that a test program left running
suite_tap_stop()
{
	local pidfile

	for pidfile in "$RUN_DIR"/tap/tmp_check/*/pgdata/postmaster.pid; do
		[ ! -f "$pidfile" ] ||
			(cd "$RUN_DIR" && as_user pg_ctl -D "$(dirname "$pidfile")" \
				-m immediate -w stop) >/dev/null 2>&1 || true
	done
}

# suite_tap JOBS: test/t/*.pl, each with servers of its own, for TAP_SECONDS at
# most: one that stands still is a failure that tells where, and not the end of
# whatever waits for the suite.  Each tells when it is through.
suite_tap()
{
	local tap=$RUN_DIR/tap name rc=0 files=() out

	for name in ${TAPS:-$(suite_names test/t pl)}; do
		files+=("test/t/$name.pl")
	done
	[ "${#files[@]}" -gt 0 ] || return 0
	(cd "$RUN_DIR" && as_user env TESTDIR="$tap" TESTLOGDIR="$tap/log" \
		TESTDATADIR="$tap/tmp_check" \
		PG_TEST_PORT_DIR="$tap" PG_REGRESS="$PG_TESTDIR/regress/pg_regress" \
		PG_TEST_TIMEOUT_DEFAULT="${PG_TEST_TIMEOUT_DEFAULT:-240}" PGPORT=65432 PERL_TEST_HARNESS_DUMP_TAP="$tap/out" \
		prove --timer -j"$1" \
		--exec "timeout -k 30 ${TAP_SECONDS:-900} perl -Itest/t -I$PG_TESTDIR/perl" "${files[@]}") 2>&1 |
		tee "$RUN_DIR/tap.log" |
		sed -un 's,^\(\[[0-9:]*\]\) test/t/\([^ ]*\)\.pl [. ]*\([^(]*\).*,        \1 \2: \3,p'
	rc=${PIPESTATUS[0]}
	suite_tap_stop
	# Each file's own output tells; prove's status only if they all look well.
	local before=$FAILED
	for name in "${files[@]}"; do
		out=$tap/out/$name
		[ -f "$out" ] || : >"$out"
		tally_tap "$name" 0 "$out" || sed 's/^/    /' \
			"$tap/tmp_check/log/regress_log_$(basename "$name" .pl)" 2>/dev/null |
			tail -n 60
	done
	if [ "$rc" -ne 0 ]; then
		tail -n 30 "$RUN_DIR/tap.log"
		[ "$FAILED" -gt "$before" ] || FAILED=$((FAILED + 1))
		return 1
	fi
}
