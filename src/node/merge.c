/*
 * merge.c
 *		Groups of several tasks, merged by their keys (merge.h).
 *
 * An open-addressing directory over copies of the groups' rows.  A row is copied as
 * it lies in its message, with its long strings behind it, and the slots of these
 * point there; states and keys are merged and compared by device/ops/group.h, as
 * devices do.
 *
 * Memory.  When the table has as much as a hash aggregation may have, groups that
 * are in it are still merged; others are spilled, by bits of their hash, to stores of
 * their own, which are merged one after the other once the table has been emptied.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "device/ops/group.h"
#include "ipc/errors.h"
#include "ipc/protocol.h"
#include "miscadmin.h"
#include "node/merge.h"
#include "utils/memutils.h"

/* Merged groups go to the store in messages of this size. */
#define MESSAGE_BYTES (64 * 1024)

#define FIRST_SLOTS 1024

/* Stores that a table spills to, by so many bits of the hash */
#define SPILL_BITS 4
#define SPILLS (1 << SPILL_BITS)

#define SPILL_BYTES (8 * 1024)

/* Spilled so often, a table is as large as it gets. */
#define SPILL_DEPTH 8

typedef struct GpuAggMergeSlot
{
	uint64		hash;
	char	   *row;			/* NULL: free */
} GpuAggMergeSlot;

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
	const GpuAggProgram *program;
	GpuAggLayout layout;
	uint64		seed;
	ResourceOwner owner;		/* of temporary files */
	MemoryContext rows;			/* of the table */
	Size		limit;
	Size		used;			/* of it, about */
	int			depth;			/* how often the table's input was spilled */
	GpuAggSpill *spills;		/* NULL: none yet */
	uint64		ngroups;
	uint64		merged;			/* of tables before */
	uint64		nslots;			/* a power of two */
	GpuAggMergeSlot *slots;
	GpuAggResults *to;
	GpuAggError *error;

	/* the message in the making */
	char	   *msg;
	Size		msg_size;
	Size		msg_bytes;
	uint32		msg_count;
} GpuAggMerge;

/* ------------------------------------------------------------------ keys --- */

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

static inline uint32
row_head(const char *row)
{
	uint32		head;

	memcpy(&head, row, sizeof(head));
	return head;
}

static uint64
key_word(const GpuAggMerge *m, uint32 type, const char *slot)
{
	switch (type)
	{
		case GPUAGG_T_FLOAT4:
		case GPUAGG_T_FLOAT8:
			return gpuagg_key_word_f64(gpuagg_key_slot_f64(slot));
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
			return gpuagg_key_word_bytes(type, gpuagg_string_slot_bytes(slot), m->seed);
		default:
			return gpuagg_hash_bytes(slot, gpuagg_type_slot_bytes(type), m->seed);
	}
}

static uint64
row_hash(const GpuAggMerge *m, const char *row)
{
	const GpuAggKey *keys = gpuagg_program_keys(m->program);
	uint32		nulls = row_head(row);
	uint64		h = m->seed;

	for (uint32 i = 0; i < m->layout.nkeys; i++)
		h = gpuagg_hash_word(h, (nulls >> i & 1) != 0 ? GPUAGG_HASH_NULL :
							 key_word(m, keys[i].type, row + m->layout.key_off[i]), m->seed);
	return gpuagg_hash_finish(h);
}

static bool
rows_equal(const GpuAggMerge *m, const char *a, const char *b)
{
	const GpuAggKey *keys = gpuagg_program_keys(m->program);
	uint32		mask = (UINT32_C(1) << m->layout.nkeys) - 1;
	uint32		nulls = row_head(a) & mask;

	if (nulls != (row_head(b) & mask))
		return false;
	for (uint32 i = 0; i < m->layout.nkeys; i++)
		if ((nulls >> i & 1) == 0 &&
			!gpuagg_key_slots_equal(keys[i].type, a + m->layout.key_off[i],
									b + m->layout.key_off[i]))
			return false;
	return true;
}

/* ----------------------------------------------------------------- table --- */

static void
table_begin(GpuAggMerge *m)
{
	MemoryContextReset(m->rows);
	m->merged += m->ngroups;
	m->ngroups = 0;
	m->spills = NULL;
	m->nslots = FIRST_SLOTS;
	m->used = m->nslots * sizeof(GpuAggMergeSlot);
	m->slots = MemoryContextAllocZero(m->rows, m->used);
}

/* The place of a group with these keys, or the free one where it would be */
static GpuAggMergeSlot *
table_find(GpuAggMerge *m, uint64 hash, const char *row)
{
	for (uint64 i = hash;; i++)
	{
		GpuAggMergeSlot *slot = &m->slots[i & (m->nslots - 1)];

		if (slot->row == NULL || (slot->hash == hash && rows_equal(m, slot->row, row)))
			return slot;
	}
}

static void
table_grow(GpuAggMerge *m)
{
	GpuAggMergeSlot *old = m->slots;
	uint64		nold = m->nslots;

	m->nslots *= 2;
	m->used += nold * sizeof(GpuAggMergeSlot);
	m->slots = MemoryContextAllocExtended(m->rows, m->nslots * sizeof(GpuAggMergeSlot),
										  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint64 i = 0; i < nold; i++)
	{
		uint64		at = old[i].hash;

		if (old[i].row == NULL)
			continue;
		while (m->slots[at & (m->nslots - 1)].row != NULL)
			at++;
		m->slots[at & (m->nslots - 1)] = old[i];
	}
	pfree(old);
}

static void
table_add(GpuAggMerge *m, GpuAggMergeSlot *slot, uint64 hash, const char *row, Size bytes)
{
	slot->hash = hash;
	slot->row = MemoryContextAllocHuge(m->rows, bytes);
	m->used += GetMemoryChunkSpace(slot->row);
	memcpy(slot->row, row, bytes);
	point_at_strings(m, slot->row);
	if (++m->ngroups > m->nslots / 2)
		table_grow(m);
}

static void
merge_string(GpuAggMerge *m, uint32 op, char *into, const char *from)
{
	GpuAggBytes b = gpuagg_string_slot_bytes(from);
	char	   *copy;

	if (b.len == GPUAGG_STRING_NONE || !gpuagg_state_prefers(op, into, b))
		return;
	if (b.len > GPUAGG_STRING_INLINE)
	{
		copy = MemoryContextAllocHuge(m->rows, b.len);
		m->used += GetMemoryChunkSpace(copy);
		memcpy(copy, b.data, b.len);
		b.data = copy;
	}
	gpuagg_string_slot_store(into, b);
}

static void
merge_row(GpuAggMerge *m, char *into, const char *row)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(m->program);

	for (uint32 i = 0; i < m->layout.ntransitions; i++)
	{
		uint32		off = m->layout.state_off[i];

		if (gpuagg_transition_is_string(trans[i].op))
			merge_string(m, trans[i].op, into + off, row + off);
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
	GpuAggMergeSlot *slot;

	point_at_strings(m, row);
	hash = row_hash(m, row);
	slot = table_find(m, hash, row);
	if (slot->row != NULL)
		merge_row(m, slot->row, row);
	else if (m->used <= m->limit || m->depth == SPILL_DEPTH)
		table_add(m, slot, hash, row, bytes);
	else
		spill_group(m, hash, row, bytes);
}

/* --------------------------------------------------------------- results --- */

static GpuAggStatus
message_send(GpuAggMerge *m)
{
	GpuAggStatus status = gpuagg_results_add(m->to, m->msg, m->msg_count, m->msg_bytes,
											 m->error);

	m->msg_bytes = m->msg_count = 0;
	return status;
}

static char *
append_string(char *end, char *slot)
{
	GpuAggBytes b = gpuagg_string_slot_bytes(slot);

	if (!gpuagg_string_slot_is_long(slot))
		return end;
	memcpy(end, b.data, b.len);
	return end + b.len;
}

/* A group as devices write it: the row, then its long strings */
static void
write_group(const GpuAggMerge *m, char *to, char *row, Size bytes)
{
	const GpuAggKey *keys = gpuagg_program_keys(m->program);
	const GpuAggTransition *trans = gpuagg_program_transitions(m->program);
	char	   *end = to + m->layout.row_bytes;

	memcpy(to, row, m->layout.row_bytes);
	for (uint32 i = 0; i < m->layout.nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type))
			end = append_string(end, row + m->layout.key_off[i]);
	for (uint32 i = 0; i < m->layout.ntransitions; i++)
		if (gpuagg_transition_is_string(trans[i].op))
			end = append_string(end, row + m->layout.state_off[i]);
	memset(end, 0, to + bytes - end);
}

static GpuAggStatus
message_add(GpuAggMerge *m, char *row)
{
	Size		bytes = gpuagg_group_bytes(m->program, &m->layout, row);

	if (m->msg_count > 0 && m->msg_bytes + bytes > m->msg_size)
	{
		GpuAggStatus status = message_send(m);

		if (status != GPUAGG_OK)
			return status;
	}
	if (bytes > m->msg_size)
	{
		m->msg = repalloc_huge(m->msg, bytes);
		m->msg_size = bytes;
	}
	write_group(m, m->msg + m->msg_bytes, row, bytes);
	m->msg_bytes += bytes;
	m->msg_count++;
	return GPUAGG_OK;
}

static GpuAggStatus
table_send(GpuAggMerge *m)
{
	GpuAggStatus status = GPUAGG_OK;

	for (uint64 i = 0; i < m->nslots && status == GPUAGG_OK; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (m->slots[i].row != NULL)
			status = message_add(m, m->slots[i].row);
	}
	return status == GPUAGG_OK ? message_send(m) : status;
}

/* The group of no rows */
static GpuAggStatus
send_empty(GpuAggMerge *m)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(m->program);
	char	   *row = palloc0(m->layout.row_bytes);

	for (uint32 i = 0; i < m->layout.ntransitions; i++)
		gpuagg_state_init(trans[i].op, row + m->layout.state_off[i]);
	return message_add(m, row) == GPUAGG_OK ? message_send(m) : m->error->status;
}

static GpuAggStatus merge_store(GpuAggMerge *m, GpuAggStore *from);

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
			status = merge_store(m, spills[i].store);
		gpuagg_store_free(spills[i].store);
	}
	m->depth--;
	pfree(spills);
	return status;
}

static GpuAggStatus
merge_store(GpuAggMerge *m, GpuAggStore *from)
{
	GpuAggStatus status;
	const char *groups;
	uint32		count;

	table_begin(m);
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
	status = table_send(m);
	return status == GPUAGG_OK ? merge_spills(m, m->spills) : status;
}

GpuAggStatus
gpuagg_merge_groups(GpuAggStore *from, GpuAggResults *to, ResourceOwner owner,
					const GpuAggProgram *program, uint64 *merged, GpuAggError *error)
{
	GpuAggStatus status;
	GpuAggMerge m = {
		.program = program,
		.seed = pg_prng_uint64(&pg_global_prng_state),
		.owner = owner,
		.rows = AllocSetContextCreate(CurrentMemoryContext, "gpuagg merge",
									  ALLOCSET_DEFAULT_SIZES),
		.limit = get_hash_memory_limit(),
		.to = to,
		.error = error,
		.msg = palloc(MESSAGE_BYTES),
		.msg_size = MESSAGE_BYTES
	};

	gpuagg_layout_compute(program, &m.layout);
	status = merge_store(&m, from);
	m.merged += m.ngroups;
	if (status == GPUAGG_OK && m.merged == 0 && program->nkeys == 0)
	{
		m.merged = 1;
		status = send_empty(&m);
	}
	*merged = m.merged;
	MemoryContextDelete(m.rows);
	pfree(m.msg);
	return status;
}
