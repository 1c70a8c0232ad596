/*
 * results_numbers.c
 *		Sums, averages, extremes and strings as Datums (result_kinds.h), alone and with values
 *		beside them, and states of these.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "ipc/errors.h"
#include "node/result/partials.h"
#include "node/result/result_kinds.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* ----------------------------------------------------------------- parts --- */

static const int64 *
state_of(const GpuAggEmitter *emitter, const char *row)
{
	return (const int64 *) (row + emitter->off);
}

/* The sum of 128 bits as a numeric */
static Datum
sum_datum(GpuAggEmitter *emitter, const char *row)
{
	const int64 *state = state_of(emitter, row);

	return gpuagg_decimal_datum(emitter, (uint64) state[0], state[1], row);
}

/* --------------------------------------------------------------- results --- */

/* States of integers and doubles have eight bytes, whatever the type. */
void
gpuagg_init_datum8(GPUAGG_INIT_ARGS)
{
	emitter->plain = PLAIN_8;
}

Datum
gpuagg_emit_datum8(GPUAGG_EMIT_ARGS)
{
	return *(const Datum *) (row + emitter->off);
}

void
gpuagg_init_i64(GPUAGG_INIT_ARGS)
{
	emitter->plain = gpuagg_plain_key(emitter->type) != PLAIN_NO ? PLAIN_8 : PLAIN_NO;
}

Datum
gpuagg_emit_i64(GPUAGG_EMIT_ARGS)
{
	return gpuagg_i64_datum(emitter, *state_of(emitter, row), row);
}

void
gpuagg_init_bytes(GPUAGG_INIT_ARGS)
{
	gpuagg_init_string(results, emitter);
}

Datum
gpuagg_emit_bytes(GPUAGG_EMIT_ARGS)
{
	return gpuagg_string_datum(results, emitter, (const GpuAggStringSlot *) (row + emitter->off));
}

Datum
gpuagg_emit_f64_order(GPUAGG_EMIT_ARGS)
{
	return gpuagg_f64_datum(emitter->type, gpuagg_f64_unorder(*state_of(emitter, row)));
}

Datum
gpuagg_emit_enum(GPUAGG_EMIT_ARGS)
{
	return gpuagg_type_datum(GPUAGG_T_ENUM, gpuagg_enum_value(*state_of(emitter, row)),
							 emitter->room.fixed);
}

Datum
gpuagg_emit_word(GPUAGG_EMIT_ARGS)
{
	const int64 word = *state_of(emitter, row);

	return gpuagg_numeric_decimal_datum((uint64) (word >> GPUAGG_WORD_BITS), word >> 63,
										emitter->scale, word & GPUAGG_WORD_DECIMALS,
										&emitter->room.number);
}

Datum
gpuagg_emit_float4(GPUAGG_EMIT_ARGS)
{
	return Float4GetDatum((float4) *(const double *) (row + emitter->off));
}

Datum
gpuagg_emit_sum_numeric(GPUAGG_EMIT_ARGS)
{
	return sum_datum(emitter, row);
}

Datum
gpuagg_emit_avg_int(GPUAGG_EMIT_ARGS)
{
	return gpuagg_numeric_average(*state_of(emitter, row), gpuagg_emitter_count(emitter, row),
								  &emitter->room.number);
}

Datum
gpuagg_emit_avg_numeric(GPUAGG_EMIT_ARGS)
{
	const int64 *state = state_of(emitter, row);
	const int64 count = gpuagg_emitter_count(emitter, row);
	const int	shown = gpuagg_decimals_shown(emitter, row);

	if (emitter->scale == 0 && shown == 0 && gpuagg_fits_int64((uint64) state[0], state[1]))
		return gpuagg_numeric_average(state[0], count, &emitter->room.number);
	return gpuagg_numeric_decimal_average((uint64) state[0], state[1], emitter->scale, shown, count,
										  &emitter->room.number);
}

/* PostgreSQL adds to 0, of which -0 makes 0. */
Datum
gpuagg_emit_avg_float(GPUAGG_EMIT_ARGS)
{
	return Float8GetDatum((*(const double *) (row + emitter->off) + 0.0) /
						  gpuagg_emitter_count(emitter, row));
}

Datum
gpuagg_emit_money(GPUAGG_EMIT_ARGS)
{
	return Int64GetDatum(*state_of(emitter, row) + *(const int64 *) (row + emitter->shown_off));
}

Datum
gpuagg_emit_sum_interval(GPUAGG_EMIT_ARGS)
{
	return gpuagg_interval_sum(row + emitter->off, emitter->scale, &emitter->room.interval);
}

Datum
gpuagg_emit_avg_interval(GPUAGG_EMIT_ARGS)
{
	return gpuagg_interval_average(row + emitter->off, emitter->scale,
								   gpuagg_emitter_count(emitter, row), &emitter->room.interval);
}

/* ---------------------------------------------------------------- states --- */

Datum
gpuagg_emit_partial_pair(GPUAGG_EMIT_ARGS)
{
	return gpuagg_partial_pair(gpuagg_emitter_count(emitter, row), *state_of(emitter, row));
}

Datum
gpuagg_emit_partial_int8(GPUAGG_EMIT_ARGS)
{
	const int64 *state = state_of(emitter, row);

	return gpuagg_partial_int8(gpuagg_emitter_count(emitter, row),
							   (GpuAggWide) {.low = state[0],.high = state[1]},
							   GPUAGG_INT128_STATES ? (Datum) 0 : sum_datum(emitter, row));
}

Datum
gpuagg_emit_partial_numeric(GPUAGG_EMIT_ARGS)
{
	return gpuagg_partial_numeric(gpuagg_emitter_count(emitter, row), sum_datum(emitter, row),
								  gpuagg_decimals_shown(emitter, row));
}

/* ---------------------------------------------------------- values beside --- */

bool
gpuagg_beside_count(GPUAGG_BESIDE_ARGS)
{
	*value = Int64GetDatum(*state_of(emitter, row) + sum->count);
	return true;
}

bool
gpuagg_beside_sum(GPUAGG_BESIDE_ARGS)
{
	*value = DirectFunctionCall2(numeric_add, sum_datum(emitter, row), sum->sum);
	return true;
}

bool
gpuagg_beside_average(GPUAGG_BESIDE_ARGS)
{
	const Datum all = DirectFunctionCall2(numeric_add, sum_datum(emitter, row), sum->sum);

	*value = DirectFunctionCall2(numeric_div, all, NumericGetDatum(int64_to_numeric(count)));
	return true;
}

bool
gpuagg_beside_partial(GPUAGG_BESIDE_ARGS)
{
	const Datum all = DirectFunctionCall2(numeric_add, sum_datum(emitter, row), sum->sum);

	*value = gpuagg_partial_numeric_any(count, all);
	return true;
}

bool
gpuagg_beside_extreme(GPUAGG_BESIDE_ARGS)
{
	bool		isnull = false;

	*value = emitter->greatest ? sum->greatest : sum->least;
	/* the device may have none */
	if (count > sum->count)
		*value = DirectFunctionCall2(emitter->greatest ? numeric_larger : numeric_smaller,
									 emitter->emit(results, emitter, row, &isnull), *value);
	return true;
}

/* --------------------------------------------------------------- judging --- */

static GpuAggStatus
judge_sum(const GpuAggEmitter *emitter, const char *row, double sum, GpuAggError *error)
{
	if (!isfinite(sum) && !gpuagg_emitter_is_empty(emitter, row))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a floating-point sum is not finite");
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_judge_float4(GPUAGG_JUDGE_ARGS)
{
	return judge_sum(emitter, row, (float) *(const double *) (row + emitter->off), error);
}

GpuAggStatus
gpuagg_judge_float8(GPUAGG_JUDGE_ARGS)
{
	return judge_sum(emitter, row, *(const double *) (row + emitter->off), error);
}

/* Do the positive amounts fit 64 bits, and the negative ones? */
static bool
money_fits(const GpuAggEmitter *emitter, const char *row)
{
	const int64 *positive = (const int64 *) (row + emitter->off);
	const int64 *negative = (const int64 *) (row + emitter->shown_off);

	return positive[1] == 0 && positive[0] >= 0 &&
		(negative[1] == -1 ? negative[0] < 0 : (negative[0] | negative[1]) == 0);
}

GpuAggStatus
gpuagg_judge_money(GPUAGG_JUDGE_ARGS)
{
	if (!money_fits(emitter, row))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a sum of money may overflow");
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_judge_intervals(GPUAGG_JUDGE_ARGS)
{
	if (!gpuagg_interval_sums_fit(row + emitter->off, emitter->scale))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a sum of intervals may be out of range");
	return GPUAGG_OK;
}
