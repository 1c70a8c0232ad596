/*
 * regroup_table.c
 *		Groups by their keys (regroup_table.h).
 *
 * Rows lie side by side in blocks and do not move, each block as large as all before
 * it within limits; so do long strings, in blocks of their own.  lib/simplehash.h
 * finds them.  All memory is one context's.
 */
#include "postgres.h"

#include "node/regroup_table.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"

#define BLOCK_LEAST ((Size) 8 * 1024)
#define BLOCK_MOST ((Size) 1024 * 1024)
#define FIRST_ENTRIES 64

typedef struct RegroupEntry
{
	const char *row;
	uint32		hash;
	char		status;
} RegroupEntry;

static bool rows_equal(const GpuAggRegroupTable *table, const char *a, const char *b);

#define SH_PREFIX regroup
#define SH_ELEMENT_TYPE RegroupEntry
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

typedef struct RegroupBlock
{
	char	   *data;
	Size		bytes;
	Size		used;
} RegroupBlock;

struct GpuAggRegroupTable
{
	const GpuAggProgram *program;
	GpuAggLayout layout;
	char	   *wanted;
	MemoryContext context;		/* of all that follows */
	regroup_hash *hash;
	List	   *rows;			/* RegroupBlocks */
	List	   *strings;
	Size		bytes;			/* of these */
};

/* ------------------------------------------------------------ creation --- */

GpuAggRegroupTable *
gpuagg_regroup_table_create(const GpuAggProgram *program, MemoryContext context)
{
	GpuAggRegroupTable *table = MemoryContextAllocZero(context, sizeof(GpuAggRegroupTable));

	table->program = program;
	gpuagg_layout_compute(program, &table->layout);
	table->wanted = MemoryContextAllocZero(context, table->layout.row_bytes);
	table->context = AllocSetContextCreate(context, "GpuAgg regrouping", ALLOCSET_DEFAULT_SIZES);
	gpuagg_regroup_table_reset(table);
	return table;
}

void
gpuagg_regroup_table_reset(GpuAggRegroupTable *table)
{
	MemoryContextReset(table->context);
	table->hash = regroup_create(table->context, FIRST_ENTRIES, table);
	table->rows = NIL;
	table->strings = NIL;
	table->bytes = 0;
}

const GpuAggLayout *
gpuagg_regroup_table_layout(const GpuAggRegroupTable *table)
{
	return &table->layout;
}

Size
gpuagg_regroup_table_memory(const GpuAggRegroupTable *table)
{
	return MemoryContextMemAllocated(table->context, false);
}

/* -------------------------------------------------------------- memory --- */

static char *
take(GpuAggRegroupTable *table, List **blocks, Size bytes)
{
	RegroupBlock *block = *blocks == NIL ? NULL : llast(*blocks);

	if (block == NULL || bytes > block->bytes - block->used)
	{
		MemoryContext old = MemoryContextSwitchTo(table->context);

		block = palloc(sizeof(RegroupBlock));
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
gpuagg_regroup_table_keep(GpuAggRegroupTable *table, char *slot, GpuAggBytes b)
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
gpuagg_regroup_table_replace(GpuAggRegroupTable *table, char *slot, GpuAggBytes b)
{
	GpuAggBytes old = gpuagg_string_slot_bytes(slot);

	if (gpuagg_string_slot_is_long(slot) && old.len == b.len)
		memcpy(unconstify(char *, old.data), b.data, b.len);
	else
		gpuagg_regroup_table_keep(table, slot, b);
}

/* ---------------------------------------------------------------- keys --- */

char *
gpuagg_regroup_table_wanted(GpuAggRegroupTable *table)
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
rows_equal(const GpuAggRegroupTable *table, const char *a, const char *b)
{
	const GpuAggKey *keys = gpuagg_program_keys(table->program);
	uint32		nulls = row_nulls(a);

	if (nulls != row_nulls(b))
		return false;
	for (uint32 i = 0; i < table->layout.nkeys; i++)
	{
		uint16		off = table->layout.key_off[i];

		if ((nulls >> i & 1) == 0 && !gpuagg_key_slots_equal(keys[i].type, a + off, b + off))
			return false;
	}
	return true;
}

/* The word that a key is hashed as */
static uint64
slot_word(uint32 type, const char *slot, uint64 seed)
{
	GpuAggBytes uuid = {slot, 16};

	switch (gpuagg_key_class(type))
	{
		case GPUAGG_CLASS_F64:
			return gpuagg_key_word_f64(gpuagg_key_slot_f64(slot));
		case GPUAGG_CLASS_BYTES:
			return gpuagg_key_word_bytes(type, gpuagg_key_is_string(type) ?
										 gpuagg_string_slot_bytes(slot) : uuid, seed);
		default:
			return gpuagg_type_slot_bytes(type) == 4 ? gpuagg_hash_read4(slot) :
				gpuagg_hash_read8(slot);
	}
}

uint64
gpuagg_regroup_table_hash(const GpuAggRegroupTable *table)
{
	const GpuAggKey *keys = gpuagg_program_keys(table->program);
	uint64		seed = table->program->hash_seed;
	uint32		nulls = row_nulls(table->wanted);
	uint64		h = seed;

	for (uint32 i = 0; i < table->layout.nkeys; i++)
		h = gpuagg_hash_word(h, (nulls >> i & 1) != 0 ? GPUAGG_HASH_NULL :
							 slot_word(keys[i].type, table->wanted + table->layout.key_off[i],
									   seed), seed);
	return gpuagg_hash_finish(h);
}

/* -------------------------------------------------------------- groups --- */

char *
gpuagg_regroup_table_append(GpuAggRegroupTable *table)
{
	const GpuAggKey *keys = gpuagg_program_keys(table->program);
	const GpuAggTransition *trans = gpuagg_program_transitions(table->program);
	const GpuAggLayout *layout = &table->layout;
	char	   *row = take(table, &table->rows, layout->row_bytes);

	memcpy(row, table->wanted, layout->row_bytes);
	for (uint32 i = 0; i < layout->nkeys; i++)
	{
		char	   *slot = row + layout->key_off[i];

		if (gpuagg_key_is_string(keys[i].type) && gpuagg_string_slot_is_long(slot))
			gpuagg_regroup_table_keep(table, slot, gpuagg_string_slot_bytes(slot));
	}
	for (uint32 i = 0; i < layout->ntransitions; i++)
		gpuagg_state_init(trans[i].op, row + layout->state_off[i]);
	return row;
}

char *
gpuagg_regroup_table_find(GpuAggRegroupTable *table, uint64 hash, bool *is_new)
{
	bool		found;
	RegroupEntry *entry = regroup_insert_hash(table->hash, table->wanted, (uint32) hash,
											  &found);

	if (!found)
		entry->row = gpuagg_regroup_table_append(table);
	*is_new = !found;
	return unconstify(char *, entry->row);
}

const char *
gpuagg_regroup_table_rows(const GpuAggRegroupTable *table, int *at, uint32 *count)
{
	const RegroupBlock *block;

	if (*at == list_length(table->rows))
		return NULL;
	block = list_nth(table->rows, (*at)++);
	*count = (uint32) (block->used / table->layout.row_bytes);
	return block->data;
}
