/*
 * row_block.h
 *		Rows that PostgreSQL has evaluated, as columns: the outputs of a program
 *		(gpuagg_program_noutputs), sent as GPUAGG_MSG_ROWS messages.
 *
 * Filled row by row, for rows that a device leaves to PostgreSQL (rows.h) and for those of
 * a plan (plan_rows.h).
 */
#ifndef GPUAGG_NODE_ROW_BLOCK_H
#define GPUAGG_NODE_ROW_BLOCK_H

#include "postgres.h"

#include "ipc/errors.h"
#include "ipc/protocol.h"

typedef struct GpuAggRowBlock GpuAggRowBlock;

/* What an output is for */
typedef struct GpuAggRowOutput
{
	int			transition;		/* Whose argument it is, or -1: a key, a filter. */

	/* An argument */
	int			filter;			/* The output that must be true, or -1. */
	uint16		reg;			/* Its register, or GPUAGG_NO_REG. */
	bool		counted;		/* Only whether it is NULL matters. */

	bool		numeric;		/* The SQL type is numeric. */
	uint8		key_type;		/* GpuAggType of a key. */
} GpuAggRowOutput;

/*
 * Of so many rows at most, and fewer where strings take as much room as said; types: of the
 * SQL expressions of the outputs, in their order
 */
extern GpuAggRowBlock *gpuagg_row_block_create(const GpuAggProgram *program, const Oid *types,
											   uint32 room, Size string_room);

/*
 * The program with its runtime constants, as the task that the rows are for has it.
 * It is kept, not copied.
 */
extern void gpuagg_row_block_bind(GpuAggRowBlock *block, const GpuAggProgram *program);

/*
 * An output of the row that comes next.  What converting it allocates is in the current
 * memory context.  False: devices have no form of the value.
 */
extern bool gpuagg_row_block_put(GpuAggRowBlock *block, int n, Datum datum, bool isnull);

/*
 * Outputs of a row from this one on, in their order.  The first of which devices have no
 * form; the number of outputs: all are there.
 */
extern int	gpuagg_row_block_put_all(GpuAggRowBlock *block, int from, const Datum *values,
									 const bool *isnull);

/* Its outputs, of which so many are keys, which come first */
extern int	gpuagg_row_block_noutputs(const GpuAggRowBlock *block);
extern int	gpuagg_row_block_nkeys(const GpuAggRowBlock *block);
extern const GpuAggRowOutput *gpuagg_row_block_output(const GpuAggRowBlock *block, int n);

/* Is that output, a boolean, true? */
extern bool gpuagg_row_block_is_true(const GpuAggRowBlock *block, int n);

/*
 * That output as it is sent: a string, or bytes->data is NULL and *bits has it.  Strings
 * only until the next of the output is put.  False: it is NULL.
 */
extern bool gpuagg_row_block_value(const GpuAggRowBlock *block, int n, uint64 *bits,
								   GpuAggBytes *bytes);

/* Does converting a value of it allocate anything? */
extern bool gpuagg_row_block_converts(const GpuAggRowBlock *block);

/* Forgets the row whose outputs have all been put, before gpuagg_row_block_next. */
extern void gpuagg_row_block_undo(GpuAggRowBlock *block);

/* Is it a numeric that no row of the device has in this column, whatever decimals it shows? */
extern bool gpuagg_row_block_is_beyond(const GpuAggRowBlock *block, int n, Datum datum);

/* All outputs of that row are there. */
extern void gpuagg_row_block_next(GpuAggRowBlock *block);

/* What to tell of a value that has no form */
extern GpuAggStatus gpuagg_row_block_unfit(GpuAggError *error);

/* Rows kept; time to send them? */
extern uint32 gpuagg_row_block_count(const GpuAggRowBlock *block);
extern bool gpuagg_row_block_full(const GpuAggRowBlock *block);

/* The message of the rows kept, valid until the next one; keeps none of them afterwards. */
extern const GpuAggMsg *gpuagg_row_block_message(GpuAggRowBlock *block, uint64 batch_id,
												 Size *bytes);

/* The columns alone, as they follow a message's head; write keeps no rows afterwards. */
extern Size gpuagg_row_block_bytes(const GpuAggRowBlock *block);
extern void gpuagg_row_block_write(GpuAggRowBlock *block, char *to);

/* Forgets the rows kept. */
extern void gpuagg_row_block_reset(GpuAggRowBlock *block);

#endif							/* GPUAGG_NODE_ROW_BLOCK_H */
