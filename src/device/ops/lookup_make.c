/*
 * lookup_make.c
 *		Look-up tables, made of columns and checked (lookup_make.h).
 *
 * A block is laid out as: the header, its columns, bits or slots, the slots' filter, then of each
 * column its values and NULL bits, then strings.
 */
#include "device/ops/lookup_fold.h"
#include "device/ops/lookup_make.h"

#include "device/ops/instr.h"

/*
 * Bits are worth it up to so many bytes of them for a row, about what slots take,
 * which miss caches as often; and where they lie in a core's, or a multiprocessor's,
 * own cache: those of 10^6 keys of which a filter has left few.
 */
#define DIRECT_BYTES_PER_ROW 32
#define DIRECT_BYTES_ALWAYS (256 << 10)

/* Rows whose slots are fetched ahead of being searched */
#define FETCHED_ROWS 64

/* Offsets of strings have 32 bits; so have row numbers. */
#define MOST_BYTES UINT32_MAX
#define MOST_ROWS (UINT32_C(1) << 30)

typedef struct Shape
{
	GpuAggLookup head;
	GpuAggLookupColumn columns[GPUAGG_LOOKUP_MAX_COLUMNS];
	GpuAggFoldColumn folded[GPUAGG_LOOKUP_MAX_COLUMNS];	/* of the columns, those that are folded */
	uint32_t	source[GPUAGG_LOOKUP_MAX_COLUMNS];	/* the rows' column that each of `folded` is */
	uint32_t	nfolded;
	uint64_t	strings;		/* offset */
} Shape;

/* ---------- shape ---------- */

static uint64_t
take(uint64_t *end, uint64_t bytes)
{
	const uint64_t at = *end;

	*end = gpuagg_align(at + bytes, 8);
	return at;
}

static const int64_t *
integers(const GpuAggLookupSource *source)
{
	return (const int64_t *) source->values;
}

static bool
is_null(const GpuAggLookupSource *source, uint64_t row)
{
	return source->nulls != NULL && source->nulls[row];
}

bool
gpuagg_lookup_by_bits(uint64_t nrows, uint64_t span)
{
	return span / 64 * sizeof(GpuAggLookupBits) <=
		nrows * DIRECT_BYTES_PER_ROW + DIRECT_BYTES_ALWAYS;
}

/* At most half of them are taken. */
uint64_t
gpuagg_lookup_slots(uint64_t nrows)
{
	uint64_t	slots = 2;

	while (slots < 2 * nrows)
		slots *= 2;
	return slots;
}

/* Can one integer key be found by bits? */
static bool
shape_direct(const GpuAggLookupShape *shape, GpuAggLookup *head)
{
	const bool	empty = shape->nrows == 0 || shape->first > shape->last;
	const uint64_t span = empty ? 0 : (uint64_t) shape->last - (uint64_t) shape->first;

	if (shape->nkeys != 1 || shape->columns[0].cls != GPUAGG_CLASS_I64 ||
		!gpuagg_lookup_by_bits(shape->nrows, span))
		return false;
	head->kind = GPUAGG_LOOKUP_DIRECT;
	head->first = empty ? 0 : shape->first;
	head->span = empty ? 0 : span + 1;
	return true;
}

static void
shape_hash(const GpuAggLookupShape *shape, GpuAggLookup *head)
{
	head->kind = GPUAGG_LOOKUP_HASH;
	head->key_columns = shape->nkeys;
	head->span = gpuagg_lookup_slots(shape->nrows);
}

uint64_t
gpuagg_lookup_lay_out(const GpuAggLookupShape *shape, GpuAggLookup *head,
					  GpuAggLookupColumn *columns)
{
	uint64_t	end;
	uint32_t	first;

	memset(head, 0, sizeof(*head));
	if (shape->nrows > MOST_ROWS || shape->ncolumns > GPUAGG_LOOKUP_MAX_COLUMNS)
		return 0;
	head->magic = GPUAGG_LOOKUP_MAGIC;
	head->seed = shape->seed;
	head->nkeys = shape->nkeys;
	head->key_class = shape->columns[0].cls;
	if (!shape_direct(shape, head))
		shape_hash(shape, head);
	first = shape->nkeys - head->key_columns;
	head->ncolumns = shape->ncolumns - first;
	end = gpuagg_lookup_head_bytes(head);
	head->finder = take(&end, head->kind == GPUAGG_LOOKUP_DIRECT ?
						(head->span + 63) / 64 * sizeof(GpuAggLookupBits) :
						head->span * sizeof(GpuAggLookupSlot));
	if (head->kind == GPUAGG_LOOKUP_HASH && (shape->filters & head->span) != 0)
		head->filter = take(&end, gpuagg_filter_words(head->span) * sizeof(uint64_t));
	for (uint32_t i = 0; i < head->ncolumns; i++)
	{
		columns[i] = shape->columns[first + i];
		columns[i].values = take(&end, shape->nrows * columns[i].width);
		columns[i].nulls = columns[i].nulls != 0 ? take(&end, (shape->nrows + 63) / 64 * 8) : 0;
	}
	head->bytes = gpuagg_align(end + shape->strings, 8);
	return head->bytes <= MOST_BYTES ? end : 0;
}

static GpuAggFold
fold_of(const GpuAggLookupRows *rows, uint32_t column)
{
	return rows->folds == NULL ? GPUAGG_FOLD_NONE : rows->folds[column];
}

/*
 * What a column's values say of how it lies; adds the bytes of its strings.  False: a sum may be
 * too large.
 */
static bool
column_of(const GpuAggLookupRows *rows, uint32_t i, GpuAggLookupColumn *column, uint64_t *strings)
{
	const GpuAggLookupSource *source = &rows->columns[i];
	const GpuAggFold fold = fold_of(rows, i);
	int64_t		low = INT64_MAX;
	int64_t		high = INT64_MIN;

	memset(column, 0, sizeof(*column));
	for (uint64_t row = 0; row < rows->nrows; row++)
	{
		if (is_null(source, row))
			column->nulls = 1;
		else if (fold == GPUAGG_FOLD_COUNT)
			continue;
		else if (source->cls == GPUAGG_CLASS_BYTES)
			*strings += ((const GpuAggBytes *) source->values)[row].len;
		else if (source->cls == GPUAGG_CLASS_I64)
		{
			low = integers(source)[row] < low ? integers(source)[row] : low;
			high = integers(source)[row] > high ? integers(source)[row] : high;
		}
	}
	if (low > high)
		low = high = 0;
	column->cls = fold == GPUAGG_FOLD_COUNT ? GPUAGG_CLASS_I64 : source->cls;
	column->width = source->cls == GPUAGG_CLASS_I64 && low >= INT32_MIN && high <= INT32_MAX ? 4 :
																							   8;
	column->width = gpuagg_fold_width(fold, column->width);
	if (fold == GPUAGG_FOLD_COUNT)
		column->nulls = 0;
	column->low = low;
	column->high = high;
	return gpuagg_fold_bounds(fold, rows->nrows, &column->low, &column->high);
}

/* The table's columns that are folded */
static void
find_folded(const GpuAggLookupRows *rows, Shape *s)
{
	const uint32_t first = rows->ncolumns - s->head.ncolumns;

	for (uint32_t i = 0; i < s->head.ncolumns; i++)
	{
		const GpuAggLookupColumn *c = &s->columns[i];
		const GpuAggFold fold = fold_of(rows, first + i);

		if (fold == GPUAGG_FOLD_NONE)
			continue;
		s->folded[s->nfolded] = (GpuAggFoldColumn) {c->values, c->nulls, c->width, fold};
		s->source[s->nfolded++] = first + i;
	}
}

static bool
shape_of(const GpuAggLookupRows *rows, Shape *s)
{
	GpuAggLookupShape shape;

	memset(s, 0, sizeof(*s));
	shape.nrows = rows->nrows;
	shape.seed = rows->seed;
	shape.nkeys = rows->nkeys;
	shape.ncolumns = rows->ncolumns;
	shape.strings = 0;
	shape.filters = rows->filters;
	if (rows->nrows > MOST_ROWS || rows->ncolumns > GPUAGG_LOOKUP_MAX_COLUMNS)
		return false;
	for (uint32_t i = 0; i < rows->ncolumns; i++)
		if (!column_of(rows, i, &shape.columns[i], &shape.strings))
			return false;
	shape.first = shape.columns[0].low;
	shape.last = shape.columns[0].high;
	s->strings = gpuagg_lookup_lay_out(&shape, &s->head, s->columns);
	find_folded(rows, s);
	return s->strings > 0;
}

uint64_t
gpuagg_lookup_bytes_needed(const GpuAggLookupRows *rows)
{
	Shape		s;

	return shape_of(rows, &s) ? s.head.bytes : 0;
}

/* ---------- making ---------- */

/* All rows that there may be, before the first value */
static void
begin_folds(const GpuAggLookupRows *rows, const Shape *s, char *block)
{
	for (uint32_t i = 0; i < s->nfolded; i++)
	{
		const GpuAggFoldColumn *c = &s->folded[i];

		for (uint64_t row = 0; row < rows->nrows; row++)
			gpuagg_fold_begin(block, c, row);
		if (c->nulls != 0)
			memset(block + c->nulls, 0xFF, gpuagg_fold_nulls_bytes(rows->nrows));
	}
}

/* Folds a row of the source into row `to` of the table. */
static void
fold_row(const GpuAggLookupRows *rows, const Shape *s, char *block, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < s->nfolded; i++)
	{
		const GpuAggLookupSource *source = &rows->columns[s->source[i]];
		const GpuAggFoldColumn *c = &s->folded[i];

		if (!is_null(source, from))
			gpuagg_fold_value(block, c, to,
							  c->fold == GPUAGG_FOLD_COUNT ? 1 : integers(source)[from]);
	}
}

/* Copies a row of the source to row `to` of the table, but for what is folded. */
static void
make_row(const GpuAggLookupRows *rows, const Shape *s, char *block, uint64_t from, uint64_t to,
		 uint64_t *strings)
{
	const uint32_t first = rows->ncolumns - s->head.ncolumns;
	const GpuAggLookupSource *sources = rows->columns + first;

	for (uint32_t i = 0; i < s->head.ncolumns; i++)
	{
		const GpuAggLookupColumn *c = &s->columns[i];
		char	   *value = block + c->values + to * c->width;

		if (fold_of(rows, first + i) != GPUAGG_FOLD_NONE)
			continue;
		if (is_null(&sources[i], from))
			((uint64_t *) (block + c->nulls))[to / 64] |= UINT64_C(1) << to % 64;
		else if (c->cls == GPUAGG_CLASS_BYTES)
		{
			const GpuAggBytes b = ((const GpuAggBytes *) sources[i].values)[from];

			*(uint64_t *) value = *strings | b.len << 32;
			if (b.len > 0)
				memcpy(block + *strings, b.data, b.len);
			*strings += b.len;
		}
		else if (c->width == 4)
			*(int32_t *) value = (int32_t) integers(&sources[i])[from];
		else
			memcpy(value, (const char *) sources[i].values + from * 8, 8);
	}
}

static bool
make_direct(const GpuAggLookupRows *rows, const Shape *s, char *block)
{
	const int64_t *keys = integers(&rows->columns[0]);
	GpuAggLookup *t = (GpuAggLookup *) block;
	GpuAggLookupBits *words = (GpuAggLookupBits *) (block + t->finder);
	uint64_t	strings = s->strings;
	uint64_t	count = 0;

	for (uint64_t i = 0; i < rows->nrows; i++)
	{
		const uint64_t at = (uint64_t) keys[i] - (uint64_t) t->first;

		words[at / 64].bits |= UINT64_C(1) << at % 64;
	}
	for (uint64_t w = 0; w < (t->span + 63) / 64; w++)
	{
		words[w].before = count;
		count += gpuagg_lookup_popcount(words[w].bits);
	}
	t->nrows = (uint32_t) count;
	for (uint64_t i = 0; i < rows->nrows; i++)
	{
		uint8_t		st = GPUAGG_ST_VALUE;
		const uint64_t row = (uint64_t) gpuagg_lookup_direct(t, keys[i], &st);

		make_row(rows, s, block, i, row, &strings);
		fold_row(rows, s, block, i, row);
	}
	return count == rows->nrows;
}

static uint64_t
hash_row(const GpuAggLookupRows *rows, const GpuAggLookup *t, uint64_t i)
{
	const GpuAggLookupSource *keys = rows->columns;

	if (keys[0].cls == GPUAGG_CLASS_BYTES)
		return gpuagg_lookup_hash_string(t, ((const GpuAggBytes *) keys[0].values)[i]);
	return gpuagg_lookup_hash_integers(t, integers(&keys[0])[i],
									   rows->nkeys > 1 ? integers(&keys[1])[i] : 0);
}

/* Hashes of the n rows from that one on, whose slots are fetched while others are searched */
static void
hash_rows(const GpuAggLookupRows *rows, const GpuAggLookup *t, uint64_t from, uint32_t n,
		  uint64_t *hashes)
{
	const GpuAggLookupSlot *slots = (const GpuAggLookupSlot *) ((const char *) t + t->finder);
	uint32_t	tag;

	for (uint32_t k = 0; k < n; k++)
	{
		hashes[k] = hash_row(rows, t, from + k);
		__builtin_prefetch(&slots[gpuagg_lookup_slot(t, hashes[k], &tag)], 1);
	}
}

/* Has the row in the table this key of the source? */
static bool
is_row(const GpuAggLookupRows *rows, const GpuAggLookup *t, uint64_t row, uint64_t i)
{
	const GpuAggLookupSource *keys = rows->columns;

	if (keys[0].cls == GPUAGG_CLASS_BYTES)
		return gpuagg_lookup_same_string(t, row, ((const GpuAggBytes *) keys[0].values)[i]);
	return gpuagg_lookup_same_integers(t, row, integers(&keys[0])[i],
									   rows->nkeys > 1 ? integers(&keys[1])[i] : 0);
}

/* The slot of row i's key: empty where it is not there yet */
static GpuAggLookupSlot *
find_slot(const GpuAggLookupRows *rows, const GpuAggLookup *t, uint64_t hash, uint64_t i)
{
	GpuAggLookupSlot *slots = (GpuAggLookupSlot *) ((char *) t + t->finder);
	uint32_t	tag;
	uint64_t	at = gpuagg_lookup_slot(t, hash, &tag);

	for (; slots[at].row != 0; at = (at + 1) & (t->span - 1))
		if (slots[at].tag == tag && is_row(rows, t, slots[at].row - 1, i))
			return &slots[at];
	slots[at].tag = tag;
	return &slots[at];
}

static bool
make_hash(const GpuAggLookupRows *rows, const Shape *s, char *block)
{
	GpuAggLookup *t = (GpuAggLookup *) block;
	uint64_t	hashes[FETCHED_ROWS];
	uint64_t	strings = s->strings;

	for (uint64_t i = 0; i < rows->nrows; i++)
	{
		const uint32_t k = i % FETCHED_ROWS;
		GpuAggLookupSlot *slot;

		if (k == 0)
			hash_rows(rows, t, i,
					  (uint32_t) (rows->nrows - i < FETCHED_ROWS ? rows->nrows - i : FETCHED_ROWS),
					  hashes);
		slot = find_slot(rows, t, hashes[k], i);
		if (slot->row == 0)
		{
			make_row(rows, s, block, i, t->nrows, &strings);
			gpuagg_lookup_filter_add(t, hashes[k]);
			slot->row = ++t->nrows;
		}
		fold_row(rows, s, block, i, slot->row - 1);
	}
	return t->nrows == rows->nrows;
}

bool
gpuagg_lookup_make(const GpuAggLookupRows *rows, void *block, uint64_t bytes)
{
	Shape		s;

	if (!shape_of(rows, &s) || s.head.bytes != bytes)
		return false;
	memcpy(block, &s.head, sizeof(s.head));
	memcpy((char *) block + sizeof(s.head), s.columns,
		   s.head.ncolumns * sizeof(GpuAggLookupColumn));
	begin_folds(rows, &s, block);
	return s.head.kind == GPUAGG_LOOKUP_DIRECT ? make_direct(rows, &s, block) :
		make_hash(rows, &s, block);
}

/* ---------- checking ---------- */

/* n elements at that offset lie within the block. */
static bool
array_ok(const GpuAggLookup *t, uint64_t off, uint64_t n, uint64_t size)
{
	return off % 8 == 0 && off <= t->bytes && n <= (t->bytes - off) / size;
}

static bool
column_ok(const GpuAggLookup *t, const GpuAggLookupColumn *c)
{
	return c->cls <= GPUAGG_CLASS_BYTES &&
		(c->width == 8 || (c->width == 4 && c->cls == GPUAGG_CLASS_I64)) &&
		array_ok(t, c->values, t->nrows, c->width) &&
		(c->nulls == 0 || array_ok(t, c->nulls, ((uint64_t) t->nrows + 63) / 64, 8)) &&
		(c->errors == 0 || array_ok(t, c->errors, ((uint64_t) t->nrows + 63) / 64, 8));
}

static bool
finder_ok(const GpuAggLookup *t)
{
	if (t->kind == GPUAGG_LOOKUP_DIRECT)
		return t->key_columns == 0 && t->filter == 0 && t->nkeys == 1 &&
			t->key_class == GPUAGG_CLASS_I64 && t->span < UINT64_MAX - 63 &&
			array_ok(t, t->finder, (t->span + 63) / 64, sizeof(GpuAggLookupBits));
	return t->kind == GPUAGG_LOOKUP_HASH && t->key_columns == t->nkeys && t->nkeys > 0 &&
		t->nkeys <= (t->key_class == GPUAGG_CLASS_BYTES ? 1 : GPUAGG_LOOKUP_MAX_KEYS) &&
		t->span > 0 && (t->span & (t->span - 1)) == 0 &&
		array_ok(t, t->finder, t->span, sizeof(GpuAggLookupSlot)) &&
		(t->filter == 0 || array_ok(t, t->filter, gpuagg_filter_words(t->span), sizeof(uint64_t)));
}

bool
gpuagg_lookup_is_sound(const void *block, uint64_t bytes)
{
	const GpuAggLookup *t = (const GpuAggLookup *) block;
	const GpuAggLookupColumn *columns = (const GpuAggLookupColumn *) (t + 1);

	if ((uintptr_t) block % 8 != 0 || bytes < sizeof(GpuAggLookup) ||
		t->magic != GPUAGG_LOOKUP_MAGIC || t->key_columns > t->ncolumns ||
		t->ncolumns > GPUAGG_LOOKUP_MAX_COLUMNS ||
		t->ncolumns > (bytes - sizeof(GpuAggLookup)) / sizeof(GpuAggLookupColumn) ||
		bytes != (t->made == 0 ? t->bytes : gpuagg_lookup_head_bytes(t)) || !finder_ok(t))
		return false;
	for (uint32_t i = 0; i < t->ncolumns; i++)
		if (!column_ok(t, &columns[i]) ||
			(i < t->key_columns && (columns[i].cls != t->key_class || columns[i].nulls != 0)))
			return false;
	return true;
}

bool
gpuagg_lookup_has_keys(const void *block, uint32_t nkeys, GpuAggClass cls)
{
	const GpuAggLookup *t = (const GpuAggLookup *) block;

	return t->nkeys == nkeys && t->key_class == (uint32_t) cls;
}

bool
gpuagg_lookup_has_column(const void *block, int32_t i, GpuAggClass cls)
{
	const GpuAggLookup *t = (const GpuAggLookup *) block;

	return i >= 0 && (uint32_t) i < t->ncolumns - t->key_columns &&
		gpuagg_lookup_column(t, (uint32_t) i)->cls == (uint32_t) cls;
}

static bool
is_table(const GpuAggProgram *p, const GpuAggInstr *ins, uint32_t constant)
{
	return gpuagg_instr_table(ins) == p->ncolumns + constant;
}

const GpuAggLookup *
gpuagg_program_table(const GpuAggProgram *p, uint32_t constant)
{
	const GpuAggConst *c = &gpuagg_program_consts(p)[constant];

	if (gpuagg_program_classes(p)[p->ncolumns + constant] != GPUAGG_CLASS_BYTES ||
		c->state != GPUAGG_ST_VALUE)
		return NULL;
	for (uint32_t i = 0; i < p->ninstrs; i++)
		if (is_table(p, &gpuagg_program_instrs(p)[i], constant))
			return (const GpuAggLookup *) ((const char *) p + c->v.off);
	return NULL;
}

uint32_t
gpuagg_program_head_bytes(const GpuAggProgram *p)
{
	const GpuAggConst *consts = gpuagg_program_consts(p);
	const uint8_t *classes = gpuagg_program_classes(p);
	const uint64_t ends[] = {
		p->attrs_off + p->nattrs * sizeof(GpuAggAttr),
		p->consts_off + p->nconsts * sizeof(GpuAggConst),
		p->instrs_off + p->ninstrs * sizeof(GpuAggInstr),
		p->keys_off + p->nkeys * sizeof(GpuAggKey),
		p->transitions_off + p->ntransitions * sizeof(GpuAggTransition),
		p->classes_off + p->nregs
	};
	uint64_t	head = sizeof(GpuAggProgram);
	uint64_t	tables = p->bytes;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		head = ends[i] > head ? ends[i] : head;
	for (uint32_t k = 0; k < p->nconsts; k++)
	{
		if (classes[p->ncolumns + k] != GPUAGG_CLASS_BYTES || consts[k].state != GPUAGG_ST_VALUE)
			continue;
		if (gpuagg_program_table(p, k) == NULL)
			head = consts[k].v.off + consts[k].len > head ? consts[k].v.off + consts[k].len : head;
		else if (consts[k].v.off < tables)
			tables = consts[k].v.off;
	}
	return (uint32_t) (head <= tables ? tables : p->bytes);
}

bool
gpuagg_program_looks_up(const GpuAggProgram *p)
{
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);

	for (uint32_t i = 0; i < p->ninstrs; i++)
		if (gpuagg_looks_up(&instrs[i]))
			return true;
	return false;
}
