/*
 * regroup_table.cu
 *		Groups of finished tables, grouped once more (device/regrouping.h): each set into a
 *		table of its own.
 *
 * A thread takes an entry of a finer table, finds the group that it belongs to by keys that
 * it reads where they lie, and merges its states there by atomics.  Where groups are few all
 * of these would meet (6 * 10^7 finer groups of 10^3 take 20 ms on an H200): blocks have the
 * states of groups that they find in shared memory, and merge them at the end.  A set without
 * keys is one group, and needs not even be found.
 */
#include "cuda/kernel/block_groups.cuh"
#include "cuda/kernel/regroup_table.h"

#define REGROUP_THREADS 256

/* Keys of the group that a finer one belongs to; from NULL: of a set without keys */
struct MadeKeys
{
	const GpuAggRegroupingPlan *plan;
	const GpuAggCudaPrepared *made;
	const GpuAggKey *keys;
	uint64_t	seed;
	const char *from;

	__device__ bool
	is_null(uint32_t i) const
	{
		const GpuAggRegroupingKey *key = &plan->keys[i];

		return key->bytes == 0 || (*(const uint32_t *) from >> key->bit & 1) != 0;
	}

	__device__ uint32_t
	nulls() const
	{
		uint32_t	mask = 0;

		for (uint32_t i = 0; i < plan->nkeys; i++)
			if (is_null(i))
				mask |= 1u << i;
		return mask;
	}

	/* Constants are the same in all of a table. */
	__device__ uint64_t
	hash() const
	{
		uint64_t	h = seed;

		for (uint32_t i = 0; i < plan->nkeys; i++)
			h = gpuagg_hash_word(
				h,
				is_null(i) ? GPUAGG_HASH_NULL :
							 gpuagg_key_slot_word(keys[i].type, from + plan->keys[i].from, seed),
				seed);
		return gpuagg_hash_finish(h);
	}

	__device__ bool
	equal(const char *entry) const
	{
		for (uint32_t i = 0; i < plan->nkeys; i++)
			if (!is_null(i) &&
				!gpuagg_key_slots_equal(keys[i].type, from + plan->keys[i].from,
										entry + plan->keys[i].to))
				return false;
		return true;
	}

	__device__ bool
	store(char *entry) const
	{
		for (uint32_t at = 4; at < made->states_off; at += 4)
			*(uint32_t *) (entry + at) = 0;
		for (uint32_t i = 0; i < plan->nkeys; i++)
			if (!is_null(i))
				gpuagg_regrouping_copy(entry + plan->keys[i].to, from + plan->keys[i].from,
									   plan->keys[i].bytes);
		for (uint32_t i = 0; i < plan->nconstants; i++)
			*(int32_t *) (entry + plan->constants_off[i]) = plan->constants[i];
		return true;
	}
};

static __device__ MadeKeys
made_keys(const GpuAggCudaRegrouping *r, const char *from)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) r->made +
													  r->made->program_off);
	const MadeKeys keys = {&r->plan, r->made, gpuagg_program_keys(p), p->hash_seed, from};

	return keys;
}

/* The group of these keys, counted in *added if it is new; NULL: no room, which is told */
static __device__ char *
made_group(const GpuAggCudaRegrouping *r, const MadeKeys &keys, uint32_t *added)
{
	const TableAny room = {added};
	char	   *entry = table_probe(r->made->stride, &r->to, keys, keys.hash(), room);

	if (entry == NULL)
		*r->failed = 1;
	return entry;
}

static __device__ void
made_count(const GpuAggCudaRegrouping *r, uint32_t added)
{
	if (added > 0)
		atomicAdd(&r->to.head->count, (unsigned long long) added);
}

/* What a finer group gives to the states of a row, which threads share */
static __device__ void
merge_states(const GpuAggRegroupingPlan *plan, const char *from, char *into)
{
	const uint32_t head = *(const uint32_t *) from;

	for (uint32_t i = 0; i < plan->nstates; i++)
	{
		const GpuAggRegroupingMove *move = &plan->states[i];
		uint64_t	state[2] = {0, 0};

		if (move->bit == GPUAGG_REGROUPING_OF_NONE)
			continue;
		if (move->bit == GPUAGG_REGROUPING_NOT_OF_KEY)
			gpuagg_state_merge_shared(move->op, into + move->to, from + move->from);
		else if ((head >> move->bit & 1) == 0)
		{
			gpuagg_regrouping_enter(move, head, from + move->from, (char *) state);
			gpuagg_state_merge_shared(move->op, into + move->to, (const char *) state);
		}
	}
}

/* An entry of the finer table; NULL: it is empty. */
static __device__ const char *
finer_entry(const GpuAggCudaRegrouping *r, uint64_t i)
{
	const char *entry = r->from.slots + i * r->from_stride;

	return r->from.dense || *(const uint32_t *) entry != 0 ? entry : NULL;
}

static __global__ void
regroup_kernel(const __grid_constant__ GpuAggCudaRegrouping r, uint32_t slots)
{
	extern __shared__ __align__(16) char memory[];
	const BlockGroups block = block_begin(r.made, memory, slots);
	const uint64_t step = (uint64_t) gridDim.x * blockDim.x;
	uint32_t	added = 0;
	uint32_t	looked = 0;
	BlockLooks	looks = block_looks(block);

	for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < r.from.capacity;
		 i += step)
	{
		const char *from = finer_entry(&r, i);
		char	   *into;

		if (from == NULL)
			continue;
		/* in vain, if another thread found no room: that takes long of a full table */
		if (looked++ % 16 == 0 && *(volatile uint32_t *) r.failed != 0)
			break;
		into = made_group(&r, made_keys(&r, from), &added);
		if (into == NULL)
			break;
		merge_states(&r.plan, from, block_states(block, into, &looks));
	}
	made_count(&r, added);
	block_end(block, r.plan.nstates, [&](uint32_t i) {
		return BlockState{r.plan.states[i].op, r.plan.states[i].to};
	});
}

/* ---------- one group ---------- */

/* The group of a set without keys, which is there even of no rows */
static __global__ void
lone_group_kernel(const __grid_constant__ GpuAggCudaRegrouping r)
{
	uint32_t	added = 0;

	(void) made_group(&r, made_keys(&r, NULL), &added);
	made_count(&r, added);
}

static __global__ void
regroup_lone_kernel(const __grid_constant__ GpuAggCudaRegrouping r)
{
	extern __shared__ __align__(16) char row[];
	__shared__ char *into;
	const uint64_t step = (uint64_t) gridDim.x * blockDim.x;
	const uint64_t first = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
	bool		any = false;

	for (uint32_t at = 8 * threadIdx.x; at < r.made->stride; at += 8 * blockDim.x)
		*(uint64_t *) (row + at) = *(const uint64_t *) (r.made->init_row + at);
	__syncthreads();
	for (uint64_t i = first; i < r.from.capacity; i += step)
	{
		const char *from = finer_entry(&r, i);

		if (from == NULL)
			continue;
		any = true;
		merge_states(&r.plan, from, row);
	}
	if (!__syncthreads_or(any))
		return;
	if (threadIdx.x == 0)
	{
		uint32_t	added = 0;

		into = made_group(&r, made_keys(&r, NULL), &added);
		made_count(&r, added);
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; into != NULL && i < r.plan.nstates; i += blockDim.x)
		gpuagg_state_merge_shared(r.plan.states[i].op, into + r.plan.states[i].to,
								  row + r.plan.states[i].to);
}

void
gpuagg_cuda_regroup_lone_group(const GpuAggCudaRegrouping *r, cudaStream_t stream)
{
	lone_group_kernel<<<1, 1, 0, stream>>>(*r);
}

void
gpuagg_cuda_regroup(const GpuAggCudaRegrouping *r, bool lone, uint32_t stride, uint32_t states_off,
					uint32_t most_blocks, cudaStream_t stream)
{
	const uint64_t all = (r->from.capacity + REGROUP_THREADS - 1) / REGROUP_THREADS;
	const uint32_t blocks = all < most_blocks ? (uint32_t) all : most_blocks;
	const uint32_t slots = block_slots(stride - states_off);

	if (blocks == 0)
		return;
	if (lone)
		regroup_lone_kernel<<<blocks, REGROUP_THREADS, stride, stream>>>(*r);
	else
		regroup_kernel<<<blocks, REGROUP_THREADS, slots *(8 + stride - states_off), stream>>>(
			*r, slots);
}
