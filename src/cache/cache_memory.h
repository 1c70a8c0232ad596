/*
 * cache_memory.h
 *		What the column cache may take and takes: stripes and dictionaries of the
 *		device, and the directory of them in the worker's own memory.
 *
 * One limit is for both.  The device is told of what the directory leaves of
 * it, each time that the directory grows or shrinks.
 */
#ifndef GPUAGG_CACHE_CACHE_MEMORY_H
#define GPUAGG_CACHE_CACHE_MEMORY_H

#include "postgres.h"

#include "device/device.h"

/*
 * The device that columns stay on, its place among those at work, and how many bytes all of it
 * may take; ops NULL: it keeps nothing.
 */
extern void gpuagg_cache_set_device(int at, const GpuAggStripeOps *ops,
									GpuAggDevice *device, uint64 bytes);
extern const GpuAggStripeOps *gpuagg_cache_stripe_ops(void);
extern GpuAggDevice *gpuagg_cache_device(void);
extern int	gpuagg_cache_at(void);

/* 0: there is no cache. */
extern uint64 gpuagg_cache_limit(void);

/* That it takes now */
extern uint64 gpuagg_cache_used(void);

/*
 * Memory of the directory, zeroed, whatever the limit says; *account, a table's,
 * counts it.  An ERROR without memory.  p may be NULL.
 */
extern void *gpuagg_cache_alloc(uint64 *account, Size bytes);
extern void gpuagg_cache_free(uint64 *account, void *p);

/* A longer copy of an array, with zeros behind; the old one, or NULL, is freed. */
extern void *gpuagg_cache_lengthen(uint64 *account, void *array, Size old_bytes,
								   Size bytes);

#endif							/* GPUAGG_CACHE_CACHE_MEMORY_H */
