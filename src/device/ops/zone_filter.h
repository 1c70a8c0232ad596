/*
 * zone_filter.h
 *		What a program's filter says of all rows of a zone (device/stripe.h), from
 *		what the zone knows of its columns.
 *
 * The filter's instructions run over sets of values (value_set.h).  Each result
 * holds at least what eval.h could make of any row, so the verdict is never
 * contradicted by a row: one that would raise an error makes it MAYBE.
 *
 * Pure functions; for the host only.
 */
#ifndef GPUAGG_DEVICE_OPS_ZONE_FILTER_H
#define GPUAGG_DEVICE_OPS_ZONE_FILTER_H

#include "device/ops/value_set.h"
#include "device/stripe.h"

typedef enum GpuAggVerdict
{
	GPUAGG_VERDICT_MAYBE,		/* nothing is known */
	GPUAGG_VERDICT_NONE,		/* no row passes, and none raises an error */
	GPUAGG_VERDICT_ALL			/* all rows pass */
} GpuAggVerdict;

typedef struct GpuAggZoneFilter
{
	const GpuAggProgram *program;
	GpuAggSetLogic logic;
	bool		uses[GPUAGG_MAX_REGS];	/* loaded columns that the filter asks for */
	bool		ranges[GPUAGG_MAX_REGS];	/* loaded columns of which it matters between what they
											 * lie */
	GpuAggValueSet set[GPUAGG_MAX_REGS];
	bool		known;			/* `verdict` is that of the columns' sets as they are */
	GpuAggVerdict verdict;
} GpuAggZoneFilter;

/* The program must outlive it. */
extern void gpuagg_zone_filter_init(GpuAggZoneFilter *filter, const GpuAggProgram *program);

/* columns: the zone of each loaded column, by register; of used ones only */
extern GpuAggVerdict gpuagg_zone_filter(GpuAggZoneFilter *filter, const GpuAggZone *const *columns);

#endif							/* GPUAGG_DEVICE_OPS_ZONE_FILTER_H */
