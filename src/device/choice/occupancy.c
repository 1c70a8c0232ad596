/*
 * occupancy.c
 *		The occupancy and running rounds model of Li et al., Performance
 *		Modeling in CUDA Streams (section III).
 *
 * Its constants are a unit's limits (GpuAggUnitLimits): MBMP blocks, MWMP
 * warps, MTW warp_threads, MRMP registers, MSMP shared_bytes, MRT
 * thread_registers, GRW register_unit, GWMP warp_unit, GSB shared_unit.
 * Beyond the paper, cards since sm_80 keep some shared memory of each block for
 * themselves, and a unit's threads are limited, too.
 */
#include "device/choice/occupancy.h"

static uint64_t
divide_up(uint64_t a, uint64_t b)
{
	return b != 0 ? (a + b - 1) / b : a;
}

static uint64_t
round_up(uint64_t a, uint64_t unit)
{
	return unit != 0 ? divide_up(a, unit) * unit : a;
}

static uint32_t
least(uint64_t a, uint64_t b)
{
	return (uint32_t) (a < b ? a : b);
}

/* Equation 3 */
static uint32_t
blocks_by_shared(const GpuAggUnitLimits *limits, const GpuAggKernelNeed *need,
				 uint32_t threads)
{
	uint64_t	bytes = need->shared_bytes +
		(uint64_t) need->thread_bytes * threads + limits->shared_reserved;

	bytes = round_up(bytes, limits->shared_unit);
	if (bytes == 0)
		return limits->blocks;
	return least(limits->blocks, limits->shared_bytes / bytes);
}

/* Equations 5 to 7 */
static uint32_t
blocks_by_registers(const GpuAggUnitLimits *limits,
					const GpuAggKernelNeed *need, uint64_t warps)
{
	uint64_t	warp_unit = limits->warp_unit != 0 ? limits->warp_unit : 1;
	uint64_t	of_warp = round_up((uint64_t) need->registers *
								   limits->warp_threads, limits->register_unit);

	if (need->registers == 0)
		return limits->blocks;
	if (limits->thread_registers != 0 &&
		need->registers > limits->thread_registers)
		return 0;
	return least(limits->blocks, limits->registers / (of_warp * warp_unit) *
				 warp_unit / warps);
}

GpuAggOccupancy
gpuagg_occupancy(const GpuAggUnitLimits *limits, const GpuAggKernelNeed *need,
				 uint32_t threads)
{
	GpuAggOccupancy o = {0};
	uint64_t	warps;

	if (threads == 0 || threads > limits->block_threads ||
		limits->warp_threads == 0 || limits->warps == 0)
		return o;
	warps = divide_up(threads, limits->warp_threads);	/* equation 4 */
	o.by_warps = least(limits->blocks, limits->warps / warps);
	o.by_warps = least(o.by_warps, limits->threads / threads);
	o.by_registers = blocks_by_registers(limits, need, warps);
	o.by_shared = blocks_by_shared(limits, need, threads);
	o.blocks = least(o.by_warps, least(o.by_registers, o.by_shared));
	o.threads = o.blocks * threads;
	o.share = (double) o.threads /
		((double) limits->warp_threads * limits->warps);
	return o;
}

uint64_t
gpuagg_occupancy_rounds(const GpuAggOccupancy *occupancy, uint32_t threads,
						uint64_t blocks, uint32_t units)
{
	if (occupancy->threads == 0 || units == 0)
		return 0;
	return divide_up(threads * blocks, (uint64_t) occupancy->threads * units);
}

/*
 * Equations 2 to 8 with what the other kernel's blocks take away from the unit.
 * Registers and shared memory are given in the units of equations 3 and 5, so
 * that what is left is what the other blocks do not hold.
 */
uint32_t
gpuagg_occupancy_beside(const GpuAggUnitLimits *limits,
						const GpuAggKernelNeed *need, uint32_t threads,
						const GpuAggKernelBlocks *other)
{
	GpuAggUnitLimits left = *limits;
	GpuAggOccupancy o = gpuagg_occupancy(limits, &other->need, other->threads);
	uint64_t	warps;
	uint64_t	warp_unit = limits->warp_unit != 0 ? limits->warp_unit : 1;
	uint64_t	registers;
	uint64_t	bytes;

	if (o.blocks < other->blocks)
		return 0;
	if (other->blocks == 0)
		return gpuagg_occupancy(limits, need, threads).blocks;
	warps = divide_up(other->threads, limits->warp_threads);
	registers = round_up((uint64_t) other->need.registers * limits->warp_threads,
						 limits->register_unit) * round_up(warps, warp_unit);
	bytes = round_up(other->need.shared_bytes +
					 (uint64_t) other->need.thread_bytes * other->threads +
					 limits->shared_reserved, limits->shared_unit);
	left.threads -= other->blocks * other->threads;
	left.blocks -= other->blocks;
	left.warps -= (uint32_t) (other->blocks * warps);
	left.registers -= least(limits->registers, other->blocks * registers);
	left.shared_bytes -= least(limits->shared_bytes, other->blocks * bytes);
	return gpuagg_occupancy(&left, need, threads).blocks;
}

GpuAggLaunch
gpuagg_occupancy_choose(const GpuAggUnitLimits *limits,
						const GpuAggKernelNeed *need, uint32_t units,
						uint64_t total)
{
	GpuAggLaunch best = {0};
	uint32_t	warp = limits->warp_threads != 0 ? limits->warp_threads : 1;

	if (total == 0)
		return best;
	for (uint32_t threads = warp; threads <= limits->block_threads;
		 threads += warp)
	{
		GpuAggOccupancy o = gpuagg_occupancy(limits, need, threads);
		GpuAggLaunch launch = {
			threads, o.blocks, divide_up(total, threads), 0, o.share
		};

		launch.rounds = gpuagg_occupancy_rounds(&o, threads, launch.blocks,
												units);
		if (launch.rounds == 0)
			continue;
		if (best.threads == 0 || launch.rounds < best.rounds ||
			(launch.rounds == best.rounds && launch.occupancy > best.occupancy))
			best = launch;
	}
	return best;
}
