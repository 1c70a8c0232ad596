/*
 * worker.h
 *		Inside the device worker: the worker and its jobs.  Only worker.c,
 *		job.c and job_input.c include this.
 */
#ifndef GPUAGG_SERVICE_WORKER_H
#define GPUAGG_SERVICE_WORKER_H

#include "postgres.h"

#include "device/device.h"
#include "lib/ilist.h"
#include "service/protocol.h"
#include "service/shmem.h"
#include "storage/shm_mq.h"

/*
 * Groups go out in messages of about this size: large against the cost of a
 * message, small against the queue, so that both sides work at once.
 */
#define GPUAGG_RESULTS_BYTES (64 * 1024)

/* Messages that a job may handle before the others get their turn */
#define GPUAGG_JOB_BUDGET 16

/*
 * Batches that a client may have in flight.  Clients keep to
 * GpuAggDeviceInfo.batches_ahead; this bounds what a broken one can use.
 */
#define GPUAGG_MAX_INFLIGHT 4096

typedef enum GpuAggWorkerJobState
{
	GPUAGG_JOB_BEGIN,			/* waits for the BEGIN message */
	GPUAGG_JOB_QUEUED,			/* waits for memory */
	GPUAGG_JOB_RUNNING,			/* takes pages and rows */
	GPUAGG_JOB_FINISHING,		/* FINISH came; the device works */
	GPUAGG_JOB_RESULTS,			/* sends groups */
	GPUAGG_JOB_CLOSING,			/* sends its last message */
	GPUAGG_JOB_DRAINING			/* waits until the device is idle */
} GpuAggWorkerJobState;

/* One task of a client, as the worker sees it */
typedef struct GpuAggWorkerJob
{
	dlist_node	node;			/* in GpuAggWorker.jobs, oldest first */
	GpuAggWorkerJobState state;
	GpuAggSlot *slot;
	MemoryContext context;		/* of this struct and all below */
	shm_mq_handle *in;
	shm_mq_handle *out;

	GpuAggTaskConfig config;
	GpuAggProgram *program;
	uint64		estimate;		/* bytes asked of the device's memory */
	int			retry_below;	/* no memory while so many others ran: try
								 * again when fewer do; 0: never tried */
	GpuAggTask *task;			/* on the device; NULL before admission */

	uint32		inflight;		/* batches not yet completed */
	GpuAggPage *pages;			/* scratch, npages long */
	uint32		npages;

	char	   *unsent;			/* message that the queue has no room for,
								 * perhaps sent in part; NULL: none */
	Size		unsent_bytes;
	GpuAggError failure;		/* to be sent; GPUAGG_OK: none */
	bool		done;			/* DONE was posted */
	bool		counted;		/* the counters below went to gpuagg.stat */

	uint64		rows_scanned;
	uint64		rows_passed;
	uint64		rows_evaluated;
	uint64		pages_read;
} GpuAggWorkerJob;

typedef struct GpuAggWorker
{
	const GpuAggDeviceOps *ops;
	GpuAggDevice *device;		/* NULL: not open */
	dlist_head	jobs;
	int			nrunning;		/* jobs that hold a device task */
	uint64		reserved;		/* sum of their estimates */
	char	   *results;		/* GPUAGG_RESULTS_BYTES for one message */
} GpuAggWorker;

extern GpuAggWorker gpuagg_worker;

/* worker.c: the device is gone for good; logs, exits. */
extern void gpuagg_worker_lost(const char *message) pg_attribute_noreturn();

/*
 * job.c
 *
 * take: makes a job of an announced slot, if it still is announced.
 * step: does what can be done without waiting; true: there is more to do at
 *		once.  May free the job.
 * admit: lets queued jobs onto the device, oldest first.
 * publish: updates what gpuagg.tasks shows.
 * release: ends the device's task, which must be idle, and gives the slot
 *		up; frees the job.
 */
extern void gpuagg_job_take(GpuAggSlot *slot);
extern bool gpuagg_job_step(GpuAggWorkerJob *job);
extern void gpuagg_job_admit(void);
extern void gpuagg_job_publish(GpuAggWorkerJob *job);
extern void gpuagg_job_release(GpuAggWorkerJob *job);

/* Ends the job with FAILED.  DEVICE_LOST does not return. */
extern void gpuagg_job_fail(GpuAggWorkerJob *job, const GpuAggError *error);
extern void gpuagg_job_fail_with(GpuAggWorkerJob *job, GpuAggStatus status,
								 const char *message);

/* job_input.c: handles one message from the client; checks all of it. */
extern void gpuagg_job_input(GpuAggWorkerJob *job, const GpuAggMsg *msg,
							 Size bytes);

#endif							/* GPUAGG_SERVICE_WORKER_H */
