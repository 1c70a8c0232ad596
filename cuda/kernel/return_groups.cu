/*
 * return_groups.cu
 *		Groups of a finished table, written out as result messages carry them
 *		(layout.h): rows, each followed by its long strings, padded to 8.
 *
 * The table's slots are cut into runs of GPUAGG_RETURN_SLOTS.  First every run is
 * sized; the host adds the sizes up, so that each run knows where its groups
 * begin; then runs are written, one block each.
 */
#include "cuda/kernel/table.cuh"
#include "cuda/kernel/wanted.h"
#include "device/ops/decoding.h"

#define RETURN_THREADS 256

/*
 * Bytes of a group.  A code that its dictionary does not have would be a group
 * lost: then something is wrong with the card.
 */
template <bool CODES>
static __device__ uint64_t
group_bytes(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
			const GpuAggEncoding *strings, const char *row)
{
	if (CODES)
	{
		const uint64_t bytes = gpuagg_decode_bytes(strings, row);

		if (bytes == 0)
			__trap();
		return bytes;
	}
	return prepared->has_strings ? gpuagg_group_bytes(p, &prepared->layout, row) :
		prepared->layout.row_bytes;
}

/* Bytes behind a row, and the slot's pointer gone; the place behind them */
static __device__ char *
put_long(char *slot, char *end)
{
	const GpuAggBytes b = gpuagg_string_slot_bytes(slot);

	if (!gpuagg_string_slot_is_long(slot))
		return end;
	for (uint64_t i = 0; i < b.len; i++)
		end[i] = b.data[i];
	memset(slot + offsetof(GpuAggStringSlot, u), 0, sizeof(b.data));
	return end + b.len;
}

static __device__ void
put_group(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p, const char *row,
		  char *to, uint64_t bytes)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	char	   *end = to + prepared->layout.row_bytes;

	for (uint32_t i = 0; i < prepared->layout.row_bytes; i += 8)
		*(uint64_t *) (to + i) = *(const uint64_t *) (row + i);
	*(uint32_t *) to &= ~GPUAGG_HEAD_READY;
	if (!prepared->has_strings)
		return;
	for (uint32_t i = 0; i < p->nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type))
			end = put_long(to + prepared->layout.key_off[i], end);
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (gpuagg_transition_is_string(trans[i].op))
			end = put_long(to + prepared->layout.state_off[i], end);
	while (end < to + bytes)
		*end++ = 0;
}

/* Moments of a written group, in the layout of what is returned */
static __device__ void
finish_moments(const GpuAggProgram *p, const GpuAggLayout *layout, char *to)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (trans[i].op == GPUAGG_TRANS_MOMENTS_F64 || trans[i].op == GPUAGG_TRANS_COMOMENTS_F64)
			gpuagg_moments_finish(trans[i].op, (double *) (to + layout->state_off[i]));
}

/* Is the group at a slot to be returned? */
static __device__ bool
is_wanted(const GpuAggCudaWanted *w, const char *row, uint64_t slot)
{
	return w == NULL || (gpuagg_answer_passes(&w->plan, row) &&
						 (!w->bounded || gpuagg_answer_within(&w->plan, row, slot, w->last)));
}

template<bool CODES>
static __global__ void
size_runs_kernel(const GpuAggReturn r, const GpuAggTableRef table, uint64_t base,
				 uint64_t *bytes, uint32_t *groups)
{
	const GpuAggCudaPrepared *prepared = r.prepared;
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);
	__shared__ unsigned long long sum;
	__shared__ unsigned int count;
	unsigned long long mine = 0;
	unsigned int n = 0;

	if (threadIdx.x == 0)
	{
		sum = 0;
		count = 0;
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < GPUAGG_RETURN_SLOTS; i += RETURN_THREADS)
	{
		const char *row = run_entry(prepared, &table, blockIdx.x, i);

		if (row == NULL ||
			!is_wanted(r.wanted, row, base + (uint64_t) blockIdx.x * GPUAGG_RETURN_SLOTS + i))
			continue;
		mine += group_bytes<CODES>(prepared, p, r.strings, row);
		n++;
	}
	if (n > 0)
	{
		atomicAdd(&sum, mine);
		atomicAdd(&count, n);
	}
	__syncthreads();
	if (threadIdx.x == 0)
	{
		bytes[blockIdx.x] = sum;
		groups[blockIdx.x] = count;
	}
}

template<bool CODES>
static __global__ void
return_runs_kernel(const GpuAggReturn r, const GpuAggTableRef table, uint64_t base,
				   uint64_t first, const uint64_t *starts, char *out)
{
	const GpuAggCudaPrepared *prepared = r.prepared;
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);
	__shared__ unsigned long long used;

	if (threadIdx.x == 0)
		used = 0;
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < GPUAGG_RETURN_SLOTS; i += RETURN_THREADS)
	{
		const uint64_t run = first + blockIdx.x;
		const char *row = run_entry(prepared, &table, run, i);
		uint64_t	bytes;
		char	   *to;

		if (row == NULL || !is_wanted(r.wanted, row, base + run * GPUAGG_RETURN_SLOTS + i))
			continue;
		bytes = group_bytes<CODES>(prepared, p, r.strings, row);
		to = out + starts[blockIdx.x] + atomicAdd(&used, bytes);
		if (CODES)
		{
			gpuagg_decode_group(r.strings, row, NULL, to);
			*(uint32_t *) to &= ~GPUAGG_HEAD_READY;
		}
		else
			put_group(prepared, p, row, to, bytes);
		if (prepared->has_moments)
			finish_moments(p, CODES ? &r.strings->from_layout : &prepared->layout, to);
	}
}

const GpuAggKernelRef gpuagg_cuda_return_kernels[] = {
	{"size_runs", (const void *) size_runs_kernel<false>, RETURN_THREADS, 0},
	{"size_runs_codes", (const void *) size_runs_kernel<true>, RETURN_THREADS, 0},
	{"emit_runs", (const void *) return_runs_kernel<false>, RETURN_THREADS, 0},
	{"emit_runs_codes", (const void *) return_runs_kernel<true>, RETURN_THREADS, 0},
	{NULL, NULL, 0, 0}
};

void
gpuagg_cuda_size(const GpuAggReturn *r, const GpuAggTableRef *table, uint64_t base,
				 uint64_t *bytes, uint32_t *groups, cudaStream_t stream)
{
	const uint32_t runs = (uint32_t) ((table->capacity + GPUAGG_RETURN_SLOTS - 1) /
									  GPUAGG_RETURN_SLOTS);

	if (runs > 0 && r->strings != NULL)
		size_runs_kernel<true>
			<<<runs, RETURN_THREADS, 0, stream>>>(*r, *table, base, bytes, groups);
	else if (runs > 0)
		size_runs_kernel<false>
			<<<runs, RETURN_THREADS, 0, stream>>>(*r, *table, base, bytes, groups);
}

void
gpuagg_cuda_return_groups(const GpuAggReturn *r, const GpuAggTableRef *table, uint64_t base,
						  uint64_t first, uint32_t n, const uint64_t *starts, char *out,
						  cudaStream_t stream)
{
	if (r->strings != NULL)
		return_runs_kernel<true>
			<<<n, RETURN_THREADS, 0, stream>>>(*r, *table, base, first, starts, out);
	else
		return_runs_kernel<false>
			<<<n, RETURN_THREADS, 0, stream>>>(*r, *table, base, first, starts, out);
}
