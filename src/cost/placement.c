/*
 * placement.c
 *		Which of several devices a task is given to (placement.h).
 */
#include "cost/placement.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Predictions that differ by less tell nothing. */
#define ALIKE 1e-3

/*
 * How much longer reading a table may take on several devices than on one, and to which part
 * later tasks must come down for that
 */
#define SPREAD_MAY_TAKE 1.1
#define SPREAD_MUST_TAKE 0.8

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
	if (a->known != b->known)
		return a->known > b->known;
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

void
gpuagg_placement_spread(const GpuAggOfferedPart *parts, int n, const GpuAggSpreadCosts *costs,
						GpuAggOfferedDevice *offer)
{
	const double more = (n - 1) * costs->round_trip_ns +
		(n * costs->groups + costs->left) * costs->group_ns;
	double		feed = 0;

	memset(offer, 0, sizeof(*offer));
	offer->usable = n > 1;
	for (int i = 0; i < n; i++)
	{
		const GpuAggOfferedPart *p = &parts[i];

		if (p->queue_ns > p->kept_ns)
			offer->usable = 0;
		feed += p->feed_ns;
		offer->run_ns = fmax(offer->run_ns, p->queue_ns + p->run_ns);
		offer->kept_ns = fmax(offer->kept_ns, p->queue_ns + p->kept_ns);
		offer->held += p->held;
		offer->room += p->room;
	}
	offer->held = fmin(offer->held, 1);
	offer->run_ns = fmax(offer->run_ns, feed) + more;
	offer->kept_ns += more;
}

int
gpuagg_placement_spread_first(const GpuAggOfferedDevice *one, const GpuAggOfferedDevice *spread)
{
	return spread->usable && finish(spread, false) <= finish(one, false) * SPREAD_MAY_TAKE &&
		finish(spread, true) < finish(one, true) * SPREAD_MUST_TAKE;
}
