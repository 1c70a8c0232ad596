/*
 * lookup_test.c
 *		Look-up tables against a search through all rows: keys that are dense, sparse,
 *		negative, at the ends of their type, pairs and strings; columns of each class with
 *		and without NULLs; keys that are not unique, whose rows are folded; headers that lie.
 *		Tables that are filled as threads of a GPU do it (lookup_fill.h), in any order.  All of it
 *		with and without filters, and what these let pass.
 */
#include <stdlib.h>

#include "device/ops/lookup_fill.h"
#include "device/ops/lookup_fold.h"
#include "device/ops/lookup_make.h"
#include "device/ops/ops_lookup.h"
#include "random.h"
#include "tap.h"

#define MOST 3000

static int64_t keys[2][MOST];
static GpuAggBytes names[MOST];
static char text[MOST][16];
static int64_t small[MOST];
static int64_t wide[MOST];
static double reals[MOST];
static uint8_t nulls[MOST];

/* Of the tables that are made: 0, or UINT64_MAX */
static uint64_t filters;

static void
fill(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
	{
		names[i].data = text[i];
		names[i].len = (uint64_t) snprintf(text[i], sizeof(text[i]), "%.*s%u", (int) (i % 5),
										   "abcde", (unsigned) i);
		small[i] = (int64_t) (random_next() % 1000) - 500;
		wide[i] = (int64_t) random_next();
		reals[i] = (double) wide[i] / 3;
		nulls[i] = random_next() % 4 == 0;
	}
}

/* Integers that are no two alike, `step` apart, in no order */
static void
fill_keys(uint64_t n, int64_t first, uint64_t step)
{
	for (uint64_t i = 0; i < n; i++)
	{
		keys[0][i] = (int64_t) ((uint64_t) first + i * step);
		keys[1][i] = (int64_t) (i % 7);
	}
	for (uint64_t i = n; i > 1; i--)
	{
		const uint64_t j = random_next() % i;
		const int64_t k = keys[0][i - 1];

		keys[0][i - 1] = keys[0][j];
		keys[0][j] = k;
	}
}

typedef struct Table
{
	GpuAggBytes bytes;
	bool		unique;
	uint32_t	nkeys;
	bool		strings;
} Table;

static Table
make(uint64_t n, uint32_t nkeys, bool strings, bool with_columns)
{
	const GpuAggLookupSource columns[] = {
		{strings ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64, strings ? (const void *) names : keys[0],
		 NULL},
		{GPUAGG_CLASS_I64, nkeys > 1 ? keys[1] : small, nkeys > 1 ? NULL : nulls},
		{GPUAGG_CLASS_I64, small, nulls},
		{GPUAGG_CLASS_I64, wide, NULL},
		{GPUAGG_CLASS_F64, reals, nulls},
		{GPUAGG_CLASS_BYTES, names, nulls}};
	const GpuAggLookupRows rows = {.nrows = n,
								   .nkeys = nkeys,
								   .columns = columns,
								   .seed = random_next(),
								   .ncolumns = with_columns ? 6 : nkeys,
								   .filters = filters};
	Table		t = {.nkeys = nkeys,.strings = strings};
	char	   *block;

	t.bytes.len = gpuagg_lookup_bytes_needed(&rows);
	block = calloc(1, t.bytes.len);
	t.unique = gpuagg_lookup_make(&rows, block, t.bytes.len);
	t.bytes.data = block;
	return t;
}

static int64_t
find(const Table *t, int64_t a, int64_t b, GpuAggBytes s, uint8_t *st)
{
	*st = GPUAGG_ST_VALUE;
	return t->strings ? gpuagg_lookup_bytes(s, t->bytes, st) :
		t->nkeys > 1 ? gpuagg_lookup_pair(a, b, t->bytes, st) : gpuagg_lookup(a, t->bytes, st);
}

/* Are the columns of the row those of source row i? */
static bool
same_columns(const Table *t, int64_t row, uint64_t i)
{
	const int32_t first = t->nkeys > 1 ? 0 : 1;
	GpuAggInstr ins[4] = {{.imm = first},{.imm = first + 1},{.imm = first + 2},{.imm = first + 3}};
	uint8_t		st[4] = {0, 0, 0, 0};
	const int64_t a = gpuagg_fetch_i64(row, t->bytes, &st[0], &ins[0]);
	const int64_t b = gpuagg_fetch_i64(row, t->bytes, &st[1], &ins[1]);
	const double c = gpuagg_fetch_f64(row, t->bytes, &st[2], &ins[2]);
	const GpuAggBytes d = gpuagg_fetch_bytes(row, t->bytes, &st[3], &ins[3]);

	if (st[1] != GPUAGG_ST_VALUE || b != wide[i] || st[0] != nulls[i] || st[2] != nulls[i] ||
		st[3] != nulls[i])
		return false;
	return nulls[i] || (a == small[i] && c == reals[i] && d.len == names[i].len &&
						memcmp(d.data, names[i].data, d.len) == 0);
}

static void
test_finds(uint64_t n, uint32_t nkeys, bool strings, uint32_t kind, const char *name)
{
	const Table t = make(n, nkeys, strings, true);
	const GpuAggLookup *head = gpuagg_lookup_of(t.bytes);
	int			wrong = 0;

	for (uint64_t i = 0; i < n; i++)
	{
		uint8_t		st;
		const int64_t row = find(&t, keys[0][i], keys[1][i], names[i], &st);

		wrong += st != GPUAGG_ST_VALUE || !same_columns(&t, row, i);
		/* none has the successor's key and this one's second, or a longer name */
		names[i].len++;
		(void) find(&t, (int64_t) ((uint64_t) keys[0][i] + 1), keys[1][i] + 7, names[i], &st);
		names[i].len--;
		if (nkeys > 1 || strings)
			wrong += st != GPUAGG_ST_NULL;
	}
	ok(t.unique && head->kind == kind && head->nrows == n &&
	   (head->filter != 0) == (kind == GPUAGG_LOOKUP_HASH && filters != 0), name);
	is_int(wrong, 0, "... each key has its row, others have none");
	ok(gpuagg_lookup_is_sound(t.bytes.data, t.bytes.len) &&
	   gpuagg_lookup_has_keys(t.bytes.data, nkeys, strings ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64),
	   "... and it is sound");
	free((void *) t.bytes.data);
}

/* Around the ends of what the bits cover, and far from there */
static void
test_misses(void)
{
	static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1, INT64_MAX};
	Table		t;
	int			found = 0;
	uint8_t		st;

	fill_keys(100, 1000, 2);
	t = make(100, 1, false, false);
	for (int64_t k = 900; k < 1300; k++)
	{
		(void) find(&t, k, 0, names[0], &st);
		found += (st == GPUAGG_ST_VALUE) != (k >= 1000 && k < 1200 && k % 2 == 0);
	}
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
	{
		(void) find(&t, far[i], 0, names[0], &st);
		found += st != GPUAGG_ST_NULL;
	}
	is_int(found, 0, "keys beside, between and far from those of the table");
	free((void *) t.bytes.data);
	t = make(0, 1, false, true);
	(void) find(&t, 0, 0, names[0], &st);
	ok(t.unique && st == GPUAGG_ST_NULL && gpuagg_lookup_is_sound(t.bytes.data, t.bytes.len),
	   "a table without rows");
	free((void *) t.bytes.data);
}

static void
test_repeated(uint64_t step, const char *name)
{
	Table		t;
	uint8_t		st;
	int			missing = 0;

	fill_keys(1000, 5, step);
	keys[0][999] = keys[0][0];
	t = make(1000, 1, false, false);
	for (int i = 0; i < 1000; i++)
	{
		(void) find(&t, keys[0][i], 0, names[0], &st);
		missing += st != GPUAGG_ST_VALUE;
	}
	ok(!t.unique && gpuagg_lookup_of(t.bytes)->nrows == 999 && missing == 0, name);
	free((void *) t.bytes.data);
}

/* Any word of the header or the columns changed: refused, or nothing is read outside. */
static void
test_lies(uint32_t nkeys, bool strings)
{
	Table		t = make(500, nkeys, strings, true);
	const size_t words = (sizeof(GpuAggLookup) + 6 * sizeof(GpuAggLookupColumn)) / 4;
	int			refused = 0;
	int			ran = 0;

	for (size_t i = 0; i < 20000; i++)
	{
		uint32_t   *word = (uint32_t *) t.bytes.data + random_next() % words;
		const uint32_t before = *word;
		uint8_t		st;

		*word = i % 3 == 0 ? (uint32_t) random_next() :
			i % 3 == 1 ? before + (uint32_t) (random_next() % 64) :
			before ^ 1u << random_next() % 32;
		if (!gpuagg_lookup_is_sound(t.bytes.data, t.bytes.len) ||
			!gpuagg_lookup_has_keys(t.bytes.data, nkeys,
									strings ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64))
			refused++;
		else
		{
			const int64_t row = find(&t, keys[0][i % 500], keys[1][i % 500], names[i % 500], &st);

			for (int32_t c = 0; c < 6; c++)
			{
				GpuAggInstr ins = {.imm = c};

				st = GPUAGG_ST_VALUE;
				if (gpuagg_lookup_has_column(t.bytes.data, c, GPUAGG_CLASS_BYTES))
					ran += gpuagg_fetch_bytes(row, t.bytes, &st, &ins).len > 16;
				else if (gpuagg_lookup_has_column(t.bytes.data, c, GPUAGG_CLASS_I64))
					(void) gpuagg_fetch_i64(row, t.bytes, &st, &ins);
				else if (gpuagg_lookup_has_column(t.bytes.data, c, GPUAGG_CLASS_F64))
					(void) gpuagg_fetch_f64(row, t.bytes, &st, &ins);
			}
			ran++;
		}
		*word = before;
	}
	ok(refused > 1000 && ran > 1000, "headers that lie are refused, or lead nowhere outside");
	free((void *) t.bytes.data);
}

static void
test_rows(void)
{
	GpuAggInstr ins = {.imm = 0};
	Table		t;
	uint8_t		st = GPUAGG_ST_VALUE;

	fill_keys(10, 0, 1);
	t = make(10, 1, false, true);
	(void) gpuagg_fetch_i64(10, t.bytes, &st, &ins);
	ok(GPUAGG_ST_IS_ERROR(st), "a row that the table does not have is an error");
	st = GPUAGG_ST_VALUE;
	(void) gpuagg_fetch_i64(-1, t.bytes, &st, &ins);
	ok(GPUAGG_ST_IS_ERROR(st), "... and so is a negative one");
	free((void *) t.bytes.data);
}

/* ---------- filled in any order ---------- */

#define CODES 1000
#define FIRST_CODE (GPUAGG_STRING_BLOCK - 300)	/* so they lie in two blocks */

/* A table laid out for so many rows: a key, and a column of small integers */
static GpuAggLookup *
laid_out(uint64_t n, uint32_t nkeys, bool string, uint64_t bytes, uint64_t *strings)
{
	static GpuAggLookupShape shape;
	struct
	{
		GpuAggLookup head;
		GpuAggLookupColumn columns[GPUAGG_LOOKUP_MAX_KEYS + 1];
	}			t;
	GpuAggLookup *block;

	memset(&shape, 0, sizeof(shape));
	shape = (GpuAggLookupShape){.nrows = n,
								.seed = random_next(),
								.nkeys = nkeys,
								.ncolumns = nkeys + 1,
								.strings = bytes,
								.filters = filters,
								.first = INT64_MIN,
								.last = INT64_MAX};
	for (uint32_t i = 0; i <= nkeys; i++)
		shape.columns[i] = (GpuAggLookupColumn){.cls = GPUAGG_CLASS_I64,
												.width = i < nkeys ? 8 : 4};
	if (string)
		shape.columns[0].cls = GPUAGG_CLASS_BYTES;
	*strings = gpuagg_lookup_lay_out(&shape, &t.head, t.columns);
	t.head.nrows = (uint32_t) n;
	block = calloc(1, t.head.bytes);
	memcpy(block, &t, gpuagg_lookup_head_bytes(&t.head));
	return block;
}

static void *
column_values(GpuAggLookup *t, uint32_t i)
{
	return (char *) t + ((GpuAggLookupColumn *) (t + 1))[i].values;
}

/* A dictionary's blocks in which the code of names[i] is FIRST_CODE + i */
static GpuAggBytes **
blocks_make(void)
{
	GpuAggBytes **blocks = calloc(2, sizeof(*blocks));

	for (int b = 0; b < 2; b++)
		blocks[b] = calloc(GPUAGG_STRING_BLOCK, sizeof(**blocks));
	for (uint32_t i = 0; i < CODES; i++)
		blocks[(FIRST_CODE + i) / GPUAGG_STRING_BLOCK][(FIRST_CODE + i) % GPUAGG_STRING_BLOCK] =
			names[i];
	return blocks;
}

/* What comes before each word: rows, and bytes of strings, whose sum is returned */
static uint64_t
codes_sum(GpuAggLookupCodes *codes, uint64_t *n)
{
	uint64_t	bytes = 0;

	*n = 0;
	for (uint64_t w = 0; w < (codes->span + 63) / 64; w++)
	{
		codes->bits[w].before = *n;
		*n += gpuagg_lookup_popcount(codes->bits[w].bits);
		codes->strings[w] = bytes;
		bytes += gpuagg_lookup_code_bytes(codes, w, codes->bits[w].bits);
	}
	return bytes;
}

static GpuAggLookup *
filled_by_codes(GpuAggLookupCodes *codes)
{
	uint64_t	n;
	const uint64_t bytes = codes_sum(codes, &n);
	uint64_t	strings;
	GpuAggLookup *t = laid_out(n, 1, true, bytes, &strings);
	int			refused = 0;

	for (uint64_t i = 0; i < codes->span; i++)
	{
		const uint64_t at = i * 7 % codes->span;
		uint8_t		st = GPUAGG_ST_VALUE;
		const int64_t row = gpuagg_lookup_bit(codes->bits, codes->first, codes->span,
											  codes->first + (int64_t) at, &st);

		gpuagg_lookup_fill_string(codes, at, t, strings);
		if (st == GPUAGG_ST_VALUE)
			((int32_t *) column_values(t, 1))[row] = (int32_t) at;
	}
	for (uint64_t row = n; row-- > 0;)
		refused += gpuagg_lookup_fill_slot(t, row) != row;
	ok(refused == 0 && gpuagg_lookup_is_sound(t, t->bytes), "strings of codes fill a table");
	return t;
}

/* Rows have so many of three neighbouring codes, each of them three times */
static void
test_filled_strings(uint32_t of_three)
{
	GpuAggLookupBits bits[(CODES + 63) / 64];
	uint64_t	lengths[(CODES + 63) / 64];
	GpuAggBytes **blocks = blocks_make();
	GpuAggLookupCodes codes = {{.blocks = blocks}, bits, lengths, FIRST_CODE, CODES};
	GpuAggLookup *t;
	GpuAggInstr ins = {.imm = 0};
	int			wrong = 0;

	memset(bits, 0, sizeof(bits));
	for (uint32_t i = 0; i < 3 * CODES; i++)
		if (i % CODES % 3 < of_three)
			bits[i % CODES / 64].bits |= UINT64_C(1) << i % CODES % 64;
	t = filled_by_codes(&codes);
	for (uint32_t i = 0; i < CODES; i++)
	{
		const GpuAggBytes table = {(const char *) t, t->bytes};
		uint8_t		st = GPUAGG_ST_VALUE;
		const int64_t row = gpuagg_lookup_bytes(names[i], table, &st);

		if (i % 3 < of_three)
			wrong += st != GPUAGG_ST_VALUE || gpuagg_fetch_i64(row, table, &st, &ins) != i ||
				st != GPUAGG_ST_VALUE;
		else
			wrong += st != GPUAGG_ST_NULL;
	}
	is_int(wrong, 0, "... which has those that rows have, and no others");
	for (int b = 0; b < 2; b++)
		free(blocks[b]);
	free(blocks);
	free(t);
}

/* Integers, of which each is there twice: one row of each gets a slot */
static void
test_filled_integers(uint32_t nkeys)
{
	uint64_t	strings;
	GpuAggLookup *t = laid_out(2 * CODES, nkeys, false, 0, &strings);
	const GpuAggBytes table = {(const char *) t, t->bytes};
	int			refused = 0;
	int			wrong = 0;

	for (uint32_t i = 0; i < 2 * CODES; i++)
		for (uint32_t k = 0; k < nkeys; k++)
			((int64_t *) column_values(t, k))[i] = keys[k][i % CODES];
	for (uint32_t i = 0; i < 2 * CODES; i++)
	{
		const uint64_t row = i * UINT64_C(7) % (2 * CODES);
		const uint64_t has = gpuagg_lookup_fill_slot(t, row);

		refused += has != row;
		wrong += has % CODES != row % CODES;
	}
	for (uint32_t i = 0; i < CODES; i++)
	{
		uint8_t		st = GPUAGG_ST_VALUE;
		const int64_t row = gpuagg_lookup_hashed(t, keys[0][i], nkeys > 1 ? keys[1][i] : 0, &st);

		wrong += st != GPUAGG_ST_VALUE || row % CODES != i;
		(void) gpuagg_lookup_hashed(t, keys[0][i] + 1, nkeys > 1 ? keys[1][i] : 0, &st);
		wrong += st != GPUAGG_ST_NULL;
	}
	ok(refused == CODES && wrong == 0 && gpuagg_lookup_is_sound(table.data, table.len),
	   "rows whose keys others have get no slot");
	free(t);
}

/* ---------- folds ---------- */

#define FOLDED 3000
#define FOLDED_KEYS 700
#define NFOLDED 5

/* What the rows of a key are together */
typedef struct Folded
{
	int64_t		rows;
	int64_t		values;			/* that are not NULL */
	int64_t		sum;
	int64_t		least;
	int64_t		greatest;
} Folded;

static const GpuAggFold folds[NFOLDED] = {GPUAGG_FOLD_COUNT, GPUAGG_FOLD_COUNT, GPUAGG_FOLD_SUM,
										  GPUAGG_FOLD_LEAST, GPUAGG_FOLD_GREATEST};

/* Keys in no order, values of so many bits, some of them NULL, all of some keys */
static void
folded_rows(uint64_t step, int bits, Folded *expected)
{
	memset(expected, 0, FOLDED_KEYS * sizeof(Folded));
	for (uint64_t i = 0; i < FOLDED; i++)
	{
		const uint32_t k = (uint32_t) (random_next() % FOLDED_KEYS);
		Folded	   *f = &expected[k];

		keys[0][i] = (int64_t) (k * step);
		keys[1][i] = k % 3;
		wide[i] = (int64_t) (random_next() >> (64 - bits)) - (INT64_C(1) << (bits - 2));
		nulls[i] = k % 11 == 0 || random_next() % 4 == 0;
		f->rows++;
		if (nulls[i])
			continue;
		f->least = f->values == 0 || wide[i] < f->least ? wide[i] : f->least;
		f->greatest = f->values == 0 || wide[i] > f->greatest ? wide[i] : f->greatest;
		f->values++;
		f->sum += wide[i];
	}
}

static bool
same_folded(GpuAggBytes table, int64_t row, const Folded *f)
{
	const int64_t want[NFOLDED] = {f->rows, f->values, f->sum, f->least, f->greatest};
	bool		same = true;

	for (int32_t c = 0; c < NFOLDED; c++)
	{
		const GpuAggInstr ins = {.imm = c};
		uint8_t		st = GPUAGG_ST_VALUE;
		const int64_t value = gpuagg_fetch_i64(row, table, &st, &ins);

		same = same &&
			st ==
				(f->values == 0 && folds[c] > GPUAGG_FOLD_COUNT ? GPUAGG_ST_NULL :
																  GPUAGG_ST_VALUE) &&
			(st != GPUAGG_ST_VALUE || value == want[c]);
	}
	return same;
}

/* Bits, or slots of one key or of two */
static void
test_folded(uint64_t step, uint32_t nkeys, int bits)
{
	static Folded expected[FOLDED_KEYS];
	GpuAggLookupSource columns[2 + NFOLDED] = {{.values = keys[0]}, {.values = keys[1]}};
	GpuAggFold	all[2 + NFOLDED] = {GPUAGG_FOLD_NONE};
	GpuAggLookupRows rows = {.nrows = FOLDED,
							 .nkeys = nkeys,
							 .ncolumns = nkeys + NFOLDED,
							 .columns = columns,
							 .seed = random_next(),
							 .filters = filters,
							 .folds = all};
	GpuAggBytes table;
	void	   *block;
	int			wrong = 0;

	folded_rows(step, bits, expected);
	for (uint32_t c = 0; c < NFOLDED; c++)
		columns[nkeys + c] = (GpuAggLookupSource) {GPUAGG_CLASS_I64, wide, c == 0 ? NULL : nulls};
	memcpy(all + nkeys, folds, sizeof(folds));
	table.len = gpuagg_lookup_bytes_needed(&rows);
	table.data = block = calloc(1, table.len);
	ok(!gpuagg_lookup_make(&rows, block, table.len) && gpuagg_lookup_is_sound(block, table.len),
	   "rows of a key are folded");
	for (uint32_t k = 0; k < FOLDED_KEYS; k++)
	{
		uint8_t		st = GPUAGG_ST_VALUE;
		const int64_t row = nkeys > 1 ?
			gpuagg_lookup_pair((int64_t) (k * step), k % 3, table, &st) :
			gpuagg_lookup((int64_t) (k * step), table, &st);

		if (expected[k].rows == 0)
			wrong += st != GPUAGG_ST_NULL;
		else
			wrong += st != GPUAGG_ST_VALUE || !same_folded(table, row, &expected[k]);
	}
	is_int(wrong, 0, "... into what they are together");
	free(block);
}

static void
test_sums(void)
{
	int64_t		low = -3;
	int64_t		high = INT64_MAX / 10;

	ok(gpuagg_fold_bounds(GPUAGG_FOLD_SUM, 10, &low, &high) && low == -30 &&
		   high == INT64_MAX / 10 * 10,
	   "sums lie between those of the least and the greatest values");
	low = INT64_MIN / 10 - 1;
	high = 0;
	ok(!gpuagg_fold_bounds(GPUAGG_FOLD_SUM, 10, &low, &high),
	   "sums that may be too large are told");
	low = INT64_MIN;
	ok(!gpuagg_fold_bounds(GPUAGG_FOLD_SUM, 1, &low, &high) &&
		   gpuagg_fold_bounds(GPUAGG_FOLD_LEAST, 1, &low, &high) && low == INT64_MIN,
	   "... and the least value is what it is");
	ok(gpuagg_fold_bounds(GPUAGG_FOLD_COUNT, INT32_MAX, &low, &high) && low == 0 &&
		   high == INT32_MAX &&
		   !gpuagg_fold_bounds(GPUAGG_FOLD_COUNT, UINT64_C(1) << 31, &low, &high),
	   "numbers have 32 bits");
}

/* ---------- filters ---------- */

#define FILTER_KEYS (UINT64_C(1) << 16)
#define FILTER_WORDS (2 * FILTER_KEYS / GPUAGG_FILTER_SLOTS)

static uint64_t
hash_of(uint64_t key)
{
	return gpuagg_hash_finish(gpuagg_hash_word(99, key, 99));
}

/* As many keys as a table of twice as many slots has at most */
static void
test_filter(void)
{
	uint64_t   *filter = calloc(FILTER_WORDS, sizeof(*filter));
	uint64_t   *other = calloc(FILTER_WORDS, sizeof(*filter));
	uint64_t	missing = 0;
	uint64_t	passed = 0;

	ok(gpuagg_filter_words(2 * FILTER_KEYS) == FILTER_WORDS && gpuagg_filter_words(2) == 1,
	   "a word for 16 slots");
	ok(gpuagg_filter_bits(0) == 1 && gpuagg_filter_bits(UINT64_C(0x3FFFF)) == UINT64_C(1) << 63 &&
	   gpuagg_filter_bits(1 | 2 << 6 | 5 << 12) == (2 | 4 | 32) &&
	   gpuagg_filter_word(8, UINT64_C(0xFFFFFFFFFFF7FFFF)) == 5, "bits and words of hashes");
	for (uint64_t key = 0; key < FILTER_KEYS; key++)
	{
		gpuagg_filter_add(filter, FILTER_WORDS, hash_of(key));
		gpuagg_filter_add(other, FILTER_WORDS, hash_of(FILTER_KEYS - 1 - key));
	}
	ok(memcmp(filter, other, FILTER_WORDS * sizeof(*filter)) == 0, "the same in any order");
	for (uint64_t key = 0; key < FILTER_KEYS; key++)
	{
		missing += !gpuagg_filter_has(filter, FILTER_WORDS, hash_of(key));
		passed += gpuagg_filter_has(filter, FILTER_WORDS, hash_of(FILTER_KEYS + key));
	}
	is_int((long long) missing, 0, "every key passes");
	is_int((long long) passed, 2477, "of others, as many as did when this was written");
	ok(passed < FILTER_KEYS / 20, "... which is less than a twentieth");
	free(filter);
	free(other);
}

/* A table has one if its number of slots is among those that do. */
static void
test_wanted(void)
{
	Table		t;

	fill_keys(MOST, 0, UINT64_C(1) << 40);
	filters = 8192 | 2;
	t = make(MOST, 1, false, false);
	ok(gpuagg_lookup_of(t.bytes)->span == 8192 && gpuagg_lookup_of(t.bytes)->filter != 0,
	   "a filter as it is wanted");
	free((void *) t.bytes.data);
	filters = 4096 | 16384;
	t = make(MOST, 1, false, false);
	ok(gpuagg_lookup_of(t.bytes)->filter == 0, "... and none for other numbers of slots");
	free((void *) t.bytes.data);
	filters = 0;
}

static void
test_tables(void)
{
	fill_keys(MOST, 1, 1);
	test_finds(MOST, 1, false, GPUAGG_LOOKUP_DIRECT, "dense integers have bits");
	fill_keys(MOST, -70000, 50);
	test_finds(MOST, 1, false, GPUAGG_LOOKUP_DIRECT, "spread ones from below zero, too");
	fill_keys(MOST, INT64_MAX - MOST + 1, 1);
	test_finds(MOST, 1, false, GPUAGG_LOOKUP_DIRECT, "those at the end of int8");
	fill_keys(MOST, INT64_MIN, UINT64_C(6148914691236517));
	test_finds(MOST, 1, false, GPUAGG_LOOKUP_HASH, "sparse ones have slots");
	fill_keys(MOST, 0, 1);
	test_finds(MOST, 2, false, GPUAGG_LOOKUP_HASH, "pairs");
	test_finds(MOST, 1, true, GPUAGG_LOOKUP_HASH, "strings");
	test_finds(1, 1, true, GPUAGG_LOOKUP_HASH, "one string");
	test_misses();
	test_repeated(1, "a key twice, among bits: one row is kept, and it is told");
	test_repeated(UINT64_C(1) << 40, "... and among slots");
	test_rows();
	fill_keys(500, 0, 3);
	test_lies(1, false);
	test_lies(2, false);
	test_lies(1, true);
	fill_keys(500, 0, UINT64_C(1) << 40);
	test_lies(1, false);
	for (uint32_t i = 0; i <= 3; i++)
		test_filled_strings(i);
	fill_keys(MOST, -5, UINT64_C(1) << 40);
	test_filled_integers(1);
	test_filled_integers(2);
}

int
main(void)
{
	fill(MOST);
	test_tables();
	filters = UINT64_MAX;
	test_tables();
	test_folded(UINT64_C(1) << 40, 1, 48);
	filters = 0;
	test_folded(1, 1, 48);
	test_folded(1, 1, 24);
	test_folded(UINT64_C(1) << 40, 1, 24);
	test_folded(1, 2, 48);
	test_sums();
	test_filter();
	test_wanted();
	return done_testing();
}
