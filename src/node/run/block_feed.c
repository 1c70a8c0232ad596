/*
 * block_feed.c
 *		Feeds the rows of a plan to a task (block_feed.h).
 *
 * A number of blocks (plan_rows.c) are in flight while the plan goes on.
 */
#include "postgres.h"

#include "ipc/block_ring.h"
#include "node/run/block_feed.h"

GpuAggStatus
gpuagg_block_start(GpuAggTaskRun *run)
{
	const GpuAggScan *scan = run->scan;
	GpuAggStatus status = gpuagg_plan_rows_start(scan->rows, run->program,
												 gpuagg_task_long_values(run), run->error);

	run->outcome->met_long |= status == GPUAGG_VALUE_ERROR;
	if (status != GPUAGG_OK)
		gpuagg_plan_rows_stop(scan->rows);
	return status;
}

static GpuAggStatus
send_block(GpuAggTaskRun *run, bool *more)
{
	GpuAggTaskInput *input = gpuagg_inputs_at(run->inputs);
	GpuAggStatus status;
	instr_time	start = {0};

	gpuagg_task_time_start(run, &start);
	status = gpuagg_plan_rows_send(run->scan->rows, run->client, input->next_batch, more,
								   run->error);
	run->outcome->met_long |= status == GPUAGG_VALUE_ERROR;
	input->next_batch += *more;
	run->rows_in_flight += *more;
	gpuagg_task_time_add(run, &run->tally->feed_time, start);
	return status;
}

GpuAggStatus
gpuagg_block_feed(GpuAggTaskRun *run)
{
	GpuAggStatus status = GPUAGG_OK;
	bool		more = true;

	while (status == GPUAGG_OK && (more || run->rows_in_flight > 0))
	{
		status = gpuagg_task_receive(run, !more || run->rows_in_flight >= GPUAGG_RING_BLOCKS);
		if (status == GPUAGG_OK && run->done)
			status = gpuagg_task_garbled(run);
		if (status == GPUAGG_OK && more && run->rows_in_flight < GPUAGG_RING_BLOCKS)
			status = send_block(run, &more);
	}
	run->tally->work.rows_scanned += gpuagg_plan_rows_given(run->scan->rows);
	run->tally->work.rows_passed += gpuagg_plan_rows_given(run->scan->rows);
	return status;
}
