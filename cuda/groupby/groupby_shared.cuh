/*
 * groupby_shared.cuh
 *		Words in shared memory, by their 32-bit addresses: an address of the
 *		generic kind takes two registers, and the compiler does not always see
 *		that it is one of shared memory (atomics.h).
 */
#ifndef GPUAGG_CUDA_GROUPBY_SHARED_CUH
#define GPUAGG_CUDA_GROUPBY_SHARED_CUH

#include <stdint.h>

static __device__ __forceinline__ uint32_t
shared_load(uint32_t at)
{
	uint32_t	v;

	asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
	return v;
}

static __device__ __forceinline__ uint64_t
shared_load64(uint32_t at)
{
	uint64_t	v;

	asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(v) : "r"(at) : "memory");
	return v;
}

static __device__ __forceinline__ void
shared_store(uint32_t at, uint32_t v)
{
	asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" : : "r"(at), "r"(v) : "memory");
}

static __device__ __forceinline__ void
shared_store64(uint32_t at, uint64_t v)
{
	asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" : : "r"(at), "l"(v) : "memory");
}

static __device__ __forceinline__ uint32_t
shared_cas(uint32_t at, uint32_t old, uint32_t v)
{
	uint32_t	seen;

	asm volatile("atom.relaxed.cta.shared.cas.b32 %0, [%1], %2, %3;"
				 : "=r"(seen) : "r"(at), "r"(old), "r"(v) : "memory");
	return seen;
}

static __device__ __forceinline__ uint64_t
shared_cas64(uint32_t at, uint64_t old, uint64_t v)
{
	uint64_t	seen;

	asm volatile("atom.relaxed.cta.shared.cas.b64 %0, [%1], %2, %3;"
				 : "=l"(seen) : "r"(at), "l"(old), "l"(v) : "memory");
	return seen;
}

static __device__ __forceinline__ uint32_t
shared_add_old(uint32_t at, uint32_t v)
{
	uint32_t	old;

	asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], %2;"
				 : "=r"(old) : "r"(at), "r"(v) : "memory");
	return old;
}

static __device__ __forceinline__ void
shared_add(uint32_t at, uint32_t v)
{
	asm volatile("red.relaxed.cta.shared.add.u32 [%0], %1;" : : "r"(at), "r"(v) : "memory");
}

static __device__ __forceinline__ void
shared_extreme(uint32_t at, int32_t v, bool min)
{
	if (min)
		asm volatile("red.relaxed.cta.shared.min.s32 [%0], %1;" : : "r"(at), "r"(v) : "memory");
	else
		asm volatile("red.relaxed.cta.shared.max.s32 [%0], %1;" : : "r"(at), "r"(v) : "memory");
}

static __device__ __forceinline__ uint4
shared_load_quad(uint32_t at)
{
	uint4		v;

	asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at) : "memory");
	return v;
}

static __device__ __forceinline__ char *
shared_pointer(uint32_t at)
{
	return (char *) __cvta_shared_to_generic(at);
}

/* [at, end) of shared memory, multiples of 4, from all threads of the block */
static __device__ __forceinline__ void
shared_fill(uint32_t at, uint32_t end, uint32_t v)
{
	const uint32_t quads = (at + 15) / 16 * 16;
	const uint32_t last = end / 16 * 16;

	for (uint32_t p = at + 4 * threadIdx.x; p < min(quads, end); p += 4 * blockDim.x)
		shared_store(p, v);
	for (uint32_t p = quads + 16 * threadIdx.x; p < last; p += 16 * blockDim.x)
		asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" : : "r"(p), "r"(v) : "memory");
	for (uint32_t p = max(last, quads) + 4 * threadIdx.x; p < end; p += 4 * blockDim.x)
		shared_store(p, v);
}

/* [at, end) of shared memory, multiples of 8, from all threads of the block */
static __device__ __forceinline__ void
shared_fill64(uint32_t at, uint32_t end, uint64_t v)
{
	const uint32_t quads = (at + 15) / 16 * 16;
	const uint32_t last = end / 16 * 16;

	if (threadIdx.x == 0 && at < quads)
		shared_store64(at, v);
	for (uint32_t p = quads + 16 * threadIdx.x; p < last; p += 16 * blockDim.x)
		asm volatile("st.shared.v2.u64 [%0], {%1, %1};" : : "r"(p), "l"(v) : "memory");
	if (threadIdx.x == 0 && last < end)
		shared_store64(last, v);
}

#endif							/* GPUAGG_CUDA_GROUPBY_SHARED_CUH */
