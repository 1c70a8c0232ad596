/*
 * pieces.h
 *		Pieces of huge pages, for tables that are each smaller than one.
 *
 * Thousands of tables that grow page by page spend more time on page faults
 * than on groups.  Pieces are cut from blocks and used again by size; blocks
 * are freed all at once.  Any thread may allocate and free.
 */
#ifndef GPUAGG_HOST_PIECES_H
#define GPUAGG_HOST_PIECES_H

#include "host/host_memory.h"

/* Sizes are rounded up to this; what is outside of the range is no piece. */
#define GPUAGG_PIECE_BYTES ((size_t) 16 << 10)
#define GPUAGG_PIECE_SIZES 32

typedef struct GpuAggPieces
{
	GpuAggMemory *memory;
	pthread_mutex_t lock;
	void	   *blocks;			/* each points to the next */
	char	   *next;			/* what the newest block has left */
	size_t		left;
	void	   *free[GPUAGG_PIECE_SIZES + 1];	/* by size */
} GpuAggPieces;

extern void gpuagg_pieces_init(GpuAggPieces *pieces, GpuAggMemory *memory);
extern void gpuagg_pieces_destroy(GpuAggPieces *pieces);

/* As gpuagg_memory_grow() and _free(), and by them if it is no piece. */
extern void *gpuagg_pieces_grow(GpuAggPieces *pieces, size_t bytes);
extern void gpuagg_pieces_free(GpuAggPieces *pieces, void *p, size_t bytes);

#endif							/* GPUAGG_HOST_PIECES_H */
