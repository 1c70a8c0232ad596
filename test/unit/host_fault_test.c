/*
 * host_fault_test.c
 *		What may go wrong on the host device: injected faults, memory that
 *		runs out, bad programs and pages, cancellation; and that a long task
 *		does not starve a short one.
 */
#include "host_support.h"

static void
test_faults(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {0};
	const uint8_t state = GPUAGG_ST_NULL;
	const int64_t value = 0;
	GpuAggRowColumn columns[8];
	Run			run;

	for (int i = 0; i < 8; i++)
		columns[i] = (GpuAggRowColumn) {&state, &value};
	table_make(5000, 100, 0);
	program_standard(&p);
	config.fault = GPUAGG_FAULT_BEGIN;
	ok(!run_begin(&run, &p, &config) && run.error.status == GPUAGG_INJECTED, "fault at begin");
	config.fault = GPUAGG_FAULT_PAGES;
	ok(run_begin(&run, &p, &config) && !run_feed(&run) && run.error.status == GPUAGG_INJECTED,
	   "fault at pages");
	run_end(&run);
	config.fault = GPUAGG_FAULT_ROWS;
	ok(run_begin(&run, &p, &config) && run_feed(&run) &&
	   OPS->task_rows(run.task, 1, columns, 1, &run.error) == GPUAGG_INJECTED, "fault at rows");
	run_end(&run);
	config.fault = GPUAGG_FAULT_FINISH;
	ok(run_begin(&run, &p, &config) && run_feed(&run) && !run_finish(&run, 4096) &&
	   run.error.status == GPUAGG_INJECTED, "fault at finish");
	run_end(&run);
	config.fault = GPUAGG_FAULT_RESULTS;
	ok(run_begin(&run, &p, &config) && run_feed(&run) && !run_finish(&run, 4096) &&
	   run.error.status == GPUAGG_INJECTED, "fault at results");
	run_end(&run);
	config.fault = GPUAGG_FAULT_MEMORY;
	ok(run_begin(&run, &p, &config) && !run_feed(&run) &&
	   run.error.status == GPUAGG_OUT_OF_MEMORY, "no memory at the first growth");
	run_end(&run);
	config.fault = GPUAGG_FAULT_NONE;
	config.memory_limit = 400 << 10;
	table_make(200000, 100000, 0);
	ok(run_begin(&run, &p, &config) && !run_feed(&run) &&
	   run.error.status == GPUAGG_OUT_OF_MEMORY, "more groups than the task may keep");
	run_end(&run);
	p.head.version++;
	ok(!run_begin(&run, &p, &plain_config) && run.error.status == GPUAGG_UNSUPPORTED,
	   "a program of another version");
	program_standard(&p);
	p.trans[2].arg = 500;
	ok(!run_begin(&run, &p, &plain_config) && run.error.status == GPUAGG_UNSUPPORTED,
	   "a register that is not there");
	table_make(100, 10, 0);
	pages[0].bytes[GPUAGG_PAGE_HEADER_BYTES] ^= 1;
	program_standard(&p);
	ok(!run_all(&run, &p, 4096) && run.error.status == GPUAGG_CORRUPT_PAGE, "a corrupt page");
	run_end(&run);
}

/* Wherever memory runs out, the task fails cleanly; main() counts leaks. */
static void
test_memory_limits(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {0};
	Run			run;
	bool		good = true;
	uint32_t	failed = 0;

	table_make(20000, 9000, 4);
	program_columns(&p, WANT(COL_A) | WANT(COL_T));
	program_key(&p, col[COL_T], GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_MAX_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
	for (config.memory_limit = 3000; config.memory_limit < 8 << 20;
		 config.memory_limit += config.memory_limit / 16)
	{
		if (run_begin(&run, &p, &config) && run_feed(&run))
			run_finish(&run, 4096);
		failed += run.error.status == GPUAGG_OUT_OF_MEMORY;
		good &= run.error.status == GPUAGG_OUT_OF_MEMORY ||
			(run.error.status == GPUAGG_OK && run.groups > 5000);
		run_end(&run);
	}
	ok(good && failed > 50, "memory that runs out at any time");
}

static void
test_cancel(void)
{
	static TestProgram p;
	static GpuAggPage batch[4000];
	GpuAggCompletion c;
	Run			run;
	uint32_t	polled = 0;
	bool		good = true;

	table_make(200000, 100000, 0);
	program_standard(&p);
	for (uint32_t i = 0; i < npages && i < 4000; i++)
		batch[i] = (GpuAggPage) {pages[i].bytes, NULL, pages[i].nlines};
	run_begin(&run, &p, &plain_config);
	for (int i = 0; i < 5; i++)
		OPS->task_pages(run.task, (uint64_t) i, batch, npages < 4000 ? npages : 4000, &run.error);
	usleep(1000);
	OPS->task_cancel(run.task);
	while (!OPS->task_idle(run.task))
		usleep(100);
	while (OPS->task_poll(run.task, &c))
	{
		polled++;
		good &= c.error.status == GPUAGG_CANCELLED || c.error.status == GPUAGG_OK;
	}
	ok(good && polled == 5, "every batch of a cancelled task completes");
	ok(OPS->task_pages(run.task, 9, batch, 1, &run.error) == GPUAGG_OK &&
	   !run_collect(&run, 1) && run.error.status == GPUAGG_CANCELLED, "later ones at once");
	ok(!run_finish(&run, 4096) && run.error.status == GPUAGG_CANCELLED, "and its finish");
	run_end(&run);

	/* ended with work done that nobody collected */
	run_begin(&run, &p, &plain_config);
	OPS->task_pages(run.task, 1, batch, 100, &run.error);
	while (!OPS->task_idle(run.task))
		usleep(100);
	run_end(&run);
	ok(true, "a task may end before anybody polls");
}

/* A short task is done long before a long one that came first. */
static void
test_fairness(void)
{
	static TestProgram p;
	static GpuAggPage batch[4000];
	Run			longer;
	Run			shorter;
	GpuAggCompletion c;
	uint32_t	done = 0;
	uint32_t	n;

	table_make(100000, 1000, 0);
	n = npages < 4000 ? npages : 4000;
	program_standard(&p);
	for (uint32_t i = 0; i < n; i++)
		batch[i] = (GpuAggPage) {pages[i].bytes, NULL, pages[i].nlines};
	run_begin(&longer, &p, &plain_config);
	run_begin(&shorter, &p, &plain_config);
	for (int i = 0; i < 20; i++)
		OPS->task_pages(longer.task, (uint64_t) i, batch, n, &longer.error);
	OPS->task_pages(shorter.task, 1, batch, 10, &shorter.error);
	run_collect(&shorter, 1);
	while (OPS->task_poll(longer.task, &c))
		done++;
	ok(done < 10, "a long task does not starve a short one");
	ok(run_finish(&shorter, 4096) && run_collect(&longer, 20 - done) && run_finish(&longer, 4096),
	   "both end well");
	ok(longer.groups == 1000 && longer.stats.device_ns > shorter.stats.device_ns, "with their groups");
	run_end(&longer);
	run_end(&shorter);
}

/* The last test: the device is unusable afterwards. */
static void
test_lost(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.fault = GPUAGG_FAULT_LOST};
	Run			run;
	Run			other;

	table_make(1000, 10, 0);
	program_standard(&p);
	run_begin(&other, &p, &plain_config);
	ok(run_begin(&run, &p, &config) && (run_feed(&run), run.error.status == GPUAGG_DEVICE_LOST),
	   "the device is lost");
	run_end(&run);
	ok(!run_begin(&run, &p, &plain_config) && run.error.status == GPUAGG_DEVICE_LOST,
	   "for later tasks, too");
	ok((run_feed(&other), other.error.status == GPUAGG_DEVICE_LOST), "and for those that ran");
	run_end(&other);
}

int
main(void)
{
	GpuAggDeviceInfo info;

	ok(host_open(3), "open");
	test_faults();
	test_memory_limits();
	test_cancel();
	test_fairness();
	OPS->info(device, &info);
	is_int((long long) info.memory_used, 0, "no task has left memory behind");
	test_lost();
	host_close();
	return done_testing();
}
