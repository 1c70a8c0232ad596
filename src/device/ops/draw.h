/*
 * draw.h
 *		TABLESAMPLE gpuagg.random_rows: which rows are drawn.
 *
 * The rows of a table that a snapshot sees are numbered from 0 in the order of
 * their line pointers.  Draw i of n is row floor(b(i) * N / 2^64) of N, where
 * b(i) are 64 bits that depend on seed and i alone: so draws can be made
 * anywhere, in any order and again, and PostgreSQL's executor and a device draw
 * the same rows.  Draws are with replacement.
 *
 * b is splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators, OOPSLA 2014) as a function of a counter: a Weyl sequence from a
 * key that is the seed, mixed, through a finalizer that maps 64 bits one to
 * one.  It passes BigCrush.  A row's probability is between floor and ceiling
 * of 2^64 / N, divided by 2^64: no two differ by more than 2^-64, which is
 * N / 2^64 of either.
 *
 * As floor(b N / 2^64) grows with b, rows [from, to) are what a range of bits draws.  Who
 * wants only draws within a window (a scope of Karnagel et al., Big Data causing Big (TLB)
 * Problems, section 5.2) compares bits and needs the product of no other draw.
 */
#ifndef GPUAGG_DEVICE_OPS_DRAW_H
#define GPUAGG_DEVICE_OPS_DRAW_H

#include "device/common.h"

typedef struct GpuAggDraws
{
	uint64_t	key;			/* of gpuagg_draw_key() */
	uint64_t	draws;			/* n */
	uint64_t	rows;			/* N; no draws if 0 */
} GpuAggDraws;

/* The draws whose bits are at most `span` beyond `first` */
typedef struct GpuAggDrawWindow
{
	uint64_t	first;
	uint64_t	span;
} GpuAggDrawWindow;

#define GPUAGG_DRAW_STEP UINT64_C(0x9e3779b97f4a7c15)

GPUAGG_FN uint64_t
gpuagg_draw_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Mixed, or neighbouring seeds would have nearly the same draws. */
GPUAGG_FN uint64_t
gpuagg_draw_key(uint64_t seed)
{
	return gpuagg_draw_mix(seed + GPUAGG_DRAW_STEP);
}

GPUAGG_FN uint64_t
gpuagg_draw_bits(uint64_t key, uint64_t draw)
{
	return gpuagg_draw_mix(key + (draw + 1) * GPUAGG_DRAW_STEP);
}

/* The upper half of a product */
GPUAGG_FN uint64_t
gpuagg_draw_scale(uint64_t bits, uint64_t rows)
{
#ifdef __CUDA_ARCH__
	return __umul64hi(bits, rows);
#else
	return (uint64_t) ((unsigned __int128) bits * rows >> 64);
#endif
}

/* draw < draws->draws */
GPUAGG_FN uint64_t
gpuagg_draw_row(const GpuAggDraws *draws, uint64_t draw)
{
	return gpuagg_draw_scale(gpuagg_draw_bits(draws->key, draw), draws->rows);
}

/* The window of rows [from, to), which are some of `rows` */
static inline GpuAggDrawWindow
gpuagg_draw_window(uint64_t from, uint64_t to, uint64_t rows)
{
	const unsigned __int128 all = (unsigned __int128) 1 << 64;
	GpuAggDrawWindow window;

	/* the least bits that draw a row are its number's share of 2^64, rounded up */
	window.first = (uint64_t) (((unsigned __int128) from * all + rows - 1) / rows);
	window.span = (uint64_t) (((unsigned __int128) to * all + rows - 1) / rows - 1) -
		window.first;
	return window;
}

GPUAGG_FN bool
gpuagg_draw_within(const GpuAggDrawWindow *window, uint64_t bits)
{
	return bits - window->first <= window->span;
}

#endif							/* GPUAGG_DEVICE_OPS_DRAW_H */
