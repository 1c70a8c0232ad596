/*
 * protocol.h
 *		Messages between a backend and a device worker.
 *
 * Two shm_mq queues of one task carry them, each message led by a
 * GpuAggMsg.  All structures are 8-byte aligned within a message.  The
 * order of a task:
 *
 *		client						worker
 *		BEGIN (program)
 *									READY		(admitted; memory granted)
 *		TABLE ...								(of a task over several tables)
 *									CACHED		(if BEGIN or TABLE requests the
 *												cache)
 *		MAP ...						VALIDATED	(only of those with LSNs)
 *		PAGES, ROWS, BLOCK ...		BATCH_DONE	(per batch; rows to evaluate)
 *		FINISH						RESULTS ...	(groups)
 *									DONE		(statistics)
 * FAILED may take the place of any worker message and is the last.
 *
 * Pages travel as buffer numbers; the worker reads them in shared_buffers.
 *
 * A task reads the table that BEGIN names, and those that TABLE messages add, one
 * after the other in groups of the same program.  They are numbered from 0 in this
 * order, and numbers of batches begin with that of their table.  A table may be added
 * while those before it are read, so that CACHED has come when its turn does.
 *
 * The column cache (cache/cache.c).  An extent of a table is the blocks that
 * one visibility-map page covers.  CACHED tells which extents the worker holds,
 * with all columns of the program, and the LSN that the map page had when that
 * was true of them.  The client looks at each map page, under its snapshot,
 * and answers with MAP for each extent that it wants used or filled.  Blocks
 * that are used come from the cache and complete as one batch; the client
 * feeds all others.
 *
 * A task whose BEGIN says `called` reads nothing.  It gives values that only PostgreSQL computes
 * (device/ops/code_table.h) of a kept column's strings: its program's one key.
 *
 *		BEGIN						READY, CACHED
 *		ASK ...						STRINGS ...	(some strings, by their codes)
 *		ROWS ...								(their values; batch_id: the first code; a state
 *												may be NEEDS_PG: an error)
 *		FINISH						DONE
 *
 * A client that finds all of a table all-visible may say so ahead, with BEGIN.  If the worker
 * then holds all of it, with these LSNs, nothing else need be said: SETTLED comes in place of
 * CACHED, and may be sent together with the groups.
 */
#ifndef GPUAGG_IPC_PROTOCOL_H
#define GPUAGG_IPC_PROTOCOL_H

#include "device/device.h"

typedef enum GpuAggMsgType
{
	/* client to worker */
	GPUAGG_MSG_BEGIN = 1,		/* GpuAggBeginMsg */
	GPUAGG_MSG_PAGES,			/* count GpuAggMsgPage, then the bitmaps of
								 * those that have one, in order, each
								 * GPUAGG_VISIBILITY_BYTES long */
	GPUAGG_MSG_ROWS,			/* count rows; columns as below */
	GPUAGG_MSG_FINISH,
	GPUAGG_MSG_MAP,				/* GpuAggMapMsg */
	GPUAGG_MSG_TABLE,			/* GpuAggTableMsg */
	GPUAGG_MSG_BLOCK,			/* GpuAggBlockMsg: count rows */
	GPUAGG_MSG_ASK,				/* of a task that gives values of strings: those from code
								 * batch_id on, count of them at most */
	/* worker to client */
	GPUAGG_MSG_READY,			/* GpuAggReadyMsg */
	GPUAGG_MSG_CACHED,			/* count GpuAggMsgCached, then the bitmaps of
								 * those that are not whole, in order, each
								 * (nblocks + 7) / 8 bytes padded to 8;
								 * batch_id: a number of the table's, odd: pages
								 * of other extents may be kept; even: nothing
								 * is, and MAP messages about them are not worth
								 * sending.  What is used already are batches of the table's first
								 * numbers, one for each extent that BEGIN names */
	GPUAGG_MSG_SETTLED,			/* in place of CACHED: all that BEGIN's client had looked at
								 * is used, count extents, whose batches are numbered from
								 * batch_id on; groups come without FINISH */
	GPUAGG_MSG_VALIDATED,			/* GpuAggValidatedMsg */
	GPUAGG_MSG_BATCH_DONE,		/* count GpuAggRowRef: rows for PostgreSQL */
	GPUAGG_MSG_RESULTS,			/* count groups, as task_results wrote them;
								 * batch_id 1: the device has regrouped them */
	GPUAGG_MSG_STRINGS,			/* GpuAggStringsMsg, the answer to ASK */
	GPUAGG_MSG_MADE,			/* GpuAggMadeMsg: of a task that makes a table, before DONE */
	GPUAGG_MSG_DONE,			/* GpuAggDoneMsg */
	GPUAGG_MSG_FAILED			/* GpuAggFailedMsg */
} GpuAggMsgType;

typedef struct GpuAggMsg
{
	uint32_t	type;			/* GpuAggMsgType */
	uint32_t	count;
	uint64_t	batch_id;		/* PAGES, ROWS, BLOCK, BATCH_DONE, RESULTS */
} GpuAggMsg;

/* The table that a batch is of, and the first number of its batches */
#define GPUAGG_BATCH_TABLE(batch_id) ((uint32_t) ((batch_id) >> 40))
#define GPUAGG_TABLE_BATCH(table) ((uint64_t) (table) << 40)
#define GPUAGG_TASK_TABLES (1 << 24)	/* at most */

/* May a page be kept, and why are its rows those that others see, too? */
typedef enum GpuAggKeep
{
	GPUAGG_KEEP_NOT,
	GPUAGG_KEEP_VISIBLE,		/* all-visible, in the map as well as on the page, and no row
								 * is missing */
	GPUAGG_KEEP_SETTLED,		/* each transaction that they depend on had ended before the
								 * client's snapshot */
	GPUAGG_KEEP_COMPARE			/* it is kept, and would be used: the device compares */
} GpuAggKeep;

typedef struct GpuAggMsgPage
{
	int32_t		buffer;			/* PostgreSQL's Buffer, pinned by the client */
	uint32_t	block;
	uint16_t	nlines;
	uint8_t		has_visibility;
	uint8_t		keep;			/* GpuAggKeep */
	uint32_t	newest;			/* of these transactions, if settled; 0: there are none */
	uint64_t	lsn;			/* the page's, under the content lock; if it may be kept */
} GpuAggMsgPage;

/* Heap blocks of an extent: of one page of the visibility map, 8 kB */
#define GPUAGG_EXTENT_BLOCKS 32672
#define GPUAGG_EXTENT_BITMAP_BYTES ((GPUAGG_EXTENT_BLOCKS + 7) / 8 + 4)	/* 4088 */

/*
 * What of a client's snapshot tells whether transactions are in its past (heap/settled.h).
 * Of two snapshots the later one has the greater xmax, or no more that run.
 */
typedef struct GpuAggSnapshot
{
	uint32_t	xmin;			/* whatever precedes it has ended */
	uint32_t	xmax;			/* whatever has ended precedes it; xmin: not compared */
	uint32_t	running;		/* transactions before xmax that have not ended */
	uint32_t	later_xmax;		/* snapshots with a greater xmax are later, and with this one and
								 * no more that run */
	uint64_t	next;			/* the transaction to be begun next, with its epoch */
} GpuAggSnapshot;

/* Which table, and what of the cache a task wants; relnumber 0: nothing */
typedef struct GpuAggCacheRequest
{
	uint32_t	spcoid;			/* the relation's files */
	uint32_t	dbid;
	uint32_t	relnumber;
	uint32_t	relid;
	uint32_t	nblocks;		/* of the table */
	uint32_t	fill;			/* 1: what is not cached may be filled in */
	uint32_t	written;		/* of nblocks, those that may hold rows: draws need so many */
	uint32_t	follow;			/* 1: all that its snapshot sees has been written to the WAL, or
								 * is about to be by commits that did not wait for it */
	uint32_t	compare;		/* 1: what is held is not read, but compared with the pages, all of
								 * which come */
	uint32_t	pack;			/* GpuAggPack (settings.h): when the task leaves the table, what is
								 * kept of it is packed (on), or waits no more to be (off) */
	GpuAggSnapshot snapshot;	/* last: other tasks ask for the same with another one */
} GpuAggCacheRequest;

typedef struct GpuAggMsgCached
{
	uint32_t	extent;			/* its first block / GPUAGG_EXTENT_BLOCKS */
	uint32_t	nblocks;		/* of the extent, that are held at most; the
								 * bitmap has bits for */
	uint64_t	map_lsn;
	uint32_t	whole;			/* 1: all of them are; no bitmap follows */
	uint32_t	current;		/* 1: by the WAL all of them are what their pages are; 2: and they
								 * are used already, for BEGIN's client reads all of the extent */
} GpuAggMsgCached;

/*
 * One extent as the client finds it.  msg.batch_id: of the batch that the use of
 * it is, if use; all messages about pages, rows and extents share their numbers,
 * which rise.
 */
typedef struct GpuAggMapMsg
{
	GpuAggMsg	msg;
	uint32_t	extent;
	uint32_t	nblocks;		/* of the extent, that the table has now */
	uint64_t	map_lsn;		/* of the map page, now; 0: there is none, and no bit is set */
	uint32_t	whole;			/* 1: all bits up to nblocks are set; no bitmap
								 * follows */
	uint32_t	use;			/* 1: use held blocks */
	uint32_t	checked;		/* blocks whose heap pages' LSNs follow, read after the map page:
								 * of those that are held all whose bit is not set; all, if
								 * map_lsn is not the one of CACHED.  They are used if they
								 * are held with this LSN, and VALIDATED tells which are */
	uint32_t	current;		/* 1: what CACHED told as current is used, without a look at its
								 * pages; 2: some of it, as bits tell.  None is checked */
	/*
	 * Bits of nblocks blocks, padded to 8 bytes, unless whole; if some are current, or any are
	 * checked: bits of these; LSNs of those that are checked, in order
	 */
} GpuAggMapMsg;

/* Which blocks of the extent are used */
typedef struct GpuAggValidatedMsg
{
	GpuAggMsg	msg;			/* batch_id as in MAP */
	uint32_t	extent;
	uint32_t	nblocks;
	uint8_t		used[GPUAGG_EXTENT_BITMAP_BYTES];
} GpuAggValidatedMsg;

#define GPUAGG_AHEAD_EXTENTS 64

/* What the client found in the visibility map before the task began; n 0: it does not tell */
typedef struct GpuAggAhead
{
	uint64_t	kept;			/* GpuAggCacheShared.kept, read before the map */
	uint32_t	first;			/* these extents are all that the task reads, each as a whole */
	uint32_t	n;
	uint32_t	early;			/* 1: the client has other things to do, and is woken when the task
								 * has begun */
	uint32_t	pad;
	uint64_t	map_lsns[GPUAGG_AHEAD_EXTENTS];	/* 0: not all bits of the extent are set */
} GpuAggAhead;

typedef struct GpuAggBeginMsg
{
	GpuAggMsg	msg;
	GpuAggTaskConfig config;
	uint32_t	host;			/* 1: on the host device, whatever others
								 * there are */
	uint32_t	measure;		/* 1: to measure that device
								 * (probe/probe_task.h) */
	GpuAggCacheRequest cache;
	GpuAggAhead ahead;			/* of that table */
	double		predicted_ms;	/* ms that it is predicted to take; 0: not known */
	uint32_t	several;		/* 1: TABLE messages follow; strings stay strings,
								 * for each table has codes of its own */
	uint32_t	called;			/* 1: the task gives values of strings */
	uint32_t	pad;
	uint32_t	alone;			/* 1: no other task may run on the device meanwhile */
	uint32_t	segment;		/* handle of the segment where the program lies, if it is
								 * long; 0: it follows */
	uint32_t	program_bytes;
	/* GpuAggProgram follows */
} GpuAggBeginMsg;

/* One more table; msg.batch_id: the first number of its batches */
typedef struct GpuAggTableMsg
{
	GpuAggMsg	msg;
	GpuAggCacheRequest cache;
} GpuAggTableMsg;

/*
 * ROWS: for each output of the program, in order:
 *		uint8_t states[count], padded to 8;
 *		I64, F64: 8-byte values[count];
 *		BYTES: uint32_t lengths[count], padded to 8, then the strings one
 *		after the other (nothing for NULLs), padded to 8.
 */

/* Columns as ROWS has them, in a segment (ipc/block_ring.h) and not in the message */
typedef struct GpuAggBlockMsg
{
	GpuAggMsg	msg;
	uint32_t	segment;		/* its handle */
	uint32_t	pad;
	uint64_t	offset;
	uint64_t	bytes;
} GpuAggBlockMsg;

#define GPUAGG_BLOCK_BYTES (64 * 1024 * 1024)	/* at most */

typedef struct GpuAggReadyMsg
{
	GpuAggMsg	msg;
	GpuAggDeviceInfo info;
} GpuAggReadyMsg;

/*
 * A look-up table that the device has made and keeps for a while (worker/job_made.h): its
 * header with its columns follows, as programs name it; then, of each of the program's
 * keys that are strings (msg.count of them), what its codes mean.
 */
typedef struct GpuAggMadeMsg
{
	GpuAggMsg	msg;
	/* GpuAggLookup, GpuAggLookupColumn[ncolumns], GpuAggMadeStrings ... */
} GpuAggMadeMsg;

typedef struct GpuAggMadeStrings
{
	uint32_t	column;			/* number of the key */
	uint32_t	count;			/* codes are 0 .. count - 1 */
	uint64_t	bytes;			/* of the strings */
	/* uint32_t lengths[count], padded to 8; the strings one after the other, padded to 8 */
} GpuAggMadeStrings;

/* What ASK's batch_id is to begin with: the first string of which no value is known */
#define GPUAGG_ASK_MISSING UINT64_MAX

/* Strings of a dictionary, msg.count of them; msg.batch_id: the first one's code */
typedef struct GpuAggStringsMsg
{
	GpuAggMsg	msg;
	uint64_t	total;			/* strings that there are */
	/* uint32_t lengths[count], padded to 8; the strings one after the other, padded to 8 */
} GpuAggStringsMsg;

/* Zones of kept columns (device/stripe.h) that were asked, and what came of it */
typedef struct GpuAggZonesCount
{
	uint64_t	read;
	uint64_t	skipped;		/* no row passes the filter */
	uint64_t	answered;		/* no row need be read */
} GpuAggZonesCount;

typedef struct GpuAggDoneMsg
{
	GpuAggMsg	msg;
	uint64_t	rows_scanned;
	uint64_t	rows_passed;
	uint64_t	left[GPUAGG_STAGES - 1];	/* GpuAggCompletion's */
	uint64_t	groups;
	uint64_t	memory_bytes;
	uint64_t	device_ns;
	uint64_t	transfer_ns;
	uint64_t	decode_ns;
	uint64_t	kernel_ns;
	uint64_t	link_bytes;
	uint64_t	switches;		/* of strategy */
	uint64_t	pages_kept;		/* that were added to the cache, or renewed */
	uint64_t	compiled;		/* GpuAggTaskStats */
	uint64_t	regrouped;
	GpuAggZonesCount zones;
	uint32_t	draw_way;		/* of draws: GpuAggTaskStats */
	uint32_t	draw_windows;
	char		strategy[32];
	uint32_t	ntables;
	uint32_t	pad;
	/* for each table, uint64_t: rows that were scanned of it */
} GpuAggDoneMsg;

typedef struct GpuAggFailedMsg
{
	GpuAggMsg	msg;
	GpuAggError error;
	uint64_t	rows_passed;	/* until then, and groups found in them */
	uint64_t	groups;
	uint64_t	shared;			/* 1: other tasks were on the device with it */
} GpuAggFailedMsg;

#define GPUAGG_ALIGN8(n) ((size_t) gpuagg_align(n, 8))

/* Are these programs the same but for the seed, which neither groups nor rows depend on? */
static inline bool
gpuagg_program_same(const GpuAggProgram *a, const GpuAggProgram *b)
{
	const size_t seed = offsetof(GpuAggProgram, hash_seed);
	const size_t behind = seed + sizeof(a->hash_seed);

	return a->bytes == b->bytes && memcmp(a, b, seed) == 0 &&
		memcmp((const char *) a + behind, (const char *) b + behind, a->bytes - behind) == 0;
}

#endif							/* GPUAGG_IPC_PROTOCOL_H */
