/*
 * ops_zone.h
 *		Operators on moments in a time zone, which is a table that comes with the program.
 *
 * A table is a head, months (below), spans of time in their order, each with the offset that
 * holds in it, which is less than a day, and an index: from the first change of offset on, for
 * slots of 2^shift microseconds, the span in which each begins; moments before the first slot have
 * the first one's, moments behind the last slot the last one's.  Slots are so short
 * (planner/value/zone.c) that a moment's span is nearly always that one or the next.
 *
 * Months are asked for more often than anything else of local times, so a table knows them for
 * the years that most moments are of: in cells of 2^41 microseconds, which are shorter than a
 * month, so that at most one begins in each, but where an offset changes then.
 *
 * Nobody has checked a table: one that is not whole is left to PostgreSQL, of one whose numbers
 * mean nothing come wrong answers, nothing worse.
 */
#ifndef GPUAGG_DEVICE_OPS_ZONE_H
#define GPUAGG_DEVICE_OPS_ZONE_H

#include "ops_datetime.h"

/* Moments are microseconds since 2000-01-01 UTC. */
typedef struct GpuAggZoneHead
{
	int64_t		from;			/* of the first span */
	int64_t		end;			/* of the last one */
	int64_t		first;			/* change of offset; with a single span anything */
	uint32_t	spans;
	uint32_t	slots;
	uint32_t	shift;
	uint32_t	goes_on;		/* 1: summer time goes on behind the end by the calendar, and a year
								 * there is as that of the same calendar before */
	int64_t		months_from;
	uint64_t	months;			/* cells; 0: none is known */
} GpuAggZoneHead;

/* A cell of months: the first days of that before a moment and of that from it on */
typedef struct GpuAggZoneMonth
{
	int64_t		until;			/* GPUAGG_ZONE_SEVERAL: more than one begins there */
	int32_t		before;
	int32_t		after;
} GpuAggZoneMonth;

#define GPUAGG_ZONE_MONTH_SHIFT 41
#define GPUAGG_ZONE_SEVERAL INT64_MIN

/* Years whose months tables know */
#define GPUAGG_ZONE_MONTHS_YEAR 1970
#define GPUAGG_ZONE_MONTHS_END_YEAR 2070

typedef struct GpuAggZoneSpan
{
	int64_t		until;			/* where the next one begins */
	int64_t		offset;			/* east of UTC, microseconds */
} GpuAggZoneSpan;

/*
 * The first, a leap year, of those to 2129 in which all calendars are found, two years before the
 * end.  The fasting months that some zones leave out of summer time are known until 2087.
 */
#define GPUAGG_ZONE_MODEL_YEAR 2104
#define GPUAGG_ZONE_END_YEAR 2132

GPUAGG_FN const GpuAggZoneMonth *
gpuagg_zone_months(const GpuAggZoneHead *t)
{
	return (const GpuAggZoneMonth *) (t + 1);
}

GPUAGG_FN const GpuAggZoneSpan *
gpuagg_zone_spans(const GpuAggZoneHead *t)
{
	return (const GpuAggZoneSpan *) (gpuagg_zone_months(t) + t->months);
}

/* Does a table have a head, and the months that it tells of? */
GPUAGG_FN bool
gpuagg_zone_has_months(GpuAggBytes table)
{
	const GpuAggZoneHead *t = (const GpuAggZoneHead *) (const void *) table.data;

	return table.len >= sizeof(*t) && ((uintptr_t) table.data & 7) == 0 &&
		t->months <= (table.len - sizeof(*t)) / sizeof(GpuAggZoneMonth);
}

/* Bytes of a whole table */
GPUAGG_FN uint64_t
gpuagg_zone_bytes(const GpuAggZoneHead *t)
{
	return sizeof(*t) + t->months * sizeof(GpuAggZoneMonth) +
		t->spans * (uint64_t) sizeof(GpuAggZoneSpan) + t->slots * (uint64_t) sizeof(uint16_t);
}

/* The table, if it is whole and lies where words do; else NULL */
GPUAGG_FN const GpuAggZoneHead *
gpuagg_zone_head(GpuAggBytes table)
{
	const GpuAggZoneHead *t = (const GpuAggZoneHead *) (const void *) table.data;

	return gpuagg_zone_has_months(table) && t->spans > 0 && t->slots > 0 &&
			gpuagg_zone_bytes(t) <= table.len ?
		t :
		NULL;
}

/* The span that has a moment; NULL: it is outside of the table. */
GPUAGG_FN const GpuAggZoneSpan *
gpuagg_zone_find(const GpuAggZoneHead *t, int64_t a)
{
	const GpuAggZoneSpan *spans = gpuagg_zone_spans(t);
	const uint64_t at = a < t->first ? 0 : ((uint64_t) a - (uint64_t) t->first) >> (t->shift & 63);
	uint32_t	i;

	if (a < t->from || a >= t->end)
		return NULL;
	i = ((const uint16_t *) (spans + t->spans))[at < t->slots ? at : t->slots - 1];
	if (i >= t->spans)
		return NULL;
	while (a >= spans[i].until && i + 1 < t->spans)
		i++;
	return &spans[i];
}

/*
 * Days from the year of the same calendar, 2104 to 2129, to the year of a day.  Leap years
 * of these that are four years apart begin five weekdays apart, so the third one later
 * begins one weekday later.  Kernels call it, so that what is seldom needed takes no room.
 */
GPUAGG_FN_RARE int32_t
gpuagg_zone_model_days(int32_t day)
{
	const int32_t year = gpuagg_civil(day).year;
	const int32_t first = gpuagg_day_number(year, 1, 1);
	const bool	leap = gpuagg_day_number(year + 1, 1, 1) - first == 366;
	const int32_t model = GPUAGG_ZONE_MODEL_YEAR + (leap ? 0 : 1);
	const int32_t weekdays = gpuagg_weekday(first) - gpuagg_weekday(gpuagg_day_number(model, 1, 1));

	return first - gpuagg_day_number(model + 4 * (3 * (weekdays + 7) % 7), 1, 1);
}

/*
 * What to take off a moment that is not in the table, to find it in a year of the same calendar; 0:
 * there is none, or PostgreSQL may have to raise an error, near the end of timestamps
 */
GPUAGG_FN int64_t
gpuagg_zone_shift(const GpuAggZoneHead *t, int64_t a, int64_t end)
{
	return t == NULL || !t->goes_on || a < end ||
			a >= GPUAGG_TIMESTAMP_END - 2 * GPUAGG_USECS_PER_DAY ?
		0 :
		gpuagg_zone_model_days(gpuagg_timestamp_day(a)) * GPUAGG_USECS_PER_DAY;
}

/*
 * What of a table's end may depend on what is behind it, where it is searched so long before a
 * local time
 */
#define GPUAGG_ZONE_MARGIN(before) (2 * (before))

/*
 * The span that has a moment so long before another one, of which the table has none: that of a
 * year of the same calendar, *shift earlier.  NULL: PostgreSQL has to tell.
 */
GPUAGG_FN const GpuAggZoneSpan *
gpuagg_zone_find_beyond(const GpuAggZoneHead *t, int64_t a, int64_t before, int64_t *shift,
						uint8_t *st)
{
	const GpuAggZoneSpan *span = NULL;

	*shift = gpuagg_zone_shift(t, a, t == NULL ? 0 : t->end - GPUAGG_ZONE_MARGIN(before));
	if (*shift != 0)
		span = gpuagg_zone_find(t, a - *shift - before);
	gpuagg_raise_if(span == NULL, GPUAGG_ST_NEEDS_PG, st);
	return span;
}

/* Of a moment that is not in the table */
GPUAGG_FN int64_t
gpuagg_zone_local_beyond(int64_t a, const GpuAggZoneHead *t, uint8_t *st)
{
	const GpuAggZoneSpan *span;
	int64_t		shift;

	if (gpuagg_timestamp_is_infinite(a))
		return a;
	span = gpuagg_zone_find_beyond(t, a, 0, &shift, st);
	return span == NULL ? 0 : gpuagg_wrap_add(a, span->offset);
}

/* The local time at a moment; infinities as they are */
GPUAGG_FN int64_t
gpuagg_zone_local(int64_t a, GpuAggBytes table, uint8_t *st)
{
	const GpuAggZoneHead *t = gpuagg_zone_head(table);
	const GpuAggZoneSpan *span = t == NULL ? NULL : gpuagg_zone_find(t, a);

	return span != NULL ? gpuagg_wrap_add(a, span->offset) : gpuagg_zone_local_beyond(a, t, st);
}

/*
 * The first day of the month of a local time, which is none that is infinite.  There is none before
 * the first date; whether that is an error depends on what is asked of it.
 */
GPUAGG_FN int32_t
gpuagg_zone_month_day(int64_t local, uint8_t *st)
{
	const int32_t day = gpuagg_trunc_day(gpuagg_timestamp_day(local), GPUAGG_FIELD_MONTH, st);

	gpuagg_raise_if(day < GPUAGG_DATE_MIN, GPUAGG_ST_NEEDS_PG, st);
	return day;
}

/* Of a moment whose month the table does not tell */
GPUAGG_FN_RARE int64_t
gpuagg_zone_month_beyond(int64_t a, GpuAggBytes table, uint8_t *st)
{
	const int64_t local = gpuagg_zone_local(a, table, st);

	return gpuagg_timestamp_is_infinite(local) || GPUAGG_ST_IS_ERROR(*st) ?
		gpuagg_timestamp_to_date(local, st) :
		gpuagg_zone_month_day(local, st);
}

/* The first day of the month that a moment is of, in local time; infinities as dates */
GPUAGG_FN int64_t
gpuagg_zone_month(int64_t a, GpuAggBytes table, uint8_t *st)
{
	if (gpuagg_zone_has_months(table))
	{
		const GpuAggZoneHead *t = (const GpuAggZoneHead *) (const void *) table.data;
		const uint64_t at = ((uint64_t) a - (uint64_t) t->months_from) >> GPUAGG_ZONE_MONTH_SHIFT;

		if (at < t->months)
		{
			const GpuAggZoneMonth *m = gpuagg_zone_months(t) + at;

			if (m->until != GPUAGG_ZONE_SEVERAL)
				return a < m->until ? m->before : m->after;
		}
	}
	return gpuagg_zone_month_beyond(a, table, st);
}

/*
 * The moment of a local time, as PostgreSQL's DetermineTimeZoneOffset() chooses it: the
 * first change of offset later than a day before, where the span is, decides.  Of a time that
 * does not exist the earlier offset is taken, of one that comes twice the later one.
 */
GPUAGG_FN int64_t
gpuagg_zone_choose(const GpuAggZoneHead *t, const GpuAggZoneSpan *span, int64_t a)
{
	const int64_t change = span->until;
	const int64_t before = gpuagg_wrap_sub(a, span->offset);
	int64_t		after;

	/* the table's end is further off */
	if (span + 1 == gpuagg_zone_spans(t) + t->spans)
		return before;
	after = gpuagg_wrap_sub(a, span[1].offset);
	if (before < change && after < change)
		return before;
	if (before > change && after >= change)
		return after;
	return before > after ? before : after;
}

/* Of a time that is not in the table */
GPUAGG_FN int64_t
gpuagg_zone_utc_beyond(int64_t a, const GpuAggZoneHead *t, uint8_t *st)
{
	const GpuAggZoneSpan *span;
	int64_t		shift;

	if (gpuagg_timestamp_is_infinite(a))
		return a;
	span = gpuagg_zone_find_beyond(t, a, GPUAGG_USECS_PER_DAY, &shift, st);
	return span == NULL ? 0 : gpuagg_zone_choose(t, span, a - shift) + shift;
}

/* The moment of a local time; infinities as they are */
GPUAGG_FN int64_t
gpuagg_zone_utc(int64_t a, GpuAggBytes table, uint8_t *st)
{
	const GpuAggZoneHead *t = gpuagg_zone_head(table);
	const GpuAggZoneSpan *span = t == NULL ||
		a >= gpuagg_wrap_sub(t->end, GPUAGG_ZONE_MARGIN(GPUAGG_USECS_PER_DAY)) ? NULL :
		gpuagg_zone_find(t, gpuagg_wrap_sub(a, GPUAGG_USECS_PER_DAY));

	return span != NULL ? gpuagg_zone_choose(t, span, a) : gpuagg_zone_utc_beyond(a, t, st);
}

#endif							/* GPUAGG_DEVICE_OPS_ZONE_H */
