/*
 * cuda_device.h
 *		Inside the CUDA device: the card, its tasks and batches.
 *
 * Everything here runs on the device worker's main thread and never waits for
 * the card: work is put into streams, and events are asked whether it is
 * done.  One more thread (completion_flag.cu) tells when it is worth asking.
 *
 * Sections below are named by the file that has their functions; cuda/README.md says
 * which folder has which.  Measuring the card (cuda_probe.h) runs on another thread.
 *
 * A task has two streams: pages are decoded in one, rows grouped in
 * the other, so that the link is busy while groups are updated.  All that
 * touches the group table is in the second one, in order; that is all the
 * locking that growth needs.
 */
#ifndef GPUAGG_CUDA_CORE_CUDA_DEVICE_H
#define GPUAGG_CUDA_CORE_CUDA_DEVICE_H

#include "cuda/kernel/kernels.h"

/* Pinned host memory, of a power of two bytes; kept for the next user */
typedef struct GpuAggPinned
{
	struct GpuAggPinned *next;
	char	   *data;
	size_t		bytes;
} GpuAggPinned;

/* A word that the card writes when a stream has come to some place */
typedef struct GpuAggCompletionFlag
{
	volatile uint32_t *written;	/* pinned: how often, as written by the card */
	uint32_t	wanted;			/* how often it will have been */
	uint32_t	heard;			/* how often the thread has told */
} GpuAggCompletionFlag;

typedef struct GpuAggCompletionFlags GpuAggCompletionFlags;	/* all of a device's, and the thread */

typedef struct GpuAggRegistration GpuAggRegistration;	/* of shared_buffers, and its thread */

typedef struct GpuAggStreamPair
{
	struct GpuAggStreamPair *next;
	cudaStream_t decode;
	cudaStream_t group;
	GpuAggCompletionFlag *completion_flag;	/* of the group stream */
	bool		first;			/* its blocks run before those of others that wait */
} GpuAggStreamPair;

/* Times of a batch or a window of results */
typedef struct GpuAggEvents
{
	struct GpuAggEvents *next;
	cudaEvent_t decode;			/* decoding begins */
	cudaEvent_t decoded;
	cudaEvent_t group;			/* grouping, or writing groups, begins */
	cudaEvent_t grouped;
	cudaEvent_t done;			/* copies to the host, too */
} GpuAggEvents;

struct GpuAggDevice
{
	int			ordinal;
	int			event_fd;
	char		name[128];
	char		uuid[GPUAGG_UUID_BYTES];
	uint32_t	sms;
	GpuAggLaunches launches;
	cudaMemPool_t pool;
	const char *pages;			/* shared_buffers */
	uint64_t	pages_bytes;
	GpuAggRegistration *registration;	/* which of them kernels read in place */
	uint64_t	memory_limit;
	uint64_t	memory_used;	/* by tasks */
	uint64_t	link_rate;		/* bytes/s */
	bool		lost;
	GpuAggError lost_error;
	GpuAggCompletionFlags *completion_flags;
	GpuAggPinned *pinned;		/* free ones */
	size_t		pinned_bytes;	/* of these */
	GpuAggStreamPair *stream_pairs[2];	/* free ones; [1]: of short tasks, who go first */
	GpuAggEvents *events;		/* free ones */

	/* stripes and dictionaries (stripe.cu) */
	uint64_t	stripe_limit;
	uint64_t	stripe_used;
	cudaStream_t stripe_stream;	/* what is done to them beside tasks; NULL: none
								 * has been made yet */
	cudaEvent_t stripe_event;		/* behind the last of it */

	struct GpuAggKernelCompiler *compiler;	/* cuda/compile/compile.cu; NULL: none */
};

typedef enum GpuAggBatchStage
{
	GPUAGG_BATCH_GROUPING,		/* decoding, grouping */
	GPUAGG_BATCH_WAITING,		/* evaluated rows, uploaded, for their kernel */
	GPUAGG_BATCH_LISTING,		/* the list of rows is coming */
	GPUAGG_BATCH_DONE
} GpuAggBatchStage;

typedef struct GpuAggBatch
{
	struct GpuAggBatch *next;
	GpuAggBatchStage stage;
	bool		again;			/* grouped before, into a smaller table */
	uint32_t	generation;		/* of the table it was grouped into */
	uint32_t	nspilled;
	const GpuAggCudaPrepared *prepared;		/* of pages, or of rows */
	const GpuAggProgram *program;	/* its program, here */
	bool		evaluated;		/* its rows are such that PostgreSQL evaluated, */
	bool		odd;			/* with strings too long for compiled kernels, or errors */
	GpuAggDecodedBatch decoded;
	char	   *memory;			/* all of the decoded batch; NULL once it is complete */
	size_t		bytes;
	GpuAggPinned *staging;		/* what goes up; GpuAggReport comes down */
	GpuAggPinned *copies;		/* of pages that are not registered; NULL: none */
	GpuAggPinned *list;			/* rows for PostgreSQL, or selected */
	const GpuAggStripe *filled;	/* NULL, or one that keeps pages of it */
	bool		packed;			/* its rows became records */
	bool		compiled;		/* they went through a kernel of the query's own, whose
								 * entries are merged there */
	char	   *columns;		/* NULL, or columns that its pages became, for that */
	size_t		columns_bytes;
	struct GpuAggResident *resident;	/* NULL, or what it reads of stripes, or these */
	uint8_t    *flags;			/* of rows of stripes, while they are interpreted */
	size_t		flags_bytes;
	GpuAggEvents *events;
	GpuAggCompletion completion;
} GpuAggBatch;

/* What comes back of a batch, at the start of its staging memory */
typedef struct GpuAggReport
{
	GpuAggBatchHead batch;
	GpuAggTableHead table;
} GpuAggReport;

/* A piece of the results on its way */
typedef struct GpuAggWindow
{
	bool		busy;			/* launched, not read to its end */
	GpuAggPinned *pinned;
	char	   *memory;
	size_t		memory_bytes;
	size_t		bytes;			/* of its groups */
	size_t		at;				/* first byte not given out */
	GpuAggEvents *events;
} GpuAggWindow;

#define GPUAGG_WINDOWS 2

typedef enum GpuAggTaskStage
{
	GPUAGG_TASK_INPUT,
	GPUAGG_TASK_GROUPING,		/* kept rows are grouped */
	GPUAGG_TASK_SIZING,			/* finish asked for the size of the results */
	GPUAGG_TASK_RESULTS
} GpuAggTaskStage;

/* An arena that is full; groups point into it */
typedef struct GpuAggArena
{
	struct GpuAggArena *next;
	char	   *data;
	size_t		bytes;
} GpuAggArena;

/* Strings that take the place of codes in a task's results */
typedef struct GpuAggResultStrings
{
	GpuAggProgram *program;		/* which the groups are written as of */
	uint32_t	ncolumns;		/* by whose registers its keys are told */
	GpuAggLayout layout;
	GpuAggEncoding *device;		/* on the card */
	size_t		bytes;
	GpuAggPinned *staging;
} GpuAggResultStrings;

struct GpuAggTask
{
	GpuAggDevice *device;
	GpuAggStreamPair *streams;
	GpuAggTaskStage stage;
	GpuAggFaultStage fault;
	GpuAggError error;			/* the first one */
	uint64_t	memory_limit;
	uint64_t	memory_used;
	uint64_t	memory_peak;

	/* program */
	GpuAggCudaPrepared *prepared;			/* here, and its copy on the device */
	GpuAggCudaPrepared *device_prepared;
	GpuAggCudaPrepared *rows_prepared;		/* of rows that PostgreSQL evaluated, or NULL */
	GpuAggCudaPrepared *device_rows_prepared;
	size_t		prepared_bytes;
	size_t		rows_prepared_bytes;
	GpuAggPinned *prepared_staging;
	GpuAggPinned *rows_prepared_staging;

	/* groups; nothing of it where rows are selected */
	GpuAggTableRef table;
	size_t		table_bytes;
	uint32_t	generation;		/* counts growths */
	GpuAggArena *arenas;		/* full ones */
	GpuAggLocalShape local;		/* capacity 0: not or no more */
	bool		local_settled;	/* given up, or taken up, while running */
	GpuAggStrategy forced;		/* AUTO: none */
	uint32_t	batch_blocks;	/* of the kernel that groups or selects */
	const char *strategy;
	uint64_t	rows_grouped;
	uint64_t	local_misses;

	/* rows that are kept and grouped at the end, instead; else NULL */
	struct GpuAggGroupBy *groupby;
	GpuAggPinned *groupby_report;
	GpuAggEvents *groupby_events;
	GpuAggTableRef *groupby_tables;	/* what it left */
	GpuAggPinned *sm_windows_staging;
	uint8_t    *sm_windows;		/* of multiprocessors, on the card; or NULL */
	uint64_t	kept_nulls;		/* rows with a NULL that matters, of those kept */

	/* a look-up table that is made, instead (columns/cuda_made.h); else NULL */
	struct GpuAggMaking *making;

	/* NULL, or of each constant the place on the card of a table that lies elsewhere */
	const char **made_at;

	/* batches, in the order of their streams */
	GpuAggBatch *first;
	GpuAggBatch *last;
	GpuAggBatch *polled;
	struct GpuAggResidentQueue *queue;	/* stripes that wait for the next poll */
	struct GpuAggPagePath *page_path;	/* kernels for pages; NULL: none yet */
	struct GpuAggDrawn *drawn;	/* what was drawn, or NULL */
	bool		fed;			/* a batch was enqueued */
	GpuAggTaskConfig config;	/* as it began; without what it points to */
	GpuAggDictionary **dictionaries;	/* NULL, or of each column */
	GpuAggResultStrings *strings;	/* NULL: results are as the groups lie */
	struct GpuAggPending *pending;	/* pages behind them, oldest first */

	/* results */
	struct GpuAggCudaRegroup *regroup;	/* provider/cuda_regroup.cu; NULL: not tried */
	GpuAggCudaWanted *wanted;	/* on the card; NULL: all groups */
	GpuAggPinned *wanted_report;	/* and its copy here */
	GpuAggTableRef *tables;		/* where the groups are */
	uint32_t	ntables;
	uint64_t	nruns;
	uint64_t	next_run;		/* first one not launched */
	size_t		max_run;		/* bytes of the largest */
	GpuAggPinned *sizes;		/* uint64 bytes[nruns], uint32 groups[nruns] */
	char	   *device_sizes;
	size_t		device_sizes_bytes;
	GpuAggEvents *sizes_events;
	uint64_t	groups;			/* that are returned */
	uint64_t	results_bytes;	/* of all groups */
	uint64_t	results_left;	/* so many more groups will do */
	GpuAggWindow windows[GPUAGG_WINDOWS];
	uint32_t	window;			/* the one to be read */

	GpuAggTaskStats stats;
};

/* ---------- registration.cu ---------- */

/*
 * Opens with one piece of shared_buffers registered; a thread goes on with the
 * others.  Close ends it, which takes as long as one piece.
 */
extern bool gpuagg_cuda_registration_open(GpuAggDevice *device, const GpuAggDeviceConfig *config,
										  const cudaDeviceProp *prop, GpuAggError *error);
extern void gpuagg_cuda_registration_close(GpuAggDevice *device);

/* Where kernels read a page of shared_buffers; NULL: nowhere yet */
extern const char *gpuagg_cuda_registered(const GpuAggDevice *device, const char *page);

/* The piece that was registered first */
extern void gpuagg_cuda_registration_first(const GpuAggDevice *device, const char **from,
										   size_t *bytes);

/* Fills in how far it is. */
extern void gpuagg_cuda_registration_info(const GpuAggDevice *device, GpuAggDeviceInfo *info);

/* ---------- check.cu ---------- */

/*
 * A CUDA call that failed, as a status; GPUAGG_OK if it did not.  An error
 * that the context does not recover from marks the device as lost.
 */
extern GpuAggStatus gpuagg_cuda_failed(GpuAggDevice *device, cudaError_t rc,
									   const char *what, const char *file,
									   int line, GpuAggError *error);

/* Evaluates to true if the call succeeded; else *error is set. */
#define CUDA_OK(device, call, error) \
	(gpuagg_cuda_failed(device, call, #call, __FILE__, __LINE__, error) == GPUAGG_OK)

/* After kernel launches */
#define CUDA_LAUNCHED(device, error) \
	(gpuagg_cuda_failed(device, cudaGetLastError(), "kernel launch", __FILE__, __LINE__, error) == GPUAGG_OK)

extern GpuAggStatus gpuagg_cuda_error(GpuAggError *error, GpuAggStatus status,
									  const char *format,...)
	__attribute__((format(printf, 3, 4)));
extern GpuAggStatus gpuagg_cuda_injected(const char *where, GpuAggError *error);

/* ---------- launch.cu ---------- */

extern void gpuagg_cuda_limits(const cudaDeviceProp *prop, GpuAggUnitLimits *limits);

/* At open: what each kernel takes */
extern bool gpuagg_cuda_launches_open(GpuAggLaunches *launches, const cudaDeviceProp *prop,
									  GpuAggError *error);

/*
 * Blocks of a kernel that goes through batches, with that much shared memory
 * beyond its own: as many as run at once and leave room for the decoder.
 */
extern uint32_t gpuagg_cuda_batch_blocks(const GpuAggLaunches *launches,
										 const GpuAggKernelRef *ref,
										 uint32_t dynamic_bytes);

/* A kernel with that much to do, in threads: in the fewest rounds */
extern GpuAggLaunch gpuagg_cuda_launch(const GpuAggLaunches *launches,
									   const GpuAggKernelRef *ref, uint64_t threads);

/* ---------- memory.cu ---------- */

/* Device memory in the order of a stream, charged to the task; NULL: *error */
extern void *gpuagg_cuda_alloc(GpuAggTask *task, size_t bytes,
							   cudaStream_t stream, GpuAggError *error);
extern void gpuagg_cuda_free(GpuAggTask *task, void *p, size_t bytes,
							 cudaStream_t stream);

/*
 * Gives back to the card, for others, what the pool keeps for the next task:
 * mapping 16 GB anew takes as long as grouping 10^9 rows.
 */
extern void gpuagg_cuda_trim(GpuAggDevice *device);

extern GpuAggPinned *gpuagg_cuda_pin(GpuAggDevice *device, size_t bytes,
									 GpuAggError *error);
extern void gpuagg_cuda_unpin(GpuAggDevice *device, GpuAggPinned *pinned);

/* first: for a short task (device/choice/slices.h) */
extern GpuAggStreamPair *gpuagg_cuda_stream_pair(GpuAggDevice *device, bool first, GpuAggError *error);
extern void gpuagg_cuda_stream_pair_free(GpuAggDevice *device, GpuAggStreamPair *streams);
extern GpuAggEvents *gpuagg_cuda_events(GpuAggDevice *device, GpuAggError *error);
extern void gpuagg_cuda_events_free(GpuAggDevice *device, GpuAggEvents *events);

/* At close: what is cached goes back to CUDA. */
extern void gpuagg_cuda_memory_close(GpuAggDevice *device);

/* Nanoseconds between two events that have happened */
extern uint64_t gpuagg_cuda_elapsed(cudaEvent_t from, cudaEvent_t to);

/* ---------- completion_flag.cu ---------- */

extern GpuAggCompletionFlags *gpuagg_cuda_completion_flags_open(int event_fd, GpuAggError *error);

/* Stops the thread; the completion flags are gone. */
extern void gpuagg_cuda_completion_flags_close(GpuAggCompletionFlags *completion_flags);

/* One more completion flag, as long as the device lives; NULL: too many, or *error */
extern GpuAggCompletionFlag *gpuagg_cuda_completion_flag(GpuAggDevice *device, GpuAggError *error);

/* The event_fd is to fire when the task's group stream has come this far. */
extern bool gpuagg_cuda_notify(GpuAggTask *task, GpuAggError *error);

/* ---------- prepared_program.cu ---------- */

/* malloc'ed; NULL: no memory.  *bytes: of the prepared program with its program. */
extern GpuAggCudaPrepared *gpuagg_cuda_prepare(const GpuAggProgram *program, size_t *bytes);

static inline const GpuAggProgram *
gpuagg_cuda_program(const GpuAggCudaPrepared *prepared)
{
	return (const GpuAggProgram *) ((const char *) prepared + prepared->program_off);
}

/* ---------- cuda_task.cu ---------- */

extern GpuAggStatus gpuagg_cuda_task_begin(GpuAggDevice *device,
										   const GpuAggProgram *program,
										   const GpuAggTaskConfig *config,
										   GpuAggTask **task, GpuAggError *error);
extern void gpuagg_cuda_task_stats(GpuAggTask *task, GpuAggTaskStats *stats);
extern void gpuagg_cuda_task_cancel(GpuAggTask *task);
extern bool gpuagg_cuda_task_idle(GpuAggTask *task);
extern void gpuagg_cuda_task_end(GpuAggTask *task);

/* Keeps the first error of a task; always returns its status. */
extern GpuAggStatus gpuagg_cuda_task_fail(GpuAggTask *task,
										  const GpuAggError *error);

/* Room for `more` groups beyond what the table's head says. */
extern GpuAggStatus gpuagg_cuda_task_grow(GpuAggTask *task,
										  const GpuAggTableHead *head,
										  uint64_t more, GpuAggError *error);

/* Block-local tables for so many groups from now on, or none */
extern void gpuagg_cuda_task_local(GpuAggTask *task, double groups);

/*
 * Before anything was grouped: rows are kept from now on, if that is what the
 * config says and the program has records.
 */
extern bool gpuagg_cuda_task_defer_rows(GpuAggTask *task, const GpuAggTaskConfig *config,
									   GpuAggError *error);

/* Likewise: rows are no longer kept, but grouped as they come. */
extern bool gpuagg_cuda_task_group_rows(GpuAggTask *task, const GpuAggTaskConfig *config,
										GpuAggError *error);

/* Uploads a prepared program; the staging memory stays the caller's. */
extern GpuAggCudaPrepared *gpuagg_cuda_task_upload(GpuAggTask *task,
										   const GpuAggCudaPrepared *prepared, size_t bytes,
										   GpuAggPinned **staging,
										   GpuAggError *error);

/* ---------- deferred.cu ---------- */

/* Windows of multi-pass over kept rows, at most */
#define GPUAGG_DEFERRED_WINDOWS (1u << 16)

/*
 * Sets task->groupby if config asks for a strategy that keeps rows, and the
 * program has records; and then batch_blocks and strategy.
 */
extern bool gpuagg_cuda_deferred_begin(GpuAggTask *task, const GpuAggTaskConfig *config,
								   GpuAggError *error);

/* All batches have ended: the time of grouping begins. */
extern bool gpuagg_cuda_deferred_end_input(GpuAggTask *task, GpuAggError *error);

/*
 * All input is there.  False: not done yet, call again when event_fd
 * fires.  True: *error tells; task->tables has the groups.
 */
extern bool gpuagg_cuda_deferred_finish(GpuAggTask *task, GpuAggError *error);
extern void gpuagg_cuda_deferred_free(GpuAggTask *task);

/* ---------- batch.cu ---------- */

extern GpuAggStatus gpuagg_cuda_task_pages(GpuAggTask *task, uint64_t batch_id,
										   const GpuAggPage *pages,
										   uint32_t npages, GpuAggError *error);
extern GpuAggStatus gpuagg_cuda_task_rows(GpuAggTask *task, uint64_t batch_id,
										  const GpuAggRowColumn *columns,
										  uint32_t nrows, GpuAggError *error);

/*
 * Such rows, uploaded, are grouped, by a compiled kernel or the interpreter; or they wait
 * for the kernel, and this is called again.
 */
extern bool gpuagg_cuda_rows_group(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error);

/* What batches of pages and rows share with those of stripes (resident.cu) */

/* A batch with memory there and so much of it here, cleared; NULL: *error */
extern GpuAggBatch *gpuagg_cuda_batch_make(GpuAggTask *task, size_t bytes, size_t upload,
										   cudaStream_t stream, GpuAggError *error);

/* The host's copy of what lies at an address of the batch */
extern char *gpuagg_cuda_staged(const GpuAggBatch *batch, const void *there);

/* Entries that block-local tables of one launch can leave behind */
extern uint32_t gpuagg_cuda_spill_room(const GpuAggTask *task, uint32_t nrows);

/* May anything more be enqueued?  Faults that are injected where there is input */
extern GpuAggStatus gpuagg_cuda_input_check(GpuAggTask *task, GpuAggError *error);
extern GpuAggStatus gpuagg_cuda_input_faults(GpuAggTask *task, GpuAggError *error);

extern bool gpuagg_cuda_batch_upload(GpuAggTask *task, GpuAggBatch *batch, size_t bytes,
									 cudaStream_t stream, GpuAggError *error);

/* Memory for the registers of a wide program, for one launch of so many threads */
extern bool gpuagg_cuda_batch_scratch(GpuAggTask *task, const GpuAggProgram *program,
									  uint32_t threads, char **scratch, size_t *bytes,
									  GpuAggError *error);

/*
 * Groups the rows that are still valid, keeps them as records, or lists those
 * that pass the filter, and sends the counters to the host.
 */
extern bool gpuagg_cuda_batch_group(GpuAggTask *task, GpuAggBatch *batch, bool local,
									GpuAggError *error);

/* The end of that: kernels were launched; the counters go to the host. */
extern bool gpuagg_cuda_batch_report(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error);
extern void gpuagg_cuda_batch_push(GpuAggTask *task, GpuAggBatch *batch);
extern GpuAggStatus gpuagg_cuda_batch_enqueued(GpuAggTask *task, GpuAggBatch *batch, bool ok,
											   GpuAggError *error);

/* A batch that fails before anything is enqueued completes with its error. */
extern GpuAggStatus gpuagg_cuda_batch_failed(GpuAggTask *task, uint64_t batch_id,
											 GpuAggError *error);

/* The card does nothing for it any more: its memory goes, but not what was told of it. */
extern void gpuagg_cuda_batch_release(GpuAggTask *task, GpuAggBatch *batch);

/* Likewise all of it; NULL is fine */
extern void gpuagg_cuda_batch_free(GpuAggTask *task, GpuAggBatch *batch);

/* At the task's end; the card does nothing for it any more */
extern void gpuagg_cuda_batches_free(GpuAggTask *task);

/* ---------- complete.cu ---------- */

extern bool gpuagg_cuda_task_poll(GpuAggTask *task, GpuAggCompletion *completion);

/* ---------- pending.cu ---------- */

/*
 * Are the pages of a batch, for which there was no memory (*error), or that
 * come behind such, to wait for batches in flight?  Then they are copied.  waits: they
 * are to, for something else.
 */
extern bool gpuagg_cuda_pending_add(GpuAggTask *task, uint64_t batch_id,
									const GpuAggPage *pages, uint32_t npages, bool waits,
									GpuAggError *error);

/* A batch is complete, or what they wait for is there: they try again, in their order. */
extern void gpuagg_cuda_pending_resume(GpuAggTask *task);
extern void gpuagg_cuda_pending_free(GpuAggTask *task);

/* ---------- cuda_wanted.cu ---------- */

/* Where task->tables are: enqueues the search for the groups that are wanted. */
extern bool gpuagg_cuda_wanted_launch(GpuAggTask *task, GpuAggError *error);

/*
 * It is done.  *found is set if not all are wanted: how many there are.  *first: so
 * many of those that are returned will do.  False: a sum is PostgreSQL's to judge.
 */
extern bool gpuagg_cuda_wanted_read(GpuAggTask *task, uint64_t *found, uint64_t *first,
									GpuAggError *error);
extern void gpuagg_cuda_wanted_free(GpuAggTask *task);

/* ---------- cuda_regroup.cu ---------- */

/*
 * The task's tables have been sized: task->groups says how many groups there are.  Enqueues
 * what makes others of them, if that is wanted and can be done here; task->tables are then
 * those of the groups that are made.  False: *error.
 */
extern bool gpuagg_cuda_regroup_launch(GpuAggTask *task, bool *launched, GpuAggError *error);

/*
 * It is done.  *again: they found no room, and task->tables are larger ones, which have been enqueued, or
 * the finer groups' again.  False: *error.
 */
extern bool gpuagg_cuda_regroup_made(GpuAggTask *task, bool *again, GpuAggError *error);

/* Are task->tables those of groups that were made?  Of how many finer ones? */
extern bool gpuagg_cuda_regrouped(const GpuAggTask *task);
extern uint64_t gpuagg_cuda_regroup_finer(const GpuAggTask *task);

/* The prepared program of the groups in task->tables, and where it is on the card */
extern const GpuAggCudaPrepared *gpuagg_cuda_returned(const GpuAggTask *task,
													  const GpuAggCudaPrepared **there);
extern void gpuagg_cuda_regroup_free(GpuAggTask *task);

/* ---------- cuda_results.cu ---------- */

extern bool gpuagg_cuda_task_finish(GpuAggTask *task, GpuAggError *error);
extern uint32_t gpuagg_cuda_task_results(GpuAggTask *task, char *buffer,
										 size_t size, size_t *used,
										 GpuAggError *error);
extern void gpuagg_cuda_results_free(GpuAggTask *task);

#endif							/* GPUAGG_CUDA_CORE_CUDA_DEVICE_H */
