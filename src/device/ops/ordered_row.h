/*
 * ordered_row.h
 *		Which rows of an order fractions ask for, and where a group stands in it
 *		(device/ordered.h).  One meaning for every device, and for PostgreSQL's side.
 */
#ifndef GPUAGG_DEVICE_OPS_ORDERED_ROW_H
#define GPUAGG_DEVICE_OPS_ORDERED_ROW_H

#include <math.h>

#include "device/ops/group.h"
#include "device/ordered.h"

/*
 * The rows of so many, from 1, that a fraction asks for, as PostgreSQL's orderedsetaggs.c has it;
 * returns how many, one or two.
 */
GPUAGG_FN uint32_t
gpuagg_ordered_rows(const GpuAggOrderedFraction *f, int64_t n, int64_t *rows)
{
	const double place = f->fraction * (double) (n - 1);
	const int64_t reached = (int64_t) ceil(f->fraction * (double) n);

	rows[0] = f->discrete ? (reached > 1 ? reached : 1) : 1 + (int64_t) floor(place);
	rows[1] = f->discrete ? rows[0] : 1 + (int64_t) ceil(place);
	if (f->descending)
	{
		rows[0] = n + 1 - rows[0];
		rows[1] = n + 1 - rows[1];
	}
	return f->discrete ? 1 : 2;
}

/* Rows of so many that a wish asks for, ascending; returns how many, equal ones included. */
GPUAGG_FN uint32_t
gpuagg_ordered_wanted(const GpuAggOrdered *wish, int64_t n, int64_t *wanted)
{
	uint32_t	nwanted = 0;

	for (uint32_t i = 0; i < wish->nfractions; i++)
	{
		int64_t		rows[2];
		const uint32_t nrows = gpuagg_ordered_rows(&wish->fractions[i], n, rows);

		for (uint32_t r = 0; r < nrows; r++)
		{
			uint32_t	at = nwanted++;

			for (; at > 0 && wanted[at - 1] > rows[r]; at--)
				wanted[at] = wanted[at - 1];
			wanted[at] = rows[r];
		}
	}
	return nwanted;
}

/*
 * Groups that are left of one of the query's, at most: one of each row that is wanted, one before,
 * between and behind them, and that of NULLs; of a mode its own, and all others
 */
GPUAGG_FN uint64_t
gpuagg_ordered_pieces(const GpuAggOrdered *wish)
{
	return wish->mode != GPUAGG_MODE_NONE ? 2 : 4 * (uint64_t) wish->nfractions + 2;
}

/* A value that is not NULL as a number in the order of its type */
GPUAGG_FN uint64_t
gpuagg_ordered_word(uint32_t type, const char *slot)
{
	int64_t		word;
	int32_t		narrow;

	if (gpuagg_key_class(type) == GPUAGG_CLASS_F64)
		word = gpuagg_f64_order(gpuagg_key_slot_f64(slot) + 0.0);
	else if (gpuagg_type_slot_bytes(type) == 4)
	{
		memcpy(&narrow, slot, sizeof(narrow));
		word = narrow;
	}
	else
		memcpy(&word, slot, sizeof(word));
	return (uint64_t) word ^ UINT64_C(1) << 63;
}

/* Are states of this kind merged as if rows had entered one after the other, in any order? */
GPUAGG_FN bool
gpuagg_ordered_merges(uint32_t op)
{
	switch (op)
	{
		case GPUAGG_TRANS_COUNT:
		case GPUAGG_TRANS_SUM_I64:
		case GPUAGG_TRANS_SUM_I128:
		case GPUAGG_TRANS_SUM_F64:
		case GPUAGG_TRANS_MIN_I64:
		case GPUAGG_TRANS_MAX_I64:
		case GPUAGG_TRANS_MIN_F64:
		case GPUAGG_TRANS_MAX_F64:
		case GPUAGG_TRANS_AND_I64:
		case GPUAGG_TRANS_OR_I64:
		case GPUAGG_TRANS_XOR_I64:
			return true;
		default:
			return false;
	}
}

/* May this be asked of groups of the program? */
GPUAGG_FN bool
gpuagg_ordered_check(const GpuAggOrdered *o, const GpuAggProgram *p)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	if (!gpuagg_ordered_asked(o))
		return true;
	if (o->nfractions > GPUAGG_ORDERED_FRACTIONS || o->mode > GPUAGG_MODE_LAST ||
		(o->nfractions > 0 && o->mode != GPUAGG_MODE_NONE) || p->select || o->key >= p->nkeys ||
		o->count >= p->ntransitions || trans[o->count].op != GPUAGG_TRANS_COUNT ||
		gpuagg_key_class(gpuagg_program_keys(p)[o->key].type) == GPUAGG_CLASS_BYTES)
		return false;
	for (uint32_t i = 0; i < o->nfractions; i++)
		if (!(o->fractions[i].fraction >= 0 && o->fractions[i].fraction <= 1) ||
			o->fractions[i].discrete > 1 || o->fractions[i].descending > 1)
			return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (!gpuagg_ordered_merges(trans[i].op))
			return false;
	return true;
}

#endif							/* GPUAGG_DEVICE_OPS_ORDERED_ROW_H */
