/*
 * probe_run.c
 *		One probe session, from taking its memory to giving it back.
 *
 * Stages run one after the other, each within its share of the time; what a
 * stage does not use goes to the next ones.  Caches come first, because the
 * TLB's chases must fit in them, then TLB levels, because sharing is measured
 * at the last one's reach.
 */
#include "probe/cache_levels.h"
#include "probe/ceilings.h"
#include "probe/probe_run.h"
#include "probe/random_access.h"
#include "probe/sharing.h"
#include "probe/tlb.h"

#define NEFFORTS 3

/*
 * By effort: seconds, repeats of a chase, memory (0: what the limits allow).
 * Less than what is promised (5, 40, 90 s on the host; 90 s on a GPU at normal
 * effort), for a measurement under way is finished.  Devices whose units differ
 * have more to measure.
 */
static const struct
{
	double		seconds;
	double		unit_seconds;	/* where units differ */
	uint32_t	repeats;
	uint64_t	bytes;
}			efforts[NEFFORTS] = {
	{4, 8, 3, 512 * GPUAGG_MIB},
	{34, 75, 5, 0},
	{80, 150, 7, 0}
};

/* Of the time, taking memory and giving it back included */
#define WORKING_SHARE 0.9

/* What stages tell each other */
typedef struct Found
{
	uint64_t	cache_bytes;
} Found;

static GpuAggStatus
run_cache(GpuAggProbeSession *session, Found *found)
{
	GpuAggStatus status = gpuagg_cache_probe(session, &found->cache_bytes);

	if (session->machine.cache_bytes != 0)
		found->cache_bytes = session->machine.cache_bytes;
	return status;
}

static GpuAggStatus
run_tlb(GpuAggProbeSession *session, Found *found)
{
	return gpuagg_tlb_probe(session, found->cache_bytes, false);
}

/* A GPU's memory has no other pages. */
static GpuAggStatus
run_huge_tlb(GpuAggProbeSession *session, Found *found)
{
	return session->shuffle ?
		gpuagg_tlb_probe(session, found->cache_bytes, true) : GPUAGG_OK;
}

static GpuAggStatus
run_sharing(GpuAggProbeSession *session, Found *found)
{
	const GpuAggProbeResult *result = session->result;
	uint64_t	reach = 0;

	(void) found;
	for (uint32_t i = 0; i < result->nlevels; i++)
		if (result->levels[i].kind == GPUAGG_LEVEL_TLB &&
			result->levels[i].reach_bytes > reach)
			reach = result->levels[i].reach_bytes;
	return gpuagg_sharing_probe(session, reach);
}

static GpuAggStatus
run_random(GpuAggProbeSession *session, Found *found)
{
	(void) found;
	return gpuagg_random_probe(session);
}

static GpuAggStatus
run_ceilings(GpuAggProbeSession *session, Found *found)
{
	(void) found;
	gpuagg_kernels_list(session);
	return gpuagg_ceilings_probe(session);
}

static GpuAggStatus
run_host(GpuAggProbeSession *session, Found *found)
{
	GpuAggStatus status = gpuagg_threads_probe(session);

	(void) found;
	return status == GPUAGG_OK ? gpuagg_patterns_probe(session) : status;
}

/* Shares of the time that is left; what is cheap on a device leaves more. */
static const struct
{
	const char *name;
	GpuAggStatus (*run) (GpuAggProbeSession *session, Found *found);
	double		share;
}			stages[] = {
	{"caches", run_cache, 0.3},
	{"TLB", run_tlb, 0.25},
	{"TLB, huge pages", run_huge_tlb, 0.2},
	{"TLB sharing", run_sharing, 0.6},
	{"random access", run_random, 0.5},
	{"ceilings", run_ceilings, 0.6},
	{"threads and patterns", run_host, 1.0}
};

#define NSTAGES (sizeof(stages) / sizeof(stages[0]))

static GpuAggStatus
run_stages(GpuAggProbeSession *session, double end)
{
	Found		found = {0};

	for (uint32_t i = 0; i < NSTAGES; i++)
	{
		double		now = gpuagg_probe_now();
		GpuAggStatus status;

		session->stage = stages[i].name;
		session->stage_from = (double) i / NSTAGES;
		session->stage_to = (double) (i + 1) / NSTAGES;
		session->deadline = now + stages[i].share * (end - now);
		gpuagg_probe_progress(session, 0);
		status = stages[i].run(session, &found);
		if (status != GPUAGG_OK)
			return status;
		gpuagg_probe_progress(session, 1);
	}
	return GPUAGG_OK;
}

/*
 * Two TLB levels that reach the same, on 4 KiB and on 2 MiB pages, are one:
 * reaches grow with levels.  The surer one stays.
 */
static void
merge_tlb_levels(GpuAggProbeResult *result)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < result->nlevels; i++)
	{
		GpuAggLevel level = result->levels[i];
		uint32_t	twin = 0;

		while (twin < n && (level.kind != GPUAGG_LEVEL_TLB ||
							result->levels[twin].kind != GPUAGG_LEVEL_TLB ||
							result->levels[twin].reach_bytes != level.reach_bytes))
			twin++;
		if (twin == n)
			result->levels[n++] = level;
		else if (level.confidence > result->levels[twin].confidence)
			result->levels[twin] = level;
	}
	result->nlevels = n;
}

/* Of each kind, levels are counted by reach; 4 KiB and 2 MiB pages together. */
static void
number_tlb_levels(GpuAggProbeResult *result)
{
	for (uint32_t i = 0; i < result->nlevels; i++)
	{
		GpuAggLevel *level = &result->levels[i];

		if (level->kind != GPUAGG_LEVEL_TLB)
			continue;
		level->level = 1;
		for (uint32_t j = 0; j < result->nlevels; j++)
		{
			const GpuAggLevel *other = &result->levels[j];

			if (other->kind == GPUAGG_LEVEL_TLB &&
				other->reach_bytes < level->reach_bytes)
				level->level++;
		}
	}
}

GpuAggStatus
gpuagg_probe_run(const GpuAggProbeOps *ops, void *device, int effort,
				 const GpuAggProbeLimits *limits, const volatile int *cancel,
				 const GpuAggProbeObserver *observer,
				 GpuAggProbeResult *result, GpuAggError *error)
{
	double		start = gpuagg_probe_now();
	int			e = effort < 0 ? 0 : effort >= NEFFORTS ? NEFFORTS - 1 : effort;
	double		seconds = ops->pair != NULL ? efforts[e].unit_seconds :
		efforts[e].seconds;
	GpuAggProbeLimits own = *limits;
	GpuAggProbeSession session = {
		.ops = ops, .cancel = cancel, .observer = observer, .result = result,
		.error = error, .effort = e, .repeats = efforts[e].repeats,
		.stage = "memory"
	};
	GpuAggStatus status;

	memset(result, 0, sizeof(*result));
	memset(error, 0, sizeof(*error));
	if (own.seconds <= 0 || own.seconds > seconds)
		own.seconds = seconds;
	if (efforts[e].bytes != 0 &&
		(own.memory_bytes == 0 || own.memory_bytes > efforts[e].bytes))
		own.memory_bytes = efforts[e].bytes;

	gpuagg_probe_progress(&session, 0);
	status = ops->begin(device, &own, cancel, &session.probe, &session.machine,
						error);
	if (status != GPUAGG_OK)
		return status;
	result->machine = session.machine;
	session.shuffle = session.machine.warp <= 1;
	status = run_stages(&session, start + WORKING_SHARE * own.seconds);
	ops->end(session.probe);
	merge_tlb_levels(result);
	number_tlb_levels(result);
	result->seconds = gpuagg_probe_now() - start;
	return status;
}
