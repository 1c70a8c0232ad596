/*
 * host_zones.h
 *		Zones of stripes (device/stripe.h) on the host device: pool threads widen
 *		them while they decode pages; all of it is atomic.
 */
#ifndef GPUAGG_HOST_HOST_ZONES_H
#define GPUAGG_HOST_HOST_ZONES_H

#include "device/stripe.h"
#include "host/vector.h"

/* Bytes of the zones of so many positions; none of them has seen anything. */
extern size_t gpuagg_zones_bytes(uint32_t positions);
extern void gpuagg_zones_init(GpuAggZone *zones, uint32_t positions);

/* So many bits more are set than before (or fewer, by wrapping). */
extern void gpuagg_zone_count(GpuAggZone *zone, uint64_t more);

/* Values of n rows in the zone, of some class; st: their states, NULL: all values */
extern void gpuagg_zone_widen_numbers(GpuAggZone *zone, uint32_t cls, const int64_t *values,
									  const uint8_t *st, uint32_t n);
extern void gpuagg_zone_widen_codes(GpuAggZone *zone, const int32_t *codes,
									const uint8_t *st, uint32_t n);

/* What all zones make together */
extern void gpuagg_zones_range(const GpuAggZone *zones, uint32_t positions, GpuAggZone *range);

#endif							/* GPUAGG_HOST_HOST_ZONES_H */
