/*
 * row_table.c
 *		Groups by their keys (row_table.h).
 *
 * Rows lie side by side in blocks and do not move, each block as large as all before
 * it, or as the rows to come, within limits; so do long strings, in blocks of their own.
 * lib/simplehash.h finds them.  All memory is one context's, but for large blocks, which
 * go with it: to clear fresh pages for each statement takes longer than to fill them.
 */
#include "postgres.h"

#include <math.h>

#include "node/regroup/row_table.h"
#include "node/result/huge_blocks.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"

#define BLOCK_LEAST ((Size) 8 * 1024)
#define BLOCK_MOST ((Size) 16 * 1024 * 1024)
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
#define SH_USE_NONDEFAULT_ALLOCATOR
#define SH_GET_HASH(tb, entry) (entry)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* In front of the entries, which then lie on lines of the processor's caches */
typedef union EntriesHead
{
	struct
	{
		Size		bytes;		/* of the block */
		Size		used;		/* of the entries in it */
	}			of;
	char		line[64];
} EntriesHead;

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
	char	   *wanted;			/* GPUAGG_ROWS_WANTED rows */
	MemoryContext context;		/* of all that follows */
	row_hash *hash;
	List	   *rows;			/* RowBlocks */
	List	   *strings;
	Size		bytes;			/* of these */
	Size		rows_to_come;	/* bytes, as expected */
	Size		large;			/* of blocks that are not the context's: bytes in use */
	MemoryContextCallback free_large;
};

/* -------------------------------------------------------------- blocks --- */

static bool
is_large(Size bytes)
{
	return bytes >= GPUAGG_HUGE_BYTES;
}

static char *
block_alloc(GpuAggRowTable *table, Size *bytes)
{
	MemoryContext old = MemoryContextSwitchTo(table->context);
	char	   *data = gpuagg_block_alloc(bytes);

	MemoryContextSwitchTo(old);
	if (data == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
						errdetail("Failed on request of size %zu.", *bytes)));
	return data;
}

static void *
row_allocate(row_hash *hash, Size size)
{
	GpuAggRowTable *table = hash->private_data;
	EntriesHead head = {.of = {.bytes = size + sizeof(EntriesHead),.used = size}};
	char	   *data = block_alloc(table, &head.of.bytes);

	memcpy(data, &head, sizeof(head));
	if (is_large(head.of.bytes))
		table->large += size;
	return memset(data + sizeof(head), 0, size);
}

static void
row_free(row_hash *hash, void *entries)
{
	GpuAggRowTable *table = hash->private_data;
	const EntriesHead *head = (EntriesHead *) entries - 1;

	if (is_large(head->of.bytes))
		table->large -= head->of.used;
	gpuagg_block_free((char *) head, head->of.bytes);
}

static void
free_large_of(const List *blocks)
{
	ListCell   *lc;

	foreach(lc, blocks)
	{
		const RowBlock *block = lfirst(lc);

		if (is_large(block->bytes))
			gpuagg_huge_free(block->data, block->bytes);
	}
}

/* Called when the context goes, and with it all that is small */
static void
free_large(void *arg)
{
	GpuAggRowTable *table = arg;

	free_large_of(table->rows);
	free_large_of(table->strings);
	if (table->hash != NULL && is_large(((EntriesHead *) table->hash->data - 1)->of.bytes))
		row_free(table->hash, table->hash->data);
	table->hash = NULL;
	table->rows = table->strings = NIL;
}

/* ------------------------------------------------------------ creation --- */

GpuAggRowTable *
gpuagg_row_table_create(const GpuAggProgram *program, MemoryContext context)
{
	GpuAggRowTable *table = MemoryContextAllocZero(context, sizeof(GpuAggRowTable));

	table->program = program;
	gpuagg_layout_compute(program, &table->layout);
	table->wanted = MemoryContextAllocZero(context, GPUAGG_ROWS_WANTED * table->layout.row_bytes);
	table->context = AllocSetContextCreate(context, "gpuagg groups", ALLOCSET_DEFAULT_SIZES);
	gpuagg_row_table_reset(table);
	return table;
}

void
gpuagg_row_table_reset(GpuAggRowTable *table)
{
	MemoryContextReset(table->context);
	table->free_large.func = free_large;
	table->free_large.arg = table;
	MemoryContextRegisterResetCallback(table->context, &table->free_large);
	table->bytes = table->rows_to_come = table->large = 0;
	table->hash = row_create(table->context, FIRST_ENTRIES, table);
}

const GpuAggLayout *
gpuagg_row_table_layout(const GpuAggRowTable *table)
{
	return &table->layout;
}

Size
gpuagg_row_table_memory(const GpuAggRowTable *table)
{
	return MemoryContextMemAllocated(table->context, false) + table->large;
}

/* -------------------------------------------------------------- memory --- */

/*
 * For the row or string that comes next, of so many bytes; most: what may come after it, as
 * expected
 */
static RowBlock *
add_block(GpuAggRowTable *table, List **blocks, Size bytes, Size most)
{
	MemoryContext old = MemoryContextSwitchTo(table->context);
	RowBlock   *block = palloc0(sizeof(RowBlock));
	Size		wanted = Max(Min(Max(Max(table->bytes, most), BLOCK_LEAST), BLOCK_MOST), bytes);

	/* in the list before it has what must not be lost */
	*blocks = lappend(*blocks, block);
	MemoryContextSwitchTo(old);
	block->data = block_alloc(table, &wanted);
	block->bytes = wanted;
	table->bytes += wanted;
	return block;
}

static char *
take(GpuAggRowTable *table, List **blocks, Size bytes, Size most)
{
	RowBlock *block = *blocks == NIL ? NULL : llast(*blocks);

	if (block == NULL || bytes > block->bytes - block->used)
		block = add_block(table, blocks, bytes, most);
	if (is_large(block->bytes))
		table->large += bytes;
	block->used += bytes;
	return block->data + block->used - bytes;
}

void
gpuagg_row_table_keep(GpuAggRowTable *table, char *slot, GpuAggBytes b)
{
	if (b.len > GPUAGG_STRING_INLINE)
	{
		char	   *copy = take(table, &table->strings, b.len, 0);

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
gpuagg_row_table_wanted(GpuAggRowTable *table, int number)
{
	uint32		nulls = (uint32) ((UINT64CONST(1) << table->layout.nkeys) - 1);
	char	   *wanted = table->wanted + number * table->layout.row_bytes;

	memset(wanted, 0, table->layout.row_bytes);
	memcpy(wanted, &nulls, sizeof(nulls));
	return wanted;
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

void
gpuagg_row_table_prefetch(const GpuAggRowTable *table, uint64 hash)
{
	const row_hash *entries = table->hash;

	__builtin_prefetch(&entries->data[(uint32) hash & entries->sizemask]);
}

uint64
gpuagg_row_table_groups(const GpuAggRowTable *table)
{
	return table->hash->members;
}

void
gpuagg_row_table_expect(GpuAggRowTable *table, double groups, Size limit)
{
	/* few enough for no other entry to lie where one belongs, in most cases */
	const double wanted = floor(groups * 1.5);
	const double rows = (groups - table->hash->members) * table->layout.row_bytes;

	if (wanted <= table->hash->size || wanted * 2 * sizeof(RowEntry) > limit)
		return;
	table->rows_to_come = Min(rows, limit);
	row_grow(table->hash, (uint64) wanted);
}

/* -------------------------------------------------------------- groups --- */

char *
gpuagg_row_table_append(GpuAggRowTable *table, const char *from)
{
	const GpuAggKey *keys = gpuagg_program_keys(table->program);
	const GpuAggTransition *trans = gpuagg_program_transitions(table->program);
	const GpuAggLayout *layout = &table->layout;
	char	   *row = take(table, &table->rows, layout->row_bytes, table->rows_to_come);

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
