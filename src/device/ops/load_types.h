/*
 * load_types.h
 *		Values of fixed length as the numbers that registers hold, and back.
 *
 * Each number is in the order of its type and fits its key slot (program.h): unsigned
 * integers lose half of their range's size; hardware addresses are their bytes as an
 * integer, most significant first; of a time with zone the moment comes first, as in
 * timetz_cmp_internal().
 *
 * No PostgreSQL: planner and executor use them, too.
 */
#ifndef GPUAGG_DEVICE_OPS_LOAD_TYPES_H
#define GPUAGG_DEVICE_OPS_LOAD_TYPES_H

#include "device/program.h"

GPUAGG_FN int64_t
gpuagg_hold_oid(uint32_t v)
{
	return (int32_t) (v ^ UINT32_C(0x80000000));
}

GPUAGG_FN uint32_t
gpuagg_held_oid(int64_t v)
{
	return (uint32_t) v ^ UINT32_C(0x80000000);
}

GPUAGG_FN int64_t
gpuagg_hold_u64(uint64_t v)
{
	return (int64_t) (v ^ UINT64_C(0x8000000000000000));
}

GPUAGG_FN uint64_t
gpuagg_held_u64(int64_t v)
{
	return (uint64_t) v ^ UINT64_C(0x8000000000000000);
}

/* n bytes, the most significant first */
GPUAGG_FN uint64_t
gpuagg_load_bytes(const char *p, int n)
{
	uint64_t	v = 0;

	for (int i = 0; i < n; i++)
		v = v << 8 | (unsigned char) p[i];
	return v;
}

GPUAGG_FN void
gpuagg_store_bytes(uint64_t v, int n, char *p)
{
	for (int i = n - 1; i >= 0; i--, v >>= 8)
		p[i] = (char) v;
}

/* OID, ENUM, CHAR, LSN, MACADDR, MACADDR8 */
GPUAGG_FN int64_t
gpuagg_load_type(uint32_t type, const char *p)
{
	uint32_t	u4;
	uint64_t	u8;

	switch (type)
	{
		case GPUAGG_T_CHAR:
			return (unsigned char) *p;
		case GPUAGG_T_LSN:
			memcpy(&u8, p, sizeof(u8));
			return gpuagg_hold_u64(u8);
		case GPUAGG_T_MACADDR:
			return (int64_t) gpuagg_load_bytes(p, 6);
		case GPUAGG_T_MACADDR8:
			return gpuagg_hold_u64(gpuagg_load_bytes(p, 8));
		default:
			memcpy(&u4, p, sizeof(u4));
			return gpuagg_hold_oid(u4);
	}
}

/* timetz: microseconds of the day, then seconds west of UTC */
#define GPUAGG_TIMETZ_BYTES 12
#define GPUAGG_TIMETZ_ZONE_BITS 17
#define GPUAGG_TIMETZ_ZONE_LIMIT (1 << (GPUAGG_TIMETZ_ZONE_BITS - 1))

/*
 * The moment in UTC, and below it the zone.  False: zones that the input functions do not
 * take, but AT TIME ZONE gives.
 */
GPUAGG_FN bool
gpuagg_load_timetz(const char *p, int64_t *result)
{
	const int64_t range = INT64_C(1) << (62 - GPUAGG_TIMETZ_ZONE_BITS);
	int64_t		time;
	int32_t		zone;

	memcpy(&time, p, sizeof(time));
	memcpy(&zone, p + sizeof(time), sizeof(zone));
	if (zone < -GPUAGG_TIMETZ_ZONE_LIMIT || zone >= GPUAGG_TIMETZ_ZONE_LIMIT ||
		time < -range / 2 || time > range / 2)
		return false;
	*result = (time + zone * INT64_C(1000000)) * (2 * GPUAGG_TIMETZ_ZONE_LIMIT) +
		zone + GPUAGG_TIMETZ_ZONE_LIMIT;
	return true;
}

GPUAGG_FN void
gpuagg_store_timetz(int64_t v, char *p)
{
	const int32_t zone = (int32_t) (v & (2 * GPUAGG_TIMETZ_ZONE_LIMIT - 1)) -
		GPUAGG_TIMETZ_ZONE_LIMIT;
	const int64_t time = (v >> GPUAGG_TIMETZ_ZONE_BITS) - zone * INT64_C(1000000);

	memcpy(p, &time, sizeof(time));
	memcpy(p + sizeof(time), &zone, sizeof(zone));
}

/* Bytes of a name before the zeros that fill it up */
#define GPUAGG_NAME_BYTES 64

GPUAGG_FN uint32_t
gpuagg_name_length(const char *p)
{
	uint32_t	n = 0;

	while (n < GPUAGG_NAME_BYTES && p[n] != '\0')
		n++;
	return n;
}

#endif							/* GPUAGG_DEVICE_OPS_LOAD_TYPES_H */
