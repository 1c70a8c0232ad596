/*
 * resident.h
 *		Slabs as a task's input, on the host side.
 *
 * Slabs that a task is given wait until it is polled, or given other input, so
 * that many of them are one launch.  The first one's batch stands for all of
 * that launch; the others complete behind it, with nothing to tell.
 *
 * Roads:
 *		few groups		columns are read as they lie (slab_local.cu), into the
 *						task's table; what is not plain is interpreted behind it
 *		many groups		rows become records, as those of pages do in such tasks
 *						(kept.cu).  A task whose first input is a slab may turn
 *						to it, whatever it was going to do
 *		else			the interpreter, as for chunks of pages
 * The last two take a slab a batch.
 */
#ifndef GPUAGG_CUDA_RESIDENT_H
#define GPUAGG_CUDA_RESIDENT_H

#include "cuda/cuda_slab.h"

/* Slabs of one launch, at most */
#define GPUAGG_RESIDENT_SLABS 64

/* What a batch reads: device addresses */
typedef struct GpuAggResident
{
	bool		local;			/* by the road of few groups */
	bool		flagged;		/* flags of what is left over have been made */
	uint32_t	n;
	uint32_t	columns;		/* of each */
	GpuAggSlabInput inputs[GPUAGG_RESIDENT_SLABS];
} GpuAggResident;

typedef struct GpuAggWaitingSlab
{
	GpuAggBatch *done;			/* completes, if no other batch does it */
	const GpuAggSlab *slab;
	uint32_t	places;
	uint32_t	nwithout;
	GpuAggPlaces *without;
} GpuAggWaitingSlab;

/* The road of few groups, of a task's program */
typedef struct GpuAggSlabRoad
{
	bool		open;
	GpuAggKeyShape key;
	GpuAggScopedArgs args;
	GpuAggScopedLocal local;
	uint32_t	blocks;
	GpuAggSlabRun run;			/* columns and fields */
	GpuAggSlabFilter filter;
} GpuAggSlabRoad;

typedef struct GpuAggResidentQueue
{
	bool		chosen;			/* the road */
	GpuAggSlabRoad road;
	uint32_t	n;
	GpuAggWaitingSlab waiting[GPUAGG_RESIDENT_SLABS];
} GpuAggResidentQueue;

/* Can a program's slabs be grouped as they lie?  Sets the road. */
extern bool gpuagg_cuda_slab_road(const GpuAggTask *task, GpuAggSlabRoad *road);

extern GpuAggStatus gpuagg_cuda_task_resident(GpuAggTask *task, uint64_t batch_id,
											  GpuAggSlab *slab, const GpuAggPlaces *without,
											  uint32_t nwithout, GpuAggError *error);

/* What waits is enqueued.  False: nothing did. */
extern bool gpuagg_cuda_resident_flush(GpuAggTask *task);

/* What the road of few groups has left over, through the interpreter */
extern bool gpuagg_cuda_resident_rest(GpuAggTask *task, GpuAggBatch *batch, char *scratch,
									  uint32_t scratch_stride, GpuAggError *error);

/* At the task's end */
extern void gpuagg_cuda_resident_free(GpuAggTask *task);

#endif							/* GPUAGG_CUDA_RESIDENT_H */
