/*
 * zone_filter.h
 *		What a program's filter says of all rows of a zone (device/stripe.h), from
 *		what the zone knows of its columns.
 *
 * The filter's instructions run over sets of values: an interval, and whether
 * NULL or an error may come.  Each result holds at least what eval.h could
 * make of any row, so the verdict is never contradicted by a row: one that
 * would raise an error makes it MAYBE.
 *
 * Pure functions; for the host only.
 */
#ifndef GPUAGG_DEVICE_OPS_ZONE_FILTER_H
#define GPUAGG_DEVICE_OPS_ZONE_FILTER_H

#include "device/program.h"
#include "device/stripe.h"

typedef enum GpuAggVerdict
{
	GPUAGG_VERDICT_MAYBE,		/* nothing is known */
	GPUAGG_VERDICT_NONE,		/* no row passes, and none raises an error */
	GPUAGG_VERDICT_ALL			/* all rows pass */
} GpuAggVerdict;

/* What a register may hold: states, and values between low and high */
#define GPUAGG_MAY_VALUE 1
#define GPUAGG_MAY_NULL 2
#define GPUAGG_MAY_ERROR 4

typedef struct GpuAggRegisterSet
{
	uint8_t		may;
	int64_t		low;			/* of an F64 by gpuagg_f64_order(), -0 as 0; of BYTES */
	int64_t		high;			/* nothing is known */
} GpuAggRegisterSet;

/* false, true, NULL, an error: what conditions are to AND and OR */
#define GPUAGG_ZONE_KINDS 4

typedef struct GpuAggZoneFilter
{
	const GpuAggProgram *program;
	/* of a kind with others (a bit for each): which the answer may be */
	uint8_t		and_kinds[GPUAGG_ZONE_KINDS][1 << GPUAGG_ZONE_KINDS];
	uint8_t		or_kinds[GPUAGG_ZONE_KINDS][1 << GPUAGG_ZONE_KINDS];
	bool		uses[GPUAGG_MAX_REGS];	/* loaded columns that the filter asks for, */
	bool		ranges[GPUAGG_MAX_REGS];	/* and of which it matters between what they lie */
	GpuAggRegisterSet set[GPUAGG_MAX_REGS];
	bool		known;			/* what it says of the columns' sets as they are: */
	GpuAggVerdict verdict;
} GpuAggZoneFilter;

/* The program must outlive it. */
extern void gpuagg_zone_filter_init(GpuAggZoneFilter *filter, const GpuAggProgram *program);

/* columns: the zone of each loaded column, by register; of used ones only */
extern GpuAggVerdict gpuagg_zone_filter(GpuAggZoneFilter *filter, const GpuAggZone *const *columns);

#endif							/* GPUAGG_DEVICE_OPS_ZONE_FILTER_H */
