/*
 * made.h
 *		Look-up tables that a device makes of columns that it keeps, and has in its
 *		memory until they are freed.
 *
 * A task whose config wishes so makes one of the rows that pass its filter.  Its program
 * has no transitions; its keys are columns that it loads: the table's keys, then the
 * table's other columns.  Rows with a NULL among the table's keys are left out.  Strings
 * are codes; but a key that is one, which has no other beside it, is its bytes.  Its input
 * are stripes; pages are kept where they name a stripe, and their rows are not in the table.  When
 * task_finish has answered, take() hands the table over; the task returns no groups.
 *
 * Columns behind the keys may be folded (GpuAggKey.fold): a row of the table then stands for all
 * rows of its keys, and has their number, or the sum, the least or the greatest of an integer.
 *
 * Keys of several columns are two words, made of up to GPUAGG_KEY_COLUMNS: a column's value, or
 * the number that it has in another table, made of the same rows before; or two of these that
 * have 32 bits.
 *
 * A program that looks rows up in such a table has its header and columns as the constant,
 * and the config says which table takes their place.
 */
#ifndef GPUAGG_DEVICE_MADE_H
#define GPUAGG_DEVICE_MADE_H

#include "stripe.h"

typedef struct GpuAggTask GpuAggTask;

/* Tables of one program, at most */
#define GPUAGG_MADE_TABLES 16

/* Columns that keys are made of, and how */
#define GPUAGG_KEY_COLUMNS 4
#define GPUAGG_KEY_NUMBERED 0x01	/* another table's row of the value is in its place */
#define GPUAGG_KEY_LOWER 0x02	/* half of the word whose upper half is the column before */

typedef struct GpuAggMakeWish
{
	uint32_t	nkeys;			/* of the program's keys, those of the table's; 0: no table is
								 * made */
	uint32_t	unique;			/* 1: rows with equal keys fail the task */
	uint64_t	seed;			/* as GpuAggLookup's */
	uint64_t	filters;		/* as GpuAggLookupShape's (ops/lookup_make.h) */
	uint8_t		forms[GPUAGG_KEY_COLUMNS];	/* of these keys: GPUAGG_KEY_... */
	uint64_t	helper_ids[GPUAGG_KEY_COLUMNS];	/* of a numbered key, the table that numbers it, as
												 * its client knows it */
	GpuAggMade *helpers[GPUAGG_KEY_COLUMNS];	/* of a numbered key, the table that numbers it, as
												 * the device knows it */
	GpuAggDictionary *const *dictionaries;	/* of the columns that are strings, by register;
											 * NULL: none is */
} GpuAggMakeWish;

/* Words of the table's keys; 0: there cannot be such a table */
static inline uint32_t
gpuagg_make_words(const GpuAggMakeWish *wish)
{
	uint32_t	words = 0;
	bool		formed = false;

	if (wish->nkeys > GPUAGG_KEY_COLUMNS)
		return 0;
	for (uint32_t i = 0; i < wish->nkeys; i++)
	{
		const bool	lower = (wish->forms[i] & GPUAGG_KEY_LOWER) != 0;

		if (lower && (i == 0 || (wish->forms[i - 1] & GPUAGG_KEY_LOWER) != 0))
			return 0;
		formed = formed || wish->forms[i] != 0;
		words += !lower;
	}
	return words > 2 || (formed && words != 2) ? 0 : words;
}

static inline bool
gpuagg_make_is_numbered(const GpuAggMakeWish *wish, uint32_t key)
{
	return key < wish->nkeys && key < GPUAGG_KEY_COLUMNS &&
		(wish->forms[key] & GPUAGG_KEY_NUMBERED) != 0;
}

/* Is the key a word's lower half, and no column of the table's own? */
static inline bool
gpuagg_make_is_lower(const GpuAggMakeWish *wish, uint32_t key)
{
	return key < wish->nkeys && key < GPUAGG_KEY_COLUMNS &&
		(wish->forms[key] & GPUAGG_KEY_LOWER) != 0;
}

/* Two halves, as programs that look up have them (planner/lower/lower_join_key.c) */
GPUAGG_FN int64_t
gpuagg_make_word(int64_t high, int64_t low)
{
	return (int64_t) ((uint64_t) high << 32 | (uint32_t) low);
}

/* Tables that take the places of constants */
typedef struct GpuAggMadeTables
{
	uint32_t	n;
	uint16_t	constants[GPUAGG_MADE_TABLES];	/* by number */
	GpuAggMade *tables[GPUAGG_MADE_TABLES];
} GpuAggMadeTables;

typedef struct GpuAggMadeOps
{
	/* Of a task that has finished, once.  The table outlives the task. */
	GpuAggStatus (*take) (GpuAggTask *task, GpuAggMade **made, GpuAggError *error);

	/* Its header and columns (ops/ops_lookup.h), as long as it lives */
	const struct GpuAggLookup *(*head) (const GpuAggMade *made);

	/* No task uses it. */
	void		(*free) (GpuAggMade *made);
} GpuAggMadeOps;

#endif							/* GPUAGG_DEVICE_MADE_H */
