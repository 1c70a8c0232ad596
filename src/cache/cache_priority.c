/*
 * cache_priority.c
 *		The priority of what the column cache holds (cache_priority.h).
 */
#include "postgres.h"

#include "cache/cache_pin.h"
#include "cache/cache_priority.h"

static double cache_clock = 0;

double
gpuagg_cache_priority(const GpuAggCacheColumn *column, uint32 npages, uint64 bytes)
{
	return cache_clock +
		(double) column->uses * npages * BLCKSZ / Max(bytes, 1);
}

double
gpuagg_cache_extent_priority(const GpuAggCacheExtent *extent)
{
	double		priority = 0;

	for (int i = 0; i < extent->nfills; i++)
		priority = Max(priority, extent->fills[i]->priority);
	return priority;
}

void
gpuagg_cache_touch(GpuAggCacheExtent *extent, GpuAggCacheColumn *const *columns,
				   int ncolumns)
{
	for (int i = 0; i < ncolumns; i++)
	{
		GpuAggCacheFill *fill = gpuagg_cache_fill(extent, columns[i]);
		uint64		bytes;

		if (fill == NULL)
			continue;
		bytes = gpuagg_cache_fill_bytes(extent, fill);
		fill->priority = gpuagg_cache_secure(fill, bytes) ? GPUAGG_PINNED_PRIORITY :
			gpuagg_cache_priority(columns[i], fill->nfilled, bytes);
	}
}

void
gpuagg_cache_priority_went(double priority)
{
	cache_clock = Max(cache_clock, priority);
}
