/*
 * probe_session.c
 *		What the drivers of one probe session share.
 */
#include <stdio.h>
#include <time.h>

#include "probe/probe_session.h"

/* Accesses to time, at least: a timer's grain and a launch are nothing to it. */
#define MIN_ACCESSES 4096

double
gpuagg_probe_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

bool
gpuagg_probe_expired(const GpuAggProbeSession *session)
{
	return gpuagg_probe_now() >= session->deadline;
}

GpuAggStatus
gpuagg_probe_cancelled(const GpuAggProbeSession *session)
{
	if (!*session->cancel)
		return GPUAGG_OK;
	session->error->status = GPUAGG_CANCELLED;
	snprintf(session->error->message, sizeof(session->error->message),
			 "measuring the device was cancelled");
	return GPUAGG_CANCELLED;
}

void
gpuagg_probe_progress(const GpuAggProbeSession *session, double share)
{
	const GpuAggProbeObserver *observer = session->observer;

	if (observer != NULL && observer->progress != NULL)
		observer->progress(observer->context, session->stage,
						   session->stage_from + share *
						   (session->stage_to - session->stage_from));
}

void
gpuagg_probe_point(const GpuAggProbeSession *session, GpuAggCurve curve,
				   uint64_t of, uint64_t x, double y)
{
	const GpuAggProbeObserver *observer = session->observer;
	GpuAggCurvePoint point = {.curve = curve, .of = of, .x = x, .y = y};

	if (observer != NULL && observer->point != NULL)
		observer->point(observer->context, &point);
}

GpuAggStatus
gpuagg_probe_chase(const GpuAggProbeSession *session, GpuAggChase chase,
				   double *y, double *ns)
{
	GpuAggChaseTime time = {0};
	GpuAggStatus status = gpuagg_probe_cancelled(session);

	if (status != GPUAGG_OK)
		return status;
	chase.rounds = (uint32_t) ((MIN_ACCESSES + chase.count - 1) / chase.count);
	status = session->ops->chase(session->probe, &chase, &time, session->error);
	if (status != GPUAGG_OK)
		return status;
	*ns = time.ns;
	*y = time.cycles > 0 ? time.cycles : time.ns;
	return GPUAGG_OK;
}

void
gpuagg_probe_level(GpuAggProbeResult *result, const GpuAggLevel *level)
{
	if (result->nlevels < GPUAGG_MAX_LEVELS)
		result->levels[result->nlevels++] = *level;
}
