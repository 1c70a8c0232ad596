/*
 * predict_rates.c
 *		What a profile's points say of a region of any size (predict_rates.h).
 */
#include "cost/predict_rates.h"

#include "device/choice/curve.h"

double
gpuagg_rates_random(const GpuAggRates *rates, GpuAggRandomKind kind, double bytes)
{
	return gpuagg_curve_at(&rates->points[0].bytes, &rates->points[0].rate[kind],
						   sizeof(rates->points[0]), rates->npoints, bytes);
}
