/*
 * lower_called.c
 *		What only PostgreSQL computes of the strings of a column that is kept (lower_called.h).
 *
 * A kept column has its strings in a dictionary.  What is computed of one of them and of constants
 * alone need be computed once for each string of it, whatever rows there are: regular
 * expressions, changes of case under any collation, what no device has an operator for.  The
 * device keeps the values beside the dictionary (device/ops/code_table.h) under a name, which is
 * the expression; the node computes those that are missing (node/called).
 *
 * The values outlive the statement, so it is made of PostgreSQL's own immutable functions alone,
 * which hold nothing if they end by an error; and of none that reads a setting or a catalogue all
 * the same.  An error is a value, too, and does no harm to rows
 * that do not pass.  It is NULL where the string is, by strict functions: a string that is missing
 * has no code.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "ipc/cache_shared.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower_called.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_string.h"
#include "planner/plan/called_notes.h"
#include "planner/value/harmless.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ---------------------------------------------------------------- expressions --- */

typedef struct Search
{
	Var		   *var;			/* the only column */
	bool		others;			/* there is something that is no column and no constant */
} Search;

/*
 * Functions of these types, and of arrays of them, make the same of the same, and tell nobody of
 * it: others read catalogues (text search, names of objects) or settings (moments), or raise
 * notices.
 */
static bool
is_plain(Oid type)
{
	const Oid	element = get_element_type(getBaseType(type));

	switch (OidIsValid(element) ? element : getBaseType(type))
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case BYTEAOID:
		case UUIDOID:
		case INETOID:
		case CIDROID:
		case JSONOID:
		case JSONBOID:
			return true;
		default:
			return false;
	}
}

/* What values of it look like depends on a setting, though PostgreSQL calls that immutable. */
static bool
is_shown_by_setting(Oid type)
{
	const Oid	base = getBaseType(type);

	return base == FLOAT4OID || base == FLOAT8OID || base == BYTEAOID ||
		OidIsValid(get_element_type(base));
}

/* This one looks at a setting, too. */
static bool
reads_setting(Oid function, void *context)
{
	return (gpuagg_function(function)->traits & GPUAGG_IS_OF_SETTING) != 0;
}

static bool
search_walker(Node *node, void *context)
{
	Search	   *s = context;

	if (node == NULL)
		return false;
	if (IsA(node, List))
		return expression_tree_walker(node, search_walker, context);
	s->others |= !is_plain(exprType(node)) || check_functions_in_node(node, reads_setting, NULL);
	switch (nodeTag(node))
	{
		case T_Var:
			s->others |= s->var != NULL && !equal(s->var, node);
			s->var = (Var *) node;
			return s->others;
		case T_CoerceViaIO:
			s->others |= is_shown_by_setting(exprType((Node *) ((CoerceViaIO *) node)->arg));
			break;
		case T_Param:
		case T_CaseTestExpr:
		case T_CoerceToDomainValue:
		case T_PlaceHolderVar:
		case T_SubPlan:
		case T_AlternativeSubPlan:
			s->others = true;
			break;
		default:
			break;
	}
	return s->others || expression_tree_walker(node, search_walker, context);
}

/* A text of the table that is read */
static bool
is_text_column(const GpuAggLower *lw, const Var *var)
{
	return var->varno == lw->rel->relid && var->varlevelsup == 0 && var->varattno > 0 &&
		(var->vartype == TEXTOID || var->vartype == VARCHAROID);
}

static Node *
without_columns(Node *node, void *context)
{
	if (node != NULL && IsA(node, Var))
		return (Node *) makeNullConst(((Var *) node)->vartype, -1, ((Var *) node)->varcollid);
	return node == NULL ? NULL : expression_tree_mutator(node, without_columns, context);
}

/* Is it made of PostgreSQL's own immutable functions, which are strict? */
static bool
is_computed_once(Expr *expr)
{
	bool		foreign;

	(void) gpuagg_lower_const_may_fail((Expr *) without_columns((Node *) expr, NULL), &foreign);
	return !foreign && !contain_mutable_functions((Node *) expr) &&
		!contain_nonstrict_functions((Node *) expr) && !expression_returns_set((Node *) expr);
}

/* Are equal strings the same bytes? */
static bool
is_told_by_bytes(const Expr *expr)
{
	const Oid	collation = exprCollation((const Node *) expr);

	return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

/* The instruction of a type of values; GPUAGG_NOPS: devices have no such values */
static GpuAggOp
op_of(const Expr *expr, uint8 *type)
{
	const Oid	base = getBaseType(exprType((const Node *) expr));
	GpuAggScale scale;

	if (!gpuagg_constant_column(exprType((const Node *) expr), exprTypmod((const Node *) expr),
								type, &scale) ||
		*type == GPUAGG_T_NUMERIC || *type >= GPUAGG_T_CODE)
		return GPUAGG_NOPS;
	switch (gpuagg_constant_class(*type))
	{
		case GPUAGG_CLASS_F64:
			return GPUAGG_OP_CALLED_FLOAT8;
		case GPUAGG_CLASS_BYTES:
			return (base == TEXTOID || base == VARCHAROID) && is_told_by_bytes(expr) ?
				GPUAGG_OP_CALLED_TEXT : GPUAGG_NOPS;
		default:
			return base == BOOLOID ? GPUAGG_OP_CALLED_BOOL :
				base == INT4OID || base == INT2OID || base == DATEOID ? GPUAGG_OP_CALLED_INT4 :
				GPUAGG_OP_CALLED_INT8;
	}
}

/* ----------------------------------------------------------------------- name --- */

/* Where in the statement it stands is not part of what it is. */
static void
forget_locations(char *text)
{
	static const char field[] = ":location ";
	char	   *to = text;

	while (*text != '\0')
	{
		if (strncmp(text, field, sizeof(field) - 1) != 0)
		{
			*to++ = *text++;
			continue;
		}
		text += sizeof(field) - 1;
		text += strspn(text, "-0123456789");
	}
	*to = '\0';
}

/* Expressions with equal values for all strings of a database have equal names, and no others. */
static char *
name_of(const Expr *given)
{
	char	   *text = nodeToString(given);

	forget_locations(text);
	return psprintf("%u %s", MyDatabaseId, text);
}

/* ------------------------------------------------------------------- lowering --- */

/* Strings of the column, which a device has nearly all of; 0: none has */
static double
kept_strings(const GpuAggLower *lw, const Var *var)
{
	return gpuagg_cache_strings(RelationGetRelid(lw->relation), GPUAGG_FILES_NUMBER(lw->relation),
								var->varattno, lw->rel->pages);
}

/*
 * Rows that other conditions leave than those on this column, which may be what is computed: of
 * fewer rows than the column has strings it is computed by group
 */
static double
rows_left(const GpuAggLower *lw, const Var *var)
{
	List	   *clauses = NIL;
	ListCell   *lc;

	foreach(lc, lw->rel->baserestrictinfo)
	{
		List	   *vars = pull_var_clause((Node *) lfirst_node(RestrictInfo, lc)->clause,
										   PVC_INCLUDE_PLACEHOLDERS);

		if (!list_member(vars, var))
			clauses = lappend(clauses, lfirst(lc));
	}
	return lw->rel->tuples * clauselist_selectivity(lw->root, clauses, 0, JOIN_INNER, NULL);
}

bool
gpuagg_lower_called(GpuAggLower *lw, Expr *expr, GpuAggLowered *out)
{
	GpuAggCalledLower *called;
	Search		search = {0};
	GpuAggLowered string;
	GpuAggOp	op;
	uint8		type;
	char	   *name;
	double		strings;

	if (!lw->calls || IsA(expr, Var) || IsA(expr, RelabelType) ||
		search_walker((Node *) expr, &search) || search.others || search.var == NULL ||
		!is_text_column(lw, search.var) || (op = op_of(expr, &type)) == GPUAGG_NOPS ||
		!is_computed_once(expr) || lw->ncalled == GPUAGG_CODE_TABLES)
		return false;
	strings = kept_strings(lw, search.var);
	if (strings <= 0 || strings > lw->rel->tuples)
		return false;
	called = &lw->called[lw->ncalled];
	called->expr = gpuagg_lower_given(expr);
	called->strings = strings;
	name = name_of(called->expr);
	called->note = gpuagg_called_noted(RelationGetRelid(lw->relation), name, strlen(name));
	if (called->note == GPUAGG_CALLED_REFUSED ||
		(called->note == GPUAGG_CALLED_UNKNOWN && strings > rows_left(lw, search.var)) ||
		!gpuagg_lower_expr(lw, (Expr *) search.var, &string) ||
		!gpuagg_lower_constant(lw, gpuagg_constant_make(GPUAGG_T_TEXT,
														CStringGetTextDatum(name), false),
							   &called->name))
		return false;
	for (int i = 0; i < lw->ncalled; i++)
		if (lw->called[i].name.reg == called->name.reg)
			called = &lw->called[i];
	lw->ncalled += called == &lw->called[lw->ncalled];
	if (!gpuagg_lower_op(lw, op, type, &string, &called->name, NULL, 0, out))
		return false;
	out->may_fail = !gpuagg_is_harmless((Node *) expr);
	return true;
}

List *
gpuagg_lower_called_exprs(const GpuAggLower *lw)
{
	List	   *exprs = NIL;

	for (int i = 0; i < lw->ncalled; i++)
		exprs = lappend(exprs, lw->called[i].expr);
	return exprs;
}

Cost
gpuagg_lower_called_cost(const GpuAggLower *lw)
{
	Cost		sum = 0;

	for (int i = 0; i < lw->ncalled; i++)
	{
		QualCost	cost;

		if (lw->called[i].note == GPUAGG_CALLED_THERE)
			continue;
		cost_qual_eval_node(&cost, (Node *) lw->called[i].expr, lw->root);
		/* a string comes, and a value goes */
		sum += lw->called[i].strings * (cost.per_tuple + cpu_tuple_cost);
	}
	return sum;
}
