/*
 * resident_memory.h
 *		Memory of a launch over stripes: what goes up, what it leaves, and where.
 */
#ifndef GPUAGG_CUDA_COLUMNS_RESIDENT_MEMORY_H
#define GPUAGG_CUDA_COLUMNS_RESIDENT_MEMORY_H

#include "cuda/columns/resident.h"

/* Where the parts of a batch's memory are, as far as the host writes them */
typedef struct GpuAggResidentParts
{
	GpuAggStripeInput *inputs;
	GpuAggStripeColumn *columns;
	GpuAggPositions *without;
	GpuAggTableHead *entries_head;
	uint32_t   *nentries;		/* comes as 0 */
	uint32_t   *left;			/* the stripes' bits of granules, which come as 0 */
	size_t		upload;
	char	   *bitmaps;
	size_t		bitmap_bytes;	/* of each */
	uint32_t   *taken;			/* of a sample of lines, in the place of valid positions */
	size_t		taken_bytes;
	uint8_t    *flags;
} GpuAggResidentParts;

/* What of a batch decides how much memory it needs */
typedef struct GpuAggResidentShape
{
	const GpuAggPendingStripe *pending;
	uint32_t	n;
	bool		deferred;
	bool		choose;			/* positions are chosen before they are grouped */
	bool		selects;		/* deferred: a kernel of the query's own chooses them */
	uint32_t	nbitmaps;		/* of a bit a position: what is left over, and chosen */
	uint32_t	left_words;		/* granules that have anything of these say so; 0: bitmaps are
								 * cleared before anything runs */
	uint32_t	nspill;
	uint32_t	tiles;
	uint64_t	nwithout;
} GpuAggResidentShape;

/* Tiles of a stripe, and words of its bits of granules */
extern uint32_t gpuagg_cuda_resident_tiles(const GpuAggPendingStripe *stripe);
extern uint32_t gpuagg_cuda_resident_left_words(const GpuAggPendingStripe *stripe);

/* A batch with that memory, whose inputs are ready to go up; NULL: none. */
extern GpuAggBatch *gpuagg_cuda_resident_make(GpuAggTask *task, const GpuAggResidentShape *shape,
											  GpuAggResidentParts *parts, GpuAggError *error);

/*
 * What a launch begins with, beside whatever the task groups meanwhile: inputs go up, what has to
 * be cleared is, and which lines are of a sample is found out.
 */
extern bool gpuagg_cuda_resident_upload(GpuAggTask *task, GpuAggBatch *batch,
										const GpuAggResidentShape *shape,
										const GpuAggResidentParts *parts, GpuAggError *error);

/* Grouping waits for that, and for the stripes' columns. */
extern bool gpuagg_cuda_resident_wait(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error);

#endif							/* GPUAGG_CUDA_COLUMNS_RESIDENT_MEMORY_H */
