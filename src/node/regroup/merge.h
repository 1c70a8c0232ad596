/*
 * merge.h
 *		Groups of several tasks, merged by their keys.
 */
#ifndef GPUAGG_NODE_MERGE_H
#define GPUAGG_NODE_MERGE_H

#include "postgres.h"

#include "node/result/results.h"
#include "planner/plan/regroup.h"

/*
 * Reads all groups of n stores and adds those with equal keys, merged, to `to`, which
 * is of the same program; plan: the regrouping that made them, or NULL.  Without keys
 * there is one group, even if there was none, unless the plan has it otherwise; *merged is
 * how many there are.
 * A status other than GPUAGG_OK: there is a group that only PostgreSQL can compute.  Works
 * in the current memory context; temporary files are the owner's.
 */
extern GpuAggStatus gpuagg_merge_groups(GpuAggStore *const *from, int n, GpuAggResults *to,
										ResourceOwner owner, const GpuAggProgram *program,
										const GpuAggRegroup *plan, uint64 *merged,
										GpuAggError *error);

/* Is a preferred to the string that a state has? */
extern bool gpuagg_regroup_prefers(const GpuAggRegroupState *s, const char *state, GpuAggBytes a);

#endif							/* GPUAGG_NODE_MERGE_H */
