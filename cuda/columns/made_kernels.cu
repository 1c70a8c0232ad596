/*
 * made_kernels.cu
 *		Kernels that fill a look-up table from stripes (cuda_made.h).
 *
 * A warp takes 32 positions, which are a word of each bitmap; those that count are in
 * `leftover`.
 */
#include "cuda/columns/cuda_made.h"

#define MADE_THREADS 256
#define MADE_BLOCKS 8			/* of a multiprocessor */
#define SCAN_THREADS 1024
#define LANES 32
#define ALL 0xFFFFFFFFu

static __device__ __forceinline__ int64_t
load_integer(const GpuAggStripeColumn &column, uint32_t position)
{
	return gpuagg_card_value(column.values, column.blocks, column.bytes, position);
}

/* That there are some matters, not how many. */
static __device__ __forceinline__ void
note_repeated(GpuAggMakingReport *report)
{
	if (*(volatile uint32_t *) &report->repeated == 0)
		atomicAdd(&report->repeated, 1u);
}

/* ---------- bits ---------- */

static __global__ void
__launch_bounds__(MADE_THREADS) made_bits_kernel(const __grid_constant__ GpuAggMakingTable table,
												 const __grid_constant__ GpuAggStripeInput input)
{
	const uint32_t lane = threadIdx.x % LANES;
	const uint32_t words = (input.positions + LANES - 1) / LANES;
	GpuAggLookupBits *bits = table.codes.bits;
	uint32_t	word = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;

	for (; word < words; word += gridDim.x * blockDim.x / LANES)
	{
		uint64_t	at;
		unsigned long long bit;

		if (!(input.leftover[word] >> lane & 1))
			continue;
		at = (uint64_t) load_integer(input.columns[table.key], word * LANES + lane) -
			(uint64_t) table.codes.first;
		if (at >= table.codes.span)
		{
			atomicAdd(&table.report->outside, 1u);
			continue;
		}
		bit = 1ull << at % 64;
		/* rows of a key often lie together */
		if ((*(volatile unsigned long long *) &bits[at / 64].bits & bit) ||
			(atomicOr((unsigned long long *) &bits[at / 64].bits, bit) & bit))
			note_repeated(table.report);
	}
}

/* Bytes of the strings of each word's codes */
static __global__ void
__launch_bounds__(MADE_THREADS)
made_lengths_kernel(const __grid_constant__ GpuAggMakingTable table)
{
	const uint64_t words = (table.codes.span + 63) / 64;
	uint64_t	word = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;

	for (; word < words; word += (uint64_t) gridDim.x * blockDim.x)
		table.codes.strings[word] = gpuagg_lookup_code_bytes(&table.codes, word,
															 table.codes.bits[word].bits);
}

/* The sum of what the threads before this one have, and of all */
static __device__ uint32_t
block_before(uint32_t mine, uint32_t *warps, uint32_t *total)
{
	const uint32_t lane = threadIdx.x % LANES;
	const uint32_t warp = threadIdx.x / LANES;
	uint32_t	sum = mine;
	uint32_t	others;

	for (uint32_t d = 1; d < LANES; d *= 2)
	{
		const uint32_t other = __shfl_up_sync(ALL, sum, d);

		if (lane >= d)
			sum += other;
	}
	if (lane == LANES - 1)
		warps[warp] = sum;
	__syncthreads();
	others = warps[lane];
	for (uint32_t d = 1; d < LANES; d *= 2)
	{
		const uint32_t other = __shfl_up_sync(ALL, others, d);

		if (lane >= d)
			others += other;
	}
	*total = __shfl_sync(ALL, others, LANES - 1);
	others = __shfl_sync(ALL, others, warp > 0 ? (int) warp - 1 : 0);
	__syncthreads();			/* before warps are written again */
	return (warp > 0 ? others : 0) + sum - mine;
}

/* One block: words are few, for bits are a small part of what they stand for */
static __global__ void
__launch_bounds__(SCAN_THREADS)
made_before_kernel(const __grid_constant__ GpuAggMakingTable table)
{
	__shared__ uint32_t warps[SCAN_THREADS / LANES];
	GpuAggLookupBits *bits = table.codes.bits;
	uint64_t   *strings = table.codes.strings;
	const uint64_t words = (table.codes.span + 63) / 64;
	uint64_t	rows = 0;
	uint64_t	bytes = 0;

	for (uint64_t from = 0; from < words; from += SCAN_THREADS)
	{
		const uint64_t at = from + threadIdx.x;
		uint32_t	total;
		uint32_t before = block_before(at < words ? (uint32_t) __popcll(bits[at].bits) : 0, warps,
									   &total);

		if (at < words)
			bits[at].before = rows + before;
		rows += total;
		if (strings == NULL)
			continue;
		/* strings of pages: less than a page each, 64 of a word */
		before = block_before(at < words ? (uint32_t) strings[at] : 0, warps, &total);
		if (at < words)
			strings[at] = bytes + before;
		bytes += total;
	}
	if (threadIdx.x == 0)
	{
		table.report->nrows = (uint32_t) rows;
		table.report->strings = bytes;
	}
}

/* ---------- rows ---------- */

/* The bounds of the lanes' values join those of the column. */
static __device__ void
widen(GpuAggMakingReport *report, uint32_t column, bool there, int64_t value)
{
	long long	low = there ? (long long) value : INT64_MAX;
	long long	high = there ? (long long) value : INT64_MIN;

	for (uint32_t d = LANES / 2; d > 0; d /= 2)
	{
		const long long l = __shfl_xor_sync(ALL, low, (int) d);
		const long long h = __shfl_xor_sync(ALL, high, (int) d);

		low = l < low ? l : low;
		high = h > high ? h : high;
	}
	if (threadIdx.x % LANES != 0 || low > high)
		return;
	/* most values widen nothing */
	if (low < *(volatile long long *) &report->low[column])
		atomicMin(&report->low[column], low);
	if (high > *(volatile long long *) &report->high[column])
		atomicMax(&report->high[column], high);
}

/* Folded columns of all rows that there may be */
static __global__ void
__launch_bounds__(MADE_THREADS)
made_folds_kernel(const __grid_constant__ GpuAggMakingTable table, uint32_t nrows)
{
	uint32_t	row = blockIdx.x * blockDim.x + threadIdx.x;

	for (; row < nrows; row += gridDim.x * blockDim.x)
		for (uint32_t c = 0; c < table.ncolumns; c++)
		{
			const GpuAggFoldColumn &column = table.columns[c];

			if (column.fold == GPUAGG_FOLD_NONE)
				continue;
			gpuagg_fold_begin(table.block, &column, row);
			if (column.nulls != 0 && row % 64 == 0)
				((uint64_t *) (table.block + column.nulls))[row / 64] = ~UINT64_C(0);
		}
}

/* Column c of the lanes' rows joins that of other rows; all lanes come here, some without a row. */
static __device__ void
fold_column(const GpuAggMakingTable &table, const GpuAggStripeInput &input, uint32_t c,
			uint32_t word, bool mine, uint64_t row)
{
	const GpuAggStripeColumn &from = input.columns[table.from[c]];
	const GpuAggFoldColumn &column = table.columns[c];
	const uint32_t lane = threadIdx.x % LANES;
	const bool	there = mine && !(gpuagg_card_nulls(from.nulls, word) >> lane & 1);
	const uint32_t missing = __popc(__ballot_sync(ALL, mine && !there));
	const bool	counts = column.fold == GPUAGG_FOLD_COUNT;
	int64_t		value = 1;

	if (there && !counts)
		value = load_integer(from, word * LANES + lane);
	if (there)
		gpuagg_fold_value(table.block, &column, row, value);
	if (counts)
		return;
	if (lane == 0 && missing > 0)
		atomicAdd(&table.report->nulls[c], missing);
	widen(table.report, c, there, value);
}

/* Column c of the lanes' rows; all lanes come here, some without a row. */
static __device__ void
copy_column(const GpuAggMakingTable &table, const GpuAggStripeInput &input, uint32_t c,
			uint32_t word, bool mine, uint64_t row)
{
	const GpuAggStripeColumn &from = input.columns[table.from[c]];
	const uint32_t lane = threadIdx.x % LANES;
	const uint32_t position = word * LANES + lane;
	const uint32_t nulls = gpuagg_card_nulls(from.nulls, word);
	const bool	there = mine && !(nulls >> lane & 1);
	const uint32_t missing = __popc(__ballot_sync(ALL, mine && !there));
	char	   *values = table.block + table.columns[c].values;
	int64_t		value = 0;

	if (there)
		value = load_integer(from, position);
	if (there && from.bytes == sizeof(int32_t))
		((int32_t *) values)[row] = (int32_t) value;
	else if (there)
		((int64_t *) values)[row] = value;
	else if (mine && table.columns[c].nulls != 0)
		atomicOr((uint32_t *) (table.block + table.columns[c].nulls) + row / LANES,
				 1u << row % LANES);
	if (lane == 0 && missing > 0)
		atomicAdd(&table.report->nulls[c], missing);
	if (!from.f64)
		widen(table.report, c, there, value);
}

/* A part of a key: its value, or the number that another table has for it */
static __device__ int64_t
load_key(const GpuAggMakingKey &key, const GpuAggStripeInput &input, uint32_t position, uint8_t *st)
{
	const int64_t value = load_integer(input.columns[key.from], position);
	const GpuAggBytes helper = {key.helper, 0};

	if (key.helper == NULL)
		return value;
	return key.text.blocks == NULL ? gpuagg_lookup(value, helper, st) :
		gpuagg_lookup_bytes(gpuagg_decode_text_string(&key.text, (uint32_t) value), helper, st);
}

/* Word c of the lanes' keys, which are all there; a value without a number is told. */
static __device__ void
make_word(const GpuAggMakingTable &table, const GpuAggStripeInput &input, uint32_t c, uint32_t word,
		  bool mine, uint64_t row)
{
	const GpuAggMakingWord &parts = table.words[c];
	const uint32_t position = word * LANES + threadIdx.x % LANES;
	int64_t		value = 0;
	uint8_t		st = GPUAGG_ST_VALUE;

	if (mine)
		value = load_key(parts.parts[0], input, position, &st);
	if (mine && parts.nparts > 1)
		value = gpuagg_make_word(value, load_key(parts.parts[1], input, position, &st));
	if (mine)
		((int64_t *) (table.block + table.columns[c].values))[row] = value;
	if (st != GPUAGG_ST_VALUE)
		atomicAdd(&table.report->outside, 1u);
	widen(table.report, c, mine, value);
}

static __global__ void
__launch_bounds__(MADE_THREADS) made_rows_kernel(const __grid_constant__ GpuAggMakingTable table,
												 const __grid_constant__ GpuAggStripeInput input)
{
	const uint32_t lane = threadIdx.x % LANES;
	const uint32_t words = (input.positions + LANES - 1) / LANES;
	const GpuAggLookupCodes &codes = table.codes;
	uint32_t	word = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;

	for (; word < words; word += gridDim.x * blockDim.x / LANES)
	{
		const uint32_t bits = input.leftover[word];
		bool		mine = bits >> lane & 1;
		uint64_t	row = 0;

		if (bits == 0)
			continue;
		if (codes.bits != NULL)
		{
			uint8_t		st = GPUAGG_ST_VALUE;

			if (mine)
				row = (uint64_t) gpuagg_lookup_bit(
					codes.bits, codes.first, codes.span,
					load_integer(input.columns[table.key], word * LANES + lane), &st);
			mine = mine && st == GPUAGG_ST_VALUE;
		}
		else
		{
			uint32_t	base = 0;

			if (lane == 0)
				base = atomicAdd(&table.report->nrows, (uint32_t) __popc(bits));
			row = __shfl_sync(ALL, base, 0) + (uint32_t) __popc(bits & ((1u << lane) - 1));
		}
		for (uint32_t c = 0; c < table.nwords; c++)
			make_word(table, input, c, word, mine, row);
		for (uint32_t c = codes.strings != NULL ? 1 : table.nwords; c < table.ncolumns; c++)
			if (table.columns[c].fold == GPUAGG_FOLD_NONE)
				copy_column(table, input, c, word, mine, row);
			else
				fold_column(table, input, c, word, mine, row);
	}
}

/* ---------- strings and slots ---------- */

static __global__ void
__launch_bounds__(MADE_THREADS)
made_strings_kernel(const __grid_constant__ GpuAggMakingTable table)
{
	uint64_t	at = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;

	for (; at < table.codes.span; at += (uint64_t) gridDim.x * blockDim.x)
		gpuagg_lookup_fill_string(&table.codes, at, (GpuAggLookup *) table.block, table.strings);
}

static __global__ void
__launch_bounds__(MADE_THREADS)
made_slots_kernel(const __grid_constant__ GpuAggMakingTable table, uint32_t nrows)
{
	uint32_t	row = blockIdx.x * blockDim.x + threadIdx.x;

	for (; row < nrows; row += gridDim.x * blockDim.x)
	{
		const uint64_t has = gpuagg_lookup_fill_slot((GpuAggLookup *) table.block, row);

		if (has == row)
			continue;
		note_repeated(table.report);
		for (uint32_t c = 0; c < table.ncolumns; c++)
			if (table.columns[c].fold != GPUAGG_FOLD_NONE)
				gpuagg_fold_row(table.block, &table.columns[c], row, has);
	}
}

/* ---------- launches ---------- */

/* Blocks for a warp each of so many */
static uint32_t
blocks_for(uint64_t threads, uint32_t sms)
{
	const uint64_t useful = (threads + MADE_THREADS - 1) / MADE_THREADS;

	return (uint32_t) (useful < (uint64_t) sms * MADE_BLOCKS ? useful :
															   (uint64_t) sms * MADE_BLOCKS);
}

void
gpuagg_cuda_made_bits(const GpuAggMakingTable *table, const GpuAggStripeInput *input, uint32_t sms,
					  cudaStream_t stream)
{
	if (input->positions > 0)
		made_bits_kernel<<<blocks_for(input->positions, sms), MADE_THREADS, 0, stream>>>(*table,
																						 *input);
}

void
gpuagg_cuda_made_before(const GpuAggMakingTable *table, uint32_t sms, cudaStream_t stream)
{
	const uint64_t words = (table->codes.span + 63) / 64;

	if (table->codes.strings != NULL && words > 0)
		made_lengths_kernel<<<blocks_for(words, sms), MADE_THREADS, 0, stream>>>(*table);
	made_before_kernel<<<1, SCAN_THREADS, 0, stream>>>(*table);
}

void
gpuagg_cuda_made_folds(const GpuAggMakingTable *table, uint32_t nrows, uint32_t sms,
					   cudaStream_t stream)
{
	if (nrows > 0)
		made_folds_kernel<<<blocks_for(nrows, sms), MADE_THREADS, 0, stream>>>(*table, nrows);
}

void
gpuagg_cuda_made_rows(const GpuAggMakingTable *table, const GpuAggStripeInput *input, uint32_t sms,
					  cudaStream_t stream)
{
	if (input->positions > 0)
		made_rows_kernel<<<blocks_for(input->positions, sms), MADE_THREADS, 0, stream>>>(*table,
																						 *input);
}

void
gpuagg_cuda_made_strings(const GpuAggMakingTable *table, uint32_t sms, cudaStream_t stream)
{
	if (table->codes.span > 0)
		made_strings_kernel<<<blocks_for(table->codes.span, sms), MADE_THREADS, 0, stream>>>(
			*table);
}

void
gpuagg_cuda_made_slots(const GpuAggMakingTable *table, uint32_t nrows, uint32_t sms,
					   cudaStream_t stream)
{
	if (nrows > 0)
		made_slots_kernel<<<blocks_for(nrows, sms), MADE_THREADS, 0, stream>>>(*table, nrows);
}
