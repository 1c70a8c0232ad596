/*
 * cached.c
 *		A scan's use of the column cache (cached.h).
 *
 * Of each chunk the map page is copied, once, and at most one MAP message is
 * sent.  Three cases:
 *
 *	- the LSN of the map page is the one that the worker knows: held blocks
 *	  whose bit is set are used, and the worker reckons the same;
 *	- it is another one: the client reads the LSNs of these blocks' heap pages,
 *	  and the worker answers which of them it holds with just these;
 *	- the worker holds nothing of use: it is told the LSN, so that it may keep
 *	  what is fed.
 *
 * A map page without an LSN was never set under WAL (wal_level = minimal);
 * nothing of its chunk is used or kept.
 *
 * Memory: the current context of each call, which is that of the run.
 */
#include "postgres.h"

#include "heap/cached.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"

/* MAPPED messages that may be owed to us, so that they fit the queue */
#define MAPS_UNANSWERED 16

/* Uses of chunks that the device may work on */
#define MAPS_AHEAD 256

#define BITMAP_WORDS (GPUAGG_CHUNK_BITMAP_BYTES / sizeof(uint64))

StaticAssertDecl(GPUAGG_CHUNK_BITMAP_BYTES % sizeof(uint64) == 0,
				 "bitmaps are whole words");

/* -------------------------------------------------------------- chunks --- */

static uint32
chunk_blocks(const GpuAggCached *cached, uint32 chunk)
{
	return Min(cached->nblocks - chunk * GPUAGG_CHUNK_BLOCKS,
			   GPUAGG_CHUNK_BLOCKS);
}

static void
chunk_use(GpuAggCached *cached, GpuAggCachedChunk *chunk, uint8 *used)
{
	chunk->nused = gpuagg_vismap_count(used);
	chunk->used = chunk->nused > 0 ? used : NULL;
	cached->used += chunk->nused;
}

GpuAggCached *
gpuagg_cached_begin(Relation rel, BlockNumber nblocks)
{
	GpuAggCached *cached = palloc0(sizeof(GpuAggCached));

	cached->rel = rel;
	cached->nblocks = nblocks;
	cached->nchunks = (nblocks + GPUAGG_CHUNK_BLOCKS - 1) / GPUAGG_CHUNK_BLOCKS;
	cached->chunks = palloc0(cached->nchunks * sizeof(GpuAggCachedChunk));
	if (nblocks > NBuffers / 4)
		cached->strategy = GetAccessStrategy(BAS_BULKREAD);
	return cached;
}

/* ------------------------------------------------- messages of the worker --- */

/* What the bitmap of so many blocks takes of a message */
static inline Size
bits_bytes(uint32 nblocks)
{
	return GPUAGG_ALIGN8((nblocks + 7) / 8);
}

static uint8 *
copy_bits(const void *bits, uint32 nblocks)
{
	uint8	   *copy = palloc0(GPUAGG_CHUNK_BITMAP_BYTES);

	memcpy(copy, bits, bits_bytes(nblocks));
	return copy;
}

/* As many bits as blocks, all set */
static uint8 *
whole_bits(uint32 nblocks)
{
	uint8	   *bits = palloc0(GPUAGG_CHUNK_BITMAP_BYTES);

	memset(bits, 0xFF, nblocks / 8);
	if (nblocks % 8 != 0)
		bits[nblocks / 8] = (1 << nblocks % 8) - 1;
	return bits;
}

GpuAggStatus
gpuagg_cached_told(GpuAggCached *cached, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggMsgCached *told = (const GpuAggMsgCached *) (msg + 1);
	Size		need = sizeof(GpuAggMsg) + msg->count * sizeof(GpuAggMsgCached);
	const char *bits = (const char *) msg + need;

	if (cached->told || bytes < need)
		return GPUAGG_DEVICE_FAULT;
	for (uint32 i = 0; i < msg->count; i++)
	{
		GpuAggCachedChunk *chunk;

		if (told[i].chunk >= cached->nchunks ||
			told[i].nblocks > GPUAGG_CHUNK_BLOCKS)
			return GPUAGG_DEVICE_FAULT;
		chunk = &cached->chunks[told[i].chunk];
		if (chunk->held != NULL)
			return GPUAGG_DEVICE_FAULT;
		chunk->cached_lsn = told[i].map_lsn;
		if (told[i].whole)
		{
			chunk->held = whole_bits(told[i].nblocks);
			continue;
		}
		need += bits_bytes(told[i].nblocks);
		if (bytes < need)
			return GPUAGG_DEVICE_FAULT;
		chunk->held = copy_bits(bits, told[i].nblocks);
		bits += bits_bytes(told[i].nblocks);
	}
	cached->keeps = msg->batch_id != 0;
	cached->told = true;
	return bytes == need ? GPUAGG_OK : GPUAGG_DEVICE_FAULT;
}

/* Is each block of a also one of b? */
static bool
bits_within(const uint8 *a, const uint8 *b)
{
	const uint64 *wa = (const uint64 *) a;
	const uint64 *wb = (const uint64 *) b;

	for (int i = 0; i < BITMAP_WORDS; i++)
	{
		if ((wa[i] & ~wb[i]) != 0)
			return false;
	}
	return true;
}

GpuAggStatus
gpuagg_cached_mapped(GpuAggCached *cached, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggMappedMsg *mapped = (const GpuAggMappedMsg *) msg;
	GpuAggCachedChunk *chunk;
	uint8	   *used;

	if (bytes != sizeof(GpuAggMappedMsg) || mapped->chunk >= cached->nchunks)
		return GPUAGG_DEVICE_FAULT;
	chunk = &cached->chunks[mapped->chunk];
	if (!chunk->unanswered || chunk->batch_id != msg->batch_id)
		return GPUAGG_DEVICE_FAULT;
	used = copy_bits(mapped->used, GPUAGG_CHUNK_BLOCKS);
	if (!bits_within(used, chunk->held))
		return GPUAGG_DEVICE_FAULT;
	chunk->unanswered = false;
	cached->unanswered--;
	chunk_use(cached, chunk, used);
	return GPUAGG_OK;
}

bool
gpuagg_cached_release(GpuAggCached *cached, uint64 batch_id)
{
	for (uint32 i = 0; i < cached->next && cached->in_flight > 0; i++)
	{
		GpuAggCachedChunk *chunk = &cached->chunks[i];

		if (chunk->in_flight && chunk->batch_id == batch_id)
		{
			chunk->in_flight = false;
			cached->in_flight--;
			cached->done += chunk->nused;
			return true;
		}
	}
	return false;
}

/* ------------------------------------------------------------------ MAP --- */

bool
gpuagg_cached_more(const GpuAggCached *cached)
{
	return cached->told && cached->next < cached->nchunks &&
		cached->unanswered < MAPS_UNANSWERED && cached->in_flight < MAPS_AHEAD;
}

bool
gpuagg_cached_settled(const GpuAggCached *cached)
{
	return cached->told && cached->next == cached->nchunks &&
		cached->unanswered == 0;
}

/* Held blocks become those among them that are all-visible now; any left? */
static bool
chunk_candidates(GpuAggCachedChunk *chunk)
{
	uint64	   *held = (uint64 *) chunk->held;
	const uint64 *visible = (const uint64 *) chunk->visible;
	uint64		any = 0;

	if (held == NULL)
		return false;
	for (int i = 0; i < BITMAP_WORDS; i++)
		any |= held[i] &= visible[i];
	return any != 0;
}

/* The message on a chunk: its head, then what it needs of bits and LSNs */
static Size
chunk_message(GpuAggCached *cached, uint32 number, GpuAggMapMsg *map)
{
	GpuAggCachedChunk *chunk = &cached->chunks[number];
	char	   *end = (char *) (map + 1);

	if (!map->whole)
	{
		memcpy(end, chunk->visible, bits_bytes(map->nblocks));
		end += bits_bytes(map->nblocks);
	}
	if (map->lsns)
	{
		gpuagg_vismap_lsns(cached->rel, number, map->nblocks, chunk->held,
						   cached->strategy, (uint64 *) end);
		end += map->nblocks * sizeof(uint64);
	}
	return end - (char *) map;
}

const GpuAggMsg *
gpuagg_cached_next(GpuAggCached *cached, uint64 batch_id, Size *bytes)
{
	uint32		number = cached->next++;
	GpuAggCachedChunk *chunk = &cached->chunks[number];
	uint32		nblocks = chunk_blocks(cached, number);
	uint8	   *visible = palloc(GPUAGG_CHUNK_BITMAP_BYTES);
	XLogRecPtr	lsn = gpuagg_vismap_read(cached->rel, number, nblocks, visible);
	uint32		nvisible = gpuagg_vismap_count(visible);
	GpuAggMapMsg *map;

	if (nvisible == 0 || (chunk->held == NULL && !cached->keeps))
	{
		pfree(visible);
		return NULL;
	}
	if (cached->msg == NULL)
		cached->msg = palloc(sizeof(GpuAggMapMsg) + GPUAGG_CHUNK_BITMAP_BYTES +
							 GPUAGG_CHUNK_BLOCKS * sizeof(uint64));
	map = memset(cached->msg, 0, sizeof(GpuAggMapMsg));
	chunk->visible = visible;
	chunk->batch_id = batch_id;
	chunk->in_flight = chunk_candidates(chunk);
	map->msg.type = GPUAGG_MSG_MAP;
	map->msg.batch_id = batch_id;
	map->chunk = number;
	map->nblocks = nblocks;
	map->map_lsn = lsn;
	map->whole = nvisible == nblocks;
	map->use = chunk->in_flight;
	map->lsns = map->use && lsn != chunk->cached_lsn;
	*bytes = chunk_message(cached, number, map);
	if (map->lsns)
	{
		chunk->unanswered = true;
		cached->unanswered++;
	}
	else if (map->use)
		chunk_use(cached, chunk, chunk->held);
	cached->in_flight += map->use;
	return &map->msg;
}

/* ---------------------------------------------------------------- blocks --- */

/* How many bits from i on are set */
static uint32
bits_run(const uint8 *bits, uint32 i, uint32 nblocks)
{
	const uint64 *words = (const uint64 *) bits;
	uint64		clear = ~words[i / 64] & ~UINT64CONST(0) << i % 64;
	uint32		word = i / 64;

	while (clear == 0 && ++word < BITMAP_WORDS)
		clear = ~words[word];
	if (clear == 0)
		return nblocks - i;
	return Min(word * 64 + pg_rightmost_one_pos64(clear), nblocks) - i;
}

BlockNumber
gpuagg_cached_count_run(const GpuAggCached *cached, BlockNumber block)
{
	BlockNumber run = 0;

	while (block + run < cached->nblocks)
	{
		uint32		number = (block + run) / GPUAGG_CHUNK_BLOCKS;
		uint32		i = (block + run) % GPUAGG_CHUNK_BLOCKS;
		uint32		nblocks = chunk_blocks(cached, number);
		const uint8 *used = cached->chunks[number].used;
		uint32		n = used != NULL ? bits_run(used, i, nblocks) : 0;

		run += n;
		if (i + n < nblocks)
			break;
	}
	return run;
}
