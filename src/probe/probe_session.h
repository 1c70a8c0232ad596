/*
 * probe_session.h
 *		What the drivers of one probe session share.
 *
 * A driver returns a status other than OK only for what ends the session: the
 * device failed, or the session was cancelled.  What it could not find or had
 * no time for is left out of the result.
 */
#ifndef GPUAGG_PROBE_PROBE_SESSION_H
#define GPUAGG_PROBE_PROBE_SESSION_H

#include "device/probe.h"
#include "probe/pattern.h"

#define GPUAGG_KIB ((uint64_t) 1 << 10)
#define GPUAGG_MIB ((uint64_t) 1 << 20)
#define GPUAGG_GIB ((uint64_t) 1 << 30)

typedef struct GpuAggProbeSession
{
	const GpuAggProbeOps *ops;
	GpuAggProbe *probe;
	GpuAggProbeMachine machine;
	const volatile int *cancel;
	const GpuAggProbeObserver *observer;	/* NULL: nobody observes */
	GpuAggProbeResult *result;
	GpuAggError *error;
	int			effort;
	uint32_t	repeats;		/* of a measurement; <= GPUAGG_CURVE_REPEATS */
	bool		shuffle;		/* chases: hardware prefetches */
	const char *stage;
	double		stage_from;		/* shares of the whole, for progress */
	double		stage_to;
	double		deadline;		/* of the stage */
} GpuAggProbeSession;

/* Seconds of a clock that nobody sets */
extern double gpuagg_probe_now(void);

/* Is the stage's time over? */
extern bool gpuagg_probe_expired(const GpuAggProbeSession *session);

/* CANCELLED if so, else OK */
extern GpuAggStatus gpuagg_probe_cancelled(const GpuAggProbeSession *session);

/* Share of the stage that is done */
extern void gpuagg_probe_progress(const GpuAggProbeSession *session, double share);

extern void gpuagg_probe_point(const GpuAggProbeSession *session,
							   GpuAggCurve curve, uint64_t of, uint64_t x,
							   double y);

/*
 * One measurement of a chase, with rounds enough for a short one to be timed.
 * *y is what curves are made of: cycles, or ns where the device has none.
 */
extern GpuAggStatus gpuagg_probe_chase(const GpuAggProbeSession *session,
									   GpuAggChase chase, double *y,
									   double *ns);

/* Appends to the result, if there is room */
extern void gpuagg_probe_level(GpuAggProbeResult *result,
							   const GpuAggLevel *level);

#endif							/* GPUAGG_PROBE_PROBE_SESSION_H */
