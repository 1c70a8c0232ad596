/*
 * partials.c
 *		States of aggregates in PostgreSQL's own form (partials.h).
 *
 * Those of type internal are bytes in which int8_avg_serialize() and
 * numeric_avg_serialize() write them: the count, the sum as numericvar_serialize() has it
 * (of integers 128 bits since 19), and of numerics how many decimals are shown, how many values
 * have
 * these, and how many are NaN or infinite, of which PostgreSQL asks no more than whether there
 * are any.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "libpq/pqformat.h"
#include "node/result/partials.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

Datum
gpuagg_partial_pair(int64 count, int64 sum)
{
	Datum		pair[2] = {Int64GetDatum(count), Int64GetDatum(sum)};

	return PointerGetDatum(construct_array(pair, 2, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
}

/* numeric_send() gives the same numbers, in two bytes each. */
static void
send_sum(StringInfo to, Datum sum)
{
	bytea	   *sent = DatumGetByteaPP(DirectFunctionCall1(numeric_send, sum));
	StringInfoData from;
	int			ndigits;

	initStringInfo(&from);
	appendBinaryStringInfo(&from, VARDATA_ANY(sent), VARSIZE_ANY_EXHDR(sent));
	ndigits = pq_getmsgint(&from, 2);
	pq_sendint32(to, ndigits);
	pq_sendint32(to, (int16) pq_getmsgint(&from, 2));	/* weight */
	pq_sendint32(to, pq_getmsgint(&from, 2));	/* sign */
	pq_sendint32(to, pq_getmsgint(&from, 2));	/* decimals shown */
	for (int i = 0; i < ndigits; i++)
		pq_sendint16(to, pq_getmsgint(&from, 2));
	pfree(from.data);
}

Datum
gpuagg_partial_int8(int64 count, GpuAggWide wide, Datum sum)
{
	StringInfoData state;

	pq_begintypsend(&state);
	pq_sendint64(&state, count);
	if (GPUAGG_INT128_STATES)
	{
		pq_sendint64(&state, wide.high);
		pq_sendint64(&state, wide.low);
	}
	else
		send_sum(&state, sum);
	return PointerGetDatum(pq_endtypsend(&state));
}

/*
 * A state of numerics; of those that are NaN and infinite, of either sign, there are some or
 * none.
 */
static Datum
numeric_state(int64 count, Datum sum, int shown, const bool *some)
{
	StringInfoData state;

	pq_begintypsend(&state);
	pq_sendint64(&state, count);
	send_sum(&state, sum);
	pq_sendint32(&state, shown);
	pq_sendint64(&state, count);
	for (int i = 0; i < 3; i++)
		pq_sendint64(&state, some[i]);
	return PointerGetDatum(pq_endtypsend(&state));
}

Datum
gpuagg_partial_numeric(int64 count, Datum sum, int shown)
{
	const bool	none[3] = {false};

	return numeric_state(count, sum, shown, none);
}

Datum
gpuagg_partial_numeric_any(int64 count, Datum sum)
{
	const Numeric value = DatumGetNumeric(sum);
	const bool	infinite = numeric_is_inf(value);
	const bool	below = infinite &&
		DatumGetBool(DirectFunctionCall2(numeric_lt, sum, NumericGetDatum(int64_to_numeric(0))));
	const bool	some[3] = {numeric_is_nan(value), infinite && !below, below};

	if (some[0] || infinite)
		return numeric_state(count, NumericGetDatum(int64_to_numeric(0)), 0, some);
	return numeric_state(count, sum, DatumGetInt32(DirectFunctionCall1(numeric_scale, sum)), some);
}
