/*
 * cache_chunk.h
 *		What the column cache holds: chunks of tables, and where in the device's
 *		stripes the rows of each block lie.
 *
 * Inside the worker, below cache_table.h and cache_position.h; cache.c and
 * cache_map.c use it for jobs.  A chunk is a range of
 * GPUAGG_CHUNK_BLOCKS blocks.  Each of its blocks that is kept has positions in
 * one of the chunk's stripes.  A column of a chunk is *filled* for some blocks:
 * their values lie at the blocks' positions.  A block is *held* for a set of
 * columns if all of them are filled.
 *
 * Who may do what.  Jobs register as users of a chunk, one also as its filler.
 * Only the filler writes to a chunk.  If it is exclusive, nobody else uses the
 * chunk, and it may do as it likes; else it only adds blocks of which nothing
 * was held, at positions that no user reads.  What a chunk has is forgotten or
 * evicted only while nobody else uses or fills it.
 *
 * Functions that allocate raise an ERROR without memory, and leave everything
 * consistent.
 */
#ifndef GPUAGG_CACHE_CACHE_CHUNK_H
#define GPUAGG_CACHE_CACHE_CHUNK_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "device/device.h"
#include "ipc/protocol.h"
#include "lib/ilist.h"

/* Stripes of a chunk: the first for all of it, others for what did not fit */
#define GPUAGG_CHUNK_STRIPES 8
#define GPUAGG_NO_STRIPE UINT16_MAX

/* Words of a bitmap with a bit for each of n blocks */
#define GPUAGG_BITMAP_WORDS(n) (((n) + 63) / 64)

/*
 * "Attribute" of the column that tasks without columns want: which rows there
 * are.  It takes no more of a stripe than the stripe itself, and a chunk has it alone:
 * where other columns are held, they tell the same.
 */
#define GPUAGG_CACHE_ROWS UINT32_MAX

struct GpuAggWorkerJob;

typedef struct GpuAggCacheBlock
{
	uint64		lsn;			/* of the page when it was kept */
	uint32		position;
	uint16		positions;			/* that it has there */
	uint16		stripe;			/* index, or GPUAGG_NO_STRIPE: no places */
} GpuAggCacheBlock;

/* A column of a table */
typedef struct GpuAggCacheColumn
{
	dlist_node	node;
	uint32		attr;			/* from 0, or GPUAGG_CACHE_ROWS */
	uint32		type;			/* GpuAggType */
	GpuAggDictionary *dictionary;	/* of strings; NULL: not made yet */
	uint64		uses;			/* tasks that wanted it */
	TimestampTz last_use;
	bool		unwanted;		/* goes as soon as nobody uses it */
	const char *note;			/* static string: why it is not cached; NULL */
} GpuAggCacheColumn;

/* What a chunk has of a column */
typedef struct GpuAggCacheFill
{
	GpuAggCacheColumn *column;
	double		priority;		/* the least goes first */
	bool		listed;			/* there are rows that it was not kept with */
	uint32		nfilled;
	uint64		npositions;		/* of these blocks */
	uint64	   *filled;			/* a bit for each block */
} GpuAggCacheFill;

typedef struct GpuAggCacheStripe
{
	GpuAggStripe *stripe;
	uint32		positions;
	uint32		used;			/* the first ones */
} GpuAggCacheStripe;

typedef struct GpuAggCacheTable GpuAggCacheTable;

typedef struct GpuAggCacheChunk
{
	GpuAggCacheTable *table;
	uint32		number;
	uint32		room;			/* blocks that the arrays are long enough for */
	uint64		map_lsn;
	GpuAggCacheBlock *blocks;
	uint32		nplaced;		/* blocks that have positions */
	int			nstripes;
	bool		full;			/* one more stripe was wanted */
	GpuAggCacheStripe stripes[GPUAGG_CHUNK_STRIPES];
	int			nfills;
	int			max_fills;
	GpuAggCacheFill **fills;
	int			users;
	struct GpuAggCacheClient *filler;
	bool		exclusive;		/* the filler is */
} GpuAggCacheChunk;

struct GpuAggCacheTable
{
	dlist_node	node;
	uint32		spcoid;			/* as in GpuAggCacheWish */
	uint32		dbid;
	uint32		relnumber;
	uint32		relid;
	bool		dead;			/* nobody may use it from now on */
	int			jobs;			/* that know it */
	uint64		directory;		/* bytes that its directory takes */
	dlist_head	columns;
	uint32		nchunks;		/* length of the array */
	GpuAggCacheChunk **chunks;	/* by number; NULL: nothing of it */
};

/* NULL: nothing of the column is filled. */
extern GpuAggCacheFill *gpuagg_cache_fill(const GpuAggCacheChunk *chunk,
										  const GpuAggCacheColumn *column);

/*
 * Blocks below nblocks that are held for some columns, into GPUAGG_BITMAP_WORDS
 * (nblocks) words; returns their number.
 */
extern uint32 gpuagg_cache_held(const GpuAggCacheChunk *chunk,
								GpuAggCacheColumn *const *columns,
								int ncolumns, uint32 nblocks, uint64 *held);

/*
 * May the chunk come to have these columns?  Not the rows beside others, which
 * would keep fillers of those from adding the same blocks.
 */
extern bool gpuagg_cache_may_have(const GpuAggCacheChunk *chunk,
								  GpuAggCacheColumn *const *columns,
								  int ncolumns);

/* Is any column of a block filled? */
extern bool gpuagg_cache_has(const GpuAggCacheChunk *chunk, uint32 block);

/* Nothing of a block is held any more; its places stay its own. */
extern void gpuagg_cache_forget(GpuAggCacheChunk *chunk, uint32 block);

/*
 * For the filler, before it keeps anything: if nothing is held, positions that
 * blocks have had are given up.
 */
extern void gpuagg_cache_begin_anew(GpuAggCacheChunk *chunk);

/* The columns of a block lie at its places now. */
extern void gpuagg_cache_filled(GpuAggCacheChunk *chunk,
								GpuAggCacheColumn *const *columns,
								int ncolumns, uint32 block);

/* Bytes that a chunk's stripes have for a column; for the rows, all */
extern uint64 gpuagg_cache_fill_bytes(const GpuAggCacheChunk *chunk,
									  const GpuAggCacheFill *fill);

/*
 * Of a chunk that nobody uses or fills, or that is its filler's alone: the i-th
 * column goes, columns of which nothing is filled go, all of it goes.  Without
 * columns there are no places and stripes.
 */
extern void gpuagg_cache_chunk_drop(GpuAggCacheChunk *chunk, int i);
extern void gpuagg_cache_drop_unfilled(GpuAggCacheChunk *chunk);
extern void gpuagg_cache_chunk_free(GpuAggCacheChunk *chunk);

/* Memory of a table's directory; p may be NULL */
extern void gpuagg_cache_directory_free(GpuAggCacheTable *table, void *p);

static inline bool
gpuagg_cache_is_rows(const GpuAggCacheColumn *column)
{
	return column->attr == GPUAGG_CACHE_ROWS;
}

static inline bool
gpuagg_cache_is_idle(const GpuAggCacheChunk *chunk)
{
	return chunk->users == 0 && chunk->filler == NULL;
}

/* Blocks of a chunk of a table that has so many */
static inline uint32
gpuagg_chunk_blocks(uint32 number, uint32 nblocks)
{
	uint64		first = (uint64) number * GPUAGG_CHUNK_BLOCKS;

	return nblocks <= first ? 0 : (uint32) Min(nblocks - first, GPUAGG_CHUNK_BLOCKS);
}

static inline bool
gpuagg_bit(const uint64 *bits, uint32 i)
{
	return (bits[i / 64] >> i % 64 & 1) != 0;
}

#endif							/* GPUAGG_CACHE_CACHE_CHUNK_H */
