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
	const int	n = bms_num_members(valid);
	int			i = -1;

	t->tables = palloc0(Max(1, n) * sizeof(GpuAggTable));
	while ((i = bms_next_member(valid, i)) >= 0)
	{
		GpuAggTable *table = &t->tables[t->ntables++];

		table->table.row_plan = list_nth(plans, i);
		table->program = list_nth_int(program_of, i);
		table->seed = gpuagg_sample_draw_seed();
		table->table.rel =
			ExecOpenScanRelation(estate,
								 castNode(SeqScan, table->table.row_plan)->scan.scanrelid,
								 eflags);
	}
}

static void
tables_programs(GpuAggTables *t, PlanState *ps, List *packed, List *exprs, int eflags)
{
	ListCell   *lc;

	t->programs = palloc0(list_length(packed) * sizeof(GpuAggTableProgram));
	foreach(lc, packed)
	{
		GpuAggTableProgram *program = &t->programs[t->nprograms++];

		program->info = gpuagg_plan_unpack(lfirst(lc));
		if ((eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
			gpuagg_runtime_init(ps, list_truncate(list_copy_tail(exprs, t->nruntime),
												  program->info->nruntime),
								&program->runtime, &program->params);
		t->nruntime += program->info->nruntime;
	}
}

const GpuAggTables *
gpuagg_tables_begin(PlanState *ps, List *exprs, EState *estate, int eflags)
{
	CustomScan *plan = castNode(CustomScan, ps->plan);
	Plan	   *rows = list_nth(plan->custom_plans, GPUAGG_PLAN_ROWS);
	GpuAggTables *t = palloc0(sizeof(GpuAggTables));
	List	   *packed;
	List	   *program_of;

	gpuagg_plan_unpack_tables(plan->custom_private, &packed, &program_of, &t->pruned,
							  &t->shared);
	tables_programs(t, ps, packed, exprs, eflags);
	if (IsA(rows, Append))
		tables_open(t, ((Append *) rows)->appendplans,
					tables_prune(t, (Append *) rows, estate), program_of, estate, eflags);
	else
		tables_open(t, list_make1(rows), bms_make_singleton(0), program_of, estate, eflags);
	return t;
}

/* ----------------------------------------------------------------- run --- */

/* All tasks of a run, or of a window of it */
typedef struct Tables
{
	const GpuAggScan *scan;
	const GpuAggTables *t;
	const GpuAggDemand *all;	/* The scan's. */
	GpuAggPlace *place;
	const Bitmapset *valid;		/* The tables that are read. */
	double		nblocks;		/* Blocks of all of these. */
	GpuAggScanTable **read;		/* Room for the tables of a task. */
	int			tasks;			/* Tasks whose groups are in the store. */
} Tables;

/* By these tables' part of the blocks */
static GpuAggExpected
expected_of(const Tables *r, int n)
{
	GpuAggExpected expected = r->all->expected;
	double		share = 0;

	for (int i = 0; i < n; i++)
		share += RelationGetNumberOfBlocks(r->read[i]->rel);
	share = r->nblocks > 0 ? Min(share / r->nblocks, 1) : 1;
	expected.rows *= share;
	expected.passed *= share;
	expected.groups = Min(expected.groups, Max(expected.passed, 1));
	return expected;
}

/* Has a run one task, which does all of the work? */
static bool
is_whole(const GpuAggScan *scan)
{
	const GpuAggTables *t = scan->tables;

	return (t == NULL || (t->nprograms == 1 && t->shared)) &&
		!gpuagg_lookups_several(scan->lookups);
}

/* One task, of the first n tables in r->read, which have this program */
static GpuAggStatus
tables_task(Tables *r, int program, int n, uint32 seed, GpuAggTally *tally, GpuAggError *error)
{
	const GpuAggTableProgram *p = &r->t->programs[program];
	GpuAggDemand demand = *r->all;
	GpuAggTally one = {0};
	GpuAggStatus status;

	CHECK_FOR_INTERRUPTS();
	demand.info = p->info;
	demand.runtime = p->runtime;
	demand.params = p->params;
	demand.ntables = n;
	demand.tables = r->read;
	demand.expected = expected_of(r, n);
	demand.seed = seed;
	demand.whole = is_whole(r->scan);
	status = gpuagg_attempt_run(r->scan, &demand, r->place, &one, error);
	gpuagg_tally_beside(tally, &one);
	if (one.work.runs > 0)
		r->tasks += Max(one.cards.done, 1);
	return status;
}

/* The tables of a program, in one task or one for each */
static GpuAggStatus
tables_program(Tables *r, int program, GpuAggTally *tally, GpuAggError *error)
{
	const GpuAggTables *t = r->t;
	GpuAggStatus status = GPUAGG_OK;
	int			n = 0;
	int			i = -1;

	while (status == GPUAGG_OK && (i = bms_next_member(r->valid, i)) >= 0)
	{
		if (t->tables[i].program != program)
			continue;
		r->read[n++] = &t->tables[i].table;
		if (t->shared)
			continue;
		status = tables_task(r, program, n, t->tables[i].seed, tally, error);
		n = 0;
	}
	return n > 0 ? tables_task(r, program, n, r->all->seed, tally, error) : status;
}

static Bitmapset *
tables_to_read(const GpuAggTables *t)
{
	if (t->prune != NULL && t->prune->do_exec_prune)
		return gpuagg_pruning_subplans(t->prune);
	return t->ntables == 0 ? NULL : bms_add_range(NULL, 0, t->ntables - 1);
}

/* All tasks */
static GpuAggStatus
tables_run(Tables *r, GpuAggTally *tally, GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_OK;

	r->tasks = 0;
	memset(tally, 0, sizeof(*tally));
	for (int p = 0; p < r->t->nprograms && status == GPUAGG_OK; p++)
		status = tables_program(r, p, tally, error);
	return status;
}

/*
 * Runs them, and again where numbers of strings have changed between tasks: then what the first
 * ones did counts for nothing.
 */
static GpuAggStatus
tables_run_alike(Tables *r, GpuAggTally *tally, GpuAggError *error)
{
	GpuAggStoreMark begin;
	GpuAggStatus status;

	gpuagg_results_mark(r->all->found->results, &begin);
	status = tables_run(r, tally, error);
	if (status != GPUAGG_OK || r->scan->lookups == NULL ||
		!gpuagg_lookups_again(r->scan->lookups) || r->tasks < 2)
		return status;
	gpuagg_answers_cut(r->scan, r->all, &begin);
	return tables_run(r, tally, error);
}

/* Of a scan of one table, or of a plan's rows, there is one task. */
static GpuAggStatus
table_run(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggPlace *place,
		  GpuAggTally *tally, GpuAggError *error)
{
	GpuAggDemand task = *demand;
	GpuAggStatus status;

	task.whole = is_whole(scan);
	status = gpuagg_attempt_run(scan, &task, place, tally, error);
	if (status == GPUAGG_OK && tally->cards.done > 1 && !gpuagg_lookups_several(scan->lookups))
		status = gpuagg_answers_merge(scan, demand, &tally->work.groups, error);
	return status;
}

static GpuAggStatus
tables_run_all(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggPlace *place,
			   GpuAggTally *tally, GpuAggError *error)
{
	const GpuAggTables *t = scan->tables;
	Tables		r = {
		.scan = scan,
		.t = t,
		.all = demand,
		.place = place,
		.valid = tables_to_read(t),
		.read = palloc(Max(1, t->ntables) * sizeof(GpuAggScanTable *))
	};
	GpuAggStatus status;
	int			i = -1;

	while ((i = bms_next_member(r.valid, i)) >= 0)
		r.nblocks += RelationGetNumberOfBlocks(t->tables[i].table.rel);
	status = tables_run_alike(&r, tally, error);
	tally->tables_read = bms_num_members(r.valid);
	/* to whoever looks at the node they are one run */
	tally->work.runs = status == GPUAGG_OK;
	if (status == GPUAGG_OK && r.tasks != 1)
		status = gpuagg_answers_merge(scan, demand, &tally->work.groups, error);
	return status;
}

GpuAggStatus
gpuagg_tables_run(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggPlace *place,
				  GpuAggTally *tally, GpuAggError *error)
{
	return scan->tables != NULL ? tables_run_all(scan, demand, place, tally, error) :
		table_run(scan, demand, place, tally, error);
}

/* Also of inherited tables, each is read by one SampleScan. */
static bool
lend_seed(PlanState *ps, void *context)
{
	const GpuAggTables *t = context;

	if (!IsA(ps, SampleScanState))
		return planstate_tree_walker(ps, lend_seed, context);
	for (int i = 0; i < t->ntables; i++)
		if (t->tables[i].table.rel == ((SampleScanState *) ps)->ss.ss_currentRelation)
			gpuagg_sample_lend_seed(t->tables[i].seed, ps);
	return false;
}

void
gpuagg_tables_lend_seeds(const GpuAggTables *tables, PlanState *fallback)
{
	(void) lend_seed(fallback, unconstify(GpuAggTables *, tables));
}

void
gpuagg_tables_end(const GpuAggTables *tables)
{
	for (int i = 0; i < tables->ntables; i++)
		gpuagg_scan_end_table(&tables->tables[i].table);
}
