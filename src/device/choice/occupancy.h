/*
 * occupancy.h
 *		How many blocks of a kernel a unit runs at once, in how many rounds a
 *		launch runs, and which launch to choose (Li et al., Performance
 *		Modeling in CUDA Streams, equations 1 to 13).
 */
#ifndef GPUAGG_DEVICE_CHOICE_OCCUPANCY_H
#define GPUAGG_DEVICE_CHOICE_OCCUPANCY_H

#include "device/probe.h"

/* compiled as C; the CUDA device calls it, too */
#ifdef __cplusplus
extern "C" {
#endif

/* What a kernel takes */
typedef struct GpuAggKernelNeed
{
	uint32_t	registers;		/* of a thread: R */
	uint32_t	shared_bytes;	/* of a block, whatever its size */
	uint32_t	thread_bytes;	/* of shared memory, for each thread */
} GpuAggKernelNeed;

/* How it runs.  All zero: not at all */
typedef struct GpuAggOccupancy
{
	uint32_t	by_warps;		/* blocks of a unit as far as each resource */
	uint32_t	by_registers;	/* goes: equations 8, 5, 3 */
	uint32_t	by_shared;
	uint32_t	blocks;			/* the least of them: equation 2 */
	uint32_t	threads;		/* alpha */
	double		share;			/* of the unit's warps: equation 9 */
} GpuAggOccupancy;

typedef struct GpuAggLaunch
{
	uint32_t	threads;		/* of a block; 0: no launch is possible */
	uint32_t	blocks_per_unit;
	uint64_t	blocks;			/* of the launch */
	uint64_t	rounds;
	double		occupancy;
} GpuAggLaunch;

extern GpuAggOccupancy gpuagg_occupancy(const GpuAggUnitLimits *limits,
										const GpuAggKernelNeed *need,
										uint32_t threads);

/* Equation 1; 0: the kernel cannot run */
extern uint64_t gpuagg_occupancy_rounds(const GpuAggOccupancy *occupancy,
										uint32_t threads, uint64_t blocks,
										uint32_t units);

/*
 * Equations 10 to 13: the block size that runs `total` threads in the fewest
 * rounds.  Of equals, the one that fills a unit best, then the smallest block:
 * it waits least at its barriers.
 */
extern GpuAggLaunch gpuagg_occupancy_choose(const GpuAggUnitLimits *limits,
											const GpuAggKernelNeed *need,
											uint32_t units, uint64_t total);

/* A kernel and the size of its blocks, among others on a unit */
typedef struct GpuAggKernelBlocks
{
	GpuAggKernelNeed need;
	uint32_t	threads;
	uint32_t	blocks;			/* of it on each unit */
} GpuAggKernelBlocks;

/*
 * How many blocks of `threads` threads a unit runs at once beside the blocks
 * of another kernel; 0: none, or those alone do not fit.
 */
extern uint32_t gpuagg_occupancy_beside(const GpuAggUnitLimits *limits,
										const GpuAggKernelNeed *need,
										uint32_t threads,
										const GpuAggKernelBlocks *other);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_CHOICE_OCCUPANCY_H */
