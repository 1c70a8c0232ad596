/*
 * host_probe_touch.c
 *		The host's part of measuring its memory hierarchy: first touch.
 *
 * Memory that a process asks for has no pages until they are written for the
 * first time: the kernel then finds each one and clears it.  That is what a
 * table of groups pays as it grows, beside its random accesses.
 */
#include "host/host_probe_touch.h"

#define TOUCH_BYTES ((uint64_t) 32 << 20)
#define LEAST_BYTES ((uint64_t) 4 << 20)

GpuAggStatus
gpuagg_host_probe_first_touch(GpuAggProbe *probe, bool huge, double *rate,
							  GpuAggError *error)
{
	uint64_t	bytes = probe->machine.bytes < TOUCH_BYTES ? LEAST_BYTES : TOUCH_BYTES;
	GpuAggProbeRegion region = {0};
	double		start = gpuagg_host_probe_now();
	GpuAggStatus status = GPUAGG_OK;

	if (huge && probe->huge.base == NULL)
		return gpuagg_host_probe_failed(error, GPUAGG_UNSUPPORTED, "no huge pages");
	if (!gpuagg_host_probe_map(&region, bytes, huge))
		status = gpuagg_host_probe_failed(error, GPUAGG_UNSUPPORTED, "no such pages");
	else
		status = gpuagg_host_probe_write(probe, &region, bytes, error);
	*rate = (double) bytes / (gpuagg_host_probe_now() - start);
	if (status == GPUAGG_OK)
		status = gpuagg_host_probe_confirm(&region, error);
	gpuagg_host_probe_unmap(&region);
	return status;
}
