/*
 * lookup_rows.c
 *		Rows of a join's input, as columns (lookup_rows.h).
 */
#include "postgres.h"

#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "node/lookup/lookup_rows.h"
#include "planner/value/constant.h"
#include "utils/memutils.h"

#define STRING_BLOCK (64 * 1024)

static Size
value_bytes(const GpuAggLookupPlan *plan, int column)
{
	return gpuagg_lookup_column_class(plan, column) == GPUAGG_CLASS_BYTES ? sizeof(GpuAggBytes) :
		sizeof(int64);
}

/* Room for twice as many rows; they are counted as used. */
static bool
rows_grow(GpuAggInputRows *rows)
{
	uint64		room = rows->room == 0 ? GPUAGG_INPUT_ROWS : 2 * rows->room;

	for (int i = 0; i < rows->columns.plan->ncolumns; i++)
	{
		Size		each = value_bytes(rows->columns.plan, i);

		rows->bytes += (room - rows->room) * (each + 1);
		if (rows->bytes > rows->limit)
			return false;
		if (rows->room == 0)
		{
			rows->columns.values[i] = palloc(room * each);
			rows->columns.nulls[i] = palloc(room);
			continue;
		}
		rows->columns.values[i] = repalloc_huge(rows->columns.values[i], room * each);
		rows->columns.nulls[i] = repalloc_huge(rows->columns.nulls[i], room);
	}
	rows->room = room;
	return true;
}

/* A copy; false: too much */
static bool
rows_string(GpuAggInputRows *rows, const char *from, Size len, GpuAggBytes *to)
{
	if (len > rows->left)
	{
		rows->left = Max(len, STRING_BLOCK);
		rows->bytes += rows->left;
		if (rows->bytes > rows->limit)
			return false;
		rows->next = MemoryContextAllocHuge(CurrentMemoryContext, rows->left);
	}
	/* before the first block there may be empty ones */
	if (len > 0)
		memcpy(rows->next, from, len);
	to->data = rows->next;
	to->len = len;
	rows->next += len;
	rows->left -= len;
	return true;
}

/* A value's number */
static GpuAggStatus
rows_number(GpuAggInputRows *rows, int column, const char *data, Size len, GpuAggError *error)
{
	int32		number = gpuagg_numbered_add(rows->numbered[column], data, len, &rows->bytes);

	if (number < 0 || rows->bytes > rows->limit)
		return gpuagg_lookup_too_large(error);
	((int64 *) rows->columns.values[column])[rows->columns.nrows] = number;
	return GPUAGG_OK;
}

/*
 * Is the column's Datum the word that devices hold, whatever its value?  Bytes of it, 0: it is
 * not.
 */
static uint8
word_bytes(const GpuAggLookupPlan *plan, int column)
{
	if (gpuagg_lookup_is_numbered(plan, column))
		return 0;
	switch ((GpuAggType) plan->types[column])
	{
		case GPUAGG_T_INT4:
		case GPUAGG_T_DATE:
			return sizeof(int32);
		case GPUAGG_T_INT8:
		case GPUAGG_T_TIMESTAMP:
		case GPUAGG_T_TIMESTAMPTZ:
			return sizeof(int64);
		default:
			return 0;
	}
}

/* A numeric as the column has it: as a bound, or itself */
static bool
numeric_held(GpuAggScale scale, bool key, Datum datum, int64 *held)
{
	const bool	below = scale.form == GPUAGG_SCALE_BELOW;

	return below || scale.form == GPUAGG_SCALE_FLOOR ?
		gpuagg_numeric_bound(datum, below, scale.digits, held) :
		gpuagg_numeric_scaled(datum, key, scale.digits, held);
}

/*
 * One value that is not NULL, as devices hold it.  A key that is a numeric is compared with
 * what a device has at the column's scale; *strange: no such value equals it.
 */
static GpuAggStatus
rows_value(GpuAggInputRows *rows, int column, Datum datum, MemoryContext scratch, bool *strange,
		   GpuAggError *error)
{
	const uint8 type = rows->columns.plan->types[column];
	const bool	key = column < rows->columns.plan->nkeys;
	MemoryContext old = MemoryContextSwitchTo(scratch);
	GpuAggConstant value = {0};
	int64		decimal;
	bool		ok = true;

	if (type == GPUAGG_T_NUMERIC)
	{
		ok = numeric_held(rows->columns.plan->scales[column], key, datum, &decimal);
		*strange = key && !ok;
		datum = Int64GetDatum(decimal);
	}
	ok = ok && gpuagg_constant_fits(type, datum);
	if (ok)
		value = gpuagg_constant_make(type, datum, false);
	/* keys are looked up as bytes (lower_join.c) */
	while (ok && type == GPUAGG_T_BPCHAR && key &&
		   value.value.len > 0 && value.bytes[value.value.len - 1] == ' ')
		value.value.len--;
	MemoryContextSwitchTo(old);
	if (*strange)
		return GPUAGG_OK;
	if (!ok)
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a value of a join's input has no form that devices know");
	if (gpuagg_lookup_is_numbered(rows->columns.plan, column) &&
		gpuagg_constant_class(type) == GPUAGG_CLASS_BYTES)
		return rows_number(rows, column, value.bytes, value.value.len, error);
	if (gpuagg_lookup_is_numbered(rows->columns.plan, column))
		return rows_number(rows, column, (const char *) &value.value.v.i, sizeof(int64), error);
	if (gpuagg_constant_class(type) != GPUAGG_CLASS_BYTES)
		((int64 *) rows->columns.values[column])[rows->columns.nrows] = value.value.v.i;
	else if (!rows_string(rows, value.bytes, value.value.len,
						  &((GpuAggBytes *) rows->columns.values[column])[rows->columns.nrows]))
		return gpuagg_lookup_too_large(error);
	return GPUAGG_OK;
}

static bool
has_null_key(const GpuAggInputRows *rows, const TupleTableSlot *slot)
{
	for (int i = 0; i < rows->columns.plan->nkeys; i++)
		if (slot->tts_isnull[i])
			return true;
	return false;
}

/* As the program tests it (lower_join.c) */
static bool
is_in_window(const GpuAggInputRows *rows)
{
	const int64 remainder = ((int64 *) rows->columns.values[0])[rows->columns.nrows] %
		rows->windows;

	return remainder == rows->window || remainder == rows->window - rows->windows;
}

static GpuAggStatus
rows_add(GpuAggInputRows *rows, TupleTableSlot *slot, MemoryContext scratch, GpuAggError *error)
{
	bool		strange = false;

	slot_getallattrs(slot);
	if (has_null_key(rows, slot))
	{
		rows->null_keys = true;
		return GPUAGG_OK;
	}
	if (rows->columns.nrows == rows->room && !rows_grow(rows))
		return gpuagg_lookup_too_large(error);
	for (int i = 0; i < rows->columns.plan->ncolumns; i++)
	{
		int64	   *words = rows->columns.values[i];

		rows->columns.nulls[i][rows->columns.nrows] = slot->tts_isnull[i];
		if (rows->words[i] > 0)
			words[rows->columns.nrows] = slot->tts_isnull[i] ? 0 :
				rows->words[i] == sizeof(int32)				 ? DatumGetInt32(slot->tts_values[i]) :
															   DatumGetInt64(slot->tts_values[i]);
		else if (slot->tts_isnull[i])
			memset((char *) rows->columns.values[i] +
					   rows->columns.nrows * value_bytes(rows->columns.plan, i),
				   0, value_bytes(rows->columns.plan, i));
		else if (rows_value(rows, i, slot->tts_values[i], scratch, &strange, error) != GPUAGG_OK)
			return error->status;
		if (strange)
		{
			rows->strange_keys = true;
			return GPUAGG_OK;
		}
		if (i == 0 && rows->windows > 1 && !is_in_window(rows))
			return GPUAGG_OK;
	}
	rows->columns.nrows++;
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_input_rows_read(GpuAggInputRows *rows, PlanState *plan, GpuAggError *error)
{
	MemoryContext reading = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(reading, "gpuagg lookup value",
												  ALLOCSET_DEFAULT_SIZES);
	GpuAggStatus status = GPUAGG_OK;

	for (int i = 0; i < rows->columns.plan->ncolumns; i++)
		rows->words[i] = word_bytes(rows->columns.plan, i);
	while (status == GPUAGG_OK)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		/* nodes make what they keep in the query's context */
		MemoryContextSwitchTo(plan->state->es_query_cxt);
		slot = ExecProcNode(plan);
		MemoryContextSwitchTo(reading);
		if (TupIsNull(slot))
			break;
		status = rows_add(rows, slot, scratch, error);
		MemoryContextReset(scratch);
	}
	return status;
}
