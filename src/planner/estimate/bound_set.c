/*
 * bound_set.c
 *		Values of SQL's as those of sets (bound_set.h).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "planner/estimate/bound_set.h"
#include "planner/value/constant.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/timestamp.h"

GpuAggClass
gpuagg_bound_class(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return GPUAGG_CLASS_I64;
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return GPUAGG_CLASS_F64;
		default:
			return GPUAGG_CLASS_BYTES;
	}
}

/* Of a type of class I64; false: infinite */
static bool
integer_of(Oid type, Datum value, int64 *v)
{
	switch (type)
	{
		case INT2OID:
			*v = DatumGetInt16(value);
			return true;
		case INT4OID:
			*v = DatumGetInt32(value);
			return true;
		case INT8OID:
			*v = DatumGetInt64(value);
			return true;
		case DATEOID:
			*v = DatumGetDateADT(value);
			return !DATE_NOT_FINITE(DatumGetDateADT(value));
		default:
			*v = DatumGetTimestamp(value);
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
	}
}

/* Of a type of class F64 */
static double
double_of(Oid type, Datum value)
{
	return type == FLOAT4OID ? DatumGetFloat4(value) : type == FLOAT8OID ? DatumGetFloat8(value) :
		DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
}

bool
gpuagg_bound_add(GpuAggValueSet *set, Oid type, Datum value)
{
	const GpuAggClass cls = gpuagg_bound_class(type);
	double		number;
	int64		v;

	if (cls == GPUAGG_CLASS_BYTES)
		return false;
	if (cls == GPUAGG_CLASS_I64)
	{
		if (!integer_of(type, value, &v))
			return false;
	}
	else
	{
		number = double_of(type, value);
		if (!isfinite(number))
			return false;
		v = gpuagg_set_image(number);
	}
	gpuagg_set_add(set, v);
	return true;
}

bool
gpuagg_bound_constant(const Node *expr, GpuAggValueSet *set)
{
	const Const *c = (const Const *) expr;

	*set = (GpuAggValueSet) GPUAGG_SET_NOTHING;
	return IsA(expr, Const) && !c->constisnull &&
		gpuagg_bound_add(set, c->consttype, c->constvalue);
}

bool
gpuagg_bound_number(const Node *expr, double *number)
{
	GpuAggValueSet set;

	if (!gpuagg_bound_constant(expr, &set))
		return false;
	*number = gpuagg_bound_class(((const Const *) expr)->consttype) == GPUAGG_CLASS_F64 ?
		gpuagg_f64_unorder(set.low) : (double) set.low;
	return true;
}

double
gpuagg_bound_step(Oid type, int32 typmod)
{
	if (gpuagg_bound_class(type) == GPUAGG_CLASS_I64)
		return 1;
	/* numeric(precision, scale) */
	return type == NUMERICOID && typmod >= (int32) VARHDRSZ ?
		pow(10, -gpuagg_numeric_typmod_scale(typmod)) : 0;
}
