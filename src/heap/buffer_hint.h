/*
 * buffer_hint.h
 *		Finds buffers of a scan where those of the blocks before were, without
 *		the buffer mapping table.
 */
#ifndef GPUAGG_HEAP_BUFFER_HINT_H
#define GPUAGG_HEAP_BUFFER_HINT_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "storage/block.h"
#include "storage/buf.h"
#include "utils/relcache.h"

/* The relation's blocks seen in headers are remembered by their number modulo this. */
#define GPUAGG_BUFFER_HINT_SEEN 64

typedef struct GpuAggBufferHints
{
	Relation	rel;
	Buffer		last;			/* of the block before; 0: none */
	Buffer		frontier;		/* next header to look at; 0: none */
	int			direction;		/* in which it moves: 1 or -1 */
	uint32		passed;			/* headers since the last one of the relation */
	uint32		gap;			/* how many there are from one to the next, in eighths */
	BlockNumber newest;			/* block that was remembered last */
	int64		skipped;		/* blocks left out behind the last one */
	struct
	{
		BlockNumber block;
		Buffer		buffer;
	}			seen[GPUAGG_BUFFER_HINT_SEEN];	/* buffer 0: nothing */
	uint64		good;			/* blocks found */
	uint32		bad_guesses;	/* in a row */
	uint32		pause;
} GpuAggBufferHints;

/* Of blocks of the main fork of rel */
extern void gpuagg_buffer_hint_init(GpuAggBufferHints *hints, Relation rel);

/*
 * Pins the buffer of a block, uncounted by PostgreSQL's statistics and as a use.
 * InvalidBuffer: the guess was wrong, or none was made.
 */
extern Buffer gpuagg_buffer_hint_pin(GpuAggBufferHints *hints, BlockNumber block);

/*
 * The block was found in another way: go on from there, and the other way, if
 * it is a little behind the block before.
 */
extern void gpuagg_buffer_hint_found(GpuAggBufferHints *hints, Buffer buffer);

/* So many blocks are left out; negative: the scan goes back. */
extern void gpuagg_buffer_hint_skip(GpuAggBufferHints *hints, int64 blocks);

#endif							/* GPUAGG_HEAP_BUFFER_HINT_H */
