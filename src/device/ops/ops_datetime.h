/*
 * ops_datetime.h
 *		Operators on date and timestamp: the calendar part of the table in
 *		ops.h, as PostgreSQL's date.c and timestamp.c with integer timestamps.
 *
 * Dates are days, timestamps microseconds since 2000-01-01 in the proleptic
 * Gregorian calendar; the least and greatest int32 (int64) are -infinity and
 * infinity.  Years are astronomical inside (0 is 1 BC), and become
 * PostgreSQL's (no year 0) only in extract().
 *
 * Calendar arithmetic runs in unsigned 32 bits from 1 March 5201 BC, the
 * start of a 400-year cycle before every date: no branches, no negative
 * quotients, so that loops vectorise.
 *
 * Time zones are in ops_zone.h.
 *
 * Does not handle: extract() from infinities and values outside PostgreSQL's range
 * (both NEEDS_PG).
 *
 * The rules for all operator headers stand in ops_int.h.
 */
#ifndef GPUAGG_DEVICE_OPS_DATETIME_H
#define GPUAGG_DEVICE_OPS_DATETIME_H

#include "ops.h"
#include "ops_int.h"

#define GPUAGG_USECS_PER_DAY INT64_C(86400000000)

/* PostgreSQL's limits; the end is the first value that is too large. */
#define GPUAGG_DATE_MIN INT64_C(-2451545)	/* 4714-11-24 BC, Julian day 0 */
#define GPUAGG_DATE_END INT64_C(2145031949) /* 5874898-06-03 */
#define GPUAGG_TIMESTAMP_END_DAY INT64_C(106751983) /* 294277-01-01 */

#define GPUAGG_DAYS_TO_2000 INT64_C(10957) /* from 1970-01-01 */

#define GPUAGG_TIMESTAMP_MIN (GPUAGG_DATE_MIN * GPUAGG_USECS_PER_DAY)
#define GPUAGG_TIMESTAMP_END (GPUAGG_TIMESTAMP_END_DAY * GPUAGG_USECS_PER_DAY)

/* From 1 March of year -5200 to 2000-01-01 */
#define GPUAGG_EPOCH_SHIFT 2629686u
#define GPUAGG_YEAR_SHIFT 5200
#define GPUAGG_DAYS_PER_CYCLE 146097u	/* 400 years */

typedef struct GpuAggCivil
{
	int32_t		year;
	int32_t		month;			/* 1 .. 12 */
	int32_t		day;			/* 1 .. 31 */
} GpuAggCivil;

/* Day number to date.  The year runs from March, so its last day is the
 * only one that moves; 153 days make five months. */
GPUAGG_FN GpuAggCivil
gpuagg_civil(int32_t date)
{
	uint32_t	z = (uint32_t) date + GPUAGG_EPOCH_SHIFT;
	uint32_t	cycle = z / GPUAGG_DAYS_PER_CYCLE;
	uint32_t	doc = z - cycle * GPUAGG_DAYS_PER_CYCLE;
	uint32_t	yoc = (doc - doc / 1460 + doc / 36524 - doc / 146096) / 365;
	uint32_t	doy = doc - (365 * yoc + yoc / 4 - yoc / 100);
	uint32_t	march = (5 * doy + 2) / 153;	/* months since March */
	bool		early = march >= 10;	/* January, February */
	GpuAggCivil c;

	c.day = (int32_t) (doy - (153 * march + 2) / 5 + 1);
	c.month = (int32_t) (early ? march - 9 : march + 3);
	c.year = (int32_t) (cycle * 400 + yoc + (early ? 1u : 0u)) -
		GPUAGG_YEAR_SHIFT;
	return c;
}

/* The inverse; years from -5199. */
GPUAGG_FN int32_t
gpuagg_day_number(int32_t year, int32_t month, int32_t day)
{
	bool		early = month <= 2;
	uint32_t	y = (uint32_t) (year + GPUAGG_YEAR_SHIFT) - (early ? 1u : 0u);
	uint32_t	march = (uint32_t) (early ? month + 9 : month - 3);

	return (int32_t) (365 * y + y / 4 - y / 100 + y / 400 +
					  (153 * march + 2) / 5 + (uint32_t) day - 1 -
					  GPUAGG_EPOCH_SHIFT);
}

/* 0 is Monday: Julian day 0 was one. */
GPUAGG_FN int32_t
gpuagg_weekday(int32_t date)
{
	return (int32_t) (((uint32_t) date - (uint32_t) GPUAGG_DATE_MIN) % 7);
}

GPUAGG_FN int
gpuagg_date_in_range(int64_t a)
{
	return (a >= GPUAGG_DATE_MIN) & (a < GPUAGG_DATE_END);
}

GPUAGG_FN int
gpuagg_timestamp_in_range(int64_t a)
{
	return (a >= GPUAGG_TIMESTAMP_MIN) & (a < GPUAGG_TIMESTAMP_END);
}

GPUAGG_FN int
gpuagg_date_is_infinite(int64_t a)
{
	return (a == INT32_MIN) | (a == INT32_MAX);
}

GPUAGG_FN int
gpuagg_timestamp_is_infinite(int64_t a)
{
	return (a == INT64_MIN) | (a == INT64_MAX);
}

/*
 * u / b for u < 2^52 and a quotient below 2^31.  On processors a division of
 * doubles, which vectorises: the quotient is at least 1 / b away from the
 * next integer, and its rounding error, u / b * 2^-53, is less than that.
 */
GPUAGG_FN uint32_t
gpuagg_quotient(uint64_t u, uint32_t b)
{
#ifdef __CUDA_ARCH__
	return (uint32_t) (u / b);
#else
	uint64_t	bits = u | UINT64_C(0x4330000000000000);	/* 2^52 + u */
	double		d;

	memcpy(&d, &bits, sizeof(d));
	return (uint32_t) (int32_t) ((d - 4503599627370496.0) / b);
#endif
}

/*
 * Days since the first date; any int64 gives some number.  The shift leaves
 * 51 bits, and 86400000000 is 2^13 * 10546875.
 */
GPUAGG_FN int32_t
gpuagg_timestamp_day(int64_t a)
{
	uint64_t	u = (uint64_t) a - (uint64_t) GPUAGG_TIMESTAMP_MIN;

	return (int32_t) gpuagg_quotient(u >> 13, 10546875) +
		(int32_t) GPUAGG_DATE_MIN;
}

/* An infinite date plus or minus days stays infinite. */
GPUAGG_FN int64_t
gpuagg_date_add(int64_t a, int64_t days, uint8_t *st)
{
	bool		infinite = gpuagg_date_is_infinite(a);
	int64_t		r = gpuagg_wrap_add(a, days);

	gpuagg_raise_if(!infinite & !gpuagg_date_in_range(r),
					GPUAGG_ST_DATETIME_RANGE, st);
	return infinite ? a : r;
}

GPUAGG_FN int64_t
gpuagg_date_sub(int64_t a, int64_t days, uint8_t *st)
{
	return gpuagg_date_add(a, gpuagg_wrap_sub(0, days), st);
}

GPUAGG_FN int64_t
gpuagg_date_diff(int64_t a, int64_t b, uint8_t *st)
{
	gpuagg_raise_if(gpuagg_date_is_infinite(a) | gpuagg_date_is_infinite(b),
					GPUAGG_ST_DATETIME_RANGE, st);
	return gpuagg_wrap_sub(a, b);
}

GPUAGG_FN int64_t
gpuagg_date_to_timestamp(int64_t a, uint8_t *st)
{
	int64_t		r = gpuagg_wrap_mul(a, GPUAGG_USECS_PER_DAY);

	gpuagg_raise_if((a >= GPUAGG_TIMESTAMP_END_DAY) & (a != INT32_MAX),
					GPUAGG_ST_DATETIME_RANGE, st);
	r = a == INT32_MIN ? INT64_MIN : r;
	return a == INT32_MAX ? INT64_MAX : r;
}

GPUAGG_FN int64_t
gpuagg_timestamp_to_date(int64_t a, uint8_t *st)
{
	int64_t		r = gpuagg_timestamp_day(a);

	(void) st;
	r = a == INT64_MIN ? INT32_MIN : r;
	return a == INT64_MAX ? INT32_MAX : r;
}

/*
 * First day of the week, month, ..., millennium that holds this date.
 * Centuries begin with the year 1 and its multiples of 100 after it, decades
 * with year 0; before our era PostgreSQL counts back from 1 BC.
 */
GPUAGG_FN int32_t
gpuagg_trunc_day(int32_t date, int32_t field, uint8_t *st)
{
	GpuAggCivil c = gpuagg_civil(date);
	int32_t		y = c.year;

	switch (field)
	{
		case GPUAGG_FIELD_MICROSECOND:
		case GPUAGG_FIELD_MILLISECOND:
		case GPUAGG_FIELD_SECOND:
		case GPUAGG_FIELD_MINUTE:
		case GPUAGG_FIELD_HOUR:
		case GPUAGG_FIELD_DAY:
			return date;
		case GPUAGG_FIELD_WEEK:
			return date - gpuagg_weekday(date);
		case GPUAGG_FIELD_MONTH:
			return date - (c.day - 1);
		case GPUAGG_FIELD_QUARTER:
			return gpuagg_day_number(y, (c.month - 1) / 3 * 3 + 1, 1);
		case GPUAGG_FIELD_YEAR:
			return gpuagg_day_number(y, 1, 1);
		case GPUAGG_FIELD_DECADE:
			y = y > 0 ? y / 10 * 10 : -((9 - y) / 10 * 10);
			return gpuagg_day_number(y, 1, 1);
		case GPUAGG_FIELD_CENTURY:
			y = y > 0 ? (y + 99) / 100 * 100 - 99 : 1 - (100 - y) / 100 * 100;
			return gpuagg_day_number(y, 1, 1);
		case GPUAGG_FIELD_MILLENNIUM:
			y = y > 0 ? (y + 999) / 1000 * 1000 - 999 :
				1 - (1000 - y) / 1000 * 1000;
			return gpuagg_day_number(y, 1, 1);
		default:
			gpuagg_raise_if(true, GPUAGG_ST_NEEDS_PG, st);
			return date;
	}
}

/*
 * date_trunc(field, date::timestamp)::date, with the errors of both the cast
 * and the truncation (which may go back beyond the first timestamp).
 */
GPUAGG_FN int64_t
gpuagg_date_trunc(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	bool		infinite = gpuagg_date_is_infinite(a);
	bool		valid = (a >= GPUAGG_DATE_MIN) & (a < GPUAGG_TIMESTAMP_END_DAY);
	uint8_t		unit = GPUAGG_ST_VALUE;
	int32_t		day = gpuagg_trunc_day((int32_t) (valid ? a : 0), ins->imm,
									   &unit);

	gpuagg_raise_if(!valid & !infinite, GPUAGG_ST_DATETIME_RANGE, st);
	gpuagg_raise_if(day < GPUAGG_DATE_MIN, GPUAGG_ST_DATETIME_RANGE, st);
	gpuagg_raise_if(valid & (unit != GPUAGG_ST_VALUE), unit, st);
	return valid ? day : a;
}

/* Units below a day divide it evenly, so they are cut from its time. */
GPUAGG_FN int64_t
gpuagg_timestamp_trunc(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	bool		infinite = gpuagg_timestamp_is_infinite(a);
	bool		valid = gpuagg_timestamp_in_range(a);
	int64_t		t = valid ? a : 0;
	int32_t		day = gpuagg_timestamp_day(t);
	int64_t		midnight = day * GPUAGG_USECS_PER_DAY;
	uint64_t	time = (uint64_t) (t - midnight);
	uint8_t		unit = GPUAGG_ST_VALUE;

	gpuagg_raise_if(!valid & !infinite, GPUAGG_ST_NEEDS_PG, st);
	switch (ins->imm)
	{
		case GPUAGG_FIELD_MICROSECOND:
			break;
		case GPUAGG_FIELD_MILLISECOND:
			t = midnight + gpuagg_quotient(time, 1000) * INT64_C(1000);
			break;
		case GPUAGG_FIELD_SECOND:
			t = midnight + gpuagg_quotient(time, 1000000) * INT64_C(1000000);
			break;
		case GPUAGG_FIELD_MINUTE:
			t = midnight + gpuagg_quotient(time, 60000000) * INT64_C(60000000);
			break;
		case GPUAGG_FIELD_HOUR:
			t = midnight +
				gpuagg_quotient(time, 3600000000u) * INT64_C(3600000000);
			break;
		default:
			day = gpuagg_trunc_day(day, ins->imm, &unit);
			t = day * GPUAGG_USECS_PER_DAY;
			gpuagg_raise_if(day < GPUAGG_DATE_MIN, GPUAGG_ST_DATETIME_RANGE,
							st);
			break;
	}
	gpuagg_raise_if(valid & (unit != GPUAGG_ST_VALUE), unit, st);
	return valid ? t : a;
}

/* There is no year 0 in SQL: 1 BC is -1. */
GPUAGG_FN int32_t
gpuagg_sql_year(int32_t year)
{
	return year > 0 ? year : year - 1;
}

/*
 * A field of a day.  The ISO week belongs to the year of its Thursday.
 */
GPUAGG_FN int32_t
gpuagg_extract_day(int32_t date, int32_t field, uint8_t *st)
{
	GpuAggCivil c = gpuagg_civil(date);
	int32_t		weekday = gpuagg_weekday(date);
	int32_t		thursday = (int32_t) ((uint32_t) date - (uint32_t) weekday + 3);
	int32_t		y = c.year;

	switch (field)
	{
		case GPUAGG_FIELD_DAY:
			return c.day;
		case GPUAGG_FIELD_DOW:
			return weekday == 6 ? 0 : weekday + 1;
		case GPUAGG_FIELD_ISODOW:
			return weekday + 1;
		case GPUAGG_FIELD_DOY:
			return date - gpuagg_day_number(y, 1, 1) + 1;
		case GPUAGG_FIELD_WEEK:
			y = gpuagg_civil(thursday).year;
			return (thursday - gpuagg_day_number(y, 1, 1)) / 7 + 1;
		case GPUAGG_FIELD_ISOYEAR:
			return gpuagg_sql_year(gpuagg_civil(thursday).year);
		case GPUAGG_FIELD_MONTH:
			return c.month;
		case GPUAGG_FIELD_QUARTER:
			return (c.month - 1) / 3 + 1;
		case GPUAGG_FIELD_YEAR:
			return gpuagg_sql_year(y);
		case GPUAGG_FIELD_DECADE:
			return y >= 0 ? y / 10 : -((9 - y) / 10);
		case GPUAGG_FIELD_CENTURY:
			return y > 0 ? (y + 99) / 100 : -((100 - y) / 100);
		case GPUAGG_FIELD_MILLENNIUM:
			return y > 0 ? (y + 999) / 1000 : -((1000 - y) / 1000);
		default:
			gpuagg_raise_if(true, GPUAGG_ST_NEEDS_PG, st);
			return 0;
	}
}

GPUAGG_FN int64_t
gpuagg_date_extract(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	bool		valid = gpuagg_date_in_range(a);

	gpuagg_raise_if(!valid, GPUAGG_ST_NEEDS_PG, st);
	if (ins->imm == GPUAGG_FIELD_EPOCH)
		return ((valid ? a : 0) + GPUAGG_DAYS_TO_2000) * 86400;
	return gpuagg_extract_day((int32_t) (valid ? a : 0), ins->imm, st);
}

GPUAGG_FN int64_t
gpuagg_timestamp_extract(int64_t a, uint8_t *st, const GpuAggInstr *ins)
{
	bool		valid = gpuagg_timestamp_in_range(a);
	int64_t		t = valid ? a : 0;
	int32_t		day = gpuagg_timestamp_day(t);
	uint64_t	time = (uint64_t) (t - day * GPUAGG_USECS_PER_DAY);

	gpuagg_raise_if(!valid, GPUAGG_ST_NEEDS_PG, st);
	switch (ins->imm)
	{
		case GPUAGG_FIELD_MINUTE:
			return gpuagg_quotient(time, 60000000) % 60;
		case GPUAGG_FIELD_HOUR:
			return gpuagg_quotient(time, 3600000000u);
		case GPUAGG_FIELD_MICROSECOND:
			return (int64_t) time - gpuagg_quotient(time, 60000000) * INT64_C(60000000);
		case GPUAGG_FIELD_EPOCH:
			gpuagg_raise_if(t > INT64_MAX - GPUAGG_DAYS_TO_2000 * GPUAGG_USECS_PER_DAY,
							GPUAGG_ST_NEEDS_PG, st);
			return gpuagg_wrap_add(t, GPUAGG_DAYS_TO_2000 * GPUAGG_USECS_PER_DAY);
		default:
			return gpuagg_extract_day(day, ins->imm, st);
	}
}

#endif							/* GPUAGG_DEVICE_OPS_DATETIME_H */
