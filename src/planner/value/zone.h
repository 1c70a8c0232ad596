/*
 * zone.h
 *		Time zones as devices see them: tables of offsets.
 */
#ifndef GPUAGG_PLANNER_ZONE_H
#define GPUAGG_PLANNER_ZONE_H

#include "postgres.h"

/* How the value of a runtime constant names a zone */
typedef enum GpuAggZoneName
{
	GPUAGG_ZONE_NONE,			/* it is no zone's name */
	GPUAGG_ZONE_SETTING,		/* a value of TimeZone */
	GPUAGG_ZONE_ARGUMENT,		/* what AT TIME ZONE is given */
	GPUAGG_ZONE_ENUM,			/* no zone: an enum, whose order is asked for */
	GPUAGG_ZONE_LIST,			/* no zone: an array, as a table of its values (list_table.h) */
	GPUAGG_ZONE_LIST_FILLED,	/* no zone: has the array any element? */
	GPUAGG_ZONE_LIST_NULL		/* no zone: NULL if an element of the array is, or the array itself;
								 * else false */
} GpuAggZoneName;

/*
 * May AT TIME ZONE be given this by name, as a zone of the time zone database without leap seconds?
 */
extern bool gpuagg_zone_is_full_name(const char *name);

/*
 * The zone's table (device/ops/ops_zone.h) and its bytes; none, and so left to
 * PostgreSQL, if there is no such zone.  It stays until another zone's is
 * asked for.
 */
extern const char *gpuagg_zone_table(const char *name, GpuAggZoneName kind, uint32 *bytes);

#endif							/* GPUAGG_PLANNER_ZONE_H */
