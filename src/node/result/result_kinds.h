/*
 * result_kinds.h
 *		Functions of the kinds of finished values, by the names that planner/catalogue/finals.h has
 *		of them.
 *
 *	init	of an emitter, once, what its kind alone needs
 *	emit	the Datum of a group's row; *isnull, which is false, is set by kinds that tell it
 *			themselves
 *	judge	whether the group is ours to answer (results_judge.c)
 *	beside	the Datum of it and of values that are kept beside it; false: NULL
 */
#ifndef GPUAGG_NODE_RESULT_KINDS_H
#define GPUAGG_NODE_RESULT_KINDS_H

#include "postgres.h"

#include "node/result/emitters.h"

/* Several rows name the same functions. */
#define X(kind, of, argument, count, order, cost, beside, init, emit, judge) \
	extern void gpuagg_init_##init(GPUAGG_INIT_ARGS); \
	extern Datum gpuagg_emit_##emit(GPUAGG_EMIT_ARGS); \
	extern GpuAggStatus gpuagg_judge_##judge(GPUAGG_JUDGE_ARGS);
GPUAGG_FINAL_LIST(X)
#undef X

extern bool gpuagg_beside_count(GPUAGG_BESIDE_ARGS);
extern bool gpuagg_beside_sum(GPUAGG_BESIDE_ARGS);
extern bool gpuagg_beside_average(GPUAGG_BESIDE_ARGS);
extern bool gpuagg_beside_extreme(GPUAGG_BESIDE_ARGS);
extern bool gpuagg_beside_variance(GPUAGG_BESIDE_ARGS);
extern bool gpuagg_beside_partial(GPUAGG_BESIDE_ARGS);

#endif							/* GPUAGG_NODE_RESULT_KINDS_H */
