/*
 * cache_pages.c
 *		Which lines of a table lie where in a stripe (cache_pages.h).
 *
 * Told once, and again after positions were handed out.  Blocks that lie elsewhere now are
 * among them while anybody may read them where they lay (cache_former.h); which of all these
 * blocks a task reads is said by the positions that it leaves out.
 */
#include "postgres.h"

#include "cache/cache_evict.h"
#include "cache/cache_memory.h"
#include "cache/cache_pages.h"
#include "cache/cache_priority.h"
#include "cache/cache_publish.h"
#include "utils/memutils.h"

static int
pages_compare(const void *a, const void *b)
{
	const uint32 x = ((const GpuAggStripePage *) a)->first;
	const uint32 y = ((const GpuAggStripePage *) b)->first;

	return x < y ? -1 : x > y;
}

static uint32
add_page(const GpuAggCacheExtent *extent, const GpuAggCacheBlock *block, uint32 number,
		 GpuAggStripePage *pages, uint32 n)
{
	pages[n] = (GpuAggStripePage) {
		block->position, block->positions, extent->number * GPUAGG_EXTENT_BLOCKS + number
	};
	return n + 1;
}

/* In the order of positions, which is nearly always that of blocks */
static uint32
pages_of(const GpuAggCacheExtent *extent, int stripe, GpuAggStripePage *pages)
{
	uint32		n = 0;
	bool		ordered = true;

	for (uint32 i = 0; i < extent->room; i++)
		if (extent->blocks[i].stripe == stripe && extent->blocks[i].positions > 0)
			n = add_page(extent, &extent->blocks[i], i, pages, n);
	for (uint32 i = extent->next_former; i < extent->nformers; i++)
	{
		const GpuAggCacheFormer *former = &extent->formers[i];

		if (former->block.stripe == stripe && former->block.positions > 0)
			n = add_page(extent, &former->block, former->number, pages, n);
	}
	for (uint32 i = 1; ordered && i < n; i++)
		ordered = pages[i - 1].first < pages[i].first;
	if (!ordered)
		qsort(pages, n, sizeof(GpuAggStripePage), pages_compare);
	return n;
}

static bool
stripe_tell(GpuAggCacheExtent *extent, int stripe)
{
	GpuAggCacheStripe *s = &extent->stripes[stripe];
	GpuAggStripePage *pages;
	GpuAggError error;
	GpuAggStatus status;
	uint32		n;

	if (s->told || s->stripe == NULL)
		return true;
	pages = palloc_extended((extent->room + extent->nformers + 1) * sizeof(GpuAggStripePage),
							MCXT_ALLOC_HUGE);
	n = pages_of(extent, stripe, pages);
	do
		status = gpuagg_cache_stripe_ops()->pages(s->stripe, pages, n, &error);
	while (status == GPUAGG_OUT_OF_MEMORY &&
		   gpuagg_cache_evict(gpuagg_cache_extent_priority(extent)));
	s->told = status == GPUAGG_OK;
	gpuagg_cache_table_changed(extent->table);
	pfree(pages);
	return s->told;
}

bool
gpuagg_cache_pages_tell(GpuAggCacheExtent *extent)
{
	for (int i = 0; i < extent->nstripes; i++)
		if (!stripe_tell(extent, i))
			return false;
	return true;
}
