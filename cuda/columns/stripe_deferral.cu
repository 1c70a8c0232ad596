/*
 * stripe_deferral.cu
 *		Which programs read columns as they lie when their input has ended
 *		(groupby_sources.cu), and which NULLs keep them from it.
 */
#include "cuda/columns/resident.h"
#include "device/choice/local.h"

/* A column whose NULLs matter; false: there are too many */
static bool
use_column(GpuAggStripeRun *run, uint16_t column)
{
	for (uint32_t i = 0; i < run->nused; i++)
		if (run->used[i] == column)
			return true;
	if (run->nused == GPUAGG_STRIPE_USED)
		return false;
	run->used[run->nused++] = column;
	return true;
}

/* The key, and whatever is an argument: NULLs of others do not matter. */
static bool
use_columns(const GpuAggProgram *p, GpuAggStripeRun *run)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	if (!use_column(run, gpuagg_program_keys(p)[0].reg))
		return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (trans[i].arg != GPUAGG_NO_REG && !use_column(run, trans[i].arg))
			return false;
	return true;
}

bool
gpuagg_cuda_stripe_defers(const GpuAggTask *task, GpuAggStripeDeferral *d)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggSourceShape shape;

	memset(d, 0, sizeof(*d));
	if (!gpuagg_local_is_plain(p) || !gpuagg_cuda_groupby_takes_sources(task->prepared, &shape) ||
		gpuagg_column_bytes(p, shape.key) != shape.key_bytes ||
		(shape.has_arg && gpuagg_column_bytes(p, shape.arg) != sizeof(uint32_t)) ||
		!use_columns(p, &d->run))
		return false;
	d->key = shape.key;
	d->arg = shape.arg;
	d->open = true;
	return true;
}
