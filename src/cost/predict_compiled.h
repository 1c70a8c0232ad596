/*
 * predict_compiled.h
 *		What a kernel that is compiled for a query takes over columns that stay on a
 *		GPU, told from its program without compiling it.  PostgreSQL-free.
 */
#ifndef GPUAGG_COST_PREDICT_COMPILED_H
#define GPUAGG_COST_PREDICT_COMPILED_H

#include "device/choice/frame_rule.h"
#include "device/program.h"

struct GpuAggRates;
struct GpuAggWork;

/* Is there a kernel? */
typedef enum GpuAggCompiledState
{
	GPUAGG_COMPILED_NOT,		/* there is none and will be none: it is interpreted */
	GPUAGG_COMPILED_NEW,		/* if it is compiled */
	GPUAGG_COMPILED_READY
} GpuAggCompiledState;

/* What of a program a kernel's time depends on; a row has so many of each */
typedef struct GpuAggCompiledWork
{
	GpuAggCompiledState state;
	bool		always;			/* it is waited for, whatever it saves */
	GpuAggFrame frame;			/* of the kernel */
	GpuAggStrategy strategy;	/* that was chosen for these columns */
	double		kept_ns;		/* if it keeps rows, what grouping these takes */
	double		numbers;		/* of groups by their keys' ranges; 0: not known */

	double		early_bytes;	/* of columns that all rows need */
	double		late_bytes;		/* of columns that rows need which pass */
	double		filter_ops;		/* simple instructions of the filter, for all rows */
	double		ops;
	double		atomics;		/* words of a group that a row adds to at once */
	double		loops;			/* states of a group that are a loop in shared memory */
	double		words;			/* of states that a row changes in device memory */

	/* as GpuAggFrameCase */
	uint32_t	entry_bytes;
	uint32_t	key_bytes;
	uint32_t	state_bytes;
	double		texts;			/* keys that are computed strings */
	bool		locked;			/* states are strings */
	bool		counted;		/* a count tells whether there is a group */
	bool		possible;		/* a text can be made of it */
	bool		packs;
	bool		plain;
} GpuAggCompiledWork;

#ifdef __cplusplus
extern "C" {
#endif

/* Fills in what the program says, and leaves the rest. */
extern void gpuagg_compiled_work(GpuAggCompiledWork *work, const GpuAggProgram *program);

/* The number of programs that share their kernels (GpuAggCompileWish): not 0 */
extern uint64_t gpuagg_compiled_program(const GpuAggProgram *program);

/* What a kernel takes over no rows: launch, clearing and merging its groups, report; ns */
extern double gpuagg_predict_kernel_start(const struct GpuAggRates *rates);

/* The kernel, for all rows of work, and whatever groups rows that it keeps; ns */
extern double gpuagg_predict_compiled(const struct GpuAggRates *rates,
									  const struct GpuAggWork *work);

/* The interpreter in the kernel's place, for all rows of work; ns */
extern double gpuagg_predict_interpreted(const struct GpuAggRates *rates,
										 const struct GpuAggWork *work);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_COST_PREDICT_COMPILED_H */
