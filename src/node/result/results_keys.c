/*
 * results_keys.c
 *		Group keys as Datums (result_kinds.h), and what may be wrong with them.
 */
#include "postgres.h"

#include "compat.h"
#include "ipc/errors.h"
#include "node/result/result_kinds.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* ---------------------------------------------------------------- making --- */

void
gpuagg_init_key(GPUAGG_INIT_ARGS)
{
	if (gpuagg_key_is_string(emitter->type))
		gpuagg_init_string(results, emitter);
}

void
gpuagg_init_plain_key(GPUAGG_INIT_ARGS)
{
	emitter->plain = gpuagg_plain_key(emitter->type);
	gpuagg_init_key(results, program, output, expr, emitter);
}

void
gpuagg_init_key_text(GPUAGG_INIT_ARGS)
{
	gpuagg_text_form(&emitter->room.text, expr, emitter->type == GPUAGG_T_DATE);
	gpuagg_init_key(results, program, output, expr, emitter);
}

/* A name is filled up with zeros. */
static Datum
name_datum(const GpuAggResults *results, GpuAggEmitter *emitter, const char *slot)
{
	const GpuAggBytes b = gpuagg_string_slot_bytes(slot);
	char	   *room = (char *) emitter->long_room;

	memset(room, 0, NAMEDATALEN);
	memcpy(room, b.len > GPUAGG_STRING_INLINE ? results->string_data[emitter->string_no] : b.data,
		   Min(b.len, NAMEDATALEN));
	return PointerGetDatum(room);
}

/* By its type */
Datum
gpuagg_emit_key(GPUAGG_EMIT_ARGS)
{
	const char *slot = row + emitter->off;

	switch ((GpuAggType) emitter->type)
	{
		case GPUAGG_T_NAME:
			return name_datum(results, emitter, slot);
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
		case GPUAGG_T_INET:
			return gpuagg_string_datum(results, emitter, (const GpuAggStringSlot *) slot);
		case GPUAGG_T_UUID:
			return PointerGetDatum(slot);
		case GPUAGG_T_FLOAT4:
		case GPUAGG_T_FLOAT8:
			return gpuagg_f64_datum(emitter->type, *(const double *) slot);
		default:
			return gpuagg_i64_datum(emitter, emitter->slot_bytes == 4 ?
									*(const int32 *) slot : *(const int64 *) slot, row);
	}
}

/* A day, or a string's number */
static int32
number_of(const GpuAggEmitter *emitter, const char *row)
{
	return *(const int32 *) (row + emitter->off);
}

Datum
gpuagg_emit_key_date_tz(GPUAGG_EMIT_ARGS)
{
	return DirectFunctionCall1(date_timestamptz, Int32GetDatum(number_of(emitter, row)));
}

Datum
gpuagg_emit_key_day(GPUAGG_EMIT_ARGS)
{
	return DirectFunctionCall1(date_timestamp, Int32GetDatum(number_of(emitter, row)));
}

Datum
gpuagg_emit_key_interval(GPUAGG_EMIT_ARGS)
{
	return IntervalPGetDatum(gpuagg_interval_fill(GPUAGG_T_INTERVAL_CODE,
												  *(const int64 *) (row + emitter->shown_off),
												  &emitter->room.interval));
}

Datum
gpuagg_emit_key_text(GPUAGG_EMIT_ARGS)
{
	return gpuagg_text_of_key(&emitter->room.text, row + emitter->off);
}

Datum
gpuagg_emit_key_number(GPUAGG_EMIT_ARGS)
{
	return gpuagg_numbered_datum(gpuagg_emitter_strings(results, emitter), number_of(emitter, row));
}

/* --------------------------------------------------------------- judging --- */

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

GpuAggStatus
gpuagg_judge_day(GPUAGG_JUDGE_ARGS)
{
	if (day_is_ambiguous(results, number_of(emitter, row)))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"two days begin at the same moment in this time zone");
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_judge_text(GPUAGG_JUDGE_ARGS)
{
	if (!gpuagg_text_is_distinct(&emitter->room.text, row + emitter->off))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"to_char of a year that has not four digits");
	return GPUAGG_OK;
}

/* Is there a string of this number? */
static bool
number_is_known(const GpuAggResults *results, const GpuAggEmitter *emitter, int32 number)
{
	const GpuAggNumbered *strings = gpuagg_emitter_strings(results, emitter);

	return strings != NULL && number >= 0 && number < gpuagg_numbered_count(strings);
}

GpuAggStatus
gpuagg_judge_number(GPUAGG_JUDGE_ARGS)
{
	if (!number_is_known(results, emitter, number_of(emitter, row)))
		return gpuagg_error_set(error, GPUAGG_DEVICE_FAULT, 0,
								"the device sent the number of no string");
	return GPUAGG_OK;
}
