/*
 * vismap.c
 *		Reads the visibility map by the page (vismap.h).
 *
 * A map page has two bits for each heap block, all-visible and all-frozen;
 * what the cache wants are the even ones, side by side.  They are copied under
 * the page's share lock together with its LSN, for only then does an LSN seen
 * earlier mean that no bit was set since (src/cache/VALIDITY.md).
 *
 * LSNs of heap pages are read under their share locks, too; pages are found as
 * the feed finds them.
 */
#include "postgres.h"

#include "access/visibilitymap.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "compat.h"
#include "heap/buffer_hint.h"
#include "heap/vismap.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#define MAP_BYTES (BLCKSZ - MAXALIGN(SizeOfPageHeaderData))

StaticAssertDecl(BITS_PER_HEAPBLOCK == 2 && VISIBILITYMAP_ALL_VISIBLE == 1 &&
				 MAP_BYTES * 8 / BITS_PER_HEAPBLOCK == GPUAGG_EXTENT_BLOCKS &&
				 MAP_BYTES % sizeof(uint64) == 0,
				 "layout of visibility-map pages");

/* The even bits of a word, side by side */
static inline uint32
even_bits(uint64 word)
{
	word &= UINT64CONST(0x5555555555555555);
	word = (word | word >> 1) & UINT64CONST(0x3333333333333333);
	word = (word | word >> 2) & UINT64CONST(0x0F0F0F0F0F0F0F0F);
	word = (word | word >> 4) & UINT64CONST(0x00FF00FF00FF00FF);
	word = (word | word >> 8) & UINT64CONST(0x0000FFFF0000FFFF);
	return (uint32) (word | word >> 16);
}

/* Bits from n on become 0. */
static void
cut_bits(uint8 *bits, uint32 n)
{
	uint32		byte = n / 8;

	if (n % 8 != 0)
		bits[byte++] &= (1 << n % 8) - 1;
	memset(bits + byte, 0, GPUAGG_EXTENT_BITMAP_BYTES - byte);
}

/* The map page, share-locked, and its LSN; false: the map does not reach so far */
static bool
lock_map(Relation rel, uint32 extent, Buffer *buffer, XLogRecPtr *lsn)
{
	*buffer = InvalidBuffer;
	(void) visibilitymap_get_status(rel, extent * GPUAGG_EXTENT_BLOCKS, buffer);
	if (!BufferIsValid(*buffer))
		return false;
	LockBuffer(*buffer, BUFFER_LOCK_SHARE);
	*lsn = PageGetLSN(BufferGetPage(*buffer));
	return true;
}

/* Are the even bits of the first nblocks pairs set? */
static bool
whole_map(const uint64 *map, uint32 nblocks)
{
	const uint64 even = UINT64CONST(0x5555555555555555);
	const uint32 words = nblocks / 32;
	uint64		missing = 0;

	for (uint32 i = 0; i < words; i++)
		missing |= ~map[i];
	if (nblocks % 32 != 0)
		missing |= ~map[words] & ((UINT64CONST(1) << 2 * (nblocks % 32)) - 1);
	return (missing & even) == 0;
}

XLogRecPtr
gpuagg_vismap_whole(Relation rel, uint32 extent, uint32 nblocks)
{
	Buffer		buffer;
	XLogRecPtr	lsn;

	if (!lock_map(rel, extent, &buffer, &lsn))
		return InvalidXLogRecPtr;
	if (!whole_map((const uint64 *) PageGetContents(BufferGetPage(buffer)), nblocks))
		lsn = InvalidXLogRecPtr;
	UnlockReleaseBuffer(buffer);
	return lsn;
}

XLogRecPtr
gpuagg_vismap_look(Relation rel, uint32 extent, uint32 nblocks, uint8 *bits)
{
	Buffer		buffer;
	uint32		words = (nblocks + 31) / 32;
	const uint64 *map;
	uint32	   *out = (uint32 *) bits;
	XLogRecPtr	lsn;

	memset(bits, 0, GPUAGG_EXTENT_BITMAP_BYTES);
	if (!lock_map(rel, extent, &buffer, &lsn))
		return InvalidXLogRecPtr;
	map = (const uint64 *) PageGetContents(BufferGetPage(buffer));
	for (uint32 i = 0; i < words; i++)
		out[i] = even_bits(map[i]);
	UnlockReleaseBuffer(buffer);
	cut_bits(bits, nblocks);
	return lsn;
}

XLogRecPtr
gpuagg_vismap_read(Relation rel, uint32 extent, uint32 nblocks, uint8 *bits)
{
	XLogRecPtr	lsn = gpuagg_vismap_look(rel, extent, nblocks, bits);

	if (XLogRecPtrIsInvalid(lsn))
		memset(bits, 0, GPUAGG_EXTENT_BITMAP_BYTES);
	return lsn;
}

/* Is it a page that was written to, but never logged? */
static bool
is_unlogged(Page page)
{
	const uint64 *map = (const uint64 *) PageGetContents(page);
	uint64		any = 0;

	if (PageIsNew(page) || !XLogRecPtrIsInvalid(PageGetLSN(page)))
		return false;
	for (int i = 0; i < MAP_BYTES / sizeof(uint64); i++)
		any |= map[i];
	return any != 0;
}

bool
gpuagg_vismap_unlogged(Relation rel, BlockNumber nblocks)
{
	bool		found = false;

	for (BlockNumber first = 0; first < nblocks && !found; first += GPUAGG_EXTENT_BLOCKS)
	{
		Buffer		buffer;
		XLogRecPtr	lsn;

		if (!lock_map(rel, first / GPUAGG_EXTENT_BLOCKS, &buffer, &lsn))
			break;
		found = is_unlogged(BufferGetPage(buffer));
		UnlockReleaseBuffer(buffer);
	}
	return found;
}

bool
gpuagg_vismap_log(Relation rel, uint32 extent)
{
	Buffer		buffer;
	XLogRecPtr	lsn;
	bool		unlogged;

	if (!XLogInsertAllowed() || !lock_map(rel, extent, &buffer, &lsn))
		return false;
	unlogged = is_unlogged(BufferGetPage(buffer));
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (unlogged)
	{
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		if (is_unlogged(BufferGetPage(buffer)))
		{
			START_CRIT_SECTION();
			MarkBufferDirty(buffer);
			log_newpage_buffer(buffer, false);
			END_CRIT_SECTION();
		}
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	}
	ReleaseBuffer(buffer);
	return unlogged;
}

uint32
gpuagg_vismap_count(const uint8 *bits)
{
	return (uint32) pg_popcount((const char *) bits, GPUAGG_EXTENT_BITMAP_BYTES);
}

/* The LSN of a heap page, read from shared_buffers or through the strategy */
static XLogRecPtr
heap_lsn(GpuAggBufferHints *hints, BlockNumber block, BufferAccessStrategy strategy)
{
	Buffer		buffer = gpuagg_buffer_hint_pin(hints, block);
	XLogRecPtr	lsn;

	if (buffer == InvalidBuffer)
	{
		buffer = ReadBufferExtended(hints->rel, MAIN_FORKNUM, block, RBM_NORMAL,
									strategy);
		gpuagg_buffer_hint_found(hints, buffer);
	}
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	lsn = BufferGetLSNAtomic(buffer);
	UnlockReleaseBuffer(buffer);
	return lsn;
}

XLogRecPtr
gpuagg_vismap_page_lsn(Relation rel, BlockNumber block, BufferAccessStrategy strategy)
{
	GpuAggBufferHints hints;

	gpuagg_buffer_hint_init(&hints, rel);
	return heap_lsn(&hints, block, strategy);
}

uint32
gpuagg_vismap_lsns(Relation rel, uint32 extent, uint32 nblocks,
				   const uint8 *bits, BufferAccessStrategy strategy,
				   uint64 *lsns)
{
	GpuAggBufferHints hints;
	uint32		left_out = 0;
	uint32		n = 0;

	gpuagg_buffer_hint_init(&hints, rel);
	for (uint32 i = 0; i < nblocks; i++)
	{
		if (!gpuagg_vismap_bit(bits, i))
		{
			left_out++;
			continue;
		}
		CHECK_FOR_INTERRUPTS();
		gpuagg_buffer_hint_skip(&hints, left_out);
		left_out = 0;
		lsns[n++] = heap_lsn(&hints, extent * GPUAGG_EXTENT_BLOCKS + i, strategy);
	}
	return n;
}
