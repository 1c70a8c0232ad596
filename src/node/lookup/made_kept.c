/*
 * made_kept.c
 *		Look-up tables of earlier statements of this session (made_kept.h).
 *
 * A table was made of columns that are kept, all pages of the relation being all-visible, or new.
 * While each of them is and the visibility map's pages have the LSNs that they had, nothing
 * has changed: a page that changes is not all-visible, and what calls it all-visible again is
 * WAL-logged (src/cache/VALIDITY.md).  So a table is as good as a new one, to every snapshot that
 * may use kept columns at all.
 *
 * Strings of a table are read by statements that are under way, of cursors say, while
 * others begin; they stay until none of these is left.
 */
#include "postgres.h"

#include "compat.h"
#include "device/ops/lookup_make.h"
#include "heap/written.h"
#include "ipc/made_shared.h"
#include "ipc/shmem.h"
#include "lib/ilist.h"
#include "node/lookup/filters.h"
#include "node/lookup/made_kept.h"
#include "settings.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* Tables of a session, and what they may take of its memory, most of which is strings */
#define MOST_TABLES 32
#define MOST_BYTES (64 * 1024 * 1024)

typedef struct Kept
{
	dlist_node	node;			/* in kept, used last first */
	MemoryContext context;		/* of all of it */
	int			device;
	Oid			relid;
	Oid			files;			/* number of its files */
	BlockNumber nblocks;
	uint32		nextents;
	uint64	   *lsns;			/* of map pages, by extent */
	GpuAggProgram *program;		/* with its runtime constants */
	int			nkeys;
	uint8		forms[GPUAGG_KEY_COLUMNS];
	uint64		helpers[GPUAGG_KEY_COLUMNS];	/* whose numbers its keys are */
	bool		unique;
	GpuAggLookup *head;
	GpuAggNumbered **numbered;	/* by column */
	int			ncolumns;
	int			users;
	Size		bytes;
} Kept;

static dlist_head kept = DLIST_STATIC_INIT(kept);
static int	nkept;
static Size kept_bytes;

/* ----------------------------------------------------------------- users --- */

static void
leave(void *arg)
{
	((Kept *) arg)->users--;
}

/* Until the context is reset */
static void
stay(Kept *k, MemoryContext context)
{
	MemoryContextCallback *callback = MemoryContextAllocZero(context,
															 sizeof(MemoryContextCallback));

	callback->func = leave;
	callback->arg = k;
	MemoryContextRegisterResetCallback(context, callback);
	k->users++;
}

static void
forget(Kept *k)
{
	dlist_delete(&k->node);
	nkept--;
	kept_bytes -= k->bytes;
	MemoryContextDelete(k->context);
}

/* The one used longest ago; NULL: all are in use */
static Kept *
last_unused(void)
{
	dlist_iter	iter;
	Kept	   *last = NULL;

	dlist_foreach(iter, &kept)
	{
		Kept	   *k = dlist_container(Kept, node, iter.cur);

		if (k->users == 0)
			last = k;
	}
	return last;
}

/* Makes room for one more of so many bytes; false: there is none. */
static bool
make_room(Size bytes)
{
	if (bytes > MOST_BYTES)
		return false;
	while (nkept >= MOST_TABLES || kept_bytes + bytes > MOST_BYTES)
	{
		Kept	   *last = last_unused();

		if (last == NULL)
			return false;
		forget(last);
	}
	return true;
}

/* --------------------------------------------------------------- finding --- */

/* Is each page of the relation as it was? */
static bool
is_unchanged(const Kept *k, Relation rel)
{
	for (uint32 i = 0; i < k->nextents; i++)
	{
		const uint32 n = Min(k->nblocks - i * GPUAGG_EXTENT_BLOCKS, GPUAGG_EXTENT_BLOCKS);
		const XLogRecPtr lsn = gpuagg_written_extent(rel, i, n);

		if (lsn == InvalidXLogRecPtr || lsn != k->lsns[i])
			return false;
	}
	return true;
}

static bool
is_there(const Kept *k)
{
	return gpuagg_made_shared_has(k->device, k->head->made);
}

/* Does it have a table of strings for each column that is to be a number of one? */
static bool
has_strings(const Kept *k, const GpuAggLookupPlan *plan)
{
	for (int i = 0; i < k->ncolumns; i++)
	{
		if (plan->scales[i].form == GPUAGG_SCALE_NUMBERED && k->numbered[i] == NULL)
			return false;
	}
	return true;
}

/*
 * Has it a filter, or none, as it must?  To be made anew costs more than a filter saves of one
 * statement, so it has to only where tests want it so.
 */
static bool
is_filtered(const Kept *k, const GpuAggMadeInput *input)
{
	uint64		filters;

	if (gpuagg_debug_filters == GPUAGG_FILTERS_AUTO || k->head->kind != GPUAGG_LOOKUP_HASH)
		return true;
	filters = gpuagg_lookup_filters(input->device, input->plan, input->fact, input->fact_pages,
									true);
	return (k->head->filter != 0) == ((filters & k->head->span) != 0);
}

bool
gpuagg_made_is_unique(const GpuAggLookupPlan *plan)
{
	return plan->unique && !plan->folded && plan->helps == 0;
}

static bool
has_keys(const Kept *k, const GpuAggMadeInput *input)
{
	return k->nkeys == input->plan->nkeys && k->unique == gpuagg_made_is_unique(input->plan) &&
		memcmp(k->forms, input->plan->forms, sizeof(k->forms)) == 0 &&
		memcmp(k->helpers, input->helpers, sizeof(k->helpers)) == 0;
}

/* A table of the same rows, whether or not these are still so */
static Kept *
find(Oid relid, const GpuAggMadeInput *input)
{
	dlist_iter	iter;

	dlist_foreach(iter, &kept)
	{
		Kept	   *k = dlist_container(Kept, node, iter.cur);

		if (k->relid == relid && k->device == input->device &&
			gpuagg_program_same(k->program, input->program) && has_keys(k, input) &&
			k->ncolumns == input->plan->ncolumns && has_strings(k, input->plan) &&
			is_filtered(k, input))
			return k;
	}
	return NULL;
}

const GpuAggLookup *
gpuagg_made_kept_find(GpuAggMadeInput *input, Relation rel, BlockNumber nblocks)
{
	Kept	   *k = find(RelationGetRelid(rel), input);
	const Size	bytes = k != NULL ? gpuagg_lookup_head_bytes(k->head) : 0;

	if (k == NULL)
		return NULL;
	if (k->files != GPUAGG_FILES_NUMBER(rel) || k->nblocks != nblocks || !is_there(k) ||
		!is_unchanged(k, rel))
	{
		if (k->users == 0)
			forget(k);
		return NULL;
	}
	stay(k, input->strings);
	dlist_move_head(&kept, &k->node);
	memcpy(input->numbered, k->numbered, k->ncolumns * sizeof(GpuAggNumbered *));
	return memcpy(palloc(bytes), k->head, bytes);
}

/* ---------------------------------------------------------------- adding --- */

void
gpuagg_made_kept_add(const GpuAggMadeInput *input, const GpuAggCached *cached,
					 const GpuAggLookup *made, MemoryContext strings)
{
	const GpuAggLookupPlan *plan = input->plan;
	const Size	head_bytes = gpuagg_lookup_head_bytes(made);
	const Size	bytes = MemoryContextMemAllocated(strings, true) + input->program->bytes +
		head_bytes + cached->nextents * sizeof(uint64);
	MemoryContext old;
	Kept	   *k;

	if (!make_room(bytes))
		return;
	old = MemoryContextSwitchTo(strings);
	k = palloc0(sizeof(Kept));
	k->context = strings;
	k->bytes = bytes;
	k->device = input->device;
	k->relid = RelationGetRelid(cached->rel);
	k->files = GPUAGG_FILES_NUMBER(cached->rel);
	k->nblocks = cached->nblocks;
	k->nextents = cached->nextents;
	k->lsns = palloc(Max(1, k->nextents) * sizeof(uint64));
	for (uint32 i = 0; i < k->nextents; i++)
		k->lsns[i] = cached->extents[i].map_lsn;
	k->program = memcpy(palloc(input->program->bytes), input->program, input->program->bytes);
	k->nkeys = plan->nkeys;
	memcpy(k->forms, plan->forms, sizeof(k->forms));
	memcpy(k->helpers, input->helpers, sizeof(k->helpers));
	k->unique = gpuagg_made_is_unique(plan);
	k->ncolumns = plan->ncolumns;
	k->head = memcpy(palloc(head_bytes), made, head_bytes);
	k->numbered = palloc(Max(1, plan->ncolumns) * sizeof(GpuAggNumbered *));
	memcpy(k->numbered, input->numbered, plan->ncolumns * sizeof(GpuAggNumbered *));
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(strings, TopMemoryContext);
	dlist_push_head(&kept, &k->node);
	nkept++;
	kept_bytes += bytes;
	stay(k, input->strings);
	gpuagg_made_note(k->device, k->relid, input->program, made->made);
}
