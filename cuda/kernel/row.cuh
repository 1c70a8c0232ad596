/*
 * row.cuh
 *		A row of a decoded batch, of pages or of a stripe, in one thread: its
 *		columns into registers, then the program, and what of it enters which
 *		state.  For the kernels that group rows, those that pack them and those
 *		that select them.
 */
#ifndef GPUAGG_CUDA_KERNEL_ROW_CUH
#define GPUAGG_CUDA_KERNEL_ROW_CUH

#include "cuda/kernel/atomics.h"
#include "cuda/kernel/kernels.h"
#include "device/ops/eval.h"
#include "device/ops/group.h"
#include "device/ops/stages.h"

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

/* A row of a stripe */
static __device__ void
load_resident(const GpuAggProgram *p, const GpuAggStripeColumn *columns, uint32_t row,
			  GpuAggValue *reg, uint8_t *st)
{
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		const GpuAggStripeColumn *column = &columns[c];
		const uint32_t nulls = gpuagg_card_nulls(column->nulls, row / 32);
		int64_t		value;

		st[c] = nulls >> (row % 32) & 1 ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
		if (st[c] != GPUAGG_ST_VALUE)
			continue;
		value = gpuagg_card_value(column->values, column->blocks, column->bytes, row);
		if (column->strings != NULL)
			reg[c].b = column->strings[value / GPUAGG_STRING_BLOCK][value % GPUAGG_STRING_BLOCK];
		else
			reg[c].i = value;
	}
}

static __device__ void
load_row(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
		 const GpuAggDecodedBatch *decoded, uint32_t row, GpuAggValue *reg, uint8_t *st)
{
	const uint8_t *classes = gpuagg_program_classes(p);

	if (decoded->resident != NULL)
	{
		load_resident(p, decoded->resident, row, reg, st);
		return;
	}
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		const uint64_t *words = decoded->words +
			(uint64_t) prepared->column_words[c] * decoded->nrows;
		uint8_t		state = decoded->states[(uint64_t) c * decoded->nrows + row];

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

/* One more row is left: whoever is here at once adds as one. */
static __device__ __forceinline__ void
row_count_left(unsigned long long *left)
{
	const uint32_t here = __activemask();

	if (threadIdx.x % warpSize == (uint32_t) __ffs((int) here) - 1)
		atomicAdd(left, (unsigned long long) __popc(here));
}

/* The filter, stage by stage: what a stage does not leave meets no later one. */
static __device__ RowFate
row_filter(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p, GpuAggValue *reg,
		   uint8_t *st, uint32_t *errors, GpuAggBatchHead *head)
{
	uint32_t	done = 0;

	for (uint32_t s = 0; s < prepared->nstages; s++)
	{
		const uint32_t filter = prepared->stage_reg[s];

		run_instructions(p, done, prepared->stage_end[s], reg, st);
		done = prepared->stage_end[s];
		if (GPUAGG_ST_IS_ERROR(st[filter]))
		{
			*errors |= st[filter];
			return ROW_ERROR;
		}
		if (!gpuagg_stage_leaves(reg[filter].i, st[filter]))
			return ROW_DROPPED;
		if (s + 1 < prepared->nstages)
			row_count_left(&head->left[s]);
	}
	return p->filter_reg == GPUAGG_NO_REG || st[p->filter_reg] == GPUAGG_ST_VALUE ? ROW_READY :
																					ROW_DROPPED;
}

/* Evaluates a row; *errors gets the states of errors that were consumed. */
static __device__ RowFate
row_prepare(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p, GpuAggValue *reg,
			uint8_t *st, uint32_t *errors, GpuAggBatchHead *head)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const uint32_t done = p->filter_reg == GPUAGG_NO_REG ? 0 : p->filter_instrs;
	const RowFate fate = row_filter(prepared, p, reg, st, errors, head);
	uint32_t	states = 0;

	if (fate != ROW_READY)
		return fate;
	if (done < p->ninstrs)
		run_instructions(p, done, p->ninstrs, reg, st);
	for (uint32_t i = 0; i < p->nkeys; i++)
		states |= st[keys[i].reg];
	*errors |= states & ~(uint32_t) GPUAGG_ST_NULL;
	return GPUAGG_ST_IS_ERROR(states) ? ROW_ERROR : ROW_READY;
}

/*
 * Does the row enter this transition?  Errors go to *errors; those of the first of two
 * arguments have gone there, with the transition before.
 */
static __device__ __forceinline__ bool
row_enters(const GpuAggTransition *t, const GpuAggValue *reg, const uint8_t *st,
		   uint32_t *errors)
{
	uint8_t		state;

	if (t->filter != GPUAGG_NO_REG)
	{
		state = st[t->filter];
		*errors |= state & ~(uint32_t) GPUAGG_ST_NULL;
		if (state != GPUAGG_ST_VALUE || reg[t->filter].i == 0)
			return false;
	}
	if (t->arg == GPUAGG_NO_REG)
		return true;
	state = st[t->arg];
	*errors |= state & ~(uint32_t) GPUAGG_ST_NULL;
	if (gpuagg_transition_squares(t->op) && state == GPUAGG_ST_VALUE &&
		gpuagg_f64_needs_pg(reg[t->arg].f))
	{
		*errors |= GPUAGG_ST_NEEDS_PG;
		return false;
	}
	return state == GPUAGG_ST_VALUE &&
		(t->op != GPUAGG_TRANS_COMOMENTS_F64 || st[t[-1].arg] == GPUAGG_ST_VALUE);
}

/* A value enters a state that is no string.  first: the other one of moments of two */
static __device__ __forceinline__ void
row_step(uint32_t op, char *state, const GpuAggValue *first, const GpuAggValue *v)
{
	switch (op)
	{
		case GPUAGG_TRANS_MOMENTS_F64:
			gpuagg_moments_step_shared((double *) state, v->f);
			break;
		case GPUAGG_TRANS_COMOMENTS_F64:
			gpuagg_comoments_step_shared((double *) state, first->f, v->f);
			break;
		case GPUAGG_TRANS_FIRST_F64:
			break;
		case GPUAGG_TRANS_SUM_F64:
		case GPUAGG_TRANS_SUM_F64_AVG:
		case GPUAGG_TRANS_MIN_F64:
		case GPUAGG_TRANS_MAX_F64:
			gpuagg_state_step_f64(op, state, v->f);
			break;
		case GPUAGG_TRANS_COUNT:
			gpuagg_state_step_i64(op, state, 0);
			break;
		default:
			gpuagg_state_step_i64(op, state, v->i);
			break;
	}
}

/* Sum over the warp, in its first lane */
static __device__ uint32_t
warp_sum(uint32_t v)
{
	for (int lanes = warpSize / 2; lanes > 0; lanes /= 2)
		v += __shfl_down_sync(0xFFFFFFFFu, v, lanes);
	return v;
}

#endif							/* GPUAGG_CUDA_KERNEL_ROW_CUH */
