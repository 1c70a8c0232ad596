/*
 * sharing.c
 *		Which units share a TLB (paper 000, section 3.3).
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

#include "device/probe/sharing.h"
#include "device/probe/stats.h"

/* A region's share of the reach: one fits with room for what else is mapped,
 * and two are well beyond it. */
#define REGION_SHARE 0.875
#define LEAST_SHARE 0.6

/* Slowdown of units that share, where all do or none does */
#define SLOWED 1.5

/* A slowdown this near to the threshold is measured again. */
#define DOUBTFUL 1.25
#define PAIR_REPEATS 5

#define PAGE_ALIGN (2 * GPUAGG_MIB)

typedef struct Sharing
{
	GpuAggProbeSession *session;
	uint64_t	bytes;			/* of a region */
	uint32_t	nunits;
	uint32_t	ngroups;
	double		threshold;		/* slowdown */
	double		alone[GPUAGG_MAX_UNITS];	/* rate */
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

	*slowed = rate > 0 ? s->alone[unit] / rate : 1;
	return status;
}

/* The better of two, for other work only slows down */
static GpuAggStatus
measure_alone(Sharing *s, uint32_t unit)
{
	double		rate[2] = {0};
	GpuAggStatus status = pair_rate(s, unit, unit, &rate[0]);

	if (status == GPUAGG_OK)
		status = pair_rate(s, unit, unit, &rate[1]);
	s->alone[unit] = fmax(rate[0], rate[1]);
	return status;
}

/* All units alone, and against unit 0 */
static GpuAggStatus
measure_first(Sharing *s)
{
	for (uint32_t unit = 0; unit < s->nunits; unit++)
	{
		GpuAggStatus status = measure_alone(s, unit);

		if (status == GPUAGG_OK && unit > 0)
			status = slowdown(s, unit, 0, &s->with_first[unit]);
		if (status != GPUAGG_OK || gpuagg_probe_expired(s->session))
			return status;
		gpuagg_probe_point(s->session, GPUAGG_CURVE_SHARING, 0, unit,
						   unit > 0 ? s->with_first[unit] : 1);
		gpuagg_probe_progress(s->session, 0.3 * (unit + 1) / s->nunits);
	}
	if (!gpuagg_stat_two_modes(s->with_first + 1, s->nunits - 1, &s->threshold))
		s->threshold = SLOWED;
	return GPUAGG_OK;
}

static bool
is_doubtful(const Sharing *s, double slowed)
{
	return fabs(log(slowed / s->threshold)) < log(DOUBTFUL);
}

/*
 * How often to look, after n looks: other work only slows down, so that what
 * looks like no sharing is none, and what looks like it is looked at again.
 */
static uint32_t
looks_wanted(const Sharing *s, const double *slowed, uint32_t n)
{
	if (n == 0)
		return 1;
	if (is_doubtful(s, slowed[0]))
		return PAIR_REPEATS;
	if (slowed[0] <= s->threshold)
		return 1;
	return n < 2 || slowed[1] > s->threshold ? 2 : 3;
}

/* Does `unit` share with `other`? */
static GpuAggStatus
shares(Sharing *s, uint32_t unit, uint32_t other, bool *result)
{
	double		slowed[PAIR_REPEATS] = {s->with_first[unit]};
	uint32_t	n = other == 0 ? 1 : 0;
	double		median;

	while (n < looks_wanted(s, slowed, n))
	{
		GpuAggStatus status = slowdown(s, unit, other, &slowed[n++]);

		if (status != GPUAGG_OK)
			return status;
	}
	median = gpuagg_stat_median(slowed, n);
	if (other != 0)
		gpuagg_probe_point(s->session, GPUAGG_CURVE_SHARING, other, unit, median);
	*result = median > s->threshold;
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
	return status;
}
