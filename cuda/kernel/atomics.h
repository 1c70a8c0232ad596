/*
 * atomics.h
 *		Updates of states that many threads share: what device/ops/group.h calls
 *		GPUAGG_UPDATE_..., as atomics.  Include before device/ops/group.h.
 *
 * The host versions are never called; they let shared functions compile for
 * both sides.
 *
 * Each says by itself whether the state is in shared or in global memory.
 * Left to the compiler (CUDA 13.0, sm_90), an atomic on a generic address went
 * to global memory for all lanes of a warp, although some of them had their
 * entry in shared memory.
 *
 * A minimum that a value cannot lower needs no atomic.  A plain look at the
 * old value, however stale, is no less than the present one, so it may only
 * let an atomic through that changes nothing.  In shared memory, where
 * atomics are cheap, there is no such look (racecheck would call it a race).
 */
#ifndef GPUAGG_CUDA_KERNEL_ATOMICS_H
#define GPUAGG_CUDA_KERNEL_ATOMICS_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDA_ARCH__
#define GPUAGG_ATOMIC(type, reg, op, plain) \
	type		old; \
	if (__isShared(p)) \
		asm volatile("atom.shared." op " %0, [%1], %2;" : "=" reg(old) \
					 : "r"((uint32_t) __cvta_generic_to_shared(p)), reg(v) : "memory"); \
	else \
		asm volatile("atom.global." op " %0, [%1], %2;" : "=" reg(old) \
					 : "l"(__cvta_generic_to_global(p)), reg(v) : "memory"); \
	return old
#else
#define GPUAGG_ATOMIC(type, reg, op, plain) \
	type		old = *p; \
	*p = (type) (plain); \
	return old
#endif

#define GPUAGG_ATOMIC_FN static __host__ __device__ __forceinline__

#ifdef __CUDA_ARCH__
/* One 32-bit word in shared memory; its old value */
static __device__ __forceinline__ uint32_t
gpuagg_shared_add_u32(uint32_t address, uint32_t v)
{
	uint32_t	old;

	asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(v) : "memory");
	return old;
}
#endif

/*
 * Adds, and returns the carry of this addition alone, whatever others add
 * meanwhile.  In shared memory two additions of 32 bits, of which the second
 * is seldom needed: 64 bits at once would be a loop there.  Every carry is
 * passed on by who caused it, so the sum is right when all have added.
 */
GPUAGG_ATOMIC_FN uint64_t
gpuagg_atomic_add_carry(uint64_t *p, uint64_t v)
{
#ifdef __CUDA_ARCH__
	uint64_t	old;

	if (__isShared(p))
	{
		uint32_t	address = (uint32_t) __cvta_generic_to_shared(p);
		uint32_t	low = (uint32_t) v;
		uint64_t	high = v >> 32;

		high += (uint32_t) (gpuagg_shared_add_u32(address, low) + low) < low;
		if ((uint32_t) high == 0)
			return high >> 32;
		return (gpuagg_shared_add_u32(address + 4, (uint32_t) high) + high) >> 32;
	}
	asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old)
				 : "l"(__cvta_generic_to_global(p)), "l"(v) : "memory");
	return old + v < v;
#else
	return (*p += v) < v;
#endif
}

GPUAGG_ATOMIC_FN double
gpuagg_atomic_add_f64(double *p, double v)
{
	GPUAGG_ATOMIC(double, "d", "add.f64", old + v);
}

/*
 * v, if nothing else is there yet; what is there then.  It changes once, so whoever
 * sees something has the last of it.
 */
GPUAGG_ATOMIC_FN double
gpuagg_atomic_once_f64(double *p, uint64_t none, double v)
{
#ifdef __CUDA_ARCH__
	const uint64_t mine = (uint64_t) __double_as_longlong(v);
	uint64_t	old = none;

	if (__isShared(p))
		asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
					 : "=l"(old)
					 : "r"((uint32_t) __cvta_generic_to_shared(p)), "l"(none), "l"(mine)
					 : "memory");
	else
	{
		asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(old) : "l"(p) : "memory");
		if (old == none)
			asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(old)
						 : "l"(__cvta_generic_to_global(p)), "l"(none), "l"(mine) : "memory");
	}
	return old == none ? v : __longlong_as_double((long long) old);
#else
	uint64_t	old;

	memcpy(&old, p, sizeof(old));
	if (old == none)
		*p = v;
	return *p;
#endif
}

GPUAGG_ATOMIC_FN int64_t
gpuagg_atomic_min_i64(int64_t *p, int64_t v)
{
#ifdef __CUDA_ARCH__
	if (!__isShared(p) && *(volatile int64_t *) p <= v)
		return v;
#endif
	GPUAGG_ATOMIC(int64_t, "l", "min.s64", v < old ? v : old);
}

GPUAGG_ATOMIC_FN int64_t
gpuagg_atomic_max_i64(int64_t *p, int64_t v)
{
#ifdef __CUDA_ARCH__
	if (!__isShared(p) && *(volatile int64_t *) p >= v)
		return v;
#endif
	GPUAGG_ATOMIC(int64_t, "l", "max.s64", v > old ? v : old);
}

GPUAGG_ATOMIC_FN uint64_t
gpuagg_atomic_and_u64(uint64_t *p, uint64_t v)
{
	GPUAGG_ATOMIC(uint64_t, "l", "and.b64", old & v);
}

GPUAGG_ATOMIC_FN uint64_t
gpuagg_atomic_or_u64(uint64_t *p, uint64_t v)
{
	GPUAGG_ATOMIC(uint64_t, "l", "or.b64", old | v);
}

GPUAGG_ATOMIC_FN uint64_t
gpuagg_atomic_xor_u64(uint64_t *p, uint64_t v)
{
	GPUAGG_ATOMIC(uint64_t, "l", "xor.b64", old ^ v);
}

#define GPUAGG_UPDATE_ADD_U64(p, v) ((void) gpuagg_atomic_add_carry(p, v))
#define GPUAGG_UPDATE_ADD_F64(p, v) gpuagg_atomic_add_f64(p, v)
#define GPUAGG_UPDATE_ONCE_F64(p, none, v) gpuagg_atomic_once_f64(p, none, v)
#define GPUAGG_UPDATE_MIN_I64(p, v) gpuagg_atomic_min_i64(p, v)
#define GPUAGG_UPDATE_MAX_I64(p, v) gpuagg_atomic_max_i64(p, v)
#define GPUAGG_UPDATE_AND_U64(p, v) gpuagg_atomic_and_u64(p, v)
#define GPUAGG_UPDATE_OR_U64(p, v) gpuagg_atomic_or_u64(p, v)
#define GPUAGG_UPDATE_XOR_U64(p, v) gpuagg_atomic_xor_u64(p, v)
#define GPUAGG_UPDATE_ADD_CARRY(p, v) gpuagg_atomic_add_carry(p, v)

#endif							/* GPUAGG_CUDA_KERNEL_ATOMICS_H */
