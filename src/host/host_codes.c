/*
 * host_codes.c
 *		Code tables of the host device (host_codes.h).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* qsort_r() */
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "host/host_codes.h"

#include "device/ops/places.h"

/* Codes that a thread takes at a time: whole words of the bits that say NULL */
#define PART ((uint32_t) 4096)

/* Strings that become codes at once */
#define TEXTS 256
#define PARTS (GPUAGG_DICTIONARY_ENTRIES / PART)

/* Memory is charged in steps of so many codes. */
#define CHARGED_CODES ((uint32_t) 1 << 16)

typedef struct Part
{
	atomic_bool taken;
	_Atomic uint32_t done;		/* codes of it that have values */
} Part;

typedef struct Sorted Sorted;

struct GpuAggHostCodeTable
{
	GpuAggCodeTableEntry entry; /* must be first */
	GpuAggMade	made;
	GpuAggDictionary *dictionary;
	GpuAggDictionary *texts;	/* of the strings that it makes; NULL: it makes numbers */
	_Atomic uint32_t whole;		/* all codes below have values */
	pthread_mutex_t lock;		/* for charged */
	pthread_mutex_t sorting;	/* for who makes places */
	uint32_t   *order;			/* of them: the code at each */
	Sorted	   *sorted;		/* NULL: they are made */
	_Atomic uint32_t charged;	/* codes that memory is charged for */
	Part		parts[PARTS];
};

/* ---------- values ---------- */

static size_t
code_bytes(const GpuAggHostCodeTable *t, uint32_t codes)
{
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (t->made.table + 1);

	return (size_t) codes * column->width + (column->nulls != 0 ? codes / 8 : 0) +
		(column->errors != 0 ? codes / 8 : 0);
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

/* Strings that a table makes, on their way to codes */
typedef struct Texts
{
	uint32_t	n;
	uint32_t	of[TEXTS];		/* the code whose string each is made of */
	GpuAggBytes string[TEXTS];
} Texts;

/* False: their dictionary cannot take them. */
static bool
texts_put(const GpuAggHostCodeTable *t, Texts *texts)
{
	int32_t		codes[TEXTS];
	const bool	good = gpuagg_dictionary_encode(t->texts, texts->string, NULL, texts->n, codes);

	for (uint32_t i = 0; good && i < texts->n; i++)
		gpuagg_code_table_put(t->made.table, (char *) t->made.table, texts->of[i],
							  (GpuAggValue) {.i = codes[i]});
	texts->n = 0;
	return good;
}

/* Values of codes from `first` up to `end`; false: texts_put() says so. */
static bool
fill(const GpuAggHostCodeTable *t, uint32_t first, uint32_t end)
{
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (t->made.table + 1);
	char	   *block = (char *) t->made.table;
	GpuAggValue reg[GPUAGG_CODE_TABLE_REGS];
	uint8_t		st[GPUAGG_CODE_TABLE_REGS];
	Texts		texts;
	bool		good = true;

	texts.n = 0;
	gpuagg_eval_constants(t->entry.expression, reg, st);
	for (uint32_t code = first; good && code < end; code++)
	{
		uint8_t		state;
		const GpuAggBytes string = gpuagg_dictionary_string(t->dictionary, (int32_t) code);
		const GpuAggValue v = gpuagg_code_table_value(t->entry.expression, string, reg, st, &state);

		if (state != GPUAGG_ST_VALUE)
			((uint64_t *) (block + column->nulls))[code / 64] |= UINT64_C(1) << code % 64;
		else if (t->texts == NULL)
			gpuagg_code_table_put(t->made.table, block, code, v);
		else
		{
			texts.of[texts.n] = code;
			texts.string[texts.n++] = v.b;
			good = texts.n < TEXTS || texts_put(t, &texts);
		}
	}
	return good && (texts.n == 0 || texts_put(t, &texts));
}

/* The first of n codes are wanted of a part.  *others: somebody else is at it. */
static bool
part_complete(GpuAggHostCodeTable *t, uint32_t i, uint32_t n, bool *others)
{
	Part	   *part = &t->parts[i];
	uint32_t	done = atomic_load_explicit(&part->done, memory_order_acquire);
	bool		good = true;

	if (done >= n)
		return true;
	if (atomic_exchange_explicit(&part->taken, true, memory_order_acquire))
	{
		*others = true;
		return true;
	}
	done = atomic_load_explicit(&part->done, memory_order_acquire);
	if (done < n)
	{
		good = fill(t, i * PART + done, i * PART + n);
		if (good)
			atomic_store_explicit(&part->done, n, memory_order_release);
	}
	atomic_store_explicit(&part->taken, false, memory_order_release);
	return good;
}

/* False: the dictionary of texts takes no more. */
static bool
parts_complete(GpuAggHostCodeTable *t, uint32_t first, uint32_t n)
{
	bool		others = true;
	bool		good = true;

	while (others && good)
	{
		others = false;
		for (uint32_t i = first; good && i * PART < n; i++)
			good = part_complete(t, i, n - i * PART < PART ? n - i * PART : PART, &others);
		if (others && good)
			sched_yield();
	}
	return good;
}

/* A string of a dictionary on its way to its place: its first bytes as a number, and its code */
struct Sorted
{
	uint64_t	first;
	uint32_t	code;
};

static int
compare_sorted(const void *a, const void *b, void *dictionary)
{
	const Sorted *x = a;
	const Sorted *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return gpuagg_bytes_compare(gpuagg_dictionary_string(dictionary, (int32_t) x->code),
								gpuagg_dictionary_string(dictionary, (int32_t) y->code));
}

static uint64_t
first_bytes(GpuAggBytes b)
{
	uint64_t	word = 0;

	for (uint32_t i = 0; i < 8; i++)
		word = word << 8 | (i < b.len ? (uint8_t) b.data[i] : 0);
	return word;
}

/* Memory for sorting is there since the table was made. */
static void
places_fill(GpuAggHostCodeTable *t, uint32_t n)
{
	Sorted	   *sorted = t->sorted;

	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (Sorted) {first_bytes(gpuagg_dictionary_string(t->dictionary, (int32_t) i)), i};
	qsort_r(sorted, n, sizeof(*sorted), compare_sorted, t->dictionary);
	for (uint32_t i = 0; i < n; i++)
	{
		t->order[i] = sorted[i].code;
		gpuagg_code_table_put(t->made.table, (char *) t->made.table, sorted[i].code,
							  (GpuAggValue) {.i = i});
	}
	gpuagg_memory_free(t->made.memory, sorted, n * sizeof(*sorted));
	t->sorted = NULL;
}

/* By one thread, while others wait */
static void
places_complete(GpuAggHostCodeTable *t)
{
	const uint32_t n = (uint32_t) t->entry.codes;

	if (atomic_load_explicit(&t->whole, memory_order_acquire) == n)
		return;
	pthread_mutex_lock(&t->sorting);
	if (atomic_load(&t->whole) != n)
		places_fill(t, n);
	atomic_store_explicit(&t->whole, n, memory_order_release);
	pthread_mutex_unlock(&t->sorting);
}

/* Memory for the places of n strings, and to sort them; false: there is none. */
static bool
places_room(GpuAggHostCodeTable *t, uint32_t n)
{
	t->order = gpuagg_memory_alloc(t->made.memory, n * sizeof(*t->order));
	t->sorted = t->order == NULL ? NULL :
		gpuagg_memory_alloc(t->made.memory, n * sizeof(Sorted));
	return t->sorted != NULL && charge(t, n);
}

/* All codes up to n; false: there is no memory. */
static bool
values_complete(GpuAggHostCodeTable *t, uint32_t n)
{
	uint32_t	whole = atomic_load_explicit(&t->whole, memory_order_acquire);

	if (whole >= n)
		return true;
	if (!charge(t, n) || !parts_complete(t, whole / PART, n))
		return false;
	while (whole < n && !atomic_compare_exchange_weak_explicit(&t->whole, &whole, n,
															   memory_order_release,
															   memory_order_acquire))
		;
	return true;
}

static GpuAggStatus
table_complete(GpuAggHostCodeTable *t, GpuAggError *error)
{
	const uint32_t n = atomic_load_explicit(&t->dictionary->entries, memory_order_acquire);

	if (gpuagg_code_table_is_places(t->entry.expression))
	{
		places_complete(t);
		return GPUAGG_OK;
	}
	/* of given values, a code that has none is beyond the table's rows */
	if (gpuagg_code_table_is_called(t->entry.expression) || values_complete(t, n))
		return GPUAGG_OK;
	/* without what is kept it can go on */
	snprintf(error->message, sizeof(error->message),
			 "no memory for what an expression makes of a column's strings");
	return error->status = GPUAGG_UNSUPPORTED;
}

GpuAggStatus
gpuagg_host_codes_complete(const GpuAggHostCodes *codes, GpuAggError *error)
{
	for (uint32_t i = 0; i < codes->n; i++)
		if (table_complete(codes->tables[i]->codes, error) != GPUAGG_OK)
			return error->status;
	return GPUAGG_OK;
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
	if (t->order != NULL)
		gpuagg_memory_free(memory, t->order, t->entry.codes * sizeof(*t->order));
	if (t->sorted != NULL)
		gpuagg_memory_free(memory, t->sorted, t->entry.codes * sizeof(*t->sorted));
	pthread_mutex_destroy(&t->lock);
	pthread_mutex_destroy(&t->sorting);
	if (t->texts != NULL)
		gpuagg_host_dictionary_free(t->texts);
	if (t->entry.expression != NULL)
		gpuagg_memory_free(memory, t->entry.expression, t->entry.expression->bytes);
	gpuagg_memory_free(memory, t, sizeof(*t));
}

/* Addresses for the table, its header, and a dictionary of its strings; false: no memory */
static bool
table_open(GpuAggHostCodeTable *t)
{
	const bool	places = gpuagg_code_table_is_places(t->entry.expression);
	struct
	{
		GpuAggLookup head;
		GpuAggLookupColumn column;
	}			h;
	void	   *block;
	GpuAggError error;

	if (gpuagg_code_table_is_text(t->entry.expression) &&
		gpuagg_dictionary_create(t->made.memory, &t->texts, &error) != GPUAGG_OK)
		return false;
	gpuagg_code_table_lay_out(t->entry.expression, GPUAGG_DICTIONARY_ENTRIES, &h.head);
	block = mmap(NULL, h.head.bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (block == MAP_FAILED)
		return false;
	if (places)
		gpuagg_places_bound(&h.head, (uint32_t) t->entry.codes);
	else if (gpuagg_code_table_is_called(t->entry.expression))
		h.head.nrows = 0;
	memcpy(block, &h, sizeof(h));
	t->made.table = block;
	return !places || places_room(t, (uint32_t) t->entry.codes);
}

/* The dictionary's newest table, with room for so many codes; NULL: no memory */
static GpuAggHostCodeTable *
table_make(GpuAggDictionary *d, const GpuAggProgram *expression, uint32_t codes)
{
	GpuAggHostCodeTable *t = gpuagg_memory_alloc(d->memory, sizeof(*t));

	if (t == NULL)
		return NULL;
	memset(t, 0, sizeof(*t));
	pthread_mutex_init(&t->lock, NULL);
	pthread_mutex_init(&t->sorting, NULL);
	t->dictionary = d;
	t->entry.codes = codes;
	t->made.memory = d->memory;
	t->made.codes = t;
	t->entry.expression = gpuagg_memory_alloc(d->memory, expression->bytes);
	if (t->entry.expression != NULL)
		memcpy(t->entry.expression, expression, expression->bytes);
	if (t->entry.expression == NULL || !table_open(t))
	{
		table_free(t);
		return NULL;
	}
	return t;
}

/* Those that nobody has go, but for so many that were used last; was there any? */
static bool
tables_drop(GpuAggDictionary *d, uint32_t kept)
{
	GpuAggCodeTableEntry *spare;
	bool		any = false;

	while ((spare = gpuagg_code_table_spare(&d->tables, kept)) != NULL)
	{
		table_free((GpuAggHostCodeTable *) spare);
		any = true;
	}
	return any;
}

GpuAggStatus
gpuagg_host_code_table(GpuAggDictionary *d, const GpuAggProgram *expression, GpuAggMade **table,
					   GpuAggError *error)
{
	const uint32_t entries = atomic_load(&d->entries);
	const bool	places = gpuagg_code_table_is_places(expression);
	const uint32_t codes = places ? entries : GPUAGG_DICTIONARY_ENTRIES;
	GpuAggHostCodeTable *t = (GpuAggHostCodeTable *) gpuagg_code_table_take(&d->tables, expression,
																			codes);
	GpuAggCodeTableEntry *outgrown;

	memset(error, 0, sizeof(*error));
	*table = NULL;
	while ((outgrown = gpuagg_code_table_outgrown(&d->tables, expression, codes)) != NULL)
		table_free((GpuAggHostCodeTable *) outgrown);
	if (t == NULL && (t = table_make(d, expression, codes)) == NULL)
		return gpuagg_memory_error(d->memory, error);
	gpuagg_code_table_add(&d->tables, &t->entry);
	if (!charge(t, entries))
	{
		/* others may have it; without them it goes when there is need */
		t->entry.users--;
		return gpuagg_memory_error(d->memory, error);
	}
	(void) tables_drop(d, GPUAGG_CODE_TABLES_KEPT);
	*table = &t->made;
	return GPUAGG_OK;
}

/* ---------- given values ---------- */

uint64_t
gpuagg_host_code_table_given(const GpuAggMade *table)
{
	return atomic_load_explicit(&table->codes->whole, memory_order_acquire);
}

/* The values of n codes from `first` on; false: the dictionary of texts does not take one. */
static bool
values_put(const GpuAggHostCodeTable *t, uint32_t first, const GpuAggRowColumn *values, uint32_t n)
{
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (t->made.table + 1);
	uint64_t   *nulls = (uint64_t *) ((char *) t->made.table + column->nulls);
	uint64_t   *errors = (uint64_t *) ((char *) t->made.table + column->errors);
	Texts		texts;
	bool		good = true;

	texts.n = 0;
	for (uint32_t i = 0; good && i < n; i++)
	{
		const uint32_t code = first + i;

		if (values->states[i] != GPUAGG_ST_VALUE)
			(values->states[i] == GPUAGG_ST_NULL ? nulls : errors)[code / 64] |=
				UINT64_C(1) << code % 64;
		else if (t->texts == NULL)
			gpuagg_code_table_put(t->made.table, (char *) t->made.table, code,
								  (GpuAggValue) {.i = ((const int64_t *) values->values)[i]});
		else
		{
			texts.of[texts.n] = code;
			texts.string[texts.n++] = ((const GpuAggBytes *) values->values)[i];
			good = texts.n < TEXTS || texts_put(t, &texts);
		}
	}
	return good && (texts.n == 0 || texts_put(t, &texts));
}

GpuAggStatus
gpuagg_host_code_table_give(GpuAggMade *table, const GpuAggRowColumn *values, uint32_t n,
							GpuAggError *error)
{
	GpuAggHostCodeTable *t = table->codes;
	const uint32_t first = atomic_load(&t->whole);

	memset(error, 0, sizeof(*error));
	if (n > GPUAGG_DICTIONARY_ENTRIES - first || !charge(t, first + n) ||
		!values_put(t, first, values, n))
		return gpuagg_memory_error(t->made.memory, error);
	atomic_store_explicit(&t->whole, first + n, memory_order_release);
	/* rows of tasks that are under way, too: a value is there before its row is */
	__atomic_store_n(&t->made.table->nrows, first + n, __ATOMIC_RELEASE);
	return GPUAGG_OK;
}

void
gpuagg_host_code_table_leave(GpuAggMade *table)
{
	table->codes->entry.users--;
}

bool
gpuagg_host_code_tables_drop(GpuAggDictionary *d)
{
	return tables_drop(d, 0);
}

GpuAggDictionary *
gpuagg_host_code_table_texts(GpuAggMade *table)
{
	return table->codes->texts;
}

const uint32_t *
gpuagg_host_code_table_order(GpuAggMade *table, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	places_complete(table->codes);
	return table->codes->order;
}

void
gpuagg_host_code_tables_free(GpuAggDictionary *d)
{
	(void) tables_drop(d, 0);
}

uint64_t
gpuagg_host_code_tables_used(const GpuAggDictionary *d)
{
	uint64_t	bytes = 0;

	for (const GpuAggCodeTableEntry *at = d->tables; at != NULL; at = at->next)
	{
		const GpuAggHostCodeTable *t = (const GpuAggHostCodeTable *) at;
		GpuAggDictionaryInfo texts = {0};

		if (t->texts != NULL)
			gpuagg_host_dictionary_info(t->texts, &texts);
		bytes += sizeof(*t) + at->expression->bytes + code_bytes(t, atomic_load(&t->charged)) +
			texts.bytes + (t->order != NULL ? at->codes * sizeof(*t->order) : 0);
	}
	return bytes;
}
