/*
 * cache.h
 *		The column cache, as the device worker's jobs use it.
 *
 * A job whose BEGIN message has a cache request begins to use the cache when
 * the device has taken its task, and leaves it when its last batch is
 * complete.  All of it is called by the worker's main thread and never waits.
 */
#ifndef GPUAGG_CACHE_CACHE_H
#define GPUAGG_CACHE_CACHE_H

#include "cache/cache_client.h"

/*
 * The device that tasks run on is open; ops NULL: it keeps no columns.  spare:
 * bytes of its memory that columns take by default.  At the worker's end, backends
 * see that nothing is held.
 */
extern void gpuagg_cache_start(int at, const GpuAggStripeOps *ops, GpuAggDevice *device,
							   uint64 spare);
extern void gpuagg_cache_stop(int at);

/* Serves a request to unload, and forgets databases that were dropped, if there are any. */
extern void gpuagg_cache_answer(void);

/*
 * Of a job with a cache request, before its task begins: its table and
 * columns, and a program over codes of their strings.
 */
extern void gpuagg_cache_attach(GpuAggCacheClient *client);

/*
 * Of a job whose program is being made one over codes: is all of its table held, with its columns,
 * and as it is now by the WAL?  Then its task is likely to read nothing else.
 */
extern bool gpuagg_cache_is_whole(const GpuAggCacheClient *client);

/*
 * After that: the message CACHED, which goes to the queue of replies.  False: it
 * did before, or there was no cache request.
 */
extern bool gpuagg_cache_begin(GpuAggCacheClient *client);

/*
 * is_part: is what has completed a part of what the client knows by this number,
 * and not the last one?
 *
 * completed: a batch is complete, or has failed; not called for parts.
 */
extern bool gpuagg_cache_is_part(GpuAggCacheClient *client, uint64 batch_id);
extern void gpuagg_cache_completed(GpuAggCacheClient *client,
								   const GpuAggCompletion *completion);

/*
 * It reads and writes no stripe any more.  True: it did, and what backends see of the
 * cache (gpuagg_cache_publish) is old.  May be called again.
 */
extern bool gpuagg_cache_leave(GpuAggCacheClient *client);

/* Adds what zones did for it. */
extern void gpuagg_cache_zones_count(const GpuAggCacheClient *client, GpuAggZonesCount *count);

/* Pages that it has kept */
extern uint64 gpuagg_cache_kept(const GpuAggCacheClient *client);

#endif							/* GPUAGG_CACHE_CACHE_H */
