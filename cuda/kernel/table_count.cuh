/*
 * table_count.cuh
 *		How a block's threads count the groups that they add to a table in device memory,
 *		and see whether it has room.
 *
 * The table's count is one word, for which all who bring a group would queue, to read it
 * and to add.  So a block counts in shared memory, and tells the table of `step` groups at
 * a time; what it is answered then says whether there is room, until it tells again.
 * All blocks together exceed the table's limit by a quarter at most, which is an eighth
 * of its entries.
 *
 * Whoever asks table_probe() for a place with TableRoom, calls table_count_begin() before
 * and table_count_end() behind, with all threads of the block.
 */
#ifndef GPUAGG_CUDA_KERNEL_TABLE_COUNT_CUH
#define GPUAGG_CUDA_KERNEL_TABLE_COUNT_CUH

#include "cuda/kernel/card_types.h"

/* Of the limit, what blocks may not have told of */
#define TABLE_COUNT_UNTOLD 4

typedef struct TableCount
{
	uint32_t	added;			/* by this block */
	uint32_t	full;
	uint32_t	mask;			/* step - 1: a power of two */
} TableCount;

/* The block's: by its name, for the address of what is in shared memory is known then */
static __device__ __forceinline__ TableCount *
table_count(void)
{
	__shared__ TableCount count;

	return &count;
}

/* A word that others change by atomics */
static __device__ __forceinline__ uint32_t
shared_word(const uint32_t *word)
{
	uint32_t	v;

	asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(v)
				 : "r"((uint32_t) __cvta_generic_to_shared(word)) : "memory");
	return v;
}

static __device__ __forceinline__ void
table_count_begin(const GpuAggTableRef &t)
{
	TableCount *c = table_count();

	if (threadIdx.x == 0)
	{
		const uint64_t step = t.limit / TABLE_COUNT_UNTOLD / gridDim.x;

		c->added = 0;
		c->full = *(volatile unsigned long long *) &t.head->count >= t.limit;
		c->mask = step == 0 ?
			0 :
			(0x80000000u >> __clz((int) (step < 0x80000000u ? step : 0x80000000u))) - 1;
	}
	__syncthreads();
}

static __device__ __forceinline__ void
table_count_end(const GpuAggTableRef &t)
{
	TableCount *c = table_count();

	__syncthreads();
	if (threadIdx.x == 0 && (c->added & c->mask) != 0)
		atomicAdd(&t.head->count, (unsigned long long) (c->added & c->mask));
}

/* Room in a table, and who takes of it, by the block's count */
struct TableRoom
{
	const GpuAggTableRef &t;

	__device__ __forceinline__ bool
	full(void) const
	{
		return shared_word(&table_count()->full) != 0;
	}

	__device__ __forceinline__ void
	add(void) const
	{
		TableCount *c = table_count();
		const unsigned long long step = (unsigned long long) c->mask + 1;

		if (((atomicAdd(&c->added, 1u) + 1) & c->mask) == 0 &&
			atomicAdd(&t.head->count, step) + step >= t.limit)
			(void) atomicExch(&c->full, 1u);
	}
};

/* Of tables that have room, or whose limit somebody else looks at: a thread's own count */
struct TableAny
{
	uint32_t   *added;

	__device__ __forceinline__ bool
	full(void) const
	{
		return false;
	}

	__device__ __forceinline__ void
	add(void) const
	{
		++*added;
	}
};

#endif							/* GPUAGG_CUDA_KERNEL_TABLE_COUNT_CUH */
