/*
 * cuda_probe_help.h
 *		What the tests of measuring a GPU share (cuda_probe_test.cu): the card, a session,
 *		and how figures are looked at.
 */
#ifndef GPUAGG_TEST_CUDA_PROBE_HELP_H
#define GPUAGG_TEST_CUDA_PROBE_HELP_H

#include <math.h>
#include <time.h>

#include "cuda/probe/cuda_probe.h"
#include "on_cuda.h"

#define OPS (&gpuagg_cuda_probe_ops)
#define MiB ((uint64_t) 1 << 20)
#define GiB ((uint64_t) 1 << 30)
#define PAGES_BYTES (8 * MiB)

static const char *const ceiling_names[] = {
#define X(name, unit) #name,
	GPUAGG_CEILING_LIST(X)
#undef X
};

static const char *const ceiling_units[] = {
#define X(name, unit) unit,
	GPUAGG_CEILING_LIST(X)
#undef X
};

static const char *const random_names[] = {"READ8", "READ32", "ATOMIC8"};

static GpuAggDevice *device;
static GpuAggProbe *probe;
static GpuAggProbeMachine machine;
static GpuAggUnitLimits unit_limits;
static volatile int cancel;
static bool slow_tool;			/* compute-sanitizer: no times, little memory */

/* ---------- help ---------- */

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static bool
is_status(GpuAggStatus got, GpuAggStatus want, const GpuAggError *error, const char *name)
{
	if (!ok(got == want, name))
		printf("#   status %d, want %d: %s\n", (int) got, (int) want, error->message);
	return got == want;
}

/* a is at most so many times b; not looked at where nothing has its own speed */
static void
is_at_most(double a, double times, double b, const char *name)
{
	if (!ok(slow_tool || a <= times * b, name))
		printf("#   %g is more than %g times %g\n", a, times, b);
}

static void
is_rate(double rate, const char *what, const char *name)
{
	char		line[128];

	snprintf(line, sizeof(line), "%s %s is positive and finite", what, name);
	if (!ok(isfinite(rate) && rate > 0, line))
		printf("#   %g\n", rate);
}

static uint64_t
free_memory(void)
{
	size_t		free_bytes = 0;
	size_t		total;

	(void) cudaDeviceSynchronize();
	(void) cudaMemGetInfo(&free_bytes, &total);
	return free_bytes;
}

static GpuAggStatus
begin(double share, uint64_t bytes, GpuAggError *error)
{
	GpuAggProbeLimits limits = {};

	limits.seconds = 10;
	limits.memory_share = share;
	limits.memory_bytes = bytes;
	return OPS->begin(device, &limits, &cancel, &probe, &machine, error);
}

static GpuAggChase
chase_of(uint64_t stride, uint64_t count, uint32_t unit)
{
	GpuAggChase chase = {};

	chase.stride = stride;
	chase.count = count;
	chase.rounds = 2;
	chase.unit = unit;
	chase.shuffle = 1;
	return chase;
}

#endif							/* GPUAGG_TEST_CUDA_PROBE_HELP_H */
