/*
 * row.cuh
 *		A row of a chunk in one thread: its columns into registers, then the
 *		program.  For the kernels that group rows and those that select them.
 */
#ifndef GPUAGG_CUDA_ROW_CUH
#define GPUAGG_CUDA_ROW_CUH

#include "cuda/kernels.h"
#include "device/eval.h"

typedef enum RowFate
{
	ROW_DROPPED,				/* the filter said no */
	ROW_ERROR,					/* consumed an error */
	ROW_READY
} RowFate;

/* Compiled once: the interpreter is by far the largest part of the kernel. */
static __device__ __noinline__ void
run_instructions(const GpuAggProgram *p, uint32_t first, uint32_t last,
				 GpuAggValue *reg, uint8_t *st)
{
	gpuagg_eval(p, first, last, reg, st);
}

static __device__ void
load_row(const GpuAggPlan *plan, const GpuAggProgram *p, const GpuAggChunk *chunk,
		 uint32_t row, GpuAggValue *reg, uint8_t *st)
{
	const uint8_t *classes = gpuagg_program_classes(p);

	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		const uint64_t *words = chunk->words +
			(uint64_t) plan->column_words[c] * chunk->nrows;
		uint8_t		state = chunk->states[(uint64_t) c * chunk->nrows + row];

		st[c] = state;
		if (state != GPUAGG_ST_VALUE)
			continue;
		if (classes[c] == GPUAGG_CLASS_BYTES)
		{
			reg[c].b.data = (const char *) (uintptr_t) words[2 * (uint64_t) row];
			reg[c].b.len = words[2 * (uint64_t) row + 1];
		}
		else
			reg[c].i = (int64_t) words[row];
	}
}

/* Evaluates a row; *errors gets the states of errors that were consumed. */
static __device__ RowFate
row_prepare(const GpuAggProgram *p, GpuAggValue *reg, uint8_t *st, uint32_t *errors)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	uint32_t	done = 0;
	uint32_t	states = 0;

	if (p->filter_reg != GPUAGG_NO_REG)
	{
		done = p->filter_instrs;
		run_instructions(p, 0, done, reg, st);
		if (GPUAGG_ST_IS_ERROR(st[p->filter_reg]))
		{
			*errors |= st[p->filter_reg];
			return ROW_ERROR;
		}
		if (st[p->filter_reg] != GPUAGG_ST_VALUE || reg[p->filter_reg].i == 0)
			return ROW_DROPPED;
	}
	if (done < p->ninstrs)
		run_instructions(p, done, p->ninstrs, reg, st);
	for (uint32_t i = 0; i < p->nkeys; i++)
		states |= st[keys[i].reg];
	*errors |= states & ~(uint32_t) GPUAGG_ST_NULL;
	return GPUAGG_ST_IS_ERROR(states) ? ROW_ERROR : ROW_READY;
}

/* Sum over the warp, in its first lane */
static __device__ uint32_t
warp_sum(uint32_t v)
{
	for (int lanes = warpSize / 2; lanes > 0; lanes /= 2)
		v += __shfl_down_sync(0xFFFFFFFFu, v, lanes);
	return v;
}

#endif							/* GPUAGG_CUDA_ROW_CUH */
