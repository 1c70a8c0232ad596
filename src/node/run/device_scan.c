/*
 * device_scan.c
 *		What the nodes GpuAgg and GpuSample share (device_scan.h).
 *
 * The first call runs one whole task (device_task.c), or one for each window of the
 * hash space (passes.c), and keeps all they answer.  A task that the column
 * cache cannot serve runs again, as a whole, without it; one that a GPU fails
 * runs again on the host device.  If no
 * device can answer, the fallback plan does, PostgreSQL's own, which is
 * initialised only then and shows up in EXPLAIN only then.
 *
 * Between calls a node holds its answers, nothing else: no task, no worker,
 * no pin of a batch.  So cursors (Material stands above for backward scans),
 * rescans and subtransactions need no care, and the whole table is read under
 * the query's snapshot whenever the first row is asked for.
 *
 * A rescan with unchanged parameters returns the same rows again; with
 * changed ones it runs another task.
 *
 * Lifetimes: everything in the query's memory context and resource owner.
 */
#include "postgres.h"

#include "compat.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "node/run/device_scan.h"
#include "node/row/joined_rows.h"
#include "node/row/long_rows.h"
#include "node/run/lookup_windows.h"
#include "node/run/parts.h"
#include "node/run/passes.h"
#include "node/run/place.h"
#include "node/regroup/regroup_run.h"
#include "node/run/run_notes.h"
#include "node/run/runtime.h"
#include "node/run/scan_bind.h"
#include "node/run/spread.h"
#include "node/run/device_task.h"
#include "node/run/shared_run.h"
#include "node/run/tables.h"
#include "settings.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "ipc/stat.h"
#include "ipc/stat_cost.h"
#include "ipc/stat_tables.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* --------------------------------------------------------------- begin --- */

void
gpuagg_scan_runtime(GpuAggScan *scan, List *exprs, List **runtime, List **params)
{
	gpuagg_runtime_init(&scan->css.ss.ps, exprs, runtime, params);
}

static void
scan_begin_table(GpuAggScan *scan, Relation rel, List *exprs, int eflags)
{
	PlanState  *ps = &scan->css.ss.ps;
	CustomScan *plan = castNode(CustomScan, ps->plan);

	scan->info = gpuagg_plan_unpack(plan->custom_private);
	scan->nruntime = scan->info->nruntime;
	scan->rel = rel;
	scan->nread = 1;
	scan->read = palloc(sizeof(GpuAggTaskTable *));
	scan->read[0] = palloc0(sizeof(GpuAggTaskTable));
	scan->read[0]->rel = rel;
	scan->relid = rel != NULL ? RelationGetRelid(rel) : InvalidOid;
	scan->lookups = gpuagg_lookups_begin(&scan->css, scan->info, list_copy_tail(exprs, scan->nruntime),
										 scan->eflags);
	if (scan->info->of_plan)
		scan->rows = gpuagg_plan_rows_begin(&scan->css, list_nth(plan->custom_plans, GPUAGG_PLAN_ROWS),
											scan->eflags, scan->info);
	else if (!scan->info->program->select)
		scan->read[0]->row_plan = list_nth(plan->custom_plans, GPUAGG_PLAN_ROWS);
	if (scan->info->regroup != NULL && scan->info->regroup->parted)
		gpuagg_parts_begin(scan);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return;
	gpuagg_sample_init(&scan->sample, scan->info->sample,
					   scan->info->repeatable,
					   list_copy_tail(exprs, scan->info->nruntime +
									  gpuagg_lookups_nexprs(scan->info)), ps);
	gpuagg_wanted_init(&scan->wanted, &scan->info->wanted, exprs, ps);
	gpuagg_scan_runtime(scan, list_truncate(list_copy(exprs), scan->info->nruntime),
						&scan->runtime, &scan->params);
}

void
gpuagg_scan_begin(GpuAggScan *scan, Relation rel, List *exprs, EState *estate,
				  int eflags)
{
	scan->eflags = eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	scan->owner = CurrentResourceOwner;
	if (rel != NULL || gpuagg_plan_is_of_plan(castNode(CustomScan, scan->css.ss.ps.plan)->custom_private))
		scan_begin_table(scan, rel, exprs, eflags);
	else
		gpuagg_tables_begin(scan, exprs, estate, eflags);
}

bool
gpuagg_scan_timing(const GpuAggScan *scan)
{
	return scan->css.ss.ps.instrument != NULL &&
		gpuagg_instrument_timed(scan->css.ss.ps.instrument);
}

/* ----------------------------------------------------------------- run --- */

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

static void
scan_forget(GpuAggScan *scan)
{
	gpuagg_long_rows_end(scan);
	if (scan->results != NULL)
		gpuagg_results_free(scan->results);
	scan->results = NULL;
	scan->regrouped = false;
	scan->made = 0;
	if (scan->tids != NULL)
		gpuagg_tid_store_free(scan->tids);
	scan->tids = NULL;
}

GpuAggResults *
gpuagg_scan_task_results(const GpuAggScan *scan)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);
	GpuAggResults *results;

	if (scan->info->regroup != NULL)
		return gpuagg_regroup_store(scan);
	results = gpuagg_results_create(scan->info->program, scan->info->outputs,
									scan->info->noutputs, plan->custom_scan_tlist,
									get_hash_memory_limit(),
									scan->css.ss.ps.state->es_query_cxt, scan->owner);
	gpuagg_results_number(results, scan->lookups);
	gpuagg_results_keep_long(results, scan->info->program, scan->info->outputs,
							 scan->info->noutputs);
	return results;
}

/* An empty store for groups, of one table or several */
void
gpuagg_scan_open_results(GpuAggScan *scan)
{
	scan_forget(scan);
	if (scan->info->program->select)
		return;
	scan->results = gpuagg_scan_task_results(scan);
	gpuagg_results_mark(scan->results, &scan->mark);
}

/* Chosen rows are those of one task, so nothing of them is kept. */
void
gpuagg_scan_cut(GpuAggScan *scan, const GpuAggStoreMark *mark)
{
	if (scan->info->program->select)
	{
		scan_forget(scan);
		scan->tids = gpuagg_tid_store_create(scan->css.ss.ps.state->es_query_cxt, scan->owner);
	}
	else if (scan->regrouped)
		gpuagg_scan_open_results(scan);
	else
		gpuagg_results_cut(scan->results, mark);
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

	for (uint32 i = 0; i < program->nattrs && (scan->lookups == NULL || gpuagg_joined_rows_possible(scan)); i++)
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
gpuagg_scan_run_tables(GpuAggScan *scan, GpuAggError *error)
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
	if (gpuagg_windows_several(scan))
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

/*
 * Since it was planned the table has changed, or the cache: no failure, for
 * which PostgreSQL's plan would have to be allowed.
 */
static bool
scan_cannot_draw(const GpuAggScan *scan, const GpuAggError *error)
{
	return scan->sample.method == GPUAGG_SAMPLE_DRAWS &&
		error->status == GPUAGG_UNSUPPORTED;
}

/*
 * Lets PostgreSQL's plan answer, if that is allowed.
 */
static void
scan_fall_back(GpuAggScan *scan, const GpuAggError *error)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);
	GpuAggFallback reason = gpuagg_error_fallback(error);
	bool		required = gpuagg_debug_require == GPUAGG_REQUIRE;
	bool		told;

	/* PostgreSQL would follow the page's offsets wherever they lead */
	if (error->status == GPUAGG_CORRUPT_PAGE)
		gpuagg_error_raise(error);
	gpuagg_fallback_count(reason);
	told = scan->counters.fallback == reason;
	scan->counters.fallback = reason;
	strlcpy(scan->counters.fallback_message, error->message,
			sizeof(scan->counters.fallback_message));
	if (!gpuagg_fallback && !scan_cannot_draw(scan, error))
		gpuagg_error_raise(error);
	if (required && reason != GPUAGG_FALLBACK_VALUE)
		gpuagg_error_required(error);
	/* of a node that runs again and again the log hears once */
	if (!told)
		gpuagg_fallback_log(reason, error);

	scan->falling_back = true;
	if (scan->fallback == NULL)
	{
		scan->fallback = ExecInitNode(list_nth(plan->custom_plans,
											   GPUAGG_PLAN_FALLBACK),
									  scan->css.ss.ps.state, scan->eflags);
		/* leader and workers of a parallel plan count by the nodes that there were at first */
		if (scan->shared == NULL)
			scan->css.custom_ps = lappend(scan->css.custom_ps, scan->fallback);
		if (scan->tables != NULL)
			gpuagg_tables_lend_seeds(scan);
		else
			gpuagg_sample_lend_seed(scan->sample.seed, scan->fallback);
	}
	if (required)
	{
		TupleTableSlot *slot;

		/* only if PostgreSQL raises an error for the value is it excused */
		do
		{
			CHECK_FOR_INTERRUPTS();
			slot = ExecProcNode(scan->fallback);
		} while (!TupIsNull(slot));
		gpuagg_error_required(error);
	}
}

static void
scan_rewind(GpuAggScan *scan)
{
	gpuagg_long_rows_end(scan);
	if (scan->tids != NULL)
		gpuagg_tid_store_rewind(scan->tids);
	else
		gpuagg_results_rewind(scan->results);
}

GpuAggStatus
gpuagg_scan_run_groups(GpuAggScan *scan, GpuAggError *error)
{
	GpuAggStatus status = gpuagg_windows_run(scan, error);

	scan->counters.regrouped = scan->regrouped;
	scan->counters.groups_made += scan->made;
	if (status == GPUAGG_OK && scan->info->regroup != NULL && !scan->regrouped)
		status = gpuagg_regroup_run(scan, error);
	return status;
}

void
gpuagg_scan_run(GpuAggScan *scan)
{
	MemoryContext query = scan->css.ss.ps.state->es_query_cxt;
	MemoryContext run = AllocSetContextCreate(query, "gpuagg run",
											  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(run);
	bool		timing = gpuagg_scan_timing(scan);
	const GpuAggCounters before = scan->counters;
	GpuAggError error = {0};
	GpuAggStatus status;
	instr_time	start;
	instr_time	took;

	if (gpuagg_debug_require == GPUAGG_FORBID)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gpuagg.debug_require = forbid, but a plan uses the device")));
	INSTR_TIME_SET_CURRENT(start);
	gpuagg_scan_open_results(scan);
	scan->alone = scan->tables == NULL;
	scan->falling_back = false;
	scan->moved = false;
	/* look-up tables that an earlier run had made are on its device */
	if (scan->lookups == NULL || !gpuagg_lookups_on_device(scan->lookups))
		scan->placed = false;
	if (scan->lookups != NULL)
		gpuagg_lookups_run(scan->lookups);
	status = scan->parts != NULL ? gpuagg_parts_run(scan, &error) :
		gpuagg_scan_run_groups(scan, &error);
	MemoryContextSwitchTo(query);
	MemoryContextDelete(run);
	INSTR_TIME_SET_CURRENT(took);
	INSTR_TIME_SUBTRACT(took, start);
	gpuagg_note_run(scan, &before, status, took);
	if (status == GPUAGG_OK)
	{
		scan_rewind(scan);
		if (scan->spread.ran == 0)
			gpuagg_note_cost(scan, took);
		gpuagg_note_groups(scan, scan->counters.groups - before.groups);
		/* of several tables each task has noted its own; of a window the filter drops most rows */
		if (scan->lookups != NULL && scan->tables == NULL && !gpuagg_windows_several(scan))
			gpuagg_note_probes(scan, &before);
	}
	else
	{
		scan_forget(scan);
		scan_fall_back(scan, &error);
	}
	if (timing)
	{
		INSTR_TIME_SET_CURRENT(took);
		INSTR_TIME_ACCUM_DIFF(scan->counters.run_time, took, start);
	}
	scan->ran = true;
	gpuagg_shared_run_note(scan);
	MemoryContextSwitchTo(old);
}

/* --------------------------------------------------------- rescan, end --- */

void
gpuagg_scan_rescan(GpuAggScan *scan, bool again)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);
	Plan	   *fallback = list_nth(plan->custom_plans, GPUAGG_PLAN_FALLBACK);
	Bitmapset  *changed = scan->css.ss.ps.chgParam;

	/* A node whose parameters changed is rescanned when it runs next. */
	if (scan->fallback != NULL)
	{
		if (changed != NULL)
			UpdateChangedParamSet(scan->fallback, changed);
		if (scan->fallback->chgParam == NULL)
			ExecReScan(scan->fallback);
	}
	if (scan->lookups != NULL)
		gpuagg_lookups_rescan(scan->lookups, changed);
	if (scan->rows != NULL)
		gpuagg_plan_rows_rescan(scan->rows, changed);
	if (!scan->ran)
		return;

	/* parameters of what is computed above the rows do not concern them */
	if (again || bms_overlap(changed, fallback->allParam) ||
		bms_overlap(changed, scan->wanted.params))
		scan->ran = false;
	else if (!scan->falling_back)
		scan_rewind(scan);
}

void
gpuagg_scan_end(GpuAggScan *scan)
{
	scan_forget(scan);
	if (scan->tables != NULL)
		gpuagg_tables_end(scan);
	else if (scan->parts != NULL)
		gpuagg_parts_end(scan);
	else
		gpuagg_spread_end_table(scan->read[0]);
	if (scan->lookups != NULL)
		gpuagg_lookups_end(scan->lookups);
	if (scan->rows != NULL)
		gpuagg_plan_rows_end(scan->rows);
	if (scan->fallback != NULL)
		ExecEndNode(scan->fallback);
}
