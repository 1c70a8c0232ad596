/*
 * states.h
 *		Inside the generator: what a block keeps of a group, and how frames ask for it.
 */
#ifndef GPUAGG_DEVICE_CODEGEN_STATES_H
#define GPUAGG_DEVICE_CODEGEN_STATES_H

#include "expressions.h"

/*
 * What a block keeps of a group.  Transitions of the same values share one: that of a
 * float's average is a sum whose values have a limit.  The first of two arguments is one,
 * too, of which nothing is kept.
 */
typedef struct GpuAggHeld
{
	uint32_t	op;
	uint32_t	off;			/* of a group's in shared memory */
	uint32_t	at;				/* in registers (cuda/frame/held.cuh) */
	uint32_t	first;			/* COMOMENTS_F64: which of these is its first argument */
	uint16_t	arg;
	uint16_t	filter;
	bool		narrow;			/* MIN_I64 or MAX_I64 of values inside of 32 bits */
	bool		averaged;		/* values that only PostgreSQL averages are errors */
} GpuAggHeld;

#define GPUAGG_NO_FIRST GPUAGG_MAX_TRANSITIONS

typedef struct GpuAggHeldStates
{
	uint32_t	n;
	uint32_t	nheld;			/* in registers */
	uint32_t	bytes;
	uint32_t	counted;		/* counts most rows of a group; n: nothing does */
	uint32_t	bare;			/* counts those that it does not; n: there are none */
	GpuAggHeld	held[GPUAGG_MAX_TRANSITIONS + 1];
	uint32_t	of[GPUAGG_MAX_TRANSITIONS];
} GpuAggHeldStates;

/* What of a group is kept for this program */
extern void gpuagg_held_states(const GpuAggProgram *p, GpuAggHeldStates *s);

/* Does shared memory add, or compare, some of it in a loop? */
extern bool gpuagg_held_loops(const GpuAggHeldStates *s);

/* f.template what<...>(...) for everything that is held, or for each state */
extern void gpuagg_write_states(GpuAggWriter *w, const GpuAggHeldStates *s);

#endif							/* GPUAGG_DEVICE_CODEGEN_STATES_H */
