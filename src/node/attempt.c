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

/* All of the work on one device; what an earlier attempt has answered is forgotten. */
static GpuAggStatus
scan_run_task(GpuAggScan *scan, const GpuAggProgram *program,
			  BlockNumber nblocks, bool host, GpuAggError *error)
{
	gpuagg_scan_cut(scan, &scan->mark);
	if (nblocks == 0)
		scan_read_nothing(scan);
	return gpuagg_passes_run(scan, program, nblocks, host, error);
}

/* The same without the column cache, if that is what refused it */
static GpuAggStatus
scan_run_cached(GpuAggScan *scan, const GpuAggProgram *program,
				BlockNumber nblocks, GpuAggError *error)
{
	GpuAggStatus status;

	scan->uncached = scan->met_long = false;
	status = scan_run_task(scan, program, nblocks, false, error);
	if (status != GPUAGG_UNSUPPORTED || !scan->cache_requested ||
		scan->sample.method == GPUAGG_SAMPLE_DRAWS)
		return status;
	ereport(DEBUG1,
			(errmsg("gpuagg: redoing a task without the column cache: %s",
					error->message)));
	scan->uncached = true;
	return scan_run_task(scan, program, nblocks, false, error);
}

/*
 * Columns of numerics without a scale, loaded so that what does not fit the query's scale
 * is left to the row plan, not an error where it is used; false: there is none.  What is
 * kept on the device is not loaded so.
 */
static bool
scan_limit_decimals(GpuAggScan *scan, GpuAggProgram *program)
{
	GpuAggAttr *attrs = (GpuAggAttr *) gpuagg_program_attrs(program);
	const GpuAggInstr *instrs = gpuagg_program_instrs(program);
	bool		limited = false;

	if (scan->lookups != NULL && !gpuagg_joined_rows_possible(scan))
		return false;
	for (uint32 i = 0; i < program->nattrs; i++)
	{
		for (uint32 k = 0; k < program->ninstrs && attrs[i].scale == GPUAGG_SCALE_WORD; k++)
		{
			if (instrs[k].op != GPUAGG_OP_DECIMAL_AT || instrs[k].a != attrs[i].reg)
				continue;
			attrs[i].scale |= GPUAGG_SCALE_FITS | instrs[k].imm;
			limited = true;
		}
	}
	return limited;
}

/*
 * The same, once more where a value that the device has no form of can be left to the row
 * plan.  No device knows which groups are wanted, if it does not have all values.
 */
static GpuAggStatus
scan_run_values(GpuAggScan *scan, GpuAggProgram *program, BlockNumber nblocks, GpuAggError *error)
{
	GpuAggStatus status = scan_run_cached(scan, program, nblocks, error);
	bool		again = status == GPUAGG_VALUE_ERROR && (error->detail & GPUAGG_ST_NEEDS_PG) != 0;

	if (again && !program->select && scan->rows == NULL && !scan->met_long &&
		scan_limit_decimals(scan, program))
	{
		scan->uncached = true;
		status = scan_run_task(scan, program, nblocks, false, error);
	}
	if (again && status == GPUAGG_VALUE_ERROR && scan->met_long &&
		!gpuagg_answer_wants_all(&scan->answer))
	{
		memset(&scan->answer, 0, sizeof(scan->answer));
		scan->met_long = false;
		status = scan_run_task(scan, program, nblocks, false, error);
	}
	return status;
}

static void
scan_count_redone(GpuAggScan *scan, const GpuAggError *error)
{
	GpuAggCounters *counters = &scan->counters;

	gpuagg_stat_add(GPUAGG_STAT_redone, 1);
	counters->redone++;
	strlcpy(counters->redone_message, error->message,
			sizeof(counters->redone_message));
}

/* The whole task again on the host device, after a GPU failed it */
static GpuAggStatus
scan_redo(GpuAggScan *scan, const GpuAggProgram *program,
		  BlockNumber nblocks, GpuAggError *error)
{
	scan_count_redone(scan, error);
	gpuagg_redone_log(error, "the host device");
	return scan_run_task(scan, program, nblocks, true, error);
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

/*
 * Must the look-up tables be in the program, for the task to run again?  Those that a
 * device has made are not there any more, or it has no other one.
 */
static bool
scan_lost_tables(const GpuAggScan *scan, GpuAggStatus status)
{
	return scan->lookups != NULL && gpuagg_lookups_on_device(scan->lookups) &&
		(status == GPUAGG_UNSUPPORTED || gpuagg_task_redoable(scan, status));
}

/* Might another GPU do it?  Also one whose worker went before it had taken the task */
static bool
scan_movable(const GpuAggScan *scan, GpuAggStatus status)
{
	return status != GPUAGG_UNSUPPORTED && scan->sample.method != GPUAGG_SAMPLE_DRAWS &&
		(status == GPUAGG_DEVICE_LOST || gpuagg_task_redoable(scan, status));
}

/*
 * On one GPU after the other, until one of them does it.  The look-up tables that one of
 * them has made are not on the others: then they are made by the backend.  *program NULL:
 * see error.
 */
static GpuAggStatus
scan_run_moved(GpuAggScan *scan, GpuAggProgram **program, BlockNumber *nblocks,
			   GpuAggStatus status, GpuAggError *error)
{
	while (scan_movable(scan, status))
	{
		const GpuAggError why = *error;

		if (!gpuagg_place_move(scan))
			break;
		scan->moved = true;
		scan_count_redone(scan, &why);
		gpuagg_redone_log(&why, psprintf("device %d", scan->device));
		if (scan->lookups != NULL && gpuagg_lookups_on_device(scan->lookups) &&
			(*program = gpuagg_scan_bind(scan, nblocks, true, error)) == NULL)
			return error->status;
		status = scan_run_values(scan, *program, *nblocks, error);
	}
	return status;
}

/* The tables in scan->read on its device, after that on others if need be */
static GpuAggStatus
scan_run_one(GpuAggScan *scan, GpuAggProgram **program, BlockNumber nblocks, GpuAggError *error)
{
	GpuAggStatus status = scan_run_values(scan, *program, nblocks, error);

	status = scan_run_moved(scan, program, &nblocks, status, error);
	if (*program == NULL)
		return error->status;
	if (scan_lost_tables(scan, status))
	{
		const bool	redoable = gpuagg_task_redoable(scan, status);
		GpuAggError why = *error;

		*program = gpuagg_scan_bind(scan, &nblocks, true, error);
		if (*program == NULL)
			return error->status;
		if (redoable)
			*error = why;
		else
			status = scan_run_values(scan, *program, nblocks, error);
	}
	if (gpuagg_task_redoable(scan, status))
		status = scan_redo(scan, *program, nblocks, error);
	return status;
}

/* After other cards have failed it, too: look-up tables that they have made are not at hand. */
static GpuAggStatus
scan_redo_part(GpuAggScan *scan, GpuAggProgram **program, BlockNumber nblocks, GpuAggError *error)
{
	const GpuAggError why = *error;

	if (scan->lookups != NULL && gpuagg_lookups_on_device(scan->lookups) &&
		(*program = gpuagg_scan_bind(scan, &nblocks, true, error)) == NULL)
		return error->status;
	*error = why;
	return scan_redo(scan, *program, nblocks, error);
}

/*
 * What one of several cards has failed, alone: on another card, if that may help.  *here: a
 * program that has all look-up tables in it, once one was needed; NULL: none was yet.
 */
static GpuAggStatus
scan_run_part(GpuAggScan *scan, GpuAggProgram **here, GpuAggSpreadTask *tasks, int i,
			  GpuAggError *error)
{
	const uint64 rows = scan->counters.rows_scanned;
	GpuAggProgram *program = *here != NULL ? *here : tasks[i].program;
	GpuAggStatus status = tasks[i].status;
	BlockNumber nblocks = tasks[i].nblocks;

	*error = tasks[i].error;
	if (status == GPUAGG_CORRUPT_PAGE ||
		(status == GPUAGG_VALUE_ERROR && (error->detail & GPUAGG_ST_NEEDS_PG) == 0))
		return status;
	gpuagg_spread_enter(scan, tasks, i);
	gpuagg_results_mark(scan->results, &scan->mark);
	if (!scan_movable(scan, status))
		status = scan_run_one(scan, &program, nblocks, error);
	else
	{
		status = scan_run_moved(scan, &program, &nblocks, status, error);
		if (program != NULL && gpuagg_task_redoable(scan, status))
			status = scan_redo_part(scan, &program, nblocks, error);
	}
	if (program != tasks[i].program)
		*here = program;
	if (status == GPUAGG_OK)
		gpuagg_spread_count(scan, i, rows);
	return status;
}

/* A task that several cards share; *left: it is to be run by one of them after all. */
static GpuAggStatus
scan_run_spread(GpuAggScan *scan, GpuAggProgram *program, BlockNumber nblocks, bool *left,
				GpuAggError *error)
{
	GpuAggTaskTable **const read = scan->read;
	const int	nread = scan->nread;
	const int	device = scan->device;
	const GpuAggStoreMark mark = scan->mark;
	const uint64 runs = scan->counters.runs;
	GpuAggSpreadTask *tasks = gpuagg_spread_plan(scan, program, nblocks);
	GpuAggProgram *here = NULL;
	GpuAggStatus status = GPUAGG_OK;

	*left = tasks == NULL;
	if (*left)
		return status;
	gpuagg_spread_answer(&scan->answer);
	scan->alone = scan->uncached = scan->met_long = false;
	*left = !gpuagg_spread_run(scan, tasks);
	for (int i = 0; !*left && status == GPUAGG_OK && i < scan->spread.n; i++)
		if (tasks[i].status != GPUAGG_OK)
			status = scan_run_part(scan, &here, tasks, i, error);
	scan->read = read;
	scan->nread = nread;
	scan->device = device;
	scan->mark = mark;
	scan->been_on = 1 << device;
	gpuagg_place_again(scan);
	if (!*left && status == GPUAGG_OK)
		scan->counters.runs = runs + 1;
	return status;
}

/*
 * One task, on another device if need be.  What it allocates goes with the
 * current memory context, but for the results.
 */
GpuAggStatus
gpuagg_attempt_run(GpuAggScan *scan, GpuAggError *error)
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
		GpuAggStatus status = scan_run_spread(scan, program, nblocks, &left, error);

		if (!left)
			return status;
	}
	return scan_run_one(scan, &program, nblocks, error);
}
