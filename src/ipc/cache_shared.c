/*
 * cache_shared.c
 *		What backends see of the column cache (cache_shared.h).
 *
 * A request is put where the one before it was answered, and found by the
 * worker in its next turn.  Whoever waits for one also looks whether the worker
 * still is there: with it, all that it held has gone.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "compat.h"
#include "ipc/cache_shared.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "settings.h"
#include "storage/latch.h"
#include "storage/proc.h"

#define LOCK_NAME "gpuagg_cache"

/* While waiting for the worker, look whether it still exists this often. */
#define CHECK_MS 1000

/* The part of a column that tells how many strings all of it has */
#define NEARLY_ALL 0.95

static uint32 wait_event_unload;

static LWLock *
cache_lock(void)
{
	return &GetNamedLWLockTranche(LOCK_NAME)->lock;
}

void
gpuagg_cache_shared_request(void)
{
	RequestNamedLWLockTranche(LOCK_NAME, 1);
}

void
gpuagg_cache_shared_init(GpuAggCacheShared *shared)
{
	pg_atomic_init_u64(&shared->kept, 0);
	pg_atomic_init_u32(&shared->follows, 0);
	pg_atomic_init_u64(&shared->asked, 0);
	pg_atomic_init_u32(&shared->ndropped, 0);
	ConditionVariableInit(&shared->answered_one);
}

GpuAggCacheShared *
gpuagg_cache_shared_lock(int device, LWLockMode mode)
{
	LWLockAcquire(cache_lock(), mode);
	return &gpuagg_shared->devices[device].cache;
}

/* Whoever looks at the visibility map afterwards finds it as it was then, or later. */
uint64
gpuagg_cache_kept_so_far(int device)
{
	uint64		kept = pg_atomic_read_u64(&gpuagg_shared->devices[device].cache.kept);

	pg_read_barrier();
	return kept;
}

void
gpuagg_cache_shared_unlock(void)
{
	LWLockRelease(cache_lock());
}

/* -------------------------------------------------------------- entries --- */

/* Where the chain begins that has a table's entries */
static uint32
chain_of(Oid relid)
{
	return murmurhash32(relid) % GPUAGG_CACHE_CHAINS;
}

uint32
gpuagg_cache_entry_add(GpuAggCacheShared *shared, const GpuAggCacheEntry *entry)
{
	uint32	   *chain = &shared->chains[chain_of(entry->relid)];
	uint32		number = shared->free;
	GpuAggCacheEntry *at;

	if (number == 0 && shared->nentries == GPUAGG_CACHE_ENTRIES)
		return 0;
	if (number == 0)
		number = ++shared->nentries;
	else
		shared->free = shared->entries[number - 1].next;
	at = &shared->entries[number - 1];
	*at = *entry;
	shared->nformer = 0;
	at->next = *chain;
	*chain = number;
	return number;
}

void
gpuagg_cache_entry_set(GpuAggCacheShared *shared, uint32 number, const GpuAggCacheEntry *entry)
{
	GpuAggCacheEntry *at = &shared->entries[number - 1];
	uint32		next = at->next;

	*at = *entry;
	at->next = next;
}

void
gpuagg_cache_entry_remove(GpuAggCacheShared *shared, uint32 number)
{
	GpuAggCacheEntry *at = &shared->entries[number - 1];
	uint32	   *link = &shared->chains[chain_of(at->relid)];

	while (*link != number)
		link = &shared->entries[*link - 1].next;
	*link = at->next;
	at->relid = InvalidOid;
	at->next = shared->free;
	shared->free = number;
}

void
gpuagg_cache_shared_clear(int device)
{
	GpuAggCacheShared *shared = gpuagg_cache_shared_lock(device, LW_EXCLUSIVE);

	if (shared->nentries > 0)
		shared->nformer = shared->nentries;
	shared->nentries = 0;
	shared->free = 0;
	memset(shared->chains, 0, sizeof(shared->chains));
	gpuagg_cache_shared_unlock();
}

static uint32
entries_copy(int device, bool former, GpuAggCacheEntry **entries)
{
	const GpuAggCacheShared *shared;
	uint32		used;
	uint32		n = 0;

	*entries = palloc(GPUAGG_CACHE_ENTRIES * sizeof(GpuAggCacheEntry));
	shared = gpuagg_cache_shared_lock(device, LW_SHARED);
	used = former ? Max(shared->nentries, shared->nformer) : shared->nentries;
	for (uint32 i = 0; i < used; i++)
		if (OidIsValid(shared->entries[i].relid))
			(*entries)[n++] = shared->entries[i];
	gpuagg_cache_shared_unlock();
	return n;
}

uint32
gpuagg_cache_entries(int device, GpuAggCacheEntry **entries)
{
	return entries_copy(device, false, entries);
}

uint32
gpuagg_cache_entries_last(int device, GpuAggCacheEntry **entries)
{
	return entries_copy(device, true, entries);
}

void
gpuagg_cache_memory(int device, uint64 *limit, uint64 *used)
{
	const GpuAggCacheShared *shared = gpuagg_cache_shared_lock(device, LW_SHARED);

	*limit = shared->limit;
	*used = shared->used;
	gpuagg_cache_shared_unlock();
}

uint64
gpuagg_cache_room(void)
{
	uint64		most = 0;

	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		uint64		limit;
		uint64		used;

		gpuagg_cache_memory(i, &limit, &used);
		most = Max(most, limit);
	}
	return most;
}

/* The entry after this one, or with NULL the first, of a table's files; NULL: none */
static const GpuAggCacheEntry *
entry_next(const GpuAggCacheShared *shared, const GpuAggCacheEntry *entry, Oid relid,
		   uint32 relnumber)
{
	uint32		number = entry != NULL ? entry->next : shared->chains[chain_of(relid)];

	for (; number != 0; number = entry->next)
	{
		entry = &shared->entries[number - 1];
		if (entry->relid == relid && entry->relnumber == relnumber &&
			entry->dbid == MyDatabaseId)
			return entry;
	}
	return NULL;
}

static const GpuAggCacheEntry *
entry_find(const GpuAggCacheShared *shared, Oid relid, uint32 relnumber,
		   AttrNumber attnum)
{
	const GpuAggCacheEntry *entry = NULL;

	while ((entry = entry_next(shared, entry, relid, relnumber)) != NULL)
		if (entry->attnum == attnum)
			return entry;
	return NULL;
}

/* Blocks of a table that are held, be it of one column */
static uint32
blocks_held(const GpuAggCacheShared *shared, Oid relid, uint32 relnumber)
{
	const GpuAggCacheEntry *entry = NULL;
	uint32		blocks = 0;

	while ((entry = entry_next(shared, entry, relid, relnumber)) != NULL)
		blocks = Max(blocks, entry->blocks);
	return blocks;
}

double
gpuagg_cache_fraction(Oid relid, uint32 relnumber, const AttrNumber *columns, int ncolumns,
					  BlockNumber nblocks)
{
	double		most = 0;

	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		const double on =
			gpuagg_cache_fraction_on(i, relid, relnumber, columns, ncolumns, nblocks);

		most = Max(most, on);
	}
	return most;
}

double
gpuagg_cache_fraction_together(Oid relid, uint32 relnumber, const AttrNumber *columns,
							   int ncolumns, BlockNumber nblocks)
{
	double		sum = 0;

	if (gpuagg_spread == GPUAGG_SPREAD_OFF)
		return gpuagg_cache_fraction(relid, relnumber, columns, ncolumns, nblocks);
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		sum += gpuagg_cache_fraction_on(i, relid, relnumber, columns, ncolumns, nblocks);
	return Min(sum, 1);
}

double
gpuagg_cache_fraction_on(int device, Oid relid, uint32 relnumber, const AttrNumber *columns,
						 int ncolumns, BlockNumber nblocks)
{
	const GpuAggCacheShared *shared;
	uint32		blocks = nblocks;

	if (nblocks == 0)
		return 0;
	shared = gpuagg_cache_shared_lock(device, LW_SHARED);
	if (ncolumns == 0)
	{
		const uint32 held = blocks_held(shared, relid, relnumber);

		blocks = Min(blocks, held);
	}
	for (int i = 0; i < ncolumns && blocks > 0; i++)
	{
		const GpuAggCacheEntry *entry = entry_find(shared, relid, relnumber,
												   columns[i]);

		blocks = entry == NULL ? 0 : Min(blocks, entry->blocks);
	}
	gpuagg_cache_shared_unlock();
	return (double) blocks / nblocks;
}

void
gpuagg_cache_lsns(Oid relid, uint32 relnumber, uint64 *map_lsn, uint64 *page_lsn, double *changes)
{
	*map_lsn = *page_lsn = 0;
	*changes = -1;
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		const GpuAggCacheShared *shared = gpuagg_cache_shared_lock(i, LW_SHARED);
		const GpuAggCacheEntry *entry = entry_find(shared, relid, relnumber, InvalidAttrNumber);

		if (entry != NULL)
		{
			*map_lsn = Max(*map_lsn, entry->map_lsn);
			*page_lsn = Max(*page_lsn, entry->page_lsn);
			if (entry->changes >= 0)
				*changes = Max(*changes, 0) + entry->changes;
		}
		gpuagg_cache_shared_unlock();
	}
}

bool
gpuagg_cache_follows(void)
{
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		if (pg_atomic_read_u32(&gpuagg_shared->devices[i].cache.follows) == 0)
			return false;
	return true;
}

double
gpuagg_cache_strings(Oid relid, uint32 relnumber, AttrNumber attnum, BlockNumber nblocks)
{
	double		strings = 0;

	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		const GpuAggCacheShared *shared = gpuagg_cache_shared_lock(i, LW_SHARED);
		const GpuAggCacheEntry *entry = entry_find(shared, relid, relnumber, attnum);

		if (entry != NULL && entry->blocks >= NEARLY_ALL * nblocks)
			strings = Max(strings, entry->strings);
		gpuagg_cache_shared_unlock();
	}
	return strings;
}

/* Puts the request if the one before is answered; its number, or 0 */
static uint64
request_put(int device, Oid relid, AttrNumber attnum)
{
	GpuAggCacheShared *shared = gpuagg_cache_shared_lock(device, LW_EXCLUSIVE);
	uint64		asked = pg_atomic_read_u64(&shared->asked);
	bool		free = shared->answered == asked;

	if (free)
	{
		shared->dbid = MyDatabaseId;
		shared->relid = relid;
		shared->attnum = attnum;
		pg_atomic_write_u64(&shared->asked, ++asked);
	}
	gpuagg_cache_shared_unlock();
	return free ? asked : 0;
}

static bool
request_answered(int device, uint64 number)
{
	bool		answered = gpuagg_cache_shared_lock(device, LW_SHARED)->answered >= number;

	gpuagg_cache_shared_unlock();
	return answered;
}

/*
 * A worker whose device is not ready keeps nothing, and may not answer: that of a card that is off
 * waits.
 */
static void
unload_from(int device, Oid relid, AttrNumber attnum)
{
	GpuAggDeviceState *state = gpuagg_shmem_state(device);
	ConditionVariable *cv = &gpuagg_shared->devices[device].cache.answered_one;
	uint64		number = 0;

	ConditionVariablePrepareToSleep(cv);
	while (pg_atomic_read_u32(&state->status) == GPUAGG_READY &&
		   gpuagg_shmem_wake_worker(device))
	{
		if (number == 0)
		{
			number = request_put(device, relid, attnum);
			if (number != 0)
				continue;		/* wake the worker for it */
		}
		else if (request_answered(device, number))
			break;
		ConditionVariableTimedSleep(cv, CHECK_MS,
									gpuagg_wait_event(&wait_event_unload,
													  "GpuAggUnload"));
	}
	ConditionVariableCancelSleep();
}

void
gpuagg_cache_unload(Oid relid, AttrNumber attnum)
{
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		unload_from(i, relid, attnum);
}

void
gpuagg_cache_drop_database(Oid dbid)
{
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		GpuAggCacheShared *shared = gpuagg_cache_shared_lock(i, LW_EXCLUSIVE);
		uint32		n = pg_atomic_read_u32(&shared->ndropped);

		if (n < GPUAGG_CACHE_DROPPED)
			shared->dropped[n] = dbid;
		pg_atomic_write_u32(&shared->ndropped, n + 1);
		gpuagg_cache_shared_unlock();
		(void) gpuagg_shmem_wake_worker(i);
	}
}

uint32
gpuagg_cache_dropped(int device, Oid *dropped)
{
	GpuAggCacheShared *shared = &gpuagg_shared->devices[device].cache;
	uint32		n;

	if (pg_atomic_read_u32(&shared->ndropped) == 0)
		return 0;
	(void) gpuagg_cache_shared_lock(device, LW_EXCLUSIVE);
	n = pg_atomic_read_u32(&shared->ndropped);
	memcpy(dropped, shared->dropped, Min(n, GPUAGG_CACHE_DROPPED) * sizeof(Oid));
	pg_atomic_write_u32(&shared->ndropped, 0);
	gpuagg_cache_shared_unlock();
	return n;
}
