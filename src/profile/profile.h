/*
 * profile.h
 *		The measured profile of the device that runs tasks, as the planner
 *		uses it.
 */
#ifndef GPUAGG_PROFILE_PROFILE_H
#define GPUAGG_PROFILE_PROFILE_H

#include "postgres.h"

#include "device/device.h"

typedef enum GpuAggProfileOrigin
{
	GPUAGG_PROFILE_BUILTIN,		/* no row fits: constants of the code */
	GPUAGG_PROFILE_GENERIC,		/* shipped, for any device of its kind */
	GPUAGG_PROFILE_SHIPPED,		/* shipped, for this device */
	GPUAGG_PROFILE_MEASURED		/* by gpuagg.calibrate(), or edited */
} GpuAggProfileOrigin;

/* Units as in gpuagg.profile and the tables behind it; 0: not known */
typedef struct GpuAggProfile
{
	int			id;				/* of gpuagg.profile; 0: none */
	GpuAggProfileOrigin origin;
	bool		gpu;
	int			units;
	double		memory_bytes;
	double		feed_page_ns;
	double		round_trip_ns;
	double		cost_unit_ns;
	double		ceiling[GPUAGG_NCEILINGS];
	int			nlevels;
	GpuAggLevel levels[GPUAGG_MAX_LEVELS];	/* by kind, then level */
	int			npoints;
	struct
	{
		double		bytes;
		double		rate[GPUAGG_NRANDOMS];
	}			points[GPUAGG_MAX_RANDOM_POINTS];	/* bytes ascending */
} GpuAggProfile;

/*
 * The newest profile of the device that runs tasks now, else what was shipped
 * for it, or for its kind.  Kept until one of the tables changes or another
 * device takes over; reads them, if need be, with the catalog snapshot and
 * without asking for privileges.  Never NULL; do not free.
 */
extern const GpuAggProfile *gpuagg_profile_get(void);

/* "measured", "shipped", ... */
extern const char *gpuagg_profile_origin(const GpuAggProfile *profile);

/*
 * Random accesses a second in a region, between the measured points linear in
 * its logarithm, beyond them as at the last one.  0: not known.
 */
extern double gpuagg_profile_random(const GpuAggProfile *profile,
									GpuAggRandomKind kind, double bytes);

#endif							/* GPUAGG_PROFILE_PROFILE_H */
