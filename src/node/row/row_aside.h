/*
 * row_aside.h
 *		Numerics of a row that devices have no form of, put aside to the group that the row
 *		belongs to (long_values.h).
 *
 * For rows that are made in a block output by output.  A value that gpuagg_row_block_put
 * does not take is offered here, and when all outputs are there gpuagg_row_aside_next ends
 * the row.
 */
#ifndef GPUAGG_NODE_ROW_ASIDE_H
#define GPUAGG_NODE_ROW_ASIDE_H

#include "postgres.h"

#include "node/result/long_values.h"
#include "node/row/row_block.h"

typedef struct GpuAggRowAside GpuAggRowAside;

/* What is put aside of rows in this block; lives in the current memory context. */
extern GpuAggRowAside *gpuagg_row_aside_create(GpuAggRowBlock *block);

/*
 * Where values go; NULL: nowhere, they must be the device's.  They are not kept where an
 * earlier task has done so.
 */
extern void gpuagg_row_aside_bind(GpuAggRowAside *aside, GpuAggLongValues *longs, bool keep);

/*
 * A row of which one of these keys does not fit may be kept as a whole, one of this table
 * (long_values.h).
 */
extern void gpuagg_row_aside_take_rows(GpuAggRowAside *aside, int table, uint32 of_keys);

/* The device has NULL in the place of this output; false: it must be the device's. */
extern bool gpuagg_row_aside_put(GpuAggRowAside *aside, int n, Datum datum);

/*
 * The row is whole: it is one more of the block, and its values are their group's.  A
 * status other than GPUAGG_OK: they cannot be.  row: a tuple that it comes from, for one that is
 * kept as a whole, and none of the block.
 */
extern GpuAggStatus gpuagg_row_aside_next(GpuAggRowAside *aside, HeapTuple row, GpuAggError *error);

/* Forgets what has been put aside of a row that is given up. */
extern void gpuagg_row_aside_drop(GpuAggRowAside *aside);

#endif							/* GPUAGG_NODE_ROW_ASIDE_H */
