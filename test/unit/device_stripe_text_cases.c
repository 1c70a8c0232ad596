/*
 * device_stripe_text_cases.c
 *		Strings in stripes: dictionaries, codes as groups' keys, and columns of
 *		codes that a program reads as strings.
 */
#include "device_stripe_table.h"

#define TEXT_LIMIT (UINT64_C(1) << 30)

static GpuAggDictionary *
dictionary_make(void)
{
	GpuAggDictionary *dictionary = NULL;
	GpuAggError error = {0};

	if (STRIPES->dictionary_create(device, &dictionary, &error) != GPUAGG_OK)
		printf("# dictionary: %s\n", error.message);
	return dictionary;
}

/* Is that what the dictionary has for a code? */
static bool
text_is(const GpuAggDictionaryText *text, int32_t code, const char *want)
{
	uint64_t	len;

	if (code < 0 || (uint32_t) code >= text->entries)
		return false;
	len = text->starts[code + 1] - text->starts[code];
	return len == strlen(want) && memcmp(text->bytes + text->starts[code], want, len) == 0;
}

static void
test_encode(void)
{
	static const char *words[] = {"one", "", "two", "one", "a word that is somewhat longer", "two"};
	enum
	{
		NWORDS = sizeof(words) / sizeof(*words)
	};
	GpuAggBytes strings[NWORDS];
	int32_t		codes[NWORDS];
	int32_t		again[NWORDS];
	GpuAggDictionary *d = dictionary_make();
	GpuAggDictionaryText text;
	GpuAggDictionaryInfo info;
	GpuAggError error = {0};
	bool		good = true;

	ok(STRIPES->dictionary_read(d, &text, &error) == GPUAGG_OK && text.entries == 0 &&
		   text.starts[0] == 0,
	   "a new dictionary is empty");
	for (uint32_t i = 0; i < NWORDS; i++)
		strings[i] = (GpuAggBytes) {words[i], strlen(words[i])};
	ok(STRIPES->dictionary_encode(d, strings, NWORDS, codes, &error) == GPUAGG_OK, "encode");
	ok(STRIPES->dictionary_encode(d, strings, NWORDS, again, &error) == GPUAGG_OK &&
	   memcmp(codes, again, sizeof(codes)) == 0, "again");
	STRIPES->dictionary_info(d, &info);
	is_int(info.entries, 4, "entries");
	ok(info.full == 0 && info.bytes > 0 && info.bytes <= STRIPES->used(device), "info");
	ok(STRIPES->dictionary_read(d, &text, &error) == GPUAGG_OK && text.entries == 4, "read");
	for (uint32_t i = 0; i < NWORDS; i++)
		good &= text_is(&text, codes[i], words[i]);
	ok(good, "strings are what was encoded");
	STRIPES->dictionary_free(d);
	is_int((long long) STRIPES->used(device), 0, "freed");
}

/* ---------- stripes ---------- */

/* A stripe for the whole table, with whatever is loaded in it, strings as codes */
static GpuAggStripe *
stripe_make(const TestProgram *p, GpuAggDictionary *dictionary)
{
	GpuAggStripe *stripe = stripe_create(lines_of(0, npages));
	GpuAggError error = {0};
	bool		good = stripe != NULL;

	for (uint32_t i = 0; good && i < p->head.nattrs; i++)
		if (p->attrs[i].reg != NONE)
			good = STRIPES->add_column(stripe, i, p->attrs[i].type,
									 p->attrs[i].type == GPUAGG_T_TEXT ? dictionary : NULL,
									 &error) == GPUAGG_OK;
	ok(good, "a stripe with strings");
	keep_pages(stripe, 0, npages, 0);
	return stripe;
}

/* A program reads strings, of pages and then of a stripe, by that strategy if it is compiled. */
static void
test_program(const TestProgram *p, const char *strategy, const char *name)
{
	GpuAggDictionary *d = dictionary_make();
	GpuAggStripe *stripe = stripe_make(p, d);

	ok(oracle_run(p, page_list, npages, &plain_config, 40, 6), name);
	ok(stripe_gives_table(p, stripe), "... of a stripe");
	stripe_is_compiled(p, stripe, strategy);
	STRIPES->free(stripe);
	STRIPES->dictionary_free(d);
	keep_nothing();
}

static void
test_strings(uint32_t n, uint32_t groups, const char *strategy)
{
	static TestProgram p;

	table_make(scaled(n), groups, 0);
	program_texts(&p);
	test_program(&p, scaled(n) == n ? strategy : NULL,
				 "strings as a key, and their minimum and maximum");
}

/*
 * Minima and maxima of strings and of parts of them; without a key, by an integer, a part of a
 * string
 */
static void
program_parts(TestProgram *p, bool integer, bool part)
{
	uint16_t	from;
	uint16_t	two;
	uint16_t	tail;

	program_columns(p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V));
	from = program_const_i64(p, GPUAGG_T_INT4, 2);
	two = program_const_i64(p, GPUAGG_T_INT4, 2);
	tail = program_instr(p, GPUAGG_OP_SUBSTR_FROM, GPUAGG_CLASS_BYTES, col[COL_T], from);
	if (integer)
		program_key(p, col[COL_A], GPUAGG_T_INT4);
	if (part)
		program_key(p,
					program_instr3(p, GPUAGG_OP_SUBSTR, GPUAGG_CLASS_BYTES, col[COL_T], from, two),
					GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_MAX_BYTES, tail, NONE, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MIN_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_MIN_BPCHAR, tail, NONE, GPUAGG_T_BPCHAR);
}

/* Moments of one number and of two */
static void
program_moments(TestProgram *p, int key)
{
	uint16_t	zero;
	uint16_t	v;

	program_columns(p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D));
	zero = program_const_i64(p, GPUAGG_T_INT8, 0);
	v = program_instr(p, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_CLASS_F64, col[COL_V], zero);
	program_trans(p, GPUAGG_TRANS_MOMENTS_F64, v, NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_FIRST_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_COMOMENTS_F64, v, NONE, GPUAGG_T_FLOAT8);
	if (key >= 0)
		program_key(p, col[key], key == COL_A ? GPUAGG_T_INT4 : GPUAGG_T_TEXT);
}

static void
test_states(uint32_t n, uint32_t groups, const char *numbered)
{
	static TestProgram p;

	table_make(scaled(n), groups, 0);
	numbered = scaled(n) == n ? numbered : NULL;
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v_null = i % 9 == 0;
	table_build();
	program_parts(&p, false, false);
	test_program(&p, "plain", "strings without a key");
	program_parts(&p, true, false);
	test_program(&p, numbered, "... by an integer");
	program_parts(&p, false, true);
	test_program(&p, "block-local", "... by a part of a string");
	program_parts(&p, true, true);
	test_program(&p, "block-local", "... by both");
	program_moments(&p, -1);
	test_program(&p, "plain", "moments without a key");
	program_moments(&p, COL_A);
	test_program(&p, numbered, "... by an integer");
	program_moments(&p, COL_T);
	test_program(&p, numbered, "... by a string");
}

/*
 * Parts of intervals, which are kept as strings are: here of 16 bytes anywhere in a string, or of
 * others, which are none
 */
static void
program_intervals(TestProgram *p, bool key)
{
	uint16_t	from;
	uint16_t	bytes;
	uint16_t	interval;

	program_columns(p, WANT(COL_T) | WANT(COL_V));
	from = program_const_i64(p, GPUAGG_T_INT4, 2);
	bytes = program_const_i64(p, GPUAGG_T_INT4, 16);
	interval = program_instr3(p, GPUAGG_OP_SUBSTR, GPUAGG_CLASS_BYTES, col[COL_T], from, bytes);
	if (key)
		program_key(p, program_instr(p, GPUAGG_OP_INTERVAL_DAYS, GPUAGG_CLASS_I64, interval, NONE),
					GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I64,
				  program_instr(p, GPUAGG_OP_INTERVAL_MONTHS, GPUAGG_CLASS_I64, interval, NONE),
				  NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MAX_I64,
				  program_instr(p, GPUAGG_OP_INTERVAL_TIME, GPUAGG_CLASS_I64, interval, NONE), NONE,
				  GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I64,
				  program_instr(p, GPUAGG_OP_INTERVAL_DAYS, GPUAGG_CLASS_I64, col[COL_T], NONE),
				  NONE, GPUAGG_T_INT8);
}

static void
test_intervals(uint32_t n, uint32_t groups)
{
	static TestProgram p;

	table_make(scaled(n), groups, 0);
	program_intervals(&p, false);
	test_program(&p, NULL, "intervals without a key");
	program_intervals(&p, true);
	test_program(&p, NULL, "... by their days");
}

/* ---------- codes ---------- */

/* The code of t as key, a count and a sum; its register has no string */
static void
program_codes(TestProgram *p)
{
	program_columns(p, WANT(COL_T) | WANT(COL_V));
	p->classes[col[COL_T]] = GPUAGG_CLASS_I64;
	program_key(p, col[COL_T], GPUAGG_T_CODE);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
}

/* What rows give by a, of which t is made */
typedef struct Sums
{
	int64_t		count;
	int64_t		sum;
} Sums;

/* Is each group of the results the one of its string, and none is missing? */
static bool
codes_agree(const Run *run, GpuAggDictionary *d, uint32_t groups)
{
	Sums	   *want = calloc(groups, sizeof(*want));
	GpuAggDictionaryText text;
	GpuAggError error = {0};
	uint32_t	found = 0;
	bool		good = STRIPES->dictionary_read(d, &text, &error) == GPUAGG_OK;

	for (uint32_t i = 0; i < nrows; i++)
	{
		Sums	   *s = &want[rows[i].a];

		found += s->count++ == 0;
		if (!rows[i].v_null)
			s->sum = (int64_t) ((uint64_t) s->sum + (uint64_t) rows[i].v);
	}
	good &= found == run->groups;
	for (uint32_t g = 0; good && g < run->groups; g++)
	{
		const char *at = run->results + g * (run->results_bytes / run->groups);
		const int32_t code = ((const int32_t *) at)[1];
		const int64_t *states = (const int64_t *) at + 1;
		char		number[40];
		Row			r = {0};

		good = code >= 0 && (uint32_t) code < text.entries;
		if (!good)
			break;
		snprintf(number, sizeof(number), "%.*s", (int) (text.starts[code + 1] - text.starts[code]),
				 text.bytes + text.starts[code]);
		r.a = atoi(number);
		row_set_text(&r);
		good = text_is(&text, code, r.t) && states[0] == want[r.a].count &&
			states[1] == want[r.a].sum;
	}
	free(want);
	return good;
}

static bool
code_task(const TestProgram *p, GpuAggTaskConfig *config, GpuAggDictionary *d, GpuAggStripe *stripe,
		  uint32_t groups)
{
	GpuAggDictionary *dictionaries[2] = {d, NULL};
	GpuAggError error = {0};
	Run			run;
	bool		good;

	config->codes.dictionaries = dictionaries;
	good = run_begin(&run, p, config);
	memset(dictionaries, 0xFF, sizeof(dictionaries));
	good = good && (stripe == NULL ? run_feed(&run) :
					OPS->task_resident(run.task, 3, stripe, NULL, 0, &error) == GPUAGG_OK &&
					run_collect(&run, 1)) &&
		run_finish(&run, 65536) && codes_agree(&run, d, groups);
	if (run.error.status != GPUAGG_OK)
		printf("# %s\n", run.error.message);
	run_end(&run);
	return good;
}

static void
test_codes(uint32_t n, uint32_t groups)
{
	static TestProgram p;
	GpuAggDictionary *d = dictionary_make();
	GpuAggTaskConfig config = {.expected_groups = groups};
	GpuAggStripe *stripe;

	table_make(scaled(n), groups, 0);
	program_codes(&p);
	stripe = stripe_make(&p, d);
	ok(code_task(&p, &config, d, NULL, groups), "codes as keys, while they are kept");
	ok(code_task(&p, &config, d, stripe, groups), "of a stripe");
	config.expected_groups = 10;
	ok(code_task(&p, &config, d, stripe, groups), "more than expected");
	program_texts(&p);
	ok(stripe_gives_table(&p, stripe), "as strings");
	STRIPES->free(stripe);
	STRIPES->dictionary_free(d);
}

/* Strings for which there is no room */
static void
test_full(void)
{
	static TestProgram p;
	GpuAggDictionary *d = dictionary_make();
	GpuAggDictionary *dictionaries[2] = {d, NULL};
	GpuAggTaskConfig config = {.codes.dictionaries = dictionaries};
	GpuAggDictionaryInfo info;
	GpuAggBytes known[1] = {{"known", 5}};
	int32_t		codes[1];
	GpuAggError error = {0};
	Run			run;

	STRIPES->dictionary_encode(d, known, 1, codes, &error);
	table_make(scaled(600000), 500000, 0);
	program_codes(&p);
	STRIPES->limit(device, STRIPES->used(device) + 1000);
	ok(run_begin(&run, &p, &config) && (nrows < 100000 ||
	   (!run_feed(&run) && run.error.status == GPUAGG_UNSUPPORTED)), "no room for strings");
	run_end(&run);
	STRIPES->dictionary_info(d, &info);
	ok(info.full != 0 || nrows < 100000, "it is full");
	ok(STRIPES->dictionary_encode(d, known, 1, codes, &error) == GPUAGG_OK && codes[0] == 0,
	   "it still knows what it had");
	STRIPES->limit(device, TEXT_LIMIT);
	STRIPES->dictionary_free(d);
}

int
device_stripe_text_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, TEXT_LIMIT);
	test_encode();
	test_strings(100, 5, "block-local");
	test_strings(60000, 100, "block-local");
	test_strings(100000, 50000, "single-pass");
	test_states(60000, 100, "block-local");
	test_states(100000, 50000, "single-pass");
	test_intervals(60000, 1000);
	test_codes(60000, 100);
	test_codes(100000, 50000);
	test_full();
	is_int((long long) STRIPES->used(device), 0, "no stripe has left memory behind");
	is_at_rest("nor has a task");
	table_free();
	device_close();
	return done_testing();
}
