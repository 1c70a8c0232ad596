/*
 * sharing.c
 *		Which units share a TLB (Karnagel et al., Big Data causing Big (TLB)
 *		Problems, section 3.3).
 *
 * Two units read at random, each in a region of its own.  The last TLB level
 * holds one region, not both; so two units that share it slow each other down
 * (4 to 7 times on an H200) and others do not.  Unit 0 against all others gives
 * both modes of that, and the threshold between them.
 *
 * Sharing is an equivalence, so a unit is compared with one representative of
 * each group until one matches, or else begins a group.  A card's numbering
 * deals pairs of units to its groups in turn: the group of the unit before is
 * tried first, then the group after that one, and so on.
 */
#include <math.h>
#include <stdlib.h>

#include "probe/sharing.h"
#include "probe/stats.h"

/* A region's share of the reach: one fits with room for what else is mapped,
 * and two are well beyond it. */
#define REGION_SHARE 0.875
#define LEAST_SHARE 0.6

/* Slowdown of units that share, where all do or none does */
#define SLOWED 1.5

/* At a pair that seems to share */
#define LOOKS 3

/* So many times the usual slowdown by unit 0 stands out. */
#define STANDS_OUT 1.15

/* Units whose rate alone is measured */
#define ALONE_UNITS 8

#define PAGE_ALIGN (2 * GPUAGG_MIB)

typedef struct Sharing
{
	GpuAggProbeSession *session;
	uint64_t	bytes;			/* of a region */
	uint32_t	nunits;
	uint32_t	ngroups;
	double		threshold;		/* slowdown */
	double		alone;			/* rate */
	double		with_first[GPUAGG_MAX_UNITS];	/* slowdown by unit 0 */
	uint16_t	first[GPUAGG_MAX_UNITS];	/* a group's representative */
} Sharing;

static GpuAggStatus
pair_rate(Sharing *s, uint32_t unit, uint32_t other, double *rate)
{
	GpuAggProbeSession *session = s->session;
	GpuAggStatus status = gpuagg_probe_cancelled(session);

	if (status == GPUAGG_OK)
		status = session->ops->pair(session->probe, unit, other, 0, s->bytes,
									s->bytes, rate, session->error);
	return status;
}

/* How much `other` slows `unit` down */
static GpuAggStatus
slowdown(Sharing *s, uint32_t unit, uint32_t other, double *slowed)
{
	double		rate = 0;
	GpuAggStatus status = pair_rate(s, unit, other, &rate);

	*slowed = rate > 0 ? s->alone / rate : 1;
	return status;
}

/*
 * Units alone.  All are alike but for how far memory is; of two looks the better
 * one counts, for other work only slows down.
 */
static GpuAggStatus
measure_alone(Sharing *s)
{
	double		best[ALONE_UNITS];
	uint32_t	n = s->nunits < ALONE_UNITS ? s->nunits : ALONE_UNITS;

	for (uint32_t unit = 0; unit < n; unit++)
	{
		double		rate[2] = {0};
		GpuAggStatus status = pair_rate(s, unit, unit, &rate[0]);

		if (status == GPUAGG_OK)
			status = pair_rate(s, unit, unit, &rate[1]);
		if (status != GPUAGG_OK)
			return status;
		best[unit] = fmax(rate[0], rate[1]);
	}
	s->alone = gpuagg_stat_median(best, n);
	return GPUAGG_OK;
}

/* What stands out is looked at twice more, or a burst would be a mode. */
static GpuAggStatus
look_again(Sharing *s)
{
	double		median = gpuagg_stat_median(s->with_first + 1, s->nunits - 1);

	for (uint32_t unit = 1; unit < s->nunits; unit++)
	{
		for (int look = 0; look < 2; look++)
		{
			double		slowed = s->with_first[unit];
			GpuAggStatus status = slowed <= STANDS_OUT * median ? GPUAGG_OK :
				slowdown(s, unit, 0, &slowed);

			if (status != GPUAGG_OK)
				return status;
			s->with_first[unit] = fmin(s->with_first[unit], slowed);
		}
	}
	return GPUAGG_OK;
}

/* All units against unit 0 */
static GpuAggStatus
measure_first(Sharing *s)
{
	GpuAggStatus status = measure_alone(s);

	for (uint32_t unit = 1; unit < s->nunits; unit++)
	{
		if (status == GPUAGG_OK)
			status = slowdown(s, unit, 0, &s->with_first[unit]);
		if (status != GPUAGG_OK || gpuagg_probe_expired(s->session))
			return status;
		gpuagg_probe_point(s->session, GPUAGG_CURVE_SHARING, 0, unit,
						   s->with_first[unit]);
		gpuagg_probe_progress(s->session, 0.3 * (unit + 1) / s->nunits);
	}
	status = look_again(s);
	if (status != GPUAGG_OK)
		return status;
	if (!gpuagg_stat_two_modes(s->with_first + 1, s->nunits - 1, &s->threshold))
		s->threshold = SLOWED;
	return GPUAGG_OK;
}

/*
 * Does `unit` share with `other`?  Other work only slows down: what looks like
 * no sharing is none, and what looks like it is looked at again, for with many
 * pairs even two disturbed looks at one of them are likely.
 */
static GpuAggStatus
shares(Sharing *s, uint32_t unit, uint32_t other, bool *result)
{
	double		slowed = other == 0 ? s->with_first[unit] : INFINITY;

	for (int look = 0; look < LOOKS && slowed > s->threshold; look++)
	{
		double		now = 0;
		GpuAggStatus status = slowdown(s, unit, other, &now);

		if (status != GPUAGG_OK)
			return status;
		slowed = fmin(slowed, now);
	}
	if (other != 0)
		gpuagg_probe_point(s->session, GPUAGG_CURVE_SHARING, other, unit, slowed);
	*result = slowed > s->threshold;
	return GPUAGG_OK;
}

static GpuAggStatus
place(Sharing *s, uint32_t unit)
{
	uint16_t   *group = s->session->result->group;
	uint32_t	g = group[unit - 1];

	for (uint32_t tried = 0; tried < s->ngroups; tried++)
	{
		bool		same = false;
		GpuAggStatus status = shares(s, unit, s->first[g], &same);

		if (status != GPUAGG_OK)
			return status;
		if (same)
		{
			group[unit] = (uint16_t) g;
			return GPUAGG_OK;
		}
		g = (g + 1) % s->ngroups;
	}
	group[unit] = (uint16_t) s->ngroups;
	s->first[s->ngroups++] = (uint16_t) unit;
	return GPUAGG_OK;
}

static GpuAggStatus
probe_groups(Sharing *s)
{
	GpuAggStatus status = measure_first(s);

	s->ngroups = 1;
	for (uint32_t unit = 1; unit < s->nunits; unit++)
	{
		if (status != GPUAGG_OK || gpuagg_probe_expired(s->session))
			return status;
		status = place(s, unit);
		gpuagg_probe_progress(s->session, 0.3 + 0.7 * unit / s->nunits);
	}
	if (status == GPUAGG_OK)
		s->session->result->ngroups = s->ngroups;
	return status;
}

GpuAggStatus
gpuagg_sharing_probe(GpuAggProbeSession *session, uint64_t reach_bytes)
{
	uint64_t	bytes = (uint64_t) (REGION_SHARE * (double) reach_bytes);
	Sharing    *s;
	GpuAggStatus status;

	if (bytes > session->machine.bytes / 2)
		bytes = session->machine.bytes / 2;
	bytes -= bytes % PAGE_ALIGN;
	if (session->ops->pair == NULL || session->machine.units < 2 ||
		session->machine.units > GPUAGG_MAX_UNITS || reach_bytes == 0 ||
		(double) bytes < LEAST_SHARE * (double) reach_bytes)
		return GPUAGG_OK;
	s = calloc(1, sizeof(Sharing));
	if (s == NULL)
		return GPUAGG_OK;
	s->session = session;
	s->bytes = bytes;
	s->nunits = session->machine.units;
	status = probe_groups(s);
	free(s);

	/* units that other work keeps, or that are not to be had one by one */
	return status == GPUAGG_BUSY || status == GPUAGG_UNSUPPORTED ? GPUAGG_OK : status;
}
