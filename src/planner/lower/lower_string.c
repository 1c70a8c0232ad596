/*
 * lower_string.c
 *		What is asked of the strings of a join's input.
 *
 * An input's strings are needed in its look-up table only where they are compared with those of
 * other tables.  What is computed of one of them and of constants alone is computed by PostgreSQL
 * of each of the column's strings, once, and looked up by the string's number:
 *
 *		number = FETCH(row, table)
 *		value = FETCH(LOOKUP(number, values), values)
 *
 * So the device can make the input's table of columns that it keeps, where strings are codes; and
 * what no device can compute may be asked: lower(), regular expressions, other collations.
 *
 * Strings of rows that are not joined, or are gone, are computed of, too: so it must be harmless.
 * It is NULL where the string is, by strict functions: a string that is missing has no number.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_join.h"
#include "planner/lower/lower_string.h"
#include "planner/value/harmless.h"
#include "utils/selfuncs.h"

/* More strings than that are not expected to be computed of in less time than rows are read. */
#define MOST_STRINGS 20000

/* Tables are for joins first. */
#define MOST_LOOKUPS (GPUAGG_MAX_LOOKUPS / 2)

/* ---------------------------------------------------------------- columns --- */

typedef struct Columns
{
	Var		   *var;			/* the only one */
	bool		several;
} Columns;

static bool
columns_walker(Node *node, void *context)
{
	Columns    *columns = context;

	if (node == NULL)
		return false;
	if (!IsA(node, Var))
		return expression_tree_walker(node, columns_walker, context);
	if (columns->var != NULL && !equal(columns->var, node))
		columns->several = true;
	columns->var = (Var *) node;
	return columns->several;
}

/* A column whose equal strings are the same bytes, in a table that a device may make */
static GpuAggLookupLower *
string_input(GpuAggLower *lw, const Var *var, uint8 *type)
{
	GpuAggLookupLower *lookup;
	GpuAggScale scale;

	if (var->varlevelsup != 0 || var->varattno <= 0 || var->varno == lw->rel->relid ||
		(var->vartype != TEXTOID && var->vartype != VARCHAROID &&
		 (var->vartype != BPCHAROID || var->vartypmod < 0)) ||
		!gpuagg_constant_column(var->vartype, var->vartypmod, type, &scale))
		return NULL;
	lookup = gpuagg_lower_find_lookup(lw, var->varno);
	return lookup == NULL || lookup->closed || lookup->folded ||
		!gpuagg_lower_is_plain_scan(lw->root, lookup->rel) ?
		NULL : lookup;
}

bool
gpuagg_lower_string_nullness(GpuAggLower *lw, Var *var, GpuAggLowered *out)
{
	uint8		type;
	int			column;
	GpuAggLookupLower *lookup = lw->nlookups > 0 ? string_input(lw, var, &type) : NULL;

	return lookup != NULL && gpuagg_lower_fetch_number(lw, lookup, var, type, &column, out);
}

/* ------------------------------------------------------------------- CASE --- */

bool
gpuagg_lower_is_input_string(GpuAggLower *lw, Expr *expr)
{
	uint8		type;

	while (IsA(expr, RelabelType))
		expr = ((RelabelType *) expr)->arg;
	return lw->nlookups > 0 && IsA(expr, Var) && string_input(lw, (Var *) expr, &type) != NULL;
}

/* Others than this CASE's stand in what has values of its own. */
static Node *
of_tested(Node *node, void *tested)
{
	if (node == NULL || IsA(node, CaseExpr) || IsA(node, ArrayCoerceExpr))
		return node;
	return IsA(node, CaseTestExpr) ? copyObject((Node *) tested) :
									 expression_tree_mutator(node, of_tested, tested);
}

Expr *
gpuagg_lower_case_condition(Expr *condition, Expr *tested)
{
	return (Expr *) of_tested((Node *) condition, tested);
}

/* ----------------------------------------------------------------- values --- */

/* All of the table's, whichever rows the input has */
static double
expected_strings(PlannerInfo *root, const Var *var)
{
	VariableStatData statistics;
	bool		guessed;
	double		n;

	examine_variable(root, (Node *) var, 0, &statistics);
	n = get_variable_numdistinct(&statistics, &guessed);
	ReleaseVariableStats(statistics);
	return n;
}

bool
gpuagg_lower_has_many_strings(PlannerInfo *root, const Var *var)
{
	return expected_strings(root, var) > MOST_STRINGS;
}

/*
 * The table of values of a column's strings, in which the row of this number is looked up: a number
 * is another one where ON has restricted the input's row.  NULL: there is no room.
 */
static GpuAggLookupLower *
values_table(GpuAggLower *lw, const GpuAggLookupLower *input, int column, Var *var,
			 const GpuAggLowered *number)
{
	const int	of = input - lw->lookups + 1;
	GpuAggLookupLower *values;

	for (int i = 0; i < lw->nlookups; i++)
	{
		values = &lw->lookups[i];
		if (values->values_of == of && values->values_column == column)
			return gpuagg_lower_op(lw, GPUAGG_OP_LOOKUP, GPUAGG_T_INT8, number, &values->table,
								   NULL, 0, &values->row) ?
				values :
				NULL;
	}
	if (lw->nlookups >= MOST_LOOKUPS || (values = gpuagg_lower_add_lookup(lw)) == NULL)
		return NULL;
	values->type = JOIN_LEFT;
	values->unique = true;
	values->closed = true;
	values->rows = expected_strings(lw->root, var);
	values->values_of = of;
	values->values_column = column;
	return gpuagg_lower_probe(lw, values, number, (Expr *) var, GPUAGG_T_INT4, gpuagg_scale(0)) ?
		values : NULL;
}

/* The expression of a string that is given when it is evaluated (node/lookup/string_values.c) */
static Node *
of_given(Node *node, void *context)
{
	CaseTestExpr *given;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, of_given, context);
	given = makeNode(CaseTestExpr);
	given->typeId = ((Var *) node)->vartype;
	given->typeMod = ((Var *) node)->vartypmod;
	given->collation = ((Var *) node)->varcollid;
	return (Node *) given;
}

Expr *
gpuagg_lower_given(Expr *expr)
{
	return (Expr *) of_given((Node *) expr, NULL);
}

static bool
is_value_type(const Expr *expr, uint8 *type, GpuAggScale *scale)
{
	return gpuagg_constant_column(exprType((const Node *) expr), exprTypmod((const Node *) expr),
								  type, scale) &&
		*type != GPUAGG_T_NUMERIC && *type < GPUAGG_T_CODE &&
		gpuagg_constant_class(*type) != GPUAGG_CLASS_BYTES;
}

bool
gpuagg_lower_string_value(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	Columns		columns = {0};
	GpuAggLookupLower *input;
	GpuAggLookupLower *values;
	GpuAggLowered number;
	uint8		string_type;
	uint8		type;
	GpuAggScale scale;
	int			column;

	if (lw->nlookups == 0 || IsA(expr, Var) || columns_walker((Node *) expr, &columns) ||
		columns.var == NULL || (input = string_input(lw, columns.var, &string_type)) == NULL ||
		!is_value_type(expr, &type, &scale) || !gpuagg_is_harmless((Node *) expr) ||
		contain_nonstrict_functions((Node *) expr) || contain_volatile_functions((Node *) expr) ||
		gpuagg_lower_has_many_strings(lw->root, columns.var))
		return false;
	return gpuagg_lower_fetch_number(lw, input, columns.var, string_type, &column, &number) &&
		(values = values_table(lw, input, column, columns.var, &number)) != NULL &&
		gpuagg_lower_fetch(lw, values, gpuagg_lower_given(expr), type, scale, out);
}
