/*
 * blocks.c
 *		What it takes to move the rows of a plan into columns (node/row/row_block.h) and these
 *		to the worker: a row, and a value of it.
 *
 * Blocks of few and of many columns are filled as node/row/plan_rows.c fills them, written to
 * where the worker would find them, and copied from there as the worker does.  The
 * difference tells a value, what is left of the few tells a row; the fastest of several runs
 * counts, for others may use the processor, too.  What the plan takes to make
 * a row is the plan's cost.
 */
#include "postgres.h"

#include <math.h>

#include "calibrate/calibrate.h"
#include "catalog/pg_type.h"
#include "device/program.h"
#include "miscadmin.h"
#include "node/row/row_block.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

#define FEW 1
#define MANY 9

/* Bytes of a block, as those that lie in shared memory; rows timed at once; times */
#define BLOCK_BYTES (256 * 1024)
#define ROWS 100000
#define ROW_BYTES (1 + sizeof(uint64))	/* of one column: a state and a value */
#define TIMES 9

/* Less is what the clock does not tell. */
#define LEAST_NS 0.1

/* Nothing but keys of 64 bits */
typedef struct KeyProgram
{
	GpuAggProgram head;
	GpuAggKey	keys[MANY];
	uint8		classes[MANY];
} KeyProgram;

static GpuAggRowBlock *
make_block(int ncolumns)
{
	KeyProgram *p = palloc0(sizeof(KeyProgram));
	Oid			types[MANY];

	p->head.bytes = sizeof(KeyProgram);
	p->head.ncolumns = p->head.nregs = p->head.nkeys = ncolumns;
	p->head.keys_off = offsetof(KeyProgram, keys);
	p->head.transitions_off = offsetof(KeyProgram, classes);
	p->head.classes_off = offsetof(KeyProgram, classes);
	for (int i = 0; i < ncolumns; i++)
	{
		p->keys[i].reg = i;
		p->keys[i].type = GPUAGG_T_INT8;
		p->classes[i] = GPUAGG_CLASS_I64;
		types[i] = INT8OID;
	}
	return gpuagg_row_block_create(&p->head, types, BLOCK_BYTES / (ncolumns * ROW_BYTES + 8),
								   BLOCK_BYTES);
}

/* ns of a row of so many columns */
static double
run_rows(int ncolumns, char *shared, char *copy)
{
	GpuAggRowBlock *block = make_block(ncolumns);
	Datum		values[MANY];
	bool		isnull[MANY] = {false};
	instr_time	begin;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(begin);
	for (int row = 0; row < ROWS; row++)
	{
		for (int i = 0; i < ncolumns; i++)
			values[i] = Int64GetDatum(row + i);
		(void) gpuagg_row_block_put_all(block, 0, values, isnull);
		gpuagg_row_block_next(block);
		if (gpuagg_row_block_full(block))
		{
			const Size	bytes = gpuagg_row_block_bytes(block);

			gpuagg_row_block_write(block, shared);
			memcpy(copy, shared, bytes);
		}
	}
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, begin);
	return INSTR_TIME_GET_DOUBLE(end) * 1e9 / ROWS;
}

void
gpuagg_measure_blocks(GpuAggCalibration *c)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg blocks",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	char	   *shared = palloc(BLOCK_BYTES);
	char	   *copy = palloc(BLOCK_BYTES);
	double		few = run_rows(FEW, shared, copy);
	double		many = run_rows(MANY, shared, copy);

	for (int i = 1; i < TIMES; i++)
	{
		CHECK_FOR_INTERRUPTS();
		few = fmin(few, run_rows(FEW, shared, copy));
		many = fmin(many, run_rows(MANY, shared, copy));
	}
	c->copy_value_ns = Max((many - few) / (MANY - FEW), LEAST_NS);
	c->copy_row_ns = Max(few - FEW * c->copy_value_ns, LEAST_NS);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
