/*
 * pool.h
 *		The host device's threads.
 *
 * Threads serve sources of work (tasks) in turn, one morsel each time, so
 * that a long task cannot starve a short one.  They block all signals and
 * never call PostgreSQL.
 *
 * One lock guards the pool and the sources' queues: functions of a source
 * marked "locked" are called with it held, and so must be those of the pool
 * marked so.
 */
#ifndef GPUAGG_HOST_POOL_H
#define GPUAGG_HOST_POOL_H

#include <pthread.h>

#include "device/common.h"

typedef struct GpuAggPool GpuAggPool;
typedef struct GpuAggSource GpuAggSource;

/* A morsel; its meaning is the source's. */
typedef struct GpuAggJob
{
	void	   *work;
	uint32_t	first;
	uint32_t	count;
	void	   *result;			/* from run to done */
} GpuAggJob;

typedef struct GpuAggSourceOps
{
	/* Locked.  Take a morsel; true if there are more. */
	bool		(*take) (GpuAggSource *source, GpuAggJob *job);
	void		(*run) (GpuAggSource *source, GpuAggJob *job, uint32_t thread);
	/* Locked.  The source may not be freed as long as it has jobs running. */
	void		(*done) (GpuAggSource *source, GpuAggJob *job);
} GpuAggSourceOps;

struct GpuAggSource
{
	const GpuAggSourceOps *ops;
	GpuAggSource *next;			/* in the pool's ring, if ready */
	bool		ready;
	uint32_t	running;		/* jobs */
	uint64_t	busy_since;		/* ns; if running > 0 */
	uint64_t	busy_ns;		/* time with a job running */
};

/* NULL: no threads or memory to be had. */
extern GpuAggPool *gpuagg_pool_create(uint32_t nthreads);

/* Waits for the threads; sources must be idle. */
extern void gpuagg_pool_destroy(GpuAggPool *pool);

extern void gpuagg_pool_lock(GpuAggPool *pool);
extern void gpuagg_pool_unlock(GpuAggPool *pool);

/* Locked.  The source has njobs morsels of work more. */
extern void gpuagg_pool_ready(GpuAggPool *pool, GpuAggSource *source, uint32_t njobs);

/* Locked.  The source has no work that nobody has taken. */
extern void gpuagg_pool_withdraw(GpuAggPool *pool, GpuAggSource *source);

/* Locked.  busy_ns up to now */
extern uint64_t gpuagg_pool_busy_ns(const GpuAggSource *source);

#endif							/* GPUAGG_HOST_POOL_H */
