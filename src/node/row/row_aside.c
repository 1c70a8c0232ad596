/*
 * row_aside.c
 *		Numerics of a row that devices have no form of (row_aside.h).
 *
 * A value is NULL to the device, and so it is where it is counted, for which the device may
 * keep one state with it.  An argument whose FILTER is not true is no value of its group.
 *
 * Memory: values that have been put aside are the caller's until the row ends.
 */
#include "postgres.h"

#include "node/row/row_aside.h"

typedef struct AsideValue
{
	int			column;
	Datum		value;
} AsideValue;

struct GpuAggRowAside
{
	GpuAggRowBlock *block;
	int			nkeys;
	GpuAggLongValues *longs;
	bool		keep;
	int			table;			/* whose rows may be kept as a whole */
	uint32		of_keys;		/* keys (bits) for which that may be */
	bool		whole;			/* the current row is kept as a whole */
	int			n;				/* values of the current row */
	AsideValue *values;			/* [columns of the block] */
	StringInfoData key;
};

GpuAggRowAside *
gpuagg_row_aside_create(GpuAggRowBlock *block)
{
	const int	n = gpuagg_row_block_noutputs(block);
	GpuAggRowAside *aside = palloc0(sizeof(GpuAggRowAside));

	aside->block = block;
	aside->nkeys = gpuagg_row_block_nkeys(block);
	aside->values = palloc(Max(1, n) * sizeof(AsideValue));
	initStringInfo(&aside->key);
	return aside;
}

void
gpuagg_row_aside_bind(GpuAggRowAside *aside, GpuAggLongValues *longs, bool keep)
{
	aside->longs = longs;
	aside->keep = keep;
	aside->of_keys = 0;
	aside->whole = false;
	aside->n = 0;
}

void
gpuagg_row_aside_take_rows(GpuAggRowAside *aside, int table, uint32 of_keys)
{
	aside->table = table;
	aside->of_keys = of_keys;
}

bool
gpuagg_row_aside_put(GpuAggRowAside *aside, int n, Datum datum)
{
	const GpuAggRowOutput *column = gpuagg_row_block_output(aside->block, n);

	if (aside->longs != NULL && n < aside->nkeys && (aside->of_keys >> n & 1) != 0 &&
		gpuagg_row_block_is_beyond(aside->block, n, datum))
	{
		aside->whole = true;
		return gpuagg_row_block_put(aside->block, n, (Datum) 0, true);
	}
	if (aside->longs == NULL || column->transition < 0 || !column->numeric ||
		!gpuagg_long_values_take(aside->longs, column->transition) ||
		!gpuagg_long_values_fits(aside->longs, column->transition, datum))
		return false;
	aside->values[aside->n++] = (AsideValue) {n, datum};
	return gpuagg_row_block_put(aside->block, n, (Datum) 0, true);
}

void
gpuagg_row_aside_drop(GpuAggRowAside *aside)
{
	aside->n = 0;
	aside->whole = false;
}

/* Products of what has been put aside, for its square, are no values of the device's. */
static void
products_aside(GpuAggRowAside *aside)
{
	for (int i = 0; i < gpuagg_row_block_noutputs(aside->block); i++)
	{
		const int	transition = gpuagg_row_block_output(aside->block, i)->transition;
		const int	variance = transition < 0 ? -1 :
			gpuagg_long_values_variance(aside->longs, transition);

		for (int k = 0; k < aside->n && variance >= 0; k++)
			if (gpuagg_long_values_variance(
					aside->longs,
					gpuagg_row_block_output(aside->block, aside->values[k].column)->transition) ==
				variance)
				(void) gpuagg_row_block_put(aside->block, i, (Datum) 0, true);
	}
}

/* What is NULL as one argument is NULL where it is counted, too; false: it may not be. */
static bool
counts_aside(GpuAggRowAside *aside)
{
	const int	n = aside->n;

	for (int i = 0; i < gpuagg_row_block_noutputs(aside->block); i++)
	{
		const GpuAggRowOutput *column = gpuagg_row_block_output(aside->block, i);
		uint64		bits;
		GpuAggBytes bytes;
		int			k = 0;

		while (k < n && gpuagg_row_block_output(aside->block,
												aside->values[k].column)->reg != column->reg)
			k++;
		if (k < n && column->counted &&
			gpuagg_row_block_value(aside->block, i, &bits, &bytes) &&
			!gpuagg_row_aside_put(aside, i, aside->values[k].value))
			return false;
	}
	return true;
}

/* The key of the group that the row belongs to */
static void
make_key(GpuAggRowAside *aside)
{
	resetStringInfo(&aside->key);
	for (int i = 0; i < aside->nkeys; i++)
	{
		const uint8 type = gpuagg_row_block_output(aside->block, i)->key_type;
		uint64		bits;
		GpuAggBytes bytes;

		if (!gpuagg_row_block_value(aside->block, i, &bits, &bytes))
			gpuagg_long_key_null(&aside->key);
		else if (bytes.data != NULL)
			gpuagg_long_key_bytes(&aside->key, type, bytes);
		else
			gpuagg_long_key_number(&aside->key, type, bits);
	}
}

/* To their group; false: there are too many. */
static bool
keep_values(GpuAggRowAside *aside)
{
	bool		kept = true;

	if (!aside->keep)
		return true;
	make_key(aside);
	for (int i = 0; i < aside->n; i++)
	{
		const GpuAggRowOutput *column = gpuagg_row_block_output(aside->block,
																aside->values[i].column);

		if (column->filter < 0 || gpuagg_row_block_is_true(aside->block, column->filter))
			kept &= gpuagg_long_values_add(aside->longs, &aside->key, column->transition,
										   aside->values[i].value);
	}
	return kept;
}

GpuAggStatus
gpuagg_row_aside_next(GpuAggRowAside *aside, HeapTuple row, GpuAggError *error)
{
	const bool	any = aside->n > 0;
	const bool	all = aside->whole;
	bool		whole = true;
	bool		kept = true;

	if (all)
	{
		gpuagg_row_block_undo(aside->block);
		kept = !aside->keep || gpuagg_long_values_add_row(aside->longs, row, aside->table);
		gpuagg_row_aside_drop(aside);
	}
	else if (any)
	{
		whole = counts_aside(aside);
		products_aside(aside);
		kept = whole && keep_values(aside);
		aside->n = 0;
	}
	if (!whole)
		return gpuagg_row_block_unfit(error);
	if (!kept)
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"too many numerics have no form that devices know");
	if (!all)
		gpuagg_row_block_next(aside->block);
	return GPUAGG_OK;
}
