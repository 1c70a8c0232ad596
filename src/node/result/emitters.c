/*
 * emitters.c
 *		What kinds of finished values share (emitters.h): integers, decimals and strings as Datums.
 */
#include "postgres.h"

#include "node/result/emitters.h"
#include "utils/builtins.h"

int
gpuagg_results_add_string(GpuAggResults *results, uint16 off)
{
	for (int i = 0; i < results->nstrings; i++)
	{
		if (results->strings[i] == off)
			return i;
	}
	results->strings[results->nstrings] = off;
	return results->nstrings++;
}

void
gpuagg_init_string(GpuAggResults *results, GpuAggEmitter *emitter)
{
	emitter->string_no = gpuagg_results_add_string(results, emitter->off);
	emitter->long_room = palloc(VARHDRSZ + GPUAGG_LONG_BYTES);
}

GpuAggPlain
gpuagg_plain_key(uint8 type)
{
	switch ((GpuAggType) type)
	{
		case GPUAGG_T_INT2:
		case GPUAGG_T_INT4:
		case GPUAGG_T_DATE:
			return PLAIN_4;
		case GPUAGG_T_INT8:
		case GPUAGG_T_TIMESTAMP:
		case GPUAGG_T_TIMESTAMPTZ:
		case GPUAGG_T_TIME:
		case GPUAGG_T_FLOAT8:
			return PLAIN_8;
		default:
			return PLAIN_NO;
	}
}

Datum
gpuagg_decimal_datum(GpuAggEmitter *emitter, uint64 low, int64 high, const char *row)
{
	const int	shown = gpuagg_decimals_shown(emitter, row);

	if (emitter->scale == 0 && shown == 0 && gpuagg_fits_int64(low, high))
		return gpuagg_numeric_integer((int64) low, &emitter->room.number);
	return gpuagg_numeric_decimal_datum(low, high, emitter->scale, shown, &emitter->room.number);
}

static Datum
long_string_datum(GpuAggEmitter *emitter, const char *data, uint32 len)
{
	text	   *room = emitter->long_room;

	if (len > GPUAGG_LONG_BYTES)
		return PointerGetDatum(cstring_to_text_with_len(data, len));
	SET_VARSIZE(room, VARHDRSZ + len);
	memcpy(VARDATA(room), data, len);
	return PointerGetDatum(room);
}

/* Text of a slot: a short one's bytes follow the header already */
Datum
gpuagg_string_datum(const GpuAggResults *results, GpuAggEmitter *emitter,
					const GpuAggStringSlot *slot)
{
	GpuAggStringSlot *room = &emitter->room.string;

	if (slot->len > GPUAGG_STRING_INLINE)
		return long_string_datum(emitter, results->string_data[emitter->string_no], slot->len);
	*room = *slot;
	SET_VARSIZE(room, VARHDRSZ + slot->len);
	return PointerGetDatum(room);
}

/* Integers that are not plain */
Datum
gpuagg_i64_datum(GpuAggEmitter *emitter, int64 v, const char *row)
{
	Interval   *interval = gpuagg_interval_fill(emitter->type, v, &emitter->room.interval);

	if (interval != NULL)
		return IntervalPGetDatum(interval);
	switch ((GpuAggType) emitter->type)
	{
		case GPUAGG_T_BOOL:
			return BoolGetDatum(v != 0);
		case GPUAGG_T_NUMERIC:
			return gpuagg_decimal_datum(emitter, (uint64) v, v >> 63, row);
		default:
			return gpuagg_type_datum(emitter->type, v, emitter->room.fixed);
	}
}

Datum
gpuagg_f64_datum(uint8 type, double v)
{
	return type == GPUAGG_T_FLOAT4 ? Float4GetDatum((float4) v) :
		Float8GetDatum(v);
}
