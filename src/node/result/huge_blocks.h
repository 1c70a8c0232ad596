/*
 * huge_blocks.h
 *		Large blocks of a backend's memory, on huge pages where the system has them.
 */
#ifndef GPUAGG_NODE_HUGE_BLOCKS_H
#define GPUAGG_NODE_HUGE_BLOCKS_H

#include "postgres.h"

#define GPUAGG_HUGE_BYTES ((Size) 2 * 1024 * 1024)

/*
 * A block of at least *bytes, which become those that it has; not cleared.  NULL: the
 * system has no memory.
 */
extern char *gpuagg_huge_alloc(Size *bytes);

/* Gives a block of so many bytes back.  Neither allocates nor raises an error. */
extern void gpuagg_huge_free(char *data, Size bytes);

/*
 * A block for what grows: of at least *bytes, which become those that it has.  With
 * GPUAGG_HUGE_BYTES and more it is huge, as every large one is, and smaller ones if one is
 * spare; else it is CurrentMemoryContext's.  NULL: the system has no memory.
 */
extern char *gpuagg_block_alloc(Size *bytes);
extern void gpuagg_block_free(char *data, Size bytes);

#endif							/* GPUAGG_NODE_HUGE_BLOCKS_H */
