/*
 * predict_table.h
 *		What making a look-up table takes: of rows that the backend reads, or of columns that
 *		stay on a device.  PostgreSQL-free.
 */
#ifndef GPUAGG_COST_PREDICT_TABLE_H
#define GPUAGG_COST_PREDICT_TABLE_H

#include "cost/predict.h"

/* The table, as far as time depends on it */
typedef struct GpuAggTableWork
{
	double		rows;
	double		columns;		/* of a row, keys among them */
	double		bytes;			/* of the table */
	double		finder_bytes;	/* of these, what finds rows: bits, or slots */
	double		string_bytes;	/* of keys that are strings, all of them; 0: they are integers */
	bool		hashed;			/* by slots */
	double		numbers;		/* of a row's keys, those that other tables of as many bytes find
								 * numbers for */
} GpuAggTableWork;

#ifdef __cplusplus
extern "C" {
#endif

/* The backend has the rows, and puts them into columns, then into the table; ns */
extern double gpuagg_predict_table_read(const GpuAggRates *rates, const GpuAggTableWork *table);

/*
 * The device makes it in a task of its own, which reads the input as the scan says: all of it from
 * columns that stay; ns
 */
extern double gpuagg_predict_table_made(const GpuAggRates *rates, const GpuAggTableWork *table,
										const GpuAggWork *scan);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_COST_PREDICT_TABLE_H */
