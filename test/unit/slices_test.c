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

/* Slices of n things: each begins where the one before ends, and all are in one; the largest */
static uint64_t
largest(uint64_t n, uint32_t of)
{
	uint64_t	at = 0;
	uint64_t	most = 0;

	for (GpuAggSlice slice = {0, of}; slice.at < of; slice.at++)
	{
		const uint64_t end = gpuagg_slice_end(slice, n);

		if (gpuagg_slice_first(slice, n) != at || end < at)
			return UINT64_MAX;
		most = end - at > most ? end - at : most;
		at = end;
	}
	return at == n ? most : UINT64_MAX;
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
	is_int(gpuagg_slice_deferred_rows(&slow, 1e9, 0), 60000000,
		   "partitions: no stage is more than a third");
	is_int(gpuagg_slice_deferred_rows(&slow, 1e9, 8), 160000000,
		   "a pass for each of eight windows");
	is_int(gpuagg_slice_deferred_rows(&brief, 1e8, 0), 0,
		   "short: all rows, whatever it takes of them");
	is_int(gpuagg_slice_deferred_rows(&endless, 1e6, 0), GPUAGG_SLICE_LEAST_ROWS,
		   "never very few rows");
	is_int(largest(0, 7), 0, "slices of nothing");
	is_int(largest(3, 8), 1, "more slices than things");
	is_int(largest(1000, 1), 1000, "one slice");
	is_int(largest(1000, 7), 143, "slices of about the same size");
	is_int(largest(UINT64_MAX, 1024), (UINT64_MAX >> 10) + 1, "of as many things as there can be");
	return done_testing();
}
