/*
 * regroup_run.c
 *		The query's groups, made of finer ones that a device has returned (regroup_run.h).
 *
 * The groups of a device are in a store, which may be read more than once.  For each
 * grouping set it is read, and each group's values are computed: keys as they are, and
 * expressions by PostgreSQL's executor.  They give the keys of the query's group, which
 * a table finds, and whose states take in the device's states, or values.  What the
 * table has goes to a second store, from which results.c makes tuples.
 *
 * A set that another one contains is made of that one's groups, if all of its states
 * are merged: they are fewer.
 *
 * Of an aggregate with DISTINCT a value enters once.  Where the device's groups differ
 * in nothing but the query's keys and this value, each does.  Else a second table has
 * the values of each group that have entered.
 *
 * Of an ordered-set aggregate a value and its number of rows go to a sort, which gives
 * the answers when the set has been read (ordered_sets.h).
 *
 * Memory.  Where a table outgrows its share, the set is made in parts, by bits of the
 * hash of its keys, as many as the rows that it had room for tell, and each of them
 * likewise.  In which part a row is, is remembered where there is memory, so that keys are
 * computed once more, not once for each part.  A group whose own values exceed it has no parts;
 * then PostgreSQL's plan answers, which sorts on disk.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "device/choice/strategy.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "node/regroup/regroup_batch.h"
#include "node/regroup/regroup_enter.h"
#include "node/regroup/regroup_long.h"
#include "node/regroup/regroup_processes.h"
#include "node/regroup/regroup_run.h"
#include "node/regroup/regroup_store.h"
#include "node/regroup/row_output.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/plan/regroup_device.h"
#include "planner/plan/regroup_order.h"
#include "settings.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define LEAST_MEMORY ((Size) 64 * 1024)	/* of a table */
#define LEAST_ROWS 1024			/* that tell of the others */
#define MOST_PARTS (1 << 20)
#define MOST_PARTS_AT_ONCE 64

StaticAssertDecl(GPUAGG_REGROUP_VALUES <= 64, "a bit for each");

/* ----------------------------------------------------------------- sets --- */

/* All groups of the table into the store, which has been read perhaps */
static GpuAggStatus
flush_table(GpuAggRegroupWork *r)
{
	GpuAggStatus status = gpuagg_row_output(r->table, r->program, r->results,
												&r->made, r->error);

	gpuagg_row_table_reset(r->table);
	return status;
}

static Size
memory_taken(const GpuAggRegroupWork *r)
{
	Size		bytes = gpuagg_row_table_memory(r->table);

	for (int i = 0; r->repeats && i < r->plan->nvalues; i++)
		if (r->entered[i] != NULL)
			bytes += gpuagg_row_table_memory(r->entered[i]);
	return bytes;
}

static void
reset_tables(GpuAggRegroupWork *r)
{
	r->lone = NULL;
	r->nentered = r->heavy_votes = 0;
	r->expected = r->unique;
	gpuagg_row_table_reset(r->table);
	for (int i = 0; i < r->plan->nvalues; i++)
		if (r->entered[i] != NULL)
			gpuagg_row_table_reset(r->entered[i]);
}

static void
expect(const GpuAggRegroupWork *r, GpuAggRowTable *table, Size limit)
{
	gpuagg_row_table_expect(
		table, gpuagg_strategy_extrapolate(r->row, gpuagg_row_table_groups(table), r->set_rows),
		limit);
}

/*
 * Makes room for the groups that there will be, which a table that grows again and again copies
 * as often.  Rows come in the order of a hash, so the first ones tell of all.
 */
static void
expect_groups(GpuAggRegroupWork *r)
{
	int			tables = 1;

	if (r->expected || r->row < Max(LEAST_ROWS, r->set_rows / 16))
		return;
	r->expected = true;
	for (int i = 0; i < r->plan->nvalues; i++)
		tables += r->entered[i] != NULL;
	expect(r, r->table, r->limit / 4 / tables);
	for (int i = 0; i < r->plan->nvalues; i++)
		if (r->entered[i] != NULL)
			expect(r, r->entered[i], r->limit / 4 / tables);
}

/*
 * Reads all rows that the set is made of.  *held: for how many there was memory, if not
 * for all, else 0; groups of a set that come one by one go to the store at once.
 */
static GpuAggStatus
read_rows(GpuAggRegroupWork *r, uint32 part, uint32 parts, uint64 *held)
{
	GpuAggResults *from = r->parent >= 0 ? r->results : r->groups;
	GpuAggStatus status = GPUAGG_OK;

	*held = 0;
	r->row = 0;
	gpuagg_results_rewind(from);
	while (status == GPUAGG_OK && *held == 0)
	{
		const int	n = gpuagg_regroup_batch_fill(r, from, part, parts);

		if (n == 0)
			break;
		r->row += n;
		status = gpuagg_regroup_batch_enter(r);
		expect_groups(r);
		if (status == GPUAGG_OK && r->equal_context != NULL &&
			MemoryContextMemAllocated(r->equal_context, true) > get_hash_memory_limit())
			status = gpuagg_error_set(r->error, GPUAGG_OUT_OF_MEMORY, 0,
									  "values that only PostgreSQL tells apart exceed work_mem");
		if (memory_taken(r) <= r->limit)
			continue;
		if (!r->unique)
			*held = r->row;
		else if (status == GPUAGG_OK)
			status = flush_table(r);
	}
	return status;
}

/* Without GROUP BY there is a group even of no rows. */
static void
add_lone_group(GpuAggRegroupWork *r)
{
	const char *wanted = gpuagg_regroup_want_group(r, NULL, 0);
	bool		is_new;

	(void) gpuagg_row_table_find(r->table, wanted, gpuagg_row_table_hash(r->table, wanted),
								 &is_new);
}

/*
 * Has one group more values than there is memory for?  Rows come in the order of a hash, so
 * those that were held tell of all.  A majority that is found has as many at least as it has
 * votes.
 */
static bool
has_no_parts(const GpuAggRegroupWork *r, uint64 held)
{
	return r->plan->sets[r->set].keys == 0 ||
		(double) r->heavy_votes * r->set_rows > (double) r->nentered * held;
}

/* Into how many parts, if each is to have room: tables grow with the rows at most. */
static uint32
more_parts(uint64 rows, uint64 held)
{
	uint32		parts = 2;

	while (parts < MOST_PARTS_AT_ONCE && parts * 0.8 * held < rows)
		parts *= 2;
	return parts;
}

static GpuAggStatus
regroup_part(GpuAggRegroupWork *r, uint32 part, uint32 parts)
{
	const bool	lone = r->plan->sets[r->set].keys == 0;
	const int	longs = gpuagg_long_values_count(gpuagg_results_long(r->results));
	GpuAggStoreMark end;
	GpuAggStatus status;
	uint64		held;
	uint32		more;

	reset_tables(r);
	if (r->ordered != NULL)
		gpuagg_ordered_begin(r->ordered, lone);
	if (lone && !r->plan->grouped)
		add_lone_group(r);
	if (r->parent >= 0)
		gpuagg_results_mark(r->results, &end);
	status = read_rows(r, part, parts, &held);
	if (r->parent >= 0)
		gpuagg_results_cut(r->results, &end);
	if (status != GPUAGG_OK)
		return status;
	if (held == 0)
	{
		if (r->ordered != NULL)
			gpuagg_ordered_finish(r->ordered, r->table);
		return flush_table(r);
	}
	if (parts >= MOST_PARTS || has_no_parts(r, held))
		return gpuagg_error_set(r->error, GPUAGG_OUT_OF_MEMORY, 0,
								"the values of a DISTINCT aggregate exceed work_mem");
	gpuagg_long_values_cut(gpuagg_results_long(r->results), longs);
	/* groups of another set are followed by those of this one */
	if (r->known == NULL && r->parent < 0 && r->set_rows * sizeof(uint32) <= r->limit)
		r->known = MemoryContextAllocExtended(r->context, r->set_rows * sizeof(uint32),
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	more = more_parts(r->set_rows, held);
	for (uint32 i = 0; i < more && status == GPUAGG_OK; i++)
		status = regroup_part(r, part + i * parts, parts * more);
	return status;
}

/* ---------------------------------------------------------------- begin --- */

static void
begin_set(GpuAggRegroupWork *r, int set)
{
	const GpuAggRegroup *plan = r->plan;
	int			tables = 1;

	r->set = set;
	r->context = CurrentMemoryContext;
	r->known = NULL;
	/* what lies beside the groups of a set is not asked for before all sets are made */
	r->parent = r->longs ? -1 : gpuagg_regroup_parent(plan, set);
	r->unique = r->parent < 0 && plan->nsorts == 0 && plan->sets[set].keys != 0 &&
		gpuagg_regroup_tells_all(plan, set, -1);
	r->table = gpuagg_row_table_create(r->program, CurrentMemoryContext);
	memset(r->entered, 0, sizeof(r->entered));
	memset(r->enters, true, sizeof(r->enters));
	r->repeats = false;
	for (int i = 0; i < plan->nstates; i++)
	{
		int			value = plan->states[i].value;

		if (!plan->states[i].distinct || plan->states[i].absent || r->entered[value] != NULL ||
			gpuagg_regroup_tells_all(plan, set, value))
			continue;
		r->entered[value] = gpuagg_row_table_create(
			gpuagg_regroup_entered_program(plan->values[value].type, r->program->hash_seed),
			CurrentMemoryContext);
		r->repeats = true;
		tables++;
	}
	gpuagg_regroup_batch_begin(r);
	r->set_rows = gpuagg_store_groups(
		gpuagg_results_store(r->parent >= 0 ? r->results : r->groups));
	r->limit = Max(get_hash_memory_limit() / 2, tables * LEAST_MEMORY);
}

static GpuAggStatus
regroup_set(GpuAggRegroupWork *r, int set)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg set",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	GpuAggStatus status;

	begin_set(r, set);
	status = regroup_part(r, 0, 1);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return status;
}

/* Columns of computed expressions, which the plan has before these, as those of the keys' tuple */
typedef struct KeyColumns
{
	const GpuAggRegroup *plan;
	List	   *targets;		/* TargetEntrys: the keys, then the expressions */
	TupleDesc	tupdesc;		/* of the keys */
} KeyColumns;

static Node *
of_keys(Node *node, void *context)
{
	const KeyColumns *columns = context;

	if (node == NULL)
		return NULL;
	for (int i = 0; IsA(node, Var) && i < columns->plan->ninputs; i++)
	{
		const Var  *var = (Var *) node;
		const Var  *column = (Var *) list_nth_node(TargetEntry, columns->targets,
													   columns->plan->targets[i])->expr;

		if (!columns->plan->inputs[i].read || column->varno != var->varno ||
			column->varattno != var->varattno)
			continue;
		TupleDescInitEntry(columns->tupdesc, i + 1, NULL, var->vartype, var->vartypmod, 0);
		TupleDescInitEntryCollation(columns->tupdesc, i + 1, var->varcollid);
		return (Node *) makeVar(1, i + 1, var->vartype, var->vartypmod, var->varcollid, 0);
	}
	return expression_tree_mutator(node, of_keys, context);
}

/* Values of these expressions that are told by equality alone */
static void
begin_equals(GpuAggRegroupWork *r, const List *targets)
{
	for (int i = 0; i < r->plan->nvalues; i++)
	{
		const GpuAggRegroupValue *value = &r->plan->values[i];
		Node	   *expr;

		if (!value->computed || value->form != GPUAGG_REGROUP_EQUAL)
			continue;
		if (r->equal_context == NULL)
			r->equal_context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg equal values",
													 ALLOCSET_DEFAULT_SIZES);
		expr =
			(Node *) list_nth_node(TargetEntry, targets, r->plan->ntargets + value->number)->expr;
		r->equals[i] = gpuagg_equal_values_create(getBaseType(exprType(expr)), exprCollation(expr),
												  r->equal_context);
	}
}

static void
begin_expressions(GpuAggRegroupWork *r)
{
	KeyColumns	columns = {
		.plan = r->plan,
		.targets = gpuagg_plan_regroup(r->scan->css.ss.ps.plan, r->info)->targetlist,
		.tupdesc = CreateTemplateTupleDesc(r->plan->ninputs)
	};
	ListCell   *lc;

	r->econtext = CreateExprContext(r->scan->css.ss.ps.state);
	if (list_length(columns.targets) == r->plan->ntargets)
		return;
	begin_equals(r, columns.targets);
	/* of keys that no expression reads nothing but a type need be known */
	for (int i = 0; i < r->plan->ninputs; i++)
		TupleDescInitEntry(columns.tupdesc, i + 1, NULL, INT4OID, -1, 0);
	/* what only other parts compute has columns that are not here, and is never asked for */
	for_each_from(lc, columns.targets, r->plan->ntargets)
		r->computed = lappend(
			r->computed,
			ExecInitExpr((Expr *) of_keys((Node *) lfirst_node(TargetEntry, lc)->expr, &columns),
						 unconstify(PlanState *, &r->scan->css.ss.ps)));
	r->states = palloc(list_length(r->computed) * sizeof(ExprState *));
	foreach(lc, r->computed)
		r->states[foreach_current_index(lc)] = lfirst(lc);
	gpuagg_tupdesc_finish(columns.tupdesc);
	r->slot = MakeSingleTupleTableSlot(columns.tupdesc, &TTSOpsVirtual);
	ExecStoreAllNullTuple(r->slot);
	r->econtext->ecxt_scantuple = r->slot;
}

static void
end_expressions(GpuAggRegroupWork *r)
{
	if (r->slot != NULL)
		ExecDropSingleTupleTableSlot(r->slot);
	FreeExprContext(r->econtext, true);
	if (r->equal_context != NULL)
		MemoryContextDelete(r->equal_context);
}

void
gpuagg_regroup_wish(const GpuAggPlanInfo *info, bool whole, GpuAggRegrouping *wish)
{
	if (info->regroup == NULL || !gpuagg_debug_regroup || !whole ||
		!gpuagg_regroup_device(info->regroup, info->program, wish))
		memset(wish, 0, sizeof(*wish));
}

void
gpuagg_regroup_order_wish(const GpuAggScan *scan, const GpuAggPlanInfo *info, bool whole,
						  const GpuAggAnswer *answer, GpuAggOrdered *wish)
{
	if (info->regroup == NULL || !gpuagg_debug_regroup || !whole ||
		answer->nsums > 0 || !gpuagg_answer_wants_all(answer) ||
		!gpuagg_regroup_ordered(info->regroup, info->program,
								((CustomScan *) scan->css.ss.ps.plan)->custom_scan_tlist, wish))
		memset(wish, 0, sizeof(*wish));
}

GpuAggStatus
gpuagg_regroup_done(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggError *error)
{
	GpuAggFound *found = demand->found;
	GpuAggResults *finer = found->results;
	GpuAggProgram *program;
	GpuAggStatus status;

	Assert(!found->regrouped);
	found->results = gpuagg_regroup_made_store(scan, demand->info, &program);
	found->regrouped = true;
	status = gpuagg_regroup_long_made(demand->info, finer, found->results, error);
	gpuagg_results_free(finer);
	return status;
}

static void
begin(GpuAggRegroupWork *r)
{
	GpuAggOutput outputs[GPUAGG_MAX_KEYS];
	const GpuAggPlanInfo *info = r->info;
	uint64		seed = (uint64) (uintptr_t) r;

	(void) pg_strong_random(&seed, sizeof(seed));
	r->plan = info->regroup;
	r->device = info->program;
	r->program = gpuagg_regroup_program(r->plan, seed);
	gpuagg_layout_compute(r->device, &r->from);
	gpuagg_layout_compute(r->program, &r->into);
	r->read = palloc(GPUAGG_MAX_KEYS * sizeof(AttrNumber));
	r->read_values = palloc(GPUAGG_MAX_KEYS * sizeof(Datum));
	r->read_nulls = palloc(GPUAGG_MAX_KEYS * sizeof(bool));
	r->nread = gpuagg_regroup_device_outputs(r->plan, r->device, outputs, r->read, r->sorted);
	r->results = gpuagg_regroup_made_of(r->scan, info, r->program, get_hash_memory_limit() / 4);
	r->longs = gpuagg_long_values_count(gpuagg_results_long(r->groups)) > 0;
	begin_expressions(r);
	if (r->plan->nsorts > 0)
		r->ordered = gpuagg_ordered_create(
			info, ((CustomScan *) r->scan->css.ss.ps.plan)->custom_scan_tlist,
			unconstify(PlanState *, &r->scan->css.ss.ps));
}

GpuAggStatus
gpuagg_regroup_run(const GpuAggScan *scan, const GpuAggDemand *demand, uint64 *made,
				   GpuAggError *error)
{
	GpuAggRegroupWork r = {
		.scan = scan,
		.info = demand->info,
		.groups = demand->found->results,
		.error = error
	};
	GpuAggStatus status = GPUAGG_OK;
	bool		by_keys;
	int			processes;

	begin(&r);
	/* beside groups that the device has merged with others are none any more: by keys alone */
	by_keys = r.longs && demand->found->ordered;
	r.longs &= !by_keys;
	processes = by_keys ? 0 : gpuagg_regroup_processes(&r);
	if (processes > 0)
		processes = gpuagg_regroup_spread(&r, processes, &status);
	demand->found->processes = processes;
	if (processes == 0)
		for (int i = r.plan->nsets - 1; i >= 0 && status == GPUAGG_OK; i--)
			status = regroup_set(&r, i);
	if (status == GPUAGG_OK && by_keys)
		status = gpuagg_regroup_long_made(r.info, r.groups, r.results, error);
	else if (status == GPUAGG_OK && r.longs)
		status = gpuagg_regroup_long_rows(r.groups, r.results, error);
	*made += r.made;
	end_expressions(&r);
	gpuagg_results_free(r.groups);
	demand->found->results = r.results;
	return status;
}
