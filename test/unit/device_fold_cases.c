/*
 * device_fold_cases.c
 *		Look-up tables that a device makes of rows of which several have a key (device/made.h): each
 *		row of the table has how many they are, and what their values are together.
 */
#include "device_make.h"

#define KEYS 150
#define NFOLDED 5

/* What rows of a key are together */
typedef struct Folded
{
	int64_t		keys[2];
	int64_t		values[NFOLDED];
	uint8_t		null;			/* no row of it has a value */
} Folded;

static const GpuAggFold folds[NFOLDED] = {GPUAGG_FOLD_COUNT, GPUAGG_FOLD_COUNT, GPUAGG_FOLD_SUM,
										  GPUAGG_FOLD_LEAST, GPUAGG_FOLD_GREATEST};

/* How the table is to be made */
typedef struct Kind
{
	uint32_t	nkeys;
	int64_t		apart;			/* keys are so far */
	int64_t		of;				/* values are between 0 and this, */
	bool		nulls;			/* or NULL */
	uint64_t	filters;
} Kind;

/* The test table: key v, a second one or value a */
static void
rows_set(const Kind *kind)
{
	table_make(scaled(20000), 2000, CLUSTERED);
	for (uint32_t i = 0; i < nrows; i++)
	{
		const uint32_t key = (i * 7919 + i / 64) % KEYS;

		rows[i].v = key * kind->apart;
		rows[i].v_null = i % 53 == 0;
		rows[i].a = (int32_t) ((i * UINT64_C(2654435761)) % (uint64_t) kind->of) -
			(int32_t) (kind->of / 3);
		rows[i].a_null = kind->nulls && (key % 13 == 0 || i % 5 == 0);
		rows[i].natts = 0;
	}
	table_build();
}

static void
fold(Folded *f, int64_t value)
{
	f->values[1]++;
	f->values[2] += value;
	if (f->null || value < f->values[3])
		f->values[3] = value;
	if (f->null || value > f->values[4])
		f->values[4] = value;
	f->null = 0;
}

/* The same, row by row: so many keys */
static uint32_t
fold_rows(Folded *all)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nrows; i++)
	{
		uint32_t	k = 0;

		if (rows[i].v_null)
			continue;
		while (k < n && all[k].keys[0] != rows[i].v)
			k++;
		if (k == n)
			all[n++] = (Folded) {{rows[i].v, 0}, {0}, 1};
		all[k].values[0]++;
		if (!rows[i].a_null)
			fold(&all[k], rows[i].a);
	}
	return n;
}

static GpuAggMade *
make(GpuAggStripe *stripe, const Kind *kind, bool notnull, Run *run)
{
	static TestProgram p;
	GpuAggTaskConfig config = plain_config;
	uint16_t	two;

	program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	two = col[COL_V];
	for (uint32_t k = 0; k < kind->nkeys; k++)
		program_key(&p, two, GPUAGG_T_INT8);
	for (uint32_t c = 0; c < NFOLDED; c++)
	{
		program_key(&p, col[c == 0 ? COL_V : COL_A], c == 0 ? GPUAGG_T_INT8 : GPUAGG_T_INT4);
		p.keys[p.head.nkeys - 1].fold = folds[c];
		p.keys[p.head.nkeys - 1].notnull = notnull;
	}
	config.make.nkeys = kind->nkeys;
	config.make.seed = 99;
	config.make.filters = kind->filters;
	return run_making(run, &p, &config, &stripe, 1, false);
}

/* What is found for each row of the stripe, added up */
static void
program_found(TestProgram *p, uint32_t nkeys, uint16_t table)
{
	const uint16_t row = nkeys > 1 ?
		program_instr3(p, GPUAGG_OP_LOOKUP_PAIR, GPUAGG_CLASS_I64, col[COL_V], col[COL_V], table) :
		program_instr(p, GPUAGG_OP_LOOKUP, GPUAGG_CLASS_I64, col[COL_V], table);

	program_trans(p, GPUAGG_TRANS_COUNT, row, NONE, 0);
	for (int32_t c = 0; c < NFOLDED; c++)
	{
		const uint16_t value = fetch(p, GPUAGG_OP_FETCH_I64, row, table, c);

		program_trans(p, GPUAGG_TRANS_COUNT, value, NONE, 0);
		program_trans(p, GPUAGG_TRANS_SUM_I128, value, NONE, GPUAGG_T_INT8);
		program_trans(p, GPUAGG_TRANS_MIN_I64, value, NONE, GPUAGG_T_INT8);
		program_trans(p, GPUAGG_TRANS_MAX_I64, value, NONE, GPUAGG_T_INT8);
	}
}

/* A table of what the rows were folded into here */
static uint16_t
const_folded(TestProgram *p, const Folded *all, uint32_t n, uint32_t nkeys)
{
	static int64_t values[2 + NFOLDED][KEYS];
	static uint8_t nulls[KEYS];
	GpuAggLookupSource columns[2 + NFOLDED];
	const GpuAggLookupRows made = {
		.nrows = n, .nkeys = nkeys, .ncolumns = nkeys + NFOLDED, .columns = columns, .seed = 5};

	for (uint32_t k = 0; k < n; k++)
	{
		values[0][k] = values[nkeys - 1][k] = all[k].keys[0];
		nulls[k] = all[k].null;
		for (uint32_t c = 0; c < NFOLDED; c++)
			values[nkeys + c][k] = all[k].values[c];
	}
	for (uint32_t c = 0; c < nkeys + NFOLDED; c++)
		columns[c] = (GpuAggLookupSource) {GPUAGG_CLASS_I64, values[c],
			c >= nkeys && folds[c - nkeys] > GPUAGG_FOLD_COUNT ? nulls : NULL};
	return program_const_table(p, &made);
}

static void
test_kind(const Kind *kind, const char *name)
{
	static TestProgram joined;
	static TestProgram expected;
	static Folded all[KEYS];
	GpuAggTaskConfig config = plain_config;
	GpuAggStripe *stripe;
	GpuAggMade *made;
	Run			runs[2];

	rows_set(kind);
	stripe = stripe_of_rows();
	made = make(stripe, kind, !kind->nulls, &runs[0]);
	ok(made != NULL &&
		   (MADE->head(made)->kind == GPUAGG_LOOKUP_DIRECT) ==
			   (kind->nkeys == 1 && kind->apart == 1),
	   name);
	if (made != NULL)
	{
		program_columns(&joined, WANT(COL_V));
		program_found(&joined, kind->nkeys, const_made(&joined, made));
		program_columns(&expected, WANT(COL_V));
		program_found(&expected, kind->nkeys,
					  const_folded(&expected, all, fold_rows(all), kind->nkeys));
		config.made.n = 1;
		config.made.constants[0] = 0;
		config.made.tables[0] = made;
		ok(run_over(&runs[0], &joined, &config, stripe) &&
			   run_over(&runs[1], &expected, &plain_config, stripe) &&
			   runs[0].results_bytes == runs[1].results_bytes && runs[0].results_bytes > 0 &&
			   memcmp(runs[0].results, runs[1].results, runs[0].results_bytes) == 0,
		   "... has what rows of a key are together");
		run_end(&runs[0]);
		run_end(&runs[1]);
		MADE->free(made);
	}
	else
		printf("# %s\n", runs[0].error.message);
	STRIPES->free(stripe);
	keep_nothing();
}

/* Sums that may be beyond 64 bits, floating point, and a column that was said to have no NULL */
static void
test_refused(void)
{
	static TestProgram p;
	const Kind	kind = {1, 1, 1000, true, 0};
	GpuAggTaskConfig config = plain_config;
	GpuAggStripe *stripe;
	Run			run;

	rows_set(&kind);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v = i % 2 == 0 ? INT64_MAX / 2 : -i;
	table_build();
	stripe = stripe_of_rows();
	config.make.nkeys = 1;
	program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_key(&p, col[COL_V], GPUAGG_T_INT8);
	p.keys[1].fold = GPUAGG_FOLD_SUM;
	ok(run_making(&run, &p, &config, &stripe, 1, false) == NULL && run.error.status != GPUAGG_OK,
	   "a sum may be too large");
	p.keys[1].reg = col[COL_D];
	p.keys[1].type = GPUAGG_T_FLOAT8;
	p.keys[1].fold = GPUAGG_FOLD_LEAST;
	ok(!run_begin(&run, &p, &config) && run.error.status == GPUAGG_UNSUPPORTED,
	   "floating point is not folded");
	run_end(&run);
	STRIPES->free(stripe);
	keep_nothing();
}

int
device_fold_cases(const TestDevice *d)
{
	static const Kind kinds[] = {
		{1, 1, 1000, true, 0},
		{1, 1, 1000000000, false, 0},
		{1, INT64_C(1) << 33, 1000, true, 0},
		{1, INT64_C(1) << 33, 1000000000, false, UINT64_MAX},
		{2, 1, 1000, true, 0},
	};
	static const char *const names[] = {"bits, and NULLs", "bits, and wide values", "slots",
										"slots behind a filter", "slots of pairs"};

	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, STRIPE_LIMIT);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		test_kind(&kinds[i], names[i]);
	test_refused();
	is_at_rest("no table has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
