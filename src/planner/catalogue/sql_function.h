/*
 * sql_function.h
 *		The catalogue of PostgreSQL's functions: what planning knows of each (functions.def).
 *
 * Nothing else names one by its OID.  A function of a user's has another OID, whatever its
 * name; so it is in no row.  Operators and casts are asked for by their functions.
 */
#ifndef GPUAGG_PLANNER_SQL_FUNCTION_H
#define GPUAGG_PLANNER_SQL_FUNCTION_H

#include "postgres.h"

#include "nodes/primnodes.h"
#include "utils/fmgroids.h"

/* The row of a function: GPUAGG_F_NUMERIC_MUL */
typedef enum GpuAggFunctionId
{
	GPUAGG_F_NONE,
#define FN(name, ...) GPUAGG_F_##name,
#include "planner/catalogue/functions.def"
#undef FN
	GPUAGG_NFUNCTIONS
} GpuAggFunctionId;

/*
 * Who lowers a call: X(name, function of planner/lower).  OPERATION is the operation of the
 * row, of its arguments in their order.
 */
#define GPUAGG_HANDLER_LIST(X) \
	X(OPERATION, operation) \
	X(LENGTH, length) \
	X(LIKE, like) \
	X(ALIGNED, aligned) \
	X(PRODUCT, product) \
	X(QUOTIENT, quotient) \
	X(WHOLE_QUOTIENT, whole_quotient) \
	X(SIGN_ALONE, sign_alone) \
	X(SIGNUM, signum) \
	X(ROUNDED, rounded) \
	X(FLOOR, floor) \
	X(DECLARED_NUMERIC, declared_numeric) \
	X(NUMERIC_TO_INTEGER, numeric_to_integer) \
	X(NUMERIC_TO_FLOAT, numeric_to_float) \
	X(NUMERIC_COMPARISON, numeric_comparison) \
	X(INTERVAL_COMPARISON, interval_comparison) \
	X(INTERVAL_EXTRACT, interval_extract) \
	X(MOVED, moved) \
	X(BINNED, binned) \
	X(TIME_OF_DAY, time_of_day) \
	X(FINITE, finite) \
	X(MIXED_COMPARISON, mixed_comparison) \
	X(TRUNCATED, truncated) \
	X(EXTRACT, extract) \
	X(ZONED_TRUNCATED, zoned_truncated) \
	X(NAMED_ZONE_TRUNCATED, named_zone_truncated) \
	X(ZONED_EXTRACT, zoned_extract) \
	X(AT_ZONE, at_zone) \
	X(LOCAL_DATE, local_date) \
	X(LOCAL_TIME, local_time) \
	X(UTC, utc) \
	X(ENUM_COMPARISON, enum_comparison) \
	X(OID_TO_INT8, oid_to_int8)

typedef enum GpuAggHandler
{
	GPUAGG_HANDLER_NONE,				/* no device computes it */
#define X(name, function) GPUAGG_HANDLER_##name,
	GPUAGG_HANDLER_LIST(X)
#undef X
	GPUAGG_NHANDLERS
} GpuAggHandler;

/* What else lowering does, bits of a row's "how" */
#define GPUAGG_HOW_SAME 0x0001	/* no operation: the register serves under the type */
#define GPUAGG_HOW_EQUAL 0x0002 /* strings: any deterministic collation */
#define GPUAGG_HOW_ORDER 0x0004 /* strings: collation "C" */
#define GPUAGG_HOW_BLANKS 0x0008	/* char(n): without trailing blanks */
#define GPUAGG_HOW_DATE1 0x0010 /* the first argument is a date, to be seen as a timestamp */
#define GPUAGG_HOW_DATE2 0x0020 /* the second one is */
#define GPUAGG_HOW_CHARS 0x0040 /* counts characters: UTF-8 or a one-byte encoding */
#define GPUAGG_HOW_SWAPPED 0x0080	/* the second argument comes first */
#define GPUAGG_HOW_NEGATED 0x0100	/* NOT of the handler's answer */
#define GPUAGG_HOW_BACK 0x0200	/* less the interval */
#define GPUAGG_HOW_COLUMNS 0x0400	/* not of constants alone: PostgreSQL computes that once */

/* When a call raises no error, if its arguments raise none; besides, leakproof functions do not */
typedef enum GpuAggHarmless
{
	GPUAGG_HARMLESS_UNKNOWN,	/* but a numeric may tell by its digits */
	GPUAGG_HARMLESS_ALWAYS,
	GPUAGG_HARMLESS_IF_COLLATED,	/* under a collation that is known */
	GPUAGG_HARMLESS_IF_BYTEWISE,	/* under a deterministic one */
	GPUAGG_HARMLESS_IF_FIELD_KNOWN, /* that, and the third argument a constant but 0 */
	GPUAGG_HARMLESS_IF_PATTERN_KNOWN,	/* collated, and the second one a constant */
	GPUAGG_HARMLESS_IF_LIKE_PLAIN,	/* bytewise, and a constant without escapes */
	GPUAGG_HARMLESS_IF_REGEX_PLAIN, /* bytewise, and a constant without pitfalls */
	GPUAGG_HARMLESS_IF_DIVISOR_KNOWN,	/* the second argument is an integer but 0 and -1 */
	GPUAGG_HARMLESS_IF_MD5_IS_THERE
} GpuAggHarmless;

/* How many digits a numeric result has, by those of the arguments */
typedef enum GpuAggDigitRule
{
	GPUAGG_DIGITS_UNKNOWN,
	GPUAGG_DIGITS_SUM,
	GPUAGG_DIGITS_PRODUCT,
	GPUAGG_DIGITS_QUOTIENT,
	GPUAGG_DIGITS_REMAINDER,
	GPUAGG_DIGITS_SIGN_ALONE,	/* the argument's: another sign at most */
	GPUAGG_DIGITS_SIGNUM,
	GPUAGG_DIGITS_WHOLE,		/* rounded to a whole number */
	GPUAGG_DIGITS_DECIMALS,		/* rounded to as many decimals as the second argument says */
	GPUAGG_DIGITS_INTEGER,		/* an integer as numeric */
	GPUAGG_DIGITS_FLOAT,		/* a float as numeric */

	/* of aggregates */
	GPUAGG_DIGITS_TOTAL,
	GPUAGG_DIGITS_AVERAGE,
	GPUAGG_DIGITS_EXTREME,
	GPUAGG_DIGITS_INTEGER_TOTAL,
	GPUAGG_DIGITS_INTEGER_AVERAGE
} GpuAggDigitRule;

/*
 * What becomes of the arguments' bounds (planner/estimate/value_bound_function.h), which are
 * sets of device/ops/value_set.h
 */
typedef enum GpuAggBoundRule
{
	GPUAGG_BOUNDS_OWN,			/* as of the row's operation, or register; else not known */
	GPUAGG_BOUNDS_OPERATION,	/* as of another operation, that of the row's "bound_op" */
	GPUAGG_BOUNDS_SAME,			/* the same value of another type */

	/* numbers */
	GPUAGG_BOUNDS_ROUNDED,		/* as the row's operation does, to a whole number, or as many
								 * decimals as the second argument says */
	GPUAGG_BOUNDS_LN,
	GPUAGG_BOUNDS_LOG10,
	GPUAGG_BOUNDS_LOG,			/* to the base that the first argument is */
	GPUAGG_BOUNDS_BUCKET,

	/* moments */
	GPUAGG_BOUNDS_MOVED,		/* by an interval */
	GPUAGG_BOUNDS_TRUNCATED,	/* to a unit that the first argument names */
	GPUAGG_BOUNDS_BINNED,
	GPUAGG_BOUNDS_OTHER_ZONE,
	GPUAGG_BOUNDS_FIELD,		/* that the first argument names */
	GPUAGG_BOUNDS_PATTERN		/* as text */
} GpuAggBoundRule;

/* The rest, bits of a row's "traits" */
#define GPUAGG_IS_OF_STORAGE 0x01	/* of how a value is stored, which equal ones do not share */
#define GPUAGG_IS_HOLDS_NOTHING 0x02	/* stable, and has nothing open when it raises an error */
#define GPUAGG_IS_OF_SETTING 0x04	/* immutable, but it reads a setting */

#define GPUAGG_FUNCTION_ARGS 4

typedef struct GpuAggFunction
{
	Oid			oid;			/* InvalidOid: none of the catalogue's */
	Oid			result;
	Oid			args[GPUAGG_FUNCTION_ARGS];
	uint8		nargs;
	uint8		by;				/* GpuAggHandler */
	uint8		op;				/* GpuAggOp */
	uint8		type;			/* GpuAggType of the operation's, or handler's, register */
	uint16		how;
	uint8		harmless;		/* GpuAggHarmless */
	uint8		digits;			/* GpuAggDigitRule */
	uint8		bound;			/* GpuAggBoundRule */
	uint8		bound_op;		/* GpuAggOp */
	uint8		traits;
} GpuAggFunction;

/* The row; of a function that the catalogue has not, one without anything.  Never NULL. */
extern const GpuAggFunction *gpuagg_function(Oid oid);

/* The row of the function that an operator or a function's call calls; of anything else, too */
extern const GpuAggFunction *gpuagg_function_of(const Node *expr);

extern Oid gpuagg_function_oid(GpuAggFunctionId id);

/* Is it a call of this function, written as one? */
extern bool gpuagg_is_call(const void *expr, GpuAggFunctionId id);

/* A call that the planner makes itself, without a collation */
extern Expr *gpuagg_call(GpuAggFunctionId id, List *args);

#endif							/* GPUAGG_PLANNER_SQL_FUNCTION_H */
