/*
 * device_fault_cases.c
 *		What may go wrong: injected faults, memory that runs out, bad programs
 *		and pages, cancellation.  After each of them the device is as good as
 *		before.  Also that tasks do not disturb or starve each other.
 */
#include "device_oracle.h"
#include "device_table.h"

/* A task like any other, over a table of its own in the last pages */
static bool
device_usable(void)
{
	static TestProgram p;
	static GpuAggPage list[20];

	for (int32_t i = 0, row = 0; i < 20; i++)
	{
		TestPage   *page = &pages[ARENA_PAGES - 20 + i];
		bool		room = true;

		page_init(page);
		for (; room; row++)
		{
			int32_t		a = row % 700;

			room = page_add(page, &(TestValue) {&a, 4, 4}, 1);
		}
		list[i] = (GpuAggPage) {.page = page->bytes,.nlines = page->nlines,.block = i};
	}
	program_columns(&p, WANT(COL_A));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_A], NONE, GPUAGG_T_INT4);
	return oracle_run(&p, list, 20, &plain_config, 7, 3);
}

/* The last task failed as told, and left nothing behind. */
static void
failed_ok(Run *run, GpuAggStatus status, const char *name)
{
	if (!ok(run->error.status == status, name))
		printf("#   status %d: %s\n", run->error.status, run->error.message);
	if (status != GPUAGG_OK)
		ok(run->error.message[0] != '\0', "with a message");
	run_end(run);
	ok(device_memory_used() == memory_at_rest && device_usable(), "the device is usable");
}

/* ---------- injected faults ---------- */

static void
test_faults(void)
{
	static const struct
	{
		GpuAggFaultStage stage;
		GpuAggStatus status;
		const char *name;
	}			faults[] = {
		{GPUAGG_FAULT_BEGIN, GPUAGG_INJECTED, "fault at begin"},
		{GPUAGG_FAULT_PAGES, GPUAGG_INJECTED, "fault at pages"},
		{GPUAGG_FAULT_FINISH, GPUAGG_INJECTED, "fault at finish"},
		{GPUAGG_FAULT_RESULTS, GPUAGG_INJECTED, "fault at results"},
		{GPUAGG_FAULT_MEMORY, GPUAGG_OUT_OF_MEMORY, "no memory at the first growth"},
	};
	static TestProgram p;
	Run			run;

	table_make(scaled(200000), 200000, IN_TURN);
	program_standard(&p);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
	{
		GpuAggTaskConfig config = {.expected_groups = 10,.fault = faults[i].stage};

		run_task(&run, &p, &config, 4096);
		failed_ok(&run, faults[i].status, faults[i].name);
	}
}

static void
test_fault_rows(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.fault = GPUAGG_FAULT_ROWS};
	const uint8_t state = GPUAGG_ST_NULL;
	const int64_t value = 0;
	GpuAggRowColumn columns[8];
	GpuAggError error = {0};
	Run			run;

	for (int i = 0; i < 8; i++)
		columns[i] = (GpuAggRowColumn) {&state, &value};
	table_make(5000, 100, 0);
	program_standard(&p);
	ok(run_begin(&run, &p, &config) && run_feed(&run), "pages before a fault at rows");
	if (OPS->task_rows(run.task, 1, columns, 1, &error) == GPUAGG_OK)
		run_collect(&run, 1);
	else
		run.error = error;
	failed_ok(&run, GPUAGG_INJECTED, "fault at rows");
}

/* Only a GPU has kernels that cannot start. */
static void
test_fault_kernel(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.fault = GPUAGG_FAULT_KERNEL};
	Run			run;

	table_make(5000, 100, 0);
	program_standard(&p);
	run_task(&run, &p, &config, 4096);
	failed_ok(&run, dut.gpu ? GPUAGG_DEVICE_FAULT : GPUAGG_OK, "a kernel that cannot start");
}

/* ---------- memory ---------- */

static void
test_too_many_groups(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {0};
	GpuAggLayout layout;
	Run			run;

	table_make(scaled(200000), 200000, IN_TURN);
	program_standard(&p);
	gpuagg_layout_compute(&p.head, &layout);
	config.memory_limit = (uint64_t) nrows * layout.row_bytes / 2;
	run_task(&run, &p, &config, 4096);
	failed_ok(&run, GPUAGG_OUT_OF_MEMORY, "more groups than the task may keep");
	config.expected_groups = nrows;
	run_task(&run, &p, &config, 4096);
	failed_ok(&run, GPUAGG_OUT_OF_MEMORY, "which is known before");
}

/* Wherever memory runs out, the task fails cleanly. */
static void
test_memory_limits(void)
{
	static TestProgram p;
	const uint64_t most = dut.gpu ? UINT64_C(2) << 30 : 8 << 20;
	const uint64_t step = !dut.gpu ? 16 : scale_percent() < 100 ? 1 : 4;
	GpuAggTaskConfig config = {.expected_groups = 10};
	Run			run;
	bool		good = true;
	uint32_t	failed = 0;
	uint32_t	passed = 0;

	table_make(20000, 9000, 4);
	program_columns(&p, WANT(COL_A) | WANT(COL_T));
	program_key(&p, col[COL_T], GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_MAX_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
	for (config.memory_limit = dut.gpu ? 65536 : 3000; config.memory_limit < most;
		 config.memory_limit += config.memory_limit / step)
	{
		run_task(&run, &p, &config, 4096);
		failed += run.error.status == GPUAGG_OUT_OF_MEMORY;
		passed += run.error.status == GPUAGG_OK && run.groups > 5000 &&
			run.stats.memory_bytes <= config.memory_limit;
		good &= run.error.status == GPUAGG_OUT_OF_MEMORY || run.error.status == GPUAGG_OK;
		run_end(&run);
		good &= device_memory_used() == memory_at_rest;
	}
	ok(good && failed > (dut.gpu ? 1 : 50) && passed > 0, "memory that runs out at any time");
	printf("# %u limits were too low, %u were enough\n", failed, passed);
	ok(device_usable(), "the device is usable");
}

/* Tasks together reach the device's limit; later they need not. */
static void
test_device_limit(void)
{
	static TestProgram p;
	Run			run[8];
	Run			again;
	bool		good = true;

	table_make(scaled(50000), 50000, IN_TURN);
	program_standard(&p);
	for (int i = 0; i < 8; i++)
		if (run_begin(&run[i], &p, &plain_config))
			run_feed(&run[i]);
	for (int i = 0; i < 8; i++)
	{
		if (run[i].error.status == GPUAGG_OK)
			run_finish(&run[i], 1 << 16);
		good &= run[i].error.status == GPUAGG_OUT_OF_MEMORY ||
			(run[i].error.status == GPUAGG_OK && run[i].groups == run[i].stats.groups &&
			 run[i].passed == nrows);
	}
	ok(good && device_memory_used() > memory_at_rest && device_memory_used() <= DEVICE_MEMORY,
	   "eight tasks at once stay below the device's limit");
	for (int i = 0; i < 8; i++)
		run_end(&run[i]);
	ok(run_all(&again, &p, 4096), "memory comes back");
	run_end(&again);
	is_at_rest("all of it");
}

/* ---------- programs and pages that are wrong ---------- */

/*
 * Devices may trust programs, which device/ops/program_check.c has checked.  The
 * host device looks all the same.
 */
static void
test_bad_programs(void)
{
	static TestProgram p;
	Run			run;

	program_standard(&p);
	p.head.version++;
	run_begin(&run, &p, &plain_config);
	failed_ok(&run, GPUAGG_UNSUPPORTED, "a program of another version");
	program_standard(&p);
	p.trans[2].arg = 500;
	run_begin(&run, &p, &plain_config);
	failed_ok(&run, GPUAGG_UNSUPPORTED, "a register that is not there");
}

typedef struct Damage
{
	const char *name;
	bool		line;			/* of the line pointer, else of the tuple */
	uint32_t	off;			/* of the byte */
	uint8_t		byte;
} Damage;

/* What is wrong with line 5 of page 1 of 3; its tuple has NULLs. */
static const Damage damages[] = {
	{"a line pointer beyond the page's end", true, 1, 0xFF},
	{"one that is not aligned", true, 0, 0x01},
	{"a tuple that is longer than its page", true, 3, 0xFF},
	{"one that is too short", true, 2, 0x02},
	{"a header longer than the tuple", false, GPUAGG_TUPLE_HOFF, 0xF8},
	{"a header of no bytes", false, GPUAGG_TUPLE_HOFF, 0},
	{"a header that is not aligned", false, GPUAGG_TUPLE_HOFF, 25},
	{"more NULL bits than the header has", false, GPUAGG_TUPLE_INFOMASK2, 0xFF},
	{"a text that is longer than its tuple", false, 24 + 4, 0xFF},
	{"a compressed text that is longer than its tuple", false, 24 + 4, 0x02},
};

static void
damage_page(TestPage *page, const Damage *damage)
{
	GpuAggLinePointer *lp = page_line(page, 5);
	uint8_t    *at = damage->line ? (uint8_t *) lp : (uint8_t *) page->bytes + lp->off;

	at[damage->off] = damage->byte;
}

static void
test_corrupt_pages(void)
{
	static TestProgram p;
	static TestPage good;
	Run			run;

	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++)
	{
		table_make(300, 10, 0);
		for (uint32_t k = 0; k < nrows; k++)
		{
			rows[k].a_null = false;
			rows[k].v_null = true;
			rows[k].natts = 4;
			snprintf(rows[k].t, sizeof(rows[k].t), "1234");
		}
		table_build();
		damage_page(&pages[1], &damages[i]);
		program_texts(&p);
		p.attrs[COL_A].reg = NONE;
		run_all(&run, &p, 4096);
		failed_ok(&run, GPUAGG_CORRUPT_PAGE, damages[i].name);
	}
	table_make(300, 10, 0);
	program_standard(&p);
	good = pages[1];
	page_list[1].nlines = GPUAGG_MAX_LINES + 1;
	run_all(&run, &p, 4096);
	failed_ok(&run, GPUAGG_CORRUPT_PAGE, "more lines than a page can have");
	page_list[1].nlines = UINT32_MAX;
	program_init(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	run_all(&run, &p, 4096);
	failed_ok(&run, GPUAGG_CORRUPT_PAGE, "also when they are only counted");
	ok(memcmp(&good, &pages[1], sizeof(good)) == 0, "pages are only read");
}

/*
 * Bytes at random anywhere: the page is refused, or the answer is that of
 * the scalar functions, and nothing outside of it is read.
 */
static void
test_random_damage(void)
{
	static TestProgram p;
	uint32_t	refused = 0;
	bool		good = true;
	Oracle	   *o;
	Run			run;

	table_odd_lines = true;
	table_make(2000, 100, 0);
	table_odd_lines = false;
	program_columns(&p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_MAX_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_MAX_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	program_trans(&p, GPUAGG_TRANS_MIN_BYTES, col[COL_C], NONE, GPUAGG_T_TEXT);
	for (uint32_t round = 0; round < scaled(2000) && good; round++)
	{
		uint32_t	n = 1 + round % 3;
		static TestPage saved[3];

		memcpy(saved, pages, n * sizeof(*saved));
		for (uint32_t k = 0; k < 1 + round % 5; k++)
		{
			uint32_t	span = round % 2 ? GPUAGG_PAGE_BYTES - 24 : 400;

			pages[random_next() % n].bytes[24 + random_next() % span] = (char) random_next();
		}
		o = oracle_start(&p);
		oracle_list(o, page_list, n);
		if (run_begin(&run, &p, &plain_config) && run_list(&run, page_list, n, n, 1))
			run_finish(&run, 4096);
		good = oracle_agrees(o, &run);
		refused += o->corrupt;
		run_end(&run);
		oracle_end(o);
		memcpy(pages, saved, n * sizeof(*saved));
	}
	ok(good && refused > 10, "damaged pages");
	printf("# %u of them were refused\n", refused);
	ok(device_usable(), "the device is usable");
}

/* ---------- cancellation ---------- */

/* Does a cancelled task refuse pages, at once or when they complete? */
static bool
cancelled_refuses(Run *run)
{
	memset(&run->error, 0, sizeof(run->error));
	if (run_pages(run, 9, page_list, 1))
		run_collect(run, 1);
	return run->error.status == GPUAGG_CANCELLED;
}

static void
test_cancel(void)
{
	static TestProgram p;
	GpuAggCompletion c;
	Run			run;
	uint32_t	polled = 0;
	bool		good = true;

	table_make(scaled(200000), 100000, 0);
	program_standard(&p);
	run_begin(&run, &p, &ten_or_less);
	for (uint64_t i = 0; i < 5; i++)
		run_pages(&run, i, page_list, npages);
	usleep(1000);
	OPS->task_cancel(run.task);
	while (!OPS->task_idle(run.task))
		await_event();
	while (OPS->task_poll(run.task, &c))
	{
		polled++;
		good &= c.error.status == GPUAGG_CANCELLED || c.error.status == GPUAGG_OK;
	}
	ok(good && polled == 5, "every batch of a cancelled task completes");
	ok(cancelled_refuses(&run), "later ones at once");
	run_finish(&run, 4096);
	failed_ok(&run, GPUAGG_CANCELLED, "and its finish");
}

/* Cancelled at any time: before input, while finishing, with results left */
static void
test_cancel_anywhere(void)
{
	static TestProgram p;
	static char buffer[65536];

	table_make(scaled(60000), 60000, IN_TURN);
	program_standard(&p);
	for (int when = 0; when < 4; when++)
	{
		GpuAggError error;
		size_t		used;
		Run			run;

		run_begin(&run, &p, &plain_config);
		if (when == 1)
			run_pages(&run, 0, page_list, npages);
		if (when >= 2 && run_feed(&run))
			OPS->task_finish(run.task, &error);
		while (when == 3 && !OPS->task_finish(run.task, &error))
			await_event();
		if (when == 3)
			OPS->task_results(run.task, buffer, sizeof(buffer), &used, &error);
		OPS->task_cancel(run.task);
		OPS->task_cancel(run.task);
		run_end(&run);
	}
	is_at_rest("cancelled anywhere, twice, and ended");
	ok(device_usable(), "the device is usable");
}

/* Ended without being cancelled, with work done that nobody collected */
static void
test_end_early(void)
{
	static TestProgram p;
	Run			run;

	table_make(scaled(60000), 60000, IN_TURN);
	program_texts(&p);
	run_begin(&run, &p, &plain_config);
	run_pages(&run, 1, page_list, npages);
	failed_ok(&run, GPUAGG_OK, "a task may end before anybody polls");
	run_begin(&run, &p, &plain_config);
	failed_ok(&run, GPUAGG_OK, "or before it got anything");
}

/* ---------- many tasks ---------- */

/* Batches of two tasks in turn, with keys of their own */
static void
test_interleaved(void)
{
	static TestProgram p[2];
	Oracle	   *o[2];
	Run			run[2];
	uint32_t	in_flight = 0;

	table_make(scaled(100000), 60000, 0);
	program_standard(&p[0]);
	program_texts(&p[1]);
	for (int i = 0; i < 2; i++)
	{
		o[i] = oracle_start(&p[i]);
		oracle_list(o[i], page_list, npages);
		run_begin(&run[i], &p[i], &ten_or_less);
	}
	for (uint32_t first = 0; first < npages; first += 50)
	{
		for (int i = 0; i < 2; i++)
			run_pages(&run[i], first, page_list + first, npages - first < 50 ? npages - first : 50);
		if (++in_flight == 4)
		{
			run_collect(&run[0], 1);
			run_collect(&run[1], 1);
			in_flight--;
		}
	}
	for (int i = 0; i < 2; i++)
	{
		if (run_collect(&run[i], in_flight))
			run_finish(&run[i], 4096);
		ok(oracle_agrees(o[i], &run[i]), "one of two tasks in turn");
	}
	for (int i = 0; i < 2; i++)
	{
		run_end(&run[i]);
		oracle_end(o[i]);
	}
	is_at_rest("both have left nothing behind");
}

/*
 * A long task, and a short one that came behind it: batches of the long one, of
 * 20, that are done when the short one is
 */
static uint32_t
beside_short(const TestProgram *p)
{
	Run			longer;
	Run			shorter;
	GpuAggCompletion c;
	uint32_t	done = 0;

	run_begin(&longer, p, &plain_config);
	run_begin(&shorter, p, &plain_config);
	for (uint64_t i = 0; i < 20; i++)
		run_pages(&longer, i, page_list, npages);
	run_pages(&shorter, 1, page_list, 10);
	run_collect(&shorter, 1);
	while (OPS->task_poll(longer.task, &c))
	{
		done++;
		run_completed(&longer, &c);
	}
	printf("# %u of 20 batches of the long task are done\n", done);
	ok(run_finish(&shorter, 4096) && run_collect(&longer, 20 - done) && run_finish(&longer, 4096),
	   "a long task and a short one end well");
	ok(longer.groups == 500 && longer.passed == 20 * (uint64_t) nrows, "with their groups");
	ok(longer.stats.device_ns > shorter.stats.device_ns || scale_percent() < 100,
	   "and their times");
	run_end(&longer);
	run_end(&shorter);
	return done;
}

/*
 * A short task is done long before a long one that came first.  On a busy machine
 * this thread may hear of it late, so the best of three counts; one that starves
 * is never in time.  A smaller scale or a slow tool tells nothing about that.
 */
static void
test_fairness(void)
{
	static TestProgram p;
	uint32_t	least = 20;

	table_make(scaled(100000), 500, IN_TURN);
	program_standard(&p);
	for (int i = 0; i < 3; i++)
	{
		uint32_t	done = beside_short(&p);

		least = done < least ? done : least;
	}
	ok(least < (dut.gpu ? 20 : 10) || scale_percent() < 100,
	   "a long task does not starve a short one");
}

static void
test_many_tasks(void)
{
	static TestProgram p;
	bool		good = true;
	Run			run;

	program_standard(&p);
	for (uint32_t i = 0; i < scaled(2000); i++)
	{
		good &= run_begin(&run, &p, &plain_config) && run_finish(&run, 4096) && run.groups == 0;
		run_end(&run);
	}
	ok(good, "empty tasks");
	is_at_rest("have left nothing behind");
	for (uint32_t i = 0; i < scaled(200) && good; i++)
		good = device_usable();
	ok(good, "small tasks");
	is_at_rest("neither have they");
}

/* ---------- the end ---------- */

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
	run_task(&run, &p, &config, 4096);
	ok(run.error.status == GPUAGG_DEVICE_LOST, "the device is lost");
	run_end(&run);
	ok(!run_begin(&run, &p, &plain_config) && run.error.status == GPUAGG_DEVICE_LOST,
	   "for later tasks, too");
	ok(!run_feed(&other) && other.error.status == GPUAGG_DEVICE_LOST, "and for those that ran");
	run_end(&other);
}

int
device_fault_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	ok(device_usable(), "the device is usable");
	is_at_rest("a task leaves no memory behind");
	test_faults();
	test_fault_rows();
	test_fault_kernel();
	test_too_many_groups();
	test_memory_limits();
	test_device_limit();
	if (!dut.gpu)
		test_bad_programs();
	test_corrupt_pages();
	test_random_damage();
	test_cancel();
	test_cancel_anywhere();
	test_end_early();
	test_interleaved();
	test_fairness();
	test_many_tasks();
	is_at_rest("no task has left memory behind");
	test_lost();
	table_free();
	device_close();
	return done_testing();
}
