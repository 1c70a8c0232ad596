/*
 * table_probe.cuh
 *		The entry of a key in a group table in device memory: the walk that all
 *		kernels share, those compiled for a query too.
 *
 * Who adds a group takes an empty head to LOCKED by compare-and-swap, writes
 * the keys and publishes the head with release; who finds a head READY has
 * read it with acquire and may read the keys.  A LOCKED head is waited for:
 * threads of a warp progress independently (sm_70 on), and the lock is held
 * for a few stores.  Nothing is ever removed, and a LOCKED entry becomes
 * empty again only if its string found no room, before anyone passed it.
 *
 * What keys are is a template's matter: the registers of a row (RowKeys) or
 * another entry (EntryKeys).  Keys have
 *		uint32_t nulls() const		bit i: key i is NULL
 *		bool equal(const char *entry) const
 *		bool store(char *entry) const	false: no room for a string
 * and so is what counts groups, and knows whether there is room (table_count.cuh):
 *		bool full() const
 *		void add() const
 */
#ifndef GPUAGG_CUDA_KERNEL_TABLE_PROBE_CUH
#define GPUAGG_CUDA_KERNEL_TABLE_PROBE_CUH

#include "cuda/kernel/table_count.cuh"
#include "device/ops/hash.h"

/*
 * Entries that a row looks at before it is left for a larger table.  At a
 * fill of one half, runs as long as this do not occur.
 */
#define GPUAGG_MAX_PROBES 256

static __device__ __forceinline__ uint32_t
load_acquire(const uint32_t *p)
{
	uint32_t	v;

	asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
	return v;
}

static __device__ __forceinline__ void
store_release(uint32_t *p, uint32_t v)
{
	asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}

/*
 * Where a hash is at home: by its highest bits, within the window of those that
 * the table is for.  So a range of hashes is a range of the table, whatever the
 * capacity.  Mixed, where groups are those of a few ranges, which would crowd.
 */
static __device__ __forceinline__ uint64_t
table_home(const GpuAggTableRef *t, uint64_t hash)
{
	hash = t->mixed ? hash * GPUAGG_HASH_C1 : gpuagg_hash_window_spread(t->hash_window, hash);
	/* two steps: of one entry, 64 bits are shifted out */
	return (hash >> 1) >> __clzll((long long) t->capacity);
}

/*
 * The entry of these keys, added if need be and there is room.  NULL: there is none, for
 * the entry or for its strings.
 */
template <typename Keys, typename Room>
static __device__ char *
table_probe(uint32_t stride, const GpuAggTableRef *t, const Keys &keys,
			uint64_t hash, const Room &room)
{
	const uint64_t mask = t->capacity - 1;
	const uint32_t ready = GPUAGG_HEAD_READY | keys.nulls();
	uint64_t	at = table_home(t, hash);
	uint32_t	probes = 0;

	while (probes < GPUAGG_MAX_PROBES && probes <= mask)
	{
		char	   *entry = t->slots + at * stride;
		uint32_t   *head = (uint32_t *) entry;
		uint32_t	seen = load_acquire(head);

		if (seen == 0)
		{
			if (room.full())
				return NULL;
			seen = atomicCAS(head, 0u, GPUAGG_HEAD_LOCKED);
			if (seen == 0)
			{
				bool		stored = keys.store(entry);

				store_release(head, stored ? ready : 0);
				if (!stored)
					return NULL;
				room.add();
				return entry;
			}
			continue;
		}
		if (seen == GPUAGG_HEAD_LOCKED)
			continue;
		if (seen == ready && keys.equal(entry))
			return entry;
		at = (at + 1) & mask;
		probes++;
	}
	return NULL;
}

/*
 * table_probe of a single key of 4 bytes, whose head and key are one word that is written at once:
 * nothing to lock, to publish or to wait for, but for those who add the other way.
 */
template <typename Room>
static __device__ __forceinline__ char *
table_probe_word(uint32_t stride, const GpuAggTableRef *t, unsigned long long mine, uint64_t hash,
				 const Room &room)
{
	const uint64_t mask = t->capacity - 1;
	uint64_t	at = table_home(t, hash);
	uint32_t	probes = 0;

	while (probes < GPUAGG_MAX_PROBES && probes <= mask)
	{
		char	   *entry = t->slots + at * stride;
		unsigned long long seen;

		asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(entry) : "memory");
		if (seen == 0)
		{
			if (room.full())
				return NULL;
			seen = atomicCAS((unsigned long long *) entry, 0ull, mine);
			if (seen == 0)
			{
				room.add();
				return entry;
			}
		}
		if (seen == mine)
			return entry;
		if ((uint32_t) seen == GPUAGG_HEAD_LOCKED)
			continue;
		at = (at + 1) & mask;
		probes++;
	}
	return NULL;
}

#endif							/* GPUAGG_CUDA_KERNEL_TABLE_PROBE_CUH */
