/*
 * ops.h
 *		Every instruction a program may hold: one table for the planner that
 *		emits it, the interpreters that run it and the documentation.
 *
 *		X(name, signature, function)
 *
 * A signature names argument and result classes: I int64, F double, B bytes;
 * "II_I" takes two integers and gives an integer.  Functions of these
 * signatures are strict (NULL in, NULL out; the interpreter handles states)
 * and have the form
 *		int64_t fn(int64_t a, int64_t b, uint8_t *st)
 * They set GPUAGG_ST_ error bits (or GPUAGG_ST_NULL) in *st.  Functions of
 * signatures that end in _IMM get the instruction too, as a last argument.
 * Signature SPECIAL is not strict; the interpreters implement it by hand:
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

#define GPUAGG_OP_LIST(X) \
	/* integers: PostgreSQL's range checks for each width */ \
	X(INT2_ADD, II_I, gpuagg_int2_add) \
	X(INT2_SUB, II_I, gpuagg_int2_sub) \
	X(INT2_MUL, II_I, gpuagg_int2_mul) \
	X(INT2_DIV, II_I, gpuagg_int2_div) \
	X(INT2_NEG, I_I, gpuagg_int2_neg) \
	X(INT2_ABS, I_I, gpuagg_int2_abs) \
	X(INT4_ADD, II_I, gpuagg_int4_add) \
	X(INT4_SUB, II_I, gpuagg_int4_sub) \
	X(INT4_MUL, II_I, gpuagg_int4_mul) \
	X(INT4_DIV, II_I, gpuagg_int4_div) \
	X(INT4_NEG, I_I, gpuagg_int4_neg) \
	X(INT4_ABS, I_I, gpuagg_int4_abs) \
	X(INT8_ADD, II_I, gpuagg_int8_add) \
	X(INT8_SUB, II_I, gpuagg_int8_sub) \
	X(INT8_MUL, II_I, gpuagg_int8_mul) \
	X(INT8_DIV, II_I, gpuagg_int8_div) \
	X(INT8_NEG, I_I, gpuagg_int8_neg) \
	X(INT8_ABS, I_I, gpuagg_int8_abs) \
	X(INT_MOD, II_I, gpuagg_int_mod)	/* any width; x % -1 is 0 */ \
	X(INT_AND, II_I, gpuagg_int_and) \
	X(INT_OR, II_I, gpuagg_int_or) \
	X(INT_XOR, II_I, gpuagg_int_xor) \
	X(INT_NOT, I_I, gpuagg_int_not) \
	X(INT2_SHL, II_I, gpuagg_int2_shl) \
	X(INT2_SHR, II_I, gpuagg_int2_shr) \
	X(INT4_SHL, II_I, gpuagg_int4_shl) \
	X(INT4_SHR, II_I, gpuagg_int4_shr) \
	X(INT8_SHL, II_I, gpuagg_int8_shl) \
	X(INT8_SHR, II_I, gpuagg_int8_shr) \
	X(INT4_GCD, II_I, gpuagg_int4_gcd) \
	X(INT4_LCM, II_I, gpuagg_int4_lcm) \
	X(INT8_GCD, II_I, gpuagg_int8_gcd) \
	X(INT8_LCM, II_I, gpuagg_int8_lcm) \
	X(TO_INT2, I_I, gpuagg_to_int2)		/* range check only */ \
	X(TO_INT4, I_I, gpuagg_to_int4) \
	/* decimals: imm digits are dropped, or there are at most so many */ \
	X(DECIMAL_ROUND, I_I_IMM, gpuagg_decimal_round)	/* half away from zero */ \
	X(DECIMAL_TRUNC, I_I_IMM, gpuagg_decimal_trunc) \
	X(DECIMAL_FLOOR, I_I_IMM, gpuagg_decimal_floor) \
	X(DECIMAL_CEIL, I_I_IMM, gpuagg_decimal_ceil) \
	X(DECIMAL_FITS, I_I_IMM, gpuagg_decimal_fits)	/* more digits: NEEDS_PG */ \
	X(DECIMAL_AT, I_I_IMM, gpuagg_decimal_at)	/* a word's, at scale imm; else NEEDS_PG */ \
	X(TO_EXACT_DOUBLE, I_I, gpuagg_to_exact_double)	/* beyond 2^53: NEEDS_PG */ \
	X(TO_BOOL, I_I, gpuagg_to_bool)		/* int4::bool */ \
	/* comparisons; F64 puts NaN last and equal to itself */ \
	X(I64_EQ, II_I, gpuagg_i64_eq) \
	X(I64_NE, II_I, gpuagg_i64_ne) \
	X(I64_LT, II_I, gpuagg_i64_lt) \
	X(I64_LE, II_I, gpuagg_i64_le) \
	X(I64_GT, II_I, gpuagg_i64_gt) \
	X(I64_GE, II_I, gpuagg_i64_ge) \
	X(I64_MIN, II_I, gpuagg_i64_min)	/* LEAST, GREATEST of two non-NULLs */ \
	X(I64_MAX, II_I, gpuagg_i64_max) \
	X(F64_EQ, FF_I, gpuagg_f64_eq) \
	X(F64_NE, FF_I, gpuagg_f64_ne) \
	X(F64_LT, FF_I, gpuagg_f64_lt) \
	X(F64_LE, FF_I, gpuagg_f64_le) \
	X(F64_GT, FF_I, gpuagg_f64_gt) \
	X(F64_GE, FF_I, gpuagg_f64_ge) \
	X(BYTES_EQ, BB_I, gpuagg_bytes_eq) \
	X(BYTES_NE, BB_I, gpuagg_bytes_ne) \
	X(BYTES_LT, BB_I, gpuagg_bytes_lt)	/* memcmp order: collation C, uuid */ \
	X(BYTES_LE, BB_I, gpuagg_bytes_le) \
	X(BYTES_GT, BB_I, gpuagg_bytes_gt) \
	X(BYTES_GE, BB_I, gpuagg_bytes_ge) \
	X(INET_LT, BB_I, gpuagg_inet_lt)	/* networks before those inside them */ \
	X(INET_LE, BB_I, gpuagg_inet_le) \
	X(INET_GT, BB_I, gpuagg_inet_gt) \
	X(INET_GE, BB_I, gpuagg_inet_ge) \
	X(NOT, I_I, gpuagg_bool_not) \
	/* floating point: PostgreSQL's overflow, underflow and division errors */ \
	X(FLOAT8_ADD, FF_F, gpuagg_float8_add) \
	X(FLOAT8_SUB, FF_F, gpuagg_float8_sub) \
	X(FLOAT8_MUL, FF_F, gpuagg_float8_mul) \
	X(FLOAT8_DIV, FF_F, gpuagg_float8_div) \
	X(FLOAT4_ADD, FF_F, gpuagg_float4_add) \
	X(FLOAT4_SUB, FF_F, gpuagg_float4_sub) \
	X(FLOAT4_MUL, FF_F, gpuagg_float4_mul) \
	X(FLOAT4_DIV, FF_F, gpuagg_float4_div) \
	X(FLOAT_NEG, F_F, gpuagg_float_neg) \
	X(FLOAT_ABS, F_F, gpuagg_float_abs) \
	X(FLOAT_FLOOR, F_F, gpuagg_float_floor) \
	X(FLOAT_CEIL, F_F, gpuagg_float_ceil) \
	X(FLOAT_TRUNC, F_F, gpuagg_float_trunc) \
	X(FLOAT_SIGN, F_F, gpuagg_float_sign)	/* of NaN 0 */ \
	X(FLOAT_ROUND, F_F, gpuagg_float_round)		/* rint: half to even */ \
	X(FLOAT_SQRT, F_F, gpuagg_float_sqrt)		/* negative: NEEDS_PG */ \
	X(INT_TO_FLOAT8, I_F, gpuagg_int_to_float8) \
	X(INT_TO_FLOAT4, I_F, gpuagg_int_to_float4) \
	X(FLOAT8_TO_FLOAT4, F_F, gpuagg_float8_to_float4) \
	X(FLOAT_TO_INT2, F_I, gpuagg_float_to_int2) \
	X(FLOAT_TO_INT4, F_I, gpuagg_float_to_int4) \
	X(FLOAT_TO_INT8, F_I, gpuagg_float_to_int8) \
	X(FLOAT_BITS, F_I, gpuagg_float_bits)	/* of the double: -0 is not 0 */ \
	/* dates: days, timestamps: microseconds, both since 2000-01-01 */ \
	X(DATE_ADD, II_I, gpuagg_date_add)	/* date + int4 */ \
	X(DATE_SUB, II_I, gpuagg_date_sub)	/* date - int4 */ \
	X(DATE_DIFF, II_I, gpuagg_date_diff)	/* date - date */ \
	X(DATE_TO_TIMESTAMP, I_I, gpuagg_date_to_timestamp) \
	X(TIMESTAMP_TO_DATE, I_I, gpuagg_timestamp_to_date) \
	X(DATE_TRUNC, I_I_IMM, gpuagg_date_trunc)	/* date to date; imm: GpuAggField */ \
	X(TIMESTAMP_TRUNC, I_I_IMM, gpuagg_timestamp_trunc) \
	X(DATE_EXTRACT, I_I_IMM, gpuagg_date_extract)	/* infinite: NEEDS_PG */ \
	X(TIMESTAMP_EXTRACT, I_I_IMM, gpuagg_timestamp_extract) \
	X(ZONE_LOCAL, IB_I, gpuagg_zone_local)	/* timestamptz to local timestamp; b: a zone's table */ \
	X(ENUM_ORDER, IB_I, gpuagg_enum_order)	/* an enum's value to a number in its order; b: the enum's table */ \
	X(ZONE_UTC, IB_I, gpuagg_zone_utc)	/* and back, as PostgreSQL chooses in gaps and overlaps */ \
	/* intervals: months, days and microseconds */ \
	X(TIMESTAMP_ADD_MONTHS, II_I, gpuagg_timestamp_add_months) \
	X(TIMESTAMP_ADD_DAYS, II_I, gpuagg_timestamp_add_days) \
	X(TIMESTAMP_ADD_TIME, II_I, gpuagg_timestamp_add_time) \
	X(TIMESTAMP_DIFF, II_I, gpuagg_timestamp_diff)	/* a span */ \
	X(TIMESTAMP_TIME, I_I, gpuagg_timestamp_time)	/* time of the day */ \
	X(DATE_BIN, IB_I, gpuagg_date_bin)	/* b: stride and origin, two int64 */ \
	X(EPOCH_QUOTIENT, II_I, gpuagg_epoch_quotient)	/* floor(microseconds / 10^6 / b), as numeric */ \
	X(TO_TIMESTAMP, F_I, gpuagg_to_timestamp)	/* of seconds since 1970 */ \
	X(INTERVAL_MONTHS, B_I, gpuagg_interval_months) \
	X(INTERVAL_DAYS, B_I, gpuagg_interval_days) \
	X(INTERVAL_TIME, B_I, gpuagg_interval_time) \
	X(INTERVAL_TOTAL, B_I, gpuagg_interval_total)	/* beyond 64 bits: NEEDS_PG */ \
	X(INTERVAL_CODE, B_I, gpuagg_interval_code) \
	/* byte strings; UTF8 forms count characters, as the encoding says */ \
	X(OCTET_LENGTH, B_I, gpuagg_octet_length) \
	X(LENGTH_UTF8, B_I, gpuagg_length_utf8) \
	X(RTRIM, B_B, gpuagg_rtrim)		/* blanks: char(n) to text, char(n) comparison */ \
	X(SUBSTR_FROM, BI_B_IMM, gpuagg_substr_from)	/* imm: 1 UTF-8, 0 single-byte */ \
	X(SUBSTR, BII_B_IMM, gpuagg_substr)	/* negative length: NEEDS_PG */ \
	X(LIKE, BB_I_IMM, gpuagg_like)	/* backslash in the pattern: NEEDS_PG */ \
	X(STARTS_WITH, BB_I, gpuagg_starts_with) \
	X(LISTED_I64, IB_I, gpuagg_listed_i64)	/* a = ANY (b), a table of sorted int64, without NULLs */ \
	/* look-up tables (ops_lookup.h): the last argument, a constant; imm: a column */ \
	X(LOOKUP, IB_I, gpuagg_lookup)		/* the row of a key, or NULL */ \
	X(LOOKUP_PAIR, IIB_I, gpuagg_lookup_pair) \
	X(LOOKUP_BYTES, BB_I, gpuagg_lookup_bytes) \
	X(FETCH_I64, IB_I_IMM, gpuagg_fetch_i64) \
	X(FETCH_F64, IB_F_IMM, gpuagg_fetch_f64) \
	X(FETCH_BYTES, IB_B_IMM, gpuagg_fetch_bytes) \
	/* not strict */ \
	X(AND, SPECIAL, 0) \
	X(OR, SPECIAL, 0) \
	X(IS_NULL, SPECIAL, 0) \
	X(IS_NOT_NULL, SPECIAL, 0) \
	X(IS_TRUE, SPECIAL, 0) \
	X(IS_NOT_TRUE, SPECIAL, 0) \
	X(IS_FALSE, SPECIAL, 0) \
	X(IS_NOT_FALSE, SPECIAL, 0) \
	X(SELECT, SPECIAL, 0) \
	X(COALESCE, SPECIAL, 0) \
	X(NULL_IF, SPECIAL, 0) \
	X(DISTINCT_FROM, SPECIAL, 0) \
	X(IN_I64, SPECIAL, 0) \
	X(IN_F64, SPECIAL, 0) \
	X(IN_BYTES, SPECIAL, 0)

typedef enum GpuAggOp
{
#define X(name, sig, fn) GPUAGG_OP_##name,
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
