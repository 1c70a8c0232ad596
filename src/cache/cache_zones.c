/*
 * cache_zones.c
 *		What zones save a job of reading (cache_zones.h).
 *
 * A zone is skipped if the filter passes no row between the bounds that its
 * columns have; that they may be too wide does no harm.  It answers only if it
 * is exact: each of its positions belongs to a block that the job uses, and no
 * value went since it came (src/cache/README.md).
 *
 * Other jobs may fill the extent meanwhile.  Positions that they decode into are listed like
 * all that this job does not use, so a zone of theirs does not answer; bounds that they widen
 * still hold.
 */
#include "postgres.h"

#include "cache/cache_memory.h"
#include "cache/cache_zones.h"
#include "device/ops/zone_answer.h"
#include "device/ops/zone_filter.h"

/* A job's questions to zones; cache_job.h */
struct GpuAggCacheZones
{
	GpuAggZoneFilter filter;
	bool		filters;		/* the program has a filter */
	bool		answers;		/* zones can answer it */
	bool		keys;			/* the device may want the range of its keys */
	bool		uses[GPUAGG_MAX_REGS];	/* loaded columns that are asked for */
	const GpuAggZone *columns[GPUAGG_MAX_REGS]; /* zones of a stripe, by register */
	const GpuAggZone *rows;
};

static bool
answers(const GpuAggCacheClient *client)
{
	return gpuagg_zone_answerable(client->program) &&
		gpuagg_answer_wants_all(&client->config->answer) &&
		client->config->sample.method == GPUAGG_SAMPLE_NONE;
}

/* Columns that keys are made of; with computed ones some more, which does no harm */
static void
keys_use(const GpuAggProgram *p, GpuAggCacheZones *zones)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);
	bool		computed = false;

	zones->keys = p->nkeys > 0;
	for (int i = 0; i < p->nkeys; i++)
		if (keys[i].reg < p->ncolumns)
			zones->uses[keys[i].reg] = true;
		else
			computed = true;
	for (int i = 0; computed && i < p->ninstrs; i++)
	{
		const uint16 regs[] = {instrs[i].a, instrs[i].b, instrs[i].c};

		for (int r = 0; r < lengthof(regs); r++)
			if (regs[r] < p->ncolumns)
				zones->uses[regs[r]] = true;
	}
}

static GpuAggCacheZones *
zones_make(GpuAggCacheClient *client)
{
	const GpuAggProgram *p = client->program;
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	GpuAggCacheZones *zones = MemoryContextAllocZero(client->context, sizeof(GpuAggCacheZones));

	gpuagg_zone_filter_init(&zones->filter, p);
	zones->filters = p->filter_reg != GPUAGG_NO_REG;
	zones->answers = answers(client);
	for (int i = 0; i < p->ncolumns; i++)
		zones->uses[i] = zones->filter.uses[i];
	for (int i = 0; zones->answers && i < p->ntransitions; i++)
		if (t[i].arg != GPUAGG_NO_REG)
			zones->uses[t[i].arg] = true;
	keys_use(p, zones);
	return zones;
}

/*
 * Then the device knows the range of these columns, too.  False: it does not
 * tell.
 */
static bool
zones_read(GpuAggCacheZones *zones, const GpuAggProgram *p, GpuAggStripe *stripe, bool busy)
{
	const GpuAggStripeOps *ops = gpuagg_cache_stripe_ops();
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	GpuAggError error;

	if (zones->answers &&
		ops->zones(stripe, GPUAGG_ZONE_ROWS, true, busy, &zones->rows, &error) != GPUAGG_OK)
		return false;
	for (uint32 i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG && zones->uses[attrs[i].reg] &&
			ops->zones(stripe, i, zones->answers, busy, &zones->columns[attrs[i].reg],
					   &error) != GPUAGG_OK)
			return false;
	return true;
}

/* How many positions of [first, end) are listed; *next: the first range that may be */
static uint32
listed(const GpuAggPositions *without, uint32 n, uint32 *next, uint32 first, uint32 end)
{
	uint32		count = 0;

	while (*next < n && without[*next].first + without[*next].count <= first)
		(*next)++;
	for (uint32 i = *next; i < n && without[i].first < end; i++)
		count += Min(without[i].first + without[i].count, end) - Max(without[i].first, first);
	return count;
}

/* Need zone z, of which positions are wanted, not be read?  whole: all are. */
static bool
zone_saves(GpuAggCacheClient *client, const GpuAggCacheStripe *stripe, uint32 z, bool whole)
{
	GpuAggCacheJob *cached = client->cached;
	GpuAggCacheZones *zones = cached->zones;
	const GpuAggZone *columns[GPUAGG_MAX_REGS];
	GpuAggVerdict verdict;

	for (int i = 0; i < client->program->ncolumns; i++)
		columns[i] = zones->uses[i] ? &zones->columns[i][z] : NULL;
	verdict = gpuagg_zone_filter(&zones->filter, columns);
	if (verdict == GPUAGG_VERDICT_NONE)
		cached->zones_count.skipped++;
	else if (verdict == GPUAGG_VERDICT_ALL && zones->answers && whole &&
			 gpuagg_cache_is_tight(stripe, z))
	{
		client->calls->answer(client, &zones->rows[z], columns);
		cached->zones_count.answered++;
	}
	else
	{
		cached->zones_count.read++;
		return false;
	}
	return true;
}

uint32
gpuagg_cache_zones(GpuAggCacheClient *client, const GpuAggCacheExtent *extent,
				   const GpuAggCacheStripe *stripe, GpuAggPositions *without, uint32 n)
{
	GpuAggCacheJob *cached = client->cached;
	GpuAggCacheUse *use = &cached->uses[extent->number];
	GpuAggCacheZones *zones;
	uint32		next = 0;
	uint32		total = n;

	if (cached->zones == NULL)
		cached->zones = zones_make(client);
	zones = cached->zones;
	if (!(zones->filters || zones->answers || zones->keys) ||
		!zones_read(zones, client->program, stripe->stripe, extent->fillers > use->open) ||
		!(zones->filters || zones->answers))
		return n;
	use->extent->zoned |= !stripe->closed;
	for (uint32 z = 0; z < gpuagg_zones(stripe->used); z++)
	{
		uint32		first = z * GPUAGG_ZONE;
		uint32		end = Min(first + GPUAGG_ZONE, stripe->used);
		uint32		less = listed(without, n, &next, first, end);

		if (less == end - first || !zone_saves(client, stripe, z, less == 0))
			continue;
		use->extent->saved |= !stripe->closed;
		without[total++] = (GpuAggPositions) {first, end - first};
	}
	return gpuagg_cache_unite(without, n, total);
}

static int
positions_compare(const void *a, const void *b)
{
	uint32		x = ((const GpuAggPositions *) a)->first;
	uint32		y = ((const GpuAggPositions *) b)->first;

	return x < y ? -1 : x > y;
}

/* The first ones are in order, and so are the others. */
static void
merge(GpuAggPositions *ranges, uint32 sorted, uint32 n)
{
	GpuAggPositions *others = palloc((n - sorted) * sizeof(GpuAggPositions));
	uint32		left = n - sorted;

	memcpy(others, ranges + sorted, left * sizeof(GpuAggPositions));
	while (left > 0)
		if (sorted > 0 && ranges[sorted - 1].first > others[left - 1].first)
		{
			sorted--;
			ranges[sorted + left] = ranges[sorted];
		}
		else
		{
			left--;
			ranges[sorted + left] = others[left];
		}
	pfree(others);
}

uint32
gpuagg_cache_unite(GpuAggPositions *ranges, uint32 sorted, uint32 n)
{
	uint32		last = 0;

	if (n > sorted)
	{
		qsort(ranges + sorted, n - sorted, sizeof(GpuAggPositions), positions_compare);
		merge(ranges, sorted, n);
	}
	for (uint32 i = 1; i < n; i++)
	{
		uint32		end = ranges[last].first + ranges[last].count;

		if (ranges[i].first > end)
			ranges[++last] = ranges[i];
		else
			ranges[last].count = Max(end, ranges[i].first + ranges[i].count) - ranges[last].first;
	}
	return n == 0 ? 0 : last + 1;
}
