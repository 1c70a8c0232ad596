/*
 * cpus.h
 *		Moves this process from CPU to CPU, for measurements that one slow CPU would
 *		spoil.
 */
#ifndef GPUAGG_CALIBRATE_CPUS_H
#define GPUAGG_CALIBRATE_CPUS_H

#include <sched.h>

typedef struct GpuAggCpus
{
	cpu_set_t	allowed;		/* before; empty: not known */
	int			first;
} GpuAggCpus;

/* Which CPUs this process may use */
extern void gpuagg_cpus_remember(GpuAggCpus *cpus);

/*
 * Binds it to one of them, on and on to the next one.  Nothing happens where that
 * is not possible.
 */
extern void gpuagg_cpus_move(const GpuAggCpus *cpus, int turn);

/* To any of them, as before */
extern void gpuagg_cpus_restore(const GpuAggCpus *cpus);

#endif							/* GPUAGG_CALIBRATE_CPUS_H */
