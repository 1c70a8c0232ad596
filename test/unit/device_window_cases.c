/*
 * device_window_cases.c
 *		Windows over the hash space, and strategies that are forced: whatever
 *		the number of windows, their groups together are those of one task.
 */
#include "device_oracle.h"
#include "device_table.h"

/* What the windows of a task gave, as if one task had given it */
static void
windows_append(Run *all, Run *part)
{
	if (part->results_bytes > 0)
		run_keep(all, part->results, part->results_bytes, part->groups);
	if (part->error.status != GPUAGG_OK)
		all->error = part->error;
}

/*
 * One task for each window.  Each scans, passes and lists the same rows; those
 * of the first one are kept.
 */
static bool
windows_run(Run *all, const TestProgram *p, const GpuAggTaskConfig *base, uint32_t count)
{
	GpuAggTaskConfig config = *base;
	bool		same = true;

	memset(all, 0, sizeof(*all));
	for (uint32_t i = 0; i < count; i++)
	{
		Run			part;

		config.hash_window.index = i;
		config.hash_window.count = count;
		if (run_begin(&part, p, &config) && run_list(&part, page_list, npages, 64, 8))
			run_finish(&part, 4096);
		windows_append(all, &part);
		if (i == 0)
		{
			all->scanned = part.scanned;
			all->passed = part.passed;
			memcpy(all->left, part.left, sizeof(part.left));
			all->skipped = part.skipped;
			all->nskipped = part.nskipped;
			part.skipped = NULL;
		}
		same &= part.scanned == all->scanned && part.passed == all->passed &&
			part.stats.groups == part.groups;
		run_end(&part);
	}
	return same;
}

static void
test_windows(const TestProgram *p, const char *what)
{
	static const uint32_t counts[] = {1, 3, 2, 16, 50};
	static const GpuAggStrategy forced[] = {GPUAGG_STRATEGY_AUTO, GPUAGG_STRATEGY_BLOCK_LOCAL,
		GPUAGG_STRATEGY_SINGLE_PASS, GPUAGG_STRATEGY_PARTITIONED};
	Oracle	   *o = oracle_start(p);

	/* a task for each window takes tools that watch every access too long */
	const uint32_t ncounts = scale_percent() < 100 ? 2 : sizeof(counts) / sizeof(counts[0]);

	oracle_list(o, page_list, npages);
	for (uint32_t c = 0; c < ncounts; c++)
		for (uint32_t f = 0; f < sizeof(forced) / sizeof(forced[0]); f++)
		{
			GpuAggTaskConfig config = ten_or_less;
			char		name[120];
			Run			all;
			bool		same;

			config.strategy = forced[f];
			config.forced = forced[f] != GPUAGG_STRATEGY_AUTO;
			same = windows_run(&all, p, &config, counts[c]);
			snprintf(name, sizeof(name), "%s, %u windows, %s", what, counts[c],
					 gpuagg_strategy_name(forced[f]));
			ok(same && oracle_agrees(o, &all), name);
			free(all.results);
			free(all.skipped);
		}
	oracle_end(o);
}

static void
test_programs(void)
{
	static TestProgram p;

	table_make(scaled(20000), 5000, 0);
	program_standard(&p);
	test_windows(&p, "integers");
	table_make(scaled(20000), 20, 0);
	test_windows(&p, "few groups");
	table_make(scaled(20000), 5000, 9);
	test_windows(&p, "one heavy key");
	table_make(scaled(10000), 3000, 0);
	program_texts(&p);
	test_windows(&p, "texts");
	/* rows that the device leaves to PostgreSQL are listed in each window */
	for (uint32_t i = 0; i < nrows; i += 50)
		rows[i].toast = EXTERNAL;
	table_build();
	test_windows(&p, "texts, some of them elsewhere");
}

/* Without keys there is one window, of all. */
static void
test_no_keys(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.hash_window = {0, 1}};

	table_make(scaled(5000), 100, 0);
	program_init(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	ok(oracle_run(&p, page_list, npages, &config, 64, 8), "no keys, the one window");
}

/* Samples choose the same lines in each window. */
static void
test_sampled(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.sample = {GPUAGG_SAMPLE_BERNOULLI, 7, GPUAGG_SAMPLE_ALL / 3}};
	Oracle	   *o;
	Run			all;
	bool		same;

	table_make(scaled(20000), 4000, 0);
	program_standard(&p);
	o = oracle_start(&p);
	o->sample = config.sample;
	oracle_list(o, page_list, npages);
	same = windows_run(&all, &p, &config, 7);
	ok(same && oracle_agrees(o, &all), "a sample of lines in seven windows");
	free(all.results);
	free(all.skipped);
	oracle_end(o);
}

/* Forced strategies are what runs; others are left when groups are too many. */
static void
test_strategies(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = ten_or_less;
	Run			run;

	table_make(scaled(200000), 150000, 0);
	program_standard(&p);
	if (run_begin(&run, &p, &config) && run_list(&run, page_list, npages, 64, 8))
		run_finish(&run, 4096);
	ok(run.error.status == GPUAGG_OK && (nrows < 200000 ||
										 (run.stats.switches == 1 &&
										  strcmp(run.stats.strategy, dut.many_groups) == 0)),
	   "ten groups expected, very many found: another strategy, and said so");
	run_end(&run);
	table_make(scaled(200000), 10, 0);
	config.expected_groups = config.expected_rows = 1e6;
	if (run_begin(&run, &p, &config) && run_list(&run, page_list, npages, 16, 2))
		run_finish(&run, 4096);
	ok(run.error.status == GPUAGG_OK && run.groups == 10 &&
	   (nrows < 200000 || run.stats.switches == dut.gpu) &&
	   strcmp(run.stats.strategy, dut.few_groups) == 0,
	   "a million expected, ten found: as if that had been known");
	run_end(&run);
	config = ten_or_less;
	config.strategy = GPUAGG_STRATEGY_SINGLE_PASS;
	config.forced = 1;
	if (run_begin(&run, &p, &config) && run_list(&run, page_list, npages / 20, 64, 8))
		run_finish(&run, 4096);
	ok(run.error.status == GPUAGG_OK && run.stats.switches == 0 &&
	   strcmp(run.stats.strategy, "single-pass") == 0, "single pass, forced");
	run_end(&run);
	config.strategy = GPUAGG_STRATEGY_BLOCK_LOCAL;
	config.expected_groups = 1e6;
	if (run_begin(&run, &p, &config) && run_list(&run, page_list, 1, 64, 8))
		run_finish(&run, 4096);
	ok(run.error.status == GPUAGG_OK && run.stats.switches == 0 &&
	   strcmp(run.stats.strategy, "block-local") == 0, "block-local, forced");
	run_end(&run);
}

/* The host device keeps rows, until those aggregated show that it need not. */
static void
test_far_fewer(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.expected_groups = 140000,.expected_rows = 400000,
	.scope_bytes = 65536};
	Oracle	   *o;
	Run			run;

	table_make(scaled(400000), 14000, 0);
	program_standard(&p);
	o = oracle_start(&p);
	oracle_list(o, page_list, npages);
	if (run_begin(&run, &p, &config) && run_list(&run, page_list, npages, 64, 8))
		run_finish(&run, 4096);
	ok(oracle_agrees(o, &run), "a tenth of the expected groups");
	ok(nrows < 400000 ||
	   (run.stats.switches == 2 && strcmp(run.stats.strategy, "single-pass") == 0),
	   "partitioned for the expected ones, a single pass for those that came");
	run_end(&run);
	oracle_end(o);
}

/* The host device keeps no strings, whatever is forced. */
static void
test_texts_forced(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.strategy = GPUAGG_STRATEGY_PARTITIONED,.forced = 1};
	Run			run;

	table_make(scaled(5000), 100, 0);
	program_texts(&p);
	if (run_begin(&run, &p, &config) && run_list(&run, page_list, npages, 64, 8))
		run_finish(&run, 4096);
	ok(run.error.status == GPUAGG_OK && run.stats.switches == 0 &&
	   strcmp(run.stats.strategy, "single-pass") == 0, "texts, partitioned forced: single pass");
	run_end(&run);
}

int
device_window_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	test_programs();
	test_no_keys();
	test_sampled();
	test_strategies();
	if (!dut.gpu)
	{
		test_texts_forced();
		test_far_fewer();
	}
	is_at_rest("all memory is given back");
	table_free();
	device_close();
	return done_testing();
}
