/*
 * cache_free.c
 *		Positions of an extent that belong to no block any more (cache_free.h).
 *
 * Ranges lie in the order in which they came, and are searched from where one was found last.
 * Pages that grow leave ranges that are too small for others that grow, but lie side by side:
 * so they are united, when there are twice as many as after the last time.
 */
#include "postgres.h"

#include "cache/cache_evict.h"
#include "cache/cache_free.h"

/* So few ranges are not worth uniting; after looking at so many it is. */
#define FEW_RANGES 64
#define LONG_SEARCH 256

static int
ranges_compare(const void *a, const void *b)
{
	const GpuAggCacheRange *x = a;
	const GpuAggCacheRange *y = b;

	if (x->stripe != y->stripe)
		return x->stripe < y->stripe ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static void
unite(GpuAggCacheFree *ranges)
{
	uint32		n = 0;

	qsort(ranges->ranges, ranges->n, sizeof(GpuAggCacheRange), ranges_compare);
	ranges->most = 0;
	for (uint32 i = 0; i < ranges->n; i++)
	{
		const GpuAggCacheRange *range = &ranges->ranges[i];
		GpuAggCacheRange *last = n > 0 ? &ranges->ranges[n - 1] : NULL;

		if (last != NULL && last->stripe == range->stripe &&
			last->position + last->positions == range->position)
			last->positions += range->positions;
		else
		{
			last = &ranges->ranges[n++];
			*last = *range;
		}
		ranges->most = Max(ranges->most, last->positions);
	}
	ranges->n = ranges->united = n;
	ranges->next = 0;
}

void
gpuagg_cache_free_add(GpuAggCacheExtent *extent, GpuAggCacheBlock *block)
{
	GpuAggCacheFree *ranges = &extent->free;

	if (block->stripe == GPUAGG_NO_STRIPE || block->positions == 0)
		return;
	if (ranges->n == ranges->max)
	{
		const uint32 max = Max(FEW_RANGES, 2 * ranges->max);

		ranges->ranges =
			gpuagg_cache_directory_lengthen(extent->table, ranges->ranges,
											ranges->n * sizeof(GpuAggCacheRange),
											max * sizeof(GpuAggCacheRange));
		ranges->max = max;
	}
	ranges->ranges[ranges->n++] =
		(GpuAggCacheRange) {block->position, block->positions, block->stripe};
	ranges->most = Max(ranges->most, block->positions);
	block->stripe = GPUAGG_NO_STRIPE;
	block->positions = 0;
}

static bool
is_worth_uniting(const GpuAggCacheFree *ranges)
{
	return ranges->n >= FEW_RANGES && ranges->n >= 2 * ranges->united;
}

/* The range that has so many; NULL: none has, or they had better be united first. */
static GpuAggCacheRange *
find(GpuAggCacheFree *ranges, uint32 positions)
{
	if (positions > ranges->most)
		return NULL;
	for (uint32 i = 0; i < ranges->n; i++)
	{
		const uint32 at = (ranges->next + i) % ranges->n;

		if (i == LONG_SEARCH && is_worth_uniting(ranges))
			return NULL;
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
gpuagg_cache_free_most(GpuAggCacheExtent *extent)
{
	if (extent->free.n > 0)
		unite(&extent->free);
	return extent->free.n > 0 ? extent->free.most : 0;
}

bool
gpuagg_cache_free_take(GpuAggCacheExtent *extent, uint32 positions, GpuAggCacheBlock *block)
{
	GpuAggCacheFree *ranges = &extent->free;
	GpuAggCacheRange *range = find(ranges, positions);

	if (range == NULL && is_worth_uniting(ranges))
	{
		unite(ranges);
		range = find(ranges, positions);
	}
	if (range == NULL)
		return false;
	block->stripe = range->stripe;
	block->position = range->position;
	block->positions = (uint16) positions;
	range->position += positions;
	range->positions -= positions;
	if (range->positions == 0)
		*range = ranges->ranges[--ranges->n];
	return true;
}
