/*
 * groups.c
 *		All groups of one task: thread-local tables, and behind them the
 *		partitions that all threads share.
 *
 * Each thread groups into a table of its own while that stays about as
 * large as its cache.  When it is full, what it holds moves to partitions
 * of the hash space (partitions.c).  What comes next depends on how many rows
 * a local group has absorbed:
 *
 *	many	go on with an empty local table;
 *	few		grouping locally is one more step for nothing: let rows go
 *			straight to the partitions, and try again after a while (twice as
 *			long each time it fails).
 *
 * In both cases groups that took many rows stay behind in the local table,
 * so that one heavy key does not make all threads queue for its partition,
 * nor one partition's records outnumber all others'.
 *
 * A task may want only a window of the hash space: rows outside are dropped
 * once they are hashed, and what is left is hashed over all partitions anew.
 *
 * Single pass or partitioned, forced, let rows go to the partitions from the
 * start; block-local, forced, never passes by the local table.
 */
#include "device/ops/group.h"
#include "host/groups.h"

/*
 * Rows a group must absorb on average for local grouping to pay.  Measured:
 * a row costs some 6 ns less in the local table than in a partition, and
 * moving a group 38 ns; with more threads partitions cost more.
 */
#define LOCAL_REDUCTION 4
/* Least hits (counted in a filling's second half) that make a group heavy. */
#define LOCAL_HEAVY_HITS 16
/* Heavy groups must take this part of all rows to be worth a look-up. */
#define LOCAL_HEAVY_SHARE 8
/*
 * Heavy groups, at most, if the others' rows are kept as records: these cost
 * hardly more than a look-up that half of the rows do in vain (measured).
 */
#define LOCAL_HEAVY_MOST 64
/* First bypass, in fillings of the local table; its longest. */
#define LOCAL_BYPASS_FILLINGS 16
#define LOCAL_BYPASS_MOST ((uint64_t) 1 << 24)

/* All local tables together take no more than this part of the memory. */
#define LOCAL_MEMORY_SHARE 8

static void
local_size(GpuAggGroups *g, int threads)
{
	const GpuAggPrepared *s = g->prepared;
	const uint64_t share = gpuagg_memory_limit(g->memory) / LOCAL_MEMORY_SHARE /
		(uint64_t) threads;

	g->local_bytes = share < GPUAGG_HOST_LOCAL_BYTES ? share : GPUAGG_HOST_LOCAL_BYTES;
	g->local_rows = gpuagg_host_local_rows(s->layout.row_bytes, g->local_bytes);
}

void
gpuagg_groups_init(GpuAggGroups *g, const GpuAggPrepared *prepared,
				   GpuAggMemory *memory, int threads,
				   const GpuAggTaskConfig *config)
{
	memset(g, 0, sizeof(*g));
	g->prepared = prepared;
	g->memory = memory;
	g->hash_window = config->hash_window;
	local_size(g, threads);
	gpuagg_partitions_init(&g->partitions, prepared, memory, (uint32_t) threads, config);
	g->begun_with = g->partitions.forced == GPUAGG_STRATEGY_AUTO ?
		GPUAGG_STRATEGY_BLOCK_LOCAL : g->partitions.forced;
}

void
gpuagg_groups_free(GpuAggGroups *g)
{
	gpuagg_partitions_free(&g->partitions);
}

/* Grouping locally did not pay when so many groups filled the table. */
static void
bypass_local(GpuAggGrouper *grouper, uint32_t groups)
{
	grouper->bypass = true;
	grouper->bypass_length = grouper->bypass_length == 0 ?
		(uint64_t) groups * LOCAL_BYPASS_FILLINGS : grouper->bypass_length * 2;
	if (grouper->bypass_length > LOCAL_BYPASS_MOST)
		grouper->bypass_length = LOCAL_BYPASS_MOST;
	grouper->bypass_left = grouper->bypass_length;
}

GpuAggGrouper *
gpuagg_grouper_create(GpuAggGroups *g, uint32_t thread)
{
	size_t		bytes = sizeof(GpuAggGrouper) +
		(size_t) g->prepared->key_bytes * GPUAGG_VECTOR_ROWS;
	GpuAggGrouper *grouper = gpuagg_memory_alloc(g->memory, bytes);

	if (grouper == NULL)
		return NULL;
	memset(grouper, 0, sizeof(*grouper));
	grouper->bytes = bytes;
	grouper->groups = g;
	grouper->images = (char *) (grouper + 1);
	gpuagg_spiller_init(&grouper->spiller, &g->partitions, thread);
	gpuagg_table_init(&grouper->local, g->prepared, g->memory, NULL,
					  g->prepared->key_mode != GPUAGG_KEYS_NONE);
	if (g->begun_with != GPUAGG_STRATEGY_BLOCK_LOCAL)
		bypass_local(grouper, g->local_rows);
	return grouper;
}

void
gpuagg_grouper_free(GpuAggGrouper *grouper)
{
	if (grouper == NULL)
		return;
	gpuagg_spiller_free(&grouper->spiller);
	gpuagg_table_clear(&grouper->local);
	gpuagg_memory_free(grouper->groups->memory, grouper, grouper->bytes);
}

/* ---------- images and hashes of keys ---------- */

#define KEY_LOOP(word, store) \
	for (uint32_t i = 0; i < n; i++) \
	{ \
		char	   *slot = image + i * stride; \
		\
		if (v->clean || v->st[i] == GPUAGG_ST_VALUE) \
		{ \
			hashes[i] = gpuagg_hash_word(hashes[i], word, seed); \
			store; \
		} \
		else \
		{ \
			hashes[i] = gpuagg_hash_word(hashes[i], GPUAGG_HASH_NULL, seed); \
			mark_null(slot - off, key); \
		} \
	}

static inline void
mark_null(char *image, uint32_t key)
{
	uint32_t	nulls;

	memcpy(&nulls, image, sizeof(nulls));
	nulls |= 1u << key;
	memcpy(image, &nulls, sizeof(nulls));
}

static void
add_key(GpuAggGrouper *grouper, uint32_t key, const GpuAggVector *v, uint32_t n)
{
	const GpuAggPrepared *s = grouper->groups->prepared;
	const uint32_t type = gpuagg_program_keys(s->program)[key].type;
	const uint64_t seed = s->program->hash_seed;
	const uint32_t off = s->layout.key_off[key];
	const size_t stride = s->key_bytes;
	char	   *image = grouper->images + off;
	uint64_t   *hashes = grouper->hashes;

	if (gpuagg_key_class(type) == GPUAGG_CLASS_BYTES)
		KEY_LOOP(gpuagg_key_word_bytes(type, v->v.b[i], seed),
				 gpuagg_key_store_bytes(type, slot, v->v.b[i]))
	else if (gpuagg_key_class(type) == GPUAGG_CLASS_F64)
		KEY_LOOP(gpuagg_key_word_f64(v->v.f[i]),
				 memcpy(slot, &v->v.f[i], sizeof(double)))
	else if (gpuagg_type_slot_bytes(type) == 4)
		KEY_LOOP((uint64_t) v->v.i[i],
				 gpuagg_key_store_i64(GPUAGG_T_INT4, slot, v->v.i[i]))
	else
		KEY_LOOP((uint64_t) v->v.i[i],
				 gpuagg_key_store_i64(GPUAGG_T_INT8, slot, v->v.i[i]))
}

/*
 * One key of 4 bytes, no NULL among its values: the image is a word, whose
 * head is 0.
 */
static void
build_narrow_keys(GpuAggGrouper *grouper, const int64_t *keys, uint32_t n)
{
	const uint64_t seed = grouper->groups->prepared->program->hash_seed;
	uint64_t   *hashes = grouper->hashes;
	char	   *image = grouper->images;

	for (uint32_t i = 0; i < n; i++)
	{
		const int32_t slots[2] = {0, (int32_t) keys[i]};

		memcpy(image + i * sizeof(slots), slots, sizeof(slots));
		hashes[i] = gpuagg_hash_finish(gpuagg_hash_word(seed, (uint64_t) keys[i], seed));
	}
}

/* Builds images and hashes of n rows; errors in keys are consumed. */
static GpuAggStatus
build_keys(GpuAggGrouper *grouper, const GpuAggInputs *in, uint32_t n,
		   GpuAggError *error)
{
	const GpuAggPrepared *s = grouper->groups->prepared;
	const uint64_t seed = s->program->hash_seed;
	uint64_t   *hashes = grouper->hashes;
	uint32_t	states = 0;

	if (s->key_mode == GPUAGG_KEYS_WORD && in->keys[0]->clean)
	{
		build_narrow_keys(grouper, in->keys[0]->v.i, n);
		return GPUAGG_OK;
	}
	for (uint32_t key = 0; key < s->layout.nkeys; key++)
		if (!in->keys[key]->clean)
			for (uint32_t i = 0; i < n; i++)
				states |= in->keys[key]->st[i];
	if (GPUAGG_ST_IS_ERROR(states))
		return gpuagg_update_value_error(states, error);

	memset(grouper->images, 0, (size_t) n * s->key_bytes);
	for (uint32_t i = 0; i < n; i++)
		hashes[i] = seed;
	for (uint32_t key = 0; key < s->layout.nkeys; key++)
		add_key(grouper, key, in->keys[key], n);
	for (uint32_t i = 0; i < n; i++)
		hashes[i] = gpuagg_hash_finish(hashes[i]);
	return GPUAGG_OK;
}

/* ---------- the local table ---------- */

/*
 * Keep heavy groups' rows from moving: swaps the local table for one that
 * holds only them.  The others have been spilled.
 */
static bool
keep_heavy(GpuAggGrouper *grouper)
{
	GpuAggTable *old = &grouper->local;
	const size_t row_bytes = old->prepared->layout.row_bytes;
	const uint32_t key_bytes = old->prepared->key_bytes;
	GpuAggTable kept;
	bool		ok = true;

	gpuagg_table_init(&kept, old->prepared, old->memory, NULL, true);
	for (uint32_t row = 0; row < old->nrows && ok; row++)
	{
		const char *from = gpuagg_table_row(old, row);
		GpuAggKeyBlock block = {from, row_bytes, &old->hashes[row]};
		uint16_t	sel = 0;
		char	   *into;

		if (old->hits[row] < grouper->heavy_hits)
			continue;
		ok = gpuagg_table_reserve(&kept, 1) &&
			gpuagg_table_find(&kept, &block, &sel, 1, &into);
		if (ok)
			memcpy(into + key_bytes, from + key_bytes, row_bytes - key_bytes);
	}
	gpuagg_table_clear(old);
	*old = kept;
	return ok;
}

/* Spill the groups of the local table, heavy ones only if told so. */
static GpuAggStatus
spill_local(GpuAggGrouper *grouper, bool heavy_too, GpuAggError *error)
{
	const GpuAggTable *t = &grouper->local;
	const uint32_t chunk_rows = 1u << t->chunk_shift;

	for (uint32_t row = 0; row < t->nrows;)
	{
		uint32_t	end = (row | (chunk_rows - 1)) + 1;
		GpuAggSpill spill = {{gpuagg_table_row(t, row), t->prepared->layout.row_bytes,
		&t->hashes[row]}, NULL};
		uint32_t	n = 0;

		if (end > t->nrows)
			end = t->nrows;
		if (end - row > GPUAGG_VECTOR_ROWS)
			end = row + GPUAGG_VECTOR_ROWS;
		for (uint32_t i = 0; row + i < end; i++)
			if (heavy_too || t->hits[row + i] < grouper->heavy_hits)
				grouper->sel[n++] = (uint16_t) i;
		if (gpuagg_spill_rows(&grouper->spiller, &spill, grouper->sel, n, error) != GPUAGG_OK)
			return error->status;
		row = end;
	}
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_grouper_flush(GpuAggGrouper *grouper, GpuAggError *error)
{
	GpuAggStatus status;

	if (!gpuagg_partitions_make(&grouper->groups->partitions, grouper->rows_since_flush,
								grouper->local.nrows))
		return gpuagg_memory_error(grouper->groups->memory, error);
	status = spill_local(grouper, true, error);
	gpuagg_table_clear(&grouper->local);
	grouper->rows_since_flush = 0;
	return status;
}

/*
 * Are there groups heavy enough to keep, and from how many hits on is one?
 * From four times the average on, so that at most a quarter is; of those that
 * are kept as records, only what would outweigh a partition.  Long
 * strings of kept states would be lost with the old table's arena, so then
 * no group is kept.
 */
static bool
find_heavy(GpuAggGrouper *grouper)
{
	const GpuAggTable *t = &grouper->local;
	uint64_t	rows = 0;
	uint64_t	heavy = 0;

	if (t->prepared->long_states)
		return false;
	for (uint32_t row = 0; row < t->nrows; row++)
		rows += t->hits[row];
	grouper->heavy_hits = LOCAL_HEAVY_HITS + (uint32_t)
		(gpuagg_partitions_keep(&grouper->groups->partitions) ? rows / LOCAL_HEAVY_MOST :
		 rows * 4 / t->nrows);
	for (uint32_t row = 0; row < t->nrows; row++)
		if (t->hits[row] >= grouper->heavy_hits)
			heavy += t->hits[row];
	return heavy * LOCAL_HEAVY_SHARE >= rows && heavy > 0;
}

/* The local table is full: empty it and decide how to go on. */
static GpuAggStatus
local_is_full(GpuAggGrouper *grouper, GpuAggError *error)
{
	uint64_t	rows = grouper->rows_since_flush;
	uint32_t	groups = grouper->local.nrows;
	GpuAggStatus status;

	if (!gpuagg_partitions_make(&grouper->groups->partitions, rows, groups))
		return gpuagg_memory_error(grouper->groups->memory, error);
	if (find_heavy(grouper))
	{
		status = spill_local(grouper, false, error);
		if (status == GPUAGG_OK && !keep_heavy(grouper))
			status = gpuagg_memory_error(grouper->groups->memory, error);
		grouper->rows_since_flush = 0;
	}
	else
		status = gpuagg_grouper_flush(grouper, error);
	if (status != GPUAGG_OK)
		return status;
	if (grouper->groups->partitions.forced == GPUAGG_STRATEGY_BLOCK_LOCAL ||
		rows >= (uint64_t) groups * LOCAL_REDUCTION)
		grouper->bypass_length = 0;
	else
		bypass_local(grouper, groups);
	return GPUAGG_OK;
}

/* What rows, or groups, give to those that they belong to */
static GpuAggStatus
give(GpuAggTable *t, const GpuAggSpill *spill, const uint16_t *sel, char *const *rows,
	 uint32_t n, GpuAggError *error)
{
	if (spill->in != NULL)
		return gpuagg_update_rows(t, spill->in, sel, rows, n, error);
	return gpuagg_update_merge(t, spill->block.images, sel, rows, n, error);
}

/* Of groups no records are kept. */
static GpuAggStatus
pass_on(GpuAggGrouper *grouper, const GpuAggSpill *spill, const uint16_t *sel, uint32_t n,
		GpuAggError *error)
{
	if (spill->in != NULL)
		return gpuagg_spill_records(&grouper->spiller, spill, sel, n, error);
	return gpuagg_spill_rows(&grouper->spiller, spill, sel, n, error);
}

/* Rows of groups that stayed in the local table go there, others on. */
static GpuAggStatus
add_bypassing(GpuAggGrouper *grouper, const GpuAggSpill *spill, const uint16_t *sel, uint32_t n,
			  GpuAggError *error)
{
	GpuAggTable *t = &grouper->local;
	uint32_t	found = 0;

	if (!gpuagg_partitions_make(&grouper->groups->partitions, n, n))
		return gpuagg_memory_error(grouper->groups->memory, error);
	grouper->bypass_left -= n < grouper->bypass_left ? n : grouper->bypass_left;
	grouper->bypass = grouper->bypass_left > 0;
	if (t->nrows == 0)
		return pass_on(grouper, spill, sel, n, error);
	memcpy(grouper->sel, sel, n * sizeof(uint16_t));
	found = gpuagg_table_match(t, &spill->block, grouper->sel, n, grouper->rows);
	if (give(t, spill, grouper->sel, grouper->rows, found, error) != GPUAGG_OK)
		return error->status;
	return pass_on(grouper, spill, grouper->sel + found, n - found, error);
}

static GpuAggStatus
add_local(GpuAggGrouper *grouper, const GpuAggSpill *spill, const uint16_t *sel, uint32_t n,
		  GpuAggError *error)
{
	GpuAggTable *t = &grouper->local;

	if ((t->nrows + n > grouper->groups->local_rows ||
		 t->arena.bytes > grouper->groups->local_bytes) && t->nrows > 0)
	{
		if (local_is_full(grouper, error) != GPUAGG_OK)
			return error->status;
		if (grouper->bypass)
			return add_bypassing(grouper, spill, sel, n, error);
	}
	t->count_hits = t->nrows > grouper->groups->local_rows / 2;
	grouper->rows_since_flush += n;
	if (!gpuagg_table_reserve(t, n))
		return gpuagg_memory_error(t->memory, error);
	gpuagg_table_prefetch(t, &spill->block, sel, n);
	if (!gpuagg_table_find(t, &spill->block, sel, n, grouper->rows))
		return gpuagg_memory_error(t->memory, error);
	return give(t, spill, sel, grouper->rows, n, error);
}

/*
 * Which of n rows belong to the task's window?  Their number; *sel lists them.
 * Their hashes are spread over all hashes again.
 */
static uint32_t
rows_within(GpuAggGrouper *grouper, uint32_t n, const uint16_t **sel)
{
	const GpuAggHashWindow hash_window = grouper->groups->hash_window;
	uint64_t   *hashes = grouper->hashes;
	uint32_t	found = 0;

	*sel = grouper->spiller.all;
	if (hash_window.count <= 1)
		return n;
	for (uint32_t i = 0; i < n; i++)
	{
		grouper->within[found] = (uint16_t) i;
		found += gpuagg_hash_window_has(hash_window, hashes[i]);
		hashes[i] = gpuagg_hash_window_spread(hash_window, hashes[i]);
	}
	*sel = grouper->within;
	return found;
}

GpuAggStatus
gpuagg_grouper_add(GpuAggGrouper *grouper, const GpuAggInputs *in, uint32_t n,
				   GpuAggError *error)
{
	const GpuAggPrepared *s = grouper->groups->prepared;
	const GpuAggSpill spill = {{grouper->images, s->key_bytes, grouper->hashes}, in};
	const uint16_t *sel;

	if (s->key_mode == GPUAGG_KEYS_NONE)
	{
		char	   *row = gpuagg_table_only_row(&grouper->local);

		if (row == NULL)
			return gpuagg_memory_error(grouper->groups->memory, error);
		return gpuagg_update_only_row(&grouper->local, row, in, n, error);
	}
	if (build_keys(grouper, in, n, error) != GPUAGG_OK)
		return error->status;
	n = rows_within(grouper, n, &sel);
	if (n == 0)
		return GPUAGG_OK;
	if (grouper->bypass)
		return add_bypassing(grouper, &spill, sel, n, error);
	return add_local(grouper, &spill, sel, n, error);
}

/* Without keys they all go to one row. */
static GpuAggStatus
merge_into_only_row(GpuAggGrouper *grouper, const GpuAggKeyBlock *groups, uint32_t n,
					GpuAggError *error)
{
	char	   *row = gpuagg_table_only_row(&grouper->local);

	if (row == NULL)
		return gpuagg_memory_error(grouper->groups->memory, error);
	for (uint32_t i = 0; i < n; i++)
		grouper->rows[i] = row;
	return gpuagg_update_merge(&grouper->local, groups->images, grouper->spiller.all,
							   grouper->rows, n, error);
}

GpuAggStatus
gpuagg_grouper_add_groups(GpuAggGrouper *grouper, const GpuAggKeyBlock *groups, uint32_t n,
						  GpuAggError *error)
{
	const GpuAggSpill spill = {*groups, NULL};

	if (grouper->groups->prepared->key_mode == GPUAGG_KEYS_NONE)
		return merge_into_only_row(grouper, groups, n, error);
	if (grouper->bypass)
		return add_bypassing(grouper, &spill, grouper->spiller.all, n, error);
	return add_local(grouper, &spill, grouper->spiller.all, n, error);
}

GpuAggStatus
gpuagg_grouper_aggregate(GpuAggGrouper *grouper, uint32_t partition,
						 const GpuAggGrouper *from, GpuAggError *error)
{
	if (from->spiller.records == NULL)
		return GPUAGG_OK;
	return gpuagg_partition_aggregate(&grouper->spiller, partition, from->spiller.records,
									  error);
}

GpuAggStatus
gpuagg_grouper_merge_only_row(GpuAggGrouper *into, GpuAggGrouper *from,
							  GpuAggError *error)
{
	const uint16_t sel = 0;
	char	   *row = gpuagg_table_only_row(&into->local);

	if (row == NULL)
		return gpuagg_memory_error(into->groups->memory, error);
	if (from->local.nrows == 0)
		return GPUAGG_OK;
	if (gpuagg_update_merge(&into->local, gpuagg_table_row(&from->local, 0),
							&sel, &row, 1, error) != GPUAGG_OK)
		return error->status;
	gpuagg_table_clear(&from->local);
	return GPUAGG_OK;
}
