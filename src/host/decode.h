/*
 * decode.h
 *		Heap pages to vectors of registers, a block at a time.
 */
#ifndef GPUAGG_HOST_DECODE_H
#define GPUAGG_HOST_DECODE_H

#include "device/device.h"
#include "host/host_stripe.h"
#include "host/prepared.h"
#include "host/vector.h"

/*
 * Of a sample, the lines of so many pages are chosen at a time, the current
 * one included: see sample_ahead().
 */
#define GPUAGG_CHOSEN_PAGES 3

/*
 * A walk over the pages of one work item.  Zeroed, then filled in down to
 * npages by the caller.  Not shared between threads.
 */
typedef struct GpuAggDecoder
{
	const GpuAggPrepared *prepared;
	GpuAggVectors *vectors;
	GpuAggVector *columns;		/* as on the pages: the vectors of the loaded
								 * columns, but for those that are encoded */
	GpuAggMemory *memory;
	const GpuAggPage *pages;
	uint32_t	first;			/* index of pages[0] in its batch */
	uint32_t	npages;
	const GpuAggSample *sample; /* of lines; NULL: all of them */

	uint32_t	page;			/* where the next block starts */
	uint32_t	line;			/* from 0 */
	uint64_t	rows_scanned;
	const uint8_t *visibility;	/* of the current page, less what is not in
								 * the sample */
	uint32_t	nchosen;		/* pages whose lines are chosen */
	uint8_t		chosen[GPUAGG_CHOSEN_PAGES][GPUAGG_VISIBILITY_BYTES];	/* by page, modulo */

	/* The lines, from 0, of a block's rows; unless nothing is loaded */
	uint16_t	lines[GPUAGG_VECTOR_ROWS];

	/* If not NULL: where each row of a block comes from, as in a list */
	GpuAggRowRef *where;		/* [GPUAGG_VECTOR_ROWS] */

	/* Rows left to PostgreSQL, or chosen; the caller frees the array. */
	GpuAggRowRef *listed;
	uint32_t	nlisted;
	uint32_t	max_listed;
} GpuAggDecoder;

/*
 * Decode up to GPUAGG_VECTOR_ROWS visible rows into the loaded columns'
 * vectors.  *nrows 0: no more.  BYTES point into the pages.
 */
extern GpuAggStatus gpuagg_decode_block(GpuAggDecoder *d, uint32_t *nrows,
										GpuAggError *error);

/* The end of the list, with room for n more rows; NULL: no memory. */
extern GpuAggRowRef *gpuagg_decode_room(GpuAggDecoder *d, uint32_t n,
										GpuAggError *error);

#endif							/* GPUAGG_HOST_DECODE_H */
