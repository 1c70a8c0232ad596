/*
 * lower_input_digits.c
 *		How many digits the numerics of a plan's rows are expected to have
 *		(lower_input_digits.h).
 *
 * By declared scales, constants, statistics of columns, also below subqueries, and what
 * PostgreSQL makes of them: a sum or difference has the decimals of both, a product as many
 * as they have together, a quotient, an average or a float more than fit.  Of anything else
 * nothing is known.  Only the choice of a scale depends on it: a value that does not fit is
 * put aside when it comes (node/row/row_aside.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower_input_digits.h"
#include "planner/value/args.h"
#include "planner/value/constant.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

/* Decimals of what is more than a word has */
#define TOO_MANY_DECIMALS 40

/* Digits before the point of an integer of 64 bits, as they usually are */
#define INTEGER_DIGITS 9

/* Fewer of the values that ANALYZE has kept may fit no word */
#define FEW_SHARE 8

static GpuAggDigits digits_of(PlannerInfo *root, Expr *expr);

static GpuAggDigits
make_digits(int before, int behind)
{
	return (GpuAggDigits) {.before = before,.behind = behind,.any = true};
}

/* Of values of which some are like these and some like those; what is not known counts nothing. */
static GpuAggDigits
most(GpuAggDigits a, GpuAggDigits b)
{
	if (!a.any || !b.any)
		return a.any ? a : b;
	return make_digits(Max(a.before, b.before), Max(a.behind, b.behind));
}

static GpuAggDigits
digits_of_list(PlannerInfo *root, const List *exprs)
{
	GpuAggDigits all = {0};
	ListCell   *lc;

	foreach(lc, exprs)
		all = most(all, digits_of(root, lfirst(lc)));
	return all;
}

/* ------------------------------------------------------------- columns --- */

static GpuAggDigits
digits_of_values(PlannerInfo *root, const RangeTblEntry *rte, const Var *var)
{
	GpuAggDigits all = {0};
	ListCell   *lc;

	foreach(lc, rte->values_lists)
		all = most(all, digits_of(root, list_nth(lfirst(lc), var->varattno - 1)));
	return all;
}

static GpuAggDigits
digits_of_subquery(PlannerInfo *root, const RangeTblEntry *rte, const Var *var)
{
	const RelOptInfo *rel = root->simple_rel_array[var->varno];
	const Query *query = rte->subquery;
	const TargetEntry *tle;

	if (rel == NULL || rel->subroot == NULL || query->setOperations != NULL ||
		(tle = get_tle_by_resno(rel->subroot->parse->targetList, var->varattno)) == NULL)
		return (GpuAggDigits) {0};
	return digits_of(rel->subroot, tle->expr);
}

static GpuAggDigits
digits_of_var(PlannerInfo *root, Var *var)
{
	GpuAggDigits digits = {.lenient = true};
	VariableStatData data;
	const RangeTblEntry *rte;

	if (var->varlevelsup > 0 || IS_SPECIAL_VARNO(var->varno) || var->varattno <= 0)
		return digits;
	examine_variable(root, (Node *) var, 0, &data);
	if (HeapTupleIsValid(data.statsTuple))
		gpuagg_digits_of_tuple(&digits, data.statsTuple);
	ReleaseVariableStats(data);
	if (digits.left_out > 0 && digits.left_out >= digits.taken / FEW_SHARE)
		return make_digits(0, TOO_MANY_DECIMALS);
	rte = planner_rt_fetch(var->varno, root);
	if (digits.any)
		return digits;
	return rte->rtekind == RTE_VALUES ? digits_of_values(root, rte, var) :
		rte->rtekind == RTE_SUBQUERY ? digits_of_subquery(root, rte, var) : digits;
}

/* --------------------------------------------------------- expressions --- */

/* round(x, n), trunc(x, n) */
static GpuAggDigits
rounded(PlannerInfo *root, const List *args)
{
	const Const *to = gpuagg_arg(args, 1);
	const GpuAggDigits x = digits_of(root, gpuagg_arg(args, 0));

	return IsA(to, Const) && !to->constisnull ?
		make_digits(x.before, Max(DatumGetInt32(to->constvalue), 0)) : x;
}

/* The largest factors seldom meet, so what is before the point is taken to fit. */
static GpuAggDigits
product(GpuAggDigits a, GpuAggDigits b)
{
	const int	behind = a.behind + b.behind;

	return a.any && b.any ?
		make_digits(Min(a.before + b.before, Max(GPUAGG_WORD_DIGITS - behind, 0)), behind) :
		most(a, b);
}

static GpuAggDigits
digits_of_function(PlannerInfo *root, const GpuAggFunction *function, const List *args)
{
	switch ((GpuAggDigitRule) function->digits)
	{
		case GPUAGG_DIGITS_SUM:
		case GPUAGG_DIGITS_REMAINDER:
		case GPUAGG_DIGITS_SIGN_ALONE:
			return digits_of_list(root, args);
		case GPUAGG_DIGITS_PRODUCT:
			return product(digits_of(root, gpuagg_arg(args, 0)),
						   digits_of(root, gpuagg_arg(args, 1)));
		case GPUAGG_DIGITS_DECIMALS:
			return rounded(root, args);
		case GPUAGG_DIGITS_WHOLE:
		case GPUAGG_DIGITS_SIGNUM:
			return make_digits(digits_of_list(root, args).before, 0);
		case GPUAGG_DIGITS_INTEGER:
			return make_digits(INTEGER_DIGITS, 0);
		case GPUAGG_DIGITS_QUOTIENT:
		case GPUAGG_DIGITS_FLOAT:
			return make_digits(0, TOO_MANY_DECIMALS);
		default:
			return (GpuAggDigits) {0};
	}
}

/* Of aggregates and window functions */
static GpuAggDigits
digits_of_aggregate(PlannerInfo *root, Oid function, const List *args)
{
	switch ((GpuAggDigitRule) gpuagg_aggregate(function)->digits)
	{
		case GPUAGG_DIGITS_TOTAL:
		case GPUAGG_DIGITS_EXTREME:
			return digits_of_list(root, args);
		case GPUAGG_DIGITS_INTEGER_TOTAL:
			return make_digits(INTEGER_DIGITS, 0);
		case GPUAGG_DIGITS_AVERAGE:
		case GPUAGG_DIGITS_INTEGER_AVERAGE:
			return make_digits(0, TOO_MANY_DECIMALS);
		default:
			return (GpuAggDigits) {0};
	}
}

static GpuAggDigits
digits_of_case(PlannerInfo *root, const CaseExpr *expr)
{
	GpuAggDigits all = digits_of(root, expr->defresult);
	ListCell   *lc;

	foreach(lc, expr->args)
		all = most(all, digits_of(root, lfirst_node(CaseWhen, lc)->result));
	return all;
}

static GpuAggDigits
digits_of_const(const Const *value)
{
	GpuAggDigits digits = {0};

	if (!value->constisnull && value->consttype == NUMERICOID)
		gpuagg_digits_add(&digits, value->constvalue);
	return digits;
}

/* The result of a sub-select that runs once; of a query's parameters nothing is known. */
static GpuAggDigits
digits_of_param(PlannerInfo *root, const Param *param)
{
	ListCell   *lc;

	foreach(lc, param->paramkind == PARAM_EXEC ? root->init_plans : NIL)
	{
		const SubPlan *plan = lfirst_node(SubPlan, lc);
		PlannerInfo *subroot;

		if (plan->subLinkType != EXPR_SUBLINK || !list_member_int(plan->setParam, param->paramid))
			continue;
		subroot = list_nth_node(PlannerInfo, root->glob->subroots, plan->plan_id - 1);
		return digits_of(subroot, linitial_node(TargetEntry, subroot->parse->targetList)->expr);
	}
	return (GpuAggDigits) {0};
}

/* Of a declared scale; false: there is none. */
static bool
is_declared(Expr *expr, GpuAggDigits *digits)
{
	int32		typmod = exprTypmod((Node *) expr);
	int			scale;

	if (getBaseTypeAndTypmod(exprType((Node *) expr), &typmod) != NUMERICOID || typmod < VARHDRSZ)
		return false;
	scale = gpuagg_numeric_typmod_scale(typmod);
	*digits = make_digits(Max(gpuagg_numeric_typmod_precision(typmod) - scale, 0), Max(scale, 0));
	return true;
}

static GpuAggDigits
digits_of(PlannerInfo *root, Expr *expr)
{
	GpuAggDigits digits = {0};

	check_stack_depth();
	if (expr != NULL && IsA(expr, TargetEntry))
		expr = ((TargetEntry *) expr)->expr;
	if (expr == NULL || is_declared(expr, &digits))
		return digits;
	switch (nodeTag(expr))
	{
		case T_Const:
			return digits_of_const((Const *) expr);
		case T_Var:
			return digits_of_var(root, (Var *) expr);
		case T_Param:
			return digits_of_param(root, (Param *) expr);
		case T_RelabelType:
			return digits_of(root, ((RelabelType *) expr)->arg);
		case T_CoalesceExpr:
			return digits_of_list(root, ((CoalesceExpr *) expr)->args);
		case T_MinMaxExpr:
			return digits_of_list(root, ((MinMaxExpr *) expr)->args);
		case T_CaseExpr:
			return digits_of_case(root, (CaseExpr *) expr);
		case T_OpExpr:
			return digits_of_function(root, gpuagg_function_of((Node *) expr),
									  ((OpExpr *) expr)->args);
		case T_FuncExpr:
			return digits_of_function(root, gpuagg_function_of((Node *) expr),
									  ((FuncExpr *) expr)->args);
		case T_Aggref:
			return digits_of_aggregate(root, ((Aggref *) expr)->aggfnoid, ((Aggref *) expr)->args);
		case T_WindowFunc:
			return digits_of_aggregate(root, ((WindowFunc *) expr)->winfnoid,
									   ((WindowFunc *) expr)->args);
		default:
			return digits;
	}
}

void
gpuagg_input_digits(PlannerInfo *root, Expr *expr, GpuAggDigits *digits)
{
	*digits = digits_of(root, expr);
}
