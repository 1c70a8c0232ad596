# tally.sh
#		Counts what test programs report.  Sourced by bash.
#
# Every tally_ function takes the program's exit status and adds to PASSED and
# FAILED; a program that fails without saying which test did is one failure
# more, so that a crash cannot look like success.

PASSED=0
FAILED=0

tally_add()
{
	local rc=$1 passed=$2 failed=$3

	[ "$rc" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
	PASSED=$((PASSED + passed))
	FAILED=$((FAILED + failed))
	[ "$failed" -eq 0 ]
}

# tally_one NAME STATUS: a check that is one test.
tally_one()
{
	if [ "$2" -eq 0 ]; then
		PASSED=$((PASSED + 1))
		printf 'ok      %s\n' "$1"
	else
		FAILED=$((FAILED + 1))
		printf 'FAILED  %s\n' "$1"
		return 1
	fi
}

# tally_tap NAME STATUS FILE: TAP output of one program.  Tests that were
# announced but did not run have failed; so has a program without a plan.
# Comments "Summary: ..." are shown.
tally_tap()
{
	local passed failed planned

	passed=$(grep -c '^ok ' "$3" || true)
	failed=$(grep '^not ok ' "$3" | grep -vic '# *todo' || true)
	planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$3" | tail -n 1)
	if [ -z "$planned" ] || [ "$((passed + failed))" -lt "$planned" ]; then
		failed=$((failed + 1))
	fi
	if ! tally_add "$2" "$passed" "$failed"; then
		printf 'FAILED  %s\n' "$1"
		grep -v '^ok ' "$3" | tail -n 60
		return 1
	elif [ "$planned" -eq 0 ]; then
		printf 'skipped %s: %s\n' "$1" "$(sed -n 's/^1\.\.0 *#* *\(SKIP *\)\{0,1\}//p' "$3")"
	else
		printf 'ok      %s (%d tests)\n' "$1" "$passed"
		sed -n 's/^# Summary: /        /p' "$3"
	fi
}

# tally_regress NAME STATUS FILE DIFFS: output of pg_regress (either of the
# forms "test x ... ok" and "ok 1 - x") or pg_isolation_regress.
tally_regress()
{
	local passed failed

	passed=$(grep -cE '(\.\.\. ok( |$))|^ok +[0-9]' "$3" || true)
	failed=$(grep -cE '(\.\.\. FAILED)|^not ok +[0-9]' "$3" || true)
	if tally_add "$2" "$passed" "$failed"; then
		printf 'ok      %s (%d tests)\n' "$1" "$passed"
	else
		printf 'FAILED  %s\n' "$1"
		grep -vE '\.\.\. ok|^ok ' "$3" || true
		[ ! -f "$4" ] || head -n 400 "$4"
		return 1
	fi
}
