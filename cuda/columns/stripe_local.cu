/*
 * stripe_local.cu
 *		Few groups, of stripes as they lie: rows go from columns to groups in
 *		shared memory, without an interpreter and without being copied.
 *
 * For programs whose only key is an integer column and whose arguments are
 * columns; what they filter by was decided before (stripe_filter.cu).  All stripes
 * of a batch are one launch: a warp draws a tile of one of them at a time.
 *
 * What is not plain is left to the interpreter, position by position, in the bitmap
 * `leftover`: rows with a NULL that the program looks at, and rows whose group
 * finds room neither in shared memory nor in the task's table.
 */
#include "cuda/columns/cuda_stripe.h"
#include "cuda/frame/stripe_input.cuh"
#include "cuda/groupby/groupby_fast.cuh"
#include "cuda/groupby/groupby_flush.cuh"

#define MAX_THREADS 1024

/* Words of a tile's bitmap in each lane */
#define TILE_HALVES (GPUAGG_STRIPE_TILE / 32 / WARP_LANES)

/* What a thread has to tell */
typedef struct StripeCounts
{
	uint32_t	scanned;
	uint32_t	passed;
	uint32_t	leftover;
	uint32_t	overflow;
	uint32_t	misses;
	uint32_t	added;
} StripeCounts;

/* A warp's tile: positions from first on, and which of them it takes */
typedef struct StripeTile
{
	const GpuAggStripeColumn *columns;
	uint32_t   *leftover;
	uint32_t	first;
	bool		full;			/* the task's table */
	bool		whole;			/* all positions are taken */
	uint32_t	take[TILE_HALVES];
} StripeTile;

/* The input that has a tile: all lanes look at some */
static __device__ __forceinline__ const GpuAggStripeInput *
tile_input(const GpuAggStripeRun &run, uint32_t tile)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	uint32_t	before = 0;

	for (uint32_t i = 0; i < run.n; i += WARP_LANES)
		before += __popc(__ballot_sync(ALL_LANES, i + lane < run.n &&
									   run.inputs[i + lane].first_tile <= tile));
	return &run.inputs[before - 1];
}

static __device__ void
tile_begin(const GpuAggGroupByArgs &a, const GpuAggStripeRun &run, uint32_t number, StripeTile *tile,
		   StripeCounts *counts)
{
	const GpuAggStripeInput *input = tile_input(run, number);
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const uint32_t first = (number - input->first_tile) * (GPUAGG_STRIPE_TILE / 32);
	bool		whole = true;

	tile->columns = input->columns;
	tile->leftover = input->leftover;
	tile->first = first * 32;
	tile->full = *(volatile unsigned long long *) &a.table.head->count >= a.table.limit;
	#pragma unroll
	for (int h = 0; h < TILE_HALVES; h++)
	{
		const uint32_t word = first + h * WARP_LANES + lane;
		const uint32_t bits = input->chosen != NULL ? input->chosen[word] :
			input_bits(*input, input->valid, word);
		uint32_t	nulls = 0;

		for (uint32_t i = 0; i < run.nused && bits != 0; i++)
			nulls |= input->columns[run.used[i]].nulls[word];
		tile->take[h] = bits & ~nulls;
		whole = whole && tile->take[h] == ALL_LANES;
		if (input->chosen == NULL)
			counts->scanned += __popc(bits);
		counts->passed += __popc(tile->take[h]);
		if ((bits & nulls) != 0)
		{
			counts->leftover += __popc(bits & nulls);
			atomicOr(&input->leftover[word], bits & nulls);
		}
	}
	tile->whole = __all_sync(ALL_LANES, whole);
}

/* Is position first + i * 32 + lane taken?  For all i of a set of rows */
static __device__ __forceinline__ uint32_t
tile_taken(const StripeTile &tile, uint32_t set)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	uint32_t	taken = 0;

	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
	{
		const uint32_t word = set * LOCAL_ROWS + r;
		uint32_t	bits = 0;

		#pragma unroll
		for (int h = 0; h < TILE_HALVES; h++)
			if (word / WARP_LANES == h)
				bits = __shfl_sync(ALL_LANES, tile.take[h], word % WARP_LANES);
		taken |= (bits >> lane & 1) << r;
	}
	return taken;
}

/* ---------- one integer key, one 4-byte argument at most ---------- */

/*
 * As warp_rows() of groupby_fast.cuh; position: the lane's first.  Without a field of its
 * own, an argument is the key.
 */
template <int KEY>
static __device__ __forceinline__ bool
stripe_fast_rows(const GpuAggGroupByArgs &a, const LocalView &t, const GpuAggStripeRun &run,
			   const StripeTile &tile, uint32_t position)
{
	typedef typename FastRow<KEY>::Word Word;
	const Word *keys = (const Word *) tile.columns[run.field_column[0]].values + position;
	const uint32_t *args = (const uint32_t *) tile.columns[run.field_column[a.nfields - 1]].values + position;
	const bool	has_arg = a.nfields > 1;
	Word		key[LOCAL_ROWS];
	uint32_t	arg[LOCAL_ROWS];

	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
		key[r] = __ldcs(keys + r * WARP_LANES);
	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
		arg[r] = has_arg ? __ldcs(args + r * WARP_LANES) : (uint32_t) key[r];
	return fast_group(a, t, key, arg);
}

/* ---------- other rows ---------- */

static __device__ __forceinline__ int64_t
stripe_value(const GpuAggStripeColumn *column, uint32_t position)
{
	return column->bytes == 4 ? (int64_t) ((const int32_t *) column->values)[position] :
		((const int64_t *) column->values)[position];
}

/* Slots of the taken rows */
template <int KEY>
static __device__ __forceinline__ void
stripe_find(const GpuAggGroupByArgs &a, const LocalView &t, const GpuAggStripeColumn *column,
		  uint32_t position, uint32_t taken, uint32_t *slot)
{
	int64_t		key[LOCAL_ROWS];

	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
		key[r] = taken >> r & 1 ? stripe_value(column, position + r * WARP_LANES) : 0;
	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
	{
		if (!(taken >> r & 1))
			slot[r] = NO_SLOT;
		else if (KEY == GPUAGG_KEY_I32)
			slot[r] = local_find_i32(t, (uint32_t) key[r], (uint32_t) a.seed);
		else
			slot[r] = local_find_i64(t, (uint64_t) key[r], (uint32_t) a.seed);
	}
}

/* The taken rows enter a transition */
static __device__ __forceinline__ void
stripe_step(const GpuAggGroupByArgs &a, const LocalView &t, uint32_t s, const GpuAggStripeColumn *column,
		  uint32_t position, const uint32_t *group, const uint32_t *peeled)
{
	const GpuAggStep *step = &a.steps[s];
	const uint32_t region = local_region(t, step);
	int64_t		v[LOCAL_ROWS];

	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
		v[r] = column != NULL && group[r] != NO_SLOT ? stripe_value(column, position + r * WARP_LANES) : 0;
	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
	{
		const bool	enters = group[r] != NO_SLOT;
		GpuAggValue value;

		switch (step->kind)
		{
			case GPUAGG_LOCAL_COUNT:
				local_count(region, group[r], enters, peeled[r]);
				break;
			case GPUAGG_LOCAL_SUM:
				local_sum(t, region, group[r], enters, peeled[r], v[r],
						  column != NULL && column->bytes == 4);
				break;
			case GPUAGG_LOCAL_MIN32:
			case GPUAGG_LOCAL_MAX32:
				local_extreme(region, group[r], enters, peeled[r], (int32_t) v[r],
							  step->kind == GPUAGG_LOCAL_MIN32);
				break;
			default:
				value.i = v[r];
				if (enters)
					row_step(step->op, shared_pointer(region + step->bytes * group[r]), &value, &value);
				break;
		}
	}
}

/* A row without place in shared memory; false: nor in the task's table */
template <int KEY>
static __device__ __noinline__ bool
stripe_row_to_table(const GpuAggGroupByArgs &a, const GpuAggStripeRun &run, const StripeTile &tile,
				  uint32_t position, uint32_t *added)
{
	const int64_t key = stripe_value(&tile.columns[run.field_column[0]], position);
	const uint64_t hash = hash_one((uint64_t) key, a.seed);
	char	   *entry;

	if (tile.full)
		return false;
	if constexpr (KEY == GPUAGG_KEY_I32)
		entry = word_entry(a, (uint32_t) key, hash, added);
	else
	{
		const WordKey word = {a, (uint64_t) key};

		entry = table_probe(a.prepared->stride, &a.table, word, hash, UINT64_MAX, GPUAGG_MAX_PROBES, added);
	}
	if (entry == NULL)
		return false;
	for (uint32_t i = 0; i < a.nsteps; i++)
	{
		const GpuAggStep *step = &a.steps[i];
		GpuAggValue v;

		v.i = step->field == GPUAGG_NO_FIELD ? 0 :
			stripe_value(&tile.columns[run.field_column[step->field]], position);
		row_step(step->op, entry + step->off, &v, &v);
	}
	return true;
}

/* A set of rows; all lanes call it. */
template <int KEY>
static __device__ __noinline__ void
stripe_rows(const GpuAggGroupByArgs &a, const LocalView &t, const GpuAggStripeRun &run,
		  const StripeTile &tile, uint32_t position, uint32_t taken, StripeCounts *counts)
{
	const uint32_t copy = threadIdx.x & ((1u << t.copies_log2) - 1);
	const bool	may_peel = t.copies_log2 <= PEEL_MAX_COPIES_LOG2;
	uint32_t	group[LOCAL_ROWS];
	uint32_t	peeled[LOCAL_ROWS];
	uint32_t	lost = 0;

	stripe_find<KEY>(a, t, &tile.columns[run.field_column[0]], position, taken, group);
	__syncwarp();
	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
	{
		peeled[r] = may_peel ? peel(group[r]) : 0;
		if (group[r] != NO_SLOT)
			group[r] = (group[r] << t.copies_log2) + copy;
		else
			lost |= taken & 1u << r;
	}
	for (uint32_t s = 0; s < a.nsteps; s++)
	{
		const uint8_t field = a.steps[s].field;

		stripe_step(a, t, s, field == GPUAGG_NO_FIELD ? NULL : &tile.columns[run.field_column[field]],
				  position, group, peeled);
	}
	for (int r = 0; lost >> r != 0; r++)
		if (lost >> r & 1)
		{
			const uint32_t at = position + r * WARP_LANES;

			counts->misses++;
			if (stripe_row_to_table<KEY>(a, run, tile, at, &counts->added))
				continue;
			counts->overflow++;
			atomicOr(&tile.leftover[at / 32], 1u << at % 32);
		}
	__syncwarp();
}

/* ---------- the kernel ---------- */

static __device__ void
report_stripes(const StripeCounts *mine, GpuAggBatchHead *head)
{
	const uint32_t scanned = warp_sum(mine->scanned);
	const uint32_t passed = warp_sum(mine->passed);
	const uint32_t overflow = warp_sum(mine->overflow);
	const uint32_t leftover = warp_sum(mine->leftover);
	const uint32_t misses = warp_sum(mine->misses);

	if (threadIdx.x % WARP_LANES != 0)
		return;
	if (scanned > 0)
		atomicAdd(&head->rows_scanned, (unsigned long long) scanned);
	if (passed > overflow)
		atomicAdd(&head->rows_passed, (unsigned long long) (passed - overflow));
	if (overflow > 0)
		atomicAdd(&head->overflow, overflow);
	if (leftover > 0)
		atomicAdd(&head->nleftover, leftover);
	if (misses > 0)
		atomicAdd(&head->local_misses, misses);
}

/* FAST: as GpuAggPartRows has it */
template <int KEY, bool FAST>
static __global__ void
__launch_bounds__(MAX_THREADS)
group_stripes_kernel(const __grid_constant__ GpuAggGroupByArgs a,
				   const __grid_constant__ GpuAggGroupByLocal local,
				   const __grid_constant__ GpuAggStripeRun run)
{
	extern __shared__ uint4 shared_quads[];
	const LocalView t = local_view((char *) shared_quads, local);
	const uint32_t lane = threadIdx.x % WARP_LANES;
	StripeCounts	counts = {};

	local_clear<KEY>(a, t);
	__syncthreads();
	for (;;)
	{
		unsigned long long number = 0;
		StripeTile	tile;

		if (lane == 0)
			number = atomicAdd(&a.head->tile, 1ull);
		number = __shfl_sync(ALL_LANES, number, 0);
		if (number >= run.tiles)
			break;
		tile_begin(a, run, (uint32_t) number, &tile, &counts);
		for (uint32_t set = 0; set < GPUAGG_STRIPE_TILE / (LOCAL_ROWS * WARP_LANES); set++)
		{
			const uint32_t position = tile.first + set * (LOCAL_ROWS * WARP_LANES) + lane;
			uint32_t	taken;

			if (FAST && tile.whole && stripe_fast_rows<KEY>(a, t, run, tile, position))
				continue;
			taken = tile_taken(tile, set);
			if (__any_sync(ALL_LANES, taken != 0))
				stripe_rows<KEY>(a, t, run, tile, position, taken, &counts);
		}
		count_added(a, counts.added);
		counts.added = 0;
	}
	report_stripes(&counts, run.head);
	__syncthreads();
	flush_to_table<KEY>(a, t, 0, &counts.added);
	__syncwarp();
	count_added(a, counts.added);
}

/* Groups that found no room, as merge_spill expects them (group.cu) */
static __global__ void
mark_spilled_kernel(const __grid_constant__ GpuAggGroupByArgs a, GpuAggBatchHead *head)
{
	const unsigned long long n = a.head->nspilled;
	unsigned long long i = (unsigned long long) blockIdx.x * blockDim.x + threadIdx.x;

	if (i == 0)
		head->nspilled = (uint32_t) n;
	for (; i < n; i += gridDim.x * blockDim.x)
		*(uint32_t *) (a.spilled + i * a.row_bytes) |= GPUAGG_HEAD_READY;
}

/* ---------- launches ---------- */

template <int KEY, bool FAST>
static cudaError_t
launch(const GpuAggGroupByArgs *a, const GpuAggGroupByLocal *local, const GpuAggStripeRun *run,
	   uint32_t blocks, cudaStream_t stream)
{
	cudaError_t rc = cudaFuncSetAttribute(group_stripes_kernel<KEY, FAST>,
										  cudaFuncAttributeMaxDynamicSharedMemorySize,
										  (int) local->bytes);

	if (rc != cudaSuccess)
		return rc;
	group_stripes_kernel<KEY, FAST><<<blocks, local->threads, local->bytes, stream>>>(*a, *local, *run);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_stripe_local(const GpuAggGroupByArgs *a, GpuAggKeyShape key, const GpuAggGroupByLocal *local,
					   const GpuAggStripeRun *run, uint32_t blocks, cudaStream_t stream)
{
	const auto run_kernel = key == GPUAGG_KEY_I64 ?
		(a->kind.fast ? launch<GPUAGG_KEY_I64, true> : launch<GPUAGG_KEY_I64, false>) :
		(a->kind.fast ? launch<GPUAGG_KEY_I32, true> : launch<GPUAGG_KEY_I32, false>);
	cudaError_t rc = run_kernel(a, local, run, blocks, stream);

	if (rc == cudaSuccess)
	{
		mark_spilled_kernel<<<4, 256, 0, stream>>>(*a, run->head);
		rc = cudaGetLastError();
	}
	return rc;
}
