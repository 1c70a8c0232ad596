/*
 * moment_state.h
 *		Moments of floating-point numbers, for variances and correlations: how values
 *		enter them and how two are merged, in two forms (transition.h).
 *
 * Finished: PostgreSQL's own, {N, Sx, Sxx} and {N, Sx, Sxx, Sy, Syy, Sxy}, by the
 * formulas of float8_accum(), float8_regr_accum() and their combine functions.  Each
 * word follows from the others, so the row must be one thread's.
 *
 * Shared: sums of what values differ from the group's first one, the shift, and of the
 * squares of that.  These are sums, so many threads add to them at once; only the shift
 * is written once.  The shift is one of the group's values: its distance from the mean
 * is in the variance, too, so no more than log2(N) bits of Sxx are lost where it lies
 * far off.  Equal values make exact zeros, as PostgreSQL's final functions need.
 *
 * Infinities and NaNs show in the sums, which are left to PostgreSQL then.
 */
#ifndef GPUAGG_DEVICE_OPS_MOMENT_STATE_H
#define GPUAGG_DEVICE_OPS_MOMENT_STATE_H

#include "device/layout.h"
#include "state_update.h"

/* Words of the shifts, behind the sums */
#define GPUAGG_MOMENTS_SHIFT 3
#define GPUAGG_COMOMENTS_SHIFT_X 6
#define GPUAGG_COMOMENTS_SHIFT_Y 7

/* No shift yet: a NaN that no value is */
#define GPUAGG_MOMENTS_NONE UINT64_C(0xFFF8000000006E6F)

GPUAGG_FN void
gpuagg_moments_no_shift(uint32_t op, double *s)
{
	const uint64_t none = GPUAGG_MOMENTS_NONE;

	if (op == GPUAGG_TRANS_MOMENTS_F64)
		memcpy(s + GPUAGG_MOMENTS_SHIFT, &none, sizeof(none));
	else
	{
		memcpy(s + GPUAGG_COMOMENTS_SHIFT_X, &none, sizeof(none));
		memcpy(s + GPUAGG_COMOMENTS_SHIFT_Y, &none, sizeof(none));
	}
}

/* Nothing yet, in either form */
GPUAGG_FN void
gpuagg_moments_init(uint32_t op, double *s)
{
	memset(s, 0, gpuagg_transition_bytes(op));
	gpuagg_moments_no_shift(op, s);
}

/* ---------- finished ---------- */

GPUAGG_FN void
gpuagg_moments_step(double *s, double x)
{
	const double n = s[0] + 1;
	double		d;

	s[1] += x;
	if (s[0] > 0)
	{
		d = x * n - s[1];
		s[2] += d * d / (n * s[0]);
	}
	s[0] = n;
}

GPUAGG_FN void
gpuagg_comoments_step(double *s, double y, double x)
{
	const double n = s[0] + 1;
	double		dx;
	double		dy;
	double		scale;

	s[1] += x;
	s[3] += y;
	if (s[0] > 0)
	{
		dx = x * n - s[1];
		dy = y * n - s[3];
		scale = 1 / (n * s[0]);
		s[2] += dx * dx * scale;
		s[4] += dy * dy * scale;
		s[5] += dx * dy * scale;
	}
	s[0] = n;
}

GPUAGG_FN void
gpuagg_moments_merge(uint32_t op, double *s, const double *from)
{
	const bool	two = op == GPUAGG_TRANS_COMOMENTS_F64;
	const double n = s[0] + from[0];
	double		dx;
	double		dy;

	if (from[0] == 0)
		return;
	if (s[0] == 0)
	{
		memcpy(s, from, gpuagg_transition_bytes(op));
		return;
	}
	dx = s[1] / s[0] - from[1] / from[0];
	s[1] += from[1];
	s[2] += from[2] + s[0] * from[0] * dx * dx / n;
	if (two)
	{
		dy = s[3] / s[0] - from[3] / from[0];
		s[3] += from[3];
		s[4] += from[4] + s[0] * from[0] * dy * dy / n;
		s[5] += from[5] + s[0] * from[0] * dx * dy / n;
	}
	s[0] = n;
}

/* ---------- shared ---------- */

/* The shift, which is this value if there is none; never a NaN, which could pass for none */
GPUAGG_FN double
gpuagg_moments_shift(double *shift, double x)
{
	return GPUAGG_UPDATE_ONCE_F64(shift, GPUAGG_MOMENTS_NONE, x == x ? x : 0.0);
}

/* Sums that a state is made of, before its shifts */
GPUAGG_FN uint32_t
gpuagg_moments_sums(uint32_t op)
{
	return op == GPUAGG_TRANS_MOMENTS_F64 ? GPUAGG_MOMENTS_SHIFT : GPUAGG_COMOMENTS_SHIFT_X;
}

/* What a value adds to them that is dx, and dy, away from the shift */
GPUAGG_FN void
gpuagg_moments_of_one(uint32_t op, double dx, double dy, double *sums)
{
	sums[0] = 1.0;
	sums[1] = dx;
	sums[2] = dx * dx;
	if (op == GPUAGG_TRANS_MOMENTS_F64)
		return;
	sums[3] = dy;
	sums[4] = dy * dy;
	sums[5] = dx * dy;
}

/* Sums around one shift as sums around another, which lies dx, and dy, below it */
GPUAGG_FN void
gpuagg_moments_moved(uint32_t op, const double *from, double dx, double dy, double *sums)
{
	const double n = from[0];

	sums[0] = n;
	sums[1] = from[1] + n * dx;
	sums[2] = from[2] + dx * (2 * from[1] + n * dx);
	if (op == GPUAGG_TRANS_MOMENTS_F64)
		return;
	sums[3] = from[3] + n * dy;
	sums[4] = from[4] + dy * (2 * from[3] + n * dy);
	sums[5] = from[5] + dx * from[3] + dy * from[1] + n * dx * dy;
}

GPUAGG_FN void
gpuagg_moments_add_shared(uint32_t op, double *s, const double *sums)
{
	for (uint32_t i = 0; i < gpuagg_moments_sums(op); i++)
		GPUAGG_UPDATE_ADD_F64(s + i, sums[i]);
}

GPUAGG_FN void
gpuagg_moments_step_shared(double *s, double x)
{
	double		sums[3];

	gpuagg_moments_of_one(GPUAGG_TRANS_MOMENTS_F64,
						  x - gpuagg_moments_shift(s + GPUAGG_MOMENTS_SHIFT, x), 0, sums);
	gpuagg_moments_add_shared(GPUAGG_TRANS_MOMENTS_F64, s, sums);
}

GPUAGG_FN void
gpuagg_comoments_step_shared(double *s, double y, double x)
{
	const double dx = x - gpuagg_moments_shift(s + GPUAGG_COMOMENTS_SHIFT_X, x);
	const double dy = y - gpuagg_moments_shift(s + GPUAGG_COMOMENTS_SHIFT_Y, y);
	double		sums[6];

	gpuagg_moments_of_one(GPUAGG_TRANS_COMOMENTS_F64, dx, dy, sums);
	gpuagg_moments_add_shared(GPUAGG_TRANS_COMOMENTS_F64, s, sums);
}

GPUAGG_FN void
gpuagg_moments_merge_shared(uint32_t op, double *s, const double *from)
{
	const uint32_t shifts = gpuagg_moments_sums(op);
	double		sums[6];
	double		dx = from[shifts];
	double		dy = 0;

	if (from[0] == 0)
		return;
	dx -= gpuagg_moments_shift(s + shifts, dx);
	if (op == GPUAGG_TRANS_COMOMENTS_F64)
	{
		dy = from[GPUAGG_COMOMENTS_SHIFT_Y];
		dy -= gpuagg_moments_shift(s + GPUAGG_COMOMENTS_SHIFT_Y, dy);
	}
	gpuagg_moments_moved(op, from, dx, dy, sums);
	gpuagg_moments_add_shared(op, s, sums);
}

/* Of a sum and a sum of squares around a shift: the sum itself, and Sxx */
GPUAGG_FN void
gpuagg_moments_unshift(double n, double shift, double *sum, double *squares)
{
	const double around_mean = *squares - *sum * *sum / n;

	*squares = around_mean < 0 ? 0 : around_mean;
	*sum += n * shift;
}

/* Shared becomes finished; nobody changes it any more. */
GPUAGG_FN void
gpuagg_moments_finish(uint32_t op, double *s)
{
	const double n = s[0];

	if (n == 0)
		return;
	if (op == GPUAGG_TRANS_MOMENTS_F64)
		gpuagg_moments_unshift(n, s[GPUAGG_MOMENTS_SHIFT], s + 1, s + 2);
	else
	{
		s[5] -= s[1] * s[3] / n;
		gpuagg_moments_unshift(n, s[GPUAGG_COMOMENTS_SHIFT_X], s + 1, s + 2);
		gpuagg_moments_unshift(n, s[GPUAGG_COMOMENTS_SHIFT_Y], s + 3, s + 4);
	}
	gpuagg_moments_no_shift(op, s);
}

#endif							/* GPUAGG_DEVICE_OPS_MOMENT_STATE_H */
