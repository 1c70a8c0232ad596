/*
 * called_work.c
 *		Values of an expression for some strings (called_work.h).
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "node/called/called_work.h"
#include "nodes/nodeFuncs.h"
#include "planner/value/constant.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* What values took is freed as often. */
#define STRINGS_AT_ONCE 64

/* A value of a string, and all of a message, at most */
#define VALUE_BYTES (1024 * 1024)
#define MOST_BYTES (64 * 1024 * 1024)

struct GpuAggCalledWork
{
	ExprState  *expr;
	ExprContext *econtext;
	uint8		type;			/* GpuAggType of the values */
	MemoryContext scratch;
};

GpuAggCalledWork *
gpuagg_called_work_begin(Expr *expr, ExprContext *econtext)
{
	GpuAggCalledWork *work = palloc(sizeof(GpuAggCalledWork));

	work->expr = ExecInitExpr(expr, NULL);
	work->econtext = econtext;
	if (!gpuagg_constant_type(exprType((Node *) expr), &work->type))
		elog(ERROR, "gpuagg: values of strings have a type that devices do not have");
	work->scratch = AllocSetContextCreate(CurrentMemoryContext, "gpuagg values of strings",
										  ALLOCSET_DEFAULT_SIZES);
	return work;
}

void
gpuagg_called_work_end(GpuAggCalledWork *work)
{
	MemoryContextDelete(work->scratch);
	pfree(work);
}

/* A column of a ROWS message while it is made */
typedef struct Column
{
	uint8	   *states;
	uint64	   *values;			/* of strings lengths */
	StringInfoData bytes;
} Column;

static void
add_zeros(StringInfo to, Size n)
{
	static const char zeros[8] = {0};

	appendBinaryStringInfo(to, zeros, n);
}

static void
add_padded(StringInfo to, const void *data, Size n)
{
	appendBinaryStringInfo(to, data, n);
	add_zeros(to, GPUAGG_ALIGN8(n) - n);
}

static void
message_make(const Column *column, const GpuAggMsg *strings, bool bytes, StringInfo values)
{
	const GpuAggMsg head = {GPUAGG_MSG_ROWS, strings->count, strings->batch_id};

	resetStringInfo(values);
	appendBinaryStringInfo(values, (const char *) &head, sizeof(head));
	add_padded(values, column->states, head.count);
	if (!bytes)
	{
		add_padded(values, column->values, head.count * sizeof(uint64));
		return;
	}
	for (uint32 i = 0; i < head.count; i++)
	{
		const uint32 length = column->values[i];

		appendBinaryStringInfo(values, (const char *) &length, sizeof(length));
	}
	add_zeros(values, GPUAGG_ALIGN8(head.count * sizeof(uint32)) - head.count * sizeof(uint32));
	add_padded(values, column->bytes.data, column->bytes.len);
}

/* The value of string i */
static void
value_compute(GpuAggCalledWork *work, const char *string, uint32 length, Column *column, uint32 i)
{
	GpuAggConstant c;
	bool		null;
	Datum		datum;

	work->econtext->caseValue_datum = PointerGetDatum(cstring_to_text_with_len(string, length));
	work->econtext->caseValue_isNull = false;
	datum = ExecEvalExpr(work->expr, work->econtext, &null);
	if (null)
		column->states[i] = GPUAGG_ST_NULL;
	if (null || !gpuagg_constant_fits(work->type, datum))
		return;
	c = gpuagg_constant_make(work->type, datum, false);
	if (gpuagg_constant_class(work->type) != GPUAGG_CLASS_BYTES)
		column->values[i] = c.value.v.i;
	else if (c.value.len > VALUE_BYTES)
		return;
	else
	{
		appendBinaryStringInfo(&column->bytes, c.bytes, c.value.len);
		column->values[i] = c.value.len;
	}
	column->states[i] = GPUAGG_ST_VALUE;
}

/*
 * The value of string i, with an error of it caught: the expression is made of functions that hold
 * nothing which a subtransaction would have to release (planner/lower/lower_called.c).  What has
 * no value stays one that only PostgreSQL computes.  VALUE_ERROR: an error that another session
 * might not have, which is not kept.
 */
static GpuAggStatus
value_try(GpuAggCalledWork *work, const char *string, uint32 length, Column *column, uint32 i,
		  GpuAggError *error)
{
	volatile GpuAggStatus status = GPUAGG_OK;

	column->states[i] = GPUAGG_ST_NEEDS_PG;
	column->values[i] = 0;
	PG_TRY();
	{
		value_compute(work, string, length, column, i);
	}
	PG_CATCH();
	{
		ErrorData  *edata;

		MemoryContextSwitchTo(work->scratch);
		edata = CopyErrorData();
		FlushErrorState();
		if (!gpuagg_error_is_of_values(edata->sqlerrcode))
			ReThrowError(edata);
		if (ERRCODE_TO_CATEGORY(edata->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
			status = gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG, "%s",
									  edata->message);
	}
	PG_END_TRY();
	return status;
}

/* False: the message does not hold what it says. */
static bool
is_sound(const GpuAggMsg *strings, Size bytes)
{
	const uint32 *lengths = (const uint32 *) ((const GpuAggStringsMsg *) strings + 1);
	const Size	room = bytes - sizeof(GpuAggStringsMsg);
	Size		sum = GPUAGG_ALIGN8(strings->count * sizeof(uint32));

	if (strings->count > room / sizeof(uint32) || sum > room)
		return false;
	for (uint32 i = 0; i < strings->count; i++)
		sum += lengths[i];
	return sum <= room;
}

static GpuAggStatus
strings_compute(GpuAggCalledWork *work, const GpuAggMsg *strings, Column *column,
				GpuAggError *error)
{
	const uint32 *lengths = (const uint32 *) ((const GpuAggStringsMsg *) strings + 1);
	const char *at = (const char *) lengths + GPUAGG_ALIGN8(strings->count * sizeof(uint32));
	MemoryContext old = MemoryContextSwitchTo(work->scratch);
	GpuAggStatus status = GPUAGG_OK;

	for (uint32 i = 0; i < strings->count && status == GPUAGG_OK; i++)
	{
		if (i % STRINGS_AT_ONCE == 0)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(work->scratch);
		}
		status = value_try(work, at, lengths[i], column, i, error);
		at += lengths[i];
		if (column->bytes.len > MOST_BYTES)
			status = gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
									  "what is computed of strings is too long");
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(work->scratch);
	return status;
}

GpuAggStatus
gpuagg_called_compute(GpuAggCalledWork *work, const GpuAggMsg *strings, Size bytes,
					  StringInfo values, GpuAggError *error)
{
	const Datum outer = work->econtext->caseValue_datum;
	const bool	outer_null = work->econtext->caseValue_isNull;
	Column		column;
	GpuAggStatus status;

	if (bytes < sizeof(GpuAggStringsMsg) || !is_sound(strings, bytes))
		return gpuagg_error_set(error, GPUAGG_DEVICE_FAULT, 0,
								"unexpected message from the device worker");
	column.states = palloc(Max(1, strings->count));
	column.values = palloc(Max(1, strings->count) * sizeof(uint64));
	initStringInfo(&column.bytes);
	status = strings_compute(work, strings, &column, error);
	work->econtext->caseValue_datum = outer;
	work->econtext->caseValue_isNull = outer_null;
	if (status == GPUAGG_OK)
		message_make(&column, strings, gpuagg_constant_class(work->type) == GPUAGG_CLASS_BYTES,
					 values);
	pfree(column.states);
	pfree(column.values);
	pfree(column.bytes.data);
	return status;
}
