/*
 * job_share.h
 *		Tasks that are the same, in flight at once, over kept columns: one pass for all.
 */
#ifndef GPUAGG_WORKER_JOB_SHARE_H
#define GPUAGG_WORKER_JOB_SHARE_H

#include "postgres.h"

#include "worker/job.h"

/* Is there a job that it could follow? */
extern bool gpuagg_share_expected(const GpuAggWorkerJob *job);

/*
 * Notes blocks that it uses (NULL: all); true: it follows another job, and does not read them
 * now.
 */
extern bool gpuagg_share_hold(GpuAggWorkerJob *job, uint32 extent, uint64 forgotten,
							  const uint64 *used, uint32 nblocks);

/*
 * It reads more than that: then it goes on alone, with what was held back, and nobody follows
 * it.
 */
extern void gpuagg_share_end(GpuAggWorkerJob *job);

/* Is this a batch of these, of which the client has heard that it is complete? */
extern bool gpuagg_share_was_held(uint64 batch_id);

/* Nothing will come of it any more. */
extern void gpuagg_share_leave(GpuAggWorkerJob *job);

/* Messages to its client, for those that follow it */
extern void gpuagg_share_groups(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes);
extern void gpuagg_share_done(GpuAggWorkerJob *job, const GpuAggDoneMsg *done, Size bytes);

/* Of one that follows, when its client has said all */
typedef enum GpuAggShareNext
{
	GPUAGG_SHARE_WAIT,
	GPUAGG_SHARE_ALONE,			/* it goes on alone */
	GPUAGG_SHARE_GROUPS,		/* there is a message to send */
	GPUAGG_SHARE_DONE			/* there is a last message to send */
} GpuAggShareNext;

extern GpuAggShareNext gpuagg_share_next(GpuAggWorkerJob *job, const GpuAggMsg **msg, Size *bytes);

/* Has one that others follow come to its end, so that they can go on? */
extern bool gpuagg_share_turn(void);

#endif							/* GPUAGG_WORKER_JOB_SHARE_H */
