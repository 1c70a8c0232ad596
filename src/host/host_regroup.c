/*
 * host_regroup.c
 *		Groups of a finished task, grouped once more (host_regroup.h).
 *
 * Each set is a grouping like the task's own: threads' tables first, then partitions.  What
 * enters are not rows but groups: a finer group becomes a row of those that are made, and
 * is merged.
 *
 * Lack of memory is no failure: the finer groups are there, and are returned as they are.
 */
#include <stdlib.h>

#include "host/host_regroup.h"

/* Rows that are made before they are grouped lie in the L2 cache. */
#define BLOCK_BYTES ((size_t) 64 << 10)
#define BLOCK_LEAST_ROWS 16

static void
fail(GpuAggHostRegroup *r)
{
	atomic_store(&r->failed, true);
}

static GpuAggPrepared *
prepared_of(const GpuAggHostRegroup *r, uint32_t set)
{
	return gpuagg_regrouping_is_hidden(&r->wish, (int32_t) set) ? r->hidden : r->prepared;
}

/* ---------- create and free ---------- */

/* Are all keys of the finer groups keys of the set? */
static bool
is_copied(const GpuAggRegrouping *wish, uint32_t set, uint32_t finer_keys)
{
	uint32_t	told = 0;

	for (uint32_t i = 0; i < wish->nkeys; i++)
		if ((wish->sets[set].keys >> i & 1) != 0)
			told |= UINT32_C(1) << wish->keys[i];
	return wish->sets[set].parent == GPUAGG_REGROUPING_FINER &&
		told == (uint32_t) ((UINT64_C(1) << finer_keys) - 1);
}

/* Whichever sets are made of copied ones are made of the finer groups. */
static void
plan_sets(GpuAggHostRegroup *r, const GpuAggPrepared *finer)
{
	for (uint32_t i = r->wish.nsets; i-- > 0;)
	{
		int32_t    *parent = &r->wish.sets[i].parent;

		if (*parent != GPUAGG_REGROUPING_FINER && r->sets[*parent].copied)
			*parent = GPUAGG_REGROUPING_FINER;
		r->sets[i].copied = is_copied(&r->wish, i, finer->program->nkeys);
		gpuagg_groups_init(&r->sets[i].groups, prepared_of(r, i), r->memory, (int) r->threads,
						   &r->config);
		gpuagg_regrouping_plan(&r->wish, i, finer->program, r->prepared->program,
							   r->hidden != NULL ? r->hidden->program : NULL, &r->sets[i].plan);
	}
}

static uint32_t
block_rows(size_t row_bytes)
{
	const size_t rows = BLOCK_BYTES / row_bytes;

	if (rows > GPUAGG_VECTOR_ROWS)
		return GPUAGG_VECTOR_ROWS;
	return rows < BLOCK_LEAST_ROWS ? BLOCK_LEAST_ROWS : (uint32_t) rows;
}

static size_t
rows_bytes(const GpuAggHostRegroup *r)
{
	return r->block * (r->row_bytes + sizeof(uint64_t));
}

static GpuAggPrepared *
made_prepared(const GpuAggRegrouping *wish, const GpuAggPrepared *finer, bool hidden,
			  GpuAggMemory *memory)
{
	const size_t bytes = gpuagg_regrouping_program_bytes(wish, hidden);
	GpuAggProgram *program = gpuagg_memory_alloc(memory, bytes);
	GpuAggPrepared *prepared = NULL;
	GpuAggError error;

	if (program == NULL)
		return NULL;
	gpuagg_regrouping_program(wish, finer->program, hidden, program);
	prepared = gpuagg_prepared_of_groups(program, memory, &error);
	gpuagg_memory_free(memory, program, bytes);
	return prepared;
}

/* The programs of what is made, and a row; false: no memory */
static bool
make_prepared(GpuAggHostRegroup *r, const GpuAggPrepared *finer)
{
	r->prepared = made_prepared(&r->wish, finer, false, r->memory);
	if (r->prepared == NULL)
		return false;
	r->row_bytes = r->prepared->layout.row_bytes;
	if (r->wish.nhidden > 0)
	{
		r->hidden = made_prepared(&r->wish, finer, true, r->memory);
		if (r->hidden == NULL)
			return false;
		if (r->hidden->layout.row_bytes > r->row_bytes)
			r->row_bytes = r->hidden->layout.row_bytes;
	}
	r->made = gpuagg_memory_alloc(r->memory, r->row_bytes);
	return r->made != NULL;
}

GpuAggHostRegroup *
gpuagg_host_regroup_create(const GpuAggRegrouping *wish, const GpuAggPrepared *finer,
						   const GpuAggTaskConfig *config, uint64_t groups, uint32_t threads,
						   GpuAggMemory *memory)
{
	const size_t head = gpuagg_align(sizeof(GpuAggHostRegroup), 64);
	const size_t bytes = head + wish->nsets * sizeof(GpuAggRegroupedSet) +
		(wish->nsets + 1) * threads * sizeof(void *);
	GpuAggHostRegroup *r = gpuagg_memory_alloc(memory, bytes);
	char	   *at = (char *) r + head;

	if (r == NULL)
		return NULL;
	memset(r, 0, bytes);
	r->wish = *wish;
	r->memory = memory;
	r->threads = threads;
	r->bytes = bytes;
	r->config.scope_bytes = config->scope_bytes;
	r->config.expected_rows = (double) groups;
	atomic_init(&r->failed, false);
	r->sets = (GpuAggRegroupedSet *) at;
	at += wish->nsets * sizeof(GpuAggRegroupedSet);
	r->rows = (char **) at;
	for (uint32_t i = 0; i < wish->nsets; i++)
		r->sets[i].groupers = (GpuAggGrouper **) (r->rows + threads * (i + 1));
	if (!make_prepared(r, finer))
	{
		gpuagg_prepared_free(r->hidden, memory);
		gpuagg_prepared_free(r->prepared, memory);
		gpuagg_memory_free(memory, r, bytes);
		return NULL;
	}
	r->block = block_rows(r->row_bytes);
	plan_sets(r, finer);
	return r;
}

void
gpuagg_host_regroup_free(GpuAggHostRegroup *r)
{
	if (r == NULL)
		return;
	for (uint32_t i = 0; i < r->wish.nsets; i++)
	{
		for (uint32_t t = 0; t < r->threads; t++)
			gpuagg_grouper_free(r->sets[i].groupers[t]);
		gpuagg_groups_free(&r->sets[i].groups);
	}
	for (uint32_t t = 0; t < r->threads; t++)
		gpuagg_memory_free(r->memory, r->rows[t], rows_bytes(r));
	gpuagg_memory_free(r->memory, r->made, r->row_bytes);
	gpuagg_prepared_free(r->hidden, r->memory);
	gpuagg_prepared_free(r->prepared, r->memory);
	gpuagg_memory_free(r->memory, r, r->bytes);
}

/* ---------- grouping ---------- */

/* The thread's grouper and rows; NULL: no memory */
static GpuAggGrouper *
grouper_of(GpuAggHostRegroup *r, uint32_t set, uint32_t thread)
{
	GpuAggRegroupedSet *s = &r->sets[set];

	if (r->rows[thread] == NULL)
		r->rows[thread] = gpuagg_memory_alloc(r->memory, rows_bytes(r));
	if (s->groupers[thread] == NULL)
		s->groupers[thread] = gpuagg_grouper_create(&s->groups, thread);
	return r->rows[thread] != NULL ? s->groupers[thread] : NULL;
}

/* n rows that a thread has made; false: no memory */
static bool
add_rows(GpuAggHostRegroup *r, uint32_t set, uint32_t thread, uint32_t n)
{
	const GpuAggPrepared *s = prepared_of(r, set);
	const size_t row_bytes = s->layout.row_bytes;
	const char *rows = r->rows[thread];
	uint64_t   *hashes = (uint64_t *) (r->rows[thread] + r->block * row_bytes);
	const GpuAggKeyBlock block = {rows, row_bytes, hashes};
	GpuAggError error;

	for (uint32_t i = 0; i < n && s->key_mode != GPUAGG_KEYS_NONE; i++)
		hashes[i] = gpuagg_row_hash(s->program, &s->layout, rows + i * row_bytes);
	return gpuagg_grouper_add_groups(r->sets[set].groupers[thread], &block, n,
									 &error) == GPUAGG_OK;
}

bool
gpuagg_host_regroup_begin(GpuAggHostRegroup *r, uint32_t set)
{
	if (r->wish.sets[set].keys != 0 || r->wish.grouped)
		return true;
	if (grouper_of(r, set, 0) == NULL)
		return false;
	gpuagg_regrouping_row(&r->sets[set].plan, NULL, r->rows[0]);
	return add_rows(r, set, 0, 1);
}

void
gpuagg_host_regroup_table(GpuAggHostRegroup *r, uint32_t set, uint32_t thread,
						  const GpuAggTable *from, const atomic_bool *stop)
{
	const GpuAggRegroupingPlan *plan = &r->sets[set].plan;
	const size_t row_bytes = prepared_of(r, set)->layout.row_bytes;

	if (grouper_of(r, set, thread) == NULL)
	{
		fail(r);
		return;
	}
	for (uint32_t at = 0; at < from->nrows;)
	{
		const uint32_t n = from->nrows - at < r->block ? from->nrows - at : r->block;

		if (atomic_load(&r->failed) || atomic_load(stop))
			return;
		for (uint32_t i = 0; i < n; i++)
			gpuagg_regrouping_row(plan, gpuagg_table_row(from, at + i),
								  r->rows[thread] + i * row_bytes);
		if (!add_rows(r, set, thread, n))
		{
			fail(r);
			return;
		}
		at += n;
	}
}

bool
gpuagg_host_regroup_needs_flush(const GpuAggHostRegroup *r, uint32_t set)
{
	const GpuAggRegroupedSet *s = &r->sets[set];
	const bool	partitioned = atomic_load(&s->groups.partitions.all) != NULL;
	uint32_t	locals = 0;

	if (prepared_of(r, set)->key_mode == GPUAGG_KEYS_NONE)
		return false;
	for (uint32_t t = 0; t < r->threads; t++)
		if (s->groupers[t] != NULL && s->groupers[t]->local.nrows > 0)
			locals++;
	return locals > (partitioned ? 0 : 1);
}

void
gpuagg_host_regroup_flush(GpuAggHostRegroup *r, uint32_t set, uint32_t owner)
{
	GpuAggGrouper *grouper = r->sets[set].groupers[owner];
	GpuAggError error;

	if (grouper != NULL && grouper->local.nrows > 0 && !atomic_load(&r->failed) &&
		gpuagg_grouper_flush(grouper, &error) != GPUAGG_OK)
		fail(r);
}

void
gpuagg_host_regroup_end(GpuAggHostRegroup *r, uint32_t set)
{
	GpuAggRegroupedSet *s = &r->sets[set];
	GpuAggGrouper *into = NULL;
	GpuAggError error;

	for (uint32_t t = 0; t < r->threads && prepared_of(r, set)->key_mode == GPUAGG_KEYS_NONE; t++)
	{
		GpuAggGrouper *from = s->groupers[t];

		if (from == NULL || from->local.nrows == 0)
			continue;
		if (into == NULL)
			into = from;
		else if (gpuagg_grouper_merge_only_row(into, from, &error) != GPUAGG_OK)
			fail(r);
	}
}

/* ---------- what came of it ---------- */

uint32_t
gpuagg_host_regroup_tables(GpuAggHostRegroup *r, uint32_t set)
{
	const GpuAggPartitions *ps = &r->sets[set].groups.partitions;

	return atomic_load(&ps->all) != NULL ? 1u << ps->bits : r->threads;
}

const GpuAggTable *
gpuagg_host_regroup_result(GpuAggHostRegroup *r, uint32_t set, uint32_t i)
{
	GpuAggRegroupedSet *s = &r->sets[set];
	GpuAggPartition *partitions = gpuagg_partitions(&s->groups.partitions);

	if (partitions != NULL)
		return &partitions[i].table;
	return s->groupers[i] != NULL ? &s->groupers[i]->local : NULL;
}
