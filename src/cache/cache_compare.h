/*
 * cache_compare.h
 *		Pages that a job would have used as they are held, to be compared with that.
 */
#ifndef GPUAGG_CACHE_CACHE_COMPARE_H
#define GPUAGG_CACHE_CACHE_COMPARE_H

#include "cache/cache_job.h"

/* Of a message's pages, those with GPUAGG_KEEP_COMPARE get the positions where they are held. */
extern void gpuagg_cache_compare(const GpuAggCacheClient *client, const GpuAggMsgPage *in,
								 GpuAggPage *pages, uint32 npages);

#endif							/* GPUAGG_CACHE_CACHE_COMPARE_H */
