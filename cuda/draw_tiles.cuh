/*
 * draw_tiles.cuh
 *		How draws are dealt to a launch's blocks: all at once, or in windows.
 *
 * Draws are cut into tiles, and each window has a counter of them.  A block asks
 * the counter of its window for tiles, makes their draws, and hands those that
 * the window has to what the launch is for.  Blocks of a multiprocessor begin
 * with the window that their multiprocessor has, and go on with the next one
 * when a window's tiles are all dealt: so each window has all of its draws made,
 * wherever blocks run, and no multiprocessor is idle at the end.
 */
#ifndef GPUAGG_CUDA_DRAW_TILES_CUH
#define GPUAGG_CUDA_DRAW_TILES_CUH

#include "device/draw.h"
#include "device/spatial.h"

#define GPUAGG_DRAW_THREADS 256

/* Draws of a tile at most: a counter's atomics are few then */
#define GPUAGG_DRAW_TILE 32768

typedef struct GpuAggDrawTiles
{
	uint64_t	key;
	uint64_t	draws;
	uint32_t	tile;			/* draws of one */
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
template <bool SCOPED, bool WHOLE>
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
		return (WHOLE || draw(j) < tiles.draws) && (!SCOPED || gpuagg_draw_within(&window, bits));
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

/*
 * All draws of the launch.  Use has turn<AHEAD>(DrawTurn), which makes so many
 * draws at once, so that what they read is under way together.
 */
template <int AHEAD, bool SCOPED, typename Use>
static __device__ __forceinline__ void
draw_all(const GpuAggDrawTiles &t, Use &use)
{
	uint32_t	w = t.sm_windows != NULL ? t.sm_windows[draw_multiprocessor()] % t.nwindows : 0;
	uint32_t	left = t.nwindows;
	GpuAggDrawWindow window = t.windows[w];

	while (left > 0)
	{
		const uint64_t from = draw_deal(t, w);

		if (from >= t.draws)
		{
			left--;
			w = w + 1 < t.nwindows ? w + 1 : 0;
			window = t.windows[w];
			continue;
		}
		#pragma unroll 1
		for (uint32_t at = threadIdx.x; at < t.tile; at += GPUAGG_DRAW_THREADS * AHEAD)
			if (from + t.tile <= t.draws)
				use.template turn<AHEAD>(DrawTurn<SCOPED, true>{t, window, from + at});
			else
				use.template turn<AHEAD>(DrawTurn<SCOPED, false>{t, window, from + at});
	}
}

#endif							/* GPUAGG_CUDA_DRAW_TILES_CUH */
