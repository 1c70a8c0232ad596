/*
 * cache_map.c
 *		MAP messages: what a job uses of an extent, and may fill (cache_map.h).
 *
 * The positions of the blocks that are used are read as one batch of each
 * stripe, which is given the ranges of all other positions.  Draws wait for
 * the last extent.
 */
#include "postgres.h"

#include "cache/cache_batches.h"
#include "cache/cache_former.h"
#include "cache/cache_free.h"
#include "cache/cache_map.h"
#include "cache/cache_pages.h"
#include "cache/cache_publish.h"
#include "cache/cache_settled.h"
#include "cache/cache_wal.h"
#include "cache/cache_zones.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

/* A MAP message and what lies behind it */
typedef struct GpuAggCacheMap
{
	const GpuAggMapMsg *msg;
	uint64	   *bits;			/* of its blocks; own copy.  NULL: all */
	const uint64 *current;		/* those of what CACHED told that are used; NULL: all */
	const uint64 *check;		/* blocks that have an LSN; NULL: none */
	const uint64 *lsns;			/* of these, in order */
	bool		believed;		/* GPUAGG_FAULT_LSNS: whatever they are */
} GpuAggCacheMap;

/* Bytes of a message behind its head, if these are right */
static Size
map_bytes(const GpuAggMapMsg *msg)
{
	const Size	bits = GPUAGG_BITMAP_WORDS((Size) msg->nblocks) * sizeof(uint64);

	return (msg->whole ? 0 : bits) +
		(msg->checked == 0 && msg->current != 2 ? 0 : bits + (Size) msg->checked * sizeof(uint64));
}

/* NULL, or what is wrong with a MAP message */
static const char *
map_wrong(const GpuAggCacheClient *client, const GpuAggMapMsg *msg, Size bytes)
{
	const GpuAggCacheJob *cached = client->cached;
	const GpuAggCacheUse *use;

	if (cached == NULL || !cached->begun || bytes < sizeof(GpuAggMapMsg))
		return "unexpected MAP message";
	if (msg->nblocks > GPUAGG_EXTENT_BLOCKS || bytes != sizeof(GpuAggMapMsg) + map_bytes(msg))
		return "garbled MAP message";
	if (cached->nuses == 0)
		return msg->use ? "MAP message about nothing" : NULL;
	if (msg->extent >= cached->nuses ||
		msg->nblocks > gpuagg_extent_blocks(msg->extent, cached->nblocks))
		return "MAP message about no extent";
	use = &cached->uses[msg->extent];
	if (use->validated || (msg->checked > 0 && !msg->use) ||
		(msg->use && (!use->user || use->reading)) ||
		(msg->current && (msg->checked > 0 || !msg->use || !use->current)) ||
		(msg->map_lsn == 0 && msg->whole && !msg->current))
		return "MAP message out of order";
	if (msg->use && msg->checked == 0 && !msg->current && msg->map_lsn != use->reader.map_lsn)
		return "MAP message for another LSN";
	return NULL;
}

static uint32
count_bits(const uint64 *bits, uint32 words)
{
	uint32		n = 0;

	for (uint32 w = 0; w < words; w++)
		n += pg_popcount64(bits[w]);
	return n;
}

/*
 * Lays out the message; bits beyond its blocks are cleared.  False: there are not as many LSNs
 * as bits tell, or of blocks that it is not about.
 */
static bool
map_read(const GpuAggMapMsg *msg, GpuAggCacheMap *map)
{
	uint32		words = GPUAGG_BITMAP_WORDS(msg->nblocks);
	const char *at = (const char *) (msg + 1);

	map->msg = msg;
	map->bits = NULL;
	if (!msg->whole)
	{
		map->bits = palloc((words + 1) * sizeof(uint64));
		memcpy(map->bits, at, words * sizeof(uint64));
		at += words * sizeof(uint64);
		if (msg->nblocks % 64 != 0)
			map->bits[words - 1] &= (UINT64CONST(1) << msg->nblocks % 64) - 1;
	}
	map->current = map->check = map->lsns = NULL;
	if (msg->current == 2)
		map->current = (const uint64 *) at;
	if (msg->checked == 0)
		return true;
	map->check = (const uint64 *) at;
	map->lsns = map->check + words;
	return count_bits(map->check, words) == msg->checked &&
		(msg->nblocks % 64 == 0 || map->check[words - 1] >> msg->nblocks % 64 == 0);
}

/* Bits of 64 blocks */
static uint64
map_word(const GpuAggCacheMap *map, uint32 w)
{
	const uint32 nblocks = map->msg->nblocks;

	if (map->bits != NULL)
		return map->bits[w];
	return w == nblocks / 64 ? (UINT64CONST(1) << nblocks % 64) - 1 : PG_UINT64_MAX;
}

/* Into "same": which of an extent's blocks are held with the LSNs that their pages have */
static void
map_same(const GpuAggCacheMap *map, const GpuAggCacheView *view, uint64 *same)
{
	const uint32 room = view->extent->room;
	const uint64 *lsn = map->lsns;

	memset(same, 0, GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS) * sizeof(uint64));
	for (uint32 w = 0; map->check != NULL && w < GPUAGG_BITMAP_WORDS(map->msg->nblocks); w++)
	{
		for (uint64 left = map->check[w]; left != 0; left &= left - 1, lsn++)
		{
			const uint32 i = w * 64 + pg_rightmost_one_pos64(left);

			if (i < room && ((*lsn != 0 && *lsn == gpuagg_cache_view_block(view, i)->lsn) ||
							 map->believed))
				same[w] |= left & -left;
		}
	}
}

/*
 * Brings the extent up to the map page as it is now: what is not known to be the same is
 * forgotten, or, if others use the extent, stays as it is for them alone.  A map page that
 * is older than what is known tells nothing, without LSNs nothing is known of what is
 * held, and who does not see all of it, or looks at a sample, leaves it to others.  Who
 * fills by an older map page is done with that.
 */
static void
map_renew(const GpuAggCacheClient *client, const GpuAggCacheMap *map, GpuAggCacheUse *use)
{
	GpuAggCacheExtent *extent = use->extent;
	const bool	shared = extent->users > 1;
	const GpuAggCacheReader now = {.version = extent->version};
	GpuAggCacheView view;
	uint64		same[GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS)];

	if (map->msg->map_lsn <= extent->map_lsn || use->hidden || use->reading || map->msg->current ||
		client->config->sample.method != GPUAGG_SAMPLE_NONE ||
		(map->check == NULL && gpuagg_cache_has_any(extent)))
		return;
	gpuagg_cache_view(extent, &now, &view);
	map_same(map, &view, same);
	if (shared)
		gpuagg_cache_formers_begin(extent);
	for (uint32 i = 0; i < extent->room; i++)
		if (gpuagg_bit(same, i))
			continue;
		else if (shared)
			gpuagg_cache_former_add(extent, i);
		else
			gpuagg_cache_forget(extent, i);
	if (!shared)
		gpuagg_cache_begin_anew(extent);
	use->reader.version = extent->version;
	use->moved = true;
	extent->map_lsn = map->msg->map_lsn;
	gpuagg_cache_note_kept();
}

/*
 * Into `used`: blocks that the task reads from the extent; none but what CACHED
 * told, for the client feeds all others.  They are all-visible by the map page that is
 * remembered, or their pages have the LSNs that they are held with.  What others have brought
 * since CACHED, and the task has moved on to, its snapshot may not see.  Returns how many.
 */
static uint32
map_used(const GpuAggCacheClient *client, const GpuAggCacheMap *map,
		 const GpuAggCacheUse *use, const GpuAggCacheView *view, uint64 *used)
{
	const GpuAggCacheJob *cached = client->cached;
	uint32		nblocks = map->msg->nblocks;
	uint32		words = GPUAGG_BITMAP_WORDS(nblocks);
	uint32		told = Min(words, GPUAGG_BITMAP_WORDS(use->nblocks));
	const bool	known = map->msg->map_lsn != 0 && map->msg->map_lsn == use->reader.map_lsn;
	uint64		same[GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS)];
	uint32		n = 0;

	/* of another version all is there that CACHED told */
	if (use->reader.version != use->extent->version)
		memset(used, 0xFF, words * sizeof(uint64));
	else
		n = gpuagg_cache_held(use->extent, cached->columns, cached->ncolumns, nblocks, used);
	/* all, as nearly always */
	if (n == nblocks && (map->bits == NULL || map->msg->current == 1) && map->check == NULL &&
		map->current == NULL && use->announced == NULL &&
		use->nblocks >= nblocks)
		return n;
	map_same(map, view, same);
	for (uint32 w = 0; map->current != NULL && w < told; w++)
		used[w] &= map->current[w];
	for (uint32 w = 0; !map->msg->current && w < told; w++)
		used[w] &= (known ? map_word(map, w) : 0) | same[w];
	for (uint32 w = 0; map->check != NULL && w < told; w++)
		used[w] &= same[w] | ~map->check[w];
	for (uint32 w = 0; use->announced != NULL && w < told; w++)
		used[w] &= use->announced[w];
	if (use->announced == NULL && use->nblocks / 64 < told)
		used[use->nblocks / 64] &= (UINT64CONST(1) << use->nblocks % 64) - 1;
	memset(used + told, 0, (words - told) * sizeof(uint64));
	n = count_bits(used, words);
	return use->moved ?
		gpuagg_cache_seen(use->extent, &client->request.snapshot, nblocks, used, n) : n;
}

/* Does a task, to which blocks lie as in `view`, read a block at its positions? */
static bool
is_read(const GpuAggCacheView *view, const uint64 *used, uint32 nblocks, uint32 number,
		const GpuAggCacheBlock *block)
{
	const GpuAggCacheBlock *at;

	if (number >= nblocks || !gpuagg_bit(used, number))
		return false;
	at = gpuagg_cache_view_block(view, number);
	return at->stripe == block->stripe && at->position == block->position;
}

/*
 * Positions of a stripe that belong to blocks which are not used, and those at its
 * end, in order.  One element more than there are blocks, formers and free ranges is enough.
 */
static uint32
stripe_without(const GpuAggCacheView *view, int stripe, const uint64 *used, uint32 nblocks,
			   GpuAggPositions *without)
{
	const GpuAggCacheExtent *extent = view->extent;
	const GpuAggCacheStripe *s = &extent->stripes[stripe];
	const uint32 nfree = gpuagg_cache_free_list(extent, stripe, without);
	uint32		n = nfree;

	for (uint32 i = 0; i < extent->room; i++)
	{
		const GpuAggCacheBlock *block = &extent->blocks[i];

		if (i % 64 == 0 && i + 64 <= nblocks && used[i / 64] == PG_UINT64_MAX &&
			view->elsewhere[i / 64] == 0)
			i += 63;
		else if (block->stripe == stripe && block->positions > 0 &&
				 !is_read(view, used, nblocks, i, block))
			without[n++] = (GpuAggPositions) {block->position, block->positions};
	}
	for (uint32 i = extent->next_former; i < extent->nformers; i++)
	{
		const GpuAggCacheFormer *former = &extent->formers[i];

		if (former->block.stripe == stripe && former->block.positions > 0 &&
			!is_read(view, used, nblocks, former->number, &former->block))
			without[n++] = (GpuAggPositions) {former->block.position, former->block.positions};
	}
	if (s->used < s->positions)
		without[n++] = (GpuAggPositions) {s->used, s->positions - s->used};
	return gpuagg_cache_unite(without, nfree, n);
}

/* stripe_without from the blocks that are used, quicker if these are few: what lies between them */
static uint32
stripe_between(const GpuAggCacheView *view, int stripe, const uint64 *used, uint32 nblocks,
			   GpuAggPositions *without)
{
	const uint32 positions = view->extent->stripes[stripe].positions;
	uint32		n = 0;
	uint32		from = 0;
	uint32		gaps = 0;

	for (uint32 w = 0; w < GPUAGG_BITMAP_WORDS(nblocks); w++)
		for (uint64 left = used[w]; left != 0; left &= left - 1)
		{
			const uint32 number = w * 64 + pg_rightmost_one_pos64(left);
			const GpuAggCacheBlock *block;

			if (number >= Min(nblocks, view->extent->room))
				break;
			block = gpuagg_cache_view_block(view, number);
			if (block->stripe == stripe && block->positions > 0)
				without[n++] = (GpuAggPositions) {block->position, block->positions};
		}
	n = gpuagg_cache_unite(without, 0, n);
	for (uint32 i = 0; i < n; i++)
	{
		const GpuAggPositions read = without[i];

		if (read.first > from)
			without[gaps++] = (GpuAggPositions) {from, read.first - from};
		from = read.first + read.count;
	}
	if (from < positions)
		without[gaps++] = (GpuAggPositions) {from, positions - from};
	return gaps;
}

#ifdef USE_ASSERT_CHECKING
static bool
same_between(const GpuAggCacheView *view, int stripe, const uint64 *used, uint32 nblocks,
			 const GpuAggPositions *without, uint32 n)
{
	GpuAggPositions *between = palloc((nblocks + 1) * sizeof(GpuAggPositions));
	const uint32 gaps = stripe_between(view, stripe, used, nblocks, between);
	const bool	same = gaps == n && memcmp(between, without, n * sizeof(GpuAggPositions)) == 0;

	pfree(between);
	return same;
}
#endif

static void
reply_done(GpuAggCacheClient *client, uint64 batch_id)
{
	GpuAggMsg	done = {.type = GPUAGG_MSG_BATCH_DONE,.batch_id = batch_id};

	client->calls->reply(client, &done, sizeof(done));
}

/* Does a list of ranges leave nothing of a stripe? */
static bool
lists_all(const GpuAggCacheStripe *stripe, const GpuAggPositions *without, uint32 n)
{
	return n > 0 && without[0].first == 0 && without[0].count >= stripe->positions;
}

/* Hands the used blocks to the device, but for what zones save. */
static void
use_stripes(GpuAggCacheClient *client, const GpuAggCacheUse *use, uint64 batch_id,
		  const uint64 *used, uint32 nblocks, bool tell)
{
	const GpuAggCacheExtent *extent = use->extent;
	GpuAggCacheBatch *batch = gpuagg_cache_batch_add(client, batch_id, 0);
	const bool	few = count_bits(used, GPUAGG_BITMAP_WORDS(nblocks)) < nblocks / 2;
	GpuAggCacheView view;

	/* again, if positions have been handed out since it began */
	if (gpuagg_sample_of_lines(&client->config->sample))
		(void) gpuagg_cache_pages_tell(use->extent);
	gpuagg_cache_view(extent, &use->reader, &view);
	for (int i = 0; i < extent->nstripes; i++)
	{
		const GpuAggCacheStripe *stripe = &extent->stripes[i];
		GpuAggPositions *without;
		uint32		n;

		if (stripe->stripe == NULL)
			continue;
		without = palloc((extent->room + extent->nformers + extent->free.n + 1 +
						  GPUAGG_ZONE_RANGES(stripe)) *
						 sizeof(GpuAggPositions));
		/* what lies in a closed stripe, and is nobody's any more, is not told by anything else */
		n = few || stripe->closed ? stripe_between(&view, i, used, nblocks, without) :
			stripe_without(&view, i, used, nblocks, without);
		Assert(few || stripe->closed || same_between(&view, i, used, nblocks, without, n));
		if (!lists_all(stripe, without, n))
			n = gpuagg_cache_zones(client, extent, stripe, without, n);
		if (!lists_all(stripe, without, n))
		{
			if (!client->calls->resident(client, batch_id, stripe->stripe, without, n))
			{
				gpuagg_cache_view_free(&view);
				return;
			}
			batch->parts++;
		}
		pfree(without);
	}
	if (batch->parts == 0)
	{
		if (tell)
			reply_done(client, batch_id);
		gpuagg_cache_batch_remove(batch);
	}
	gpuagg_cache_view_free(&view);
}

/* Bits of so many blocks */
static void
all_blocks(uint32 nblocks, uint64 *bits)
{
	memset(bits, 0, GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS) * sizeof(uint64));
	memset(bits, 0xFF, nblocks / 64 * sizeof(uint64));
	if (nblocks % 64 != 0)
		bits[nblocks / 64] = (UINT64CONST(1) << nblocks % 64) - 1;
}

void
gpuagg_cache_use(GpuAggCacheClient *client, uint32 extent, uint64 batch_id, const uint64 *used,
				 uint32 nblocks)
{
	uint64		all[GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS)];

	if (used == NULL)
	{
		all_blocks(nblocks, all);
		used = all;
	}
	use_stripes(client, &client->cached->uses[extent], batch_id, used, nblocks, false);
}

/*
 * The positions of an extent's blocks that are used, behind n ranges; returns how many there
 * are.
 */
static uint32
draw_extent_ranges(const GpuAggCacheUse *use, GpuAggStripeRange *ranges, uint32 n)
{
	GpuAggCacheView view;

	gpuagg_cache_view(use->extent, &use->reader, &view);
	for (uint32 i = 0; i < use->extent->room; i++)
	{
		const GpuAggCacheBlock *b;
		GpuAggStripe *stripe;

		if (!gpuagg_bit(use->drawn, i))
			continue;
		b = gpuagg_cache_view_block(&view, i);
		if (b->positions == 0)
			continue;
		stripe = use->extent->stripes[b->stripe].stripe;
		if (n > 0 && ranges[n - 1].stripe == stripe &&
			ranges[n - 1].positions.first + ranges[n - 1].positions.count == b->position)
			ranges[n - 1].positions.count += b->positions;
		else
			ranges[n++] = (GpuAggStripeRange) {stripe, {b->position, b->positions}};
	}
	gpuagg_cache_view_free(&view);
	return n;
}

/*
 * The positions of the blocks that are used, in the order of the table; returns the number
 * of ranges.
 */
static uint32
draw_ranges(const GpuAggCacheJob *cached, GpuAggStripeRange *ranges)
{
	uint32		n = 0;

	for (uint32 i = 0; i < cached->nuses; i++)
		if (cached->uses[i].drawn != NULL)
			n = draw_extent_ranges(&cached->uses[i], ranges, n);
	return n;
}

/*
 * Draws need to know of every row which one it is: they are made once all blocks
 * that may hold rows are used, as the batch of the last extent.  If that never comes
 * to be, the client gives up.
 */
static void
draw_extent(GpuAggCacheClient *client, GpuAggCacheUse *use, uint64 batch_id, const uint64 *used,
			uint32 nblocks)
{
	const Size	bytes = GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS) * sizeof(uint64);
	GpuAggCacheJob *cached = client->cached;
	GpuAggStripeRange *ranges;
	uint32		n;

	for (uint32 i = 0; i < nblocks; i++)
		cached->ndrawn += gpuagg_bit(used, i);
	use->drawn = MemoryContextAlloc(client->context, bytes);
	memcpy(use->drawn, used, bytes);
	if (cached->ndrawn < client->request.written || cached->drawing)
	{
		reply_done(client, batch_id);
		return;
	}
	cached->drawing = true;
	ranges = MemoryContextAllocHuge(client->context,
									cached->nblocks * sizeof(GpuAggStripeRange));
	n = draw_ranges(cached, ranges);
	(void) client->calls->draws(client, batch_id, ranges, n);
	pfree(ranges);
}

static void
reply_validated(GpuAggCacheClient *client, const GpuAggMapMsg *msg, const uint64 *used)
{
	GpuAggValidatedMsg validated = {
		.msg.type = GPUAGG_MSG_VALIDATED,
		.msg.batch_id = msg->msg.batch_id,
		.extent = msg->extent,
		.nblocks = msg->nblocks
	};

	memcpy(validated.used, used, GPUAGG_BITMAP_WORDS(msg->nblocks) * sizeof(uint64));
	client->calls->reply(client, &validated, sizeof(validated));
}

/* Blocks that are missing may be filled, but by a map page that is too old. */
static void
use_may_fill(GpuAggCacheClient *client, const GpuAggCacheMap *map, GpuAggCacheUse *use)
{
	GpuAggCacheExtent *extent = use->extent;

	if (!client->cached->may_fill || map->msg->map_lsn < extent->map_lsn ||
		!gpuagg_cache_may_have(extent, client->cached->columns, client->cached->ncolumns))
		return;
	use->filler = true;
	use->map_lsn = map->msg->map_lsn;
}

/* Equal for two users to whom blocks lie, and lay, at the same positions */
static uint64
use_version(const GpuAggCacheUse *use)
{
	return use->reader.version == use->extent->version ? use->extent->forgotten :
		~use->reader.version;
}

/* Hands used blocks to the device, now or later. */
static void
use_blocks(GpuAggCacheClient *client, const GpuAggCacheUse *use, uint64 batch_id,
		   const uint64 *used, uint32 nused, uint32 nblocks)
{
	if (client->request.compare ||
		client->calls->hold(client, use->extent->number, use_version(use),
							nused < nblocks ? used : NULL, nblocks))
		reply_done(client, batch_id);
	else
		use_stripes(client, use, batch_id, used, nblocks, true);
}

void
gpuagg_cache_use_current(GpuAggCacheClient *client, GpuAggCacheUse *use, uint64 batch_id)
{
	const uint32 nblocks = gpuagg_extent_blocks(use->extent->number, client->cached->nblocks);
	const uint32 words = GPUAGG_BITMAP_WORDS(nblocks);
	uint64		used[GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS)];

	use->reading = true;
	if (use->announced == NULL)
		all_blocks(use->nblocks, used);
	else
	{
		memset(used, 0, sizeof(used));
		memcpy(used, use->announced, GPUAGG_BITMAP_WORDS(use->nblocks) * sizeof(uint64));
	}
	use_blocks(client, use, batch_id, used, count_bits(used, words), nblocks);
}

void
gpuagg_cache_map(GpuAggCacheClient *client, const GpuAggMsg *head, Size bytes)
{
	const GpuAggMapMsg *msg = (const GpuAggMapMsg *) head;
	const char *wrong = map_wrong(client, msg, bytes);
	uint64		used[GPUAGG_BITMAP_WORDS(GPUAGG_EXTENT_BLOCKS)];
	uint32		nused = 0;
	GpuAggCacheMap map;
	GpuAggCacheUse *use;

	if (wrong != NULL)
	{
		client->calls->fail(client, wrong);
		return;
	}
	use = client->cached->nuses > 0 ? &client->cached->uses[msg->extent] : NULL;
	if (use == NULL || use->extent == NULL)
		return;
	if (!map_read(msg, &map))
	{
		client->calls->fail(client, "garbled MAP message");
		return;
	}
	map.believed = client->config->fault == GPUAGG_FAULT_LSNS;
	use->validated = true;
	map_renew(client, &map, use);
	if (msg->use)
	{
		GpuAggCacheView view;

		gpuagg_cache_view(use->extent, &use->reader, &view);
		nused = map_used(client, &map, use, &view, used);
		gpuagg_cache_view_free(&view);
		if (!msg->current && !map.believed && use->reader.version == use->extent->version)
			gpuagg_cache_wal_confirm(use->extent, used, msg->nblocks, client->cached->followed);
	}
	else
		memset(used, 0, GPUAGG_BITMAP_WORDS(msg->nblocks) * sizeof(uint64));
	if (nused < msg->nblocks)
		use_may_fill(client, &map, use);
	if (msg->checked > 0)
		reply_validated(client, msg, used);
	if (msg->use && gpuagg_cache_draws(client))
		draw_extent(client, use, msg->msg.batch_id, used, msg->nblocks);
	else if (msg->use)
		use_blocks(client, use, msg->msg.batch_id, used, nused, msg->nblocks);
	if (map.bits != NULL)
		pfree(map.bits);
}
