/*
 * zone.c
 *		Time zones as devices see them (zone.h).
 *
 * A table has the moments at which a zone's offset changes, found with PostgreSQL's own
 * functions, from the first change on that there is.  Zones without summer time have all moments
 * in it, also the years 1 and 9999 that stand for "always".  Where summer time goes on the table
 * ends in 2132, and says whether later years are as those of the same calendar before: they are
 * compared.  If not, later moments are left to PostgreSQL, value by value.
 */
#include "postgres.h"

#include "compat.h"
#include "device/ops/ops_zone.h"
#include "parser/scansup.h"
#include "pgtime.h"
#include "planner/value/zone.h"
#include "utils/datetime.h"
#include "utils/formatting.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* Changes that a table has: of a zone with summer time about 330 */
#define FIRST_YEAR 1800

/*
 * The calendar's period, and PostgreSQL's where summer time goes on behind the changes that it
 * knows
 */
#define PERIOD_YEARS 400

/* From a local time at the very ends of timestamps PostgreSQL may have to raise an error */
#define MARGIN (2 * SECS_PER_DAY)

#define SECONDS_TO_2000 \
	((pg_time_t) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

/*
 * Slots of a table's index: 2^43 microseconds are 102 days, in which a zone seldom changes twice;
 * and how many there may be, of which longer ones are made
 */
#define SLOT_SHIFT 43
#define MAX_SLOTS 4096

typedef struct ZoneTable
{
	char		name[TZ_STRLEN_MAX + 1];
	GpuAggZoneName kind;
	uint32		bytes;
	char	   *table;			/* in TopMemoryContext */
} ZoneTable;

/* A zone's spans, while they are found */
typedef struct ZoneSpans
{
	GpuAggZoneHead head;
	uint32		max;
	GpuAggZoneSpan *spans;
} ZoneSpans;

static ZoneTable last;

static pg_time_t
year_start(int year)
{
	return (pg_time_t) (date2j(year, 1, 1) - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
}

/*
 * By the database of zones; NULL: unknown, or one that counts leap seconds, which tables have not
 */
static pg_tz *
zone_named(const char *name)
{
	pg_tz	   *zone = strlen(name) <= TZ_STRLEN_MAX ? pg_tzset(name) : NULL;

	return zone != NULL && pg_tz_acceptable(zone) ? zone : NULL;
}

bool
gpuagg_zone_is_full_name(const char *name)
{
	char	   *lower = downcase_truncate_identifier(name, strlen(name), false);
	int			type;
	int			offset;
	pg_tz	   *zone;

	/* abbreviations go first */
	gpuagg_decode_abbreviation(lower, &type, &offset, &zone);
	return type == UNKNOWN_FIELD && zone_named(name) != NULL;
}

static int64
moment(pg_time_t at)
{
	return (at - SECONDS_TO_2000) * USECS_PER_SEC;
}

static void
add_span(ZoneSpans *z, pg_time_t until, long offset)
{
	if (z->head.spans == z->max)
	{
		z->max = Max(64, z->max * 2);
		z->spans = z->spans == NULL ? palloc(z->max * sizeof(GpuAggZoneSpan)) :
			repalloc(z->spans, z->max * sizeof(GpuAggZoneSpan));
	}
	z->spans[z->head.spans++] = (GpuAggZoneSpan) {moment(until), offset * USECS_PER_SEC};
}

/*
 * The next change behind a moment: < 0 unknown, 0 none, else when, and the offsets on both sides.
 * At the last change that PostgreSQL knows it finds none, a second later it goes on as before.
 * Where one rule of a zone ends summer time when another begins it, PostgreSQL's functions do not
 * agree on what holds then: unknown, too.
 */
static int
next_change(const pg_tz *zone, pg_time_t at, long *before, pg_time_t *change, long *after)
{
	int			is_dst[2];
	pg_time_t	later;
	long		held;
	long		other;
	int found = pg_next_dst_boundary(&at, before, &is_dst[0], change, after, &is_dst[1], zone);

	if (found == 0)
	{
		at++;
		found = pg_next_dst_boundary(&at, before, &is_dst[0], change, after, &is_dst[1], zone);
	}
	if (found > 0 &&
		pg_next_dst_boundary(change, &held, &is_dst[0], &later, &other, &is_dst[1], zone) >= 0 &&
		held != *after)
		return -1;
	return found;
}

/*
 * Do the same offsets hold in both years, which have the same calendar, and change at the same
 * times, and not within days of the year's turn?  Then what is a day earlier or later may be
 * looked for in the other year, too (gpuagg_zone_utc).
 */
static bool
same_changes(const pg_tz *zone, int year, int model)
{
	const pg_time_t end = year_start(year + 1);
	const pg_time_t shift = year_start(year) - year_start(model);
	pg_time_t	at = year_start(year);
	pg_time_t	change[2];
	long		before[2];
	long		after[2];

	while (next_change(zone, at, &before[0], &change[0], &after[0]) > 0 &&
		   next_change(zone, at - shift, &before[1], &change[1], &after[1]) > 0 &&
		   before[0] == before[1] && change[0] >= at + MARGIN)
	{
		if (change[0] >= end)
			return change[0] >= end + MARGIN && change[1] >= end - shift + MARGIN;
		if (change[0] != change[1] + shift || after[0] != after[1] || change[0] >= end - MARGIN)
			return false;
		at = change[0];
	}
	return false;
}

/* Does summer time go on from the end by the calendar's rules, as PostgreSQL has it? */
static bool
goes_on(const pg_tz *zone)
{
	for (int year = GPUAGG_ZONE_END_YEAR; year < GPUAGG_ZONE_END_YEAR + PERIOD_YEARS; year++)
	{
		const int32 day = date2j(year, 1, 1) - POSTGRES_EPOCH_JDATE;
		const int32 model = day - gpuagg_zone_model_days(day);

		if (!same_changes(zone, year, gpuagg_civil(model).year))
			return false;
	}
	return true;
}

/* A TimeZone that is a rule of its own may be a week away, and nobody reckons with that. */
static bool
are_less_than_a_day(const ZoneSpans *z)
{
	for (uint32 i = 0; i < z->head.spans; i++)
		if (z->spans[i].offset >= USECS_PER_DAY || z->spans[i].offset <= -USECS_PER_DAY)
			return false;
	return true;
}

/* Its spans; false: they cannot be told. */
static bool
find_spans(const pg_tz *zone, ZoneSpans *z)
{
	const pg_time_t last_moment = END_TIMESTAMP / USECS_PER_SEC + SECONDS_TO_2000 - MARGIN;
	const pg_time_t end = year_start(GPUAGG_ZONE_END_YEAR);
	pg_time_t	at = MIN_TIMESTAMP / USECS_PER_SEC + SECONDS_TO_2000 + MARGIN;
	pg_time_t	change = 0;
	long		before;
	long		after;
	long		offset;
	int			found = next_change(zone, at, &before, &change, &after);

	if (found < 0)
		return false;
	if (found > 0 && change < year_start(FIRST_YEAR))
	{
		at = year_start(FIRST_YEAR);
		found = next_change(zone, at, &before, &change, &after);
	}
	z->head.from = moment(at);
	offset = before;
	while (found > 0 && change < end)
	{
		add_span(z, change, offset);
		at = change;
		offset = after;
		found = next_change(zone, at, &before, &change, &after);
	}
	if (found < 0)
		return false;
	add_span(z, found > 0 ? end : last_moment, offset);
	z->head.goes_on = found > 0 && goes_on(zone);
	return are_less_than_a_day(z);
}

/* One slot lies behind the last change, for all that is later. */
static void
choose_slots(ZoneSpans *z)
{
	GpuAggZoneHead *head = &z->head;
	uint64		between;

	head->end = z->spans[head->spans - 1].until;
	head->first = z->spans[0].until;
	head->shift = SLOT_SHIFT;
	head->slots = 1;
	if (head->spans == 1)
		return;
	between = z->spans[head->spans - 2].until - head->first;
	while ((between >> head->shift) + 2 > MAX_SLOTS)
		head->shift++;
	head->slots = (between >> head->shift) + 2;
}

/* In which span each slot begins; the first has what is before it, too. */
static void
fill_index(const GpuAggZoneHead *head, const GpuAggZoneSpan *spans, uint16 *index)
{
	uint32		i = 0;

	for (uint32 slot = 0; slot < head->slots; slot++)
	{
		const int64 begin = head->first + ((int64) slot << head->shift);

		while (slot > 0 && i + 1 < head->spans && spans[i].until <= begin)
			i++;
		index[slot] = i;
	}
}

static void
choose_months(GpuAggZoneHead *head)
{
	const int64 end = moment(year_start(GPUAGG_ZONE_MONTHS_END_YEAR));

	head->months_from = moment(year_start(GPUAGG_ZONE_MONTHS_YEAR));
	head->months = ((end - head->months_from) >> GPUAGG_ZONE_MONTH_SHIFT) + 1;
}

/* Where the month behind that of a local time begins */
static int64
next_month(int64 local)
{
	const GpuAggCivil c = gpuagg_civil(gpuagg_timestamp_day(local));

	return USECS_PER_DAY * (c.month == 12 ? gpuagg_day_number(c.year + 1, 1, 1) :
							gpuagg_day_number(c.year, c.month + 1, 1));
}

/* From a moment on it is the month of this local time. */
static void
begin_month(GpuAggZoneMonth *m, int64 at, int64 local)
{
	uint8		st = GPUAGG_ST_VALUE;
	const int32 day = gpuagg_zone_month_day(local, &st);

	if (day == m->after)
		return;
	m->until = m->until == INT64_MAX ? at : GPUAGG_ZONE_SEVERAL;
	m->after = day;
}

/* The cell from a moment on, which lies in this span */
static GpuAggZoneMonth
month_cell(const GpuAggZoneSpan *span, int64 at)
{
	const int64 end = at + (INT64CONST(1) << GPUAGG_ZONE_MONTH_SHIFT);
	uint8		st = GPUAGG_ST_VALUE;
	const int32 day = gpuagg_zone_month_day(at + span->offset, &st);
	GpuAggZoneMonth m = {INT64_MAX, day, day};

	for (; at < end; span++)
	{
		const int64 stop = Min(end, span->until);
		const int64 next = next_month(at + span->offset);

		begin_month(&m, at, at + span->offset);
		/* a cell is shorter than a month */
		if (next - span->offset < stop)
			begin_month(&m, next - span->offset, next);
		at = stop;
	}
	return m;
}

/* The spans go on behind the last cell. */
static void
fill_months(const GpuAggZoneHead *head, const GpuAggZoneSpan *spans, GpuAggZoneMonth *months)
{
	uint32		i = 0;

	for (uint32 cell = 0; cell < head->months; cell++)
	{
		const int64 begin = head->months_from + ((int64) cell << GPUAGG_ZONE_MONTH_SHIFT);

		while (spans[i].until <= begin)
			i++;
		months[cell] = month_cell(&spans[i], begin);
	}
}

static void
fill_table(const pg_tz *zone)
{
	ZoneSpans	z = {{0}};
	GpuAggZoneHead *head;
	GpuAggZoneSpan *spans;

	if (!find_spans(zone, &z))
		return;
	choose_slots(&z);
	choose_months(&z.head);
	last.table = MemoryContextAlloc(TopMemoryContext, gpuagg_zone_bytes(&z.head));
	last.bytes = gpuagg_zone_bytes(&z.head);
	head = (GpuAggZoneHead *) last.table;
	*head = z.head;
	spans = (GpuAggZoneSpan *) gpuagg_zone_spans(head);
	memcpy(spans, z.spans, head->spans * sizeof(GpuAggZoneSpan));
	fill_months(head, spans, (GpuAggZoneMonth *) gpuagg_zone_months(head));
	fill_index(head, spans, (uint16 *) (spans + head->spans));
	pfree(z.spans);
}

const char *
gpuagg_zone_table(const char *name, GpuAggZoneName kind, uint32 *bytes)
{
	pg_tz	   *zone;

	/* an abbreviation may have come with a setting since */
	if (last.kind != kind || kind == GPUAGG_ZONE_ARGUMENT || strcmp(last.name, name) != 0)
	{
		last.kind = GPUAGG_ZONE_NONE;
		last.bytes = 0;
		if (last.table != NULL)
			pfree(last.table);
		last.table = NULL;
		if ((kind != GPUAGG_ZONE_ARGUMENT || gpuagg_zone_is_full_name(name)) &&
			(zone = zone_named(name)) != NULL)
			fill_table(zone);
		strlcpy(last.name, name, sizeof(last.name));
		last.kind = kind;
	}
	*bytes = last.bytes;
	return last.table;
}
