/*
 * cache_client.h
 *		Who uses the column cache: a job of the worker, as the cache knows it.
 *
 * The cache calls nothing else of the worker.
 */
#ifndef GPUAGG_CACHE_CACHE_CLIENT_H
#define GPUAGG_CACHE_CACHE_CLIENT_H

#include "postgres.h"

#include "device/device.h"
#include "ipc/protocol.h"

typedef struct GpuAggCacheClient GpuAggCacheClient;

/*
 * reply: sends a copy of a message before anything that the device has.
 *
 * fail: the client broke the protocol; its task ends.
 *
 * settled: the client has nothing to say any more, and waits for groups.
 *
 * encode: the program becomes one over codes of these dictionaries (by loaded
 *		column, NULL: none) where it can; false: a dictionary does not take the
 *		program's constants.
 *
 * answer: of all rows of a zone, which zones answer (device/ops/zone_answer.h).
 *
 * hold: are blocks of an extent (NULL: all) not to be read now?  Then they may be later
 *		(gpuagg_cache_use), and the client hears that they have been.  While `forgotten` is
 *		the same for two users of an extent, so are its blocks.
 *
 * resident, draws: input of the task, as GpuAggDeviceOps has it.  False: it
 *		failed, and with it the task.
 */
typedef struct GpuAggCacheCalls
{
	void		(*reply) (GpuAggCacheClient *client, const void *msg, Size bytes);
	void		(*fail) (GpuAggCacheClient *client, const char *message);
	void		(*settled) (GpuAggCacheClient *client);
	bool		(*encode) (GpuAggCacheClient *client,
						   GpuAggDictionary *const *dictionaries);
	void		(*answer) (GpuAggCacheClient *client, const GpuAggZone *rows,
						   const GpuAggZone *const *columns);
	bool		(*hold) (GpuAggCacheClient *client, uint32 extent, uint64 forgotten,
						 const uint64 *used, uint32 nblocks);
	bool		(*resident) (GpuAggCacheClient *client, uint64 batch_id,
							 GpuAggStripe *stripe, const GpuAggPositions *without,
							 uint32 nwithout);
	bool		(*draws) (GpuAggCacheClient *client, uint64 batch_id,
						  const GpuAggStripeRange *ranges, uint32 nranges);
} GpuAggCacheCalls;

struct GpuAggCacheClient
{
	const GpuAggCacheCalls *calls;
	MemoryContext context;		/* of what is made for it */
	const GpuAggProgram *program;	/* as the device runs it */
	const GpuAggTaskConfig *config;
	GpuAggCacheRequest request;	/* relnumber 0: none */
	GpuAggAhead ahead;			/* what of it the client has looked at before */
	uint64		first_batch;	/* the first number of its batches, even */
	bool		shares_device;	/* its task is on the cache's device */
	bool		can_draw;		/* which has task_draws */
	struct GpuAggCacheJob *cached;	/* cache.c; NULL: no cache request, or not yet */
};

#endif							/* GPUAGG_CACHE_CACHE_CLIENT_H */
