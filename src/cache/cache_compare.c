/*
 * cache_compare.c
 *		The oracle of kept pages (cache_compare.h; gpuagg.debug_compare).
 *
 * A task that compares goes through all that a task goes through to know which blocks it may use.
 * Then it reads none of them: its client feeds them from the table, as its snapshot sees them, and
 * the device holds each against what is kept at the positions that the task would have read.
 */
#include "postgres.h"

#include "cache/cache_compare.h"
#include "cache/cache_former.h"
#include "cache/cache_memory.h"

/* The extent whose block a page is to be compared with; NULL: it is not to be */
static const GpuAggCacheUse *
page_use(const GpuAggCacheJob *cached, const GpuAggMsgPage *page)
{
	const uint32 extent = page->block / GPUAGG_EXTENT_BLOCKS;

	if (page->keep != GPUAGG_KEEP_COMPARE || extent >= cached->nuses)
		return NULL;
	return cached->uses[extent].user ? &cached->uses[extent] : NULL;
}

/* A block that its task uses has positions. */
static void
page_compare(const GpuAggCacheView *view, const GpuAggMsgPage *in, GpuAggPage *page)
{
	const uint32 number = in->block % GPUAGG_EXTENT_BLOCKS;
	const GpuAggCacheBlock *block;

	if (number >= view->extent->room)
		return;
	block = gpuagg_cache_view_block(view, number);
	if (block->stripe == GPUAGG_NO_STRIPE)
		return;
	page->stripe = view->extent->stripes[block->stripe].stripe;
	page->position = block->position;
	page->positions = block->positions;
	page->compare = 1;
}

void
gpuagg_cache_compare(const GpuAggCacheClient *client, const GpuAggMsgPage *in, GpuAggPage *pages,
					 uint32 npages)
{
	const GpuAggCacheUse *at = NULL;
	GpuAggCacheView view;

	if (!gpuagg_cache_stripe_ops()->compares)
		return;
	for (uint32 i = 0; i < npages; i++)
	{
		const GpuAggCacheUse *use = page_use(client->cached, &in[i]);

		if (use == NULL)
			continue;
		if (use != at)
		{
			if (at != NULL)
				gpuagg_cache_view_free(&view);
			gpuagg_cache_view(use->extent, &use->reader, &view);
			at = use;
		}
		page_compare(&view, &in[i], &pages[i]);
	}
	if (at != NULL)
		gpuagg_cache_view_free(&view);
}
