/*
 * ops.h
 *		Every instruction a program may hold: one table for the planner that
 *		emits it, the interpreters that run it and the documentation.
 *
 *		X(name, signature, function, rule, values, weight, takes, text)
 *
 * The last five are traits, for whoever looks at programs without running them (instr.h):
 *
 *	rule	how the values of a result follow from those of the arguments: GpuAggRule
 *	values	which values there are at all, whatever the arguments: GpuAggValues
 *	weight	simple instructions that one is worth (cost/predict_compiled.c); of a list, each
 *			look at a member
 *	takes	what an instruction has beside registers: GpuAggTakes
 *	text	LONG: compiled it is a loop, or long
 *
 * A signature names argument and result classes: I int64, F double, B bytes;
 * "II_I" takes two integers and gives an integer.  Functions of these
 * signatures are strict (NULL in, NULL out; the interpreter handles states)
 * and have the form
 *		int64_t fn(int64_t a, int64_t b, uint8_t *st)
 * They set GPUAGG_ST_ error bits (or GPUAGG_ST_NULL) in *st.  Functions of
 * signatures that end in _IMM get the instruction too, as a last argument.
 * Signature SPECIAL is not strict; the interpreters implement it by hand.  In the function's
 * place stand its classes, A any and R that of the result:
 *
 *	AND, OR		SQL's three values, left argument first: an error in the left
 *				one wins; a left FALSE (TRUE) hides an error in the right one
 *	IS_NULL, IS_NOT_NULL	never NULL; an error stays one
 *	IS_TRUE, IS_NOT_TRUE, IS_FALSE, IS_NOT_FALSE	never NULL
 *	SELECT		dst = a IS TRUE ? b : c.  An error in a is the result's; the
 *				state of the branch not taken is ignored.  CASE lowers to this
 *	COALESCE	dst = a if not NULL (an error in a stays), else b
 *	NULL_IF		dst = NULL where b is TRUE, else a; an error in b is the
 *				result's.  NULLIF(x, y) lowers to NULL_IF(x, x = y)
 *	DISTINCT_FROM	b is x = y (strict): NULL-safe inequality of a and c,
 *				never NULL: b where neither is NULL (negated), else
 *				whether exactly one is NULL
 *	IN_I64, IN_F64, IN_BYTES	a = ANY (list): constants imm ..
 *				imm + imm2 - 1 (constant numbers, not registers) are the
 *				list's non-NULL members in ascending order (IN_F64: NaN last;
 *				IN_BYTES: by memcmp, then length) without repeats;
 *				flags & 1: the list has a NULL, so "not found" is NULL.
 *				flags & 2: NOT IN (a <> ALL (list))
 * SELECT, COALESCE and NULL_IF work on any class, that of dst.
 *
 * Integers narrower than 64 bits are held sign-extended; booleans are 0 or 1;
 * float4 values are doubles that a float holds exactly.
 */
#ifndef GPUAGG_DEVICE_OPS_H
#define GPUAGG_DEVICE_OPS_H

#include "device/program.h"

#define GPUAGG_STRICT_LIST(X) \
	/* integers: PostgreSQL's range checks for each width */ \
	X(INT2_ADD, II_I, gpuagg_int2_add, SUM, INT2, 1, NONE, SHORT) \
	X(INT2_SUB, II_I, gpuagg_int2_sub, DIFFERENCE, INT2, 1, NONE, SHORT) \
	X(INT2_MUL, II_I, gpuagg_int2_mul, PRODUCT, INT2, 1, NONE, SHORT) \
	X(INT2_DIV, II_I, gpuagg_int2_div, QUOTIENT, INT2, 10, NONE, SHORT) \
	X(INT2_NEG, I_I, gpuagg_int2_neg, ENDS, INT2, 1, NONE, SHORT) \
	X(INT2_ABS, I_I, gpuagg_int2_abs, TURNS, INT2, 1, NONE, SHORT) \
	X(INT4_ADD, II_I, gpuagg_int4_add, SUM, INT4, 1, NONE, SHORT) \
	X(INT4_SUB, II_I, gpuagg_int4_sub, DIFFERENCE, INT4, 1, NONE, SHORT) \
	X(INT4_MUL, II_I, gpuagg_int4_mul, PRODUCT, INT4, 1, NONE, SHORT) \
	X(INT4_DIV, II_I, gpuagg_int4_div, QUOTIENT, INT4, 10, NONE, SHORT) \
	X(INT4_NEG, I_I, gpuagg_int4_neg, ENDS, INT4, 1, NONE, SHORT) \
	X(INT4_ABS, I_I, gpuagg_int4_abs, TURNS, INT4, 1, NONE, SHORT) \
	X(INT8_ADD, II_I, gpuagg_int8_add, SUM, INT8, 1, NONE, SHORT) \
	X(INT8_SUB, II_I, gpuagg_int8_sub, DIFFERENCE, INT8, 1, NONE, SHORT) \
	X(INT8_MUL, II_I, gpuagg_int8_mul, PRODUCT, INT8, 2, NONE, SHORT) \
	X(INT8_DIV, II_I, gpuagg_int8_div, QUOTIENT, INT8, 10, NONE, SHORT) \
	X(INT8_NEG, I_I, gpuagg_int8_neg, ENDS, INT8, 1, NONE, SHORT) \
	X(INT8_ABS, I_I, gpuagg_int8_abs, TURNS, INT8, 1, NONE, SHORT) \
	/* any width; x % -1 is 0 */ \
	X(INT_MOD, II_I, gpuagg_int_mod, REMAINDER, INT8, 10, NONE, SHORT) \
	X(INT_AND, II_I, gpuagg_int_and, MASK, INT8, 1, NONE, SHORT) \
	X(INT_OR, II_I, gpuagg_int_or, SAFE, INT8, 1, NONE, SHORT) \
	X(INT_XOR, II_I, gpuagg_int_xor, SAFE, INT8, 1, NONE, SHORT) \
	X(INT_NOT, I_I, gpuagg_int_not, ENDS, INT8, 1, NONE, SHORT) \
	X(INT2_SHL, II_I, gpuagg_int2_shl, SAFE, INT2, 1, NONE, SHORT) \
	X(INT2_SHR, II_I, gpuagg_int2_shr, SAFE, INT2, 1, NONE, SHORT) \
	X(INT4_SHL, II_I, gpuagg_int4_shl, SAFE, INT4, 1, NONE, SHORT) \
	X(INT4_SHR, II_I, gpuagg_int4_shr, SAFE, INT4, 1, NONE, SHORT) \
	X(INT8_SHL, II_I, gpuagg_int8_shl, SAFE, INT8, 1, NONE, SHORT) \
	X(INT8_SHR, II_I, gpuagg_int8_shr, SAFE, INT8, 1, NONE, SHORT) \
	X(INT4_GCD, II_I, gpuagg_int4_gcd, OPEN, LENGTH, 20, NONE, SHORT) \
	X(INT4_LCM, II_I, gpuagg_int4_lcm, OPEN, LENGTH, 20, NONE, SHORT) \
	X(INT8_GCD, II_I, gpuagg_int8_gcd, OPEN, INT8, 20, NONE, SHORT) \
	X(INT8_LCM, II_I, gpuagg_int8_lcm, OPEN, INT8, 20, NONE, SHORT) \
	X(TO_INT2, I_I, gpuagg_to_int2, SAME, INT2, 1, NONE, SHORT)	/* range check only */ \
	X(TO_INT4, I_I, gpuagg_to_int4, SAME, INT4, 1, NONE, SHORT) \
	/* decimals: imm digits are dropped (ROUND: half away from 0), or at most so many are there */ \
	X(DECIMAL_ROUND, I_I_IMM, gpuagg_decimal_round, ENDS, INT8, 10, DIGITS, SHORT) \
	X(DECIMAL_TRUNC, I_I_IMM, gpuagg_decimal_trunc, ENDS, INT8, 10, DIGITS, SHORT) \
	X(DECIMAL_FLOOR, I_I_IMM, gpuagg_decimal_floor, ENDS, INT8, 10, DIGITS, SHORT) \
	X(DECIMAL_CEIL, I_I_IMM, gpuagg_decimal_ceil, ENDS, INT8, 10, DIGITS, SHORT) \
	/* more digits: NEEDS_PG */ \
	X(DECIMAL_FITS, I_I_IMM, gpuagg_decimal_fits, ENDS, INT8, 1, DIGITS, SHORT) \
	/* a word's, at scale imm; else NEEDS_PG */ \
	X(DECIMAL_AT, I_I_IMM, gpuagg_decimal_at, OPEN, INT8, 1, DIGITS, SHORT) \
	/* beyond 2^53: NEEDS_PG */ \
	X(TO_EXACT_DOUBLE, I_I, gpuagg_to_exact_double, ENDS, INT8, 1, NONE, SHORT) \
	X(TO_BOOL, I_I, gpuagg_to_bool, TRUTH, BOOL, 1, NONE, SHORT)	/* int4::bool */ \
	/* comparisons; F64 puts NaN last and equal to itself */ \
	X(I64_EQ, II_I, gpuagg_i64_eq, EQ, BOOL, 1, NONE, SHORT) \
	X(I64_NE, II_I, gpuagg_i64_ne, NE, BOOL, 1, NONE, SHORT) \
	X(I64_LT, II_I, gpuagg_i64_lt, LT, BOOL, 1, NONE, SHORT) \
	X(I64_LE, II_I, gpuagg_i64_le, LE, BOOL, 1, NONE, SHORT) \
	X(I64_GT, II_I, gpuagg_i64_gt, GT, BOOL, 1, NONE, SHORT) \
	X(I64_GE, II_I, gpuagg_i64_ge, GE, BOOL, 1, NONE, SHORT) \
	/* LEAST, GREATEST of two non-NULLs */ \
	X(I64_MIN, II_I, gpuagg_i64_min, ENDS, INT8, 1, NONE, SHORT) \
	X(I64_MAX, II_I, gpuagg_i64_max, ENDS, INT8, 1, NONE, SHORT) \
	X(F64_EQ, FF_I, gpuagg_f64_eq, EQ, BOOL, 1, NONE, SHORT) \
	X(F64_NE, FF_I, gpuagg_f64_ne, NE, BOOL, 1, NONE, SHORT) \
	X(F64_LT, FF_I, gpuagg_f64_lt, LT, BOOL, 1, NONE, SHORT) \
	X(F64_LE, FF_I, gpuagg_f64_le, LE, BOOL, 1, NONE, SHORT) \
	X(F64_GT, FF_I, gpuagg_f64_gt, GT, BOOL, 1, NONE, SHORT) \
	X(F64_GE, FF_I, gpuagg_f64_ge, GE, BOOL, 1, NONE, SHORT) \
	X(BYTES_EQ, BB_I, gpuagg_bytes_eq, SAFE, BOOL, 1, NONE, SHORT) \
	X(BYTES_NE, BB_I, gpuagg_bytes_ne, SAFE, BOOL, 1, NONE, SHORT) \
	/* memcmp order: collation C, uuid */ \
	X(BYTES_LT, BB_I, gpuagg_bytes_lt, SAFE, BOOL, 1, NONE, SHORT) \
	X(BYTES_LE, BB_I, gpuagg_bytes_le, SAFE, BOOL, 1, NONE, SHORT) \
	X(BYTES_GT, BB_I, gpuagg_bytes_gt, SAFE, BOOL, 1, NONE, SHORT) \
	X(BYTES_GE, BB_I, gpuagg_bytes_ge, SAFE, BOOL, 1, NONE, SHORT) \
	/* networks before those inside them */ \
	X(INET_LT, BB_I, gpuagg_inet_lt, SAFE, BOOL, 1, NONE, SHORT) \
	X(INET_LE, BB_I, gpuagg_inet_le, SAFE, BOOL, 1, NONE, SHORT) \
	X(INET_GT, BB_I, gpuagg_inet_gt, SAFE, BOOL, 1, NONE, SHORT) \
	X(INET_GE, BB_I, gpuagg_inet_ge, SAFE, BOOL, 1, NONE, SHORT) \
	X(NOT, I_I, gpuagg_bool_not, NOT, BOOL, 1, NONE, SHORT) \
	/* floating point: PostgreSQL's overflow, underflow and division errors */ \
	X(FLOAT8_ADD, FF_F, gpuagg_float8_add, FLOAT_ENDS, ANY, 2, NONE, SHORT) \
	X(FLOAT8_SUB, FF_F, gpuagg_float8_sub, FLOAT_ENDS, ANY, 2, NONE, SHORT) \
	X(FLOAT8_MUL, FF_F, gpuagg_float8_mul, FLOAT_PRODUCT, ANY, 2, NONE, SHORT) \
	X(FLOAT8_DIV, FF_F, gpuagg_float8_div, FLOAT_QUOTIENT, ANY, 10, NONE, SHORT) \
	X(FLOAT4_ADD, FF_F, gpuagg_float4_add, FLOAT_ENDS, ANY, 1, NONE, SHORT) \
	X(FLOAT4_SUB, FF_F, gpuagg_float4_sub, FLOAT_ENDS, ANY, 1, NONE, SHORT) \
	X(FLOAT4_MUL, FF_F, gpuagg_float4_mul, FLOAT_PRODUCT, ANY, 1, NONE, SHORT) \
	X(FLOAT4_DIV, FF_F, gpuagg_float4_div, FLOAT_QUOTIENT, ANY, 10, NONE, SHORT) \
	X(FLOAT_NEG, F_F, gpuagg_float_neg, FLOAT_ENDS, ANY, 1, NONE, SHORT) \
	X(FLOAT_ABS, F_F, gpuagg_float_abs, FLOAT_TURNS, ANY, 1, NONE, SHORT) \
	X(FLOAT_FLOOR, F_F, gpuagg_float_floor, FLOAT_ENDS, ANY, 1, NONE, SHORT) \
	X(FLOAT_CEIL, F_F, gpuagg_float_ceil, FLOAT_ENDS, ANY, 1, NONE, SHORT) \
	X(FLOAT_TRUNC, F_F, gpuagg_float_trunc, FLOAT_ENDS, ANY, 1, NONE, SHORT) \
	X(FLOAT_SIGN, F_F, gpuagg_float_sign, SAFE, ANY, 1, NONE, SHORT)	/* of NaN 0 */ \
	/* rint: half to even */ \
	X(FLOAT_ROUND, F_F, gpuagg_float_round, FLOAT_ENDS, ANY, 1, NONE, SHORT) \
	/* negative: NEEDS_PG */ \
	X(FLOAT_SQRT, F_F, gpuagg_float_sqrt, FLOAT_ENDS, ANY, 10, NONE, SHORT) \
	X(INT_TO_FLOAT8, I_F, gpuagg_int_to_float8, ENDS, ANY, 1, NONE, SHORT) \
	X(INT_TO_FLOAT4, I_F, gpuagg_int_to_float4, ENDS, ANY, 1, NONE, SHORT) \
	X(FLOAT8_TO_FLOAT4, F_F, gpuagg_float8_to_float4, OPEN, ANY, 1, NONE, SHORT) \
	X(FLOAT_TO_INT2, F_I, gpuagg_float_to_int2, FLOAT_ENDS, INT2, 1, NONE, SHORT) \
	X(FLOAT_TO_INT4, F_I, gpuagg_float_to_int4, FLOAT_ENDS, INT4, 1, NONE, SHORT) \
	X(FLOAT_TO_INT8, F_I, gpuagg_float_to_int8, FLOAT_ENDS, INT8, 1, NONE, SHORT) \
	/* of the double: -0 is not 0 */ \
	X(FLOAT_BITS, F_I, gpuagg_float_bits, SAFE, INT8, 1, NONE, SHORT) \
	/* dates: days, timestamps: microseconds, both since 2000-01-01 */ \
	X(DATE_ADD, II_I, gpuagg_date_add, DATE_ENDS, INT4, 1, NONE, SHORT)	/* date + int4 */ \
	X(DATE_SUB, II_I, gpuagg_date_sub, DATE_ENDS, INT4, 1, NONE, SHORT)	/* date - int4 */ \
	X(DATE_DIFF, II_I, gpuagg_date_diff, DATE_ENDS, INT8, 1, NONE, SHORT)	/* date - date */ \
	X(DATE_TO_TIMESTAMP, I_I, gpuagg_date_to_timestamp, DATE_ENDS, INT8, 1, NONE, SHORT) \
	X(TIMESTAMP_TO_DATE, I_I, gpuagg_timestamp_to_date, ENDS, INT4, 10, NONE, SHORT) \
	/* date to date; imm: GpuAggField */ \
	X(DATE_TRUNC, I_I_IMM, gpuagg_date_trunc, DATE_ENDS, INT4, 20, FIELD, LONG) \
	X(TIMESTAMP_TRUNC, I_I_IMM, gpuagg_timestamp_trunc, ENDS, INT8, 20, FIELD, LONG) \
	/* infinite: NEEDS_PG */ \
	X(DATE_EXTRACT, I_I_IMM, gpuagg_date_extract, FIELD, INT8, 20, FIELD, LONG) \
	X(TIMESTAMP_EXTRACT, I_I_IMM, gpuagg_timestamp_extract, FIELD, INT8, 20, FIELD, LONG) \
	/* timestamptz to local timestamp; b: a zone's table */ \
	X(ZONE_LOCAL, IB_I, gpuagg_zone_local, ZONED, INT8, 20, NONE, LONG) \
	/* timestamptz to the first day of its local month */ \
	X(ZONE_MONTH, IB_I, gpuagg_zone_month, ZONED_MONTH, INT4, 10, NONE, LONG) \
	/* an enum's value to a number in its order; b: the enum's table */ \
	X(ENUM_ORDER, IB_I, gpuagg_enum_order, OPEN, INT8, 1, NONE, LONG) \
	/* and back, as PostgreSQL chooses in gaps and overlaps */ \
	X(ZONE_UTC, IB_I, gpuagg_zone_utc, ZONED, INT8, 20, NONE, LONG) \
	/* intervals: months, days and microseconds */ \
	X(TIMESTAMP_ADD_MONTHS, II_I, gpuagg_timestamp_add_months, MONTHS, INT8, 20, NONE, LONG) \
	X(TIMESTAMP_ADD_DAYS, II_I, gpuagg_timestamp_add_days, MOMENT_ENDS, INT8, 1, NONE, LONG) \
	X(TIMESTAMP_ADD_TIME, II_I, gpuagg_timestamp_add_time, MOMENT_ENDS, INT8, 1, NONE, LONG) \
	X(TIMESTAMP_DIFF, II_I, gpuagg_timestamp_diff, ENDS, INT8, 1, NONE, LONG)	/* a span */ \
	/* time of the day */ \
	X(TIMESTAMP_TIME, I_I, gpuagg_timestamp_time, OPEN, TIME, 1, NONE, LONG) \
	/* b: stride and origin, two int64 */ \
	X(DATE_BIN, IB_I, gpuagg_date_bin, BINS, INT8, 10, NONE, LONG) \
	/* floor(microseconds / 10^6 / b), as numeric */ \
	X(EPOCH_QUOTIENT, II_I, gpuagg_epoch_quotient, EPOCH, INT8, 10, NONE, LONG) \
	/* of seconds since 1970 */ \
	X(TO_TIMESTAMP, F_I, gpuagg_to_timestamp, FLOAT_ENDS, INT8, 1, NONE, LONG) \
	X(INTERVAL_MONTHS, B_I, gpuagg_interval_months, SAFE, INT4, 1, NONE, LONG) \
	X(INTERVAL_DAYS, B_I, gpuagg_interval_days, SAFE, INT4, 1, NONE, LONG) \
	X(INTERVAL_TIME, B_I, gpuagg_interval_time, SAFE, INT8, 1, NONE, LONG) \
	/* beyond 64 bits: NEEDS_PG */ \
	X(INTERVAL_TOTAL, B_I, gpuagg_interval_total, OPEN, INT8, 1, NONE, LONG) \
	X(INTERVAL_CODE, B_I, gpuagg_interval_code, OPEN, INT8, 1, NONE, LONG) \
	/* byte strings; UTF8 forms count characters, as the encoding says */ \
	X(OCTET_LENGTH, B_I, gpuagg_octet_length, SAFE, LENGTH, 1, NONE, LONG) \
	X(LENGTH_UTF8, B_I, gpuagg_length_utf8, SAFE, LENGTH, 1, NONE, LONG) \
	/* blanks: char(n) to text, char(n) comparison */ \
	X(RTRIM, B_B, gpuagg_rtrim, SAFE, ANY, 1, NONE, LONG) \
	/* imm: 1 UTF-8, 0 single-byte */ \
	X(SUBSTR_FROM, BI_B_IMM, gpuagg_substr_from, SAFE, ANY, 1, NONE, LONG) \
	/* negative length: NEEDS_PG */ \
	X(SUBSTR, BII_B_IMM, gpuagg_substr, OPEN, ANY, 1, NONE, LONG) \
	/* backslash in the pattern: NEEDS_PG */ \
	X(LIKE, BB_I_IMM, gpuagg_like, OPEN, BOOL, 1, NONE, LONG) \
	X(STARTS_WITH, BB_I, gpuagg_starts_with, SAFE, BOOL, 1, NONE, LONG) \
	/* a = ANY (b), a table of sorted int64, without NULLs */ \
	X(LISTED_I64, IB_I, gpuagg_listed_i64, SAFE, BOOL, 20, NONE, LONG) \
	/* look-up tables (ops_lookup.h): the last argument, a constant; imm: a column */ \
	X(LOOKUP, IB_I, gpuagg_lookup, OPEN, INT8, 10, KEY, LONG)	/* the row of a key, or NULL */ \
	X(LOOKUP_PAIR, IIB_I, gpuagg_lookup_pair, OPEN, INT8, 10, KEY, LONG) \
	X(LOOKUP_BYTES, BB_I, gpuagg_lookup_bytes, OPEN, INT8, 20, KEY, LONG) \
	X(FETCH_I64, IB_I_IMM, gpuagg_fetch_i64, OPEN, INT8, 1, COLUMN, LONG) \
	X(FETCH_F64, IB_F_IMM, gpuagg_fetch_f64, OPEN, ANY, 1, COLUMN, LONG) \
	X(FETCH_BYTES, IB_B_IMM, gpuagg_fetch_bytes, OPEN, ANY, 1, COLUMN, LONG) \
	/* what only PostgreSQL computes of a string; b names it: NEEDS_PG, but in a code table */ \
	X(CALLED_BOOL, BB_I, gpuagg_called_i64, OPEN, BOOL, 1, NONE, SHORT) \
	X(CALLED_INT4, BB_I, gpuagg_called_i64, OPEN, INT4, 1, NONE, SHORT) \
	X(CALLED_INT8, BB_I, gpuagg_called_i64, OPEN, INT8, 1, NONE, SHORT) \
	X(CALLED_FLOAT8, BB_F, gpuagg_called_f64, OPEN, ANY, 1, NONE, SHORT) \
	X(CALLED_TEXT, BB_B, gpuagg_called_bytes, OPEN, ANY, 1, NONE, SHORT) \
	/* the place of a string in the order of its dictionary's: NEEDS_PG, but in a code table */ \
	X(PLACE, B_I, gpuagg_place_of, OPEN, INT4, 1, NONE, SHORT)

#define GPUAGG_SPECIAL_LIST(X) \
	X(AND, SPECIAL, II_I, AND, BOOL, 1, NONE, SHORT) \
	X(OR, SPECIAL, II_I, OR, BOOL, 1, NONE, SHORT) \
	X(IS_NULL, SPECIAL, A_I, NULL_TEST, BOOL, 1, NONE, SHORT) \
	X(IS_NOT_NULL, SPECIAL, A_I, NULL_TEST, BOOL, 1, NONE, SHORT) \
	X(IS_TRUE, SPECIAL, I_I, TEST, BOOL, 1, NONE, SHORT) \
	X(IS_NOT_TRUE, SPECIAL, I_I, TEST, BOOL, 1, NONE, SHORT) \
	X(IS_FALSE, SPECIAL, I_I, TEST, BOOL, 1, NONE, SHORT) \
	X(IS_NOT_FALSE, SPECIAL, I_I, TEST, BOOL, 1, NONE, SHORT) \
	X(SELECT, SPECIAL, IRR_R, SELECT, ANY, 1, NONE, SHORT) \
	X(COALESCE, SPECIAL, RR_R, COALESCE, ANY, 1, NONE, SHORT) \
	X(NULL_IF, SPECIAL, RI_R, NULL_IF, ANY, 1, NONE, SHORT) \
	X(DISTINCT_FROM, SPECIAL, AIA_I, DISTINCT, BOOL, 1, NONE, SHORT) \
	X(IN_I64, SPECIAL, I_I, LIST, BOOL, 7.5, LIST, LONG) \
	X(IN_F64, SPECIAL, F_I, LIST, BOOL, 7.5, LIST, LONG) \
	X(IN_BYTES, SPECIAL, B_I, LIST, BOOL, 7.5, LIST, LONG)

#define GPUAGG_OP_LIST(X) GPUAGG_STRICT_LIST(X) GPUAGG_SPECIAL_LIST(X)

typedef enum GpuAggOp
{
#define X(name, sig, fn, ...) GPUAGG_OP_##name,
	GPUAGG_OP_LIST(X)
#undef X
	GPUAGG_NOPS
} GpuAggOp;

#define GPUAGG_IN_HAS_NULL 1
#define GPUAGG_IN_NEGATED 2

/* Fields of date_trunc and extract: those whose value is an integer. */
typedef enum GpuAggField
{
	GPUAGG_FIELD_MICROSECOND,	/* extract: with those of the seconds */
	GPUAGG_FIELD_MILLISECOND,	/* trunc only */
	GPUAGG_FIELD_SECOND,		/* trunc only */
	GPUAGG_FIELD_MINUTE,
	GPUAGG_FIELD_HOUR,
	GPUAGG_FIELD_DAY,
	GPUAGG_FIELD_DOW,			/* extract only */
	GPUAGG_FIELD_ISODOW,		/* extract only */
	GPUAGG_FIELD_DOY,			/* extract only */
	GPUAGG_FIELD_WEEK,
	GPUAGG_FIELD_MONTH,
	GPUAGG_FIELD_QUARTER,
	GPUAGG_FIELD_YEAR,
	GPUAGG_FIELD_ISOYEAR,		/* extract only */
	GPUAGG_FIELD_DECADE,
	GPUAGG_FIELD_CENTURY,
	GPUAGG_FIELD_MILLENNIUM,
	GPUAGG_FIELD_EPOCH			/* extract only: microseconds since 1970, of dates seconds */
} GpuAggField;

#endif							/* GPUAGG_DEVICE_OPS_H */
