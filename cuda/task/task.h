/*
 * task.h
 *		A task of the CUDA device and its batches: the records, and what every kind of
 *		input does with them.
 *
 * A task has two streams: pages are decoded in one, rows grouped in
 * the other, so that the link is busy while groups are updated.  All that
 * touches the group table is in the second one, in order; that is all the
 * locking that growth needs.
 *
 * What belongs to a room above this one is a pointer to a struct that only that room
 * knows.  Sections below are named by the file that has their functions.
 */
#ifndef GPUAGG_CUDA_TASK_TASK_H
#define GPUAGG_CUDA_TASK_TASK_H

#include "cuda/core/cuda_device.h"

typedef struct GpuAggCudaCodeTable GpuAggCudaCodeTable; /* cuda/columns/cuda_codes.h */

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
	bool		evaluated;		/* its rows are such that PostgreSQL evaluated */
	bool		odd;			/* evaluated rows with strings too long for compiled kernels, or
								 * errors */
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
	GpuAggProgram *program;		/* what the groups are written as groups of */
	uint32_t	nregs;			/* of the task's program, by whose registers keys are told */
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
	GpuAggDictionary **dictionaries;	/* NULL, or of each register */
	uint32_t	ncode_tables;
	GpuAggCudaCodeTable *code_tables[GPUAGG_MADE_TABLES];
	GpuAggResultStrings *strings;	/* NULL: results are as the groups lie */
	struct GpuAggPending *pending;	/* pages behind them, oldest first */

	/* results */
	struct GpuAggCudaRegroup *regroup;	/* provider/cuda_regroup.cu; NULL: not tried */
	GpuAggCudaWanted *wanted;	/* on the card; NULL: all groups */
	GpuAggPinned *wanted_report;	/* copy of `wanted` on the host */
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
	uint64_t	found;			/* groups found, where fewer are returned; else 0 */
	uint64_t	results_bytes;	/* of all groups */
	uint64_t	results_left;	/* so many more groups will do */
	GpuAggWindow windows[GPUAGG_WINDOWS];
	uint32_t	window;			/* the one to be read */

	GpuAggTaskStats stats;
};

/* ---------- task_memory.cu ---------- */

/* Bytes that its limit and the device's leave it */
extern uint64_t gpuagg_cuda_memory_left(const GpuAggTask *task);

/* Device memory in the order of a stream, charged to the task; NULL: *error */
extern void *gpuagg_cuda_alloc(GpuAggTask *task, size_t bytes,
							   cudaStream_t stream, GpuAggError *error);
extern void gpuagg_cuda_free(GpuAggTask *task, void *p, size_t bytes,
							 cudaStream_t stream);

/* Bytes of a program that go through pinned memory, at most */
#define GPUAGG_CUDA_STAGED_MOST ((size_t) 1 << 20)

/* Uploads a prepared program; the staging memory stays the caller's. */
extern GpuAggCudaPrepared *gpuagg_cuda_task_upload(GpuAggTask *task,
										   const GpuAggCudaPrepared *prepared, size_t bytes,
										   GpuAggPinned **staging,
										   GpuAggError *error);

/*
 * Cleared memory for the registers of a wide program, for one launch of so many threads;
 * *scratch is NULL of a program that is not wide.
 */
extern bool gpuagg_cuda_task_scratch(GpuAggTask *task, const GpuAggProgram *program,
									 uint32_t threads, char **scratch, size_t *bytes,
									 GpuAggError *error);

/* ---------- task_failure.cu ---------- */

/* Keeps the first error of a task; always returns its status. */
extern GpuAggStatus gpuagg_cuda_task_fail(GpuAggTask *task,
										  const GpuAggError *error);

/* May anything more be enqueued? */
extern GpuAggStatus gpuagg_cuda_input_check(GpuAggTask *task, GpuAggError *error);

/* Faults that are injected where there is input */
extern GpuAggStatus gpuagg_cuda_input_faults(GpuAggTask *task, GpuAggError *error);

/* ---------- task_table.cu ---------- */

/*
 * Uploads the task's program, and makes room behind it for a small group table.  False:
 * *error tells; what was made is the task's for all that.
 */
extern bool gpuagg_cuda_task_program_upload(GpuAggTask *task, const GpuAggTaskConfig *config,
											GpuAggError *error);

/* An empty group table for as many groups as are expected, and how rows get into it */
extern bool gpuagg_cuda_task_table_begin(GpuAggTask *task, const GpuAggTaskConfig *config,
										 GpuAggError *error);

/* Room for `more` groups beyond what the table's head says. */
extern GpuAggStatus gpuagg_cuda_task_grow(GpuAggTask *task,
										  const GpuAggTableHead *head,
										  uint64_t more, GpuAggError *error);

/* Block-local tables for so many groups from now on, or none */
extern void gpuagg_cuda_task_local(GpuAggTask *task, double groups);

/* Sets batch_blocks for the kernel that batches run through; others of the task get the same. */
extern void gpuagg_cuda_task_blocks(GpuAggTask *task);

/* The table and its strings; the program's memory stays. */
extern void gpuagg_cuda_task_table_free(GpuAggTask *task);

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

/*
 * Before anything was grouped: rows are kept from now on, if that is what the
 * config says and the program has records.
 */
extern bool gpuagg_cuda_task_defer_rows(GpuAggTask *task, const GpuAggTaskConfig *config,
									   GpuAggError *error);

/* Likewise: rows are no longer kept, but grouped as they come. */
extern bool gpuagg_cuda_task_group_rows(GpuAggTask *task, const GpuAggTaskConfig *config,
										GpuAggError *error);

/* ---------- batch.cu ---------- */

/* A batch with memory there and so much of it here, cleared; NULL: *error */
extern GpuAggBatch *gpuagg_cuda_batch_make(GpuAggTask *task, size_t bytes, size_t upload,
										   cudaStream_t stream, GpuAggError *error);

/* The host's copy of what lies at an address of the batch */
extern char *gpuagg_cuda_staged(const GpuAggBatch *batch, const void *there);

/* Entries that block-local tables of one launch can leave behind */
extern uint32_t gpuagg_cuda_spill_room(const GpuAggTask *task, uint32_t nrows);

/* The first bytes of the staging memory go up. */
extern bool gpuagg_cuda_batch_upload(GpuAggTask *task, GpuAggBatch *batch, size_t bytes,
									 cudaStream_t stream, GpuAggError *error);

/*
 * Grouping of a batch begins: there is memory for registers, and what an earlier launch
 * spilled is merged.  Behind the kernels, if all were launched (ok), end gives the memory
 * back and sends the counters to the host.
 */
extern bool gpuagg_cuda_batch_begin(GpuAggTask *task, GpuAggBatch *batch, char **scratch,
									size_t *scratch_bytes, GpuAggError *error);
extern bool gpuagg_cuda_batch_end(GpuAggTask *task, GpuAggBatch *batch, bool ok, char *scratch,
								  size_t scratch_bytes, GpuAggError *error);

/*
 * Both, and between them the interpreter: groups the rows that are still valid, keeps them
 * as records, or lists those that pass the filter.
 */
extern bool gpuagg_cuda_batch_group(GpuAggTask *task, GpuAggBatch *batch, bool local,
									GpuAggError *error);

/* Kernels were launched; the counters go to the host. */
extern bool gpuagg_cuda_batch_report(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error);

/* The last one of the task's; enqueued: to the end (ok), or in part, which fails the task */
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

#endif							/* GPUAGG_CUDA_TASK_TASK_H */
