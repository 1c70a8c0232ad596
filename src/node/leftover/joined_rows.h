/*
 * joined_rows.h
 *		Rows that a device leaves to PostgreSQL, where it joins them: run through the joins
 *		of PostgreSQL's own plan and sent back as GPUAGG_MSG_ROWS messages.
 */
#ifndef GPUAGG_NODE_JOINED_ROWS_H
#define GPUAGG_NODE_JOINED_ROWS_H

#include "postgres.h"

#include "node/scan/order.h"

typedef struct GpuAggJoinedRows GpuAggJoinedRows;

/*
 * Of a task of this order, whose look-up tables are made, over the table that this row plan
 * scans; longs, keep: as gpuagg_rows_bind().  In the current memory context, that of the task
 */
extern GpuAggJoinedRows *gpuagg_joined_rows_begin(const GpuAggScan *scan, const GpuAggOrder *order,
												  const Plan *row_plan, GpuAggLongValues *longs,
												  bool keep);

/* Keeps a copy of the tuple at a line of a pinned page. */
extern GpuAggStatus gpuagg_joined_rows_take(GpuAggJoinedRows *joined, const GpuAggTaskTable *table,
											Buffer buffer, OffsetNumber line,
											GpuAggError *error);

/*
 * Joins what was kept, once there is no more to come: up to a full message, NULL being the
 * end.  A status other than GPUAGG_OK: a value that does not fit a device.
 */
extern GpuAggStatus gpuagg_joined_rows_next(GpuAggJoinedRows *joined, uint64 batch_id,
											const GpuAggMsg **msg, Size *bytes,
											GpuAggError *error);

/* After such an end: for the next plan (run_notes.h) */
extern void gpuagg_joined_rows_note(const GpuAggJoinedRows *joined);

extern void gpuagg_joined_rows_end(GpuAggJoinedRows *joined);

#endif							/* GPUAGG_NODE_JOINED_ROWS_H */
