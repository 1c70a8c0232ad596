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
#include "device/ops/ops_datetime.h"
#include "parser/scansup.h"
#include "pgtime.h"
#include "planner/zone.h"
#include "utils/datetime.h"
#include "utils/formatting.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* Changes that a table has: of a zone with summer time about 330 */
#define FIRST_YEAR 1800

/* The calendar's period, and PostgreSQL's where summer time goes on behind the changes that it knows */
#define PERIOD_YEARS 400

/* From a local time at the very ends of timestamps PostgreSQL may have to raise an error */
#define MARGIN (2 * SECS_PER_DAY)

#define SECONDS_TO_2000 \
	((pg_time_t) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

typedef struct ZoneTable
{
	char		name[TZ_STRLEN_MAX + 1];
	GpuAggZoneName kind;
	int			n;
	int			max;
	GpuAggZoneEntry *entries;	/* in TopMemoryContext */
} ZoneTable;

static ZoneTable last;

static pg_time_t
year_start(int year)
{
	return (pg_time_t) (date2j(year, 1, 1) - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
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
	return strlen(name) <= TZ_STRLEN_MAX && type == UNKNOWN_FIELD && pg_tzset(name) != NULL;
}

static void
add_entry(pg_time_t from, long offset)
{
	if (last.n == last.max)
	{
		last.max = Max(64, last.max * 2);
		last.entries = last.entries == NULL ?
			MemoryContextAlloc(TopMemoryContext, last.max * sizeof(GpuAggZoneEntry)) :
			repalloc(last.entries, last.max * sizeof(GpuAggZoneEntry));
	}
	last.entries[last.n].from = (from - SECONDS_TO_2000) * USECS_PER_SEC;
	last.entries[last.n].offset = offset * USECS_PER_SEC;
	last.n++;
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
	int			found = pg_next_dst_boundary(&at, before, &is_dst[0], change, after, &is_dst[1], zone);

	if (found == 0)
	{
		at++;
		found = pg_next_dst_boundary(&at, before, &is_dst[0], change, after, &is_dst[1], zone);
	}
	if (found > 0 && pg_next_dst_boundary(change, &held, &is_dst[0], &later, &other, &is_dst[1], zone) >= 0 &&
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

static void
fill_table(const pg_tz *zone)
{
	const pg_time_t last_moment = END_TIMESTAMP / USECS_PER_SEC + SECONDS_TO_2000 - MARGIN;
	const pg_time_t end = year_start(GPUAGG_ZONE_END_YEAR);
	pg_time_t	at = MIN_TIMESTAMP / USECS_PER_SEC + SECONDS_TO_2000 + MARGIN;
	pg_time_t	change = 0;
	long		before;
	long		after;
	int			found = next_change(zone, at, &before, &change, &after);

	if (found < 0)
		return;
	if (found > 0 && change < year_start(FIRST_YEAR))
	{
		at = year_start(FIRST_YEAR);
		found = next_change(zone, at, &before, &change, &after);
	}
	add_entry(at, before);
	while (found > 0 && change < end)
	{
		add_entry(change, after);
		at = change;
		found = next_change(zone, at, &before, &change, &after);
	}
	if (found < 0)
	{
		last.n = 0;
		return;
	}
	add_entry(found > 0 ? end : last_moment, 0);
	if (found > 0 && goes_on(zone))
		last.entries[last.n - 1].offset = 1;
}

const char *
gpuagg_zone_table(const char *name, GpuAggZoneName kind, uint32 *bytes)
{
	pg_tz	   *zone;

	/* an abbreviation may have come with a setting since */
	if (last.kind != kind || kind == GPUAGG_ZONE_ARGUMENT || strcmp(last.name, name) != 0)
	{
		last.kind = GPUAGG_ZONE_NONE;
		last.n = 0;
		if (strlen(name) <= TZ_STRLEN_MAX &&
			(kind != GPUAGG_ZONE_ARGUMENT || gpuagg_zone_is_full_name(name)) &&
			(zone = pg_tzset(name)) != NULL)
			fill_table(zone);
		strlcpy(last.name, name, sizeof(last.name));
		last.kind = kind;
	}
	*bytes = last.n * sizeof(GpuAggZoneEntry);
	return (const char *) last.entries;
}
