/*
 * top_groups.c
 *		Which of its groups a query wants.
 *
 * PostgreSQL's Sort, Limit and HAVING stay above the node and decide.  The device only
 * leaves out groups that they would drop, so that few come back (device/answer.h):
 *
 *	- HAVING: conditions that compare an output with a constant, or with a sub-select's total.
 *	- LIMIT, with ORDER BY or without: if all of HAVING is such, and nothing between
 *	  the grouping and the limit makes more or fewer rows of groups.  Of ORDER BY a
 *	  beginning will do.
 *
 * A group that is left out meets no expression above.  So none of them may be able to
 * raise an error: they are outputs of the node, comparisons, or made by leakproof functions,
 * which PostgreSQL knows to raise none that depends on a value.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "planner/catalogue/sql_function.h"
#include "planner/estimate/top_groups.h"
#include "planner/value/args.h"
#include "planner/value/harmless.h"
#include "planner/value/harmless_query.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"

/* PostgreSQL's own guess of a LIMIT that is not known yet */
#define UNKNOWN_LIMIT_SHARE 0.1

/* --------------------------------------------------------------- outputs --- */

/* False: nothing can be told of it. */
static bool
value_of_output(const GpuAggOutput *output, GpuAggValueRef *v)
{
	const uint8 order = gpuagg_final_traits(output->final)->order;

	memset(v, 0, sizeof(*v));
	if (order >= GPUAGG_NVALUEFORMS)
		return false;
	v->form = order;
	v->index = output->index;
	v->count = gpuagg_final_is_key(output->final) ? 0 : output->count_index + 1;
	return true;
}

/* Equal intervals may look differently; then codes of them differ. */
static bool
is_ordered(const GpuAggOutput *output)
{
	return gpuagg_final_is_key(output->final) || output->type != GPUAGG_T_INTERVAL_CODE;
}

static int
output_number(const GpuAggTopGroups *q, Node *expr)
{
	ListCell   *lc;

	foreach(lc, q->exprs)
	{
		if (equal(lfirst(lc), expr))
			return foreach_current_index(lc);
	}
	return -1;
}

/* ---------------------------------------------------------------- HAVING --- */

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static bool
is_float(Oid type)
{
	return type == FLOAT4OID || type == FLOAT8OID;
}

/* Are these two compared as the numbers that they are to a device? */
static bool
are_comparable(Oid value, Oid constant)
{
	return (is_integer(value) && is_integer(constant)) ||
		(is_float(value) && is_float(constant)) ||
		(value == constant && (value == DATEOID || value == TIMESTAMPOID ||
							   value == TIMESTAMPTZOID || value == NUMERICOID));
}

/* The comparison of an operator of a type's own order; -1: none */
static int
comparison_of(Oid operator, Oid type)
{
	static const int8 comparisons[] = {-1, GPUAGG_COMPARE_LT, GPUAGG_COMPARE_LE,
		GPUAGG_COMPARE_EQ, GPUAGG_COMPARE_GE, GPUAGG_COMPARE_GT, GPUAGG_COMPARE_NE};
	Oid			family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	int			found = -1;
	ListCell   *lc;

	foreach(lc, gpuagg_op_meanings(operator))
	{
		GpuAggOpMeaning *meaning = lfirst(lc);

		if (meaning->opfamily_id == family)
			found = comparisons[GPUAGG_MEANING_STRATEGY(meaning)];
	}
	return found;
}

/* The query of an uncorrelated sub-select, which runs once; NULL: it is none */
static PlannerInfo *
subquery_of(PlannerInfo *root, const Param *param)
{
	ListCell   *lc;

	foreach(lc, root->init_plans)
	{
		const SubPlan *plan = lfirst_node(SubPlan, lc);

		if (plan->subLinkType == EXPR_SUBLINK && list_member_int(plan->setParam, param->paramid))
			return list_nth_node(PlannerInfo, root->glob->subroots, plan->plan_id - 1);
	}
	return NULL;
}

/*
 * Is it there before the first group is?  A sub-select is run for it then, which PostgreSQL runs
 * when a group asks for it: it must not raise an error that nobody asks for.
 */
static bool
is_known(const GpuAggTopGroups *q, const Node *node)
{
	const PlannerInfo *subroot;

	if (IsA(node, Const))
		return true;
	if (!IsA(node, Param))
		return false;
	if (((const Param *) node)->paramkind == PARAM_EXTERN)
		return true;
	subroot = subquery_of(q->root, (const Param *) node);
	return subroot != NULL && subroot->init_plans == NIL &&
		gpuagg_is_harmless_total(subroot->parse);
}

/* A condition of HAVING that the device can tell; its constant is *constant */
static bool
having_term(const GpuAggTopGroups *q, Node *clause, GpuAggHavingTerm *term, Node **constant)
{
	OpExpr	   *op = (OpExpr *) clause;
	Oid			operator;
	Node	   *value;
	int			n;
	int			comparison;

	if (!IsA(clause, OpExpr) || list_length(op->args) != 2)
		return false;
	operator = op->opno;
	value = gpuagg_arg(op->args, 0);
	*constant = gpuagg_arg(op->args, 1);
	if (output_number(q, value) < 0)
	{
		operator = get_commutator(operator);
		value = gpuagg_arg(op->args, 1);
		*constant = gpuagg_arg(op->args, 0);
	}
	n = output_number(q, value);
	if (n < 0 || !OidIsValid(operator) ||
		!are_comparable(exprType(value), exprType(*constant)) ||
		!is_known(q, *constant))
		return false;
	memset(term, 0, sizeof(*term));
	comparison = comparison_of(operator, exprType(value));
	/* what a day is compared with is no day */
	if (comparison < 0 || !is_ordered(&q->info->outputs[n]) ||
		q->info->outputs[n].final == GPUAGG_FINAL_KEY_DAY ||
		!value_of_output(&q->info->outputs[n], &term->value) ||
		term->value.form == GPUAGG_VALUE_AVG_I64 || term->value.form == GPUAGG_VALUE_AVG_I128)
		return false;
	term->comparison = comparison;
	term->scale = q->info->outputs[n].scale;
	return true;
}

/* True: the device tells all of it. */
static bool
plan_having(const GpuAggTopGroups *q, GpuAggWanted *wanted, List **constants)
{
	bool		all = true;
	ListCell   *lc;

	foreach(lc, q->having)
	{
		GpuAggAnswer *a = &wanted->answer;
		Node	   *constant;

		if (a->nterms < GPUAGG_ANSWER_TERMS &&
			having_term(q, lfirst(lc), &a->terms[a->nterms], &constant))
		{
			*constants = lappend(*constants, constant);
			a->nterms++;
		}
		else
			all = false;
	}
	return all;
}

/* ----------------------------------------------------------------- LIMIT --- */

/*
 * Does a row come of every group, and each at most once?  A DISTINCT that makes the
 * groups itself, of a query without GROUP BY, does.
 */
static bool
are_groups_rows(const Query *parse)
{
	return !parse->hasWindowFuncs && !parse->hasTargetSRFs && parse->setOperations == NULL &&
		(parse->distinctClause == NIL || (parse->groupClause == NIL && !parse->hasAggs));
}

static bool
plan_order_column(const GpuAggTopGroups *q, const SortGroupClause *sgc, GpuAggWanted *wanted)
{
	GpuAggAnswer *a = &wanted->answer;
	Node	   *expr = get_sortgroupclause_expr(unconstify(SortGroupClause *, sgc),
												q->root->processed_tlist);
	GpuAggOrderColumn *c = &a->columns[a->ncolumns];
	int			n = output_number(q, expr);
	const GpuAggOutput *output;
	int			comparison;

	if (n < 0 || a->ncolumns == GPUAGG_ANSWER_COLUMNS)
		return false;
	output = &q->info->outputs[n];
	comparison = comparison_of(sgc->sortop, exprType(expr));
	if ((comparison != GPUAGG_COMPARE_LT && comparison != GPUAGG_COMPARE_GT) ||
		!is_ordered(output) || !value_of_output(output, &c->value) ||
		(type_is_collatable(exprType(expr)) && !gpuagg_collation_is_c(exprCollation(expr))))
		return false;
	c->descending = comparison == GPUAGG_COMPARE_GT;
	c->nulls_first = sgc->nulls_first;
	c->type = gpuagg_final_is_key(output->final) ?
		gpuagg_program_keys(q->program)[output->index].type : output->type;
	/* which are not held in their order; of strings words tell no zeros at the end from none */
	if (c->type == GPUAGG_T_ENUM || c->type == GPUAGG_T_INET ||
		getBaseType(exprType(expr)) == BYTEAOID)
		return false;
	wanted->outputs[a->ncolumns++] = n;
	return true;
}

/* False: the order's first column is not the device's. */
static bool
plan_order(const GpuAggTopGroups *q, GpuAggWanted *wanted)
{
	GpuAggAnswer *a = &wanted->answer;
	Query	   *parse = q->root->parse;
	ListCell   *lc;

	a->ties = parse->limitOption == LIMIT_OPTION_WITH_TIES;
	foreach(lc, parse->sortClause)
	{
		if (plan_order_column(q, lfirst_node(SortGroupClause, lc), wanted))
			continue;
		/* what follows may put any of these first */
		a->ties = 1;
		break;
	}
	return parse->sortClause == NIL || a->ncolumns > 0;
}

/* The limit's expressions come first, which execution evaluates as PostgreSQL does. */
static List *
plan_limit(const GpuAggTopGroups *q, GpuAggWanted *wanted)
{
	Query	   *parse = q->root->parse;

	if (parse->limitCount == NULL || !are_groups_rows(parse) ||
		contain_volatile_functions(parse->limitCount) ||
		contain_volatile_functions(parse->limitOffset) || !plan_order(q, wanted))
		return NIL;
	wanted->limited = true;
	wanted->offset = parse->limitOffset != NULL;
	return wanted->offset ? list_make2(parse->limitCount, parse->limitOffset) :
		list_make1(parse->limitCount);
}

/* ---------------------------------------------------------------- all of it --- */

/*
 * Is this key, a day that is shown as a timestamptz, what the groups are limited by first
 * of all?  Then a group that is left out comes behind all that are returned, also if its
 * day begins when another one does (node/result/results_judge.c).  Not of dates, whose casts to
 * timestamptz may fail.
 */
static bool
is_first_day(const GpuAggTopGroups *q, int n)
{
	const Query *parse = q->root->parse;
	const FuncExpr *trunc = (const FuncExpr *) list_nth(q->exprs, n);
	const FuncExpr *moment;

	if (parse->sortClause == NIL || parse->limitCount == NULL || q->having != NIL ||
		!IsA(trunc, FuncExpr) || list_length(trunc->args) < 2)
		return false;
	moment = gpuagg_arg(trunc->args, 1);
	return !gpuagg_is_call(moment, GPUAGG_F_TIMESTAMPTZ_DATE) &&
		output_number(q, get_sortgroupclause_expr(linitial(parse->sortClause),
												  q->root->processed_tlist)) == n;
}

/* Sums that may overflow; false: there are too many. */
static bool
plan_sums(const GpuAggTopGroups *q, GpuAggAnswer *a)
{
	for (int i = 0; i < q->info->noutputs; i++)
	{
		GpuAggValueRef v;

		/* of exact sums: nothing overflows; what is read of keys fails for none */
		if (gpuagg_final_traits(q->info->outputs[i].final)->order == GPUAGG_VALUE_SURE)
			continue;
		/* days that begin at the same moment are one group to PostgreSQL */
		if (q->info->outputs[i].final == GPUAGG_FINAL_KEY_DATE_TZ && !is_first_day(q, i))
			return false;
		if (!value_of_output(&q->info->outputs[i], &v))
			return false;
		if (v.form == GPUAGG_VALUE_AVG_F64)
			v.form = GPUAGG_VALUE_F64;
		if (v.form != GPUAGG_VALUE_F64 && v.form != GPUAGG_VALUE_F32)
			continue;
		if (a->nsums == GPUAGG_ANSWER_SUMS)
			return false;
		a->sums[a->nsums++] = v;
	}
	return true;
}

List *
gpuagg_top_groups_plan(const GpuAggTopGroups *q, GpuAggWanted *wanted)
{
	List	   *constants = NIL;
	List	   *limit = NIL;

	memset(wanted, 0, sizeof(*wanted));
	if (q->program->nkeys == 0 || !gpuagg_is_harmless_above((Node *) q->targets, q->exprs) ||
		!gpuagg_is_harmless_above((Node *) q->having, q->exprs) || !plan_sums(q, &wanted->answer))
	{
		memset(wanted, 0, sizeof(*wanted));
		return NIL;
	}
	if (plan_having(q, wanted, &constants))
		limit = plan_limit(q, wanted);
	if (!wanted->limited)
		wanted->answer.ncolumns = 0;
	return list_concat(limit, constants);
}

/* False: execution will tell */
static bool
known_count(const Node *node, double *count)
{
	const Const *c = (const Const *) node;

	if (node == NULL)
		return true;
	if (!IsA(node, Const) || c->constisnull)
		return false;
	*count = Max(0, DatumGetInt64(c->constvalue));
	return true;
}

double
gpuagg_top_groups_estimate(const GpuAggWanted *wanted, PlannerInfo *root, double groups)
{
	double		count = 0;
	double		offset = 0;

	if (!wanted->limited)
		return groups;
	if (!known_count(root->parse->limitCount, &count) ||
		!known_count(root->parse->limitOffset, &offset))
		return clamp_row_est(groups * UNKNOWN_LIMIT_SHARE);
	return clamp_row_est(Min(groups, count + offset));
}
