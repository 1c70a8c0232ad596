/*
 * datum_bytes.c
 *		Datums as they lie in groups (datum_bytes.h).
 */
#include "postgres.h"

#include "fmgr.h"
#include "node/result/datum_bytes.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

GpuAggBytes
gpuagg_datum_bytes(Datum *value, int16 typlen, bool typbyval)
{
	struct varlena *v;

	if (typbyval)
		return (GpuAggBytes) {(const char *) value, sizeof(Datum)};
	if (typlen > 0)
		return (GpuAggBytes) {DatumGetPointer(*value), typlen};
	v = PG_DETOAST_DATUM(*value);
	return (GpuAggBytes) {(const char *) v, VARSIZE(v)};
}

Datum
gpuagg_bytes_datum(GpuAggBytes b, int16 typlen, bool typbyval)
{
	Datum		value;
	char	   *copy;

	if (typbyval)
	{
		memcpy(&value, b.data, sizeof(value));
		return value;
	}
	copy = palloc(b.len);
	memcpy(copy, b.data, b.len);
	return PointerGetDatum(copy);
}

Datum
gpuagg_datum_average(GpuAggBytes sum, int64 count)
{
	return DirectFunctionCall2(numeric_div, gpuagg_bytes_datum(sum, -1, false),
							   NumericGetDatum(int64_to_numeric(count)));
}

Datum
gpuagg_datum_average_interval(GpuAggBytes sum, int64 count)
{
	return DirectFunctionCall2(interval_div, gpuagg_bytes_datum(sum, sizeof(Interval), false),
							   Float8GetDatum((float8) count));
}
