/*
 * host_compare.h
 *		Pages held against what a stripe keeps of them (GpuAggPage.compare).
 */
#ifndef GPUAGG_HOST_HOST_COMPARE_H
#define GPUAGG_HOST_HOST_COMPARE_H

#include "host/host_stripe.h"

/*
 * What gpuagg_stripe_fill would keep of some rows, which have so many positions: is it there?
 * NULL: it is; else what is not, in words.
 */
extern const char *gpuagg_stripe_compare(const GpuAggStripe *stripe, const GpuAggVectors *vectors,
										 const GpuAggFillRows *rows, uint32_t positions);

/* Is no position of these valid? */
extern bool gpuagg_stripe_is_clear(const GpuAggStripe *stripe, GpuAggPositions positions);

#endif							/* GPUAGG_HOST_HOST_COMPARE_H */
