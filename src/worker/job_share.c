/*
 * job_share.c
 *		Tasks that are the same, in flight at once, over columns that the device keeps: the
 *		first one's pass answers all.
 *
 * Two tasks are the same if their programs and what they want of the groups are, and if they
 * use the same blocks of the same table, of which the device keeps the same rows; such blocks
 * are seen so by either client's snapshot, as each has found by itself.  So a later task, which
 * follows, holds back what it would read until its client has said all.  If the first one
 * has used just these blocks, which were not replaced between the two, its groups are the
 * later one's, too.
 *
 * What ends that: pages or rows that either client sends, other blocks, a first task that
 * fails or whose client leaves, a block that the cache has replaced, groups that do not fit the
 * queue with which they go out, a client of the first task that says nothing.  Then the follower
 * reads what it held back, as if it had begun just then, and has a task of the device's from then
 * on (job.c).
 */
#include "postgres.h"

#include "cache/cache_extent.h"
#include "cache/cache_map.h"
#include "ipc/stat.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "worker/encoding.h"
#include "worker/job_share.h"

/*
 * All groups of a pass that is shared; they fit the first one's queue, so it is never waited for.
 */
#define MOST_BYTES (GPUAGG_QUEUE_OUT_BYTES / 2)

/* A client of the first task that says nothing for so long is not waited for. */
#define PATIENCE_MS 50

/* Numbers of batches that no client uses, for what was held back */
#define HELD_BATCH (UINT64CONST(1) << 39)

/* What a task uses of extents: of each a UsedExtent, and bits of its blocks unless it uses all */
typedef struct Used
{
	char	   *data;
	Size		bytes;
	Size		room;
} Used;

typedef struct UsedExtent
{
	uint32		extent;
	uint32		nblocks;
	uint64		forgotten;		/* GpuAggCacheCalls.hold */
	uint64		whole;			/* 1: all blocks, and no bits follow */
} UsedExtent;

typedef struct Groups
{
	struct Groups *next;
	Size		bytes;
	/* the message follows */
} Groups;

typedef enum PassState
{
	PASS_OPEN,					/* the first task is at it */
	PASS_DONE,
	PASS_OVER					/* nothing will come of it */
} PassState;

struct GpuAggSharedPass
{
	MemoryContext context;
	int			holders;
	PassState	state;
	const GpuAggWorkerJob *first;	/* NULL: it has left */
	TimestampTz silent_at;		/* it waits for its client, since then; 0: it does not */
	Used		used;
	Groups	   *groups;
	Groups	   *last;
	Size		bytes;
	GpuAggDoneMsg *done;		/* what DONE says, and rows of the table */
};

/* What a follower holds back, and how far it is with the groups */
struct GpuAggFollower
{
	Used		used;
	Groups	   *next;
	bool		begun;			/* some of them may have been sent */
};

static bool woken;				/* something has come of a pass that others follow */

bool
gpuagg_share_turn(void)
{
	bool		was = woken;

	woken = false;
	return was;
}

/* ----------------------------------------------------------- the same? --- */

/* In tables that devices have made: they are not among what is compared. */
static bool
looks_up(const GpuAggWorkerJob *job)
{
	for (uint32 i = 0; i < job->config.made.n; i++)
		if (job->made[i] != NULL)
			return true;
	return false;
}

static bool
is_shareable(const GpuAggWorkerJob *job)
{
	const GpuAggTaskConfig *c = &job->config;

	return job->on == &gpuagg_worker.primary && job->ntables == 1 && !job->several &&
		!job->program->select && c->sample.method == GPUAGG_SAMPLE_NONE &&
		c->hash_window.count <= 1 && c->fault == GPUAGG_FAULT_NONE &&
		c->make.nkeys == 0 && !looks_up(job);
}

static bool
is_same(const GpuAggWorkerJob *a, const GpuAggWorkerJob *b)
{
	return memcmp(&a->tables[0]->cache.request, &b->tables[0]->cache.request,
				  offsetof(GpuAggCacheRequest, snapshot)) == 0 &&
		memcmp(&a->config.answer, &b->config.answer, sizeof(a->config.answer)) == 0 &&
		memcmp(&a->config.regrouping, &b->config.regrouping, sizeof(a->config.regrouping)) == 0 &&
		memcmp(&a->config.ordered, &b->config.ordered, sizeof(a->config.ordered)) == 0 &&
		gpuagg_program_same(gpuagg_encoding_original(a), gpuagg_encoding_original(b));
}

static bool
same_blocks(const Used *a, const Used *b)
{
	return a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

/* ---------------------------------------------------------------- begin --- */

static Size
bits_bytes(const UsedExtent *head)
{
	return head->whole ? 0 : GPUAGG_BITMAP_WORDS(head->nblocks) * sizeof(uint64);
}

static void
add_used(MemoryContext context, Used *used, const UsedExtent *head, const uint64 *bits)
{
	const Size	bytes = bits_bytes(head);

	if (used->bytes + sizeof(*head) + bytes > used->room)
	{
		used->room = 2 * (used->room + sizeof(*head) + bytes);
		used->data = used->data == NULL ? MemoryContextAllocHuge(context, used->room) :
			repalloc_huge(used->data, used->room);
	}
	memcpy(used->data + used->bytes, head, sizeof(*head));
	if (bytes > 0)
		memcpy(used->data + used->bytes + sizeof(*head), bits, bytes);
	used->bytes += sizeof(*head) + bytes;
}

static GpuAggSharedPass *
pass_of_other(const GpuAggWorkerJob *job)
{
	dlist_iter	iter;

	dlist_foreach(iter, &gpuagg_worker.jobs)
	{
		const GpuAggWorkerJob *other = dlist_container(GpuAggWorkerJob, node, iter.cur);

		if (other != job && other->pass != NULL && other->follower == NULL &&
			other->pass->state == PASS_OPEN && other->state < GPUAGG_JOB_RESULTS &&
			is_same(job, other))
			return other->pass;
	}
	return NULL;
}

bool
gpuagg_share_expected(const GpuAggWorkerJob *job)
{
	return is_shareable(job) && job->tables[0]->cache.request.relnumber != 0 &&
		pass_of_other(job) != NULL;
}

static GpuAggSharedPass *
pass_make(const GpuAggWorkerJob *job)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "gpuagg shared pass",
												  ALLOCSET_SMALL_SIZES);
	GpuAggSharedPass *pass = MemoryContextAllocZero(context, sizeof(GpuAggSharedPass));

	pass->context = context;
	pass->first = job;
	return pass;
}

bool
gpuagg_share_hold(GpuAggWorkerJob *job, uint32 extent, uint64 forgotten, const uint64 *used,
				  uint32 nblocks)
{
	const UsedExtent head = {extent, nblocks, forgotten, used == NULL};

	if (!job->share_asked)
	{
		job->share_asked = true;
		if (!is_shareable(job))
			return false;
		job->pass = pass_of_other(job);
		if (job->pass != NULL)
			job->follower = MemoryContextAllocZero(job->context, sizeof(GpuAggFollower));
		else
			job->pass = pass_make(job);
		job->pass->holders++;
	}
	if (job->pass == NULL)
		return false;
	if (job->follower == NULL)
		add_used(job->pass->context, &job->pass->used, &head, used);
	else
		add_used(job->context, &job->follower->used, &head, used);
	return job->follower != NULL;
}

/* ------------------------------------------------------------------ end --- */

void
gpuagg_share_leave(GpuAggWorkerJob *job)
{
	GpuAggSharedPass *pass = job->pass;

	if (pass == NULL)
		return;
	if (job->follower == NULL)
	{
		pass->first = NULL;
		if (pass->state == PASS_OPEN)
			pass->state = PASS_OVER;
		woken |= pass->holders > 1;
	}
	job->pass = NULL;
	job->follower = NULL;
	if (--pass->holders == 0)
		MemoryContextDelete(pass->context);
}

/* A follower reads for itself what it has held back. */
static void
read_alone(GpuAggWorkerJob *job)
{
	const Used	used = job->follower->used;
	uint64		batch_id = HELD_BATCH;

	gpuagg_share_leave(job);
	for (Size at = 0; at < used.bytes && job->state < GPUAGG_JOB_CLOSING;)
	{
		const UsedExtent *head = (const UsedExtent *) (used.data + at);

		gpuagg_cache_use(&job->tables[0]->cache, head->extent, batch_id++,
						 head->whole ? NULL : (const uint64 *) (head + 1), head->nblocks);
		at += sizeof(*head) + bits_bytes(head);
	}
}

bool
gpuagg_share_was_held(uint64 batch_id)
{
	return (batch_id & HELD_BATCH) != 0;
}

void
gpuagg_share_end(GpuAggWorkerJob *job)
{
	job->share_asked = true;
	if (job->follower != NULL)
		read_alone(job);
	else
		gpuagg_share_leave(job);
}

/* --------------------------------------------------------------- groups --- */

void
gpuagg_share_groups(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes)
{
	GpuAggSharedPass *pass = job->pass;
	Groups	   *groups;

	if (pass == NULL || pass->holders == 1)
		return;
	pass->bytes += bytes;
	if (pass->bytes > MOST_BYTES)
	{
		gpuagg_share_leave(job);
		return;
	}
	groups = MemoryContextAlloc(pass->context, sizeof(Groups) + bytes);
	groups->next = NULL;
	groups->bytes = bytes;
	memcpy(groups + 1, msg, bytes);
	if (pass->groups == NULL)
		pass->groups = groups;
	else
		pass->last->next = groups;
	pass->last = groups;
}

void
gpuagg_share_done(GpuAggWorkerJob *job, const GpuAggDoneMsg *done, Size bytes)
{
	GpuAggSharedPass *pass = job->pass;

	if (pass == NULL)
		return;
	if (pass->holders > 1)
	{
		pass->done = MemoryContextAlloc(pass->context, bytes);
		memcpy(pass->done, done, bytes);
		pass->state = PASS_DONE;
	}
	gpuagg_share_leave(job);
}

/* Does the first task wait for its client, and has for too long? */
static bool
first_is_silent(GpuAggSharedPass *pass)
{
	const GpuAggWorkerJob *first = pass->first;
	TimestampTz now;

	if (first->state != GPUAGG_JOB_RUNNING || first->inflight > 0)
	{
		pass->silent_at = 0;
		return false;
	}
	now = GetCurrentTimestamp();
	if (pass->silent_at == 0)
		pass->silent_at = now;
	return TimestampDifferenceMilliseconds(pass->silent_at, now) > PATIENCE_MS;
}

/* All has been said: is the pass, once it is done, this one's, too? */
static bool
pass_answers(const GpuAggWorkerJob *job)
{
	const GpuAggSharedPass *pass = job->pass;
	const Used *first = &pass->used;
	const Used *mine = &job->follower->used;

	if (pass->state == PASS_OVER)
		return false;
	/* the first one may have more to say yet */
	if (pass->state == PASS_OPEN && first->bytes < mine->bytes)
		return true;
	return same_blocks(first, mine);
}

GpuAggShareNext
gpuagg_share_next(GpuAggWorkerJob *job, const GpuAggMsg **msg, Size *bytes)
{
	GpuAggSharedPass *pass = job->pass;
	GpuAggFollower *f = job->follower;

	if (!pass_answers(job) || (pass->state == PASS_OPEN && first_is_silent(pass)))
	{
		read_alone(job);
		return GPUAGG_SHARE_ALONE;
	}
	if (pass->state == PASS_OPEN)
		return GPUAGG_SHARE_WAIT;
	f->next = f->begun ? f->next->next : pass->groups;
	f->begun = true;
	if (f->next != NULL)
	{
		*msg = (const GpuAggMsg *) (f->next + 1);
		*bytes = f->next->bytes;
		return GPUAGG_SHARE_GROUPS;
	}
	*msg = &pass->done->msg;
	*bytes = sizeof(GpuAggDoneMsg) + job->ntables * sizeof(uint64);
	gpuagg_stat_add(GPUAGG_STAT_passes_shared, 1);
	return GPUAGG_SHARE_DONE;
}
