/*
 * results_judge.h
 *		Are groups whole, and ours to answer?
 */
#ifndef GPUAGG_NODE_RESULTS_JUDGE_H
#define GPUAGG_NODE_RESULTS_JUDGE_H

#include "postgres.h"

#include "node/result/emitters.h"

/*
 * Looks at the groups of a message.  A status other than GPUAGG_OK: there is one that only
 * PostgreSQL can compute.
 */
extern GpuAggStatus gpuagg_results_check(GpuAggResults *results, const char *groups, uint32 count,
										 Size bytes, GpuAggError *error);

#endif							/* GPUAGG_NODE_RESULTS_JUDGE_H */
