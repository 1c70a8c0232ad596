/*
 * host_load.h
 *		Rows of stripes, into vectors: those of a batch, and those that were drawn.
 */
#ifndef GPUAGG_HOST_HOST_LOAD_H
#define GPUAGG_HOST_HOST_LOAD_H

#include "host/host_stripe.h"

/*
 * Loads the rows at positions [first, first + GPUAGG_VECTOR_ROWS) into the
 * vectors, and returns their number.  first is a multiple of
 * GPUAGG_VECTOR_ROWS.
 */
extern uint32_t gpuagg_stripe_load(const GpuAggResident *resident,
								 GpuAggVectors *vectors, uint32_t first);

/*
 * From a position on, the first that is not listed, down to a multiple of
 * GPUAGG_VECTOR_ROWS: loading may go on there.
 */
extern uint32_t gpuagg_stripe_next(const GpuAggResident *resident, uint32_t position);

/* Loads the rows at positions that were drawn, as often as they are listed. */
extern void gpuagg_stripe_gather(const GpuAggStripe *stripe, const uint32_t *positions,
							   uint32_t n, GpuAggVectors *vectors);

#endif							/* GPUAGG_HOST_HOST_LOAD_H */
