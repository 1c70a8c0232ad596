/*
 * host_zones.c
 *		Zones of stripes on the host device (host_zones.h).
 *
 * The rows of a page widen a zone once: their least and greatest value is found
 * first, in loops without tests where no row is NULL.
 */
#include "device/transition.h"
#include "host/host_zones.h"

static const GpuAggZone empty = GPUAGG_ZONE_EMPTY;

size_t
gpuagg_zones_bytes(uint32_t positions)
{
	return gpuagg_align(gpuagg_zones(positions) * sizeof(GpuAggZone), 64);
}

void
gpuagg_zones_init(GpuAggZone *zones, uint32_t positions)
{
	for (uint32_t i = 0; i < gpuagg_zones(positions); i++)
		zones[i] = empty;
}

void
gpuagg_zone_count(GpuAggZone *zone, uint64_t more)
{
	if (more != 0)
		__atomic_fetch_add(&zone->count, more, __ATOMIC_RELAXED);
}

static void
widen(GpuAggZone *zone, int64_t low, int64_t high)
{
	int64_t		old = __atomic_load_n(&zone->low, __ATOMIC_RELAXED);

	while (low < old && !__atomic_compare_exchange_n(&zone->low, &old, low, true,
													 __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	old = __atomic_load_n(&zone->high, __ATOMIC_RELAXED);
	while (high > old && !__atomic_compare_exchange_n(&zone->high, &old, high, true,
													  __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* The least and the greatest of `image` over rows k that are values */
#define RANGE_OF(image) \
	do \
	{ \
		for (uint32_t k = 0; st == NULL && k < n; k++) \
		{ \
			const int64_t x = image; \
			\
			low = x < low ? x : low; \
			high = x > high ? x : high; \
		} \
		for (uint32_t k = 0; st != NULL && k < n; k++) \
		{ \
			const int64_t x = image; \
			const bool	value = st[k] == GPUAGG_ST_VALUE; \
			\
			low = value && x < low ? x : low; \
			high = value && x > high ? x : high; \
		} \
	} while (0)

static int64_t
order_at(const int64_t *values, uint32_t k)
{
	double		d;

	memcpy(&d, &values[k], sizeof(d));
	return gpuagg_f64_order(d);
}

void
gpuagg_zone_widen_numbers(GpuAggZone *zone, uint32_t cls, const int64_t *values,
						  const uint8_t *st, uint32_t n)
{
	int64_t		low = empty.low;
	int64_t		high = empty.high;

	if (cls == GPUAGG_CLASS_F64)
		RANGE_OF(order_at(values, k));
	else
		RANGE_OF(values[k]);
	widen(zone, low, high);
}

void
gpuagg_zone_widen_codes(GpuAggZone *zone, const int32_t *codes, const uint8_t *st, uint32_t n)
{
	int64_t		low = empty.low;
	int64_t		high = empty.high;

	RANGE_OF(codes[k]);
	widen(zone, low, high);
}

void
gpuagg_zones_range(const GpuAggZone *zones, uint32_t positions, GpuAggZone *range)
{
	*range = empty;
	for (uint32_t i = 0; i < gpuagg_zones(positions); i++)
	{
		const int64_t low = __atomic_load_n(&zones[i].low, __ATOMIC_RELAXED);
		const int64_t high = __atomic_load_n(&zones[i].high, __ATOMIC_RELAXED);

		range->low = low < range->low ? low : range->low;
		range->high = high > range->high ? high : range->high;
		range->count += __atomic_load_n(&zones[i].count, __ATOMIC_RELAXED);
	}
}
