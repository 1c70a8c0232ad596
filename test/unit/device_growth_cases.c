/*
 * device_growth_cases.c
 *		Tables that grow while batches are in flight: many more groups than
 *		expected, pages as odd as a heap has them, rows that the device leaves
 *		to PostgreSQL and gets back evaluated.
 */
#include "device/batch_memory.h"
#include "device_oracle.h"
#include "device_table.h"

/* ---------- many more groups than expected ---------- */

static void
test_growth(void)
{
	static TestProgram p;
	GpuAggTaskConfig right = {.expected_groups = 300000,.expected_rows = 300000};
	GpuAggTaskConfig wild = {.expected_groups = 1e18,.expected_rows = 1e18};
	Oracle	   *o;

	table_make(scaled(300000), 300000, IN_TURN);
	program_standard(&p);
	o = oracle_start(&p);
	oracle_list(o, page_list, npages);
	ok(oracle_compare(o, &p, page_list, npages, &ten_or_less, 64, 8),
	   "300,000 integers instead of 10");
	ok(oracle_compare(o, &p, page_list, npages, &right, 64, 8), "expected");
	ok(oracle_compare(o, &p, page_list, npages, &wild, 64, 8), "fewer than expected by far");
	ok(oracle_compare(o, &p, page_list, npages, &ten_or_less, npages, 1), "in one batch");
	oracle_end(o);
	ok(oracle_run(&p, page_list, npages / 20, &ten_or_less, 1, 30), "in batches of one page");
	program_texts(&p);
	ok(oracle_run(&p, page_list, npages, &ten_or_less, 64, 8), "300,000 texts, long ones, too");
}

/* Each group sees several long texts, so that states change hands. */
static void
test_text_states(void)
{
	static TestProgram p;
	uint16_t	divisor;
	uint16_t	key;

	table_make(scaled(200000), 200000, IN_TURN);
	program_columns(&p, WANT(COL_A) | WANT(COL_T));
	divisor = program_const_i64(&p, GPUAGG_T_INT4, 40000);
	key = program_instr(&p, GPUAGG_OP_INT_MOD, GPUAGG_CLASS_I64, col[COL_A], divisor);
	program_key(&p, key, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_MIN_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_MAX_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_MIN_BPCHAR, col[COL_T], NONE, GPUAGG_T_BPCHAR);
	program_trans(&p, GPUAGG_TRANS_MAX_BPCHAR, col[COL_T], NONE, GPUAGG_T_BPCHAR);
	ok(oracle_run(&p, page_list, npages, &ten_or_less, 64, 8),
	   "least and greatest of several texts");
	p.consts[0].v.i = 3;
	ok(oracle_run(&p, page_list, npages, &ten_or_less, 64, 8), "of very many");
	p.head.nkeys = 0;
	ok(oracle_run(&p, page_list, npages, &ten_or_less, 64, 8), "of all");
}

/* The same pages again and again: one group, then many at the end */
static void
test_late_growth(void)
{
	static TestProgram p;
	static GpuAggPage list[20 * 64];
	Oracle	   *o;

	table_make(60000, 60000, IN_TURN);
	program_standard(&p);
	for (uint32_t i = 0; i < 20 * 64; i++)
		list[i] = page_list[i < 19 * 64 ? i % 4 : i % npages];
	ok(oracle_run(&p, list, 20 * 64, &ten_or_less, 64, 8), "growth in the last batch");
	for (uint32_t i = 0; i < 20 * 64; i++)
		list[i] = page_list[i < 8 * 64 ? i % npages : i % 4];
	ok(oracle_run(&p, list, 20 * 64, &ten_or_less, 64, 8), "growth in the first batches only");
	o = oracle_start(&p);
	oracle_list(o, list, 20 * 64);
	ok(o->ngroups > 20000, "it did grow");
	oracle_end(o);
}

/* Many rows of each group, more than a host device keeps at once */
static void
test_many_rows(void)
{
	static TestProgram p;
	static GpuAggPage list[12000];
	GpuAggTaskConfig small = {.expected_groups = 10,.memory_limit = 32 << 20};
	uint32_t	n = scaled(12000);

	table_make(60000, 30000, 2);
	for (uint32_t i = 0; i < n; i++)
		list[i] = page_list[i % npages];
	program_standard(&p);
	ok(oracle_run(&p, list, n, &ten_or_less, 64, 8), "the same rows again and again");
	if (!dut.gpu)
		ok(oracle_run(&p, list, n, &small, 64, 8), "in little memory");
	program_texts(&p);
	ok(oracle_run(&p, list, n, &ten_or_less, 64, 8), "with texts");
	if (!dut.gpu)
		ok(oracle_run(&p, list, n, &small, 64, 8), "in little memory");
}

/* ---------- batches without memory ---------- */

/* All pages, 256 a batch; the most memory that the task had */
static uint64_t
short_run(Oracle *o, const TestProgram *p, uint64_t limit, uint32_t in_flight, const char *name)
{
	GpuAggTaskConfig config = {.expected_groups = 500,.expected_rows = 300000,
		.memory_limit = limit,.strategy = GPUAGG_STRATEGY_SINGLE_PASS,.forced = 1};
	uint64_t	most;
	Run			run;

	if (run_begin(&run, p, &config) && run_list(&run, page_list, npages, 256, in_flight))
		run_finish(&run, 1 << 20);
	most = run.stats.memory_bytes;
	ok(oracle_agrees(o, &run) && (limit == 0 || most <= limit), name);
	run_end(&run);
	return most;
}

/*
 * A GPU's batches take memory for their rows.  Where they find none, they wait
 * for those before them, and the task goes on as if there were one at a time.
 */
static void
test_short_memory(void)
{
	static TestProgram p;
	Oracle	   *o;
	GpuAggProgram *packed;
	double		batch;
	uint32_t	lines = 0;
	uint64_t	one;
	uint64_t	eight;

	table_make(scaled(300000), 500, 0);
	program_standard(&p);
	for (uint32_t i = 0; i < npages; i++)
		lines = page_list[i].nlines > lines ? page_list[i].nlines : lines;
	packed = program_pack(&p);
	batch = 256 * gpuagg_batch_page_bytes(packed, lines) + 8192;
	free(packed);
	o = oracle_start(&p);
	oracle_list(o, page_list, npages);
	one = short_run(o, &p, 0, 1, "one batch in flight");
	eight = short_run(o, &p, 0, 8, "eight");
	/* kernels take memory for columns where there is enough of it */
	ok(dut.compiler != NULL || (double) eight <= (double) one + 7 * batch,
	   "which take no more than planned");
	(void) short_run(o, &p, one, 8, "eight, with memory for one");
	(void) short_run(o, &p, one + (uint64_t) (2.5 * batch), 8, "with memory for three");
	oracle_end(o);
}

/* ---------- odd pages ---------- */

static void
test_odd_pages(void)
{
	static TestProgram p;

	table_odd_lines = true;
	table_make(scaled(100000), 30000, 0);
	table_hide_rows();
	program_standard(&p);
	ok(oracle_run(&p, page_list, npages, &ten_or_less, 64, 8),
	   "invisible, unused, dead and redirected lines");
	program_texts(&p);
	ok(oracle_run(&p, page_list, npages, &ten_or_less, 64, 8), "also with text keys");
	program_init(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	ok(oracle_run(&p, page_list, npages, &ten_or_less, 64, 8), "also when they are only counted");
	table_odd_lines = false;
}

/* Samples of lines, also where lines are hidden or hold no tuple */
static void
test_samples(void)
{
	static const uint64_t cutoffs[] = {0, 1, GPUAGG_SAMPLE_ALL / 1000, GPUAGG_SAMPLE_ALL / 100,
		GPUAGG_SAMPLE_ALL / 2, GPUAGG_SAMPLE_ALL - 1, GPUAGG_SAMPLE_ALL};
	static TestProgram p;
	GpuAggTaskConfig config = {.sample = {GPUAGG_SAMPLE_BERNOULLI, 1, 0}};
	char		name[80];

	table_odd_lines = true;
	table_make(scaled(100000), 3000, 0);
	for (uint32_t i = 0; i < nrows; i += 50)
		rows[i].toast = EXTERNAL;
	table_build();
	table_hide_rows();
	for (uint32_t i = 0; i < sizeof(cutoffs) / sizeof(cutoffs[0]); i++)
	{
		config.sample.cutoff = cutoffs[i];
		config.sample.seed = (uint32_t) random_next();
		snprintf(name, sizeof(name), "a sample of lines, cutoff %llx",
				 (unsigned long long) cutoffs[i]);
		program_standard(&p);
		ok(oracle_run(&p, page_list, npages, &config, 64, 8), name);
		program_texts(&p);
		ok(oracle_run(&p, page_list, npages, &config, 64, 8), "also with text keys");
		program_init(&p);
		program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
		ok(oracle_run(&p, page_list, npages, &config, 64, 8), "also when rows are only counted");
	}
	config.sample.method = GPUAGG_SAMPLE_SYSTEM;
	config.sample.cutoff = 0;
	ok(oracle_run(&p, page_list, npages, &config, 64, 8), "a sample of blocks leaves pages alone");
	table_odd_lines = false;
}

/* Lines only that hold nothing, pages without lines, batches of nothing */
static void
test_empty_pages(void)
{
	static TestProgram p;
	static const uint8_t nothing[GPUAGG_VISIBILITY_BYTES];
	static GpuAggPage list[100];

	table_make(2000, 100, 0);
	for (uint32_t i = 0; i < 100; i++)
	{
		TestPage   *page = &pages[npages + i];

		page_init(page);
		for (uint32_t k = 0; k < i * 2; k++)
			page_add_odd_line(page);
		list[i] = (GpuAggPage) {.page = page->bytes,.nlines = page->nlines,.block = i};
		if (i % 3 == 1)
			list[i] = page_list[i % npages];
		if (i % 9 == 1)
			list[i].visibility = nothing;
		if (i % 9 == 4)
			list[i].nlines = 0;
	}
	program_standard(&p);
	ok(oracle_run(&p, list, 100, &plain_config, 40, 6), "pages without rows between others");
	ok(oracle_run(&p, list, 1, &plain_config, 1, 1), "one without a line");
	program_columns(&p, 0);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	ok(oracle_run(&p, list, 100, &plain_config, 40, 6), "counted");
}

/* Tuples from before columns were added */
static void
test_missing_attributes(void)
{
	static TestProgram p;

	table_make(scaled(30000), 100, 0);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].natts = (uint8_t) (i % 7 > NCOLS ? 0 : i % 7);
	table_build();
	for (int with = 0; with < 2; with++)
	{
		program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
		if (with)
		{
			p.attrs[COL_V].missing_const = program_const_i64(&p, GPUAGG_T_INT8, -77);
			p.attrs[COL_D].missing_const = program_const_f64(&p, 0.5);
			p.attrs[COL_C].missing_const = program_const_text(&p, "a default that is long");
		}
		program_key(&p, col[COL_A], GPUAGG_T_INT4);
		program_key(&p, col[COL_C], GPUAGG_T_TEXT);
		program_trans(&p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
		program_trans(&p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
		program_trans(&p, GPUAGG_TRANS_MAX_BYTES, col[COL_C], NONE, GPUAGG_T_TEXT);
		ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6),
		   with ? "attributes that are missing have their defaults" : "or are NULL");
	}
}

/* ---------- rows that PostgreSQL evaluates ---------- */

/* Rows of program_texts as task_rows takes them: key, v, t, t */
typedef struct RowSet
{
	uint32_t	n;
	uint8_t	   *states[4];
	GpuAggBytes *texts[4];
	int64_t    *numbers;
	GpuAggRowColumn columns[4];
} RowSet;

static void
rowset_make(RowSet *set, uint32_t most)
{
	memset(set, 0, sizeof(*set));
	set->numbers = calloc(most + 1, sizeof(*set->numbers));
	for (int i = 0; i < 4; i++)
	{
		set->states[i] = calloc(most + 1, 1);
		set->texts[i] = calloc(most + 1, sizeof(**set->texts));
		set->columns[i] = (GpuAggRowColumn) {set->states[i], set->texts[i]};
	}
	set->columns[1].values = set->numbers;
}

/* What has been handed over must have been copied. */
static void
rowset_spoil(RowSet *set)
{
	memset(set->numbers, 0xFF, set->n * sizeof(*set->numbers));
	for (int i = 0; i < 4; i++)
	{
		memset(set->states[i], GPUAGG_ST_DIV_ZERO, set->n);
		memset(set->texts[i], 0xFF, set->n * sizeof(**set->texts));
	}
}

static void
rowset_free(RowSet *set)
{
	free(set->numbers);
	for (int i = 0; i < 4; i++)
	{
		free(set->states[i]);
		free(set->texts[i]);
	}
}

static void
rowset_add(RowSet *set, const Row *r)
{
	uint32_t	n = set->n++;

	for (int i = 0; i < 4; i++)
	{
		set->states[i][n] = i == 1 && r->v_null ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
		set->texts[i][n] = (GpuAggBytes) {r->t, strlen(r->t)};
	}
	set->numbers[n] = r->v;
}

/* The same for the oracle */
static void
oracle_add(Oracle *o, const Row *r)
{
	static OracleRow out;

	for (int i = 0; i < 4; i++)
	{
		out.st[i] = i == 1 && r->v_null ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
		out.v[i].b = (GpuAggBytes) {r->t, strlen(r->t)};
	}
	out.v[1].i = r->v;
	oracle_row(o, &out);
}

/* Sends rows [first, last) of those that the device has listed. */
static bool
run_answer(Run *run, Oracle *o, uint64_t batch_id, uint32_t first, uint32_t last)
{
	RowSet		set;
	GpuAggStatus status;

	rowset_make(&set, last - first);
	for (uint32_t i = first; i < last; i++)
	{
		const GpuAggRowRef *ref = &run->skipped[i];
		const Row  *r = &rows[line_row[ref->page][ref->line - 1]];

		rowset_add(&set, r);
		oracle_add(o, r);
	}
	status = OPS->task_rows(run->task, batch_id, set.columns, set.n, &run->error);
	rowset_spoil(&set);
	rowset_free(&set);
	return status == GPUAGG_OK;
}

/* Pages, their lists answered while further pages are in flight */
static bool
run_with_answers(Run *run, Oracle *o)
{
	uint32_t	in_flight = 0;
	uint32_t	answered = 0;
	uint64_t	batch_id = 1000000;

	for (uint32_t first = 0; first < npages; first += 32)
	{
		if (!run_pages(run, first, page_list + first, npages - first < 32 ? npages - first : 32))
			return false;
		if (++in_flight < 8)
			continue;
		run_collect(run, 2);
		in_flight -= 2;
		if (run->nskipped == answered)
			continue;
		if (!run_answer(run, o, batch_id++, answered, run->nskipped))
			return false;
		answered = run->nskipped;
		in_flight++;
	}
	if (!run_collect(run, in_flight))
		return false;
	return run->nskipped == answered ||
		(run_answer(run, o, batch_id, answered, run->nskipped) && run_collect(run, 1));
}

static void
table_toast(uint32_t one_in)
{
	for (uint32_t i = 0; i < nrows; i++)
	{
		uint64_t	kind = random_next() % (2 * one_in);

		rows[i].toast = kind == 0 ? EXTERNAL : kind == 1 ? COMPRESSED : NOT_TOASTED;
	}
	table_build();
}

static void
test_toasted(void)
{
	static TestProgram p;
	static const uint32_t one_in[] = {1000, 30, 2, 1};
	Run			run;

	table_odd_lines = true;
	table_make(scaled(100000), 100000, IN_TURN);
	for (size_t k = 0; k < sizeof(one_in) / sizeof(*one_in); k++)
	{
		Oracle	   *o;
		char		name[80];

		table_toast(one_in[k]);
		table_hide_rows();
		program_texts(&p);
		o = oracle_start(&p);
		oracle_list(o, page_list, npages);
		if (run_begin(&run, &p, &ten_or_less) && run_with_answers(&run, o))
			run_finish(&run, 4096);
		snprintf(name, sizeof(name), "one toasted value in %u rows, listed once and answered",
				 one_in[k]);
		ok(run.nskipped > 0 && oracle_agrees(o, &run), name);
		run_end(&run);
		oracle_end(o);
	}
	program_standard(&p);
	ok(oracle_run(&p, page_list, npages, &plain_config, 64, 8),
	   "toasted values that nobody needs are no matter");
	table_odd_lines = false;
}

/* No pages at all: every row comes evaluated, in batches of any size. */
static void
test_rows_only(void)
{
	static TestProgram p;
	static const uint32_t sizes[] = {1, 2, 31, 1000, 1024, 1025, 7000};
	Oracle	   *o;
	Run			run;
	uint32_t	first = 0;
	uint32_t	batches = 0;

	table_make(scaled(60000), 50000, IN_TURN);
	program_texts(&p);
	o = oracle_start(&p);
	run_begin(&run, &p, &ten_or_less);
	while (first < nrows)
	{
		uint32_t	n = sizes[batches % 7];
		RowSet		set;

		rowset_make(&set, n);
		for (; set.n < n && first < nrows; first++)
		{
			rowset_add(&set, &rows[first]);
			oracle_add(o, &rows[first]);
		}
		if (OPS->task_rows(run.task, batches, set.columns, set.n, &run.error) == GPUAGG_OK)
			batches++;
		else
			first = nrows;
		rowset_spoil(&set);
		rowset_free(&set);
	}
	if (run.error.status == GPUAGG_OK && run_collect(&run, batches))
		run_finish(&run, 4096);
	ok(oracle_agrees(o, &run), "rows evaluated by PostgreSQL only");
	run_end(&run);
	oracle_end(o);
}

/* A NULL key, a state of NULL, a consumed error: all come in rows, too. */
static void
test_row_states(void)
{
	static TestProgram p;
	static uint8_t states[4][3] = {{GPUAGG_ST_VALUE, GPUAGG_ST_NULL, GPUAGG_ST_VALUE},
	{GPUAGG_ST_NULL, GPUAGG_ST_VALUE, GPUAGG_ST_VALUE}};
	static const GpuAggBytes texts[3] = {{"", 0}, {NULL, 0}, {"twelve bytes", 12}};
	static const int64_t numbers[3] = {0, -5, INT64_MIN};
	GpuAggRowColumn columns[4] = {{states[0], texts}, {states[1], numbers}, {states[0], texts},
	{states[0], texts}};
	Oracle	   *o;
	Run			run;

	program_texts(&p);
	o = oracle_start(&p);
	for (uint32_t i = 0; i < 3; i++)
	{
		static OracleRow out;

		for (uint32_t k = 0; k < 4; k++)
		{
			out.st[k] = columns[k].states[i];
			out.v[k].b = texts[i];
		}
		out.v[1].i = numbers[i];
		oracle_row(o, &out);
	}
	if (run_begin(&run, &p, &plain_config) &&
		OPS->task_rows(run.task, 1, columns, 3, &run.error) == GPUAGG_OK && run_collect(&run, 1))
		run_finish(&run, 4096);
	ok(oracle_agrees(o, &run) && run.groups == 3, "rows with NULLs and an empty text");
	run_end(&run);
	oracle_end(o);

	states[1][2] = GPUAGG_ST_INT_RANGE;
	if (run_begin(&run, &p, &plain_config) &&
		OPS->task_rows(run.task, 1, columns, 3, &run.error) == GPUAGG_OK && run_collect(&run, 1))
		run_finish(&run, 4096);
	ok(run.error.status == GPUAGG_VALUE_ERROR && run.error.detail == GPUAGG_ST_INT_RANGE,
	   "an error among them");
	run_end(&run);
}

int
device_growth_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	test_growth();
	test_text_states();
	test_late_growth();
	test_many_rows();
	if (dut.gpu)
		test_short_memory();
	test_odd_pages();
	test_samples();
	test_empty_pages();
	test_missing_attributes();
	test_toasted();
	test_rows_only();
	test_row_states();
	is_at_rest("no task has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
