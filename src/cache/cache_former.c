/*
 * cache_former.c
 *		Where blocks of an extent lay before they were replaced (cache_former.h).
 */
#include "postgres.h"

#include "cache/cache_evict.h"
#include "cache/cache_former.h"
#include "cache/cache_free.h"

/* Formers are looked through for those that nobody reads once there are so many more. */
#define RELEASE_PART 16
#define RELEASE_LEAST 64

/* The version of whoever has used the extent for the longest time */
static uint64
oldest_version(const GpuAggCacheExtent *extent)
{
	uint64		oldest = extent->version;
	dlist_iter	iter;

	dlist_foreach(iter, (dlist_head *) &extent->readers)
		oldest = Min(oldest, dlist_container(GpuAggCacheReader, node, iter.cur)->version);
	return oldest;
}

/* What is no former any more goes: positions that were handed out, and none. */
static void
pack_formers(GpuAggCacheExtent *extent)
{
	const uint64 oldest = oldest_version(extent);
	uint32		n = 0;

	for (uint32 i = 0; i < extent->nformers; i++)
		if (extent->formers[i].block.positions > 0 || extent->formers[i].until > oldest)
			extent->formers[n++] = extent->formers[i];
	extent->nformers = n;
	extent->next_former = 0;
}

/* Room for so many more, and some to spare */
static void
formers_room(GpuAggCacheExtent *extent, uint32 more)
{
	uint32		max = extent->nformers + more;

	if (max <= extent->max_formers)
		return;
	max = Max(max, extent->max_formers + extent->max_formers / 2);
	extent->formers =
		gpuagg_cache_directory_lengthen(extent->table, extent->formers,
										extent->nformers * sizeof(GpuAggCacheFormer),
										max * sizeof(GpuAggCacheFormer));
	extent->max_formers = max;
}

static void
next_version(GpuAggCacheExtent *extent, uint32 formers)
{
	pack_formers(extent);
	formers_room(extent, formers);
	extent->version++;
}

void
gpuagg_cache_formers_begin(GpuAggCacheExtent *extent)
{
	next_version(extent, extent->nplaced);
}

void
gpuagg_cache_former_push(GpuAggCacheExtent *extent, uint32 number, bool begun)
{
	Assert(extent->nformers < extent->max_formers);
	extent->formers[extent->nformers++] = (GpuAggCacheFormer) {
		.number = number,
		.begun = begun,
		.until = extent->version,
		.block = extent->blocks[number]
	};
}

void
gpuagg_cache_former_add(GpuAggCacheExtent *extent, uint32 number)
{
	GpuAggCacheBlock *block = &extent->blocks[number];
	const bool	begun = gpuagg_cache_is_begun(extent, number);

	gpuagg_cache_leave_positions(extent, number);
	if (block->stripe == GPUAGG_NO_STRIPE)
		return;
	extent->moved++;
	gpuagg_cache_former_push(extent, number, begun);
	*block = (GpuAggCacheBlock) {.stripe = GPUAGG_NO_STRIPE};
	extent->nplaced--;
}

/* Has anybody else begun to use the extent in the version that it has? */
static bool
version_is_used(const GpuAggCacheExtent *extent, const GpuAggCacheReader *user)
{
	dlist_iter	iter;

	dlist_foreach(iter, (dlist_head *) &extent->readers)
	{
		const GpuAggCacheReader *reader = dlist_container(GpuAggCacheReader, node, iter.cur);

		if (reader != user && reader->version == extent->version)
			return true;
	}
	return false;
}

void
gpuagg_cache_replace(GpuAggCacheExtent *extent, const GpuAggCacheReader *user, uint32 number)
{
	if (extent->users == 1)
	{
		gpuagg_cache_leave_positions(extent, number);
		return;
	}
	if (version_is_used(extent, user))
		next_version(extent, 1);
	else
		formers_room(extent, 1);
	gpuagg_cache_former_add(extent, number);
}

void
gpuagg_cache_formers_free(GpuAggCacheExtent *extent)
{
	const uint64 oldest = extent->next_former == extent->nformers ? 0 : oldest_version(extent);

	for (; extent->next_former < extent->nformers &&
		   extent->formers[extent->next_former].until <= oldest; extent->next_former++)
		gpuagg_cache_free_add(extent, &extent->formers[extent->next_former].block);
}

static int
version_compare(const void *a, const void *b)
{
	const uint64 x = *(const uint64 *) a;
	const uint64 y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/* The versions of all who use the extent, in order */
static uint32
versions(const GpuAggCacheExtent *extent, uint64 *list)
{
	uint32		n = 0;
	dlist_iter	iter;

	dlist_foreach(iter, (dlist_head *) &extent->readers)
		list[n++] = dlist_container(GpuAggCacheReader, node, iter.cur)->version;
	qsort(list, n, sizeof(uint64), version_compare);
	return n;
}

/* Is a version in the list that is not before `since`, and before `until`? */
static bool
is_between(const uint64 *list, uint32 n, uint64 since, uint64 until)
{
	uint32		i = 0;

	while (i < n && list[i] < since)
		i++;
	return i < n && list[i] < until;
}

/*
 * Frees those that nobody reads; a bit tells of each, from next_former on, whether it is needed.  A
 * block lay somewhere since the version until which it lay elsewhere.
 */
static uint32
free_unread(GpuAggCacheExtent *extent, const uint64 *list, uint32 n, uint64 *needed)
{
	uint64	   *since = palloc0(extent->room * sizeof(uint64));
	uint32		freed = 0;

	for (uint32 i = extent->next_former; i < extent->nformers; i++)
	{
		GpuAggCacheFormer *former = &extent->formers[i];
		const uint32 bit = i - extent->next_former;

		if (former->begun || is_between(list, n, since[former->number], former->until))
			needed[bit / 64] |= UINT64CONST(1) << bit % 64;
		else
		{
			gpuagg_cache_free_add(extent, &former->block);
			freed++;
		}
		since[former->number] = former->until;
	}
	pfree(since);
	return freed;
}

/* Others go: that the next one of their block seems to have been there for longer does no harm. */
static void
keep_needed(GpuAggCacheExtent *extent, const uint64 *needed)
{
	uint32		kept = extent->next_former;

	for (uint32 i = extent->next_former; i < extent->nformers; i++)
		if (gpuagg_bit(needed, i - extent->next_former))
			extent->formers[kept++] = extent->formers[i];
	extent->nformers = kept;
}

uint32
gpuagg_cache_formers_release(GpuAggCacheExtent *extent)
{
	const uint32 step = Max(RELEASE_LEAST, extent->nplaced / RELEASE_PART);
	uint64	   *needed;
	uint64	   *list;
	uint32		freed;
	uint32		n;

	gpuagg_cache_formers_free(extent);
	n = extent->nformers - extent->next_former;
	extent->release_from = Min(extent->release_from, n + step);
	if (n < Max(extent->release_from, 1))
		return 0;
	needed = palloc0(GPUAGG_BITMAP_WORDS((Size) n) * sizeof(uint64));
	list = palloc((extent->users + 1) * sizeof(uint64));
	freed = free_unread(extent, list, versions(extent, list), needed);
	keep_needed(extent, needed);
	extent->release_from = extent->nformers - extent->next_former + step;
	pfree(list);
	pfree(needed);
	return freed;
}

/* Of several formers of a block the first one counts that began later than the reader. */
void
gpuagg_cache_view(const GpuAggCacheExtent *extent, const GpuAggCacheReader *reader,
				  GpuAggCacheView *view)
{
	view->extent = extent;
	view->former = NULL;
	memset(view->elsewhere, 0, sizeof(view->elsewhere));
	for (uint32 i = extent->nformers; i-- > 0 && extent->formers[i].until > reader->version;)
	{
		const uint32 number = extent->formers[i].number;

		if (view->former == NULL)
			view->former = palloc(extent->room * sizeof(uint32));
		view->former[number] = i;
		view->elsewhere[number / 64] |= UINT64CONST(1) << number % 64;
	}
}

void
gpuagg_cache_view_free(GpuAggCacheView *view)
{
	if (view->former != NULL)
		pfree(view->former);
}
