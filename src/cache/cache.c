/*
 * cache.c
 *		The column cache, as the device worker's jobs use it (cache.h);
 *		src/cache/VALIDITY.md says why what it answers is right.
 *
 * Of each extent of its table a job is a user, if it can read blocks there or may fill
 * them.  CACHED tells it which blocks are held for all columns that its program loads.
 * MAP (cache_map.c) then says what the extent's map page is now.  If the extent is out of
 * date the job brings it up to date, also beside others (cache_former.h); where blocks are
 * missing it fills them, as any number of jobs do at once (cache_fill.c).
 */
#include "postgres.h"

#include "access/xlog.h"
#include "access/xlogrecovery.h"
#include "cache/cache.h"
#include "cache/cache_batches.h"
#include "cache/cache_evict.h"
#include "cache/cache_fill.h"
#include "cache/cache_make.h"
#include "cache/cache_map.h"
#include "cache/cache_pages.h"
#include "cache/cache_memory.h"
#include "cache/cache_priority.h"
#include "cache/cache_publish.h"
#include "cache/cache_repin.h"
#include "cache/cache_rest.h"
#include "cache/cache_settled.h"
#include "cache/cache_table.h"
#include "cache/cache_tidy.h"
#include "cache/cache_wal.h"
#include "ipc/cache_shared.h"
#include "ipc/shmem.h"
#include "ipc/stat.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* Of so much WAL is remembered how many blocks of a table have changed. */
#define TOLD_BYTES (16.0 * 1024 * 1024)

static uint64 answered = 0;		/* requests to unload */

/* ---------------------------------------------------------------- begin --- */

void
gpuagg_cache_start(int at, const GpuAggStripeOps *ops, GpuAggDevice *device, uint64 spare)
{
	uint64		bytes = (uint64) Max(gpuagg_cache_size, 0) * 1024 * 1024;

	if (gpuagg_cache_size < 0)
		bytes = spare;
	gpuagg_cache_set_device(at, ops, device, bytes);
	gpuagg_cache_shared_clear(at);
	gpuagg_cache_answer();
	gpuagg_cache_publish();
}

void
gpuagg_cache_stop(int at)
{
	gpuagg_cache_shared_clear(at);
}

/* ------------------------------------------------------------- requests --- */

static bool
is_dropped(Oid dbid, const Oid *dropped, uint32 n)
{
	if (n > GPUAGG_CACHE_DROPPED)
		return true;
	for (uint32 i = 0; i < n; i++)
		if (dropped[i] == dbid)
			return true;
	return false;
}

static void
drop_databases(void)
{
	Oid			dropped[GPUAGG_CACHE_DROPPED];
	uint32		n = gpuagg_cache_dropped(gpuagg_cache_at(), dropped);
	GpuAggCacheTable *next;

	if (n == 0)
		return;
	for (GpuAggCacheTable *table = gpuagg_cache_table_next(NULL); table != NULL; table = next)
	{
		next = gpuagg_cache_table_next(table);
		if (is_dropped(table->dbid, dropped, n))
			gpuagg_cache_table_kill(table);
	}
	gpuagg_cache_publish();
}

void
gpuagg_cache_answer(void)
{
	GpuAggCacheShared *shared = &gpuagg_shared->devices[gpuagg_cache_at()].cache;
	uint64		asked = pg_atomic_read_u64(&shared->asked);
	GpuAggCacheTable *table;

	drop_databases();
	gpuagg_cache_pins_look();
	if (asked == answered)
		return;
	/* nobody changes the request before it is answered */
	(void) gpuagg_cache_shared_lock(gpuagg_cache_at(), LW_SHARED);
	gpuagg_cache_shared_unlock();
	table = gpuagg_cache_table_of(shared->dbid, shared->relid);
	if (table != NULL)
		gpuagg_cache_table_unload(table, shared->attnum - 1);
	gpuagg_cache_publish();
	gpuagg_cache_shared_lock(gpuagg_cache_at(), LW_EXCLUSIVE)->answered = asked;
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
job_columns(GpuAggCacheClient *client, GpuAggCacheTable *table)
{
	const GpuAggProgram *p = client->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	GpuAggDictionary *dictionaries[GPUAGG_MAX_REGS] = {NULL};
	GpuAggCacheJob *cached = client->cached;

	cached->columns = MemoryContextAlloc(client->context, Max(p->ncolumns, 1) *
										 sizeof(GpuAggCacheColumn *));
	cached->registers = MemoryContextAllocZero(client->context, Max(p->ncolumns, 1) *
											   sizeof(uint32));
	if (p->ncolumns == 0)
		cached->columns[cached->ncolumns++] =
			gpuagg_cache_column(table, GPUAGG_CACHE_ROWS, 0, gpuagg_scale(0));
	for (uint32 i = 0; i < p->nattrs; i++)
	{
		GpuAggCacheColumn *column;

		if (attrs[i].reg == GPUAGG_NO_REG)
			continue;
		column = gpuagg_cache_column(table, i, attrs[i].type, attrs[i].scale);
		if (column == NULL || !column_fits(column))
			return false;
		dictionaries[attrs[i].reg] = column->dictionary;
		cached->registers[cached->ncolumns] = attrs[i].reg;
		cached->columns[cached->ncolumns++] = column;
	}
	return client->calls->encode(client, dictionaries);
}

/* Is all that the job reads of an extent held, as it is now? */
static bool
extent_is_whole(const GpuAggCacheClient *client, GpuAggCacheExtent *extent, uint32 number)
{
	uint64		held[GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS)];
	const GpuAggCacheJob *cached = client->cached;
	const uint32 nblocks = gpuagg_extent_blocks(number, client->request.nblocks);
	uint64		fresh = 0;
	uint32		n;

	if (extent == NULL)
		return false;
	n = gpuagg_cache_held(extent, cached->columns, cached->ncolumns, nblocks, held);
	return n == nblocks &&
		gpuagg_cache_seen(extent, &client->request.snapshot, nblocks, held, n) == n &&
		gpuagg_cache_wal_sort(extent, nblocks, held, &n, &fresh) && n == nblocks;
}

bool
gpuagg_cache_is_whole(const GpuAggCacheClient *client)
{
	GpuAggCacheTable *table = gpuagg_cache_table_find(&client->request);
	const uint32 n = (client->request.nblocks + GPUAGG_EXTENT_BLOCKS - 1) / GPUAGG_EXTENT_BLOCKS;

	if (table == NULL || client->request.follow == 0 || client->request.compare ||
		!gpuagg_cache_wal_follow())
		return false;
	for (uint32 i = 0; i < n; i++)
		if (!extent_is_whole(client, gpuagg_cache_extent(table, i), i))
			return false;
	return true;
}

/*
 * Are there likely to be more strings than a dictionary takes?  Groups of several keys do not
 * tell.
 */
static bool
too_many_groups(const GpuAggCacheClient *client)
{
	const GpuAggProgram *p = client->program;

	return p->nkeys == 1 && gpuagg_key_class(gpuagg_program_keys(p)->type) == GPUAGG_CLASS_BYTES &&
		client->config->expected_groups > GPUAGG_DICTIONARY_ENTRIES / 2;
}

static bool
job_may_cache(const GpuAggCacheClient *client)
{
	return client->shares_device && gpuagg_cache_limit() > 0 &&
		!client->program->select &&
		(!gpuagg_cache_draws(client) || client->can_draw) &&
		!too_many_groups(client);
}

/* Is there what a job loads that brings nothing itself, with codes of strings? */
static bool
has_columns(const GpuAggCacheClient *client)
{
	const GpuAggProgram *p = client->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const GpuAggCacheTable *table = gpuagg_cache_table_find(&client->request);

	if (table == NULL || table->nheld == 0)
		return false;
	for (uint32 i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG &&
			!gpuagg_cache_column_kept(table, i, attrs[i].type, attrs[i].scale))
			return false;
	return true;
}

/* The table and its columns; false: the job does without the cache. */
static bool
job_attach(GpuAggCacheClient *client)
{
	GpuAggCacheJob *cached = client->cached;
	TimestampTz now = GetCurrentTimestamp();
	GpuAggCacheTable *table;

	if (!job_may_cache(client) || (client->request.fill == 0 && !has_columns(client)))
		return false;
	table = gpuagg_cache_table(&client->request);
	table->jobs++;
	if (!job_columns(client, table))
	{
		gpuagg_cache_table_leave(table, GPUAGG_PACK_AUTO);
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

/* The job becomes a user of an extent, if that is of use. */
static void
use_begin(GpuAggCacheClient *client, uint32 number)
{
	uint64		held[GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS)];
	GpuAggCacheJob *cached = client->cached;
	GpuAggCacheUse *use = &cached->uses[number];
	GpuAggCacheExtent *extent = gpuagg_cache_extent(cached->table, number);
	uint32		nblocks = gpuagg_extent_blocks(number, cached->nblocks);
	uint32		n = 0;

	if (extent != NULL)
	{
		const uint32 all = gpuagg_cache_held(extent, cached->columns, cached->ncolumns,
											 nblocks, held);

		n = gpuagg_cache_seen(extent, &client->request.snapshot, nblocks, held, all);
		use->hidden = n < all;
		use->current = n > 0 && cached->followed != 0 &&
			gpuagg_cache_wal_sort(extent, nblocks, held, &n, &cached->changed);
	}
	if (n == 0 && !cached->may_fill)
		return;
	if (extent == NULL)
		extent = gpuagg_cache_extent_make(cached->table, number);
	gpuagg_cache_extent_wake(extent);
	gpuagg_cache_reader_add(extent, &use->reader);
	use->extent = extent;
	/* lines of which the device cannot know are read from their pages */
	if (n == 0 ||
		(gpuagg_sample_of_lines(&client->config->sample) && !gpuagg_cache_pages_tell(extent)))
		return;
	use->user = true;
	gpuagg_cache_touch(extent, cached->columns, cached->ncolumns);
	while (!gpuagg_bit(held, nblocks - 1))
		nblocks--;
	use->nblocks = nblocks;
	if (n < nblocks)
	{
		Size		bytes = GPUAGG_BITMAP_WORDS(nblocks) * sizeof(uint64);

		use->announced = MemoryContextAlloc(client->context, bytes);
		memcpy(use->announced, held, bytes);
	}
}

/* Does the client read all of an extent, and has said so before? */
static bool
reads_whole(const GpuAggCacheClient *client, uint32 number)
{
	const GpuAggAhead *ahead = &client->ahead;

	return !gpuagg_cache_draws(client) && ahead->n <= GPUAGG_AHEAD_EXTENTS &&
		number >= ahead->first &&
		number - ahead->first < ahead->n;
}

/* What is current by the WAL is used at once where the client reads it anyway. */
static void
use_current(GpuAggCacheClient *client)
{
	GpuAggCacheJob *cached = client->cached;

	for (uint32 i = 0; i < cached->nuses; i++)
		if (cached->uses[i].user && cached->uses[i].current && reads_whole(client, i))
			gpuagg_cache_use_current(client, &cached->uses[i],
									 client->first_batch + i - client->ahead.first);
}

/* The message about the extents that the job uses */
static void
reply_cached(GpuAggCacheClient *client)
{
	GpuAggCacheJob *cached = client->cached;
	StringInfoData bitmaps;
	StringInfoData msg;
	GpuAggMsg	head = {.type = GPUAGG_MSG_CACHED};

	initStringInfo(&msg);
	initStringInfo(&bitmaps);
	appendBinaryStringInfo(&msg, (const char *) &head, sizeof(head));
	for (uint32 i = 0; i < cached->nuses; i++)
	{
		GpuAggCacheUse *use = &cached->uses[i];
		GpuAggMsgCached one = {.extent = i};

		if (!use->user)
			continue;
		one.nblocks = use->nblocks;
		one.whole = use->announced == NULL;
		one.map_lsn = use->reader.map_lsn;
		one.current = use->current ? 1 + reads_whole(client, i) : 0;
		appendBinaryStringInfo(&msg, (const char *) &one, sizeof(one));
		if (use->announced != NULL)
			appendBinaryStringInfo(&bitmaps, (const char *) use->announced,
								   GPUAGG_BITMAP_WORDS(use->nblocks) * sizeof(uint64));
		head.count++;
	}
	head.batch_id = client->first_batch + (cached->table != NULL && cached->may_fill);
	memcpy(msg.data, &head, sizeof(head));
	appendBinaryStringInfo(&msg, bitmaps.data, bitmaps.len);
	client->calls->reply(client, msg.data, msg.len);
	pfree(bitmaps.data);
	pfree(msg.data);
}

/* Is an extent held as a whole, by the WAL or as its map page was when the client looked at it? */
static bool
use_is_foreseen(const GpuAggCacheJob *cached, uint32 number, uint64 map_lsn)
{
	const GpuAggCacheUse *use = &cached->uses[number];

	return use->user && !use->filler && use->announced == NULL &&
		use->nblocks == gpuagg_extent_blocks(number, cached->nblocks) &&
		(use->current || (map_lsn != 0 && use->extent->map_lsn == map_lsn));
}

/*
 * Is all that the client wants held?  Where the map has to tell, nothing may have been kept since
 * the client has looked at it: it has to do that after pages were read, not before
 * (VALIDITY.md).
 */
static bool
job_is_foreseen(const GpuAggCacheClient *client)
{
	GpuAggCacheShared *shared = &gpuagg_shared->devices[gpuagg_cache_at()].cache;
	const GpuAggAhead *ahead = &client->ahead;
	const GpuAggCacheJob *cached = client->cached;
	const bool	by_map = ahead->kept == pg_atomic_read_u64(&shared->kept);

	if (ahead->n == 0 || ahead->n > GPUAGG_AHEAD_EXTENTS || gpuagg_cache_draws(client) ||
		ahead->first >= cached->nuses || ahead->n > cached->nuses - ahead->first)
		return false;
	for (uint32 i = 0; i < ahead->n; i++)
		if (!use_is_foreseen(cached, ahead->first + i, by_map ? ahead->map_lsns[i] : 0))
			return false;
	return true;
}

/* As if the client had heard of these extents, and had said that it uses them */
static void
use_foreseen(GpuAggCacheClient *client)
{
	const GpuAggAhead *ahead = &client->ahead;
	const GpuAggMsg settled = {
		.type = GPUAGG_MSG_SETTLED,
		.count = ahead->n,
		.batch_id = client->first_batch
	};

	/* the client has looked at the map before the WAL was read */
	client->cached->followed = 0;
	client->calls->settled(client);
	client->calls->reply(client, &settled, sizeof(settled));
	for (uint32 i = 0; i < ahead->n; i++)
	{
		GpuAggMapMsg map = {
			.msg.type = GPUAGG_MSG_MAP,
			.msg.batch_id = client->first_batch + i,
			.extent = ahead->first + i,
			.nblocks = gpuagg_extent_blocks(ahead->first + i, client->cached->nblocks),
			.map_lsn = ahead->map_lsns[i],
			.whole = 1,
			.use = 1,
			.current = client->cached->uses[ahead->first + i].current
		};

		gpuagg_cache_map(client, &map.msg, sizeof(map));
	}
	gpuagg_stat_add(GPUAGG_STAT_tasks_foreseen, 1);
}

/* What has changed since pages were kept, if the client goes by the WAL */
static void
job_follow(GpuAggCacheClient *client)
{
	GpuAggCacheJob *cached = client->cached;

	if (client->request.follow == 0 || cached->table->dead ||
		client->config->fault == GPUAGG_FAULT_LSNS || !gpuagg_cache_wal_follow())
		return;
	cached->followed = gpuagg_cache_wal_position();
}

/* For the planner: how many blocks change while so much WAL is written, of late */
static void
job_has_followed(GpuAggCacheJob *cached)
{
	GpuAggCacheTable *table = cached->table;

	if (cached->followed == 0)
		return;
	if (table->followed != 0 && table->followed < cached->followed)
	{
		table->told_bytes += (double) (cached->followed - table->followed);
		table->told_blocks += (double) cached->changed;
	}
	if (table->told_bytes > TOLD_BYTES)
	{
		table->told_blocks *= TOLD_BYTES / table->told_bytes / 2;
		table->told_bytes = TOLD_BYTES / 2;
	}
	table->followed = cached->followed;
}

void
gpuagg_cache_attach(GpuAggCacheClient *client)
{
	client->cached = MemoryContextAllocZero(client->context, sizeof(GpuAggCacheJob));
	dlist_init(&client->cached->batches);
	(void) job_attach(client);
}

bool
gpuagg_cache_begin(GpuAggCacheClient *client)
{
	GpuAggCacheJob *cached = client->cached;

	if (cached == NULL || cached->begun)
		return false;
	cached->begun = true;
	if (cached->table != NULL)
	{
		cached->nblocks = client->request.nblocks;
		job_follow(client);
		cached->may_fill = client->request.fill != 0 &&
			client->config->sample.method == GPUAGG_SAMPLE_NONE;
		cached->wal = RecoveryInProgress() ? GetXLogReplayRecPtr(NULL) : GetXLogInsertRecPtr();
		cached->nuses = (cached->nblocks + GPUAGG_EXTENT_BLOCKS - 1) /
			GPUAGG_EXTENT_BLOCKS;
		cached->uses = MemoryContextAllocZero(client->context, Max(cached->nuses, 1) *
											  sizeof(GpuAggCacheUse));
	}
	for (uint32 i = 0; i < cached->nuses; i++)
		use_begin(client, i);
	if (cached->table != NULL)
		job_has_followed(cached);
	if (job_is_foreseen(client))
	{
		use_foreseen(client);
		return true;
	}
	reply_cached(client);
	use_current(client);
	return true;
}

/* --------------------------------------------------------------- endings --- */

bool
gpuagg_cache_is_part(GpuAggCacheClient *client, uint64 batch_id)
{
	GpuAggCacheBatch *batch = client->cached == NULL ? NULL :
		gpuagg_cache_batch_find(client->cached, batch_id);

	if (batch == NULL || batch->parts <= 1)
		return false;
	batch->parts--;
	return true;
}

void
gpuagg_cache_completed(GpuAggCacheClient *client, const GpuAggCompletion *completion)
{
	GpuAggCacheBatch *batch = client->cached == NULL ? NULL :
		gpuagg_cache_batch_find(client->cached, completion->batch_id);

	if (batch == NULL)
		return;
	gpuagg_cache_fills_end(client->cached, batch, completion);
	gpuagg_cache_batch_remove(batch);
}

bool
gpuagg_cache_leave(GpuAggCacheClient *client)
{
	GpuAggCacheJob *cached = client->cached;
	GpuAggCacheTable *table;
	dlist_iter	iter;

	if (cached == NULL || cached->table == NULL)
		return false;
	for (int i = 0; i < cached->ncolumns; i++)
		(void) gpuagg_cache_is_full(cached->columns[i]);
	dlist_foreach(iter, &cached->batches)
		gpuagg_cache_fills_end(cached, dlist_container(GpuAggCacheBatch, node, iter.cur), NULL);
	for (uint32 i = 0; i < cached->nuses; i++)
	{
		GpuAggCacheUse *use = &cached->uses[i];

		if (use->extent == NULL)
			continue;
		gpuagg_cache_reader_remove(use->extent, &use->reader);
		if (use->open)
		{
			use->extent->fillers--;
			gpuagg_cache_touch(use->extent, cached->columns, cached->ncolumns);
		}
		gpuagg_cache_extent_rest(use->extent);
	}
	/* an ERROR of what comes now must not have it leave twice */
	table = cached->table;
	cached->table = NULL;
	cached->nuses = 0;
	gpuagg_cache_table_leave(table, (GpuAggPack) client->request.pack);
	return true;
}

void
gpuagg_cache_zones_count(const GpuAggCacheClient *client, GpuAggZonesCount *count)
{
	const GpuAggCacheJob *cached = client->cached;

	if (cached == NULL)
		return;
	count->read += cached->zones_count.read;
	count->skipped += cached->zones_count.skipped;
	count->answered += cached->zones_count.answered;
}

uint64
gpuagg_cache_kept(const GpuAggCacheClient *client)
{
	return client->cached == NULL ? 0 : client->cached->kept;
}
