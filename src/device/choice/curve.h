/*
 * curve.h
 *		A measured rate as a function of a region's size: between points linear in
 *		the logarithm of the size, beyond them as at the last one.
 *
 * Predictions, strategies of grouping and ways of drawing ask the same curves.
 */
#ifndef GPUAGG_DEVICE_CHOICE_CURVE_H
#define GPUAGG_DEVICE_CHOICE_CURVE_H

#include <math.h>

#include "device/common.h"

/*
 * The rate at so many bytes, of n points with ascending sizes.  bytes and rates
 * are those of the first point; a point takes `step` bytes of memory.  0: there
 * are no points.
 */
static inline double
gpuagg_curve_at(const double *bytes, const double *rates, size_t step, int n, double at)
{
#define CURVE_POINT(values, i) \
	(*(const double *) ((const char *) (values) + (size_t) (i) * step))
	int			i = 0;
	double		share;

	if (n == 0)
		return 0;
	while (i < n && CURVE_POINT(bytes, i) < at)
		i++;
	if (i == 0 || i == n)
		return CURVE_POINT(rates, i == 0 ? 0 : i - 1);
	share = log(at / CURVE_POINT(bytes, i - 1)) /
		log(CURVE_POINT(bytes, i) / CURVE_POINT(bytes, i - 1));
	return CURVE_POINT(rates, i - 1) +
		share * (CURVE_POINT(rates, i) - CURVE_POINT(rates, i - 1));
#undef CURVE_POINT
}

#endif							/* GPUAGG_DEVICE_CHOICE_CURVE_H */
