/*
 * shmem.h
 *		What backends and the device worker share in main shared memory.
 *
 * What each device worker tells of itself, gpuagg.max_tasks slots, and for each slot the
 * memory of its two shm_mq queues.  The queues live here and not in a
 * dynamic segment per task: creating, mapping and faulting in a segment
 * twice costs more than the whole round trip of an empty task, and a task
 * that needs no segment cannot fail to get one.  A slot's queues take no
 * memory until the slot is used first; the lowest free slot is taken.
 *
 * Who owns a slot: the word "holders".
 *
 *		0						free
 *		CLIENT					a backend fills it in
 *		CLIENT | OPEN			announced: the worker may take it
 *		CLIENT | WORKER			both use it
 *		WORKER					the backend is through; the worker is tidying
 *
 * A backend takes a free slot by compare-and-swap, the worker an announced
 * one.  Each gives up its own bits with an atomic AND; who leaves 0 behind
 * wakes a backend that waits for a slot.  While WORKER is set the device may
 * read pages of the task, so a backend that aborts waits for it to go, but not
 * for long (README.md: Leaving early).  A process that exits gives up its bits in
 * its exit callbacks; if it cannot run them, the postmaster resets all shared
 * memory anyway.
 *
 * Other fields of a slot are written by one side and read by views without a
 * lock: a view may show a torn row of numbers, never follow a pointer.
 */
#ifndef GPUAGG_IPC_SHMEM_H
#define GPUAGG_IPC_SHMEM_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "device/device.h"
#include "host/machine.h"
#include "ipc/async_commits.h"
#include "ipc/cache_shared.h"
#include "ipc/filling.h"
#include "ipc/kernels_shared.h"
#include "ipc/learned.h"
#include "ipc/made_shared.h"
#include "ipc/pins_shared.h"
#include "ipc/regrets.h"
#include "ipc/seen_groups.h"
#include "ipc/stat.h"
#include "ipc/stat_cost.h"
#include "ipc/stat_tables.h"
#include "port/atomics.h"
#include "settings.h"
#include "storage/condition_variable.h"
#include "storage/spin.h"

/*
 * Queue sizes.  A batch of 256 pages with bitmaps is 11.5 kB; a message of
 * groups is 64 kB (job.h), and both processes should find the ring in
 * their L2 cache.  Longer messages pass through in pieces.
 */
#define GPUAGG_QUEUE_IN_BYTES (64 * 1024)
#define GPUAGG_QUEUE_OUT_BYTES (256 * 1024)
#define GPUAGG_QUEUES_BYTES (GPUAGG_QUEUE_IN_BYTES + GPUAGG_QUEUE_OUT_BYTES)

#define GPUAGG_HOLD_CLIENT 1
#define GPUAGG_HOLD_OPEN 2
#define GPUAGG_HOLD_WORKER 4

/*
 * A task of which no more is predicted is short, and has a place on the device beside
 * long ones (worker/queue.c).
 */
#define GPUAGG_SHORT_MS 10.0

/* Where a task is, for gpuagg.tasks */
typedef enum GpuAggPhase
{
	GPUAGG_PHASE_QUEUED,		/* waits for the worker or for memory */
	GPUAGG_PHASE_RUNNING,
	GPUAGG_PHASE_DRAINING		/* over; the device finishes what it reads */
} GpuAggPhase;

typedef struct GpuAggSlot
{
	pg_atomic_uint32 holders;	/* GPUAGG_HOLD_ bits */
	pg_atomic_uint32 cancel;	/* set by the client: stop */
	pg_atomic_uint32 phase;		/* GpuAggPhase */
	pg_atomic_uint64 spoiled;	/* highest number of a task whose pages somebody has
								 * let go of too early (client.h) */
	uint64		task;			/* number of this one; they rise */
	int			device;			/* whose worker it is for (gpuagg_shmem_device_at) */
	int			procno;			/* the client's PGPROC */
	int			pid;
	Oid			datid;
	Oid			userid;
	Oid			relid;
	bool		host;			/* meant for the host device behind a GPU */
	bool		measure;		/* a measurement; its pages are thousandths */
	int			share;			/* gpuagg.share of its role */
	double		predicted_ms;
	TimestampTz started_at;
	TimestampTz begun_at;		/* by the worker: on its device; 0: waits for that */
	uint64		pages_total;
	pg_atomic_uint64 pages_done;	/* written by the client; of a measurement
									 * by the worker */
	pg_atomic_uint64 rows;		/* by the worker */
	pg_atomic_uint64 memory;	/* by the worker */
	GpuAggFilling filling;		/* by the client */
} GpuAggSlot;

typedef union GpuAggSlotPadded
{
	GpuAggSlot	slot;
	char		pad[2 * PG_CACHE_LINE_SIZE];
} GpuAggSlotPadded;

StaticAssertDecl(sizeof(GpuAggSlot) <= sizeof(GpuAggSlotPadded),
				 "a slot fits its padding");

typedef enum GpuAggDeviceStatus
{
	GPUAGG_STARTING,
	GPUAGG_READY,
	GPUAGG_FAILED,				/* cannot be opened; the worker tries again */
	GPUAGG_STOPPED				/* no worker; the postmaster restarts it */
} GpuAggDeviceStatus;

/*
 * What a worker tells of its devices.  It runs tasks on one, the primary
 * device: a GPU, or the host device.  Behind a GPU the host device opens when
 * it is needed first.
 */
typedef struct GpuAggDeviceFacts
{
	int			worker_pid;
	TimestampTz since;			/* of the status */
	TimestampTz started_at;		/* of the worker */
	uint32		starts;			/* of the worker, since shared memory began */
	uint32		losses;			/* device losses in short succession */
	TimestampTz last_loss;
	GpuAggDeviceInfo info;		/* the primary device; no kind: not open */
	GpuAggDeviceInfo host;		/* the one behind a GPU; no kind: not open */
	char		why_not[GPUAGG_MESSAGE_BYTES];	/* last failure; empty: none */

	GpuAggDeviceInfo cards[GPUAGG_MAX_CARDS];
	int			ncards;
	int			card;			/* the one chosen, an index; -1: none */
	bool		gpu_off;		/* lost too often; until reset_device() */
	char		gpu_why_not[GPUAGG_MESSAGE_BYTES];	/* why no GPU is used
													 * though one was asked
													 * for; empty: none was,
													 * or one is */
} GpuAggDeviceFacts;

typedef struct GpuAggDeviceState
{
	pg_atomic_uint32 status;	/* GpuAggDeviceStatus; changed under mutex */
	pg_atomic_uint32 gpu;		/* the primary device is a GPU; 1 or 0 */
	pg_atomic_uint32 reset;		/* the worker is asked to start anew */
	pg_atomic_uint32 worker_procno; /* the worker's PGPROC, or UINT32_MAX */
	pg_atomic_uint32 claimed;	/* by a worker: its process; 0: by none */
	pg_atomic_uint32 asked_for;	/* 1: the postmaster was asked to start its worker */
	pg_atomic_uint32 announced; /* slots ever announced: tells the worker to
								 * look for new ones */
	pg_atomic_uint64 backlog_us;	/* that a long task would wait now (worker/queue.c) */
	pg_atomic_uint64 asked_at;	/* us of a clock that nobody sets: the worker was asked to look,
								 * and has not turned since; 0: it has */

	pg_atomic_uint64 changes;	/* of the facts, so far */
	slock_t		mutex;			/* guards the rest */
	GpuAggDeviceFacts facts;
} GpuAggDeviceState;

/* A device at work, as all see it: its worker's state, columns, kernels and look-up tables */
typedef struct GpuAggDeviceShared
{
	GpuAggDeviceState state;
	GpuAggCacheShared cache;
	GpuAggKernelsShared kernels;
	GpuAggMadeShared made;
} GpuAggDeviceShared;

typedef struct GpuAggShared
{
	char		machine[GPUAGG_MACHINE_BYTES];	/* gpuagg_host_machine(), once:
												 * kernels take up to 20 ms to
												 * tell a processor's name */
	int			ndevices;		/* that there may be: what gpuagg.device asks for */
	GpuAggDeviceShared *devices;
	pg_atomic_uint64 tasks;		/* numbers of tasks that were given out */
	pg_atomic_uint32 waiting;	/* backends waiting for a slot */
	pg_atomic_uint32 looking;	/* backends that look for their latch before they sleep */
	ConditionVariable changed;	/* a slot became free; the status of a device changed */
	GpuAggFillings fillings;
	GpuAggRegrets regrets;
	pg_atomic_uint64 stats[GPUAGG_NSTATS];
	GpuAggCostRing costs;
	GpuAggLearned learned[GPUAGG_LEARNED_KINDS];
	pg_atomic_uint32 learned_told;	/* the log has its line */
	GpuAggTableStats tables;
	GpuAggSeenGroups seen;
	GpuAggPins	pins;
	GpuAggAsyncCommits async_commits;
	int			nslots;
	GpuAggSlotPadded *slots;
	char	   *queues;
} GpuAggShared;

/* NULL unless preloaded */
extern GpuAggShared *gpuagg_shared;

/*
 * Devices are told apart by their place among those at work.  Tasks for the host device behind
 * GPUs are the first one's.
 */
static inline GpuAggDeviceState *
gpuagg_shmem_state(int device)
{
	return &gpuagg_shared->devices[device].state;
}

/* Does it run tasks on a GPU now? */
static inline bool
gpuagg_shmem_is_gpu(int device)
{
	GpuAggDeviceState *state = gpuagg_shmem_state(device);

	return pg_atomic_read_u32(&state->status) == GPUAGG_READY &&
		pg_atomic_read_u32(&state->gpu) != 0;
}

/* For plans: the first device that is a GPU at work, else the first */
extern int	gpuagg_shmem_plan_device(void);

static inline GpuAggSlot *
gpuagg_shmem_slot(int i)
{
	return &gpuagg_shared->slots[i].slot;
}

/* How many tasks there are now, of all devices; those that wait for one count, too */
extern int	gpuagg_shmem_tasks(void);

/* The memory of a slot's queues: client to worker, worker to client. */
extern char *gpuagg_shmem_queue_in(const GpuAggSlot *slot);
extern char *gpuagg_shmem_queue_out(const GpuAggSlot *slot);

/* Gives up these bits of a slot; true if that freed it. */
extern bool gpuagg_shmem_release(GpuAggSlot *slot, uint32 bits);

/*
 * Wakes a device's worker; false: there is none.  From then on until its loop turns, it
 * is silent for so many milliseconds; else for none.
 */
extern bool gpuagg_shmem_wake_worker(int device);

/* A GPU's, which sleeps between statements, for a task that is about to come */
extern void gpuagg_shmem_wake_ahead(int device);

/* gpuagg_shmem_wake_ahead by who wakes the worker in another way next */
extern void gpuagg_shmem_ask_worker(int device);
extern long gpuagg_shmem_silence(int device);

/*
 * A device that has just begun to start is worth waiting for; after that
 * long its state is "starting" for another reason (no worker slot, a driver
 * that hangs), and PostgreSQL's plan runs at once.
 */
#define GPUAGG_START_MS 5000

/* A worker that is silent for longer is stuck: nobody begins a task. */
#define GPUAGG_SILENT_MS 2000

/* The status and a copy of the mutex-guarded part. */
typedef struct GpuAggDeviceView
{
	int			device;			/* which */
	GpuAggDeviceStatus status;
	bool		gpu;
	GpuAggDeviceFacts facts;
} GpuAggDeviceView;

extern void gpuagg_shmem_device(int device, GpuAggDeviceView *view);

/*
 * gpuagg_shmem_device without a copy: facts that were looked at before stay until they change.
 * Planning asks many times.
 */
extern const GpuAggDeviceView *gpuagg_shmem_look(int device);

/* Gives up the mutex after the facts were changed. */
extern void gpuagg_shmem_changed(GpuAggDeviceState *state);

/* The number that views call it by, and that of the host device */
extern int	gpuagg_shmem_number(const GpuAggDeviceView *view);
extern int	gpuagg_shmem_host_number(const GpuAggDeviceFacts *facts);

/*
 * Why the device does not take tasks, or why it and not a GPU takes them, in at most
 * GPUAGG_MESSAGE_BYTES; empty: nothing is to be told.  True: it takes none.
 */
extern bool gpuagg_shmem_why_not(const GpuAggDeviceView *view, char *why_not);

/*
 * Of one device: forgets losses, lets a GPU that was turned off be used again, and tells
 * the worker to start anew.  Returns the worker's starts so far.
 */
extern uint32 gpuagg_shmem_reset_device(int device);

#endif							/* GPUAGG_IPC_SHMEM_H */
