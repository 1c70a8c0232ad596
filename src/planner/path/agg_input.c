/*
 * agg_input.c
 *		The grouping of a join's input by the keys that it is looked up by (agg_input.h).
 *
 * Where several rows of an input have a key, they are grouped by it before the table is made
 * (lower/lower_fold.c).  Of one table that is a grouping as any other: a task of its own, which
 * has ended when the join's begins.  It is planned as the only step of a query: with a copy of
 * the planner's root that knows its keys and aggregates, and nothing of what stands above.
 *
 * Does not handle: tables with partitions or children, samples, inputs that are joins
 * themselves, aggregates of finer groups, and conditions with IN of a subquery.
 */
#include "postgres.h"

#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "planner/offer/table_check.h"
#include "planner/path/agg_grouping.h"
#include "planner/path/agg_input.h"
#include "planner/plan/refuse.h"

/* The query, were the grouping all of it */
static Query *
query_of(const Query *parse, const List *clauses)
{
	Query	   *query = palloc(sizeof(Query));

	*query = *parse;
	query->hasAggs = true;
	query->hasWindowFuncs = query->hasTargetSRFs = query->hasSubLinks = query->hasDistinctOn =
		false;
	query->groupClause = list_copy(clauses);
	query->groupingSets = query->distinctClause = query->sortClause = query->windowClause = NIL;
	query->rowMarks = NIL;
	query->havingQual = query->limitOffset = query->limitCount = NULL;
	return query;
}

static PlannerInfo *
root_of(PlannerInfo *root, PathTarget *target, List *clauses)
{
	PlannerInfo *copy = palloc(sizeof(PlannerInfo));

	*copy = *root;
	copy->parse = query_of(root->parse, clauses);
	copy->processed_tlist = make_tlist_from_pathtarget(target);
	copy->limit_tuples = -1;
	copy->hasHavingQual = false;
	copy->agginfos = copy->aggtransinfos = NIL;
	copy->numOrderedAggs = 0;
	copy->hasNonPartialAggs = copy->hasNonSerialAggs = false;
	preprocess_aggrefs(copy, (Node *) copy->processed_tlist);
	return copy;
}

/* The table, whose scan gives what is wanted */
static RelOptInfo *
table_of(const RelOptInfo *rel, PathTarget *scan)
{
	RelOptInfo *copy = palloc(sizeof(RelOptInfo));

	*copy = *rel;
	copy->reltarget = scan;
	return copy;
}

static RelOptInfo *
grouped_rel(PathTarget *target)
{
	RelOptInfo *rel = makeNode(RelOptInfo);

	rel->reloptkind = RELOPT_UPPER_REL;
	rel->reltarget = target;
	return rel;
}

static bool
is_table(const RelOptInfo *rel, const RangeTblEntry *rte)
{
	return rte->rtekind == RTE_RELATION && !rte->inh && rte->tablesample == NULL &&
		bms_is_empty(rel->lateral_relids) && gpuagg_table_check_kind(rte);
}

Path *
gpuagg_agg_input_path(PlannerInfo *root, const RelOptInfo *rel, PathTarget *scan,
					  PathTarget *target, List *clauses, GpuAggTryTable try_table)
{
	GpuAggGrouping g = {.folded = true};
	GpuAggOffer offer = {.kind = GPUAGG_STEP_GROUPING};
	const RangeTblEntry *rte;
	bool		listening;

	if (rel->reloptkind != RELOPT_BASEREL)
		return NULL;
	rte = planner_rt_fetch(rel->relid, root);
	listening = gpuagg_refuse_pause();
	if (is_table(rel, rte))
	{
		offer.table = rte->relid;
		g.root = root_of(root, target, clauses);
		g.input_rel = g.fact = table_of(rel, scan);
		g.grouped_rel = grouped_rel(target);
		g.clause = clauses;
		g.target = target;
		if (gpuagg_grouping_collect(&g))
			try_table(&g, &offer);
	}
	gpuagg_refuse_resume(listening);
	return g.info.regroup == NULL ? offer.path : NULL;
}
