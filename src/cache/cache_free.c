/*
 * cache_free.c
 *		Positions of an extent that belong to no block any more (cache_free.h).
 *
 * Ranges lie in order, and no two are neighbours: who reads a stripe leaves them all out, and pages
 * that have grown fit where several others were.  An extent whose pages have changed may have as
 * many ranges as pages, and each page looks for one, most of them too short for it.  So they are
 * kept by parts of a stripe: a part knows how many positions its ranges have at most, and is
 * searched from where one was found last.
 */
#include "postgres.h"

#include "cache/cache_evict.h"
#include "cache/cache_free.h"

/*
 * Positions of a part: as those of a zone, some hundred pages.  Each task looks through all parts;
 * ranges of one are looked through by who needs positions.
 */
#define PART_LOG2 GPUAGG_ZONE_LOG2

#define FEW_RANGES 8

static uint32
stripe_parts(const GpuAggCacheExtent *extent, uint32 stripe)
{
	return (extent->stripes[stripe].positions >> PART_LOG2) + 1;
}

/* Where a stripe's parts begin */
static uint32
first_part(const GpuAggCacheExtent *extent, uint32 stripe)
{
	uint32		first = 0;

	for (uint32 i = 0; i < stripe; i++)
		first += stripe_parts(extent, i);
	return first;
}

/* Which stripe's a part is */
static uint32
stripe_of_part(const GpuAggCacheExtent *extent, uint32 number)
{
	uint32		stripe = 0;

	while (first_part(extent, stripe + 1) <= number)
		stripe++;
	return stripe;
}

/* The one in which a range begins at a position */
static GpuAggCacheFreePart *
part_at(const GpuAggCacheExtent *extent, uint32 stripe, uint32 position)
{
	return &extent->free.parts[first_part(extent, stripe) + (position >> PART_LOG2)];
}

/* The number of a part's first range that does not begin before a position */
static uint32
ranges_from(const GpuAggCacheFreePart *part, uint32 position)
{
	uint32		low = 0;
	uint32		high = part->n;

	while (low < high)
	{
		const uint32 middle = low + (high - low) / 2;

		if (part->ranges[middle].first < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
range_remove(GpuAggCacheExtent *extent, GpuAggCacheFreePart *part, uint32 at)
{
	part->n--;
	extent->free.n--;
	memmove(&part->ranges[at], &part->ranges[at + 1], (part->n - at) * sizeof(GpuAggPositions));
}

/* Into the part where it begins */
static void
range_insert(GpuAggCacheExtent *extent, GpuAggCacheFreePart *part, GpuAggPositions range)
{
	const uint32 at = ranges_from(part, range.first);

	if (part->n == part->max)
	{
		const uint32 max = Max(FEW_RANGES, 2 * part->max);

		part->ranges = gpuagg_cache_directory_lengthen(extent->table, part->ranges,
													   part->n * sizeof(GpuAggPositions),
													   max * sizeof(GpuAggPositions));
		part->max = max;
	}
	memmove(&part->ranges[at + 1], &part->ranges[at], (part->n - at) * sizeof(GpuAggPositions));
	part->ranges[at] = range;
	part->n++;
	part->most = Max(part->most, range.count);
	extent->free.n++;
}

/* Parts for all stripes that there are */
static void
add_parts(GpuAggCacheExtent *extent)
{
	GpuAggCacheFree *all = &extent->free;
	const uint32 nparts = first_part(extent, extent->nstripes);

	Assert(nparts >= all->nparts);
	if (nparts == all->nparts)
		return;
	all->parts = gpuagg_cache_directory_lengthen(extent->table, all->parts,
												 all->nparts * sizeof(GpuAggCacheFreePart),
												 nparts * sizeof(GpuAggCacheFreePart));
	memset(&all->parts[all->nparts], 0, (nparts - all->nparts) * sizeof(GpuAggCacheFreePart));
	all->nparts = nparts;
}

/* Takes the range away that ends where another one of the stripe begins; false: none does. */
static bool
take_before(GpuAggCacheExtent *extent, uint32 stripe, uint32 position, GpuAggPositions *before)
{
	const GpuAggCacheFreePart *first = part_at(extent, stripe, 0);
	GpuAggCacheFreePart *part = part_at(extent, stripe, position);
	uint32		at = ranges_from(part, position);

	while (at == 0 && part > first)
		at = (--part)->n;
	if (at == 0)
		return false;
	*before = part->ranges[at - 1];
	if (before->first + before->count != position)
		return false;
	range_remove(extent, part, at - 1);
	return true;
}

/* Takes the range away that begins at a position; false: none does. */
static bool
take_at(GpuAggCacheExtent *extent, uint32 stripe, uint32 position, GpuAggPositions *range)
{
	GpuAggCacheFreePart *part = part_at(extent, stripe, position);
	const uint32 at = ranges_from(part, position);

	if (at == part->n || part->ranges[at].first != position)
		return false;
	*range = part->ranges[at];
	range_remove(extent, part, at);
	return true;
}

/* Nobody gets positions of a closed stripe; it goes with the last former. */
static void
closed_leave(GpuAggCacheStripe *stripe, GpuAggCacheBlock *block)
{
	block->stripe = GPUAGG_NO_STRIPE;
	block->positions = 0;
	if (--stripe->formers == 0)
		gpuagg_cache_stripe_gone(stripe);
}

void
gpuagg_cache_free_add(GpuAggCacheExtent *extent, GpuAggCacheBlock *block)
{
	GpuAggPositions range = {block->position, block->positions};
	GpuAggPositions other;

	if (block->stripe == GPUAGG_NO_STRIPE || block->positions == 0)
		return;
	if (extent->stripes[block->stripe].closed)
	{
		closed_leave(&extent->stripes[block->stripe], block);
		return;
	}
	add_parts(extent);
	extent->stripes[block->stripe].left += range.count;
	if (take_before(extent, block->stripe, range.first, &other))
		range = (GpuAggPositions) {other.first, other.count + range.count};
	if (take_at(extent, block->stripe, range.first + range.count, &other))
		range.count += other.count;
	range_insert(extent, part_at(extent, block->stripe, range.first), range);
	block->stripe = GPUAGG_NO_STRIPE;
	block->positions = 0;
}

/* The number of a part's range that has so many; its n: none has. */
static uint32
find(GpuAggCacheFreePart *part, uint32 positions)
{
	uint32		most = 0;

	if (positions > part->most)
		return part->n;
	for (uint32 i = 0, at = part->next; i < part->n; i++, at++)
	{
		if (at >= part->n)
			at = 0;
		if (part->ranges[at].count >= positions)
		{
			part->next = at;
			return at;
		}
		most = Max(most, part->ranges[at].count);
	}
	part->most = most;
	return part->n;
}

/* The first positions of a part's range */
static void
take(GpuAggCacheExtent *extent, uint32 stripe, GpuAggCacheFreePart *part, uint32 at,
	 uint32 positions, GpuAggCacheBlock *block)
{
	GpuAggPositions range = part->ranges[at];

	block->stripe = (uint8) stripe;
	block->position = range.first;
	block->positions = (uint16) positions;
	extent->stripes[stripe].told = false;
	extent->stripes[stripe].left -= positions;
	range.first += positions;
	range.count -= positions;
	if (range.count > 0 && range.first >> PART_LOG2 == block->position >> PART_LOG2)
	{
		part->ranges[at] = range;
		return;
	}
	range_remove(extent, part, at);
	if (range.count > 0)
		range_insert(extent, part_at(extent, stripe, range.first), range);
}

bool
gpuagg_cache_free_take(GpuAggCacheExtent *extent, uint32 positions, GpuAggCacheBlock *block)
{
	GpuAggCacheFree *all = &extent->free;

	for (uint32 i = 0, number = all->next; i < all->nparts; i++, number++)
	{
		GpuAggCacheFreePart *part;
		uint32		stripe;
		uint32		at;

		if (number >= all->nparts)
			number = 0;
		part = &all->parts[number];
		at = find(part, positions);
		if (at == part->n)
			continue;
		stripe = stripe_of_part(extent, number);
		if (extent->stripes[stripe].packed)
			continue;
		all->next = number;
		take(extent, stripe, part, at, positions, block);
		return true;
	}
	return false;
}

uint32
gpuagg_cache_free_most(const GpuAggCacheExtent *extent)
{
	uint32		most = 0;

	for (uint32 i = 0; i < extent->free.nparts; i++)
		for (uint32 k = 0; k < extent->free.parts[i].n &&
			 !extent->stripes[stripe_of_part(extent, i)].packed; k++)
			most = Max(most, extent->free.parts[i].ranges[k].count);
	return most;
}

uint32
gpuagg_cache_free_list(const GpuAggCacheExtent *extent, uint32 stripe, GpuAggPositions *list)
{
	const uint32 first = first_part(extent, stripe);
	const uint32 end = Min(first + stripe_parts(extent, stripe), extent->free.nparts);
	uint32		n = 0;

	for (uint32 i = first; i < end; i++)
		for (uint32 k = 0; k < extent->free.parts[i].n; k++)
		{
			list[n] = extent->free.parts[i].ranges[k];
			Assert(n == 0 || list[n - 1].first + list[n - 1].count < list[n].first);
			n++;
		}
	return n;
}
