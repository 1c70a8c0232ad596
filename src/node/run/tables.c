/*
 * tables.c
 *		A scan of several tables (tables.h): partitions, child tables, parts of
 *		a UNION ALL.
 *
 * Tables with the same program are read by one task, one after the other, into one
 * table of groups.  Programs differ where tables have other columns; then there is a task
 * for each, whose groups lie in one store and are merged when the last one is through
 * (merge.c); of one task they are the result as they are.  A task that has to be redone
 * takes back only its own.
 *
 * Strings are codes of each table's own dictionary.  Where the planner expects that few
 * groups are merged sooner than strings are grouped, each table has a task of its own,
 * too (planner/path/agg_tables.c).
 *
 * Which tables are read is PostgreSQL's to say: the row plan is an Append, and its
 * pruning is asked when execution begins and again at each run, with the
 * parameters that there are then, as an Append would ask it.  Tables that are left
 * out when execution begins are not opened.
 *
 * What they are joined with is looked up in the same tables by all tasks, which are made once.
 * Have they to be made again, because the device that had made them cannot go on, strings may
 * have other numbers than in groups that are there: then all tasks run again.
 *
 * Of a sampled table each of the tables is sampled, by PostgreSQL's dice: the same for all
 * if it is REPEATABLE, else each has a task with its own.
 *
 * The scan is a scan of one task's tables at a time: task_enter() lends it what belongs
 * to them.
 */
#include "postgres.h"

#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "node/lookup/runtime.h"
#include "node/run/answers.h"
#include "node/run/attempt.h"
#include "node/run/tables.h"
#include "nodes/nodeFuncs.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* --------------------------------------------------------------- begin --- */

/*
 * PostgreSQL's pruning wants the state of an Append: it gets one that has nothing
 * else.
 */
static Bitmapset *
tables_prune(GpuAggTables *t, Append *append, EState *estate)
{
	AppendState *state;
	Bitmapset  *valid;
	int			n = list_length(append->appendplans);

	if (!gpuagg_append_prunes(append))
		return bms_add_range(NULL, 0, n - 1);
	state = makeNode(AppendState);
	state->ps.plan = &append->plan;
	state->ps.state = estate;
	t->prune = gpuagg_pruning_init(&state->ps, append, n, &valid);
	t->removed = n - bms_num_members(valid);
	return valid;
}

static void
tables_open(GpuAggTables *t, List *plans, const Bitmapset *valid, List *program_of,
			EState *estate, int eflags)
{
	int			i = -1;

	t->tables = palloc0(Max(1, bms_num_members(valid)) * sizeof(GpuAggTable));
	while ((i = bms_next_member(valid, i)) >= 0)
	{
		GpuAggTable *table = &t->tables[t->ntables++];

		table->task.row_plan = list_nth(plans, i);
		table->program = list_nth_int(program_of, i);
		table->seed = gpuagg_sample_draw_seed();
		table->task.rel =
			ExecOpenScanRelation(estate,
								 castNode(SeqScan, table->task.row_plan)->scan.scanrelid,
								 eflags);
	}
}

static void
task_enter(GpuAggScan *scan, int program)
{
	const GpuAggTableProgram *p = &scan->tables->programs[program];

	scan->info = p->info;
	scan->runtime = p->runtime;
	scan->params = p->params;
}

static void
tables_programs(GpuAggScan *scan, List *packed, List *exprs, int eflags)
{
	GpuAggTables *t = scan->tables;
	ListCell   *lc;
	int			at = 0;

	t->programs = palloc0(list_length(packed) * sizeof(GpuAggTableProgram));
	foreach(lc, packed)
	{
		GpuAggTableProgram *program = &t->programs[foreach_current_index(lc)];

		program->info = gpuagg_plan_unpack(lfirst(lc));
		if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
			gpuagg_runtime_init(&scan->css.ss.ps, list_truncate(list_copy_tail(exprs, at),
																program->info->nruntime),
								&program->runtime, &program->params);
		at += program->info->nruntime;
	}
	scan->nruntime = at;
}

void
gpuagg_tables_begin(GpuAggScan *scan, List *exprs, EState *estate, int eflags)
{
	CustomScan *plan = castNode(CustomScan, scan->css.ss.ps.plan);
	Plan	   *rows = list_nth(plan->custom_plans, GPUAGG_PLAN_ROWS);
	GpuAggTables *t = palloc0(sizeof(GpuAggTables));
	List	   *packed;
	List	   *program_of;

	scan->tables = t;
	gpuagg_plan_unpack_tables(plan->custom_private, &packed, &program_of, &t->pruned,
							  &t->shared);
	t->nprograms = list_length(packed);
	tables_programs(scan, packed, exprs, eflags);
	if (IsA(rows, Append))
		tables_open(t, ((Append *) rows)->appendplans,
					tables_prune(t, (Append *) rows, estate), program_of, estate, eflags);
	else
		tables_open(t, list_make1(rows), bms_make_singleton(0), program_of, estate, eflags);
	scan->read = palloc(Max(1, t->ntables) * sizeof(GpuAggTaskTable *));
	scan->info = t->programs[0].info;
	scan->lookups = gpuagg_lookups_begin(&scan->css, scan->info,
										 list_copy_tail(exprs, scan->nruntime), scan->eflags);
	scan->relid = exec_rt_fetch(bms_singleton_member(plan->custom_relids), estate)->relid;
	if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
	{
		gpuagg_sample_init(
			&scan->sample, scan->info->sample, scan->info->repeatable,
			list_copy_tail(exprs, scan->nruntime + gpuagg_lookups_nexprs(scan->info)),
			&scan->css.ss.ps);
		gpuagg_wanted_init(&scan->wanted, &scan->info->wanted, exprs, &scan->css.ss.ps);
	}
	t->est_rows = scan->info->est_rows;
	t->est_passed = scan->info->est_passed;
	t->est_groups = scan->info->est_groups;
}

/* ----------------------------------------------------------------- run --- */

/* What the planner expects of the tables at work, by their part of the blocks */
static void
task_expect(const GpuAggScan *scan)
{
	const GpuAggTables *t = scan->tables;
	GpuAggPlanInfo *info = scan->info;
	double		share = 0;

	for (int i = 0; i < scan->nread; i++)
		share += RelationGetNumberOfBlocks(scan->read[i]->rel);
	share = t->nblocks > 0 ? Min(share / t->nblocks, 1) : 1;
	info->est_rows = t->est_rows * share;
	info->est_passed = t->est_passed * share;
	info->est_groups = Min(t->est_groups, Max(info->est_passed, 1));
}

/* Has a run one task, which does all of the work? */
static bool
is_whole(const GpuAggScan *scan)
{
	const GpuAggTables *t = scan->tables;

	return (t == NULL || (t->nprograms == 1 && t->shared)) &&
		!gpuagg_lookups_several(scan->lookups);
}

/* One task, of the tables in scan->read, which have this program */
static GpuAggStatus
tables_task(GpuAggScan *scan, int program, GpuAggTally *tally, GpuAggError *error)
{
	GpuAggTally one = {0};
	GpuAggStatus status;

	CHECK_FOR_INTERRUPTS();
	task_enter(scan, program);
	task_expect(scan);
	status = gpuagg_attempt_run(scan, is_whole(scan), &one, error);
	gpuagg_tally_beside(tally, &one);
	if (one.work.runs > 0)
		scan->tables->tasks += Max(one.cards.done, 1);
	return status;
}

/* The tables of a program, in one task or one for each */
static GpuAggStatus
tables_program(GpuAggScan *scan, int program, const Bitmapset *valid, GpuAggTally *tally,
			   GpuAggError *error)
{
	GpuAggTables *t = scan->tables;
	GpuAggStatus status = GPUAGG_OK;
	int			i = -1;

	scan->nread = 0;
	while (status == GPUAGG_OK && (i = bms_next_member(valid, i)) >= 0)
	{
		if (t->tables[i].program != program)
			continue;
		scan->read[scan->nread++] = &t->tables[i].task;
		if (t->shared)
			continue;
		scan->sample.seed = t->tables[i].seed;
		status = tables_task(scan, program, tally, error);
		scan->nread = 0;
	}
	return scan->nread > 0 ? tables_task(scan, program, tally, error) : status;
}

static Bitmapset *
tables_to_read(GpuAggTables *t)
{
	if (t->prune != NULL && t->prune->do_exec_prune)
		return gpuagg_pruning_subplans(t->prune);
	return t->ntables == 0 ? NULL : bms_add_range(NULL, 0, t->ntables - 1);
}

/* All tasks */
static GpuAggStatus
tables_run(GpuAggScan *scan, const Bitmapset *valid, GpuAggTally *tally, GpuAggError *error)
{
	GpuAggTables *t = scan->tables;
	GpuAggStatus status = GPUAGG_OK;

	t->tasks = 0;
	memset(tally, 0, sizeof(*tally));
	for (int p = 0; p < t->nprograms && status == GPUAGG_OK; p++)
		status = tables_program(scan, p, valid, tally, error);
	return status;
}

/*
 * Runs them, and again where numbers of strings have changed between tasks: then what the first
 * ones
 * did counts for nothing.
 */
static GpuAggStatus
tables_run_alike(GpuAggScan *scan, const Bitmapset *valid, GpuAggTally *tally,
				 GpuAggError *error)
{
	GpuAggStoreMark begin;
	GpuAggStatus status;

	gpuagg_results_mark(scan->results, &begin);
	status = tables_run(scan, valid, tally, error);
	if (status != GPUAGG_OK || scan->lookups == NULL || !gpuagg_lookups_again(scan->lookups) ||
		scan->tables->tasks < 2)
		return status;
	gpuagg_scan_cut(scan, &begin);
	return tables_run(scan, valid, tally, error);
}

/* Of a scan of one table, or of a plan's rows, there is one task. */
static GpuAggStatus
table_run(GpuAggScan *scan, GpuAggTally *tally, GpuAggError *error)
{
	GpuAggStatus status = gpuagg_attempt_run(scan, is_whole(scan), tally, error);

	if (status == GPUAGG_OK && tally->cards.done > 1 && !gpuagg_lookups_several(scan->lookups))
		status = gpuagg_scan_merge(scan, &tally->work.groups, error);
	return status;
}

static GpuAggStatus
tables_run_all(GpuAggScan *scan, GpuAggTally *tally, GpuAggError *error)
{
	GpuAggTables *t = scan->tables;
	Bitmapset  *valid = tables_to_read(t);
	GpuAggStatus status;
	int			i = -1;

	t->nblocks = 0;
	while ((i = bms_next_member(valid, i)) >= 0)
		t->nblocks += RelationGetNumberOfBlocks(t->tables[i].task.rel);
	status = tables_run_alike(scan, valid, tally, error);
	tally->tables_read = bms_num_members(valid);
	scan->info = t->programs[0].info;
	/* to whoever looks at the node they are one run */
	tally->work.runs = status == GPUAGG_OK;
	if (status == GPUAGG_OK && t->tasks != 1)
		status = gpuagg_scan_merge(scan, &tally->work.groups, error);
	return status;
}

GpuAggStatus
gpuagg_tables_run(GpuAggScan *scan, GpuAggTally *tally, GpuAggError *error)
{
	return scan->tables != NULL ? tables_run_all(scan, tally, error) :
		table_run(scan, tally, error);
}

/* Also of inherited tables, each is read by one SampleScan. */
static bool
lend_seed(PlanState *ps, void *context)
{
	const GpuAggTables *t = context;

	if (!IsA(ps, SampleScanState))
		return planstate_tree_walker(ps, lend_seed, context);
	for (int i = 0; i < t->ntables; i++)
		if (t->tables[i].task.rel == ((SampleScanState *) ps)->ss.ss_currentRelation)
			gpuagg_sample_lend_seed(t->tables[i].seed, ps);
	return false;
}

void
gpuagg_tables_lend_seeds(GpuAggScan *scan)
{
	(void) lend_seed(scan->fallback, scan->tables);
}

void
gpuagg_tables_end(GpuAggScan *scan)
{
	for (int i = 0; i < scan->tables->ntables; i++)
		gpuagg_scan_end_table(&scan->tables->tables[i].task);
}
