/*
 * groupby_sort.cu
 *		Kernels of grouping by sorting (groupby_sort.h): bounds of keys, words of rows, and rows of
 *		groups from words that are sorted.
 */
#include "cuda/groupby/groupby_rows.cuh"
#include "cuda/groupby/groupby_word.cuh"
#include "cuda/kernel/block_groups.cuh"
#include "device/ops/ordered_row.h"

#define THREADS 256
#define BLOCKS 8				/* of a multiprocessor */

/* Keys whose bounds a thread has in registers at once */
#define BOUND_KEYS 4

#define SIGN (UINT64_C(1) << 63)

static __device__ __forceinline__ uint64_t
first_row(void)
{
	return (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ uint64_t
next_row(void)
{
	return (uint64_t) gridDim.x * blockDim.x;
}

/* A key as a number in the order of its type; -0 is 0 unless they are told apart. */
static __device__ __forceinline__ uint64_t
key_number(const GpuAggRowField *f, uint64_t row, bool apart)
{
	GpuAggValue v;

	v.i = field_value(f, row);
	if (f->f64)
		v.i = gpuagg_f64_order(apart ? v.f : v.f + 0.0);
	return (uint64_t) v.i ^ SIGN;
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
bounds_add(GpuAggSortBounds *b, uint32_t key, uint64_t least, uint64_t most, uint64_t used)
{
	for (int lanes = WARP_LANES / 2; lanes > 0; lanes /= 2)
	{
		least = min(least, __shfl_xor_sync(ALL_LANES, least, lanes));
		most = max(most, __shfl_xor_sync(ALL_LANES, most, lanes));
		used |= __shfl_xor_sync(ALL_LANES, used, lanes);
	}
	if (threadIdx.x % WARP_LANES != 0 || least > most)
		return;
	atomicMin((unsigned long long *) &b->least[key], (unsigned long long) least);
	atomicMax((unsigned long long *) &b->most[key], (unsigned long long) most);
	atomicOr((unsigned long long *) &b->used[key], (unsigned long long) used);
}

static __global__ void
bounds_kernel(const __grid_constant__ GpuAggGroupByArgs a,
			  const __grid_constant__ GpuAggSortShape shape, uint32_t from, GpuAggSortBounds *b)
{
	uint64_t	least[BOUND_KEYS];
	uint64_t	most[BOUND_KEYS];
	uint64_t	used[BOUND_KEYS];
	uint32_t	nulls = 0;
	uint32_t	zeros = 0;

	#pragma unroll
	for (uint32_t k = 0; k < BOUND_KEYS; k++)
	{
		least[k] = ~UINT64_C(0);
		most[k] = used[k] = 0;
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
			if (f->f64 && number == (uint64_t) (gpuagg_f64_order(-0.0) ^ SIGN))
				zeros |= 1u << (from + k);
			if (from + k != shape.value)
				number = key_number(f, row, false);
			least[k] = min(least[k], number);
			most[k] = max(most[k], number);
			used[k] |= (uint64_t) field_value(f, row);
		}
	}
	__syncwarp();
	#pragma unroll
	for (uint32_t k = 0; k < BOUND_KEYS; k++)
		if (from + k < a.nkeys)
			bounds_add(b, from + k, least[k], most[k], used[k]);
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
			(key_number(&a.fields[a.key_field[i]], row, i == shape.value) >> key.unused) -
				key.least;

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

/* ---------- rows of groups ---------- */

/* How the rows of a group are cut: rows that are wanted each by itself, and those between them */
struct Cuts
{
	int64_t		wanted[GPUAGG_ORDERED_ROWS];
	uint32_t	nwanted;
	uint64_t	values;			/* rows whose value is not NULL, which come first */
	uint64_t	rows;

	/* Behind a row, which is the first of a piece: the first row of the next piece */
	__device__ uint64_t
	next(uint64_t at, uint32_t *met) const
	{
		if (at >= values)
			return rows;
		while (*met < nwanted && (uint64_t) wanted[*met] <= at)
			++*met;
		if (*met == nwanted)
			return values;
		return (uint64_t) wanted[*met] - 1 > at ? (uint64_t) wanted[*met] - 1 : at + 1;
	}
};

/* The first of sorted words whose value is NULL, of those from .. end - 1; else end */
template <typename Word>
static __device__ uint64_t
first_null(const GpuAggSortShape &shape, const Word *words, uint64_t from, uint64_t end)
{
	const GpuAggSortKey &value = shape.keys[shape.value];

	if (!value.nullable)
		return end;
	while (from < end)
	{
		const uint64_t mid = from + (end - from) / 2;

		if (word_number(words[mid], value) == value.null)
			end = mid;
		else
			from = mid + 1;
	}
	return end;
}

template <typename Word>
static __device__ void
cuts_make(const GpuAggSortShape &shape, const Word *words, uint64_t from, uint64_t end, Cuts *cuts)
{
	cuts->nwanted = 0;
	cuts->values = cuts->rows = end - from;
	if (shape.value == GPUAGG_SORT_NO_VALUE)
		return;
	cuts->values = first_null(shape, words, from, end) - from;
	if (cuts->values > 0)
		cuts->nwanted = gpuagg_ordered_wanted(&shape.wish, (int64_t) cuts->values, cuts->wanted);
}

/*
 * What a register has, of a number.  Bits that doubles do not use are set in the order of those
 * below 0.
 */
static __device__ __forceinline__ int64_t
key_value(const GpuAggSortKey &key, uint64_t number, bool f64)
{
	uint64_t	ordered = (number + key.least) << key.unused;
	GpuAggValue v;

	if (f64 && (ordered & SIGN) == 0)
		ordered |= (UINT64_C(1) << key.unused) - 1;
	v.i = (int64_t) (ordered ^ SIGN);
	if (f64)
		v.f = gpuagg_f64_unorder(v.i);
	return v.i;
}

/* A row of layout.h: so many rows, with the keys of this word */
template <typename Word>
static __device__ void
write_row(const GpuAggGroupByArgs &a, const GpuAggSortShape &shape, Word word, uint64_t count,
		  char *out)
{
	const uint64_t *init = (const uint64_t *) a.prepared->init_row;
	uint32_t	nulls = 0;

	for (uint32_t i = 0; i < a.row_bytes / 8; i++)
		((uint64_t *) out)[i] = init[i];
	for (uint32_t i = 0; i < a.nkeys; i++)
	{
		const GpuAggSortKey &key = shape.keys[i];
		const GpuAggRowField *f = &a.fields[a.key_field[i]];
		const uint64_t number = word_number(word, key);
		GpuAggValue v;

		if (key.nullable && number == key.null)
		{
			nulls |= 1u << i;
			continue;
		}
		v.i = key_value(key, number, f->f64);
		if (f->bytes == 4)
			*(uint32_t *) (out + a.key_off[i]) = (uint32_t) v.i;
		else
			*(int64_t *) (out + a.key_off[i]) = v.i;
	}
	*(uint32_t *) out = nulls;
	for (uint32_t i = 0; i < a.nsteps; i++)
		if ((shape.counted >> i & 1) != 0)
			*(uint64_t *) (out + a.steps[i].off) = count;
	/* of rows without a place those that it counts are added later */
	if (shape.left_out != 0 && (nulls >> shape.value & 1) != 0)
		*(uint64_t *) (out + a.steps[shape.wish.count].off) = 0;
}

/* Places of so many rows of each lane; all lanes of the warp call it. */
static __device__ __forceinline__ unsigned long long
rows_place(const GpuAggGroupByArgs &a, uint32_t n)
{
	uint32_t	through = n;
	unsigned long long first = 0;

	for (int lanes = 1; lanes < WARP_LANES; lanes *= 2)
	{
		const uint32_t before = __shfl_up_sync(ALL_LANES, through, lanes);

		through += (int) (threadIdx.x % WARP_LANES) >= lanes ? before : 0;
	}
	if (threadIdx.x % WARP_LANES == WARP_LANES - 1)
		first = atomicAdd(&a.head->groups, (unsigned long long) through);
	return __shfl_sync(ALL_LANES, first, WARP_LANES - 1) + through - n;
}

template <typename Word>
static __global__ void
rows_kernel(const __grid_constant__ GpuAggGroupByArgs a,
			const __grid_constant__ GpuAggSortShape shape,
			const __grid_constant__ GpuAggSorted sorted)
{
	const Word *words = (const Word *) sorted.words;
	const uint64_t all = (sorted.ngroups + WARP_LANES - 1) / WARP_LANES * WARP_LANES;

	for (uint64_t g = first_row(); g < all; g += next_row())
	{
		const bool	one = g < sorted.ngroups;
		const uint64_t from = one ? sorted.starts[g] : 0;
		const uint64_t end = g + 1 < sorted.ngroups ? sorted.starts[g + 1] : one ? a.n : 0;
		unsigned long long place;
		uint32_t	pieces = 0;
		uint32_t	met = 0;
		Cuts		cuts;

		cuts_make(shape, words, from, end, &cuts);
		for (uint64_t at = 0; at < cuts.rows; at = cuts.next(at, &met))
			pieces++;
		place = rows_place(a, pieces);
		if (!one)
			continue;
		if (sorted.firsts != NULL)
		{
			((Word *) sorted.firsts)[g] = word_above(words[from], shape.value_bits);
			sorted.places[g] = place;
		}
		if (sorted.null_places != NULL)
			sorted.null_places[g] = place + pieces - 1;
		met = 0;
		for (uint64_t at = 0, next; at < cuts.rows; at = next, place++)
		{
			next = cuts.next(at, &met);
			write_row(a, shape, words[from + at], next - at, sorted.rows + place * a.row_bytes);
		}
	}
}

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

/* Blocks for so many things, a thread each */
static uint32_t
blocks_for(uint64_t n, uint32_t sms)
{
	const uint64_t useful = (n + THREADS - 1) / THREADS;
	const uint64_t most = (uint64_t) sms * BLOCKS;

	return (uint32_t) (useful < 1 ? 1 : useful < most ? useful : most);
}

cudaError_t
gpuagg_cuda_groupby_bounds(const GpuAggGroupByArgs *a, const GpuAggSortShape *shape,
						   GpuAggSortBounds *bounds, uint32_t sms, cudaStream_t stream)
{
	for (uint32_t from = 0; from < a->nkeys; from += BOUND_KEYS)
		bounds_kernel<<<blocks_for(a->n, sms), THREADS, 0, stream>>>(*a, *shape, from, bounds);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_groupby_words(const GpuAggGroupByArgs *a, const GpuAggSortShape *shape, void *words,
						  uint32_t sms, cudaStream_t stream)
{
	if (shape->word_bytes == 8)
		words_kernel<<<blocks_for(a->n, sms), THREADS, 0, stream>>>(*a, *shape,
																	(uint64_t *) words);
	else
		words_kernel<<<blocks_for(a->n, sms), THREADS, 0, stream>>>(*a, *shape,
																	(GpuAggWideWord *) words);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_groupby_count_sorted(const GpuAggSortShape *shape, const void *words, uint64_t n,
								 GpuAggSortBounds *bounds, uint32_t sms, cudaStream_t stream)
{
	if (shape->word_bytes == 8)
		count_kernel<<<blocks_for(n, sms), THREADS, 0, stream>>>((const uint64_t *) words,
																shape->value_bits, n, bounds);
	else
		count_kernel<<<blocks_for(n, sms), THREADS, 0, stream>>>((const GpuAggWideWord *) words,
																shape->value_bits, n, bounds);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_groupby_sorted_rows(const GpuAggGroupByArgs *a, const GpuAggSortShape *shape,
								const GpuAggSorted *sorted, uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = blocks_for(sorted->ngroups, sms);

	if (shape->word_bytes == 8)
		rows_kernel<uint64_t><<<blocks, THREADS, 0, stream>>>(*a, *shape, *sorted);
	else
		rows_kernel<GpuAggWideWord><<<blocks, THREADS, 0, stream>>>(*a, *shape, *sorted);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_groupby_sorted_states(const GpuAggGroupByArgs *a, const GpuAggSortShape *shape,
								  const GpuAggSorted *sorted, uint32_t states_bytes, uint32_t sms,
								  cudaStream_t stream)
{
	const uint32_t slots = block_slots(states_bytes);
	const uint32_t bytes = slots * (8 + states_bytes);

	if (shape->word_bytes == 8)
		states_kernel<uint64_t><<<blocks_for(a->n, sms), THREADS, bytes, stream>>>
			(*a, *shape, *sorted, slots);
	else
		states_kernel<GpuAggWideWord><<<blocks_for(a->n, sms), THREADS, bytes, stream>>>
			(*a, *shape, *sorted, slots);
	return cudaGetLastError();
}
