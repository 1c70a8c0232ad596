/*
 * host_draws.h
 *		Random draws from what is resident, on the host device: which position of
 *		which stripe a row number means.
 */
#ifndef GPUAGG_HOST_HOST_DRAWS_H
#define GPUAGG_HOST_HOST_DRAWS_H

#include "device/device.h"
#include "device/ops/draw.h"
#include "host/vector.h"

/* Positions of a segment at most, which are looked at one word after the other */
#define GPUAGG_DRAW_SEGMENT 4096

/* Draws that are put in order of their rows, so that reads are near each other */
#define GPUAGG_DRAW_MORSEL (32 * GPUAGG_VECTOR_ROWS)

/* Some positions of a stripe, and the number of the first row there */
typedef struct GpuAggDrawSegment
{
	const GpuAggStripe *stripe;
	GpuAggPositions positions;
	uint64_t	row;
} GpuAggDrawSegment;

typedef struct GpuAggDrawIndex
{
	GpuAggDraws draws;
	uint32_t	nsegments;
	const GpuAggDrawSegment *segments;
} GpuAggDrawIndex;

/* Where draws of a morsel lie: positions of one stripe */
typedef struct GpuAggDrawn
{
	const GpuAggStripe *stripe;
	uint32_t	n;
	uint32_t	positions[GPUAGG_VECTOR_ROWS];
} GpuAggDrawn;

/* A morsel of draws, in order; scratch has room for twice as many rows. */
typedef struct GpuAggDrawCursor
{
	const GpuAggDrawIndex *index;
	const uint64_t *rows;
	uint32_t	n;
	uint32_t	at;
	uint32_t	segment;
} GpuAggDrawCursor;

/* Segments that ranges become */
extern uint32_t gpuagg_draw_segments(const GpuAggStripeRange *ranges, uint32_t nranges);

/* Makes them, and counts their rows. */
extern void gpuagg_draw_index(const GpuAggStripeRange *ranges, uint32_t nranges,
							  GpuAggDrawSegment *segments, GpuAggDrawIndex *index);

/* Makes n draws from `first` on; scratch: 2 n words. */
extern void gpuagg_draw_begin(GpuAggDrawCursor *cursor, const GpuAggDrawIndex *index,
							  uint64_t first, uint32_t n, uint64_t *scratch);

/* The next of them; false: there are no more. */
extern bool gpuagg_draw_next(GpuAggDrawCursor *cursor, GpuAggDrawn *drawn);

#endif							/* GPUAGG_HOST_HOST_DRAWS_H */
