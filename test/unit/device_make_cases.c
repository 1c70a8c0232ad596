/*
 * device_make_cases.c
 *		Look-up tables that a device makes of stripes (device/made.h): programs that look
 *		rows up in them find what the stripe has.
 */
#include "device/ops/encode.h"
#include "device_make.h"

/* A table of the stripe's rows: which columns are keys, and of which rows */
typedef struct Wish
{
	uint32_t	nkeys;
	bool		by_v;			/* the key is the wide column, whose values are far apart */
	int64_t		below;			/* of the first column; INT64_MAX: all rows */
	bool		unique;
} Wish;

/* That the tables are to have: none, or all of slots */
static uint64_t filters;

/* Is the table of that kind, and has it a filter where it is to have one? */
static bool
is_made(const GpuAggLookup *head, uint32_t kind)
{
	return head->kind == kind &&
		(head->filter != 0) == (kind == GPUAGG_LOOKUP_HASH && filters != 0);
}

static GpuAggStripe *
stripe_of_table(uint32_t n, uint32_t groups)
{
	table_make(n, groups, CLUSTERED);
	return stripe_of_rows();
}

static void
program_below(TestProgram *p, int64_t below, uint32_t columns)
{
	uint16_t	bound;

	program_columns(p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D) | columns);
	if (below == INT64_MAX)
		return;
	bound = program_const_i64(p, GPUAGG_T_INT4, below);
	program_filter(p, program_instr(p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_A], bound));
}

/* Of some stripes, one behind the other */
static GpuAggMade *
make_of(GpuAggStripe *const *stripes, uint32_t n, const Wish *wish, Run *run)
{
	static TestProgram p;
	GpuAggTaskConfig config = plain_config;

	program_below(&p, wish->below, 0);
	program_key(&p, wish->by_v ? col[COL_V] : col[COL_A],
				wish->by_v ? GPUAGG_T_INT8 : GPUAGG_T_INT4);
	if (wish->nkeys > 1 || !wish->by_v)
		program_key(&p, col[COL_V], GPUAGG_T_INT8);
	program_key(&p, col[COL_D], GPUAGG_T_FLOAT8);
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	config.make.nkeys = wish->nkeys;
	config.make.unique = wish->unique;
	config.make.seed = 99;
	config.make.filters = filters;
	return run_making(run, &p, &config, stripes, n, n > 1);
}

static GpuAggMade *
make(GpuAggStripe *stripe, const Wish *wish, Run *run)
{
	return make_of(&stripe, stripe != NULL, wish, run);
}

static void
outputs(TestProgram *p, uint16_t a, uint16_t v, uint16_t d)
{
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_SUM_I128, a, NONE, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, v, NONE, 0);
	program_trans(p, GPUAGG_TRANS_SUM_I128, v, NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_F64, d, NONE, GPUAGG_T_FLOAT8);
}

/* What the table gives of the stripe joined with it */
static void
program_joined(TestProgram *p, const Wish *wish, const GpuAggMade *made)
{
	const int32_t v = wish->nkeys > 1 || wish->by_v ? -1 : 0;
	uint16_t	table;
	uint16_t	row;

	program_columns(p, WANT(COL_A) | WANT(COL_V));
	table = const_made(p, made);
	row = wish->nkeys > 1 ?
		program_instr3(p, GPUAGG_OP_LOOKUP_PAIR, GPUAGG_CLASS_I64, col[COL_A], col[COL_V], table) :
		program_instr(p, GPUAGG_OP_LOOKUP, GPUAGG_CLASS_I64, wish->by_v ? col[COL_V] : col[COL_A],
					  table);
	program_filter(p, program_instr(p, GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64, row, 0));
	outputs(p, fetch(p, GPUAGG_OP_FETCH_I64, row, table, v + 2),
			v < 0 ? col[COL_V] : fetch(p, GPUAGG_OP_FETCH_I64, row, table, v),
			fetch(p, GPUAGG_OP_FETCH_F64, row, table, v + 1));
}

/* The same without a table: rows whose keys are there */
static void
program_alone(TestProgram *p, const Wish *wish)
{
	uint16_t	filter;

	program_below(p, wish->below, 0);
	filter = program_instr(p, GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64,
						   wish->by_v ? col[COL_V] : col[COL_A], 0);
	if (wish->nkeys > 1)
		filter = program_instr(
			p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, filter,
			program_instr(p, GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64, col[COL_V], 0));
	if (p->head.filter_reg != NONE)
		filter = program_instr(p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, p->head.filter_reg, filter);
	program_filter(p, filter);
	outputs(p, col[COL_A], col[COL_V], col[COL_D]);
}

/* A table of some stripes, whose rows one stripe has, too */
static void
test_wish_of(GpuAggStripe *const *stripes, uint32_t n, GpuAggStripe *stripe, const Wish *wish,
			 uint32_t kind, const char *name)
{
	static TestProgram joined;
	static TestProgram alone;
	GpuAggTaskConfig config = plain_config;
	Run			run;
	Run			plain;
	GpuAggMade *made = make_of(stripes, n, wish, &run);
	const GpuAggLookup *head = made != NULL ? MADE->head(made) : NULL;

	ok(made != NULL && is_made(head, kind) && head->nkeys == wish->nkeys, name);
	if (made == NULL)
		return;
	program_joined(&joined, wish, made);
	program_alone(&alone, wish);
	config.made.n = 1;
	config.made.constants[0] = joined.head.nconsts - 1;
	config.made.tables[0] = made;
	ok(run_over(&run, &joined, &config, stripe) &&
		   run_over(&plain, &alone, &plain_config, stripe) &&
		   run.results_bytes == plain.results_bytes && run.results_bytes > 0 &&
		   memcmp(run.results, plain.results, run.results_bytes) == 0,
	   "... has the stripe's rows");
	run_end(&run);
	run_end(&plain);
	MADE->free(made);
}

static void
test_wish(GpuAggStripe *stripe, const Wish *wish, uint32_t kind, const char *name)
{
	test_wish_of(&stripe, 1, stripe, wish, kind, name);
}

/* Half of the rows come when the task has begun, and are packed, as the others are not. */
static void
test_packed_later(const Wish *wish, uint32_t kind, const char *name)
{
	static const uint32_t attrs[] = {COL_A, COL_V, COL_D};
	GpuAggStripe *stripes[2];
	GpuAggStripe *all;
	GpuAggError error;

	table_make(20000, 20000, CLUSTERED);
	all = stripe_of_rows();
	stripes[0] = stripe_of_pages(0, npages / 2);
	stripes[1] = stripe_of_pages(npages / 2, npages - npages / 2);
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]) && STRIPES->pack != NULL; i++)
	{
		const GpuAggPositions live = {0, page_position[npages]};

		ok(STRIPES->pack(stripes[1], attrs[i], &live, 1, &error) == GPUAGG_OK, "half of it is packed");
	}
	test_wish_of(stripes, 2, all, wish, kind, name);
	STRIPES->free(all);
	STRIPES->free(stripes[0]);
	STRIPES->free(stripes[1]);
	keep_nothing();
}

static void
test_repeated(void)
{
	const Wish	unique = {1, false, INT64_MAX, true};
	const Wish	any = {1, false, INT64_MAX, false};
	GpuAggStripe *stripe = stripe_of_table(scaled(20000), 50);
	Run			run;
	GpuAggMade *made = make(stripe, &unique, &run);

	ok(made == NULL && run.error.status == GPUAGG_VALUE_ERROR, "rows with equal keys are told");
	made = make(stripe, &any, &run);
	ok(made != NULL && MADE->head(made)->nrows == 49, "... or one of each key is kept");
	if (made != NULL)
		MADE->free(made);
	STRIPES->free(stripe);
	keep_nothing();
}

static void
test_refused(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = plain_config;
	Run			run;

	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	config.make.nkeys = 1;
	ok(!run_begin(&run, &p, &config) && run.error.status == GPUAGG_UNSUPPORTED,
	   "a program with states makes none");
	run_end(&run);
}

/* ---------- keys that are strings ---------- */

#define TEXT_STRIPES 2

/* The test table's columns in stripes, of which the texts are codes */
typedef struct Texts
{
	GpuAggDictionary *dictionary;
	GpuAggStripe *stripes[TEXT_STRIPES];
} Texts;

/* Columns of the table that is made, by which programs fetch them */
enum
{
	TEXT_V, TEXT_D, TEXT_A
};

/* The dictionary has strings that no row has; rows have no string, the empty one, long ones */
static void
texts_rows(uint32_t n, uint32_t groups)
{
	table_make(n, groups, CLUSTERED);
	for (uint32_t i = 0; i < n; i++)
	{
		Row		   *r = &rows[i];
		const int	len = r->a % 8 == 0 ? (int) (sizeof(r->t) - 8) : 1;

		if (r->a == 5)
			r->t[0] = '\0';
		else
			snprintf(r->t, sizeof(r->t), "%d%*s", r->a, len, "x");
		if (i % 97 == 96)
			r->natts = 1;
	}
	table_build();
}

static bool
texts_fill(Texts *t, const TestProgram *p)
{
	const uint32_t half = npages / TEXT_STRIPES;
	GpuAggError error;
	bool		good = true;

	for (uint32_t s = 0; s < TEXT_STRIPES; s++)
	{
		const uint32_t first = s * half;
		const uint32_t n = s + 1 < TEXT_STRIPES ? half : npages - first;

		t->stripes[s] = stripe_create(lines_of(first, n));
		for (uint32_t i = 0; i < p->head.nattrs; i++)
			good = good &&
				(p->attrs[i].reg == NONE ||
				 STRIPES->add_column(t->stripes[s], i, p->attrs[i].type,
									 i == COL_T ? t->dictionary : NULL, &error) == GPUAGG_OK);
		keep_pages(t->stripes[s], first, n, 0);
	}
	return good && table_kept(p);
}

static void
texts_make(Texts *t, uint32_t n, uint32_t groups)
{
	static TestProgram p;
	const GpuAggBytes other[] = {{"nowhere", 7}, {"to be found", 11}};
	int32_t		codes[2];
	GpuAggError error;

	memset(t, 0, sizeof(*t));
	texts_rows(n, groups);
	program_columns(&p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	ok(STRIPES->dictionary_create(device, &t->dictionary, &error) == GPUAGG_OK &&
		   STRIPES->dictionary_encode(t->dictionary, other, 2, codes, &error) == GPUAGG_OK &&
		   texts_fill(t, &p),
	   "texts of a table are kept");
}

static void
texts_free(Texts *t)
{
	for (uint32_t s = 0; s < TEXT_STRIPES; s++)
		STRIPES->free(t->stripes[s]);
	STRIPES->dictionary_free(t->dictionary);
	keep_nothing();
}

/* Are columns of a table by text folded? */
static bool folds;

/* By text; coded: as the worker has the program, whose strings are codes where they may be */
static GpuAggMade *
make_by_text(const Texts *t, const Wish *wish, bool coded, Run *run)
{
	static TestProgram p;
	GpuAggDictionary *dictionaries[GPUAGG_MAX_REGS] = {NULL};
	GpuAggTaskConfig config = plain_config;
	const int32_t codes[16] = {0};
	uint16_t		of[GPUAGG_MAX_REGS];

	program_below(&p, wish->below, WANT(COL_T));
	program_key(&p, col[COL_T], GPUAGG_T_TEXT);
	program_key(&p, col[COL_V], GPUAGG_T_INT8);
	program_key(&p, col[COL_D], GPUAGG_T_FLOAT8);
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	p.keys[1 + TEXT_V].fold = folds ? GPUAGG_FOLD_COUNT : GPUAGG_FOLD_NONE;
	p.keys[1 + TEXT_A].fold = folds ? GPUAGG_FOLD_SUM : GPUAGG_FOLD_NONE;
	dictionaries[col[COL_T]] = t->dictionary;
	config.make.nkeys = wish->nkeys;
	config.make.unique = wish->unique;
	config.make.seed = 99;
	config.make.filters = filters;
	config.make.dictionaries = t->dictionary != NULL ? dictionaries : NULL;
	if (coded)
	{
		(void) gpuagg_encode_plan(&p.head, of);
		gpuagg_encode_program(&p.head, of, codes);
		config.codes.dictionaries = dictionaries;
	}
	return run_making(run, &p, &config, t->stripes, t->stripes[0] != NULL ? TEXT_STRIPES : 0,
					  false);
}

static void
program_joined_by_text(TestProgram *p, const GpuAggMade *made)
{
	uint16_t	table;
	uint16_t	row;

	program_columns(p, WANT(COL_T));
	table = const_made(p, made);
	row = program_instr(p, GPUAGG_OP_LOOKUP_BYTES, GPUAGG_CLASS_I64, col[COL_T], table);
	program_filter(p, program_instr(p, GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64, row, 0));
	outputs(p, fetch(p, GPUAGG_OP_FETCH_I64, row, table, TEXT_A),
			fetch(p, GPUAGG_OP_FETCH_I64, row, table, TEXT_V),
			fetch(p, GPUAGG_OP_FETCH_F64, row, table, TEXT_D));
}

static void
program_with_text(TestProgram *p, const Wish *wish)
{
	uint16_t	filter;

	program_below(p, wish->below, WANT(COL_T));
	filter = program_instr(p, GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64, col[COL_T], 0);
	if (p->head.filter_reg != NONE)
		filter = program_instr(p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, p->head.filter_reg, filter);
	program_filter(p, filter);
	outputs(p, col[COL_A], col[COL_V], col[COL_D]);
}

/* Over the stripes, or the pages */
static bool
run_texts(Run *run, const TestProgram *p, const GpuAggTaskConfig *config, const Texts *t)
{
	bool		good = run_begin(run, p, config);

	for (uint32_t s = 0; t != NULL && s < TEXT_STRIPES; s++)
		good = good && run_resident(run, t->stripes[s], NULL, 0);
	return good && (t == NULL ? run_feed(run) : run_collect(run, TEXT_STRIPES)) &&
		run_finish(run, 4096);
}

static bool
same_results(const Run *a, const Run *b)
{
	return a->results_bytes > 0 && a->results_bytes == b->results_bytes &&
		memcmp(a->results, b->results, a->results_bytes) == 0;
}

/* So many rows with a text, all different, are in the table, and are found by it. */
static void
test_by_text(const Texts *t, const Wish *wish, bool coded, const char *name)
{
	static TestProgram joined;
	static TestProgram alone;
	GpuAggTaskConfig config = plain_config;
	Run			runs[3];
	GpuAggMade *made = make_by_text(t, wish, coded, &runs[0]);
	const GpuAggLookup *head = made != NULL ? MADE->head(made) : NULL;

	ok(made != NULL && is_made(head, GPUAGG_LOOKUP_HASH) && head->nkeys == 1 &&
	   head->key_class == GPUAGG_CLASS_BYTES, name);
	if (made == NULL)
	{
		printf("# %s\n", runs[0].error.message);
		return;
	}
	program_joined_by_text(&joined, made);
	program_with_text(&alone, wish);
	config.made.n = 1;
	config.made.constants[0] = joined.head.nconsts - 1;
	config.made.tables[0] = made;
	ok(run_texts(&runs[0], &alone, &plain_config, t) && run_texts(&runs[1], &joined, &config, t) &&
	   run_texts(&runs[2], &joined, &config, NULL) && same_results(&runs[0], &runs[1]) &&
	   same_results(&runs[0], &runs[2]), "... has the stripes' rows");
	for (int i = 0; i < 3; i++)
		run_end(&runs[i]);
	MADE->free(made);
}

/*
 * Of a table by text, whose rows are as many as texts: bounds are good for all rows that become one
 */
static void
test_folded_texts(const Texts *t, const Wish *any, uint32_t ntexts)
{
	Run			run;
	GpuAggMade *made;
	int32_t		most = 0;

	for (uint32_t i = 0; i < nrows; i++)
		most = rows[i].a > most ? rows[i].a : most;
	folds = true;
	made = make_by_text(t, any, true, &run);
	folds = false;
	ok(made != NULL && MADE->head(made)->nrows == ntexts &&
	   gpuagg_lookup_column(MADE->head(made), TEXT_V)->high >= nrows / ntexts &&
	   gpuagg_lookup_column(MADE->head(made), TEXT_A)->high >= (int64_t) most * (nrows / ntexts),
	   "... or what they are together, between bounds");
	if (made != NULL)
		MADE->free(made);
	else
		printf("# %s\n", run.error.message);
}

static void
test_repeated_texts(void)
{
	const Wish	unique = {1, false, INT64_MAX, true};
	const Wish	any = {1, false, INT64_MAX, false};
	Texts		t;
	Run			run;
	GpuAggMade *made;

	texts_make(&t, scaled(20000), 50);
	made = make_by_text(&t, &unique, true, &run);
	ok(made == NULL && run.error.status == GPUAGG_VALUE_ERROR, "rows with equal strings are told");
	made = make_by_text(&t, &any, true, &run);
	ok(made != NULL && MADE->head(made)->nrows == 50, "... or one of each is kept");
	if (made != NULL)
		MADE->free(made);
	test_folded_texts(&t, &any, 50);
	texts_free(&t);
}

static void
test_texts(void)
{
	const Wish	all = {1, false, INT64_MAX, true};
	const Wish	some = {1, false, 400, true};
	const Wish	none = {1, false, -1, true};
	const Wish	pair = {2, false, INT64_MAX, true};
	const Texts nothing = {NULL};
	Texts		t;
	Run			run;

	texts_make(&t, 20000, 20000);
	test_by_text(&t, &all, false, "strings of all rows");
	test_by_text(&t, &all, true, "... which are codes");
	test_by_text(&t, &some, true, "strings of some rows");
	test_by_text(&t, &none, true, "strings of none");
	filters = UINT64_MAX;
	test_by_text(&t, &all, true, "strings of all rows behind a filter");
	test_by_text(&t, &none, true, "... and of none");
	filters = 0;
	ok(make_by_text(&t, &pair, true, &run) == NULL && run.error.status == GPUAGG_UNSUPPORTED,
	   "a string is no key beside another one");
	texts_free(&t);
	ok(make_by_text(&nothing, &all, false, &run) == NULL && run.error.status == GPUAGG_UNSUPPORTED,
	   "... nor without a dictionary");
	test_repeated_texts();
}

/* ---------- keys of several columns ---------- */

/* What keys are made of, in the order of the wish; and payload behind: v, d and a */
typedef struct Forms
{
	uint32_t	n;
	uint32_t	columns[GPUAGG_KEY_COLUMNS];
	uint8_t		forms[GPUAGG_KEY_COLUMNS];
} Forms;

static uint8_t
key_type(uint32_t column)
{
	return column == COL_T ? GPUAGG_T_TEXT : column == COL_V ? GPUAGG_T_INT8 : GPUAGG_T_INT4;
}

/* A table of these keys; payload: v, d and a, or nothing of one that only numbers values */
static GpuAggMade *
make_formed(const Texts *t, const Forms *forms, GpuAggMade *const *helpers, int64_t below,
			bool coded, Run *run)
{
	static TestProgram p;
	GpuAggDictionary *dictionaries[GPUAGG_MAX_REGS] = {NULL};
	GpuAggTaskConfig config = plain_config;
	const int32_t codes[16] = {0};
	uint16_t		of[GPUAGG_MAX_REGS];

	program_below(&p, below, WANT(COL_T));
	for (uint32_t i = 0; i < forms->n; i++)
	{
		program_key(&p, col[forms->columns[i]], key_type(forms->columns[i]));
		config.make.forms[i] = forms->forms[i];
		config.make.helpers[i] = helpers != NULL ? helpers[i] : NULL;
	}
	if (helpers != NULL)
	{
		program_key(&p, col[COL_V], GPUAGG_T_INT8);
		program_key(&p, col[COL_D], GPUAGG_T_FLOAT8);
		program_key(&p, col[COL_A], GPUAGG_T_INT4);
	}
	dictionaries[col[COL_T]] = t->dictionary;
	config.make.nkeys = forms->n;
	config.make.unique = helpers != NULL;
	config.make.seed = 7;
	config.make.dictionaries = dictionaries;
	if (coded)
	{
		(void) gpuagg_encode_plan(&p.head, of);
		gpuagg_encode_program(&p.head, of, codes);
		config.codes.dictionaries = dictionaries;
	}
	return run_making(run, &p, &config, t->stripes, TEXT_STRIPES, false);
}

/* A table of each numbered key's values */
static bool
make_helpers(const Texts *t, const Forms *forms, int64_t below, bool coded, GpuAggMade **helpers)
{
	Run			run;
	bool		good = true;

	memset(helpers, 0, GPUAGG_KEY_COLUMNS * sizeof(*helpers));
	for (uint32_t i = 0; i < forms->n; i++)
	{
		const Forms one = {1, {forms->columns[i]}, {0}};

		if ((forms->forms[i] & GPUAGG_KEY_NUMBERED) == 0)
			continue;
		helpers[i] = make_formed(t, &one, NULL, below, coded, &run);
		good = good && helpers[i] != NULL;
	}
	return good;
}

static void
free_helpers(GpuAggMade **helpers)
{
	for (uint32_t i = 0; i < GPUAGG_KEY_COLUMNS; i++)
		if (helpers[i] != NULL)
			MADE->free(helpers[i]);
}

/* high << 32 | low & 0xFFFFFFFF, by instructions */
static uint16_t
program_word(TestProgram *p, uint16_t high, uint16_t low, uint16_t bits, uint16_t mask)
{
	return program_instr(p, GPUAGG_OP_INT_OR, GPUAGG_CLASS_I64,
						 program_instr(p, GPUAGG_OP_INT8_SHL, GPUAGG_CLASS_I64, high, bits),
						 program_instr(p, GPUAGG_OP_INT_AND, GPUAGG_CLASS_I64, low, mask));
}

static void
program_joined_by_words(TestProgram *p, const Forms *forms, GpuAggMade *const *helpers,
						const GpuAggMade *made, GpuAggMadeTables *tables)
{
	uint16_t	numbers[GPUAGG_KEY_COLUMNS];
	uint16_t	words[2];
	uint16_t	bits;
	uint16_t	mask;
	uint16_t	table;
	uint16_t	row;
	int			n = 0;

	program_columns(p, WANT(COL_A) | WANT(COL_V) | WANT(COL_T));
	bits = program_const_i64(p, GPUAGG_T_INT4, 32);
	mask = program_const_i64(p, GPUAGG_T_INT8, INT64_C(0xFFFFFFFF));
	for (uint32_t i = 0; i < forms->n; i++)
	{
		if (helpers[i] == NULL)
			continue;
		numbers[i] = const_made(p, helpers[i]);
		tables->constants[tables->n] = p->head.nconsts - 1;
		tables->tables[tables->n++] = helpers[i];
	}
	table = const_made(p, made);
	tables->constants[tables->n] = p->head.nconsts - 1;
	tables->tables[tables->n++] = (GpuAggMade *) made;
	for (uint32_t i = 0; i < forms->n; i++)
	{
		uint16_t	value = col[forms->columns[i]];

		if (helpers[i] != NULL)
			value = program_instr(
				p, forms->columns[i] == COL_T ? GPUAGG_OP_LOOKUP_BYTES : GPUAGG_OP_LOOKUP,
				GPUAGG_CLASS_I64, value, numbers[i]);
		if ((forms->forms[i] & GPUAGG_KEY_LOWER) != 0)
			words[n - 1] = program_word(p, words[n - 1], value, bits, mask);
		else
			words[n++] = value;
	}
	row = program_instr3(p, GPUAGG_OP_LOOKUP_PAIR, GPUAGG_CLASS_I64, words[0], words[1], table);
	program_filter(p, program_instr(p, GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64, row, 0));
	outputs(p, fetch(p, GPUAGG_OP_FETCH_I64, row, table, TEXT_A),
			fetch(p, GPUAGG_OP_FETCH_I64, row, table, TEXT_V),
			fetch(p, GPUAGG_OP_FETCH_F64, row, table, TEXT_D));
}

/* Rows that have all the keys */
static void
program_with_words(TestProgram *p, const Forms *forms, int64_t below)
{
	uint16_t	filter;

	program_below(p, below, WANT(COL_T));
	filter = p->head.filter_reg;
	for (uint32_t i = 0; i < forms->n; i++)
	{
		const uint16_t there = program_instr(p, GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64,
											 col[forms->columns[i]], 0);

		filter = filter == NONE ? there :
								  program_instr(p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, filter, there);
	}
	program_filter(p, filter);
	outputs(p, col[COL_A], col[COL_V], col[COL_D]);
}

static void
test_words(const Texts *t, const Forms *forms, int64_t below, bool coded, const char *name)
{
	static TestProgram joined;
	static TestProgram alone;
	GpuAggTaskConfig config = plain_config;
	GpuAggMade *helpers[GPUAGG_KEY_COLUMNS];
	Run			runs[2];
	const bool	numbered = make_helpers(t, forms, below, coded, helpers);
	GpuAggMade *made = numbered ? make_formed(t, forms, helpers, below, coded, &runs[0]) : NULL;
	const GpuAggLookup *head = made != NULL ? MADE->head(made) : NULL;

	ok(made != NULL && head->kind == GPUAGG_LOOKUP_HASH && head->nkeys == 2 &&
		   head->ncolumns == 5 && head->key_class == GPUAGG_CLASS_I64,
	   name);
	if (made != NULL)
	{
		program_joined_by_words(&joined, forms, helpers, made, &config.made);
		program_with_words(&alone, forms, below);
		ok(run_texts(&runs[0], &alone, &plain_config, t) &&
			   run_texts(&runs[1], &joined, &config, t) && same_results(&runs[0], &runs[1]),
		   "... has the stripes' rows");
		run_end(&runs[0]);
		run_end(&runs[1]);
		MADE->free(made);
	}
	else
		printf("# %s\n", numbered ? runs[0].error.message : "no helper");
	free_helpers(helpers);
}

/* Tables whose keys cannot be made */
static void
test_words_refused(const Texts *t)
{
	const Forms pair = {2, {COL_V, COL_T}, {0, GPUAGG_KEY_NUMBERED}};
	const Forms wide = {3, {COL_V, COL_T, COL_A}, {0, GPUAGG_KEY_NUMBERED, 0}};
	const Forms half = {2, {COL_A, COL_A}, {0, GPUAGG_KEY_LOWER}};
	const Forms first = {2, {COL_A, COL_V}, {GPUAGG_KEY_LOWER, 0}};
	GpuAggMade *none[GPUAGG_KEY_COLUMNS] = {NULL};
	GpuAggMade *helpers[GPUAGG_KEY_COLUMNS];
	GpuAggMade *other[GPUAGG_KEY_COLUMNS] = {NULL};
	Run			run;

	ok(make_formed(t, &pair, none, INT64_MAX, true, &run) == NULL &&
		   run.error.status == GPUAGG_UNSUPPORTED,
	   "no key is numbered by no table");
	ok(make_helpers(t, &pair, 100, true, helpers) &&
		   make_formed(t, &pair, helpers, INT64_MAX, true, &run) == NULL &&
		   run.error.status == GPUAGG_UNSUPPORTED,
	   "... nor by one that has not all values");
	ok(make_formed(t, &wide, helpers, 100, true, &run) == NULL &&
		   run.error.status == GPUAGG_UNSUPPORTED,
	   "keys are two words, not three");
	ok(make_formed(t, &half, none, INT64_MAX, true, &run) == NULL &&
		   run.error.status == GPUAGG_UNSUPPORTED,
	   "... nor one of halves");
	ok(make_formed(t, &first, none, INT64_MAX, true, &run) == NULL &&
		   run.error.status == GPUAGG_UNSUPPORTED,
	   "... of which the first is no lower one");
	other[0] = helpers[1];
	ok(make_formed(t, &(Forms){2, {COL_V, COL_A}, {GPUAGG_KEY_NUMBERED, 0}}, other, 100, true,
				   &run) == NULL &&
		   run.error.status == GPUAGG_UNSUPPORTED,
	   "strings number no integers");
	free_helpers(helpers);
}

static void
test_forms(void)
{
	static const Forms forms[] = {
		{2, {COL_V, COL_T}, {0, GPUAGG_KEY_NUMBERED}},
		{3, {COL_V, COL_T, COL_A}, {0, GPUAGG_KEY_NUMBERED, GPUAGG_KEY_LOWER}},
		{3,
		 {COL_A, COL_V, COL_T},
		 {0, GPUAGG_KEY_NUMBERED, GPUAGG_KEY_NUMBERED | GPUAGG_KEY_LOWER}},
		{4,
		 {COL_A, COL_T, COL_V, COL_A},
		 {0, GPUAGG_KEY_NUMBERED | GPUAGG_KEY_LOWER, GPUAGG_KEY_NUMBERED, GPUAGG_KEY_LOWER}},
		{3, {COL_V, COL_A, COL_A}, {0, 0, GPUAGG_KEY_LOWER}},
	};
	static const char *const names[] = {
		"a wide integer, and a string's number", "... which shares a word",
		"an integer, and two numbers in a word", "two words of halves", "no numbers, but halves"};
	Texts		t;

	texts_make(&t, 20000, 500);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
	{
		test_words(&t, &forms[i], INT64_MAX, true, names[i]);
		test_words(&t, &forms[i], 300, i % 2 == 0, "... of some rows");
	}
	test_words(&t, &forms[0], -1, true, "... of none");
	test_words_refused(&t);
	texts_free(&t);
}

int
device_make_cases(const TestDevice *d)
{
	const Wish	wishes[] = {
		{1, false, 400, true},
		{1, false, INT64_MAX, true},
		{1, false, -1, true},
		{1, true, INT64_MAX, true},
		{1, true, 400, true},
		{2, false, 5000, true},
	};
	static const char *const names[] = {"bits of some rows", "bits of all rows", "bits of none",
										"slots of all rows", "slots of some",	 "slots of pairs"};
	GpuAggStripe *stripe;

	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, STRIPE_LIMIT);
	stripe = stripe_of_table(20000, 20000);
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		test_wish(stripe, &wishes[i], i < 3 ? GPUAGG_LOOKUP_DIRECT : GPUAGG_LOOKUP_HASH, names[i]);
	filters = UINT64_MAX;
	test_wish(stripe, &wishes[0], GPUAGG_LOOKUP_DIRECT, "bits, which have no filter");
	for (size_t i = 3; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		test_wish(stripe, &wishes[i], GPUAGG_LOOKUP_HASH, names[i]);
	filters = 0;
	STRIPES->free(stripe);
	keep_nothing();
	test_packed_later(&wishes[0], GPUAGG_LOOKUP_DIRECT, "bits of rows that come later");
	test_packed_later(&wishes[4], GPUAGG_LOOKUP_HASH, "slots of rows that come later");
	test_repeated();
	test_refused();
	test_texts();
	test_forms();
	is_at_rest("no table has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
