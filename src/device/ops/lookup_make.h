/*
 * lookup_make.h
 *		Makes look-up tables (ops_lookup.h), and checks those of others.
 */
#ifndef GPUAGG_DEVICE_OPS_LOOKUP_MAKE_H
#define GPUAGG_DEVICE_OPS_LOOKUP_MAKE_H

#include "device/program.h"
#include "ops_lookup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of all rows: int64_t, double or GpuAggBytes; nulls may be NULL */
typedef struct GpuAggLookupSource
{
	GpuAggClass cls;
	const void *values;
	const uint8_t *nulls;		/* 1: NULL */
} GpuAggLookupSource;

typedef struct GpuAggLookupRows
{
	uint64_t	nrows;
	uint32_t	nkeys;			/* integers, or one string; none is NULL */
	uint32_t	ncolumns;
	const GpuAggLookupSource *columns;	/* keys first */
	uint64_t	seed;
	uint64_t	filters;		/* as GpuAggLookupShape's */
	const GpuAggFold *folds;	/* of columns, but for keys; all but COUNT: of integers.  NULL: none
								 * is folded */
} GpuAggLookupRows;

/* What decides how a table lies in its block */
typedef struct GpuAggLookupShape
{
	uint64_t	nrows;			/* at most */
	uint64_t	seed;
	uint32_t	nkeys;
	uint32_t	ncolumns;
	int64_t		first;			/* of one integer key: bounds of its values */
	int64_t		last;			/* less: there are none */
	uint64_t	strings;		/* bytes of all */
	uint64_t	filters;		/* numbers of slots, each a power of two, of tables that
								 * are to have a filter */
	GpuAggLookupColumn columns[GPUAGG_LOOKUP_MAX_COLUMNS];	/* keys first: classes,
															 * widths, bounds; nulls 1:
															 * there may be some */
} GpuAggLookupShape;

/*
 * Is one integer key, whose last value less the first is that span, found by bits?  Else, as other
 * keys are, by slots: how many
 */
extern bool gpuagg_lookup_by_bits(uint64_t nrows, uint64_t span);
extern uint64_t gpuagg_lookup_slots(uint64_t nrows);

/*
 * Lays a table out: *head, and its columns behind the header.  Returns where its strings
 * begin, which are the last; 0: too large for its offsets.
 */
extern uint64_t gpuagg_lookup_lay_out(const GpuAggLookupShape *shape, GpuAggLookup *head,
									  GpuAggLookupColumn *columns);

/* How large the table will be; 0: too large for its offsets, or a sum for its column */
extern uint64_t gpuagg_lookup_bytes_needed(const GpuAggLookupRows *rows);

/*
 * Makes the table in a zeroed block of so many bytes.  Of rows with equal keys one
 * is kept, but for columns that are folded; returns whether there were none.
 */
extern bool gpuagg_lookup_make(const GpuAggLookupRows *rows, void *block, uint64_t bytes);

/* Is this a look-up table, aligned to 8 bytes, whose header leads nowhere else? */
extern bool gpuagg_lookup_is_sound(const void *block, uint64_t bytes);

/* Are such its keys? */
extern bool gpuagg_lookup_has_keys(const void *block, uint32_t nkeys, GpuAggClass cls);

/* Does it have column i, keys not counted, of that class? */
extern bool gpuagg_lookup_has_column(const void *block, int32_t i, GpuAggClass cls);

/*
 * Bytes of the program before its tables, with all else that it has; all of it, if
 * that lies otherwise.
 */
extern uint32_t gpuagg_program_head_bytes(const GpuAggProgram *p);

/* The look-up table that a constant is, by its number; NULL: it is none, or NULL */
extern const GpuAggLookup *gpuagg_program_table(const GpuAggProgram *p, uint32_t constant);

/* Does the program look anything up? */
extern bool gpuagg_program_looks_up(const GpuAggProgram *p);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_OPS_LOOKUP_MAKE_H */
