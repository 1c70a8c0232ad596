/*
 * attempt.c
 *		One task of a scan, and what is tried when it fails (attempt.h).
 */
#include "postgres.h"

#include "compat.h"
#include "ipc/stat.h"
#include "node/attempt.h"
#include "node/device_task.h"
#include "node/joined_rows.h"
#include "node/passes.h"
#include "node/place.h"
#include "node/remedy.h"
#include "node/scan_bind.h"
#include "node/spread.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/rel.h"

/* Is the condition without columns, if there is one, anything but TRUE? */
static bool
scan_gate_closed(const GpuAggPlanInfo *info, const GpuAggProgram *program)
{
	const GpuAggConst *gate;

	if (info->gate < 0)
		return false;
	gate = gpuagg_program_consts(program) + info->gate;
	return gate->state != GPUAGG_ST_VALUE || gate->v.i == 0;
}

/*
 * Nothing is to be read: a condition without columns is not TRUE, or there is nothing to join.
 * Draws are of all blocks or of none.
 */
static void
scan_read_nothing(GpuAggScan *scan)
{
	for (int i = 0; i < scan->nread && scan->sample.method != GPUAGG_SAMPLE_DRAWS; i++)
		scan->read[i]->end = scan->read[i]->first;
}

/* Counts the blocks of the tables at work; false: there is one that no task can read. */
static bool
scan_count_blocks(GpuAggScan *scan, BlockNumber *nblocks, GpuAggError *error)
{
	uint64		sum = 0;

	for (int i = 0; i < scan->nread; i++)
	{
		GpuAggTaskTable *table = scan->read[i];

		/* a plan reads whatever it likes, and is asked for rows in any case */
		if (table->rel == NULL)
		{
			sum++;
			continue;
		}
		if (RelationUsesLocalBuffers(table->rel))
		{
			(void) gpuagg_error_set(error, GPUAGG_UNSUPPORTED, 0,
									"the table's buffers are private to this session");
			return false;
		}

		/*
		 * As heap_beginscan: who adds a page after it was counted must see the lock,
		 * since none will look at that page's rows.
		 */
		PredicateLockRelation(table->rel, scan->css.ss.ps.state->es_snapshot);
		table->nblocks = RelationGetNumberOfBlocks(table->rel);
		table->first = 0;
		table->end = table->nblocks;
		sum += table->nblocks;
	}
	*nblocks = Min(sum, MaxBlockNumber);
	return true;
}

/* The task, as it is at work: from its first try to its last */
typedef struct Attempt
{
	GpuAggScan *scan;
	GpuAggProgram *program;
	BlockNumber nblocks;
	GpuAggTally *tally;			/* It adds up what all tries took, and what the last one did. */
	bool		host;			/* It runs on the host device behind a GPU. */
	bool		limited;		/* Its numerics are limited to their scale. */
	bool		together;		/* Tasks of other cards share its tables. */
} Attempt;

/* All of the work on one device; what was answered before is forgotten. */
static GpuAggStatus
attempt_task(Attempt *a, GpuAggError *error)
{
	GpuAggTally tally = {0};
	GpuAggStatus status;

	gpuagg_scan_cut(a->scan, &a->scan->mark);
	if (a->nblocks == 0)
		scan_read_nothing(a->scan);
	status = gpuagg_passes_run(a->scan, a->program, a->nblocks, a->host, &tally, error);
	gpuagg_tally_then(a->tally, &tally);
	return status;
}

/* The scale that a column is limited to where an instruction takes it to that; 0: none */
static int
scale_of(const GpuAggProgram *program, const GpuAggAttr *attr)
{
	const GpuAggInstr *instrs = gpuagg_program_instrs(program);

	for (uint32 i = 0; i < program->ninstrs && attr->scale == GPUAGG_SCALE_WORD; i++)
		if (instrs[i].op == GPUAGG_OP_DECIMAL_AT && instrs[i].a == attr->reg)
			return GPUAGG_SCALE_FITS | instrs[i].imm;
	return 0;
}

/*
 * Has it columns of numerics without a scale that can be loaded so that what does not fit the
 * query's scale is left to the row plan, not an error where it is used?  What is kept on the
 * device is not loaded so.
 */
static bool
attempt_limitable(const Attempt *a)
{
	const GpuAggScan *scan = a->scan;
	const GpuAggAttr *attrs = gpuagg_program_attrs(a->program);

	if (a->program->select || scan->rows != NULL ||
		(scan->lookups != NULL && !gpuagg_joined_rows_possible(scan)))
		return false;
	for (uint32 i = 0; i < a->program->nattrs; i++)
		if (scale_of(a->program, &attrs[i]) != 0)
			return true;
	return false;
}

static void
attempt_limit(Attempt *a)
{
	GpuAggAttr *attrs = (GpuAggAttr *) gpuagg_program_attrs(a->program);

	for (uint32 i = 0; i < a->program->nattrs; i++)
		attrs[i].scale |= scale_of(a->program, &attrs[i]);
	a->limited = true;
}

static bool
tables_there(const GpuAggScan *scan)
{
	return scan->lookups != NULL && gpuagg_lookups_on_device(scan->lookups);
}

static GpuAggRemedy
attempt_remedy(const Attempt *a, GpuAggStatus status, const GpuAggError *error)
{
	const GpuAggScan *scan = a->scan;
	GpuAggTried tried;

	if (status == GPUAGG_OK)
		return GPUAGG_REMEDY_NONE;
	tried = (GpuAggTried) {
		.on_gpu = scan->on_gpu,
		.on_host = a->host,
		.together = a->together,
		.cached = scan->cache_requested,
		.draws = scan->sample.method == GPUAGG_SAMPLE_DRAWS,
		.limitable = attempt_limitable(a),
		.limited = a->limited,
		.met_long = scan->met_long,
		.all_groups = gpuagg_answer_wants_all(&scan->answer),
		.other_gpu = gpuagg_place_other(scan) >= 0,
		.tables_there = tables_there(scan)
	};
	return gpuagg_remedy(status, error->detail, &tried);
}

static void
count_redone(GpuAggTally *tally, const GpuAggError *error, const char *device)
{
	gpuagg_stat_add(GPUAGG_STAT_redone, 1);
	tally->redone++;
	strlcpy(tally->redone_message, error->message, sizeof(tally->redone_message));
	gpuagg_redone_log(error, device);
}

/* Look-up tables that a device has made are not at hand elsewhere; false: see error. */
static bool
attempt_bind_here(Attempt *a, GpuAggError *error)
{
	if (!tables_there(a->scan))
		return true;
	a->program = gpuagg_scan_bind(a->scan, &a->nblocks, true, error);
	a->limited = false;
	return a->program != NULL;
}

/* To another GPU, or to the host device */
static bool
attempt_move(Attempt *a, GpuAggRemedy remedy, GpuAggError *error)
{
	const GpuAggError why = *error;
	GpuAggScan *scan = a->scan;

	if (remedy == GPUAGG_REMEDY_OTHER_GPU)
	{
		gpuagg_place_move(scan, gpuagg_place_other(scan));
		scan->moved = true;
		count_redone(a->tally, &why, psprintf("device %d", scan->device));
	}
	if (!attempt_bind_here(a, error))
		return false;
	if (remedy == GPUAGG_REMEDY_HOST)
		count_redone(a->tally, &why, "the host device");
	a->host = remedy == GPUAGG_REMEDY_HOST;
	return true;
}

/* The task as it is to be tried next; false: that cannot be, see error. */
static bool
attempt_change(Attempt *a, GpuAggRemedy remedy, GpuAggError *error)
{
	GpuAggScan *scan = a->scan;

	a->together = false;
	scan->met_long = false;
	scan->uncached = remedy == GPUAGG_REMEDY_UNCACHED || remedy == GPUAGG_REMEDY_LIMITED ||
		(remedy == GPUAGG_REMEDY_ALL_GROUPS && scan->uncached);
	switch (remedy)
	{
		case GPUAGG_REMEDY_UNCACHED:
			ereport(DEBUG1,
					(errmsg("gpuagg: redoing a task without the column cache: %s",
							error->message)));
			return true;
		case GPUAGG_REMEDY_LIMITED:
			attempt_limit(a);
			return true;
		case GPUAGG_REMEDY_ALL_GROUPS:
			memset(&scan->answer, 0, sizeof(scan->answer));
			return true;
		case GPUAGG_REMEDY_OTHER_GPU:
		case GPUAGG_REMEDY_HOST:
			return attempt_move(a, remedy, error);
		case GPUAGG_REMEDY_TABLES_HERE:
			return attempt_bind_here(a, error);
		case GPUAGG_REMEDY_ALONE:
		case GPUAGG_REMEDY_NONE:
			break;
	}
	return true;
}

/* As long as it fails, what may help is tried. */
static GpuAggStatus
attempt_go_on(Attempt *a, GpuAggStatus status, GpuAggError *error)
{
	GpuAggRemedy remedy;

	while ((remedy = attempt_remedy(a, status, error)) != GPUAGG_REMEDY_NONE)
	{
		if (!attempt_change(a, remedy, error))
			return error->status;
		status = attempt_task(a, error);
	}
	return status;
}

/* The tables in scan->read on its device, after that on others if need be */
static GpuAggStatus
run_one(GpuAggScan *scan, GpuAggProgram *program, BlockNumber nblocks, GpuAggTally *tally,
		GpuAggError *error)
{
	Attempt		a = {.scan = scan,.program = program,.nblocks = nblocks,.tally = tally};

	scan->uncached = scan->met_long = false;
	return attempt_go_on(&a, attempt_task(&a, error), error);
}

/*
 * What one of several cards has failed, alone: on another card, if that may help.  *here: a
 * program that has all look-up tables in it, once one was needed; NULL: none was yet.
 */
static GpuAggStatus
run_part(GpuAggScan *scan, GpuAggProgram **here, GpuAggSpreadTask *tasks, int i,
		 GpuAggTally *tally, GpuAggError *error)
{
	GpuAggTally alone = {0};
	GpuAggStatus status;
	Attempt		a = {
		.scan = scan,
		.program = *here != NULL ? *here : tasks[i].program,
		.nblocks = tasks[i].nblocks,
		.tally = &alone,
		.together = true
	};

	*error = tasks[i].error;
	gpuagg_spread_enter(scan, tasks, i);
	gpuagg_results_mark(scan->results, &scan->mark);
	status = attempt_go_on(&a, tasks[i].status, error);
	if (a.program != tasks[i].program)
		*here = a.program;
	if (status == GPUAGG_OK)
		gpuagg_spread_count(scan, i, &alone);
	gpuagg_tally_beside(tally, &alone);
	return status;
}

/* A task that several cards share; *left: it is to be run by one of them after all. */
static GpuAggStatus
run_spread(GpuAggScan *scan, GpuAggProgram *program, BlockNumber nblocks, bool *left,
		   GpuAggTally *tally, GpuAggError *error)
{
	GpuAggTaskTable **const read = scan->read;
	const int	nread = scan->nread;
	const int	device = scan->device;
	const GpuAggStoreMark mark = scan->mark;
	GpuAggSpreadTask *tasks = gpuagg_spread_plan(scan, program, nblocks);
	GpuAggProgram *here = NULL;
	GpuAggStatus status = GPUAGG_OK;

	*left = tasks == NULL;
	if (*left)
		return status;
	gpuagg_spread_answer(&scan->answer);
	scan->alone = scan->uncached = scan->met_long = false;
	*left = !gpuagg_spread_run(scan, tasks, tally);
	for (int i = 0; !*left && status == GPUAGG_OK && i < scan->spread.n; i++)
		if (tasks[i].status != GPUAGG_OK)
			status = run_part(scan, &here, tasks, i, tally, error);
	scan->read = read;
	scan->nread = nread;
	scan->device = device;
	scan->mark = mark;
	scan->been_on = 1 << device;
	if (!*left && status == GPUAGG_OK)
		tally->work.runs = 1;
	return status;
}

/*
 * One task, on another device if need be.  What it allocates goes with the
 * current memory context, but for the results.
 */
GpuAggStatus
gpuagg_attempt_run(GpuAggScan *scan, GpuAggTally *tally, GpuAggError *error)
{
	ExprContext *econtext = scan->css.ss.ps.ps_ExprContext;
	GpuAggProgram *program;
	BlockNumber nblocks;

	if (!scan_count_blocks(scan, &nblocks, error))
		return error->status;

	/* the sample's arguments first, but behind a condition without columns */
	if (scan->info->gate < 0)
	{
		gpuagg_sample_evaluate(&scan->sample, econtext);
		if (gpuagg_sample_is_empty(&scan->sample))
			nblocks = 0;
	}
	gpuagg_place(scan, nblocks);
	program = gpuagg_scan_bind(scan, &nblocks, false, error);
	if (program == NULL)
		return error->status;
	if (scan_gate_closed(scan->info, program))
		nblocks = 0;
	else if (scan->info->gate >= 0)
		gpuagg_sample_evaluate(&scan->sample, econtext);
	if (nblocks == 0 && scan->tables != NULL)
		return GPUAGG_OK;
	gpuagg_wanted_evaluate(&scan->wanted, econtext, &scan->answer);
	if (gpuagg_lookups_several(scan->lookups))
		memset(&scan->answer, 0, sizeof(scan->answer));
	scan->spread.ran = 0;
	if (scan->spread.n > 0)
	{
		bool		left;
		GpuAggStatus status = run_spread(scan, program, nblocks, &left, tally, error);

		if (!left)
			return status;
	}
	return run_one(scan, program, nblocks, tally, error);
}
