/*
 * kernel_states.c
 *		Kernels that the primary device compiles: their list for gpuagg.kernels, what
 *		the log is told of them, their counters.
 *
 * The device changes them at any time, on threads of its own; each turn of the loop
 * asks whether it has.
 */
#include "postgres.h"

#include "ipc/kernels_shared.h"
#include "worker/kernel_states.h"
#include "worker/worker.h"

static GpuAggKernelTotals published;
static uint64 seen = UINT64_MAX;	/* changes, at the last turn */
static uint32 told_compiler;	/* 1: the log knows that there is one, 2: that there
								 * is none */

/*
 * Who compiles, once it is known; a device that was never asked to tells nothing.
 * True if that is new.
 */
static bool
compiler_log(void)
{
	const GpuAggWorkerDevice *on = &gpuagg_worker.primary;
	GpuAggDeviceInfo info = {0};
	uint32		tell;

	on->ops->info(on->device, &info);
	if (info.compiler[0] == '\0')
		return false;
	tell = info.compiles ? 1 : 2;
	if (tell == told_compiler)
		return false;
	told_compiler = tell;
	if (info.compiles)
		ereport(LOG,
				(errmsg("gpuagg: kernels for queries are compiled by %s", info.compiler)));
	else
		ereport(LOG,
				(errmsg("gpuagg: no kernels are compiled for queries: %s", info.compiler)));
	return true;
}

static void
failures_log(const GpuAggCompiledInfo *entries, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		if (entries[i].news)
			ereport(LOG,
					(errmsg("gpuagg: could not compile a kernel for \"%s\": %s",
							entries[i].shape, entries[i].message),
					 errdetail("Such queries are interpreted.")));
}

static void
counters_add(const GpuAggKernelTotals *now)
{
	gpuagg_stat_add(GPUAGG_STAT_kernels_compiled, now->compiled - published.compiled);
	gpuagg_stat_add(GPUAGG_STAT_kernels_from_disk, now->from_disk - published.from_disk);
	gpuagg_stat_add(GPUAGG_STAT_kernels_failed, now->failed - published.failed);
	gpuagg_stat_add(GPUAGG_STAT_kernels_refused, now->refused - published.refused);
	gpuagg_stat_add(GPUAGG_STAT_compiler_restarts, now->restarts - published.restarts);
}

/* The list as it is, whatever has changed */
void
gpuagg_kernels_publish(void)
{
	static GpuAggCompiledInfo entries[GPUAGG_KERNEL_ENTRIES];
	const GpuAggWorkerDevice *on = &gpuagg_worker.primary;
	GpuAggKernelTotals totals = {0};
	uint32		n;

	if (on->ops->kernels == NULL)
		return;
	n = on->ops->kernels(on->device, entries, GPUAGG_KERNEL_ENTRIES, &totals);
	counters_add(&totals);
	published = totals;
	gpuagg_kernels_set(gpuagg_worker.at, entries, n);
	failures_log(entries, n);
}

bool
gpuagg_kernels_turn(void)
{
	const GpuAggWorkerDevice *on = &gpuagg_worker.primary;
	GpuAggKernelTotals totals = {0};

	if (on->ops->kernels == NULL)
		return false;
	(void) on->ops->kernels(on->device, NULL, 0, &totals);
	if (totals.changes == seen)
		return false;
	seen = totals.changes;
	gpuagg_kernels_publish();
	return compiler_log();
}
