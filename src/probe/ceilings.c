/*
 * ceilings.c
 *		What a device does at most, its kernels, and the host's access patterns
 *		and threads.
 *
 * All ceilings are measured in turn, and then again.  The same work at the same
 * place takes the same time on a device that does nothing else: repeats of many
 * ceilings that lie apart say that it is busy.  Whatever disturbs a repeat makes it
 * slower, so the best one is nearest to what the device does at most.
 */
#include <math.h>

#include "probe/ceilings.h"

#define CEILING_REPEATS 5
#define PATTERN_REPEATS 3
#define THREAD_REPEATS 3

/*
 * Spread of repeats from which a device is called busy, if more than a third of
 * the ceilings have it.  Clocks that change and caches that are warm explain
 * some 10 %; and one or another may always meet an interrupt, or a page fault
 * that takes its time.
 */
#define BUSY_SPREAD 0.25
#define BUSY_SHARE 3

double
gpuagg_ceilings_spread(const double *ceiling, const double *spread)
{
	double		known[GPUAGG_NCEILINGS];
	uint32_t	n = 0;

	for (uint32_t c = 0; c < GPUAGG_NCEILINGS; c++)
	{
		uint32_t	at = n;

		if (ceiling[c] <= 0)
			continue;
		for (n++; at > 0 && known[at - 1] < spread[c]; at--)
			known[at] = known[at - 1];
		known[at] = spread[c];	/* the largest first */
	}
	return n > 0 ? known[n / BUSY_SHARE] : 0;
}

static GpuAggStatus
measure_ceilings(GpuAggProbeSession *session, uint32_t repeat,
				 double values[GPUAGG_NCEILINGS][CEILING_REPEATS])
{
	for (uint32_t c = 0; c < GPUAGG_NCEILINGS; c++)
	{
		GpuAggStatus status = gpuagg_probe_cancelled(session);

		if (status == GPUAGG_OK)
			status = session->ops->ceiling(session->probe, c,
										   &values[c][repeat], session->error);
		if (status == GPUAGG_UNSUPPORTED)
			values[c][repeat] = 0;
		else if (status != GPUAGG_OK)
			return status;
		gpuagg_probe_progress(session,
							  (repeat + (double) (c + 1) / GPUAGG_NCEILINGS) /
							  CEILING_REPEATS);
	}
	return GPUAGG_OK;
}

static double
best_repeat(GpuAggCeiling ceiling, const double *values, uint32_t n)
{
	double		best = values[0];

	for (uint32_t i = 1; i < n; i++)
		best = ceiling == GPUAGG_CEILING_LAUNCH ? fmin(best, values[i]) :
			fmax(best, values[i]);
	return best;
}

/* Twice at least, whatever the time, or there is no spread */
GpuAggStatus
gpuagg_ceilings_probe(GpuAggProbeSession *session)
{
	GpuAggProbeResult *result = session->result;
	double		values[GPUAGG_NCEILINGS][CEILING_REPEATS];
	uint32_t	nrepeats = 0;

	do
	{
		GpuAggStatus status = measure_ceilings(session, nrepeats, values);

		if (status != GPUAGG_OK)
			return status;
		nrepeats++;
	}
	while (nrepeats < 2 ||
		   (nrepeats < CEILING_REPEATS && !gpuagg_probe_expired(session)));

	for (uint32_t c = 0; c < GPUAGG_NCEILINGS; c++)
	{
		result->ceiling[c] = best_repeat(c, values[c], nrepeats);
		result->ceiling_spread[c] = gpuagg_stat_spread(values[c], nrepeats);
	}
	result->spread = gpuagg_ceilings_spread(result->ceiling, result->ceiling_spread);
	result->busy = result->spread > BUSY_SPREAD;
	return GPUAGG_OK;
}

void
gpuagg_kernels_list(GpuAggProbeSession *session)
{
	GpuAggProbeResult *result = session->result;

	if (session->ops->unit_limits != NULL)
		session->ops->unit_limits(session->probe, &result->limits);
	while (session->ops->kernel != NULL &&
		   result->nkernels < GPUAGG_MAX_KERNELS &&
		   session->ops->kernel(session->probe, result->nkernels,
								&result->kernels[result->nkernels]))
		result->nkernels++;
}

/* UNSUPPORTED: this point is left out */
static GpuAggStatus
measure_pattern(GpuAggProbeSession *session, GpuAggHostPattern *pattern)
{
	double		ns[PATTERN_REPEATS];

	for (uint32_t r = 0; r < PATTERN_REPEATS; r++)
	{
		GpuAggStatus status = gpuagg_probe_cancelled(session);

		if (status == GPUAGG_OK)
			status = session->ops->pattern(session->probe, pattern->words,
										   pattern->bytes, pattern->huge != 0,
										   &ns[r], session->error);
		if (status != GPUAGG_OK)
			return status;
	}
	pattern->ns = gpuagg_stat_median(ns, PATTERN_REPEATS);
	return GPUAGG_OK;
}

/* Within a second-level cache, beyond it, beyond the last one, all memory */
GpuAggStatus
gpuagg_patterns_probe(GpuAggProbeSession *session)
{
	GpuAggProbeResult *result = session->result;
	const uint64_t sizes[] = {
		256 * GPUAGG_KIB, 8 * GPUAGG_MIB, 64 * GPUAGG_MIB,
		session->machine.bytes
	};
	uint32_t	last = session->machine.bytes > sizes[2] ? 4 : 3;

	if (session->ops->pattern == NULL)
		return GPUAGG_OK;
	for (uint32_t i = 0; i < last * 8; i++)
	{
		GpuAggHostPattern pattern = {
			.words = 1 + i % 4, .huge = i / 4 % 2, .bytes = sizes[i / 8]
		};
		GpuAggStatus status;

		if (gpuagg_probe_expired(session) || pattern.bytes > session->machine.bytes)
			return GPUAGG_OK;
		status = measure_pattern(session, &pattern);
		if (status == GPUAGG_OK)
			result->patterns[result->npatterns++] = pattern;
		else if (status != GPUAGG_UNSUPPORTED)
			return status;
		gpuagg_probe_progress(session, (i + 1.0) / (last * 8));
	}
	return GPUAGG_OK;
}

static GpuAggStatus
measure_threads(GpuAggProbeSession *session, uint32_t threads)
{
	GpuAggProbeResult *result = session->result;
	double		rates[THREAD_REPEATS] = {0};

	for (uint32_t r = 0; r < THREAD_REPEATS; r++)
	{
		GpuAggStatus status = gpuagg_probe_cancelled(session);

		if (status == GPUAGG_OK)
			status = session->ops->threads(session->probe, threads, &rates[r],
										   session->error);
		if (status != GPUAGG_OK)
			return status;
	}
	result->thread_points[result->nthreads].threads = threads;
	result->thread_points[result->nthreads++].rate =
		gpuagg_stat_median(rates, THREAD_REPEATS);
	return GPUAGG_OK;
}

/* 1, 2, 4 ... and as many as there are units */
GpuAggStatus
gpuagg_threads_probe(GpuAggProbeSession *session)
{
	uint32_t	units = session->machine.units;

	if (session->ops->threads == NULL)
		return GPUAGG_OK;
	for (uint32_t threads = 1; threads <= units &&
		 session->result->nthreads < GPUAGG_MAX_THREAD_POINTS;)
	{
		GpuAggStatus status = measure_threads(session, threads);

		if (status == GPUAGG_UNSUPPORTED || gpuagg_probe_expired(session))
			return GPUAGG_OK;
		if (status != GPUAGG_OK)
			return status;
		gpuagg_probe_progress(session, (double) threads / units);
		threads = threads < units && threads * 2 > units ? units : threads * 2;
	}
	return GPUAGG_OK;
}
