/*
 * harmless.c
 *		Can evaluating an expression raise an error (harmless.h)?
 *
 * Harmless are comparisons but of rows, leakproof functions, integers as numerics, some of strings
 * (changes of case, parts by position, and patterns that are constants without pitfalls), what is
 * looked up in a jsonb, texts of moments, and numerics that are added, multiplied, divided by a
 * constant or rounded.
 *
 * The largest numeric overflows when it is rounded up, so of numerics only those count that
 * are bounded by their type, or are made of such ones.
 */
#include "postgres.h"

#include <ctype.h>

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "common/md5.h"
#include "compat.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/catalogue/sql_function.h"
#include "planner/value/args.h"
#include "planner/value/constant.h"
#include "planner/value/harmless.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

static bool
get_pattern(List *args, char **pattern)
{
	const Const *c = list_length(args) == 2 ? gpuagg_arg(args, 1) : NULL;

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
	return gpuagg_function(function)->digits == GPUAGG_DIGITS_INTEGER;
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

/* Divided by it no integer is an error, as the least one is by -1. */
static bool
is_integer_divisor(Node *arg)
{
	const Const *c = (const Const *) arg;
	int64		value;

	if (!IsA(arg, Const) || c->constisnull)
		return false;
	value = c->consttype == INT2OID ? DatumGetInt16(c->constvalue) :
		c->consttype == INT4OID ? DatumGetInt32(c->constvalue) :
		c->consttype == INT8OID ? DatumGetInt64(c->constvalue) : 0;
	return value != 0 && value != -1;
}

/* Is the constant, without its sign, in this relation to the number? */
static bool
is_sized(const Const *c, PGFunction relation, int64 number)
{
	return c->consttype == NUMERICOID && !c->constisnull &&
		DatumGetBool(DirectFunctionCall2(relation, DirectFunctionCall1(numeric_abs, c->constvalue),
										 NumericGetDatum(int64_to_numeric(number))));
}

/* By which a quotient is no larger than what is divided */
static bool
is_divisor(Node *arg)
{
	return IsA(arg, Const) && is_sized((Const *) arg, numeric_ge, 1);
}

/* NaN is larger than any number. */
static bool
is_small_const(const Const *c)
{
	return is_sized(c, numeric_lt, PG_INT64_MAX);
}

/*
 * Fewer than the 131072 digits before the point that a numeric may have, and than an int overflows
 * of
 */
#define MOST_DIGITS 100000
#define INTEGER_DIGITS 19

/* Of numbers of so many digits; -1: any number */
static int
limited(int a, int b, int digits)
{
	return a < 0 || b < 0 || digits > MOST_DIGITS ? -1 : digits;
}

static int whole_digits(Node *expr);

/* Digits of what a function makes of numerics without ever an error; -1: of other functions, too */
static int
function_digits(const GpuAggFunction *function, List *args)
{
	int32		decimals;
	int			a;
	int			b = 0;

	switch ((GpuAggDigitRule) function->digits)
	{
		case GPUAGG_DIGITS_INTEGER:
			return INTEGER_DIGITS;
		case GPUAGG_DIGITS_QUOTIENT:
			return is_divisor(gpuagg_arg(args, 1)) ? whole_digits(gpuagg_arg(args, 0)) : -1;
		case GPUAGG_DIGITS_PRODUCT:
			a = whole_digits(gpuagg_arg(args, 0));
			b = whole_digits(gpuagg_arg(args, 1));
			return limited(a, b, a + b);
		case GPUAGG_DIGITS_SUM:
			b = whole_digits(gpuagg_arg(args, 1));
			__attribute__((fallthrough));
		case GPUAGG_DIGITS_WHOLE:
			a = whole_digits(gpuagg_arg(args, 0));
			return limited(a, b, Max(a, b) + 1);
		case GPUAGG_DIGITS_SIGN_ALONE:
		case GPUAGG_DIGITS_SIGNUM:
			return whole_digits(gpuagg_arg(args, 0));
		case GPUAGG_DIGITS_DECIMALS:
			a = whole_digits(gpuagg_arg(args, 0));
			return is_int4_const(gpuagg_arg(args, 1), &decimals) ? limited(a, 0, a + 1) : -1;
		default:
			return -1;
	}
}

/* No aggregate has more than 2^63 rows. */
static int
aggregate_digits(const Aggref *agg)
{
	int			a;

	switch ((GpuAggDigitRule) gpuagg_aggregate(agg->aggfnoid)->digits)
	{
		case GPUAGG_DIGITS_INTEGER_TOTAL:
		case GPUAGG_DIGITS_INTEGER_AVERAGE:
			return 2 * INTEGER_DIGITS;
		case GPUAGG_DIGITS_TOTAL:
		case GPUAGG_DIGITS_AVERAGE:
		case GPUAGG_DIGITS_EXTREME:
			a = whole_digits(gpuagg_agg_arg(agg, 0));
			return limited(a, 0, a + INTEGER_DIGITS);
		default:
			return -1;
	}
}

/*
 * A numeric of a declared precision may have as many zeros more as scales go below zero; others are
 * constants, or made of these.
 */
static int
whole_digits(Node *expr)
{
	int32		typmod = exprTypmod(expr);

	check_stack_depth();
	if (typmod >= (int32) VARHDRSZ)
		return ((typmod - (int32) VARHDRSZ) >> 16 & 0xffff) + NUMERIC_MAX_PRECISION;
	switch (nodeTag(expr))
	{
		case T_Const:
			return is_small_const((Const *) expr) ? INTEGER_DIGITS : -1;
		case T_Aggref:
			return aggregate_digits((Aggref *) expr);
		case T_FuncExpr:
			return function_digits(gpuagg_function_of(expr), ((FuncExpr *) expr)->args);
		case T_OpExpr:
			return function_digits(gpuagg_function_of(expr), ((OpExpr *) expr)->args);
		default:
			return -1;
	}
}

int
gpuagg_whole_digits(Node *expr)
{
	return whole_digits(expr);
}

int32
gpuagg_typmod_of_digits(int digits)
{
	const int	precision = Max(1, digits - NUMERIC_MAX_PRECISION);

	/* of a scale that none can have, or a cast to it would be thought to change nothing */
	return digits < 0 || precision > 0x7fff ? -1 : (precision << 16 | 0x3ff) + (int32) VARHDRSZ;
}

/*
 * To compare strings of collations that conflict is an error, in functions that are leakproof, too.
 */
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
function_is_harmless(Oid oid, List *args, Oid collation)
{
	const GpuAggFunction *function = gpuagg_function(oid);
	char	   *pattern;
	int32		field = 0;

	if (function->harmless == GPUAGG_HARMLESS_IF_MD5_IS_THERE)
		return md5_is_there();
	/* what searches for strings or matches patterns has no other collations, leakproof or not */
	if (function->harmless == GPUAGG_HARMLESS_IF_BYTEWISE)
		return gpuagg_collation_is_bytewise(collation);
	if (get_func_leakproof(oid))
		return is_collated(args, collation);
	switch ((GpuAggHarmless) function->harmless)
	{
		case GPUAGG_HARMLESS_ALWAYS:
			return true;
		case GPUAGG_HARMLESS_IF_COLLATED:
			return OidIsValid(collation);
		case GPUAGG_HARMLESS_IF_FIELD_KNOWN:
			return gpuagg_collation_is_bytewise(collation) &&
				is_int4_const(gpuagg_arg(args, 2), &field) && field != 0;
		case GPUAGG_HARMLESS_IF_DIVISOR_KNOWN:
			return is_integer_divisor(gpuagg_arg(args, 1));
		case GPUAGG_HARMLESS_IF_PATTERN_KNOWN:
			return OidIsValid(collation) && get_pattern(args, &pattern);
		case GPUAGG_HARMLESS_IF_LIKE_PLAIN:
			return gpuagg_collation_is_bytewise(collation) && get_pattern(args, &pattern) &&
				strchr(pattern, '\\') == NULL;
		case GPUAGG_HARMLESS_IF_REGEX_PLAIN:
			return gpuagg_collation_is_bytewise(collation) && get_pattern(args, &pattern) &&
				is_plain_regex(pattern);
		default:
			return function_digits(function, args) >= 0;
	}
}

/*
 * Rows may have columns that nothing compares, or others than they are compared with; so may
 * arrays.
 */
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
	return opno < FirstGenbkiObjectId && gpuagg_op_meanings(opno) != NIL &&
		is_collated(args, collation) && is_comparable(exprType(gpuagg_arg(args, 0)));
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

/* The least or greatest of values, or of booleans */
static bool
is_extreme(Oid aggregate)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	bool		extreme = HeapTupleIsValid(tuple) &&
		OidIsValid(((Form_pg_aggregate) GETSTRUCT(tuple))->aggsortop);

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return extreme && aggregate < FirstGenbkiObjectId;
}

static bool
aggregate_is_harmless(const Aggref *agg)
{
	Node	   *arg;

	if (gpuagg_aggregate(agg->aggfnoid)->harmless == GPUAGG_HARMLESS_ALWAYS)
		return true;
	if (aggregate_digits(agg) >= 0)
		return true;
	arg = gpuagg_agg_arg(agg, 0);
	return is_extreme(agg->aggfnoid) && is_comparable(exprType(arg)) &&
		is_collated(list_make1(arg), agg->inputcollid);
}

bool
gpuagg_is_comparable(Node *expr)
{
	return is_comparable(exprType(expr)) && is_collated(list_make1(expr), exprCollation(expr));
}

bool
gpuagg_is_harmless_aggregate(const Aggref *agg)
{
	ListCell   *lc;

	foreach(lc, agg->args)
	{
		if (!gpuagg_is_harmless((Node *) lfirst_node(TargetEntry, lc)->expr))
			return false;
	}
	return agg->aggkind == AGGKIND_NORMAL && agg->args != NIL && agg->aggorder == NIL &&
		gpuagg_is_harmless((Node *) agg->aggfilter) && aggregate_is_harmless(agg);
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
