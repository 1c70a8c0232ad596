/*
 * job.h
 *		One task of a client as the worker sees it: what all who work on it may do.
 */
#ifndef GPUAGG_WORKER_JOB_H
#define GPUAGG_WORKER_JOB_H

#include "postgres.h"

#include "cache/cache_client.h"
#include "ipc/protocol.h"
#include "storage/shm_mq.h"
#include "worker/worker.h"

/*
 * Groups go out in messages of about this size: large against the cost of a
 * message, small against the queue, so that both sides work at once.
 */
#define GPUAGG_RESULTS_BYTES (64 * 1024)

/* Groups of codes become longer; so much of them makes such a message. */
#define GPUAGG_CODED_BYTES (16 * 1024)

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

typedef struct GpuAggReply
{
	dlist_node	node;
	Size		bytes;
	/* the message follows */
} GpuAggReply;

struct GpuAggWorkerJob;

/* A pass over kept columns that others may follow, and one that does (job_share.c) */
typedef struct GpuAggSharedPass GpuAggSharedPass;
typedef struct GpuAggFollower GpuAggFollower;

/* A look-up table that a device has made (job_made.c) */
typedef struct GpuAggWorkerMade GpuAggWorkerMade;

/* The code table that a job gives values to (job_called.c) */
struct GpuAggJobCalled;

/* One of the tables that a job reads */
typedef struct GpuAggJobTable
{
	GpuAggCacheClient cache;	/* first: the cache knows this */
	struct GpuAggWorkerJob *job;
	uint64		next_batch;		/* the least number that a batch may have */
	uint64		rows_scanned;
} GpuAggJobTable;

/* One task of a client, as the worker sees it */
typedef struct GpuAggWorkerJob
{
	dlist_node	node;			/* in GpuAggWorker.jobs, oldest first */
	GpuAggWorkerJobState state;
	GpuAggSlot *slot;
	GpuAggWorkerDevice *on;		/* NULL before the BEGIN message */
	MemoryContext context;		/* of this struct and all below */
	shm_mq_handle *in;
	shm_mq_handle *out;

	GpuAggTaskConfig config;
	GpuAggProgram *program;		/* as the device runs it */
	struct GpuAggJobEncoding *encoding; /* encoding.c; NULL: that is as the
										 * client sent it */
	uint64		estimate;		/* bytes asked of the device's memory */
	bool		shared;			/* others had memory of its device while it ran */
	int			retry_below;	/* no memory while so many others ran: try
								 * again when fewer do; 0: never tried */
	bool		admitted;		/* counted among those that run on its device */
	GpuAggTask *task;			/* there; NULL before admission, and as long as the job
								 * needs none */

	/* queue.c, while it waits */
	bool		waited;			/* at the end of a turn */
	bool		passed;			/* in this turn: there is no memory for it */
	TimestampTz refused_at;		/* since when; 0: never */

	GpuAggJobTable **tables;	/* job_tables.c; none before the BEGIN message */
	uint32		ntables;
	uint32		room_tables;
	uint32		begun_tables;	/* that the cache has been asked for */
	bool		several;		/* more may come */
	bool		called_wish;	/* it gives values of strings */
	struct GpuAggJobCalled *called; /* to this table; NULL: to none yet, or it gives none */
	char	   *zone_answer;	/* what zones have answered, until it is part of
								 * the results; NULL: nothing */
	bool		zone_group;		/* that is a group the device knows nothing of */
	GpuAggWorkerMade *made[GPUAGG_MADE_TABLES];	/* tables of config.made; NULL: a code table */
	GpuAggWorkerMade *helpers[GPUAGG_KEY_COLUMNS];	/* helpers of config.make */
	bool		regrouped;		/* the device has grouped its groups once more */
	bool		made_sent;		/* of a job that makes one: MADE was */
	GpuAggSharedPass *pass;		/* over kept columns; NULL: none that is shared */
	GpuAggFollower *follower;	/* it is another job's; NULL: its own */
	bool		share_asked;	/* it is settled which */
	uint32		inflight;		/* batches not yet completed */
	GpuAggPage *pages;			/* scratch, npages long */
	uint32		npages;

	dlist_head	replies;		/* messages to be sent before anything that the
								 * device has: GpuAggReply */
	char	   *unsent;			/* message that the queue has no room for,
								 * perhaps sent in part; NULL: none */
	Size		unsent_bytes;
	GpuAggError failure;		/* to be sent; GPUAGG_OK: none */
	uint64		failed_groups;	/* found until then */
	bool		done;			/* DONE was posted, and not dropped */
	bool		counted;		/* the counters below went to gpuagg.stat */

	uint64		rows_scanned;
	uint64		rows_passed;
	uint64		left[GPUAGG_STAGES - 1];
	uint64		rows_evaluated;
	uint64		pages_read;

	double		predicted_ms;	/* ms for which it is predicted to have the device */

	/* job_step.h */
	bool		alive;			/* something came of it since gpuagg_job_watch last looked */
	TimestampTz alive_at;		/* when gpuagg_job_watch last saw that something had come of it */
} GpuAggWorkerJob;

/* Has it a place of its own beside long ones?  (queue.c) */
static inline bool
gpuagg_job_is_short(const GpuAggWorkerJob *job)
{
	return job->predicted_ms <= GPUAGG_SHORT_MS;
}

/*
 * To be called before anything of it goes to the device; false: the device has not taken the
 * task, and the job has failed.
 */
extern bool gpuagg_job_begin_task(GpuAggWorkerJob *job);

/* Begins its task if the device has memory for that; no failure of the job. */
extern GpuAggStatus gpuagg_job_try_task(GpuAggWorkerJob *job, GpuAggError *error);

/* The device has taken a batch, or has not and the job fails. */
extern void gpuagg_job_batch_added(GpuAggWorkerJob *job, GpuAggStatus status, GpuAggError *error);

/* Sends a copy of a message before anything that the device has. */
extern void gpuagg_job_reply(GpuAggWorkerJob *job, const void *msg, Size bytes);

/* Sends a message, or keeps what does not fit; flush: the client is woken at once. */
extern void gpuagg_job_post(GpuAggWorkerJob *job, const void *msg, Size bytes, bool flush);

/* Rows and pages, for the counters that all see: once a job */
extern void gpuagg_job_count(GpuAggWorkerJob *job);

/* Ends the job with FAILED.  DEVICE_LOST does not return. */
extern void gpuagg_job_fail(GpuAggWorkerJob *job, const GpuAggError *error);
extern void gpuagg_job_fail_with(GpuAggWorkerJob *job, GpuAggStatus status, const char *message);

/* Nothing is sent any more; it is released when its device is idle. */
extern void gpuagg_job_drain(GpuAggWorkerJob *job);

#endif							/* GPUAGG_WORKER_JOB_H */
