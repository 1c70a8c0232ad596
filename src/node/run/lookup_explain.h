/*
 * lookup_explain.h
 *		EXPLAIN of joins below the grouping.
 */
#ifndef GPUAGG_NODE_LOOKUP_EXPLAIN_H
#define GPUAGG_NODE_LOOKUP_EXPLAIN_H

#include "postgres.h"

#include "node/scan/scan.h"

struct ExplainState;

extern void gpuagg_lookups_explain(const GpuAggScan *node, struct ExplainState *es);

#endif							/* GPUAGG_NODE_LOOKUP_EXPLAIN_H */
