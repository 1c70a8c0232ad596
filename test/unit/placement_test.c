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
	idle[0].held = 0.1;
	ok(gpuagg_placement_first(idle, 2) == 0, "alike: the one that has more of the table, before room");
	idle[0].usable = 0;
	ok(gpuagg_placement_first(idle, 2) == 1, "one that is not usable is left out");
	idle[1].usable = 0;
	ok(gpuagg_placement_first(idle, 2) == -1, "none is usable");
	ok(gpuagg_placement_first(kept, 2) == 1, "columns are worth waiting for, if that takes less than reading");
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

	ok(gpuagg_placement_wanted(kept, 2, 1, &gain, &cost) == 0, "a card that waits for nothing should have the table, too");
	ok(gain == 50 * MS && cost == 59 * MS, "what that saves each time, and costs once");
	ok(gpuagg_placement_wanted(both, 2, 0, &gain, &cost) == -1, "not one that has it");
	ok(gpuagg_placement_wanted(idle, 2, 1, &gain, &cost) == -1, "nor if nothing waits");
	kept[0].kept_ns = kept[0].run_ns;
	ok(gpuagg_placement_wanted(kept, 2, 1, &gain, &cost) == -1, "nor if no columns are kept");
}

int
main(void)
{
	test_first();
	test_wanted();
	return done_testing();
}
