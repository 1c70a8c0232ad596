/*
 * wanted.h
 *		Which groups of a finished task are wanted (device/ops/answer_row.h), on
 *		the card.
 *
 * Kernels include table.cuh before this.
 */
#ifndef GPUAGG_CUDA_KERNEL_WANTED_H
#define GPUAGG_CUDA_KERNEL_WANTED_H

#include "cuda/kernel/kernels.h"
#include "device/ops/answer_row.h"

#define GPUAGG_WANTED_DIGIT 8
#define GPUAGG_WANTED_BINS (1u << GPUAGG_WANTED_DIGIT)

struct GpuAggCudaWanted
{
	GpuAggAnswerPlan plan;
	unsigned long long found;
	unsigned long long passed;
	unsigned long long left;	/* wanted, of those whose digits so far are `last`'s */
	uint64_t	last[GPUAGG_ANSWER_WORDS];	/* words of the last group wanted */
	uint32_t	word;			/* the digit that is looked at next */
	uint32_t	shift;
	uint32_t	settled;		/* `last` is complete */
	uint32_t	bounded;		/* `last` counts; else all groups that pass are wanted */
	uint32_t	infinite;		/* a sum is not finite */
	uint32_t	bins[GPUAGG_WANTED_BINS];
};

/* Digits of all words: so many steps settle `last`. */
static inline uint32_t
gpuagg_wanted_steps(const GpuAggAnswerPlan *plan)
{
	uint32_t	steps = 0;

	for (uint32_t i = 0; i < plan->nwords; i++)
		steps += (plan->words[i].bits + GPUAGG_WANTED_DIGIT - 1) / GPUAGG_WANTED_DIGIT;
	return steps;
}

#endif							/* GPUAGG_CUDA_KERNEL_WANTED_H */
