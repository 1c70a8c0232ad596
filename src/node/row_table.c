/*
 * row_table.c
 *		Groups by their keys (row_table.h).
 *
 * Rows lie side by side in blocks and do not move, each block as large as all before
 * it within limits; so do long strings, in blocks of their own.  lib/simplehash.h
 * finds them.  All memory is one context's.
 */
#include "postgres.h"

#include "node/row_table.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"

#define BLOCK_LEAST ((Size) 8 * 1024)
#define BLOCK_MOST ((Size) 1024 * 1024)
#define FIRST_ENTRIES 64

typedef struct RowEntry
{
	const char *row;
	uint32		hash;
	char		status;
} RowEntry;

static bool rows_equal(const GpuAggRowTable *table, const char *a, const char *b);

#define SH_PREFIX row
#define SH_ELEMENT_TYPE RowEntry
#define SH_KEY_TYPE const char *
#define SH_KEY row
#define SH_HASH_KEY(tb, key) 0	/* callers have the hash */
#define SH_EQUAL(tb, a, b) rows_equal((tb)->private_data, a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct RowBlock
{
	char	   *data;
	Size		bytes;
	Size		used;
} RowBlock;

struct GpuAggRowTable
{
	const GpuAggProgram *program;
	GpuAggLayout layout;
	char	   *wanted;
	MemoryContext context;		/* of all that follows */
	row_hash *hash;
	List	   *rows;			/* RowBlocks */
	List	   *strings;
	Size		bytes;			/* of these */
};

/* ------------------------------------------------------------ creation --- */

GpuAggRowTable *
gpuagg_row_table_create(const GpuAggProgram *program, MemoryContext context)
{
	GpuAggRowTable *table = MemoryContextAllocZero(context, sizeof(GpuAggRowTable));

	table->program = program;
	gpuagg_layout_compute(program, &table->layout);
	table->wanted = MemoryContextAllocZero(context, table->layout.row_bytes);
	table->context = AllocSetContextCreate(context, "gpuagg groups", ALLOCSET_DEFAULT_SIZES);
	gpuagg_row_table_reset(table);
	return table;
}

void
gpuagg_row_table_reset(GpuAggRowTable *table)
{
	MemoryContextReset(table->context);
	table->hash = row_create(table->context, FIRST_ENTRIES, table);
	table->rows = NIL;
	table->strings = NIL;
	table->bytes = 0;
}

const GpuAggLayout *
gpuagg_row_table_layout(const GpuAggRowTable *table)
{
	return &table->layout;
}

Size
gpuagg_row_table_memory(const GpuAggRowTable *table)
{
	return MemoryContextMemAllocated(table->context, false);
}

/* -------------------------------------------------------------- memory --- */

static char *
take(GpuAggRowTable *table, List **blocks, Size bytes)
{
	RowBlock *block = *blocks == NIL ? NULL : llast(*blocks);

	if (block == NULL || bytes > block->bytes - block->used)
	{
		MemoryContext old = MemoryContextSwitchTo(table->context);

		block = palloc(sizeof(RowBlock));
		block->bytes = Max(Min(Max(table->bytes, BLOCK_LEAST), BLOCK_MOST), bytes);
		block->data = palloc(block->bytes);
		block->used = 0;
		*blocks = lappend(*blocks, block);
		table->bytes += block->bytes;
		MemoryContextSwitchTo(old);
	}
	block->used += bytes;
	return block->data + block->used - bytes;
}

void
gpuagg_row_table_keep(GpuAggRowTable *table, char *slot, GpuAggBytes b)
{
	if (b.len > GPUAGG_STRING_INLINE)
	{
		char	   *copy = take(table, &table->strings, b.len);

		memcpy(copy, b.data, b.len);
		b.data = copy;
	}
	gpuagg_string_slot_store(slot, b);
}

void
gpuagg_row_table_replace(GpuAggRowTable *table, char *slot, GpuAggBytes b)
{
	GpuAggBytes old = gpuagg_string_slot_bytes(slot);

	if (gpuagg_string_slot_is_long(slot) && old.len == b.len)
		memcpy(unconstify(char *, old.data), b.data, b.len);
	else
		gpuagg_row_table_keep(table, slot, b);
}

/* ---------------------------------------------------------------- keys --- */

char *
gpuagg_row_table_wanted(GpuAggRowTable *table)
{
	uint32		nulls = (uint32) ((UINT64CONST(1) << table->layout.nkeys) - 1);

	memset(table->wanted, 0, table->layout.row_bytes);
	memcpy(table->wanted, &nulls, sizeof(nulls));
	return table->wanted;
}

static uint32
row_nulls(const char *row)
{
	uint32		head;

	memcpy(&head, row, sizeof(head));
	return head;
}

static bool
rows_equal(const GpuAggRowTable *table, const char *a, const char *b)
{
	const GpuAggKey *keys = gpuagg_program_keys(table->program);
	uint32		mask = (uint32) ((UINT64CONST(1) << table->layout.nkeys) - 1);
	uint32		nulls = row_nulls(a) & mask;

	if (nulls != (row_nulls(b) & mask))
		return false;
	for (uint32 i = 0; i < table->layout.nkeys; i++)
	{
		uint16		off = table->layout.key_off[i];

		if ((nulls >> i & 1) == 0 && !gpuagg_key_slots_equal(keys[i].type, a + off, b + off))
			return false;
	}
	return true;
}

uint64
gpuagg_row_table_hash(const GpuAggRowTable *table, const char *row)
{
	return gpuagg_row_hash(table->program, &table->layout, row);
}

/* -------------------------------------------------------------- groups --- */

char *
gpuagg_row_table_append(GpuAggRowTable *table, const char *from)
{
	const GpuAggKey *keys = gpuagg_program_keys(table->program);
	const GpuAggTransition *trans = gpuagg_program_transitions(table->program);
	const GpuAggLayout *layout = &table->layout;
	char	   *row = take(table, &table->rows, layout->row_bytes);

	memcpy(row, from, layout->row_bytes);
	for (uint32 i = 0; i < layout->nkeys; i++)
	{
		char	   *slot = row + layout->key_off[i];

		if (gpuagg_key_is_string(keys[i].type) && gpuagg_string_slot_is_long(slot))
			gpuagg_row_table_keep(table, slot, gpuagg_string_slot_bytes(slot));
	}
	for (uint32 i = 0; i < layout->ntransitions; i++)
		gpuagg_state_init(trans[i].op, row + layout->state_off[i]);
	return row;
}

char *
gpuagg_row_table_find(GpuAggRowTable *table, const char *row, uint64 hash, bool *is_new)
{
	bool		found;
	RowEntry   *entry = row_insert_hash(table->hash, row, (uint32) hash, &found);

	if (!found)
		entry->row = gpuagg_row_table_append(table, row);
	*is_new = !found;
	return unconstify(char *, entry->row);
}

char *
gpuagg_row_table_lookup(const GpuAggRowTable *table, const char *row, uint64 hash)
{
	const RowEntry *entry = row_lookup_hash(table->hash, row, (uint32) hash);

	return entry == NULL ? NULL : unconstify(char *, entry->row);
}

const char *
gpuagg_row_table_rows(const GpuAggRowTable *table, int *at, uint32 *count)
{
	const RowBlock *block;

	if (*at == list_length(table->rows))
		return NULL;
	block = list_nth(table->rows, (*at)++);
	*count = (uint32) (block->used / table->layout.row_bytes);
	return block->data;
}
