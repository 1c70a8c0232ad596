/*
 * parallel.c
 *		What it takes to have a parallel worker of PostgreSQL's, as node/feed/feeders.c has
 *		them: how long until it is at work, and what its leader pays until it has gone.
 *
 * The worker only looks at the clock, which is the same for all processes of a machine
 * (CLOCK_MONOTONIC).  Where none can be had, nothing is known.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "calibrate/calibrate.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "probe/stats.h"
#include "utils/snapmgr.h"

extern PGDLLEXPORT void gpuagg_parallel_probe(dsm_segment *seg, shm_toc *toc);

#define KEY_CLOCK 1

/* Workers, one after the other, of which the median counts */
#define WORKERS 9

typedef struct ProbeClock
{
	instr_time	at_work;		/* when it was, and was through */
} ProbeClock;

void
gpuagg_parallel_probe(dsm_segment *seg, shm_toc *toc)
{
	ProbeClock *clock = shm_toc_lookup(toc, KEY_CLOCK, false);

	INSTR_TIME_SET_CURRENT(clock->at_work);
}

static double
ns_between(instr_time from, instr_time to)
{
	INSTR_TIME_SUBTRACT(to, from);
	return INSTR_TIME_GET_DOUBLE(to) * 1e9;
}

/* One worker; false: there is none to be had. */
static bool
run_worker(double *start_ns, double *leader_ns)
{
	ParallelContext *pcxt;
	instr_time	begin;
	instr_time	launched;
	instr_time	end;
	instr_time	at_work = {0};
	int			nlaunched;

	INSTR_TIME_SET_CURRENT(begin);
	EnterParallelMode();
	pcxt = CreateParallelContext("gpuagg", "gpuagg_parallel_probe", 1);
	shm_toc_estimate_chunk(&pcxt->estimator, sizeof(ProbeClock));
	shm_toc_estimate_keys(&pcxt->estimator, 1);
	InitializeParallelDSM(pcxt);
	if (pcxt->nworkers > 0)
	{
		ProbeClock *clock = shm_toc_allocate(pcxt->toc, sizeof(ProbeClock));

		shm_toc_insert(pcxt->toc, KEY_CLOCK, clock);
		LaunchParallelWorkers(pcxt);
		INSTR_TIME_SET_CURRENT(launched);
		WaitForParallelWorkersToFinish(pcxt);
		at_work = clock->at_work;
	}
	nlaunched = pcxt->nworkers_launched;
	DestroyParallelContext(pcxt);
	ExitParallelMode();
	if (nlaunched == 0)
		return false;
	INSTR_TIME_SET_CURRENT(end);
	*start_ns = ns_between(begin, at_work);
	*leader_ns = ns_between(begin, launched) + ns_between(at_work, end);
	return true;
}

void
gpuagg_measure_parallel(GpuAggCalibration *c)
{
	double		start[WORKERS];
	double		leader[WORKERS];
	int			n = 0;

	if (IsInParallelMode())
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	while (n < WORKERS && run_worker(&start[n], &leader[n]))
		n++;
	PopActiveSnapshot();
	if (n == 0)
		return;
	c->feeder_start_ns = gpuagg_stat_median(start, n);
	c->feeder_ns = gpuagg_stat_median(leader, n);
}
