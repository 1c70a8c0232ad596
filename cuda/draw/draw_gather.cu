/*
 * draw_gather.cu
 *		Drawn rows, as columns with a position for each draw (draw_kernels.h).
 */
#include "cuda/draw/draw_bits.cuh"
#include "cuda/draw/draw_kernels.h"

/*
 * Draws of a thread that are made together, and blocks of a multiprocessor: as
 * measured, 2 draws and 4 blocks do as well, one draw and 8 blocks do not.
 */
#define TURN_DRAWS 4
#define BLOCKS_PER_SM 2

/* In windows, while some warps pick others' draws are under way: 3 do 2 to 8 % better. */
#define WINDOWED_BLOCKS_PER_SM 3

/* Of a row that is neither in an entry's stretch nor, for sure, in the next one */
static __device__ uint32_t
search_stretch(const GpuAggDrawRun &run, uint64_t row)
{
	const GpuAggDrawEntry *entry = run.index->directory + (row >> run.index->shift);
	uint32_t	low = entry[0].stretch;
	uint32_t	high = entry[1].stretch;

	/* the last one that begins with the row or before */
	while (low < high)
	{
		const uint32_t middle = high - (high - low) / 2;

		if (run.stretches[middle].row <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* The position, from the first on, of the k-th row of a segment with gaps */
static __device__ uint32_t
sparse_position(const GpuAggDrawRun &run, const GpuAggDrawStretch &s, uint32_t k)
{
	const uint16_t *blocks = run.blocks + (size_t) s.segment * GPUAGG_DRAW_BLOCKS;
	uint32_t	low = 0;
	uint32_t	high = (s.positions - 1) / GPUAGG_DRAW_BLOCK;
	uint32_t	word;
	uint32_t	bits;

	while (low < high)
	{
		const uint32_t middle = high - (high - low) / 2;

		if (blocks[middle] <= k)
			low = middle;
		else
			high = middle - 1;
	}
	k -= blocks[low];
	for (word = low * (GPUAGG_DRAW_BLOCK / 32);; word++)
	{
		bits = draw_word(s.valid, s.first, s.positions, word);
		if (k < (uint32_t) __popc(bits))
			break;
		k -= __popc(bits);
	}
	for (; k > 0; k--)
		bits &= bits - 1;
	return word * 32 + __ffs(bits) - 1;
}

/* Where a draw's row is */
struct Found
{
	uint32_t	stripe;
	uint32_t	position;
	bool		nulls;
};

/*
 * For draw_all().  Each step is done for all draws of a turn before the next one:
 * what they read is under way together.  PACKED: some columns may be.
 */
template <bool PACKED>
struct Gather
{
	const GpuAggDrawRun &run;
	const uint64_t rows;
	const uint32_t shift;

	__device__ __forceinline__ uint32_t
	stretch_of(uint64_t bits, uint32_t row, uint2 entry) const
	{
		if ((row & ((1u << shift) - 1)) < GPUAGG_DRAW_SPLIT(entry.y))
			return entry.x;
		return entry.y & GPUAGG_DRAW_OTHERS ? search_stretch(run, gpuagg_draw_scale(bits, rows)) :
			entry.x + 1;
	}

	/* first: row of the stretch; half: its second one */
	__device__ __forceinline__ Found
	found_in(uint32_t stretch, uint32_t first, uint4 half, uint32_t row) const
	{
		const uint32_t k = row - first;

		return {half.x, half.y + ((half.w & 0xFFFF) == 0 ? k :
								  sparse_position(run, run.stretches[stretch], k)),
				half.w >> 16 != 0};
	}

	template <int AHEAD, typename Turn>
	__device__ __forceinline__ void
	find(const Turn &turn, bool (&wanted)[AHEAD], Found (&found)[AHEAD]) const
	{
		uint64_t	bits[AHEAD];
		uint2		entry[AHEAD];
		uint32_t	row[AHEAD];		/* the lower half of its number, and of the
									 * stretch's first one's */
		uint32_t	first[AHEAD];
		uint32_t	stretch[AHEAD];
		uint4		half[AHEAD];

		#pragma unroll
		for (int j = 0; j < AHEAD; j++)
		{
			uint64_t	number;

			wanted[j] = turn.make(j, bits[j]);
			number = gpuagg_draw_scale(bits[j], rows);
			row[j] = (uint32_t) number;
			if (wanted[j])
				entry[j] = *((const uint2 *) run.index->directory + (number >> shift));
		}
		#pragma unroll
		for (int j = 0; j < AHEAD; j++)
			if (wanted[j])
				stretch[j] = stretch_of(bits[j], row[j], entry[j]);
		#pragma unroll
		for (int j = 0; j < AHEAD; j++)
			if (wanted[j])
			{
				first[j] = *(const uint32_t *) (run.stretches + stretch[j]);
				half[j] = *((const uint4 *) (run.stretches + stretch[j]) + 1);
			}
		#pragma unroll
		for (int j = 0; j < AHEAD; j++)
			if (wanted[j])
				found[j] = found_in(stretch[j], first[j], half[j], row[j]);
	}

	/* __ldcg: the multiprocessor's own cache is for the index */
	template <typename Value>
	__device__ __forceinline__ Value
	value_of(const Found &f, uint32_t column) const
	{
		const GpuAggDrawSource &from = source(f, column);

		if (PACKED && from.blocks != NULL)
			return (Value) gpuagg_packed_value(from.blocks, (const uint64_t *) from.values,
											   f.position);
		return __ldcg((const Value *) from.values + f.position);
	}

	template <typename Value, int AHEAD, typename Turn>
	__device__ __forceinline__ void
	copy(const GpuAggDrawTarget &target, uint32_t column, const Turn &turn,
		 const bool (&wanted)[AHEAD], const Found (&found)[AHEAD]) const
	{
		Value		value[AHEAD];

		#pragma unroll
		for (int j = 0; j < AHEAD; j++)
			if (wanted[j])
				value[j] = value_of<Value>(found[j], column);
		#pragma unroll
		for (int j = 0; j < AHEAD; j++)
			if (wanted[j])
				((Value *) target.values)[turn.draw(j)] = value[j];
	}

	__device__ __forceinline__ const GpuAggDrawSource &
	source(const Found &f, uint32_t column) const
	{
		return run.sources[(size_t) f.stripe * run.ncolumns + column];
	}

	__device__ __forceinline__ void
	copy_null(const GpuAggDrawTarget &target, uint32_t column, uint64_t draw, const Found &f) const
	{
		const uint32_t *nulls = source(f, column).nulls;

		if (nulls != NULL && nulls[f.position / 32] >> f.position % 32 & 1)
			atomicOr(&target.nulls[draw / 32], 1u << draw % 32);
	}

	template <int AHEAD, typename Turn>
	__device__ __forceinline__ void
	turn(const Turn &turn) const
	{
		bool		wanted[AHEAD];
		Found		found[AHEAD];

		find(turn, wanted, found);
		for (uint32_t c = 0; c < run.ncolumns; c++)
		{
			const GpuAggDrawTarget target = run.targets[c];

			if (target.bytes == 8)
				copy<uint64_t>(target, c, turn, wanted, found);
			else
				copy<uint32_t>(target, c, turn, wanted, found);
			#pragma unroll
			for (int j = 0; j < AHEAD; j++)
				if (wanted[j] && found[j].nulls)
					copy_null(target, c, turn.draw(j), found[j]);
		}
	}
};

template <bool WINDOWED, bool PACKED>
static __global__ void
__launch_bounds__(GPUAGG_DRAW_THREADS, WINDOWED ? WINDOWED_BLOCKS_PER_SM : BLOCKS_PER_SM)
gather_kernel(const GpuAggDrawRun run)
{
	Gather<PACKED> gather = {run, run.index->rows, run.index->shift};

	if (gather.rows == 0)
		return;
	if (WINDOWED)
		draw_all_picked<TURN_DRAWS>(run.tiles, gather);
	else
		draw_all<TURN_DRAWS, false>(run.tiles, gather);
}

/* Of an empty table there are no draws. */
static __global__ void
__launch_bounds__(GPUAGG_DRAW_THREADS)
valid_kernel(const GpuAggDrawRun run)
{
	const uint64_t draws = run.index->rows > 0 ? run.tiles.draws : 0;
	const uint64_t words = (run.tiles.draws + 31) / 32;
	const uint64_t step = (uint64_t) gridDim.x * GPUAGG_DRAW_THREADS;

	for (uint64_t w = (uint64_t) blockIdx.x * GPUAGG_DRAW_THREADS + threadIdx.x; w < words;
		 w += step)
		run.valid[w] = draws >= (w + 1) * 32 ? ~0u : draws > w * 32 ? (1u << draws % 32) - 1 : 0;
}

template <bool WINDOWED>
static void
launch(const GpuAggDrawRun &run, uint32_t blocks, cudaStream_t stream)
{
	if (run.packed)
		gather_kernel<WINDOWED, true><<<blocks, GPUAGG_DRAW_THREADS, 0, stream>>>(run);
	else
		gather_kernel<WINDOWED, false><<<blocks, GPUAGG_DRAW_THREADS, 0, stream>>>(run);
}

void
gpuagg_cuda_draw_gather(const GpuAggDrawRun *run, uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = BLOCKS_PER_SM * sms;
	const uint32_t launches = run->tiles.sm_windows != NULL ? 1 : run->tiles.nwindows;
	GpuAggDrawRun r = *run;

	r.tiles.tile = gpuagg_draw_tile(run->tiles.draws, blocks, TURN_DRAWS);
	r.tiles.nwindows = run->tiles.nwindows / launches;
	valid_kernel<<<blocks, GPUAGG_DRAW_THREADS, 0, stream>>>(r);
	for (uint32_t w = 0; w < launches; w++, r.tiles.windows++, r.tiles.dealt++)
		if (run->tiles.nwindows > 1)
			launch<true>(r, WINDOWED_BLOCKS_PER_SM * sms, stream);
		else
			launch<false>(r, blocks, stream);
}
