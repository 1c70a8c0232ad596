/*
 * passes.c
 *		A scan's work on one device: one task, or one for each window of the
 *		hash space (device/choice/hash_window.h).
 *
 * Windows are planned where the strategy is multi-pass, or where the table of
 * all groups would not fit the device's memory.  Tasks run one after the
 * other; each scans the same blocks under the same snapshot, with the same
 * sample and the same program (its hash seed, too), and adds the groups of its
 * window to the store.  Only then the first row is returned.
 *
 * By capacity.  A task that ends for lack of memory is no failure yet: what
 * it answered is cut off the store, its window is split, by as much as the
 * groups that it had found until then let expect, and the first part runs.
 * Groups of finished windows stay.  So any number of groups finishes, in as
 * many passes as it takes.  Given up, and left to the redo and the fallback
 * plan, is a task that had few groups, or far fewer than the one that failed
 * before, for its memory is taken by something else; and a window narrower than
 * one of GPUAGG_MAX_HASH_WINDOWS.  Windows that turn out to hold few groups are
 * joined again.
 *
 * The rows of a plan have one window: run again, it need not give the same ones (LIMIT).
 *
 * Injected lack of memory is given up at once, so that tests reach the redo;
 * but not if only one pass is struck (gpuagg.debug_fault_pass).
 */
#include "postgres.h"

#include "compat.h"
#include "cost/profile.h"
#include "device/choice/compile_rule.h"
#include "device/ops/regrouping_row.h"
#include "ipc/cache_shared.h"
#include "ipc/shmem.h"
#include "node/regroup/regroup_run.h"
#include "node/run/answers.h"
#include "node/run/device_task.h"
#include "node/run/passes.h"
#include "settings.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* A task with fewer groups did not run out of memory because of them. */
#define SPLIT_MIN_GROUPS 256

/* Nor did one that had so many times fewer than the one that failed before. */
#define SPLIT_LEAST_SHARE 16

/* Windows are joined if their groups fill at most this part of what fits. */
#define JOIN_FILL 0.8

typedef struct GpuAggPasses
{
	const GpuAggScan *scan;
	const GpuAggOrder *order;
	GpuAggStrategyChoice choice;
	double		fit;			/* groups that a window may have; 0: any */
	bool		failed;			/* that is what a window had that failed */
	int			started;		/* tasks */
	GpuAggPass	pass;
	GpuAggTally *tally;
	GpuAggOutcome *outcome;
	GpuAggError *error;
} GpuAggPasses;

/* As VACUUM or ANALYZE has found them last */
static double
passes_page_lines(const GpuAggOrder *order)
{
	double		pages = 0;
	double		tuples = 0;

	for (int i = 0; !order->demand->info->of_plan && i < order->nread; i++)
	{
		const Form_pg_class rel = order->read[i].rel->rd_rel;

		if (rel->relpages > 0 && rel->reltuples > 0)
		{
			pages += rel->relpages;
			tuples += rel->reltuples;
		}
	}
	return pages > 0 ? Min(tuples / pages, GPUAGG_MAX_LINES) : GPUAGG_MAX_LINES;
}

/* Of groups that are all over the table each part has nearly all. */
double
gpuagg_passes_part_groups(const GpuAggOrder *order, double share)
{
	const GpuAggExpected *expected = &order->demand->expected;

	return Min(Max(expected->groups, 0), Max(expected->passed, 0) * share);
}

/* Of a task that reads such a share of the tables, nblocks blocks */
static void
passes_work(const GpuAggOrder *order, BlockNumber nblocks, double share, GpuAggWork *work)
{
	const GpuAggPlanInfo *info = order->demand->info;
	const GpuAggExpected *expected = &order->demand->expected;
	GpuAggRegrouping wish;

	memset(work, 0, sizeof(*work));
	gpuagg_choose_work(work, info->program);
	work->pages = nblocks;
	work->page_lines = passes_page_lines(order);
	work->rows = Max(expected->rows, 0) * share;
	work->passed = Max(expected->passed, 0) * share;
	work->groups = share < 1 ? gpuagg_passes_part_groups(order, share) : Max(expected->groups, 0);
	work->compiled.numbers = info->est_numbers;
	gpuagg_regroup_wish(info, order->whole && share >= 1, &wish);
	work->counted = wish.nsets > 0 && gpuagg_regrouping_counted_key(&wish, info->program) >= 0;
	work->made = work->counted ? info->regroup->largest : 0;
	work->ordered = info->left_out > 0 && order->whole && share >= 1;
	work->left_out = work->ordered ? work->groups * info->left_out : 0;
}

/* Are kept columns its input, as far as there are any? */
static bool
passes_reads_kept(const GpuAggOrder *order)
{
	const GpuAggPlanInfo *info = order->demand->info;

	return gpuagg_cache && !info->program->select && !info->of_plan &&
		info->sample != GPUAGG_SAMPLE_DRAWS;
}

bool
gpuagg_passes_keeps(const GpuAggOrder *order)
{
	return passes_reads_kept(order) && order->demand->info->sample == GPUAGG_SAMPLE_NONE;
}

/* Of which part of the tables the device has these columns; n is 0: any */
static double
passes_columns(const GpuAggOrder *order, int device, const AttrNumber *columns, int n)
{
	double		held = 0;

	for (int i = 0; !order->demand->info->of_plan && i < order->nread; i++)
	{
		const GpuAggTaskTable *table = &order->read[i];

		held += table->nblocks *
			gpuagg_cache_fraction_on(device, RelationGetRelid(table->rel),
									 GPUAGG_FILES_NUMBER(table->rel), columns, n, table->nblocks);
	}
	return order->nblocks > 0 ? Min(held / order->nblocks, 1) : 0;
}

double
gpuagg_passes_held(const GpuAggOrder *order, int device)
{
	const GpuAggProgram *p = order->demand->info->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	AttrNumber	columns[GPUAGG_MAX_REGS];
	int			n = 0;

	for (int i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG)
			columns[n++] = i + 1;
	return passes_columns(order, device, columns, n);
}

double
gpuagg_passes_known(const GpuAggOrder *order, int device)
{
	return passes_columns(order, device, NULL, 0);
}

/* Which part of the tables' pages need not be read */
static double
passes_cached(const GpuAggOrder *order, int device)
{
	return passes_reads_kept(order) ? gpuagg_passes_held(order, device) : 0;
}

void
gpuagg_passes_predict_part(const GpuAggOrder *order, int device, BlockNumber nblocks,
						   double share, double held, GpuAggPrediction *prediction)
{
	GpuAggResidentChoice resident;
	GpuAggWork	work;

	passes_work(order, nblocks, share, &work);
	if (!passes_reads_kept(order))
		held = 0;
	work.pages = nblocks * (1 - held);
	work.kept_pages = nblocks * held;
	work.cached_rows = work.rows * held;
	gpuagg_choose_resident(device, &work, order->demand->info->program, false, &resident);
	gpuagg_predict(&gpuagg_profile_get(device)->rates, &work, prediction);
}

double
gpuagg_passes_predict(const GpuAggOrder *order, int device, double held)
{
	GpuAggPrediction prediction;

	gpuagg_passes_predict_part(order, device, order->nblocks, 1, held, &prediction);
	return prediction.startup;
}

/* Is there a kernel, or is it worth waiting for?  As the device decides */
static bool
passes_compiled(const GpuAggPlanInfo *info, const GpuAggCompiledWork *work)
{
	const GpuAggCompileCase rule = {
		.wish.mode = gpuagg_compile,
		.wish.interpreted_ns = (uint64) Max(info->predicted.interpreted, 0),
		.wish.compiled_ns = (uint64) Max(info->predicted.compiled, 0),
		.asked = 1,
		.left_ns = GPUAGG_COMPILE_FIRST_NS
	};

	return work->state == GPUAGG_COMPILED_READY ||
		(work->state == GPUAGG_COMPILED_NEW && gpuagg_compile_waits(&rule));
}

void
gpuagg_passes_plan(const GpuAggOrder *order, int device, GpuAggPlannedStrategy *planned)
{
	const GpuAggPlanInfo *info = order->demand->info;
	GpuAggResidentChoice resident;
	GpuAggDeviceView view;
	GpuAggWork	work;

	passes_work(order, order->nblocks, 1, &work);
	gpuagg_choose(device, &work, info->program, false, &planned->pages);
	planned->strategy = planned->pages.strategy;
	planned->known = true;
	gpuagg_shmem_device(device, &view);
	if (!view.gpu || gpuagg_strategy != GPUAGG_STRATEGY_AUTO || planned->pages.passes > 1 ||
		passes_cached(order, device) <= 0)
		return;
	gpuagg_choose_resident(device, &work, info->program, false, &resident);
	planned->strategy = passes_compiled(info, &work.compiled) ? resident.runs :
																resident.interpreted;
}

void
gpuagg_passes_draws(const GpuAggOrder *order, int device, double draws, GpuAggDrawPlan *plan)
{
	gpuagg_choose_draws(device, order->demand->info->program, draws,
						passes_page_lines(order) * order->nblocks, order->host, plan);
}

static bool
passes_struck(const GpuAggPasses *p)
{
	return gpuagg_debug_fault_pass == 0 || p->started == gpuagg_debug_fault_pass;
}

/*
 * What is injected into the next task.  The fault "lost" ends the worker; a
 * second time would be of no use to anyone.
 */
static GpuAggFaultStage
passes_fault(const GpuAggPasses *p)
{
	/* a stage that there is not: what the worker refuses */
	if (passes_struck(p) && gpuagg_debug_fault == GPUAGG_FAULT_REFUSED)
		return GPUAGG_NFAULTS;
	if (!passes_struck(p) || gpuagg_debug_fault >= GPUAGG_NFAULTS)
		return GPUAGG_FAULT_NONE;
	if (gpuagg_debug_fault == GPUAGG_FAULT_LOST && (p->order->host || p->order->moved))
		return GPUAGG_FAULT_NONE;
	return gpuagg_debug_fault;
}

static uint32
passes_count(const GpuAggPasses *p)
{
	return Max(1, p->pass.hash_window.count);
}

/* One task; what it allocates goes with it. */
static GpuAggStatus
passes_task(GpuAggPasses *p)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpuagg pass",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	GpuAggStatus status;

	p->started++;
	p->pass.fault = passes_fault(p);
	p->pass.expected_groups = Max(p->order->demand->expected.groups, 0) /
		passes_count(p);
	p->pass.rows = p->pass.groups = p->pass.pages = 0;
	p->pass.shared = false;
	status = gpuagg_task_run(p->scan, p->order, &p->pass, p->tally, p->outcome, p->error);
	if (status == GPUAGG_OK && passes_struck(p) &&
		gpuagg_debug_fault == GPUAGG_FAULT_MEMORY_LATE)
		status = gpuagg_error_set(p->error, GPUAGG_OUT_OF_MEMORY, 0,
								  "injected: no memory for the rest of the groups");
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return status;
}

/* Is it for its groups that the task found no memory? */
static bool
passes_splittable(const GpuAggPasses *p, GpuAggStatus status)
{
	if (status != GPUAGG_OUT_OF_MEMORY || p->order->program->select ||
		p->order->demand->info->of_plan || p->order->program->nkeys == 0)
		return false;
	if (gpuagg_debug_fault == GPUAGG_FAULT_MEMORY ||
		gpuagg_debug_fault == GPUAGG_FAULT_MEMORY_LATE)
		return gpuagg_debug_fault_pass > 0;
	return p->pass.groups >= SPLIT_MIN_GROUPS &&
		(!p->failed || p->pass.groups >= p->fit / SPLIT_LEAST_SHARE);
}

/*
 * Did others have the memory that the task needed?  Then the same window runs once more, by
 * itself.  Where windows can be split that is tried first.
 */
static bool
passes_crowded(const GpuAggPasses *p, GpuAggStatus status)
{
	return status == GPUAGG_OUT_OF_MEMORY && p->pass.shared && !p->pass.alone &&
		!passes_splittable(p, status);
}

/*
 * The failed task's window becomes several; false: it would be too many.
 * Rows until then and pages tell how many rows there will be.
 */
static bool
passes_split(GpuAggPasses *p)
{
	const GpuAggPass *pass = &p->pass;
	double		pages = gpuagg_sample_share(&p->order->sample, p->order->nblocks);
	double		share = pages > 0 ? Min(1, pass->pages / pages) : 1;
	double		rows = (double) pass->rows / passes_count(p);
	double		groups = gpuagg_strategy_extrapolate(rows, pass->groups,
													 rows / Max(share, 1e-6));
	uint32		k = gpuagg_strategy_split(pass->groups, groups);

	if ((uint64) passes_count(p) * k > GPUAGG_MAX_HASH_WINDOWS)
		return false;
	ereport(DEBUG1,
			(errmsg_internal("gpuagg: window %u of %u does not fit: splitting it into %u",
							 pass->hash_window.index, passes_count(p), k)));
	p->pass.hash_window = gpuagg_hash_window_split(pass->hash_window, k);
	p->fit = pass->groups;
	p->failed = true;
	p->tally->splits++;
	return true;
}

/* To the next window; wider ones if this one had few groups. */
static bool
passes_next(GpuAggPasses *p)
{
	double		groups = p->pass.groups;
	GpuAggHashWindow wider;

	if (!gpuagg_hash_window_next(&p->pass.hash_window))
		return false;
	wider = p->pass.hash_window;
	while (gpuagg_hash_window_widen(&wider) &&
		   (groups *= 2) <= p->fit * JOIN_FILL)
		p->pass.hash_window = wider;
	return true;
}

static void
passes_plan_draws(GpuAggPasses *p)
{
	const GpuAggSampleTaken *sample = &p->order->sample;
	GpuAggDrawPlan plan;

	if (sample->method != GPUAGG_SAMPLE_DRAWS)
		return;
	gpuagg_passes_draws(p->order, p->order->device, sample->sample.cutoff, &plan);
	p->pass.draw_way = plan.way;
	p->pass.draw_windows = plan.windows;
}

static void
passes_begin(GpuAggPasses *p)
{
	const GpuAggOrder *order = p->order;
	const GpuAggPlanInfo *info = order->demand->info;
	const GpuAggStrategyChoice *c = &p->choice;
	GpuAggResidentChoice resident;
	GpuAggWork	work;
	GpuAggLayout layout;

	passes_work(order, order->nblocks, p->pass.share, &work);
	gpuagg_choose(order->device, &work, info->program, order->host, &p->choice);
	gpuagg_choose_resident(order->device, &work, info->program, order->host, &resident);
	gpuagg_layout_compute(order->program, &layout);
	p->pass.page_lines = passes_page_lines(order);
	p->pass.strategy = c->within;
	p->pass.resident_strategy = resident.strategy;
	p->pass.forced = gpuagg_strategy != GPUAGG_STRATEGY_AUTO &&
		c->within != GPUAGG_STRATEGY_AUTO;
	p->pass.hash_window.count = info->of_plan ? 1 : c->passes;
	p->pass.scope_bytes = c->within == GPUAGG_STRATEGY_MULTI_PASS_COPY ||
		c->within == GPUAGG_STRATEGY_SPATIAL ? c->scope_bytes :
		gpuagg_scope_size * UINT64CONST(1024);
	passes_plan_draws(p);
	if (p->pass.hash_window.count > 1)
		p->fit = c->scope_bytes / (2.0 * layout.row_bytes);
	p->tally->tried = true;
}

/* Windows one after the other, until the last one or a failure */
static GpuAggStatus
passes_windows(GpuAggPasses *p)
{
	GpuAggStoreMark mark;

	for (;;)
	{
		GpuAggStatus status;

		if (p->order->demand->found->results != NULL)
			gpuagg_results_mark(p->order->demand->found->results, &mark);
		status = passes_task(p);
		if (status == GPUAGG_OK)
		{
			p->pass.alone = false;
			p->tally->passes++;
			if (!passes_next(p))
				return status;
			continue;
		}
		if (!passes_splittable(p, status) && !passes_crowded(p, status))
			return status;
		if (passes_crowded(p, status))
			p->pass.alone = true;
		else if (!passes_split(p))
			return status;
		gpuagg_answers_cut(p->scan, p->order->demand, &mark);
	}
}

bool
gpuagg_passes_part(const GpuAggScan *scan, const GpuAggOrder *order, double share, int n,
				   GpuAggPass *pass, GpuAggTally *tally)
{
	GpuAggPasses passes = {
		.scan = scan,
		.order = order,
		.started = n,
		.pass.share = share,
		.tally = tally
	};

	passes_begin(&passes);
	*pass = passes.pass;
	pass->fault = passes_fault(&passes);
	pass->expected_groups = gpuagg_passes_part_groups(order, share);
	tally->passes = 1;
	return pass->hash_window.count <= 1;
}

GpuAggStatus
gpuagg_passes_run(const GpuAggScan *scan, const GpuAggOrder *order, GpuAggTally *tally,
				  GpuAggOutcome *outcome, GpuAggError *error)
{
	GpuAggPasses passes = {
		.scan = scan,
		.order = order,
		.pass.share = 1,
		.tally = tally,
		.outcome = outcome,
		.error = error
	};
	GpuAggStatus status;

	/* ahead of the run, which keeps columns that would change what is planned */
	if (scan->css.ss.ps.instrument != NULL && !order->host)
		gpuagg_passes_plan(order, order->device, &tally->planned);
	passes_begin(&passes);
	status = passes_windows(&passes);
	if (status != GPUAGG_OK)
		gpuagg_tally_fail(tally);
	return status;
}
