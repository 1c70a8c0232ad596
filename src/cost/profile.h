/*
 * profile.h
 *		The measured profile of the device that runs tasks, as the planner
 *		uses it.
 */
#ifndef GPUAGG_COST_PROFILE_H
#define GPUAGG_COST_PROFILE_H

#include "postgres.h"

#include "cost/predict.h"

typedef enum GpuAggProfileOrigin
{
	GPUAGG_PROFILE_BUILTIN,		/* no row fits: constants of the code */
	GPUAGG_PROFILE_GENERIC,		/* shipped, for any device of its kind */
	GPUAGG_PROFILE_SHIPPED,		/* shipped, for this device */
	GPUAGG_PROFILE_MEASURED,	/* by gpuagg.calibrate() */
	GPUAGG_PROFILE_EDITED		/* by hand, whatever it was before */
} GpuAggProfileOrigin;

typedef struct GpuAggProfile
{
	int			id;				/* of gpuagg.profile; 0: none */
	GpuAggProfileOrigin origin;
	int			elsewhere;		/* the newest that would serve, but that it was
								 * measured on another machine; 0: none */
	GpuAggRates rates;
} GpuAggProfile;

/*
 * The newest profile of a device at work, made on this machine: of this card itself, else of
 * one of the same name; else what was shipped for it, or for its kind.  Kept until one of the
 * tables changes or another device takes over; reads them, if need be, with the catalog
 * snapshot and without asking for privileges.  Never NULL; do not free.
 */
extern const GpuAggProfile *gpuagg_profile_get(int device);

/*
 * What a process takes that hands over pages beside the backend, where the profile does not tell:
 * what PostgreSQL charges for all of a Gather's together.
 */
extern void gpuagg_profile_feeder_rates(GpuAggRates *rates);

/* gpuagg_profile_get of the device that plans count on (ipc/shmem.h) */
extern const GpuAggProfile *gpuagg_profile_planned(void);

/* A device that there is not, for gpuagg.what_if(); 0: as the device in use */
typedef struct GpuAggImagined
{
	int			profile;		/* of gpuagg.profile: its rates, of whatever machine */
	int			units;			/* multiprocessors, or threads */
	double		bandwidth;		/* of its memory, bytes a second */
	double		memory;			/* bytes of it */
} GpuAggImagined;

/*
 * Until further notice gpuagg_profile_get(), of whatever device, tells of that one; NULL: no more.
 * Returns what was imagined before, so that it can be set again, also after an error.
 * An ERROR if there is no such profile, or it is of a device of another kind.
 */
extern const GpuAggImagined *gpuagg_profile_imagine(const GpuAggImagined *device);

/* Bytes of memory of the imagined device; 0: as many as the device in use has */
extern double gpuagg_profile_memory(void);

/* "measured", "shipped", "edited", ... */
extern const char *gpuagg_profile_origin(const GpuAggProfile *profile);

#endif							/* GPUAGG_COST_PROFILE_H */
