/*
 * encode.cu
 *		Strings to codes, in the kernels of a dictionary (dictionary.h).
 */
#include "cuda/columns/dictionary.h"
#include "device/ops/hash.h"
#include "device/ops/ops_bytes.h"

#define ENCODE_THREADS 256

/* Any seed: what is looked up here leaves no trace in results. */
#define ENCODE_SEED UINT64_C(0x9E3779B97F4A7C15)

static __device__ __forceinline__ unsigned long long
load_slot(const unsigned long long *p)
{
	unsigned long long v;

	asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}

static __device__ __forceinline__ void
store_slot(unsigned long long *p, unsigned long long v)
{
	asm volatile("st.release.gpu.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory");
}

static __device__ __forceinline__ GpuAggBytes *
string_of(const GpuAggDictionaryRef &d, uint32_t code)
{
	return &d.strings[code / GPUAGG_STRING_BLOCK][code % GPUAGG_STRING_BLOCK];
}

static __device__ __forceinline__ uint64_t
string_hash(GpuAggBytes b)
{
	return gpuagg_hash_finish(gpuagg_hash_bytes(b.data, b.len, ENCODE_SEED));
}

/* A new string, whose slot is locked; its code, or GPUAGG_NO_CODE */
static __device__ int32_t
string_add(const GpuAggDictionaryRef &d, GpuAggBytes b)
{
	unsigned long long at;
	uint32_t	code;
	char	   *to;

	if (*(volatile uint32_t *) &d.head->full != 0)
		return GPUAGG_NO_CODE;
	code = atomicAdd(&d.head->entries, 1u);
	at = code < GPUAGG_DICTIONARY_ENTRIES ?
		atomicAdd(&d.head->arena_used, (unsigned long long) b.len) :
		0;
	if (code >= GPUAGG_DICTIONARY_ENTRIES || at + b.len > d.arena_bytes)
	{
		*(volatile uint32_t *) &d.head->full = 1;
		return GPUAGG_NO_CODE;
	}
	to = d.arena + at;
	for (uint64_t i = 0; i < b.len; i++)
		to[i] = b.data[i];
	string_of(d, code)->data = to;
	string_of(d, code)->len = b.len;
	return (int32_t) code;
}

static __device__ int32_t
string_code(const GpuAggDictionaryRef &d, GpuAggBytes b)
{
	const uint64_t hash = string_hash(b);
	uint64_t	at = hash & (d.capacity - 1);

	/* it is half empty, so an empty slot is found; without any it has no string */
	while (d.capacity > 0)
	{
		unsigned long long seen = load_slot(&d.slots[at]);

		if (seen == 0)
		{
			seen = atomicCAS(&d.slots[at], 0ull, GPUAGG_SLOT_LOCKED);
			if (seen == 0)
			{
				const int32_t code = string_add(d, b);

				store_slot(&d.slots[at], code == GPUAGG_NO_CODE ? 0 :
						   (hash >> 32) << 32 | (uint32_t) (code + 1));
				return code;
			}
			continue;
		}
		if (seen == GPUAGG_SLOT_LOCKED)
			continue;
		if (seen >> 32 == hash >> 32)
		{
			const GpuAggBytes *s = string_of(d, (uint32_t) seen - 1);

			if (s->len == b.len && gpuagg_memcmp(s->data, b.data, b.len) == 0)
				return (int32_t) ((uint32_t) seen - 1);
		}
		at = (at + 1) & (d.capacity - 1);
	}
	return GPUAGG_NO_CODE;
}

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
		code = string_code(d, b);
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
		codes[i] = string_code(d, strings[i]);
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
