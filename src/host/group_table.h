/*
 * group_table.h
 *		One group table of the host device: rows of layout.h, found by their
 *		keys.
 *
 * A table is used by one thread at a time; whoever shares one locks it
 * (groups.c).  The only exception is gpuagg_table_prefetch().
 */
#ifndef GPUAGG_HOST_GROUP_TABLE_H
#define GPUAGG_HOST_GROUP_TABLE_H

#include "host/arena.h"
#include "host/pieces.h"
#include "host/prepared.h"
#include "host/vector.h"

typedef struct GpuAggTable
{
	const GpuAggPrepared *prepared;
	GpuAggMemory *memory;
	GpuAggPieces *pieces;		/* where directory and rows come from; NULL:
								 * from memory */

	/* (row number + 1) << 32 | low half of the hash; 0: free */
	uint64_t   *directory;
	uint32_t	mask;			/* entries - 1; 0 while there is none */
	uint32_t	nrows;
	uint32_t	max_rows;		/* that the chunks hold */

	char	  **chunks;
	uint32_t	nchunks;
	uint32_t	max_chunks;
	uint32_t	chunk_shift;	/* log2 of a chunk's rows */

	/* per row, only in thread-local tables (keep_hashes) */
	bool		keep_hashes;
	bool		count_hits;		/* find counts them */
	uint64_t   *hashes;			/* whole hashes */
	uint32_t   *hits;
	uint32_t	max_hashes;

	GpuAggArena arena;
} GpuAggTable;

/*
 * Rows to find: images of the keys as a row of layout.h starts with them,
 * `stride` bytes apart, and their hashes.  Long strings in an image belong
 * to the caller; the table copies them.
 */
typedef struct GpuAggKeyBlock
{
	const char *images;
	size_t		stride;
	const uint64_t *hashes;
} GpuAggKeyBlock;

extern void gpuagg_table_init(GpuAggTable *t, const GpuAggPrepared *prepared,
							  GpuAggMemory *memory, GpuAggPieces *pieces,
							  bool keep_hashes);

/* Frees everything; the table is empty and usable again. */
extern void gpuagg_table_clear(GpuAggTable *t);

/* So many groups are expected: a directory for them, grown at once. */
extern bool gpuagg_table_expect(GpuAggTable *t, uint32_t rows);

/* No group is added or found any more: frees all but the rows. */
extern void gpuagg_table_seal(GpuAggTable *t);

/* Room for n more groups; until then rows stay where they are. */
extern bool gpuagg_table_reserve(GpuAggTable *t, uint32_t n);

/*
 * Find or add the groups of rows sel[0 .. n - 1] of the block; rows[k] is
 * that of sel[k].  Room has been reserved.  False: no memory for a string.
 */
extern bool gpuagg_table_find(GpuAggTable *t, const GpuAggKeyBlock *block,
							  const uint16_t *sel, uint32_t n, char **rows);

/*
 * Finds groups without adding any: rows found come first in sel and rows, their number is returned;
 * the others follow in sel.
 */
extern uint32_t gpuagg_table_match(const GpuAggTable *t,
								   const GpuAggKeyBlock *block,
								   uint16_t *sel, uint32_t n, char **rows);

/* Rows sel[0 .. n - 1] are about to be found.  Needs no lock. */
extern void gpuagg_table_prefetch(const GpuAggTable *t,
								  const GpuAggKeyBlock *block,
								  const uint16_t *sel, uint32_t n);

/* The one row of a table without keys; made if need be.  NULL: no memory. */
extern char *gpuagg_table_only_row(GpuAggTable *t);

static inline char *
gpuagg_table_row(const GpuAggTable *t, uint32_t row)
{
	return t->chunks[row >> t->chunk_shift] +
		(size_t) (row & ((1u << t->chunk_shift) - 1)) * t->prepared->layout.row_bytes;
}

/* So many rows, from this one on, lie one behind the other. */
static inline uint32_t
gpuagg_table_stretch(const GpuAggTable *t, uint32_t row)
{
	const uint32_t chunk = 1u << t->chunk_shift;
	const uint32_t in_chunk = chunk - (row & (chunk - 1));

	return in_chunk < t->nrows - row ? in_chunk : t->nrows - row;
}

#endif							/* GPUAGG_HOST_GROUP_TABLE_H */
