/*
 * groupby_local.cuh
 *		A block's group table in shared memory, for rows as fields.
 *
 * Keys are kept once, states in `copies`, side by side, so that with 32 of
 * them no two lanes of a warp ever touch the same bank.  A state's words lie
 * in regions of their own (count; low and high halves of a sum), because
 * shared memory adds 32 bits at once and 64 only in a loop.
 *
 * A slot's key is claimed by one compare-and-swap, and nothing is published
 * after it:
 *		I32, I64	the key itself; one key stands for "empty", and has a slot
 *					of its own behind the others.  Four I32 slots side by side
 *					are a bucket, which is read at once
 *		ANY			half of the hash, and which row was the first: its fields
 *					are the key
 * A row that finds no empty slot within MAX_LOCAL_PROBES is left to the
 * table in device memory.  Slots never become empty again, so a key that was
 * once left is always left: no group is in both.
 *
 * Rows go through it several a thread, and transition by transition: what a
 * transition is, is looked up once for all of them.
 *
 * Many lanes with the same group, as in skewed or sorted rows, would take
 * turns.  If two neighbours have the same one, its lanes add up among
 * themselves first ("peeled").
 */
#ifndef GPUAGG_CUDA_GROUPBY_LOCAL_CUH
#define GPUAGG_CUDA_GROUPBY_LOCAL_CUH

#include "cuda/groupby/groupby_rows.cuh"
#include "cuda/groupby/groupby_shared.cuh"

#define MAX_LOCAL_PROBES 64
#define NO_SLOT 0xFFFFFFFFu

/* Rows a thread has at once; of any fields, by parts of so many */
#define LOCAL_ROWS 8
#define LOCAL_FIELD_ROWS 4

/* Arguments that a thread loads with its keys, while what lies beside them is in the L1 cache */
#define LOCAL_ARGS 2

/* Lanes of one group from which on adding up first is worth it */
#define PEEL_LANES 6

/* Copies beyond which lanes seldom meet */
#define PEEL_MAX_COPIES_LOG2 3

#define EMPTY_I32 0x80000000u
#define EMPTY_I64 UINT64_C(0x8000000000000000)

typedef struct LocalView
{
	uint32_t	slots;
	uint32_t	buckets;
	uint32_t	copies_log2;
	uint32_t	keys;			/* address in shared memory */
	uint32_t	states;
	uint32_t	groups;			/* (slots + 1) * copies */
	uint32_t	stage;			/* the warp's room for 32 rows, or 0 */
	bool		words;			/* no state is GPUAGG_LOCAL_STATE */
} LocalView;

/* ---------- shape ---------- */

static __device__ __forceinline__ LocalView
local_view(char *shared, const GpuAggGroupByLocal &local)
{
	LocalView	t;

	t.slots = local.slots;
	t.buckets = local.slots / GPUAGG_BUCKET_SLOTS;
	t.copies_log2 = __ffs(local.copies) - 1;
	t.groups = (local.slots + 1) << t.copies_log2;
	t.keys = (uint32_t) __cvta_generic_to_shared(shared);
	t.states = t.keys + ((local.slots + 1) * local.key_bytes + 7) / 8 * 8;
	t.stage = local.stage_bytes == 0 ? 0 :
		t.keys + local.bytes - (threadIdx.x / WARP_LANES + 1) * local.stage_bytes;
	t.words = local.words;
	return t;
}

/* Address of the states of one transition, of all groups */
static __device__ __forceinline__ uint32_t
local_region(const LocalView &t, const GpuAggStep *step)
{
	return t.states + step->local_off * t.groups;
}

template <int KEY, int FEW_ROWS = GPUAGG_FEW_ROWS_NOT>
static __device__ void
local_clear(const GpuAggGroupByArgs &a, const LocalView &t)
{
	if (KEY == GPUAGG_KEY_I32)
		shared_fill(t.keys, t.keys + 4 * (t.slots + 1), EMPTY_I32);
	else
		shared_fill64(t.keys, t.keys + 8 * (t.slots + 1), KEY == GPUAGG_KEY_I64 ? EMPTY_I64 : 0);
	if (FEW_ROWS == GPUAGG_FEW_ROWS_PACKED)
		shared_fill(t.states, t.states + 8 * t.groups, 0);
	for (uint32_t s = 0; FEW_ROWS != GPUAGG_FEW_ROWS_PACKED && s < a.nsteps; s++)
	{
		const GpuAggStep *step = &a.steps[s];
		const char *init = a.prepared->init_row + step->off;
		const uint32_t at = local_region(t, step);
		const uint32_t end = at + step->bytes * t.groups;

		if (step->kind != GPUAGG_LOCAL_STATE)
			shared_fill(at, end, step->kind == GPUAGG_LOCAL_MIN32 ? INT32_MAX :
						step->kind == GPUAGG_LOCAL_MAX32 ? (uint32_t) INT32_MIN : 0);
		else
			for (uint32_t p = at + 8 * threadIdx.x; p < end; p += 8 * blockDim.x)
				shared_store64(p, *(const uint64_t *) (init + (p - at) % step->bytes));
	}
}

/* ---------- finding ---------- */

/* Spread over the slots; a bad spread costs time alone. */
static __device__ __forceinline__ uint32_t
local_home(uint32_t n, uint32_t h)
{
	h *= 0x85EBCA6Bu;
	h ^= h >> 15;
	h *= 0xC2B2AE35u;
	return __umulhi(h, n);
}

/*
 * The next slot of a key: by a step of its own, so that keys that meet once
 * part again; the slowest of a warp's lanes is what counts.
 */
static __device__ __forceinline__ uint32_t
local_next(const LocalView &t, uint32_t h, uint32_t at)
{
	at += 1 + __umulhi(h * 0x9E3779B1u, t.slots - 1);
	return at >= t.slots ? at - t.slots : at;
}

/* Which of a bucket's slots has this key; GPUAGG_BUCKET_SLOTS: none */
static __device__ __forceinline__ uint32_t
bucket_find(uint4 v, uint32_t key)
{
	return v.x == key ? 0 : v.y == key ? 1 : v.z == key ? 2 : v.w == key ? 3 : GPUAGG_BUCKET_SLOTS;
}

/*
 * From a bucket, as it was read, where the key was not found.  Slots of a bucket
 * are taken in order; whoever loses one to another key looks again.
 */
static __device__ __forceinline__ uint32_t
bucket_find_on(const LocalView &t, uint32_t key, uint32_t h, uint32_t bucket, uint4 v)
{
	if (key == EMPTY_I32)
	{
		shared_store(t.keys + 4 * t.slots, 0);
		return t.slots;
	}
	#pragma unroll 1
	for (uint32_t probes = 0; probes < MAX_LOCAL_PROBES;)
	{
		uint32_t	i = bucket_find(v, EMPTY_I32);

		if (i < GPUAGG_BUCKET_SLOTS)
		{
			const uint32_t at = bucket * GPUAGG_BUCKET_SLOTS + i;
			const uint32_t seen = shared_cas(t.keys + 4 * at, EMPTY_I32, key);

			if (seen == EMPTY_I32 || seen == key)
				return at;
		}
		else
		{
			bucket += 1 + __umulhi(h * 0x9E3779B1u, t.buckets - 1);
			if (bucket >= t.buckets)
				bucket -= t.buckets;
			probes += GPUAGG_BUCKET_SLOTS;
		}
		v = shared_load_quad(t.keys + 4 * GPUAGG_BUCKET_SLOTS * bucket);
		i = bucket_find(v, key);
		if (i < GPUAGG_BUCKET_SLOTS)
			return bucket * GPUAGG_BUCKET_SLOTS + i;
	}
	return NO_SLOT;
}

static __device__ __forceinline__ uint32_t
local_find_i32(const LocalView &t, uint32_t key, uint32_t seed)
{
	const uint32_t bucket = local_home(t.buckets, key ^ seed);
	const uint4 v = shared_load_quad(t.keys + 4 * GPUAGG_BUCKET_SLOTS * bucket);
	const uint32_t i = bucket_find(v, key);

	return i < GPUAGG_BUCKET_SLOTS && key != EMPTY_I32 ? bucket * GPUAGG_BUCKET_SLOTS + i :
		bucket_find_on(t, key, key ^ seed, bucket, v);
}

static __device__ __forceinline__ uint32_t
local_find_i64(const LocalView &t, uint64_t key, uint32_t seed)
{
	const uint32_t h = (uint32_t) key ^ seed ^ (uint32_t) (key >> 32) * 0x9E3779B1u;
	uint32_t	at = local_home(t.slots, h);

	if (key == EMPTY_I64)
	{
		shared_store64(t.keys + 8 * t.slots, 0);
		return t.slots;
	}
	for (uint32_t probes = 0; probes < MAX_LOCAL_PROBES; probes++)
	{
		uint64_t	seen = shared_load64(t.keys + 8 * at);

		if (seen == EMPTY_I64)
			seen = shared_cas64(t.keys + 8 * at, EMPTY_I64, key);
		if (seen == key || seen == EMPTY_I64)
			return at;
		at = local_next(t, h, at);
	}
	return NO_SLOT;
}

/* base: what rows in slots are counted from, less than 2^32 before them */
static __device__ __noinline__ uint32_t
local_find_any(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t base,
			   uint64_t row, uint32_t flags)
{
	const uint64_t hash = row_hash<GPUAGG_KEY_ANY>(a, row, flags);
	const uint64_t mine = hash << 32 | (uint32_t) (row - base + 1);
	uint32_t	at = local_home(t.slots, (uint32_t) hash);

	for (uint32_t probes = 0; probes < MAX_LOCAL_PROBES; probes++)
	{
		uint64_t	seen = shared_load64(t.keys + 8 * at);

		if (seen == 0)
			seen = shared_cas64(t.keys + 8 * at, 0, mine);
		if (seen == 0 || (seen >> 32 == mine >> 32 &&
						  rows_equal(a, row, flags, base + (uint32_t) seen - 1)))
			return at;
		at = local_next(t, (uint32_t) hash, at);
	}
	return NO_SLOT;
}

/* ---------- stepping ---------- */

/* Which lanes have the same group as I, if they are many; else 0, for all */
static __device__ __forceinline__ uint32_t
peel(uint32_t slot)
{
	const uint32_t next = __shfl_down_sync(ALL_LANES, slot, 1);
	const uint32_t pairs = __ballot_sync(ALL_LANES, slot == next && slot != NO_SLOT) & 0x7FFFFFFFu;
	uint32_t	same;

	if (pairs == 0)
		return 0;
	same = __ballot_sync(ALL_LANES, slot == __shfl_sync(ALL_LANES, slot, __ffs(pairs) - 1));
	return __popc(same) >= PEEL_LANES ? same : 0;
}

/* A number enters a sum: its halves are added, and what they carry. */
static __device__ __forceinline__ void
local_add(uint32_t low_at, uint32_t high_at, int64_t v)
{
	const uint32_t low = (uint32_t) v;
	uint32_t	high = (uint32_t) (v >> 32);

	high += shared_add_old(low_at, low) + low < low;
	if (high != 0)
		shared_add(high_at, high);
}

/* One row and transition; peeled: lanes that add up first */
static __device__ __forceinline__ void
local_count(uint32_t region, uint32_t group, bool enters, uint32_t peeled)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	uint32_t	n = 1;

	if (peeled != 0)
	{
		n = __popc(__ballot_sync(ALL_LANES, enters) & peeled);
		if (peeled >> lane & 1)
			enters = lane == (uint32_t) __ffs(peeled) - 1 && n > 0;
		else
			n = 1;
	}
	if (enters)
		shared_add(region + 4 * group, n);
}

static __device__ __forceinline__ void
local_sum(const LocalView &t, uint32_t region, uint32_t group, bool enters, uint32_t peeled,
		  int64_t v, bool narrow)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;

	if (peeled != 0 && narrow)
	{
		const bool	mine = peeled >> lane & 1;
		const uint32_t low = all_lanes_add(mine && enters ? (uint32_t) v & 0xFFFF : 0);
		const uint32_t high = all_lanes_add(mine && enters ? (uint32_t) (v >> 16) : 0);

		if (mine)
		{
			enters = lane == (uint32_t) __ffs(peeled) - 1;
			v = (int64_t) (int32_t) high * 65536 + low;
		}
	}
	if (enters)
		local_add(region + 4 * group, region + 4 * (t.groups + group), v);
}

static __device__ __forceinline__ void
local_extreme(uint32_t region, uint32_t group, bool enters, uint32_t peeled, int32_t v,
			  bool min)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;

	if (peeled != 0)
	{
		const bool	mine = peeled >> lane & 1;
		const int32_t w = min ? v : ~v;
		const int32_t best = all_lanes_min(mine && enters ? w : INT32_MAX);

		if (mine)
		{
			enters = lane == (uint32_t) __ffs(peeled) - 1;
			v = min ? best : ~best;
		}
	}
	if (enters)
		shared_extreme(region + 4 * group, v, min);
}

/* One of a thread's values, which are registers that cannot be indexed */
template <typename V>
static __device__ __forceinline__ V
local_pick(const V *v, uint32_t r)
{
	return r & 2 ? (r & 1 ? v[3] : v[2]) : (r & 1 ? v[1] : v[0]);
}

/* The first arguments of a thread's rows: fields from number `first` on, as far as there are */
struct LocalArgs
{
	uint32_t	first;
	int64_t		v[LOCAL_ARGS][LOCAL_FIELD_ROWS];
};

/* A field of those of a thread's rows that `rows` has a bit for; of others, 0 */
static __device__ __forceinline__ void
local_load(const GpuAggRowField *f, uint64_t row, uint32_t rows, int64_t *v)
{
	if (f->bytes == 4)
	{
		#pragma unroll
		for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
			v[r] = rows >> r & 1 ? (int64_t) (int32_t) field_u32(f, row + r * WARP_LANES) : 0;
	}
	else
	{
		#pragma unroll
		for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
			v[r] = rows >> r & 1 ? (int64_t) field_u64(f, row + r * WARP_LANES) : 0;
	}
}

static __device__ __forceinline__ void
local_load_args(const GpuAggGroupByArgs &a, uint64_t row, uint32_t rows, LocalArgs *args)
{
	args->first = a.nkeys;
	#pragma unroll
	for (uint32_t i = 0; i < LOCAL_ARGS; i++)
		if (args->first + i < a.nfields)
			local_load(&a.fields[args->first + i], row, rows, args->v[i]);
}

/* A field's values, from there if they are */
static __device__ __forceinline__ void
local_arg(const GpuAggGroupByArgs &a, const LocalArgs &args, uint32_t field, uint64_t row,
		  uint32_t rows, int64_t *v)
{
	bool		loaded = false;

	#pragma unroll
	for (uint32_t i = 0; i < LOCAL_ARGS; i++)
		if (field == args.first + i)
		{
			loaded = true;
			#pragma unroll
			for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
				v[r] = args.v[i][r];
		}
	if (!loaded)
		local_load(&a.fields[field], row, rows, v);
}

/*
 * A thread's rows enter transition s.  group: of each row, or NO_SLOT; rows
 * are `row`, row + 32, and so on.
 */
static __device__ __forceinline__ void
local_step(const GpuAggGroupByArgs &a, const LocalView &t, uint32_t s, uint64_t row,
		   const LocalArgs &args, const uint32_t *group, const uint32_t *peeled)
{
	const GpuAggStep *step = &a.steps[s];
	const GpuAggRowField *f = &a.fields[step->field];
	const uint32_t region = local_region(t, step);
	int64_t		v[LOCAL_FIELD_ROWS];
	uint32_t	enters = 0;

	#pragma unroll
	for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
		enters |= (uint32_t) (group[r] != NO_SLOT &&
							  !(a.has_head &&
								field_u32(&a.flags, row + r * WARP_LANES) >> (a.nkeys + s) & 1))
			<< r;
	if (step->kind == GPUAGG_LOCAL_COUNT)
	{
		#pragma unroll
		for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
			local_count(region, group[r], enters >> r & 1, peeled[r]);
		return;
	}
	local_arg(a, args, step->field, row, enters, v);
	switch (step->kind)
	{
		case GPUAGG_LOCAL_SUM:
			#pragma unroll
			for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
				local_sum(t, region, group[r], enters >> r & 1, peeled[r], v[r], f->bytes == 4);
			break;
		case GPUAGG_LOCAL_MIN32:
		case GPUAGG_LOCAL_MAX32:
			#pragma unroll
			for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
				local_extreme(region, group[r], enters >> r & 1, peeled[r], (int32_t) v[r],
							  step->kind == GPUAGG_LOCAL_MIN32);
			break;
		default:
			#pragma unroll 1
			for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
			{
				GpuAggValue value;
				GpuAggValue first;

				if (!(enters >> r & 1))
					continue;
				value.i = local_pick(v, r);
				first.i = step->op == GPUAGG_TRANS_COMOMENTS_F64 ?
					(int64_t) field_u64(&a.fields[step[-1].field], row + r * WARP_LANES) : 0;
				row_step(step->op, shared_pointer(region + step->bytes * local_pick(group, r)),
						 &first, &value);
			}
			break;
	}
}

/* LOCAL_FIELD_ROWS rows of a thread: row, row + 32, ... below end */
template <int KEY>
static __device__ __forceinline__ void
local_some_rows(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t base, uint64_t row,
				uint64_t end, uint32_t *added, uint32_t *misses)
{
	const uint32_t copy = threadIdx.x & ((1u << t.copies_log2) - 1);
	const bool	may_peel = t.copies_log2 <= PEEL_MAX_COPIES_LOG2;
	uint32_t	group[LOCAL_FIELD_ROWS];
	uint32_t	peeled[LOCAL_FIELD_ROWS];
	LocalArgs	args;
	uint32_t	rows = 0;
	uint32_t	lost = 0;

	#pragma unroll
	for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
		rows |= (uint32_t) (row + r * WARP_LANES < end) << r;
	if (KEY == GPUAGG_KEY_ANY)
	{
		local_load_args(a, row, rows, &args);
		#pragma unroll
		for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
		{
			const uint64_t at = row + r * WARP_LANES;

			group[r] = rows >> r & 1 ? local_find_any(a, t, base, at, row_flags(a, at)) : NO_SLOT;
		}
	}
	else
	{
		int64_t		key[LOCAL_FIELD_ROWS];

		local_load(&a.fields[0], row, rows, key);
		local_load_args(a, row, rows, &args);
		#pragma unroll
		for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
			group[r] = !(rows >> r & 1) ? NO_SLOT :
				KEY == GPUAGG_KEY_I64 ? local_find_i64(t, (uint64_t) key[r], (uint32_t) a.seed) :
				local_find_i32(t, (uint32_t) key[r], (uint32_t) a.seed);
	}
	#pragma unroll
	for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
	{
		if (group[r] == NO_SLOT)
			lost |= rows & 1u << r;
		else
			group[r] = (group[r] << t.copies_log2) + copy;
	}
	__syncwarp();
	#pragma unroll
	for (int r = 0; r < LOCAL_FIELD_ROWS; r++)
		peeled[r] = may_peel ? peel(group[r] == NO_SLOT ? NO_SLOT : group[r] >> t.copies_log2) : 0;
	for (uint32_t s = 0; s < a.nsteps; s++)
		local_step(a, t, s, row, args, group, peeled);
	for (int r = 0; lost >> r != 0; r++)
		if (lost >> r & 1)
		{
			const uint64_t at = row + r * WARP_LANES;
			const uint32_t flags = row_flags(a, at);

			*misses += 1;
			row_to_table<KEY>(a, at, flags, row_hash<KEY>(a, at, flags), added);
		}
	__syncwarp();
}

/*
 * LOCAL_ROWS rows row, row + 32, ... below end of a thread into the block's table; all
 * lanes of the warp call it.  A row without place there goes to the table in
 * device memory.
 */
template <int KEY>
static __device__ __noinline__ void
local_rows(const GpuAggGroupByArgs &a, const LocalView &t, uint64_t base, uint64_t row,
		   uint64_t end, uint32_t *added, uint32_t *misses)
{
	#pragma unroll 1
	for (int part = 0; part < LOCAL_ROWS / LOCAL_FIELD_ROWS; part++)
		local_some_rows<KEY>(a, t, base, row + part * (LOCAL_FIELD_ROWS * WARP_LANES), end, added,
							 misses);
}

#endif							/* GPUAGG_CUDA_GROUPBY_LOCAL_CUH */
