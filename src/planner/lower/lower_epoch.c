/*
 * lower_epoch.c
 *		Seconds since 1970, seconds with their fraction, and back to timestamps.
 *
 * extract() gives numerics of six decimals, or three, or none: a device's decimals are the
 * microseconds.  date_part() gives a double, made of them as PostgreSQL makes it.
 *
 * floor(extract(epoch from x) / 300) rounds the quotient as numeric's division does before
 * it looks for the integer below, so it is one operation.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "device/ops/ops_datetime.h"
#include "nodes/nodeFuncs.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_handlers.h"
#include "planner/lower/lower_numeric.h"
#include "planner/lower/lower_zone.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* Fields that are microseconds of the minute, or since 1970 */
typedef struct FineField
{
	const char *name;
	GpuAggField field;
	int			decimals;
} FineField;

static const FineField fine_fields[] = {
	{"microsecond", GPUAGG_FIELD_MICROSECOND, 0},
	{"microseconds", GPUAGG_FIELD_MICROSECOND, 0},
	{"millisecond", GPUAGG_FIELD_MICROSECOND, 3},
	{"milliseconds", GPUAGG_FIELD_MICROSECOND, 3},
	{"second", GPUAGG_FIELD_MICROSECOND, 6},
	{"seconds", GPUAGG_FIELD_MICROSECOND, 6},
	{"epoch", GPUAGG_FIELD_EPOCH, 6}
};

static const FineField *
fine_field(Expr *unit)
{
	char	   *name;

	if (!IsA(unit, Const) || ((Const *) unit)->constisnull)
		return NULL;
	name = TextDatumGetCString(((Const *) unit)->constvalue);
	for (int i = 0; i < lengthof(fine_fields); i++)
	{
		if (pg_strcasecmp(fine_fields[i].name, name) == 0)
			return &fine_fields[i];
	}
	return NULL;
}

static void
set_decimals(GpuAggLowered *value, int decimals)
{
	value->scale = gpuagg_scale(decimals);
	value->shown = decimals;
	value->shown_reg = GPUAGG_NO_REG;
}

/* The microseconds of a field; seconds since 1970 do not depend on the zone. */
static bool
lower_fine(GpuAggLower *lw, const FineField *field, Expr *moment, GpuAggLowered *out)
{
	if (!gpuagg_lower_expr(lw, moment, out))
		return false;
	if (out->type == GPUAGG_T_TIMESTAMPTZ && field->field != GPUAGG_FIELD_EPOCH &&
		!gpuagg_lower_session_local(lw, out, out))
		return false;
	return gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_EXTRACT, GPUAGG_T_NUMERIC, out, NULL, NULL,
						   field->field, out);
}

static bool
by_integer(GpuAggLower *lw, GpuAggOp op, int64 n, GpuAggLowered *value)
{
	GpuAggLowered by;

	return gpuagg_lower_constant(lw, gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(n), false),
								 &by) &&
		gpuagg_lower_op(lw, op, GPUAGG_T_INT8, value, &by, NULL, 0, value);
}

static bool
by_double(GpuAggLower *lw, GpuAggOp op, double d, GpuAggLowered *value)
{
	GpuAggLowered by;

	return gpuagg_lower_constant(
			   lw, gpuagg_constant_make(GPUAGG_T_FLOAT8, Float8GetDatum(d), false), &by) &&
		gpuagg_lower_op(lw, op, GPUAGG_T_FLOAT8, value, &by, NULL, 0, value);
}

static bool
to_double(GpuAggLower *lw, GpuAggLowered *value)
{
	return gpuagg_lower_op(lw, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_T_FLOAT8, value, NULL, NULL, 0,
						   value);
}

/* Whole seconds and their fraction, each in the field's unit, added */
static bool
lower_fine_double(GpuAggLower *lw, const FineField *field, GpuAggLowered *value)
{
	GpuAggLowered fraction = *value;

	if (field->field == GPUAGG_FIELD_EPOCH)
		return to_double(lw, value) && by_double(lw, GPUAGG_OP_FLOAT8_DIV, 1000000.0, value);
	if (field->decimals == 0)
		return to_double(lw, value);
	return by_integer(lw, GPUAGG_OP_INT8_DIV, 1000000, value) && to_double(lw, value) &&
		by_double(lw, GPUAGG_OP_FLOAT8_MUL, field->decimals == 3 ? 1000.0 : 1.0, value) &&
		by_integer(lw, GPUAGG_OP_INT_MOD, 1000000, &fraction) && to_double(lw, &fraction) &&
		by_double(lw, GPUAGG_OP_FLOAT8_DIV, field->decimals == 3 ? 1000.0 : 1000000.0,
				  &fraction) &&
		gpuagg_lower_op(lw, GPUAGG_OP_FLOAT8_ADD, GPUAGG_T_FLOAT8, value, &fraction, NULL, 0,
						value);
}

/* extract(epoch from date): whole seconds */
static bool
lower_date_epoch(GpuAggLower *lw, List *args, GpuAggLowered *out)
{
	return gpuagg_lower_expr(lw, gpuagg_arg(args, 1), out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_DATE_EXTRACT, GPUAGG_T_NUMERIC, out, NULL, NULL,
						GPUAGG_FIELD_EPOCH, out);
}

/* A constant integer that divides seconds; 0: it is none */
static int64
divisor(Expr *expr)
{
	const Const *c = (const Const *) expr;
	int64		n;
	bool		integral;

	if (!IsA(expr, Const) || c->constisnull ||
		!gpuagg_lower_numeric_floor(c->constvalue, 0, &n, &integral) || !integral ||
		DatumGetInt32(DirectFunctionCall1(numeric_scale, c->constvalue)) > 6)
		return 0;
	return n > 0 && n <= PG_INT32_MAX ? n : 0;
}

/* floor(x / n) of an x with six decimals; or else it is not handled */
static bool
lower_floor(GpuAggLower *lw, Expr *arg, bool *handled, GpuAggLowered *out)
{
	OpExpr	   *division = (OpExpr *) arg;
	GpuAggMark	mark = gpuagg_lower_mark(lw);
	GpuAggLowered value;
	int64		n;

	*handled = false;
	if (!IsA(arg, OpExpr) || gpuagg_function_of((Node *) arg)->digits != GPUAGG_DIGITS_QUOTIENT)
		return false;
	n = divisor(gpuagg_arg(division->args, 1));
	if (n == 0 || !gpuagg_lower_expr(lw, gpuagg_arg(division->args, 0), &value) ||
		value.type != GPUAGG_T_NUMERIC ||
		!gpuagg_scale_same(gpuagg_lower_numeric_scale(&value), gpuagg_scale(6)))
	{
		gpuagg_lower_reset(lw, mark);
		return false;
	}
	*handled = true;
	if (!by_integer(lw, GPUAGG_OP_EPOCH_QUOTIENT, n, &value))
		return false;
	*out = value;
	out->type = GPUAGG_T_NUMERIC;
	set_decimals(out, 0);
	return true;
}

bool
gpuagg_lower_by_floor(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	bool		handled = !gpuagg_lower_is_constant((Expr *) call->args);
	bool		ok = handled && lower_floor(lw, gpuagg_arg(call->args, 0), &handled, out);

	return handled ? ok : gpuagg_lower_by_rounded(lw, call, out);
}

bool
gpuagg_lower_fine_extract(GpuAggLower *lw, const GpuAggCall *call, bool *handled,
						  GpuAggLowered *out)
{
	const FineField *field = fine_field(gpuagg_arg(call->args, 0));
	const bool	date = call->function->args[1] == DATEOID;

	/* without columns: PostgreSQL computes it once */
	*handled = field != NULL && (!date || field->field == GPUAGG_FIELD_EPOCH) &&
		!gpuagg_lower_is_constant((Expr *) call->args);
	if (!*handled)
		return false;
	if (date)
		return lower_date_epoch(lw, call->args, out);
	if (!lower_fine(lw, field, gpuagg_arg(call->args, 1), out))
		return false;
	if (call->function->type == GPUAGG_T_FLOAT8)
		return lower_fine_double(lw, field, out);
	set_decimals(out, field->decimals);
	return true;
}
