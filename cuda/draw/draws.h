/*
 * draws.h
 *		Random draws from stripes, on the host side (draws.cu).
 */
#ifndef GPUAGG_CUDA_DRAW_DRAWS_H
#define GPUAGG_CUDA_DRAW_DRAWS_H

#include "cuda/columns/resident.h"
#include "cuda/draw/draw_kernels.h"

extern GpuAggStatus gpuagg_cuda_task_draws(GpuAggTask *task, uint64_t batch_id,
										   const GpuAggStripeRange *ranges,
										   uint32_t nranges, GpuAggError *error);

/* Adds what making the draws took, as far as it is over. */
extern void gpuagg_cuda_draws_stats(const GpuAggTask *task, GpuAggTaskStats *stats);

/* At the task's end */
extern void gpuagg_cuda_draws_free(GpuAggTask *task);

#endif							/* GPUAGG_CUDA_DRAW_DRAWS_H */
