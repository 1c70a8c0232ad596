/*
 * dictionary.cuh
 *		Strings to codes, in kernels (dictionary.h).
 */
#ifndef GPUAGG_CUDA_COLUMNS_DICTIONARY_CUH
#define GPUAGG_CUDA_COLUMNS_DICTIONARY_CUH

#include "cuda/columns/dictionary.h"
#include "device/ops/hash.h"
#include "device/ops/ops_bytes.h"

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

/*
 * A new string, whose slot is locked; its code, or GPUAGG_NO_CODE.  stays: its bytes do, as long as
 * the dictionary, and are not copied.
 */
static __device__ int32_t
string_add(const GpuAggDictionaryRef &d, GpuAggBytes b, bool stays)
{
	unsigned long long at;
	uint32_t	code;
	char	   *to;

	if (*(volatile uint32_t *) &d.head->full != 0)
		return GPUAGG_NO_CODE;
	code = atomicAdd(&d.head->entries, 1u);
	at = code < GPUAGG_DICTIONARY_ENTRIES && !stays ?
		atomicAdd(&d.head->arena_used, (unsigned long long) b.len) :
		0;
	if (code >= GPUAGG_DICTIONARY_ENTRIES || (!stays && at + b.len > d.arena_bytes))
	{
		*(volatile uint32_t *) &d.head->full = 1;
		return GPUAGG_NO_CODE;
	}
	to = d.arena + at;
	for (uint64_t i = 0; i < b.len && !stays; i++)
		to[i] = b.data[i];
	string_of(d, code)->data = stays ? b.data : to;
	string_of(d, code)->len = b.len;
	return (int32_t) code;
}

static __device__ int32_t
string_code(const GpuAggDictionaryRef &d, GpuAggBytes b, bool stays)
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
				const int32_t code = string_add(d, b, stays);

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

#endif							/* GPUAGG_CUDA_COLUMNS_DICTIONARY_CUH */
