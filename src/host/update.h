/*
 * update.h
 *		Transitions of the host device, a column at a time.
 */
#ifndef GPUAGG_HOST_UPDATE_H
#define GPUAGG_HOST_UPDATE_H

#include "host/group_table.h"

/*
 * What a block of rows contributes: a vector per key, and per transition
 * one of its argument and of its filter, or NULL where it has none.
 */
typedef struct GpuAggInputs
{
	const GpuAggVector *keys[GPUAGG_MAX_KEYS];
	const GpuAggVector *args[GPUAGG_MAX_TRANSITIONS];
	const GpuAggVector *filters[GPUAGG_MAX_TRANSITIONS];
} GpuAggInputs;

/*
 * Apply all transitions to rows of t: rows[k] takes row sel[k] of the
 * inputs.  Error values are consumed here (GPUAGG_VALUE_ERROR).
 */
extern GpuAggStatus gpuagg_update_rows(GpuAggTable *t, const GpuAggInputs *in,
									   const uint16_t *sel, char *const *rows,
									   uint32_t n, GpuAggError *error);

/* Apply all transitions to one row of t, which takes all n rows of the inputs, in order. */
extern GpuAggStatus gpuagg_update_only_row(GpuAggTable *t, char *row,
										   const GpuAggInputs *in, uint32_t n,
										   GpuAggError *error);

/* Merge states: rows[k] of t takes the row at from + sel[k] * row_bytes. */
extern GpuAggStatus gpuagg_update_merge(GpuAggTable *t, const char *from,
										const uint16_t *sel, char *const *rows,
										uint32_t n, GpuAggError *error);

/* Reports GPUAGG_VALUE_ERROR for these state bits. */
extern GpuAggStatus gpuagg_update_value_error(uint32_t states, GpuAggError *error);

#endif							/* GPUAGG_HOST_UPDATE_H */
