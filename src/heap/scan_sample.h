/*
 * scan_sample.h
 *		The sample that a scan takes: its arguments and their values.
 */
#ifndef GPUAGG_HEAP_SCAN_SAMPLE_H
#define GPUAGG_HEAP_SCAN_SAMPLE_H

#include "postgres.h"

#include "device/ops/sample.h"
#include "nodes/execnodes.h"
#include "storage/block.h"

typedef struct GpuAggSampleState
{
	int			method;			/* GpuAggSampleMethod */
	ExprState  *percent;		/* of draws their number */
	ExprState  *repeatable;		/* NULL: seed */
	uint32		seed;			/* of all runs, if it is not REPEATABLE */
} GpuAggSampleState;

/* As a run takes it */
typedef struct GpuAggSampleTaken
{
	int			method;			/* GpuAggSampleMethod */
	GpuAggSample sample;		/* of no method until its arguments are evaluated */
	bool		bulkread;		/* a ring of buffers, as PostgreSQL has it */
} GpuAggSampleTaken;

/* exprs: as gpuagg_sample_exprs() gave them; NIL and no sample otherwise */
extern void gpuagg_sample_init(GpuAggSampleState *state, int method,
							   bool repeatable, List *exprs, PlanState *ps);

/* Evaluates the arguments; seed: if it is not REPEATABLE.  Raises PostgreSQL's errors. */
extern void gpuagg_sample_evaluate(const GpuAggSampleState *state, uint32 seed,
								   ExprContext *econtext, GpuAggSampleTaken *taken);

/* Is there surely nothing in it?  Then parameters are not evaluated either. */
extern bool gpuagg_sample_is_empty(const GpuAggSampleTaken *taken);

/* Bits of the 64 blocks from one on that a sample of blocks has */
extern uint64 gpuagg_sample_word(const GpuAggSample *sample, BlockNumber block);

/* How many of so many blocks will be read, about */
extern BlockNumber gpuagg_sample_share(const GpuAggSampleTaken *taken,
									   BlockNumber nblocks);

/* The dice of a sample that is not REPEATABLE */
extern uint32 gpuagg_sample_draw_seed(void);

/* Makes PostgreSQL's plan of the same sample draw by these. */
extern void gpuagg_sample_lend_seed(uint32 seed, PlanState *plan);

#endif							/* GPUAGG_HEAP_SCAN_SAMPLE_H */
