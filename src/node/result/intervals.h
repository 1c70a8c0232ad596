/*
 * intervals.h
 *		Intervals, and texts of moments, of what devices found for a group.
 */
#ifndef GPUAGG_NODE_INTERVALS_H
#define GPUAGG_NODE_INTERVALS_H

#include "postgres.h"

#include "nodes/primnodes.h"
#include "utils/timestamp.h"

/* Of a span or a code, by its GpuAggType; NULL: it is of another type */
extern Interval *gpuagg_interval_fill(uint8 type, int64 v, Interval *room);

/*
 * n sums (GPUAGG_INTERVAL_SUM_...), as they lie in a group's row.  Could none of them
 * have been out of range on the way?  And what they make.
 */
extern bool gpuagg_interval_sums_fit(const char *states, int n);
extern Datum gpuagg_interval_sum(const char *states, int n, Interval *room);
extern Datum gpuagg_interval_average(const char *states, int n, int64 count, Interval *room);

/* What makes the text of a key */
typedef struct GpuAggTextForm
{
	Datum		pattern;		/* to_char's second argument. */
	Oid			collation;
	bool		date;			/* The key is a date, else a timestamp. */
} GpuAggTextForm;

/* to_char(...), an expression of custom_scan_tlist; the pattern is the expression's. */
extern void gpuagg_text_form(GpuAggTextForm *form, const Expr *to_char, bool date);

/* Do texts and keys determine each other here?  And the text, palloc'd. */
extern bool gpuagg_text_is_distinct(const GpuAggTextForm *form, const char *slot);
extern Datum gpuagg_text_of_key(const GpuAggTextForm *form, const char *slot);

#endif							/* GPUAGG_NODE_INTERVALS_H */
