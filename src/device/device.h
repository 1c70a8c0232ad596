/*
 * device.h
 *		What a device is: one table of plain C functions.
 *
 * Called only by the device worker's main thread (worker/worker_main.c).  No
 * function blocks for longer than it takes to hand work over; completions
 * are polled, and event_fd becomes readable when there may be one.  Nothing
 * throws; every failure is a GpuAggStatus with a message.
 *
 * Life of a task: task_begin, any number of task_pages and task_rows (in
 * any order, several in flight), task_finish once every batch completed,
 * task_results until it gives 0 groups, task_end.  task_cancel may come at
 * any time; task_idle then tells when no page is read any more.  Pages of a task
 * that was cancelled may change while they are read: nothing worse than a wrong
 * value may come of it.  task_end is legal in any state once task_idle is true
 * and frees everything.
 */
#ifndef GPUAGG_DEVICE_DEVICE_H
#define GPUAGG_DEVICE_DEVICE_H

#include "device/answer.h"
#include "device/choice/draw_plan.h"
#include "device/choice/spatial.h"
#include "device/choice/strategy.h"
#include "device/ops/sample.h"
#include "compiled.h"
#include "layout.h"
#include "made.h"
#include "probe.h"
#include "ordered.h"
#include "regrouping.h"
#include "stripe.h"

/* Changes with this file: a provider library of another build is refused. */
#define GPUAGG_DEVICE_ABI 45

typedef struct GpuAggTask GpuAggTask;

typedef struct GpuAggDeviceConfig
{
	int			ordinal;		/* which card, for a GPU */
	int			threads;		/* host device: pool size, >= 1 */
	uint64_t	memory_limit;	/* bytes that all tasks may use together */
	const char *pages;			/* start and size of shared_buffers */
	uint64_t	pages_bytes;

	/* of kernels that it compiles; strings are copied */
	struct
	{
		const char *compiler;	/* the program that does; NULL: none are compiled */
		const char *folder;		/* where they outlast this process; NULL: they don't */
		uint64_t	disk_bytes; /* at most, in there */
		uint64_t	wait_ms;	/* that compiling one may take */
	}			kernels;
} GpuAggDeviceConfig;

#define GPUAGG_UUID_BYTES 48

typedef struct GpuAggDeviceInfo
{
	char		kind[16];		/* "host", "cuda" */
	char		name[128];
	char		uuid[GPUAGG_UUID_BYTES];	/* of the card, "GPU-..." as nvidia-smi tells it;
											 * empty: of the host */
	int32_t		ordinal;		/* which card; 0 for the host */
	uint64_t	memory_used;
	uint64_t	memory_limit;
	uint32_t	batch_pages;	/* pages that make a good batch */
	uint32_t	batches_ahead;	/* batches worth having in flight */
	uint32_t	registering;	/* 1: it takes tasks while it goes on starting */
	uint32_t	unregistered;	/* per cent of shared_buffers that it reads through copies, not in
								 * place; ever fewer while `registering` */
	uint64_t	link_rate;		/* bytes/s at which it can read pages, as
								 * measured when it was opened; 0: unknown */
	uint32_t	strategies;		/* set of GPUAGG_STRATEGY_BIT: ways of grouping
								 * that it has */
	uint32_t	decodes;			/* 1: batches take memory for the columns of
								 * their rows (batch_memory.h) */
	uint32_t	draws;			/* 1: it has task_draws */
	uint32_t	unit_shared_bytes;	/* shared memory of a multiprocessor; 0: it has none */
	uint32_t	block_shared_bytes; /* shared memory of a block at most; 0: it has none */
	uint32_t	compiles;		/* 1: it compiles kernels for queries */
	uint32_t	lookups;		/* 1: programs may have look-up tables (ops/ops_lookup.h) */
	uint32_t	orders;			/* 1: merges groups that hold no row that is wanted (ordered.h); by
								 * strategy "sorted", where it has that */
	char		compiler[GPUAGG_COMPILER_BYTES];	/* what compiles them; if nothing does, why not;
													 * empty: not asked to, or not yet known */
} GpuAggDeviceInfo;

/*
 * One page of a batch.  The page stays pinned until the batch completes.
 * nlines is the line-pointer count read under the content lock; a NULL
 * visibility means that every LP_NORMAL line up to it is visible, else bit
 * (line - 1) tells.  block, its number in the table, is for samples of lines.
 */
typedef struct GpuAggPage
{
	const char *page;
	const uint8_t *visibility;
	uint32_t	nlines;
	uint32_t	block;
	GpuAggStripe *stripe;			/* NULL, or where to keep its rows, too */
	uint32_t	position;			/* line i is kept at position + i, in all columns that the
									 * program loads; lines without a row, and rows that are listed,
									 * become invalid positions */
	uint32_t	positions;		/* so many are its own there: those behind its lines become
								 * invalid, too */
	uint32_t	beside;			/* 1: tasks may be reading other columns of these rows
								 * there, so which positions are valid stays, and all
								 * columns of rows that are listed */
	uint64_t	there;			/* loaded columns that stay as they are: bit c is that of register
								 * c, of the first GPUAGG_THERE_COLUMNS */
	uint32_t	compare;		/* 1: nothing is kept; the task fails (GPUAGG_NOT_SAME) if the
								 * page's rows are not what is kept there.  Of devices that
								 * compare */
} GpuAggPage;

#define GPUAGG_THERE_COLUMNS 64

/* Does a page bring the values of a loaded column to its stripe? */
GPUAGG_FN bool
gpuagg_page_brings(uint64_t there, uint32_t column)
{
	return column >= GPUAGG_THERE_COLUMNS || (there >> column & 1) == 0;
}

/*
 * Rows that PostgreSQL evaluated: per output of the program
 * (gpuagg_program_noutputs) a state and a value of each row.  Copied by
 * task_rows.  8-byte values by class; BYTES as GpuAggBytes.
 */
typedef struct GpuAggRowColumn
{
	const uint8_t *states;
	const void *values;
} GpuAggRowColumn;

/*
 * A row of the batch that its completion lists: one that the device leaves to
 * PostgreSQL, or, with GPUAGG_ROW_PASSED in its line, one that a program which
 * selects rows has chosen.
 */
typedef struct GpuAggRowRef
{
	uint32_t	page;			/* index in the batch */
	uint32_t	line;			/* 1-based line pointer */
} GpuAggRowRef;

#define GPUAGG_ROW_PASSED UINT32_C(0x80000000)

typedef struct GpuAggCompletion
{
	uint64_t	batch_id;
	GpuAggError error;			/* status GPUAGG_OK: consumed */
	uint64_t	rows_scanned;	/* visible rows seen, those left to PostgreSQL
								 * included; of a sample, those that belong to
								 * it */
	uint64_t	rows_passed;	/* that passed the filter */
	uint64_t	left[GPUAGG_STAGES - 1];	/* that a stage of it left, but for the last
											 * (ops/stages.h) */
	const GpuAggRowRef *listed; /* in any order; valid until the next
								 * task_poll or task_finish */
	uint32_t	nlisted;
} GpuAggCompletion;

typedef struct GpuAggTaskStats
{
	uint64_t	groups;			/* of a task that still runs: about; before they are
								 * regrouped */
	uint64_t	memory_bytes;	/* peak of this task */
	uint64_t	device_ns;		/* wall time the device worked on it */

	/* of that, by the device's own clock; 0 where it does not tell */
	uint64_t	transfer_ns;	/* lists in, groups out */
	uint64_t	decode_ns;		/* pages read over the link and decoded */
	uint64_t	kernel_ns;		/* expressions and grouping */
	uint64_t	link_bytes;		/* bytes of pages read in decode_ns */
	uint32_t	permille;		/* of a measurement: how far it is */
	uint32_t	switches;		/* of strategy, for groups were more or fewer than
								 * expected */
	uint32_t	compiled;		/* 1: by a kernel that was compiled for the program */
	uint32_t	regrouped;		/* 1: results are those of the config's regrouping */
	uint32_t	draw_way;		/* GpuAggDrawWay: how draws were made */
	uint32_t	draw_windows;	/* windows that draws were made in; 0: without a way */
	const char *strategy;		/* static string: what it ended up doing */
} GpuAggTaskStats;

/* Where a fault is injected (gpuagg.debug_fault); 0: nowhere. */
typedef enum GpuAggFaultStage
{
	GPUAGG_FAULT_NONE,
	GPUAGG_FAULT_BEGIN,
	GPUAGG_FAULT_PAGES,
	GPUAGG_FAULT_ROWS,
	GPUAGG_FAULT_FINISH,
	GPUAGG_FAULT_RESULTS,
	GPUAGG_FAULT_MEMORY,		/* the task's first growth finds no memory */
	GPUAGG_FAULT_LOST,			/* sticky device loss at the first batch */

	/* of GPUs only; the host device knows nothing of them and answers */
	GPUAGG_FAULT_KERNEL,		/* a kernel of the first batch cannot start */
	GPUAGG_FAULT_TRAP,			/* one traps: the GPU's own sticky error */

	/* of the column cache; devices know nothing of it */
	GPUAGG_FAULT_LSNS,			/* each page looks as if it had the LSN that it is held with */
	GPUAGG_NFAULTS
} GpuAggFaultStage;

typedef struct GpuAggTaskConfig
{
	double		expected_groups;
	double		expected_rows;
	double		expected_made;	/* groups of the largest of `regrouping`'s sets */
	uint64_t	memory_limit;	/* bytes this task may use; 0: the device's */
	GpuAggFaultStage fault;
	GpuAggSample sample;		/* BERNOULLI: the device takes no other lines.
								 * SYSTEM: it is given no other pages */
	GpuAggAnswer answer;		/* groups that are wanted; others may be returned */
	GpuAggRegrouping regrouping;	/* what may be made of the groups; then the answer is of those
								 * that are made, without sums, and there is one window */
	GpuAggOrdered ordered;		/* rows of an order that are wanted of the groups; then nothing is
								 * made of these, all are wanted, and there is one window */
	GpuAggHashWindow hash_window;			/* only groups of this window are wanted; rows
								 * outside count as scanned and passed.  Without
								 * keys there are no windows */
	uint64_t	scope_bytes;	/* that the table of a pass or part should not
								 * exceed; 0: as the device likes */
	uint32_t	strategy;		/* GpuAggStrategy: the one expected to be
								 * fastest; AUTO, or what it has not: its own
								 * choice */
	uint32_t	resident_strategy;	/* as strategy, if its first input are stripes */
	uint32_t	forced;			/* 1: no other strategy, where it can be helped */
	uint32_t	pad;
	GpuAggUnitGroups units;		/* for GPUAGG_STRATEGY_SPATIAL, and below */

	/*
	 * Of draws: what is expected to be fastest.  A device may do otherwise; the
	 * draws are the same.
	 */
	struct
	{
		uint32_t	way;		/* GpuAggDrawWay */
		uint32_t	windows;	/* at most GPUAGG_DRAW_WINDOWS; 0: one */
	}			draw;

	GpuAggCompileWish compile;

	/* Of columns whose strings are codes (encode.h); all is copied. */
	struct
	{
		/*
		 * NULL, or for each register of the program NULL or a dictionary: then
		 * it is of class I64 and holds the code of a string, of type GPUAGG_T_CODE.
		 * A column's is a string on pages, and one that the dictionary cannot take
		 * fails the task with GPUAGG_UNSUPPORTED.
		 */
		GpuAggDictionary *const *dictionaries;

		/*
		 * NULL, or for each register NULL or the code table of places (ops/places.h) that is read
		 * into it, of the strings of the register's dictionary.
		 */
		GpuAggMade *const *places;

		/*
		 * NULL, or the program as it was before strings became codes, where
		 * GpuAggStripeOps.results says that task_results then writes groups as
		 * of that one.
		 */
		const GpuAggProgram *results;
	}			codes;

	/* of tasks that make a look-up table, and of those that use such (made.h) */
	GpuAggMakeWish make;
	GpuAggMadeTables made;

	/* of measurements (probe/probe_task.h) only */
	struct
	{
		int32_t		effort;		/* as gpuagg_probe_run() */
		uint32_t	pad;
		GpuAggProbeLimits limits;
	}			probe;
} GpuAggTaskConfig;

typedef struct GpuAggDeviceOps
{
	uint32_t	abi;			/* GPUAGG_DEVICE_ABI */
	const char *kind;

	/*
	 * The cards of this kind that the machine has, at most max, without
	 * opening any: kind, name, ordinal and memory_limit (all of the card's
	 * memory) are filled in.  Negative: no telling; error says why.  NULL
	 * for the host device.
	 */
	int			(*list) (GpuAggDeviceInfo *cards, int max,
						 GpuAggError *error);

	GpuAggStatus (*open) (const GpuAggDeviceConfig *config,
						  GpuAggDevice **device, GpuAggError *error);
	void		(*close) (GpuAggDevice *device);
	void		(*info) (GpuAggDevice *device, GpuAggDeviceInfo *info);

	/*
	 * No task has run for a while: memory that the last ones left for the next
	 * goes back to the machine.  NULL: none is left.
	 */
	void		(*trim) (GpuAggDevice *device);

	/*
	 * A non-blocking eventfd.  The device adds to it for every batch that
	 * completes and every finish that becomes ready; the worker reads it
	 * empty, then polls what it wants to.
	 */
	int			(*event_fd) (GpuAggDevice *device);

	/* The program is copied. */
	GpuAggStatus (*task_begin) (GpuAggDevice *device,
								const GpuAggProgram *program,
								const GpuAggTaskConfig *config,
								GpuAggTask **task, GpuAggError *error);

	/* The pages array and visibility bitmaps are copied; pages are not. */
	GpuAggStatus (*task_pages) (GpuAggTask *task, uint64_t batch_id,
								const GpuAggPage *pages, uint32_t npages,
								GpuAggError *error);
	GpuAggStatus (*task_rows) (GpuAggTask *task, uint64_t batch_id,
							   const GpuAggRowColumn *columns, uint32_t nrows,
							   GpuAggError *error);

	/*
	 * The valid positions of a stripe are input, but for those listed, which are
	 * in order, do not overlap, and are copied.  The stripe has all columns
	 * that the program loads; strings whose register is of class BYTES are
	 * read through their dictionary.  Until task_finish has answered, pages
	 * may be decoded into listed positions only: so the end of a stripe, where
	 * nothing is yet, is listed, too.  Of a sample of lines the stripe's pages have been told
	 * (GpuAggStripeOps.pages); positions that these do not have are no input.  Not for programs
	 * that select.
	 */
	GpuAggStatus (*task_resident) (GpuAggTask *task, uint64_t batch_id,
								   GpuAggStripe *stripe, const GpuAggPositions *without,
								   uint32_t nwithout, GpuAggError *error);

	/*
	 * Of a task whose sample is draws, its only batch: rows are numbered in the
	 * order of the ranges, which are copied, and of their positions.  Otherwise as
	 * task_resident.  NULL: the device makes no draws.
	 */
	GpuAggStatus (*task_draws) (GpuAggTask *task, uint64_t batch_id,
								const GpuAggStripeRange *ranges, uint32_t nranges,
								GpuAggError *error);

	/* The next completed batch, if any. */
	bool		(*task_poll) (GpuAggTask *task, GpuAggCompletion *completion);

	/*
	 * No more input.  Returns false until the groups are ready (call again
	 * when event_fd fires); then error tells how it went.
	 */
	bool		(*task_finish) (GpuAggTask *task, GpuAggError *error);

	/*
	 * Writes whole groups (rows of layout.h, regrouped or not, each followed by the bytes of
	 * its long strings, keys before states, padded to 8) into buffer, as
	 * many as fit, and returns their number; *used tells the bytes.  0 with
	 * GPUAGG_OK in error: no more; 0 with GPUAGG_BUSY: none at hand yet, call
	 * again when event_fd fires.  A group that does not fit the whole
	 * buffer: *used is the size it needs, 0 is returned and the status is
	 * GPUAGG_OUT_OF_MEMORY; call again with a larger buffer.
	 */
	uint32_t	(*task_results) (GpuAggTask *task, char *buffer,
								 size_t size, size_t *used,
								 GpuAggError *error);
	void		(*task_stats) (GpuAggTask *task, GpuAggTaskStats *stats);
	void		(*task_cancel) (GpuAggTask *task);
	bool		(*task_idle) (GpuAggTask *task);
	void		(*task_end) (GpuAggTask *task);

	/* What can be measured of it; NULL: nothing */
	const GpuAggProbeOps *probe;

	/* Columns that stay; NULL: none do, and there is no task_resident */
	const GpuAggStripeOps *stripes;

	/* Look-up tables made of those; NULL: it makes none */
	const GpuAggMadeOps *made;

	/*
	 * Tells of the kernels that it has compiled: at most max of them, used last
	 * first, and returns how many.  NULL: it compiles none.
	 */
	uint32_t	(*kernels) (GpuAggDevice *device, GpuAggCompiledInfo *infos, uint32_t max,
							GpuAggKernelTotals *totals);
} GpuAggDeviceOps;

/*
 * A device outside of gpuagg.so comes from a provider library, as
 * PostgreSQL's JIT does: it exports a function of this name and type.
 */
#define GPUAGG_DEVICE_PROVIDER "gpuagg_device_provider"
typedef const GpuAggDeviceOps *(*GpuAggDeviceProvider) (void);

#endif							/* GPUAGG_DEVICE_DEVICE_H */
