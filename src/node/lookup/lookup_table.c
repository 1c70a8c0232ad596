/*
 * lookup_table.c
 *		Look-up tables of rows that the backend has read (lookup_table.h).
 *
 * Keys of several columns (planner/plan/plan.h) are made words here, once all rows are there: a
 * value's number is that of its row in a helper table, which looks the probes' values up.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "compat.h"
#include "node/lookup/lookup_table.h"
#include "planner/value/constant.h"
#include "utils/memutils.h"

/* ---------------------------------------------------------------- columns --- */

static uint8
form_of(const GpuAggLookupPlan *plan, int column)
{
	return column < plan->nkeys && column < GPUAGG_KEY_COLUMNS ? plan->forms[column] : 0;
}

bool
gpuagg_lookup_is_numbered(const GpuAggLookupPlan *plan, int column)
{
	return plan->scales[column].form == GPUAGG_SCALE_NUMBERED ||
		(form_of(plan, column) & GPUAGG_KEY_NUMBERED) != 0;
}

GpuAggClass
gpuagg_lookup_column_class(const GpuAggLookupPlan *plan, int column)
{
	return gpuagg_lookup_is_numbered(plan, column) ? GPUAGG_CLASS_I64 :
		gpuagg_constant_class(plan->types[column]);
}

/* --------------------------------------------------------------- making it --- */

GpuAggStatus
gpuagg_lookup_too_large(GpuAggError *error)
{
	return gpuagg_error_set(error, GPUAGG_OUT_OF_MEMORY, 0,
							"an input of a join takes more than gpuagg.lookup_memory");
}

/* *unique: no two rows had the same key */
static const GpuAggLookup *
make_block(GpuAggLookupRows *rows, MemoryContext context, Size limit, bool *unique,
		   GpuAggError *error)
{
	uint64		bytes;
	void	   *block;

	if (!pg_strong_random(&rows->seed, sizeof(rows->seed)))
		rows->seed = pg_prng_uint64(&pg_global_prng_state);
	bytes = gpuagg_lookup_bytes_needed(rows);
	if (bytes == 0 || bytes > limit)
	{
		(void) gpuagg_lookup_too_large(error);
		return NULL;
	}
	block = MemoryContextAllocExtended(context, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	*unique = gpuagg_lookup_make(rows, block, bytes);
	return block;
}

/* As the program does it of what it looks up (lower_join_key.c) */
static void
share_word(int64 *high, const int64 *low, uint64 nrows)
{
	for (uint64 i = 0; i < nrows; i++)
		high[i] = (int64) ((uint64) high[i] << 32 | (uint32) low[i]);
}

const GpuAggLookup *
gpuagg_lookup_table(GpuAggLookupColumns *columns, MemoryContext context, Size limit,
					GpuAggError *error)
{
	const GpuAggLookupPlan *plan = columns->plan;
	GpuAggLookupSource sources[GPUAGG_LOOKUP_MAX_COLUMNS];
	GpuAggLookupRows rows = {
		.nrows = columns->nrows,
		.nkeys = plan->nkeys,
		.columns = sources,
		.filters = columns->filters
	};
	const GpuAggLookup *block;
	bool		unique;

	for (int i = 0; i < plan->ncolumns; i++)
	{
		if ((form_of(plan, i) & GPUAGG_KEY_LOWER) != 0)
		{
			share_word(columns->values[i - 1], columns->values[i], columns->nrows);
			rows.nkeys--;
			continue;
		}
		sources[rows.ncolumns].cls = gpuagg_lookup_column_class(plan, i);
		sources[rows.ncolumns].values = columns->values[i];
		sources[rows.ncolumns++].nulls = columns->nulls[i];
	}
	block = make_block(&rows, context, limit, &unique, error);
	if (block == NULL || unique || !plan->unique)
		return block;
	gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
					 "an input of a join has several rows of one key");
	return NULL;
}

/* ----------------------------------------------------------------- helpers --- */

/* The values, by number, as devices have them */
static void *
values_of(const GpuAggNumbered *numbers, bool strings)
{
	const int32 n = gpuagg_numbered_count(numbers);
	GpuAggBytes *bytes = MemoryContextAllocHuge(CurrentMemoryContext,
												Max(1, n) * sizeof(GpuAggBytes));
	int64	   *integers = MemoryContextAllocHuge(CurrentMemoryContext, Max(1, n) * sizeof(int64));

	for (int32 i = 0; i < n; i++)
	{
		const Datum datum = gpuagg_numbered_datum(numbers, i);

		bytes[i].data = VARDATA(DatumGetPointer(datum));
		bytes[i].len = VARSIZE(DatumGetPointer(datum)) - VARHDRSZ;
		if (!strings)
			memcpy(&integers[i], bytes[i].data, sizeof(int64));
	}
	return strings ? (void *) bytes : (void *) integers;
}

static int64
row_of(const GpuAggLookup *table, const void *values, bool strings, int32 i)
{
	const GpuAggBytes block = {(const char *) table, table->bytes};
	uint8		st = GPUAGG_ST_VALUE;

	return strings ? gpuagg_lookup_bytes(((const GpuAggBytes *) values)[i], block, &st) :
		gpuagg_lookup(((const int64 *) values)[i], block, &st);
}

const GpuAggLookup *
gpuagg_lookup_helper(GpuAggLookupColumns *columns, int column, const GpuAggNumbered *numbers,
					 MemoryContext context, Size limit, GpuAggError *error)
{
	const GpuAggClass cls = gpuagg_constant_class(columns->plan->types[column]);
	const bool	strings = cls == GPUAGG_CLASS_BYTES;
	const int32 n = gpuagg_numbered_count(numbers);
	const GpuAggLookupSource source = {.cls = cls,.values = values_of(numbers, strings)};
	GpuAggLookupRows rows = {.nrows = n,.nkeys = 1,.ncolumns = 1,.columns = &source,
	.filters = columns->filters};
	int64	   *of = columns->values[column];
	int64	   *row;
	bool		unique;
	const GpuAggLookup *block = make_block(&rows, context, limit, &unique, error);

	if (block == NULL)
		return NULL;
	row = MemoryContextAllocHuge(CurrentMemoryContext, Max(1, n) * sizeof(int64));
	for (int32 i = 0; i < n; i++)
		row[i] = row_of(block, source.values, strings, i);
	for (uint64 i = 0; i < columns->nrows; i++)
		of[i] = row[of[i]];
	return block;
}
