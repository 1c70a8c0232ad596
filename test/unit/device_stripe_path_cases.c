/*
 * device_stripe_path_cases.c
 *		Stripes read as they lie: the programs for which a device may have a
 *		faster way than to evaluate each row, and rows for which it must not
 *		take it.  Several stripes at once, NULLs, odd positions, wrong estimates.
 */
#include "device_oracle.h"

#define STRIPES (OPS->stripes)
#define NSTRIPES 3
#define NONE GPUAGG_NO_REG

/* Columns: k int4, v int4, w int8, f float8 */
enum
{
	COL_K, COL_V, COL_W, COL_F, NCOLS
};

static const uint8_t col_types[NCOLS] = {GPUAGG_T_INT4, GPUAGG_T_INT4, GPUAGG_T_INT8,
										 GPUAGG_T_FLOAT8};
static const uint32_t col_bytes[NCOLS] = {4, 4, 8, 8};

/* Of a table: keys, of 64 rows how many have a NULL, rows of one key in a row */
typedef struct Shape
{
	uint32_t	rows;
	uint32_t	groups;
	uint32_t	nulls;
	uint32_t	run;
} Shape;

static uint32_t npages;
static GpuAggPage page_list[ARENA_PAGES];
static GpuAggStripe *stripes[NSTRIPES];
static uint32_t stripe_pages[NSTRIPES + 1];	/* first page of each */
static uint16_t col[NCOLS];

static bool
is_null(const Shape *s)
{
	return s->nulls > 0 && random_next() % 64 < s->nulls;
}

static void
table_make(const Shape *s)
{
	const uint32_t n = scaled(s->rows);

	npages = 0;
	for (uint32_t r = 0; r < n; r++)
	{
		const uint64_t x = s->run > 0 ? r / s->run * UINT64_C(2654435761) : random_next();
		int32_t		k = (int32_t) (x % s->groups);
		int32_t		v = (int32_t) random_next();
		int64_t		w = (int64_t) random_next() >> 8;
		double		f = (double) (w % 1000) / 8;
		void	   *from[NCOLS] = {&k, &v, &w, &f};
		TestValue	values[NCOLS];

		/* the value that tables in shared memory know as "none" is a key, too */
		if (k == 5)
			k = INT32_MIN;
		if (k == 6)
			w = INT64_MIN;
		for (uint32_t c = 0; c < NCOLS; c++)
			values[c] = (TestValue) {is_null(s) ? NULL : from[c], col_bytes[c], col_bytes[c]};
		while (npages == 0 || !page_add(&pages[npages - 1], values, NCOLS))
			page_init(&pages[npages++]);
	}
	for (uint32_t i = 0; i < npages; i++)
		page_list[i] = (GpuAggPage) {.page = pages[i].bytes,.nlines = pages[i].nlines,.block = i};
}

/* ---------- stripes ---------- */

/* Pages of the table are to be kept in some stripes, each with room to spare. */
static bool
stripes_make(void)
{
	GpuAggError error = {0};
	bool		good = true;

	for (uint32_t s = 0; s < NSTRIPES; s++)
	{
		uint32_t	position = 0;

		stripe_pages[s] = npages * s / NSTRIPES;
		stripe_pages[s + 1] = npages * (s + 1) / NSTRIPES;
		for (uint32_t i = stripe_pages[s]; i < stripe_pages[s + 1]; i++)
			position += page_list[i].nlines;
		good &= STRIPES->create(device, position + 777, &stripes[s], &error) == GPUAGG_OK;
		for (uint32_t c = 0; good && c < NCOLS; c++)
			good &= STRIPES->add_column(stripes[s], c, col_types[c], NULL, &error) == GPUAGG_OK;
		position = 0;
		for (uint32_t i = stripe_pages[s]; i < stripe_pages[s + 1]; i++)
		{
			page_list[i].stripe = stripes[s];
			page_list[i].position = position;
			position += page_list[i].nlines;
		}
	}
	return good;
}

/* Which lines lie where; blocks have these numbers from now on. */
static bool
stripes_tell(uint32_t block)
{
	static GpuAggStripePage pages[ARENA_PAGES];
	GpuAggError error = {0};
	bool		good = true;

	for (uint32_t s = 0; s < NSTRIPES; s++)
	{
		uint32_t	n = 0;

		for (uint32_t i = stripe_pages[s]; i < stripe_pages[s + 1]; i++)
		{
			page_list[i].block = block + i;
			pages[n++] = (GpuAggStripePage) {page_list[i].position, page_list[i].nlines, block + i};
		}
		good &= STRIPES->pages(stripes[s], pages, n, &error) == GPUAGG_OK;
	}
	return good;
}

static void
stripes_free(void)
{
	for (uint32_t s = 0; s < NSTRIPES; s++)
		STRIPES->free(stripes[s]);
}

/* Positions that are not wanted of a stripe: of every n-th page, and the end */
static uint32_t
without_pages(uint32_t s, uint32_t every, GpuAggPositions *without)
{
	uint32_t	end = 0;
	uint32_t	n = 0;

	for (uint32_t i = stripe_pages[s]; i < stripe_pages[s + 1]; i++)
	{
		if (every > 0 && i % every == 0)
			without[n++] = (GpuAggPositions) {page_list[i].position, page_list[i].nlines};
		end = page_list[i].position + page_list[i].nlines;
	}
	without[n++] = (GpuAggPositions) {end, 777};
	return n;
}

/* A task over all stripes, but for every n-th page, which comes as such; 0: for none */
static void
stripes_run(Run *run, const TestProgram *p, const GpuAggTaskConfig *config, uint32_t every)
{
	static GpuAggPositions without[ARENA_PAGES + 1];
	static GpuAggPage others[ARENA_PAGES];
	uint32_t	n = 0;
	GpuAggError error = {0};
	bool		good = run_begin(run, p, config);

	for (uint32_t i = 0; every > 0 && i < npages; i += every)
	{
		others[n] = page_list[i];
		others[n++].stripe = NULL;
	}
	for (uint32_t s = 0; good && s < NSTRIPES; s++)
		good = OPS->task_resident(run->task, s, stripes[s], without,
								  without_pages(s, every, without), &error) == GPUAGG_OK;
	if (good && run_list(run, others, n, 40, 6) && run_collect(run, NSTRIPES))
		run_finish(run, 4096);
}

static bool
stripes_give(const TestProgram *p, const GpuAggTaskConfig *config, uint32_t every)
{
	Oracle	   *o = oracle_start(p);
	Run			run;
	bool		good;

	o->sample = config->sample;
	oracle_list(o, page_list, npages);
	stripes_run(&run, p, config, every);
	good = oracle_agrees(o, &run);
	run_end(&run);
	oracle_end(o);
	return good;
}

/* The same by a task for each window of the hash space */
static bool
windows_give(const TestProgram *p, const GpuAggTaskConfig *base, uint32_t count, uint32_t every)
{
	Oracle	   *o = oracle_start(p);
	GpuAggTaskConfig config = *base;
	Run			all = {0};
	bool		good;

	o->sample = config.sample;
	oracle_list(o, page_list, npages);
	for (uint32_t i = 0; i < count; i++)
	{
		Run			part;

		config.hash_window = (GpuAggHashWindow) {i, count};
		stripes_run(&part, p, &config, every);
		if (part.results_bytes > 0)
			run_keep(&all, part.results, part.results_bytes, part.groups);
		if (part.error.status != GPUAGG_OK)
			all.error = part.error;
		all.scanned = part.scanned;
		all.passed = part.passed;
		memcpy(all.left, part.left, sizeof(part.left));
		run_end(&part);
	}
	good = oracle_agrees(o, &all);
	free(all.results);
	oracle_end(o);
	return good;
}

/* ---------- programs ---------- */

static void
program_begin(TestProgram *p)
{
	program_init(p);
	for (uint32_t c = 0; c < NCOLS; c++)
		col[c] = program_attr(p, col_types[c], true);
}

/* The commonest one: a key, a count, a sum, the least and the greatest */
static void
program_words(TestProgram *p)
{
	program_begin(p);
	program_key(p, col[COL_K], GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_MIN_I64, col[COL_V], NONE, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_MAX_I64, col[COL_V], NONE, GPUAGG_T_INT4);
}

/* Arguments of all kinds */
static void
program_wide(TestProgram *p)
{
	program_words(p);
	program_trans(p, GPUAGG_TRANS_COUNT, col[COL_F], NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_W], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_F64, col[COL_F], NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_MAX_F64, col[COL_F], NONE, GPUAGG_T_FLOAT8);
}

static void
program_less(TestProgram *p, uint16_t column, int64_t than)
{
	const uint16_t c = program_const_i64(p, GPUAGG_T_INT4, than);

	program_filter(p, program_instr(p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, column, c));
}

/* What only records, or a table, can take: computed keys, several, and FILTER */
static void
program_records(TestProgram *p, bool filtered)
{
	uint16_t	most;
	uint16_t	c;
	uint16_t	some;

	/* constants come before what is computed */
	program_begin(p);
	most = program_const_i64(p, GPUAGG_T_INT4, 1 << 29);
	c = program_const_i64(p, GPUAGG_T_INT4, 7);
	if (filtered)
		program_filter(p, program_instr(p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_V], most));
	some = program_instr(p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, col[COL_K], c);
	program_key(p, program_instr(p, GPUAGG_OP_INT4_ADD, GPUAGG_CLASS_I64, col[COL_K], c),
				GPUAGG_T_INT4);
	program_key(p, program_instr(p, GPUAGG_OP_INT_MOD, GPUAGG_CLASS_I64, col[COL_W], c),
				GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, some, 0);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_W], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_W], some, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_F64, col[COL_F], some, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_MIN_I64, col[COL_K], NONE, GPUAGG_T_INT4);
}

/* ---------- cases ---------- */

static void
programs_agree(const GpuAggTaskConfig *config, const char *name)
{
	static TestProgram p;

	for (uint32_t every = 0; every <= 7; every += 7)
	{
		program_words(&p);
		ok(stripes_give(&p, config, every), name);
		program_less(&p, col[COL_V], 1 << 30);
		ok(stripes_give(&p, config, every), "with a filter");
		program_wide(&p);
		ok(stripes_give(&p, config, every), "with more arguments");
		program_begin(&p);
		program_key(&p, col[COL_K], GPUAGG_T_INT4);
		ok(stripes_give(&p, config, every), "with none");
	}
	program_begin(&p);
	program_key(&p, col[COL_W], GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT4);
	ok(stripes_give(&p, config, 0), "a key of 8 bytes, many groups");
	program_words(&p);
	program_key(&p, col[COL_V], GPUAGG_T_INT4);
	ok(stripes_give(&p, config, 0), "two keys");
}

static void
test_shape(const Shape *shape, const char *name)
{
	static const double estimates[] = {10, 3000, 2000000};
	GpuAggTaskConfig config = {.expected_rows = 100000};

	table_make(shape);
	ok(stripes_make(), name);
	{
		static TestProgram p;

		program_wide(&p);
		ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "kept");
	}
	for (size_t i = 0; i < sizeof(estimates) / sizeof(*estimates); i++)
	{
		config.expected_groups = estimates[i];
		config.expected_rows = 2 * estimates[i];
		programs_agree(&config, name);
	}
	stripes_free();
}

/* A long task, each of whose stripes is a launch of its own (device/choice/slices.h) */
static void
test_slices(void)
{
	static const Shape shape = {60000, 500, 1, 0};
	static const double estimates[] = {500, 3000, 2000000};
	static TestProgram p;
	GpuAggTaskConfig config = {
		.expected_rows = 100,
		.compile.interpreted_ns = UINT64_C(1000000000000),
		.compile.compiled_ns = UINT64_C(100000000000)
	};

	table_make(&shape);
	ok(stripes_make(), "stripes for slices");
	program_wide(&p);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "kept");
	for (size_t i = 0; i < sizeof(estimates) / sizeof(*estimates); i++)
	{
		config.expected_groups = estimates[i];
		programs_agree(&config, "in slices");
	}
	stripes_free();
}

/* Strategies that are forced, and windows */
static void
test_forced(void)
{
	static const Shape shape = {60000, 3000, 1, 0};
	static const uint32_t strategies[] = {
		GPUAGG_STRATEGY_BLOCK_LOCAL, GPUAGG_STRATEGY_SINGLE_PASS,
		GPUAGG_STRATEGY_MULTI_PASS_COPY, GPUAGG_STRATEGY_PARTITIONED
	};
	static TestProgram p;

	table_make(&shape);
	ok(stripes_make(), "stripes for forced strategies");
	program_wide(&p);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "kept");
	for (size_t i = 0; i < sizeof(strategies) / sizeof(*strategies); i++)
	{
		GpuAggTaskConfig config = {.expected_groups = 3000,.strategy = strategies[i],.forced = 1};

		program_wide(&p);
		ok(stripes_give(&p, &config, 0), "forced");
		program_less(&p, col[COL_V], 1 << 29);
		ok(stripes_give(&p, &config, 5), "forced, with a filter and pages");
		program_records(&p, true);
		ok(stripes_give(&p, &config, 5), "forced, computed keys and FILTER");
	}
	stripes_free();
}

/* Strategies that were chosen for columns, others for pages; and windows */
static void
test_chosen(uint32_t nulls, const char *name)
{
	const Shape shape = {60000, 3000, nulls, 0};
	static TestProgram p;

	table_make(&shape);
	ok(stripes_make(), name);
	program_wide(&p);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "kept");
	for (uint32_t s = 0; s < GPUAGG_NSTRATEGIES; s++)
		for (uint32_t every = 0; every <= 5; every += 5)
		{
			GpuAggTaskConfig config = {
				.expected_groups = 3000,
				.strategy = s == GPUAGG_STRATEGY_PARTITIONED ? GPUAGG_STRATEGY_SINGLE_PASS :
				GPUAGG_STRATEGY_PARTITIONED,
				.resident_strategy = s,
				.scope_bytes = 16384
			};

			program_words(&p);
			ok(stripes_give(&p, &config, every), gpuagg_strategy_name(s));
			ok(windows_give(&p, &config, 3, every), "in windows");
			program_less(&p, col[COL_V], 1 << 29);
			ok(stripes_give(&p, &config, every), "with a filter");
			program_begin(&p);
			program_key(&p, col[COL_W], GPUAGG_T_INT8);
			program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
			ok(stripes_give(&p, &config, every), "a key of 8 bytes alone");
			ok(windows_give(&p, &config, 2, every), "in windows");
			program_begin(&p);
			program_key(&p, col[COL_W], GPUAGG_T_INT8);
			program_trans(&p, GPUAGG_TRANS_SUM_I128, col[COL_W], NONE, GPUAGG_T_INT8);
			ok(stripes_give(&p, &config, every), "summed up itself");
			program_begin(&p);
			program_key(&p, col[COL_K], GPUAGG_T_INT4);
			program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_K], NONE, GPUAGG_T_INT4);
			program_trans(&p, GPUAGG_TRANS_COUNT, col[COL_F], NONE, GPUAGG_T_FLOAT8);
			ok(stripes_give(&p, &config, every), "a key of 4 bytes that is an argument");
			program_records(&p, false);
			ok(stripes_give(&p, &config, every), "computed keys and FILTER");
			ok(windows_give(&p, &config, 3, every), "in windows");
			program_records(&p, true);
			ok(stripes_give(&p, &config, every), "with a filter");
			ok(windows_give(&p, &config, 2, every), "in windows");
		}
	stripes_free();
}

/* Each comparison with a constant, from both sides, and several of them */
static void
test_filters(void)
{
	static const Shape shape = {30000, 50, 2, 0};
	static const double floats[] = {0.0, -0.0, 12.5, -124.875, 0.0 / 0.0, 1.0 / 0.0};
	static TestProgram p;
	uint16_t	c;
	uint16_t	first;

	table_make(&shape);
	ok(stripes_make(), "stripes to be filtered");
	program_wide(&p);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "kept");
	for (uint32_t op = 0; op < 12; op++)
	{
		program_words(&p);
		c = program_const_i64(&p, GPUAGG_T_INT4, op < 6 ? 20 : INT32_MIN);
		program_filter(
			&p,
			op % 2 ? program_instr(&p, GPUAGG_OP_I64_EQ + op % 6, GPUAGG_CLASS_I64, col[COL_K], c) :
					 program_instr(&p, GPUAGG_OP_I64_EQ + op % 6, GPUAGG_CLASS_I64, c, col[COL_K]));
		ok(stripes_give(&p, &ten_or_less, 0), "an integer compared");
	}
	for (uint32_t op = 0; op < 36; op++)
	{
		program_words(&p);
		c = program_const_f64(&p, floats[op / 6]);
		program_filter(
			&p, program_instr(&p, GPUAGG_OP_F64_EQ + op % 6, GPUAGG_CLASS_I64, col[COL_F], c));
		ok(stripes_give(&p, &ten_or_less, 0), "a number compared");
	}
	program_words(&p);
	c = program_const_i64(&p, GPUAGG_T_INT4, 40);
	first = program_instr(&p, GPUAGG_OP_I64_LE, GPUAGG_CLASS_I64, col[COL_K], c);
	first = program_instr(&p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, first,
						  program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, col[COL_W], c));
	program_filter(&p, first);
	ok(stripes_give(&p, &ten_or_less, 3), "two comparisons");
	program_words(&p);
	first = program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_K], col[COL_V]);
	program_filter(&p, first);
	ok(stripes_give(&p, &ten_or_less, 3), "two columns compared");
	program_words(&p);
	c = program_const_i64(&p, GPUAGG_T_INT4, 40);
	p.consts[0].state = GPUAGG_ST_NULL;
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_K], c));
	ok(stripes_give(&p, &ten_or_less, 0), "compared with NULL");
	stripes_free();
}

/*
 * A kernel for the filter comes between stripes: one is read before, as pages follow it,
 * and its rows are not lost when the others are read by the kernel.
 */
static void
test_late_kernel(void)
{
	static const Shape shape = {60000, 9000, 0, 0};
	static GpuAggPositions without[ARENA_PAGES + 1];
	static GpuAggPage pages[ARENA_PAGES];
	const GpuAggTaskConfig config = {
		.expected_groups = 9000,.expected_rows = 60000,.strategy = GPUAGG_STRATEGY_PARTITIONED,
		.resident_strategy = GPUAGG_STRATEGY_PARTITIONED,.forced = 1
	};
	static TestProgram p;
	GpuAggError error = {0};
	uint32_t	n = 0;
	Oracle	   *o;
	Run			run;

	table_make(&shape);
	ok(stripes_make(), "stripes whose kernel is late");
	program_wide(&p);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "kept");
	program_words(&p);
	program_filter(&p,
				   program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_V], col[COL_W]));
	o = oracle_start(&p);
	oracle_list(o, page_list, npages);
	for (uint32_t i = stripe_pages[1]; i < stripe_pages[2]; i++)
	{
		pages[n] = page_list[i];
		pages[n++].stripe = NULL;
	}
	ok(run_begin(&run, &p, &config) &&
		   OPS->task_resident(run.task, 0, stripes[0], without, without_pages(0, 0, without),
							  &error) == GPUAGG_OK &&
		   run_pages(&run, 1, pages, n) && run_collect(&run, 2),
	   "one stripe, and pages");
	ok(OPS->task_resident(run.task, 2, stripes[2], without, without_pages(2, 0, without), &error) ==
			   GPUAGG_OK &&
		   run_collect(&run, 1) && run_finish(&run, 4096) && oracle_agrees(o, &run),
	   "... and another stripe");
	run_end(&run);
	oracle_end(o);
	stripes_free();
}

/* Samples of lines, by each strategy, from stripes and beside pages; blocks are told anew. */
static void
test_sampled(uint32_t nulls)
{
	static const uint64_t cutoffs[] = {0, 1 << 24, GPUAGG_SAMPLE_ALL / 3, GPUAGG_SAMPLE_ALL - 1,
									   GPUAGG_SAMPLE_ALL};
	const Shape shape = {60000, 3000, nulls, 0};
	static TestProgram p;
	GpuAggError error = {0};
	Run			run;

	table_make(&shape);
	ok(stripes_make(), "stripes to be sampled");
	program_wide(&p);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "kept");
	for (uint32_t s = 0; s < GPUAGG_NSTRATEGIES; s++)
		for (size_t c = 0; c < sizeof(cutoffs) / sizeof(*cutoffs); c++)
		{
			const GpuAggTaskConfig config = {
				.expected_groups = 3000,.resident_strategy = s,.scope_bytes = 16384,
				.sample = {GPUAGG_SAMPLE_BERNOULLI, 7919 * s + (uint32_t) c, cutoffs[c]}
			};

			program_words(&p);
			if (s + c == 0)
			{
				ok(run_begin(&run, &p, &config) &&
				   OPS->task_resident(run.task, 1, stripes[0], NULL, 0, &error) ==
				   GPUAGG_UNSUPPORTED, "whose lines nobody has told");
				run_end(&run);
			}
			ok(stripes_tell(1000 * s), "lines are told");
			ok(stripes_give(&p, &config, 0), gpuagg_strategy_name(s));
			ok(stripes_give(&p, &config, 5), "beside pages");
			ok(windows_give(&p, &config, 3, 5), "in windows");
			program_records(&p, true);
			ok(stripes_give(&p, &config, 5), "computed keys, FILTER and a filter");
		}
	stripes_free();
}

/* Nothing is kept yet, and nothing is wanted */
static void
test_empty(void)
{
	static const Shape shape = {500, 10, 0, 0};
	static const GpuAggPositions all = {0, UINT32_MAX};
	static TestProgram p;
	GpuAggError error = {0};
	Oracle	   *o;
	Run			run;

	table_make(&shape);
	ok(stripes_make(), "stripes where nothing is yet");
	program_words(&p);
	o = oracle_start(&p);
	for (int kept = 0; kept < 2; kept++)
	{
		run_begin(&run, &p, &ten_or_less);
		ok(OPS->task_resident(run.task, 1, stripes[0], &all, kept, &error) == GPUAGG_OK &&
		   run_collect(&run, 1) && run_finish(&run, 4096) && oracle_agrees(o, &run), "no rows");
		run_end(&run);
		ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "kept");
	}
	oracle_end(o);
	stripes_free();
}

int
device_stripe_path_cases(const TestDevice *d)
{
	static const Shape plain = {100000, 100, 0, 0};
	static const Shape nulls = {60000, 100, 3, 0};
	static const Shape sorted = {60000, 500, 0, 100};
	static const Shape many = {150000, 60000, 1, 0};

	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, UINT64_C(256) << 20);
	test_shape(&plain, "no NULLs");
	test_shape(&nulls, "NULLs");
	test_shape(&sorted, "sorted");
	test_shape(&many, "many groups");
	test_slices();
	test_forced();
	test_chosen(0, "stripes for chosen strategies");
	test_chosen(1, "the same, with NULLs");
	test_sampled(0);
	test_sampled(1);
	test_filters();
	test_late_kernel();
	test_empty();
	ok(dut.compiler == NULL || runs_compiled > 100,
	   "kernels made for programs ran, where there are any");
	is_int((long long) STRIPES->used(device), 0, "no stripe has left memory behind");
	is_at_rest("nor has a task");
	device_close();
	return done_testing();
}
