/*
 * device_stripe_code_cases.c
 *		Programs whose strings are codes where they can be
 *		(device/ops/encode.h), over pages and stripes, by dictionaries of their
 *		columns.
 */
#include "device_stripe_encoded.h"

/*
 * Pages (stripe NULL) or a stripe, by codes where they can be, against the oracle.
 * written: the device itself writes strings for codes.
 */
static bool
strings_agree_as(const TestProgram *p, GpuAggStripe *stripe, bool written)
{
	Oracle	   *o = oracle_start(p);
	static Encoded e;
	Run			run;
	bool		agree = false;

	oracle_list(o, page_list, npages);
	encode(p, &e);
	if (written)
		e.config.codes.results = &p->head;
	if (encoded_begin(&run, &e) &&
		(stripe == NULL ? run_feed(&run) : run_resident(&run, stripe, NULL, 0) &&
		 run_collect(&run, 1)) && run_finish(&run, 4096) &&
		(written || run_decode(&run, p, &e)))
		agree = oracle_agrees(o, &run);
	else
		printf("# %s\n", run.error.message);
	run_end(&run);
	encode_end(&e);
	oracle_end(o);
	return agree;
}

static bool
strings_agree(const TestProgram *p, GpuAggStripe *stripe)
{
	return strings_agree_as(p, stripe, false) &&
		(!STRIPES->results || strings_agree_as(p, stripe, true));
}

/* Expressions that are code tables */
static void
program_tables(TestProgram *p, int kind)
{
	const uint16_t pattern = program_const_text(p, kind == 7 ? "1%" : "%0%");
	const uint16_t word = program_const_text(p, "16 is a longer string");
	const uint16_t three = program_const_i64(p, GPUAGG_T_INT4, 3);
	const uint16_t like = program_instr3(p, GPUAGG_OP_LIKE, GPUAGG_CLASS_I64, col[COL_T], pattern,
										 NONE);
	uint16_t	a;
	uint16_t	b;

	p->instrs[p->head.ninstrs - 1].imm = GPUAGG_IMM_UTF8;
	a = program_instr(p, GPUAGG_OP_BYTES_LT, GPUAGG_CLASS_I64, col[COL_C], word);
	b = program_instr(p, kind == 9 ? GPUAGG_OP_AND : GPUAGG_OP_OR, GPUAGG_CLASS_I64, like, a);
	program_filter(p, b);
	a = program_instr(p, GPUAGG_OP_LENGTH_UTF8, GPUAGG_CLASS_I64, col[COL_T], NONE);
	if (kind == 8)
	{
		b = program_instr(p, GPUAGG_OP_I64_EQ, GPUAGG_CLASS_I64, a, three);
		a = program_instr(p, GPUAGG_OP_NULL_IF, GPUAGG_CLASS_I64, a, b);
	}
	program_key(p, kind == 9 ? col[COL_A] : a, GPUAGG_T_INT4);
	if (kind == 9)
		program_key(p, col[COL_T], GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, like, 0);
	program_trans(p, GPUAGG_TRANS_SUM_I64, a, NONE, GPUAGG_T_INT4);
}

/* Strings that are made of others, as keys */
static void
program_parts(TestProgram *p)
{
	const uint16_t one = program_const_i64(p, GPUAGG_T_INT4, 1);
	const uint16_t two = program_const_i64(p, GPUAGG_T_INT4, 2);
	const uint16_t other = program_const_text(p, "1");
	const uint16_t part = program_instr3(p, GPUAGG_OP_SUBSTR, GPUAGG_CLASS_BYTES, col[COL_T], one,
										 two);
	uint16_t	null;

	p->instrs[p->head.ninstrs - 1].imm = GPUAGG_IMM_UTF8;
	null = program_instr(p, GPUAGG_OP_IS_NULL, GPUAGG_CLASS_I64, col[COL_A], NONE);
	program_key(p, program_instr3(p, GPUAGG_OP_SELECT, GPUAGG_CLASS_BYTES, null, other, part),
				GPUAGG_T_TEXT);
	program_key(p, program_instr(p, GPUAGG_OP_RTRIM, GPUAGG_CLASS_BYTES, col[COL_C], NONE),
				GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_COUNT, part, NONE, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
}

/* What is chosen among constants, and a column's strings, as keys */
static void
program_chosen(TestProgram *p, int kind)
{
	const uint16_t small = program_const_text(p, "small");
	const uint16_t large = program_const_text(p, "large, and too long for a slot");
	const uint16_t same = program_const_text(p, "small");
	const uint16_t fifty = program_const_i64(p, GPUAGG_T_INT4, 50);
	const uint16_t less = program_instr(p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_A], fifty);
	const uint16_t first = program_instr3(p, GPUAGG_OP_SELECT, GPUAGG_CLASS_BYTES, less, small,
										  large);
	const uint16_t null = program_instr(p, GPUAGG_OP_IS_NULL, GPUAGG_CLASS_I64, col[COL_A], NONE);
	const uint16_t chosen = program_instr3(p, GPUAGG_OP_SELECT, GPUAGG_CLASS_BYTES, null, same,
										   kind == 10 ? first : col[COL_T]);

	program_key(p, chosen, GPUAGG_T_TEXT);
	if (kind == 11)
		program_key(p, program_instr3(p, GPUAGG_OP_COALESCE, GPUAGG_CLASS_BYTES, col[COL_C], first,
									  NONE), GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_COUNT, chosen, NONE, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
}

/* t as the key, counted, or a filter on it; c as another key */
static void
program_codes(TestProgram *p, int kind)
{
	uint16_t	a;
	uint16_t	b;

	program_columns(p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
	if (kind == 1)
	{
		a = program_const_text(p, "13");
		b = program_const_text(p, "nowhere");
		a = program_instr(p, GPUAGG_OP_BYTES_NE, GPUAGG_CLASS_I64, col[COL_T], a);
		b = program_instr(p, GPUAGG_OP_BYTES_EQ, GPUAGG_CLASS_I64, b, col[COL_T]);
		program_filter(p, program_instr(p, GPUAGG_OP_OR, GPUAGG_CLASS_I64, a, b));
	}
	if (kind == 2)
	{
		program_const_text(p, "101");
		program_const_text(p, "15");
		program_const_text(p, "16 is a longer string");
		program_const_text(p, "never");
		a = program_instr(p, GPUAGG_OP_IN_BYTES, GPUAGG_CLASS_I64, col[COL_T], NONE);
		p->instrs[p->head.ninstrs - 1].imm2 = 4;
		program_filter(p, a);
	}
	if (kind == 12)
	{
		program_parts(p);
		return;
	}
	if (kind >= 10)
	{
		program_chosen(p, kind);
		return;
	}
	if (kind >= 7)
	{
		program_tables(p, kind);
		return;
	}
	if (kind != 3)
		program_key(p, col[COL_T], GPUAGG_T_TEXT);
	if (kind == 3 || kind == 4)
		program_key(p, col[COL_C], GPUAGG_T_TEXT);
	if (kind == 6)
		program_key(p, col[COL_C], GPUAGG_T_BPCHAR);
	program_key(p, col[COL_A], GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_COUNT, col[COL_T], NONE, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	if (kind == 4)
		program_trans(p, GPUAGG_TRANS_MAX_BYTES, col[COL_C], NONE, GPUAGG_T_TEXT);
	if (kind == 5)
		program_trans(p, GPUAGG_TRANS_MIN_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
}

static void
test_strings(uint32_t n, uint32_t groups)
{
	static const char *const names[] = {"text as a key",
										"text compared",
										"text in a list",
										"text that is counted",
										"one column as codes, one as it is",
										"text of which the least is wanted",
										"text as a key that ignores blanks",
										"what a pattern and a length make of a text",
										"with NULL for some texts",
										"of a text that is a key",
										"one of some constants as a key",
										"a constant or a column's text as keys",
										"parts of texts as keys"};
	static const uint32_t coded[] = {2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2};
	static const uint32_t tables[] = {0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 0, 0, 2};
	static TestProgram p;
	static Encoded e;
	GpuAggStripe *stripe;

	table_make(scaled(n), groups, 0);
	for (uint32_t i = 0; i < nrows; i += 9)
		rows[i].natts = (uint8_t) (1 + i % (NCOLS - 1));
	table_build();
	dictionaries_make();
	stripe = stripe_of_strings();
	for (int kind = 0; kind < 13; kind++)
	{
		program_codes(&p, kind);
		is_int(encode(&p, &e), coded[kind], "columns of codes");
		is_int(e.ntables, tables[kind], "tables by code");
		encode_end(&e);
		keep_pages(stripe, 0, npages, 0);
		ok(strings_agree(&p, NULL), names[kind]);
		ok(strings_agree(&p, stripe), "from a stripe");
		keep_nothing();
		ok(strings_agree(&p, NULL), "from pages alone");
		ok(stripe_gives_table(&p, stripe), "a stripe's codes as strings");
	}
	STRIPES->free(stripe);
	dictionaries_free();
	is_int((long long) STRIPES->used(device), 0, "nothing is left");
}

/* Rows that PostgreSQL evaluates are not kept, and have no code. */
static void
test_toasted(void)
{
	static TestProgram p;
	GpuAggStripe *stripe;
	uint32_t	toasted = 0;

	table_make(scaled(20000), 100, 0);
	for (uint32_t i = 0; i < nrows; i += 11)
	{
		rows[i].toast = i % 2 ? EXTERNAL : COMPRESSED;
		toasted++;
	}
	table_build();
	dictionaries_make();
	stripe = stripe_of_strings();
	keep_pages(stripe, 0, npages, 0);
	program_codes(&p, 0);
	ok(toasted > 0 && strings_agree(&p, NULL), "toasted strings are listed");
	{
		static Encoded e;
		Run			run;

		encode(&p, &e);
		if (encoded_begin(&run, &e) && run_resident(&run, stripe, NULL, 0))
			run_collect(&run, 1);
		is_int((long long) run.scanned, nrows - toasted, "and not in the stripe");
		run_end(&run);
		encode_end(&e);
	}
	STRIPES->free(stripe);
	dictionaries_free();
	keep_nothing();
}

/* Least and greatest texts: by a key, of all rows, of some; kind 3: none of a group's */
static void
program_extremes(TestProgram *p, int kind)
{
	uint16_t	some = NONE;

	program_columns(p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_C));
	if (kind >= 2)
		some = program_instr(p, GPUAGG_OP_BYTES_EQ, GPUAGG_CLASS_I64, col[COL_T],
							 program_const_text(p, kind == 2 ? "13" : "nowhere"));
	if (kind != 1)
		program_key(p, col[COL_A], GPUAGG_T_INT4);
	if (kind == 0)
		program_key(p, col[COL_C], GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_MIN_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_MAX_BYTES, col[COL_C], some, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_MAX_BYTES, col[COL_T], some, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
}

/* By places: of strings that are known, and of such as come later */
static void
test_places(uint32_t n, uint32_t groups)
{
	static const char *const names[] = {"least and greatest texts as places", "of all rows",
	"of some", "of none"};
	static TestProgram p;
	static Encoded e;
	const GpuAggBytes known = {"a string that is known", 22};
	GpuAggStripe *stripe;
	GpuAggError error;
	Run			run;
	uint64_t	used = 0;
	int32_t		code;

	table_make(scaled(n), groups, 0);
	for (uint32_t i = 0; i < nrows; i += 9)
		rows[i].natts = (uint8_t) (1 + i % (NCOLS - 1));
	table_build();
	dictionaries_make();
	stripe = stripe_of_strings();
	for (int i = 0; i < NCOLS; i++)
		if (dictionaries[i] != NULL)
			STRIPES->dictionary_encode(dictionaries[i], &known, 1, &code, &error);
	with_places = true;
	for (int round = 0; round < 2; round++)
	{
		for (int kind = 0; kind < 4; kind++)
		{
			program_extremes(&p, kind);
			is_int(encode(&p, &e), 2, "columns of codes");
			is_int(e.ntables, 2, "places");
			if (round == 0 && kind == 0)
			{
				ok(encoded_begin(&run, &e) && !run_feed(&run) &&
				   run.error.status == GPUAGG_VALUE_ERROR &&
				   (run.error.detail & GPUAGG_ST_NEEDS_PG) != 0, "new strings have none");
				run_end(&run);
			}
			encode_end(&e);
			if (round == 0)
				continue;
			ok(strings_agree(&p, NULL), names[kind]);
			ok(strings_agree(&p, stripe), "from a stripe");
		}
		keep_pages(stripe, 0, npages, 0);
		with_places = false;
		program_extremes(&p, 0);
		ok(strings_agree(&p, NULL), "all strings are known");
		keep_nothing();
		with_places = true;
		used = STRIPES->used(device);
	}
	encode(&p, &e);
	encode_end(&e);
	is_int((long long) STRIPES->used(device), (long long) used, "the same places again");
	with_places = false;
	STRIPES->free(stripe);
	dictionaries_free();
	is_int((long long) STRIPES->used(device), 0, "nothing is left");
}

static void
test_dictionary(void)
{
	GpuAggDictionary *d = NULL;
	GpuAggDictionaryInfo info;
	GpuAggDictionaryText text;
	GpuAggError error;
	GpuAggBytes b[3] = {{"one", 3}, {"", 0}, {"one", 3}};
	int32_t		codes[3];
	char		s[16];
	bool		good = true;

	STRIPES->dictionary_create(device, &d, &error);
	STRIPES->dictionary_encode(d, b, 3, codes, &error);
	ok(codes[0] == codes[2] && codes[0] != codes[1] && codes[0] + codes[1] == 1, "codes");
	for (int i = 0; i < 50000; i++)
	{
		b[0] = (GpuAggBytes) {s, (uint64_t) snprintf(s, sizeof(s), "%d", i)};
		good &= STRIPES->dictionary_encode(d, b, 1, codes, &error) == GPUAGG_OK &&
			codes[0] == i + 2;
	}
	ok(good, "they go up");
	STRIPES->dictionary_info(d, &info);
	ok(info.entries == 50002 && info.full == 0 && info.bytes > 0, "info");
	STRIPES->dictionary_read(d, &text, &error);
	good = text.entries == 50002;
	for (int i = 0; i < 50000 && good; i++)
	{
		uint64_t	start = text.starts[i + 2];
		size_t		len = (size_t) snprintf(s, sizeof(s), "%d", i);

		good &= text.starts[i + 3] - start == len && memcmp(text.bytes + start, s, len) == 0;
	}
	ok(good, "text");
	STRIPES->dictionary_free(d);
}

/* No memory for more strings: a task over codes ends, one that keeps goes on. */
static void
test_full(void)
{
	static TestProgram p;
	static Encoded e;
	GpuAggDictionaryInfo info;
	GpuAggStripe *stripe;
	Run			run;

	table_make(scaled(200000), 200000, 0);
	dictionaries_make();
	stripe = stripe_of_strings();
	STRIPES->limit(device, STRIPES->used(device) + (64 << 10));
	program_codes(&p, 5);
	p.head.nkeys = 0;
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	keep_pages(stripe, 0, npages, 0);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "pages are grouped");
	STRIPES->dictionary_info(dictionaries[COL_T], &info);
	ok(info.full || nrows < 100000, "but not all strings are kept");
	keep_nothing();
	program_codes(&p, 0);
	encode(&p, &e);
	ok(nrows < 100000 || (encoded_begin(&run, &e) && !run_feed(&run) &&
						  run.error.status == GPUAGG_UNSUPPORTED), "codes end");
	if (nrows >= 100000)
		run_end(&run);
	encode_end(&e);
	STRIPES->free(stripe);
	dictionaries_free();
	is_int((long long) STRIPES->used(device), 0, "nothing is left");
	STRIPES->limit(device, STRIPE_LIMIT);
}

/* The code table of a pattern, of the texts that t has; NULL: it is not to be had */
static GpuAggMade *
table_of(const char *pattern)
{
	static TestProgram p;
	GpuAggCodeExpression found[GPUAGG_CODE_TABLES];
	GpuAggProgram *packed;
	GpuAggProgram *room;
	GpuAggMade *table = NULL;
	GpuAggError error;
	uint16_t	like;

	program_columns(&p, WANT(COL_T));
	like = program_instr3(&p, GPUAGG_OP_LIKE, GPUAGG_CLASS_I64, col[COL_T],
						  program_const_text(&p, pattern), NONE);
	p.instrs[p.head.ninstrs - 1].imm = GPUAGG_IMM_UTF8;
	program_filter(&p, like);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	packed = program_pack(&p);
	room = malloc(gpuagg_code_tables_room(packed));
	if (gpuagg_code_tables_find(packed, found, room) != 1)
		abort();
	gpuagg_code_table_program(packed, &found[0], room);
	(void) STRIPES->code_table(dictionaries[COL_T], room, &table, &error);
	free(room);
	free(packed);
	return table;
}

/* Tables stay with their dictionary, but for those that are too many, or in the way of others. */
static void
test_kept(void)
{
	GpuAggBytes b = {"some text", 9};
	uint64_t	without;
	uint64_t	full;
	GpuAggError error;
	GpuAggMade *first;
	GpuAggMade *other;
	int32_t		code;
	char		pattern[16];

	dictionaries_make();
	STRIPES->dictionary_encode(dictionaries[COL_T], &b, 1, &code, &error);
	without = STRIPES->used(device);
	first = table_of("a%");
	ok(first != NULL && STRIPES->used(device) > without, "a table takes memory");
	other = table_of("a%");
	ok(other == first, "who asks again has the same one");
	other = table_of("b%");
	ok(other != NULL && other != first, "another expression has its own");
	ok(!STRIPES->code_tables_drop(dictionaries[COL_T]), "nothing goes that somebody has");
	STRIPES->code_table_leave(first);
	STRIPES->code_table_leave(other);
	ok(!STRIPES->code_tables_drop(dictionaries[COL_T]) ? false : table_of("a%") == first,
	   "nor one that was asked for twice and left once; the other one goes");
	STRIPES->code_table_leave(first);
	STRIPES->code_table_leave(first);
	ok(STRIPES->code_tables_drop(dictionaries[COL_T]), "what nobody has goes");
	is_int((long long) STRIPES->used(device), (long long) without, "with its memory");
	for (int i = 0; i < GPUAGG_CODE_TABLES_KEPT; i++)
	{
		snprintf(pattern, sizeof(pattern), "%d%%", i);
		STRIPES->code_table_leave(table_of(pattern));
	}
	full = STRIPES->used(device);
	STRIPES->code_table_leave(table_of("one more"));
	ok(STRIPES->used(device) < full + (full - without) / GPUAGG_CODE_TABLES_KEPT,
	   "one more has another one's place");
	(void) STRIPES->code_tables_drop(dictionaries[COL_T]);
	STRIPES->limit(device, STRIPES->used(device));
	ok(table_of("a%") == NULL, "without memory there is none");
	is_int((long long) STRIPES->used(device), (long long) without, "and nothing is left of it");
	STRIPES->limit(device, STRIPE_LIMIT);
	dictionaries_free();
	is_int((long long) STRIPES->used(device), 0, "nothing is left");
}

int
device_stripe_code_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, STRIPE_LIMIT);
	test_dictionary();
	test_strings(100, 5);
	test_strings(30000, 100);
	test_strings(100000, 50000);
	test_places(3000, 40);
	test_places(60000, 20000);
	test_toasted();
	test_full();
	test_kept();
	is_at_rest("no task has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
