/*
 * single.cuh
 *		The frame of a single pass: each row goes to its group in the task's table.
 */
#ifndef GPUAGG_CUDA_FRAME_SINGLE_CUH
#define GPUAGG_CUDA_FRAME_SINGLE_CUH

#include "cuda/frame/number.cuh"
#include "cuda/frame/together.cuh"
#include "cuda/kernel/table_strings.cuh"

/* Keys of a row, as table_probe() asks for them; long strings go to the table's arena. */
template <typename P>
struct FrameKeys
{
	const typename P::Row &row;
	const GpuAggTableRef &table;

	__device__ __forceinline__ uint32_t
	nulls(void) const
	{
		return P::nulls(row);
	}

	__device__ __forceinline__ bool
	equal(const char *entry) const
	{
		return P::equal(row, entry);
	}

	__device__ __forceinline__ bool
	store(char *entry) const
	{
		P::store(row, entry);
		return P::own(*this, row, entry);
	}

	__device__ __forceinline__ bool
	own(char *slot, GpuAggBytes b) const
	{
		return string_slot_own(&table, slot, b);
	}
};

/* A row's strings, into an entry: the only states that may find no room */
template <typename P>
struct FrameStrings
{
	const GpuAggTableRef &table;
	char	   *entry;
	bool		room;

	template <uint32_t OP, uint32_t OFF, typename V>
	__device__ __forceinline__ void
	step(bool, V)
	{
	}

	template <uint32_t OP, uint32_t OFF>
	__device__ __forceinline__ void
	step(bool enters, GpuAggBytes v)
	{
		if (enters && room)
			room = string_step(&table, entry, P::LOCK_OFF, OFF, OP, v);
	}
};

/*
 * Rows of a key that many have add up before they meet at its states; not those with
 * strings, which most rows cannot change.  False: a string has no room, and no other
 * state has changed.
 */
template <typename P>
static __device__ __forceinline__ bool
single_step(const GpuAggFrameArgs &a, const typename P::Row &row, char *entry)
{
	if constexpr (P::LOCK_OFF > 0)
	{
		FrameStrings<P> strings = {a.table, entry, true};

		P::step(strings, row);
		if (!strings.room)
			return false;
	}
	if (P::LOCK_OFF == 0 && a.table.capacity <= UINT32_MAX)
		together_enter<P>(row, (uint32_t) ((uint64_t) (entry - a.table.slots) / P::STRIDE), entry);
	else
	{
		FrameEntry<false> e = {entry};

		P::step(e, row);
	}
	return true;
}

/* A row's entry; NULL: no room.  Of a single key of 4 bytes, head and key are a word. */
template <typename P>
static __device__ __forceinline__ char *
single_entry(const GpuAggFrameArgs &a, const typename P::Row &row, uint64_t hash)
{
	const TableRoom room = {a.table};

	if constexpr (P::STATES_OFF == 8)
	{
		union
		{
			char		bytes[8];
			uint32_t	heads[2];
			unsigned long long word;
		}			mine = {};

		P::store(row, mine.bytes);
		mine.heads[0] = GPUAGG_HEAD_READY | P::nulls(row);
		return table_probe_word(P::STRIDE, &a.table, mine.word, hash, room);
	}
	else
	{
		const FrameKeys<P> keys = {row, a.table};

		return table_probe(P::STRIDE, &a.table, keys, hash, room);
	}
}

/* Rows outside of the task's window of hashes count as passed, and that is all. */
template <typename P>
static __device__ __noinline__ bool
single_enter(const GpuAggFrameArgs &a, const typename P::Row &row, uint64_t hash)
{
	char	   *entry;

	if (!gpuagg_hash_window_has(a.hash_window, hash))
		return true;
	entry = single_entry<P>(a, row, hash);
	return entry != NULL && single_step<P>(a, row, entry);
}

template <typename P>
struct FrameSingle
{
	static constexpr bool LONG = true;
	static constexpr bool LOSES = true;
	const GpuAggFrameArgs &a;

	__device__ __forceinline__ bool
	enter(const typename P::Row &row)
	{
		return single_enter<P>(a, row, P::hash(row, a.seed));
	}
};

template <typename P>
static __device__ __forceinline__ void
frame_single(const GpuAggFrameArgs &a)
{
	FrameSingle<P> frame = {a};
	FrameCounts counts = {};

	table_count_begin(a.table);
	frame_walk<P>(a, frame, &counts);
	frame_report<P>(counts, a.head);
	table_count_end(a.table);
}

#endif							/* GPUAGG_CUDA_FRAME_SINGLE_CUH */
