/*
 * cache_wal.c
 *		What the WAL tells of blocks that are held (cache_wal.h).
 *
 * PostgreSQL's own reader goes from record to record as far as the WAL is flushed, or on a standby
 * replayed.  Of each record that changes rows the end goes to the blocks that it names, if they
 * are of a table that is known here: a block that was kept with a smaller LSN has changed.  Extents
 * note that of all their blocks, held or not, for a page may come behind the record that has
 * changed it since it was read.
 *
 * A span ends where the WAL cannot be read on: segments have gone, a record is broken, or so much
 * has come that to look at the pages themselves takes less.  Then the next span begins at its
 * end, and what was kept before has to be compared once more.  So it is for one table whose file
 * is made anew, or cut off.
 */
#include "postgres.h"

#include "access/heapam_xlog.h"
#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "access/xlogreader.h"
#include "access/xlogrecovery.h"
#include "access/xlogutils.h"
#include "cache/cache_memory.h"
#include "cache/cache_table.h"
#include "cache/cache_wal.h"
#include "catalog/pg_control.h"
#include "catalog/storage_xlog.h"
#include "compat.h"
#include "ipc/async_commits.h"
#include "ipc/shmem.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* More WAL than that is not read while a task waits, or at once while none does. */
#define MOST_BYTES (UINT64CONST(32) * 1024 * 1024)
#define IDLE_BYTES (UINT64CONST(8) * 1024 * 1024)

/* So far back a record begins, mostly. */
#define BACK_BYTES (UINT64CONST(8) * XLOG_BLCKSZ)

/* After so long without a task nobody reads on. */
#define IDLE_MS 60000

static MemoryContext context = NULL;	/* of what the reader allocates */
static XLogReaderState *reader = NULL;
static ReadLocalXLogPageNoWaitPrivate reader_private;
static uint32 span = 0;			/* 0: none is open */
static uint32 last_span = 0;
static XLogRecPtr span_begin = InvalidXLogRecPtr;	/* all records from here on were read */
static XLogRecPtr position = InvalidXLogRecPtr; /* the end of the last one */
static TimestampTz asked_at = 0;	/* when a task asked last */

/* ------------------------------------------------------------ one record --- */

/* Does a record leave rows, and who sees them, as they are? */
static bool
is_harmless(uint8 rmid, uint8 info)
{
	switch (rmid)
	{
		case RM_HEAP_ID:
			return (info & XLOG_HEAP_OPMASK) == XLOG_HEAP_LOCK;
		case RM_HEAP2_ID:
			/* pruning, freezing, marks of the map, locks */
			return (info & XLOG_HEAP_OPMASK) != XLOG_HEAP2_MULTI_INSERT;
		case RM_XLOG_ID:
			return (info & ~XLR_INFO_MASK) == XLOG_FPI_FOR_HINT;
		default:
			return false;
	}
}

static void
block_changes(const GpuAggFileLocator *file, BlockNumber block)
{
	const GpuAggCacheTable *table = gpuagg_cache_table_of_file(
		GPUAGG_LOCATOR_SPC(file), GPUAGG_LOCATOR_DB(file), GPUAGG_LOCATOR_NUMBER(file));
	const uint32 number = block % GPUAGG_EXTENT_BLOCKS;
	GpuAggCacheExtent *extent = table == NULL ? NULL :
		gpuagg_cache_extent(table, block / GPUAGG_EXTENT_BLOCKS);

	if (extent == NULL)
		return;
	if (number >= extent->room)
	{
		extent->changed_beyond = position;
		return;
	}
	extent->changed[number] = position;
	if (position > extent->blocks[number].known)
		extent->doubt[number / 64] |= UINT64CONST(1) << number % 64;
}

/* What is known of a table's blocks, from one on, is worth nothing any more. */
static void
file_changes(const GpuAggFileLocator *file, BlockNumber from)
{
	const GpuAggCacheTable *table = gpuagg_cache_table_of_file(
		GPUAGG_LOCATOR_SPC(file), GPUAGG_LOCATOR_DB(file), GPUAGG_LOCATOR_NUMBER(file));

	for (uint32 i = from / GPUAGG_EXTENT_BLOCKS; table != NULL && i < table->nextents; i++)
	{
		GpuAggCacheExtent *extent = table->extents[i];

		for (uint32 k = 0; extent != NULL && k < extent->room; k++)
		{
			if ((uint64) i * GPUAGG_EXTENT_BLOCKS + k < from)
				continue;
			extent->blocks[k].known = 0;
			extent->doubt[k / 64] |= UINT64CONST(1) << k % 64;
		}
	}
}

/* All blocks are in doubt that are not known from here on. */
static void
next_span(XLogRecPtr begin)
{
	span_begin = position = begin;
	span = ++last_span;
}

/* The reader's record */
static void
note_record(void)
{
	const uint8 rmid = XLogRecGetRmid(reader);
	const uint8 info = XLogRecGetInfo(reader);

	/* files are copied, with all that is in them */
	if (rmid == RM_DBASE_ID)
		next_span(position);
	else if (rmid == RM_SMGR_ID && (info & ~XLR_INFO_MASK) == XLOG_SMGR_CREATE)
	{
		const xl_smgr_create *create = (xl_smgr_create *) XLogRecGetData(reader);

		file_changes(&create->GPUAGG_SMGR_FILE, 0);
	}
	else if (rmid == RM_SMGR_ID)
	{
		const xl_smgr_truncate *truncate = (xl_smgr_truncate *) XLogRecGetData(reader);

		file_changes(&truncate->GPUAGG_SMGR_FILE, truncate->blkno);
	}
	if (XLogRecMaxBlockId(reader) < 0 || is_harmless(rmid, info))
		return;
	for (int i = 0; i <= XLogRecMaxBlockId(reader); i++)
	{
		GpuAggFileLocator file;
		ForkNumber	fork;
		BlockNumber block;

		if (XLogRecGetBlockTagExtended(reader, i, &file, &fork, &block, NULL) &&
			fork == MAIN_FORKNUM)
			block_changes(&file, block);
	}
}

/* ------------------------------------------------------------------ spans --- */

static XLogRecPtr
written_end(void)
{
	return RecoveryInProgress() ? GetXLogReplayRecPtr(NULL) : GetFlushRecPtr(NULL);
}

static void
end_span(void)
{
	/* not XLogReaderFree: after an ERROR some of what it frees may be gone */
	if (reader != NULL && reader->seg.ws_file >= 0)
		wal_segment_close(reader);
	reader = NULL;
	MemoryContextReset(context);
	span = 0;
}

/* Where a record would begin that followed one with this end */
static XLogRecPtr
behind_header(XLogRecPtr end)
{
	if (end % wal_segment_size == 0)
		return end + SizeOfXLogLongPHD;
	return end % XLOG_BLCKSZ == 0 ? end + SizeOfXLogShortPHD : end;
}

/*
 * Does a record end where the WAL is written to?  So it is on a standby, and where nobody has
 * written on since.
 */
static bool
is_between_records(XLogRecPtr end)
{
	return RecoveryInProgress() ||
		behind_header(GetXLogInsertRecPtr()) == behind_header(end);
}

/* Where the WAL ends now, or at a record a little before that */
static void
begin_span(XLogRecPtr end)
{
	const XLogRecPtr segment = end - end % wal_segment_size;
	XLogRecPtr	begin;

	reader = XLogReaderAllocate(wal_segment_size, NULL,
								XL_ROUTINE(.page_read = read_local_xlog_page_no_wait,
										   .segment_open = wal_segment_open,
										   .segment_close = wal_segment_close),
								&reader_private);
	if (reader == NULL)
		return;
	begin = is_between_records(end) ? behind_header(end) :
		gpuagg_find_next_record(reader, end - segment > BACK_BYTES ? end - BACK_BYTES : segment);
	if (XLogRecPtrIsInvalid(begin))
		return;
	XLogBeginRead(reader, begin);
	next_span(begin);
}

/* Reads up to an end, or so many bytes; false: the span is over. */
static bool
read_records(XLogRecPtr end, uint64 most)
{
	const XLogRecPtr stop = end <= position || end - position <= most ? end : position + most;

	while (position < stop)
	{
		char	   *message = NULL;

		reader_private.end_of_wal = false;
		if (XLogReadRecord(reader, &message) == NULL)
			return reader_private.end_of_wal;
		position = reader->EndRecPtr;
		note_record();
	}
	return true;
}

/* Reads on; false: there is no span now.  ERRORs of the reader end it, too. */
static bool
follow(uint64 at_once, uint64 most)
{
	MemoryContext old = CurrentMemoryContext;
	volatile bool going = false;

	if (context == NULL)
		context = AllocSetContextCreate(TopMemoryContext, "gpuagg WAL reader",
										ALLOCSET_SMALL_SIZES);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		const XLogRecPtr end = written_end();

		if (span != 0 && end > position && end - position > most)
			end_span();
		if (span == 0)
			begin_span(end);
		going = span != 0 && read_records(end, at_once);
	}
	PG_CATCH();
	{
		FlushErrorState();
		going = false;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	if (!going)
		end_span();
	pg_atomic_write_u32(&gpuagg_shared->devices[gpuagg_cache_at()].cache.follows, going);
	return going;
}

bool
gpuagg_cache_wal_follow(void)
{
	asked_at = GetCurrentTimestamp();
	return follow(PG_UINT64_MAX, MOST_BYTES) && gpuagg_async_commits_within(position);
}

bool
gpuagg_cache_wal_idle(void)
{
	if (span != 0 && TimestampDifferenceExceeds(asked_at, GetCurrentTimestamp(), IDLE_MS))
		end_span();
	return span != 0 && follow(IDLE_BYTES, PG_UINT64_MAX);
}

/* ----------------------------------------------------------------- blocks --- */

uint64
gpuagg_cache_wal_position(void)
{
	return span == 0 ? 0 : position;
}

/*
 * Does the WAL tell of an extent's blocks?  Not of a dead table's, whose records nobody notes.
 * In a new span all blocks are in doubt.
 */
static bool
extent_is_followed(GpuAggCacheExtent *extent)
{
	if (span == 0 || extent->table->dead)
		return false;
	if (extent->span != span)
		memset(extent->doubt, 0xFF, GPUAGG_BITMAP_WORDS(extent->room) * sizeof(uint64));
	extent->span = span;
	return true;
}

void
gpuagg_cache_wal_known(GpuAggCacheExtent *extent, uint32 number, uint64 since)
{
	GpuAggCacheBlock *block = &extent->blocks[number];
	const uint64 bit = UINT64CONST(1) << number % 64;

	block->known = Max(block->known, since);
	if (!extent_is_followed(extent))
		return;
	if (block->lsn != 0 && block->known >= span_begin && extent->changed[number] <= block->known)
		extent->doubt[number / 64] &= ~bit;
	else
		extent->doubt[number / 64] |= bit;
}

void
gpuagg_cache_wal_confirm(GpuAggCacheExtent *extent, const uint64 *blocks, uint32 nblocks,
						 uint64 since)
{
	const uint32 words = GPUAGG_BITMAP_WORDS(Min(nblocks, extent->room));

	if (since == 0 || !extent_is_followed(extent))
		return;
	for (uint32 w = 0; w < words; w++)
		for (uint64 left = blocks[w] & extent->doubt[w]; left != 0; left &= left - 1)
			gpuagg_cache_wal_known(extent, w * 64 + pg_rightmost_one_pos64(left), since);
}

bool
gpuagg_cache_wal_same(GpuAggCacheExtent *extent, uint32 number)
{
	return extent_is_followed(extent) && !gpuagg_bit(extent->doubt, number);
}

bool
gpuagg_cache_wal_sort(GpuAggCacheExtent *extent, uint32 nblocks, uint64 *held, uint32 *n,
					  uint64 *fresh)
{
	const uint32 words = GPUAGG_BITMAP_WORDS(Min(nblocks, extent->room));
	bool		all = true;

	if (!extent_is_followed(extent))
		return false;
	for (uint32 w = 0; w < words; w++)
	{
		for (uint64 left = held[w] & extent->doubt[w]; left != 0; left &= left - 1)
		{
			const uint32 i = w * 64 + pg_rightmost_one_pos64(left);

			if (extent->changed[i] <= extent->blocks[i].known)
			{
				all = false;
				continue;
			}
			*fresh += extent->changed[i] > extent->table->followed;
			held[w] &= ~(left & -left);
			(*n)--;
		}
	}
	return all;
}
