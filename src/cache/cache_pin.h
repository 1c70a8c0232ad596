/*
 * cache_pin.h
 *		Columns that others do not displace (ipc/pins_shared.h).
 *
 * Inside the worker.  What an extent has of a pinned column is *secured* when it is used
 * or filled, as long as all that is secured takes no more than its part of the limit, and
 * is not evicted then.  What comes after that is like any other column.
 */
#ifndef GPUAGG_CACHE_CACHE_PIN_H
#define GPUAGG_CACHE_CACHE_PIN_H

#include <float.h>

#include "cache/cache_extent.h"

/* The priority of what is not evicted: nothing has more. */
#define GPUAGG_PINNED_PRIORITY DBL_MAX

/* Is a column of a table pinned? */
extern bool gpuagg_cache_is_pinned(const GpuAggCacheTable *table, uint32 attr);

/* Copies the list of pinned columns if it has changed; has it? */
extern bool gpuagg_cache_pins_renew(void);

/* Would so many bytes more of a column be secured? */
extern bool gpuagg_cache_would_secure(const GpuAggCacheColumn *column, uint64 bytes);

/* Secures what an extent has of a column, as many bytes as said, if it can; is it? */
extern bool gpuagg_cache_secure(GpuAggCacheFill *fill, uint64 bytes);

/* It goes, or is not pinned any more. */
extern void gpuagg_cache_release(GpuAggCacheFill *fill);

#endif							/* GPUAGG_CACHE_CACHE_PIN_H */
