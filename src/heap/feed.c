/*
 * feed.c
 *		The page feed: a sequential scan that reads no tuples, only pins
 *		pages, decides what is visible on them and hands them over.
 *
 * It follows heapam's page-at-a-time scan step by step (heapgetpage): read
 * the buffer, prune if worthwhile, take the content lock in share mode, look
 * at line pointers and tuple headers, unlock, keep the pin.  What differs is
 * that many pages stay pinned until the device has read them.
 *
 * What a pin without a lock guarantees, and what it does not.  Tuples seen
 * under the lock stay where they are and keep their data: only someone with
 * a cleanup lock could move them.  But a line pointer that was unused or
 * dead under the lock may be given to a new tuple, and line pointers at the
 * end of the array may be cut off, both under a plain exclusive lock.  So
 * a page goes without a bitmap only if each of its lines is a visible tuple
 * or a redirect, and nlines ends at the last visible line.  Of an all-visible
 * page this is known without a look at its line pointers unless its
 * PD_HAS_FREE_LINES is set: it has no dead line, and an unused one is not
 * given away without that flag, which nobody sets while we hold the pin and
 * the page has no dead line.
 *
 * Limits on pins.  A backend's share of shared_buffers, so that any number
 * of them can run at once, or, if that is more, a task's share of a sixteenth of
 * shared_buffers, by how many tasks there are when a batch begins: where batches are
 * small, backend and device wait for each other at each.  And, while a scan that
 * recycles rings of buffers (table larger than a quarter of shared_buffers) really
 * reads, less than these rings, for a ring whose buffers are all pinned is replaced by buffers
 * that others need.
 *
 * Speed.  Of a page in shared_buffers, what costs is finding it; buffer_hint.c does
 * that without the buffer mapping table where it can.
 *
 * Samples.  BERNOULLI is the device's affair and a scan like any other.  Of
 * SYSTEM the feed reads only the blocks that belong to it, from the first to
 * the last and without synchronizing, as PostgreSQL does.  Where buffers follow
 * each other, those of chosen blocks lie as far apart as the blocks.
 *
 * Column cache.  Blocks that the device has are stepped over, in a scan that is
 * otherwise like any other.  Of the rest a page may be kept if it was
 * all-visible in the map before, is so by its own flag now, under the lock, and
 * each of its tuples is handed over; or if it is settled (settled.h).  Its LSN is of
 * the same moment.
 *
 * Not handled: temporary tables (their buffers are private), any access
 * method but heap.  Pins belong to CurrentResourceOwner.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/parallel.h"
#include "access/syncscan.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "compat.h"
#include "executor/instrument.h"
#include "heap/buffer_hint.h"
#include "heap/feed.h"
#include "heap/read_run.h"
#include "heap/visible.h"
#include "ipc/errors.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/predicate.h"
#include "storage/proc.h"
#include "utils/rel.h"
#include "utils/spccache.h"

/* Pages without a miss after which a scan counts as cached again. */
#define MISS_MEMORY 256

/* Buffers of a ring that are left to the read in progress. */
#define RING_SLACK 8

/* One in so many parts of shared_buffers is for the pages of all tasks. */
#define TASKS_SHARE 16

/*
 * Rings that a scan takes in turn, so that many pages may be with the device: 4 MB, or as much
 * of shared_buffers as it may pin
 */
#define MAX_RINGS 16

/* The kernel reads so many blocks ahead by itself where they follow each other (128 kB). */
#define KERNEL_AHEAD 16

/* The first batch; each next is twice as large, so that devices start soon. */
#define FIRST_BATCH_PAGES 16

/* At least this many batches in flight where pins allow */
#define MIN_BATCHES 3

/* Headers of buffers are fetched so far before their pins are dropped. */
#define RELEASE_AHEAD 8

typedef struct GpuAggFeedBatch
{
	uint64		id;
	uint32		npages;			/* 0: free */
	Buffer	   *buffers;
} GpuAggFeedBatch;

/* Which of 64 blocks the sample has */
typedef struct SampleWord
{
	BlockNumber at;				/* the first one; a multiple of 64 */
	uint64		bits;
} SampleWord;

struct GpuAggFeed
{
	Relation	rel;
	Snapshot	snapshot;
	GpuAggVisible visible;		/* what the snapshot sees */
	BlockNumber nblocks;
	BlockNumber block;			/* next one */
	BlockNumber left;			/* blocks not read yet, with those among them
								 * that will not be */
	bool		sampled;		/* only blocks of the sample are read */
	GpuAggSample sample;
	SampleWord	here;			/* around `block` */
	SampleWord	ahead;			/* around what is prefetched */
	const GpuAggCached *cached; /* what need not be read; NULL: nothing */
	bool		given;			/* blocks come by gpuagg_feed_run */
	bool		read_only;		/* nobody here is about to change the table */
	GpuAggBufferHints hints;
	GpuAggReadRun run;			/* none of it is left between batches */
	uint64		pages;

	/* reading */
	BufferAccessStrategy rings[MAX_RINGS];
	uint32		nrings;			/* 0: none is used */
	uint32		ring;			/* number of the ring that is filled */
	uint32		ring_pages;		/* pages of a ring */
	uint32		ring_filled;	/* pages that this ring has already */
	bool		report;			/* synchronized scan */
	uint32		ring_pins;		/* pins allowed while a ring scan misses */
	uint32		misses;			/* pages until the scan counts as cached */
	uint32		io_ahead;		/* blocks to prefetch while it misses */
	BlockNumber io_left;		/* "left" of the first block not prefetched */
	uint32		io_chosen;		/* blocks prefetched, but not read */

	/* batches */
	uint64		wanted_pins;	/* that the device has a use for */
	uint32		first_pins;		/* pins that were allowed when it began */
	uint32		max_pins;		/* pins that are allowed now */
	uint32		pins;
	uint32		batch_pages;	/* of a full batch */
	uint32		next_pages;		/* of the next batch */
	uint32		nbatches;
	uint32		in_flight;
	uint64		sent;
	GpuAggFeedBatch *batches;

	/* message: head, page array, bitmaps */
	char	   *msg;
};

/*
 * A task's share of what shared_buffers have for tasks; of processes that feed one, only the leader
 * has it.
 */
static uint32
task_pins(void)
{
	const uint32 tasks = gpuagg_shmem_tasks();

	return IsParallelWorker() ? 0 : NBuffers / TASKS_SHARE / Max(tasks, 1);
}

/* Pins that one backend may hold now, of so many that are of use */
static uint32
feed_max_pins(uint64 wanted)
{
	const uint32 share = Max(NBuffers / (MaxBackends + NUM_AUXILIARY_PROCS), 4);
	const uint32 of_task = share >= wanted ? 0 : task_pins();

	return Min(Max(share, of_task), wanted);
}

static void
feed_size_batches(GpuAggFeed *feed, uint32 batch_pages, uint32 batches_ahead)
{
	uint32		ahead = Max(batches_ahead, 1);

	batch_pages = Max(batch_pages, 1);
	feed->wanted_pins = (uint64) batch_pages * ahead;
	feed->first_pins = feed->max_pins = feed_max_pins(feed->wanted_pins);
	if (feed->max_pins < feed->wanted_pins)
		ahead = Max(ahead, MIN_BATCHES);
	feed->batch_pages = Max(1, Min(batch_pages, feed->max_pins / ahead));
	feed->next_pages = Min(feed->batch_pages, FIRST_BATCH_PAGES);

	/* small first batches, or small ones while a ring scan misses */
	feed->nbatches = ahead + MIN_BATCHES;
	feed->batches = palloc0(feed->nbatches * sizeof(GpuAggFeedBatch));
	for (uint32 i = 0; i < feed->nbatches; i++)
		feed->batches[i].buffers = palloc(feed->batch_pages * sizeof(Buffer));
	feed->msg = palloc(sizeof(GpuAggMsg) +
					   feed->batch_pages * (sizeof(GpuAggMsgPage) +
											GPUAGG_VISIBILITY_BYTES));
}

/* How many blocks from this one on are not of the sample, at least */
static BlockNumber
feed_outside(const GpuAggFeed *feed, BlockNumber block, SampleWord *word)
{
	const uint32 bit = block % 64;
	uint64		rest;

	if (block - bit != word->at)
	{
		word->at = block - bit;
		word->bits = gpuagg_sample_word(&feed->sample, word->at);
	}
	rest = word->bits >> bit;
	return Min(rest == 0 ? 64 - bit : (BlockNumber) pg_rightmost_one_pos64(rest),
			   feed->nblocks - block);
}

/*
 * How many blocks from this one on are not to be read, at least; 0: it is.
 */
static inline BlockNumber
feed_unwanted(const GpuAggFeed *feed, BlockNumber block, SampleWord *word)
{
	const BlockNumber outside = feed->sampled ? feed_outside(feed, block, word) : 0;

	if (outside > 0)
		return outside;
	return feed->cached != NULL ? gpuagg_cached_run(feed->cached, block) : 0;
}

/* Steps over blocks that are not to be read. */
static void
feed_skip(GpuAggFeed *feed)
{
	BlockNumber from = feed->block;
	BlockNumber run;

	while (feed->left > 0 && (run = feed_unwanted(feed, feed->block, &feed->here)) > 0)
	{
		run = Min(run, feed->left);
		feed->left -= run;
		feed->block += run;
		if (feed->block >= feed->nblocks)
			feed->block = 0;
	}
	gpuagg_buffer_hint_skip(&feed->hints, (int64) feed->block - from);
}

/*
 * Pages in flight are pinned, and a ring may not have all of its buffers pinned when its turn
 * comes: so they are at most as many as the other rings have.
 */
static void
feed_rings(GpuAggFeed *feed)
{
	const uint32 pins = task_pins();
	int			buffers;

	feed->rings[0] = GetAccessStrategy(BAS_BULKREAD);
	buffers = gpuagg_strategy_buffers(feed->rings[0]);
	feed->nrings = Max(1, Min(MAX_RINGS, pins / buffers));
	Assert(feed->nrings <= MAX_RINGS);
	for (uint32 i = 1; i < feed->nrings; i++)
		feed->rings[i] = GetAccessStrategy(BAS_BULKREAD);
	feed->ring_pages = Max(1, buffers - Min(RING_SLACK, buffers / 2));
	feed->ring_pins = Max(1, feed->nrings - 1) * feed->ring_pages;
}

/* As initscan: large tables are read through rings, from anywhere. */
static void
feed_large(GpuAggFeed *feed, bool bulkread)
{
	if (bulkread)
		feed_rings(feed);
	feed->report = synchronize_seqscans && !feed->sampled;
	if (feed->report && !feed->given)
		feed->block = ss_get_location(feed->rel, feed->nblocks);
}

GpuAggFeed *
gpuagg_feed_begin(Relation rel, Snapshot snapshot, BlockNumber nblocks,
				  const GpuAggSampleTaken *sample, const GpuAggCached *cached,
				  bool given, uint32 batch_pages, uint32 batches_ahead)
{
	GpuAggFeed *feed = palloc0(sizeof(GpuAggFeed));

	feed->rel = rel;
	feed->snapshot = snapshot;
	gpuagg_visible_init(&feed->visible, rel, snapshot);
	feed->nblocks = nblocks;
	feed->given = given;
	feed->read_only = !CheckRelationLockedByMe(rel, RowShareLock, true);
	feed->left = feed->io_left = given ? 0 : nblocks;
	gpuagg_buffer_hint_init(&feed->hints, rel);
	feed->run.rel = rel;
	feed_size_batches(feed, batch_pages, batches_ahead);

	/* as initscan */
	feed->sample = sample->sample;
	feed->sampled = sample->method == GPUAGG_SAMPLE_SYSTEM;
	feed->here.at = feed->ahead.at = InvalidBlockNumber;
	feed->cached = cached;
	if (nblocks > NBuffers / 4)
		feed_large(feed, sample->method == GPUAGG_SAMPLE_NONE ||
				   sample->bulkread);
	feed->io_ahead = get_tablespace_io_concurrency(rel->rd_rel->reltablespace);
	feed_skip(feed);
	return feed;
}

void
gpuagg_feed_run(GpuAggFeed *feed, BlockNumber first, BlockNumber n)
{
	gpuagg_buffer_hint_skip(&feed->hints, (int64) first - feed->block);
	feed->block = first;
	feed->left = feed->io_left = n;
	feed->io_chosen = 0;
	feed_skip(feed);
}

/* Where others scan the table tells nothing of where this one should begin. */
void
gpuagg_feed_only(GpuAggFeed *feed, BlockNumber first, BlockNumber n)
{
	feed->report = false;
	gpuagg_feed_run(feed, first, n);
}

bool
gpuagg_feed_more(const GpuAggFeed *feed)
{
	return feed->left > 0;
}

uint32
gpuagg_feed_batches(const GpuAggFeed *feed)
{
	return feed->in_flight;
}

uint64
gpuagg_feed_pages(const GpuAggFeed *feed)
{
	return feed->pages;
}

/* Pins allowed at present */
static inline uint32
feed_pin_limit(const GpuAggFeed *feed)
{
	if (feed->nrings > 0 && feed->misses > 0)
		return Min(feed->ring_pins, feed->max_pins);
	return feed->max_pins;
}

/* Pages of the next batch */
static inline uint32
feed_next_pages(const GpuAggFeed *feed)
{
	uint32		limit = feed_pin_limit(feed);
	uint32		pages = feed->next_pages;

	if (limit < feed->first_pins)
		pages = Min(pages, Max(1, limit / MIN_BATCHES));
	return Min(pages, feed->left);
}

void
gpuagg_feed_whole_batches(GpuAggFeed *feed)
{
	feed->next_pages = feed->batch_pages;
}

bool
gpuagg_feed_has_room(GpuAggFeed *feed, uint32 others)
{
	feed->max_pins = feed_max_pins(feed->wanted_pins);
	return feed->in_flight < feed->nbatches &&
		feed->pins + others + feed_next_pages(feed) <= feed_pin_limit(feed);
}

uint32
gpuagg_feed_pins(const GpuAggFeed *feed)
{
	return feed->pins;
}

/*
 * ReadRecentBuffer pins without counting a use, which would make a table
 * that is scanned again and again look like one that nobody needs.  This
 * counts it as ReadBuffer does.  The compare-and-swap fails while somebody
 * holds the header's lock; then the use goes uncounted.
 */
static inline void
feed_count_use(Buffer buffer)
{
	BufferDesc *desc = GetBufferDescriptor(buffer - 1);
	GpuAggBufferState state = gpuagg_buffer_state(desc);

	if ((state & BM_LOCKED) == 0 &&
		BUF_STATE_GET_USAGECOUNT(state) < BM_MAX_USAGE_COUNT)
		(void) gpuagg_buffer_state_change(desc, &state, state + BUF_USAGECOUNT_ONE);
}

/* Tries to find the block without the buffer mapping table. */
static inline Buffer
feed_guess(GpuAggFeed *feed, BlockNumber block)
{
	Buffer		buffer = gpuagg_buffer_hint_pin(&feed->hints, block);

	if (buffer == InvalidBuffer)
		return InvalidBuffer;
	if (feed->nrings == 0)
		feed_count_use(buffer);
	pgstat_count_buffer_read(feed->rel);
	pgstat_count_buffer_hit(feed->rel);
	return buffer;
}

/* Is the block before it read, too? */
static bool
feed_follows(GpuAggFeed *feed, BlockNumber block)
{
	return block > 0 && feed_unwanted(feed, block - 1, &feed->ahead) == 0;
}

/*
 * While the scan misses, lets the kernel fetch blocks ahead of it: those that
 * will be read.  Where they follow each other it does so by itself, and asking for each takes
 * half as long as reading it does.
 */
static void
feed_prefetch(GpuAggFeed *feed)
{
	/* a run that has been read is ahead of us */
	feed->io_left = Min(feed->io_left, feed->left - gpuagg_read_run_left(&feed->run));
	while (feed->io_chosen < feed->io_ahead && feed->io_left > 0)
	{
		BlockNumber ahead = feed->left - feed->io_left;
		BlockNumber block = feed->block + ahead;
		BlockNumber unwanted;

		/* careful: block numbers may wrap around 2^32 */
		if (block >= feed->nblocks || block < feed->block)
			block = ahead - (feed->nblocks - feed->block);
		unwanted = feed_unwanted(feed, block, &feed->ahead);
		if (unwanted > 0)
		{
			feed->io_left -= Min(unwanted, feed->io_left);
			continue;
		}
		if (!feed_follows(feed, block) || feed->io_ahead > KERNEL_AHEAD)
			(void) PrefetchBuffer(feed->rel, MAIN_FORKNUM, block);
		feed->io_chosen++;
		feed->io_left--;
	}
}

/* The next block; a synchronized scan wraps around. */
static void
feed_advance(GpuAggFeed *feed)
{
	feed->left--;
	if (++feed->block >= feed->nblocks)
		feed->block = 0;
	if (feed->report)
		ss_report_location(feed->rel, feed->block);
	if (feed->io_chosen > 0)
		feed->io_chosen--;
	feed_skip(feed);
}

/* Pages came from disk, into buffers of the ring whose turn it is. */
static void
feed_missed(GpuAggFeed *feed, uint32 n)
{
	feed->misses = MISS_MEMORY;
	feed->ring_filled += n;
	if (feed->nrings == 0 || feed->ring_filled < feed->ring_pages)
		return;
	feed->ring_filled = 0;
	feed->ring = (feed->ring + 1) % feed->nrings;
}

/*
 * How many blocks to read at once, of so many that there is room for: while the scan misses
 * those that follow each other, as far as the ring's turn goes.
 */
static uint32
feed_run_blocks(GpuAggFeed *feed, uint32 room)
{
	uint32		most = Min(room, gpuagg_read_run_most());
	uint32		n = 1;

	if (feed->misses == 0)
		return 1;
	if (feed->nrings > 0)
		most = Min(most, feed->ring_pages - feed->ring_filled);
	most = Min(most, Min(feed->left, feed->nblocks - feed->block));
	while (n < most && feed_unwanted(feed, feed->block + n, &feed->here) == 0)
		n++;
	return n;
}

/* Pins the next block, of one that was read before, or where the buffers of those before are. */
static Buffer
feed_find_or_read(GpuAggFeed *feed, uint32 room)
{
	Buffer		buffer = gpuagg_read_run_take(&feed->run);

	if (buffer == InvalidBuffer)
	{
		buffer = feed_guess(feed, feed->block);
		if (buffer != InvalidBuffer)
			return buffer;
		gpuagg_read_run(&feed->run, feed->block, feed_run_blocks(feed, room),
						feed->rings[feed->ring]);
		buffer = gpuagg_read_run_take(&feed->run);
	}
	if (BufferGetBlockNumber(buffer) != feed->block)
		elog(ERROR, "block %u was read for block %u", BufferGetBlockNumber(buffer), feed->block);
	gpuagg_buffer_hint_found(&feed->hints, buffer);
	return buffer;
}

/* Reads and pins the next block; room for so many pages is left in the batch. */
static Buffer
feed_pin(GpuAggFeed *feed, uint32 room)
{
	int64		reads = pgBufferUsage.shared_blks_read;
	Buffer		buffer = feed_find_or_read(feed, room);

	feed->pages++;
	feed_advance(feed);
	if (pgBufferUsage.shared_blks_read != reads)
		feed_missed(feed, (uint32) (pgBufferUsage.shared_blks_read - reads));
	else if (feed->misses > 0)
		feed->misses--;
	if (feed->misses > 0)
		feed_prefetch(feed);
	return buffer;
}

/*
 * Reads the next page into *page and *bitmap; the batch has room for so many.  *wanted: it is to be
 * handed over, for there is something to see, or to keep; else the pin is dropped already.
 */
static GpuAggStatus
feed_page(GpuAggFeed *feed, uint32 room, GpuAggMsgPage *page, uint8 *bitmap, bool *wanted,
		  GpuAggError *error)
{
	BlockNumber block = feed->block;
	Buffer		buffer = feed_pin(feed, room);
	Page		dp = BufferGetPage(buffer);
	OffsetNumber lines;
	bool		all_visible;
	bool		conflicts;
	bool		sound = true;

	page->keep = feed->cached == NULL ? GPUAGG_KEEP_NOT : gpuagg_cached_keep(feed->cached, block);
	/*
	 * A page that is kept is read once, so its dead rows are left to whoever changes it next.  The
	 * condition is heap_page_prune_opt's own first test, without the call.
	 */
	if (page->keep == GPUAGG_KEEP_NOT && TransactionIdIsValid(((PageHeader) dp)->pd_prune_xid))
		gpuagg_prune_page(feed->rel, buffer, feed->read_only);
	conflicts = CheckForSerializableConflictOutNeeded(feed->rel,
													  feed->snapshot);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	gpuagg_test_old_snapshot(feed->snapshot, feed->rel, dp);
	lines = PageGetMaxOffsetNumber(dp);
	page->buffer = buffer;
	page->block = block;
	if (page->keep == GPUAGG_KEEP_VISIBLE && !PageIsAllVisible(dp))
		page->keep = GPUAGG_KEEP_SETTLED;
	/* what is to be settled is asked of each tuple: a flag without a bit is rare, or a standby's */
	all_visible = PageIsAllVisible(dp) && !feed->snapshot->takenDuringRecovery &&
		page->keep < GPUAGG_KEEP_SETTLED;
	page->newest = InvalidTransactionId;
	if (lines > GPUAGG_MAX_LINES)
		sound = false;
	else if (all_visible && !conflicts && !PageHasFreeLinePointers(dp))
	{
		page->nlines = lines;
		page->has_visibility = 0;
	}
	else
		sound = gpuagg_visible_lines(&feed->visible, buffer, lines, all_visible, conflicts, page,
									 bitmap);
	/* after hint bits were set, which may be logged */
	page->lsn = page->keep != GPUAGG_KEEP_NOT ? BufferGetLSNAtomic(buffer) : 0;
	if (page->lsn == 0 && page->keep == GPUAGG_KEEP_SETTLED)
		page->keep = GPUAGG_KEEP_NOT;
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

	*wanted = sound && (page->nlines > 0 || page->keep != GPUAGG_KEEP_NOT);
	if (!*wanted)
		ReleaseBuffer(buffer);
	if (!sound)
		return gpuagg_error_set(error, GPUAGG_CORRUPT_PAGE, 0,
								"block %u of relation \"%s\" has a bad line pointer",
								block, RelationGetRelationName(feed->rel));
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_feed_next(GpuAggFeed *feed, uint64 batch_id, const GpuAggMsg **msg,
				 Size *bytes, GpuAggError *error)
{
	GpuAggMsg  *head = (GpuAggMsg *) feed->msg;
	GpuAggMsgPage *pages = (GpuAggMsgPage *) (head + 1);
	uint32		room = feed_next_pages(feed);
	uint8	   *bitmap_start = (uint8 *) (pages + room);
	uint8	   *bitmap = bitmap_start;
	GpuAggFeedBatch *batch = feed->batches;
	uint32		n = 0;

	while (batch->npages > 0)
		batch++;
	Assert(batch < feed->batches + feed->nbatches);

	/* the limit falls when a scan that uses a ring begins to miss */
	while (n < room && feed->left > 0 &&
		   feed->pins + n < feed_pin_limit(feed))
	{
		GpuAggStatus status;
		bool		wanted;

		CHECK_FOR_INTERRUPTS();
		status = feed_page(feed, Min(room, feed_pin_limit(feed) - feed->pins) - n, &pages[n],
						   bitmap, &wanted, error);
		if (status != GPUAGG_OK)
		{
			for (uint32 i = 0; i < n; i++)
				ReleaseBuffer(pages[i].buffer);
			gpuagg_read_run_drop(&feed->run);
			return status;
		}
		if (!wanted)
			continue;
		batch->buffers[n] = pages[n].buffer;
		if (pages[n].has_visibility)
			bitmap += GPUAGG_VISIBILITY_BYTES;
		n++;
	}
	Assert(gpuagg_read_run_left(&feed->run) == 0);
	feed->next_pages = Min(feed->batch_pages, feed->next_pages * 2);

	*msg = NULL;
	if (n == 0)
		return GPUAGG_OK;
	if (n < room)
		memmove(pages + n, bitmap_start, bitmap - bitmap_start);
	head->type = GPUAGG_MSG_PAGES;
	head->count = n;
	head->batch_id = batch_id;
	*msg = head;
	*bytes = (char *) (pages + n) - feed->msg + (bitmap - bitmap_start);
	batch->id = batch_id;
	batch->npages = n;
	feed->in_flight++;
	feed->sent++;
	feed->pins += n;
	return GPUAGG_OK;
}

static GpuAggFeedBatch *
feed_find(const GpuAggFeed *feed, uint64 batch_id)
{
	for (uint32 i = 0; i < feed->nbatches; i++)
	{
		if (feed->batches[i].npages > 0 && feed->batches[i].id == batch_id)
			return &feed->batches[i];
	}
	return NULL;
}

Buffer
gpuagg_feed_buffer(const GpuAggFeed *feed, uint64 batch_id, uint32 n)
{
	GpuAggFeedBatch *batch = feed_find(feed, batch_id);

	return batch != NULL && n < batch->npages ? batch->buffers[n] :
		InvalidBuffer;
}

static void
feed_release_batch(GpuAggFeed *feed, GpuAggFeedBatch *batch)
{
	for (uint32 i = 0; i < batch->npages; i++)
	{
		if (i + RELEASE_AHEAD < batch->npages)
			__builtin_prefetch(GetBufferDescriptor(batch->buffers[i + RELEASE_AHEAD] - 1), 1);
		ReleaseBuffer(batch->buffers[i]);
	}
	feed->pins -= batch->npages;
	feed->in_flight--;
	batch->npages = 0;
}

bool
gpuagg_feed_release(GpuAggFeed *feed, uint64 batch_id)
{
	GpuAggFeedBatch *batch = feed_find(feed, batch_id);

	if (batch == NULL)
		return false;
	feed_release_batch(feed, batch);
	return true;
}

void
gpuagg_feed_end(GpuAggFeed *feed)
{
	for (uint32 i = 0; i < feed->nbatches; i++)
	{
		if (feed->batches[i].npages > 0)
			feed_release_batch(feed, &feed->batches[i]);
	}
	for (uint32 i = 0; i < feed->nrings; i++)
		FreeAccessStrategy(feed->rings[i]);
	feed->nrings = 0;
	ereport(DEBUG2,
			(errmsg_internal("gpuagg: of %llu pages of \"%s\" %llu were found by buffers before, the others by %llu reads, in %llu batches",
							 (unsigned long long) feed->pages, RelationGetRelationName(feed->rel),
							 (unsigned long long) feed->hints.good,
							 (unsigned long long) feed->run.reads,
							 (unsigned long long) feed->sent)));
}
