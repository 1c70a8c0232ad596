/*
 * remedy_test.c
 *		What is tried when a task has failed: for each status in turn, until nothing is
 *		left, as attempt.c goes on.
 */
#include "device/common.h"
#include "node/run/remedy.h"
#include "tap.h"

#define LEFT GPUAGG_ST_NEEDS_PG

static const GpuAggTried on_gpu = {.on_gpu = true,.all_groups = true};
static const GpuAggTried on_cpu = {.all_groups = true};

static void
is(GpuAggTried tried, GpuAggStatus status, uint32_t detail, GpuAggRemedy want, const char *name)
{
	is_int(gpuagg_remedy(status, detail, &tried), want, name);
}

/* What the next try is like, as attempt.c makes it */
static void
apply(GpuAggRemedy remedy, GpuAggTried *tried)
{
	tried->together = false;
	tried->met_long = false;
	if (remedy == GPUAGG_REMEDY_UNCACHED || remedy == GPUAGG_REMEDY_LIMITED)
		tried->cached = false;
	if (remedy == GPUAGG_REMEDY_LIMITED)
	{
		tried->limited = true;
		tried->limitable = false;
	}
	if (remedy == GPUAGG_REMEDY_CALLED)
		tried->all_called = true;
	if (remedy == GPUAGG_REMEDY_AGAIN)
		tried->again = true;
	if (remedy == GPUAGG_REMEDY_ALL_GROUPS)
		tried->all_groups = true;
	if (remedy == GPUAGG_REMEDY_OTHER_GPU)
		tried->other_gpu = false;
	if (remedy == GPUAGG_REMEDY_OTHER_GPU || remedy == GPUAGG_REMEDY_HOST ||
		remedy == GPUAGG_REMEDY_TABLES_HERE)
		tried->tables_there = false;
	if (remedy == GPUAGG_REMEDY_HOST)
		tried->on_host = true;
}

/* All that is tried of a task that fails in the same way again and again */
static void
tries(GpuAggTried tried, GpuAggStatus status, uint32_t detail, const GpuAggRemedy *want, int n,
	  const char *name)
{
	bool		met = tried.met_long;
	bool		same = true;

	for (int i = 0; i <= n; i++)
	{
		GpuAggRemedy got = gpuagg_remedy(status, detail, &tried);

		same &= got == (i < n ? want[i] : GPUAGG_REMEDY_NONE);
		apply(got, &tried);
		tried.met_long = met;
	}
	ok(same, name);
}

#define TRIES(tried, status, detail, name, ...) \
	tries(tried, status, detail, (const GpuAggRemedy[]) {__VA_ARGS__}, \
		  sizeof((const GpuAggRemedy[]) {__VA_ARGS__}) / sizeof(GpuAggRemedy), name)

static void
test_device(void)
{
	GpuAggTried two = on_gpu;
	GpuAggTried gone = on_cpu;
	GpuAggTried draws = on_gpu;

	two.other_gpu = true;
	gone.other_gpu = true;
	draws.draws = draws.other_gpu = draws.cached = true;
	is(on_gpu, GPUAGG_OK, 0, GPUAGG_REMEDY_NONE, "a task that succeeds");
	TRIES(on_gpu, GPUAGG_DEVICE_FAULT, 0, "a fault of the only GPU", GPUAGG_REMEDY_HOST);
	TRIES(on_gpu, GPUAGG_OUT_OF_MEMORY, 0, "its memory", GPUAGG_REMEDY_HOST);
	TRIES(on_gpu, GPUAGG_DEVICE_LOST, 0, "it is lost", GPUAGG_REMEDY_HOST);
	TRIES(two, GPUAGG_DEVICE_FAULT, 0, "a fault of both GPUs", GPUAGG_REMEDY_OTHER_GPU,
		  GPUAGG_REMEDY_HOST);
	TRIES(two, GPUAGG_UNSUPPORTED, 0, "what no GPU does", GPUAGG_REMEDY_HOST);
	TRIES(gone, GPUAGG_DEVICE_LOST, 0, "a worker that went before it took the task",
		  GPUAGG_REMEDY_OTHER_GPU);
	is(on_cpu, GPUAGG_DEVICE_FAULT, 0, GPUAGG_REMEDY_NONE, "a fault of the host device");
	is(on_cpu, GPUAGG_OUT_OF_MEMORY, 0, GPUAGG_REMEDY_NONE, "its memory");
	is(draws, GPUAGG_DEVICE_LOST, 0, GPUAGG_REMEDY_NONE, "draws move nowhere");
	is(draws, GPUAGG_UNSUPPORTED, 0, GPUAGG_REMEDY_NONE, "nor are they made of pages");
	for (GpuAggStatus s = GPUAGG_CORRUPT_PAGE; s <= GPUAGG_NOT_SAME; s++)
		if (s != GPUAGG_UNSUPPORTED)
			is(two, s, 0, GPUAGG_REMEDY_NONE, "what is no matter of the device");
}

static void
test_cache(void)
{
	GpuAggTried gpu = on_gpu;
	GpuAggTried cpu = on_cpu;

	gpu.cached = cpu.cached = true;
	TRIES(gpu, GPUAGG_UNSUPPORTED, 0, "the cache refuses, then the GPU", GPUAGG_REMEDY_UNCACHED,
		  GPUAGG_REMEDY_HOST);
	TRIES(cpu, GPUAGG_UNSUPPORTED, 0, "the cache of the host device", GPUAGG_REMEDY_UNCACHED);
	TRIES(gpu, GPUAGG_UNSUPPORTED, LEFT, "strings that are new to it, then the cache, then the GPU",
		  GPUAGG_REMEDY_AGAIN, GPUAGG_REMEDY_UNCACHED, GPUAGG_REMEDY_HOST);
	is(gpu, GPUAGG_DEVICE_FAULT, 0, GPUAGG_REMEDY_HOST, "a fault is not the cache's");
}

static void
test_values(void)
{
	GpuAggTried free_scale = on_gpu;
	GpuAggTried met = on_gpu;
	GpuAggTried wanted = on_gpu;
	GpuAggTried limited = on_gpu;

	free_scale.limitable = free_scale.other_gpu = free_scale.cached = true;
	met.met_long = met.limitable = true;
	wanted.met_long = wanted.limitable = true;
	wanted.all_groups = false;
	limited.limited = limited.met_long = true;
	limited.all_groups = false;
	is(free_scale, GPUAGG_VALUE_ERROR, GPUAGG_ST_DIV_ZERO, GPUAGG_REMEDY_NONE,
	   "an error of PostgreSQL's, too");
	TRIES(free_scale, GPUAGG_VALUE_ERROR, LEFT, "a numeric beyond its scale",
		  GPUAGG_REMEDY_LIMITED);
	is(met, GPUAGG_VALUE_ERROR, LEFT, GPUAGG_REMEDY_NONE,
	   "a value beside all groups that cannot be kept");
	TRIES(wanted, GPUAGG_VALUE_ERROR, LEFT, "a value beside the groups that are wanted",
		  GPUAGG_REMEDY_ALL_GROUPS);
	is(limited, GPUAGG_VALUE_ERROR, 0, GPUAGG_REMEDY_ALL_GROUPS,
	   "... that is met when numerics are limited");
	limited.limited = false;
	is(limited, GPUAGG_VALUE_ERROR, 0, GPUAGG_REMEDY_NONE, "... and not");
}

static void
test_called(void)
{
	GpuAggTried called = on_gpu;

	called.called = called.cached = called.limitable = called.other_gpu = true;
	TRIES(called, GPUAGG_VALUE_ERROR, LEFT, "values that are missing", GPUAGG_REMEDY_CALLED);
	is(called, GPUAGG_VALUE_ERROR, GPUAGG_ST_DIV_ZERO, GPUAGG_REMEDY_NONE, "an error beside them");
	is(called, GPUAGG_UNSUPPORTED, 0, GPUAGG_REMEDY_NONE, "without what is kept there are none");
	is(called, GPUAGG_DEVICE_LOST, 0, GPUAGG_REMEDY_NONE, "nor on another device");
}

static void
test_tables(void)
{
	GpuAggTried gpu = on_gpu;
	GpuAggTried cpu = on_cpu;

	gpu.tables_there = cpu.tables_there = true;
	TRIES(cpu, GPUAGG_UNSUPPORTED, 0, "look-up tables that have gone", GPUAGG_REMEDY_TABLES_HERE);
	TRIES(gpu, GPUAGG_UNSUPPORTED, 0, "... of a GPU", GPUAGG_REMEDY_HOST);
	is(cpu, GPUAGG_OUT_OF_MEMORY, 0, GPUAGG_REMEDY_NONE, "memory is not the tables'");
}

static void
test_together(void)
{
	GpuAggTried two = on_gpu;
	GpuAggTried gone = on_cpu;

	two.together = two.other_gpu = true;
	gone.together = true;
	TRIES(two, GPUAGG_DEVICE_FAULT, 0, "a fault of one of several", GPUAGG_REMEDY_OTHER_GPU,
		  GPUAGG_REMEDY_HOST);
	TRIES(two, GPUAGG_BUSY, 0, "no slot for one of them", GPUAGG_REMEDY_ALONE);
	TRIES(two, GPUAGG_UNSUPPORTED, 0, "one refuses", GPUAGG_REMEDY_ALONE, GPUAGG_REMEDY_HOST);
	TRIES(two, GPUAGG_VALUE_ERROR, LEFT, "a value that is left to PostgreSQL",
		  GPUAGG_REMEDY_ALONE);
	is(two, GPUAGG_VALUE_ERROR, GPUAGG_ST_INT_RANGE, GPUAGG_REMEDY_NONE, "an error");
	is(two, GPUAGG_CORRUPT_PAGE, 0, GPUAGG_REMEDY_NONE, "a corrupt page");
	is(gone, GPUAGG_DEVICE_LOST, 0, GPUAGG_REMEDY_NONE, "the last worker has gone");
}

int
main(void)
{
	test_device();
	test_cache();
	test_values();
	test_called();
	test_tables();
	test_together();
	return done_testing();
}
