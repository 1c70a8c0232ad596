/*
 * await_fill.c
 *		A task that waits for another one to bring pages to the column cache (await_fill.h).
 *
 * When many pages have changed, each of several clients that ask at the same time would read all of
 * them, and all would be slower by that.  So who comes first reads, and the others begin anew when
 * it is through: by then the device has what they need, if their snapshots see it so.  Where it
 * has not, for there was no room, or the changes are not committed, waiting was for nothing; a
 * table of which that was so is not waited for again for a while.
 */
#include "postgres.h"

#include "heap/cached.h"
#include "ipc/client.h"
#include "ipc/stat.h"
#include "node/run/await_fill.h"
#include "node/run/device_task_inside.h"
#include "utils/rel.h"

/* What a page takes to read, if no task over the table has told: on the dear side */
#define PAGE_NS 2000.0

/*
 * As many times as long as the pages would take this task alone it waits: who reads them may have
 * more to do with their rows.
 */
#define PATIENCE 4
#define LEAST_WAIT_MS 20

static GpuAggFillingColumns
columns_of(const GpuAggProgram *program)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(program);
	GpuAggFillingColumns columns = 0;

	for (uint32 i = 0; i < program->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG)
			columns |= i < 63 ? UINT64CONST(1) << i : GPUAGG_FILLING_OTHERS;
	return columns;
}

static BlockNumber
pages_missing(const GpuAggTaskInput *input)
{
	return input->table->nblocks - (BlockNumber) input->cached->used;
}

/* Does it bring all missing pages of its only table, and are they many? */
static bool
brings_many(const GpuAggTaskRun *run)
{
	const GpuAggTaskInput *input = gpuagg_inputs_at(run->inputs);
	const GpuAggTaskTable *table = input->table;

	return run->inputs->n == 1 && input->cached != NULL && input->cached->may_fill &&
		run->order->sample.method == GPUAGG_SAMPLE_NONE && gpuagg_task_is_first(run) &&
		table->first == 0 && table->end == table->nblocks &&
		pages_missing(input) >= GPUAGG_FILLING_LEAST;
}

bool
gpuagg_await_begin(GpuAggTaskRun *run)
{
	const GpuAggTaskInput *input = gpuagg_inputs_at(run->inputs);
	double		page_ns;
	Oid			relid;

	if (!brings_many(run))
		return false;
	page_ns = gpuagg_inputs_page_ns(run->inputs);
	relid = RelationGetRelid(input->table->rel);
	if (run->waiting == GPUAGG_HAS_WAITED)
		gpuagg_filling_useless(relid);
	if (gpuagg_filling_begin(gpuagg_client_ticket(run->client).slot, columns_of(run->program),
							 run->waiting == GPUAGG_MAY_WAIT &&
							 !gpuagg_filling_is_useless(relid) ? &run->other : NULL))
		return false;
	run->waiting = GPUAGG_WAITS;
	run->patience_ms = LEAST_WAIT_MS +
		PATIENCE * pages_missing(input) * (page_ns > 0 ? page_ns : PAGE_NS) / 1e6;
	return true;
}

void
gpuagg_await_wait(GpuAggTaskRun *run)
{
	instr_time	start = {0};

	memset(run->error, 0, sizeof(*run->error));
	run->tally->awaited = true;
	gpuagg_stat_add(GPUAGG_STAT_tasks_awaited, 1);
	gpuagg_task_time_start(run, &start);
	gpuagg_filling_wait(&run->other, run->patience_ms);
	gpuagg_task_time_add(run, &run->tally->wait_time, start);
}

void
gpuagg_await_end(const GpuAggTaskRun *run)
{
	gpuagg_filling_end(gpuagg_client_ticket(run->client).slot);
}
