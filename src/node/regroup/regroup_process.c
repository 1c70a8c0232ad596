/*
 * regroup_process.c
 *		A parallel worker that makes groups of some of a device's (regroup_processes.h).
 *
 * PostgreSQL has restored the leader's transaction, settings and rights.  It has the plan of the
 * leader's node, and of a scan what regrouping reads.  All groups that it is given are here before
 * it begins, for it may have to read them more than once.  An ERROR goes to the leader by
 * PostgreSQL's way for parallel workers.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "node/process/processes.h"
#include "node/regroup/regroup_process.h"
#include "node/regroup/regroup_run.h"
#include "node/regroup/regroup_store.h"
#include "utils/memutils.h"

extern PGDLLEXPORT void gpuagg_regroup_main(dsm_segment *seg, shm_toc *toc);

/* The leader has let go: it has raised an ERROR, and so nothing is wanted. */
pg_noreturn static void
leader_gone(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_ADMIN_SHUTDOWN),
			 errmsg("lost connection to the leader of a regrouping")));
}

static void
take_groups(shm_mq_handle *in, GpuAggResults *groups)
{
	for (;;)
	{
		const GpuAggRegroupMsg *head;
		Size		bytes;
		void	   *data;

		if (shm_mq_receive(in, &bytes, &data, false) != SHM_MQ_SUCCESS)
			leader_gone();
		head = data;
		if (bytes < sizeof(*head))
			elog(ERROR, "unexpected message from the leader of a regrouping");
		if (head->count == 0)
			return;
		gpuagg_store_add(gpuagg_results_store(groups), (const char *) (head + 1), head->count,
						 bytes - sizeof(*head));
	}
}

static void
send_message(shm_mq_handle *out, const GpuAggRegroupMsg *head, const char *groups, Size bytes)
{
	shm_mq_iovec parts[2] = {
		{(const char *) head, sizeof(*head)},
		{groups, bytes}
	};

	if (shm_mq_sendv(out, parts, 2, false, true) != SHM_MQ_SUCCESS)
		leader_gone();
}

static void
send_made(shm_mq_handle *out, GpuAggResults *made)
{
	GpuAggRegroupMsg head = {0};
	const char *groups;
	Size		bytes;

	gpuagg_results_rewind(made);
	while ((groups = gpuagg_store_next_bytes(gpuagg_results_store(made), &head.count,
											 &bytes)) != NULL)
		send_message(out, &head, groups, bytes);
}

static void
regroup(shm_toc *toc, dsm_segment *seg)
{
	CustomScan *plan = castNode(CustomScan,
								stringToNode(shm_toc_lookup(toc, GPUAGG_PROCESS_TEXT, false)));
	shm_mq_handle *in = gpuagg_process_queue(toc, seg, GPUAGG_PROCESS_IN,
											 GPUAGG_REGROUP_QUEUE_BYTES, false);
	shm_mq_handle *out = gpuagg_process_queue(toc, seg, GPUAGG_PROCESS_OUT,
											  GPUAGG_REGROUP_QUEUE_BYTES, true);
	EState	   *state = CreateExecutorState();
	/* of a scan, what regrouping reads */
	const GpuAggScan scan = {
		.css.ss.ps.type = T_CustomScanState,
		.css.ss.ps.plan = &plan->scan.plan,
		.css.ss.ps.state = state,
		.info = gpuagg_plan_unpack(plan->custom_private),
		.owner = CurrentResourceOwner
	};
	GpuAggRegroupMsg end = {0};
	GpuAggFound found = {0};
	GpuAggDemand demand = {.info = scan.info,.found = &found};

	found.results = gpuagg_regroup_store(&scan, scan.info);
	take_groups(in, found.results);
	if (gpuagg_regroup_run(&scan, &demand, &end.rows, &end.error) == GPUAGG_OK)
		send_made(out, found.results);
	send_message(out, &end, "", 0);
	gpuagg_results_free(found.results);
	FreeExecutorState(state);
}

void
gpuagg_regroup_main(dsm_segment *seg, shm_toc *toc)
{
	gpuagg_process_begin(toc);
	regroup(toc, seg);
	gpuagg_process_end(toc);
}
