/*
 * run.c
 *		A run of a scan, from its beginning to its end (run.h).
 *
 * The first call runs all of the work and keeps the answers.  If no device can answer, the
 * fallback plan does, PostgreSQL's own, which is initialised only then and shows up in
 * EXPLAIN only then.
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

#include "executor/executor.h"
#include "ipc/shmem.h"
#include "ipc/stat_tables.h"
#include "miscadmin.h"
#include "node/called/called.h"
#include "node/leftover/leftover.h"
#include "node/leftover/long_rows.h"
#include "node/lookup/runtime.h"
#include "node/run/answers.h"
#include "node/run/parts.h"
#include "node/run/run.h"
#include "node/run/run_notes.h"
#include "node/run/shared_run.h"
#include "node/run/tables.h"
#include "settings.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* --------------------------------------------------------------- begin --- */

/* One table, or rows of a plan */
static void
scan_begin_table(GpuAggScan *scan, Relation rel)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);

	scan->info = gpuagg_plan_unpack(plan->custom_private);
	scan->nruntime = scan->info->nruntime;
	scan->rel = rel;
	scan->relid = rel != NULL ? RelationGetRelid(rel) : InvalidOid;
	scan->table = palloc0(sizeof(GpuAggScanTable));
	scan->table->rel = rel;
	if (!scan->info->of_plan && !scan->info->program->select)
		scan->table->row_plan = list_nth(plan->custom_plans, GPUAGG_PLAN_ROWS);
	if (scan->info->regroup != NULL && scan->info->regroup->parted)
		scan->parts = gpuagg_parts_begin(scan);
}

static void
scan_begin_tables(GpuAggScan *scan, List *exprs, EState *estate, int eflags)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);

	scan->tables = gpuagg_tables_begin(&scan->css.ss.ps, exprs, estate, eflags);
	scan->info = scan->tables->programs[0].info;
	scan->nruntime = scan->tables->nruntime;
	scan->relid = exec_rt_fetch(bms_singleton_member(plan->custom_relids), estate)->relid;
}

void
gpuagg_scan_begin(GpuAggScan *scan, Relation rel, List *exprs, EState *estate,
				  int eflags)
{
	PlanState  *ps = &scan->css.ss.ps;
	CustomScan *plan = castNode(CustomScan, ps->plan);
	List	   *rest;

	scan->eflags = eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	scan->owner = CurrentResourceOwner;
	scan->place.device = gpuagg_shmem_plan_device();
	if (rel != NULL || gpuagg_plan_is_of_plan(plan->custom_private))
		scan_begin_table(scan, rel);
	else
		scan_begin_tables(scan, exprs, estate, eflags);
	rest = list_copy_tail(exprs, scan->nruntime);
	scan->lookups = gpuagg_lookups_begin(&scan->css, scan->info, rest, scan->eflags);
	rest = list_copy_tail(rest, gpuagg_lookups_nexprs(scan->info));
	scan->called = gpuagg_called_begin(ps, scan->info, rest);
	rest = list_copy_tail(rest, scan->info->ncalled);
	if (scan->info->of_plan)
		scan->rows = gpuagg_plan_rows_begin(
			&scan->css, list_nth(plan->custom_plans, GPUAGG_PLAN_ROWS), scan->eflags, scan->info);
	scan->long_tables = gpuagg_leftover_given(scan);
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0)
		return;
	gpuagg_sample_init(&scan->sample, scan->info->sample, scan->info->repeatable,
					   rest, ps);
	gpuagg_wanted_init(&scan->wanted, &scan->info->wanted, exprs, ps);
	if (scan->table != NULL)
		gpuagg_runtime_init(ps, list_truncate(list_copy(exprs), scan->nruntime), &scan->runtime,
							&scan->params);
}

/* ----------------------------------------------------------------- run --- */

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
	if (error->status == GPUAGG_CORRUPT_PAGE || error->status == GPUAGG_NOT_SAME)
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
			gpuagg_tables_lend_seeds(scan->tables, scan->fallback);
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

/* What is to be returned is no more, or is returned from the start. */
static void
scan_forget(GpuAggScan *scan)
{
	gpuagg_long_rows_end(scan);
	gpuagg_answers_forget(&scan->found);
}

static void
scan_rewind(GpuAggScan *scan)
{
	gpuagg_long_rows_end(scan);
	gpuagg_answers_rewind(&scan->found);
}

/* All of the work, into scan->found */
static GpuAggStatus
scan_work(GpuAggScan *scan, GpuAggTally *tally, GpuAggError *error)
{
	GpuAggPlace place = scan->place;
	GpuAggDemand demand;
	GpuAggStatus status;

	place.moved = false;
	/* look-up tables that an earlier run had made are on its device */
	if (scan->lookups == NULL || !gpuagg_lookups_on_device(scan->lookups))
		place.chosen = false;
	if (scan->lookups != NULL)
		gpuagg_lookups_run(scan->lookups);
	gpuagg_demand_begin(scan, &scan->found, &demand);
	status = gpuagg_parts_run(scan, &demand, &place, tally, error);
	scan->place = place;
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
	GpuAggTally tally = {0};
	GpuAggError error = {0};
	GpuAggStatus status;
	instr_time	start;
	instr_time	took;

	if (gpuagg_debug_require == GPUAGG_FORBID)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gpuagg.debug_require = forbid, but a plan uses the device")));
	INSTR_TIME_SET_CURRENT(start);
	scan_forget(scan);
	scan->falling_back = false;
	status = scan_work(scan, &tally, &error);
	MemoryContextSwitchTo(query);
	MemoryContextDelete(run);
	INSTR_TIME_SET_CURRENT(took);
	INSTR_TIME_SUBTRACT(took, start);
	gpuagg_tally_then(&scan->counters.tally, &tally);
	gpuagg_note_run(scan, &tally, status, took);
	if (status == GPUAGG_OK)
	{
		scan_rewind(scan);
		if (tally.cards.done == 0 && !tally.awaited)
			gpuagg_note_cost(scan, &tally, took);
		gpuagg_note_groups(scan, scan->info, &tally);
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
		gpuagg_tables_end(scan->tables);
	else if (scan->parts != NULL)
		gpuagg_parts_end(scan->parts);
	else
		gpuagg_scan_end_table(scan->table);
	if (scan->lookups != NULL)
		gpuagg_lookups_end(scan->lookups);
	if (scan->rows != NULL)
		gpuagg_plan_rows_end(scan->rows);
	if (scan->fallback != NULL)
		ExecEndNode(scan->fallback);
}
