/*
 * groupby_sort_rows.cu
 *		Kernels of grouping by sorting (groupby_sort.h): rows of groups from words that are sorted,
 *		cut where an order's rows are wanted, or into the commonest value and all others, or with
 *		the number of values.
 */
#include "cuda/groupby/groupby_rows.cuh"
#include "cuda/groupby/groupby_word.cuh"
#include "device/ops/ordered_row.h"

/* ---------- a row ---------- */

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

	if (key.unit != 0)
	{
		v.f = (double) (int64_t) (ordered ^ GPUAGG_SORT_SIGN) * key.unit;
		return v.i;
	}
	if (f64 && (ordered & GPUAGG_SORT_SIGN) == 0)
		ordered |= (UINT64_C(1) << key.unused) - 1;
	v.i = (int64_t) (ordered ^ GPUAGG_SORT_SIGN);
	if (f64)
		v.f = gpuagg_f64_unorder(v.i);
	return v.i;
}

/*
 * A row of layout.h: so many rows, with the keys of this word, the value perhaps NULL instead.  Of
 * rows without a value `placed` have one that a wish's count counts; NULLs are added later.
 */
template <typename Word>
static __device__ void
write_row(const GpuAggGroupByArgs &a, const GpuAggSortShape &shape, Word word, bool no_value,
		  uint64_t count, uint64_t placed, char *out)
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

		if ((key.nullable && number == key.null) || (no_value && i == shape.value))
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
	if (shape.left_out != 0 && (nulls >> shape.value & 1) != 0)
		*(uint64_t *) (out + a.steps[shape.wish.count].off) = placed;
}

/* Where the words of a group begin and end; none behind the last group */
struct GroupWords
{
	uint64_t	from;
	uint64_t	end;

	__device__
	GroupWords(const GpuAggSorted &sorted, uint64_t g, uint64_t n)
	{
		from = g < sorted.ngroups ? sorted.starts[g] : 0;
		end = g + 1 < sorted.ngroups ? sorted.starts[g + 1] : g < sorted.ngroups ? n : 0;
	}
};

/* How rows find their group, and which of its pieces, for states other than counts */
template <typename Word>
static __device__ __forceinline__ void
tell_place(const GpuAggSortShape &shape, const GpuAggSorted &sorted, uint64_t g, Word word,
		   unsigned long long place, uint32_t pieces)
{
	if (sorted.firsts != NULL)
	{
		((Word *) sorted.firsts)[g] = word_above(word, shape.value_bits);
		sorted.places[g] = place;
	}
	if (sorted.null_places != NULL)
		sorted.null_places[g] = place + pieces - 1;
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
		const GroupWords own(sorted, g, a.n);
		unsigned long long place;
		uint32_t	pieces = 0;
		uint32_t	met = 0;
		Cuts		cuts;

		cuts_make(shape, words, own.from, own.end, &cuts);
		for (uint64_t at = 0; at < cuts.rows; at = cuts.next(at, &met))
			pieces++;
		place = rows_place(a, pieces);
		if (pieces == 0)
			continue;
		tell_place(shape, sorted, g, words[own.from], place, pieces);
		met = 0;
		for (uint64_t at = 0, next; at < cuts.rows; at = next, place++)
		{
			next = cuts.next(at, &met);
			write_row(a, shape, words[own.from + at], false, next - at, 0,
					  sorted.rows + place * a.row_bytes);
		}
	}
}

/* ---------- modes ---------- */

/*
 * A run's vote for its value: its rows, and of equally common ones the run that comes first, or
 * last.  There are fewer than 2^32 rows, so a vote of a run is never 0.
 */
static __device__ __forceinline__ unsigned long long
vote(uint64_t rows, uint64_t run, bool last)
{
	return rows << 32 | (last ? (uint32_t) run : ~(uint32_t) run);
}

static __device__ __forceinline__ uint32_t
vote_run(uint64_t vote, bool last)
{
	return last ? (uint32_t) vote : ~(uint32_t) vote;
}

/* The group that has this word, by where groups begin */
static __device__ __forceinline__ uint64_t
group_at(const GpuAggSorted &sorted, uint32_t word)
{
	uint64_t	low = 0;
	uint64_t	high = sorted.ngroups;

	while (high - low > 1)
	{
		const uint64_t mid = low + (high - low) / 2;

		if (sorted.starts[mid] <= word)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* Runs of a warp are mostly of one group: then it has one vote. */
template <typename Word>
static __global__ void
modes_kernel(const __grid_constant__ GpuAggSortShape shape,
			 const __grid_constant__ GpuAggSorted sorted, uint64_t n)
{
	const Word *words = (const Word *) sorted.words;
	const GpuAggSortKey &value = shape.keys[shape.value];
	const bool	last = shape.wish.mode == GPUAGG_MODE_LAST;
	const uint64_t all = (sorted.nruns + WARP_LANES - 1) / WARP_LANES * WARP_LANES;

	for (uint64_t run = first_row(); run < all; run += next_row())
	{
		/* behind the last one: that again */
		const uint64_t own = min(run, sorted.nruns - 1);
		const uint32_t from = sorted.runs[own];
		const uint64_t end = own + 1 < sorted.nruns ? sorted.runs[own + 1] : n;
		const uint64_t g = group_at(sorted, from);
		const bool	counts = !value.nullable || word_number(words[from], value) != value.null;
		unsigned long long own_vote = counts ? vote(end - from, own, last) : 0;
		const uint64_t first_g = __shfl_sync(ALL_LANES, g, 0);

		if (__all_sync(ALL_LANES, g == first_g))
		{
			for (int lanes = WARP_LANES / 2; lanes > 0; lanes /= 2)
				own_vote = max(own_vote, __shfl_xor_sync(ALL_LANES, own_vote, lanes));
			if (threadIdx.x % WARP_LANES != 0)
				own_vote = 0;
		}
		if (own_vote != 0)
			atomicMax((unsigned long long *) &sorted.modes[g], own_vote);
	}
}

/* Of each group its commonest value, and all its other rows, without a value */
template <typename Word>
static __global__ void
mode_rows_kernel(const __grid_constant__ GpuAggGroupByArgs a,
				 const __grid_constant__ GpuAggSortShape shape,
				 const __grid_constant__ GpuAggSorted sorted)
{
	const Word *words = (const Word *) sorted.words;
	const bool	last = shape.wish.mode == GPUAGG_MODE_LAST;
	const uint64_t all = (sorted.ngroups + WARP_LANES - 1) / WARP_LANES * WARP_LANES;

	for (uint64_t g = first_row(); g < all; g += next_row())
	{
		const GroupWords own(sorted, g, a.n);
		const uint64_t best = g < sorted.ngroups ? sorted.modes[g] : 0;
		const uint64_t rows = best >> 32;
		const uint64_t others = own.end - own.from - rows;
		const uint32_t pieces = (rows > 0) + (others > 0);
		unsigned long long place = rows_place(a, pieces);

		if (pieces == 0)
			continue;
		tell_place(shape, sorted, g, words[own.from], place, pieces);
		if (rows > 0)
			write_row(a, shape, words[sorted.runs[vote_run(best, last)]], false, rows, 0,
					  sorted.rows + place++ * a.row_bytes);
		if (others > 0)
			write_row(a, shape, words[own.from], true, others,
					  first_null(shape, words, own.from, own.end) - own.from - rows,
					  sorted.rows + place * a.row_bytes);
	}
}

/* ---------- counts of values ---------- */

/* The first run that begins at or behind this word */
static __device__ __forceinline__ uint64_t
run_at(const GpuAggSorted &sorted, uint64_t word)
{
	uint64_t	low = 0;
	uint64_t	high = sorted.nruns;

	while (low < high)
	{
		const uint64_t mid = low + (high - low) / 2;

		if (sorted.runs[mid] < word)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* How many different values a group has; a NULL's run is its last. */
template <typename Word>
static __device__ __forceinline__ uint64_t
values_of(const GpuAggSortShape &shape, const GpuAggSorted &sorted, const GroupWords &own)
{
	const GpuAggSortKey &value = shape.keys[shape.value];
	const Word	last = ((const Word *) sorted.words)[own.end - 1];

	return run_at(sorted, own.end) - run_at(sorted, own.from) -
		(value.nullable && word_number(last, value) == value.null);
}

/* Of each group one row, with the number of its values in place of a value */
template <typename Word>
static __global__ void
counts_rows_kernel(const __grid_constant__ GpuAggGroupByArgs a,
				   const __grid_constant__ GpuAggSortShape shape,
				   const __grid_constant__ GpuAggSorted sorted)
{
	const Word *words = (const Word *) sorted.words;
	const uint32_t slot = a.key_off[shape.value];

	for (uint64_t g = first_row(); g < sorted.ngroups; g += next_row())
	{
		const GroupWords own(sorted, g, a.n);
		const uint64_t values = values_of<Word>(shape, sorted, own);
		char	   *row = sorted.rows + g * a.row_bytes;

		tell_place(shape, sorted, g, words[own.from], g, 1);
		write_row(a, shape, words[own.from], values == 0, own.end - own.from, 0, row);
		if (values == 0)
			continue;
		if (a.fields[a.key_field[shape.value]].bytes == 4)
			*(uint32_t *) (row + slot) = (uint32_t) values;
		else
			*(uint64_t *) (row + slot) = values;
	}
	if (first_row() == 0)
		a.head->groups = sorted.ngroups;
}

/* ---------- launches ---------- */

static_assert(sizeof(GpuAggGroupByArgs) + sizeof(GpuAggSortShape) + sizeof(GpuAggSorted) <= 4096,
			  "what every card takes of a kernel's parameters");

cudaError_t
gpuagg_cuda_groupby_sorted_modes(const GpuAggSortShape *shape, const GpuAggSorted *sorted,
								 uint64_t n, uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sort_blocks(sorted->nruns, sms);

	return sort_with_word(shape, [&](auto word) {
		modes_kernel<decltype(word)>
			<<<blocks, GPUAGG_SORT_THREADS, 0, stream>>>(*shape, *sorted, n);
		return cudaGetLastError();
	});
}

cudaError_t
gpuagg_cuda_groupby_sorted_rows(const GpuAggGroupByArgs *a, const GpuAggSortShape *shape,
								const GpuAggSorted *sorted, uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sort_blocks(sorted->ngroups, sms);

	return sort_with_word(shape, [&](auto word) {
		const auto	kernel = shape->counts_values ? counts_rows_kernel<decltype(word)> :
			shape->wish.mode != GPUAGG_MODE_NONE  ? mode_rows_kernel<decltype(word)> :
													rows_kernel<decltype(word)>;

		kernel<<<blocks, GPUAGG_SORT_THREADS, 0, stream>>>(*a, *shape, *sorted);
		return cudaGetLastError();
	});
}
