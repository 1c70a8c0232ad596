/*
 * filling.c
 *		Which tasks bring many pages of a table to a device's column cache (filling.h).
 */
#include "postgres.h"

#include "compat.h"
#include "ipc/filling.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "storage/condition_variable.h"
#include "utils/timestamp.h"

/* A task that gets on with nothing for so long is not waited for. */
#define STALLED_MS 2000

/* So often a waiting client looks for progress. */
#define LOOK_MS 100

#define USELESS_SECONDS 60

static uint32 wait_event_filling;

static GpuAggFillings *
fillings(void)
{
	return &gpuagg_shared->fillings;
}

void
gpuagg_fillings_init(GpuAggFillings *all)
{
	pg_atomic_init_u64(&all->last, 0);
	ConditionVariableInit(&all->over);
	for (int i = 0; i < GPUAGG_FILLING_USELESS; i++)
		pg_atomic_init_u64(&all->useless[i], 0);
}

/*
 * The number under which a slot's task brings all columns of another one, which comes later; 0: it
 * does not.
 */
static uint64
brings(GpuAggSlot *slot, const GpuAggSlot *later, GpuAggFillingColumns columns)
{
	const uint64 number = pg_atomic_read_u64(&slot->filling.number);

	pg_read_barrier();
	return slot->datid == later->datid && slot->relid == later->relid &&
		slot->device == later->device && (columns & ~slot->filling.columns) == 0 &&
		(columns & GPUAGG_FILLING_OTHERS) == 0 ? number : 0;
}

/* The first one: those behind it may be about to wait for it. */
bool
gpuagg_filling_begin(int slot, GpuAggFillingColumns columns, GpuAggFiller *other)
{
	GpuAggSlot *own = gpuagg_shmem_slot(slot);
	const uint64 number = pg_atomic_add_fetch_u64(&fillings()->last, 1);
	uint64		first = number;

	own->filling.columns = columns;
	pg_write_barrier();
	pg_atomic_write_u64(&own->filling.number, number);
	if (other == NULL)
		return true;
	pg_memory_barrier();
	for (int i = 0; i < gpuagg_shared->nslots; i++)
	{
		const uint64 theirs = brings(gpuagg_shmem_slot(i), own, columns);

		if (theirs == 0 || theirs >= first)
			continue;
		first = theirs;
		*other = (GpuAggFiller) {i, theirs};
	}
	if (first == number)
		return true;
	/* who waits for this one by now looks again by itself */
	pg_atomic_write_u64(&own->filling.number, 0);
	return false;
}

void
gpuagg_filling_end(int slot)
{
	GpuAggFilling *filling = &gpuagg_shmem_slot(slot)->filling;

	if (pg_atomic_read_u64(&filling->number) == 0)
		return;
	pg_atomic_write_u64(&filling->number, 0);
	ConditionVariableBroadcast(&fillings()->over);
}

/* Rises with each batch that is handed over, and with each that the device has read */
static uint64
progress(GpuAggSlot *slot)
{
	return pg_atomic_read_u64(&slot->pages_done) + pg_atomic_read_u64(&slot->rows);
}

void
gpuagg_filling_wait(const GpuAggFiller *other, double limit_ms)
{
	GpuAggSlot *slot = gpuagg_shmem_slot(other->slot);
	uint64		done = progress(slot);
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz moved = now;
	const TimestampTz until = now + (TimestampTz) (limit_ms * 1000);

	ConditionVariablePrepareToSleep(&fillings()->over);
	while (pg_atomic_read_u64(&slot->filling.number) == other->number && now < until &&
		   !TimestampDifferenceExceeds(moved, now, STALLED_MS))
	{
		uint64		so_far;

		(void) ConditionVariableTimedSleep(&fillings()->over,
										   Min(LOOK_MS, (until - now) / 1000 + 1),
										   gpuagg_wait_event(&wait_event_filling,
															 "GpuAggFilling"));
		now = GetCurrentTimestamp();
		so_far = progress(slot);
		if (so_far != done)
			moved = now;
		done = so_far;
	}
	ConditionVariableCancelSleep();
}

/* A place has one table, and the second until which it is meant. */
static pg_atomic_uint64 *
useless_place(Oid relid, uint64 *key)
{
	const uint32 mixed = relid ^ MyDatabaseId;

	*key = (uint64) mixed << 32;
	return &fillings()->useless[mixed % GPUAGG_FILLING_USELESS];
}

static uint32
seconds_now(void)
{
	return (uint32) (GetCurrentTimestamp() / USECS_PER_SEC);
}

void
gpuagg_filling_useless(Oid relid)
{
	uint64		key;
	pg_atomic_uint64 *place = useless_place(relid, &key);

	pg_atomic_write_u64(place, key | (seconds_now() + USELESS_SECONDS));
}

bool
gpuagg_filling_is_useless(Oid relid)
{
	uint64		key;
	const uint64 there = pg_atomic_read_u64(useless_place(relid, &key));

	return there >> 32 == key >> 32 && seconds_now() < (uint32) there;
}
