/*
 * cached.c
 *		A scan's use of the column cache (cached.h).
 *
 * Of each extent the map page is copied, once, and at most one MAP message is
 * sent.  If the map page's LSN is the one that the worker knows, held blocks whose bit
 * is set are used, and the worker reckons the same.  Of all other held blocks the client
 * reads the LSNs of their heap pages, and the worker answers which of them it holds with
 * just these.
 *
 * A map page without an LSN was never set under WAL (wal_level = minimal); it is
 * logged, once.  On a standby that cannot be: no bit of it is believed, as of a table that
 * has no map yet.
 *
 * Memory: the current context of each call, which is that of the run.
 */
#include "postgres.h"

#include "heap/cached.h"
#include "heap/scan_sample.h"
#include "ipc/cache_shared.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"

/* VALIDATED messages that may be owed to us, so that they fit the queue */
#define MAPS_UNANSWERED 16

/* Uses of extents that the device may work on */
#define MAPS_AHEAD 256

#define BITMAP_WORDS (GPUAGG_EXTENT_BITMAP_BYTES / sizeof(uint64))

StaticAssertDecl(GPUAGG_EXTENT_BITMAP_BYTES % sizeof(uint64) == 0,
				 "bitmaps are whole words");

/* -------------------------------------------------------------- extents --- */

static uint32
extent_blocks(const GpuAggCached *cached, uint32 extent)
{
	return Min(cached->nblocks - extent * GPUAGG_EXTENT_BLOCKS,
			   GPUAGG_EXTENT_BLOCKS);
}

static void
extent_use(GpuAggCached *cached, GpuAggCachedExtent *extent, uint8 *used)
{
	extent->nused = gpuagg_vismap_count(used);
	extent->used = extent->nused > 0 ? used : NULL;
	/* of what is compared all is still to be fed */
	if (!cached->compare)
		cached->used += extent->nused;
}

GpuAggCached *
gpuagg_cached_begin(Relation rel, BlockNumber nblocks, bool compare)
{
	GpuAggCached *cached = palloc0(sizeof(GpuAggCached));

	cached->rel = rel;
	cached->nblocks = nblocks;
	cached->compare = compare;
	cached->nextents = (nblocks + GPUAGG_EXTENT_BLOCKS - 1) / GPUAGG_EXTENT_BLOCKS;
	cached->extents = palloc0(cached->nextents * sizeof(GpuAggCachedExtent));
	gpuagg_cached_only(cached, 0, nblocks);
	if (nblocks > NBuffers / 4)
		cached->strategy = GetAccessStrategy(BAS_BULKREAD);
	return cached;
}

void
gpuagg_cached_only(GpuAggCached *cached, BlockNumber first, BlockNumber end)
{
	cached->first = first;
	cached->end = end;
	cached->next = first / GPUAGG_EXTENT_BLOCKS;
	cached->stop = (end + GPUAGG_EXTENT_BLOCKS - 1) / GPUAGG_EXTENT_BLOCKS;
}

void
gpuagg_cached_sample(GpuAggCached *cached, const GpuAggSample *sample)
{
	cached->blocks = *sample;
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
	uint8	   *copy = palloc0(GPUAGG_EXTENT_BITMAP_BYTES);

	memcpy(copy, bits, bits_bytes(nblocks));
	return copy;
}

/* As many bits as blocks, all set */
static uint8 *
whole_bits(uint32 nblocks)
{
	uint8	   *bits = palloc0(GPUAGG_EXTENT_BITMAP_BYTES);

	memset(bits, 0xFF, nblocks / 8);
	if (nblocks % 8 != 0)
		bits[nblocks / 8] = (1 << nblocks % 8) - 1;
	return bits;
}

/* What the worker holds of an extent it reads already, as a batch from this number on. */
static bool
extent_is_read(GpuAggCached *cached, uint32 number, uint64 batch_id)
{
	GpuAggCachedExtent *extent = &cached->extents[number];

	if (number < cached->next || number - cached->next >= cached->ahead)
		return false;
	extent_use(cached, extent, extent->held);
	extent->early = extent->in_flight = true;
	extent->batch_id = batch_id + number - cached->next;
	cached->in_flight++;
	cached->early = cached->ahead;
	return true;
}

GpuAggStatus
gpuagg_cached_announced(GpuAggCached *cached, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggMsgCached *announced = (const GpuAggMsgCached *) (msg + 1);
	Size		need = sizeof(GpuAggMsg) + msg->count * sizeof(GpuAggMsgCached);
	const char *bits = (const char *) msg + need;

	if (cached->announced || bytes < need)
		return GPUAGG_DEVICE_FAULT;
	for (uint32 i = 0; i < msg->count; i++)
	{
		GpuAggCachedExtent *extent;

		if (announced[i].extent >= cached->nextents ||
			announced[i].nblocks > GPUAGG_EXTENT_BLOCKS)
			return GPUAGG_DEVICE_FAULT;
		extent = &cached->extents[announced[i].extent];
		if (extent->held != NULL)
			return GPUAGG_DEVICE_FAULT;
		extent->cached_lsn = announced[i].map_lsn;
		extent->current = announced[i].current != 0;
		if (announced[i].whole)
			extent->held = whole_bits(announced[i].nblocks);
		else
		{
			need += bits_bytes(announced[i].nblocks);
			if (bytes < need)
				return GPUAGG_DEVICE_FAULT;
			extent->held = copy_bits(bits, announced[i].nblocks);
			bits += bits_bytes(announced[i].nblocks);
		}
		if (announced[i].current == 2 &&
			!extent_is_read(cached, announced[i].extent, msg->batch_id & ~UINT64CONST(1)))
			return GPUAGG_DEVICE_FAULT;
	}
	/* looked at anew, for that was before the worker said what it holds */
	cached->ahead = 0;
	cached->may_fill = msg->batch_id % 2 != 0;
	cached->announced = true;
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
gpuagg_cached_validated(GpuAggCached *cached, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggValidatedMsg *validated = (const GpuAggValidatedMsg *) msg;
	GpuAggCachedExtent *extent;
	uint8	   *used;

	if (bytes != sizeof(GpuAggValidatedMsg) || validated->extent >= cached->nextents)
		return GPUAGG_DEVICE_FAULT;
	extent = &cached->extents[validated->extent];
	if (!extent->unanswered || extent->batch_id != msg->batch_id)
		return GPUAGG_DEVICE_FAULT;
	used = copy_bits(validated->used, GPUAGG_EXTENT_BLOCKS);
	if (!bits_within(used, extent->held))
		return GPUAGG_DEVICE_FAULT;
	extent->unanswered = false;
	cached->unanswered--;
	extent_use(cached, extent, used);
	return GPUAGG_OK;
}

bool
gpuagg_cached_release(GpuAggCached *cached, uint64 batch_id)
{
	for (uint32 i = 0; i < cached->nextents && cached->in_flight > 0; i++)
	{
		GpuAggCachedExtent *extent = &cached->extents[i];

		if (extent->in_flight && extent->batch_id == batch_id)
		{
			extent->in_flight = false;
			cached->in_flight--;
			cached->done += extent->nused;
			return true;
		}
	}
	return false;
}

/* ------------------------------------------------------------------ MAP --- */

bool
gpuagg_cached_more(const GpuAggCached *cached)
{
	return cached->announced && cached->next < cached->stop &&
		cached->unanswered < MAPS_UNANSWERED && cached->in_flight < MAPS_AHEAD;
}

bool
gpuagg_cached_settled(const GpuAggCached *cached)
{
	return cached->announced && cached->next == cached->stop &&
		cached->unanswered == 0;
}

static bool
bits_any(const uint8 *bits)
{
	const uint64 *words = (const uint64 *) bits;
	uint64		any = 0;

	for (int i = 0; i < BITMAP_WORDS; i++)
		any |= words[i];
	return any != 0;
}

/* Into "check": held blocks that the map page does not tell to be as they are held; any? */
static bool
extent_doubts(const GpuAggCachedExtent *extent, uint8 *check)
{
	const bool	same = extent->map_lsn == extent->cached_lsn;

	for (int i = 0; i < BITMAP_WORDS; i++)
	{
		const uint64 held = ((const uint64 *) extent->held)[i];

		((uint64 *) check)[i] = same ? held & ~((const uint64 *) extent->visible)[i] : held;
	}
	return bits_any(check);
}

/* The message on an extent: its head, then what it needs of bits and LSNs */
static Size
extent_message(GpuAggCached *cached, uint32 number, GpuAggMapMsg *map)
{
	GpuAggCachedExtent *extent = &cached->extents[number];
	char	   *end = (char *) (map + 1);

	if (!map->whole)
	{
		memcpy(end, extent->visible, bits_bytes(map->nblocks));
		end += bits_bytes(map->nblocks);
	}
	if (map->use && extent->current)
	{
		map->current = 2;
		memcpy(end, extent->held, bits_bytes(map->nblocks));
		end += bits_bytes(map->nblocks);
	}
	else if (map->use && extent_doubts(extent, cached->check))
	{
		uint64	   *lsns = (uint64 *) (end + bits_bytes(map->nblocks));

		memcpy(end, cached->check, bits_bytes(map->nblocks));
		map->checked = gpuagg_vismap_lsns(cached->rel, number, map->nblocks, cached->check,
										  cached->strategy, lsns);
		cached->compared += map->checked;
		end = (char *) (lsns + map->checked);
	}
	return end - (char *) map;
}

/* Bits of blocks of others go: to the worker they are like ones that are not all-visible. */
static void
extent_leave_others(const GpuAggCached *cached, uint32 number, uint32 nblocks, uint8 *bits)
{
	BlockNumber start = number * GPUAGG_EXTENT_BLOCKS;
	uint32		from = cached->first > start ? cached->first - start : 0;
	uint32		to = Min(cached->end - start, nblocks);

	for (uint32 i = 0; bits != NULL && i < nblocks; i++)
	{
		if (i == from)
			i = to;
		if (i < nblocks)
			bits[i / 8] &= ~(1 << i % 8);
	}
}

/* Of a sample of blocks, bits of those that it has in an extent; others are counted. */
static void
extent_sample(GpuAggCached *cached, uint32 number)
{
	const BlockNumber start = number * GPUAGG_EXTENT_BLOCKS;
	const BlockNumber from = Max(start, cached->first);
	const BlockNumber end = start + extent_blocks(cached, number);
	const BlockNumber to = Min(end, cached->end);

	if (cached->sampled == NULL)
		cached->sampled = palloc(GPUAGG_EXTENT_BITMAP_BYTES);
	for (int i = 0; i < BITMAP_WORDS; i++)
		((uint64 *) cached->sampled)[i] = gpuagg_sample_word(&cached->blocks, start + i * 64);
	extent_leave_others(cached, number, to - start, cached->sampled);
	for (uint32 i = to - start; i < BITMAP_WORDS * 64; i++)
		cached->sampled[i / 8] &= ~(1 << i % 8);
	cached->outside += to - from - gpuagg_vismap_count(cached->sampled);
}

/* Bits of blocks that the task does not read go. */
static void
extent_leave(const GpuAggCached *cached, uint32 number, uint32 nblocks, uint8 *bits)
{
	extent_leave_others(cached, number, nblocks, bits);
	for (int i = 0; bits != NULL && cached->sampled != NULL && i < BITMAP_WORDS; i++)
		((uint64 *) bits)[i] &= ((const uint64 *) cached->sampled)[i];
}

/* Is an extent of no interest, for nothing of it is to be used, or kept? */
static bool
extent_is_done(const GpuAggCached *cached, const GpuAggCachedExtent *extent, uint32 nblocks)
{
	if (extent->early)
		return !cached->may_fill || extent->nused == nblocks;
	return !cached->may_fill && (extent->held == NULL || !bits_any(extent->held));
}

/* Reads its map page, which is logged first if it never was. */
static void
extent_look(const GpuAggCached *cached, uint32 number, uint32 nblocks)
{
	GpuAggCachedExtent *extent = &cached->extents[number];

	extent->visible = palloc(GPUAGG_EXTENT_BITMAP_BYTES);
	extent->map_lsn = gpuagg_vismap_read(cached->rel, number, nblocks, extent->visible);
	if (extent->map_lsn == InvalidXLogRecPtr && cached->may_fill &&
		gpuagg_vismap_log(cached->rel, number))
		extent->map_lsn = gpuagg_vismap_read(cached->rel, number, nblocks, extent->visible);
	extent_leave(cached, number, nblocks, extent->visible);
}

const GpuAggMsg *
gpuagg_cached_next(GpuAggCached *cached, uint64 batch_id, Size *bytes)
{
	uint32		number = cached->next++;
	GpuAggCachedExtent *extent = &cached->extents[number];
	uint32		nblocks = extent_blocks(cached, number);
	GpuAggMapMsg *map;

	if (cached->blocks.method == GPUAGG_SAMPLE_SYSTEM)
		extent_sample(cached, number);
	extent_leave(cached, number, nblocks, extent->held);
	if (extent_is_done(cached, extent, nblocks))
		return NULL;
	extent_look(cached, number, nblocks);
	if (cached->msg == NULL)
	{
		cached->msg = palloc(sizeof(GpuAggMapMsg) + 2 * GPUAGG_EXTENT_BITMAP_BYTES +
							 extent_blocks(cached, 0) * sizeof(uint64));
		cached->check = palloc(GPUAGG_EXTENT_BITMAP_BYTES);
	}
	map = memset(cached->msg, 0, sizeof(GpuAggMapMsg));
	map->msg.type = GPUAGG_MSG_MAP;
	map->msg.batch_id = batch_id;
	map->extent = number;
	map->nblocks = nblocks;
	map->map_lsn = extent->map_lsn;
	map->whole = gpuagg_vismap_count(extent->visible) == nblocks;
	map->use = !extent->early && extent->held != NULL && bits_any(extent->held);
	*bytes = extent_message(cached, number, map);
	if (!map->use)
		return &map->msg;
	extent->batch_id = batch_id;
	extent->in_flight = true;
	cached->in_flight++;
	if (map->checked > 0)
	{
		extent->unanswered = true;
		cached->unanswered++;
	}
	else
		extent_use(cached, extent, extent->held);
	return &map->msg;
}

/* ---------------------------------------------------------------- ahead --- */

void
gpuagg_cached_look_ahead(GpuAggCached *cached, int device, GpuAggAhead *ahead)
{
	const uint32 n = cached->stop - cached->next;

	if (n > GPUAGG_AHEAD_EXTENTS || n == 0 || cached->compare ||
		cached->first > cached->next * (uint64) GPUAGG_EXTENT_BLOCKS ||
		cached->end < Min(cached->stop * (uint64) GPUAGG_EXTENT_BLOCKS, cached->nblocks))
		return;
	ahead->kept = gpuagg_cache_kept_so_far(device);
	ahead->first = cached->next;
	for (uint32 i = 0; i < n; i++)
	{
		GpuAggCachedExtent *extent = &cached->extents[cached->next + i];

		extent->map_lsn = ahead->map_lsns[i] =
			gpuagg_vismap_whole(cached->rel, cached->next + i,
								extent_blocks(cached, cached->next + i));
	}
	ahead->n = cached->ahead = n;
}

/* All bits of the next extent, of which whole ones share theirs */
static uint8 *
all_bits(GpuAggCached *cached, uint32 nblocks)
{
	if (nblocks < GPUAGG_EXTENT_BLOCKS)
		return whole_bits(nblocks);
	if (cached->all == NULL)
		cached->all = whole_bits(nblocks);
	return cached->all;
}

GpuAggStatus
gpuagg_cached_foreseen(GpuAggCached *cached, const GpuAggMsg *msg, Size bytes, uint64 batch_id)
{
	if (cached->announced || cached->ahead == 0 || bytes != sizeof(GpuAggMsg) ||
		msg->count != cached->ahead || msg->batch_id != batch_id)
		return GPUAGG_DEVICE_FAULT;
	while (cached->next < cached->stop)
	{
		const uint32 nblocks = extent_blocks(cached, cached->next);
		GpuAggCachedExtent *extent = &cached->extents[cached->next++];

		extent->visible = extent->used = all_bits(cached, nblocks);
		extent->nused = nblocks;
		cached->used += nblocks;
		extent->batch_id = batch_id++;
		extent->in_flight = true;
		cached->in_flight++;
	}
	cached->announced = true;
	return GPUAGG_OK;
}

/* ---------------------------------------------------------------- blocks --- */

/* How many bits from i on are set */
static uint32
bits_run(const uint8 *bits, uint32 i, uint32 nblocks)
{
	const uint64 *words = (const uint64 *) bits;
	uint64		clear = ~words[i / 64] & ~UINT64CONST(0) << i % 64;
	uint32		word = i / 64;

	while (clear == 0 && ++word * 64 < nblocks)
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
		uint32		number = (block + run) / GPUAGG_EXTENT_BLOCKS;
		uint32		i = (block + run) % GPUAGG_EXTENT_BLOCKS;
		uint32		nblocks = extent_blocks(cached, number);
		const uint8 *used = cached->extents[number].used;
		uint32		n = used != NULL ? bits_run(used, i, nblocks) : 0;

		run += n;
		if (i + n < nblocks)
			break;
	}
	return run;
}

/* ----------------------------------------------------- other processes --- */

/* In front of a copy; a CopiedExtent for each extent, then their bitmaps follow. */
typedef struct CopiedHead
{
	uint32		may_fill;
	uint32		compare;
} CopiedHead;

typedef struct CopiedExtent
{
	uint32		visible;		/* 1: it has that bitmap */
	uint32		used;
} CopiedExtent;

Size
gpuagg_cached_copy_bytes(const GpuAggCached *cached)
{
	Size		bytes = sizeof(CopiedHead) + cached->nextents * sizeof(CopiedExtent);

	for (uint32 i = 0; i < cached->nextents; i++)
		bytes += ((cached->extents[i].visible != NULL) + (cached->extents[i].used != NULL)) *
			bits_bytes(extent_blocks(cached, i));
	return bytes;
}

static char *
copy_bitmap(char *to, const uint8 *bits, uint32 nblocks)
{
	if (bits == NULL)
		return to;
	memcpy(to, bits, bits_bytes(nblocks));
	return to + bits_bytes(nblocks);
}

void
gpuagg_cached_copy(const GpuAggCached *cached, char *to)
{
	CopiedExtent *copied = (CopiedExtent *) (to + sizeof(CopiedHead));
	char	   *bits = (char *) (copied + cached->nextents);

	*(CopiedHead *) to = (CopiedHead) {cached->may_fill, cached->compare};
	for (uint32 i = 0; i < cached->nextents; i++)
	{
		copied[i].visible = cached->extents[i].visible != NULL;
		copied[i].used = cached->extents[i].used != NULL;
		bits = copy_bitmap(bits, cached->extents[i].visible, extent_blocks(cached, i));
		bits = copy_bitmap(bits, cached->extents[i].used, extent_blocks(cached, i));
	}
}

static uint8 *
restore_bitmap(char **from, uint32 present, uint32 nblocks)
{
	uint8	   *bits = (uint8 *) *from;

	if (!present)
		return NULL;
	*from += bits_bytes(nblocks);
	return bits;
}

GpuAggCached *
gpuagg_cached_restore(Relation rel, BlockNumber nblocks, char *from)
{
	const CopiedHead *head = (const CopiedHead *) from;
	GpuAggCached *cached = gpuagg_cached_begin(rel, nblocks, head->compare != 0);
	const CopiedExtent *copied = (const CopiedExtent *) (head + 1);
	char	   *bits = (char *) (copied + cached->nextents);

	cached->may_fill = head->may_fill != 0;
	for (uint32 i = 0; i < cached->nextents; i++)
	{
		cached->extents[i].visible = restore_bitmap(&bits, copied[i].visible,
													extent_blocks(cached, i));
		cached->extents[i].used = restore_bitmap(&bits, copied[i].used,
												 extent_blocks(cached, i));
	}
	return cached;
}
