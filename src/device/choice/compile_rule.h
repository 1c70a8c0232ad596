/*
 * compile_rule.h
 *		Whether a kernel is compiled for a task, and whether the task waits for it.
 *
 * Who does not know how often a query will run again does at most twice as badly as
 * who knows, if it waits no longer than it may gain, and compiles once it has lost as
 * much as that costs.  Compiling happens beside other tasks, on a core that they
 * hardly miss, so a tenth of that is enough to begin; and who asks for a shape once more is
 * taken to go on asking.  Loading a kernel does hold up
 * tasks for a moment: what gains next to nothing, as over some thousand rows, is only
 * compiled if it is asked for so often that the prediction may be wrong.
 */
#ifndef GPUAGG_DEVICE_CHOICE_COMPILE_RULE_H
#define GPUAGG_DEVICE_CHOICE_COMPILE_RULE_H

#include "device/compiled.h"

/* Of an interpreted kernel's time, what compiling it saves if nobody has predicted it */
#define GPUAGG_COMPILE_GAIN 0.75

/* For each time that a shape was asked for, it is expected to run so often again. */
#define GPUAGG_COMPILE_RUNS 10

/* One that is asked for once more is compiled if it is predicted to gain as much, in ns. */
#define GPUAGG_COMPILE_LEAST_NS UINT64_C(200000)

/* One that was asked for so often is compiled whatever it is predicted to gain. */
#define GPUAGG_COMPILE_ASKED 50

/*
 * What compiling one takes, before any has been: NVRTC 13 with our headers, and what
 * finding one on disk and loading it does, as far as waiting for that matters
 */
#define GPUAGG_COMPILE_FIRST_NS UINT64_C(60000000)
#define GPUAGG_COMPILE_LOOKUP_NS UINT64_C(2000000)

typedef struct GpuAggCompileCase
{
	GpuAggCompileWish wish;
	uint64_t	asked;			/* tasks that have asked for it, this one included */
	uint64_t	waited_ns;		/* by this task */
	uint64_t	left_ns;		/* until it will be there, if it is compiled */
	uint64_t	compile_ns;		/* of that, for compiling it */
} GpuAggCompileCase;

/* What compiling saves a task, as far as its predictions tell */
GPUAGG_FN uint64_t
gpuagg_compile_gain(const GpuAggCompileWish *wish)
{
	if (wish->compiled_ns == 0)
		return (uint64_t) ((double) wish->interpreted_ns * GPUAGG_COMPILE_GAIN);
	return wish->interpreted_ns > wish->compiled_ns ? wish->interpreted_ns - wish->compiled_ns : 0;
}

GPUAGG_FN bool
gpuagg_compile_begins(const GpuAggCompileCase *c)
{
	const uint64_t gain = gpuagg_compile_gain(&c->wish);

	if (c->wish.mode != GPUAGG_COMPILE_AUTO)
		return c->wish.mode == GPUAGG_COMPILE_ALWAYS;
	return c->asked >= GPUAGG_COMPILE_ASKED ||
		(c->asked > 1 && gain >= GPUAGG_COMPILE_LEAST_NS) ||
		(double) gain * GPUAGG_COMPILE_RUNS * (double) c->asked >=
		(double) c->compile_ns;
}

GPUAGG_FN bool
gpuagg_compile_waits(const GpuAggCompileCase *c)
{
	uint64_t	gain = gpuagg_compile_gain(&c->wish);

	if (c->wish.mode != GPUAGG_COMPILE_AUTO)
		return c->wish.mode == GPUAGG_COMPILE_ALWAYS;
	return c->left_ns < gain && c->waited_ns < gain;
}

#endif							/* GPUAGG_DEVICE_CHOICE_COMPILE_RULE_H */
