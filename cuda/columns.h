/*
 * columns.h
 *		Columns that are resident in device memory: what a program reads
 *		instead of pages.
 *
 * A column of the program has n values in the width of a key slot of its type
 * (layout.h: 4 or 8 bytes; float4 as double), and bit i of nulls, if there is
 * such a bitmap, says that row i is NULL.  All rows count.  Strings have no
 * such columns.
 */
#ifndef GPUAGG_CUDA_COLUMNS_H
#define GPUAGG_CUDA_COLUMNS_H

#include "device/program.h"

typedef struct GpuAggColumn
{
	const void *values;			/* on the device */
	const uint32_t *nulls;		/* NULL: none */
	uint32_t	type;			/* GpuAggType */
} GpuAggColumn;

typedef struct GpuAggColumns
{
	uint64_t	n;				/* rows */
	const GpuAggColumn *columns;	/* as many as the program has; on the host */
} GpuAggColumns;

#endif							/* GPUAGG_CUDA_COLUMNS_H */
