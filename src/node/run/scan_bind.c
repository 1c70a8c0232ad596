/*
 * scan_bind.c
 *		The program of a run, with its runtime constants and look-up tables (scan_bind.h).
 *
 * Where several cards share a task and make look-up tables of columns that they keep, each
 * makes its own, and has a program of its own, which names them.  They differ in nothing
 * else.  If strings of a table are numbers, which are codes of a card's dictionary, or if one
 * of the cards cannot make its table, the backend makes all tables, for all of them.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "ipc/shmem.h"
#include "node/lookup/runtime.h"
#include "node/run/scan_bind.h"
#include "settings.h"

/* What a program is bound with */
typedef struct Values
{
	Datum	   *values;			/* of runtime constants */
	bool	   *isnull;
} Values;

/*
 * Values of the runtime constants.  Of an empty table PostgreSQL evaluates
 * nothing, not even parameters (they may be subqueries), and so do we; but a
 * condition without columns keeps it from looking at a sample's arguments.
 */
static GpuAggStatus
runtime_evaluate(const GpuAggScan *scan, const GpuAggOrder *order, Values *v, GpuAggError *error)
{
	const GpuAggDemand *demand = order->demand;
	const GpuAggPlanInfo *info = demand->info;
	ExprContext *econtext = scan->css.ss.ps.ps_ExprContext;
	const int	n = list_length(demand->runtime);

	v->values = palloc0(Max(1, n) * sizeof(Datum));
	v->isnull = palloc(Max(1, n) * sizeof(bool));
	memset(v->isnull, true, n * sizeof(bool));
	ResetExprContext(econtext);
	if (order->nblocks == 0 && (info->gate < 0 || info->sample == GPUAGG_SAMPLE_NONE))
		return GPUAGG_OK;
	gpuagg_runtime_params(demand->params, econtext);
	return gpuagg_runtime_values(demand->runtime, info->runtime, info->program, econtext,
								 v->values, v->isnull, error);
}

static GpuAggProgram *
bind_program(const GpuAggScan *scan, const GpuAggOrder *order, const Values *v,
			 const GpuAggLookup *const *blocks, GpuAggBinding *binding)
{
	const GpuAggPlanInfo *info = order->demand->info;
	const BlockNumber nblocks = binding->nothing ? 0 : order->nblocks;
	GpuAggProgram *program = gpuagg_plan_bind(info, v->values, v->isnull, blocks);

	if (scan->lookups == NULL)
		return program;
	gpuagg_lookups_fill(scan->lookups, info, program);
	gpuagg_probes_arrange(&binding->probes, info, scan->relid, nblocks, program);
	return program;
}

/* The tables, and the program with them; false: see error. */
static bool
bind_tables(const GpuAggScan *scan, const GpuAggOrder *order, const Values *v, bool here,
			GpuAggBinding *binding, GpuAggError *error)
{
	static const GpuAggLookup *const none[GPUAGG_MAX_LOOKUPS] = {NULL};
	const GpuAggLookup *const *blocks = none;

	memset(binding, 0, sizeof(*binding));
	if (scan->lookups != NULL)
		gpuagg_lookups_of(scan->lookups, scan->relid, order->nblocks);
	if (scan->lookups != NULL && order->nblocks > 0 &&
		(blocks = gpuagg_lookups_make(scan->lookups, order->device, here, &binding->nothing,
									  error)) == NULL)
		return false;
	binding->program = bind_program(scan, order, v, blocks, binding);
	return true;
}

/* Programs of the other cards that share the task; false: one of them cannot have it so. */
static bool
bind_cards(const GpuAggScan *scan, const GpuAggOrder *order, const GpuAggPlace *place,
		   const Values *v, GpuAggBinding *binding)
{
	bool		made = true;

	for (int i = 1; i < place->ncards && made; i++)
	{
		const GpuAggLookup *const *blocks;

		blocks = gpuagg_lookups_make_again(scan->lookups, place->cards[i]);
		made = blocks != NULL;
		if (!made)
			continue;
		binding->cards[i] = bind_program(scan, order, v, blocks, binding);
		binding->cards[i]->hash_seed = binding->program->hash_seed;
	}
	return made;
}

bool
gpuagg_scan_bind(const GpuAggScan *scan, const GpuAggOrder *order, const GpuAggPlace *place,
				 bool here, GpuAggBinding *binding, GpuAggError *error)
{
	Values		v;

	if (runtime_evaluate(scan, order, &v, error) != GPUAGG_OK)
		return false;
	here |= place->ncards > 0 && gpuagg_lookups_numbers(order->demand->info);
	if (!bind_tables(scan, order, &v, here, binding, error))
		return false;
	return here || order->nblocks == 0 || binding->nothing || scan->lookups == NULL ||
		!gpuagg_lookups_on_device(scan->lookups) || bind_cards(scan, order, place, &v, binding) ||
		bind_tables(scan, order, &v, true, binding, error);
}
