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
runtime_evaluate(GpuAggScan *scan, BlockNumber nblocks, Values *v, GpuAggError *error)
{
	ExprContext *econtext = scan->css.ss.ps.ps_ExprContext;
	const int	n = list_length(scan->runtime);

	v->values = palloc0(Max(1, n) * sizeof(Datum));
	v->isnull = palloc(Max(1, n) * sizeof(bool));
	memset(v->isnull, true, n * sizeof(bool));
	ResetExprContext(econtext);
	if (nblocks == 0 &&
		(scan->info->gate < 0 || scan->info->sample == GPUAGG_SAMPLE_NONE))
		return GPUAGG_OK;
	gpuagg_runtime_params(scan->params, econtext);
	return gpuagg_runtime_values(scan->runtime, scan->info->runtime, scan->info->program, econtext,
								 v->values, v->isnull, error);
}

static GpuAggProgram *
bind_program(GpuAggScan *scan, const Values *v, const GpuAggLookup *const *blocks,
			 BlockNumber nblocks, GpuAggProbes *probes)
{
	GpuAggProgram *program = gpuagg_plan_bind(scan->info, v->values, v->isnull, blocks);

	if (scan->lookups == NULL)
		return program;
	gpuagg_lookups_fill(scan->lookups, scan->info, program);
	gpuagg_probes_arrange(probes, scan->info, scan->relid, nblocks, program);
	return program;
}

/* The tables, and the program with them; false: see error. */
static bool
bind_tables(GpuAggScan *scan, int device, const Values *v, BlockNumber *nblocks, bool here,
			GpuAggBinding *binding, GpuAggError *error)
{
	static const GpuAggLookup *const none[GPUAGG_MAX_LOOKUPS] = {NULL};
	const GpuAggLookup *const *blocks = none;
	bool		nothing = false;

	memset(binding, 0, sizeof(*binding));
	if (scan->lookups != NULL)
		gpuagg_lookups_of(scan->lookups, scan->relid, *nblocks);
	if (scan->lookups != NULL && *nblocks > 0 &&
		(blocks = gpuagg_lookups_make(scan->lookups, device, here, &nothing,
									  error)) == NULL)
		return false;
	if (nothing)
		*nblocks = 0;
	binding->program = bind_program(scan, v, blocks, *nblocks, &binding->probes);
	return true;
}

/* Programs of the other cards that share the task; false: one of them cannot have it so. */
static bool
bind_cards(GpuAggScan *scan, const Values *v, BlockNumber nblocks, GpuAggBinding *binding)
{
	const GpuAggSpread *spread = &scan->spread;
	bool		made = true;

	for (int i = 1; i < spread->n && made; i++)
	{
		const GpuAggLookup *const *blocks;

		blocks = gpuagg_lookups_make_again(scan->lookups, spread->cards[i].at);
		made = blocks != NULL;
		if (!made)
			continue;
		binding->cards[i] = bind_program(scan, v, blocks, nblocks, &binding->probes);
		binding->cards[i]->hash_seed = binding->program->hash_seed;
	}
	return made;
}

bool
gpuagg_scan_bind(GpuAggScan *scan, int device, BlockNumber *nblocks, bool here,
				 GpuAggBinding *binding, GpuAggError *error)
{
	Values		v;

	if (runtime_evaluate(scan, *nblocks, &v, error) != GPUAGG_OK)
		return false;
	here |= scan->spread.n > 0 && gpuagg_lookups_numbers(scan->info);
	if (!bind_tables(scan, device, &v, nblocks, here, binding, error))
		return false;
	return here || *nblocks == 0 || scan->lookups == NULL ||
		!gpuagg_lookups_on_device(scan->lookups) || bind_cards(scan, &v, *nblocks, binding) ||
		bind_tables(scan, device, &v, nblocks, true, binding, error);
}
