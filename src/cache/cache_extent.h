/*
 * cache_extent.h
 *		What the column cache holds: extents of tables, and where in the device's
 *		stripes the rows of each block lie.
 *
 * Inside the worker, below all that decides what is held; the records of tables and
 * columns are here, too.  An extent is a range of GPUAGG_EXTENT_BLOCKS blocks.  Each of
 * its blocks that is kept has positions in one of the extent's stripes.  A column of an
 * extent is *filled* for some blocks: their values lie at the blocks' positions.  A block
 * is *held* for a set of columns if all of them are filled.
 *
 * Who may do what.  Jobs register as users of an extent; any of them may fill it, and
 * none waits for another.  A block of which nothing is held is filled by one job at a
 * time, at positions that nobody reads.  To a block that is held for other columns come
 * the job's, at the positions that it has, if its page is known to be what it was
 * (cache_fill.c); nothing that others read changes.  What an extent has is forgotten
 * where it lies, or evicted, only while nobody else uses it.
 *
 * Versions.  A block that is replaced while others use the extent gets new positions;
 * where it lay before is a *former* (cache_former.h), until all have left that began
 * before.  So each user reads what the directory was when it began.
 *
 * Functions that allocate raise an ERROR without memory, and leave everything
 * consistent.
 */
#ifndef GPUAGG_CACHE_CACHE_EXTENT_H
#define GPUAGG_CACHE_CACHE_EXTENT_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "device/device.h"
#include "ipc/protocol.h"
#include "lib/ilist.h"
#include "lib/pairingheap.h"

/*
 * Stripes of an extent: the first for all of it, others for what did not fit; and those that are
 * closed, for a while
 */
#define GPUAGG_EXTENT_STRIPES 8
#define GPUAGG_EXTENT_SLOTS 16
#define GPUAGG_NO_STRIPE UINT8_MAX

/* Words of a bitmap with a bit for each of n blocks */
#define GPUAGG_BITMAP_WORDS(n) (((n) + 63) / 64)

/*
 * "Attribute" of the column that tasks without columns want: which rows there
 * are.  It takes no more of a stripe than the stripe itself, and an extent has
 * it alone: where other columns are held, they tell the same.
 */
#define GPUAGG_CACHE_ROWS UINT32_MAX

struct GpuAggWorkerJob;

typedef struct GpuAggCacheBlock
{
	uint64		lsn;			/* of the page when it was kept */
	uint64		known;			/* it is what its page was when the WAL ended here, or later */
	uint64		newest;			/* transaction that its rows depend on (cache_settled.h); 0: none */
	uint32		position;
	uint16		positions;			/* that it has there */
	uint8		stripe;			/* index, or GPUAGG_NO_STRIPE: no positions */
} GpuAggCacheBlock;

/* Where a block lay until a version of the extent; users that began before read it there. */
typedef struct GpuAggCacheFormer
{
	uint32		number;
	bool		begun;			/* some job may still decode its page there */
	uint64		until;
	GpuAggCacheBlock block;
} GpuAggCacheFormer;

/* Free ranges that begin in one part of a stripe, in order */
typedef struct GpuAggCacheFreePart
{
	uint32		n;
	uint32		max;
	uint32		next;			/* where to look first */
	uint32		most;			/* no range has more positions */
	GpuAggPositions *ranges;
} GpuAggCacheFreePart;

/* Positions that belong to no block (cache_free.h): parts of all stripes, one after the other */
typedef struct GpuAggCacheFree
{
	uint32		n;				/* ranges of all parts */
	uint32		nparts;
	uint32		next;			/* where to look first */
	GpuAggCacheFreePart *parts;
} GpuAggCacheFree;

/* Who uses an extent: what it was when CACHED was sent */
typedef struct GpuAggCacheReader
{
	dlist_node	node;
	uint64		version;
	uint64		map_lsn;
} GpuAggCacheReader;

/* A column of a table */
typedef struct GpuAggCacheColumn
{
	dlist_node	node;
	uint32		attr;			/* from 0, or GPUAGG_CACHE_ROWS */
	uint32		type;			/* GpuAggType */
	GpuAggScale scale;			/* as GpuAggAttr's */
	GpuAggDictionary *dictionary;	/* of strings; NULL: not made yet */
	uint64		uses;			/* tasks that wanted it */
	TimestampTz last_use;
	bool		unwanted;		/* goes as soon as nobody uses it */
	bool		pinned;			/* others do not displace it (cache_pin.h) */
	uint32		entry;			/* in what backends see (ipc/cache_shared.h); 0: none */
	const char *note;			/* static string: why it is not cached; NULL */
} GpuAggCacheColumn;

/* What an extent has of a column */
typedef struct GpuAggCacheFill
{
	GpuAggCacheColumn *column;
	struct GpuAggCacheExtent *extent;
	double		priority;		/* the least goes first */
	uint64		secured;		/* bytes, if it is pinned and not to be evicted */
	bool		queued;			/* may be evicted: nobody uses its extent */
	pairingheap_node queue;
	uint32		nfilled;
	uint64		npositions;		/* of these blocks */
	uint64	   *filled;			/* a bit for each block */
	uint64	   *begun;			/* the same: some job decodes its page there, and nobody else */
} GpuAggCacheFill;

/* Zones of a stripe of which it is known whether they are tight */
#define GPUAGG_TIGHT_ZONES 192

typedef struct GpuAggCacheStripe
{
	GpuAggStripe *stripe;
	uint32		positions;
	uint32		used;			/* the first ones */
	bool		told;			/* the device knows which lines lie where (cache_pages.h) */
	bool		packed;			/* some of its columns are: it takes no page */
	uint32		left;			/* positions of it that are free */
	bool		closed;			/* all that lies there are formers; when they go, it does */
	uint32		formers;		/* of a closed one; of a stripe that has gone (NULL) none */
	uint64		loose[GPUAGG_TIGHT_ZONES / 64]; /* zones of which a value went */
} GpuAggCacheStripe;

/* What of an extent is to be packed (cache_pack.h) */
typedef struct GpuAggCachePacking
{
	dlist_node	node;			/* of those that wait, if it does */
	bool		waits;
	TimestampTz since;			/* few pages have come */
	uint32		came;			/* that have */
	int			stripe;			/* what comes next: a column of a stripe */
	int			fill;
} GpuAggCachePacking;

typedef struct GpuAggCacheTable GpuAggCacheTable;

typedef struct GpuAggCacheExtent
{
	GpuAggCacheTable *table;
	uint32		number;
	uint32		room;			/* blocks that the arrays are long enough for */
	uint64		map_lsn;
	uint64		page_lsn;		/* no block is held with a greater one */
	uint64		newest;			/* no block depends on a newer transaction; 0: on none */
	uint64	   *newest_of;		/* the same of each 64 blocks */
	GpuAggSnapshot kept_by;		/* all that depend on one were settled for this snapshot */
	GpuAggCacheBlock *blocks;
	uint64	   *changed;		/* of each block, the end of the last record that changed it */
	uint64		changed_beyond; /* of any block behind those */
	uint64	   *doubt;			/* a bit for each block: the WAL does not tell that it is what its
								 * page is (cache_wal.h) */
	uint32		span;			/* of which these bits are */
	uint32		nplaced;		/* blocks that have positions */
	int			nstripes;		/* with those that are closed, or have gone */
	bool		full;			/* one more stripe was wanted */
	bool		zoned;			/* zones were asked since it was laid in order */
	bool		saved;			/* and saved reading something */
	uint32		moved;			/* blocks that have come anew since then */
	TimestampTz arranged;		/* when that was */
	TimestampTz arrange_from;	/* it is not to be before; for it failed */
	TimestampTz released;		/* formers were looked through for what keeps closed stripes */
	uint64		laid;			/* how often it was */
	GpuAggCachePacking packing;
	GpuAggCacheStripe stripes[GPUAGG_EXTENT_SLOTS];
	int			nfills;
	int			max_fills;
	GpuAggCacheFill **fills;
	int			users;
	dlist_head	readers;		/* the users */
	uint64		version;		/* how often blocks were replaced beside users */
	uint32		nformers;
	uint32		max_formers;
	uint32		next_former;	/* positions of those before it are free, or handed out */
	uint32		release_from;	/* so many behind it are worth a look for those that nobody reads */
	GpuAggCacheFormer *formers; /* in the order of their versions */
	GpuAggCacheFree free;
	uint64		forgotten;		/* how often a block was: while that is the same, so is each
								 * block that a user reads */
	int			fillers;		/* users that have begun to fill it */
} GpuAggCacheExtent;

struct GpuAggCacheTable
{
	dlist_node	relation;		/* of a bucket, while it is alive */
	dlist_node	file;			/* the same */
	dlist_node	empty;			/* of tables that may be forgotten, if is_empty */
	dlist_node	changed;		/* of those that backends see an old state of, if is_changed */
	dlist_node	listed;			/* of those that backends see, if nentries > 0 */
	uint32		spcoid;			/* as in GpuAggCacheRequest */
	uint32		dbid;
	uint32		relnumber;
	uint32		relid;
	bool		dead;			/* nobody may use it from now on */
	bool		is_empty;		/* nothing is held, and no job knows it */
	bool		is_changed;
	bool		is_used;		/* since it was written about */
	int			jobs;			/* that know it */
	uint64		followed;		/* the WAL was read up to here when a task began that reads again
								 * what had changed before; 0: never */
	double		told_blocks;	/* that have changed, by so many bytes of the WAL */
	double		told_bytes;
	uint64		directory;		/* bytes that its directory takes */
	uint32		entry;			/* as a column's: what its columns share */
	uint32		nentries;		/* all of them */
	dlist_head	columns;
	uint32		nheld;			/* extents that there are */
	uint32		nextents;		/* length of the array */
	GpuAggCacheExtent **extents;	/* by number; NULL: nothing of it */
};

/* NULL: nothing of the column is filled. */
extern GpuAggCacheFill *gpuagg_cache_fill(const GpuAggCacheExtent *extent,
										  const GpuAggCacheColumn *column);

/*
 * Blocks below nblocks that are held for some columns, into GPUAGG_BITMAP_WORDS
 * (nblocks) words; returns their number.
 */
extern uint32 gpuagg_cache_held(const GpuAggCacheExtent *extent,
								GpuAggCacheColumn *const *columns,
								int ncolumns, uint32 nblocks, uint64 *held);

/* May the extent come to have these columns?  Not the rows beside others, which tell the same. */
extern bool gpuagg_cache_may_have(const GpuAggCacheExtent *extent,
								  GpuAggCacheColumn *const *columns,
								  int ncolumns);

/* Is any column of a block filled, or begun? */
extern bool gpuagg_cache_has(const GpuAggCacheExtent *extent, uint32 block);
extern bool gpuagg_cache_is_begun(const GpuAggCacheExtent *extent, uint32 block);

/* Nothing of a block is held any more; its positions stay its own. */
extern void gpuagg_cache_forget(GpuAggCacheExtent *extent, uint32 block);

/* Its positions are about to be other ones: what is being decoded to these is nothing of it. */
extern void gpuagg_cache_leave_positions(GpuAggCacheExtent *extent, uint32 block);

/*
 * Somebody uses the extent from now on, as it is; and no more.
 */
extern void gpuagg_cache_reader_add(GpuAggCacheExtent *extent, GpuAggCacheReader *reader);
extern void gpuagg_cache_reader_remove(GpuAggCacheExtent *extent, GpuAggCacheReader *reader);

/* Is any column of any block filled? */
extern bool gpuagg_cache_has_any(const GpuAggCacheExtent *extent);

/* For the only user: if nothing is held, positions that blocks have had are given up. */
extern void gpuagg_cache_begin_anew(GpuAggCacheExtent *extent);

/*
 * A column of a block is decoded to its positions from now on; and that is over.  done: it lies
 * there now.
 */
extern void gpuagg_cache_fill_begin(GpuAggCacheFill *fill, uint32 block);
extern void gpuagg_cache_fill_end(GpuAggCacheFill *fill, uint32 block, bool done);

/* No positions are free any more (cache_free.h). */
extern void gpuagg_cache_free_none(GpuAggCacheExtent *extent);

/* A stripe goes, if it has not yet; its number stays. */
extern void gpuagg_cache_stripe_gone(GpuAggCacheStripe *stripe);

/* Bytes that an extent's stripes have for a column; for the rows, all */
extern uint64 gpuagg_cache_fill_bytes(const GpuAggCacheExtent *extent,
									  const GpuAggCacheFill *fill);

/* By how many they are fewer because it is packed */
extern uint64 gpuagg_cache_fill_saved(const GpuAggCacheExtent *extent,
									  const GpuAggCacheFill *fill);

/*
 * Of an extent that nobody uses, or but one who has filled nothing yet: the i-th column
 * goes; columns of which nothing is filled go, and the rows if there are others; all of it
 * goes.  Without columns there are no positions and stripes.
 */
extern void gpuagg_cache_extent_drop(GpuAggCacheExtent *extent, int i);
extern void gpuagg_cache_drop_useless(GpuAggCacheExtent *extent);
extern void gpuagg_cache_extent_free(GpuAggCacheExtent *extent);

static inline bool
gpuagg_cache_is_rows(const GpuAggCacheColumn *column)
{
	return column->attr == GPUAGG_CACHE_ROWS;
}

/* Has a stripe's zone no bounds but those of values that are there? */
static inline bool
gpuagg_cache_is_tight(const GpuAggCacheStripe *stripe, uint32 zone)
{
	return zone < GPUAGG_TIGHT_ZONES && (stripe->loose[zone / 64] >> zone % 64 & 1) == 0;
}

static inline bool
gpuagg_cache_is_idle(const GpuAggCacheExtent *extent)
{
	return extent->users == 0;
}

/* Blocks of an extent of a table that has so many */
static inline uint32
gpuagg_extent_blocks(uint32 number, uint32 nblocks)
{
	uint64		first = (uint64) number * GPUAGG_EXTENT_BLOCKS;

	return nblocks <= first ? 0 : (uint32) Min(nblocks - first, GPUAGG_EXTENT_BLOCKS);
}

static inline bool
gpuagg_bit(const uint64 *bits, uint32 i)
{
	return (bits[i / 64] >> i % 64 & 1) != 0;
}

#endif							/* GPUAGG_CACHE_CACHE_EXTENT_H */
