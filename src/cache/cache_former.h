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

/*
 * For one user, which does not read it, a block is not held any more; to others who use the
 * extent by now it is what it was.
 */
extern void gpuagg_cache_replace(GpuAggCacheExtent *extent, const GpuAggCacheReader *user,
								 uint32 number);

/* Positions of formers that nobody reads any more become free (cache_free.h). */
extern void gpuagg_cache_formers_free(GpuAggCacheExtent *extent);

/* The blocks of an extent as they lie to one who uses it; to be freed at once */
extern const GpuAggCacheBlock *gpuagg_cache_view(const GpuAggCacheExtent *extent,
												 const GpuAggCacheReader *reader);
extern void gpuagg_cache_view_free(const GpuAggCacheExtent *extent,
								   const GpuAggCacheBlock *view);

#endif							/* GPUAGG_CACHE_CACHE_FORMER_H */
