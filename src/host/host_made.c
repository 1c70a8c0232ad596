/*
 * host_made.c
 *		Look-up tables made of columns that stay, on the host device (host_made.h).
 *
 * Each thread keeps the rows that pass, column by column; when the input has ended, one
 * thread puts them together and makes the table as it is made of any rows.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/ops/lookup_make.h"
#include "host/host_dictionary.h"
#include "host/host_made.h"
#include "host/host_task.h"

#define FIRST_ROWS (2 * GPUAGG_VECTOR_ROWS)

/* ---------- what fits ---------- */

/* Is the column strings?  Programs over stripes have them as integers, which are codes. */
static bool
is_string(const GpuAggMakeWish *wish, uint16_t reg)
{
	return wish->dictionaries != NULL && wish->dictionaries[reg] != NULL;
}

static bool
is_coded(const GpuAggProgram *p, const GpuAggMakeWish *wish, uint16_t reg)
{
	return gpuagg_program_classes(p)[reg] != GPUAGG_CLASS_BYTES || is_string(wish, reg);
}

/* The other table that finds numbers of the key; NULL: its values are what they are. */
static const GpuAggLookup *
helper_of(const GpuAggMakeWish *wish, uint32_t key)
{
	return gpuagg_make_is_numbered(wish, key) && wish->helpers[key] != NULL ?
		wish->helpers[key]->table :
		NULL;
}

/* A string is a key by itself, or numbered by a table that has such keys. */
static bool
key_fits(const GpuAggProgram *p, const GpuAggMakeWish *wish, uint32_t key)
{
	const uint16_t reg = gpuagg_program_keys(p)[key].reg;
	const GpuAggClass cls = is_string(wish, reg) ? GPUAGG_CLASS_BYTES :
												   (GpuAggClass) gpuagg_program_classes(p)[reg];

	if (gpuagg_make_is_numbered(wish, key))
		return helper_of(wish, key) != NULL && gpuagg_lookup_has_keys(helper_of(wish, key), 1, cls);
	return is_string(wish, reg) ? wish->nkeys == 1 : cls == GPUAGG_CLASS_I64;
}

/* Integers are folded, and of anything values are counted. */
static bool
fold_fits(const GpuAggProgram *p, const GpuAggMakeWish *wish, const GpuAggKey *key)
{
	return key->fold <= GPUAGG_FOLD_COUNT ||
		(!is_string(wish, key->reg) && gpuagg_program_classes(p)[key->reg] == GPUAGG_CLASS_I64);
}

bool
gpuagg_host_made_fits(const GpuAggProgram *p, const GpuAggMakeWish *wish)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);

	if (p->select || p->ntransitions > 0 || gpuagg_make_words(wish) == 0 || wish->nkeys > p->nkeys)
		return false;
	for (uint32_t i = 0; i < p->nkeys; i++)
		if (keys[i].reg >= p->ncolumns || !is_coded(p, wish, keys[i].reg) ||
			(i < wish->nkeys ? keys[i].fold != GPUAGG_FOLD_NONE || !key_fits(p, wish, i) :
			 !fold_fits(p, wish, &keys[i])))
			return false;
	return true;
}

/* ---------- rows ---------- */

static uint32_t
ncolumns(const GpuAggMadeRows *rows)
{
	return rows->prepared->program->nkeys;
}

GpuAggMadeRows *
gpuagg_made_rows_create(const GpuAggPrepared *prepared, const GpuAggMakeWish *wish,
						GpuAggMemory *memory)
{
	GpuAggMadeRows *rows = gpuagg_memory_alloc(memory, sizeof(*rows));

	if (rows == NULL)
		return NULL;
	memset(rows, 0, sizeof(*rows));
	rows->prepared = prepared;
	rows->memory = memory;
	rows->wish = *wish;
	return rows;
}

static void
columns_free(GpuAggMadeRows *rows)
{
	for (uint32_t i = 0; i < ncolumns(rows); i++)
	{
		gpuagg_memory_free(rows->memory, rows->values[i], rows->room * sizeof(int64_t));
		gpuagg_memory_free(rows->memory, rows->nulls[i], rows->room);
	}
}

void
gpuagg_made_rows_free(GpuAggMadeRows *rows)
{
	if (rows == NULL)
		return;
	columns_free(rows);
	gpuagg_memory_free(rows->memory, rows, sizeof(*rows));
}

/* Room for so many more; what was there stays, whatever happens. */
static bool
rows_reserve(GpuAggMadeRows *rows, uint64_t more)
{
	GpuAggMadeRows next = *rows;
	bool		ok = true;

	if (rows->nrows + more <= rows->room)
		return true;
	next.room = rows->room == 0 ? FIRST_ROWS : 2 * rows->room;
	while (next.room < rows->nrows + more)
		next.room *= 2;
	for (uint32_t i = 0; i < ncolumns(rows); i++)
	{
		next.values[i] = gpuagg_memory_alloc(rows->memory, next.room * sizeof(int64_t));
		next.nulls[i] = gpuagg_memory_alloc(rows->memory, next.room);
		ok &= next.values[i] != NULL && next.nulls[i] != NULL;
	}
	for (uint32_t i = 0; ok && rows->nrows > 0 && i < ncolumns(rows); i++)
	{
		memcpy(next.values[i], rows->values[i], rows->nrows * sizeof(int64_t));
		memcpy(next.nulls[i], rows->nulls[i], rows->nrows);
	}
	columns_free(ok ? rows : &next);
	if (ok)
		*rows = next;
	return ok;
}

static bool
is_value(const GpuAggVector *v, uint32_t i)
{
	return v->clean || v->st[i] == GPUAGG_ST_VALUE;
}

/* Rows whose keys are all there, into sel */
static uint32_t
rows_with_keys(const GpuAggMadeRows *rows, const GpuAggInputs *inputs, uint32_t n, uint16_t *sel)
{
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		bool		there = true;

		for (uint32_t k = 0; k < rows->wish.nkeys; k++)
			there &= is_value(inputs->keys[k], i);
		sel[kept] = (uint16_t) i;
		kept += there;
	}
	return kept;
}

/* Numbers of a key's values in those rows; false: the other table has not all of them. */
static bool
numbers_add(GpuAggMadeRows *rows, uint32_t key, const GpuAggVector *v, const uint16_t *sel,
			uint32_t n)
{
	const uint16_t reg = gpuagg_program_keys(rows->prepared->program)[key].reg;
	const GpuAggDictionary *dictionary = is_string(&rows->wish, reg) ?
		rows->wish.dictionaries[reg] :
		NULL;
	const GpuAggLookup *helper = helper_of(&rows->wish, key);
	const GpuAggBytes table = {(const char *) helper, helper->bytes};
	const bool	coded = gpuagg_program_classes(rows->prepared->program)[reg] != GPUAGG_CLASS_BYTES;
	uint8_t		st = GPUAGG_ST_VALUE;

	for (uint32_t k = 0; k < n && st == GPUAGG_ST_VALUE; k++)
	{
		int64_t    *to = &rows->values[key][rows->nrows + k];

		rows->nulls[key][rows->nrows + k] = 0;
		if (dictionary == NULL)
			*to = gpuagg_lookup(v->v.i[sel[k]], table, &st);
		else
			*to = gpuagg_lookup_bytes(
				coded ? gpuagg_dictionary_string(dictionary, (int32_t) v->v.i[sel[k]]) :
						v->v.b[sel[k]], table, &st);
	}
	return st == GPUAGG_ST_VALUE;
}

/* A column's values of those rows behind the others; strings as codes */
static void
column_add(GpuAggMadeRows *rows, uint32_t column, const GpuAggVector *v, const uint16_t *sel,
		   uint32_t n)
{
	const uint16_t reg = gpuagg_program_keys(rows->prepared->program)[column].reg;
	int64_t    *values = rows->values[column] + rows->nrows;
	uint8_t    *nulls = rows->nulls[column] + rows->nrows;

	for (uint32_t k = 0; k < n; k++)
	{
		nulls[k] = !is_value(v, sel[k]);
		values[k] = 0;
		if (nulls[k])
			continue;
		if (gpuagg_program_classes(rows->prepared->program)[reg] == GPUAGG_CLASS_BYTES)
		{
			int32_t		code;

			/* it is there, for the value comes from there */
			(void) gpuagg_dictionary_encode(rows->wish.dictionaries[reg], &v->v.b[sel[k]], NULL, 1,
											&code);
			values[k] = code;
		}
		else
			values[k] = v->v.i[sel[k]];
	}
}

GpuAggStatus
gpuagg_made_rows_add(GpuAggMadeRows *rows, const GpuAggInputs *inputs, uint32_t n,
					 GpuAggError *error)
{
	uint16_t	sel[GPUAGG_VECTOR_ROWS];
	const uint32_t kept = rows_with_keys(rows, inputs, n, sel);

	if (!rows_reserve(rows, kept))
		return gpuagg_memory_error(rows->memory, error);
	for (uint32_t i = 0; i < ncolumns(rows); i++)
	{
		if (!gpuagg_make_is_numbered(&rows->wish, i))
			column_add(rows, i, inputs->keys[i], sel, kept);
		else if (!numbers_add(rows, i, inputs->keys[i], sel, kept))
		{
			snprintf(error->message, sizeof(error->message),
					 "a key of a look-up table has no number");
			return error->status = GPUAGG_UNSUPPORTED;
		}
	}
	rows->nrows += kept;
	return GPUAGG_OK;
}

/* ---------- the table ---------- */

/* All rows in one; NULL: no memory */
static GpuAggMadeRows *
rows_join(GpuAggMadeRows *const *parts, uint32_t nparts, const GpuAggMadeRows *like)
{
	GpuAggMadeRows *all = gpuagg_made_rows_create(like->prepared, &like->wish, like->memory);
	uint64_t	nrows = 0;

	for (uint32_t p = 0; p < nparts; p++)
		nrows += parts[p] != NULL ? parts[p]->nrows : 0;
	if (all == NULL || !rows_reserve(all, nrows))
	{
		gpuagg_made_rows_free(all);
		return NULL;
	}
	for (uint32_t p = 0; p < nparts; p++)
	{
		const GpuAggMadeRows *part = parts[p];

		for (uint32_t i = 0; part != NULL && part->nrows > 0 && i < ncolumns(all); i++)
		{
			memcpy(all->values[i] + all->nrows, part->values[i], part->nrows * sizeof(int64_t));
			memcpy(all->nulls[i] + all->nrows, part->nulls[i], part->nrows);
		}
		all->nrows += part != NULL ? part->nrows : 0;
	}
	return all;
}

/* As the table has it: a string that is no key is its code */
static GpuAggClass
column_class(const GpuAggMadeRows *all, uint32_t column)
{
	const GpuAggProgram *p = all->prepared->program;
	const uint16_t reg = gpuagg_program_keys(p)[column].reg;

	if (gpuagg_make_is_numbered(&all->wish, column))
		return GPUAGG_CLASS_I64;
	if (is_string(&all->wish, reg))
		return column < all->wish.nkeys ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64;
	return gpuagg_program_classes(p)[reg];
}

static GpuAggMade *
table_of(const GpuAggLookupRows *rows, bool unique, GpuAggMemory *device, GpuAggError *error)
{
	const uint64_t bytes = gpuagg_lookup_bytes_needed(rows);
	GpuAggMade *made;

	if (bytes == 0)
	{
		error->status = GPUAGG_UNSUPPORTED;
		snprintf(error->message, sizeof(error->message),
				 "a look-up table, or a sum in it, may be too large");
		return NULL;
	}
	made = malloc(sizeof(*made));
	if (made == NULL || (made->table = gpuagg_memory_alloc(device, bytes)) == NULL)
	{
		free(made);
		gpuagg_memory_error(device, error);
		return NULL;
	}
	made->memory = device;
	made->codes = NULL;
	memset(made->table, 0, bytes);
	made->table->bytes = bytes;
	if (gpuagg_lookup_make(rows, made->table, bytes) || !unique)
		return made;
	gpuagg_host_made_ops.free(made);
	error->status = GPUAGG_VALUE_ERROR;
	error->detail = GPUAGG_ST_NEEDS_PG;
	snprintf(error->message, sizeof(error->message),
			 "an input of a join has several rows of one key");
	return NULL;
}

/* The strings of the table's key, which its codes stand for; they lie in the dictionary. */
static GpuAggBytes *
key_strings(const GpuAggMadeRows *all)
{
	const GpuAggDictionary *dictionary =
		all->wish.dictionaries[gpuagg_program_keys(all->prepared->program)[0].reg];
	GpuAggBytes *strings = gpuagg_memory_alloc(all->memory, all->nrows * sizeof(*strings));

	for (uint64_t i = 0; strings != NULL && i < all->nrows; i++)
		strings[i] = gpuagg_dictionary_string(dictionary, (int32_t) all->values[0][i]);
	return strings;
}

/* A key joins the one before in its word. */
static void
share_word(const GpuAggMadeRows *all, uint32_t key)
{
	int64_t    *high = all->values[key - 1];

	for (uint64_t i = 0; i < all->nrows; i++)
		high[i] = gpuagg_make_word(high[i], all->values[key][i]);
}

static GpuAggMade *
table_make(const GpuAggMadeRows *all, GpuAggMemory *device, GpuAggError *error)
{
	const GpuAggProgram *p = all->prepared->program;
	GpuAggLookupSource columns[GPUAGG_MAX_KEYS];
	GpuAggFold	folds[GPUAGG_MAX_KEYS];
	GpuAggLookupRows rows = {
		.nrows = all->nrows,
		.nkeys = gpuagg_make_words(&all->wish),
		.columns = columns,
		.seed = all->wish.seed,
		.filters = all->wish.filters,
		.folds = folds
	};
	GpuAggBytes *strings = NULL;
	GpuAggMade *made;

	for (uint32_t i = 0; i < ncolumns(all); i++)
	{
		if (gpuagg_make_is_lower(&all->wish, i))
			share_word(all, i);
		else
		{
			folds[rows.ncolumns] = i < all->wish.nkeys ?
				GPUAGG_FOLD_NONE :
				(GpuAggFold) gpuagg_program_keys(p)[i].fold;
			columns[rows.ncolumns++] = (GpuAggLookupSource){column_class(all, i), all->values[i],
															all->nulls[i]};
		}
	}
	if (columns[0].cls == GPUAGG_CLASS_BYTES && all->nrows > 0)
	{
		columns[0].values = strings = key_strings(all);
		if (strings == NULL)
		{
			gpuagg_memory_error(all->memory, error);
			return NULL;
		}
	}
	made = table_of(&rows, all->wish.unique, device, error);
	gpuagg_memory_free(all->memory, strings, all->nrows * sizeof(*strings));
	return made;
}

GpuAggMade *
gpuagg_made_create(GpuAggMadeRows *const *parts, uint32_t nparts, GpuAggMemory *device,
				   GpuAggError *error)
{
	const GpuAggMadeRows *like = NULL;
	GpuAggMadeRows *all;
	GpuAggMade *made;

	for (uint32_t p = 0; p < nparts && like == NULL; p++)
		like = parts[p];
	all = rows_join(parts, nparts, like);
	if (all == NULL)
	{
		gpuagg_memory_error(like->memory, error);
		return NULL;
	}
	made = table_make(all, device, error);
	gpuagg_made_rows_free(all);
	return made;
}

void
gpuagg_made_attach(GpuAggProgram *program, const GpuAggMadeTables *tables)
{
	GpuAggConst *consts = (GpuAggConst *) ((char *) program + program->consts_off);

	for (uint32_t i = 0; i < tables->n; i++)
	{
		GpuAggConst *c = &consts[tables->constants[i]];
		const GpuAggLookup *t = tables->tables[i]->table;

		c->len = (uint32_t) t->bytes;
		c->v.off = (uint64_t) ((uintptr_t) t - (uintptr_t) program);
	}
}

/* ---------- functions of the device ---------- */

static GpuAggStatus
made_take(GpuAggTask *task, GpuAggMade **made, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	*made = task->made;
	task->made = NULL;
	if (*made == NULL)
	{
		error->status = GPUAGG_UNSUPPORTED;
		snprintf(error->message, sizeof(error->message), "the task has made no look-up table");
	}
	return error->status;
}

static const GpuAggLookup *
made_head(const GpuAggMade *made)
{
	return made->table;
}

static void
made_free(GpuAggMade *made)
{
	if (made == NULL)
		return;
	gpuagg_memory_free(made->memory, made->table, made->table->bytes);
	free(made);
}

const GpuAggMadeOps gpuagg_host_made_ops = {
	.take = made_take,
	.head = made_head,
	.free = made_free,
};
