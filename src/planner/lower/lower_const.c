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
 * PostgreSQL's own language "internal" only that hold nothing when they fail
 * (and of parameters, which the executor computes before).
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
#include "parser/parse_coerce.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_numeric.h"
#include "planner/lower/lower_numeric_later.h"
#include "planner/value/harmless.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

bool
gpuagg_lower_const(GpuAggLower *lw, Const *con, GpuAggLowered *out)
{
	uint8		type;

	if (getBaseType(con->consttype) == NUMERICOID)
		return gpuagg_lower_numeric_const(lw, con, out);
	if (!gpuagg_constant_type(con->consttype, &type))
		return GPUAGG_REFUSE("constants of type %s are not supported here",
							 format_type_be(con->consttype));
	if (!con->constisnull && !gpuagg_constant_fits(type, con->constvalue))
		return GPUAGG_REFUSE("a constant of type %s cannot be sent to a device",
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

static bool
is_number(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID ||
		type == FLOAT8OID || type == NUMERICOID;
}

static bool
is_time(Oid type)
{
	const char	category = TypeCategory(type);

	return category == TYPCATEGORY_DATETIME || category == TYPCATEGORY_TIMESPAN;
}

/*
 * May an error of the function be caught, which is computed early?  Immutable ones hold nothing
 * that has to be released.  Of the stable ones those of moments do not, nor what makes numbers of
 * strings and strings of numbers; others may have a relation open.
 */
static bool
holds_nothing(const Form_pg_proc proc)
{
	bool		number = is_number(proc->prorettype);

	if (proc->provolatile == PROVOLATILE_IMMUTABLE ||
		(gpuagg_function(proc->oid)->traits & GPUAGG_IS_HOLDS_NOTHING) != 0)
		return true;
	if (is_time(proc->prorettype))
		return true;
	for (int i = 0; i < proc->pronargs; i++)
	{
		if (is_time(proc->proargtypes.values[i]))
			return true;
		number |= is_number(proc->proargtypes.values[i]);
		if (!is_number(proc->proargtypes.values[i]) && proc->proargtypes.values[i] != TEXTOID)
			return false;
	}
	return number && (is_number(proc->prorettype) || proc->prorettype == TEXTOID);
}

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
	{
		context->may_fail = true;
		context->foreign |= !holds_nothing(proc);
	}
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
		case T_SQLValueFunction:
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
			if (gpuagg_fails_by_its_parts(node))
				break;
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
gpuagg_lower_const_expr(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	Oid			typid = exprType((Node *) expr);
	bool		numeric = getBaseType(typid) == NUMERICOID;
	bool		may_fail;
	bool		foreign;
	uint8		type;

	if (!numeric && !gpuagg_constant_type(typid, &type))
		return GPUAGG_REFUSE("parameters and expressions of type %s are not supported",
							 format_type_be(typid));
	if (contain_volatile_functions((Node *) expr))
		return GPUAGG_REFUSE("a volatile function has to be computed for each row");
	may_fail = gpuagg_lower_const_may_fail(expr, &foreign);
	if (foreign)
		return GPUAGG_REFUSE(
			"an expression without columns uses more than PostgreSQL's own functions");
	if (numeric)
		return gpuagg_lower_numeric_later(lw, expr, out);
	return gpuagg_lower_runtime(lw, expr, type, may_fail, out);
}
