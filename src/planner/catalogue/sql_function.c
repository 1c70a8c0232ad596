/*
 * sql_function.c
 *		The catalogue of PostgreSQL's functions (sql_function.h).
 *
 * Rows are found by their OID in an array: PostgreSQL's own functions have small ones.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "device/ops/ops.h"
#include "nodes/makefuncs.h"
#include "planner/catalogue/sql_function.h"
#include "planner/catalogue/sql_types.h"
#include "utils/lsyscache.h"

#define OP(operation, register) \
	.by = GPUAGG_HANDLER_OPERATION,.op = GPUAGG_OP_##operation,.type = GPUAGG_T_##register
#define SAME(register) \
	.by = GPUAGG_HANDLER_OPERATION,.type = GPUAGG_T_##register,.how = GPUAGG_HOW_SAME
#define BY(handler) .by = GPUAGG_HANDLER_##handler
#define BY_OP(handler, operation) .by = GPUAGG_HANDLER_##handler,.op = GPUAGG_OP_##operation
#define BY_TYPE(handler, register) .by = GPUAGG_HANDLER_##handler,.type = GPUAGG_T_##register
#define HOW(flag) .how = GPUAGG_HOW_##flag
#define HOW2(flag, other) .how = GPUAGG_HOW_##flag | GPUAGG_HOW_##other
#define HARMLESS(when) .harmless = GPUAGG_HARMLESS_##when
#define DIGITS(rule) .digits = GPUAGG_DIGITS_##rule
#define BOUND(rule) .bound = GPUAGG_BOUNDS_##rule
#define BOUND_OP(operation) .bound = GPUAGG_BOUNDS_OPERATION,.bound_op = GPUAGG_OP_##operation
#define IS(trait) .traits = GPUAGG_IS_##trait

static const GpuAggFunction functions[GPUAGG_NFUNCTIONS] = {
#define FN(name, types, type, ...) \
	[GPUAGG_F_##name] = {.oid = F_##name,.result = type##OID, \
		.args = {GPUAGG_SQL_TYPES types},.nargs = GPUAGG_SQL_COUNT types,##__VA_ARGS__},
#include "planner/catalogue/functions.def"
#undef FN
};

/* An OID that stood in two rows would be initialised twice, which compilers warn of. */
static const uint16 row_of[FirstGenbkiObjectId] = {
#define FN(name, ...) [F_##name] = GPUAGG_F_##name,
#include "planner/catalogue/functions.def"
#undef FN
};

const GpuAggFunction *
gpuagg_function(Oid oid)
{
	return &functions[oid < lengthof(row_of) ? row_of[oid] : GPUAGG_F_NONE];
}

const GpuAggFunction *
gpuagg_function_of(const Node *expr)
{
	const OpExpr *op = (const OpExpr *) expr;

	if (expr != NULL && IsA(expr, FuncExpr))
		return gpuagg_function(((const FuncExpr *) expr)->funcid);
	if (expr != NULL && IsA(expr, OpExpr))
		return gpuagg_function(OidIsValid(op->opfuncid) ? op->opfuncid : get_opcode(op->opno));
	return &functions[GPUAGG_F_NONE];
}

Oid
gpuagg_function_oid(GpuAggFunctionId id)
{
	return functions[id].oid;
}

bool
gpuagg_is_call(const void *expr, GpuAggFunctionId id)
{
	return IsA(expr, FuncExpr) && ((const FuncExpr *) expr)->funcid == functions[id].oid;
}

Expr *
gpuagg_call(GpuAggFunctionId id, List *args)
{
	Assert(list_length(args) == functions[id].nargs);
	return (Expr *) makeFuncExpr(functions[id].oid, functions[id].result, args, InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}
