/*
 * predict_rates.h
 *		What a profile's points say of a region of any size.
 */
#ifndef GPUAGG_COST_PREDICT_RATES_H
#define GPUAGG_COST_PREDICT_RATES_H

#include "cost/predict.h"

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Random accesses a second in a region, between the measured points linear in
 * its logarithm, beyond them as at the last one.  0: not known.
 */
extern double gpuagg_rates_random(const GpuAggRates *rates,
								  GpuAggRandomKind kind, double bytes);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_COST_PREDICT_RATES_H */
