/*
 * cache_chunk.c
 *		What is held of a chunk (cache_chunk.h), and how it goes.
 */
#include "postgres.h"

#include "cache/cache_chunk.h"
#include "cache/cache_memory.h"
#include "port/pg_bitutils.h"

void
gpuagg_cache_directory_free(GpuAggCacheTable *table, void *p)
{
	if (p != NULL)
		gpuagg_cache_free(&table->directory, p);
}

GpuAggCacheFill *
gpuagg_cache_fill(const GpuAggCacheChunk *chunk, const GpuAggCacheColumn *column)
{
	for (int i = 0; i < chunk->nfills; i++)
		if (chunk->fills[i]->column == column)
			return chunk->fills[i];
	return NULL;
}

uint64
gpuagg_cache_fill_bytes(const GpuAggCacheChunk *chunk, const GpuAggCacheFill *fill)
{
	const GpuAggStripeOps *ops = gpuagg_cache_stripe_ops();
	uint64		bytes = 0;

	for (int i = 0; i < chunk->nstripes; i++)
		bytes += gpuagg_cache_is_rows(fill->column) ?
			ops->bytes(chunk->stripes[i].stripe) :
			ops->column_bytes(chunk->stripes[i].stripe, fill->column->attr);
	return bytes;
}

bool
gpuagg_cache_may_have(const GpuAggCacheChunk *chunk,
					  GpuAggCacheColumn *const *columns, int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
		if (gpuagg_cache_is_rows(columns[i]) && chunk->nfills > 0 &&
			gpuagg_cache_fill(chunk, columns[i]) == NULL)
			return false;
	return true;
}

/* Blocks that are filled in one column at least, into words that are clear */
static void
held_any(const GpuAggCacheChunk *chunk, uint32 words, uint64 *held)
{
	for (int i = 0; i < chunk->nfills; i++)
		for (uint32 w = 0; w < words; w++)
			held[w] |= chunk->fills[i]->filled[w];
}

/* Those that are filled in all of some columns; false: there are none. */
static bool
held_all(const GpuAggCacheChunk *chunk, GpuAggCacheColumn *const *columns,
		 int ncolumns, uint32 words, uint64 *held)
{
	for (int i = 0; i < ncolumns; i++)
	{
		const GpuAggCacheFill *fill = gpuagg_cache_fill(chunk, columns[i]);

		if (fill == NULL)
			return false;
		for (uint32 w = 0; w < words; w++)
			held[w] = i == 0 ? fill->filled[w] : held[w] & fill->filled[w];
	}
	return true;
}

uint32
gpuagg_cache_held(const GpuAggCacheChunk *chunk, GpuAggCacheColumn *const *columns,
				  int ncolumns, uint32 nblocks, uint64 *held)
{
	uint32		words = GPUAGG_BITMAP_WORDS(nblocks);
	uint32		reach = Min(nblocks, chunk->room);
	uint32		n = 0;

	memset(held, 0, words * sizeof(uint64));
	if (gpuagg_cache_is_rows(columns[0]))
		held_any(chunk, GPUAGG_BITMAP_WORDS(reach), held);
	else if (!held_all(chunk, columns, ncolumns, GPUAGG_BITMAP_WORDS(reach), held))
	{
		memset(held, 0, words * sizeof(uint64));
		return 0;
	}
	if (reach % 64 != 0)
		held[reach / 64] &= (UINT64CONST(1) << reach % 64) - 1;
	for (uint32 w = 0; w < words; w++)
		n += pg_popcount64(held[w]);
	return n;
}

bool
gpuagg_cache_has(const GpuAggCacheChunk *chunk, uint32 block)
{
	for (int i = 0; block < chunk->room && i < chunk->nfills; i++)
		if (gpuagg_bit(chunk->fills[i]->filled, block))
			return true;
	return false;
}

void
gpuagg_cache_forget(GpuAggCacheChunk *chunk, uint32 block)
{
	uint64		bit = UINT64CONST(1) << block % 64;

	if (block >= chunk->room)
		return;
	for (int i = 0; i < chunk->nfills; i++)
	{
		GpuAggCacheFill *fill = chunk->fills[i];

		if ((fill->filled[block / 64] & bit) == 0)
			continue;
		fill->filled[block / 64] &= ~bit;
		fill->nfilled--;
		fill->npositions -= chunk->blocks[block].positions;
	}
}

void
gpuagg_cache_filled(GpuAggCacheChunk *chunk, GpuAggCacheColumn *const *columns,
					int ncolumns, uint32 block)
{
	uint64		bit = UINT64CONST(1) << block % 64;

	for (int i = 0; i < ncolumns; i++)
	{
		GpuAggCacheFill *fill = gpuagg_cache_fill(chunk, columns[i]);

		if (fill->filled[block / 64] & bit)
			continue;
		fill->filled[block / 64] |= bit;
		fill->nfilled++;
		fill->npositions += chunk->blocks[block].positions;
	}
}

/* ---------------------------------------------------------------- going --- */

static void
chunk_free_stripes(GpuAggCacheChunk *chunk)
{
	for (int i = 0; i < chunk->nstripes; i++)
		gpuagg_cache_stripe_ops()->free(chunk->stripes[i].stripe);
	chunk->nstripes = 0;
	chunk->full = false;
	chunk->nplaced = 0;
	gpuagg_cache_directory_free(chunk->table, chunk->blocks);
	chunk->blocks = NULL;
	chunk->room = 0;
}

/* The i-th column of a chunk goes; without columns, positions and stripes do. */
void
gpuagg_cache_chunk_drop(GpuAggCacheChunk *chunk, int i)
{
	GpuAggCacheFill *fill = chunk->fills[i];

	chunk->fills[i] = chunk->fills[--chunk->nfills];
	for (int k = 0; k < chunk->nstripes && !gpuagg_cache_is_rows(fill->column); k++)
		gpuagg_cache_stripe_ops()->drop_column(chunk->stripes[k].stripe, fill->column->attr);
	gpuagg_cache_directory_free(chunk->table, fill->filled);
	gpuagg_cache_directory_free(chunk->table, fill);
	if (chunk->nfills == 0)
		chunk_free_stripes(chunk);
}

/* Columns of which nothing is filled are not the chunk's. */
void
gpuagg_cache_drop_unfilled(GpuAggCacheChunk *chunk)
{
	for (int i = chunk->nfills - 1; i >= 0; i--)
		if (chunk->fills[i]->nfilled == 0)
			gpuagg_cache_chunk_drop(chunk, i);
}

void
gpuagg_cache_begin_anew(GpuAggCacheChunk *chunk)
{
	for (int i = 0; i < chunk->nfills; i++)
		if (chunk->fills[i]->nfilled > 0)
			return;
	while (chunk->nfills > 0)
		gpuagg_cache_chunk_drop(chunk, chunk->nfills - 1);
}

void
gpuagg_cache_chunk_free(GpuAggCacheChunk *chunk)
{
	while (chunk->nfills > 0)
		gpuagg_cache_chunk_drop(chunk, chunk->nfills - 1);
	chunk_free_stripes(chunk);
	gpuagg_cache_directory_free(chunk->table, chunk->fills);
	chunk->table->chunks[chunk->number] = NULL;
	gpuagg_cache_directory_free(chunk->table, chunk);
}
