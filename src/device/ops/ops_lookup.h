/*
 * ops_lookup.h
 *		Look-up tables: what a join below the grouping reads of its other inputs.
 *
 * A table is one block of bytes without pointers, a constant of the program, made
 * before a task begins (lookup_make.h).  One operator finds the row of a key, NULL
 * where there is none; others fetch columns of that row.  A row that is NULL has
 * NULL in all columns, so an outer join needs no operator of its own.
 *
 *		DIRECT	one integer key whose values lie close together: a bit for each
 *				value from the first to the last, and with each 64 of them how
 *				many rows there are before.  That is the row's number
 *		HASH	open addressing: slots of a tag and a row's number; the keys
 *				themselves are the first columns, and are compared.  Perhaps a filter
 *				before them (lookup_filter.h): who is not in it has no slot
 *
 * Keys are never NULL: such rows match nothing and are not in the table.
 *
 * A table that a device has made (device/made.h) lies there.  A program then has its
 * header and columns only, under a number, and the device puts the table in their place.
 *
 * The header is checked with the program (gpuagg_lookup_is_sound); what it leads to
 * is not.  So operators trust no row number and no string's place, and no search
 * goes on for longer than there are slots.
 *
 * The rules for all operator headers stand in ops_int.h.
 */
#ifndef GPUAGG_DEVICE_OPS_LOOKUP_H
#define GPUAGG_DEVICE_OPS_LOOKUP_H

#include "hash.h"
#include "lookup_filter.h"
#include "ops_bytes.h"

#define GPUAGG_LOOKUP_MAGIC UINT64_C(0x70756b6f6f4c6741)
#define GPUAGG_LOOKUP_MAX_KEYS 2
#define GPUAGG_LOOKUP_MAX_COLUMNS 256

typedef enum GpuAggLookupKind
{
	GPUAGG_LOOKUP_DIRECT,
	GPUAGG_LOOKUP_HASH
} GpuAggLookupKind;

/* Values of one column, by row */
typedef struct GpuAggLookupColumn
{
	uint64_t	values;			/* offset in the block; of strings where each lies
								 * (32 bits) and how long it is (32 bits) */
	uint64_t	nulls;			/* of bits that are set where it is NULL; 0: none is */
	uint64_t	errors;			/* of bits that are set where it is an error; 0: none is.  Of
								 * code tables (code_table.h) alone */
	uint32_t	cls;			/* GpuAggClass */
	uint32_t	width;			/* bytes of a value: 8, or 4 of small integers */
	int64_t		low;			/* of integers the least and the greatest, for whoever */
	int64_t		high;			/* numbers groups by them: hints; 0 and 0: all are NULL */
} GpuAggLookupColumn;

typedef struct GpuAggLookup
{
	uint64_t	magic;
	uint64_t	bytes;			/* of the whole block */
	uint64_t	seed;			/* HASH: against chosen keys */
	uint64_t	made;			/* 0: the table is here; else its number, of one that
								 * lies on a device */
	uint32_t	kind;			/* GpuAggLookupKind */
	uint32_t	nkeys;
	uint32_t	key_class;		/* of all of them */
	uint32_t	key_columns;	/* HASH: the first nkeys columns; DIRECT: 0 */
	uint32_t	ncolumns;		/* with these */
	uint32_t	nrows;
	int64_t		first;			/* DIRECT: the smallest key */
	uint64_t	span;			/* DIRECT: bits; HASH: slots, a power of two */
	uint64_t	finder;			/* offset of GpuAggLookupBits[], or of slots */
	uint64_t	filter;			/* HASH: offset of the filter's words; 0: there is none */
	/* GpuAggLookupColumn[ncolumns] follow */
} GpuAggLookup;

/* 64 keys */
typedef struct GpuAggLookupBits
{
	uint64_t	bits;
	uint64_t	before;			/* rows of smaller keys */
} GpuAggLookupBits;

typedef struct GpuAggLookupSlot
{
	uint32_t	tag;			/* upper half of the hash */
	uint32_t	row;			/* its number + 1; 0: empty */
} GpuAggLookupSlot;

GPUAGG_FN const GpuAggLookup *
gpuagg_lookup_of(GpuAggBytes table)
{
	return (const GpuAggLookup *) table.data;
}

/* Bytes of the header with its columns */
GPUAGG_FN uint64_t
gpuagg_lookup_head_bytes(const GpuAggLookup *t)
{
	return sizeof(GpuAggLookup) + t->ncolumns * sizeof(GpuAggLookupColumn);
}

/* Column i, those of the keys not counted */
GPUAGG_FN const GpuAggLookupColumn *
gpuagg_lookup_column(const GpuAggLookup *t, uint32_t i)
{
	return (const GpuAggLookupColumn *) (t + 1) + t->key_columns + i;
}

GPUAGG_FN uint32_t
gpuagg_lookup_popcount(uint64_t bits)
{
#ifdef __CUDA_ARCH__
	return (uint32_t) __popcll(bits);
#else
	return (uint32_t) __builtin_popcountll(bits);
#endif
}

GPUAGG_FN int64_t
gpuagg_lookup_integer(const GpuAggLookup *t, const GpuAggLookupColumn *c, uint64_t row)
{
	const char *values = (const char *) t + c->values;

	return c->width == 4 ? ((const int32_t *) values)[row] : ((const int64_t *) values)[row];
}

/* A string that would lie outside of the block is empty. */
GPUAGG_FN GpuAggBytes
gpuagg_lookup_string(const GpuAggLookup *t, const GpuAggLookupColumn *c, uint64_t row)
{
	const uint64_t place = ((const uint64_t *) ((const char *) t + c->values))[row];
	const uint64_t at = place & 0xFFFFFFFF;
	GpuAggBytes b;

	b.len = place >> 32;
	if (at > t->bytes || b.len > t->bytes - at)
		b.len = 0;
	b.data = (const char *) t + (b.len == 0 ? 0 : at);
	return b;
}

/* ---------- finding a row ---------- */

GPUAGG_FN int64_t
gpuagg_lookup_no_row(uint8_t *st)
{
	*st = GPUAGG_ST_NULL;
	return 0;
}

/* By bits of `span` keys from the first on; what only asks for a row counts none. */
GPUAGG_FN int64_t
gpuagg_lookup_bit(const GpuAggLookupBits *words, int64_t first, uint64_t span, int64_t key,
				  uint8_t *st)
{
	const uint64_t at = (uint64_t) key - (uint64_t) first;
	const GpuAggLookupBits *word = words + at / 64;

	if (at >= span || !(word->bits >> at % 64 & 1))
		return gpuagg_lookup_no_row(st);
	return (int64_t) (word->before +
					  gpuagg_lookup_popcount(word->bits & ((UINT64_C(1) << at % 64) - 1)));
}

GPUAGG_FN int64_t
gpuagg_lookup_direct(const GpuAggLookup *t, int64_t key, uint8_t *st)
{
	return gpuagg_lookup_bit((const GpuAggLookupBits *) ((const char *) t + t->finder), t->first,
							 t->span, key, st);
}

/* Where a hash is looked for first, and the tag there */
GPUAGG_FN uint64_t
gpuagg_lookup_slot(const GpuAggLookup *t, uint64_t hash, uint32_t *tag)
{
	*tag = (uint32_t) (hash >> 32);
	return hash & (t->span - 1);
}

GPUAGG_FN uint64_t
gpuagg_lookup_hash_integers(const GpuAggLookup *t, int64_t a, int64_t b)
{
	uint64_t	h = gpuagg_hash_word(t->seed, (uint64_t) a, t->seed);

	if (t->nkeys > 1)
		h = gpuagg_hash_word(h, (uint64_t) b, t->seed);
	return gpuagg_hash_finish(h);
}

GPUAGG_FN uint64_t
gpuagg_lookup_hash_string(const GpuAggLookup *t, GpuAggBytes a)
{
	return gpuagg_hash_finish(gpuagg_hash_bytes(a.data, a.len, t->seed));
}

GPUAGG_FN bool
gpuagg_lookup_same_integers(const GpuAggLookup *t, uint64_t row, int64_t a, int64_t b)
{
	const GpuAggLookupColumn *keys = (const GpuAggLookupColumn *) (t + 1);

	return gpuagg_lookup_integer(t, keys, row) == a &&
		(t->nkeys == 1 || gpuagg_lookup_integer(t, keys + 1, row) == b);
}

GPUAGG_FN bool
gpuagg_lookup_same_string(const GpuAggLookup *t, uint64_t row, GpuAggBytes a)
{
	const GpuAggBytes key = gpuagg_lookup_string(t, (const GpuAggLookupColumn *) (t + 1), row);

	return key.len == a.len && gpuagg_memcmp(key.data, a.data, a.len) == 0;
}

/* May a key of that hash have a slot?  Without a filter, any may. */
GPUAGG_FN bool
gpuagg_lookup_may_have(const GpuAggLookup *t, uint64_t hash)
{
	return t->filter == 0 ||
		gpuagg_filter_has((const uint64_t *) ((const char *) t + t->filter),
						  gpuagg_filter_words(t->span), hash);
}

/* A key that gets a slot */
GPUAGG_FN void
gpuagg_lookup_filter_add(GpuAggLookup *t, uint64_t hash)
{
	if (t->filter != 0)
		gpuagg_filter_add((uint64_t *) ((char *) t + t->filter), gpuagg_filter_words(t->span),
						  hash);
}

/* The search, with SAME(row) to tell whether the row has the key */
#define GPUAGG_LOOKUP_SEARCH(t, key_hash, SAME) \
	const GpuAggLookupSlot *slots = (const GpuAggLookupSlot *) ((const char *) t + t->finder); \
	const uint64_t hash = key_hash; \
	uint32_t	tag; \
	uint64_t	at = gpuagg_lookup_slot(t, hash, &tag); \
\
	if (!gpuagg_lookup_may_have(t, hash)) \
		return gpuagg_lookup_no_row(st); \
	for (uint64_t i = 0; i < t->span && slots[at].row != 0; i++) \
	{ \
		const uint64_t row = slots[at].row - 1; \
\
		if (slots[at].tag == tag && row < t->nrows && SAME(row)) \
			return (int64_t) row; \
		at = (at + 1) & (t->span - 1); \
	} \
	return gpuagg_lookup_no_row(st);

GPUAGG_FN int64_t
gpuagg_lookup_hashed(const GpuAggLookup *t, int64_t a, int64_t b, uint8_t *st)
{
#define GPUAGG_LOOKUP_SAME(row) gpuagg_lookup_same_integers(t, row, a, b)
	GPUAGG_LOOKUP_SEARCH(t, gpuagg_lookup_hash_integers(t, a, b), GPUAGG_LOOKUP_SAME)
#undef GPUAGG_LOOKUP_SAME
}

/* LOOKUP: the row of an integer */
GPUAGG_FN int64_t
gpuagg_lookup(int64_t a, GpuAggBytes table, uint8_t *st)
{
	const GpuAggLookup *t = gpuagg_lookup_of(table);

	return t->kind == GPUAGG_LOOKUP_DIRECT ? gpuagg_lookup_direct(t, a, st) :
		gpuagg_lookup_hashed(t, a, 0, st);
}

/* LOOKUP_PAIR: of two */
GPUAGG_FN int64_t
gpuagg_lookup_pair(int64_t a, int64_t b, GpuAggBytes table, uint8_t *st)
{
	return gpuagg_lookup_hashed(gpuagg_lookup_of(table), a, b, st);
}

/* LOOKUP_BYTES: of a string */
GPUAGG_FN int64_t
gpuagg_lookup_bytes(GpuAggBytes a, GpuAggBytes table, uint8_t *st)
{
	const GpuAggLookup *t = gpuagg_lookup_of(table);

#define GPUAGG_LOOKUP_SAME(row) gpuagg_lookup_same_string(t, row, a)
	GPUAGG_LOOKUP_SEARCH(t, gpuagg_lookup_hash_string(t, a), GPUAGG_LOOKUP_SAME)
#undef GPUAGG_LOOKUP_SAME
}

/* ---------- columns of a row ---------- */

/*
 * Is a value there?  False: NULL, an error, or there is no such row.  nulls, errors: NULL where
 * none is
 */
GPUAGG_FN bool
gpuagg_lookup_there(const uint64_t *nulls, const uint64_t *errors, uint64_t nrows, int64_t row,
					uint8_t *st)
{
	if ((uint64_t) row >= nrows || (errors != NULL && errors[row / 64] >> row % 64 & 1))
	{
		gpuagg_raise_if(true, GPUAGG_ST_NEEDS_PG, st);
		return false;
	}
	if (nulls != NULL && nulls[row / 64] >> row % 64 & 1)
	{
		*st = GPUAGG_ST_NULL;
		return false;
	}
	return true;
}

GPUAGG_FN bool
gpuagg_lookup_has(const GpuAggLookup *t, const GpuAggLookupColumn *c, int64_t row, uint8_t *st)
{
	const uint64_t *nulls = c->nulls == 0 ? NULL :
		(const uint64_t *) ((const char *) t + c->nulls);
	const uint64_t *errors = c->errors == 0 ? NULL :
		(const uint64_t *) ((const char *) t + c->errors);

	return gpuagg_lookup_there(nulls, errors, t->nrows, row, st);
}

/* FETCH_...: column imm */
GPUAGG_FN int64_t
gpuagg_fetch_i64(int64_t row, GpuAggBytes table, uint8_t *st, const GpuAggInstr *ins)
{
	const GpuAggLookup *t = gpuagg_lookup_of(table);
	const GpuAggLookupColumn *c = gpuagg_lookup_column(t, (uint32_t) ins->imm);

	return gpuagg_lookup_has(t, c, row, st) ? gpuagg_lookup_integer(t, c, (uint64_t) row) : 0;
}

GPUAGG_FN double
gpuagg_fetch_f64(int64_t row, GpuAggBytes table, uint8_t *st, const GpuAggInstr *ins)
{
	const GpuAggLookup *t = gpuagg_lookup_of(table);
	const GpuAggLookupColumn *c = gpuagg_lookup_column(t, (uint32_t) ins->imm);

	return gpuagg_lookup_has(t, c, row, st) ?
		((const double *) ((const char *) t + c->values))[row] : 0;
}

GPUAGG_FN GpuAggBytes
gpuagg_fetch_bytes(int64_t row, GpuAggBytes table, uint8_t *st, const GpuAggInstr *ins)
{
	const GpuAggLookup *t = gpuagg_lookup_of(table);
	const GpuAggLookupColumn *c = gpuagg_lookup_column(t, (uint32_t) ins->imm);
	GpuAggBytes none = {NULL, 0};

	return gpuagg_lookup_has(t, c, row, st) ? gpuagg_lookup_string(t, c, (uint64_t) row) : none;
}

#endif							/* GPUAGG_DEVICE_OPS_LOOKUP_H */
