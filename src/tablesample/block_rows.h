/*
 * block_rows.h
 *		How many rows each block of a table has, in block order: 2 bytes a
 *		block, in memory up to a limit, then in a temporary file.
 */
#ifndef GPUAGG_TABLESAMPLE_BLOCK_ROWS_H
#define GPUAGG_TABLESAMPLE_BLOCK_ROWS_H

typedef struct GpuAggBlockRows GpuAggBlockRows;

/* In CurrentMemoryContext; a file is CurrentResourceOwner's. */
extern GpuAggBlockRows *gpuagg_block_rows_create(Size memory);
extern void gpuagg_block_rows_free(GpuAggBlockRows *rows);

extern void gpuagg_block_rows_add(GpuAggBlockRows *rows, uint16 count);
extern uint64 gpuagg_block_rows_total(const GpuAggBlockRows *rows);

/* Reads from the first block on; none is added after that. */
extern void gpuagg_block_rows_rewind(GpuAggBlockRows *rows);
extern bool gpuagg_block_rows_next(GpuAggBlockRows *rows, uint16 *count);

#endif							/* GPUAGG_TABLESAMPLE_BLOCK_ROWS_H */
