/*
 * host_pack.h
 *		Columns of stripes, packed (device/ops/packed.h).
 */
#ifndef GPUAGG_HOST_HOST_PACK_H
#define GPUAGG_HOST_HOST_PACK_H

#include "host/host_stripe.h"

/* GpuAggStripeOps.pack */
extern GpuAggStatus gpuagg_host_pack(GpuAggStripe *stripe, uint32_t attr,
									 const GpuAggPositions *live, uint32_t nlive,
									 GpuAggError *error);

/*
 * Values of a packed column from a position on, a multiple of 64, all in one miniblock.  As many
 * are written as make n a multiple of 64.
 */
extern void gpuagg_column_unpack(const GpuAggStripeColumn *column, uint32_t first, uint32_t n,
								 int64_t *to);

#endif							/* GPUAGG_HOST_HOST_PACK_H */
