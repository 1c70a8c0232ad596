/*
 * draw_tiles.cuh
 *		How draws are dealt to a launch's blocks: all at once, or in windows.
 *
 * Draws are cut into tiles, and each window has a counter of them.  A block (or
 * each of its warps: draw_all_picked) asks the counter of its window for tiles,
 * makes their draws, and hands those that the window has to what the launch is
 * for.  Blocks of a multiprocessor begin
 * with the window that their multiprocessor has, and go on with the next one
 * when a window's tiles are all dealt: so each window has all of its draws made,
 * wherever blocks run, and no multiprocessor is idle at the end.
 */
#ifndef GPUAGG_CUDA_DRAW_TILES_CUH
#define GPUAGG_CUDA_DRAW_TILES_CUH

#include "device/choice/spatial.h"
#include "device/ops/draw.h"

#define GPUAGG_DRAW_THREADS 256

/* Draws of a tile at most: a counter's atomics are few then */
#define GPUAGG_DRAW_TILE 32768

typedef struct GpuAggDrawTiles
{
	uint64_t	key;
	uint64_t	draws;
	uint32_t	tile;			/* draws of one that a block asks for */
	uint32_t	nwindows;
	const GpuAggDrawWindow *windows;
	const uint8_t *sm_windows;	/* GPUAGG_SPATIAL_UNITS; NULL: all begin with
								 * the first */
	unsigned long long *dealt;	/* tiles of each window */
} GpuAggDrawTiles;

/* Draws of a tile, when there are so many blocks: whole turns of a block */
static inline uint32_t
gpuagg_draw_tile(uint64_t draws, uint32_t blocks, uint32_t ahead)
{
	const uint64_t turn = GPUAGG_DRAW_THREADS * ahead;
	const uint64_t turns = draws / blocks / turn;

	return (uint32_t) (turns <= 1 ? turn : turns * turn < GPUAGG_DRAW_TILE ? turns * turn :
					   GPUAGG_DRAW_TILE / turn * turn);
}

static __device__ __forceinline__ uint32_t
draw_multiprocessor(void)
{
	uint32_t	sm;

	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	return min(sm, (uint32_t) GPUAGG_SPATIAL_UNITS - 1);
}

/* Some draws of a thread: first, first + GPUAGG_DRAW_THREADS and so on */
template <bool WINDOWED, bool WHOLE>
struct DrawTurn
{
	const GpuAggDrawTiles &tiles;
	const GpuAggDrawWindow &window;
	const uint64_t first;

	__device__ __forceinline__ uint64_t
	draw(int j) const
	{
		return first + (uint64_t) j * GPUAGG_DRAW_THREADS;
	}

	/* Sets the j-th one's bits; is it the window's? */
	__device__ __forceinline__ bool
	make(int j, uint64_t &bits) const
	{
		bits = gpuagg_draw_bits(tiles.key, draw(j));
		return (WHOLE || draw(j) < tiles.draws) && (!WINDOWED || gpuagg_draw_within(&window, bits));
	}
};

/* By all of a block: the next tile of a window */
static __device__ __forceinline__ uint64_t
draw_deal(const GpuAggDrawTiles &t, uint32_t w)
{
	__shared__ uint64_t tile;

	__syncthreads();
	if (threadIdx.x == 0)
		tile = atomicAdd(&t.dealt[w], 1ull);
	__syncthreads();
	return tile * t.tile;
}

/* By all of a warp, likewise; `draws` of one */
static __device__ __forceinline__ uint64_t
draw_deal_warp(const GpuAggDrawTiles &t, uint32_t w, uint32_t draws)
{
	unsigned long long tile = 0;

	if (threadIdx.x % 32 == 0)
		tile = atomicAdd(&t.dealt[w], 1ull);
	return __shfl_sync(~0u, tile, 0) * draws;
}

/* All tiles of the launch: deal(window's number) for the next, of(window, first draw) */
template <typename Deal, typename Of>
static __device__ __forceinline__ void
draw_tiles(const GpuAggDrawTiles &t, const Deal &deal, const Of &of)
{
	uint32_t	w = t.sm_windows != NULL ? t.sm_windows[draw_multiprocessor()] % t.nwindows : 0;
	uint32_t	left = t.nwindows;
	GpuAggDrawWindow window = t.windows[w];

	while (left > 0)
	{
		const uint64_t from = deal(w);

		if (from < t.draws)
		{
			of(window, from);
			continue;
		}
		left--;
		w = w + 1 < t.nwindows ? w + 1 : 0;
		window = t.windows[w];
	}
}

/*
 * All draws of the launch.  Use has turn<AHEAD>(DrawTurn), which makes so many
 * draws at once, so that what they read is under way together.
 */
template <int AHEAD, bool WINDOWED, typename Use>
static __device__ __forceinline__ void
draw_all(const GpuAggDrawTiles &t, Use &use)
{
	const auto	deal = [&](uint32_t w) { return draw_deal(t, w); };

	draw_tiles(t, deal, [&](const GpuAggDrawWindow &window, uint64_t from) {
		#pragma unroll 1
		for (uint32_t at = threadIdx.x; at < t.tile; at += GPUAGG_DRAW_THREADS * AHEAD)
			if (from + t.tile <= t.draws)
				use.template turn<AHEAD>(DrawTurn<WINDOWED, true>{t, window, from + at});
			else
				use.template turn<AHEAD>(DrawTurn<WINDOWED, false>{t, window, from + at});
	});
}

/* ---------- draws of a window side by side ---------- */

/* Draws of which a warp picks a window's; a tile of such launches */
#define GPUAGG_DRAW_REGION 2048

/*
 * Of a region's draws, some of a window's, at most 32 a turn: a lane's are at,
 * at + 32 and so on.  Their positions are behind those of lower windows, in the
 * region's positions: what a window writes is in one piece.
 */
struct DrawPicked
{
	const uint64_t key;
	const uint64_t first;		/* of the region */
	const uint16_t *picked;		/* draws of the window, from it on */
	const uint32_t n;
	const uint32_t below;		/* draws of lower windows */
	const uint32_t at;

	__device__ __forceinline__ uint64_t
	draw(int j) const
	{
		return first + below + at + j * 32;
	}

	__device__ __forceinline__ bool
	make(int j, uint64_t &bits) const
	{
		const uint32_t i = at + j * 32;

		bits = gpuagg_draw_bits(key, first + picked[min(i, n - 1)]);
		return i < n;
	}
};

/* Picks the window's draws among `count`; returns their number. */
static __device__ __forceinline__ uint32_t
draw_pick(const GpuAggDrawTiles &t, const GpuAggDrawWindow &window, uint64_t first,
		  uint32_t count, uint16_t *picked, uint32_t *below)
{
	const uint32_t lane = threadIdx.x % 32;
	uint32_t	lower = 0;
	uint32_t	n = 0;

	#pragma unroll 4
	for (uint32_t at = 0; at < count; at += 32)
	{
		const uint64_t bits = gpuagg_draw_bits(t.key, first + at + lane);
		const bool	is = at + lane < count;
		const bool	within = is && gpuagg_draw_within(&window, bits);
		const uint32_t lanes = __ballot_sync(~0u, within);

		if (within)
			picked[n + __popc(lanes & ((1u << lane) - 1))] = (uint16_t) (at + lane);
		lower += is && bits < window.first;
		n += __popc(lanes);
	}
	for (int lanes = 16; lanes > 0; lanes /= 2)
		lower += __shfl_xor_sync(~0u, lower, lanes);
	*below = lower;
	__syncwarp();
	return n;
}

/*
 * As draw_all() for launches in windows, whose draws get other positions than
 * all at once.  Every lane has draws to make then, and windows share few of
 * the sectors that memory is written by: draws of 128 GiB in two windows are
 * made at 0.96 of the rate of 64 GiB in one, and at 0.80 without (H200).
 */
template <int AHEAD, typename Use>
static __device__ __forceinline__ void
draw_all_picked(const GpuAggDrawTiles &t, Use &use)
{
	__shared__ uint16_t queues[GPUAGG_DRAW_THREADS / 32][GPUAGG_DRAW_REGION];
	uint16_t   *queue = queues[threadIdx.x / 32];
	const uint32_t lane = threadIdx.x % 32;
	const auto	deal = [&](uint32_t w) { return draw_deal_warp(t, w, GPUAGG_DRAW_REGION); };

	draw_tiles(t, deal, [&](const GpuAggDrawWindow &window, uint64_t first) {
		const uint32_t count = (uint32_t) min(t.draws - first, (uint64_t) GPUAGG_DRAW_REGION);
		uint32_t	below;
		const uint32_t n = draw_pick(t, window, first, count, queue, &below);

		#pragma unroll 1
		for (uint32_t at = lane; at - lane < n; at += 32 * AHEAD)
			use.template turn<AHEAD>(DrawPicked{t.key, first, queue, n, below, at});
		__syncwarp();
	});
}

#endif							/* GPUAGG_CUDA_DRAW_TILES_CUH */
