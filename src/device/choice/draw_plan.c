/*
 * draw_plan.c
 *		How random draws of resident data are expected to be fastest.
 *
 * With n draws, B bytes, and of the profile R(x) random reads a second in a
 * region of x bytes and M draws a second that are made without reading:
 *
 *		single		n / R(B)
 *		passes		max(w n / M, n / R(B / w)) + w launches
 *		spatial		u max(w n / M, n / R(B / w)) + one launch, where the TLB's
 *					reach makes the windows; at most as many as groups of units
 *					share a TLB.  u: how many times fewer groups than on average
 *					the window with the fewest has
 *
 * Making draws is arithmetic and hides behind the reads, until it takes longer
 * itself: on an H200 all are within 8 % of this, from 2 to 128 windows.
 * Windows are the least number that the TLB, or the cache, reaches.
 */
#include <math.h>

#include "device/choice/curve.h"
#include "device/choice/draw_plan.h"

static double
reads_at(const GpuAggDrawRates *rates, double bytes)
{
	return gpuagg_curve_at(&rates->points[0].bytes, &rates->points[0].reads,
						   sizeof(rates->points[0]), rates->npoints, bytes);
}

static double
ns_of(const GpuAggDrawRates *rates, double draws, double bytes, double windows)
{
	double		make = windows > 1 && rates->made > 0 ? windows * draws / rates->made : 0;

	return 1e9 * fmax(make, draws / reads_at(rates, bytes / windows));
}

/* Windows that a level reaches; 1 if that is no help */
static double
windows_of(double bytes, double reach)
{
	return reach > 0 ? fmin(ceil(bytes / reach), GPUAGG_DRAW_WINDOWS) : 1;
}

/* Of the last cache, or of the TLB: whichever is faster */
static void
plan_passes(const GpuAggDrawRates *rates, double draws, double bytes, GpuAggDrawPlan *plan,
			uint32_t *windows)
{
	const double reaches[] = {rates->tlb_bytes, rates->cache_bytes};
	double	   *best = &plan->predicted_ns[GPUAGG_DRAW_PASSES];

	for (int i = 0; i < 2; i++)
	{
		double		n = windows_of(bytes, reaches[i]);
		double		ns = ns_of(rates, draws, bytes, n) + n * rates->launch_ns;

		if (n > 1 && (*best < 0 || ns < *best))
		{
			*best = ns;
			*windows = (uint32_t) n;
		}
	}
}

static void
plan_spatial(const GpuAggDrawRates *rates, double draws, double bytes, GpuAggDrawPlan *plan,
			 uint32_t *windows)
{
	double		n = windows_of(bytes, rates->tlb_bytes);
	double		uneven;

	if (n <= 1 || n > rates->groups)
		return;
	uneven = rates->groups / n / floor(rates->groups / n);
	plan->predicted_ns[GPUAGG_DRAW_SPATIAL] = uneven * ns_of(rates, draws, bytes, n) +
		rates->launch_ns;
	*windows = (uint32_t) n;
}

void
gpuagg_draw_plan(const GpuAggDrawRates *rates, double draws, double bytes,
				 GpuAggDrawPlan *plan)
{
	uint32_t	windows[GPUAGG_NDRAWWAYS] = {1, 1, 1};

	memset(plan, 0, sizeof(*plan));
	for (int way = 1; way < GPUAGG_NDRAWWAYS; way++)
		plan->predicted_ns[way] = -1;
	plan->windows = 1;
	if (rates->npoints == 0)
		return;
	plan->predicted_ns[GPUAGG_DRAW_SINGLE] = ns_of(rates, draws, bytes, 1) +
		rates->launch_ns;
	plan_passes(rates, draws, bytes, plan, &windows[GPUAGG_DRAW_PASSES]);
	plan_spatial(rates, draws, bytes, plan, &windows[GPUAGG_DRAW_SPATIAL]);
	for (int way = 1; way < GPUAGG_NDRAWWAYS; way++)
		if (plan->predicted_ns[way] >= 0 &&
			plan->predicted_ns[way] < plan->predicted_ns[plan->way])
			plan->way = (GpuAggDrawWay) way;
	plan->windows = windows[plan->way];
}

const char *
gpuagg_draw_way_name(GpuAggDrawWay way)
{
	static const char *const names[GPUAGG_NDRAWWAYS] = {
#define X(name, word) word,
		GPUAGG_DRAW_WAY_LIST(X)
#undef X
	};

	return names[way];
}
