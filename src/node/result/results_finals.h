/*
 * results_finals.h
 *		Functions of the kinds of finished values, by the names that planner/catalogue/finals.h has of them.
 *
 *	init	of an emitter, once, what its kind alone needs
 *	emit	the Datum of a group's row; *isnull, which is false, is set by kinds that tell it
 *			themselves
 *	judge	whether the group is ours to answer (results_judge.c)
 */
#ifndef GPUAGG_NODE_RESULTS_FINALS_H
#define GPUAGG_NODE_RESULTS_FINALS_H

#include "postgres.h"

#include "node/result/results_inside.h"

/* Of an output's kind: what makes and judges it */
extern void gpuagg_emitter_take(GpuAggEmitter *emitter, int final);

/* What the kind alone needs, when all else of the emitter is there */
extern void gpuagg_emitter_init(GPUAGG_INIT_ARGS);

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

/* ---------- what kinds share ---------- */

/* How a value of the type lies in a key's slot */
extern GpuAggPlain gpuagg_plain_key(uint8 type);

/* Of an emitter of strings: room for one */
extern void gpuagg_init_string(GpuAggResults *results, GpuAggEmitter *emitter);

/* Text of a slot */
extern Datum gpuagg_string_datum(const GpuAggResults *results, GpuAggEmitter *emitter,
								 const GpuAggStringSlot *slot);

/* An integer by the emitter's type, where it is not plain */
extern Datum gpuagg_i64_datum(GpuAggEmitter *emitter, int64 v, const char *row);
extern Datum gpuagg_f64_datum(uint8 type, double v);

/* The COUNT beside it */
static inline int64
gpuagg_emitter_count(const GpuAggEmitter *emitter, const char *row)
{
	return *(const int64 *) (row + emitter->count_off);
}

#endif							/* GPUAGG_NODE_RESULTS_FINALS_H */
