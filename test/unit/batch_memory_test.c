/*
 * batch_memory_test.c
 *		How many pages a batch has, and what batches leave of a device's memory.
 */
#include "device/batch_memory.h"
#include "tap.h"

typedef struct TwoColumns
{
	GpuAggProgram head;
	uint8_t		classes[8];
} TwoColumns;

static GpuAggProgram *
program(uint8_t second)
{
	static TwoColumns p;

	p.head.ncolumns = 2;
	p.head.classes_off = offsetof(TwoColumns, classes);
	p.classes[0] = GPUAGG_CLASS_I64;
	p.classes[1] = second;
	return &p.head;
}

static GpuAggDeviceInfo
gpu(double memory)
{
	return (GpuAggDeviceInfo) {.memory_limit = (uint64_t) memory,.batch_pages = 1024,
		.batches_ahead = 3,.decodes = 1};
}

static void
test_page_bytes(void)
{
	const double head = GPUAGG_BATCH_PAGE_BYTES;

	is_double(gpuagg_batch_page_bytes(program(GPUAGG_CLASS_I64), 100), 100 * (2 * 9 + 9) + head,
			  "two numbers: nine bytes each, and nine of the row");
	is_double(gpuagg_batch_page_bytes(program(GPUAGG_CLASS_BYTES), 100),
			  100 * (9 + 17 + 9) + head + GPUAGG_PAGE_BYTES, "a string points into a copy");
	is_double(gpuagg_batch_page_bytes(program(GPUAGG_CLASS_F64), 0), head, "no lines");
}

static void
test_pages(void)
{
	const double page = gpuagg_batch_page_bytes(program(GPUAGG_CLASS_I64), 157);
	GpuAggDeviceInfo info = gpu(45 << 20);

	is_int(gpuagg_batch_pages(&info, page), 911, "45 MB: batches take a quarter");
	ok(gpuagg_batch_leaves(&info, page) >= 0.75 * (45 << 20) &&
	   gpuagg_batch_leaves(&info, page) < 0.7505 * (45 << 20), "and groups have the rest");
	info = gpu(112e9);
	is_int(gpuagg_batch_pages(&info, page), 1024, "a whole card: as many as it likes");
	is_double(gpuagg_batch_leaves(&info, page), 112e9 - 3 * 1024 * page, "which are nothing to it");
	info = gpu(1 << 20);
	is_int(gpuagg_batch_pages(&info, page), GPUAGG_BATCH_LEAST_PAGES, "never very few");
	is_double(gpuagg_batch_leaves(&info, 292 * 100), 1 << 18, "nor is nothing left for groups");
	info = gpu(0);
	is_int(gpuagg_batch_pages(&info, page), 1024, "no limit");
	is_double(gpuagg_batch_leaves(&info, page), 0, "stays none");
	info = gpu(1 << 20);
	info.decodes = 0;
	is_int(gpuagg_batch_pages(&info, page), 1024, "a device that reads pages where they are");
	is_double(gpuagg_batch_leaves(&info, page), 1 << 20, "has all memory for groups");
}

int
main(void)
{
	test_page_bytes();
	test_pages();
	return done_testing();
}
