/*
 * join_filter.c
 *		Filters before the slots of look-up tables (join_filter.h).
 *
 * What one gains is predicted for each number of slots that a table may turn out to have
 * (cost/choose.h); who makes the table goes by the number that it has.  Tables of keys
 * that lie close together have bits instead, which statistics tell of before.
 */
#include "postgres.h"

#include "access/table.h"
#include "cost/choose.h"
#include "cost/profile.h"
#include "device/ops/lookup_make.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "planner/constant.h"
#include "planner/join_filter.h"
#include "planner/value_bound.h"

/* Between the bounds of a column; false: they are not known */
static bool
key_span(const GpuAggLower *lw, const Var *key, double *span)
{
	const RangeTblEntry *rte = planner_rt_fetch(key->varno, lw->root);
	GpuAggBoundSource source = {.root = lw->root,.exact_hidden = lw->root->qual_security_level > 0};
	GpuAggValueBound bound;

	if (rte->rtekind != RTE_RELATION)
		return false;
	source.rel = find_base_rel(lw->root, key->varno);
	source.relation = table_open(rte->relid, NoLock);
	bound = gpuagg_value_bound(&source, (Node *) key);
	table_close(source.relation, NoLock);
	*span = bound.high - bound.low;
	return bound.ranged;
}

/* Will its table have slots?  As far as statistics tell: dates lie close together. */
static bool
has_slots(const GpuAggLower *lw, const GpuAggLookupLower *lookup)
{
	const Var  *key = linitial(lookup->columns);
	const uint8 type = lookup->types[0];
	double		span;

	if (lookup->nkeys > 1 || gpuagg_constant_class(type) == GPUAGG_CLASS_BYTES)
		return true;
	if (!IsA(key, Var) || key->varlevelsup != 0 || key->varattno <= 0 ||
		(type != GPUAGG_T_INT4 && type != GPUAGG_T_INT8) || !key_span(lw, key, &span))
		return false;
	return span >= (double) PG_INT64_MAX || !gpuagg_lookup_by_bits((uint64) lookup->rows, (uint64) span);
}

void
gpuagg_join_expect_filter(const GpuAggLower *lw, const GpuAggLookupLower *lookup,
						  GpuAggLookupExpected *expected)
{
	const GpuAggRates *rates = &gpuagg_profile_get()->rates;
	const uint64 slots = gpuagg_lookup_slots((uint64) Min(Max(lookup->rows, 1), 1 << 30));
	const double bytes = (double) slots * sizeof(GpuAggLookupSlot);
	const GpuAggProbing probing = {expected->probes, expected->found, lookup->kept};
	double		without;

	/* of a subquery, or a helper, no share is known, and columns are not of this query */
	if (lookup->join == NULL ||
		gpuagg_choose_filters(&probing, slots) == 0 || !has_slots(lw, lookup))
		return;
	without = gpuagg_predict_probe(rates, bytes, expected->found, false);
	if (without > 0)
		expected->probe_ns *= gpuagg_predict_probe(rates, bytes, expected->found, true) / without;
}
