/*
 * device_answer_cases.c
 *		Groups that are wanted (device/answer.h): of all groups of a task those that
 *		come first by another reckoning are returned, and no others.
 */
#include "device/ops/answer_row.h"
#include "device_run.h"
#include "device_table.h"

/* Keys of program_wanted() */
enum
{
	KEY_A
};

/* And its transitions: those of program_standard() and two more */
enum
{
	COUNT_ALL, COUNT_V, SUM_64, SUM_128, SUM_DOUBLE, MIN_V, MAX_D, COUNT_D, SUM_AVG, NTRANS
};

static void
program_wanted(TestProgram *p)
{
	program_standard(p);
	program_trans(p, GPUAGG_TRANS_COUNT, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_SUM_F64_AVG, col[COL_D], NONE, GPUAGG_T_FLOAT8);
}

/* ---------- all groups ---------- */

static Run	all;
static GpuAggProgram *program;
static GpuAggLayout layout;

static bool
run_answer(Run *run, const GpuAggTaskConfig *config)
{
	static TestProgram p;

	program_wanted(&p);
	return run_begin(run, &p, config) && run_list(run, page_list, npages, 64, 8) &&
		run_finish(run, 1 << 16);
}

static void
make_all(uint32_t groups)
{
	static TestProgram p;

	table_make(scaled(60000), groups, 0);
	program_wanted(&p);
	program = program_pack(&p);
	gpuagg_layout_compute(program, &layout);
	ok(run_answer(&all, &plain_config), "all groups");
}

static void
free_all(void)
{
	run_end(&all);
	free(program);
}

/* The key tells a group; sums of doubles may differ in their last digits. */
static int32_t
key_of(const char *row)
{
	int32_t		key;
	uint32_t	head;

	memcpy(&head, row, sizeof(head));
	memcpy(&key, row + layout.key_off[KEY_A], sizeof(key));
	return (head & 1) != 0 ? INT32_MIN : key;
}

static const char *
row_of(const Run *run, uint32_t i)
{
	return run->results + (size_t) i * layout.row_bytes;
}

/* ---------- what is expected ---------- */

/* -1, 0, 1: NULL and numbers as PostgreSQL has them */
static int
compare_column(const GpuAggOrderColumn *c, const char *x, const char *y)
{
	GpuAggValuePlace v;
	bool		no_x;
	bool		no_y;
	int			order;
	uint64_t	low[2];
	int64_t		high[2];

	gpuagg_answer_place(program, &layout, c->value, &v);
	no_x = gpuagg_answer_is_null(&v, x);
	no_y = gpuagg_answer_is_null(&v, y);
	if (no_x || no_y)
		return no_x == no_y ? 0 : no_x == (c->nulls_first != 0) ? -1 : 1;
	if (v.form == GPUAGG_VALUE_AVG_I64)
	{
		int64_t		sum[2];
		int64_t		count[2];
		__int128	a;
		__int128	b;

		memcpy(&sum[0], x + v.off, 8);
		memcpy(&sum[1], y + v.off, 8);
		memcpy(&count[0], x + v.count_off, 8);
		memcpy(&count[1], y + v.count_off, 8);
		a = (__int128) sum[0] * count[1];
		b = (__int128) sum[1] * count[0];
		order = a < b ? -1 : a > b;
	}
	else
	{
		gpuagg_answer_number(&v, x, &low[0], &high[0]);
		gpuagg_answer_number(&v, y, &low[1], &high[1]);
		order = high[0] != high[1] ? (high[0] < high[1] ? -1 : 1) :
			low[0] < low[1] ? -1 : low[0] > low[1];
	}
	return c->descending ? -order : order;
}

static const GpuAggAnswer *sorted_by;

static int
compare_rows(const void *x, const void *y)
{
	int			order = 0;

	for (uint32_t i = 0; i < sorted_by->ncolumns && order == 0; i++)
		order = compare_column(&sorted_by->columns[i], *(const char *const *) x,
							   *(const char *const *) y);
	return order;
}

/* Rows of all groups that pass, in order; their number */
static uint32_t
expected_rows(const GpuAggAnswer *a, const char **rows)
{
	GpuAggAnswerPlan plan;
	uint32_t	n = 0;

	gpuagg_answer_plan(a, program, &plan);
	for (uint32_t i = 0; i < all.groups; i++)
		if (gpuagg_answer_passes(&plan, row_of(&all, i)))
			rows[n++] = row_of(&all, i);
	sorted_by = a;
	qsort(rows, n, sizeof(*rows), compare_rows);
	return n;
}

static int
compare_keys(const void *x, const void *y)
{
	const int32_t a = *(const int32_t *) x;
	const int32_t b = *(const int32_t *) y;

	return a < b ? -1 : a > b;
}

static bool
is_there(const int32_t *keys, uint32_t n, int32_t key)
{
	return bsearch(&key, keys, n, sizeof(*keys), compare_keys) != NULL;
}

/* The keys that a run has returned, in order */
static int32_t *
keys_of(const Run *run)
{
	int32_t    *keys = malloc((run->groups + 1) * sizeof(*keys));

	for (uint32_t i = 0; i < run->groups; i++)
		keys[i] = key_of(row_of(run, i));
	qsort(keys, run->groups, sizeof(*keys), compare_keys);
	return keys;
}

/*
 * Groups before the last one wanted must be there, and as many as are wanted: with
 * ties, or exactly as many.  Averages are rounded, so groups beside the last one may be
 * there, too.
 */
static bool
answer_agrees(const GpuAggAnswer *a, const Run *run)
{
	const char **rows = malloc(all.groups * sizeof(*rows));
	const uint32_t n = expected_rows(a, rows);
	const uint32_t want = a->first == 0 || n < a->first ? n : (uint32_t) a->first;
	int32_t    *keys = keys_of(run);
	uint32_t	ties = want;
	bool		good = run->groups >= want;

	while (want > 0 && ties < n && compare_rows(&rows[ties], &rows[want - 1]) == 0)
		ties++;
	for (uint32_t i = 0; i < want && good; i++)
		good = a->ncolumns == 0 || (i + 1 < want && !a->ties &&
									compare_rows(&rows[i], &rows[want - 1]) == 0) ||
			(!a->ties && i + 1 == want) || is_there(keys, run->groups, key_of(rows[i]));
	if (good && a->columns[0].value.form != GPUAGG_VALUE_AVG_I64)
		good = run->groups == (a->ties && a->first > 0 ? ties : want);
	if (!good)
		printf("# %u groups, %u of %u wanted, %u with ties\n", run->groups, want, n, ties);
	free(keys);
	free(rows);
	return good;
}

static void
test_answer(const GpuAggAnswer *a, const char *name)
{
	GpuAggTaskConfig config = {.answer = *a,.expected_groups = all.groups};
	Run			run;

	ok(gpuagg_answer_check(a, program), "it may be asked for");
	ok(run_answer(&run, &config) && answer_agrees(a, &run), name);
	run_end(&run);
}

/* ---------- tests ---------- */

#define VALUE(form, index, count) {GPUAGG_VALUE_##form, index, count, 0}


static const struct
{
	const char *name;
	GpuAggValueRef value;
}			values[] = {
	{"the key", VALUE(KEY, KEY_A, 0)},
	{"a count", VALUE(I64, COUNT_ALL, 0)},
	{"a sum", VALUE(I64, SUM_64, 1 + COUNT_V)},
	{"a sum of 128 bits", VALUE(I128, SUM_128, 1 + COUNT_V)},
	{"a least value", VALUE(I64, MIN_V, 1 + COUNT_V)},
	{"a greatest double", VALUE(F64_ORDER, MAX_D, 1 + COUNT_D)},
	{"an average", VALUE(AVG_I64, SUM_64, 1 + COUNT_V)}
};

#define NVALUES (sizeof(values) / sizeof(values[0]))

static void
test_orders(void)
{
	static const uint64_t firsts[] = {1, 10, 777, 100000};

	for (size_t v = 0; v < NVALUES; v++)
		for (uint32_t way = 0; way < 4; way++)
			for (size_t f = 0; f < sizeof(firsts) / sizeof(firsts[0]); f++)
			{
				GpuAggAnswer a = {.first = firsts[f],.ncolumns = way == 3 ? 1 : 2,.ties = way == 3};
				char		name[100];

				a.columns[0].value = values[v].value;
				a.columns[0].descending = way & 1;
				a.columns[0].nulls_first = way >> 1;
				a.columns[1].value = values[0].value;
				a.columns[1].descending = way == 2;
				snprintf(name, sizeof(name), "%s, way %u, the first %u", values[v].name, way,
						 (unsigned) firsts[f]);
				test_answer(&a, name);
			}
}

static void
test_terms(void)
{
	for (uint8_t c = 0; c < GPUAGG_NCOMPARISONS; c++)
	{
		GpuAggAnswer a = {.nterms = 2};
		char		name[100];

		a.terms[0].value = values[1].value;
		a.terms[0].comparison = c;
		a.terms[0].low = 20;
		a.terms[1].value = values[2].value;
		a.terms[1].comparison = GPUAGG_COMPARE_GT;
		a.terms[1].low = (uint64_t) -5000;
		a.terms[1].high = -1;
		snprintf(name, sizeof(name), "HAVING, comparison %u", c);
		test_answer(&a, name);
		a.first = 7;
		test_answer(&a, "... seven of them");
		a.ncolumns = 1;
		a.columns[0].value = values[0].value;
		test_answer(&a, "... the first seven");
		a.terms[0].never = 1;
		test_answer(&a, "... of none");
	}
}

/* What is asked for by somebody who may be wrong */
static void
test_check(void)
{
	GpuAggAnswer a = {.ncolumns = 1};

	a.columns[0].value = (GpuAggValueRef) VALUE(KEY, 1, 0);
	ok(!gpuagg_answer_check(&a, program), "no such key");
	a.columns[0].value = (GpuAggValueRef) VALUE(I64, NTRANS, 0);
	ok(!gpuagg_answer_check(&a, program), "no such transition");
	a.columns[0].value = (GpuAggValueRef) VALUE(I128, SUM_64, 0);
	ok(!gpuagg_answer_check(&a, program), "a state of another size");
	a.columns[0].value = (GpuAggValueRef) VALUE(AVG_I64, SUM_64, 0);
	ok(!gpuagg_answer_check(&a, program), "an average without a count");
	a.columns[0].value = (GpuAggValueRef) VALUE(I64, SUM_64, 1 + MIN_V);
	ok(!gpuagg_answer_check(&a, program), "a count that is none");
	a.columns[0].value = (GpuAggValueRef) {GPUAGG_NVALUEFORMS, 0, 0, 0};
	ok(!gpuagg_answer_check(&a, program), "no such form");
	a = (GpuAggAnswer) {.ncolumns = GPUAGG_ANSWER_COLUMNS + 1};
	ok(!gpuagg_answer_check(&a, program), "too many columns");
	a = (GpuAggAnswer) {.nterms = 1};
	a.terms[0].value = values[6].value;
	ok(!gpuagg_answer_check(&a, program), "HAVING of an average that is rounded");
	a.terms[0].value = values[1].value;
	a.terms[0].comparison = GPUAGG_NCOMPARISONS;
	ok(!gpuagg_answer_check(&a, program), "no such comparison");
}

/* A sum that is not finite is PostgreSQL's, whichever groups are wanted */
static void
test_sums(void)
{
	GpuAggAnswer a = {.first = 3,.ncolumns = 1,.nsums = 1};
	GpuAggTaskConfig config = {.expected_groups = all.groups};
	bool		finite = true;
	Run			run;

	a.columns[0].value = values[0].value;
	a.sums[0] = (GpuAggValueRef) VALUE(F64, SUM_DOUBLE, 1 + COUNT_D);
	config.answer = a;
	for (uint32_t i = 0; i < all.groups; i++)
	{
		const double sum = gpuagg_answer_double(row_of(&all, i) + layout.state_off[SUM_DOUBLE]);

		finite &= sum - sum == 0;
	}
	ok(run_answer(&run, &config) == finite, finite ? "sums that are finite" : "a sum that is not");
	ok(run.error.status == GPUAGG_OK ||
		   (run.error.status == GPUAGG_VALUE_ERROR && run.error.detail == GPUAGG_ST_NEEDS_PG),
	   "... PostgreSQL decides");
	run_end(&run);
}

/* ---------- strings ---------- */

#define STRING_BYTES (8 * GPUAGG_ANSWER_STRING_WORDS)

/* Addresses that begin alike, some beyond what words tell; those of one key are equal. */
static void
make_strings(uint32_t groups)
{
	table_make(scaled(30000), groups, 0);
	for (uint32_t i = 0; i < nrows; i++)
	{
		const int32_t a = rows[i].a;

		if (a % 100 < 3)
			snprintf(rows[i].t, sizeof(rows[i].t), "%d", a);
		else
			snprintf(rows[i].t, sizeof(rows[i].t), "https://www.example.org/%.*s%d", a % 7 * 8,
					 "a/part/of/an/address/that/is/none/too/short/for/words/to/tell", a);
	}
	table_build();
}

static void
program_addresses(TestProgram *p)
{
	program_columns(p, WANT(COL_T) | WANT(COL_V));
	program_key(p, col[COL_T], GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
}

typedef struct Address
{
	uint64_t	count;
	const char *t;
} Address;

static bool by_count;
static bool descending;

static int
compare_addresses(const void *x, const void *y)
{
	const Address *a = x;
	const Address *b = y;
	const int	order = strcmp(a->t, b->t);

	if (by_count && a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return descending ? -order : order;
}

/* Cannot words tell these apart? */
static bool
are_alike(const Address *a, const Address *b)
{
	return strcmp(a->t, b->t) == 0 ||
		(strlen(a->t) > STRING_BYTES && strlen(b->t) > STRING_BYTES &&
		 strncmp(a->t, b->t, STRING_BYTES) == 0 && (!by_count || a->count == b->count));
}

/* The groups of all rows, in order; their number */
static uint32_t
expected_addresses(Address *list)
{
	const bool	count = by_count;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nrows; i++)
		list[i] = (Address) {1, rows[i].t};
	by_count = false;
	qsort(list, nrows, sizeof(*list), compare_addresses);
	for (uint32_t i = 0; i < nrows; i++)
	{
		if (n > 0 && strcmp(list[n - 1].t, list[i].t) == 0)
			list[n - 1].count++;
		else
			list[n++] = list[i];
	}
	by_count = count;
	qsort(list, n, sizeof(*list), compare_addresses);
	return n;
}

/* Was this group returned? */
static bool
is_returned(const Run *run, const char *t)
{
	const uint32_t len = (uint32_t) strlen(t);
	const char *row = run->results;

	for (uint32_t i = 0; i < run->groups; i++)
	{
		const char *slot = row + layout.key_off[0];
		const char *data = row + layout.row_bytes;
		uint32_t	found;

		memcpy(&found, slot, sizeof(found));
		if (found == len && memcmp(found <= GPUAGG_STRING_INLINE ?
								   slot + offsetof(GpuAggStringSlot, prefix) : data, t, len) == 0)
			return true;
		row = data + (found <= GPUAGG_STRING_INLINE ? 0 : gpuagg_align(found, 8));
	}
	return false;
}

static void
test_strings(uint32_t first)
{
	GpuAggAnswer a = {.first = first};
	GpuAggTaskConfig config = {.expected_groups = 3000};
	Address    *list = malloc(nrows * sizeof(*list));
	const uint32_t n = expected_addresses(list);
	uint32_t	last = first < n ? first : n;
	bool		good;
	TestProgram p;
	Run			run;

	while (last < n && are_alike(&list[last - 1], &list[last]))
		last++;
	if (by_count)
		a.columns[a.ncolumns++].value = (GpuAggValueRef) {GPUAGG_VALUE_I64, 0, 0, 0};
	a.columns[a.ncolumns].value = (GpuAggValueRef) {GPUAGG_VALUE_KEY, 0, 0, 0};
	a.columns[a.ncolumns].type = GPUAGG_T_TEXT;
	a.columns[a.ncolumns++].descending = descending;
	config.answer = a;
	program_addresses(&p);
	program = program_pack(&p);
	gpuagg_layout_compute(program, &layout);
	good = run_begin(&run, &p, &config) && run_list(&run, page_list, npages, 64, 8) &&
		run_finish(&run, 1 << 16);
	for (uint32_t i = 0; i < last && good; i++)
		good = is_returned(&run, list[i].t);
	ok(good, "addresses are there");
	is_int(run.groups, last, "... and no others");
	run_end(&run);
	free(program);
	free(list);
}

/* Words begin with an order, and end with a position or a string that is cut. */
static void
test_string_orders(void)
{
	make_strings(3000);
	for (uint32_t way = 0; way < 4; way++)
	{
		by_count = way & 1;
		descending = way >> 1;
		test_strings(1);
		test_strings(40);
		test_strings(900);
		test_strings(100000);
	}
	by_count = descending = false;
}

int
device_answer_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	make_all(3000);
	test_orders();
	test_terms();
	test_check();
	test_sums();
	free_all();
	make_all(30000);
	test_orders();
	free_all();
	test_string_orders();
	is_at_rest("at rest");
	device_close();
	return done_testing();
}
