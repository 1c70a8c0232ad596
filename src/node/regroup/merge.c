/*
 * merge.c
 *		Groups of several tasks, merged by their keys (merge.h).
 *
 * Groups lie in a table (row_table.h); the slots of a message's strings are made to point
 * at these.  States are merged by device/ops/group.h, as devices do.
 *
 * Memory.  When the table has as much as a hash aggregation may have, groups that
 * are in it are still merged; others are spilled, by bits of their hash, to stores of
 * their own, which are merged one after the other once the table has been emptied.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "device/ops/group.h"
#include "ipc/errors.h"
#include "miscadmin.h"
#include "node/regroup/merge.h"
#include "node/regroup/row_output.h"
#include "utils/varlena.h"
#include "utils/memutils.h"

/* Stores that a table spills to, by so many bits of the hash */
#define SPILL_BITS 4
#define SPILLS (1 << SPILL_BITS)

#define SPILL_BYTES (8 * 1024)

/* Spilled so often, a table is as large as it gets. */
#define SPILL_DEPTH 8

/* Groups on their way to a store, and that */
typedef struct GpuAggSpill
{
	GpuAggStore *store;			/* NULL: none yet */
	uint32		count;
	Size		bytes;
	char		buffer[SPILL_BYTES];
} GpuAggSpill;

typedef struct GpuAggMerge
{
	GpuAggProgram *program;		/* a copy, with a seed of its own */
	GpuAggLayout layout;
	const GpuAggRegroup *plan;	/* with the orders of strings; NULL: that of bytes */
	ResourceOwner owner;		/* of temporary files */
	GpuAggRowTable *table;
	Size		limit;			/* of it */
	int			depth;			/* how often the table's input was spilled */
	GpuAggSpill *spills;		/* NULL: none yet */
	uint64		merged;			/* groups */
	GpuAggResults *to;
	GpuAggError *error;
} GpuAggMerge;

/* Lets a slot of a long string point at data; where the next one's bytes are */
static inline const char *
point_at(char *slot, const char *data)
{
	uint32		bytes = gpuagg_string_slot_long_bytes(slot);

	if (bytes > 0)
		memcpy(slot + offsetof(GpuAggStringSlot, u), &data, sizeof(data));
	return data + bytes;
}

/* Lets the slots of a whole group point at the strings behind its row. */
static void
point_at_strings(const GpuAggMerge *m, char *row)
{
	const GpuAggKey *keys = gpuagg_program_keys(m->program);
	const GpuAggTransition *trans = gpuagg_program_transitions(m->program);
	const char *data = row + m->layout.row_bytes;

	for (uint32 i = 0; i < m->layout.nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type))
			data = point_at(row + m->layout.key_off[i], data);
	for (uint32 i = 0; i < m->layout.ntransitions; i++)
		if (gpuagg_transition_is_string(trans[i].op))
			data = point_at(row + m->layout.state_off[i], data);
}

/* ---------------------------------------------------------------- groups --- */

bool
gpuagg_regroup_prefers(const GpuAggRegroupState *s, const char *state, GpuAggBytes a)
{
	GpuAggBytes b = gpuagg_string_slot_bytes(state);
	int			order;

	if (!OidIsValid(s->collation) || b.len == GPUAGG_STRING_NONE)
		return gpuagg_state_prefers(s->op, state, a);
	if (s->type == GPUAGG_T_BPCHAR)
	{
		a = gpuagg_bpchar_trim(a);
		b = gpuagg_bpchar_trim(b);
	}
	order = varstr_cmp(a.data, (int) a.len, b.data, (int) b.len, s->collation);
	return s->op == GPUAGG_TRANS_MIN_BYTES || s->op == GPUAGG_TRANS_MIN_BPCHAR ?
		order < 0 : order > 0;
}

static void
merge_string(GpuAggMerge *m, uint32 i, uint32 op, char *into, const char *from)
{
	const GpuAggBytes b = gpuagg_string_slot_bytes(from);

	if (b.len != GPUAGG_STRING_NONE &&
		(m->plan != NULL ? gpuagg_regroup_prefers(&m->plan->states[i], into, b) :
		 gpuagg_state_prefers(op, into, b)))
		gpuagg_row_table_keep(m->table, into, b);
}

static void
merge_row(GpuAggMerge *m, char *into, const char *row)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(m->program);

	for (uint32 i = 0; i < m->layout.ntransitions; i++)
	{
		uint32		off = m->layout.state_off[i];

		if (gpuagg_transition_is_string(trans[i].op))
			merge_string(m, i, trans[i].op, into + off, row + off);
		else
			gpuagg_state_merge_alone(trans[i].op, into + off, row + off);
	}
}

static void
spill_flush(GpuAggSpill *spill)
{
	if (spill->count > 0)
		gpuagg_store_add(spill->store, spill->buffer, spill->count, spill->bytes);
	spill->count = spill->bytes = 0;
}

static void
spill_group(GpuAggMerge *m, uint64 hash, const char *row, Size bytes)
{
	GpuAggSpill *spill;

	if (m->spills == NULL)
		m->spills = palloc0(SPILLS * sizeof(GpuAggSpill));
	spill = &m->spills[hash >> (64 - SPILL_BITS * (m->depth + 1)) & (SPILLS - 1)];
	if (spill->store == NULL)
		spill->store = gpuagg_store_create(CurrentMemoryContext, m->owner, 0);
	if (spill->bytes + bytes > SPILL_BYTES)
		spill_flush(spill);
	if (bytes > SPILL_BYTES)
	{
		gpuagg_store_add(spill->store, row, 1, bytes);
		return;
	}
	memcpy(spill->buffer + spill->bytes, row, bytes);
	spill->bytes += bytes;
	spill->count++;
}

/* A group of a message, whose slots are made to point at its strings */
static void
merge_group(GpuAggMerge *m, char *row, Size bytes)
{
	uint64		hash;
	char	   *group;
	bool		is_new;

	point_at_strings(m, row);
	hash = gpuagg_row_table_hash(m->table, row);
	if (m->depth == SPILL_DEPTH || gpuagg_row_table_memory(m->table) <= m->limit)
		group = gpuagg_row_table_find(m->table, row, hash, &is_new);
	else
		group = gpuagg_row_table_lookup(m->table, row, hash);
	if (group != NULL)
		merge_row(m, group, row);
	else
		spill_group(m, hash, row, bytes);
}

/* --------------------------------------------------------------- results --- */

/* The group of no rows */
static void
add_empty(GpuAggMerge *m)
{
	const char *row = gpuagg_row_table_wanted(m->table, 0);
	bool		is_new;

	(void) gpuagg_row_table_find(m->table, row, gpuagg_row_table_hash(m->table, row), &is_new);
}

static GpuAggStatus
send_table(GpuAggMerge *m)
{
	return gpuagg_row_output(m->table, m->program, m->to, &m->merged, m->error);
}

static GpuAggStatus merge_stores(GpuAggMerge *m, GpuAggStore *const *from, int n);

/* Takes over and frees what the table has spilled. */
static GpuAggStatus
merge_spills(GpuAggMerge *m, GpuAggSpill *spills)
{
	GpuAggStatus status = GPUAGG_OK;

	if (spills == NULL)
		return GPUAGG_OK;
	m->depth++;
	for (int i = 0; i < SPILLS; i++)
	{
		if (spills[i].store == NULL)
			continue;
		spill_flush(&spills[i]);
		if (status == GPUAGG_OK)
			status = merge_stores(m, &spills[i].store, 1);
		gpuagg_store_free(spills[i].store);
	}
	m->depth--;
	pfree(spills);
	return status;
}

static void
take_store(GpuAggMerge *m, GpuAggStore *from)
{
	const char *groups;
	uint32		count;

	gpuagg_store_rewind(from);
	while ((groups = gpuagg_store_next(from, &count)) != NULL)
	{
		char	   *row = unconstify(char *, groups);

		CHECK_FOR_INTERRUPTS();
		for (; count > 0; count--)
		{
			Size		bytes = gpuagg_group_bytes(m->program, &m->layout, row);

			merge_group(m, row, bytes);
			row += bytes;
		}
	}
}

static GpuAggStatus
merge_stores(GpuAggMerge *m, GpuAggStore *const *from, int n)
{
	GpuAggStatus status;

	gpuagg_row_table_reset(m->table);
	m->spills = NULL;
	for (int i = 0; i < n; i++)
		take_store(m, from[i]);
	status = send_table(m);
	return status == GPUAGG_OK ? merge_spills(m, m->spills) : status;
}

GpuAggStatus
gpuagg_merge_groups(GpuAggStore *const *from, int n, GpuAggResults *to, ResourceOwner owner,
					const GpuAggProgram *program, const GpuAggRegroup *plan,
					uint64 *merged, GpuAggError *error)
{
	MemoryContext rows = AllocSetContextCreate(CurrentMemoryContext, "gpuagg merge",
											   ALLOCSET_DEFAULT_SIZES);
	GpuAggStatus status;
	GpuAggMerge m = {
		.program = palloc(program->bytes),
		.plan = plan,
		.owner = owner,
		.limit = get_hash_memory_limit(),
		.to = to,
		.error = error
	};

	memcpy(m.program, program, program->bytes);
	m.program->hash_seed = pg_prng_uint64(&pg_global_prng_state);
	gpuagg_layout_compute(program, &m.layout);
	m.table = gpuagg_row_table_create(m.program, rows);
	status = merge_stores(&m, from, n);
	if (status == GPUAGG_OK && m.merged == 0 && program->nkeys == 0 &&
		(plan == NULL || !plan->grouped))
	{
		gpuagg_row_table_reset(m.table);
		add_empty(&m);
		status = send_table(&m);
	}
	*merged = m.merged;
	MemoryContextDelete(rows);
	pfree(m.program);
	return status;
}
