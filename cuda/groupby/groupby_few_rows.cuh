/*
 * groupby_few_rows.cuh
 *		Rows of one integer key, and of one int4 argument at most, most of which
 *		bring a group of their own: partitions of very many groups.
 *
 * A key is not looked for before it is claimed, since it is seldom there.  All
 * of a thread's rows take their first probes together, so that their latencies
 * overlap; rows that find no slot by then follow one by one.  Keys are not in
 * buckets here: a table is this file's or that of groupby_local.cuh, never
 * both's.
 *
 * Count and sum ("packed") take two words of a slot and two additions of a row:
 * the sum is that of the arguments plus 2^31, which are never negative, and
 * what its low word carries is counted in the upper half of the count's word.
 * So no partition may have more than GPUAGG_FEW_ROWS_MAX_ROWS rows.
 */
#ifndef GPUAGG_CUDA_GROUPBY_FEW_ROWS_CUH
#define GPUAGG_CUDA_GROUPBY_FEW_ROWS_CUH

#include "cuda/groupby/groupby_fast.cuh"
#include "cuda/groupby/groupby_flush.cuh"

/* Rows a thread has at once: so many that their keys stay in registers */
template <int KEY>
constexpr int FEW_ROWS_KEYS = KEY == GPUAGG_KEY_I32 ? LOCAL_ROWS : LOCAL_ROWS / 2;

/*
 * Neighbouring rows that are a lane's: of sorted rows they have one key, and a
 * lane's claims do not meet, as those of neighbouring lanes would.  Two records
 * with an int4 key are a quad.
 */
#define FEW_ROWS_RUN 2

/*
 * Steps from slot to slot, in bytes of its words: an odd number of slots,
 * which most often comes back to where it began only when it has been
 * everywhere
 */
#define FEW_ROWS_STEPS 252

/* Probes of all rows together */
#define FEW_ROWS_PROBES 3

static __device__ __forceinline__ uint32_t
few_rows_mix(uint32_t key, uint32_t seed)
{
	uint32_t	h = (key ^ seed) * 0x85EBCA6Bu;

	h ^= h >> 15;
	return h * 0xC2B2AE35u;
}

static __device__ __forceinline__ uint32_t
few_rows_mix(uint64_t key, uint32_t seed)
{
	return few_rows_mix((uint32_t) key ^ (uint32_t) (key >> 32) * 0x9E3779B1u, seed);
}

/* What an empty slot has, by the key's width */
static __device__ __forceinline__ uint32_t
empty_key(uint32_t)
{
	return EMPTY_I32;
}

static __device__ __forceinline__ uint64_t
empty_key(uint64_t)
{
	return EMPTY_I64;
}

static __device__ __forceinline__ uint32_t
few_rows_home(const LocalView &t, uint32_t h)
{
	return __umulhi(h, t.slots) * 4;
}

static __device__ __forceinline__ uint32_t
few_rows_step(uint32_t h)
{
	return (h & FEW_ROWS_STEPS) | 4;
}

static __device__ __forceinline__ uint32_t
few_rows_after(const LocalView &t, uint32_t at, uint32_t step)
{
	at += step;
	return min(at, at - 4 * t.slots);
}

/*
 * Claims the slot of a word at `at` (of the keys, eight bytes each or four) for
 * a key, where `mine`; what it was.  Else it returns the key.
 */
static __device__ __forceinline__ uint32_t
claim_if(bool mine, const LocalView &t, uint32_t at, uint32_t v)
{
	uint32_t	seen;

	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %4, 0;\n\t"
				 "mov.u32 %0, %3;\n\t"
				 "@p atom.relaxed.cta.shared.cas.b32 %0, [%1], %2, %3;\n\t}"
				 : "=&r"(seen) : "r"(t.keys + at), "r"(EMPTY_I32), "r"(v), "r"((uint32_t) mine)
				 : "memory");
	return seen;
}

static __device__ __forceinline__ uint64_t
claim_if(bool mine, const LocalView &t, uint32_t at, uint64_t v)
{
	uint64_t	seen;

	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %4, 0;\n\t"
				 "mov.u64 %0, %3;\n\t"
				 "@p atom.relaxed.cta.shared.cas.b64 %0, [%1], %2, %3;\n\t}"
				 : "=&l"(seen) : "r"(t.keys + 2 * at), "l"(EMPTY_I64), "l"(v), "r"((uint32_t) mine)
				 : "memory");
	return seen;
}

/* The key that means "empty" has the last slot. */
static __device__ __forceinline__ bool
claim_empty(const LocalView &t, uint32_t)
{
	return shared_cas(t.keys + 4 * t.slots, EMPTY_I32, 0) == EMPTY_I32;
}

static __device__ __forceinline__ bool
claim_empty(const LocalView &t, uint64_t)
{
	return shared_cas64(t.keys + 8 * t.slots, EMPTY_I64, 0) == EMPTY_I64;
}

static __device__ __forceinline__ uint32_t
shared_add_old_if(bool mine, uint32_t at, uint32_t v)
{
	uint32_t	old;

	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %3, 0;\n\tmov.u32 %0, 0;\n\t"
				 "@p atom.relaxed.cta.shared.add.u32 %0, [%1], %2;\n\t}"
				 : "=&r"(old) : "r"(at), "r"(v), "r"((uint32_t) mine) : "memory");
	return old;
}

static __device__ __forceinline__ void
shared_add_if(bool mine, uint32_t at, uint32_t v)
{
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\t"
				 "@p red.relaxed.cta.shared.add.u32 [%0], %1;\n\t}"
				 : : "r"(at), "r"(v), "r"((uint32_t) mine) : "memory");
}

/*
 * Places of a thread's rows, in bytes of words; which of them have none yet.
 * *claimed is counted up by slots that were empty.
 */
template <int ROWS, typename Word>
static __device__ __forceinline__ uint32_t
few_rows_find(const LocalView &t, const Word *key, uint32_t seed, uint32_t rows, uint32_t *at,
			uint32_t *claimed)
{
	const Word	empty = empty_key(key[0]);
	uint32_t	pending = rows;
	uint32_t	h[ROWS];
	Word		seen[ROWS];

	#pragma unroll
	for (int r = 0; r < ROWS; r++)
	{
		h[r] = few_rows_mix(key[r], seed);
		at[r] = few_rows_home(t, h[r]);
		if (key[r] == empty)
			pending &= ~(1u << r);
	}
	#pragma unroll
	for (int probe = 0; probe < FEW_ROWS_PROBES; probe++)
	{
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			seen[r] = claim_if(pending >> r & 1, t, at[r], key[r]);
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
		{
			const bool	found = seen[r] == empty || seen[r] == key[r];

			/* of rows that are done, it says found, and not empty */
			*claimed += seen[r] == empty;
			at[r] = found ? at[r] : few_rows_after(t, at[r], few_rows_step(h[r]));
			pending &= found ? ~(1u << r) : ALL_LANES;
		}
	}
	/* the key that means "empty" is left to few_rows_find_one(); it looked claimed */
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (key[r] == empty)
		{
			pending |= rows & 1u << r;
			*claimed -= FEW_ROWS_PROBES;
		}
	return pending;
}

/* A row's position, from the probe on where few_rows_find() left it; or NO_SLOT */
template <typename Word>
static __device__ __forceinline__ uint32_t
few_rows_find_one(const LocalView &t, Word key, uint32_t seed, uint32_t *claimed)
{
	const Word	empty = empty_key(key);
	const uint32_t h = few_rows_mix(key, seed);
	const uint32_t step = few_rows_step(h);
	uint32_t	at = few_rows_home(t, h);

	if (key == empty)
	{
		*claimed += claim_empty(t, key);
		return 4 * t.slots;
	}
	#pragma unroll
	for (int i = 0; i < FEW_ROWS_PROBES; i++)
		at = few_rows_after(t, at, step);
	for (uint32_t probe = FEW_ROWS_PROBES; probe < MAX_LOCAL_PROBES; probe++)
	{
		const Word	seen = claim_if(true, t, at, key);

		*claimed += seen == empty;
		if (seen == empty || seen == key)
			return at;
		at = few_rows_after(t, at, step);
	}
	return NO_SLOT;
}

/* ---------- stepping ---------- */

/* A thread's rows enter the states of their groups, packed. */
template <int ROWS>
static __device__ __forceinline__ void
packed_steps(const LocalView &t, const uint32_t *at, const uint32_t *arg, uint32_t rows)
{
	const uint32_t counts = t.states;
	const uint32_t sums = t.states + 4 * t.groups;
	uint32_t	old[ROWS];

	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		old[r] = shared_add_old_if(rows >> r & 1, sums + at[r], arg[r] ^ 0x80000000u);
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		shared_add_if(rows >> r & 1, counts + at[r],
					  old[r] + (arg[r] ^ 0x80000000u) < old[r] ? 0x10001u : 1u);
}

/* Rows enter states of any words, as they are in groupby_local.cuh. */
template <int ROWS>
static __device__ __forceinline__ void
word_steps(const GpuAggGroupByArgs &a, const LocalView &t, const uint32_t *at,
		   const uint32_t *arg, uint32_t rows)
{
	for (uint32_t s = 0; s < a.nsteps; s++)
	{
		const uint32_t kind = a.steps[s].kind;
		const uint32_t region = local_region(t, &a.steps[s]);

		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			if (rows >> r & 1)
			{
				if (kind == GPUAGG_LOCAL_COUNT)
					shared_add(region + at[r], 1);
				else if (kind == GPUAGG_LOCAL_SUM)
					local_add(region + at[r], region + 4 * t.groups + at[r], (int32_t) arg[r]);
				else
					shared_extreme(region + at[r], (int32_t) arg[r], kind == GPUAGG_LOCAL_MIN32);
			}
	}
}

template <bool PACKED, int ROWS>
static __device__ __forceinline__ void
few_rows_steps(const GpuAggGroupByArgs &a, const LocalView &t, const uint32_t *at,
			 const uint32_t *arg, uint32_t rows)
{
	if (PACKED)
		packed_steps<ROWS>(t, at, arg, rows);
	else
		word_steps<ROWS>(a, t, at, arg, rows);
}

/* What a thread counts on the way through a partition */
typedef struct FewRowsCounts
{
	uint32_t	claimed;		/* slots */
	uint32_t	added;			/* groups of the task's table */
	uint32_t	misses;			/* rows that went there */
} FewRowsCounts;

/* A row that found no slot with the others of its thread */
template <int KEY, bool PACKED>
static __device__ __forceinline__ void
few_rows_row(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t row,
		   typename FastRow<KEY>::Word key, uint32_t arg, FewRowsCounts *counts)
{
	const uint32_t at = few_rows_find_one(t, key, (uint32_t) a.seed, &counts->claimed);

	if (at != NO_SLOT)
		few_rows_steps<PACKED, 1>(a, t, &at, &arg, 1);
	else
	{
		counts->misses++;
		row_to_table<KEY>(a, row, 0, fast_hash(a, key), &counts->added);
	}
}

/* A lane's row number r, counted from its first one */
static __device__ __forceinline__ uint32_t
few_rows_offset(uint32_t r)
{
	return r / FEW_ROWS_RUN * (FEW_ROWS_RUN * WARP_LANES) + r % FEW_ROWS_RUN;
}

/* Records of neighbouring rows, the first of an even number */
static __device__ __forceinline__ void
run_load(const uint2 *pairs, uint32_t *key, uint32_t *arg)
{
	#pragma unroll
	for (int r = 0; r < FEW_ROWS_RUN; r += 2)
	{
		const uint4 two = __ldcs((const uint4 *) (pairs + r));

		pair_split(make_uint2(two.x, two.y), &key[r], &arg[r]);
		pair_split(make_uint2(two.z, two.w), &key[r + 1], &arg[r + 1]);
	}
}

static __device__ __forceinline__ void
run_load(const uint4 *pairs, uint64_t *key, uint32_t *arg)
{
	#pragma unroll
	for (int r = 0; r < FEW_ROWS_RUN; r++)
		pair_split(__ldcs(pairs + r), &key[r], &arg[r]);
}

/*
 * A thread's rows from `row` on, as few_rows_offset() says, of [first, end); which
 * of them are there
 */
template <int KEY>
static __device__ __forceinline__ uint32_t
few_rows_load(const GpuAggGroupByArgs &a, uint64_t row, uint64_t first, uint64_t end,
			typename FastRow<KEY>::Word *key, uint32_t *arg)
{
	constexpr int ROWS = FEW_ROWS_KEYS<KEY>;
	uint32_t	rows = 0;

	if (__all_sync(ALL_LANES, row >= first && row + few_rows_offset(ROWS - 1) < end))
	{
		const auto *pairs = (const typename FastRow<KEY>::Pair *) pairs_base(a) + row;

		#pragma unroll
		for (int r = 0; r < ROWS; r += FEW_ROWS_RUN)
			run_load(pairs + few_rows_offset(r), &key[r], &arg[r]);
		return (1u << ROWS) - 1;
	}
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
	{
		const uint64_t at = row + few_rows_offset(r);

		rows |= at >= first && at < end ? 1u << r : 0;
		pairs_load_one(a, min(max(at, first), end - 1), &key[r], &arg[r]);
	}
	return rows;
}

/*
 * Places of a thread's rows.  Those that need more than the first probes enter
 * their groups here; the others, which it returns, are the caller's.
 */
template <int KEY, bool PACKED>
static __device__ __forceinline__ uint32_t
few_rows_place(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t row, uint32_t rows,
			 const typename FastRow<KEY>::Word *key, const uint32_t *arg, uint32_t *at,
			 FewRowsCounts *counts)
{
	constexpr int ROWS = FEW_ROWS_KEYS<KEY>;
	const uint32_t late = few_rows_find<ROWS>(t, key, (uint32_t) a.seed, rows, at,
											  &counts->claimed);

	for (uint32_t left = late; left != 0; left &= left - 1)
	{
		const uint32_t next = __ffs(left) - 1;
		typename FastRow<KEY>::Word k = key[0];
		uint32_t	v = arg[0];

		#pragma unroll
		for (int r = 1; r < ROWS; r++)
			if (r == next)
			{
				k = key[r];
				v = arg[r];
			}
		few_rows_row<KEY, PACKED>(a, t, row + few_rows_offset(next), k, v, counts);
	}
	__syncwarp();
	return rows & ~late;
}

/* ---------- what came of it ---------- */

/* A packed group's row, in words: its head and key, count and sum */
template <int KEY>
static __device__ __forceinline__ void
stage_packed_group(const GpuAggGroupByArgs &a, const LocalView &t, uint32_t slot, uint32_t row)
{
	const uint32_t word = shared_load(t.states + 4 * slot);
	const uint64_t low = shared_load(t.states + 4 * (t.groups + slot));
	const uint32_t count = word & 0xFFFF;
	const uint64_t sum = ((uint64_t) (word >> 16) << 32 | low) - ((uint64_t) count << 31);
	const bool	count_first = a.steps[0].kind == GPUAGG_LOCAL_COUNT;

	stage_key<KEY>(a, t, slot, row);
	shared_store64(row + a.steps[0].off, count_first ? count : sum);
	shared_store64(row + a.steps[1].off, count_first ? sum : count);
}

/* Groups of the block's table, side by side to `out`, in the order in which warps come */
template <int KEY, bool PACKED>
static __device__ __forceinline__ void
few_rows_flush(const GpuAggGroupByArgs &a, const LocalView &t, uint32_t *written, char *out)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;

	for (uint32_t slot0 = threadIdx.x - lane; slot0 <= t.slots; slot0 += blockDim.x)
	{
		const uint32_t slot = slot0 + lane;
		const bool	used = slot <= t.slots && local_used<KEY>(t, slot);
		const uint32_t all = __ballot_sync(ALL_LANES, used);
		const uint32_t words = __popc(all) * (a.row_bytes / 8);
		const uint32_t row = t.stage + __popc(all & ((1u << lane) - 1)) * a.row_bytes;
		uint32_t	at = 0;
		uint64_t   *to;

		if (lane == 0)
			at = atomicAdd(written, (uint32_t) __popc(all));
		if (used && PACKED)
			stage_packed_group<KEY>(a, t, slot, row);
		else if (used)
			stage_word_group<KEY>(a, t, slot, row);
		to = (uint64_t *) (out + (uint64_t) __shfl_sync(ALL_LANES, at, 0) * a.row_bytes);
		__syncwarp();
		for (uint32_t i = lane; i < words; i += WARP_LANES)
			__stcs(to + i, shared_load64(t.stage + 8 * i));
		__syncwarp();
	}
}

/*
 * All of a partition, by a block: rows find their slots, and when all have, the
 * number of groups is known; where they go is asked for while the last rows
 * enter them.
 */
template <int KEY, bool PACKED>
static __device__ __forceinline__ void
few_rows_partition(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t first, uint64_t end,
				 char *out, uint32_t *misses)
{
	constexpr int ROWS = FEW_ROWS_KEYS<KEY>;
	__shared__ uint32_t count;
	__shared__ uint32_t written;
	__shared__ unsigned long long place;
	unsigned long long mine = 0;
	FewRowsCounts counts = {0, 0, 0};
	uint64_t	base = first / FEW_ROWS_RUN * FEW_ROWS_RUN;
	bool		last;

	local_clear<KEY, PACKED ? GPUAGG_FEW_ROWS_PACKED : GPUAGG_FEW_ROWS_WORDS>(a, t);
	if (threadIdx.x == 0)
		count = written = 0;
	__syncthreads();
	do
	{
		const uint64_t row = base + threadIdx.x / WARP_LANES * (ROWS * WARP_LANES) +
			threadIdx.x % WARP_LANES * FEW_ROWS_RUN;
		typename FastRow<KEY>::Word key[ROWS];
		uint32_t	arg[ROWS];
		uint32_t	at[ROWS];
		uint32_t	rows = few_rows_load<KEY>(a, row, first, end, key, arg);

		rows = few_rows_place<KEY, PACKED>(a, t, row, rows, key, arg, at, &counts);
		base += ROWS * blockDim.x;
		last = base >= end;
		if (last)
		{
			counts.claimed = all_lanes_add(counts.claimed);
			if (threadIdx.x % WARP_LANES == 0)
				atomicAdd(&count, counts.claimed);
			__syncthreads();
			if (threadIdx.x == 0)
				mine = atomicAdd(&a.head->groups, (unsigned long long) count);
		}
		few_rows_steps<PACKED, ROWS>(a, t, at, arg, rows);
	} while (!last);
	if (threadIdx.x == 0)
		place = mine;
	*misses += counts.misses;
	count_added(a, counts.added);
	__syncthreads();
	few_rows_flush<KEY, PACKED>(a, t, &written, out + place * a.row_bytes);
}

#endif							/* GPUAGG_CUDA_GROUPBY_FEW_ROWS_CUH */
