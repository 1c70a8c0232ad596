/*
 * results_variance.c
 *		Variances of groups (result_kinds.h): exact, of what the device has summed up and of
 *		values beside it; and of moments.
 */
#include "postgres.h"

#include "ipc/errors.h"
#include "node/result/moments.h"
#include "node/result/result_kinds.h"
#include "node/result/variances.h"
#include "utils/fmgrprotos.h"

static GpuAggWide
wide_state(const char *row, uint16 off)
{
	GpuAggWide	wide;

	memcpy(&wide, row + off, sizeof(wide));
	return wide;
}

static GpuAggSums
variance_sums(const GpuAggEmitter *emitter, const char *row)
{
	GpuAggSums	sums = {.scale = emitter->scale,.shown = emitter->shown};

	memcpy(&sums.count, row + emitter->count_off, sizeof(sums.count));
	if (emitter->shown_off != 0)
		sums.shown = (int) *(const int64 *) (row + emitter->shown_off);
	if (emitter->narrow)
	{
		memcpy(&sums.sum.low, row + emitter->off, sizeof(sums.sum.low));
		sums.sum.high = (int64) sums.sum.low >> 63;
	}
	else
		sums.sum = wide_state(row, emitter->off);
	for (int i = 0; i < GPUAGG_SQUARE_PARTS; i++)
	{
		if (emitter->square_off[i] != 0)
			sums.squares[i] = wide_state(row, emitter->square_off[i]);
	}
	return sums;
}

void
gpuagg_init_variance(GPUAGG_INIT_ARGS)
{
	/* a state of one value is one, a result may be NULL */
	emitter->null_count = gpuagg_final_traits(output->final)->of == GPUAGG_OF_STATE &&
		gpuagg_statistic_is_null(output->statistic, 1);
	emitter->narrow = gpuagg_program_transitions(program)[output->index].op == GPUAGG_TRANS_SUM_I64;
	for (int i = 0; i < GPUAGG_SQUARE_PARTS; i++)
	{
		if (output->squares[i] > 0)
			emitter->square_off[i] = results->layout.state_off[output->squares[i] - 1];
	}
}

Datum
gpuagg_emit_variance(GPUAGG_EMIT_ARGS)
{
	const GpuAggSums sums = variance_sums(emitter, row);

	return gpuagg_variance(emitter->statistic, &sums);
}

Datum
gpuagg_emit_partial_variance(GPUAGG_EMIT_ARGS)
{
	const GpuAggSums sums = variance_sums(emitter, row);

	return gpuagg_variance_state(&sums);
}

Datum
gpuagg_emit_partial_squares(GPUAGG_EMIT_ARGS)
{
	const GpuAggSums sums = variance_sums(emitter, row);

	return gpuagg_variance_squares(&sums);
}

bool
gpuagg_beside_variance(GPUAGG_BESIDE_ARGS)
{
	const GpuAggSums sums = variance_sums(emitter, row);
	Datum		all;
	Datum		squares;

	if (gpuagg_statistic_is_null(emitter->statistic, count))
		return false;
	gpuagg_variance_sums(&sums, &all, &squares);
	*value = gpuagg_variance_of(emitter->statistic, count,
								DirectFunctionCall2(numeric_add, all, sum->sum),
								DirectFunctionCall2(numeric_add, squares, sum->squares));
	return true;
}

/* -------------------------------------------------------------- moments --- */

Datum
gpuagg_emit_moments(GPUAGG_EMIT_ARGS)
{
	Datum		value = (Datum) 0;

	*isnull = !gpuagg_moments_datum(emitter->statistic, (const double *) (row + emitter->off),
									&value);
	return value;
}

Datum
gpuagg_emit_partial_moments(GPUAGG_EMIT_ARGS)
{
	return gpuagg_moments_state(emitter->statistic, (const double *) (row + emitter->off));
}

GpuAggStatus
gpuagg_judge_moments(GPUAGG_JUDGE_ARGS)
{
	const double *state = (const double *) (row + emitter->off);

	if (!gpuagg_moments_finite(emitter->statistic, state))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a floating-point sum is not finite");
	if (!gpuagg_moments_sure(emitter->statistic, state))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"values of a correlation or regression may all be the same");
	return GPUAGG_OK;
}
