/*
 * table_finder.c
 *		Bits or slots (table_finder.h): who makes the table goes by the rows that it has, the
 *		planner by statistics.
 */
#include "postgres.h"

#include "access/table.h"
#include "device/ops/lookup_make.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "planner/estimate/value_bound.h"
#include "planner/join/table_finder.h"
#include "planner/value/constant.h"

/* As many as a table can have (lookup_make.c) */
#define MOST_ROWS 1073741824.0

/* Between the bounds of a column of a table, in the units of its type; false: they are not known */
static bool
column_span(PlannerInfo *root, const Var *key, double *span)
{
	const RangeTblEntry *rte = planner_rt_fetch(key->varno, root);
	GpuAggBoundSource source = {.root = root,.exact_hidden = root->qual_security_level > 0};
	GpuAggValueBound bound;

	if (rte->rtekind != RTE_RELATION)
		return false;
	source.rel = find_base_rel(root, key->varno);
	source.relation = table_open(rte->relid, NoLock);
	bound = gpuagg_value_bound(&source, (Node *) key);
	table_close(source.relation, NoLock);
	*span = gpuagg_set_steps(&bound.set, GPUAGG_CLASS_I64, 1) - 1;
	return gpuagg_set_is_bounded(&bound.set);
}

/* The span of the only key, if it is an integer to the device */
static bool
key_span(PlannerInfo *root, const GpuAggLookupLower *lookup, double *span)
{
	const Var  *key = linitial(lookup->columns);
	const uint8 type = lookup->types[0];

	*span = 1;
	return type == GPUAGG_T_BOOL ||
		(type != GPUAGG_T_NUMERIC && type != GPUAGG_T_FLOAT4 && type != GPUAGG_T_FLOAT8 &&
		 IsA(key, Var) && key->varlevelsup == 0 && key->varattno > 0 &&
		 column_span(root, key, span));
}

GpuAggFinder
gpuagg_table_finder(PlannerInfo *root, const GpuAggLookupLower *lookup, double rows, double *bytes)
{
	const uint64 n = (uint64) Min(rows, MOST_ROWS);
	double		span;

	*bytes = (double) gpuagg_lookup_slots(n) * sizeof(GpuAggLookupSlot);
	if (lookup->nkeys > 1 || gpuagg_constant_class(lookup->types[0]) == GPUAGG_CLASS_BYTES)
		return GPUAGG_FINDER_SLOTS;
	if (!key_span(root, lookup, &span))
		return GPUAGG_FINDER_UNKNOWN;
	if (span >= (double) PG_INT64_MAX || !gpuagg_lookup_by_bits(n, (uint64) span))
		return GPUAGG_FINDER_SLOTS;
	*bytes = span / 64 * sizeof(GpuAggLookupBits);
	return GPUAGG_FINDER_BITS;
}
