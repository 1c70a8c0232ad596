/*
 * cache_former.h
 *		Where blocks of an extent lay before they were replaced beside its users.
 *
 * A user reads what the directory was when CACHED was sent to it.  So a block that is
 * replaced while others use the extent leaves its positions to them, as a *former* of
 * the version that begins then, and gets new ones.  All who use the extent list the
 * positions of formers as not theirs, but those that began before and use the block.
 * When these have left, the positions are free.
 */
#ifndef GPUAGG_CACHE_CACHE_FORMER_H
#define GPUAGG_CACHE_CACHE_FORMER_H

#include "cache/cache_extent.h"

/* A version begins; room is made for formers of all blocks. */
extern void gpuagg_cache_formers_begin(GpuAggCacheExtent *extent);

/*
 * In it a block is not held any more, and has no positions; users that began before do not
 * notice.
 */
extern void gpuagg_cache_former_add(GpuAggCacheExtent *extent, uint32 number);

/* Part of that: a block's positions become a former's; begun: pages are being decoded there. */
extern void gpuagg_cache_former_push(GpuAggCacheExtent *extent, uint32 number, bool begun);

/*
 * For one user, which does not read it, a block is not held any more; to others who use the
 * extent by now it is what it was.
 */
extern void gpuagg_cache_replace(GpuAggCacheExtent *extent, const GpuAggCacheReader *user,
								 uint32 number);

/* Positions of formers that nobody reads any more become free (cache_free.h). */
extern void gpuagg_cache_formers_free(GpuAggCacheExtent *extent);

/*
 * gpuagg_cache_formers_free, and also those that nobody reads because all who use the extent began
 * before they were there, or after: who stays for long keeps what was there when he began, no more.
 * Goes through all formers, if there are many more than the last time.  Returns how many of these
 * have become free.
 */
extern uint32 gpuagg_cache_formers_release(GpuAggCacheExtent *extent);

/* The blocks of an extent as they lie to one who uses it, for a moment */
typedef struct GpuAggCacheView
{
	const GpuAggCacheExtent *extent;
	uint64		elsewhere[GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS)];	/* those that are formers */
	uint32	   *former;			/* of each of these, its index; NULL: there are none */
} GpuAggCacheView;

extern void gpuagg_cache_view(const GpuAggCacheExtent *extent, const GpuAggCacheReader *reader,
							  GpuAggCacheView *view);
extern void gpuagg_cache_view_free(GpuAggCacheView *view);

static inline const GpuAggCacheBlock *
gpuagg_cache_view_block(const GpuAggCacheView *view, uint32 number)
{
	return gpuagg_bit(view->elsewhere, number) ?
		&view->extent->formers[view->former[number]].block : &view->extent->blocks[number];
}

#endif							/* GPUAGG_CACHE_CACHE_FORMER_H */
