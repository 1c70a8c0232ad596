/*
 * tap.h
 *		A small producer of the Test Anything Protocol for the unit tests,
 *		which run without PostgreSQL.  C11 and C++17; one test program is one
 *		translation unit, so the counters are its own.  done_testing() prints
 *		the plan and gives main its exit status.
 */
#ifndef GPUAGG_TAP_H
#define GPUAGG_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int	tap_count;
static int	tap_failures;

static inline bool
ok(bool passed, const char *name)
{
	tap_count++;
	tap_failures += !passed;
	printf("%sok %d - %s\n", passed ? "" : "not ", tap_count, name);
	/* who is ended, by a tool's time limit, has said how far it came */
	fflush(stdout);
	return passed;
}

static inline bool
is_int(long long got, long long want, const char *name)
{
	if (!ok(got == want, name))
		printf("#   got %lld, want %lld\n", got, want);
	return got == want;
}

/* Equal bits, or both NaN */
static inline bool
tap_same_double(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (a != a && b != b);
}

static inline bool
is_double(double got, double want, const char *name)
{
	bool		same = tap_same_double(got, want);

	if (!ok(same, name))
		printf("#   got %.17g, want %.17g\n", got, want);
	return same;
}

static inline int
done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures == 0 ? 0 : 1;
}

#endif							/* GPUAGG_TAP_H */
