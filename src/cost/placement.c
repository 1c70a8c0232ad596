/*
 * placement.c
 *		Which of several devices a task is given to (placement.h).
 */
#include "cost/placement.h"

#include <stdbool.h>

/* Predictions that differ by less tell nothing. */
#define ALIKE 1e-3

static double
finish(const GpuAggOfferedDevice *device, bool kept)
{
	return device->queue_ns + (kept ? device->kept_ns : device->run_ns);
}

static bool
is_better(const GpuAggOfferedDevice *a, const GpuAggOfferedDevice *b, bool kept)
{
	double		x = finish(a, kept);
	double		y = finish(b, kept);

	if (x < y * (1 - ALIKE) || y < x * (1 - ALIKE))
		return x < y;
	if (a->held != b->held)
		return a->held > b->held;
	return a->room > b->room;
}

static int
best(const GpuAggOfferedDevice *devices, int n, bool kept)
{
	int			at = -1;

	for (int i = 0; i < n; i++)
		if (devices[i].usable && (at < 0 || is_better(&devices[i], &devices[at], kept)))
			at = i;
	return at;
}

int
gpuagg_placement_first(const GpuAggOfferedDevice *devices, int n)
{
	return best(devices, n, false);
}

int
gpuagg_placement_wanted(const GpuAggOfferedDevice *devices, int n, int first,
						double *gain_ns, double *cost_ns)
{
	int			wanted = best(devices, n, true);

	*gain_ns = *cost_ns = 0;
	if (wanted < 0 || wanted == first || first < 0)
		return -1;
	*gain_ns = finish(&devices[first], false) - finish(&devices[wanted], true);
	*cost_ns = devices[wanted].run_ns - devices[wanted].kept_ns;
	return *gain_ns > 0 && *cost_ns > 0 ? wanted : -1;
}
