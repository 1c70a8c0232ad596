/*
 * join_path.c
 *		What the inputs of joins become, and what that costs (join_path.h).
 *
 * An input is run once, before the task begins, where PostgreSQL's own plan of the join might
 * run it for each row, so it must not be volatile.
 */
#include "postgres.h"

#include <math.h>

#include "cost/profile.h"
#include "ipc/made_shared.h"
#include "ipc/shmem.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "planner/join/join_build.h"
#include "planner/join/join_filter.h"
#include "planner/join/join_order.h"
#include "planner/join/join_path.h"
#include "planner/join/table_cost.h"
#include "planner/lower/lower_join.h"
#include "planner/offer/path_cost.h"
#include "planner/offer/path_speed.h"
#include "planner/plan/probe_order.h"
#include "settings.h"
#include "utils/lsyscache.h"

/*
 * An input that the backend reads in this part of the device's time is read: more may be gained
 * by later statements, which find the device's table there.
 */
#define SMALL_PART 0.1

/* So are groups of it that come back in this part: a table of all its rows takes memory, too. */
#define SMALL_PART_FOLDED 0.5

/* A table of this part of the memory, as estimated, may turn out not to fit. */
#define DOUBTED_PART 4.0

/* No table has more bytes (lookup_make.c). */
#define LARGEST_TABLE ((double) PG_UINT32_MAX)

/* ----------------------------------------------------------------- check --- */

/* Only fields of the entry's kind: Citus keeps numbers of its own in others. */
static bool
is_volatile_entry(const RangeTblEntry *rte)
{
	switch (rte->rtekind)
	{
		case RTE_SUBQUERY:
			return contain_volatile_functions((Node *) rte->subquery);
		case RTE_FUNCTION:
			return contain_volatile_functions((Node *) rte->functions);
		case RTE_TABLEFUNC:
			return contain_volatile_functions((Node *) rte->tablefunc);
		case RTE_VALUES:
			return contain_volatile_functions((Node *) rte->values_lists);
		default:
			return false;
	}
}

static bool
is_volatile_query(PlannerInfo *root)
{
	ListCell   *lc;

	if (contain_volatile_functions((Node *) root->parse->jointree))
		return true;
	foreach(lc, root->parse->rtable)
	{
		if (is_volatile_entry(lfirst_node(RangeTblEntry, lc)))
			return true;
	}
	foreach(lc, root->parse->cteList)
	{
		if (contain_volatile_functions(lfirst_node(CommonTableExpr, lc)->ctequery))
			return true;
	}
	return false;
}

bool
gpuagg_join_possible(void)
{
	const GpuAggDeviceInfo *info = &gpuagg_shmem_look(gpuagg_shmem_plan_device())->facts.info;

	if (gpuagg_lookup_memory == 0)
		return GPUAGG_REFUSE("the query joins tables, and gpuagg.lookup_memory is 0");
	if (info->kind[0] != '\0' && !info->lookups)
		return GPUAGG_REFUSE("the query joins tables, which this device cannot");
	return true;
}

bool
gpuagg_join_check(PlannerInfo *root, const RelOptInfo *fact)
{
	if (!gpuagg_join_possible())
		return false;
	if (fact == NULL)
		return GPUAGG_REFUSE("the query joins tables, none of which is a plain table");
	if (is_volatile_query(root))
		return GPUAGG_REFUSE("the query joins tables and calls a volatile function");
	return true;
}

/* ----------------------------------------------------------------- lower --- */

static bool
check_input(const RelOptInfo *rel)
{
	if (!bms_is_empty(rel->lateral_relids) || rel->cheapest_total_path == NULL ||
		rel->cheapest_total_path->param_info != NULL)
		return GPUAGG_REFUSE("an input of the join depends on another one by LATERAL");
	return true;
}

/*
 * The input whose table may not fit memory, by what is estimated, which may be far too
 * small; NULL: none
 */
static const GpuAggJoin *
largest_input(const GpuAggJoinTree *tree)
{
	const GpuAggJoin *largest = NULL;
	double		most = gpuagg_lookup_memory * 1048576.0 / DOUBTED_PART;
	ListCell   *lc;

	foreach(lc, tree->joins)
	{
		const GpuAggJoin *join = lfirst(lc);
		const double bytes = join->rel->rows *
			(GPUAGG_TABLE_ROW_BYTES + join->rel->reltarget->width);

		if (bytes <= most)
			continue;
		most = bytes;
		largest = join;
	}
	return largest;
}

bool
gpuagg_join_lower(GpuAggLower *lw, const GpuAggJoinTree *tree)
{
	const GpuAggJoin *largest = largest_input(tree);
	ListCell   *lc;

	foreach(lc, tree->joins)
	{
		const GpuAggJoin *join = lfirst(lc);
		const bool	windowed = join == largest;

		if (lw->rel != tree->fact)
			join = gpuagg_join_translate(lw->root, join, lw->rel, tree->fact);
		if (!check_input(join->rel) || !gpuagg_lower_join(lw, join, windowed))
			return false;
	}
	return true;
}

static bool
same_table(const GpuAggLookupLower *a, const GpuAggLookupLower *b)
{
	const int	n = list_length(a->columns);

	return a->rel == b->rel && a->type == b->type && a->unique == b->unique &&
		a->folded == b->folded && a->nkeys == b->nkeys && a->windowed == b->windowed &&
		a->helps == b->helps && a->helped == b->helped &&
		a->values_of == b->values_of && a->values_column == b->values_column &&
		memcmp(a->forms, b->forms, sizeof(a->forms)) == 0 &&
		(a->subplan == NULL ? b->subplan == NULL :
		 b->subplan != NULL && a->subplan->plan_id == b->subplan->plan_id) &&
		equal(a->columns, b->columns) &&
		memcmp(a->types, b->types, n) == 0 &&
		memcmp(a->scales, b->scales, n * sizeof(GpuAggScale)) == 0;
}

bool
gpuagg_join_same_tables(const GpuAggLower *a, const GpuAggLower *b)
{
	bool		same = a->nlookups == b->nlookups;

	for (int i = 0; same && i < a->nlookups; i++)
		same = same_table(&a->lookups[i], &b->lookups[i]);
	return same ||
		GPUAGG_REFUSE(
			   "tables that are read as one need other columns of what they are joined with");
}

/* ----------------------------------------------------------------- paths --- */

double
gpuagg_join_repeats(const GpuAggLower *lw)
{
	double		repeats = 1;

	for (int i = 0; i < lw->nlookups; i++)
	{
		const GpuAggLookupLower *lookup = &lw->lookups[i];

		if (lookup->folded && (lookup->type == JOIN_INNER || lookup->type == JOIN_LEFT))
			repeats *= Max(1, lookup->rel->rows / Max(1, lookup->rows));
	}
	return repeats;
}

/* Windows that a table needs in so much memory; 0: even the most are too few */
static int
windows_needed(double bytes, double memory)
{
	if (memory < bytes / GPUAGG_MAX_LOOKUP_WINDOWS)
		return 0;
	return Max(1, (int) ceil(bytes / Max(memory, 1)));
}

/*
 * Which tables a device may make, as its memory goes, and whether gpuagg.lookup_memory is enough
 * for the backend to make them, the others among them all together, the largest in windows if need
 * be.
 */
static void
plan_memory(const GpuAggLower *lw, GpuAggLookupPlan *plans)
{
	const double memory = gpuagg_lookup_memory * 1048576.0;
	double		device = gpuagg_made_room(gpuagg_shmem_plan_device());
	double		left = memory;

	for (int i = 0; i < lw->nlookups; i++)
	{
		const double bytes = gpuagg_table_bytes(&lw->lookups[i]);
		const double made = gpuagg_table_made_bytes(lw->root, &lw->lookups[i]);

		plans[i].whole = lw->lookups[i].keepable && made <= Min(device, LARGEST_TABLE);
		if (plans[i].whole)
			device -= made;
		else if (!lw->lookups[i].windowed)
			left -= bytes;
		plans[i].windows = (plans[i].whole ? bytes <= memory : left >= 0) ? 1 : 0;
	}
	for (int i = 0; i < lw->nlookups; i++)
		if (lw->lookups[i].windowed)
			plans[i].windows = windows_needed(gpuagg_table_bytes(&lw->lookups[i]), left);
}

bool
gpuagg_join_fits(const GpuAggLookupPlan *plans, int n)
{
	for (int i = 0; i < n; i++)
		if (!plans[i].whole && plans[i].windows == 0)
			return GPUAGG_REFUSE(
				"the inputs of the join would take more than gpuagg.lookup_memory");
	return true;
}

List *
gpuagg_join_runtime(const GpuAggLower *lw)
{
	List	   *exprs = NIL;

	for (int i = 0; i < lw->nlookups; i++)
		exprs = list_concat(exprs, lw->lookups[i].runtime_exprs);
	return exprs;
}

/* The executor begins the statement's subplans before its plan. */
static void
plan_subquery(GpuAggLower *lw, GpuAggLookupLower *lookup, GpuAggLookupPlan *plan)
{
	plan->subquery = lookup->subplan->plan_id;
	plan->null_const = lookup->of_null.reg & GPUAGG_VREG_NUMBER;
	plan->missed_const = lookup->of_missed.reg & GPUAGG_VREG_NUMBER;
	gpuagg_join_build_subquery(lw, lookup, plan);
}

GpuAggLookupPlan *
gpuagg_join_plans(GpuAggLower *lw, const GpuAggProgram *program)
{
	GpuAggLookupPlan *plans = palloc0(Max(1, lw->nlookups) * sizeof(GpuAggLookupPlan));

	for (int i = 0; i < lw->nlookups; i++)
	{
		GpuAggLookupLower *lookup = &lw->lookups[i];
		GpuAggLookupPlan *plan = &plans[i];

		plan->const_no = lookup->table.reg & GPUAGG_VREG_NUMBER;
		plan->join = lookup->type;
		plan->unique = lookup->unique;
		plan->nkeys = lookup->nkeys;
		plan->ncolumns = list_length(lookup->columns);
		plan->window_const = lookup->windowed ? lookup->window.reg & GPUAGG_VREG_NUMBER : -1;
		memcpy(plan->forms, lookup->forms, sizeof(plan->forms));
		plan->helps = lookup->helps;
		plan->helped = lookup->helped;
		plan->values_of = lookup->values_of;
		plan->values_column = lookup->values_column;
		plan->types = (uint8 *) lookup->types;
		plan->scales = (GpuAggScale *) lookup->scales;
		gpuagg_join_expect(lw, lookup, gpuagg_table_bytes(lookup), &plan->expected);
		if (lookup->subplan != NULL)
			plan_subquery(lw, lookup, plan);
		else if (lookup->values_of > 0)
			lookup->runtime_exprs = list_copy_tail(lookup->columns, lookup->nkeys);
		else
			gpuagg_join_build(lw, lookup, plan);
		gpuagg_join_expect_filter(lw, lookup, &plan->expected);
	}
	gpuagg_join_build_helped(lw, plans);
	plan_memory(lw, plans);
	gpuagg_probe_needs(program, plans, lw->nlookups);
	/* a number is found for whatever row is looked up */
	for (int i = 0; i < lw->nlookups; i++)
	{
		if (plans[i].helps == 0)
			continue;
		plans[plans[i].helps - 1].expected.probe_ns += plans[i].expected.probe_ns;
		plans[i].expected.probe_ns = 0;
	}
	return plans;
}

bool
gpuagg_join_is_child(const GpuAggLookupLower *lookup)
{
	return lookup->subplan == NULL && lookup->helps == 0 && lookup->values_of == 0;
}

/* Made by the device: the table, and before it those that number its keys */
static double
made_ns_of(const GpuAggLower *lw, const GpuAggLookupPlan *plans, int i, double rows)
{
	const GpuAggLookupLower *lookup = &lw->lookups[i];
	double ns = gpuagg_table_made_ns(lw->root, lookup, lookup->scanned, plans[i].program, rows);

	for (int k = 0; k < lw->nlookups; k++)
		if (lw->lookups[k].helps == i + 1)
			ns += gpuagg_table_made_ns(lw->root, &lw->lookups[k], lookup->scanned, plans[k].program,
									   lw->lookups[k].rows);
	return ns;
}

/* Read by a plan that costs this (false), or made by the device (true) */
static bool
expect_input(const GpuAggLower *lw, int i, double rows, Cost cost, GpuAggLookupPlan *plans)
{
	const GpuAggLookupLower *lookup = &lw->lookups[i];
	GpuAggLookupExpected *expected = &plans[i].expected;
	const double take_ns = gpuagg_table_read_ns(lw->root, lookup, rows);
	const double read_ns = take_ns + cost * gpuagg_profile_planned()->rates.cost_unit_ns;
	double		made_ns = 0;
	bool		made;

	if (plans[i].program != NULL)
		made_ns = made_ns_of(lw, plans, i, rows);
	/* one that is not kept yet will be, unless it is small */
	expected->small = !lookup->known &&
		read_ns < made_ns * (lookup->folds ? SMALL_PART_FOLDED : SMALL_PART);
	made = lookup->kept && !expected->small;
	expected->make_ns = made ? made_ns : take_ns;
	expected->make_cost = made ? 0 : cost;
	return made;
}

/* As often is all of it read: by the backend, or once by the device */
static int
times_read(const GpuAggLookupPlan *plan)
{
	return plan->whole ? 1 : Max(1, plan->windows);
}

void
gpuagg_join_cost(const GpuAggLower *lw, const List *paths, GpuAggCostInput *input,
				 GpuAggLookupPlan *plans)
{
	int			npaths = 0;
	int			windows = 1;

	for (int i = 0; i < lw->nlookups; i++)
	{
		const GpuAggLookupLower *lookup = &lw->lookups[i];
		GpuAggLookupExpected *expected = &plans[i].expected;
		double		slower = 1;

		/*
		 * the startup cost of a hashed subplan is that of its plan, which each of several processes
		 * runs
		 */
		if (lookup->subplan != NULL)
			(void) expect_input(lw, i, lookup->rows, lookup->subplan->startup_cost, plans);
		else if (lookup->values_of > 0)
			expected->make_ns = gpuagg_table_values_ns(lookup);
		else if (gpuagg_join_is_child(lookup))
		{
			Path	   *path = list_nth(paths, npaths++);

			if (!expect_input(lw, i, path->rows, path->total_cost, plans))
				slower = Max(1, input->speed / gpuagg_path_speed(path));
		}
		expected->make_ns *= times_read(&plans[i]);
		expected->make_cost *= times_read(&plans[i]);
		input->lookup_ns += expected->make_ns;
		input->lookup_cost += expected->make_cost * slower;
		input->beside_ns += expected->make_ns * (slower - 1);
		windows = Max(windows, times_read(&plans[i]));
	}
	input->lookup_ns += windows *
		gpuagg_join_probes_ns(plans, lw->nlookups, Min(input->rows, Max(1, lw->rel->rows)));
	/* all of it is read for each window */
	input->pages *= windows;
	input->rows *= windows;
}
