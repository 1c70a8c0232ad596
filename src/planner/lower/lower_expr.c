/*
 * lower_expr.c
 *		Expression nodes and the filter.
 *
 * WHERE is evaluated as PostgreSQL does: conjuncts in the order of
 * order_qual_clauses(), that is by security level (row security and
 * security-barrier views first, except for cheap leakproof clauses), then by
 * cost; one that is not true hides whatever the later ones do.  A device
 * computes all of them for every row, but computing has no effect besides
 * the value: an error is a value too, and AND drops it where the left side
 * is false.  So no expression can tell anything about a row that an earlier
 * level hides, and quals of any security level can be lowered.
 *
 * Keys and arguments come after the filter and count for rows that pass (lower_key.c,
 * lower_agg.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_bound.h"
#include "planner/lower/lower_called.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_func.h"
#include "planner/lower/lower_input.h"
#include "planner/lower/lower_interval.h"
#include "planner/lower/lower_join.h"
#include "planner/lower/lower_list.h"
#include "planner/lower/lower_numeric.h"
#include "planner/lower/lower_own_scale.h"
#include "planner/lower/lower_string.h"
#include "planner/lower/lower_subplan.h"
#include "planner/lower/lower_types.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"

/* May this operation turn values into an error? */
static bool
operation_may_fail(GpuAggOp op)
{
	if ((op >= GPUAGG_OP_INT_AND && op <= GPUAGG_OP_INT8_SHR) ||
		(op >= GPUAGG_OP_TO_BOOL && op <= GPUAGG_OP_NOT) ||
		(op >= GPUAGG_OP_FLOAT_NEG && op <= GPUAGG_OP_FLOAT_ROUND) ||
		(op >= GPUAGG_OP_OCTET_LENGTH && op <= GPUAGG_OP_SUBSTR_FROM) ||
		op >= GPUAGG_OP_STARTS_WITH)
		return false;
	return op != GPUAGG_OP_INT_TO_FLOAT8 && op != GPUAGG_OP_INT_TO_FLOAT4;
}

/* Is the result surely not NULL? */
static bool
operation_notnull(GpuAggOp op, const GpuAggLowered *a, const GpuAggLowered *b,
				  const GpuAggLowered *c)
{
	switch (op)
	{
		case GPUAGG_OP_IS_NULL:
		case GPUAGG_OP_IS_NOT_NULL:
		case GPUAGG_OP_IS_TRUE:
		case GPUAGG_OP_IS_NOT_TRUE:
		case GPUAGG_OP_IS_FALSE:
		case GPUAGG_OP_IS_NOT_FALSE:
		case GPUAGG_OP_DISTINCT_FROM:
			return true;
		case GPUAGG_OP_SELECT:
			return b->notnull && c->notnull;
		case GPUAGG_OP_COALESCE:
			return a->notnull || b->notnull;
		case GPUAGG_OP_NULL_IF:
		case GPUAGG_OP_CALLED_BOOL:
		case GPUAGG_OP_CALLED_INT4:
		case GPUAGG_OP_CALLED_INT8:
		case GPUAGG_OP_CALLED_FLOAT8:
		case GPUAGG_OP_CALLED_TEXT:
			return false;
		default:
			return (a == NULL || a->notnull) && (b == NULL || b->notnull) &&
				(c == NULL || c->notnull);
	}
}

bool
gpuagg_lower_op(GpuAggLower *lw, GpuAggOp op, uint8 type,
				const GpuAggLowered *a, const GpuAggLowered *b,
				const GpuAggLowered *c, int32 imm, GpuAggLowered *out)
{
	GpuAggInstr instr;
	GpuAggLowered result;

	memset(&instr, 0, sizeof(instr));
	instr.op = op;
	instr.a = a != NULL ? a->reg : GPUAGG_NO_REG;
	instr.b = b != NULL ? b->reg : GPUAGG_NO_REG;
	instr.c = c != NULL ? c->reg : GPUAGG_NO_REG;
	instr.imm = imm;
	result.notnull = operation_notnull(op, a, b, c);
	result.may_fail = operation_may_fail(op) ||
		(a != NULL && a->may_fail) || (b != NULL && b->may_fail) ||
		(c != NULL && c->may_fail);
	if (!gpuagg_lower_emit(lw, instr, type, &result))
		return false;
	*out = result;
	return true;
}

bool
gpuagg_lower_bool(GpuAggLower *lw, bool value, GpuAggLowered *out)
{
	return gpuagg_lower_constant(lw,
								 gpuagg_constant_make(GPUAGG_T_BOOL,
													  BoolGetDatum(value),
													  false),
								 out);
}

bool
gpuagg_lower_null_bool(GpuAggLower *lw, GpuAggLowered *out)
{
	return gpuagg_lower_constant(lw,
								 gpuagg_constant_make(GPUAGG_T_BOOL,
													  (Datum) 0, true),
								 out);
}

/* A plain column of our table? */
bool
gpuagg_lower_check_var(const GpuAggLower *lw, const Var *var)
{
	if (var->varno != lw->rel->relid || var->varlevelsup != 0)
		return GPUAGG_REFUSE("a column of a table that is not one of those that are joined here");
	if (var->varattno < 0)
		return GPUAGG_REFUSE("system columns are not supported");
	if (var->varattno == 0)
		return GPUAGG_REFUSE("whole rows are not supported");
	return true;
}

static char *
column_name(const GpuAggLower *lw, const Var *var)
{
	return NameStr(TupleDescAttr(RelationGetDescr(lw->relation),
								 var->varattno - 1)->attname);
}

static bool
lower_var(GpuAggLower *lw, Var *var, GpuAggLowered *out)
{
	uint8		type;
	GpuAggScale scale;

	if (lw->nlookups > 0 && var->varno != lw->rel->relid)
		return gpuagg_lower_joined_column(lw, var, out);
	if (!gpuagg_lower_check_var(lw, var))
		return false;
	if (gpuagg_constant_column(var->vartype, var->vartypmod, &type, &scale))
		return gpuagg_scale_is_word(scale) ? gpuagg_lower_own_scale(lw, var->varattno, out) :
			gpuagg_lower_column(lw, var->varattno, type, scale, out);
	if (getBaseType(var->vartype) == NUMERICOID)
		return GPUAGG_REFUSE(
			"column \"%s\" is a numeric with a scale above %d, which is not supported",
			column_name(lw, var), GPUAGG_MAX_SCALE);
	return GPUAGG_REFUSE("column \"%s\" has type %s, which is not supported",
						 column_name(lw, var), format_type_be(var->vartype));
}

static bool
lower_bool_expr(GpuAggLower *lw, BoolExpr *expr, GpuAggLowered *out)
{
	GpuAggOp	op = expr->boolop == AND_EXPR ? GPUAGG_OP_AND : GPUAGG_OP_OR;
	GpuAggLowered acc;
	ListCell   *lc;

	if (!gpuagg_lower_expr(lw, gpuagg_arg(expr->args, 0), &acc))
		return false;
	if (expr->boolop == NOT_EXPR)
		return gpuagg_lower_op(lw, GPUAGG_OP_NOT, GPUAGG_T_BOOL, &acc, NULL,
							   NULL, 0, out);
	for_each_from(lc, expr->args, 1)
	{
		GpuAggLowered next;

		if (!gpuagg_lower_expr(lw, (Expr *) lfirst(lc), &next) ||
			!gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, &acc, &next, NULL, 0, &acc))
			return false;
	}
	*out = acc;
	return true;
}

/*
 * A stand-in type under which a column is loaded only to see whether it is
 * NULL: any of the right length.
 */
static bool
nullness_type(int16 attlen, uint8 *type)
{
	switch (attlen)
	{
		case 1:
			*type = GPUAGG_T_BOOL;
			return true;
		case 2:
			*type = GPUAGG_T_INT2;
			return true;
		case 4:
			*type = GPUAGG_T_INT4;
			return true;
		case 8:
			*type = GPUAGG_T_INT8;
			return true;
		case 16:
			*type = GPUAGG_T_UUID;
			return true;
		case -1:
			*type = GPUAGG_T_TEXT;
			return true;
		default:
			return false;
	}
}

bool
gpuagg_lower_nullness_column(GpuAggLower *lw, Var *var, GpuAggLowered *out)
{
	Form_pg_attribute att;
	uint8		type;
	GpuAggScale scale;

	if (lw->nlookups > 0 && var->varno != lw->rel->relid)
		return gpuagg_lower_joined_column(lw, var, out);
	if (!gpuagg_lower_check_var(lw, var))
		return false;
	if (gpuagg_constant_column(var->vartype, var->vartypmod, &type, &scale) &&
		(!gpuagg_scale_is_word(scale) || gpuagg_lower_own_scale_fits(lw, var->varattno)))
		return gpuagg_lower_column(lw, var->varattno, type, scale, out);
	att = TupleDescAttr(RelationGetDescr(lw->relation), var->varattno - 1);
	if (!nullness_type(att->attlen, &type))
		return GPUAGG_REFUSE("column \"%s\" has type %s, which is not supported",
							 column_name(lw, var),
							 format_type_be(var->vartype));
	return gpuagg_lower_column(lw, var->varattno, type, gpuagg_scale(0), out);
}

bool
gpuagg_lower_nulltest(GpuAggLower *lw, Expr *arg, bool is_null,
					  GpuAggLowered *out)
{
	Expr	   *bare = arg;
	GpuAggLowered value;

	if (lw->of_plan)
		return gpuagg_lower_input_nulltest(lw, arg, is_null, out);
	while (IsA(bare, RelabelType))
		bare = ((RelabelType *) bare)->arg;
	if (IsA(bare, Const))
		return gpuagg_lower_const(
			lw, (Const *) makeBoolConst(((Const *) bare)->constisnull == is_null, false), out);
	if (gpuagg_lower_is_bounded(lw, bare) ? !gpuagg_lower_bounded_nullness(lw, bare, &value) :
			IsA(bare, Var) ? !gpuagg_lower_string_nullness(lw, (Var *) bare, &value) &&
				!gpuagg_lower_nullness_column(lw, (Var *) bare, &value) :
							 !gpuagg_lower_expr(lw, arg, &value))
		return false;
	return gpuagg_lower_op(lw, is_null ? GPUAGG_OP_IS_NULL :
						   GPUAGG_OP_IS_NOT_NULL,
						   GPUAGG_T_BOOL, &value, NULL, NULL, 0, out);
}

static bool
lower_boolean_test(GpuAggLower *lw, BooleanTest *test, GpuAggLowered *out)
{
	static const uint8 operation[] = {
		[IS_TRUE] = GPUAGG_OP_IS_TRUE,
		[IS_NOT_TRUE] = GPUAGG_OP_IS_NOT_TRUE,
		[IS_FALSE] = GPUAGG_OP_IS_FALSE,
		[IS_NOT_FALSE] = GPUAGG_OP_IS_NOT_FALSE,
		[IS_UNKNOWN] = GPUAGG_OP_IS_NULL,
		[IS_NOT_UNKNOWN] = GPUAGG_OP_IS_NOT_NULL
	};
	GpuAggLowered value;

	return gpuagg_lower_expr(lw, test->arg, &value) &&
		gpuagg_lower_op(lw, (GpuAggOp) operation[test->booltesttype],
						GPUAGG_T_BOOL, &value, NULL, NULL, 0, out);
}

static bool
same_class(GpuAggLower *lw, GpuAggLowered *a, GpuAggLowered *b)
{
	if (a->type == b->type || gpuagg_lower_spans(lw, a, b))
		return true;
	return GPUAGG_REFUSE("an expression mixes types that no device computes with each other");
}

/*
 * CASE: from the last branch to the first, result = when ? then : rest.
 * Branches are lowered in their own order, so that reasons come in it.
 */
static bool
lower_case(GpuAggLower *lw, CaseExpr *expr, GpuAggLowered *out)
{
	const GpuAggLowered *outer = lw->case_value;
	int			n = list_length(expr->args);
	GpuAggLowered *when = palloc(n * sizeof(GpuAggLowered));
	GpuAggLowered *then = palloc(n * sizeof(GpuAggLowered));
	const bool	string = expr->arg != NULL && gpuagg_lower_is_input_string(lw, expr->arg);
	GpuAggLowered tested;
	GpuAggLowered rest;
	bool		ok = true;
	ListCell   *lc;

	if (expr->arg != NULL && !string && !gpuagg_lower_expr(lw, expr->arg, &tested))
		return false;
	foreach(lc, expr->args)
	{
		CaseWhen   *branch = lfirst_node(CaseWhen, lc);
		int			i = foreach_current_index(lc);

		if (expr->arg != NULL)
			lw->case_value = string ? NULL : &tested;
		ok = gpuagg_lower_expr(
			lw, string ? gpuagg_lower_case_condition(branch->expr, expr->arg) : branch->expr,
			&when[i]);
		lw->case_value = outer;
		ok = ok && gpuagg_lower_expr(lw, branch->result, &then[i]);
		if (!ok)
			return false;
	}
	if (!gpuagg_lower_expr(lw, expr->defresult, &rest))
		return false;
	for (int i = n - 1; i >= 0; i--)
	{
		if (!same_class(lw, &then[i], &rest) ||
			!gpuagg_lower_select(lw, &when[i], &then[i], &rest, &rest))
			return false;
	}
	*out = rest;
	return true;
}

/* 1 if x is NULL, or if it is not */
static Expr *
null_as_int(Expr *x, NullTestType kind)
{
	NullTest   *test = makeNode(NullTest);
	CaseWhen   *when = makeNode(CaseWhen);
	CaseExpr   *both = makeNode(CaseExpr);

	test->arg = x;
	test->nulltesttype = kind;
	test->location = -1;
	when->expr = (Expr *) test;
	when->result = (Expr *) makeConst(INT4OID, -1, InvalidOid, 4, Int32GetDatum(1), false, true);
	both->casetype = INT4OID;
	both->args = list_make1(when);
	both->defresult = (Expr *) makeConst(INT4OID, -1, InvalidOid, 4, Int32GetDatum(0), false, true);
	return (Expr *) both;
}

/*
 * num_nulls() and num_nonnulls(), which PostgreSQL leaves as they are; since 19 it takes IS NULL
 * of a column that is NOT NULL for false, and who needs the column read (functions/load.c) can
 * ask so.
 */
static bool
lower_num_nulls(GpuAggLower *lw, const FuncExpr *call, GpuAggLowered *out)
{
	NullTestType kind = gpuagg_is_call(call, GPUAGG_F_NUM_NULLS) ? IS_NULL : IS_NOT_NULL;
	Expr	   *sum = null_as_int(gpuagg_arg(call->args, 0), kind);

	for (int i = 1; i < list_length(call->args); i++)
		sum = gpuagg_call(GPUAGG_F_INT4PL,
						  list_make2(sum, null_as_int(gpuagg_arg(call->args, i), kind)));
	return gpuagg_lower_expr(lw, sum, out);
}

static bool
lower_coalesce(GpuAggLower *lw, CoalesceExpr *expr, GpuAggLowered *out)
{
	int			n = list_length(expr->args);
	GpuAggLowered *values = palloc(n * sizeof(GpuAggLowered));
	GpuAggLowered rest;
	ListCell   *lc;

	foreach(lc, expr->args)
	{
		if (!gpuagg_lower_expr(lw, (Expr *) lfirst(lc),
							   &values[foreach_current_index(lc)]))
			return false;
	}
	rest = values[n - 1];
	for (int i = n - 2; i >= 0; i--)
	{
		if (!same_class(lw, &values[i], &rest) ||
			!gpuagg_lower_coalesce(lw, &values[i], &rest, &rest))
			return false;
	}
	*out = rest;
	return true;
}

/* Is a beyond b (greater, or less)?  In the order of the type. */
static bool
lower_beyond(GpuAggLower *lw, bool greater, Oid sqltype, Oid collation,
			 const GpuAggLowered *a, const GpuAggLowered *b, GpuAggLowered *out)
{
	GpuAggLowered left = *a;
	GpuAggLowered right = *b;
	GpuAggOp	op;
	bool		handled;
	bool		ok;

	ok = gpuagg_lower_beyond_of_type(lw, greater, sqltype, a, b, &handled, out);
	if (handled)
		return ok;
	switch (gpuagg_constant_class(a->type))
	{
		case GPUAGG_CLASS_I64:
			op = greater ? GPUAGG_OP_I64_GT : GPUAGG_OP_I64_LT;
			if (!gpuagg_lower_numeric_align(lw, &left, &right))
				return false;
			break;
		case GPUAGG_CLASS_F64:
			op = greater ? GPUAGG_OP_F64_GT : GPUAGG_OP_F64_LT;
			break;
		default:
			op = greater ? GPUAGG_OP_BYTES_GT : GPUAGG_OP_BYTES_LT;
			if (a->type == GPUAGG_T_INTERVAL)
				return GPUAGG_REFUSE("GREATEST and LEAST of intervals are not supported");
			if (type_is_collatable(sqltype) && !gpuagg_collation_is_c(collation))
				return GPUAGG_REFUSE("GREATEST and LEAST of text need collation \"C\"");
			if (a->type == GPUAGG_T_BPCHAR &&
				(!gpuagg_lower_op(lw, GPUAGG_OP_RTRIM, GPUAGG_T_TEXT, a, NULL,
								  NULL, 0, &left) ||
				 !gpuagg_lower_op(lw, GPUAGG_OP_RTRIM, GPUAGG_T_TEXT, b, NULL,
								  NULL, 0, &right)))
				return false;
			break;
	}
	return gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, &left, &right, NULL, 0, out);
}

/*
 * GREATEST and LEAST ignore NULLs and keep the first of equal values:
 * "beyond" is not true if either is NULL, and COALESCE finds the one left.
 */
static bool
lower_minmax(GpuAggLower *lw, MinMaxExpr *expr, GpuAggLowered *out)
{
	bool		least = expr->op == IS_LEAST;
	GpuAggLowered acc;
	ListCell   *lc;

	if (!gpuagg_lower_expr(lw, gpuagg_arg(expr->args, 0), &acc))
		return false;
	for_each_from(lc, expr->args, 1)
	{
		GpuAggLowered next;
		GpuAggLowered beyond;
		GpuAggLowered other;

		if (!gpuagg_lower_expr(lw, (Expr *) lfirst(lc), &next) ||
			!same_class(lw, &acc, &next) ||
			!lower_beyond(lw, least, expr->minmaxtype, expr->inputcollid, &acc, &next, &beyond) ||
			!gpuagg_lower_coalesce(lw, &acc, &next, &other) ||
			!gpuagg_lower_select(lw, &beyond, &next, &other, &acc))
			return false;
	}
	*out = acc;
	return true;
}

/* DistinctExpr and NullIfExpr: x = y first, then x (and y). */
static bool
lower_equality_based(GpuAggLower *lw, OpExpr *expr, GpuAggLowered *out)
{
	GpuAggLowered x;
	GpuAggLowered y;
	GpuAggLowered equal;

	set_opfuncid(expr);
	if (!gpuagg_lower_function(lw, expr->opfuncid, expr->opno, expr->args,
							   expr->inputcollid, &equal) ||
		!gpuagg_lower_expr(lw, gpuagg_arg(expr->args, 0), &x) ||
		!gpuagg_lower_expr(lw, gpuagg_arg(expr->args, 1), &y))
		return false;
	if (IsA(expr, NullIfExpr))
	{
		if (!gpuagg_lower_op(lw, GPUAGG_OP_NULL_IF, x.type, &x, &equal, NULL, 0, out))
			return false;
		out->scale = x.scale;
		out->shown = x.shown;
		out->shown_reg = x.shown_reg;
		return true;
	}
	return gpuagg_lower_op(lw, GPUAGG_OP_DISTINCT_FROM, GPUAGG_T_BOOL, &x,
						   &equal, &y, 0, out);
}

/* A value's bytes under another type */
static bool
relabel_as(GpuAggLower *lw, Oid resulttype, GpuAggLowered *value)
{
	uint8		type;

	if (value->type == GPUAGG_T_NUMERIC && getBaseType(resulttype) == NUMERICOID)
		return true;
	if (!gpuagg_constant_type(resulttype, &type) || !gpuagg_lower_same_bytes(lw, type, value))
		return GPUAGG_REFUSE("a cast to type %s is not supported", format_type_be(resulttype));
	value->type = type;
	return true;
}

static bool
lower_relabel(GpuAggLower *lw, RelabelType *relabel, GpuAggLowered *out)
{
	return gpuagg_lower_expr(lw, relabel->arg, out) && relabel_as(lw, relabel->resulttype, out);
}

/*
 * A cast may call a function of another result type, whose bytes are its own: int4(int2) makes
 * a smallint an oid.
 */
static bool
lower_call(GpuAggLower *lw, FuncExpr *call, GpuAggLowered *out)
{
	if (!call->funcvariadic && (gpuagg_is_call(call, GPUAGG_F_NUM_NULLS) ||
								gpuagg_is_call(call, GPUAGG_F_NUM_NONNULLS)))
		return lower_num_nulls(lw, call, out);
	return gpuagg_lower_function(lw, call->funcid, InvalidOid, call->args, call->inputcollid,
								 out) &&
		(get_func_rettype(call->funcid) == call->funcresulttype ||
		 relabel_as(lw, call->funcresulttype, out));
}

static bool
refuse_node(Node *node)
{
	switch (nodeTag(node))
	{
		case T_AlternativeSubPlan:
			return GPUAGG_REFUSE("a subquery has to be run for each row");
		case T_CoerceViaIO:
			return GPUAGG_REFUSE("a cast from type %s to type %s is not supported",
								 format_type_be(exprType((Node *) ((CoerceViaIO *) node)->arg)),
								 format_type_be(exprType(node)));
		case T_CoerceToDomain:
			return GPUAGG_REFUSE("a cast to domain %s is not supported",
								 format_type_be(exprType(node)));
		case T_RowExpr:
		case T_RowCompareExpr:
			return GPUAGG_REFUSE("comparisons of rows are not supported");
		case T_PlaceHolderVar:
			return GPUAGG_REFUSE("an expression of an outer join is not supported");
		default:
			return GPUAGG_REFUSE("an expression of type %s is not supported",
								 format_type_be(exprType(node)));
	}
}

static bool
lower_node(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	switch (nodeTag(expr))
	{
		case T_Var:
			return lower_var(lw, (Var *) expr, out);
		case T_RelabelType:
			return lower_relabel(lw, (RelabelType *) expr, out);
		case T_CollateExpr:
			return gpuagg_lower_expr(lw, ((CollateExpr *) expr)->arg, out);
		case T_FuncExpr:
			return lower_call(lw, (FuncExpr *) expr, out);
		case T_OpExpr:
			set_opfuncid((OpExpr *) expr);
			return gpuagg_lower_function(lw, ((OpExpr *) expr)->opfuncid,
										 ((OpExpr *) expr)->opno,
										 ((OpExpr *) expr)->args,
										 ((OpExpr *) expr)->inputcollid, out);
		case T_DistinctExpr:
		case T_NullIfExpr:
			return lower_equality_based(lw, (OpExpr *) expr, out);
		case T_ScalarArrayOpExpr:
			return gpuagg_lower_array_op(lw, (ScalarArrayOpExpr *) expr, out);
		case T_BoolExpr:
			return lower_bool_expr(lw, (BoolExpr *) expr, out);
		case T_NullTest:
			if (((NullTest *) expr)->argisrow)
				return refuse_node((Node *) expr);
			return gpuagg_lower_nulltest(lw, ((NullTest *) expr)->arg,
										 ((NullTest *) expr)->nulltesttype == IS_NULL,
										 out);
		case T_BooleanTest:
			return lower_boolean_test(lw, (BooleanTest *) expr, out);
		case T_CaseExpr:
			return lower_case(lw, (CaseExpr *) expr, out);
		case T_CaseTestExpr:
			if (lw->case_value == NULL)
				return refuse_node((Node *) expr);
			*out = *lw->case_value;
			return true;
		case T_CoalesceExpr:
			return lower_coalesce(lw, (CoalesceExpr *) expr, out);
		case T_MinMaxExpr:
			return lower_minmax(lw, (MinMaxExpr *) expr, out);
		case T_SubPlan:
			return gpuagg_lower_subplan(lw, (SubPlan *) expr, out);
		default:
			return refuse_node((Node *) expr);
	}
}

/*
 * What no device computes PostgreSQL may compute of a column's strings: as much at a time as can
 * be, which an instruction for a part of it would not let.
 */
static bool
lower_or_call(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	const GpuAggMark mark = gpuagg_lower_mark(lw);
	bool		listening;
	bool		ok;

	if (!lw->calls || IsA(expr, Var))
		return lower_node(lw, expr, out);
	listening = gpuagg_refuse_pause();
	lw->calls = false;
	ok = lower_node(lw, expr, out);
	lw->calls = true;
	if (!ok)
	{
		gpuagg_lower_reset(lw, mark);
		ok = gpuagg_lower_called(lw, expr, out);
		lw->called_any |= ok;
	}
	gpuagg_refuse_resume(listening);
	if (ok)
		return true;
	gpuagg_lower_reset(lw, mark);
	return lower_node(lw, expr, out);
}

/* See lower_const.c about expressions without columns. */
bool
gpuagg_lower_expr(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	GpuAggMark	mark;
	bool		listening;
	bool		foreign;
	bool		ok;

	check_stack_depth();
	if (IsA(expr, Const))
		return gpuagg_lower_const(lw, (Const *) expr, out);
	if (lw->of_plan)
		return gpuagg_lower_input(lw, expr, out);
	if (IsA(expr, Param))
		return gpuagg_lower_const_expr(lw, expr, out);
	if (IsA(expr, Var) || !gpuagg_lower_is_constant(expr))
		return gpuagg_lower_string_value(lw, expr, out) || lower_or_call(lw, expr, out);
	if (!gpuagg_lower_const_may_fail(expr, &foreign))
		return gpuagg_lower_const_expr(lw, expr, out);
	mark = gpuagg_lower_mark(lw);
	listening = gpuagg_refuse_pause();
	ok = lower_node(lw, expr, out);
	gpuagg_refuse_resume(listening);
	if (ok)
		return true;
	gpuagg_lower_reset(lw, mark);
	return gpuagg_lower_const_expr(lw, expr, out);
}

typedef struct QualItem
{
	Node	   *clause;
	Index		security_level;
	Cost		cost;
} QualItem;

/* PostgreSQL's order_qual_clauses(), which is not exported. */
List *
gpuagg_order_quals(PlannerInfo *root, List *clauses)
{
	QualItem   *items = palloc(list_length(clauses) * sizeof(QualItem));
	List	   *result = NIL;
	int			n = 0;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		QualItem	item = {.clause = lfirst(lc)};
		QualCost	cost;
		int			i;

		cost_qual_eval_node(&cost, item.clause, root);
		item.cost = cost.per_tuple;
		if (IsA(item.clause, RestrictInfo))
		{
			RestrictInfo *rinfo = (RestrictInfo *) item.clause;

			if (!rinfo->leakproof || item.cost >= 10 * cpu_operator_cost)
				item.security_level = rinfo->security_level;
		}
		/* insertion, behind those of the same rank */
		for (i = n++; i > 0; i--)
		{
			if (items[i - 1].security_level < item.security_level ||
				(items[i - 1].security_level == item.security_level &&
				 items[i - 1].cost <= item.cost))
				break;
			items[i] = items[i - 1];
		}
		items[i] = item;
	}
	for (int i = 0; i < n; i++)
		result = lappend(result, items[i].clause);
	return result;
}

/*
 * acc NULL means that PostgreSQL looks no further, so an error of next has to
 * vanish then, too.
 */
bool
gpuagg_lower_and_qual(GpuAggLower *lw, GpuAggLowered *acc, const GpuAggLowered *next)
{
	if (!acc->notnull && next->may_fail &&
		!gpuagg_lower_op(lw, GPUAGG_OP_IS_TRUE, GPUAGG_T_BOOL, acc, NULL, NULL,
						 0, acc))
		return false;
	return gpuagg_lower_op(lw, GPUAGG_OP_AND, GPUAGG_T_BOOL, acc, next, NULL,
						   0, acc);
}

bool
gpuagg_lower_filter(GpuAggLower *lw, List *clauses)
{
	List	   *ordered = gpuagg_order_quals(lw->root, clauses);
	List	   *gate = extract_actual_clauses(ordered, true);
	List	   *quals = extract_actual_clauses(ordered, false);
	bool		ok = true;
	GpuAggLowered acc;
	ListCell   *lc;

	/* PostgreSQL tests the pseudoconstant ones once, before it reads a row */
	if (gate != NIL)
		quals = lcons(make_ands_explicit(gate), quals);
	foreach(lc, quals)
	{
		GpuAggLowered next;

		if (!gpuagg_lower_condition(lw, lfirst(lc), &next))
			ok = false;
		else if (ok && foreach_current_index(lc) == 0)
		{
			acc = next;
			if (gate != NIL && (acc.reg & GPUAGG_VREG_KIND) == GPUAGG_VREG_CONST)
				lw->gate = acc.reg & GPUAGG_VREG_NUMBER;
		}
		else if (ok && !gpuagg_lower_and_qual(lw, &acc, &next))
			ok = false;
		if (!ok && !gpuagg_refuse_listening)
			return false;
	}
	lw->filter_reg = ok && quals != NIL ? acc.reg : GPUAGG_NO_REG;
	lw->filter_instrs = lw->ninstrs;
	return ok;
}
