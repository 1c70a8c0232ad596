/*
 * encode.cu
 *		Strings to codes, in the kernels of a dictionary (dictionary.h).
 */
#include "cuda/columns/dictionary.cuh"

#define ENCODE_THREADS 256

static __global__ void
__launch_bounds__(ENCODE_THREADS)
	encode_decoded_kernel(const __grid_constant__ GpuAggDictionaryRef d,
						  const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch decoded,
						  uint32_t column)
{
	const uint64_t *pairs = decoded.words +
		(uint64_t) prepared->string_words[column] * decoded.nrows;
	uint64_t   *codes = decoded.words + (uint64_t) prepared->code_words[column] * decoded.nrows;
	const bool	needed = prepared->column_words[column] == prepared->code_words[column];
	uint32_t	row = blockIdx.x * blockDim.x + threadIdx.x;

	for (; row < decoded.nrows; row += gridDim.x * blockDim.x)
	{
		GpuAggBytes b;
		int32_t		code;

		if (!decoded.valid[row] ||
			decoded.states[(uint64_t) column * decoded.nrows + row] != GPUAGG_ST_VALUE)
			continue;
		b.data = (const char *) (uintptr_t) pairs[2 * (uint64_t) row];
		b.len = pairs[2 * (uint64_t) row + 1];
		code = string_code(d, b, false);
		codes[row] = (uint64_t) (int64_t) code;
		if (code == GPUAGG_NO_CODE && needed)
			atomicAdd(&decoded.head->nrefused, 1u);
	}
}

static __global__ void
encode_strings_kernel(const __grid_constant__ GpuAggDictionaryRef d, const GpuAggBytes *strings,
					  uint32_t n, int32_t *codes)
{
	uint32_t	i = blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < n; i += gridDim.x * blockDim.x)
		codes[i] = string_code(d, strings[i], false);
}

/* Strings are different, so each takes the first empty slot. */
static __global__ void
move_slots_kernel(const unsigned long long *from, uint64_t capacity,
				  const __grid_constant__ GpuAggDictionaryRef to)
{
	uint64_t	i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < capacity; i += (uint64_t) gridDim.x * blockDim.x)
	{
		const unsigned long long slot = from[i];
		uint64_t	at;

		if (slot == 0)
			continue;
		at = string_hash(*string_of(to, (uint32_t) slot - 1)) & (to.capacity - 1);
		while (atomicCAS(&to.slots[at], 0ull, slot) != 0)
			at = (at + 1) & (to.capacity - 1);
	}
}

static __global__ void
list_strings_kernel(GpuAggBytes *const *strings, uint32_t first, uint32_t n, GpuAggBytes *out)
{
	uint32_t	i = blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < n; i += gridDim.x * blockDim.x)
		out[i] = strings[(first + i) / GPUAGG_STRING_BLOCK][(first + i) % GPUAGG_STRING_BLOCK];
}

static __global__ void
gather_strings_kernel(const GpuAggBytes *strings, const uint64_t *starts, uint32_t n, char *out)
{
	uint32_t	i = blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < n; i += gridDim.x * blockDim.x)
		for (uint64_t b = 0; b < strings[i].len; b++)
			out[starts[i] + b] = strings[i].data[b];
}

/* ---------- launches ---------- */

static uint32_t
blocks_for(uint64_t n)
{
	const uint64_t blocks = (n + ENCODE_THREADS - 1) / ENCODE_THREADS;

	return blocks < 1024 ? (uint32_t) blocks : 1024;
}

void
gpuagg_cuda_encode_decoded(const GpuAggDictionaryRef *d, const GpuAggCudaPrepared *prepared,
						 const GpuAggDecodedBatch *decoded, uint32_t column, cudaStream_t stream)
{
	encode_decoded_kernel<<<blocks_for(decoded->nrows), ENCODE_THREADS, 0, stream>>>
		(*d, prepared, *decoded, column);
}

void
gpuagg_cuda_encode_strings(const GpuAggDictionaryRef *d, const GpuAggBytes *strings, uint32_t n,
						   int32_t *codes, cudaStream_t stream)
{
	encode_strings_kernel<<<blocks_for(n), ENCODE_THREADS, 0, stream>>>(*d, strings, n, codes);
}

void
gpuagg_cuda_dictionary_move(const unsigned long long *from, uint64_t capacity,
							const GpuAggDictionaryRef *to, cudaStream_t stream)
{
	move_slots_kernel<<<blocks_for(capacity), ENCODE_THREADS, 0, stream>>>(from, capacity, *to);
}

void
gpuagg_cuda_dictionary_list(GpuAggBytes *const *strings, uint32_t first, uint32_t n,
							GpuAggBytes *out, cudaStream_t stream)
{
	list_strings_kernel<<<blocks_for(n), ENCODE_THREADS, 0, stream>>>(strings, first, n, out);
}

void
gpuagg_cuda_dictionary_gather(const GpuAggBytes *strings, const uint64_t *starts, uint32_t n,
							  char *out, cudaStream_t stream)
{
	gather_strings_kernel<<<blocks_for(n), ENCODE_THREADS, 0, stream>>>(strings, starts, n, out);
}
