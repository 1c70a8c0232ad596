/*
 * host_codes.c
 *		Code tables of the host device (host_codes.h).
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "host/host_codes.h"

/* Codes that a thread takes at a time: whole words of the bits that say NULL */
#define PART ((uint32_t) 4096)
#define PARTS (GPUAGG_DICTIONARY_ENTRIES / PART)

/* Tables that a dictionary keeps, unless more are in use */
#define KEPT 16

/* Memory is charged in steps of so many codes. */
#define CHARGED_CODES ((uint32_t) 1 << 16)

typedef struct Part
{
	atomic_bool taken;
	_Atomic uint32_t done;		/* codes of it that have values */
} Part;

struct GpuAggHostCodeTable
{
	GpuAggMade	made;			/* must be first */
	GpuAggHostCodeTable *next;	/* of the dictionary; used last first */
	GpuAggDictionary *dictionary;
	GpuAggProgram *expression;
	uint32_t	users;
	_Atomic uint32_t whole;		/* all codes below have values */
	pthread_mutex_t lock;		/* for charged */
	_Atomic uint32_t charged;	/* codes that memory is charged for */
	Part		parts[PARTS];
};

/* ---------- values ---------- */

static size_t
code_bytes(const GpuAggHostCodeTable *t, uint32_t codes)
{
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (t->made.table + 1);

	return (size_t) codes * column->width + (column->nulls != 0 ? codes / 8 : 0);
}

/* Memory for codes up to n */
static bool
charge(GpuAggHostCodeTable *t, uint32_t n)
{
	bool		good = true;

	if (n <= atomic_load(&t->charged))
		return true;
	pthread_mutex_lock(&t->lock);
	while (good && atomic_load(&t->charged) < n)
	{
		good = gpuagg_memory_charge(t->made.memory, code_bytes(t, CHARGED_CODES));
		if (good)
			atomic_fetch_add(&t->charged, CHARGED_CODES);
	}
	pthread_mutex_unlock(&t->lock);
	return good;
}

/* Values of codes from `first` up to `end` */
static void
fill(const GpuAggHostCodeTable *t, uint32_t first, uint32_t end)
{
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (t->made.table + 1);
	char	   *block = (char *) t->made.table;
	GpuAggValue reg[GPUAGG_CODE_TABLE_REGS];
	uint8_t		st[GPUAGG_CODE_TABLE_REGS];

	gpuagg_eval_constants(t->expression, reg, st);
	for (uint32_t code = first; code < end; code++)
	{
		uint8_t		state;
		const GpuAggBytes string = gpuagg_dictionary_string(t->dictionary, (int32_t) code);
		const GpuAggValue v = gpuagg_code_table_value(t->expression, string, reg, st, &state);

		if (state == GPUAGG_ST_VALUE)
			gpuagg_code_table_put(t->made.table, block, code, v);
		else
			((uint64_t *) (block + column->nulls))[code / 64] |= UINT64_C(1) << code % 64;
	}
}

/* The first of n codes are wanted of a part.  False: somebody else is at it. */
static bool
part_complete(GpuAggHostCodeTable *t, uint32_t i, uint32_t n)
{
	Part	   *part = &t->parts[i];
	uint32_t	done = atomic_load_explicit(&part->done, memory_order_acquire);

	if (done >= n)
		return true;
	if (atomic_exchange_explicit(&part->taken, true, memory_order_acquire))
		return false;
	done = atomic_load_explicit(&part->done, memory_order_acquire);
	if (done < n)
	{
		fill(t, i * PART + done, i * PART + n);
		atomic_store_explicit(&part->done, n, memory_order_release);
	}
	atomic_store_explicit(&part->taken, false, memory_order_release);
	return true;
}

static bool
table_complete(GpuAggHostCodeTable *t)
{
	const uint32_t n = atomic_load_explicit(&t->dictionary->entries, memory_order_acquire);
	uint32_t	whole = atomic_load_explicit(&t->whole, memory_order_acquire);
	bool		again = true;

	if (whole >= n)
		return true;
	if (!charge(t, n))
		return false;
	while (again)
	{
		again = false;
		for (uint32_t i = whole / PART; i * PART < n; i++)
			again |= !part_complete(t, i, n - i * PART < PART ? n - i * PART : PART);
		if (again)
			sched_yield();
	}
	while (whole < n && !atomic_compare_exchange_weak_explicit(&t->whole, &whole, n,
															   memory_order_release,
															   memory_order_acquire))
		;
	return true;
}

bool
gpuagg_host_codes_complete(const GpuAggHostCodes *codes)
{
	for (uint32_t i = 0; i < codes->n; i++)
		if (!table_complete(codes->tables[i]->codes))
			return false;
	return true;
}

void
gpuagg_host_codes_begin(GpuAggHostCodes *codes, const GpuAggMadeTables *made)
{
	codes->n = 0;
	for (uint32_t i = 0; i < made->n && codes->n < GPUAGG_CODE_TABLES; i++)
		if (made->tables[i]->codes != NULL)
			codes->tables[codes->n++] = made->tables[i];
}

/* ---------- tables ---------- */

static void
table_free(GpuAggHostCodeTable *t)
{
	GpuAggMemory *memory = t->made.memory;

	if (t->made.table != NULL)
	{
		gpuagg_memory_uncharge(memory, code_bytes(t, atomic_load(&t->charged)));
		munmap(t->made.table, t->made.table->bytes);
	}
	pthread_mutex_destroy(&t->lock);
	if (t->expression != NULL)
		gpuagg_memory_free(memory, t->expression, t->expression->bytes);
	gpuagg_memory_free(memory, t, sizeof(*t));
}

/* Addresses for the table, and its header; false: there are none. */
static bool
table_open(GpuAggHostCodeTable *t)
{
	struct
	{
		GpuAggLookup head;
		GpuAggLookupColumn column;
	}			h;
	void	   *block;

	gpuagg_code_table_lay_out(t->expression, GPUAGG_DICTIONARY_ENTRIES, &h.head);
	block = mmap(NULL, h.head.bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (block == MAP_FAILED)
		return false;
	memcpy(block, &h, sizeof(h));
	t->made.table = block;
	return true;
}

/* The dictionary's newest table; NULL: no memory */
static GpuAggHostCodeTable *
table_make(GpuAggDictionary *d, const GpuAggProgram *expression)
{
	GpuAggHostCodeTable *t = gpuagg_memory_alloc(d->memory, sizeof(*t));

	if (t == NULL)
		return NULL;
	memset(t, 0, sizeof(*t));
	pthread_mutex_init(&t->lock, NULL);
	t->dictionary = d;
	t->made.memory = d->memory;
	t->made.codes = t;
	t->expression = gpuagg_memory_alloc(d->memory, expression->bytes);
	if (t->expression != NULL)
		memcpy(t->expression, expression, expression->bytes);
	if (t->expression == NULL || !table_open(t))
	{
		table_free(t);
		return NULL;
	}
	return t;
}

/* Where the dictionary's list points to the table; NULL: there is no such table */
static GpuAggHostCodeTable **
table_find(GpuAggDictionary *d, const GpuAggProgram *expression)
{
	for (GpuAggHostCodeTable **at = &d->tables; *at != NULL; at = &(*at)->next)
		if ((*at)->expression->bytes == expression->bytes &&
			memcmp((*at)->expression, expression, expression->bytes) == 0)
			return at;
	return NULL;
}

/* Beyond those that are kept, the one that was used longest ago, and that nobody has, goes. */
static void
make_room(GpuAggDictionary *d)
{
	GpuAggHostCodeTable **oldest = NULL;
	uint32_t	n = 0;

	for (GpuAggHostCodeTable **at = &d->tables; *at != NULL; at = &(*at)->next, n++)
		if ((*at)->users == 0)
			oldest = at;
	if (n > KEPT && oldest != NULL)
	{
		GpuAggHostCodeTable *t = *oldest;

		*oldest = t->next;
		table_free(t);
	}
}

GpuAggStatus
gpuagg_host_code_table(GpuAggDictionary *d, const GpuAggProgram *expression, GpuAggMade **table,
					   GpuAggError *error)
{
	GpuAggHostCodeTable **at = table_find(d, expression);
	GpuAggHostCodeTable *t;

	memset(error, 0, sizeof(*error));
	*table = NULL;
	if (at != NULL)
	{
		t = *at;
		*at = t->next;
	}
	else if ((t = table_make(d, expression)) == NULL)
		return gpuagg_memory_error(d->memory, error);
	t->users++;
	t->next = d->tables;
	d->tables = t;
	make_room(d);
	*table = &t->made;
	return GPUAGG_OK;
}

void
gpuagg_host_code_table_leave(GpuAggMade *table)
{
	table->codes->users--;
}

void
gpuagg_host_code_tables_free(GpuAggDictionary *d)
{
	while (d->tables != NULL)
	{
		GpuAggHostCodeTable *t = d->tables;

		d->tables = t->next;
		table_free(t);
	}
}

uint64_t
gpuagg_host_code_tables_used(const GpuAggDictionary *d)
{
	uint64_t	bytes = 0;

	for (const GpuAggHostCodeTable *t = d->tables; t != NULL; t = t->next)
		bytes += sizeof(*t) + t->expression->bytes + code_bytes(t, atomic_load(&t->charged));
	return bytes;
}
