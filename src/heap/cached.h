/*
 * cached.h
 *		A scan's use of the column cache: which blocks the device has, as the
 *		scan's snapshot sees them, and which ones have to be fed.
 *
 * A task that may use the cache begins with a cache request.  The worker
 * answers with CACHED; then the map pages are looked at, extent by extent, and
 * MAP messages say what of them is used.  Only when all are answered the feed
 * begins, for it reads what is not used.  The message formats are
 * ipc/protocol.h's, the reason why it is right stands in src/cache/VALIDITY.md.
 */
#ifndef GPUAGG_HEAP_CACHED_H
#define GPUAGG_HEAP_CACHED_H

#include "postgres.h"

#include "device/ops/sample.h"
#include "heap/vismap.h"

/* One extent, once its map page has been looked at */
typedef struct GpuAggCachedExtent
{
	uint8	   *visible;		/* all-visible bits; NULL: nothing of it may be
								 * kept or used */
	uint8	   *held;			/* blocks that the worker has, as the snapshot sees them; NULL:
								 * none */
	uint8	   *used;			/* those that the task uses; NULL: none */
	bool		current;		/* these are as their pages are, by the WAL */
	bool		early;			/* and the device reads them already */
	uint64		cached_lsn;		/* of the map page, when the worker had these bits */
	uint64		map_lsn;		/* of the map page, when it was looked at */
	uint32		nused;
	uint64		batch_id;		/* of the use */
	bool		in_flight;
	bool		unanswered;		/* VALIDATED has not come yet */
} GpuAggCachedExtent;

typedef struct GpuAggCached
{
	Relation	rel;
	BlockNumber nblocks;
	uint32		nextents;
	GpuAggCachedExtent *extents;
	bool		announced;			/* CACHED has come */
	bool		may_fill;			/* the worker takes what is fed */
	bool		compare;		/* what is used is fed, too, to be compared */
	GpuAggSample blocks;		/* SYSTEM: of other blocks nothing is used */
	BlockNumber first;			/* the first block that the task reads; of blocks before it nothing
								 * is used or filled */
	BlockNumber end;			/* the block behind the last that it reads; of blocks from there on
								 * nothing is used or filled */
	uint32		next;			/* the next extent to look at */
	uint32		stop;			/* the extent behind the last to look at */
	uint32		ahead;			/* extents that were looked at before the task began; 0: none */
	uint32		early;			/* numbers of batches that the worker has given to them */
	uint32		unanswered;		/* extents */
	uint32		in_flight;		/* batches */
	uint64		used;			/* blocks that need not be fed */
	uint64		outside;		/* blocks that the sample does not have */
	uint64		done;			/* blocks that are used, in completed batches */
	uint64		compared;		/* blocks whose LSNs were read */
	BufferAccessStrategy strategy;	/* to read heap pages for their LSNs */
	char	   *msg;			/* NULL until needed */
	uint8	   *check;			/* bits of blocks, with it */
	uint8	   *sampled;		/* bits of blocks that the sample has, of the extent that is looked
								 * at; NULL: all */
	uint8	   *all;			/* bits of an extent that is foreseen whole; NULL until needed */
} GpuAggCached;

/*
 * Of a task that has requested the cache; compare: as the request's.  Allocates in the current
 * memory context.
 */
extern GpuAggCached *gpuagg_cached_begin(Relation rel, BlockNumber nblocks, bool compare);

/* The task reads blocks from first to before end, no others; of a sample of blocks these alone. */
extern void gpuagg_cached_only(GpuAggCached *cached, BlockNumber first, BlockNumber end);
extern void gpuagg_cached_sample(GpuAggCached *cached, const GpuAggSample *sample);

/* Messages of the worker.  A status other than GPUAGG_OK: garbled */
extern GpuAggStatus gpuagg_cached_announced(GpuAggCached *cached,
									   const GpuAggMsg *msg, Size bytes);
extern GpuAggStatus gpuagg_cached_validated(GpuAggCached *cached,
										 const GpuAggMsg *msg, Size bytes);

/*
 * Looks at all extents before the task of a device begins.  Left as it was if not all of each is
 * the task's, or they are too many; else the worker may say that this settles it, or begin to read
 * some: release then knows batches numbered from this one on.
 */
extern void gpuagg_cached_look_ahead(GpuAggCached *cached, int device, GpuAggAhead *ahead);
extern GpuAggStatus gpuagg_cached_foreseen(GpuAggCached *cached, const GpuAggMsg *msg,
									  Size bytes, uint64 batch_id);

/* Is there an extent to look at now? */
extern bool gpuagg_cached_more(const GpuAggCached *cached);

/*
 * Looks at the next one.  Returns the message to send, with this number, valid
 * until the next call; NULL: none.
 */
extern const GpuAggMsg *gpuagg_cached_next(GpuAggCached *cached, uint64 batch_id,
										   Size *bytes);

/* Has all been said and answered, so that the feed may begin? */
extern bool gpuagg_cached_settled(const GpuAggCached *cached);

/*
 * What feeding needs of it, copied for another process: bytes, the copy, and what that
 * process makes of it, which points into the copy.
 */
extern Size gpuagg_cached_copy_bytes(const GpuAggCached *cached);
extern void gpuagg_cached_copy(const GpuAggCached *cached, char *to);
extern GpuAggCached *gpuagg_cached_restore(Relation rel, BlockNumber nblocks, char *from);

/* A batch is complete; false if none of this number is in flight. */
extern bool gpuagg_cached_release(GpuAggCached *cached, uint64 batch_id);

/*
 * May a block be kept, as far as its map page told when it was looked at?  Where that said
 * that the page is all-visible, as such.
 */
static inline GpuAggKeep
gpuagg_cached_keep(const GpuAggCached *cached, BlockNumber block)
{
	const GpuAggCachedExtent *extent = &cached->extents[block / GPUAGG_EXTENT_BLOCKS];
	const uint8 *bits = extent->visible;

	if (cached->compare && extent->used != NULL &&
		gpuagg_vismap_bit(extent->used, block % GPUAGG_EXTENT_BLOCKS))
		return GPUAGG_KEEP_COMPARE;
	if (!cached->may_fill || bits == NULL)
		return GPUAGG_KEEP_NOT;
	return gpuagg_vismap_bit(bits, block % GPUAGG_EXTENT_BLOCKS) ? GPUAGG_KEEP_VISIBLE :
																 GPUAGG_KEEP_SETTLED;
}

/*
 * How many blocks from this one on are used: the feed steps over them.  Asked for
 * each page that is read.
 */
extern BlockNumber gpuagg_cached_count_run(const GpuAggCached *cached,
										   BlockNumber block);

static inline BlockNumber
gpuagg_cached_run(const GpuAggCached *cached, BlockNumber block)
{
	const uint8 *used = cached->extents[block / GPUAGG_EXTENT_BLOCKS].used;

	if (cached->compare || used == NULL || !gpuagg_vismap_bit(used, block % GPUAGG_EXTENT_BLOCKS))
		return 0;
	return gpuagg_cached_count_run(cached, block);
}

#endif							/* GPUAGG_HEAP_CACHED_H */
