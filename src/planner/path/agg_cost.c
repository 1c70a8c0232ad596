/*
 * agg_cost.c
 *		What a grouping on the device costs, beside PostgreSQL's (agg_grouping.h).
 *
 * One that is regrouped may be done at once or in parts (regroup_parts.h): what costs less.
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "device/ops/ordered_row.h"
#include "device/ops/regrouping_row.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/prep.h"
#include "parser/parsetree.h"
#include "planner/estimate/group_estimate.h"
#include "planner/estimate/key_numbers.h"
#include "planner/estimate/top_groups.h"
#include "planner/join/join_path.h"
#include "planner/lower/lower_called.h"
#include "planner/offer/path_speed.h"
#include "planner/path/agg_children.h"
#include "planner/path/agg_grouping.h"
#include "planner/path/agg_plan.h"
#include "planner/path/agg_tables.h"
#include "planner/plan/regroup_device.h"
#include "planner/plan/regroup_order.h"
#include "planner/plan/regroup_parts.h"
#include "settings.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

/* Memory of an entry of the backend's tables, and of each of its states */
#define ENTRY_BYTES 48.0
#define STATE_BYTES 16.0
/*
 * Of a value that only PostgreSQL tells apart (node/regroup/equal_values.c), with some bytes of its
 * own
 */
#define EQUAL_BYTES 96.0

/* Of a row in memory, found by its primary key, with three columns: 2.2 us on an EPYC */
#define KEY_ROW_NS 2200.0

/* Of what PostgreSQL evaluates once for each of so many of the device's groups */
static Cost
cost_of_computed(const GpuAggGrouping *g, double groups)
{
	QualCost	cost;

	cost_qual_eval(&cost, g->regroup->exprs, g->root);
	return cost.startup + cost.per_tuple * groups;
}

/*
 * What PostgreSQL takes for rows, groups and states as the device has them, hashed.  Its
 * plan may sort instead, for DISTINCT.
 */
static Cost
cost_of_hashing(GpuAggGrouping *g, Path *scan, PathTarget *target)
{
	AggClauseCosts costs;

	memset(&costs, 0, sizeof(costs));
	get_agg_clause_costs(g->root, AGGSPLIT_SIMPLE, &costs);
	return create_agg_path(g->root, g->grouped_rel, scan, target, AGG_HASHED, AGGSPLIT_SIMPLE,
						   g->clause, NIL, &costs, g->info.est_groups)->path.total_cost;
}

static void
table_cost_input(const GpuAggGrouping *g, GpuAggCostInput *input)
{
	const RelOptInfo *rel = g->fact;

	input->pages = rel->pages;
	input->cached = g->cached;
	if (g->info.sample == GPUAGG_SAMPLE_SYSTEM)
		get_tablespace_page_costs(rel->reltablespace, &input->page_cost, NULL);
	else
		get_tablespace_page_costs(rel->reltablespace, NULL, &input->page_cost);
	input->drawn = g->drawn_pages;
	input->lines = g->sample_lines;
	input->rows = g->info.est_rows;
	input->gaps = g->gaps;
	input->checked = g->checked;
	input->compared = g->compared;
	input->recent = g->recent;
	input->tasks = 1;
}

/* What PostgreSQL's grouping costs without its joins: a device's is compared with it */
static Cost
postgres_cost(GpuAggGrouping *g, Path *fallback)
{
	Path	   *scan;

	if (g->fact == g->input_rel)
		return g->info.regroup == NULL ? fallback->total_cost :
			cost_of_hashing(g, gpuagg_agg_scan_path(g), fallback->pathtarget);
	scan = g->tables != NULL ? gpuagg_agg_tables_row_path(g) :
		create_seqscan_path(g->root, g->fact, NULL, 0);
	scan->rows = g->info.est_passed;
	return g->info.regroup == NULL ? gpuagg_agg_group_path(g, scan)->total_cost :
		cost_of_hashing(g, scan, fallback->pathtarget);
}

bool
gpuagg_grouping_regroups(const GpuAggGrouping *g, const GpuAggPlanInfo *info,
						 GpuAggRegrouping *wish)
{
	return info->regroup != NULL && g->tables == NULL && gpuagg_debug_regroup &&
		gpuagg_regroup_device(info->regroup, info->program, wish);
}

/* The backend's sorts of so many groups' values, as node/regroup/value_sort.c does them */
static void
count_sorts(const GpuAggRegroup *regroup, double groups, GpuAggCostSorts *counts)
{
	const double sorts = groups * log2(Max(groups, 2));

	memset(counts, 0, sizeof(*counts));
	for (int i = 0; i < regroup->nsorts; i++)
	{
		const GpuAggRegroupSort *sort = &regroup->sorts[i];
		int64		inverted;

		if (sort->absent)
			continue;
		if (groups * GPUAGG_REGROUP_WORD_BYTES <= work_mem * 1024.0 &&
			gpuagg_regroup_has_words(sort, &inverted))
			counts->words += sorts;
		else if (get_typbyval(sort->type))
			counts->values += sorts;
		else
			counts->longs += sorts;
	}
}

/* Will the device return those groups alone that hold rows which an order asks for? */
static bool
ordered_by_device(const GpuAggGrouping *g, const GpuAggPlanInfo *info, GpuAggOrdered *wish)
{
	return info->regroup != NULL && g->tables == NULL && gpuagg_debug_regroup &&
		gpuagg_shmem_look(gpuagg_shmem_plan_device())->facts.info.orders != 0 &&
		gpuagg_regroup_ordered(info->regroup, info->program, g->exprs, wish);
}

/* By the backend: how large its tables are, and how often it reads the groups for them */
static void
cost_regrouped(const GpuAggGrouping *g, const GpuAggRegroup *regroup, GpuAggCostInput *input)
{
	const int	repeats = bms_num_members(gpuagg_regroup_repeated(regroup));
	const double bytes = g->made_groups * (ENTRY_BYTES + STATE_BYTES * regroup->nstates) +
		repeats * input->groups * ENTRY_BYTES;

	input->computed = list_length(g->regroup->exprs);
	count_sorts(regroup, input->groups, &input->sorts);
	count_sorts(regroup, input->returned, &input->few_sorts);
	input->entries = repeats > 0 ? input->groups : g->made_groups;
	input->reads = ceil(bytes / (get_hash_memory_limit() / 2));
	/* and once until that is known */
	if (input->reads > 1)
		input->reads = pow(2, ceil(log2(input->reads))) + 1;
}

/* How many different ones a value has in so many of the device's groups; of a part, too */
static double
different_values(const GpuAggGrouping *g, int value, double groups)
{
	const GpuAggRegroupValue *v = &g->info.regroup->values[value];
	Node	   *expr = v->computed ? list_nth(g->regroup->exprs, v->number) :
		(Node *) g->lw->key_exprs[v->number];

	return estimate_num_groups(g->root, list_make1(expr), groups, NULL, NULL);
}

/* Memory of the values that are told apart by equality alone, which stay until all is made */
static double
equal_bytes(const GpuAggGrouping *g, const GpuAggRegroup *regroup, double groups)
{
	double		values = 0;

	for (int i = 0; i < regroup->nvalues; i++)
		if (regroup->values[i].computed && regroup->values[i].form == GPUAGG_REGROUP_EQUAL)
			values += different_values(g, i, groups);
	return values * EQUAL_BYTES;
}

/*
 * Of what has entered a group, where tables tell that: one that has as many values as others, or
 * has all, of a set without keys
 */
static double
entered_bytes(const GpuAggGrouping *g, const GpuAggRegroup *regroup, double groups)
{
	Bitmapset  *repeated = gpuagg_regroup_repeated(regroup);
	double		made = g->made_groups;
	double		values = 0;
	int			value = -1;

	for (int i = 0; i < regroup->nsets; i++)
		if (regroup->sets[i].keys == 0)
			made = 1;
	while ((value = bms_next_member(repeated, value)) >= 0)
		values += Min(different_values(g, value, groups), groups / Max(made, 1));
	return values * ENTRY_BYTES;
}

/*
 * What PostgreSQL's plan costs, if it answers in the end: where what the backend has to
 * remember has no parts that its memory is enough for
 */
static Cost
cost_of_giving_up(const GpuAggGrouping *g, const GpuAggPlanInfo *info, double groups,
				  const Path *fallback)
{
	const double limit = get_hash_memory_limit();
	GpuAggRegrouping wish;

	if (info->regroup == NULL || gpuagg_grouping_regroups(g, info, &wish))
		return 0;
	return entered_bytes(g, info->regroup, groups) > limit / 2 ||
		equal_bytes(g, info->regroup, groups) > limit ? fallback->total_cost : 0;
}

/* Of rows that are read for groups that are returned (node/result/key_rows.h) */
static Cost
cost_of_key_rows(const GpuAggGrouping *g, double returned)
{
	Relids		tables = NULL;

	for (int i = 0; i < g->info.noutputs; i++)
		if (g->info.outputs[i].final == GPUAGG_FINAL_KEY_ROW)
			tables = bms_add_member(tables, castNode(Var, list_nth(g->exprs, i))->varno);
	return returned * bms_num_members(tables) * KEY_ROW_NS /
		gpuagg_profile_planned()->rates.cost_unit_ns;
}

/* A column's mean bytes; of others what their type has */
static int32
key_width(PlannerInfo *root, Node *expr)
{
	int32		width = 0;

	if (IsA(expr, Var) && ((Var *) expr)->varattno > 0 && ((Var *) expr)->varlevelsup == 0)
	{
		const RangeTblEntry *rte = planner_rt_fetch(((Var *) expr)->varno, root);

		if (rte->rtekind == RTE_RELATION)
			width = get_attavgwidth(rte->relid, ((Var *) expr)->varattno);
	}
	return width > 0 ? width : get_typavgwidth(exprType(expr), exprTypmod(expr));
}

/* Of so many groups those that come back: those that pass, where the device tells all of HAVING */
static double
returned_groups(const GpuAggGrouping *g, double groups, double passing)
{
	const bool	told = g->info.wanted.answer.nterms == list_length(g->having);

	return gpuagg_top_groups_estimate(&g->info.wanted, g->root,
									  told ? clamp_row_est(groups * passing) : groups);
}

/* What is made of the device's groups, and by whom */
static void
cost_made(const GpuAggGrouping *g, const GpuAggPlanInfo *info, GpuAggCostInput *input)
{
	GpuAggRegrouping wish;
	GpuAggOrdered ordered;

	input->made = info->regroup != NULL ? g->made_groups : 0;
	input->regrouped = gpuagg_grouping_regroups(g, info, &wish);
	if (input->regrouped)
	{
		input->returned = Min(input->made, input->groups);
		/* a hidden set has some half of them, and is read, too */
		input->reads = 1 + wish.nhidden;
		input->counted = gpuagg_regrouping_counted_key(&wish, info->program) >= 0;
	}
	input->ordered = !input->regrouped && ordered_by_device(g, info, &ordered);
	/* between two rows that are wanted one group is left, at most, and each may hold two */
	if (input->ordered)
	{
		const double most = input->made * gpuagg_ordered_pieces(&ordered);

		input->returned = Min(most, input->groups);
	}
	if (info->regroup != NULL && !input->regrouped)
		cost_regrouped(g, info->regroup, input);
}

/* ---------------------------------------------------------------- parts --- */

/* May the table be read once for each part? */
static bool
can_part(const GpuAggGrouping *g)
{
	return g->info.regroup != NULL && g->info.regroup->nparts > 0 && g->tables == NULL &&
		!g->info.of_plan && g->fact == g->input_rel && g->info.nlookups == 0 &&
		g->info.sample == GPUAGG_SAMPLE_NONE && gpuagg_debug_parts != GPUAGG_PARTS_OFF;
}

/* Bytes of a group's keys that are strings, as statistics have them; 0 of others */
static double
string_bytes(const GpuAggGrouping *g)
{
	const GpuAggKey *keys = gpuagg_program_keys(g->info.program);
	double		bytes = 0;

	for (int i = 0; i < g->lw->nkeys && i < g->info.program->nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type))
			bytes += key_width(g->root, (Node *) g->lw->key_exprs[i]);
	return bytes;
}

/* How many groups the device has of a part */
static void
estimate_part(const GpuAggGrouping *g, Relation relation, GpuAggRegroupPart *part)
{
	GpuAggGroupEstimate estimate = {.groups = 1};
	List	   *keys = NIL;

	for (int i = 0; i < g->lw->nkeys; i++)
		if ((part->inputs >> i & 1) != 0 && !IsA(g->lw->key_exprs[i], Const))
			keys = lappend(keys, g->lw->key_exprs[i]);
	gpuagg_group_estimate(g->root, g->input_rel, relation, g->fact->pages, keys, true, &estimate);
	part->groups = estimate.groups;
	memset(&part->seen, 0, sizeof(part->seen));
	if (g->info.gate < 0)
		part->seen = estimate.key;
}

/* Predicts a part as the grouping that it is. */
static GpuAggCost
cost_part(GpuAggGrouping *g, Path *fallback, GpuAggCostInput input, int number)
{
	GpuAggRegroupPart *part = &g->info.regroup->parts[number];
	GpuAggPlanInfo *info = gpuagg_regroup_part(&g->info, number, NULL);
	const double whole = g->info.est_groups;
	GpuAggCost	cost;

	input.groups = input.returned = part->groups;
	g->info.est_groups = part->groups;
	input.postgres_cost = postgres_cost(g, fallback);
	g->info.est_groups = whole;
	cost_made(g, info, &input);
	/* when the last one is through, the groups of all are merged */
	input.tasks = number == 0 ? g->info.regroup->nparts : 1;
	input.merged = g->made_groups * input.tasks;
	cost = gpuagg_cost_agg(&input, info);
	cost.total += cost_of_giving_up(g, info, part->groups, fallback);
	part->predicted = info->predicted;
	return cost;
}

static void
add_prediction(GpuAggPrediction *sum, const GpuAggPrediction *part)
{
	sum->start += part->start;
	sum->feed += part->feed;
	sum->reads += part->reads;
	sum->link += part->link;
	sum->kernel += part->kernel;
	sum->startup += part->startup;
	sum->total += part->startup;
	sum->interpreted += part->interpreted;
	sum->compiled += part->compiled;
}

/* All of them, in the place of what all at once costs, if that is more */
static void
cost_parts(GpuAggGrouping *g, Path *fallback, const GpuAggCostInput *input, GpuAggCost *whole,
		   Cost *computed)
{
	GpuAggRegroup *r = g->info.regroup;
	GpuAggPrediction predicted;
	GpuAggCost	cost = {0};
	Cost		computed_parts = 0;
	Relation	relation;

	if (!can_part(g))
		return;
	relation = table_open(planner_rt_fetch(g->fact->relid, g->root)->relid, NoLock);
	for (int i = 0; i < r->nparts; i++)
	{
		GpuAggCost	part;

		estimate_part(g, relation, &r->parts[i]);
		part = cost_part(g, fallback, *input, i);
		cost.startup += part.startup;
		cost.total = cost.startup + (part.total - part.startup);
		cost.returned = part.returned;
		computed_parts = Max(computed_parts, cost_of_computed(g, r->parts[i].groups));
	}
	table_close(relation, NoLock);
	if (gpuagg_debug_parts == GPUAGG_PARTS_AUTO &&
		cost.total + computed_parts >= whole->total + *computed)
		return;
	predicted = r->parts[0].predicted;
	for (int i = 1; i < r->nparts; i++)
		add_prediction(&predicted, &r->parts[i].predicted);
	g->info.predicted = predicted;
	g->info.est_groups = 0;
	for (int i = 0; i < r->nparts; i++)
		g->info.est_groups += r->parts[i].groups;
	memset(&g->info.seen, 0, sizeof(g->info.seen));
	r->parted = true;
	/* each part has groups of its own */
	gpuagg_grouping_wants_all(g);
	*whole = cost;
	*computed = computed_parts;
}

/* ---------------------------------------------------------------- costs --- */

/* The share of groups that PostgreSQL expects to pass HAVING */
static double
having_share(const GpuAggGrouping *g)
{
	return g->having == NIL ? 1 : clauselist_selectivity(g->root, g->having, 0, JOIN_INNER, NULL);
}

/*
 * For what stands above the grouping in its query.  Of a subquery's columns PostgreSQL has no
 * statistics, and takes the less of its rows for its conditions, the fewer they are said to be: a
 * number that is right, and less than PostgreSQL expects, has it nest loops over rows that it takes
 * for one.  So what earlier runs had counts for the device alone; bounds, which hold, count for
 * both.  A limit tells how many come.
 */
static double
offered_rows(const GpuAggGrouping *g, double rows, double passing)
{
	if (g->root->query_level == 1 || g->info.wanted.limited)
		return rows;
	return Max(rows, clamp_row_est(g->bounded_groups * passing));
}

/* Processes that may hand over pages beside the backend, as node/feed/feeders.c has it */
static int
feeders_most(const GpuAggGrouping *g)
{
	if (g->info.of_plan || gpuagg_grouping_is_partial(g) || gpuagg_debug_feeders == 0 ||
		g->info.sample == GPUAGG_SAMPLE_DRAWS)
		return 0;
	return Min(max_parallel_workers_per_gather, max_parallel_workers);
}

/* Cost of the device, of HAVING and of the target list */
void
gpuagg_grouping_costs(GpuAggGrouping *g, CustomPath *custom, const List *lookups)
{
	Path	   *path = &custom->path;
	QualCost	having;
	GpuAggCostInput input = {.scale = gpuagg_cost_scale};
	GpuAggCost	cost;
	Cost		computed;
	double		rows;
	const double passing = having_share(g);

	if (g->info.of_plan)
		gpuagg_agg_plan_cost_input(g, list_nth(custom->custom_paths, GPUAGG_PLAN_ROWS), &input);
	else if (g->tables != NULL)
		gpuagg_agg_tables_cost_input(g, &input);
	else
		table_cost_input(g, &input);
	if (g->tables == NULL && !g->info.of_plan)
		g->info.est_numbers = gpuagg_key_numbers(g->root, g->fact, g->lw, g->info.program);
	input.feeders = feeders_most(g);
	input.passed = g->info.est_passed;
	input.groups = g->info.est_groups;
	input.returned = returned_groups(g, g->info.est_groups, passing);
	input.postgres_cost = postgres_cost(g, linitial(custom->custom_paths));
	input.speed = gpuagg_grouping_is_partial(g) ? 1 : gpuagg_paths_speed(g->grouped_rel->pathlist);
	gpuagg_join_cost(g->lw, lookups, &input, g->info.lookups);
	input.lookup_cost += gpuagg_lower_called_cost(g->lw);
	cost_made(g, &g->info, &input);
	if (input.regrouped)
		input.returned = returned_groups(g, input.returned, passing);
	g->info.left_out = input.ordered ? 1 - input.returned / Max(input.groups, 1) : 0;
	input.string_bytes = string_bytes(g);
	cost = gpuagg_cost_agg(&input, &g->info);
	computed = cost_of_computed(g, g->info.est_groups) +
		cost_of_giving_up(g, &g->info, g->info.est_groups, linitial(custom->custom_paths));
	cost_parts(g, linitial(custom->custom_paths), &input, &cost, &computed);
	g->what_if = gpuagg_offer_what_if(&input, &g->info, g->postgres_groups);

	cost_qual_eval(&having, g->having, g->root);
	rows = Min(g->having != NIL ? clamp_row_est(g->made_groups * passing) : g->made_groups,
			   cost.returned);
	path->rows = offered_rows(g, rows, passing);
	computed += cost_of_key_rows(g, cost.returned);
	path->startup_cost = cost.startup + computed + having.startup +
		path->pathtarget->cost.startup;
	path->total_cost = cost.total + computed + having.startup +
		having.per_tuple * cost.returned +
		path->pathtarget->cost.startup +
		path->pathtarget->cost.per_tuple * rows;
}
