/*
 * sorted_draws.h
 *		Random draws (device/ops/draw.h) in the order of their rows, within a limit
 *		of memory.
 */
#ifndef GPUAGG_TABLESAMPLE_SORTED_DRAWS_H
#define GPUAGG_TABLESAMPLE_SORTED_DRAWS_H

#include "device/ops/draw.h"

typedef struct GpuAggSortedDraws GpuAggSortedDraws;

/* In CurrentMemoryContext */
extern GpuAggSortedDraws *gpuagg_sorted_draws_create(const GpuAggDraws *draws,
													 Size memory);
extern void gpuagg_sorted_draws_free(GpuAggSortedDraws *sorted);

/* The next row; as often as it was drawn.  False: there are no more. */
extern bool gpuagg_sorted_draws_next(GpuAggSortedDraws *sorted, uint64 *row);

#endif							/* GPUAGG_TABLESAMPLE_SORTED_DRAWS_H */
