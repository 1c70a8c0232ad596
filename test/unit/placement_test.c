/*
 * placement_test.c
 *		Which of several devices a task is given to: where it is finished first, with
 *		the columns that each has; and when another one should have them, too.
 */
#include "cost/placement.h"
#include "tap.h"

#define MS 1e6

/* Two cards; a table that takes 60 ms to read, and 1 ms where its columns are */
static GpuAggOfferedDevice
card(double queue_ms, double held)
{
	GpuAggOfferedDevice device = {
		.usable = 1,
		.queue_ns = queue_ms * MS,
		.run_ns = (1 + 59 * (1 - held)) * MS,
		.kept_ns = 1 * MS,
		.held = held,
		.room = 1e9
	};

	return device;
}

static void
test_first(void)
{
	GpuAggOfferedDevice idle[2] = {card(0, 0), card(0, 0)};
	GpuAggOfferedDevice kept[2] = {card(0, 0), card(50, 1)};
	GpuAggOfferedDevice busy[2] = {card(0, 0), card(70, 1)};
	GpuAggOfferedDevice part[2] = {card(0, 0.5), card(0, 0.6)};

	ok(gpuagg_placement_first(idle, 2) == 0, "alike: the first");
	idle[1].room = 2e9;
	ok(gpuagg_placement_first(idle, 2) == 1, "alike: the one with more room");
	idle[0].known = 0.1;
	ok(gpuagg_placement_first(idle, 2) == 0, "alike: the one that has other columns, before room");
	idle[1].known = 0.2;
	idle[0].held = 0.1;
	ok(gpuagg_placement_first(idle, 2) == 0,
	   "alike: the one that has more of the table, before room");
	idle[0].usable = 0;
	ok(gpuagg_placement_first(idle, 2) == 1, "one that is not usable is left out");
	idle[1].usable = 0;
	ok(gpuagg_placement_first(idle, 2) == -1, "none is usable");
	ok(gpuagg_placement_first(kept, 2) == 1,
	   "columns are worth waiting for, if that takes less than reading");
	ok(gpuagg_placement_first(busy, 2) == 0, "and not if it takes longer");
	ok(gpuagg_placement_first(part, 2) == 1, "a part of them counts as much as it saves");
}

static void
test_wanted(void)
{
	GpuAggOfferedDevice kept[2] = {card(0, 0), card(50, 1)};
	GpuAggOfferedDevice both[2] = {card(0, 1), card(50, 1)};
	GpuAggOfferedDevice idle[2] = {card(0, 0), card(0, 1)};
	double		gain;
	double		cost;

	ok(gpuagg_placement_wanted(kept, 2, 1, &gain, &cost) == 0,
	   "a card that waits for nothing should have the table, too");
	ok(gain == 50 * MS && cost == 59 * MS, "what that saves each time, and costs once");
	ok(gpuagg_placement_wanted(both, 2, 0, &gain, &cost) == -1, "not one that has it");
	ok(gpuagg_placement_wanted(idle, 2, 1, &gain, &cost) == -1, "nor if nothing waits");
	kept[0].kept_ns = kept[0].run_ns;
	ok(gpuagg_placement_wanted(kept, 2, 1, &gain, &cost) == -1, "nor if no columns are kept");
}

/* A card's half of that table: 30 ms to read, most of it the backend's, and 0.5 ms */
static GpuAggOfferedPart
half(double queue_ms, double held)
{
	GpuAggOfferedPart part = {
		.queue_ns = queue_ms * MS,
		.run_ns = (0.5 + 29.5 * (1 - held)) * MS,
		.kept_ns = 0.5 * MS,
		.feed_ns = 29 * (1 - held) * MS,
		.held = held / 2,
		.room = 1e9
	};

	return part;
}

static GpuAggOfferedDevice
spread_left(GpuAggOfferedPart a, GpuAggOfferedPart b, double groups, double left)
{
	const GpuAggSpreadCosts costs = {
		.round_trip_ns = 0.05 * MS,
		.group_ns = 500,
		.groups = groups,
		.left = left
	};
	GpuAggOfferedPart parts[2];
	GpuAggOfferedDevice offer;

	parts[0] = a;
	parts[1] = b;
	gpuagg_placement_spread(parts, 2, &costs, &offer);
	return offer;
}

static GpuAggOfferedDevice
spread(GpuAggOfferedPart a, GpuAggOfferedPart b, double groups)
{
	return spread_left(a, b, groups, 0);
}

static void
test_spread(void)
{
	GpuAggOfferedDevice kept = spread(half(0, 1), half(0, 1), 100);
	GpuAggOfferedDevice many = spread(half(0, 1), half(0, 1), 1e6);
	GpuAggOfferedDevice cold = spread(half(0, 0), half(0, 0), 100);
	GpuAggOfferedDevice lopsided = spread(half(0, 1), half(0.2, 1), 100);
	GpuAggOfferedDevice devices[3] = {card(0, 1), card(0, 0), spread(half(0, 1), half(0, 0), 100)};
	GpuAggOfferedDevice one = card(0, 0);
	double		gain;
	double		cost;

	ok(kept.usable && kept.run_ns == 0.65 * MS && kept.held == 1,
	   "halves at once, a round trip more, and groups of both");
	ok(lopsided.run_ns == 0.85 * MS, "the later of them counts");
	ok(many.run_ns > 1000 * MS, "many groups are merged by the backend");
	ok(spread_left(half(0, 1), half(0, 1), 100, 1000).run_ns == kept.run_ns + 0.5 * MS,
	   "groups that one device would have sorted out count");
	ok(cold.run_ns == 58.15 * MS, "one backend feeds both");
	ok(!spread(half(0.6, 1), half(0, 1), 100).usable, "not where tasks wait for a card");
	ok(gpuagg_placement_first(devices, 3) == 0,
	   "a card that has the table, not two of which one lacks it");
	ok(gpuagg_placement_wanted(devices, 3, 0, &gain, &cost) == 2 && gain > 0.3 * MS &&
		   cost > 29 * MS,
	   "but it is worth spreading in the end");
	devices[0].kept_ns = devices[0].run_ns = 0.6 * MS;
	ok(gpuagg_placement_wanted(devices, 3, 0, &gain, &cost) == -1, "unless one is as fast");
	ok(gpuagg_placement_spread_first(&one, &cold),
	   "a table that nobody has is read by both at once");
	ok(!gpuagg_placement_spread_first(&devices[0], &devices[2]),
	   "not if that takes longer than where it is");
	one.kept_ns = 0.7 * MS;
	ok(!gpuagg_placement_spread_first(&one, &cold), "nor for little");
}

int
main(void)
{
	test_first();
	test_wanted();
	test_spread();
	return done_testing();
}
