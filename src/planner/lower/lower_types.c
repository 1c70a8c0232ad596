/*
 * lower_types.c
 *		What is peculiar to enums, network addresses and oids.
 *
 * Enums compare for equality as they are held.  Whatever needs their order asks for it
 * with the enum's table, which is a runtime constant (planner/value/enum_order.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_handlers.h"
#include "planner/lower/lower_types.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

bool
gpuagg_lower_enum_order(GpuAggLower *lw, Oid type, GpuAggLowered *value)
{
	GpuAggLowered table;

	return gpuagg_lower_enum_table(lw, getBaseType(type), &table) &&
		gpuagg_lower_op(lw, GPUAGG_OP_ENUM_ORDER, GPUAGG_T_INT8, value, &table, NULL, 0, value);
}

bool
gpuagg_lower_by_enum_comparison(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	GpuAggLowered v[2];

	return gpuagg_lower_args(lw, call, v) &&
		gpuagg_lower_enum_order(lw, exprType(gpuagg_arg(call->args, 0)), &v[0]) &&
		gpuagg_lower_enum_order(lw, exprType(gpuagg_arg(call->args, 1)), &v[1]) &&
		gpuagg_lower_op(lw, (GpuAggOp) call->function->op, GPUAGG_T_BOOL, &v[0], &v[1], NULL, 0,
						out);
}

/* An operation of the value and a constant integer */
static bool
with_integer(GpuAggLower *lw, GpuAggOp op, uint8 type, int64 number, GpuAggLowered *value)
{
	GpuAggLowered constant;

	return gpuagg_lower_constant(
			   lw, gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(number), false), &constant) &&
		gpuagg_lower_op(lw, op, type, value, &constant, NULL, 0, value);
}

bool
gpuagg_lower_by_oid_to_int8(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	return gpuagg_lower_args(lw, call, out) &&
		with_integer(lw, GPUAGG_OP_INT8_ADD, GPUAGG_T_INT8, INT64CONST(1) << 31, out);
}

bool
gpuagg_lower_beyond_of_type(GpuAggLower *lw, bool greater, Oid type, const GpuAggLowered *a,
							const GpuAggLowered *b, bool *handled, GpuAggLowered *out)
{
	GpuAggLowered left = *a;
	GpuAggLowered right = *b;
	const Oid	base = getBaseType(type);

	*handled = true;
	if (a->type == GPUAGG_T_ENUM)
		return gpuagg_lower_enum_order(lw, type, &left) &&
			gpuagg_lower_enum_order(lw, type, &right) &&
			gpuagg_lower_op(lw, greater ? GPUAGG_OP_I64_GT : GPUAGG_OP_I64_LT, GPUAGG_T_BOOL,
							&left, &right, NULL, 0, out);
	if (base == INETOID || base == CIDROID)
		return gpuagg_lower_op(lw, greater ? GPUAGG_OP_INET_GT : GPUAGG_OP_INET_LT,
							   GPUAGG_T_BOOL, &left, &right, NULL, 0, out);
	if (a->type == GPUAGG_T_INET)
		return GPUAGG_REFUSE("GREATEST and LEAST of type %s are not supported",
							 format_type_be(type));
	*handled = false;
	return false;
}

/* Are values of these types held in a form of their own? */
static bool
has_own_form(uint8 type)
{
	return type > GPUAGG_T_CODE;
}

bool
gpuagg_lower_same_bytes(GpuAggLower *lw, uint8 type, GpuAggLowered *value)
{
	if (value->type == type)
		return true;
	if ((value->type == GPUAGG_T_INT4 && type == GPUAGG_T_OID) ||
		(value->type == GPUAGG_T_OID && type == GPUAGG_T_INT4))
		return with_integer(lw, GPUAGG_OP_INT_XOR, type, PG_INT32_MIN, value);
	if (has_own_form(type) || has_own_form(value->type) ||
		gpuagg_constant_class(type) != gpuagg_constant_class(value->type))
		return false;
	value->type = type;
	return true;
}
