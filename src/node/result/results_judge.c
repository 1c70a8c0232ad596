/*
 * results_judge.c
 *		Looks at groups as they come from a device (results_inside.h).
 *
 * Groups are looked at when they come in, before the first row is returned,
 * because afterwards the fallback plan could no longer answer.  Left to
 * PostgreSQL are
 *
 *	- an infinite or NaN float sum.  It may be right, if such a value was in
 *	  the input, or be the overflow that PostgreSQL reports; it also depends
 *	  on the order of addition, so only PostgreSQL's own answer is its answer.
 *	  Groups with infinite or NaN input are paid for with the fallback;
 *	- a sum(float4) beyond float4;
 *	- since 19, a correlation or regression of values that may all be the same, or differ by
 *	  no more than rounding: PostgreSQL, which remembers one value, knows;
 *	- two days that begin at the same moment in the session's time zone
 *	  (a zone that skipped a day, such as Pacific/Apia in 2011), when the
 *	  device groups by date what the query groups by timestamptz;
 *	- a key shown as a text of to_char that other moments could have, too;
 *	- sums of intervals that may have been out of range on the way.
 *
 * Numbers of strings (numbered.h) are looked at, too: a device may be wrong.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "ipc/errors.h"
#include "ipc/protocol.h"
#include "miscadmin.h"
#include "node/result/moments.h"
#include "node/result/results_inside.h"
#include "utils/date.h"
#include "utils/memutils.h"

/* Days known to begin at a moment of their own; a hash of them by day. */
#define DAYS_KNOWN 1024

/*
 * Does this day begin at the same moment as one of its neighbours?
 */
static bool
day_is_ambiguous(GpuAggResults *results, DateADT day)
{
	int32	   *known;
	TimestampTz start;
	bool		overflow;

	if (DATE_NOT_FINITE(day))
		return false;
	if (results->days == NULL)
	{
		results->days = MemoryContextAlloc(results->context,
										   DAYS_KNOWN * sizeof(int32));
		for (int i = 0; i < DAYS_KNOWN; i++)
			results->days[i] = PG_INT32_MIN;
	}
	known = &results->days[(uint32) day % DAYS_KNOWN];
	if (*known == day)
		return false;
	start = gpuagg_day_start(day, &overflow);
	if (!overflow)
	{
		if (start == gpuagg_day_start(day + 1, &overflow) ||
			start == gpuagg_day_start(day - 1, &overflow))
			return true;
	}
	*known = day;
	return false;
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

/* Is there a string of this number? */
static bool
number_is_known(const GpuAggResults *results, const GpuAggEmitter *emitter, int32 number)
{
	const GpuAggNumbered *strings = gpuagg_emitter_strings(results, emitter);

	return strings != NULL && number >= 0 && number < gpuagg_numbered_count(strings);
}

static GpuAggStatus
results_verify(GpuAggResults *results, const char *row, GpuAggError *error)
{
	uint32		head;

	memcpy(&head, row, sizeof(head));
	for (int i = 0; i < results->nemitters; i++)
	{
		const GpuAggEmitter *emitter = &results->emitters[i];
		const char *slot = row + emitter->off;

		switch ((GpuAggFinal) emitter->final)
		{
			case GPUAGG_FINAL_SUM_FLOAT4:
			case GPUAGG_FINAL_SUM_FLOAT8:
			case GPUAGG_FINAL_AVG_FLOAT:
				{
					double		sum = *(const double *) slot;

					if (emitter->final == GPUAGG_FINAL_SUM_FLOAT4)
						sum = (float) sum;
					if (!isfinite(sum) && !gpuagg_emitter_is_empty(emitter, row))
						return gpuagg_error_set(error, GPUAGG_VALUE_ERROR,
												GPUAGG_ST_NEEDS_PG,
												"a floating-point sum is not finite");
					break;
				}
			case GPUAGG_FINAL_SUM_MONEY:
				if (!money_fits(emitter, row))
					return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
											"a sum of money may overflow");
				break;
			case GPUAGG_FINAL_MOMENTS:
			case GPUAGG_FINAL_PARTIAL_MOMENTS:
				if (!gpuagg_moments_finite(emitter->statistic, (const double *) slot))
					return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
											"a floating-point sum is not finite");
				if (!gpuagg_moments_sure(emitter->statistic, (const double *) slot))
					return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
											"values of a correlation or regression may all be the same");
				break;
			case GPUAGG_FINAL_KEY_DATE_TZ:
				if ((head & emitter->null_bit) == 0 &&
					day_is_ambiguous(results, *(const int32 *) slot))
					return gpuagg_error_set(error, GPUAGG_VALUE_ERROR,
											GPUAGG_ST_NEEDS_PG,
											"two days begin at the same moment in this time zone");
				break;
			case GPUAGG_FINAL_KEY_TEXT:
				if ((head & emitter->null_bit) == 0 &&
					!gpuagg_text_is_distinct(&emitter->room.text, slot))
					return gpuagg_error_set(error, GPUAGG_VALUE_ERROR,
											GPUAGG_ST_NEEDS_PG,
											"to_char of a year that has not four digits");
				break;
			case GPUAGG_FINAL_KEY_NUMBER:
				if ((head & emitter->null_bit) == 0 &&
					!number_is_known(results, emitter, *(const int32 *) slot))
					return gpuagg_error_set(error, GPUAGG_DEVICE_FAULT, 0,
											"the device sent the number of no string");
				break;
			case GPUAGG_FINAL_SUM_INTERVAL:
			case GPUAGG_FINAL_AVG_INTERVAL:
				if (!gpuagg_interval_sums_fit(slot, emitter->scale))
					return gpuagg_error_set(error, GPUAGG_VALUE_ERROR,
											GPUAGG_ST_NEEDS_PG,
											"a sum of intervals may be out of range");
				break;
			default:
				break;
		}
	}
	return GPUAGG_OK;
}

/*
 * Looks at all groups of a message: are they whole, and ours to answer?
 */
GpuAggStatus
gpuagg_results_check(GpuAggResults *results, const char *groups, uint32 count,
			  Size bytes, GpuAggError *error)
{
	const char *row = groups;
	const char *end = groups + bytes;

	if (!results->check && results->nstrings == 0)
		row += (Size) count * results->layout.row_bytes;
	else
	{
		for (uint32 i = 0; i < count; i++)
		{
			if ((Size) (end - row) < results->layout.row_bytes)
				break;
			if (results->check)
			{
				GpuAggStatus status = results_verify(results, row, error);

				if (status != GPUAGG_OK)
					return status;
			}
			row = gpuagg_results_walk(results, row);
			if (row > end)
				break;
		}
	}
	if (row != end)
		return gpuagg_error_set(error, GPUAGG_DEVICE_FAULT, 0,
								"the device sent groups of a wrong size");
	return GPUAGG_OK;
}

bool
gpuagg_results_passing(const GpuAggResults *results, const char *data)
{
	const char *emitters = (const char *) results->emitters;

	if (data >= emitters && data < emitters + results->nemitters * sizeof(GpuAggEmitter))
		return true;
	for (int i = 0; i < results->nemitters; i++)
	{
		const char *room = (const char *) results->emitters[i].long_room;

		if (room != NULL && data >= room && data <= room + VARHDRSZ + GPUAGG_LONG_BYTES)
			return true;
	}
	return false;
}
