/*
 * arena.h
 *		Bytes of a table's long strings, freed all at once.
 *
 * Keys' bytes stay until the end.  A MIN or MAX state's are replaced many
 * times; their space is handed out in powers of two and reused, so that an
 * ascending input does not grow the arena beyond about twice the longest
 * string of each group.
 *
 * Used by one thread at a time, like the table it belongs to.
 */
#ifndef GPUAGG_HOST_ARENA_H
#define GPUAGG_HOST_ARENA_H

#include "device/layout.h"
#include "host/host_memory.h"

#define GPUAGG_ARENA_CLASSES 32

typedef struct GpuAggArena
{
	GpuAggMemory *memory;
	struct GpuAggArenaChunk *chunks;
	char	   *next;
	size_t		left;
	size_t		bytes;			/* of all chunks */
	void	   *reusable[GPUAGG_ARENA_CLASSES]; /* by log2 of their size */
} GpuAggArena;

extern void gpuagg_arena_init(GpuAggArena *a, GpuAggMemory *memory);
extern void gpuagg_arena_clear(GpuAggArena *a);

/* Room for so many bytes, aligned to 8; NULL: no memory. */
extern char *gpuagg_arena_alloc(GpuAggArena *a, size_t bytes);

/* Let a slot that points at the caller's bytes own a copy of them. */
extern bool gpuagg_arena_own(GpuAggArena *a, char *slot);

/*
 * Store a string in a MIN/MAX state's slot and recycle what was there.  The
 * bytes must not be those of the slot itself.
 */
extern bool gpuagg_arena_replace(GpuAggArena *a, char *slot, GpuAggBytes b);

#endif							/* GPUAGG_HOST_ARENA_H */
