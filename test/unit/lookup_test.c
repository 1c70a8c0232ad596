/*
 * lookup_test.c
 *		Look-up tables against a search through all rows: keys that are dense, sparse,
 *		negative, at the ends of their type, pairs and strings; columns of each class with
 *		and without NULLs; keys that are not unique; headers that lie.
 */
#include <stdlib.h>

#include "device/ops/lookup_make.h"
#include "device/ops/ops_lookup.h"
#include "tap.h"

#define MOST 3000

static int64_t keys[2][MOST];
static GpuAggBytes names[MOST];
static char text[MOST][16];
static int64_t small[MOST];
static int64_t wide[MOST];
static double reals[MOST];
static uint8_t nulls[MOST];

static uint64_t
next_random(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static void
fill(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
	{
		names[i].data = text[i];
		names[i].len = (uint64_t) snprintf(text[i], sizeof(text[i]), "%.*s%u", (int) (i % 5), "abcde",
										   (unsigned) i);
		small[i] = (int64_t) (next_random() % 1000) - 500;
		wide[i] = (int64_t) next_random();
		reals[i] = (double) wide[i] / 3;
		nulls[i] = next_random() % 4 == 0;
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
		const uint64_t j = next_random() % i;
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
		{strings ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64, strings ? (const void *) names : keys[0], NULL},
		{GPUAGG_CLASS_I64, nkeys > 1 ? keys[1] : small, nkeys > 1 ? NULL : nulls},
		{GPUAGG_CLASS_I64, small, nulls},
		{GPUAGG_CLASS_I64, wide, NULL},
		{GPUAGG_CLASS_F64, reals, nulls},
		{GPUAGG_CLASS_BYTES, names, nulls}
	};
	const GpuAggLookupRows rows = {.nrows = n,.nkeys = nkeys,.columns = columns,.seed = next_random(),
	.ncolumns = with_columns ? 6 : nkeys};
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
	ok(t.unique && head->kind == kind && head->nrows == n, name);
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
		uint32_t   *word = (uint32_t *) t.bytes.data + next_random() % words;
		const uint32_t before = *word;
		uint8_t		st;

		*word = i % 3 == 0 ? (uint32_t) next_random() : i % 3 == 1 ? before + (uint32_t) (next_random() % 64) :
			before ^ 1u << next_random() % 32;
		if (!gpuagg_lookup_is_sound(t.bytes.data, t.bytes.len) ||
			!gpuagg_lookup_has_keys(t.bytes.data, nkeys, strings ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64))
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

int
main(void)
{
	fill(MOST);
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
	return done_testing();
}
