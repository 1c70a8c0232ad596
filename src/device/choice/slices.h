/*
 * slices.h
 *		Long tasks in slices, so that short ones are not behind them for long.
 *
 * Blocks that run keep their multiprocessor until they are through, and a kernel over kept
 * columns begins as many as run at once.  So a short task, whose blocks are given the first
 * places that come free, waits for one launch of a long one: that is why a launch over kept
 * columns, or over rows that are grouped in device memory, is given no more rows than are
 * predicted to take this long.
 */
#ifndef GPUAGG_DEVICE_CHOICE_SLICES_H
#define GPUAGG_DEVICE_CHOICE_SLICES_H

#include "device/compiled.h"

/* What a launch takes besides, some 20 us on an H200, is a hundredth of it. */
#define GPUAGG_SLICE_NS 2e6

/*
 * Rows that are put into partitions are gone through some five times (a sketch, counting, once
 * or twice writing, grouping), and no time of these is more than a third of the task.
 */
#define GPUAGG_SLICE_STAGES 3

/* No fewer rows that are grouped in device memory are a slice, however slow that was predicted. */
#define GPUAGG_SLICE_LEAST_ROWS (UINT64_C(1) << 22)

/* Of what nothing was predicted: rows of a short task */
#define GPUAGG_SLICE_SHORT_ROWS 1e6

/* The task's kernels, by a prediction of either kind; 0: none */
GPUAGG_FN double
gpuagg_slice_task_ns(const GpuAggCompileWish *wish)
{
	return (double) (wish->compiled_ns > 0 ? wish->compiled_ns : wish->interpreted_ns);
}

/* Is the task no longer than a slice? */
GPUAGG_FN bool
gpuagg_slice_is_all(const GpuAggCompileWish *wish, double rows)
{
	const double ns = gpuagg_slice_task_ns(wish);

	return ns > 0 ? ns <= GPUAGG_SLICE_NS : rows <= GPUAGG_SLICE_SHORT_ROWS;
}

/* Rows of a slice; 0: as many as there are */
GPUAGG_FN uint64_t
gpuagg_slice_rows(const GpuAggCompileWish *wish, double rows)
{
	const double ns = gpuagg_slice_task_ns(wish);
	double		most;

	if (ns <= GPUAGG_SLICE_NS || rows <= 0)
		return 0;
	most = rows * GPUAGG_SLICE_NS / ns;
	return most < 1 ? 1 : (uint64_t) most;
}

/*
 * Rows of a slice, of rows that are deferred, and gone through at the end: by as many windows of
 * the hash, or by partitions (windows 0).  0: as many as there are
 */
GPUAGG_FN uint64_t
gpuagg_slice_deferred_rows(const GpuAggCompileWish *wish, double rows, uint32_t windows)
{
	const uint64_t most = gpuagg_slice_rows(wish, rows) *
		(windows > 0 ? windows : GPUAGG_SLICE_STAGES);

	return most == 0 || most >= GPUAGG_SLICE_LEAST_ROWS ? most : GPUAGG_SLICE_LEAST_ROWS;
}

/* Part `at` of `of` of what a kernel goes through, in as many launches, one behind the other */
typedef struct GpuAggSlice
{
	uint32_t	at;
	uint32_t	of;
} GpuAggSlice;

/* Where the slice of n things ends; the next one begins there. */
GPUAGG_FN uint64_t
gpuagg_slice_end(GpuAggSlice slice, uint64_t n)
{
	return n / slice.of * (slice.at + 1) + n % slice.of * (slice.at + 1) / slice.of;
}

GPUAGG_FN uint64_t
gpuagg_slice_first(GpuAggSlice slice, uint64_t n)
{
	return n / slice.of * slice.at + n % slice.of * slice.at / slice.of;
}

#endif							/* GPUAGG_DEVICE_CHOICE_SLICES_H */
