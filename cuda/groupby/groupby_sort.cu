/*
 * groupby_sort.cu
 *		Kernels of grouping by sorting (groupby_sort.h): bounds of keys, words of rows, how many
 *		groups sorted words are, and states of rows.
 */
#include "cuda/groupby/groupby_rows.cuh"
#include "cuda/groupby/groupby_word.cuh"
#include "cuda/kernel/block_groups.cuh"

/* Keys whose bounds a thread has in registers at once */
#define BOUND_KEYS 4

/* A key as a number in the order of its type; -0 is 0 unless they are told apart. */
static __device__ __forceinline__ uint64_t
key_number(const GpuAggRowField *f, uint64_t row, bool apart)
{
	GpuAggValue v;

	v.i = field_value(f, row);
	if (f->f64)
		v.i = gpuagg_f64_order(apart ? v.f : v.f + 0.0);
	return (uint64_t) v.i ^ GPUAGG_SORT_SIGN;
}

/* A key as words have it: without low bits that no value has, or as so many units */
static __device__ __forceinline__ uint64_t
word_key(const GpuAggRowField *f, uint64_t row, bool apart, const GpuAggSortKey &key)
{
	GpuAggValue v;

	if (key.unit == 0)
		return key_number(f, row, apart) >> key.unused;
	v.i = field_value(f, row);
	return (uint64_t) (int64_t) (v.f * key.per_unit) ^ GPUAGG_SORT_SIGN;
}

/* The exponent of the lowest bit that a double has; 0 has none, what is no number one far below */
static __device__ __forceinline__ int32_t
lowest_bit(uint64_t bits)
{
	const uint32_t exponent = (uint32_t) (bits >> 52) & 0x7FF;
	const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
	const uint64_t digits = exponent > 0 ? fraction | UINT64_C(1) << 52 : fraction;

	if (exponent == 0x7FF)
		return INT32_MIN;
	return digits == 0 ? INT32_MAX : (int32_t) max(exponent, 1u) - 1075 + __ffsll(digits) - 1;
}

/* A row's flags, where NULL is what has no place in an order, too */
static __device__ __forceinline__ uint32_t
place_flags(const GpuAggGroupByArgs &a, const GpuAggSortShape &shape, uint64_t row)
{
	const uint32_t flags = row_flags(a, row);

	return (flags & shape.left_out) != 0 ? flags | 1u << shape.value : flags;
}

/* ---------- bounds ---------- */

static __device__ __forceinline__ void
bounds_add(GpuAggSortBounds *b, uint32_t key, uint64_t least, uint64_t most, uint64_t used,
		   int32_t low)
{
	for (int lanes = WARP_LANES / 2; lanes > 0; lanes /= 2)
	{
		least = min(least, __shfl_xor_sync(ALL_LANES, least, lanes));
		most = max(most, __shfl_xor_sync(ALL_LANES, most, lanes));
		used |= __shfl_xor_sync(ALL_LANES, used, lanes);
	}
	low = all_lanes_min(low);
	if (threadIdx.x % WARP_LANES != 0 || least > most)
		return;
	atomicMin((unsigned long long *) &b->least[key], (unsigned long long) least);
	atomicMax((unsigned long long *) &b->most[key], (unsigned long long) most);
	atomicOr((unsigned long long *) &b->used[key], (unsigned long long) used);
	atomicMin(&b->low[key], low);
}

static __global__ void
bounds_kernel(const __grid_constant__ GpuAggGroupByArgs a,
			  const __grid_constant__ GpuAggSortShape shape, uint32_t from, GpuAggSortBounds *b)
{
	uint64_t	least[BOUND_KEYS];
	uint64_t	most[BOUND_KEYS];
	uint64_t	used[BOUND_KEYS];
	int32_t		low[BOUND_KEYS];
	uint32_t	nulls = 0;
	uint32_t	zeros = 0;

	#pragma unroll
	for (uint32_t k = 0; k < BOUND_KEYS; k++)
	{
		least[k] = ~UINT64_C(0);
		most[k] = used[k] = 0;
		low[k] = INT32_MAX;
	}
	for (uint64_t row = first_row(); row < a.n; row += next_row())
	{
		const uint32_t flags = place_flags(a, shape, row);

		nulls |= flags;
		#pragma unroll
		for (uint32_t k = 0; k < BOUND_KEYS; k++)
		{
			const GpuAggRowField *f = &a.fields[a.key_field[from + k]];
			uint64_t	number;

			if (from + k >= a.nkeys || (flags >> (from + k) & 1) != 0)
				continue;
			number = key_number(f, row, true);
			if (f->f64 && number == (uint64_t) (gpuagg_f64_order(-0.0) ^ GPUAGG_SORT_SIGN))
				zeros |= 1u << (from + k);
			if (from + k != shape.value)
				number = key_number(f, row, false);
			least[k] = min(least[k], number);
			most[k] = max(most[k], number);
			used[k] |= (uint64_t) field_value(f, row);
			if (f->f64)
				low[k] = min(low[k], lowest_bit((uint64_t) field_value(f, row)));
		}
	}
	__syncwarp();
	#pragma unroll
	for (uint32_t k = 0; k < BOUND_KEYS; k++)
		if (from + k < a.nkeys)
			bounds_add(b, from + k, least[k], most[k], used[k], low[k]);
	nulls = all_lanes_or(nulls);
	zeros = all_lanes_or(zeros);
	if (threadIdx.x % WARP_LANES == 0 && nulls != 0)
		atomicOr(&b->nulls, nulls);
	if (threadIdx.x % WARP_LANES == 0 && zeros != 0)
		atomicOr(&b->zeros, zeros);
}

/* ---------- words ---------- */

template <typename Word>
static __device__ __forceinline__ Word
row_word(const GpuAggGroupByArgs &a, const GpuAggSortShape &shape, uint64_t row)
{
	const uint32_t flags = place_flags(a, shape, row);
	Word		word = 0;

	for (uint32_t i = 0; i < a.nkeys; i++)
	{
		const GpuAggSortKey &key = shape.keys[i];
		const uint64_t number = (flags >> i & 1) != 0 ?
			key.null :
			word_key(&a.fields[a.key_field[i]], row, i == shape.value, key) - key.least;

		if (key.bits > 0)
			word |= (Word) number << key.shift;
	}
	return word;
}

template <typename Word>
static __global__ void
words_kernel(const __grid_constant__ GpuAggGroupByArgs a,
			 const __grid_constant__ GpuAggSortShape shape, Word *words)
{
	for (uint64_t row = first_row(); row < a.n; row += next_row())
		words[row] = row_word<Word>(a, shape, row);
}

template <typename Word>
static __global__ void
count_kernel(const Word *words, uint32_t value_bits, uint64_t n, GpuAggSortBounds *b)
{
	const GroupBegins<Word> group = {words, value_bits};
	const GroupBegins<Word> word = {words, 0};
	uint32_t	groups = 0;
	uint32_t	different = 0;

	for (uint64_t i = first_row(); i < n; i += next_row())
	{
		groups += group(i);
		different += word(i);
	}
	__syncwarp();
	groups = all_lanes_add(groups);
	different = all_lanes_add(different);
	if (threadIdx.x % WARP_LANES != 0 || different == 0)
		return;
	atomicAdd(&b->groups, (unsigned long long) groups);
	atomicAdd(&b->words, (unsigned long long) different);
}

/* ---------- states ---------- */

/* The group whose words begin so */
template <typename Word>
static __device__ __forceinline__ uint64_t
group_of(const GpuAggSorted &sorted, Word first)
{
	uint64_t	low = 0;
	uint64_t	high = sorted.ngroups;

	while (high - low > 1)
	{
		const uint64_t mid = low + (high - low) / 2;

		if (((const Word *) sorted.firsts)[mid] <= first)
			low = mid;
		else
			high = mid;
	}
	return low;
}

template <typename Word>
static __global__ void
states_kernel(const __grid_constant__ GpuAggGroupByArgs a,
			  const __grid_constant__ GpuAggSortShape shape,
			  const __grid_constant__ GpuAggSorted sorted, uint32_t slots)
{
	extern __shared__ __align__(16) char memory[];
	const BlockGroups block = block_begin(a.prepared, memory, slots);
	BlockLooks	looks = block_looks(block);

	for (uint64_t row = first_row(); row < a.n; row += next_row())
	{
		const Word	word = row_word<Word>(a, shape, row);
		const uint64_t g = group_of(sorted, word_above(word, shape.value_bits));
		const uint32_t flags = row_flags(a, row);

		row_enter(a, row, flags, shape.counted,
				  block_states(block, sorted.rows + sorted.places[g] * a.row_bytes, &looks));
		if (shape.left_out != 0 && (flags & shape.left_out) == 0 && (flags >> shape.value & 1) != 0)
			row_enter(a, row, flags, ~(UINT64_C(1) << shape.wish.count),
					  block_states(block, sorted.rows + sorted.null_places[g] * a.row_bytes,
								   &looks));
	}
	/* a count of the block's is 0 where words told it */
	block_end(block, a.nsteps,
			  [&](uint32_t i) { return BlockState{a.steps[i].op, a.steps[i].off}; });
}

/* ---------- launches ---------- */

cudaError_t
gpuagg_cuda_groupby_bounds(const GpuAggGroupByArgs *a, const GpuAggSortShape *shape,
						   GpuAggSortBounds *bounds, uint32_t sms, cudaStream_t stream)
{
	for (uint32_t from = 0; from < a->nkeys; from += BOUND_KEYS)
		bounds_kernel<<<sort_blocks(a->n, sms), GPUAGG_SORT_THREADS, 0, stream>>>(*a, *shape, from,
																				 bounds);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_groupby_words(const GpuAggGroupByArgs *a, const GpuAggSortShape *shape, void *words,
						  uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sort_blocks(a->n, sms);

	return sort_with_word(shape, [&](auto word) {
		words_kernel<<<blocks, GPUAGG_SORT_THREADS, 0, stream>>>(*a, *shape,
																 (decltype(word) *) words);
		return cudaGetLastError();
	});
}

cudaError_t
gpuagg_cuda_groupby_count_sorted(const GpuAggSortShape *shape, const void *words, uint64_t n,
								 GpuAggSortBounds *bounds, uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sort_blocks(n, sms);

	return sort_with_word(shape, [&](auto word) {
		count_kernel<<<blocks, GPUAGG_SORT_THREADS, 0, stream>>>((const decltype(word) *) words,
																 shape->value_bits, n, bounds);
		return cudaGetLastError();
	});
}

cudaError_t
gpuagg_cuda_groupby_sorted_states(const GpuAggGroupByArgs *a, const GpuAggSortShape *shape,
								  const GpuAggSorted *sorted, uint32_t states_bytes, uint32_t sms,
								  cudaStream_t stream)
{
	const uint32_t slots = block_slots(states_bytes);
	const uint32_t bytes = slots * (8 + states_bytes);
	const uint32_t blocks = sort_blocks(a->n, sms);

	return sort_with_word(shape, [&](auto word) {
		states_kernel<decltype(word)>
			<<<blocks, GPUAGG_SORT_THREADS, bytes, stream>>>(*a, *shape, *sorted, slots);
		return cudaGetLastError();
	});
}
