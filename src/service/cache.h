/*
 * cache.h
 *		The column cache, as the device worker's jobs use it.
 *
 * A job whose BEGIN message has a wish begins to use the cache when the device
 * has taken its task, and leaves it when its last batch is complete.  All of it
 * is called by the worker's main thread and never waits.
 */
#ifndef GPUAGG_SERVICE_CACHE_H
#define GPUAGG_SERVICE_CACHE_H

#include "service/worker.h"

/*
 * The device is open: how much of its memory columns may take.  At the worker's
 * end, backends see that nothing is held.
 */
extern void gpuagg_cache_start(void);
extern void gpuagg_cache_stop(void);

/* Serves a request to unload, if there is one. */
extern void gpuagg_cache_answer(void);

/*
 * Of a job with a wish, before its task begins: its table and columns, and a
 * program over codes of their strings.
 */
extern void gpuagg_cache_attach(GpuAggWorkerJob *job);

/*
 * After that: the message CACHED, which goes to the queue of replies.  False: it
 * did before, or there was no wish.
 */
extern bool gpuagg_cache_begin(GpuAggWorkerJob *job);

/* A MAP message, checked to its last byte; answers and batches follow. */
extern void gpuagg_cache_map(GpuAggWorkerJob *job, const GpuAggMsg *msg,
							 Size bytes);

/*
 * Pages of a message, as they came and as the device gets them: those to keep
 * get their places.
 */
extern void gpuagg_cache_pages(GpuAggWorkerJob *job, uint64 batch_id,
							   const GpuAggMsgPage *in, GpuAggPage *pages,
							   uint32 npages);

/*
 * is_part: is what has completed a part of what the client knows by this number,
 * and not the last one?
 *
 * completed: a batch is complete, or has failed; not called for parts.
 */
extern bool gpuagg_cache_is_part(GpuAggWorkerJob *job, uint64 batch_id);
extern void gpuagg_cache_completed(GpuAggWorkerJob *job,
								   const GpuAggCompletion *completion);

/* The job reads and writes no slab any more.  May be called again. */
extern void gpuagg_cache_leave(GpuAggWorkerJob *job);

/* Pages that it has kept */
extern uint64 gpuagg_cache_kept(const GpuAggWorkerJob *job);

#endif							/* GPUAGG_SERVICE_CACHE_H */
