/*
 * cache_free.c
 *		Positions of an extent that belong to no block any more (cache_free.h).
 *
 * Ranges lie in the order of stripes and positions, and no two are neighbours: who reads a stripe
 * leaves them all out, and pages that have grown fit where several others were.  They are searched
 * from where one was found last.
 */
#include "postgres.h"

#include "cache/cache_evict.h"
#include "cache/cache_free.h"

#define FEW_RANGES 64

/* The number of the first range that does not come before a position of a stripe */
static uint32
ranges_from(const GpuAggCacheFree *ranges, uint32 stripe, uint32 position)
{
	uint32		low = 0;
	uint32		high = ranges->n;

	while (low < high)
	{
		const uint32 middle = low + (high - low) / 2;
		const GpuAggCacheRange *range = &ranges->ranges[middle];

		if (range->stripe < stripe || (range->stripe == stripe && range->position < position))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
range_remove(GpuAggCacheFree *ranges, uint32 at)
{
	ranges->n--;
	memmove(&ranges->ranges[at], &ranges->ranges[at + 1],
			(ranges->n - at) * sizeof(GpuAggCacheRange));
}

static void
range_insert(GpuAggCacheExtent *extent, uint32 at, GpuAggCacheRange range)
{
	GpuAggCacheFree *ranges = &extent->free;

	if (ranges->n == ranges->max)
	{
		const uint32 max = Max(FEW_RANGES, 2 * ranges->max);

		ranges->ranges =
			gpuagg_cache_directory_lengthen(extent->table, ranges->ranges,
											ranges->n * sizeof(GpuAggCacheRange),
											max * sizeof(GpuAggCacheRange));
		ranges->max = max;
	}
	memmove(&ranges->ranges[at + 1], &ranges->ranges[at],
			(ranges->n - at) * sizeof(GpuAggCacheRange));
	ranges->ranges[at] = range;
	ranges->n++;
}

/* Does a range end where the next one begins? */
static bool
touches(const GpuAggCacheRange *range, const GpuAggCacheRange *next)
{
	return range->stripe == next->stripe && range->position + range->positions == next->position;
}

void
gpuagg_cache_free_add(GpuAggCacheExtent *extent, GpuAggCacheBlock *block)
{
	GpuAggCacheFree *ranges = &extent->free;
	const GpuAggCacheRange range = {block->position, block->positions, block->stripe};
	GpuAggCacheRange *before;
	uint32		at;

	if (block->stripe == GPUAGG_NO_STRIPE || block->positions == 0)
		return;
	at = ranges_from(ranges, range.stripe, range.position);
	if (at > 0 && touches(&ranges->ranges[at - 1], &range))
		ranges->ranges[--at].positions += range.positions;
	else
		range_insert(extent, at, range);
	before = &ranges->ranges[at];
	if (at + 1 < ranges->n && touches(before, before + 1))
	{
		before->positions += before[1].positions;
		range_remove(ranges, at + 1);
	}
	ranges->most = Max(ranges->most, ranges->ranges[at].positions);
	block->stripe = GPUAGG_NO_STRIPE;
	block->positions = 0;
}

/* The range that has so many; NULL: none has. */
static GpuAggCacheRange *
find(GpuAggCacheFree *ranges, uint32 positions)
{
	if (positions > ranges->most)
		return NULL;
	for (uint32 i = 0; i < ranges->n; i++)
	{
		const uint32 at = (ranges->next + i) % ranges->n;

		if (ranges->ranges[at].positions >= positions)
		{
			ranges->next = at;
			return &ranges->ranges[at];
		}
	}
	ranges->most = positions - 1;
	return NULL;
}

uint32
gpuagg_cache_free_most(const GpuAggCacheExtent *extent)
{
	uint32		most = 0;

	for (uint32 i = 0; i < extent->free.n; i++)
		most = Max(most, extent->free.ranges[i].positions);
	return most;
}

bool
gpuagg_cache_free_take(GpuAggCacheExtent *extent, uint32 positions, GpuAggCacheBlock *block)
{
	GpuAggCacheFree *ranges = &extent->free;
	GpuAggCacheRange *range = find(ranges, positions);

	if (range == NULL)
		return false;
	block->stripe = range->stripe;
	block->position = range->position;
	block->positions = (uint16) positions;
	range->position += positions;
	range->positions -= positions;
	if (range->positions == 0)
		range_remove(ranges, range - ranges->ranges);
	return true;
}

uint32
gpuagg_cache_free_list(const GpuAggCacheExtent *extent, uint32 stripe, GpuAggPositions *list)
{
	uint32		n = 0;

	for (uint32 i = ranges_from(&extent->free, stripe, 0);
		 i < extent->free.n && extent->free.ranges[i].stripe == stripe; i++)
		list[n++] = (GpuAggPositions) {extent->free.ranges[i].position,
			extent->free.ranges[i].positions};
	return n;
}
