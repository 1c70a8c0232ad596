/*
 * row_output.h
 *		Groups that regrouping has made, into the store from which results.c makes
 *		tuples.
 */
#ifndef GPUAGG_NODE_ROW_OUTPUT_H
#define GPUAGG_NODE_ROW_OUTPUT_H

#include "postgres.h"

#include "node/regroup/row_table.h"
#include "node/result/results.h"

/* Adds all groups of a table, whose program this is, and their number to *total. */
extern GpuAggStatus gpuagg_row_output(const GpuAggRowTable *table,
										  const GpuAggProgram *program,
										  GpuAggResults *results, uint64 *total,
										  GpuAggError *error);

#endif							/* GPUAGG_NODE_ROW_OUTPUT_H */
