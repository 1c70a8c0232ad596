/*
 * group_estimate.c
 *		How many groups a grouping on the device has (group_estimate.h).
 *
 * The least of
 *	- what PostgreSQL expects;
 *	- the product of what single keys can have at most (value_bound.c), where that is
 *	  less than PostgreSQL expects of them, and of what PostgreSQL expects of the others;
 *	- how many there were when the same was grouped last, under the same conditions or
 *	  under none.
 *
 * What was seen mostly lowers the number: then the device is likely to be chosen, and
 * the next run tells what has changed.  A number that rises could leave a query to
 * PostgreSQL for good, where nothing tells.  Others may rise: groups that are finer than the
 * query's, and those of a join's input, for PostgreSQL's plan has none of them, and what it
 * expects of several columns together is no more than a tenth of the rows, so that devices would
 * begin with too small a table; and those of kept columns, which are left to PostgreSQL by no
 * number of groups.
 *
 * Under row security neither groups that were seen of all rows count, nor strings in
 * the cache: by them EXPLAIN would tell of rows that are hidden.  What the same
 * conditions passed, the policies among them, is no secret.
 */
#include "postgres.h"

#include <math.h>

#include "common/hashfn.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "planner/estimate/expr_hash.h"
#include "planner/estimate/group_estimate.h"
#include "planner/estimate/value_bound.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

/* --------------------------------------------------------- remembered as --- */

static GpuAggSeenKey
seen_key(RelOptInfo *rel, List *exprs)
{
	GpuAggSeenKey key = {.keys = gpuagg_exprs_hash(exprs, rel->relid)};
	List	   *clauses = NIL;
	ListCell   *lc;

	foreach(lc, rel->baserestrictinfo)
		clauses = lappend(clauses, lfirst_node(RestrictInfo, lc)->clause);
	key.filter = gpuagg_exprs_hash(clauses, rel->relid);
	if (clauses != NIL && key.filter == 0)
		key.keys = 0;
	return key;
}

/* Tells these keys from others (ipc/seen_groups.h) */
#define SEEN_JOIN UINT64CONST(0x67726f7570736f66)

/*
 * Of a join: its tables, and all conditions as the query has them, in whatever order they are
 * joined.
 * What subqueries have is not known by their text, nor what policies hide by the query's.
 */
static GpuAggSeenKey
seen_join_key(PlannerInfo *root, RelOptInfo *rel, List *exprs)
{
	Node	   *from = (Node *) root->parse->jointree;
	const uint64 keys = gpuagg_exprs_hash(exprs, 0);
	GpuAggSeenKey key = {.keys = hash_combine64(SEEN_JOIN, keys)};
	int			relid = -1;

	if (keys == 0 || root->qual_security_level > 0 || contain_subplans(from))
		return (GpuAggSeenKey) {0};
	while ((relid = bms_next_member(rel->relids, relid)) >= 0)
	{
		const RelOptInfo *base = root->simple_rel_array[relid];

		if (base == NULL)
			continue;			/* an outer join */
		if (base->rtekind != RTE_RELATION)
			return (GpuAggSeenKey) {0};
		key.keys = hash_combine64(key.keys, planner_rt_fetch(relid, root)->relid);
	}
	key.filter = gpuagg_exprs_hash(list_make1(from), 0);
	return key.filter != 0 ? key : (GpuAggSeenKey) {0};
}

/* ------------------------------------------------------------- estimates --- */

/* A column that ANALYZE cannot compare, such as one of json: nothing is known of its values. */
static bool
is_blind(Node *expr)
{
	return IsA(expr, Var) &&
		!OidIsValid(lookup_type_cache(exprType(expr), TYPECACHE_EQ_OPR)->eq_opr);
}

static double
planner_groups(PlannerInfo *root, RelOptInfo *rel, List *exprs)
{
	ListCell   *lc;

	foreach(lc, exprs)
		if (is_blind(lfirst(lc)))
			return clamp_row_est(rel->rows);
	return estimate_num_groups(root, exprs, rel->rows, NULL, NULL);
}

/* What bounds on single keys make of PostgreSQL's estimate of all of them */
static double
bounded_groups(const GpuAggBoundSource *source, List *exprs, double postgres)
{
	const bool	alone = list_length(exprs) == 1;
	List	   *others = NIL;
	double		groups = 1;
	ListCell   *lc;

	foreach(lc, exprs)
	{
		GpuAggValueBound b = gpuagg_value_bound(source, lfirst(lc));
		double		values = b.values + gpuagg_bound_nullable(&b);

		if (values < (alone ? postgres :
					  planner_groups(source->root, source->rel, list_make1(lfirst(lc)))))
			groups *= Max(values, 1);
		else
			others = lappend(others, lfirst(lc));
	}
	if (list_length(others) == list_length(exprs))
		return postgres;
	if (others != NIL)
		groups *= planner_groups(source->root, source->rel, others);
	return groups;
}

/* What earlier runs make of the number */
static double
seen_groups(const GpuAggBoundSource *source, const GpuAggSeenKey *key, BlockNumber pages,
			bool rises, double expected)
{
	Oid			relid = RelationGetRelid(source->relation);
	GpuAggSeenKey all = {.keys = key->keys};
	double		groups = gpuagg_seen_groups_find(relid, key, pages);

	if (groups > 0 && rises)
		return groups;
	if (groups == 0 && !source->exact_hidden)
		groups = gpuagg_seen_groups_find(relid, &all, pages);
	return groups > 0 ? Min(groups, expected) : expected;
}

void
gpuagg_group_estimate(PlannerInfo *root, RelOptInfo *rel, Relation relation,
					  BlockNumber pages, List *exprs, bool rises, GpuAggGroupEstimate *estimate)
{
	GpuAggBoundSource source = {
		.root = root,
		.rel = rel,
		.relation = relation,
		.exact_hidden = root->qual_security_level > 0
	};

	estimate->postgres = planner_groups(root, rel, exprs);
	estimate->groups = estimate->bounded = estimate->postgres;
	if (relation != NULL)
	{
		const double bound = bounded_groups(&source, exprs, estimate->postgres);

		estimate->groups = Min(estimate->groups, bound);
		estimate->bounded = estimate->groups;
		estimate->key = rel->reloptkind == RELOPT_JOINREL ? seen_join_key(root, rel, exprs) :
															seen_key(rel, exprs);
		estimate->groups = seen_groups(&source, &estimate->key, pages, rises, estimate->groups);
	}
	estimate->groups = clamp_row_est(Min(estimate->groups, rel->rows));
	estimate->bounded = clamp_row_est(Min(estimate->bounded, rel->rows));
}
