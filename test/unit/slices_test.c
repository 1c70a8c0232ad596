/*
 * slices_test.c
 *		Which tasks are short, and how many rows of a long one are a slice.
 */
#include "device/choice/slices.h"
#include "tap.h"

static GpuAggCompileWish
wish(double interpreted_ms, double compiled_ms)
{
	GpuAggCompileWish w = {
		.interpreted_ns = (uint64_t) (interpreted_ms * 1e6),
		.compiled_ns = (uint64_t) (compiled_ms * 1e6)
	};

	return w;
}

int
main(void)
{
	const GpuAggCompileWish none = wish(0, 0);
	const GpuAggCompileWish brief = wish(20, 1);
	const GpuAggCompileWish slow = wish(1000, 100);
	const GpuAggCompileWish interpreted = wish(1000, 0);
	const GpuAggCompileWish endless = wish(1e12, 0);

	ok(gpuagg_slice_is_all(&none, 1e5), "not predicted: few rows are short");
	ok(!gpuagg_slice_is_all(&none, 1e8), "not predicted: many are not");
	is_int(gpuagg_slice_rows(&none, 1e8), 0, "not predicted: no slices");
	ok(gpuagg_slice_is_all(&brief, 1e8), "short, as it will be compiled");
	is_int(gpuagg_slice_rows(&brief, 1e8), 0, "so all rows at once");
	ok(!gpuagg_slice_is_all(&slow, 1e5), "long, whatever its rows");
	is_int(gpuagg_slice_rows(&slow, 1e9), 20000000, "100 ms: 50 slices");
	is_int(gpuagg_slice_rows(&interpreted, 1e9), 2000000, "1 s, interpreted: 500");
	is_int(gpuagg_slice_rows(&endless, 1e3), 1, "never no row");
	is_int(gpuagg_slice_rows(&slow, 0), 0, "nobody knows how many rows: no slices");
	return done_testing();
}
