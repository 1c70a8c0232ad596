/*
 * groupby_single.cu
 *		Grouping in the task's table in device memory, all of it at once or window by window
 *		(Karnagel et al., Big Data causing Big (TLB) Problems, 5.3), and what is left over
 *		by the strategies that use shared memory.
 *
 * A window is a range of hashes, and so of the table.  Passes over the rows
 * take a window each; where each group of multiprocessors that shares a TLB
 * has a window of its own, one pass serves all ("spatial").
 */
#include "cuda/groupby/groupby.h"
#include "cuda/groupby/groupby_rows.cuh"

#define SINGLE_THREADS 256

/*
 * Blocks for which registers are saved: what hides the latency of random
 * accesses is threads, of which some cards have 2048 on a multiprocessor, and
 * all of them 1024.
 */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
#define SINGLE_BLOCKS 8
#else
#define SINGLE_BLOCKS 4
#endif

/* Rows of which a thread has the keys at once */
#define SINGLE_ROWS 4

/* Rows of a window that a warp has put side by side, at most */
#define QUEUE_ROWS (WARP_LANES * (SINGLE_ROWS + 1))

static __device__ __forceinline__ bool
in_window(const GpuAggGroupByArgs &a, const GpuAggWindows &w, uint32_t window, uint64_t hash)
{
	return w.log2 == 0 ||
		gpuagg_hash_window_spread(a.table.hash_window, hash) >> (64 - w.log2) == window;
}

static __device__ __forceinline__ uint32_t
multiprocessor(void)
{
	uint32_t	sm;

	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	return min(sm, (uint32_t) GPUAGG_SPATIAL_UNITS - 1);
}

/* All rows of a tile, by a warp */
template <int KEY>
static __device__ __forceinline__ void
group_tile(const GpuAggGroupByArgs &a, uint64_t tile)
{
	const uint64_t first = tile * GPUAGG_WARP_TILE + threadIdx.x % WARP_LANES;
	const uint64_t end = min(a.n, (tile + 1) * GPUAGG_WARP_TILE);
	uint32_t	added = 0;

	for (uint64_t row = first; row < end; row += SINGLE_ROWS * WARP_LANES)
	{
		uint64_t	hash[SINGLE_ROWS];

		#pragma unroll
		for (int r = 0; r < SINGLE_ROWS; r++)
		{
			const uint64_t at = min(row + r * WARP_LANES, end - 1);

			hash[r] = row_hash<KEY>(a, at, row_flags(a, at));
		}
		#pragma unroll
		for (int r = 0; r < SINGLE_ROWS; r++)
		{
			const uint64_t at = row + r * WARP_LANES;

			if (at < end)
				row_to_table<KEY>(a, at, row_flags(a, at), hash[r], &added);
		}
	}
	__syncwarp();
	count_added(a, added);
}

/* Which of a lane's rows at, at + 32, ... of those before `rows` are the window's */
template <int KEY>
static __device__ __forceinline__ uint32_t
rows_in_window(const GpuAggGroupByArgs &a, const GpuAggWindows &w, uint32_t window,
			   uint64_t first, uint32_t at, uint32_t rows)
{
	uint32_t	within = 0;

	#pragma unroll
	for (int r = 0; r < SINGLE_ROWS; r++)
	{
		const uint64_t row = first + min(at + r * WARP_LANES, rows - 1);

		within |= in_window(a, w, window, row_hash<KEY>(a, row, row_flags(a, row))) ? 1u << r : 0;
	}
	#pragma unroll
	for (int r = 0; r < SINGLE_ROWS; r++)
		within &= at + r * WARP_LANES < rows ? ALL_LANES : ~(1u << r);
	return within;
}

template <int KEY>
static __device__ __forceinline__ void
window_row(const GpuAggGroupByArgs &a, uint64_t row, uint32_t *added)
{
	const uint32_t flags = row_flags(a, row);

	row_to_table<KEY>(a, row, flags, row_hash<KEY>(a, row, flags), added);
}

/*
 * The rows of a tile that are a window's.  They are put side by side first, so
 * that every lane has one: what an access to the table takes is mostly waiting.
 */
template <int KEY>
static __device__ __forceinline__ void
group_window_tile(const GpuAggGroupByArgs &a, const GpuAggWindows &w, uint32_t window,
				  uint64_t tile)
{
	__shared__ uint16_t queues[SINGLE_THREADS / WARP_LANES][QUEUE_ROWS];
	uint16_t   *queue = queues[threadIdx.x / WARP_LANES];
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const uint64_t first = tile * GPUAGG_WARP_TILE;
	const uint32_t rows = (uint32_t) min(a.n - first, (uint64_t) GPUAGG_WARP_TILE);
	uint32_t	added = 0;
	uint32_t	n = 0;

	for (uint32_t at = lane; at - lane < rows; at += SINGLE_ROWS * WARP_LANES)
	{
		const uint32_t within = rows_in_window<KEY>(a, w, window, first, at, rows);

		#pragma unroll
		for (int r = 0; r < SINGLE_ROWS; r++)
		{
			const uint32_t offset = at + r * WARP_LANES;
			const bool	mine = within >> r & 1;
			const uint32_t lanes = __ballot_sync(ALL_LANES, mine);

			if (mine)
				queue[n + __popc(lanes & ((1u << lane) - 1))] = (uint16_t) offset;
			n += __popc(lanes);
		}
		__syncwarp();
		for (; n >= WARP_LANES; n -= WARP_LANES)
			window_row<KEY>(a, first + queue[n - WARP_LANES + lane], &added);
		__syncwarp();
	}
	if (lane < n)
		window_row<KEY>(a, first + queue[lane], &added);
	__syncwarp();
	count_added(a, added);
}

template <int KEY>
static __global__ void
__launch_bounds__(SINGLE_THREADS, SINGLE_BLOCKS)
group_single_kernel(const __grid_constant__ GpuAggGroupByArgs a, uint64_t end_tile)
{
	uint64_t	tile;

	while ((tile = next_tile(a, &a.head->tile, end_tile)) != UINT64_MAX)
		group_tile<KEY>(a, tile);
}

/* A pass: one window of all */
template <int KEY>
static __global__ void
__launch_bounds__(SINGLE_THREADS, SINGLE_BLOCKS)
group_window_kernel(const __grid_constant__ GpuAggGroupByArgs a,
					const __grid_constant__ GpuAggWindows w)
{
	uint64_t	tile;

	while ((tile = next_tile(a, &a.head->tile, w.end_tile)) != UINT64_MAX)
		group_window_tile<KEY>(a, w, w.window, tile);
}

/*
 * Windows of multiprocessors: each begins with its own.  What is left of the
 * others is taken then, too: their multiprocessors may be fewer, or work for
 * somebody else.
 */
template <int KEY>
static __global__ void
__launch_bounds__(SINGLE_THREADS, SINGLE_BLOCKS)
group_spatial_kernel(const __grid_constant__ GpuAggGroupByArgs a,
					 const __grid_constant__ GpuAggWindows w)
{
	const uint32_t mask = (1u << w.log2) - 1;
	uint32_t	window = w.sm_windows[multiprocessor()] & mask;
	uint32_t	left = mask;

	for (;;)
	{
		const uint64_t tile = next_tile(a, &w.tiles[window], w.end_tile);

		if (tile != UINT64_MAX)
			group_window_tile<KEY>(a, w, window, tile);
		else if (left-- == 0)
			break;
		else
			window = (window + 1) & mask;
	}
}

/*
 * Rows that waited for a larger table.  `from` is the list; those that must
 * wait again go to a.pending.
 */
template <int KEY>
static __global__ void
group_pending_kernel(const __grid_constant__ GpuAggGroupByArgs a, const uint64_t *from,
					 uint64_t n)
{
	uint64_t	i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t	added = 0;

	for (; i < n; i += (uint64_t) gridDim.x * blockDim.x)
	{
		const uint64_t row = from[i];
		const uint32_t flags = row_flags(a, row);

		row_to_table<KEY>(a, row, flags, row_hash<KEY>(a, row, flags), &added);
	}
	__syncwarp();
	count_added(a, added);
}

/* Groups of local tables that waited; those that must wait again likewise */
static __global__ void
merge_spilled_kernel(const __grid_constant__ GpuAggGroupByArgs a, const char *from, uint64_t n)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) a.prepared +
													  a.prepared->program_off);
	uint64_t	i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;

	table_count_begin(a.table);
	for (; i < n; i += (uint64_t) gridDim.x * blockDim.x)
	{
		const char *group = from + i * a.row_bytes;
		char	   *again;

		if (merge_entry(a.prepared, p, &a.table, group))
			continue;
		again = a.spilled + atomicAdd(&a.head->nspilled, 1ull) * a.row_bytes;
		for (uint32_t at = 0; at < a.row_bytes; at += 8)
			*(uint64_t *) (again + at) = *(const uint64_t *) (group + at);
	}
	table_count_end(a.table);
}

/* ---------- launches ---------- */

template <int KEY>
static void
launch_single(const GpuAggGroupByArgs *a, const GpuAggWindows *w, uint32_t blocks,
			  cudaStream_t stream)
{
	if (w->sm_windows != NULL)
		group_spatial_kernel<KEY><<<blocks, SINGLE_THREADS, 0, stream>>>(*a, *w);
	else if (w->log2 > 0)
		group_window_kernel<KEY><<<blocks, SINGLE_THREADS, 0, stream>>>(*a, *w);
	else
		group_single_kernel<KEY><<<blocks, SINGLE_THREADS, 0, stream>>>(*a, w->end_tile);
}

cudaError_t
gpuagg_cuda_groupby_single(const GpuAggGroupByArgs *a, GpuAggKeyShape key,
						  const GpuAggWindows *w, uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sms * 8;

	switch (key)
	{
		case GPUAGG_KEY_I32:
			launch_single<GPUAGG_KEY_I32>(a, w, blocks, stream);
			break;
		case GPUAGG_KEY_I64:
			launch_single<GPUAGG_KEY_I64>(a, w, blocks, stream);
			break;
		default:
			launch_single<GPUAGG_KEY_ANY>(a, w, blocks, stream);
			break;
	}
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_groupby_pending(const GpuAggGroupByArgs *a, const uint64_t *rows, uint64_t nrows,
						   const char *spilled, uint64_t nspilled, uint32_t sms,
						   cudaStream_t stream)
{
	if (nrows > 0)
		group_pending_kernel<GPUAGG_KEY_ANY><<<sms * 4, SINGLE_THREADS, 0, stream>>>
			(*a, rows, nrows);
	if (nspilled > 0)
		merge_spilled_kernel<<<sms * 4, SINGLE_THREADS, 0, stream>>>(*a, spilled, nspilled);
	return cudaGetLastError();
}
