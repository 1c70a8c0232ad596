/*
 * cache.c
 *		The column cache, as the device worker's jobs use it (cache.h);
 *		src/README.md says why what it answers is right.
 *
 * Of each chunk of its table a job is a user, the filler, both, or neither.
 * When CACHED is sent it becomes a user where blocks are held for all columns
 * that its program loads, and the exclusive filler of chunks of which it could
 * use nothing, or less than with all its columns, and that nobody has to do
 * with.  MAP then says what the chunk's map page is now.  A user may find that
 * blocks are missing, and becomes the filler that others do not notice.
 *
 * Using: the places of the blocks that are used are read as one batch of each
 * slab, which is given the ranges of all other places.
 *
 * Filling: a page that the client offers gets places, and is decoded there
 * while it is grouped.  It counts as held when its batch is complete, without
 * an error and without rows left to PostgreSQL, and not before: batches that
 * have not come that far when the job leaves are forgotten.
 */
#include "postgres.h"

#include "gpuagg.h"
#include "service/cache.h"
#include "service/cache_chunk.h"
#include "service/cache_memory.h"
#include "service/cache_shared.h"
#include "service/encoding.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* A new slab has so much more places than the pages seen so far suggest. */
#define LINES_SPARE 1.05

static uint64 answered = 0;		/* requests to unload */

/* What a job has to do with a chunk */
typedef struct GpuAggCacheUse
{
	GpuAggCacheChunk *chunk;	/* NULL: nothing */
	bool		user;
	bool		filler;
	uint32		nblocks;		/* of a user: CACHED told of so many, */
	uint64	   *told;			/* of these; NULL: all of them */
	bool		mapped;			/* its MAP has come */
	bool		open;			/* it has the program's columns */
	bool		full;			/* it found no memory */
} GpuAggCacheUse;

/* A page of a batch in flight that is being kept */
typedef struct GpuAggCacheKeep
{
	uint32		page;			/* index in the batch */
	uint32		chunk;
	uint32		block;			/* of the chunk */
} GpuAggCacheKeep;

/* A batch in flight that keeps pages, or reads slabs */
typedef struct GpuAggCacheBatch
{
	dlist_node	node;
	uint64		batch_id;
	uint32		parts;			/* slabs; 0: of pages */
	uint32		nkeeps;
	GpuAggCacheKeep keeps[FLEXIBLE_ARRAY_MEMBER];
} GpuAggCacheBatch;

typedef struct GpuAggCacheJob
{
	GpuAggCacheTable *table;	/* NULL: none, or it has left */
	bool		begun;			/* CACHED was sent */
	bool		keep;			/* it may be a filler */
	uint32		nblocks;		/* of the table */
	int			ncolumns;
	GpuAggCacheColumn **columns;
	uint32		nuses;
	GpuAggCacheUse *uses;		/* by number of the chunk */
	dlist_head	batches;
	uint64		kept;
	uint64		drawn;			/* of draws: blocks that are used */
} GpuAggCacheJob;

/* ---------------------------------------------------------------- begin --- */

void
gpuagg_cache_start(void)
{
	GpuAggWorkerDevice *on = &gpuagg_worker.primary;
	uint64		bytes = (uint64) Max(gpuagg_cache_size, 0) * 1024 * 1024;

	if (on->ops->slabs != NULL && gpuagg_cache_size < 0)
		bytes = gpuagg_devices_spare();
	gpuagg_cache_set_limit(bytes);
	gpuagg_cache_answer();
	gpuagg_cache_publish();
}

void
gpuagg_cache_stop(void)
{
	gpuagg_cache_shared_lock(LW_EXCLUSIVE)->nentries = 0;
	gpuagg_cache_shared_unlock();
}

/* ------------------------------------------------------------- requests --- */

static void
request_serve(Oid dbid, Oid relid, AttrNumber attnum)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &gpuagg_cache_tables)
	{
		GpuAggCacheTable *table = dlist_container(GpuAggCacheTable, node, iter.cur);

		if (table->dbid == dbid && table->relid == relid && !table->dead)
			gpuagg_cache_table_unload(table, attnum - 1);
	}
}

void
gpuagg_cache_answer(void)
{
	GpuAggCacheShared *shared = &gpuagg_shared->cache;
	uint64		asked = pg_atomic_read_u64(&shared->asked);

	if (asked == answered)
		return;
	/* nobody changes the request before it is answered */
	(void) gpuagg_cache_shared_lock(LW_SHARED);
	gpuagg_cache_shared_unlock();
	request_serve(shared->dbid, shared->relid, shared->attnum);
	gpuagg_cache_publish();
	gpuagg_cache_shared_lock(LW_EXCLUSIVE)->answered = asked;
	gpuagg_cache_shared_unlock();
	answered = asked;
	ConditionVariableBroadcast(&shared->answered_one);
}

/* May what the program loads of a column be cached? */
static bool
column_fits(GpuAggCacheColumn *column)
{
	return gpuagg_key_class(column->type) != GPUAGG_CLASS_BYTES ||
		(column->note == NULL && gpuagg_cache_dictionary(column));
}

/*
 * The columns that the program loads, or the rows if there are none; false: not
 * all of them can be cached.
 */
static bool
job_columns(GpuAggWorkerJob *job, GpuAggCacheTable *table)
{
	const GpuAggProgram *p = job->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	GpuAggDictionary *dictionaries[GPUAGG_MAX_REGS] = {NULL};
	GpuAggCacheJob *cached = job->cached;

	cached->columns = MemoryContextAlloc(job->context, Max(p->ncolumns, 1) *
										 sizeof(GpuAggCacheColumn *));
	if (p->ncolumns == 0)
		cached->columns[cached->ncolumns++] =
			gpuagg_cache_column(table, GPUAGG_CACHE_ROWS, 0);
	for (uint32 i = 0; i < p->nattrs; i++)
	{
		GpuAggCacheColumn *column;

		if (attrs[i].reg == GPUAGG_NO_REG)
			continue;
		column = gpuagg_cache_column(table, i, attrs[i].type);
		if (column == NULL || !column_fits(column))
			return false;
		dictionaries[attrs[i].reg] = column->dictionary;
		cached->columns[cached->ncolumns++] = column;
	}
	return gpuagg_encoding_make(job, dictionaries);
}

/* Are there likely to be more strings than a dictionary takes? */
static bool
too_many_groups(const GpuAggWorkerJob *job)
{
	const GpuAggKey *keys = gpuagg_program_keys(job->program);

	if (job->config.expected_groups <= GPUAGG_DICTIONARY_ENTRIES / 2)
		return false;
	for (uint32 i = 0; i < job->program->nkeys; i++)
		if (gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_BYTES)
			return true;
	return false;
}

static bool
job_draws(const GpuAggWorkerJob *job)
{
	return job->config.sample.method == GPUAGG_SAMPLE_DRAWS;
}

static bool
job_may_cache(const GpuAggWorkerJob *job)
{
	return job->on == &gpuagg_worker.primary && gpuagg_cache_limit() > 0 &&
		!job->program->select &&
		(job->config.sample.method == GPUAGG_SAMPLE_NONE ||
		 (job_draws(job) && job->on->ops->task_draws != NULL)) &&
		!too_many_groups(job);
}

/* The table and its columns; false: the job does without the cache. */
static bool
job_attach(GpuAggWorkerJob *job)
{
	GpuAggCacheJob *cached = job->cached;
	TimestampTz now = GetCurrentTimestamp();
	GpuAggCacheTable *table;

	if (!job_may_cache(job))
		return false;
	table = gpuagg_cache_table(&job->wish);
	table->jobs++;
	if (!job_columns(job, table))
	{
		gpuagg_cache_table_leave(table);
		return false;
	}
	for (int i = 0; i < cached->ncolumns; i++)
	{
		cached->columns[i]->uses++;
		cached->columns[i]->last_use = now;
	}
	cached->table = table;
	return true;
}

/* Blocks of which the job's columns are filled in part would be worth filling. */
static bool
chunk_is_uneven(const GpuAggCacheJob *cached, const GpuAggCacheChunk *chunk,
				uint32 nheld)
{
	for (int i = 0; i < cached->ncolumns; i++)
	{
		const GpuAggCacheFill *fill = gpuagg_cache_fill(chunk, cached->columns[i]);

		if (fill != NULL && fill->nfilled > nheld)
			return true;
	}
	return false;
}

/* The job becomes what it can to a chunk; `held`: the blocks that it uses. */
static void
use_begin(GpuAggWorkerJob *job, uint32 number, uint64 *held)
{
	GpuAggCacheJob *cached = job->cached;
	GpuAggCacheUse *use = &cached->uses[number];
	GpuAggCacheChunk *chunk = gpuagg_cache_chunk(cached->table, number);
	uint32		nblocks = gpuagg_chunk_blocks(number, cached->nblocks);
	uint32		n = 0;

	if (chunk != NULL && chunk->exclusive)
		return;
	if (chunk != NULL)
		n = gpuagg_cache_held(chunk, cached->columns, cached->ncolumns,
							  nblocks, held);
	if (n == 0 && !cached->keep)
		return;
	if (chunk == NULL)
		chunk = gpuagg_cache_chunk_make(cached->table, number);
	if (cached->keep && chunk->users == 0 && chunk->filler == NULL &&
		gpuagg_cache_may_have(chunk, cached->columns, cached->ncolumns) &&
		(n == 0 || chunk_is_uneven(cached, chunk, n)))
	{
		chunk->filler = job;
		chunk->exclusive = true;
		use->filler = true;
	}
	use->user = n > 0;
	if (use->user)
	{
		chunk->users++;
		gpuagg_cache_touch(chunk, cached->columns, cached->ncolumns);
		while (!gpuagg_bit(held, nblocks - 1))
			nblocks--;
		use->nblocks = nblocks;
	}
	if (use->user || use->filler)
		use->chunk = chunk;
	if (use->user && n < nblocks)
	{
		Size		bytes = GPUAGG_BITMAP_WORDS(nblocks) * sizeof(uint64);

		use->told = MemoryContextAlloc(job->context, bytes);
		memcpy(use->told, held, bytes);
	}
}

/* The message about the chunks that the job uses */
static void
reply_cached(GpuAggWorkerJob *job)
{
	GpuAggCacheJob *cached = job->cached;
	uint64		held[GPUAGG_BITMAP_WORDS(GPUAGG_CHUNK_BLOCKS)];
	StringInfoData bitmaps;
	StringInfoData msg;
	GpuAggMsg	head = {.type = GPUAGG_MSG_CACHED};

	initStringInfo(&msg);
	initStringInfo(&bitmaps);
	appendBinaryStringInfo(&msg, (const char *) &head, sizeof(head));
	for (uint32 i = 0; i < cached->nuses; i++)
	{
		GpuAggCacheUse *use = &cached->uses[i];
		GpuAggMsgCached one = {.chunk = i};

		use_begin(job, i, held);
		if (!use->user)
			continue;
		one.nblocks = use->nblocks;
		one.whole = use->told == NULL;
		one.map_lsn = use->chunk->map_lsn;
		appendBinaryStringInfo(&msg, (const char *) &one, sizeof(one));
		if (use->told != NULL)
			appendBinaryStringInfo(&bitmaps, (const char *) use->told,
								   GPUAGG_BITMAP_WORDS(use->nblocks) * sizeof(uint64));
		head.count++;
	}
	head.batch_id = cached->table != NULL && cached->keep;
	memcpy(msg.data, &head, sizeof(head));
	appendBinaryStringInfo(&msg, bitmaps.data, bitmaps.len);
	gpuagg_job_reply(job, msg.data, msg.len);
	pfree(bitmaps.data);
	pfree(msg.data);
}

void
gpuagg_cache_attach(GpuAggWorkerJob *job)
{
	job->cached = MemoryContextAllocZero(job->context, sizeof(GpuAggCacheJob));
	dlist_init(&job->cached->batches);
	(void) job_attach(job);
}

bool
gpuagg_cache_begin(GpuAggWorkerJob *job)
{
	GpuAggCacheJob *cached = job->cached;

	if (cached == NULL || cached->begun)
		return false;
	cached->begun = true;
	if (cached->table != NULL)
	{
		cached->nblocks = job->wish.nblocks;
		cached->keep = job->wish.keep != 0 && !job_draws(job);
		cached->nuses = (cached->nblocks + GPUAGG_CHUNK_BLOCKS - 1) /
			GPUAGG_CHUNK_BLOCKS;
		cached->uses = MemoryContextAllocZero(job->context, Max(cached->nuses, 1) *
											  sizeof(GpuAggCacheUse));
	}
	reply_cached(job);
	return true;
}

/* -------------------------------------------------------------- batches --- */

static GpuAggCacheBatch *
batch_add(GpuAggWorkerJob *job, uint64 batch_id, uint32 npages)
{
	GpuAggCacheBatch *batch =
		MemoryContextAlloc(job->context, offsetof(GpuAggCacheBatch, keeps) +
						   npages * sizeof(GpuAggCacheKeep));

	batch->batch_id = batch_id;
	batch->parts = 0;
	batch->nkeeps = 0;
	dlist_push_tail(&job->cached->batches, &batch->node);
	return batch;
}

static void
batch_remove(GpuAggCacheBatch *batch)
{
	dlist_delete(&batch->node);
	pfree(batch);
}

static GpuAggCacheBatch *
batch_find(GpuAggCacheJob *cached, uint64 batch_id)
{
	dlist_iter	iter;

	dlist_foreach(iter, &cached->batches)
	{
		GpuAggCacheBatch *batch = dlist_container(GpuAggCacheBatch, node, iter.cur);

		if (batch->batch_id == batch_id)
			return batch;
	}
	return NULL;
}

/* ------------------------------------------------------------------ MAP --- */

/* A MAP message and what lies behind it */
typedef struct GpuAggCacheMap
{
	const GpuAggMapMsg *msg;
	uint64	   *bits;			/* of its blocks; own copy */
	const uint64 *lsns;			/* NULL: none */
} GpuAggCacheMap;

/* NULL, or what is wrong with a MAP message */
static const char *
map_wrong(const GpuAggWorkerJob *job, const GpuAggMapMsg *msg, Size bytes)
{
	const GpuAggCacheJob *cached = job->cached;
	const GpuAggCacheUse *use;
	Size		words;

	if (cached == NULL || !cached->begun || bytes < sizeof(GpuAggMapMsg))
		return "unexpected MAP message";
	words = GPUAGG_BITMAP_WORDS((Size) msg->nblocks);
	if (msg->nblocks > GPUAGG_CHUNK_BLOCKS ||
		bytes != sizeof(GpuAggMapMsg) + (msg->whole ? 0 : words * sizeof(uint64)) +
		(msg->lsns ? (Size) msg->nblocks * sizeof(uint64) : 0))
		return "garbled MAP message";
	if (cached->nuses == 0)
		return msg->use ? "MAP message about nothing" : NULL;
	if (msg->chunk >= cached->nuses ||
		msg->nblocks > gpuagg_chunk_blocks(msg->chunk, cached->nblocks))
		return "MAP message about no chunk";
	use = &cached->uses[msg->chunk];
	if (use->mapped || msg->map_lsn == 0 || (msg->lsns && !msg->use) ||
		(msg->use && !use->user))
		return "MAP message out of order";
	if (msg->use && !msg->lsns && msg->map_lsn != use->chunk->map_lsn)
		return "MAP message for another LSN";
	return NULL;
}

/* Lays out the message; bits beyond its blocks are cleared. */
static void
map_read(const GpuAggMapMsg *msg, GpuAggCacheMap *map)
{
	uint32		words = GPUAGG_BITMAP_WORDS(msg->nblocks);
	const char *at = (const char *) (msg + 1);

	map->msg = msg;
	map->bits = palloc((words + 1) * sizeof(uint64));
	if (msg->whole)
		memset(map->bits, 0xFF, words * sizeof(uint64));
	else
	{
		memcpy(map->bits, at, words * sizeof(uint64));
		at += words * sizeof(uint64);
	}
	if (msg->nblocks % 64 != 0)
		map->bits[words - 1] &= (UINT64CONST(1) << msg->nblocks % 64) - 1;
	map->lsns = msg->lsns ? (const uint64 *) at : NULL;
}

/* A block whose page is what it was when it was kept? */
static bool
map_is_same(const GpuAggCacheMap *map, const GpuAggCacheChunk *chunk, uint32 block)
{
	return map->lsns != NULL && block < map->msg->nblocks &&
		gpuagg_bit(map->bits, block) && map->lsns[block] != 0 &&
		block < chunk->room && map->lsns[block] == chunk->blocks[block].lsn;
}

/*
 * A job that nobody else shares the chunk with brings it up to the map page as
 * it is now: what is not known to be the same is forgotten.
 */
static void
map_renew(const GpuAggWorkerJob *job, const GpuAggCacheMap *map,
		  const GpuAggCacheUse *use)
{
	GpuAggCacheChunk *chunk = use->chunk;

	if (map->msg->map_lsn == chunk->map_lsn || chunk->users > use->user ||
		(chunk->filler != NULL && chunk->filler != job))
		return;
	for (uint32 i = 0; i < chunk->room; i++)
		if (!map_is_same(map, chunk, i))
			gpuagg_cache_forget(chunk, i);
	gpuagg_cache_begin_anew(chunk);
	chunk->map_lsn = map->msg->map_lsn;
}

/*
 * Into `used`: blocks that the task reads from the chunk; none but what CACHED
 * told, for the client feeds all others.
 */
static void
map_used(const GpuAggCacheJob *cached, const GpuAggCacheMap *map,
		 const GpuAggCacheUse *use, uint64 *used)
{
	uint32		nblocks = map->msg->nblocks;

	(void) gpuagg_cache_held(use->chunk, cached->columns, cached->ncolumns,
							 nblocks, used);
	for (uint32 w = 0; w < GPUAGG_BITMAP_WORDS(nblocks); w++)
	{
		used[w] &= map->bits[w];
		if (w >= GPUAGG_BITMAP_WORDS(use->nblocks))
			used[w] = 0;
		else if (use->told != NULL)
			used[w] &= use->told[w];
		else if (w == use->nblocks / 64)
			used[w] &= (UINT64CONST(1) << use->nblocks % 64) - 1;
	}
	for (uint32 i = 0; map->lsns != NULL && i < nblocks; i++)
		if (gpuagg_bit(used, i) && !map_is_same(map, use->chunk, i))
			used[i / 64] &= ~(UINT64CONST(1) << i % 64);
}

/* Is there a block that could be kept, and is not used? */
static bool
map_lacks(const GpuAggCacheMap *map, const uint64 *used)
{
	for (uint32 w = 0; w < GPUAGG_BITMAP_WORDS(map->msg->nblocks); w++)
		if (map->bits[w] & ~used[w])
			return true;
	return false;
}

static int
places_compare(const void *a, const void *b)
{
	uint32		x = ((const GpuAggPlaces *) a)->first;
	uint32		y = ((const GpuAggPlaces *) b)->first;

	return x < y ? -1 : x > y;
}

/*
 * Places of a slab that belong to blocks which are not used, and those at its
 * end, in order.  One element more than there are blocks is always enough.
 */
static uint32
slab_without(const GpuAggCacheChunk *chunk, int slab, const uint64 *used,
			 uint32 nblocks, GpuAggPlaces *without)
{
	const GpuAggCacheSlab *s = &chunk->slabs[slab];
	uint32		n = 0;
	uint32		merged = 0;

	for (uint32 i = 0; i < chunk->room; i++)
	{
		const GpuAggCacheBlock *block = &chunk->blocks[i];

		if (i % 64 == 0 && i + 64 <= nblocks && used[i / 64] == PG_UINT64_MAX)
			i += 63;
		else if (block->slab == slab && block->places > 0 &&
				 (i >= nblocks || !gpuagg_bit(used, i)))
			without[n++] = (GpuAggPlaces) {block->place, block->places};
	}
	if (s->used < s->places)
		without[n++] = (GpuAggPlaces) {s->used, s->places - s->used};
	qsort(without, n, sizeof(GpuAggPlaces), places_compare);
	for (uint32 i = 1; i < n; i++)
	{
		if (without[merged].first + without[merged].count == without[i].first)
			without[merged].count += without[i].count;
		else
			without[++merged] = without[i];
	}
	return n == 0 ? 0 : merged + 1;
}

/* Has the slab places of a block that is used? */
static bool
slab_is_used(const GpuAggCacheChunk *chunk, int slab, const uint64 *used,
			 uint32 nblocks)
{
	for (uint32 i = 0; i < Min(nblocks, chunk->room); i++)
		if (chunk->blocks[i].slab == slab && gpuagg_bit(used, i))
			return true;
	return false;
}

static void
reply_done(GpuAggWorkerJob *job, uint64 batch_id)
{
	GpuAggMsg	done = {.type = GPUAGG_MSG_BATCH_DONE,.batch_id = batch_id};

	gpuagg_job_reply(job, &done, sizeof(done));
}

/* Hands the used blocks to the device. */
static void
use_slabs(GpuAggWorkerJob *job, GpuAggCacheChunk *chunk, uint64 batch_id,
		  const uint64 *used, uint32 nblocks)
{
	GpuAggPlaces *without = palloc((chunk->room + 1) * sizeof(GpuAggPlaces));
	GpuAggCacheBatch *batch = batch_add(job, batch_id, 0);
	GpuAggError error = {0};

	for (int i = 0; i < chunk->nslabs; i++)
	{
		uint32		n;
		GpuAggStatus status;

		if (!slab_is_used(chunk, i, used, nblocks))
			continue;
		n = slab_without(chunk, i, used, nblocks, without);
		status = job->on->ops->task_resident(job->task, batch_id,
											 chunk->slabs[i].slab, without, n,
											 &error);
		if (status != GPUAGG_OK)
		{
			error.status = status;
			gpuagg_job_fail(job, &error);
			return;
		}
		job->inflight++;
		batch->parts++;
	}
	pfree(without);
	if (batch->parts == 0)
	{
		reply_done(job, batch_id);
		batch_remove(batch);
	}
}

/* The places of all blocks, in the order of the table; returns their number. */
static uint32
draw_ranges(const GpuAggCacheJob *cached, GpuAggDrawRange *ranges)
{
	uint32		n = 0;

	for (uint32 block = 0; block < cached->nblocks; block++)
	{
		const GpuAggCacheChunk *chunk = cached->uses[block / GPUAGG_CHUNK_BLOCKS].chunk;
		const GpuAggCacheBlock *b = &chunk->blocks[block % GPUAGG_CHUNK_BLOCKS];
		GpuAggSlab *slab = chunk->slabs[b->slab].slab;

		if (n > 0 && ranges[n - 1].slab == slab &&
			ranges[n - 1].places.first + ranges[n - 1].places.count == b->place)
			ranges[n - 1].places.count += b->places;
		else
			ranges[n++] = (GpuAggDrawRange) {slab, {b->place, b->places}};
	}
	return n;
}

/*
 * Draws need to know of every row which one it is: they are made once all blocks
 * are used, as the batch of the last chunk.  If that never comes to be, the
 * client gives up.
 */
static void
draw_chunk(GpuAggWorkerJob *job, uint64 batch_id, const uint64 *used, uint32 nblocks)
{
	GpuAggCacheJob *cached = job->cached;
	GpuAggError error = {0};
	GpuAggDrawRange *ranges;
	GpuAggStatus status;

	for (uint32 i = 0; i < nblocks; i++)
		cached->drawn += gpuagg_bit(used, i);
	if (cached->drawn < cached->nblocks)
	{
		reply_done(job, batch_id);
		return;
	}
	ranges = MemoryContextAllocHuge(job->context,
									cached->nblocks * sizeof(GpuAggDrawRange));
	status = job->on->ops->task_draws(job->task, batch_id, ranges,
									  draw_ranges(cached, ranges), &error);
	pfree(ranges);
	if (status == GPUAGG_OK)
	{
		job->inflight++;
		return;
	}
	error.status = status;
	gpuagg_job_fail(job, &error);
}

static void
reply_mapped(GpuAggWorkerJob *job, const GpuAggMapMsg *msg, const uint64 *used)
{
	GpuAggMappedMsg mapped = {
		.msg.type = GPUAGG_MSG_MAPPED,
		.msg.batch_id = msg->msg.batch_id,
		.chunk = msg->chunk,
		.nblocks = msg->nblocks
	};

	memcpy(mapped.used, used, GPUAGG_BITMAP_WORDS(msg->nblocks) * sizeof(uint64));
	gpuagg_job_reply(job, &mapped, sizeof(mapped));
}

/* Blocks that are missing in a chunk that is up to date may be added. */
static void
use_may_fill(GpuAggWorkerJob *job, const GpuAggCacheMap *map, GpuAggCacheUse *use,
			 const uint64 *used)
{
	GpuAggCacheChunk *chunk = use->chunk;

	if (chunk->filler != NULL || !job->cached->keep ||
		!gpuagg_cache_may_have(chunk, job->cached->columns, job->cached->ncolumns) ||
		chunk->map_lsn != map->msg->map_lsn || !map_lacks(map, used))
		return;
	chunk->filler = job;
	use->filler = true;
}

void
gpuagg_cache_map(GpuAggWorkerJob *job, const GpuAggMsg *head, Size bytes)
{
	const GpuAggMapMsg *msg = (const GpuAggMapMsg *) head;
	const char *wrong = map_wrong(job, msg, bytes);
	uint64		used[GPUAGG_BITMAP_WORDS(GPUAGG_CHUNK_BLOCKS)] = {0};
	GpuAggCacheMap map;
	GpuAggCacheUse *use;

	if (wrong != NULL)
	{
		gpuagg_job_fail_with(job, GPUAGG_DEVICE_FAULT, wrong);
		return;
	}
	use = job->cached->nuses > 0 ? &job->cached->uses[msg->chunk] : NULL;
	if (use == NULL || use->chunk == NULL)
		return;
	use->mapped = true;
	map_read(msg, &map);
	map_renew(job, &map, use);
	if (msg->use)
		map_used(job->cached, &map, use, used);
	use_may_fill(job, &map, use, used);
	if (msg->lsns)
		reply_mapped(job, msg, used);
	if (msg->use && job_draws(job))
		draw_chunk(job, msg->msg.batch_id, used, msg->nblocks);
	else if (msg->use)
		use_slabs(job, use->chunk, msg->msg.batch_id, used, msg->nblocks);
	pfree(map.bits);
}

/* ---------------------------------------------------------------- pages --- */

/* The chunk that a page is to be kept in; NULL: it is not to be kept. */
static GpuAggCacheUse *
page_use(GpuAggCacheJob *cached, const GpuAggMsgPage *page)
{
	GpuAggCacheUse *use;

	if (!page->keep || page->block >= cached->nblocks ||
		cached->nuses == 0)
		return NULL;
	use = &cached->uses[page->block / GPUAGG_CHUNK_BLOCKS];
	return use->filler && use->mapped && !use->full ? use : NULL;
}

/* Lines of these pages, in the mean */
static double
lines_mean(const GpuAggMsgPage *pages, uint32 npages)
{
	uint64		lines = 0;

	for (uint32 i = 0; i < npages; i++)
		lines += pages[i].nlines;
	return (double) lines / npages;
}

/*
 * Places that a new slab should have: for the blocks without places, but no
 * fewer than a part of all, for pages that were kept and have grown since need
 * new places, too.
 */
static uint64
lines_expected(const GpuAggCacheJob *cached, const GpuAggCacheChunk *chunk,
			   double mean)
{
	uint32		blocks = gpuagg_chunk_blocks(chunk->number, cached->nblocks);

	blocks = Max(blocks - Min(blocks, chunk->nplaced), blocks / GPUAGG_CHUNK_SLABS);
	return (uint64) (LINES_SPARE * mean * blocks) + GPUAGG_MAX_LINES;
}

/* Is a block held already, for all columns? */
static bool
use_holds(const GpuAggCacheJob *cached, const GpuAggCacheUse *use, uint32 block)
{
	for (int i = 0; i < cached->ncolumns; i++)
	{
		const GpuAggCacheFill *fill = gpuagg_cache_fill(use->chunk, cached->columns[i]);

		if (fill == NULL || !gpuagg_bit(fill->filled, block))
			return false;
	}
	return true;
}

/* Places for one page; false: it is not kept. */
static bool
page_place(GpuAggCacheJob *cached, GpuAggCacheUse *use, const GpuAggMsgPage *in,
		   uint64 expected, GpuAggPage *page)
{
	uint32		number = in->block % GPUAGG_CHUNK_BLOCKS;
	GpuAggCacheBlock *block;

	if (gpuagg_cache_has(use->chunk, number) &&
		(!use->chunk->exclusive || use_holds(cached, use, number)))
		return false;
	if (!use->open)
		use->full = !gpuagg_cache_open(use->chunk, cached->columns,
									   cached->ncolumns);
	if (use->full)
		return false;
	use->open = true;
	block = gpuagg_cache_place(use->chunk, number, in->nlines, in->lsn, expected);
	if (block == NULL)
	{
		use->full = true;
		return false;
	}
	page->slab = use->chunk->slabs[block->slab].slab;
	page->place = block->place;
	return true;
}

void
gpuagg_cache_pages(GpuAggWorkerJob *job, uint64 batch_id,
				   const GpuAggMsgPage *in, GpuAggPage *pages, uint32 npages)
{
	GpuAggCacheJob *cached = job->cached;
	GpuAggCacheBatch *batch = NULL;
	double		mean = 0;

	if (cached == NULL)
		return;
	for (uint32 i = 0; i < npages; i++)
	{
		GpuAggCacheUse *use = page_use(cached, &in[i]);

		if (use == NULL)
			continue;
		if (batch == NULL)
		{
			batch = batch_add(job, batch_id, npages);
			mean = lines_mean(in, npages);
		}
		if (!page_place(cached, use, &in[i],
						lines_expected(cached, use->chunk, mean), &pages[i]))
			continue;
		batch->keeps[batch->nkeeps++] = (GpuAggCacheKeep) {
			i, use->chunk->number, in[i].block % GPUAGG_CHUNK_BLOCKS
		};
	}
}

/* --------------------------------------------------------------- endings --- */

static void
forget_keeps(GpuAggCacheJob *cached, const GpuAggCacheBatch *batch)
{
	for (uint32 i = 0; i < batch->nkeeps; i++)
		gpuagg_cache_forget(cached->uses[batch->keeps[i].chunk].chunk,
							batch->keeps[i].block);
}

/* Did a dictionary refuse a string by now?  Then no page counts as kept. */
static bool
job_is_full(GpuAggCacheJob *cached)
{
	bool		full = false;

	for (int i = 0; i < cached->ncolumns; i++)
		full |= gpuagg_cache_is_full(cached->columns[i]);
	return full;
}

/* A page of which rows were listed is not whole in its slab. */
static bool
page_was_listed(const GpuAggCompletion *completion, uint32 page)
{
	for (uint32 i = 0; i < completion->nlisted; i++)
		if (completion->listed[i].page == page)
			return true;
	return false;
}

static void
finish_keeps(GpuAggCacheJob *cached, const GpuAggCacheBatch *batch,
			 const GpuAggCompletion *completion)
{
	for (uint32 i = 0; i < batch->nkeeps; i++)
	{
		const GpuAggCacheKeep *keep = &batch->keeps[i];
		GpuAggCacheChunk *chunk = cached->uses[keep->chunk].chunk;

		if (page_was_listed(completion, keep->page))
			gpuagg_cache_forget(chunk, keep->block);
		else
		{
			gpuagg_cache_filled(chunk, cached->columns, cached->ncolumns,
								keep->block);
			cached->kept++;
		}
	}
}

bool
gpuagg_cache_completed(GpuAggWorkerJob *job, const GpuAggCompletion *completion)
{
	GpuAggCacheBatch *batch = job->cached == NULL ? NULL :
		batch_find(job->cached, completion->batch_id);

	if (batch == NULL)
		return true;
	if (batch->parts > 1)
	{
		batch->parts--;
		return false;
	}
	if (completion->error.status == GPUAGG_OK &&
		(batch->nkeeps == 0 || !job_is_full(job->cached)))
		finish_keeps(job->cached, batch, completion);
	else
		forget_keeps(job->cached, batch);
	batch_remove(batch);
	return true;
}

void
gpuagg_cache_leave(GpuAggWorkerJob *job)
{
	GpuAggCacheJob *cached = job->cached;
	dlist_iter	iter;

	if (cached == NULL || cached->table == NULL)
		return;
	(void) job_is_full(cached);
	dlist_foreach(iter, &cached->batches)
		forget_keeps(cached, dlist_container(GpuAggCacheBatch, node, iter.cur));
	for (uint32 i = 0; i < cached->nuses; i++)
	{
		GpuAggCacheUse *use = &cached->uses[i];

		if (use->chunk == NULL)
			continue;
		if (use->user)
			use->chunk->users--;
		if (use->filler)
		{
			use->chunk->filler = NULL;
			use->chunk->exclusive = false;
			gpuagg_cache_touch(use->chunk, cached->columns, cached->ncolumns);
		}
	}
	gpuagg_cache_table_leave(cached->table);
	cached->table = NULL;
	cached->nuses = 0;
	gpuagg_cache_publish();
}

uint64
gpuagg_cache_kept(const GpuAggWorkerJob *job)
{
	return job->cached == NULL ? 0 : job->cached->kept;
}
