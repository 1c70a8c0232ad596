/*
 * spatial_test.c
 *		Windows for the units that share a TLB (device/choice/spatial.h).
 */
#include "device/choice/spatial.h"
#include "tap.h"

/* As measured on an H200: 132 units, groups of six, some of four */
static GpuAggUnitGroups
measured(void)
{
	GpuAggUnitGroups g = {.n = 132};
	uint32_t	unit = 0;

	for (uint32_t group = 0; group < 24; group++)
		for (uint32_t i = 0; i < (group % 4 == 3 ? 4u : 6u) && unit < 132; i++)
			g.group[unit++] = (uint8_t) group;
	return g;
}

static void
test_windows(uint32_t nwindows)
{
	const GpuAggUnitGroups g = measured();
	uint8_t		windows[GPUAGG_SPATIAL_UNITS];
	uint32_t	units[GPUAGG_SPATIAL_UNITS] = {0};
	uint32_t	least = 132;
	uint32_t	most = 0;
	bool		together = true;
	char		name[80];

	gpuagg_spatial_windows(&g, nwindows, windows);
	for (uint32_t i = 0; i < g.n; i++)
	{
		units[windows[i]]++;
		for (uint32_t k = 0; k < i; k++)
			together &= g.group[i] != g.group[k] || windows[i] == windows[k];
	}
	for (uint32_t w = 0; w < nwindows; w++)
	{
		least = units[w] < least ? units[w] : least;
		most = units[w] > most ? units[w] : most;
	}
	snprintf(name, sizeof(name), "%u windows: units that share a TLB share one", nwindows);
	ok(together, name);
	ok(least > 0 && most - least <= 6, "and all windows have units, nearly as many");
}

int
main(void)
{
	GpuAggUnitGroups g = measured();
	uint8_t		windows[GPUAGG_SPATIAL_UNITS];

	is_int(gpuagg_spatial_ngroups(&g), 24, "groups");
	test_windows(1);
	test_windows(2);
	test_windows(4);
	test_windows(8);
	test_windows(16);
	test_windows(24);
	g.n = 0;
	is_int(gpuagg_spatial_ngroups(&g), 0, "none known");
	gpuagg_spatial_windows(&g, 4, windows);
	ok(windows[0] == 0 && windows[5] == 1 && windows[255] == 3, "then units take turns");
	is_int(gpuagg_spatial_log2(128, 64, 24), 1, "a table of two scopes");
	is_int(gpuagg_spatial_log2(129, 64, 24), 2, "a little more: windows are a power of two");
	is_int(gpuagg_spatial_log2(64, 64, 24), 0, "one that fits");
	is_int(gpuagg_spatial_log2(1e12, 1, 24), 4, "no more windows than groups");
	is_int(gpuagg_spatial_log2(1e12, 0, 24), 0, "no scope");
	return done_testing();
}
