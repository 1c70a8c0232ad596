/*
 * results_variance.c
 *		Variances of groups, exact (results_inside.h): of what the device has summed up, and
 *		of values beside it.
 */
#include "postgres.h"

#include "ipc/protocol.h"
#include "node/result/results_inside.h"
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

/* The variance, or the state of it */
Datum
gpuagg_emit_variance(const GpuAggEmitter *emitter, const char *row)
{
	const GpuAggSums sums = variance_sums(emitter, row);

	switch (emitter->final)
	{
		case GPUAGG_FINAL_PARTIAL_VARIANCE:
			return gpuagg_variance_state(&sums);
		case GPUAGG_FINAL_PARTIAL_SQUARES:
			return gpuagg_variance_squares(&sums);
		default:
			return gpuagg_variance(emitter->statistic, &sums);
	}
}

Datum
gpuagg_emit_variance_beside(const GpuAggEmitter *emitter, const char *row,
							const GpuAggLongSum *beside, int64 count)
{
	const GpuAggSums sums = variance_sums(emitter, row);
	Datum		sum;
	Datum		squares;

	gpuagg_variance_sums(&sums, &sum, &squares);
	return gpuagg_variance_of(emitter->statistic, count,
							  DirectFunctionCall2(numeric_add, sum, beside->sum),
							  DirectFunctionCall2(numeric_add, squares, beside->squares));
}
