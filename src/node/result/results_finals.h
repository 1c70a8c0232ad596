/*
 * results_finals.h
 *		What an emitter does, by the kind of its finished value (result_kinds.h).
 */
#ifndef GPUAGG_NODE_RESULTS_FINALS_H
#define GPUAGG_NODE_RESULTS_FINALS_H

#include "postgres.h"

#include "node/result/emitters.h"

/* Sets what makes and judges an output, by its kind. */
extern void gpuagg_emitter_take(GpuAggEmitter *emitter, int final);

/* What the kind alone needs, when all else of the emitter is there */
extern void gpuagg_emitter_init(GPUAGG_INIT_ARGS);

#endif							/* GPUAGG_NODE_RESULTS_FINALS_H */
