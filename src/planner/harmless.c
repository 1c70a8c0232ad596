/*
 * harmless.c
 *		Can evaluating an expression raise an error (harmless.h)?
 *
 * Harmless are comparisons, leakproof functions, integers as numerics, and some of strings:
 * changes of case, parts by position, and patterns that are constants without pitfalls.
 */
#include "postgres.h"

#include <ctype.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "nodes/nodeFuncs.h"
#include "planner/harmless.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

static bool
get_pattern(List *args, char **pattern)
{
	const Const *c = list_length(args) == 2 ? lsecond(args) : NULL;

	if (c == NULL || !IsA(c, Const) || c->constisnull || c->consttype != TEXTOID)
		return false;
	*pattern = TextDatumGetCString(c->constvalue);
	return true;
}

/* Characters that mean themselves, anchors, alternatives, and repeats of one character */
static bool
is_plain_regex(const char *pattern)
{
	bool		repeatable = false;

	for (const char *p = pattern; *p != '\0'; p++)
	{
		bool		plain = isalnum((unsigned char) *p) || IS_HIGHBIT_SET(*p) ||
			strchr(" _-,;:%@/.", *p) != NULL;

		if (strchr("*+?", *p) != NULL ? !repeatable : !plain && strchr("^$|", *p) == NULL)
			return false;
		repeatable = plain;
	}
	return true;
}

bool
gpuagg_is_integer_cast(Oid function)
{
	return function == F_NUMERIC_INT2 || function == F_NUMERIC_INT4 || function == F_NUMERIC_INT8;
}

static bool
function_is_harmless(Oid function, List *args, Oid collation)
{
	char	   *pattern;

	if (get_func_leakproof(function) || gpuagg_is_integer_cast(function))
		return true;
	switch (function)
	{
		case F_LOWER_TEXT:
		case F_UPPER_TEXT:
		case F_INITCAP:
		case F_BTRIM_TEXT:
		case F_LTRIM_TEXT:
		case F_RTRIM_TEXT:
		case GPUAGG_F_REVERSE:
			return OidIsValid(collation);
		case F_LEFT:
		case F_RIGHT:
		case F_LENGTH_TEXT:
			return true;
		case F_TEXTLIKE:
		case F_TEXTNLIKE:
		case F_TEXTICLIKE:
		case F_TEXTICNLIKE:
			return OidIsValid(collation) && get_pattern(args, &pattern) &&
				strchr(pattern, '\\') == NULL;
		case F_TEXTREGEXEQ:
		case F_TEXTREGEXNE:
		case F_TEXTICREGEXEQ:
		case F_TEXTICREGEXNE:
			return OidIsValid(collation) && get_pattern(args, &pattern) &&
				is_plain_regex(pattern);
		default:
			return false;
	}
}

bool
gpuagg_operator_is_harmless(OpExpr *expr)
{
	set_opfuncid(expr);
	if (function_is_harmless(expr->opfuncid, expr->args, expr->inputcollid))
		return true;
	/* an undetermined collation is an error */
	return expr->opno < FirstGenbkiObjectId && gpuagg_op_meanings(expr->opno) != NIL &&
		(OidIsValid(expr->inputcollid) || !type_is_collatable(exprType(linitial(expr->args))));
}

static bool
harm_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_Param:
		case T_List:
		case T_RelabelType:
		case T_CollateExpr:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CoalesceExpr:
			break;
		case T_OpExpr:
		case T_DistinctExpr:
			if (!gpuagg_operator_is_harmless((OpExpr *) node))
				return true;
			break;
		case T_FuncExpr:
			if (!function_is_harmless(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
									  ((FuncExpr *) node)->inputcollid))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, harm_walker, context);
}

bool
gpuagg_is_harmless(Node *expr)
{
	return !harm_walker(expr, NULL);
}
