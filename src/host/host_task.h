/*
 * host_task.h
 *		The host device and its tasks, as host.c, host_task.c and host_input.c
 *		share them.
 */
#ifndef GPUAGG_HOST_HOST_TASK_H
#define GPUAGG_HOST_HOST_TASK_H

#include "device/device.h"
#include "host/host_answer.h"
#include "host/host_regroup.h"
#include "host/host_scan.h"
#include "host/pool.h"

struct GpuAggDevice
{
	GpuAggPool *pool;
	GpuAggMemory memory;		/* of all tasks */
	GpuAggMemory stripes;			/* of all stripes and dictionaries */
	GpuAggFreeBlocks blocks;
	int			threads;
	int			event_fd;
	char		name[128];
	bool		lost;			/* GPUAGG_FAULT_LOST struck */
};

typedef enum GpuAggBatchKind
{
	GPUAGG_BATCH_PAGES,
	GPUAGG_BATCH_ROWS,
	GPUAGG_BATCH_RESIDENT,
	GPUAGG_BATCH_DRAWS,
	GPUAGG_BATCH_FLUSH,			/* at the end: local tables to partitions */
	GPUAGG_BATCH_AGGREGATE,		/* then: records of partitions */
	GPUAGG_BATCH_REGROUP,		/* then: tables of finer groups, grouped once more */
	GPUAGG_BATCH_REGROUP_FLUSH,
	GPUAGG_BATCH_ORDER,			/* or: groups between rows of an order that are wanted, merged */
	GPUAGG_BATCH_MAKE,			/* at the end: a look-up table */
	GPUAGG_BATCH_ANSWER			/* then: which groups are wanted */
} GpuAggBatchKind;

/* Work handed in together, done in morsels. */
typedef struct GpuAggBatch
{
	struct GpuAggBatch *next;
	GpuAggBatchKind kind;
	GpuAggCompletion completion;
	size_t		bytes;			/* of this whole block */
	size_t		listed_bytes;
	uint32_t	count;			/* pages, rows, positions, morsels of draws, threads,
								 * partitions or tables */
	uint32_t	taken;
	uint32_t	morsels;			/* taken and not yet done */
	union
	{
		GpuAggPage *pages;
		GpuAggRowColumn *columns;
		GpuAggResident resident;
		GpuAggDrawIndex draws;
	}			u;
	uint64_t	extra[];		/* copies of what was handed in */
} GpuAggBatch;

typedef struct GpuAggBatchQueue
{
	GpuAggBatch *first;
	GpuAggBatch *last;
} GpuAggBatchQueue;

typedef enum GpuAggTaskStage
{
	GPUAGG_TASK_INPUT,
	GPUAGG_TASK_FLUSHING,
	GPUAGG_TASK_AGGREGATING,
	GPUAGG_TASK_MAKING,
	GPUAGG_TASK_REGROUPING,
	GPUAGG_TASK_REGROUP_FLUSHING,
	GPUAGG_TASK_ORDERING,
	GPUAGG_TASK_ANSWERING,
	GPUAGG_TASK_RESULTS
} GpuAggTaskStage;

/* The groups that are returned, by positions, where others were merged into them */
typedef struct GpuAggHostOrdered
{
	uint64_t   *positions;		/* NULL: all are */
	uint64_t	npositions;
	size_t		bytes;
} GpuAggHostOrdered;

/*
 * The main thread and the pool share what stands below "locked" under the
 * pool's lock; the prepared program is constant; scanners[i] is pool thread
 * i's until all work is done, then the main thread's.
 */
struct GpuAggTask
{
	GpuAggSource source;		/* must be first */
	GpuAggDevice *device;
	GpuAggMemory memory;
	GpuAggPrepared *prepared;
	GpuAggGroups groups;
	GpuAggScanner *_Atomic *scanners;	/* per thread, NULL until it works here;
										 * others look at it while they aggregate */
	GpuAggScanResult *results;	/* per thread, of its job */
	GpuAggFaultStage fault;
	GpuAggSample sample;
	GpuAggMakeWish make;		/* nkeys 0: groups are wanted */
	GpuAggHostCodes codes;
	GpuAggTaskConfig config;	/* as it began; without what it points to */
	GpuAggMade *made;			/* while and after it is made; then whoever takes it */
	atomic_bool stop;			/* cancelled or failed */

	/* locked */
	GpuAggBatchQueue queued;	/* with morsels to take */
	GpuAggBatchQueue completed; /* not polled yet */
	uint32_t	unfinished;		/* batches that are not in completed */
	GpuAggError error;			/* the first failure */

	/* the main thread's */
	GpuAggBatch *polled;		/* kept for its list of rows */
	GpuAggTaskStage stage;
	GpuAggBatch *last;			/* while flushing or aggregating */
	GpuAggHostRegroup *regroup; /* NULL: groups are returned as they are, or not yet */
	uint32_t	set;			/* of it, that is at work */
	GpuAggHostOrdered ordered;
	const char *strategy;
	uint32_t	switches;		/* of it */
	uint32_t	result_table;	/* where task_results is */
	uint32_t	result_row;
	uint64_t	returned;		/* groups */
	GpuAggHostAnswer answer;
};

/* host_task.c: the functions of device.h that are about tasks */
extern GpuAggStatus gpuagg_host_task_begin(GpuAggDevice *device,
										   const GpuAggProgram *program,
										   const GpuAggTaskConfig *config,
										   GpuAggTask **task, GpuAggError *error);
extern bool gpuagg_host_task_poll(GpuAggTask *task, GpuAggCompletion *completion);
extern bool gpuagg_host_task_finish(GpuAggTask *task, GpuAggError *error);
extern void gpuagg_host_task_stats(GpuAggTask *task, GpuAggTaskStats *stats);
extern void gpuagg_host_task_cancel(GpuAggTask *task);
extern bool gpuagg_host_task_idle(GpuAggTask *task);
extern void gpuagg_host_task_end(GpuAggTask *task);

/* What a task is given becomes a batch, with `extra` bytes behind it, for the pool. */
extern GpuAggBatch *gpuagg_host_batch_new(GpuAggTask *task, GpuAggBatchKind kind,
										  uint64_t id, uint32_t count, size_t extra,
										  GpuAggError *error);
extern void gpuagg_host_batch_enqueue(GpuAggTask *task, GpuAggBatch *batch);

/* host_input.c */
extern GpuAggStatus gpuagg_host_task_pages(GpuAggTask *task, uint64_t batch_id,
										   const GpuAggPage *pages,
										   uint32_t npages, GpuAggError *error);
extern GpuAggStatus gpuagg_host_task_rows(GpuAggTask *task, uint64_t batch_id,
										  const GpuAggRowColumn *columns,
										  uint32_t nrows, GpuAggError *error);
extern GpuAggStatus gpuagg_host_task_resident(GpuAggTask *task, uint64_t batch_id,
											  GpuAggStripe *stripe,
											  const GpuAggPositions *without,
											  uint32_t nwithout, GpuAggError *error);
extern GpuAggStatus gpuagg_host_task_draws(GpuAggTask *task, uint64_t batch_id,
										   const GpuAggStripeRange *ranges,
										   uint32_t nranges, GpuAggError *error);

/* host_results.c */
extern uint64_t gpuagg_host_task_groups(GpuAggTask *task);

/* Tables that hold groups, by number, before they are regrouped; some are NULL. */
extern uint32_t gpuagg_host_group_tables(GpuAggTask *task);
extern const GpuAggTable *gpuagg_host_group_table(GpuAggTask *task, uint32_t i);

/* Tables that hold the groups that are returned, by number, and their rows */
extern uint32_t gpuagg_host_result_tables(GpuAggTask *task);
extern const GpuAggTable *gpuagg_host_result_table(GpuAggTask *task, uint32_t i);
extern const GpuAggPrepared *gpuagg_host_result_rows(const GpuAggTask *task);

/* How the rows in such a table become those; NULL: they are */
extern const GpuAggRegroupingPlan *gpuagg_host_result_plan(GpuAggTask *task, uint32_t i);
extern uint32_t gpuagg_host_task_results(GpuAggTask *task, char *buffer,
										 size_t size, size_t *used,
										 GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_TASK_H */
