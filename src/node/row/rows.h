/*
 * rows.h
 *		Single rows that a device leaves to PostgreSQL: evaluated with the row
 *		plan and sent back as GPUAGG_MSG_ROWS messages.
 */
#ifndef GPUAGG_NODE_ROWS_H
#define GPUAGG_NODE_ROWS_H

#include "postgres.h"

#include "ipc/protocol.h"
#include "node/result/long_values.h"
#include "nodes/execnodes.h"
#include "storage/buf.h"
#include "storage/off.h"

typedef struct GpuAggRows GpuAggRows;

/*
 * Initialises the row plan, which lives in the query's memory context until
 * gpuagg_rows_end.
 */
extern GpuAggRows *gpuagg_rows_create(Plan *plan, EState *estate, int eflags,
									  const GpuAggProgram *program);

/*
 * The program with its runtime constants, as the task that the rows are for has it.
 * It is kept, not copied.  Numerics that it has no form of go to `longs`, unless that is
 * NULL; they are not kept where an earlier task has done so (keep).
 * Rows that have one as one of these keys (bits) may be kept as a whole, and are not the device's
 * then.
 */
extern void gpuagg_rows_bind(GpuAggRows *rows, const GpuAggProgram *program,
							 GpuAggLongValues *longs, bool keep, uint32 long_keys);

/*
 * Evaluates the tuple at a line of a pinned page and keeps its outputs if
 * the row passes WHERE.  PostgreSQL's own errors are raised.  A status other
 * than GPUAGG_OK: a value that does not fit a device.
 */
extern GpuAggStatus gpuagg_rows_add(GpuAggRows *rows, Relation rel,
									Buffer buffer, OffsetNumber line,
									GpuAggError *error);

/* The tuple at a line of a pinned page, where it lies; false: it is none. */
extern bool gpuagg_rows_tuple(Relation rel, Buffer buffer, OffsetNumber line, HeapTuple tuple,
							  GpuAggError *error);

/* Rows kept; time to send them? */
extern uint32 gpuagg_rows_pending(const GpuAggRows *rows);
extern bool gpuagg_rows_full(const GpuAggRows *rows);

/*
 * The message of the rows kept, valid until the next gpuagg_rows_add; keeps
 * none of them afterwards.
 */
extern const GpuAggMsg *gpuagg_rows_message(GpuAggRows *rows, uint64 batch_id,
											Size *bytes);

/* Forgets the rows kept: a new task begins. */
extern void gpuagg_rows_reset(GpuAggRows *rows);

extern void gpuagg_rows_end(GpuAggRows *rows);

#endif							/* GPUAGG_NODE_ROWS_H */
