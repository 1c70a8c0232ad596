/*
 * host_probe_memory.h
 *		A session that measures the host device, and its memory.
 *
 * Memory is two regions of the same size, one on ordinary pages and one on 2 MiB pages
 * where the system gives them.
 */
#ifndef GPUAGG_HOST_HOST_PROBE_MEMORY_H
#define GPUAGG_HOST_HOST_PROBE_MEMORY_H

#include "device/probe.h"

typedef struct GpuAggProbeRegion
{
	char	   *base;			/* NULL: there is none */
	uint64_t	bytes;
	uint64_t	touched;		/* from base on */
	bool		huge;
} GpuAggProbeRegion;

struct GpuAggProbe
{
	const volatile int *cancel;
	GpuAggProbeMachine machine;
	double		slice;			/* seconds that a rate is measured for */
	GpuAggProbeRegion small;
	GpuAggProbeRegion huge;
};

/* Huge pages, of which memory is a multiple */
#define GPUAGG_PROBE_HUGE_PAGE ((uint64_t) 2 << 20)

/* Seconds, by the clock that does not jump */
extern double gpuagg_host_probe_now(void);

/* OK, or CANCELLED */
extern GpuAggStatus gpuagg_host_probe_check_cancel(const GpuAggProbe *probe, GpuAggError *error);

/* Address space for a region, on one kind of pages as far as there are any */
extern bool gpuagg_host_probe_map(GpuAggProbeRegion *region, uint64_t bytes, bool huge);
extern void gpuagg_host_probe_unmap(GpuAggProbeRegion *region);

/* Writes them up to there; UNSUPPORTED, and unmaps: not on its kind of pages */
extern GpuAggStatus gpuagg_host_probe_write(GpuAggProbe *probe,
											GpuAggProbeRegion *region, uint64_t bytes,
											GpuAggError *error);
extern GpuAggStatus gpuagg_host_probe_confirm(GpuAggProbeRegion *region,
											  GpuAggError *error);

/* Gives `bytes` of the region memory; UNSUPPORTED if not on its kind of pages */
extern GpuAggStatus gpuagg_host_probe_touch(GpuAggProbe *probe,
											GpuAggProbeRegion *region, uint64_t bytes,
											GpuAggError *error);

/* Where tables would lie: on huge pages if there are */
extern GpuAggProbeRegion *gpuagg_host_probe_region(GpuAggProbe *probe);

/* Sets error and returns its status */
extern GpuAggStatus gpuagg_host_probe_failed(GpuAggError *error, GpuAggStatus status,
											 const char *what);

#endif							/* GPUAGG_HOST_HOST_PROBE_MEMORY_H */
