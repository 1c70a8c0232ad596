/*
 * row_blocks.c
 *		How fast rows of two integers become column blocks (src/node/row/row_block.c),
 *		message and all, without the plan that gives them and without the worker.
 *
 * test/t/018_hooks.pl builds it and loads it behind gpuagg, whose functions it calls.
 *
 *	row_blocks_rate(rows)	rows a second of the processor's time, of
 *							SELECT a, sum(b) ... GROUP BY a
 *	row_blocks_sum(rows)	the sum of both columns in all messages, to be compared
 */
#include "postgres.h"

#include <time.h>

#include "catalog/pg_type.h"
#include "device/transition.h"
#include "fmgr.h"
#include "node/row/row_block.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(row_blocks_rate);
PG_FUNCTION_INFO_V1(row_blocks_sum);

#define ROOM 8192

/* A key and a sum, both of int4 */
typedef struct TwoIntegers
{
	GpuAggProgram head;
	GpuAggKey	key;
	uint64		pad[2];
	GpuAggTransition sum;
	uint8		classes[8];
} TwoIntegers;

static GpuAggRowBlock *
two_integers(void)
{
	static const Oid types[] = {INT4OID, INT4OID};
	TwoIntegers *p = palloc0(sizeof(TwoIntegers));

	p->head.bytes = sizeof(TwoIntegers);
	p->head.ncolumns = p->head.nregs = 2;
	p->head.nkeys = p->head.ntransitions = 1;
	p->head.keys_off = offsetof(TwoIntegers, key);
	p->head.transitions_off = offsetof(TwoIntegers, sum);
	p->head.classes_off = offsetof(TwoIntegers, classes);
	p->key.type = GPUAGG_T_INT4;
	p->sum.op = GPUAGG_TRANS_SUM_I64;
	p->sum.arg = 1;
	p->sum.filter = GPUAGG_NO_REG;
	p->sum.type = GPUAGG_T_INT4;
	return gpuagg_row_block_create(&p->head, types, ROOM, 256 * 1024);
}

/* The second column is NULL where the first is a multiple of eight. */
static void
put_row(GpuAggRowBlock *block, int64 row)
{
	const Datum values[] = {Int32GetDatum((int32) row), Int32GetDatum(-7)};
	const bool	isnull[] = {false, (row & 7) == 0};

	if (gpuagg_row_block_put_all(block, 0, values, isnull) == lengthof(values))
		gpuagg_row_block_next(block);
}

Datum
row_blocks_rate(PG_FUNCTION_ARGS)
{
	const int64 rows = PG_GETARG_INT64(0);
	GpuAggRowBlock *block = two_integers();
	const clock_t start = clock();
	Size		bytes;

	for (int64 i = 0; i < rows; i++)
	{
		put_row(block, i);
		if (gpuagg_row_block_full(block))
			(void) gpuagg_row_block_message(block, 0, &bytes);
	}
	PG_RETURN_FLOAT8((double) rows * CLOCKS_PER_SEC / Max(clock() - start, 1));
}

/* Of one column of the message; *at is moved behind it. */
static int64
column_sum(const char **at, uint32 count)
{
	const uint8 *states = (const uint8 *) *at;
	const int64 *values = (const int64 *) (*at + GPUAGG_ALIGN8(count));
	int64		sum = 0;

	for (uint32 i = 0; i < count; i++)
		sum += states[i] == GPUAGG_ST_VALUE ? values[i] : 0;
	*at = (const char *) (values + count);
	return sum;
}

Datum
row_blocks_sum(PG_FUNCTION_ARGS)
{
	const int64 rows = PG_GETARG_INT64(0);
	GpuAggRowBlock *block = two_integers();
	int64		sum = 0;

	for (int64 i = 0; i < rows; i++)
	{
		put_row(block, i);
		if (gpuagg_row_block_full(block) || i == rows - 1)
		{
			Size		bytes;
			const GpuAggMsg *msg = gpuagg_row_block_message(block, 0, &bytes);
			const char *at = (const char *) (msg + 1);
			const uint32 count = msg->count;

			sum += column_sum(&at, count) + column_sum(&at, count);
			if (at != (const char *) msg + bytes)
				elog(ERROR, "a message of the wrong size");
		}
	}
	PG_RETURN_INT64(sum);
}
