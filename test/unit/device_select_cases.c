/*
 * device_select_cases.c
 *		Programs that select rows: each row that passes the filter is listed
 *		once, with its mark, and each that only PostgreSQL can judge once
 *		without; in samples or not, on pages in every state.
 */
#include "device_oracle.h"
#include "device_table.h"

/* What a program selects */
typedef enum Filter
{
	NO_FILTER,					/* every row, and no column is read */
	ONE_IN_TEN,
	NEVER,
	BY_TEXT,					/* the rows of one text */
	BY_LATE_COLUMN,				/* behind a text that is not read */
	WIDE,						/* more registers than a thread keeps at hand */
	NFILTERS
} Filter;

static const char *const filter_names[] = {"every row", "one row in ten", "no row",
"rows of one text", "rows by a column behind texts", "rows by a wide program"};

static void
program_select(TestProgram *p, Filter filter)
{
	uint16_t	reg = NONE;
	uint16_t	five;

	if (filter == BY_TEXT)
		program_columns(p, WANT(COL_T));
	else if (filter == BY_LATE_COLUMN)
		program_columns(p, WANT(COL_D));
	else if (filter == NO_FILTER)
		program_init(p);
	else
		program_columns(p, WANT(COL_A) | WANT(COL_V));
	p->head.select = 1;
	switch (filter)
	{
		case NO_FILTER:
		case NFILTERS:
			return;
		case ONE_IN_TEN:
			five = program_const_i64(p, GPUAGG_T_INT4, 5);
			reg = program_instr(p, GPUAGG_OP_I64_EQ, GPUAGG_CLASS_I64, col[COL_A], five);
			break;
		case NEVER:
			reg = program_instr(p, GPUAGG_OP_I64_NE, GPUAGG_CLASS_I64, col[COL_A], col[COL_A]);
			break;
		case BY_TEXT:
			five = program_const_text(p, "6 is a longer string");
			reg = program_instr(p, GPUAGG_OP_BYTES_EQ, GPUAGG_CLASS_I64, col[COL_T], five);
			break;
		case BY_LATE_COLUMN:
			five = program_const_f64(p, 0.5);
			reg = program_instr(p, GPUAGG_OP_F64_LT, GPUAGG_CLASS_I64, col[COL_D], five);
			break;
		case WIDE:
			five = program_const_i64(p, GPUAGG_T_INT8, 5);
			reg = col[COL_V];
			for (int i = 0; i < 40; i++)
				reg = program_instr(p, GPUAGG_OP_INT_XOR, GPUAGG_CLASS_I64, reg,
									i % 2 ? five : col[COL_A]);
			reg = program_instr(p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, reg, five);
			break;
	}
	program_filter(p, reg);
}

/* All filters, in small batches and large ones */
static bool
select_all(const GpuAggTaskConfig *config, const char *what)
{
	static TestProgram p;
	bool		good = true;

	for (Filter f = 0; f < NFILTERS; f++)
	{
		program_select(&p, f);
		if (oracle_run(&p, page_list, npages, config, 7, 3) &&
			oracle_run(&p, page_list, npages, config, 300, 6))
			continue;
		printf("# %s, %s\n", filter_names[f], what);
		good = false;
	}
	return ok(good, what);
}

static void
test_pages(void)
{
	table_make(scaled(60000), 10, IN_TURN);
	select_all(&plain_config, "pages wholly visible");
	table_odd_lines = true;
	table_build();
	select_all(&plain_config, "pages with odd lines");
	table_hide_rows();
	select_all(&plain_config, "rows that are not visible");
	table_odd_lines = false;
}

static void
test_samples(void)
{
	static const double percents[] = {0, 0.01, 1, 50, 99.9, 100};

	table_odd_lines = true;
	table_make(scaled(60000), 10, IN_TURN);
	table_hide_rows();
	for (size_t k = 0; k < sizeof(percents) / sizeof(*percents); k++)
	{
		GpuAggTaskConfig config = {.sample.method = GPUAGG_SAMPLE_BERNOULLI,
								   .sample.seed = (uint32_t) k * 7919};
		char		name[60];

		config.sample.cutoff = (uint64_t) (percents[k] / 100 * (double) GPUAGG_SAMPLE_ALL);
		snprintf(name, sizeof(name), "a sample of %g %% of the rows", percents[k]);
		select_all(&config, name);
	}
	table_odd_lines = false;
}

/* Pages without a line, at the start, in between and at the end */
static void
test_empty_pages(void)
{
	static GpuAggPage list[ARENA_PAGES];
	static TestProgram p;
	uint32_t	n = 0;

	table_make(scaled(3000), 10, IN_TURN);
	for (uint32_t i = 0; i < npages; i++)
	{
		list[n] = page_list[i];
		list[n++].nlines = 0;
		list[n++] = page_list[i];
	}
	list[n] = page_list[0];
	list[n++].nlines = 0;
	for (Filter f = 0; f < NFILTERS; f++)
	{
		program_select(&p, f);
		ok(oracle_run(&p, list, n, &plain_config, 16, 4), filter_names[f]);
	}
	program_select(&p, NO_FILTER);
	ok(oracle_run(&p, list, 1, &plain_config, 16, 4), "a page without lines alone");
	ok(oracle_run(&p, list, 0, &plain_config, 16, 4), "no page at all");
}

/* Rows with a value that is not on the page are PostgreSQL's, if it is needed. */
static void
test_toasted(void)
{
	static const uint32_t one_in[] = {500, 20, 1};

	table_odd_lines = true;
	table_make(scaled(40000), 10, IN_TURN);
	for (size_t k = 0; k < sizeof(one_in) / sizeof(*one_in); k++)
	{
		char		name[60];

		for (uint32_t i = 0; i < nrows; i++)
		{
			uint64_t	kind = random_next() % (2 * one_in[k]);

			rows[i].toast = kind == 0 ? EXTERNAL : kind == 1 ? COMPRESSED : NOT_TOASTED;
		}
		table_build();
		table_hide_rows();
		snprintf(name, sizeof(name), "a toasted text in one of %u rows", one_in[k]);
		select_all(&plain_config, name);
	}
	table_odd_lines = false;
}

/* An error of the filter ends the task; of a row that is not read it does not. */
static void
test_errors(void)
{
	static TestProgram p;
	uint16_t	zero;
	uint16_t	quotient;

	table_make(scaled(3000), 10, IN_TURN);
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	p.head.select = 1;
	zero = program_const_i64(&p, GPUAGG_T_INT8, 0);
	quotient = program_instr(&p, GPUAGG_OP_INT8_DIV, GPUAGG_CLASS_I64, col[COL_V], zero);
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_EQ, GPUAGG_CLASS_I64, quotient, zero));
	ok(oracle_run(&p, page_list, npages, &plain_config, 16, 4), "an error in the filter");
	for (uint32_t i = 0; i < npages; i++)
	{
		memset(page_visibility[i], 0, GPUAGG_VISIBILITY_BYTES);
		page_list[i].visibility = page_visibility[i];
	}
	ok(oracle_run(&p, page_list, npages, &plain_config, 16, 4), "none of rows that nobody sees");
}

/* Faults at each stage, cancelling, and programs that are not ones */
static void
test_faults(void)
{
	static const GpuAggFaultStage stages[] = {GPUAGG_FAULT_BEGIN, GPUAGG_FAULT_PAGES,
	GPUAGG_FAULT_FINISH, GPUAGG_FAULT_RESULTS};
	static TestProgram p;
	Run			run;

	table_make(scaled(20000), 10, IN_TURN);
	program_select(&p, ONE_IN_TEN);
	for (size_t k = 0; k < sizeof(stages) / sizeof(*stages); k++)
	{
		GpuAggTaskConfig config = {.fault = stages[k]};

		ok(!run_task(&run, &p, &config, 4096) && run.error.status == GPUAGG_INJECTED,
		   "an injected fault");
		run_end(&run);
	}
	run_begin(&run, &p, &plain_config);
	run_pages(&run, 0, page_list, npages);
	OPS->task_cancel(run.task);
	run_collect(&run, 1);
	ok(run.error.status == GPUAGG_CANCELLED || run.error.status == GPUAGG_OK, "cancelled");
	run_end(&run);
	ok(oracle_run(&p, page_list, npages, &plain_config, 16, 4), "another task works");
}

/* What a task says of itself; it has no groups. */
static void
test_stats(void)
{
	static TestProgram p;
	Run			run;

	table_make(scaled(20000), 10, IN_TURN);
	program_select(&p, ONE_IN_TEN);
	ok(run_all(&run, &p, 4096), "a task");
	is_int(run.groups, 0, "no groups");
	is_int((long long) run.stats.groups, 0, "none counted");
	ok(strcmp(run.stats.strategy, "select") == 0, "its strategy");
	run_end(&run);
}

int
device_select_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	test_pages();
	test_samples();
	test_empty_pages();
	test_toasted();
	test_errors();
	test_faults();
	test_stats();
	is_at_rest("no task has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
