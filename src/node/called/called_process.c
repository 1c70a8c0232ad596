/*
 * called_process.c
 *		A parallel worker that computes values of strings (called_process.h).
 *
 * An ERROR that is none of values goes to the leader by PostgreSQL's way for parallel workers.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "node/called/called_process.h"
#include "node/called/called_work.h"
#include "node/process/processes.h"

extern PGDLLEXPORT void gpuagg_called_main(dsm_segment *seg, shm_toc *toc);

/* The next strings; NULL: there are no more, or the leader has let go. */
static const GpuAggMsg *
take_strings(shm_mq_handle *in, Size *bytes)
{
	void	   *data;

	if (shm_mq_receive(in, bytes, &data, false) != SHM_MQ_SUCCESS || *bytes < sizeof(GpuAggMsg) ||
		((const GpuAggMsg *) data)->count == 0)
		return NULL;
	return data;
}

static void
compute_all(GpuAggCalledWork *work, shm_mq_handle *in, shm_mq_handle *out)
{
	StringInfoData values;
	const GpuAggMsg *strings;
	Size		bytes;

	initStringInfo(&values);
	while ((strings = take_strings(in, &bytes)) != NULL)
	{
		GpuAggCalledFailed failed = {.msg.type = GPUAGG_MSG_FAILED};

		if (gpuagg_called_compute(work, strings, bytes, &values, &failed.error) != GPUAGG_OK)
		{
			resetStringInfo(&values);
			appendBinaryStringInfo(&values, (const char *) &failed, sizeof(failed));
		}
		if (shm_mq_send(out, values.len, values.data, false, true) != SHM_MQ_SUCCESS)
			return;
	}
}

void
gpuagg_called_main(dsm_segment *seg, shm_toc *toc)
{
	EState	   *state = CreateExecutorState();
	MemoryContext old = MemoryContextSwitchTo(state->es_query_cxt);
	Expr	   *expr = stringToNode(shm_toc_lookup(toc, GPUAGG_PROCESS_TEXT, false));

	gpuagg_process_begin(toc);
	compute_all(gpuagg_called_work_begin(expr, CreateExprContext(state)),
				gpuagg_process_queue(toc, seg, GPUAGG_PROCESS_IN, GPUAGG_CALLED_QUEUE_BYTES,
									 false),
				gpuagg_process_queue(toc, seg, GPUAGG_PROCESS_OUT, GPUAGG_CALLED_QUEUE_BYTES,
									 true));
	gpuagg_process_end(toc);
	MemoryContextSwitchTo(old);
	FreeExecutorState(state);
}
