/*
 * job_made.c
 *		Look-up tables that devices have made (job_made.h).
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "device/ops/lookup_make.h"
#include "ipc/made_shared.h"
#include "utils/memutils.h"
#include "worker/job_made.h"

/* Strings of a column that are sent with a table, at most, and their bytes */
#define MOST_STRINGS (1 << 18)
#define MOST_STRING_BYTES (16 * 1024 * 1024)

struct GpuAggWorkerMade
{
	dlist_node	node;			/* in tables, used last first */
	uint64		id;
	GpuAggWorkerDevice *on;
	GpuAggMade *made;
	uint32		users;
};

static dlist_head tables = DLIST_STATIC_INIT(tables);
static uint32 ntables;

static const GpuAggLookup *
head_of(const GpuAggWorkerMade *m)
{
	return m->on->ops->made->head(m->made);
}

static GpuAggWorkerMade *
find(const GpuAggWorkerDevice *on, uint64 id)
{
	dlist_iter	iter;

	dlist_foreach(iter, &tables)
	{
		GpuAggWorkerMade *m = dlist_container(GpuAggWorkerMade, node, iter.cur);

		if (m->id == id && m->on == on)
			return m;
	}
	return NULL;
}

static void
drop(GpuAggWorkerMade *m)
{
	gpuagg_made_shared_remove(gpuagg_worker.at, m->id);
	ntables--;
	m->on->made_bytes -= head_of(m)->bytes;
	dlist_delete(&m->node);
	m->on->ops->made->free(m->made);
	pfree(m);
}

/* The one used longest ago, of a device or of any if that is NULL; NULL: none */
static GpuAggWorkerMade *
unused(const GpuAggWorkerDevice *on)
{
	GpuAggWorkerMade *oldest = NULL;
	dlist_iter	iter;

	dlist_foreach(iter, &tables)
	{
		GpuAggWorkerMade *m = dlist_container(GpuAggWorkerMade, node, iter.cur);

		if (m->users == 0 && (on == NULL || m->on == on))
			oldest = m;
	}
	return oldest;
}

bool
gpuagg_made_unused(const GpuAggWorkerDevice *on)
{
	return unused(on) != NULL;
}

bool
gpuagg_made_give_way(const GpuAggWorkerDevice *on)
{
	GpuAggWorkerMade *oldest = unused(on);

	if (oldest != NULL)
		drop(oldest);
	return oldest != NULL;
}

void
gpuagg_made_clear(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &tables)
	{
		GpuAggWorkerMade *m = dlist_container(GpuAggWorkerMade, node, iter.cur);

		if (m->users == 0)
			drop(m);
	}
}

/* --------------------------------------------------------------- making --- */

bool
gpuagg_made_wish_ok(GpuAggWorkerJob *job)
{
	const GpuAggMakeWish *wish = &job->config.make;

	if (wish->nkeys == 0)
		return true;
	return job->on->ops->made != NULL && gpuagg_make_words(wish) > 0 && !job->several &&
		job->config.hash_window.count <= 1 && job->config.sample.method == GPUAGG_SAMPLE_NONE;
}

void
gpuagg_made_dictionaries(GpuAggWorkerJob *job, GpuAggDictionary *const *dictionaries)
{
	const Size	bytes = job->program->ncolumns * sizeof(GpuAggDictionary *);
	GpuAggDictionary **copy;

	if (job->config.make.nkeys == 0)
		return;
	copy = MemoryContextAlloc(job->context, Max(1, bytes));
	memcpy(copy, dictionaries, bytes);
	job->config.make.dictionaries = copy;
}

/* The task's table among the others; NULL: *error tells. */
static GpuAggWorkerMade *
take(GpuAggWorkerJob *job, GpuAggError *error)
{
	GpuAggWorkerMade *m = MemoryContextAllocZero(TopMemoryContext, sizeof(GpuAggWorkerMade));

	m->on = job->on;
	if (job->on->ops->made->take(job->task, &m->made, error) != GPUAGG_OK)
	{
		pfree(m);
		return NULL;
	}
	do
		m->id = pg_prng_uint64(&pg_global_prng_state);
	while (m->id == 0);
	dlist_push_head(&tables, &m->node);
	ntables++;
	m->on->made_bytes += head_of(m)->bytes;
	return m;
}

/* The dictionary of a key of the program; NULL: it is no string */
static GpuAggDictionary *
key_dictionary(const GpuAggWorkerJob *job, uint32 key)
{
	GpuAggDictionary *const *dictionaries = job->config.make.dictionaries;

	return dictionaries == NULL ? NULL : dictionaries[gpuagg_program_keys(job->program)[key].reg];
}

/* A key's strings behind a message of so many bytes; false: *error tells. */
static bool
add_strings(GpuAggWorkerJob *job, uint32 key, GpuAggMsg **msg, Size *bytes, GpuAggError *error)
{
	GpuAggDictionaryText text;
	GpuAggMadeStrings *head;
	Size		lengths;
	uint32	   *length;

	if (job->on->ops->stripes->dictionary_read(key_dictionary(job, key), &text, error) != GPUAGG_OK)
		return false;
	if (text.entries > MOST_STRINGS || text.starts[text.entries] > MOST_STRING_BYTES)
	{
		error->status = GPUAGG_UNSUPPORTED;
		strlcpy(error->message, "a column of a look-up table has too many strings",
				sizeof(error->message));
		return false;
	}
	lengths = GPUAGG_ALIGN8(text.entries * sizeof(uint32));
	*msg = repalloc_huge(*msg, *bytes + sizeof(GpuAggMadeStrings) + lengths +
						 GPUAGG_ALIGN8(text.starts[text.entries]));
	head = (GpuAggMadeStrings *) ((char *) *msg + *bytes);
	memset(head, 0, sizeof(GpuAggMadeStrings) + lengths + GPUAGG_ALIGN8(text.starts[text.entries]));
	head->column = key;
	head->count = text.entries;
	head->bytes = text.starts[text.entries];
	length = (uint32 *) (head + 1);
	for (uint32 i = 0; i < text.entries; i++)
		length[i] = text.starts[i + 1] - text.starts[i];
	if (head->bytes > 0)
		memcpy((char *) length + lengths, text.bytes, head->bytes);
	*bytes += sizeof(GpuAggMadeStrings) + lengths + GPUAGG_ALIGN8(head->bytes);
	return true;
}

/*
 * Others give way to a new table; it goes itself if it alone, or with those that are in use, takes
 * too much.  Without a place among so many that are in use, it is this statement's alone.
 */
static void
make_room(const GpuAggWorkerMade *new)
{
	const GpuAggWorkerDevice *on = new->on;
	const uint64 id = new->id;
	GpuAggDeviceInfo info;

	on->ops->info(on->device, &info);
	while (on->made_bytes > info.memory_limit / GPUAGG_MADE_SHARE && gpuagg_made_give_way(on))
		;
	while (ntables > GPUAGG_MADE_ENTRIES && gpuagg_made_give_way(NULL))
		;
	if (find(on, id) != NULL)
		gpuagg_made_shared_add(gpuagg_worker.at, id);
}

GpuAggMsg *
gpuagg_made_message(GpuAggWorkerJob *job, Size *bytes, GpuAggError *error)
{
	GpuAggWorkerMade *m = take(job, error);
	const GpuAggLookup *head;
	GpuAggMadeMsg *made;
	GpuAggMsg  *msg;
	Size		head_bytes;

	if (m == NULL)
		return NULL;
	head = head_of(m);
	head_bytes = gpuagg_lookup_head_bytes(head);
	*bytes = sizeof(GpuAggMadeMsg) + head_bytes;
	msg = MemoryContextAllocZero(job->context, *bytes);
	made = (GpuAggMadeMsg *) msg;
	msg->type = GPUAGG_MSG_MADE;
	memcpy(made + 1, head, head_bytes);
	((GpuAggLookup *) (made + 1))->made = m->id;
	/* a string that is the table's key is in it */
	for (uint32 i = job->config.make.nkeys; i < job->program->nkeys; i++)
	{
		if (key_dictionary(job, i) == NULL ||
			gpuagg_program_keys(job->program)[i].fold == GPUAGG_FOLD_COUNT)
			continue;
		msg->count++;
		if (!add_strings(job, i, &msg, bytes, error))
		{
			drop(m);
			return NULL;
		}
	}
	make_room(m);
	return msg;
}

/* ---------------------------------------------------------------- using --- */

/* Is the header the table's own, but for its number? */
static bool
is_head(const GpuAggWorkerMade *m, const GpuAggLookup *t)
{
	GpuAggLookup own = *head_of(m);

	own.made = m->id;
	return memcmp(&own, t, sizeof(own)) == 0 &&
		memcmp(head_of(m) + 1, t + 1, own.ncolumns * sizeof(GpuAggLookupColumn)) == 0;
}

static bool
is_gone(GpuAggError *error)
{
	error->status = GPUAGG_UNSUPPORTED;
	strlcpy(error->message, "a look-up table is not on the device any more",
			sizeof(error->message));
	return false;
}

/* Until the job leaves it */
static void
stay(GpuAggWorkerMade *m)
{
	m->users++;
	dlist_move_head(&tables, &m->node);
}

/* Tables that find numbers for the keys of one that is made */
static bool
use_helpers(GpuAggWorkerJob *job, GpuAggError *error)
{
	GpuAggMakeWish *wish = &job->config.make;

	memset(wish->helpers, 0, sizeof(wish->helpers));
	for (uint32_t i = 0; i < wish->nkeys; i++)
	{
		if (!gpuagg_make_is_numbered(wish, i))
			continue;
		job->helpers[i] = find(job->on, wish->helper_ids[i]);
		if (job->helpers[i] == NULL)
			return is_gone(error);
		stay(job->helpers[i]);
		wish->helpers[i] = job->helpers[i]->made;
	}
	return true;
}

bool
gpuagg_made_use(GpuAggWorkerJob *job, GpuAggError *error)
{
	GpuAggMadeTables *uses = &job->config.made;

	memset(uses, 0, sizeof(*uses));
	if (!use_helpers(job, error))
		return false;
	for (uint32 k = 0; k < job->program->nconsts; k++)
	{
		const GpuAggLookup *t = gpuagg_program_table(job->program, k);
		GpuAggWorkerMade *m;

		if (t == NULL || t->made == 0)
			continue;
		m = uses->n < GPUAGG_MADE_TABLES ? find(job->on, t->made) : NULL;
		if (m == NULL || !is_head(m, t))
			return is_gone(error);
		stay(m);
		job->made[uses->n] = m;
		uses->constants[uses->n] = k;
		uses->tables[uses->n++] = m->made;
	}
	return true;
}

void
gpuagg_made_leave(GpuAggWorkerJob *job)
{
	for (uint32 i = 0; i < job->config.made.n; i++)
		if (job->made[i] != NULL)
			job->made[i]->users--;
	job->config.made.n = 0;
	for (int i = 0; i < GPUAGG_KEY_COLUMNS; i++)
	{
		if (job->helpers[i] != NULL)
			job->helpers[i]->users--;
		job->helpers[i] = NULL;
	}
}
