/*
 * ops_types.h
 *		Operators on enums and network addresses.
 *
 * An enum's values are oids, whose order is that of the catalog (enumsortorder).  The
 * table of it comes with the program, as a time zone's does: made when execution
 * starts, so a plan follows ALTER TYPE.
 *
 * An address is PostgreSQL's inet_struct: family, bits of the network, 4 or 16 bytes.
 * Equal ones have equal bytes.
 *
 * The rules for all operator headers stand in ops_int.h.
 */
#ifndef GPUAGG_DEVICE_OPS_TYPES_H
#define GPUAGG_DEVICE_OPS_TYPES_H

#include "ops.h"
#include "ops_bytes.h"

/* ---------- enums ---------- */

/* A value of an enum; those of a table are in the order of `value` */
typedef struct GpuAggEnumEntry
{
	int32_t		value;			/* as a register holds it */
	int32_t		rank;			/* from 0 */
} GpuAggEnumEntry;

/* The bytes may lie anywhere. */
GPUAGG_FN GpuAggEnumEntry
gpuagg_enum_entry(GpuAggBytes table, uint32_t i)
{
	GpuAggEnumEntry entry;

	memcpy(&entry, table.data + i * sizeof(entry), sizeof(entry));
	return entry;
}

/* Its rank, and below that the value; one that is not in the table NEEDS_PG */
GPUAGG_FN int64_t
gpuagg_enum_order(int64_t a, GpuAggBytes table, uint8_t *st)
{
	const uint32_t n = (uint32_t) (table.len / sizeof(GpuAggEnumEntry));
	uint32_t	lo = 0;
	uint32_t	end = n;

	while (lo < end)
	{
		const uint32_t mid = (lo + end) / 2;

		if (gpuagg_enum_entry(table, mid).value < a)
			lo = mid + 1;
		else
			end = mid;
	}
	if (lo == n || gpuagg_enum_entry(table, lo).value != a)
	{
		gpuagg_raise_if(true, GPUAGG_ST_NEEDS_PG, st);
		return 0;
	}
	return (int64_t) gpuagg_enum_entry(table, lo).rank << 32 | (uint32_t) a;
}

/* The value again */
GPUAGG_FN int32_t
gpuagg_enum_value(int64_t order)
{
	return (int32_t) (uint32_t) order;
}

/* ---------- network addresses ---------- */

#define GPUAGG_INET_HEADER 2

GPUAGG_FN int
gpuagg_bits_compare(const char *a, const char *b, uint32_t bits)
{
	const uint32_t whole = bits / 8;
	const int	d = gpuagg_memcmp(a, b, whole);

	if (d != 0 || bits % 8 == 0)
		return d;
	return ((unsigned char) a[whole] >> (8 - bits % 8)) -
		((unsigned char) b[whole] >> (8 - bits % 8));
}

/* As network_cmp(): by the common bits of both networks, their lengths, the rest */
GPUAGG_FN int
gpuagg_inet_compare(GpuAggBytes a, GpuAggBytes b)
{
	uint32_t	all;
	uint32_t	bits;
	int			d;

	if (a.len != b.len || a.len < GPUAGG_INET_HEADER || a.data[0] != b.data[0])
		return gpuagg_bytes_compare(a, b);
	all = 8 * (uint32_t) (a.len - GPUAGG_INET_HEADER);
	bits = (unsigned char) a.data[1];
	if (bits > (unsigned char) b.data[1])
		bits = (unsigned char) b.data[1];
	d = gpuagg_bits_compare(a.data + GPUAGG_INET_HEADER, b.data + GPUAGG_INET_HEADER,
							bits < all ? bits : all);
	if (d == 0)
		d = (unsigned char) a.data[1] - (unsigned char) b.data[1];
	return d != 0 ? d :
		gpuagg_bits_compare(a.data + GPUAGG_INET_HEADER, b.data + GPUAGG_INET_HEADER, all);
}

#define GPUAGG_INET_COMPARISON(name, sign) \
GPUAGG_FN int64_t \
gpuagg_inet_##name(GpuAggBytes a, GpuAggBytes b, uint8_t *st) \
{ \
	(void) st; \
	return gpuagg_inet_compare(a, b) sign 0; \
}
GPUAGG_INET_COMPARISON(lt, <)
GPUAGG_INET_COMPARISON(le, <=)
GPUAGG_INET_COMPARISON(gt, >)
GPUAGG_INET_COMPARISON(ge, >=)
#undef GPUAGG_INET_COMPARISON

#endif							/* GPUAGG_DEVICE_OPS_TYPES_H */
