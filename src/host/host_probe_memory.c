/*
 * host_probe_memory.c
 *		Memory of a session that measures the host device (host_probe_memory.h).
 *
 * Memory is taken as it is needed, from the front of a region.  It is written
 * before anything is read: untouched pages are all one page of zeroes.
 *
 * Huge pages are asked for with madvise, as tables ask for them (host_memory.c).
 * Those of hugetlbfs are left alone: they are shared_buffers'.  Whether the
 * system gave them is read from /proc/self/smaps.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "host/host_probe_memory.h"

/* Share of a region that must be on huge pages to call it so */
#define HUGE_SHARE 0.95

/* Taken between two looks at cancel: some milliseconds */
#define TOUCH_PIECE ((uint64_t) 16 << 20)

double
gpuagg_host_probe_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

GpuAggStatus
gpuagg_host_probe_failed(GpuAggError *error, GpuAggStatus status, const char *what)
{
	error->status = status;
	error->detail = (uint32_t) errno;
	snprintf(error->message, sizeof(error->message),
			 "measuring the host device: %s", what);
	return status;
}

GpuAggStatus
gpuagg_host_probe_check_cancel(const GpuAggProbe *probe, GpuAggError *error)
{
	return *probe->cancel ?
		gpuagg_host_probe_failed(error, GPUAGG_CANCELLED, "cancelled") : GPUAGG_OK;
}

bool
gpuagg_host_probe_map(GpuAggProbeRegion *region, uint64_t bytes, bool huge)
{
	char	   *base = mmap(NULL, bytes + GPUAGG_PROBE_HUGE_PAGE, PROT_READ | PROT_WRITE,
							MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uintptr_t	start;

	if (base == MAP_FAILED)
		return false;
	start = ((uintptr_t) base + GPUAGG_PROBE_HUGE_PAGE - 1) &
		~(uintptr_t) (GPUAGG_PROBE_HUGE_PAGE - 1);
	if (start > (uintptr_t) base)
		munmap(base, start - (uintptr_t) base);
	if (start - (uintptr_t) base < GPUAGG_PROBE_HUGE_PAGE)
		munmap((char *) start + bytes, GPUAGG_PROBE_HUGE_PAGE - (start - (uintptr_t) base));
	*region = (GpuAggProbeRegion)
	{
		.base = (char *) start, .bytes = bytes, .huge = huge
	};
	return madvise(region->base, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0;
}

void
gpuagg_host_probe_unmap(GpuAggProbeRegion *region)
{
	if (region->base != NULL)
		munmap(region->base, region->bytes);
	region->base = NULL;
}

/* Bytes of the region on huge pages */
static uint64_t
huge_bytes(const GpuAggProbeRegion *region)
{
	FILE	   *f = fopen("/proc/self/smaps", "r");
	uintptr_t	from = (uintptr_t) region->base;
	uint64_t	bytes = 0;
	bool		ours = false;
	char		line[512];

	if (f == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
	{
		uintptr_t	start;
		uintptr_t	end;
		uint64_t	kib;

		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2)
			ours = start < from + region->bytes && end > from;
		else if (ours && sscanf(line, "AnonHugePages: %" SCNu64, &kib) == 1)
			bytes += kib * 1024;
	}
	fclose(f);
	return bytes;
}

GpuAggProbeRegion *
gpuagg_host_probe_region(GpuAggProbe *probe)
{
	return probe->huge.base != NULL ? &probe->huge : &probe->small;
}

GpuAggStatus
gpuagg_host_probe_write(GpuAggProbe *probe, GpuAggProbeRegion *region, uint64_t bytes,
						GpuAggError *error)
{
	while (region->touched < bytes)
	{
		uint64_t	piece = bytes - region->touched;

		if (gpuagg_host_probe_check_cancel(probe, error) != GPUAGG_OK)
			return GPUAGG_CANCELLED;
		piece = piece < TOUCH_PIECE ? piece : TOUCH_PIECE;
		memset(region->base + region->touched, 1, piece);
		region->touched += piece;
	}
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_host_probe_confirm(GpuAggProbeRegion *region, GpuAggError *error)
{
	if (!region->huge ||
		(double) huge_bytes(region) >= HUGE_SHARE * (double) region->touched)
		return GPUAGG_OK;
	gpuagg_host_probe_unmap(region);
	return gpuagg_host_probe_failed(error, GPUAGG_UNSUPPORTED, "no huge pages");
}

GpuAggStatus
gpuagg_host_probe_touch(GpuAggProbe *probe, GpuAggProbeRegion *region, uint64_t bytes,
						GpuAggError *error)
{
	if (region->base == NULL)
		return gpuagg_host_probe_failed(error, GPUAGG_UNSUPPORTED, "no huge pages");
	if (bytes > region->bytes)
		return gpuagg_host_probe_failed(error, GPUAGG_UNSUPPORTED,
										"more memory than the session has");
	bytes = (bytes + GPUAGG_PROBE_HUGE_PAGE - 1) & ~(GPUAGG_PROBE_HUGE_PAGE - 1);
	if (bytes <= region->touched)
		return GPUAGG_OK;
	if (gpuagg_host_probe_write(probe, region, bytes, error) != GPUAGG_OK)
		return GPUAGG_CANCELLED;
	return gpuagg_host_probe_confirm(region, error);
}
