/*
 * planned_explain.h
 *		EXPLAIN of what is predicted and planned of a node, beside what was measured of it.
 */
#ifndef GPUAGG_NODE_PLANNED_EXPLAIN_H
#define GPUAGG_NODE_PLANNED_EXPLAIN_H

#include "postgres.h"

#include "node/scan/scan.h"

struct ExplainState;

/* timing: times are shown */
extern void gpuagg_planned_explain(const GpuAggScan *node, bool timing, struct ExplainState *es);

/* What an instrumented node took, ns, without EXPLAIN's own part of it */
extern double gpuagg_node_ns(const GpuAggScan *node);

#endif							/* GPUAGG_NODE_PLANNED_EXPLAIN_H */
