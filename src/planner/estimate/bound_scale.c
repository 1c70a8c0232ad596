/*
 * bound_scale.c
 *		Values on one scale, by which ranges are compared (bound_scale.h).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "planner/estimate/bound_scale.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/timestamp.h"

bool
gpuagg_bound_scalar(Oid type, Datum value, double *scalar)
{
	switch (type)
	{
		case INT2OID:
			*scalar = DatumGetInt16(value);
			return true;
		case INT4OID:
			*scalar = DatumGetInt32(value);
			return true;
		case INT8OID:
			*scalar = (double) DatumGetInt64(value);
			return true;
		case DATEOID:
			*scalar = (double) DatumGetDateADT(value) * USECS_PER_DAY;
			return !DATE_NOT_FINITE(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*scalar = (double) DatumGetTimestamp(value);
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
		case FLOAT4OID:
			*scalar = DatumGetFloat4(value);
			return isfinite(*scalar);
		case FLOAT8OID:
			*scalar = DatumGetFloat8(value);
			return isfinite(*scalar);
		case NUMERICOID:
			*scalar = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
			return isfinite(*scalar);
		default:
			return false;
	}
}

bool
gpuagg_bound_has_scale(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return true;
		default:
			return false;
	}
}

double
gpuagg_bound_steps(const GpuAggValueBound *b, double step)
{
	return b->ranged && step > 0 ?
		floor(b->high / step) - floor(b->low / step) + 1 : HUGE_VAL;
}
