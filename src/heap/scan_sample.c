/*
 * scan_sample.c
 *		The sample that a scan takes, as nodeSamplescan.c, bernoulli.c and
 *		system.c have it: what is evaluated when, which errors are raised in
 *		which order, and how a percentage becomes a cutoff.
 *
 * Without REPEATABLE the seed is drawn once, when execution starts: rescans
 * take the same sample again, or another percentage of the same dice.
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "executor/executor.h"
#include "heap/scan_sample.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

uint32
gpuagg_sample_draw_seed(void)
{
	return pg_prng_uint32(&pg_global_prng_state);
}

void
gpuagg_sample_init(GpuAggSampleState *state, int method, bool repeatable,
				   List *exprs, PlanState *ps)
{
	state->method = method;
	if (method == GPUAGG_SAMPLE_NONE)
		return;
	state->percent = ExecInitExpr(linitial(exprs), ps);
	if (repeatable)
		state->repeatable = ExecInitExpr(lsecond(exprs), ps);
	else
		state->seed = gpuagg_sample_draw_seed();
}

static void
raise_null_argument(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TABLESAMPLE_ARGUMENT),
			 errmsg("TABLESAMPLE parameter cannot be null")));
}

static double
sample_percent(const GpuAggSampleState *state, ExprContext *econtext)
{
	bool		isnull;
	Datum		value = ExecEvalExprSwitchContext(state->percent, econtext,
												  &isnull);

	if (isnull)
		raise_null_argument();
	return DatumGetFloat4(value);
}

static int64
sample_draws(const GpuAggSampleState *state, ExprContext *econtext)
{
	bool		isnull;
	Datum		value = ExecEvalExprSwitchContext(state->percent, econtext,
												  &isnull);

	if (isnull)
		raise_null_argument();
	return DatumGetInt64(value);
}

static uint32
sample_seed(const GpuAggSampleState *state, uint32 seed, ExprContext *econtext)
{
	bool		isnull;
	Datum		value;

	if (state->repeatable == NULL)
		return seed;
	value = ExecEvalExprSwitchContext(state->repeatable, econtext, &isnull);
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLESAMPLE_REPEAT),
				 errmsg("TABLESAMPLE REPEATABLE parameter cannot be null")));
	return DatumGetUInt32(DirectFunctionCall1(hashfloat8, value));
}

/* As random_rows.c has it */
static void
evaluate_draws(const GpuAggSampleState *state, uint32 seed, ExprContext *econtext,
			   GpuAggSampleTaken *taken)
{
	int64		n = sample_draws(state, econtext);

	taken->sample.seed = sample_seed(state, seed, econtext);
	if (n < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLESAMPLE_ARGUMENT),
				 errmsg("sample size must not be negative")));
	taken->sample.method = state->method;
	taken->sample.cutoff = n;
	taken->bulkread = true;
}

void
gpuagg_sample_evaluate(const GpuAggSampleState *state, uint32 seed, ExprContext *econtext,
					   GpuAggSampleTaken *taken)
{
	double		percent;

	memset(taken, 0, sizeof(*taken));
	taken->method = state->method;
	if (state->method == GPUAGG_SAMPLE_NONE)
		return;
	ResetExprContext(econtext);
	if (state->method == GPUAGG_SAMPLE_DRAWS)
	{
		evaluate_draws(state, seed, econtext, taken);
		return;
	}
	percent = sample_percent(state, econtext);
	taken->sample.seed = sample_seed(state, seed, econtext);
	if (percent < 0 || percent > 100 || isnan(percent))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLESAMPLE_ARGUMENT),
				 errmsg("sample percentage must be between 0 and 100")));
	taken->sample.method = state->method;
	taken->sample.cutoff = (uint64) rint((double) GPUAGG_SAMPLE_ALL * percent /
										 100);
	taken->bulkread = state->method == GPUAGG_SAMPLE_BERNOULLI || percent >= 1;
}

bool
gpuagg_sample_is_empty(const GpuAggSampleTaken *taken)
{
	return taken->method != GPUAGG_SAMPLE_NONE && taken->sample.cutoff == 0;
}

/* Hashed first, by themselves, which is done for several at once */
uint64
gpuagg_sample_word(const GpuAggSample *sample, BlockNumber block)
{
	uint32		hash[64];
	uint64		bits = 0;

	for (int i = 0; i < 64; i++)
		hash[i] = gpuagg_sample_hash_block(block + i, sample->seed);
	for (int i = 0; i < 64; i++)
		bits |= (uint64) (hash[i] < sample->cutoff) << i;
	return bits;
}

BlockNumber
gpuagg_sample_share(const GpuAggSampleTaken *taken, BlockNumber nblocks)
{
	if (taken->method != GPUAGG_SAMPLE_SYSTEM)
		return nblocks;
	return (BlockNumber) rint((double) nblocks * taken->sample.cutoff /
							  GPUAGG_SAMPLE_ALL);
}

void
gpuagg_sample_lend_seed(uint32 seed, PlanState *plan)
{
	while (plan != NULL && !IsA(plan, SampleScanState))
		plan = outerPlanState(plan);
	if (plan != NULL)
		((SampleScanState *) plan)->seed = seed;
}
