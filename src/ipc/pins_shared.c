/*
 * pins_shared.c
 *		The list of pinned columns (pins_shared.h).
 */
#include "postgres.h"

#include "ipc/pins_shared.h"
#include "ipc/shmem.h"
#include "storage/lwlock.h"

#define LOCK_NAME "gpuagg_pins"

static LWLock *
pins_lock(void)
{
	return &GetNamedLWLockTranche(LOCK_NAME)->lock;
}

void
gpuagg_pins_request(void)
{
	RequestNamedLWLockTranche(LOCK_NAME, 1);
}

void
gpuagg_pins_init(GpuAggPins *shared)
{
	pg_atomic_init_u32(&shared->changes, 0);
}

uint32
gpuagg_pins_changes(void)
{
	return pg_atomic_read_u32(&gpuagg_shared->pins.changes);
}

static int
pin_compare(const GpuAggPin *a, const GpuAggPin *b)
{
	if (a->dbid != b->dbid)
		return a->dbid < b->dbid ? -1 : 1;
	if (a->relid != b->relid)
		return a->relid < b->relid ? -1 : 1;
	return (a->attnum > b->attnum) - (a->attnum < b->attnum);
}

/* The first that is not less */
static uint32
pin_search(const GpuAggPin *pins, uint32 n, const GpuAggPin *pin)
{
	uint32		low = 0;
	uint32		high = n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (pin_compare(&pins[middle], pin) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
gpuagg_pins_have(const GpuAggPin *pins, uint32 n, const GpuAggPin *pin)
{
	uint32		at = pin_search(pins, n, pin);

	return at < n && pin_compare(&pins[at], pin) == 0;
}

bool
gpuagg_pins_add(const GpuAggPin *pin)
{
	GpuAggPins *shared = &gpuagg_shared->pins;
	bool		there;
	bool		room;
	uint32		at;

	LWLockAcquire(pins_lock(), LW_EXCLUSIVE);
	there = gpuagg_pins_have(shared->pins, shared->n, pin);
	room = shared->n < GPUAGG_MAX_PINS;
	if (!there && room)
	{
		at = pin_search(shared->pins, shared->n, pin);
		memmove(&shared->pins[at + 1], &shared->pins[at], (shared->n - at) * sizeof(GpuAggPin));
		shared->pins[at] = *pin;
		shared->n++;
		pg_atomic_fetch_add_u32(&shared->changes, 1);
	}
	LWLockRelease(pins_lock());
	return there || room;
}

static bool
pin_is_meant(const GpuAggPin *pin, const GpuAggPin *meant)
{
	return pin->dbid == meant->dbid &&
		(!OidIsValid(meant->relid) || pin->relid == meant->relid) &&
		(meant->attnum == InvalidAttrNumber || pin->attnum == meant->attnum);
}

uint32
gpuagg_pins_remove(const GpuAggPin *pin)
{
	GpuAggPins *shared = &gpuagg_shared->pins;
	uint32		left = 0;
	uint32		removed;

	LWLockAcquire(pins_lock(), LW_EXCLUSIVE);
	for (uint32 i = 0; i < shared->n; i++)
		if (!pin_is_meant(&shared->pins[i], pin))
			shared->pins[left++] = shared->pins[i];
	removed = shared->n - left;
	shared->n = left;
	if (removed > 0)
		pg_atomic_fetch_add_u32(&shared->changes, 1);
	LWLockRelease(pins_lock());
	return removed;
}

uint32
gpuagg_pins_copy(GpuAggPin **pins)
{
	const GpuAggPins *shared = &gpuagg_shared->pins;
	uint32		n;

	*pins = palloc(GPUAGG_MAX_PINS * sizeof(GpuAggPin));
	LWLockAcquire(pins_lock(), LW_SHARED);
	n = shared->n;
	memcpy(*pins, shared->pins, n * sizeof(GpuAggPin));
	LWLockRelease(pins_lock());
	return n;
}
