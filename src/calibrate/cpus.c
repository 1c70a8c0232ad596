/*
 * cpus.c
 *		Moves this process from CPU to CPU.
 */
#include "postgres.h"

#include "calibrate/cpus.h"

void
gpuagg_cpus_remember(GpuAggCpus *cpus)
{
	const int	cpu = sched_getcpu();

	/* fails where there are more CPUs than a set holds */
	if (sched_getaffinity(0, sizeof(cpus->allowed), &cpus->allowed) != 0)
		CPU_ZERO(&cpus->allowed);
	cpus->first = Max(cpu, 0);
}

void
gpuagg_cpus_move(const GpuAggCpus *cpus, int turn)
{
	int			count = CPU_COUNT(&cpus->allowed);
	int			cpu = cpus->first;
	cpu_set_t	one;

	if (count == 0)
		return;
	for (int left = turn % count;; cpu = (cpu + 1) % CPU_SETSIZE)
		if (CPU_ISSET(cpu, &cpus->allowed) && left-- == 0)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	(void) sched_setaffinity(0, sizeof(one), &one);
}

void
gpuagg_cpus_restore(const GpuAggCpus *cpus)
{
	if (CPU_COUNT(&cpus->allowed) > 0)
		(void) sched_setaffinity(0, sizeof(cpus->allowed), &cpus->allowed);
}
