/*
 * ops_interval.h
 *		Instructions on intervals, and on moments and intervals.
 *
 * PostgreSQL's interval is months, days and microseconds, and shows all three.  Devices
 * know it as
 *
 *	INTERVAL	its 16 bytes, of columns
 *	SPAN		what a difference of timestamps is: no months, and days and time that
 *				follow from the microseconds of both together, which is the value
 *	INTERVAL_CODE	one that is short and of a common form: in the order of intervals
 *
 * Intervals are equal if their totals are, a month having 30 days and a day 24 hours.
 *
 * The rules for all operator headers stand in ops_int.h.
 */
#ifndef GPUAGG_DEVICE_OPS_INTERVAL_H
#define GPUAGG_DEVICE_OPS_INTERVAL_H

#include "ops_datetime.h"
#include "ops_float.h"

typedef struct GpuAggInterval
{
	int64_t		time;			/* microseconds */
	int32_t		days;
	int32_t		months;
} GpuAggInterval;

/* The bytes may lie anywhere. */
GPUAGG_FN GpuAggInterval
gpuagg_interval(GpuAggBytes b)
{
	GpuAggInterval interval = {0, 0, 0};

	if (b.len == sizeof(interval))
		memcpy(&interval, b.data, sizeof(interval));
	return interval;
}

/* ------------------------------------------------------------ timestamps --- */

/* The day of the month is at most the last of the new month. */
GPUAGG_FN int64_t
gpuagg_timestamp_add_months(int64_t a, int64_t months, uint8_t *st)
{
	const bool	moves = (months != 0) & gpuagg_timestamp_in_range(a);
	const int64_t t = moves ? a : 0;
	const int32_t day = gpuagg_timestamp_day(t);
	const GpuAggCivil c = gpuagg_civil(day);
	const bool	possible = (months > -INT64_C(4000000)) & (months < INT64_C(4000000));
	/* months since January of year -5200 */
	const int64_t m = (int64_t) (c.year + GPUAGG_YEAR_SHIFT) * 12 + c.month - 1 +
		(possible ? months : 0);
	const bool	exists = possible & (m >= 12 * (GPUAGG_YEAR_SHIFT - 4800)) &
		(m < 12 * (GPUAGG_YEAR_SHIFT + 294278));
	const uint32_t n = exists ? (uint32_t) m : 12 * GPUAGG_YEAR_SHIFT;
	const int32_t first = gpuagg_day_number((int32_t) (n / 12) - GPUAGG_YEAR_SHIFT,
											(int32_t) (n % 12) + 1, 1);
	const int32_t next = gpuagg_day_number((int32_t) ((n + 1) / 12) - GPUAGG_YEAR_SHIFT,
										   (int32_t) ((n + 1) % 12) + 1, 1);
	const int32_t moved = c.day <= next - first ? first + c.day - 1 : next - 1;
	const int64_t r = t + (int64_t) (moved - day) * GPUAGG_USECS_PER_DAY;

	gpuagg_raise_if(moves & ((!exists) | !gpuagg_timestamp_in_range(r)),
					GPUAGG_ST_DATETIME_RANGE, st);
	return moves ? r : a;
}

/* Microseconds; infinities stay. */
GPUAGG_FN int64_t
gpuagg_timestamp_add_time(int64_t a, int64_t time, uint8_t *st)
{
	const bool	infinite = gpuagg_timestamp_is_infinite(a);
	const int64_t r = gpuagg_wrap_add(a, time);
	const bool	wrapped = ((a ^ r) & (time ^ r)) < 0;

	gpuagg_raise_if((!infinite) & (wrapped | !gpuagg_timestamp_in_range(r)),
					GPUAGG_ST_DATETIME_RANGE, st);
	return infinite ? a : r;
}

/* Days of a range that 64 bits of microseconds do not have */
GPUAGG_FN int64_t
gpuagg_timestamp_add_days(int64_t a, int64_t days, uint8_t *st)
{
	const bool	infinite = gpuagg_timestamp_is_infinite(a);
	const bool	possible = (days > -(INT64_C(1) << 27)) & (days < INT64_C(1) << 27);
	const int64_t day = gpuagg_timestamp_day(infinite ? 0 : a) + (possible ? days : 0);

	gpuagg_raise_if((!infinite) & ((!possible) | (day < GPUAGG_DATE_MIN) |
								   (day >= GPUAGG_TIMESTAMP_END_DAY)),
					GPUAGG_ST_DATETIME_RANGE, st);
	return infinite ? a : gpuagg_wrap_add(a, gpuagg_wrap_mul(days, GPUAGG_USECS_PER_DAY));
}

/* Versions of PostgreSQL differ where the difference has more than 64 bits. */
GPUAGG_FN int64_t
gpuagg_timestamp_diff(int64_t a, int64_t b, uint8_t *st)
{
	const bool	infinite = gpuagg_timestamp_is_infinite(a) | gpuagg_timestamp_is_infinite(b);
	const int64_t r = gpuagg_wrap_sub(a, b);

	gpuagg_raise_if(infinite, GPUAGG_ST_DATETIME_RANGE, st);
	gpuagg_raise_if((!infinite) & (((a ^ b) & (a ^ r)) < 0), GPUAGG_ST_NEEDS_PG, st);
	return r;
}

/* PostgreSQL says NULL of an infinite one. */
GPUAGG_FN int64_t
gpuagg_timestamp_time(int64_t a, uint8_t *st)
{
	const bool	valid = gpuagg_timestamp_in_range(a);
	const int64_t t = valid ? a : 0;

	gpuagg_raise_if(!valid, GPUAGG_ST_NEEDS_PG, st);
	return t - gpuagg_timestamp_day(t) * GPUAGG_USECS_PER_DAY;
}

/*
 * Down to the nearest origin + n * stride.  Versions of PostgreSQL differ in what they
 * say of one of these ahead of the origin.
 */
GPUAGG_FN int64_t
gpuagg_date_bin(int64_t a, GpuAggBytes b, uint8_t *st)
{
	int64_t		bin[2] = {0, 0};	/* stride, origin */
	int64_t		past;
	int64_t		beyond;

	if (b.len == sizeof(bin))
		memcpy(bin, b.data, sizeof(bin));
	if (gpuagg_timestamp_is_infinite(a))
		return a;
	past = gpuagg_wrap_sub(a, bin[1]);
	if (bin[0] <= 0 || ((a ^ bin[1]) & (a ^ past)) < 0)
	{
		gpuagg_raise_if(true, GPUAGG_ST_NEEDS_PG, st);
		return a;
	}
	beyond = past % bin[0];
	gpuagg_raise_if(past < 0 && beyond == 0, GPUAGG_ST_NEEDS_PG, st);
	if (beyond < 0)
		beyond += bin[0];
	gpuagg_raise_if(a < GPUAGG_TIMESTAMP_MIN + beyond, GPUAGG_ST_NEEDS_PG, st);
	return gpuagg_wrap_sub(a, beyond);
}

/* ----------------------------------------------------------------- epoch --- */

/*
 * floor(a / 10^6 / b) with a quotient as numeric's division rounds it: to 16 digits that
 * count, at least 6 of them decimals, half away from zero.  Its decimals follow from the
 * groups of four digits that the numbers have.  From ten more than a has on they are
 * more than a quotient by an int4 needs to stay on its side of an integer.
 */
GPUAGG_FN int64_t
gpuagg_epoch_quotient(int64_t a, int64_t b, uint8_t *st)
{
	const bool	valid = (b > 0) & (b <= INT32_MAX) & (a != INT64_MIN);
	const int64_t d = (valid ? b : 1) * INT64_C(1000000);
	const bool	negative = a < 0;
	const uint64_t u = negative ? 0 - (uint64_t) a : (uint64_t) a;
	const uint64_t q = u / (uint64_t) d;
	const uint64_t r = u % (uint64_t) d;
	const uint64_t whole = u / 1000000;
	const int	wa = (whole >= 10000u) + (whole >= 100000000u) + (whole >= UINT64_C(1000000000000));
	const int	wb = (b >= 10000) + (b >= 100000000);
	const uint64_t first_a = wa == 3 ? whole / UINT64_C(1000000000000) :
		wa == 2 ? whole / 100000000u : wa == 1 ? whole / 10000u : whole;
	const uint64_t first_b = (uint64_t) (valid ? b : 1) /
		(wb == 2	 ? 100000000u :
			 wb == 1 ? 10000u :
					   1u);
	const int	weight = wa - wb - (first_a <= first_b ? 1 : 0);
	/* decimals of the quotient beyond a's six: 10, 6, 2 or, at least, 0 */
	const uint64_t ulp = weight <= 0 || whole == 0 ? UINT64_C(10000000000) :
		weight == 1 ? UINT64_C(1000000) : weight == 2 ? 100u : 1u;
	const uint64_t half = (uint64_t) (valid ? b : 1) / (2 * ulp);
	const bool	exact_half = half * 2 * ulp == (uint64_t) (valid ? b : 1);
	const bool	up = r != 0 && (uint64_t) d - r <= half;
	const bool	down = r == 0 || r < half || (r == half && !exact_half);

	gpuagg_raise_if(!valid, GPUAGG_ST_NEEDS_PG, st);
	if (!negative)
		return (int64_t) (q + up);
	return -(int64_t) (q + !down);
}

/* NaN, infinities and what is no timestamp are left to PostgreSQL. */
GPUAGG_FN int64_t
gpuagg_to_timestamp(double seconds, uint8_t *st)
{
	const bool	valid = (seconds >= -210866803200.0) & (seconds < 9224318016000.0);
	const double t = ((valid ? seconds : 0.0) - 946684800.0) * 1000000.0;
	const int64_t r = (int64_t) gpuagg_float_round(t, st);

	gpuagg_raise_if((!valid) | !gpuagg_timestamp_in_range(r), GPUAGG_ST_NEEDS_PG, st);
	return r;
}

/* ------------------------------------------------------------- intervals --- */

GPUAGG_FN int64_t
gpuagg_interval_months(GpuAggBytes b, uint8_t *st)
{
	(void) st;
	return gpuagg_interval(b).months;
}

GPUAGG_FN int64_t
gpuagg_interval_days(GpuAggBytes b, uint8_t *st)
{
	(void) st;
	return gpuagg_interval(b).days;
}

GPUAGG_FN int64_t
gpuagg_interval_time(GpuAggBytes b, uint8_t *st)
{
	(void) st;
	return gpuagg_interval(b).time;
}

/* What intervals are compared by; its 64 bits are 292,000 years. */
GPUAGG_FN int64_t
gpuagg_interval_total(GpuAggBytes b, uint8_t *st)
{
	const GpuAggInterval i = gpuagg_interval(b);
	const int64_t days = (int64_t) i.months * 30 + i.days;
	const bool	fits = (days > -(INT64_C(1) << 26)) & (days < INT64_C(1) << 26);
	const int64_t whole = (fits ? days : 0) * GPUAGG_USECS_PER_DAY;
	const int64_t total = gpuagg_wrap_add(whole, i.time);

	gpuagg_raise_if((!fits) | (((whole ^ total) & (i.time ^ total)) < 0), GPUAGG_ST_NEEDS_PG, st);
	return total;
}

/*
 * The total, then the months and whether time has all of the rest; else days have the
 * whole days of it.  Of intervals of up to 35 years.
 */
#define GPUAGG_CODE_SHIFT 12
#define GPUAGG_CODE_MONTHS 1024

GPUAGG_FN int64_t
gpuagg_interval_code(GpuAggBytes b, uint8_t *st)
{
	const GpuAggInterval i = gpuagg_interval(b);
	const int64_t total = gpuagg_interval_total(b, st);
	const bool	small = (total > -(INT64_C(1) << 50)) & (total < INT64_C(1) << 50) &
		(i.months > -GPUAGG_CODE_MONTHS) & (i.months < GPUAGG_CODE_MONTHS);
	const int64_t months = small ? i.months : 0;
	const int64_t rest = (small ? total : 0) - months * 30 * GPUAGG_USECS_PER_DAY;
	const bool	by_days = rest / GPUAGG_USECS_PER_DAY == i.days &&
		rest % GPUAGG_USECS_PER_DAY == i.time;

	gpuagg_raise_if((!small) | ((!by_days) & (i.days != 0)), GPUAGG_ST_NEEDS_PG, st);
	return (small ? total : 0) * (INT64_C(1) << GPUAGG_CODE_SHIFT) +
		(months + GPUAGG_CODE_MONTHS) * 2 + !by_days;
}

/* The inverse */
GPUAGG_FN GpuAggInterval
gpuagg_interval_of_code(int64_t code)
{
	const int64_t low = code & ((1 << GPUAGG_CODE_SHIFT) - 1);
	const int64_t total = (code - low) / (1 << GPUAGG_CODE_SHIFT);
	GpuAggInterval i;
	int64_t		rest;

	i.months = (int32_t) (low / 2 - GPUAGG_CODE_MONTHS);
	rest = total - i.months * 30 * GPUAGG_USECS_PER_DAY;
	i.days = low & 1 ? 0 : (int32_t) (rest / GPUAGG_USECS_PER_DAY);
	i.time = rest - i.days * GPUAGG_USECS_PER_DAY;
	return i;
}

GPUAGG_FN GpuAggInterval
gpuagg_interval_of_span(int64_t span)
{
	GpuAggInterval i;

	i.months = 0;
	i.days = (int32_t) (span / GPUAGG_USECS_PER_DAY);
	i.time = span % GPUAGG_USECS_PER_DAY;
	return i;
}

#endif							/* GPUAGG_DEVICE_OPS_INTERVAL_H */
