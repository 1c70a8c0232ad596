/*
 * explain.h
 *		What EXPLAIN shows of a GpuAgg or GpuSample node.
 */
#ifndef GPUAGG_NODE_EXPLAIN_H
#define GPUAGG_NODE_EXPLAIN_H

#include "postgres.h"

#include "compat.h"
#include GPUAGG_EXPLAIN_HEADER
#include "node/scan/scan.h"

extern void gpuagg_explain_node(const GpuAggScan *node, List *ancestors, ExplainState *es);

#endif							/* GPUAGG_NODE_EXPLAIN_H */
