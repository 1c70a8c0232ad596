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
#define LOOK_MS 10

static uint32 wait_event_filling;

/* Does a slot's task bring all of these columns, and did it begin before the other one? */
static bool
brings(const GpuAggSlot *slot, const GpuAggSlot *than, GpuAggFillingColumns columns,
	   uint64 before, uint64 *number)
{
	*number = pg_atomic_read_u64((pg_atomic_uint64 *) &slot->filling.number);
	pg_read_barrier();
	return *number != 0 && *number < before && slot->datid == than->datid &&
		slot->relid == than->relid && slot->device == than->device &&
		(columns & ~slot->filling.columns) == 0 && (columns & GPUAGG_FILLING_OTHERS) == 0;
}

bool
gpuagg_filling_begin(int slot, GpuAggFillingColumns columns, GpuAggFiller *other)
{
	GpuAggSlot *own = gpuagg_shmem_slot(slot);
	const uint64 number = pg_atomic_add_fetch_u64(&gpuagg_shared->fillings, 1);

	own->filling.columns = columns;
	pg_write_barrier();
	pg_atomic_write_u64(&own->filling.number, number);
	if (other == NULL)
		return true;
	pg_memory_barrier();
	for (int i = 0; i < gpuagg_shared->nslots; i++)
	{
		if (!brings(gpuagg_shmem_slot(i), own, columns, number, &other->number))
			continue;
		other->slot = i;
		gpuagg_filling_end(slot);
		return false;
	}
	return true;
}

void
gpuagg_filling_end(int slot)
{
	GpuAggFilling *filling = &gpuagg_shmem_slot(slot)->filling;

	if (pg_atomic_read_u64(&filling->number) == 0)
		return;
	pg_atomic_write_u64(&filling->number, 0);
	ConditionVariableBroadcast(&gpuagg_shared->filled);
}

/* Rises with each batch that is handed over, and with each that the device has read */
static uint64
progress(GpuAggSlot *slot)
{
	return pg_atomic_read_u64(&slot->pages_done) + pg_atomic_read_u64(&slot->rows);
}

void
gpuagg_filling_wait(const GpuAggFiller *other)
{
	GpuAggSlot *slot = gpuagg_shmem_slot(other->slot);
	uint64		done = progress(slot);
	TimestampTz moved = GetCurrentTimestamp();

	ConditionVariablePrepareToSleep(&gpuagg_shared->filled);
	while (pg_atomic_read_u64(&slot->filling.number) == other->number)
	{
		const uint64 now_done = progress(slot);
		const TimestampTz now = GetCurrentTimestamp();

		if (now_done != done)
			moved = now;
		else if (TimestampDifferenceExceeds(moved, now, STALLED_MS))
			break;
		done = now_done;
		(void) ConditionVariableTimedSleep(&gpuagg_shared->filled, LOOK_MS,
										   gpuagg_wait_event(&wait_event_filling,
															 "GpuAggFilling"));
	}
	ConditionVariableCancelSleep();
}
