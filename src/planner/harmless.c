/*
 * harmless.c
 *		Can evaluating an expression raise an error (harmless.h)?
 *
 * Harmless are comparisons but of rows, leakproof functions, integers as numerics, some of strings (changes of
 * case, parts by position, and patterns that are constants without pitfalls), what is looked up in a jsonb,
 * texts of moments, and numerics that are divided by a constant or rounded.
 *
 * The largest numeric overflows when it is rounded up, so of numerics only those count that
 * are bounded by their type.
 */
#include "postgres.h"

#include <ctype.h>

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "common/md5.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "planner/harmless.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

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

/* Functions that search for strings or match patterns have no other collations. */
static bool
is_deterministic(Oid collation)
{
	return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

static bool
is_int4_const(Node *arg, int32 *value)
{
	const Const *c = (const Const *) arg;

	if (!IsA(arg, Const) || c->constisnull || c->consttype != INT4OID)
		return false;
	*value = DatumGetInt32(c->constvalue);
	return true;
}

/* By which a quotient is no larger than what is divided */
static bool
is_divisor(Node *arg)
{
	const Const *c = (const Const *) arg;
	Datum		size;

	if (!IsA(arg, Const) || c->constisnull || c->consttype != NUMERICOID)
		return false;
	size = DirectFunctionCall1(numeric_abs, c->constvalue);
	return DatumGetBool(DirectFunctionCall2(numeric_ge, size,
											NumericGetDatum(int64_to_numeric(1))));
}

static bool is_bounded(Node *expr);

/* Of bounded numerics one that is, too, and never an error */
static bool
numeric_is_harmless(Oid function, List *args)
{
	int32		digits;

	if (gpuagg_is_integer_cast(function))
		return true;
	switch (function)
	{
		case F_NUMERIC_DIV:
			return is_divisor(lsecond(args)) && is_bounded(linitial(args));
		case F_FLOOR_NUMERIC:
		case F_CEIL_NUMERIC:
		case F_CEILING_NUMERIC:
		case F_NUMERIC_ABS:
		case F_ABS_NUMERIC:
		case F_NUMERIC_UMINUS:
		case F_SIGN_NUMERIC:
			return is_bounded(linitial(args));
		case F_ROUND_NUMERIC_INT4:
		case F_TRUNC_NUMERIC_INT4:
			return is_int4_const(lsecond(args), &digits) && is_bounded(linitial(args));
		default:
			return false;
	}
}

/* A numeric of a declared precision, or what is made of such a one */
static bool
is_bounded(Node *expr)
{
	check_stack_depth();
	if (exprTypmod(expr) >= (int32) VARHDRSZ)
		return true;
	if (IsA(expr, FuncExpr))
		return numeric_is_harmless(((FuncExpr *) expr)->funcid, ((FuncExpr *) expr)->args);
	if (!IsA(expr, OpExpr))
		return false;
	set_opfuncid((OpExpr *) expr);
	return numeric_is_harmless(((OpExpr *) expr)->opfuncid, ((OpExpr *) expr)->args);
}

/* To compare strings of collations that conflict is an error, in functions that are leakproof, too. */
static bool
is_collated(List *args, Oid collation)
{
	ListCell   *lc;

	if (OidIsValid(collation))
		return true;
	foreach(lc, args)
	{
		if (type_is_collatable(exprType(lfirst(lc))))
			return false;
	}
	return true;
}

/* A library that keeps to FIPS 140 refuses MD5, which is leakproof to PostgreSQL. */
static bool
md5_is_there(void)
{
	char		hash[MD5_DIGEST_LENGTH * 2 + 1];
	const char *error = NULL;

	return pg_md5_hash("", 0, hash, &error);
}

static bool
function_is_harmless(Oid function, List *args, Oid collation)
{
	char	   *pattern;
	int32		field = 0;

	if (function == F_MD5_TEXT || function == F_MD5_BYTEA)
		return md5_is_there();
	if (get_func_leakproof(function))
		return is_collated(args, collation);
	if (gpuagg_is_integer_cast(function))
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
		case F_TEXTCAT:
		case F_TRANSLATE:
		case F_TEXT_BPCHAR:
		case F_TEXT_NAME:
		case F_JSONB_OBJECT_FIELD:
		case F_JSONB_OBJECT_FIELD_TEXT:
		case F_JSONB_ARRAY_ELEMENT:
		case F_JSONB_ARRAY_ELEMENT_TEXT:
		case F_JSONB_EXTRACT_PATH:
		case F_JSONB_EXTRACT_PATH_TEXT:
		case F_JSONB_CONTAINS:
		case F_JSONB_CONTAINED:
		case F_JSONB_EXISTS:
		case F_JSONB_TYPEOF:
		case F_NETWORK_SUB:
		case F_NETWORK_SUBEQ:
		case F_NETWORK_SUP:
		case F_NETWORK_SUPEQ:
		case F_DATE_TIMESTAMP:
		case F_DATE_TIMESTAMPTZ:
			return true;
		case F_REPLACE:
		case F_STRPOS:
		case F_POSITION_TEXT_TEXT:
			return is_deterministic(collation);
		case F_SPLIT_PART:
			return is_deterministic(collation) && is_int4_const(lthird(args), &field) && field != 0;
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
			return OidIsValid(collation) && get_pattern(args, &pattern);
		case F_TEXTLIKE:
		case F_TEXTNLIKE:
		case F_TEXTICLIKE:
		case F_TEXTICNLIKE:
		case F_BPCHARLIKE:
		case F_BPCHARNLIKE:
		case F_BPCHARICLIKE:
		case F_BPCHARICNLIKE:
			return is_deterministic(collation) && get_pattern(args, &pattern) &&
				strchr(pattern, '\\') == NULL;
		case F_TEXTREGEXEQ:
		case F_TEXTREGEXNE:
		case F_TEXTICREGEXEQ:
		case F_TEXTICREGEXNE:
			return is_deterministic(collation) && get_pattern(args, &pattern) &&
				is_plain_regex(pattern);
		default:
			return numeric_is_harmless(function, args);
	}
}

/* Rows may have columns that nothing compares, or others than they are compared with; so may arrays. */
static bool
is_comparable(Oid type)
{
	type = getBaseType(type);
	if (OidIsValid(get_element_type(type)))
		return !type_is_rowtype(get_element_type(type)) &&
			OidIsValid(lookup_type_cache(type, TYPECACHE_CMP_PROC)->cmp_proc);
	return !type_is_rowtype(type);
}

/* A comparison of one of PostgreSQL's own types? */
static bool
is_comparison(Oid opno, List *args, Oid collation)
{
	return opno < FirstGenbkiObjectId && gpuagg_op_meanings(opno) != NIL && is_collated(args, collation) &&
		is_comparable(exprType(linitial(args)));
}

static bool
operator_is_harmless(OpExpr *expr)
{
	set_opfuncid(expr);
	return function_is_harmless(expr->opfuncid, expr->args, expr->inputcollid) ||
		is_comparison(expr->opno, expr->args, expr->inputcollid);
}

static bool
array_operator_is_harmless(ScalarArrayOpExpr *expr)
{
	return is_comparison(expr->opno, expr->args, expr->inputcollid);
}

bool
gpuagg_fails_by_its_parts(const Node *node)
{
	switch (nodeTag(node))
	{
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
		case T_ArrayExpr:
			return true;
		default:
			return false;
	}
}

/* context: a list of what cannot fail */
static bool
harm_walker(Node *node, void *context)
{
	if (node == NULL || list_member((List *) context, node))
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			break;
		case T_ScalarArrayOpExpr:
			if (!array_operator_is_harmless((ScalarArrayOpExpr *) node))
				return true;
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			if (!operator_is_harmless((OpExpr *) node))
				return true;
			break;
		case T_FuncExpr:
			if (!function_is_harmless(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
									  ((FuncExpr *) node)->inputcollid))
				return true;
			break;
		default:
			if (!gpuagg_fails_by_its_parts(node))
				return true;
	}
	return expression_tree_walker(node, harm_walker, context);
}

bool
gpuagg_is_harmless(Node *expr)
{
	return !harm_walker(expr, NULL);
}

bool
gpuagg_is_harmless_above(Node *expr, List *outputs)
{
	return !harm_walker(expr, outputs);
}
