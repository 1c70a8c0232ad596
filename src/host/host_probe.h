/*
 * host_probe.h
 *		The host's part of measuring its memory hierarchy.
 *
 * Operations need no open device: threads are the session's own, so that
 * queries' pool goes on, and memory is two regions of the same size, one on
 * ordinary pages and one on 2 MiB pages where the system gives them.
 */
#ifndef GPUAGG_HOST_HOST_PROBE_H
#define GPUAGG_HOST_HOST_PROBE_H

#include "device/probe.h"

extern const GpuAggProbeOps gpuagg_host_probe_ops;

/* ---------- between host_probe.c and probe_*.c ---------- */

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

extern double gpuagg_host_probe_now(void);

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

extern GpuAggStatus gpuagg_host_probe_random(GpuAggProbe *probe, GpuAggRandomKind kind,
											 uint64_t bytes, double *rate,
											 GpuAggError *error);
extern GpuAggStatus gpuagg_host_probe_ceiling(GpuAggProbe *probe,
											  GpuAggCeiling ceiling, double *value,
											  GpuAggError *error);
/* A thread's work again and again: all that it does with its own; events */
typedef uint64_t (*GpuAggProbeWork) (void *own);

/* Events a second of all threads; `owns` are so many bytes for each of them */
extern GpuAggStatus gpuagg_host_probe_work(GpuAggProbe *probe, GpuAggProbeWork work,
										   void *owns, size_t own_bytes, double *rate,
										   GpuAggError *error);

/* Rows a second that all threads group */
extern GpuAggStatus gpuagg_host_probe_group(GpuAggProbe *probe, double *rate,
											GpuAggError *error);

/* First touch, of pages of one kind: bytes a second; UNSUPPORTED: has none */
extern GpuAggStatus gpuagg_host_probe_first_touch(GpuAggProbe *probe, bool huge,
												  double *rate, GpuAggError *error);

extern GpuAggStatus gpuagg_host_probe_pattern(GpuAggProbe *probe, uint32_t words,
											  uint64_t bytes, bool huge, double *ns,
											  GpuAggError *error);
extern GpuAggStatus gpuagg_host_probe_threads(GpuAggProbe *probe, uint32_t threads,
											  double *rate, GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_PROBE_H */
