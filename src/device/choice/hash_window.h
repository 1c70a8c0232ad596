/*
 * hash_window.h
 *		Windows over the hash space of a grouping: which rows a task groups.
 *
 * A window is one of `count` equal parts of all hashes, by their high half
 * (Karnagel et al., Big Data causing Big (TLB) Problems, 5.3: the scope of a
 * pass).  A task with a window hashes every row and drops those outside, so
 * that tasks with all windows of a count see each group exactly once, whatever
 * the device, the order of rows and their path (pages, or rows that PostgreSQL
 * evaluated).
 *
 * Windows nest: window i of n is windows i * k to i * k + k - 1 of n * k.  So
 * a window can be split when its groups do not fit, and neighbours can be
 * joined when they would, without touching what other windows gave.
 */
#ifndef GPUAGG_DEVICE_CHOICE_HASH_WINDOW_H
#define GPUAGG_DEVICE_CHOICE_HASH_WINDOW_H

#include "device/common.h"

/* More would read the input more often than is worth waiting for. */
#define GPUAGG_MAX_HASH_WINDOWS 4096

/* count 0 or 1: all hashes */
typedef struct GpuAggHashWindow
{
	uint32_t	index;
	uint32_t	count;
} GpuAggHashWindow;

/* Is there such a window? */
GPUAGG_FN bool
gpuagg_hash_window_valid(GpuAggHashWindow s)
{
	return s.count <= GPUAGG_MAX_HASH_WINDOWS && s.index < (s.count > 1 ? s.count : 1);
}

GPUAGG_FN bool
gpuagg_hash_window_has(GpuAggHashWindow s, uint64_t hash)
{
	return s.count <= 1 || ((hash >> 32) * s.count) >> 32 == s.index;
}

/*
 * A hash of the window, spread over all hashes again: its place within the
 * window becomes the high half, the low half stays.  For users of high bits,
 * which are nearly the same in all of a window.
 */
GPUAGG_FN uint64_t
gpuagg_hash_window_spread(GpuAggHashWindow s, uint64_t hash)
{
	return s.count <= 1 ? hash :
		((hash >> 32) * s.count) << 32 | (hash & UINT64_C(0xFFFFFFFF));
}

/* The first of k windows that together are this one */
GPUAGG_FN GpuAggHashWindow
gpuagg_hash_window_split(GpuAggHashWindow s, uint32_t k)
{
	GpuAggHashWindow part;

	part.index = s.index * k;
	part.count = (s.count > 1 ? s.count : 1) * k;
	return part;
}

/* To the next window; false: this was the last one. */
GPUAGG_FN bool
gpuagg_hash_window_next(GpuAggHashWindow *s)
{
	s->index++;
	return s->index < s->count;
}

/* Does a window twice as wide begin where this one does?  Makes it that. */
GPUAGG_FN bool
gpuagg_hash_window_widen(GpuAggHashWindow *s)
{
	if (s->count < 2 || s->count % 2 != 0 || s->index % 2 != 0)
		return false;
	s->index /= 2;
	s->count /= 2;
	return true;
}

#endif							/* GPUAGG_DEVICE_CHOICE_HASH_WINDOW_H */
