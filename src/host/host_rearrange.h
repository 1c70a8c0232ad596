/*
 * host_rearrange.h
 *		Rows of stripes, copied into another in another order.
 */
#ifndef GPUAGG_HOST_HOST_REARRANGE_H
#define GPUAGG_HOST_HOST_REARRANGE_H

#include "host/host_stripe.h"

/* GpuAggStripeOps.rearrange */
extern GpuAggStatus gpuagg_host_rearrange(GpuAggStripe *to, const GpuAggStripeRange *ranges,
										  uint32_t nranges, GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_REARRANGE_H */
