/*
 * draw_kernels.h
 *		Random draws from stripes: numbering rows, and gathering what is drawn.
 *
 *	draw_tiles.cuh	how draws are dealt to blocks, for any use of them
 *	draw_index.cu	which position of which stripe a row's number means
 *	draw_gather.cu	drawn rows as columns of their own
 *
 * draws.cu runs them for queries, test/bench/kernels/sampling_gpu.cu to measure
 * them.
 */
#ifndef GPUAGG_CUDA_DRAW_KERNELS_H
#define GPUAGG_CUDA_DRAW_KERNELS_H

#include "cuda/draw/draw_tiles.cuh"
#include "device/ops/packed.h"
#include "device/stripe.h"

/* ---------- the index ---------- */

/*
 * Ranges are cut into segments, whose rows are counted, and again for each
 * block of positions.  Segments that follow each other in a range and whose
 * positions are all rows make up one stretch; any other segment is one of its
 * own.  So the stretches of a table without gaps are few, and found in a
 * multiprocessor's own cache, by a directory of equal parts of the rows.
 */
#define GPUAGG_DRAW_SEGMENT 32768
#define GPUAGG_DRAW_BLOCK 512
#define GPUAGG_DRAW_BLOCKS (GPUAGG_DRAW_SEGMENT / GPUAGG_DRAW_BLOCK)

/* A segment's rows, and what else is to know of it */
#define GPUAGG_DRAW_ROWS 0xFFFFu
#define GPUAGG_DRAW_FULL 0x20000000u	/* all its positions are rows */
#define GPUAGG_DRAW_FIRST 0x40000000u	/* of its range */
#define GPUAGG_DRAW_NULLS 0x80000000u	/* some column has a NULL there */

/* The lower word of `row`, and the second half, are loaded as they lie. */
typedef struct __align__(32) GpuAggDrawStretch
{
	uint64_t	row;			/* number of its first row */
	const uint32_t *valid;		/* of its stripe */
	uint32_t	stripe;			/* its number */
	uint32_t	first;			/* position */
	uint32_t	segment;		/* its first one */
	uint16_t	positions;			/* 0: all are rows */
	uint16_t	nulls;			/* 1: some column has a NULL there */
} GpuAggDrawStretch;

/*
 * Of a part of the rows: the first GPUAGG_DRAW_SPLIT(split) lie in a stretch,
 * those behind them in the next one, if not in others.
 */
typedef struct GpuAggDrawEntry
{
	uint32_t	stretch;
	uint32_t	split;
} GpuAggDrawEntry;

#define GPUAGG_DRAW_SPLIT(split) ((split) & ~GPUAGG_DRAW_OTHERS)
#define GPUAGG_DRAW_OTHERS 0x80000000u

/* Shares of the segments, one for each warp that counts */
#define GPUAGG_DRAW_SHARES 8192

/* What is before a share, once all are counted; what it has, until then */
typedef struct GpuAggDrawShare
{
	uint64_t	row;
	uint32_t	stretch;
	uint32_t	pad;
} GpuAggDrawShare;

/* Parts of the rows at most */
#define GPUAGG_DRAW_DIRECTORY 8192

typedef struct GpuAggDrawIndex
{
	uint64_t	rows;			/* of all ranges */
	uint32_t	nstretches;
	uint32_t	shift;			/* a part has 2^shift rows */
	GpuAggDrawEntry directory[GPUAGG_DRAW_DIRECTORY + 1];
	GpuAggDrawShare shares[GPUAGG_DRAW_SHARES];
} GpuAggDrawIndex;

/* ---------- a run ---------- */

/* As device.h's, and where its segments begin */
typedef struct GpuAggDrawPositions
{
	const uint32_t *valid;
	GpuAggPositions positions;
	uint32_t	stripe;
	uint32_t	segment;
} GpuAggDrawPositions;

/* A column of a stripe */
typedef struct GpuAggDrawSource
{
	const char *values;			/* of packed ones (device/ops/packed.h) the words */
	const GpuAggMiniblock *blocks;	/* NULL: values are plain */
	const uint32_t *nulls;		/* or NULL: none is */
	const uint32_t *has_nulls;	/* 0: the bitmap need not be read */
} GpuAggDrawSource;

/* A column of what is drawn */
typedef struct GpuAggDrawTarget
{
	char	   *values;
	uint32_t   *nulls;
	uint32_t	bytes;			/* of a value */
	uint32_t	pad;
} GpuAggDrawTarget;

/* What kernels read and write: device addresses */
typedef struct GpuAggDrawRun
{
	const GpuAggDrawPositions *ranges;
	uint32_t	nranges;
	uint32_t	nsegments;
	uint32_t	ncolumns;
	bool		packed;			/* some source is */
	const GpuAggDrawSource *sources;	/* ncolumns of each stripe */
	const GpuAggDrawTarget *targets;
	uint32_t   *valid;			/* of what is drawn */
	GpuAggDrawIndex *index;
	uint32_t   *segments;		/* rows and what else is known */
	uint16_t   *blocks;			/* rows of a segment with gaps before each of its blocks */
	GpuAggDrawStretch *stretches;	/* as many as segments at most */
	GpuAggDrawTiles tiles;		/* but for `tile` */
} GpuAggDrawRun;

/* Segments that so many positions become */
static inline uint32_t
gpuagg_draw_segments(uint32_t positions)
{
	return (positions + GPUAGG_DRAW_SEGMENT - 1) / GPUAGG_DRAW_SEGMENT;
}

/* Fills index, segments, blocks and stretches. */
extern void gpuagg_cuda_draw_index(const GpuAggDrawRun *run, cudaStream_t stream);

/*
 * Gathers all draws into the targets, whose NULLs are cleared; `valid` too is
 * set.  A launch for each window, or if multiprocessors have windows, one.
 */
extern void gpuagg_cuda_draw_gather(const GpuAggDrawRun *run, uint32_t sms, cudaStream_t stream);

#endif							/* GPUAGG_CUDA_DRAW_KERNELS_H */
