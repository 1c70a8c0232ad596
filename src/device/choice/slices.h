/*
 * slices.h
 *		Long tasks in slices, so that short ones are not behind them for long.
 *
 * Blocks that run keep their multiprocessor until they are through, and a kernel over kept
 * columns begins as many as run at once.  So a short task, whose blocks are given the first
 * places that come free, waits for one launch of a long one: that is why a launch over kept
 * columns is given no more rows than are predicted to take this long.
 */
#ifndef GPUAGG_DEVICE_CHOICE_SLICES_H
#define GPUAGG_DEVICE_CHOICE_SLICES_H

#include "device/compiled.h"

/* What a launch takes besides, some 20 us on an H200, is a hundredth of it. */
#define GPUAGG_SLICE_NS 2e6

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

#endif							/* GPUAGG_DEVICE_CHOICE_SLICES_H */
