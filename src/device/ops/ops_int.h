/*
 * ops_int.h
 *		Operators on integers, booleans and order: the integer half of the
 *		table in ops.h, with PostgreSQL's range checks (int.c, int8.c), and
 *		the comparisons of both numeric classes.
 *
 * Rules for every operator header (ops_int.h, ops_float.h, ops_datetime.h,
 * ops_bytes.h):
 *
 * - Functions only add bits to *st; the caller starts it at
 *	 GPUAGG_ST_VALUE.  When bits are set, the returned value means nothing.
 * - Operators whose arguments are numbers are total: any bit pattern is
 *	 legal and traps nowhere, because the vectorised interpreter also runs
 *	 them in lanes whose state is not VALUE, and then ignores both results.
 *	 Therefore sums wrap (unsigned) and divisors are replaced before dividing.
 * - Operators with a byte string among their arguments are called only for
 *	 lanes in which all arguments are values: other lanes' pointers may
 *	 point anywhere.
 * - They are branch-free where that lets a compiler vectorise them: conditions
 *	 are joined with & and |, and tests return int, because clang warns of
 *	 these between two bools.
 *
 * Nothing here allocates or blocks; there is no state.
 */
#ifndef GPUAGG_DEVICE_OPS_INT_H
#define GPUAGG_DEVICE_OPS_INT_H

#include "device/program.h"

GPUAGG_FN int64_t
gpuagg_wrap_add(int64_t a, int64_t b)
{
	return (int64_t) ((uint64_t) a + (uint64_t) b);
}

GPUAGG_FN int64_t
gpuagg_wrap_sub(int64_t a, int64_t b)
{
	return (int64_t) ((uint64_t) a - (uint64_t) b);
}

GPUAGG_FN int64_t
gpuagg_wrap_mul(int64_t a, int64_t b)
{
	return (int64_t) ((uint64_t) a * (uint64_t) b);
}

/* Adds an error bit if the condition (0 or 1) holds. */
GPUAGG_FN void
gpuagg_raise_if(bool condition, uint8_t bit, uint8_t *st)
{
	*st = (uint8_t) (*st | (condition ? bit : 0));
}

GPUAGG_FN int64_t
gpuagg_int_check(int64_t r, int64_t lo, int64_t hi, uint8_t *st)
{
	gpuagg_raise_if((r < lo) | (r > hi), GPUAGG_ST_INT_RANGE, st);
	return r;
}

/*
 * int2 and int4: 64 bits hold every intermediate result of values in range.
 * The quotient is taken in 32 bits, which processors do faster; -1 is
 * divided by negation, whose only overflow is the type's minimum.
 */
#define GPUAGG_INT_OPS(w, lo, hi) \
GPUAGG_FN int64_t \
gpuagg_##w##_add(int64_t a, int64_t b, uint8_t *st) \
{ \
	return gpuagg_int_check(gpuagg_wrap_add(a, b), lo, hi, st); \
} \
GPUAGG_FN int64_t \
gpuagg_##w##_sub(int64_t a, int64_t b, uint8_t *st) \
{ \
	return gpuagg_int_check(gpuagg_wrap_sub(a, b), lo, hi, st); \
} \
GPUAGG_FN int64_t \
gpuagg_##w##_mul(int64_t a, int64_t b, uint8_t *st) \
{ \
	return gpuagg_int_check(gpuagg_wrap_mul(a, b), lo, hi, st); \
} \
GPUAGG_FN int64_t \
gpuagg_##w##_div(int64_t a, int64_t b, uint8_t *st) \
{ \
	int32_t		x = (int32_t) a; \
	int32_t		y = (int32_t) b; \
	bool		special = (y == 0) | (y == -1); \
	int64_t		q = x / (special ? 1 : y); \
\
	gpuagg_raise_if(y == 0, GPUAGG_ST_DIV_ZERO, st); \
	return gpuagg_int_check(y == -1 ? -(int64_t) x : q, lo, hi, st); \
} \
GPUAGG_FN int64_t \
gpuagg_##w##_neg(int64_t a, uint8_t *st) \
{ \
	return gpuagg_int_check(gpuagg_wrap_sub(0, a), lo, hi, st); \
} \
GPUAGG_FN int64_t \
gpuagg_##w##_abs(int64_t a, uint8_t *st) \
{ \
	return gpuagg_int_check(a < 0 ? gpuagg_wrap_sub(0, a) : a, lo, hi, st); \
}
GPUAGG_INT_OPS(int2, INT16_MIN, INT16_MAX)
GPUAGG_INT_OPS(int4, INT32_MIN, INT32_MAX)
#undef GPUAGG_INT_OPS

/* int8: overflow shows in the signs of arguments and result. */
GPUAGG_FN int64_t
gpuagg_int8_add(int64_t a, int64_t b, uint8_t *st)
{
	int64_t		r = gpuagg_wrap_add(a, b);

	gpuagg_raise_if(((a ^ r) & (b ^ r)) < 0, GPUAGG_ST_INT_RANGE, st);
	return r;
}

GPUAGG_FN int64_t
gpuagg_int8_sub(int64_t a, int64_t b, uint8_t *st)
{
	int64_t		r = gpuagg_wrap_sub(a, b);

	gpuagg_raise_if(((a ^ b) & (a ^ r)) < 0, GPUAGG_ST_INT_RANGE, st);
	return r;
}

GPUAGG_FN int64_t
gpuagg_int8_mul(int64_t a, int64_t b, uint8_t *st)
{
#ifdef __CUDA_ARCH__
	int64_t		r = gpuagg_wrap_mul(a, b);
	bool		overflow = __mul64hi(a, b) != (r >> 63);
#else
	int64_t		r;
	bool		overflow = __builtin_mul_overflow(a, b, &r);
#endif

	gpuagg_raise_if(overflow, GPUAGG_ST_INT_RANGE, st);
	return r;
}

GPUAGG_FN int64_t
gpuagg_int8_div(int64_t a, int64_t b, uint8_t *st)
{
	bool		special = (b == 0) | (b == -1);
	int64_t		q = a / (special ? 1 : b);

	gpuagg_raise_if(b == 0, GPUAGG_ST_DIV_ZERO, st);
	gpuagg_raise_if((b == -1) & (a == INT64_MIN), GPUAGG_ST_INT_RANGE, st);
	return b == -1 ? gpuagg_wrap_sub(0, a) : q;
}

GPUAGG_FN int64_t
gpuagg_int8_neg(int64_t a, uint8_t *st)
{
	gpuagg_raise_if(a == INT64_MIN, GPUAGG_ST_INT_RANGE, st);
	return gpuagg_wrap_sub(0, a);
}

GPUAGG_FN int64_t
gpuagg_int8_abs(int64_t a, uint8_t *st)
{
	gpuagg_raise_if(a == INT64_MIN, GPUAGG_ST_INT_RANGE, st);
	return a < 0 ? gpuagg_wrap_sub(0, a) : a;
}

/* Any width: a remainder never leaves its arguments' range. */
GPUAGG_FN int64_t
gpuagg_int_mod(int64_t a, int64_t b, uint8_t *st)
{
	bool		special = (b == 0) | (b == -1);

	gpuagg_raise_if(b == 0, GPUAGG_ST_DIV_ZERO, st);
	return special ? 0 : a % (special ? 1 : b);
}

/* Of magnitudes; 2^31 and 2^63 are out of their types' range, as PostgreSQL says. */
GPUAGG_FN uint64_t
gpuagg_int_magnitude(int64_t a)
{
	return a < 0 ? 0 - (uint64_t) a : (uint64_t) a;
}

GPUAGG_FN int64_t
gpuagg_int_gcd(int64_t a, int64_t b, int64_t most, uint8_t *st)
{
	uint64_t	x = gpuagg_int_magnitude(a);
	uint64_t	y = gpuagg_int_magnitude(b);

	while (y != 0)
	{
		uint64_t	rest = x % y;

		x = y;
		y = rest;
	}
	gpuagg_raise_if(x > (uint64_t) most, GPUAGG_ST_INT_RANGE, st);
	return (int64_t) x;
}

GPUAGG_FN int64_t
gpuagg_int_lcm(int64_t a, int64_t b, int64_t most, uint8_t *st)
{
	uint8_t		ignored = GPUAGG_ST_VALUE;
	uint64_t	y = gpuagg_int_magnitude(b);
	uint64_t	x;
	bool		fits;

	if (a == 0 || b == 0)
		return 0;
	x = gpuagg_int_magnitude(a) / (uint64_t) gpuagg_int_gcd(a, b, most, &ignored);
	fits = x <= (uint64_t) most / y;
	gpuagg_raise_if(!fits, GPUAGG_ST_INT_RANGE, st);
	return fits ? (int64_t) (x * y) : 0;
}

GPUAGG_FN int64_t
gpuagg_int4_gcd(int64_t a, int64_t b, uint8_t *st)
{
	return gpuagg_int_gcd(a, b, INT32_MAX, st);
}

GPUAGG_FN int64_t
gpuagg_int4_lcm(int64_t a, int64_t b, uint8_t *st)
{
	return gpuagg_int_lcm(a, b, INT32_MAX, st);
}

GPUAGG_FN int64_t
gpuagg_int8_gcd(int64_t a, int64_t b, uint8_t *st)
{
	return gpuagg_int_gcd(a, b, INT64_MAX, st);
}

GPUAGG_FN int64_t
gpuagg_int8_lcm(int64_t a, int64_t b, uint8_t *st)
{
	return gpuagg_int_lcm(a, b, INT64_MAX, st);
}

GPUAGG_FN int64_t
gpuagg_int_and(int64_t a, int64_t b, uint8_t *st)
{
	(void) st;
	return a & b;
}

GPUAGG_FN int64_t
gpuagg_int_or(int64_t a, int64_t b, uint8_t *st)
{
	(void) st;
	return a | b;
}

GPUAGG_FN int64_t
gpuagg_int_xor(int64_t a, int64_t b, uint8_t *st)
{
	(void) st;
	return a ^ b;
}

GPUAGG_FN int64_t
gpuagg_int_not(int64_t a, uint8_t *st)
{
	(void) st;
	return ~a;
}

/*
 * Shifts.  PostgreSQL leaves counts outside the width to the processor; both
 * x86-64 and ARM take them modulo 32 (int2 is shifted as an int) or 64.
 */
GPUAGG_FN int64_t
gpuagg_int2_shl(int64_t a, int64_t b, uint8_t *st)
{
	(void) st;
	return (int16_t) ((uint32_t) a << (b & 31));
}

GPUAGG_FN int64_t
gpuagg_int2_shr(int64_t a, int64_t b, uint8_t *st)
{
	(void) st;
	return (int16_t) ((int32_t) a >> (b & 31));
}

GPUAGG_FN int64_t
gpuagg_int4_shl(int64_t a, int64_t b, uint8_t *st)
{
	(void) st;
	return (int32_t) ((uint32_t) a << (b & 31));
}

GPUAGG_FN int64_t
gpuagg_int4_shr(int64_t a, int64_t b, uint8_t *st)
{
	(void) st;
	return (int32_t) a >> (b & 31);
}

GPUAGG_FN int64_t
gpuagg_int8_shl(int64_t a, int64_t b, uint8_t *st)
{
	(void) st;
	return (int64_t) ((uint64_t) a << (b & 63));
}

GPUAGG_FN int64_t
gpuagg_int8_shr(int64_t a, int64_t b, uint8_t *st)
{
	(void) st;
	return a >> (b & 63);
}

GPUAGG_FN int64_t
gpuagg_to_int2(int64_t a, uint8_t *st)
{
	return gpuagg_int_check(a, INT16_MIN, INT16_MAX, st);
}

GPUAGG_FN int64_t
gpuagg_to_int4(int64_t a, uint8_t *st)
{
	return gpuagg_int_check(a, INT32_MIN, INT32_MAX, st);
}

/*
 * Decimals without their last imm digits; imm is at most GPUAGG_MAX_SCALE, where
 * the power is a value still.
 */
GPUAGG_FN int64_t
gpuagg_power_of_ten(int32_t n)
{
	int64_t		power = 1;

	for (; n > 0; n--)
		power *= 10;
	return power;
}

GPUAGG_FN int64_t
gpuagg_decimal_trunc(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	(void) st;
	return a / gpuagg_power_of_ten(ins->imm);
}

GPUAGG_FN int64_t
gpuagg_decimal_round(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	const int64_t power = gpuagg_power_of_ten(ins->imm);
	const int64_t rest = a % power;
	const int64_t size = rest < 0 ? -rest : rest;

	(void) st;
	return a / power + (power - size <= size ? (a < 0 ? -1 : 1) : 0);
}

GPUAGG_FN int64_t
gpuagg_decimal_floor(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	const int64_t power = gpuagg_power_of_ten(ins->imm);

	(void) st;
	return a / power - (a % power < 0);
}

GPUAGG_FN int64_t
gpuagg_decimal_ceil(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	const int64_t power = gpuagg_power_of_ten(ins->imm);

	(void) st;
	return a / power + (a % power > 0);
}

GPUAGG_FN int64_t
gpuagg_decimal_fits(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	const int64_t power = gpuagg_power_of_ten(ins->imm);

	gpuagg_raise_if((a <= -power) | (a >= power), GPUAGG_ST_NEEDS_PG, st);
	return a;
}

/* The decimal in a word (program.h), at a scale that its own must not exceed */
GPUAGG_FN int64_t
gpuagg_decimal_at(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	static const int64_t power[GPUAGG_MAX_SCALE + 1] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		INT64_C(10000000000), INT64_C(100000000000), INT64_C(1000000000000),
		INT64_C(10000000000000), INT64_C(100000000000000), INT64_C(1000000000000000),
		INT64_C(10000000000000000), INT64_C(100000000000000000), INT64_C(1000000000000000000)
	};
	const int32_t more = ins->imm - (int32_t) (a & GPUAGG_WORD_DECIMALS);
	uint8_t		overflow = GPUAGG_ST_VALUE;
	int64_t		v = gpuagg_int8_mul(a >> GPUAGG_WORD_BITS, power[more < 0 ? 0 : more], &overflow);

	gpuagg_raise_if((more < 0) | (overflow != GPUAGG_ST_VALUE), GPUAGG_ST_NEEDS_PG, st);
	return v;
}

/* For a quotient of doubles that is rounded once */
GPUAGG_FN int64_t
gpuagg_to_exact_double(int64_t a, uint8_t *st)
{
	const int64_t limit = INT64_C(1) << 53;

	gpuagg_raise_if((a < -limit) | (a > limit), GPUAGG_ST_NEEDS_PG, st);
	return a;
}

GPUAGG_FN int64_t
gpuagg_to_bool(int64_t a, uint8_t *st)
{
	(void) st;
	return a != 0;
}

GPUAGG_FN int64_t
gpuagg_bool_not(int64_t a, uint8_t *st)
{
	(void) st;
	return a == 0;
}

/*
 * Comparisons.  Doubles compare as PostgreSQL's float8 operators: all NaNs
 * are equal and above every number, and -0 equals 0.
 */
#define GPUAGG_COMPARISON(name, type, expr) \
GPUAGG_FN int64_t \
gpuagg_##name(type a, type b, uint8_t *st) \
{ \
	(void) st; \
	return expr; \
}
GPUAGG_COMPARISON(i64_eq, int64_t, a == b)
GPUAGG_COMPARISON(i64_ne, int64_t, a != b)
GPUAGG_COMPARISON(i64_lt, int64_t, a < b)
GPUAGG_COMPARISON(i64_le, int64_t, a <= b)
GPUAGG_COMPARISON(i64_gt, int64_t, a > b)
GPUAGG_COMPARISON(i64_ge, int64_t, a >= b)
GPUAGG_COMPARISON(i64_min, int64_t, a < b ? a : b)
GPUAGG_COMPARISON(i64_max, int64_t, a > b ? a : b)
GPUAGG_COMPARISON(f64_eq, double, (a == b) | ((a != a) & (b != b)))
GPUAGG_COMPARISON(f64_ne, double, !((a == b) | ((a != a) & (b != b))))
GPUAGG_COMPARISON(f64_lt, double, (a < b) | ((a == a) & (b != b)))
GPUAGG_COMPARISON(f64_le, double, (a <= b) | (b != b))
GPUAGG_COMPARISON(f64_gt, double, (a > b) | ((a != a) & (b == b)))
GPUAGG_COMPARISON(f64_ge, double, (a >= b) | (a != a))
#undef GPUAGG_COMPARISON

/*
 * Word number i of a table that comes with the program.  The bytes may lie anywhere, but plans
 * align them: a GPU would read eight bytes one by one.
 */
GPUAGG_FN int64_t
gpuagg_table_word(GpuAggBytes table, uint32_t i)
{
	int64_t		word;

#ifdef __CUDA_ARCH__
	if (((uintptr_t) table.data & 7) == 0)
		return ((const int64_t *) (const void *) table.data)[i];
#endif
	memcpy(&word, table.data + i * sizeof(word), sizeof(word));
	return word;
}

/* Is it one of the table's words, which are sorted? */
GPUAGG_FN int64_t
gpuagg_listed_i64(int64_t a, GpuAggBytes table, uint8_t *st)
{
	const uint32_t n = (uint32_t) (table.len / sizeof(int64_t));
	uint32_t	lo = 0;
	uint32_t	end = n;

	(void) st;
	while (lo < end)
	{
		const uint32_t mid = (lo + end) / 2;

		if (gpuagg_table_word(table, mid) < a)
			lo = mid + 1;
		else
			end = mid;
	}
	return lo < n && gpuagg_table_word(table, lo) == a;
}

#endif							/* GPUAGG_DEVICE_OPS_INT_H */
