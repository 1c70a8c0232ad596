/*
 * zone.c
 *		Time zones as devices see them (zone.h).
 *
 * A table has the moments at which a zone's offset changes, found with PostgreSQL's own
 * functions, from the first change on that there is.  It ends in 2100 where summer time goes on;
 * later moments are left to PostgreSQL, value by value.  Of zones without it the table has all
 * moments, also the years 1 and 9999 that stand for "always".
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
#define END_YEAR 2100

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

/* The next change behind a moment: < 0 unknown, 0 none, else when, and the offsets on both sides */
static int
next_change(const pg_tz *zone, pg_time_t at, long *before, pg_time_t *change, long *after)
{
	int			before_is_dst;
	int			after_is_dst;

	return pg_next_dst_boundary(&at, before, &before_is_dst, change, after, &after_is_dst, zone);
}

static void
fill_table(const pg_tz *zone)
{
	const pg_time_t last_moment = END_TIMESTAMP / USECS_PER_SEC + SECONDS_TO_2000 - MARGIN;
	const pg_time_t end = year_start(END_YEAR);
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
	add_entry(found > 0 ? end : last_moment, 0);
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
