/*
 * await_fill.c
 *		A task that waits for another one to bring pages to the column cache (await_fill.h).
 *
 * When many pages have changed, each of several clients that ask at the same time would read all of
 * them, and all would be slower by that.  So who comes first reads, and the others begin anew when
 * it is through: by then the device has what they need, if their snapshots see it so.  Where it
 * has not, for there was no room, waiting was for nothing; a table of which that was so is not
 * waited for again for a while.
 */
#include "postgres.h"

#include "heap/cached.h"
#include "ipc/client.h"
#include "ipc/stat.h"
#include "node/run/await_fill.h"
#include "node/run/device_task_inside.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* So long a table is not waited for after that was of no use. */
#define USELESS_MS 60000

/* The last one in this session */
static Oid useless_relid = InvalidOid;
static TimestampTz useless_since;

static bool
was_useless(Oid relid)
{
	return relid == useless_relid &&
		!TimestampDifferenceExceeds(useless_since, GetCurrentTimestamp(), USELESS_MS);
}

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

/* Does it bring all missing pages of its only table, and are they many? */
static bool
brings_many(const GpuAggTaskRun *run)
{
	const GpuAggTaskInput *input = gpuagg_inputs_at(run->inputs);
	const GpuAggTaskTable *table = input->table;

	return run->inputs->n == 1 && input->cached != NULL && input->cached->may_fill &&
		run->order->sample.method == GPUAGG_SAMPLE_NONE && gpuagg_task_is_first(run) &&
		table->first == 0 && table->end == table->nblocks &&
		table->nblocks - input->cached->used >= GPUAGG_FILLING_LEAST;
}

bool
gpuagg_await_fill(const GpuAggTaskRun *run, GpuAggFiller *other)
{
	const int	slot = gpuagg_client_ticket(run->client).slot;
	Oid			relid;

	if (!brings_many(run))
		return false;
	relid = RelationGetRelid(gpuagg_inputs_at(run->inputs)->table->rel);
	if (other == NULL)
	{
		useless_relid = relid;
		useless_since = GetCurrentTimestamp();
	}
	else if (was_useless(relid))
		other = NULL;
	if (gpuagg_filling_begin(slot, columns_of(run->program), other))
		return false;
	gpuagg_stat_add(GPUAGG_STAT_tasks_awaited, 1);
	return true;
}
