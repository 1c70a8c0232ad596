/*
 * groupby_sort.h
 *		Grouping by sorting: what its kernels share with who launches them.
 *
 * A row's keys become one word, in the order of the keys: each is a number in its type's order,
 * without low bits that no value has, less the least that there is, in as many bits as the
 * greatest needs; NULL is the number behind that.  Doubles that are multiples of a power of 2 are
 * numbers of these, if that is shorter, so integers that became doubles take no more room than
 * before.  Rows with the same word lie side by side once words are sorted.  Of a wish
 * (device/ordered.h) the value has the lowest bits, so what lies above them tells the query's
 * groups apart, and rows of these lie in its order; a row that the wish's count leaves out has
 * NULL for its value there.  Where values are counted it is the same, without a wish.
 */
#ifndef GPUAGG_CUDA_GROUPBY_SORT_H
#define GPUAGG_CUDA_GROUPBY_SORT_H

#include "cuda/groupby/groupby_rows.h"
#include "device/ordered.h"

/* Bounds of keys, as numbers without a sign, and what else decides about their words */
typedef struct GpuAggSortBounds
{
	uint64_t	least[GPUAGG_MAX_KEYS];
	uint64_t	most[GPUAGG_MAX_KEYS];
	uint64_t	used[GPUAGG_MAX_KEYS];	/* bits that are set in some value, as a register has it */
	unsigned long long words;	/* different ones */
	unsigned long long groups;	/* what of them lies above the value */
	int32_t		low[GPUAGG_MAX_KEYS];	/* of doubles, the exponent of the lowest bit that one
										 * has; far below 0 of a NaN or infinity */
	uint32_t	nulls;			/* keys that are NULL in some row */
	uint32_t	zeros;			/* keys that are -0 in some row */
} GpuAggSortBounds;

/* Exponents of units, at most and least; and multiples, which are integers of 64 bits */
#define GPUAGG_SORT_EXPONENTS 1000
#define GPUAGG_SORT_UNITS 0x1p62

#define GPUAGG_SORT_SIGN (UINT64_C(1) << 63)

typedef struct GpuAggSortKey
{
	uint64_t	least;
	uint64_t	null;			/* the number of NULL, where there are some */
	double		unit;			/* of doubles that are multiples of it; else 0 */
	double		per_unit;		/* 1 / unit */
	uint8_t		unused;			/* low bits of values */
	uint8_t		shift;			/* in a word */
	uint8_t		bits;
	bool		nullable;
} GpuAggSortKey;

#define GPUAGG_SORT_NO_VALUE 0xFF

typedef struct GpuAggSortShape
{
	GpuAggSortKey keys[GPUAGG_MAX_KEYS];
	uint32_t	bits;			/* of a word */
	uint32_t	word_bytes;		/* 4, 8 or 16 */
	uint32_t	value_bits;		/* of these, the value's */
	uint8_t		value;			/* the key that is the value of a wish, or whose values are
								 * counted; or GPUAGG_SORT_NO_VALUE */
	bool		counts_values;
	uint64_t	counted;		/* steps that count all rows, and the wish's */
	uint32_t	left_out;		/* flag of rows that the wish's count leaves out; 0: none is */
	GpuAggOrdered wish;
} GpuAggSortShape;

/* Sorted words, and what is made of them; all in device memory */
typedef struct GpuAggSorted
{
	const void *words;			/* as many as there are rows */
	uint64_t	ngroups;
	const uint32_t *starts;		/* the first word of each group */
	uint64_t	nruns;			/* different words, of a mode or where values are counted */
	const uint32_t *runs;		/* and the first of each */
	uint64_t   *modes;			/* of each group, the vote for its commonest value */
	char	   *rows;			/* of groups: layout.h */
	void	   *firsts;			/* of each group, what its words begin with; NULL: nobody asks */
	uint64_t   *places;			/* of each group, its first row */
	uint64_t   *null_places;	/* of each group, the row whose value is NULL; NULL: nobody asks */
} GpuAggSorted;

/*
 * Launches return what CUDA says of them.  bounds: least all ones, all else 0; of the shape, value
 * and left_out are there.
 */
extern cudaError_t gpuagg_cuda_groupby_bounds(const GpuAggGroupByArgs *args,
											  const GpuAggSortShape *shape,
											  GpuAggSortBounds *bounds, uint32_t sms,
											  cudaStream_t stream);
extern cudaError_t gpuagg_cuda_groupby_words(const GpuAggGroupByArgs *args,
											 const GpuAggSortShape *shape, void *words,
											 uint32_t sms, cudaStream_t stream);

/* bounds->words and ->groups of sorted words */
extern cudaError_t gpuagg_cuda_groupby_count_sorted(const GpuAggSortShape *shape,
													const void *words, uint64_t n,
													GpuAggSortBounds *bounds, uint32_t sms,
													cudaStream_t stream);

/* Of a mode: modes of all groups, 0 before */
extern cudaError_t gpuagg_cuda_groupby_sorted_modes(const GpuAggSortShape *shape,
													const GpuAggSorted *sorted, uint64_t n,
													uint32_t sms, cudaStream_t stream);

/* Rows of all groups: args->head->groups counts them. */
extern cudaError_t gpuagg_cuda_groupby_sorted_rows(const GpuAggGroupByArgs *args,
												   const GpuAggSortShape *shape,
												   const GpuAggSorted *sorted, uint32_t sms,
												   cudaStream_t stream);

/* Rows enter the states of their group's first row, but for what is counted already; a row has so
 * many bytes of states. */
extern cudaError_t gpuagg_cuda_groupby_sorted_states(const GpuAggGroupByArgs *args,
													 const GpuAggSortShape *shape,
													 const GpuAggSorted *sorted,
													 uint32_t states_bytes, uint32_t sms,
													 cudaStream_t stream);

/* ---------- groupby_radix.cu ---------- */

/* Bytes of memory that sorting n words takes beside two arrays of them */
extern cudaError_t gpuagg_cuda_groupby_sort_bytes(const GpuAggSortShape *shape, uint64_t n,
												  size_t *bytes);

/* words[0] and words[1] change places until one, *sorted, has them in order. */
extern cudaError_t gpuagg_cuda_groupby_sort(const GpuAggSortShape *shape, uint64_t n,
											void *words[2], void *memory, size_t bytes,
											const void **sorted, cudaStream_t stream);

/*
 * Where words begin whose bits above so many differ: room for as many as were counted; n_starts: on
 * the card
 */
extern cudaError_t gpuagg_cuda_groupby_starts_bytes(const GpuAggSortShape *shape, uint64_t n,
													uint32_t bits, size_t *bytes);
extern cudaError_t gpuagg_cuda_groupby_starts(const GpuAggSortShape *shape, const void *words,
											  uint64_t n, uint32_t bits, void *memory,
											  size_t bytes, uint32_t *starts, uint64_t *n_starts,
											  cudaStream_t stream);

#endif							/* GPUAGG_CUDA_GROUPBY_SORT_H */
