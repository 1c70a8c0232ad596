/*
 * worker.h
 *		Inside the device worker: the worker, its devices and its jobs.  Only
 *		worker.c, devices.c, kernels.c, job.c, queue.c, job_tables.c, job_input.c, job_share.c, encoding.c, job_made.c and files of the
 *		cache that no backend uses include this.
 */
#ifndef GPUAGG_WORKER_WORKER_H
#define GPUAGG_WORKER_WORKER_H

#include "postgres.h"

#include "cache/cache_client.h"
#include "compat.h"
#include "device/device.h"
#include "ipc/protocol.h"
#include "ipc/shmem.h"
#include "lib/ilist.h"
#include "storage/shm_mq.h"

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

/*
 * A GPU lost that often, each time within a minute of the one before, is
 * turned off; after so many losses of the host device a restarted worker
 * waits before it opens it.
 */
#define GPUAGG_MAX_LOSSES 5

/* A device, and what the jobs on it hold */
typedef struct GpuAggWorkerDevice
{
	const GpuAggDeviceOps *ops;
	GpuAggDevice *device;		/* NULL: not open */
	struct GpuAggWorkerDevice *measures;	/* that device; NULL: runs tasks */
	int			event_fd;		/* -1: none */
	int			nrunning;		/* jobs that hold a task of it, */
	int			nshort;			/* of these short ones (queue.c) */
	uint64		reserved;		/* sum of their estimates */
	uint64		made_bytes;		/* of look-up tables that it has made (job_made.h) */
} GpuAggWorkerDevice;

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
	char	   *zone_answer;	/* what zones have answered, until it is part of
								 * the results; NULL: nothing */
	bool		zone_group;		/* that is a group the device knows nothing of */
	GpuAggWorkerMade *made[GPUAGG_MADE_TABLES];	/* those of config.made, */
	GpuAggWorkerMade *helpers[GPUAGG_KEY_COLUMNS];	/* and of config.make */
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

	double		predicted_ms;	/* that it has the device */

	/* gpuagg_job_watch */
	bool		alive;			/* something came of it since it was last looked at, */
	TimestampTz alive_at;		/* and that was then */
} GpuAggWorkerJob;

typedef struct GpuAggWorker
{
	int			at;				/* which of the devices at work is its own */
	GpuAggWorkerDevice primary; /* runs tasks: a GPU or the host device */
	GpuAggWorkerDevice fallback; /* the host device behind a GPU; opened when
								 * a task needs it */
	GpuAggWorkerDevice measure_primary; /* what measures them (probe/probe_task.h); */
	GpuAggWorkerDevice measure_fallback; /* opened when asked for */
	dlist_head	jobs;
	char	   *results;		/* GPUAGG_RESULTS_BYTES for one message */
} GpuAggWorker;

extern GpuAggWorker gpuagg_worker;

/* The state of its device that backends see */
static inline GpuAggDeviceState *
gpuagg_worker_state(void)
{
	return gpuagg_shmem_state(gpuagg_worker.at);
}

/*
 * worker.c
 *
 * lost: the device is gone for good; logs, exits.
 * hangs: the same of one that does not come to rest, which is not waited for.
 * watch: wakes the loop for the device's event from now on.
 */
pg_noreturn extern void gpuagg_worker_lost(const GpuAggWorkerDevice *on,
										   const char *message);
pg_noreturn extern void gpuagg_worker_hangs(const GpuAggWorkerDevice *on,
											const char *message);
extern void gpuagg_worker_watch(GpuAggWorkerDevice *on);

/* The first worker asks for that of another device, once. */
extern void gpuagg_worker_ask_for(int device);

/*
 * devices.c
 *
 * open_gpu: opens the GPU that gpuagg.device asks for as the primary device;
 *		false if there is none to open, which it logs and shows.
 * open_host: opens the host device as the primary one; may be called again.
 * route: the device of a task, or what measures that device; NULL with the
 *		reason if it cannot be opened.
 * publish: updates what gpuagg.devices shows.
 * spare: bytes of the primary device's memory that the cache takes by default.
 * close: of all devices; no task may be left.
 */
extern bool gpuagg_devices_open_gpu(void);
extern bool gpuagg_devices_open_host(GpuAggError *error);
extern GpuAggWorkerDevice *gpuagg_devices_route(bool host, bool measure,
												GpuAggError *error);
extern void gpuagg_devices_publish(void);
extern uint64 gpuagg_devices_spare(void);
extern void gpuagg_devices_close(void);

/* All that jobs may be on, open or not: GPUAGG_WORKER_DEVICES of them */
#define GPUAGG_WORKER_DEVICES 4
extern GpuAggWorkerDevice *gpuagg_devices_nth(int i);

/*
 * kernels.c
 *
 * publish: updates what gpuagg.kernels shows.
 * turn: the same if some kernel has come to another stage; called in each turn of
 *		the loop.  True: what gpuagg.devices shows is old.
 */
extern void gpuagg_kernels_publish(void);
extern bool gpuagg_kernels_turn(void);

/*
 * job.c
 *
 * take: makes a job of an announced slot, if it still is announced.
 * step: does what can be done without waiting; true: there is more to do at
 *		once.  May free the job.
 * start: begins a queued job on its device, unless that has no memory for it.
 * begin_task: to be called before anything of it goes to the device; false: the device
 *		has not taken the task, and the job has failed.
 * publish: updates what gpuagg.tasks shows.
 * watch: is the device expected to do something for the job, and has shown no sign
 *		of life for longer than gpuagg.watchdog says?  Then it is lost.
 * release: ends the device's task, which must be idle, and gives the slot
 *		up; frees the job.
 */
extern void gpuagg_job_take(GpuAggSlot *slot);
extern bool gpuagg_job_step(GpuAggWorkerJob *job);
extern void gpuagg_job_start(GpuAggWorkerJob *job);
extern bool gpuagg_job_begin_task(GpuAggWorkerJob *job);
extern void gpuagg_job_publish(GpuAggWorkerJob *job);
extern void gpuagg_job_watch(GpuAggWorkerJob *job, TimestampTz now);
extern void gpuagg_job_release(GpuAggWorkerJob *job);

/* Sends a copy of a message before anything that the device has. */
extern void gpuagg_job_reply(GpuAggWorkerJob *job, const void *msg, Size bytes);

/* Sends a message, or keeps what does not fit; flush: the client is woken at once. */
extern void gpuagg_job_post(GpuAggWorkerJob *job, const void *msg, Size bytes, bool flush);

/* Rows and pages, for the counters that all see: once a job */
extern void gpuagg_job_count(GpuAggWorkerJob *job);

/* Ends the job with FAILED.  DEVICE_LOST does not return. */
extern void gpuagg_job_fail(GpuAggWorkerJob *job, const GpuAggError *error);
extern void gpuagg_job_fail_with(GpuAggWorkerJob *job, GpuAggStatus status,
								 const char *message);

/*
 * job_results.c
 *
 * send_results: the next message of what the device has finished, or DONE; false: it has
 *		none at hand.
 * send_shared: of a job that follows another one, what that has told; false: nothing yet.
 */
extern bool gpuagg_job_send_results(GpuAggWorkerJob *job);
extern bool gpuagg_job_send_shared(GpuAggWorkerJob *job);

/*
 * queue.c
 *
 * admit: lets queued jobs onto their devices; true: one of them has something to say.
 * is_short: has it a place of its own beside long ones?
 */
extern bool gpuagg_queue_admit(void);
extern bool gpuagg_queue_is_short(const GpuAggWorkerJob *job);

/*
 * job_tables.c
 *
 * add: one more table; of a job that requests nothing of the cache, too.
 * begin: asks the cache for the next table whose turn it is not yet; false: none.
 * find: the table that a batch is of; NULL: there is none.
 * leave: none of them uses the cache any more.
 * done: posts what the cache did for all of them, and rows of each, into a message of
 *		so many bytes, in the job's context.
 */
extern void gpuagg_job_table_add(GpuAggWorkerJob *job, const GpuAggCacheRequest *request);
extern bool gpuagg_job_tables_begin(GpuAggWorkerJob *job);
extern GpuAggJobTable *gpuagg_job_table_find(const GpuAggWorkerJob *job, uint64 batch_id);
extern void gpuagg_job_tables_leave(GpuAggWorkerJob *job);
extern GpuAggDoneMsg *gpuagg_job_tables_done(GpuAggWorkerJob *job, Size *bytes);

/*
 * job_share.c
 *
 * expected: is there a job that it could follow?
 * hold: notes blocks that it uses (NULL: all); true: it follows another job, and does not read them now.
 * end: it reads more than that: then it goes on alone, with what was held back, and
 *		nobody follows it.
 * was_held: is this a batch of these, of which the client has heard that it is complete?
 * leave: nothing will come of it any more.
 * groups, done: messages to its client, for those that follow it.
 * next: of one that follows, when its client has said all.
 * turn: has one that others follow come to its end, so that they can go on?
 */
typedef enum GpuAggShareNext
{
	GPUAGG_SHARE_WAIT,
	GPUAGG_SHARE_ALONE,			/* it goes on alone */
	GPUAGG_SHARE_GROUPS,		/* a message to send, */
	GPUAGG_SHARE_DONE			/* and the last one */
} GpuAggShareNext;

extern bool gpuagg_share_expected(const GpuAggWorkerJob *job);
extern bool gpuagg_share_hold(GpuAggWorkerJob *job, uint32 extent, uint64 forgotten,
							  const uint64 *used, uint32 nblocks);
extern void gpuagg_share_end(GpuAggWorkerJob *job);
extern bool gpuagg_share_was_held(uint64 batch_id);
extern void gpuagg_share_leave(GpuAggWorkerJob *job);
extern void gpuagg_share_groups(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes);
extern void gpuagg_share_done(GpuAggWorkerJob *job, const GpuAggDoneMsg *done, Size bytes);
extern GpuAggShareNext gpuagg_share_next(GpuAggWorkerJob *job, const GpuAggMsg **msg, Size *bytes);
extern bool gpuagg_share_turn(void);

/* The device has taken a batch, or has not and the job fails. */
extern void gpuagg_job_batch_added(GpuAggWorkerJob *job, GpuAggStatus status,
								   GpuAggError *error);

/* job_input.c: handles one message from the client; checks all of it. */
extern void gpuagg_job_input(GpuAggWorkerJob *job, const GpuAggMsg *msg,
							 Size bytes);

#endif							/* GPUAGG_WORKER_WORKER_H */
