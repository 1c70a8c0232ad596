/*
 * hashed.cuh
 *		The frame of few groups whose keys are no small numbers: a hash table of each
 *		block in shared memory.  Rows that it has no room for go to the task's table;
 *		its groups are written out as entries, which are merged into that when all
 *		blocks are through (columns/numbered.cu).
 *
 * A slot's head is 0, LOCKED while its keys are written, or says which keys are
 * NULL, as in the task's table.
 */
#ifndef GPUAGG_CUDA_FRAME_HASHED_CUH
#define GPUAGG_CUDA_FRAME_HASHED_CUH

#include "cuda/frame/shared.cuh"
#include "cuda/frame/single.cuh"

/*
 * A slot's words are read by loads that threads may race with, in the order that the
 * head's is an acquire: an atomic that changes nothing costs as much as one that does,
 * and lanes with the same group take turns at it.
 */
static __device__ __forceinline__ uint32_t
hashed_head(const uint32_t *slot)
{
	uint32_t	v;

	asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(v)
				 : "r"((uint32_t) __cvta_generic_to_shared(slot)) : "memory");
	return v;
}

/* Slots that a row looks at */
#define HASHED_PROBES 16
#define HASHED_NONE 0xFFFFFFFFu

template <typename P>
struct FrameHashed
{
	static constexpr bool LONG = true;
	static constexpr bool LOSES = true;
	const GpuAggFrameArgs &a;
	char	   *keys;			/* heads and keys of all slots */
	FrameShared t;
	uint32_t	copy;
	uint32_t	misses;

	/* Head and keys as they lie in a slot */
	struct Image
	{
		uint32_t	words[P::STATES_OFF / 4];
	};

	/*
	 * By the bytes of the keys: -0 and 0, and NaNs, become one group when they are
	 * merged.  Long strings are compared, for equal ones may lie in many places.
	 */
	__device__ __forceinline__ uint32_t
	find(const typename P::Row &row, uint64_t hash) const
	{
		uint32_t	at = (uint32_t) (hash >> 20) & (a.groups - 1);
		uint32_t	probes = 0;
		Image		image;

		image_make(row, &image);
		while (probes < HASHED_PROBES)
		{
			uint32_t   *slot = (uint32_t *) (keys + at * P::STATES_OFF);
			uint32_t	seen = hashed_head(slot);

			if (seen == 0)
			{
				seen = atomicCAS(slot, 0u, GPUAGG_HEAD_LOCKED);
				if (seen == 0)
				{
					take(slot, image);
					return at;
				}
			}
			if (seen == GPUAGG_HEAD_LOCKED)
				continue;
			if (seen == image.words[0] && (P::STRINGS ? has_strings(slot, row) : has(slot, image)))
				return at;
			at = (at + 1) & (a.groups - 1);
			probes++;
		}
		return HASHED_NONE;
	}

	static __device__ __forceinline__ void
	image_make(const typename P::Row &row, Image *image)
	{
		union
		{
			char		bytes[P::STATES_OFF];
			uint64_t	align;
		}			entry;

		memset(entry.bytes, 0, sizeof(entry.bytes));
		P::store(row, entry.bytes);
		memcpy(image->words, entry.bytes, sizeof(image->words));
		image->words[0] = GPUAGG_HEAD_READY | P::nulls(row);
	}

	static __device__ __forceinline__ void
	take(uint32_t *slot, const Image &image)
	{
		for (uint32_t w = 1; w < P::STATES_OFF / 4; w++)
			(void) atomicExch(slot + w, image.words[w]);
		__threadfence_block();
		(void) atomicExch(slot, image.words[0]);
	}

	static __device__ __forceinline__ bool
	has(const uint32_t *slot, const Image &image)
	{
		bool		same = true;

		for (uint32_t w = 1; same && w < P::STATES_OFF / 4; w++)
			same = shared_word(slot + w) == image.words[w];
		return same;
	}

	static __device__ __forceinline__ bool
	has_strings(const uint32_t *slot, const typename P::Row &row)
	{
		union
		{
			char		bytes[P::STATES_OFF];
			uint32_t	words[P::STATES_OFF / 4];
			uint64_t	align;
		}			entry;

		for (uint32_t w = 1; w < P::STATES_OFF / 4; w++)
			entry.words[w] = shared_word(slot + w);
		return P::equal(row, entry.bytes);
	}

	__device__ __forceinline__ bool
	enter(const typename P::Row &row)
	{
		const uint64_t hash = P::hash(row, a.seed);
		const uint32_t slot = find(row, hash);

		if (slot != HASHED_NONE)
		{
			t.group = (slot << a.copies_log2) + copy;
			shared_enter<P>(t, row);
			return true;
		}
		misses++;
		return single_enter<P>(a, row, hash);
	}
};

/* A group that is to be merged: head and keys as they are, states of its own */
template <typename P>
static __device__ __forceinline__ void
hashed_write(const GpuAggFrameArgs &a, const char *slot, const FrameHeld *held)
{
	char	   *entry = a.entries + (uint64_t) atomicAdd(a.nentries, 1u) * P::STRIDE;
	FrameOut	out = {entry, held};

	for (uint32_t w = 0; w < P::STATES_OFF / 4; w++)
		((uint32_t *) entry)[w] = ((const uint32_t *) slot)[w];
	P::states(out);
}

template <typename P>
static __device__ __forceinline__ void
frame_hashed(const GpuAggFrameArgs &a)
{
	extern __shared__ uint4 shared_quads[];
	char	   *keys = (char *) shared_quads;
	FrameHashed<P> frame = {a, keys, {}, threadIdx.x & ((1u << a.copies_log2) - 1), 0};
	FrameCounts counts = {};

	#pragma unroll 1
	for (uint32_t w = threadIdx.x; w < a.groups * (P::STATES_OFF / 4); w += blockDim.x)
		((uint32_t *) keys)[w] = 0;
	table_count_begin(a.table);
	frame.t = shared_begin<P>(keys + a.groups * P::STATES_OFF, a.groups, a.copies_log2);
	frame_walk<P>(a, frame, &counts);
	counts.misses = frame.misses;
	frame_report<P>(counts, a.head);
	table_count_end(a.table);
	#pragma unroll 1
	for (uint32_t n = threadIdx.x; n < a.groups; n += blockDim.x)
	{
		const char *slot = keys + n * P::STATES_OFF;
		FrameGather<P> gather;

		if (*(const uint32_t *) slot == 0)
			continue;
		shared_gather<P>(frame.t, n, a.copies_log2, &gather);
		hashed_write<P>(a, slot, gather.held);
	}
}

#endif							/* GPUAGG_CUDA_FRAME_HASHED_CUH */
