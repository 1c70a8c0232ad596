/*
 * host_probe.c
 *		The host's part of measuring its memory hierarchy: sessions, ceilings and chases.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "host/host_probe.h"
#include "host/host_probe_group.h"
#include "host/host_probe_rates.h"
#include "host/host_probe_touch.h"
#include "host/machine.h"
#include "probe/stats.h"

#define MEBIBYTE ((uint64_t) 1 << 20)

/* Taking memory costs up to a second a GiB; it may take a sixteenth of the
 * time. */
#define BYTES_PER_SECOND (64 * (double) MEBIBYTE)

/* Of what is free, at most: PostgreSQL's backends need the rest. */
#define FREE_SHARE 0.25

#define LEAST_BYTES (4 * MEBIBYTE)

/* Visited between two looks at cancel: some milliseconds */
#define VISIT_PIECE 65536

#define TIMED_PARTS 8

/* ---------- what the machine says of itself ---------- */

/* What the machine, and the container we may be in, can spare */
static double
free_bytes(void)
{
	double		available = 1024 * gpuagg_machine_number("/proc/meminfo", "MemAvailable");
	double		limit = gpuagg_machine_number("/sys/fs/cgroup/memory.max", "");
	double		used = gpuagg_machine_number("/sys/fs/cgroup/memory.current", "");

	if (limit > 0 && limit - used < available)
		available = limit > used ? limit - used : 0;
	return available;
}

static void
describe_machine(GpuAggProbeMachine *machine)
{
	machine->units = (uint32_t) gpuagg_host_cpus();
	machine->warp = 1;
	machine->total_bytes = gpuagg_machine_bytes();
	machine->cache_bytes = gpuagg_machine_cache_bytes();
	machine->page_bytes = (uint64_t) sysconf(_SC_PAGESIZE);
	machine->clock_ghz = gpuagg_machine_number("/proc/cpuinfo", "cpu MHz") / 1000;
	machine->guest = gpuagg_machine_is_guest();
}

/* ---------- sessions ---------- */

static uint64_t
session_bytes(const GpuAggProbeLimits *limits)
{
	double		available = free_bytes();
	double		share = limits->memory_share < FREE_SHARE ?
		limits->memory_share : FREE_SHARE;
	double		bytes = share * available;

	if (bytes > limits->seconds * BYTES_PER_SECOND)
		bytes = limits->seconds * BYTES_PER_SECOND;
	if (limits->memory_bytes != 0 && bytes > (double) limits->memory_bytes)
		bytes = (double) limits->memory_bytes;
	return (uint64_t) bytes;
}

static void
probe_end(GpuAggProbe *probe)
{
	gpuagg_host_probe_unmap(&probe->small);
	gpuagg_host_probe_unmap(&probe->huge);
	free(probe);
}

static GpuAggStatus
probe_begin(void *device, const GpuAggProbeLimits *limits,
			const volatile int *cancel, GpuAggProbe **result,
			GpuAggProbeMachine *machine, GpuAggError *error)
{
	uint64_t	bytes = session_bytes(limits) / 2 & ~(GPUAGG_PROBE_HUGE_PAGE - 1);
	GpuAggProbe *probe = calloc(1, sizeof(GpuAggProbe));
	GpuAggError ignored;

	(void) device;
	if (probe == NULL || bytes < LEAST_BYTES ||
		!gpuagg_host_probe_map(&probe->small, bytes, false))
	{
		if (probe != NULL)
			probe_end(probe);
		return gpuagg_host_probe_failed(error, GPUAGG_OUT_OF_MEMORY,
										"too little free memory");
	}
	probe->cancel = cancel;
	probe->slice = limits->seconds < 10 ? 0.003 : 0.012;
	if (!gpuagg_host_probe_map(&probe->huge, bytes, true))
		gpuagg_host_probe_unmap(&probe->huge);
	(void) gpuagg_host_probe_touch(probe, &probe->huge, LEAST_BYTES, &ignored);
	describe_machine(&probe->machine);
	probe->machine.bytes = bytes;
	*machine = probe->machine;
	*result = probe;
	return GPUAGG_OK;
}

/* ---------- chases ---------- */

/*
 * A permutation of 0 .. count - 1 without a table: a bijection of the next
 * power of two, walked until it comes back into the range.
 */
static uint64_t
shuffled(uint64_t i, uint64_t count, uint64_t mask, int shift)
{
	do
	{
		i = (i * UINT64_C(0x9e3779b97f4a7c15) + 0x7f4a7c15) & mask;
		i ^= i >> shift;
		i = i * UINT64_C(0xbf58476d1ce4e5b9) & mask;
		i ^= i >> shift;
	}
	while (i >= count);
	return i;
}

static char *
element(const GpuAggProbeRegion *region, const GpuAggChase *chase, uint64_t i)
{
	return region->base + chase->start + i * chase->stride +
		gpuagg_chase_offset(chase->stride, i);
}

static GpuAggStatus
link_elements(const GpuAggProbe *probe, const GpuAggProbeRegion *region,
			  const GpuAggChase *chase, GpuAggError *error)
{
	uint64_t	mask = 1;
	int			bits = 0;
	char	   *first = NULL;
	char	   *last = NULL;

	for (; mask < chase->count; mask <<= 1)
		bits++;
	mask -= 1;
	for (uint64_t i = 0; i < chase->count; i++)
	{
		char	   *next = element(region, chase, chase->shuffle ?
								   shuffled(i, chase->count, mask, bits / 2 + 1) : i);

		if (first == NULL)
			first = next;
		else
			memcpy(last, &next, sizeof(next));
		last = next;
		if (i % VISIT_PIECE == 0 && gpuagg_host_probe_check_cancel(probe, error) != GPUAGG_OK)
			return GPUAGG_CANCELLED;
	}
	memcpy(last, &first, sizeof(first));
	return GPUAGG_OK;
}

/* Follows the chase from *place on */
static GpuAggStatus
visit(const GpuAggProbe *probe, char **place, uint64_t accesses,
	  GpuAggError *error)
{
	char	   *p = *place;

	while (accesses > 0)
	{
		uint64_t	piece = accesses < VISIT_PIECE ? accesses : VISIT_PIECE;

		accesses -= piece;
		while (piece-- > 0)
			p = *(char *volatile *) p;
		if (gpuagg_host_probe_check_cancel(probe, error) != GPUAGG_OK)
			return GPUAGG_CANCELLED;
	}
	*place = p;
	return GPUAGG_OK;
}

/* ns of an access: the median of parts, for another process takes the core
 * away in some of them */
static GpuAggStatus
time_visits(const GpuAggProbe *probe, char *place, uint64_t accesses, double *ns,
			GpuAggError *error)
{
	double		part[TIMED_PARTS];
	uint64_t	size = (accesses + TIMED_PARTS - 1) / TIMED_PARTS;

	for (int i = 0; i < TIMED_PARTS; i++)
	{
		double		start = gpuagg_host_probe_now();

		if (visit(probe, &place, size, error) != GPUAGG_OK)
			return GPUAGG_CANCELLED;
		part[i] = (gpuagg_host_probe_now() - start) * 1e9 / (double) size;
	}
	*ns = gpuagg_stat_median(part, TIMED_PARTS);
	return GPUAGG_OK;
}

static GpuAggStatus
probe_chase(GpuAggProbe *probe, const GpuAggChase *chase, GpuAggChaseTime *time,
			GpuAggError *error)
{
	GpuAggProbeRegion *region = chase->huge ? &probe->huge : &probe->small;
	GpuAggChase placed = *chase;
	GpuAggStatus status;
	char	   *place;

	if (chase->stride < sizeof(char *) || (chase->stride & (chase->stride - 1)) ||
		(chase->align & (chase->align - 1)) ||
		chase->count < 2 || chase->rounds == 0)
		return gpuagg_host_probe_failed(error, GPUAGG_UNSUPPORTED, "no such chase");
	placed.start = gpuagg_chase_first(chase, (uintptr_t) region->base);
	status = gpuagg_host_probe_touch(probe, region, placed.start +
									 chase->stride * chase->count, error);
	if (status == GPUAGG_OK)
		status = link_elements(probe, region, &placed, error);
	if (status != GPUAGG_OK)
		return status;
	place = element(region, &placed, 0);	/* a cycle: any element will do */
	status = visit(probe, &place, chase->count, error);
	if (status == GPUAGG_OK)
		status = time_visits(probe, place, chase->count * chase->rounds,
							 &time->ns, error);
	time->cycles = time->ns * probe->machine.clock_ghz;
	return status;
}

/* ---------- ceilings ---------- */

GpuAggStatus
gpuagg_host_probe_ceiling(GpuAggProbe *probe, GpuAggCeiling ceiling, double *value,
						  GpuAggError *error)
{
	switch (ceiling)
	{
		case GPUAGG_CEILING_GROUP:
			return gpuagg_host_probe_group(probe, value, error);
		case GPUAGG_CEILING_TOUCH:
			return gpuagg_host_probe_first_touch(probe, false, value, error);
		case GPUAGG_CEILING_TOUCH_HUGE:
			return gpuagg_host_probe_first_touch(probe, true, value, error);
		default:
			return gpuagg_host_probe_rate_ceiling(probe, ceiling, value, error);
	}
}

const GpuAggProbeOps gpuagg_host_probe_ops = {
	.begin = probe_begin,
	.end = probe_end,
	.chase = probe_chase,
	.random = gpuagg_host_probe_random,
	.ceiling = gpuagg_host_probe_ceiling,
	.pattern = gpuagg_host_probe_pattern,
	.threads = gpuagg_host_probe_threads
};
