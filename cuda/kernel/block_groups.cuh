/*
 * block_groups.cuh
 *		States of groups that a block finds, in shared memory: where groups are few, all threads
 *		of a card would meet at each.  A group is told by its row in device memory, where the
 *		block's states are merged at the end.
 */
#ifndef GPUAGG_CUDA_KERNEL_BLOCK_GROUPS_CUH
#define GPUAGG_CUDA_KERNEL_BLOCK_GROUPS_CUH

#include "cuda/kernel/table.cuh"

/* Shared memory of a block for its groups, and how many places are looked at for one */
#define BLOCK_BYTES (40u << 10)
#define BLOCK_PROBES 8

/* A thread that misses so often, and mostly, goes to the rows at once. */
#define BLOCK_MISSES 64

struct BlockGroups
{
	unsigned long long *owners; /* rows, 0: nobody's; behind them states */
	char	   *states;
	uint32_t	slots;			/* a power of two, or 0 */
	uint32_t	bytes;			/* of a group's states */
	uint32_t	states_off;		/* in a row */
};

/* What a thread has found so far */
struct BlockLooks
{
	uint32_t	found;
	uint32_t	missed;
};

/* A state in a row */
struct BlockState
{
	uint32_t	op;
	uint32_t	off;
};

/* Places for groups of a block with so many bytes of states; 0: they are too large */
static inline uint32_t
block_slots(uint32_t states_bytes)
{
	uint32_t	slots = 2048;

	while (slots >= 128 && slots * (8 + states_bytes) > BLOCK_BYTES)
		slots /= 2;
	return states_bytes > 0 && slots >= 128 ? slots : 0;
}

/* Of rows of this program; memory: 8 bytes and a group's states for each slot */
static __device__ __forceinline__ BlockGroups
block_begin(const GpuAggCudaPrepared *prepared, char *memory, uint32_t slots)
{
	const uint32_t bytes = prepared->stride - prepared->states_off;
	const BlockGroups b = {(unsigned long long *) memory, memory + 8 * slots, slots, bytes,
						   prepared->states_off};

	for (uint32_t i = threadIdx.x; i < slots; i += blockDim.x)
		b.owners[i] = 0;
	for (uint32_t at = 8 * threadIdx.x; at < slots * bytes; at += 8 * blockDim.x)
		*(uint64_t *) (b.states + at) =
			*(const uint64_t *) (prepared->init_row + prepared->states_off + at % bytes);
	__syncthreads();
	return b;
}

static __device__ __forceinline__ BlockLooks
block_looks(const BlockGroups &b)
{
	const BlockLooks looks = {0, b.slots > 0 ? 0u : BLOCK_MISSES};

	return looks;
}

/* Where the block has the states of a row, as if they were a row's; NULL: it has no room */
static __device__ __forceinline__ char *
block_find(const BlockGroups &b, const char *row)
{
	const unsigned long long owner = (unsigned long long) row;
	uint32_t	at = (uint32_t) (owner * UINT64_C(0x9E3779B97F4A7C15) >> 40);

	for (int i = 0; i < BLOCK_PROBES; i++, at++)
	{
		unsigned long long seen;

		at &= b.slots - 1;
		seen = *(volatile unsigned long long *) &b.owners[at];
		if (seen == 0)
			seen = atomicCAS(&b.owners[at], 0ull, owner);
		if (seen == 0 || seen == owner)
			return b.states + at * b.bytes - b.states_off;
	}
	return NULL;
}

/* Where to change the states of a row: the block's, or the row itself */
static __device__ __forceinline__ char *
block_states(const BlockGroups &b, char *row, BlockLooks *looks)
{
	char	   *own;

	if (looks->missed >= BLOCK_MISSES && looks->missed >= looks->found)
		return row;
	own = block_find(b, row);
	*(own != NULL ? &looks->found : &looks->missed) += 1;
	return own != NULL ? own : row;
}

/* The block's states enter their rows: of each row so many, which `state` tells by number. */
template <typename State>
static __device__ __forceinline__ void
block_end(const BlockGroups &b, uint32_t nstates, const State &state)
{
	__syncthreads();
	for (uint32_t n = threadIdx.x; n < b.slots * nstates; n += blockDim.x)
	{
		const BlockState s = state(n % nstates);
		const uint32_t slot = n / nstates;

		if (b.owners[slot] != 0)
			gpuagg_state_merge_shared(s.op, (char *) b.owners[slot] + s.off,
									  b.states + slot * b.bytes - b.states_off + s.off);
	}
}

#endif							/* GPUAGG_CUDA_KERNEL_BLOCK_GROUPS_CUH */
