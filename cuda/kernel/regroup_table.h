/*
 * regroup_table.h
 *		What a launch that groups finer groups once more is given.
 */
#ifndef GPUAGG_CUDA_KERNEL_REGROUP_TABLE_H
#define GPUAGG_CUDA_KERNEL_REGROUP_TABLE_H

#include "cuda/kernel/atomics.h"
#include "cuda/kernel/kernels.h"
#include "device/ops/regrouping_row.h"

/* One table of finer groups to one set; addresses are the card's */
typedef struct GpuAggCudaRegrouping
{
	const GpuAggCudaPrepared *made; /* of the groups that are made */
	uint32_t   *failed;			/* set if one found no room */
	uint32_t	from_stride;
	GpuAggTableRef from;
	GpuAggTableRef to;
	GpuAggRegroupingPlan plan;
} GpuAggCudaRegrouping;

/* Blocks of a launch on a multiprocessor, at most */
#define GPUAGG_REGROUP_BLOCKS 8

/* Bytes of a group in a block's shared memory, at most */
#define GPUAGG_REGROUP_LONE_BYTES (48u << 10)

/* The group of a set without keys, if it is to be there even of no rows */
extern void gpuagg_cuda_regroup_lone_group(const GpuAggCudaRegrouping *r, cudaStream_t stream);

/* lone: the set has no keys; stride, states_off: of the groups that are made */
extern void gpuagg_cuda_regroup(const GpuAggCudaRegrouping *r, bool lone, uint32_t stride,
								uint32_t states_off, uint32_t most_blocks, cudaStream_t stream);

#endif							/* GPUAGG_CUDA_KERNEL_REGROUP_TABLE_H */
