/*
 * pins_shared.h
 *		Columns of tables that the column cache does not give up for others
 *		(gpuagg.pin), in main shared memory.
 *
 * A list of all databases, in order, which backends write and workers copy when it
 * has changed.  It knows nothing of what is held: a column stays pinned while none of
 * it is there, and when its table is rewritten.
 */
#ifndef GPUAGG_IPC_PINS_SHARED_H
#define GPUAGG_IPC_PINS_SHARED_H

#include "postgres.h"

#include "access/attnum.h"
#include "port/atomics.h"

/* Columns that can be pinned, of all databases */
#define GPUAGG_MAX_PINS 4096

/* Pinned columns may take one part in so many of a device's gpuagg.cache_size. */
#define GPUAGG_PINNED_PART 2

typedef struct GpuAggPin
{
	Oid			dbid;
	Oid			relid;
	AttrNumber	attnum;
} GpuAggPin;

typedef struct GpuAggPins
{
	pg_atomic_uint32 changes;	/* of the list so far */

	/* guarded by a lock of their own */
	uint32		n;
	GpuAggPin	pins[GPUAGG_MAX_PINS];
} GpuAggPins;

/* For shmem_start.c: the lock, and the structure at its start */
extern void gpuagg_pins_request(void);
extern void gpuagg_pins_init(GpuAggPins *shared);

/* How often the list has changed; who has a copy from then on needs no new one. */
extern uint32 gpuagg_pins_changes(void);

/* Adds one, unless it is there already.  False: there is no room. */
extern bool gpuagg_pins_add(const GpuAggPin *pin);

/*
 * Removes one, with InvalidAttrNumber all of a table, with InvalidOid as well all of
 * a database; returns how many there were.
 */
extern uint32 gpuagg_pins_remove(const GpuAggPin *pin);

/* A copy in the current memory context, in order; returns its length. */
extern uint32 gpuagg_pins_copy(GpuAggPin **pins);

/* Is a column in such a copy? */
extern bool gpuagg_pins_have(const GpuAggPin *pins, uint32 n, const GpuAggPin *pin);

#endif							/* GPUAGG_IPC_PINS_SHARED_H */
