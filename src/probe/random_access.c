/*
 * random_access.c
 *		The random-access curve: rate against the size of the region.
 *
 * Points are half an octave apart, the largest is all of the session's
 * memory.  The whole curve is measured several times over, so that a burst of
 * other work meets a point once.
 */
#include <math.h>
#include <stdlib.h>

#include "probe/random_access.h"

#define REPEATS 3
#define SIZE_ALIGN (64 * GPUAGG_KIB)

typedef double RandomRates[GPUAGG_MAX_RANDOM_POINTS][GPUAGG_NRANDOMS][REPEATS];

uint32_t
gpuagg_random_sizes(uint64_t most, uint64_t sizes[GPUAGG_MAX_RANDOM_POINTS])
{
	uint32_t	n = 0;

	most -= most % SIZE_ALIGN;
	for (uint32_t half = 0; n + 1 < GPUAGG_MAX_RANDOM_POINTS; half++)
	{
		uint64_t	bytes = (uint64_t) ((double) GPUAGG_MIB * exp2(half / 2.0));

		bytes -= bytes % SIZE_ALIGN;
		/* the last one may not be nearer than a quarter of an octave */
		if ((double) bytes * 1.19 > (double) most)
			break;
		sizes[n++] = bytes;
	}
	if (most > 0)
		sizes[n++] = most;
	return n;
}

static GpuAggStatus
measure_point(GpuAggProbeSession *session, uint64_t bytes, uint32_t repeat,
			  double rates[GPUAGG_NRANDOMS][REPEATS])
{
	for (uint32_t kind = 0; kind < GPUAGG_NRANDOMS; kind++)
	{
		GpuAggStatus status = gpuagg_probe_cancelled(session);

		rates[kind][repeat] = 0;
		if (status == GPUAGG_OK)
			status = session->ops->random(session->probe, kind, bytes,
										  &rates[kind][repeat], session->error);
		if (status != GPUAGG_OK && status != GPUAGG_UNSUPPORTED)
			return status;
	}
	return GPUAGG_OK;
}

static void
report(GpuAggProbeResult *result, const uint64_t *sizes, uint32_t npoints,
	   RandomRates rates, uint32_t nrepeats)
{
	result->npoints = npoints;
	for (uint32_t i = 0; i < npoints; i++)
	{
		GpuAggRandomPoint *point = &result->points[i];

		point->bytes = sizes[i];
		for (uint32_t kind = 0; kind < GPUAGG_NRANDOMS; kind++)
		{
			point->rate[kind] = gpuagg_stat_median(rates[i][kind], nrepeats);
			point->spread[kind] = gpuagg_stat_spread(rates[i][kind], nrepeats);
		}
	}
}

static GpuAggStatus
measure(GpuAggProbeSession *session, RandomRates rates)
{
	uint64_t	sizes[GPUAGG_MAX_RANDOM_POINTS];
	uint32_t	npoints = gpuagg_random_sizes(session->machine.bytes, sizes);

	for (uint32_t r = 0; r < REPEATS; r++)
	{
		for (uint32_t i = 0; i < npoints; i++)
		{
			GpuAggStatus status = measure_point(session, sizes[i], r, rates[i]);

			if (status != GPUAGG_OK)
				return status;
			gpuagg_probe_progress(session, (r + (double) i / npoints) / REPEATS);
			/* twice at least, or there is no spread; the first time is the
			 * longest, for memory is taken as it is needed */
			if (r != 1 && gpuagg_probe_expired(session) &&
				(r > 0 || i + 1 < npoints))
			{
				if (r == 0)
					report(session->result, sizes, i + 1, rates, 1);
				return GPUAGG_OK;
			}
		}
		report(session->result, sizes, npoints, rates, r + 1);
	}
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_random_probe(GpuAggProbeSession *session)
{
	RandomRates *rates = calloc(1, sizeof(RandomRates));
	GpuAggStatus status;

	if (rates == NULL)
		return GPUAGG_OK;		/* nothing found */
	status = measure(session, *rates);
	free(rates);
	return status;
}
