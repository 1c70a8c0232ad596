/*
 * shared_run.c
 *		What the run of a node in a parallel plan was like (shared_run.h).
 *
 * Of the processes of a parallel plan one runs the node.  Counters go with it: from the
 * leader to the worker when that begins, and back when its run is over, so that they are
 * sums over all runs wherever these were.
 *
 * The leader looks when PostgreSQL shuts down its nodes or launches workers again, for then
 * the workers are through.  Under a LIMIT they may still be at work: a run that is not over
 * is not counted.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "node/run/shared_run.h"
#include "port/atomics.h"

struct GpuAggSharedRun
{
	pg_atomic_uint32 ran;		/* what follows is of a worker's run */
	GpuAggCounters counters;
};

Size
gpuagg_shared_run_bytes(void)
{
	return sizeof(GpuAggSharedRun);
}

void
gpuagg_shared_run_init(GpuAggScan *scan, void *at)
{
	GpuAggSharedRun *shared = at;

	scan->shared = shared;
	pg_atomic_init_u32(&shared->ran, 0);
	shared->counters = scan->counters;
}

void
gpuagg_shared_run_attach(GpuAggScan *scan, void *at)
{
	scan->shared = at;
	scan->counters = scan->shared->counters;
}

void
gpuagg_shared_run_note(const GpuAggScan *scan)
{
	GpuAggSharedRun *shared = scan->shared;

	if (shared == NULL || !IsParallelWorker())
		return;
	shared->counters = scan->counters;
	pg_write_barrier();
	pg_atomic_write_u32(&shared->ran, 1);
}

void
gpuagg_shared_run_collect(GpuAggScan *scan)
{
	GpuAggSharedRun *shared = scan->shared;

	if (shared == NULL || IsParallelWorker() || pg_atomic_read_u32(&shared->ran) == 0)
		return;
	pg_read_barrier();
	scan->counters = shared->counters;
}

void
gpuagg_shared_run_forget(GpuAggScan *scan)
{
	scan->shared = NULL;
}
