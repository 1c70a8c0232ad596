/*
 * numbered.cu
 *		Entries that a compiled kernel has left (cuda/frame/), into the task's table.
 *
 * Strings of the launch's input get slots that point to them; merging copies what it
 * keeps.  What merged is empty afterwards, so that entries which found no room can be
 * merged again, behind a larger table, as spilled groups are (kernel/group.cu).
 */
#include "cuda/columns/compiled_path.h"
#include "cuda/frame/handle.cuh"
#include "cuda/kernel/table.cuh"

#define MERGE_THREADS 256
#define MERGE_BLOCKS 8			/* of a multiprocessor */

/* The keys that a number stands for; bits of those that are NULL */
static __device__ uint32_t
number_keys(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p, const GpuAggFrameArgs &a,
			uint32_t n, char *entry)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	uint32_t	nulls = 0;

	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const uint64_t at = n / a.keys[i].step % (a.keys[i].extent + 1);
		const int64_t v = at == 0 ? 0 : a.keys[i].base + (int64_t) (at - 1) * a.keys[i].unit;
		char	   *slot = entry + prepared->layout.key_off[i];

		if (at == 0)
			nulls |= 1u << i;
		if (a.keys[i].strings == NULL)
			gpuagg_key_store_i64(keys[i].type, slot, v);
		else if (at == 0)
			memset(slot, 0, gpuagg_type_slot_bytes(keys[i].type));
		else
			gpuagg_key_store_bytes(
				keys[i].type, slot,
				a.keys[i].strings[v / GPUAGG_STRING_BLOCK][v % GPUAGG_STRING_BLOCK]);
	}
	return nulls;
}

/* Handles become slots of the strings that they mean. */
static __device__ void
strings_settle(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p, char *entry)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		char	   *state = entry + prepared->layout.state_off[i];

		if (gpuagg_transition_is_string(trans[i].op) &&
			*(const uint64_t *) state != FRAME_NO_STRING)
			gpuagg_string_slot_store(state, frame_handle_string(*(const uint64_t *) state));
	}
}

/* Has anything entered it?  Then it becomes an entry like others. */
static __device__ bool
number_settle(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p, const GpuAggFrameArgs &a,
			  uint32_t counted, uint32_t n, char *entry)
{
	uint32_t   *head = (uint32_t *) entry;

	if (*head == 0 && (counted == 0 || *(const uint64_t *) (entry + counted) == 0))
		return false;
	*head = GPUAGG_HEAD_READY | number_keys(prepared, p, a, n, entry);
	return true;
}

static __global__ void
__launch_bounds__(MERGE_THREADS)
merge_entries_kernel(const GpuAggCudaPrepared *prepared, const __grid_constant__ GpuAggFrameArgs a,
					 bool numbered, uint32_t counted)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);
	const uint32_t entries = numbered ? a.groups : *a.nentries;

	table_count_begin(a.table);
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < entries;
		 i += gridDim.x * blockDim.x)
	{
		char	   *entry = a.entries + (uint64_t) i * prepared->stride;

		if (numbered && !number_settle(prepared, p, a, counted, i, entry))
			continue;
		if (prepared->lock_off != 0)
			strings_settle(prepared, p, entry);
		if (merge_entry(prepared, p, &a.table, entry))
			*(uint32_t *) entry = 0;
		else
			atomicAdd(&a.head->overflow, 1u);
	}
	table_count_end(a.table);
}

/* most: entries that there may be; threads beyond them would only start and end. */
void
gpuagg_cuda_numbered_merge(const GpuAggCudaPrepared *prepared, const GpuAggFrameArgs *args,
						   bool numbered, uint32_t counted, uint32_t most, uint32_t sms,
						   cudaStream_t stream)
{
	const uint32_t needed = (most + MERGE_THREADS - 1) / MERGE_THREADS;
	const uint32_t blocks = needed < sms * MERGE_BLOCKS ? needed : sms * MERGE_BLOCKS;

	merge_entries_kernel<<<blocks, MERGE_THREADS, 0, stream>>>(prepared, *args, numbered, counted);
}
