/*
 * probe_occupancy_test.c
 *		The occupancy model against the kernels of Li et al., Performance Modeling in CUDA
 *		Streams, and NVIDIA's own answers.
 */
#include "device/choice/occupancy.h"
#include "tap.h"

/* Paper 003, table I, compute capability 3.0; the GTX 680 has 8 units. */
static const GpuAggUnitLimits kepler = {
	.threads = 2048, .blocks = 16, .warps = 64, .registers = 65536,
	.shared_bytes = 49152, .warp_threads = 32, .block_threads = 1024,
	.register_unit = 256, .warp_unit = 4, .shared_unit = 256,
	.thread_registers = 64
};

static const GpuAggUnitLimits hopper = {
	.threads = 2048, .blocks = 32, .warps = 64, .registers = 65536,
	.shared_bytes = 228 * 1024, .warp_threads = 32, .block_threads = 1024,
	.register_unit = 256, .warp_unit = 4, .shared_unit = 128,
	.shared_reserved = 1024, .thread_registers = 255
};

/*
 * Paper 003, tables III and IV, and section IV.A for the blocks.  The
 * occupancies that it prints for E and F leave their shared memory out; its
 * equations, and its third experiment (one block of each fills a unit), give
 * two blocks.
 */
static void
test_paper(void)
{
	static const struct
	{
		const char *name;
		GpuAggKernelNeed need;
		uint32_t	threads;
		uint32_t	blocks;
		double		occupancy;
	}			kernels[] = {
		{"A", {11, 0, 0}, 1024, 2, 1},
		{"B", {33, 0, 0}, 1024, 1, 0.5},
		{"C", {11, 0, 0}, 256, 8, 1},
		{"D", {44, 0, 0}, 256, 5, 0.625},
		{"E", {11, 24576, 0}, 256, 2, 0.25},
		{"F", {44, 24576, 0}, 256, 2, 0.25}
	};
	char		name[64];
	GpuAggOccupancy o;

	for (int i = 0; i < 6; i++)
	{
		o = gpuagg_occupancy(&kepler, &kernels[i].need, kernels[i].threads);
		snprintf(name, sizeof(name), "kernel %s: blocks of a unit", kernels[i].name);
		is_int(o.blocks, kernels[i].blocks, name);
		snprintf(name, sizeof(name), "kernel %s: occupancy", kernels[i].name);
		is_double(o.share, kernels[i].occupancy, name);
	}

	/* Eight streams of four blocks of A on eight units: 16 blocks at a time */
	o = gpuagg_occupancy(&kepler, &kernels[0].need, 1024);
	is_int(gpuagg_occupancy_rounds(&o, 1024, 8 * 4, 8), 2, "32 blocks of A: two rounds");
	is_int(gpuagg_occupancy_rounds(&o, 1024, 16, 8), 1, "16 blocks of A: one round");
	is_int(gpuagg_occupancy_rounds(&o, 1024, 17, 8), 2, "17 blocks of A: two rounds");
	o = gpuagg_occupancy(&kepler, &kernels[1].need, 1024);
	is_int(gpuagg_occupancy_rounds(&o, 1024, 10, 8), 2, "10 blocks of B: two rounds");
}

static void
test_limits(void)
{
	GpuAggKernelNeed need = {65, 0, 0};
	GpuAggOccupancy o = gpuagg_occupancy(&kepler, &need, 32);

	is_int(o.blocks, 0, "more registers than a thread may have");
	is_int(gpuagg_occupancy_rounds(&o, 32, 1, 8), 0, "what cannot run has no rounds");
	is_int(gpuagg_occupancy_choose(&kepler, &need, 8, 1000).threads, 0,
		   "and no launch");
	need = (GpuAggKernelNeed) {0, 49153, 0};
	is_int(gpuagg_occupancy(&kepler, &need, 32).by_shared, 0,
		   "more shared memory than a unit has");
	need = (GpuAggKernelNeed) {0, 0, 0};
	is_int(gpuagg_occupancy(&kepler, &need, 32).blocks, 16,
		   "nothing needed: as many blocks as a unit takes");
	is_int(gpuagg_occupancy(&kepler, &need, 1025).blocks, 0, "too large a block");
	is_int(gpuagg_occupancy(&kepler, &need, 0).blocks, 0, "an empty block");
	need = (GpuAggKernelNeed) {16, 0, 40};
	is_int(gpuagg_occupancy(&kepler, &need, 256).by_shared, 4,
		   "shared memory for each thread");
}

/* Answers of cuda_occupancy.h (CUDA 13.0) for sm_90, carveout 100 % */
static void
test_hopper(void)
{
	static const struct
	{
		uint32_t	threads;
		uint32_t	registers;
		uint32_t	shared;
		uint32_t	blocks;
	}			answers[] = {
		{1024, 32, 0, 2}, {1024, 33, 0, 1}, {256, 40, 0, 6},
		{256, 40, 50000, 4}, {256, 64, 0, 4}, {96, 128, 0, 5},
		{32, 16, 0, 32}, {128, 255, 0, 2}, {512, 72, 98304, 1},
		{1024, 64, 231424, 1}, {1024, 65, 0, 0}, {768, 40, 0, 2},
		{64, 32, 6000, 32}, {192, 96, 0, 3}, {160, 50, 0, 7}
	};
	char		name[80];

	for (uint32_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
	{
		GpuAggKernelNeed need = {answers[i].registers, answers[i].shared, 0};

		snprintf(name, sizeof(name), "sm_90: %u threads, %u registers, %u bytes",
				 answers[i].threads, answers[i].registers, answers[i].shared);
		is_int(gpuagg_occupancy(&hopper, &need, answers[i].threads).blocks,
			   answers[i].blocks, name);
	}
}

static void
test_beside(void)
{
	GpuAggKernelNeed group = {64, 0, 0};
	GpuAggKernelNeed table = {64, 48192, 0};
	GpuAggKernelNeed large = {32, 150000, 0};
	GpuAggKernelBlocks decode = {{40, 8208, 0}, 256, 1};
	GpuAggKernelBlocks none = {{40, 8208, 0}, 256, 0};
	GpuAggKernelBlocks many = {{40, 8208, 0}, 256, 7};

	is_int(gpuagg_occupancy(&hopper, &group, 512).blocks, 2,
		   "alone, two blocks fill the registers");
	is_int(gpuagg_occupancy_beside(&hopper, &group, 512, &none), 2, "and beside nothing");
	is_int(gpuagg_occupancy_beside(&hopper, &group, 512, &decode), 1, "beside a decoder, one");
	is_int(gpuagg_occupancy_beside(&hopper, &group, 256, &decode), 3, "and three of half its size");
	is_int(gpuagg_occupancy_beside(&hopper, &table, 512, &decode), 1, "with a table each, too");
	decode.blocks = 4;
	is_int(gpuagg_occupancy_beside(&hopper, &group, 512, &decode), 0, "beside four, none");
	is_int(gpuagg_occupancy_beside(&hopper, &group, 512, &many), 0, "beside more than fit, none");
	decode.blocks = 1;
	decode.need.shared_bytes = 80000;
	is_int(gpuagg_occupancy_beside(&hopper, &large, 256, &decode), 1, "shared memory of both fits");
	decode.need.shared_bytes = 90000;
	is_int(gpuagg_occupancy_beside(&hopper, &large, 256, &decode), 0, "or does not");
}

static void
test_choice(void)
{
	GpuAggKernelNeed need = {40, 0, 0};
	GpuAggLaunch launch = gpuagg_occupancy_choose(&hopper, &need, 132, 10000000);
	uint64_t	fewest = launch.rounds;

	ok(launch.threads % 32 == 0 && launch.blocks * launch.threads >= 10000000 &&
	   (launch.blocks - 1) * launch.threads < 10000000,
	   "as many blocks as the threads need");
	for (uint32_t threads = 32; threads <= 1024; threads += 32)
	{
		GpuAggOccupancy o = gpuagg_occupancy(&hopper, &need, threads);
		uint64_t rounds = gpuagg_occupancy_rounds(&o, threads, (9999999 + threads) / threads, 132);

		fewest = rounds < fewest ? rounds : fewest;
	}
	is_int((long long) launch.rounds, (long long) fewest, "no block size takes fewer rounds");

	need = (GpuAggKernelNeed) {32, 0, 0};
	launch = gpuagg_occupancy_choose(&hopper, &need, 132, 132 * 2048);
	ok(launch.rounds == 1 && launch.occupancy == 1 && launch.threads == 64,
	   "a full card in one round, in the smallest blocks that fill it");
	need = (GpuAggKernelNeed) {32, 65536, 0};
	launch = gpuagg_occupancy_choose(&hopper, &need, 132, 132 * 2048);
	ok(launch.blocks_per_unit == 2 && launch.threads == 1024,
	   "shared memory for each block: large blocks");
	is_int((long long) gpuagg_occupancy_choose(&hopper, &need, 132, 0).blocks, 0,
		   "no threads, no launch");
}

int
main(void)
{
	test_paper();
	test_limits();
	test_hopper();
	test_beside();
	test_choice();
	return done_testing();
}
