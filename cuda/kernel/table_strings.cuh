/*
 * table_strings.cuh
 *		Strings of the group table in device memory, for all kernels that add to it,
 *		those compiled for a query too.
 *
 * Long ones are copied to the table's arena, a region that is only ever added to;
 * entries point there.  MIN and MAX of strings change under the entry's lock; the
 * arena's space of a replaced string is used again if the next one fits.
 */
#ifndef GPUAGG_CUDA_KERNEL_TABLE_STRINGS_CUH
#define GPUAGG_CUDA_KERNEL_TABLE_STRINGS_CUH

#include "cuda/kernel/atomics.h"
#include "cuda/kernel/table_probe.cuh"
#include "device/ops/group.h"

/* Before a locked entry is looked at again */
#define LOCKED_NS 500

/* ---------- the arena ---------- */

/* Room of a string of that length: lengths that grow find room to grow. */
static __device__ __forceinline__ uint64_t
arena_room(uint64_t len)
{
	return len <= 32 ? 32 : (uint64_t) 1 << (64 - __clzll((long long) (len - 1)));
}

/* A copy of the string in the arena, or NULL. */
static __device__ const char *
arena_copy(const GpuAggTableRef *t, GpuAggBytes b)
{
	unsigned long long room = arena_room(b.len);
	unsigned long long at;
	char	   *to;

	/* a full arena is not counted further: the count would overflow */
	if (*(volatile unsigned long long *) &t->head->arena_used + room > t->arena_bytes ||
		(at = atomicAdd(&t->head->arena_used, room)) + room > t->arena_bytes)
	{
		atomicMax(&t->head->arena_need, room);
		return NULL;
	}
	to = t->arena + at;
	for (uint64_t i = 0; i < b.len; i++)
		to[i] = b.data[i];
	return to;
}

/* A long string of a slot, which lies elsewhere, into the arena.  False: no room. */
static __device__ bool
string_slot_own(const GpuAggTableRef *t, char *slot, GpuAggBytes b)
{
	if (b.len <= GPUAGG_STRING_INLINE)
		return true;
	b.data = arena_copy(t, b);
	if (b.data == NULL)
		return false;
	gpuagg_string_slot_store(slot, b);
	return true;
}

/* ---------- strings as states ---------- */

/* Bytes [from, from + n) of a string, the first one highest; 0 behind its end */
static __device__ __forceinline__ uint64_t
string_word(GpuAggBytes b, uint32_t from, uint32_t n)
{
	uint64_t	word = 0;

	for (uint32_t i = from; i < from + n; i++)
		word = word << 8 | (i < b.len ? (uint8_t) b.data[i] : 0);
	return word;
}

static __device__ __forceinline__ uint32_t
swapped(uint32_t word)
{
	return __byte_perm(word, 0, 0x0123);
}

/* A word of a state that others may be changing; what is looked at next is no older. */
static __device__ __forceinline__ uint64_t
load_word(const char *p)
{
	uint64_t	v;

	asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}

/*
 * The bytes behind the prefix, as a number, of a state whose first word was just seen.
 * False: it has changed since, or does.  Both words have to be of one string: a long one has
 * an address in the second, which compares as nothing.
 */
static __device__ bool
string_rest(const uint32_t *lock, const char *state, uint64_t word, uint64_t *rest)
{
	const uint32_t changes = load_acquire(&lock[1]);
	const uint64_t again = load_word(state);
	const uint64_t bytes = load_word(state + 8);

	*rest = (uint64_t) swapped((uint32_t) bytes) << 32 | swapped((uint32_t) (bytes >> 32));
	return changes % 2 == 0 && again == word && load_acquire(&lock[1]) == changes;
}

/*
 * Can the value be told to lose without the lock?  A state only ever moves one way, so
 * a stale look at it errs towards asking.
 */
static __device__ bool
surely_loses(uint32_t op, const uint32_t *lock, const char *state, GpuAggBytes v)
{
	const bool	min = op == GPUAGG_TRANS_MIN_BYTES;
	const uint64_t seen = load_word(state);
	const uint32_t len = (uint32_t) seen;
	const uint64_t word = swapped((uint32_t) (seen >> 32));
	uint64_t	rest;
	uint64_t	mine;

	/* in no other order do prefixes tell: blanks at the end may count for nothing */
	if (len == GPUAGG_STRING_NONE || (!min && op != GPUAGG_TRANS_MAX_BYTES))
		return false;
	mine = string_word(v, 0, 4);
	if (mine != word)
		return min ? mine > word : mine < word;
	if (len > GPUAGG_STRING_INLINE || v.len > GPUAGG_STRING_INLINE ||
		!string_rest(lock, state, seen, &rest))
		return false;
	mine = string_word(v, 4, 8);
	if (mine != rest)
		return min ? mine > rest : mine < rest;
	return min ? v.len >= len : v.len <= len;
}

/*
 * Locked.  Writes a slot in two whole words, because surely_loses() looks at them without the
 * lock; behind it is a count of changes, odd while there is one.
 */
static __device__ void
string_slot_publish(uint32_t *lock, char *state, GpuAggBytes v)
{
	const uint32_t changes = lock[1];
	union
	{
		char		bytes[sizeof(GpuAggStringSlot)];
		uint64_t	words[2];
	}			slot;

	gpuagg_string_slot_store(slot.bytes, v);
	((volatile uint32_t *) lock)[1] = changes + 1;
	__threadfence();
	((volatile uint64_t *) state)[1] = slot.words[1];
	((volatile uint64_t *) state)[0] = slot.words[0];
	store_release(&lock[1], changes + 2);
}

/* Locked.  False: no room. */
static __device__ bool
string_replace(const GpuAggTableRef *t, uint32_t *lock, char *state, GpuAggBytes v)
{
	const GpuAggBytes old = gpuagg_string_slot_bytes(state);

	if (v.len > GPUAGG_STRING_INLINE)
	{
		if (gpuagg_string_slot_is_long(state) && v.len <= arena_room(old.len))
		{
			for (uint64_t i = 0; i < v.len; i++)
				((char *) old.data)[i] = v.data[i];
			v.data = old.data;
		}
		else
			v.data = arena_copy(t, v);
		if (v.data == NULL)
			return false;
	}
	string_slot_publish(lock, state, v);
	return true;
}

/* A string enters a MIN or MAX state of an entry.  False: no room. */
static __device__ bool
string_step(const GpuAggTableRef *t, char *entry, uint32_t lock_off, uint32_t off, uint32_t op,
			GpuAggBytes v)
{
	uint32_t   *lock = (uint32_t *) (entry + lock_off);
	bool		room = true;
	bool		done = surely_loses(op, lock, entry + off, v);

	while (!done)
	{
		/* many wait where there are few groups: seldom enough that who has the lock gets on */
		if (atomicCAS(lock, 0u, 1u) != 0)
		{
			__nanosleep(LOCKED_NS);
			done = surely_loses(op, lock, entry + off, v);
			continue;
		}
		__threadfence();
		if (gpuagg_state_prefers(op, entry + off, v))
			room = string_replace(t, lock, entry + off, v);
		store_release(lock, 0);
		done = true;
	}
	return room;
}

#endif							/* GPUAGG_CUDA_KERNEL_TABLE_STRINGS_CUH */
