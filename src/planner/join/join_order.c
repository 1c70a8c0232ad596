/*
 * join_order.c
 *		What is expected of look-ups (join_order.h).
 *
 * A filter asks for one joined row after the other; which it asks for first is decided when
 * a run begins (node/lookup/probes.c, by probe_order.c), by what is noted here and by what earlier
 * runs have found.  Only tests of rows that can be neither NULL nor an error may change places, and
 * only with each other: so a condition that may raise an error meets the rows that it meets in
 * PostgreSQL's order, and nothing passes by a condition of another level of security.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "cost/choose.h"
#include "cost/predict_rates.h"
#include "cost/profile.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "planner/estimate/expr_hash.h"
#include "planner/join/join_order.h"
#include "planner/offer/path_cost.h"
#include "planner/plan/probe_order.h"
#include "planner/value/args.h"

/*
 * Of a thread of the host.  Measured on an EPYC with one integer key and one column: look-ups 4 to
 * 5 (bits) and 8 (slots) while the table lies in caches, 23 and 91 in tables of 1e6 rows.
 */
#define LOOKUP_NEAR_NS 8.0
#define LOOKUP_FAR_NS 60.0
#define LOOKUP_NEAR_BYTES (4.0 * 1024 * 1024)

/* Tells these keys from those of groups (ipc/seen_groups.h) */
#define SEEN_LOOKUP UINT64CONST(0x6c6f6f6b2d757073)

/* Where a card's rate is not known: of an H200, in its L2 */
#define LOOKUP_CARD_NS 0.006

/* A card reads at the rate that the level of memory with the table gives all of its rows. */
double
gpuagg_join_probe_ns(double bytes)
{
	const GpuAggRates *rates = &gpuagg_profile_planned()->rates;
	double		rate;

	if (!rates->gpu)
		return (bytes > LOOKUP_NEAR_BYTES ? LOOKUP_FAR_NS : LOOKUP_NEAR_NS) / gpuagg_cost_threads();
	rate = gpuagg_rates_random(rates, GPUAGG_RANDOM_READ8, bytes);
	return rate > 0 ? 1e9 / rate : LOOKUP_CARD_NS;
}

/*
 * Of the rows so far, the part that has a match, as PostgreSQL estimates it of EXISTS.
 * Bare clauses, for RestrictInfos remember the selectivity of another join.
 */
static double
matching_share(PlannerInfo *root, const GpuAggJoin *join)
{
	SpecialJoinInfo info;

	memset(&info, 0, sizeof(info));
	info.type = T_SpecialJoinInfo;
	info.min_lefthand = bms_difference(root->all_baserels, join->rel->relids);
	info.min_righthand = join->rel->relids;
	info.syn_lefthand = info.min_lefthand;
	info.syn_righthand = info.min_righthand;
	info.jointype = JOIN_SEMI;
	return clauselist_selectivity(root, extract_actual_clauses(join->on, false), 0, JOIN_SEMI,
								  &info);
}

/* Adds what the conditions are; false: they are not known yet. */
static bool
hash_clauses(uint64 *hash, List *clauses, Index relid)
{
	List	   *exprs = NIL;
	uint64		more;
	ListCell   *lc;

	foreach(lc, clauses)
		exprs = lappend(exprs, lfirst_node(RestrictInfo, lc)->clause);
	more = gpuagg_exprs_hash(exprs, relid);
	*hash = hash_combine64(*hash, more);
	return exprs == NIL || more != 0;
}

/* Only of tables: of what else an input may be made of no more is known than its estimate. */
static bool
hash_input(PlannerInfo *root, const Bitmapset *relids, uint64 *hash)
{
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) >= 0)
	{
		const RelOptInfo *base = root->simple_rel_array[relid];
		const RangeTblEntry *rte = planner_rt_fetch(relid, root);

		if (base == NULL)
			continue;
		*hash = hash_combine64(*hash, rte->relid);
		if (base->rtekind != RTE_RELATION || !hash_clauses(hash, base->baserestrictinfo, relid) ||
			!hash_clauses(hash, base->joininfo, relid))
			return false;
	}
	return true;
}

static GpuAggSeenKey
seen_key(const GpuAggLower *lw, const GpuAggLookupLower *lookup)
{
	GpuAggSeenKey key = {.keys = SEEN_LOOKUP + lookup->type};

	if (!hash_input(lw->root, lookup->rel->relids, &key.keys) ||
		!hash_clauses(&key.keys, lookup->join->on, lw->rel->relid) ||
		!hash_clauses(&key.filter, lw->rel->baserestrictinfo, lw->rel->relid))
		key.keys = 0;
	return key;
}

/* Of NOT IN: the subquery's tables and its column, what is compared with it */
static GpuAggSeenKey
seen_subquery_key(const GpuAggLower *lw, const GpuAggLookupLower *lookup)
{
	PlannerInfo *subroot = list_nth_node(PlannerInfo, lw->root->glob->subroots,
										 lookup->subplan->plan_id - 1);
	const TargetEntry *column = linitial_node(TargetEntry, subroot->parse->targetList);
	const uint64 x = gpuagg_exprs_hash(
		list_make1(gpuagg_arg(((OpExpr *) lookup->subplan->testexpr)->args, 0)), lw->rel->relid);
	GpuAggSeenKey key = {.keys = hash_combine64(SEEN_LOOKUP + lookup->type, x)};

	if (IsA(column->expr, Var))
		key.keys = hash_combine64(key.keys, ((Var *) column->expr)->varattno);
	if (x == 0 || !IsA(column->expr, Var) || !hash_input(subroot, subroot->all_baserels, &key.keys))
		key.keys = 0;
	return key;
}

/* The register of the finished program */
static uint16
test_register(const GpuAggLower *lw, const GpuAggLookupLower *lookup)
{
	if (!lookup->moves || (lookup->test.reg & GPUAGG_VREG_KIND) != GPUAGG_VREG_INSTR)
		return GPUAGG_NO_REG;
	return lw->ncolumns + lw->nconsts + (lookup->test.reg & GPUAGG_VREG_NUMBER);
}

double
gpuagg_join_probes_ns(const GpuAggLookupPlan *plans, int n, double rows)
{
	double		rank[GPUAGG_MAX_LOOKUPS] = {0};
	int			order[GPUAGG_MAX_LOOKUPS];
	double		ns = 0;

	for (int i = 0; i < n; i++)
		rank[i] = gpuagg_probe_rank(&plans[i], plans[i].expected.share);
	gpuagg_probe_order(plans, n, rank, order);
	for (int k = 0; k < n; k++)
	{
		const GpuAggLookupPlan *plan = &plans[order[k]];

		ns += rows * plan->expected.probe_ns;
		rows *= plan->expected.share;
		ns += rows * (plan->ncolumns - plan->nkeys) * plan->expected.probe_ns;
	}
	return ns;
}

/*
 * PostgreSQL's estimate, which is a half.  Where IN is a part of another condition nothing is
 * known.
 */
static void
expect_subquery(const GpuAggLower *lw, const GpuAggLookupLower *lookup,
				GpuAggLookupExpected *expected)
{
	if (lookup->condition == NULL)
		return;
	expected->test = test_register(lw, lookup);
	expected->share = clause_selectivity(lw->root, (Node *) lookup->condition, 0, JOIN_INNER, NULL);
	expected->found = 1 - expected->share;
	expected->seen = seen_subquery_key(lw, lookup);
}

void
gpuagg_join_expect(const GpuAggLower *lw, const GpuAggLookupLower *lookup, double bytes,
				   GpuAggLookupExpected *expected)
{
	double		matching;

	memset(expected, 0, sizeof(*expected));
	expected->test = GPUAGG_NO_REG;
	expected->share = expected->found = 1;
	expected->probes = lw->rel->rows;
	expected->probe_ns = gpuagg_join_probe_ns(bytes);
	if (lookup->subplan != NULL)
		expect_subquery(lw, lookup, expected);
	if (lookup->join == NULL)
		return;
	matching = matching_share(lw->root, lookup->join);
	expected->test = test_register(lw, lookup);
	expected->found = matching;
	expected->share = lookup->type == JOIN_LEFT ? 1 :
		lookup->type == JOIN_ANTI ? 1 - matching : matching;
	expected->seen = seen_key(lw, lookup);
}
