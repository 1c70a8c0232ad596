/*
 * grow.cu
 *		Making a group table, and moving its groups to a larger one.
 */
#include "cuda/kernel/table.cuh"

/* As launch.cu knows them; it chooses the number. */
#define GROW_THREADS 256

/* Every entry empty, its states initialised, two words at once; the arena stays as it is */
static __global__ void
init_table_kernel(const GpuAggCudaPrepared *prepared, const GpuAggTableRef table, bool plain)
{
	const uint32_t words = prepared->stride / 8;
	const uint64_t *init = (const uint64_t *) prepared->init_row;
	const uint64_t pairs = (table.capacity * words + 1) / 2;
	const uint64_t step = (uint64_t) gridDim.x * blockDim.x;
	uint64_t	i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t	at = (uint32_t) (2 * i % words);	/* of the pair's first in its entry */
	const uint32_t further = (uint32_t) (2 * step % words);

	if (i == 0)
		table.head->count = plain;
	for (; i < pairs; i += step)
	{
		ulonglong2	pair = {init[at], init[at + 1 < words ? at + 1 : 0]};

		/* without keys there is one group, whatever the input */
		if (plain && i == 0)
			pair.x |= GPUAGG_HEAD_READY;
		if (2 * i + 1 < table.capacity * words)
			((ulonglong2 *) table.slots)[i] = pair;
		else
			((uint64_t *) table.slots)[2 * i] = pair.x;
		at += further;
		at -= at >= words ? words : 0;
	}
}

/*
 * Groups are different, so each takes the first empty entry.  The lock word
 * moves along, free.
 */
static __global__ void
move_groups_kernel(const GpuAggCudaPrepared *prepared, const GpuAggTableRef from,
				   const GpuAggTableRef to)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);
	const uint64_t mask = to.capacity - 1;
	const uint64_t step = (uint64_t) gridDim.x * blockDim.x;

	for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
		 i < from.capacity; i += step)
	{
		const uint64_t *entry = (const uint64_t *) (from.slots + i * prepared->stride);
		const EntryKeys keys = {prepared, p, (const char *) entry, &to};
		uint64_t	at;
		uint64_t   *place;

		if ((uint32_t) entry[0] == 0)
			continue;
		at = table_home(&to, keys.hash());
		while (atomicCAS((uint32_t *) (to.slots + at * prepared->stride), 0u,
						 GPUAGG_HEAD_LOCKED) != 0)
			at = (at + 1) & mask;
		place = (uint64_t *) (to.slots + at * prepared->stride);
		for (uint32_t w = 0; w < prepared->stride / 8; w++)
			place[w] = entry[w];
		atomicAdd(&to.head->count, 1ull);
	}
}

const GpuAggKernelRef gpuagg_cuda_grow_kernels[] = {
	{"init_table", (const void *) init_table_kernel, GROW_THREADS, 0},
	{"move_groups", (const void *) move_groups_kernel, GROW_THREADS, 0},
	{NULL, NULL, 0, 0}
};

void
gpuagg_cuda_table_init(const GpuAggCudaPrepared *prepared, const GpuAggTableRef *table,
					   bool plain, const GpuAggLaunch *launch, cudaStream_t stream)
{
	init_table_kernel<<<(uint32_t) launch->blocks, launch->threads, 0, stream>>>
		(prepared, *table, plain);
}

/* to is empty, and large enough */
void
gpuagg_cuda_table_move(const GpuAggCudaPrepared *prepared, const GpuAggTableRef *from,
					   const GpuAggTableRef *to, const GpuAggLaunch *launch,
					   cudaStream_t stream)
{
	move_groups_kernel<<<(uint32_t) launch->blocks, launch->threads, 0, stream>>>
		(prepared, *from, *to);
}
