/*
 * lower_const.c
 *		Constants, and expressions without columns.
 *
 * A Const goes into the program.  Anything else without columns keeps one
 * value through an execution (volatile functions are refused), so it becomes
 * a runtime constant, computed by PostgreSQL when execution starts: a
 * parameter, the result of an init plan, now() - interval '1 day' under the
 * session's TimeZone.
 *
 * Starting to execute is earlier than PostgreSQL would compute it, and it
 * might never (no rows; a CASE around it).  For an init plan that is what
 * PostgreSQL's own Gather does, too.  For the rest: what surely raises no
 * error may be computed early; what might is first lowered like any
 * expression, piece by piece, because an error is then a value that waits to
 * be consumed; and where that cannot be done, the constant is marked may_fail
 * and the executor leaves a query whose constant fails to the fallback.  To
 * make that error safe to catch, such an expression is built of functions in
 * PostgreSQL's own language "internal" only (and of parameters, which the
 * executor computes before).
 *
 * numeric: only integers arise on a device (extract, casts from integers),
 * and they meet numeric constants in comparisons; x > 5.5 is x > 5 then.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "planner/lower/lower.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

bool
gpuagg_lower_const(GpuAggLower *lw, Const *con, GpuAggValue *out)
{
	uint8		type;

	if (!gpuagg_constant_type(con->consttype, &type))
		return GPUAGG_REFUSE("constants of type %s are not supported here",
							 format_type_be(con->consttype));
	return gpuagg_lower_constant(lw,
								 gpuagg_constant_make(type, con->constvalue,
													  con->constisnull),
								 out);
}

static bool
row_dependent_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_PlaceHolderVar:
		case T_CaseTestExpr:
		case T_CoerceToDomainValue:
		case T_SubPlan:
		case T_AlternativeSubPlan:
		case T_CurrentOfExpr:
			return true;
		default:
			return expression_tree_walker(node, row_dependent_walker,
										  context);
	}
}

bool
gpuagg_lower_is_constant(Expr *expr)
{
	return !row_dependent_walker((Node *) expr, NULL);
}

typedef struct MayFailContext
{
	bool		may_fail;
	bool		foreign;
} MayFailContext;

static void
check_function(Oid funcid, MayFailContext *context)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
	Form_pg_proc proc;

	if (!HeapTupleIsValid(tuple))
	{
		context->foreign = context->may_fail = true;
		return;
	}
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	if (funcid >= FirstGenbkiObjectId || proc->prolang != INTERNALlanguageId)
		context->foreign = true;
	if (!proc->proleakproof && proc->pronargs > 0)
		context->may_fail = true;
	ReleaseSysCache(tuple);
}

static bool
may_fail_walker(Node *node, void *arg)
{
	MayFailContext *context = (MayFailContext *) arg;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
		case T_Param:
		case T_SQLValueFunction:
		case T_RelabelType:
		case T_CollateExpr:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CoalesceExpr:
		case T_ArrayExpr:
		case T_List:
			break;
		case T_FuncExpr:
			check_function(((FuncExpr *) node)->funcid, context);
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			set_opfuncid((OpExpr *) node);
			check_function(((OpExpr *) node)->opfuncid, context);
			break;
		case T_ScalarArrayOpExpr:
			set_sa_opfuncid((ScalarArrayOpExpr *) node);
			check_function(((ScalarArrayOpExpr *) node)->opfuncid, context);
			break;
		case T_CoerceViaIO:
			context->may_fail = true;
			if (exprType((Node *) ((CoerceViaIO *) node)->arg) >= FirstGenbkiObjectId ||
				((CoerceViaIO *) node)->resulttype >= FirstGenbkiObjectId)
				context->foreign = true;
			break;
		case T_MinMaxExpr:
			context->may_fail = true;
			if (((MinMaxExpr *) node)->minmaxtype >= FirstGenbkiObjectId)
				context->foreign = true;
			break;
		default:
			context->foreign = context->may_fail = true;
			return true;
	}
	return expression_tree_walker(node, may_fail_walker, arg);
}

bool
gpuagg_lower_const_may_fail(Expr *expr, bool *foreign)
{
	MayFailContext context = {false, false};

	(void) may_fail_walker((Node *) expr, &context);
	*foreign = context.foreign;
	return context.may_fail || context.foreign;
}

bool
gpuagg_lower_const_expr(GpuAggLower *lw, Expr *expr, GpuAggValue *out)
{
	Oid			typid = exprType((Node *) expr);
	bool		may_fail;
	bool		foreign;
	uint8		type;

	if (!gpuagg_constant_type(typid, &type))
		return GPUAGG_REFUSE("parameters and expressions of type %s are not supported",
							 format_type_be(typid));
	if (contain_volatile_functions((Node *) expr))
		return GPUAGG_REFUSE("a volatile function has to be computed for each row");
	may_fail = gpuagg_lower_const_may_fail(expr, &foreign);
	if (foreign)
		return GPUAGG_REFUSE("an expression without columns uses more than PostgreSQL's own functions");
	return gpuagg_lower_runtime(lw, expr, type, may_fail, out);
}

bool
gpuagg_lower_numeric_floor(Datum value, int64 *floor, bool *integral)
{
	Datum		down;
	Datum		limit;

	if (numeric_is_nan(DatumGetNumeric(value)) ||
		numeric_is_inf(DatumGetNumeric(value)))
		return false;
	down = DirectFunctionCall1(numeric_floor, value);
	limit = NumericGetDatum(int64_to_numeric(PG_INT64_MAX));
	if (DatumGetBool(DirectFunctionCall2(numeric_gt, down, limit)))
		return false;
	limit = NumericGetDatum(int64_to_numeric(PG_INT64_MIN));
	if (DatumGetBool(DirectFunctionCall2(numeric_lt, down, limit)))
		return false;
	*floor = DatumGetInt64(DirectFunctionCall1(numeric_int8, down));
	*integral = DatumGetBool(DirectFunctionCall2(numeric_eq, down, value));
	return true;
}

/* The comparison of integers behind one of numerics. */
static bool
numeric_operation(Oid funcid, GpuAggOp *op)
{
	switch (funcid)
	{
		case F_NUMERIC_EQ:
			*op = GPUAGG_OP_I64_EQ;
			return true;
		case F_NUMERIC_NE:
			*op = GPUAGG_OP_I64_NE;
			return true;
		case F_NUMERIC_LT:
			*op = GPUAGG_OP_I64_LT;
			return true;
		case F_NUMERIC_LE:
			*op = GPUAGG_OP_I64_LE;
			return true;
		case F_NUMERIC_GT:
			*op = GPUAGG_OP_I64_GT;
			return true;
		case F_NUMERIC_GE:
			*op = GPUAGG_OP_I64_GE;
			return true;
		default:
			return false;
	}
}

/* The operator with its arguments exchanged */
static GpuAggOp
commuted(GpuAggOp op)
{
	switch (op)
	{
		case GPUAGG_OP_I64_LT:
			return GPUAGG_OP_I64_GT;
		case GPUAGG_OP_I64_LE:
			return GPUAGG_OP_I64_GE;
		case GPUAGG_OP_I64_GT:
			return GPUAGG_OP_I64_LT;
		case GPUAGG_OP_I64_GE:
			return GPUAGG_OP_I64_LE;
		default:
			return op;
	}
}

/* integer op numeric constant */
static bool
compare_with_const(GpuAggLower *lw, GpuAggOp op, const GpuAggValue *value,
				   const Const *con, GpuAggValue *out)
{
	GpuAggValue bound;
	int64		floor;
	bool		integral;

	if (con->constisnull)
		return gpuagg_lower_constant(lw,
									 gpuagg_constant_make(GPUAGG_T_INTNUM,
														  (Datum) 0, true),
									 &bound) &&
			gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, value, &bound, NULL, 0, out);
	if (!gpuagg_lower_numeric_floor(con->constvalue, &floor, &integral))
		return GPUAGG_REFUSE("a numeric constant is beyond the range of bigint");
	if (!gpuagg_lower_constant(lw,
							   gpuagg_constant_make(GPUAGG_T_INTNUM,
													Int64GetDatum(floor),
													false),
							   &bound))
		return false;
	if (!integral)
	{
		if (op == GPUAGG_OP_I64_EQ || op == GPUAGG_OP_I64_NE)
			return gpuagg_lower_op(lw, op == GPUAGG_OP_I64_EQ ?
								   GPUAGG_OP_I64_NE : GPUAGG_OP_I64_EQ,
								   GPUAGG_T_BOOL, value, value, NULL, 0, out);
		op = (op == GPUAGG_OP_I64_LT || op == GPUAGG_OP_I64_LE) ?
			GPUAGG_OP_I64_LE : GPUAGG_OP_I64_GT;
	}
	return gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, value, &bound, NULL, 0, out);
}

bool
gpuagg_lower_numeric_compare(GpuAggLower *lw, Oid funcid, List *args,
							 bool *handled, GpuAggValue *out)
{
	GpuAggOp	op;
	Expr	   *left;
	Expr	   *right;
	GpuAggValue a;
	GpuAggValue b;

	*handled = numeric_operation(funcid, &op);
	if (!*handled)
		return false;
	left = (Expr *) linitial(args);
	right = (Expr *) lsecond(args);
	if (IsA(left, Const) && !IsA(right, Const))
	{
		Expr	   *swap = left;

		left = right;
		right = swap;
		op = commuted(op);
	}
	if (!gpuagg_lower_expr(lw, left, &a))
		return false;
	if (a.type != GPUAGG_T_INTNUM)
		return GPUAGG_REFUSE("type numeric is not supported");
	if (IsA(right, Const))
		return compare_with_const(lw, op, &a, (Const *) right, out);
	if (!gpuagg_lower_expr(lw, right, &b))
		return false;
	if (b.type != GPUAGG_T_INTNUM)
		return GPUAGG_REFUSE("type numeric is not supported");
	return gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, &a, &b, NULL, 0, out);
}
