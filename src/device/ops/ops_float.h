/*
 * ops_float.h
 *		Operators on float4 and float8: the floating-point part of the table
 *		in ops.h, with the errors of PostgreSQL's float.h and float.c.
 *
 * Results carry PostgreSQL's bits on every device, so whoever compiles this
 * must keep IEEE arithmetic: gcc and clang with -ffp-contract=off and without
 * -ffast-math (-fno-math-errno and -fno-trapping-math change no value and
 * let loops vectorise); nvcc with -fmad=false and its defaults -ftz=false,
 * -prec-div=true, -prec-sqrt=true.  The payload and sign of a NaN are not
 * kept; SQL cannot see them.
 *
 * A float4 is held as the double of the same value.  Its operators round
 * their arguments to float (exact), compute in float and widen.
 *
 * The rules for all operator headers stand in ops_int.h.
 */
#ifndef GPUAGG_DEVICE_OPS_FLOAT_H
#define GPUAGG_DEVICE_OPS_FLOAT_H

#include <float.h>
#include <math.h>

#include "ops_int.h"

#if defined(__FAST_MATH__)
#error "gpuagg's operators need IEEE arithmetic; do not compile with -ffast-math"
#endif

GPUAGG_FN int
gpuagg_is_inf(double x)
{
	return fabs(x) > DBL_MAX;
}

/*
 * One definition for both widths.  Sums overflow when finite arguments give
 * an infinity; PostgreSQL cannot see them underflow.  A NaN divided by zero
 * is a NaN, anything else an error.
 */
#define GPUAGG_FLOAT_OPS(w, type) \
GPUAGG_FN double \
gpuagg_##w##_add(double a, double b, uint8_t *st) \
{ \
	type		r = (type) a + (type) b; \
\
	gpuagg_raise_if(gpuagg_is_inf(r) & !gpuagg_is_inf(a) & \
					!gpuagg_is_inf(b), GPUAGG_ST_FLOAT_OVERFLOW, st); \
	return r; \
} \
GPUAGG_FN double \
gpuagg_##w##_sub(double a, double b, uint8_t *st) \
{ \
	type		r = (type) a - (type) b; \
\
	gpuagg_raise_if(gpuagg_is_inf(r) & !gpuagg_is_inf(a) & \
					!gpuagg_is_inf(b), GPUAGG_ST_FLOAT_OVERFLOW, st); \
	return r; \
} \
GPUAGG_FN double \
gpuagg_##w##_mul(double a, double b, uint8_t *st) \
{ \
	type		r = (type) a * (type) b; \
\
	gpuagg_raise_if(gpuagg_is_inf(r) & !gpuagg_is_inf(a) & \
					!gpuagg_is_inf(b), GPUAGG_ST_FLOAT_OVERFLOW, st); \
	gpuagg_raise_if((r == 0) & (a != 0) & (b != 0), \
					GPUAGG_ST_FLOAT_UNDERFLOW, st); \
	return r; \
} \
GPUAGG_FN double \
gpuagg_##w##_div(double a, double b, uint8_t *st) \
{ \
	type		r = (type) a / (type) b; \
	bool		zero = (b == 0) & (a == a); \
\
	gpuagg_raise_if(zero, GPUAGG_ST_DIV_ZERO, st); \
	gpuagg_raise_if(gpuagg_is_inf(r) & !gpuagg_is_inf(a) & !zero, \
					GPUAGG_ST_FLOAT_OVERFLOW, st); \
	gpuagg_raise_if((r == 0) & (a != 0) & !gpuagg_is_inf(b), \
					GPUAGG_ST_FLOAT_UNDERFLOW, st); \
	return r; \
}
GPUAGG_FLOAT_OPS(float8, double)
GPUAGG_FLOAT_OPS(float4, float)
#undef GPUAGG_FLOAT_OPS

GPUAGG_FN double
gpuagg_float_neg(double a, uint8_t *st)
{
	(void) st;
	return -a;
}

GPUAGG_FN double
gpuagg_float_abs(double a, uint8_t *st)
{
	(void) st;
	return fabs(a);
}

GPUAGG_FN double
gpuagg_float_floor(double a, uint8_t *st)
{
	(void) st;
	return floor(a);
}

GPUAGG_FN double
gpuagg_float_ceil(double a, uint8_t *st)
{
	(void) st;
	return ceil(a);
}

GPUAGG_FN double
gpuagg_float_trunc(double a, uint8_t *st)
{
	(void) st;
	return trunc(a);
}

GPUAGG_FN double
gpuagg_float_sign(double a, uint8_t *st)
{
	(void) st;
	return (a > 0) - (a < 0);
}

GPUAGG_FN double
gpuagg_float_round(double a, uint8_t *st)
{
	(void) st;
	return rint(a);
}

GPUAGG_FN double
gpuagg_float_sqrt(double a, uint8_t *st)
{
	gpuagg_raise_if(a < 0, GPUAGG_ST_NEEDS_PG, st);
	return sqrt(a < 0 ? 0 : a);
}

/* Rounds once, from 64 bits to the target's precision. */
GPUAGG_FN double
gpuagg_int_to_float8(int64_t a, uint8_t *st)
{
	(void) st;
	return (double) a;
}

GPUAGG_FN double
gpuagg_int_to_float4(int64_t a, uint8_t *st)
{
	(void) st;
	return (float) a;
}

GPUAGG_FN double
gpuagg_float8_to_float4(double a, uint8_t *st)
{
	float		r = (float) a;

	gpuagg_raise_if(gpuagg_is_inf(r) & !gpuagg_is_inf(a),
					GPUAGG_ST_FLOAT_OVERFLOW, st);
	gpuagg_raise_if((r == 0) & (a != 0), GPUAGG_ST_FLOAT_UNDERFLOW, st);
	return r;
}

GPUAGG_FN int64_t
gpuagg_float_bits(double a, uint8_t *st)
{
	int64_t		bits;

	(void) st;
	memcpy(&bits, &a, sizeof(bits));
	return bits;
}

/*
 * Rounds half to even, then checks the range: lo is the type's minimum, and
 * the first value above its maximum is -lo.  NaN fails both comparisons.
 */
GPUAGG_FN int64_t
gpuagg_float_to_int(double a, double lo, uint8_t *st)
{
	double		r = rint(a);
	bool		fits = (r >= lo) & (r < -lo);

	gpuagg_raise_if(!fits, GPUAGG_ST_INT_RANGE, st);
	return (int64_t) (fits ? r : 0);
}

GPUAGG_FN int64_t
gpuagg_float_to_int2(double a, uint8_t *st)
{
	return gpuagg_float_to_int(a, INT16_MIN, st);
}

GPUAGG_FN int64_t
gpuagg_float_to_int4(double a, uint8_t *st)
{
	return gpuagg_float_to_int(a, INT32_MIN, st);
}

GPUAGG_FN int64_t
gpuagg_float_to_int8(double a, uint8_t *st)
{
	return gpuagg_float_to_int(a, (double) INT64_MIN, st);
}

#endif							/* GPUAGG_DEVICE_OPS_FLOAT_H */
