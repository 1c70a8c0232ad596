/*
 * stripe_gpu.cu
 *		Rows a second of GROUP BY over columns that stayed on a GPU
 *		(cuda/columns/cuda_stripe.h), from the task's begin to its end, through the
 *		functions that the worker calls.
 *
 * usage: stripe_gpu ROUNDS [ROWS [GROUPS...]]
 *
 * Pages with an int4 key, an int4 argument and a text of the key are kept in
 * stripes of some 3 million rows first, and that is timed, too, against decoding
 * the same pages without keeping them.  Then tasks read the stripes.  A line for
 * each round:
 *		card <tab> what <tab> groups <tab> strategy <tab> rows <tab> seconds
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "device/device.h"
#include "device/ops/ops.h"
#include "device/ops/page.h"

extern "C" const GpuAggDeviceOps *gpuagg_device_provider(void);

#define PAGES 4096
#define BATCH 1024
#define AHEAD 3
#define LINES 128				/* of a page */
#define STRIPE_ROWS ((uint32_t) 3 << 20)
#define TUPLE_BYTES 56

static const GpuAggDeviceOps *ops;
static GpuAggDevice *device;
static char *pages;
static std::vector<GpuAggStripe *> stripes;
static GpuAggDictionary *dictionary;
static char card[128];

static void
check(const GpuAggError &error, const char *what)
{
	if (error.status == GPUAGG_OK)
		return;
	fprintf(stderr, "%s: %s\n", what, error.message);
	exit(1);
}

/* ---------- pages ---------- */

/* key, argument, and "id" with ten digits of the key */
static void
page_fill(char *page, uint32_t number, uint32_t groups)
{
	GpuAggLinePointer *lines = (GpuAggLinePointer *) (page + GPUAGG_PAGE_HEADER_BYTES);

	for (uint32_t i = 0; i < LINES; i++)
	{
		const uint64_t x = ((uint64_t) number * LINES + i + 1) * UINT64_C(0x9E3779B97F4A7C15);
		char	   *tuple = page + GPUAGG_PAGE_BYTES - (i + 1) * TUPLE_BYTES;
		const int32_t key = (int32_t) ((x >> 32) * groups >> 32);
		const int32_t v = (int32_t) (x >> 20) % 100;
		const uint16_t natts = 3;
		const uint16_t infomask = 0x0902;
		char		text[16];

		memset(tuple, 0, TUPLE_BYTES);
		memcpy(tuple + GPUAGG_TUPLE_INFOMASK2, &natts, 2);
		memcpy(tuple + GPUAGG_TUPLE_INFOMASK, &infomask, 2);
		tuple[GPUAGG_TUPLE_HOFF] = 24;
		memcpy(tuple + 24, &key, 4);
		memcpy(tuple + 28, &v, 4);
		snprintf(text, sizeof(text), "id%010d", key);
		tuple[32] = (char) (13 << 1 | 1);
		memcpy(tuple + 33, text, 12);
		lines[i].off = GPUAGG_PAGE_BYTES - (i + 1) * TUPLE_BYTES;
		lines[i].flags = GPUAGG_LP_NORMAL;
		lines[i].len = 45;
	}
}

/* ---------- programs ---------- */

typedef struct Program
{
	GpuAggProgram head;
	GpuAggAttr	attrs[3];
	GpuAggConst consts[1];
	GpuAggInstr instrs[1];
	GpuAggKey	keys[1];
	GpuAggTransition trans[2];
	uint8_t		classes[8];
} Program;

enum What
{
	NUMBER, FILTERED, TEXT, LOAD
};

/* count(*), sum(v) by key or by the code of the text */
static Program
program_make(What what)
{
	Program		p = {};
	const bool	text = what == TEXT || what == LOAD;

	p.head.version = GPUAGG_PROGRAM_VERSION;
	p.head.bytes = sizeof(p);
	p.head.hash_seed = 12345;
	p.head.nattrs = text ? 3 : 2;
	p.head.ncolumns = text ? 3 : 2;
	p.head.nconsts = 1;
	p.head.nkeys = 1;
	p.head.ntransitions = 2;
	p.head.filter_reg = GPUAGG_NO_REG;
	p.head.attrs_off = offsetof(Program, attrs);
	p.head.consts_off = offsetof(Program, consts);
	p.head.instrs_off = offsetof(Program, instrs);
	p.head.keys_off = offsetof(Program, keys);
	p.head.transitions_off = offsetof(Program, trans);
	p.head.classes_off = offsetof(Program, classes);
	for (uint16_t i = 0; i < 3; i++)
	{
		p.attrs[i].attlen = i < 2 ? 4 : -1;
		p.attrs[i].align = 4;
		p.attrs[i].type = i < 2 ? GPUAGG_T_INT4 : GPUAGG_T_TEXT;
		p.attrs[i].reg = i < p.head.ncolumns ? i : GPUAGG_NO_REG;
		p.attrs[i].missing_const = GPUAGG_NO_REG;
		p.attrs[i].fixed_off = i < 2 ? 4 * i : -1;
	}
	p.classes[2] = what == LOAD ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64;
	p.consts[0].type = GPUAGG_T_INT4;
	p.consts[0].v.i = 50;
	p.head.nregs = p.head.ncolumns + 1;
	if (what == FILTERED)
	{
		p.instrs[0].op = GPUAGG_OP_I64_LT;
		p.instrs[0].dst = p.head.nregs;
		p.instrs[0].a = 1;
		p.instrs[0].b = p.head.ncolumns;
		p.head.filter_reg = p.head.nregs++;
		p.head.filter_instrs = p.head.ninstrs = 1;
	}
	p.keys[0].reg = what == TEXT ? 2 : 0;
	p.keys[0].type = what == TEXT ? GPUAGG_T_CODE : GPUAGG_T_INT4;
	p.trans[0].op = GPUAGG_TRANS_COUNT;
	p.trans[0].arg = p.trans[0].filter = p.trans[1].filter = GPUAGG_NO_REG;
	p.trans[1].op = GPUAGG_TRANS_SUM_I64;
	p.trans[1].arg = 1;
	p.trans[1].type = GPUAGG_T_INT4;
	return p;
}

/* ---------- tasks ---------- */

static void
await_event(void)
{
	struct pollfd fd = {ops->event_fd(device), POLLIN, 0};
	uint64_t	count;

	if (poll(&fd, 1, 100) == 1 && read(fd.fd, &count, sizeof(count)) < 0)
		return;
}

static void
collect(GpuAggTask *task, uint32_t n, uint64_t *rows)
{
	while (n > 0)
	{
		GpuAggCompletion c;

		if (!ops->task_poll(task, &c))
		{
			await_event();
			continue;
		}
		check(c.error, "batch");
		*rows += c.rows_scanned;
		n--;
	}
}

static void
finish(GpuAggTask *task, uint64_t *groups)
{
	static char buffer[1 << 20];
	GpuAggError error = {};

	while (!ops->task_finish(task, &error))
		await_event();
	check(error, "finish");
	for (;;)
	{
		size_t		used = 0;
		uint32_t	n = ops->task_results(task, buffer, sizeof(buffer), &used, &error);

		*groups += n;
		if (n > 0)
			continue;
		if (error.status != GPUAGG_BUSY)
			break;
		await_event();
	}
	check(error, "results");
}

typedef std::chrono::steady_clock Clock;

static double
seconds_since(Clock::time_point from)
{
	return std::chrono::duration<double>(Clock::now() - from).count();
}

/* A whole task: pages, kept or not, or stripes; its seconds */
static double
task_run(What what, double expected, bool feed, bool keep, uint64_t *rows, uint64_t *groups,
		 char *strategy)
{
	const Program p = program_make(what);
	GpuAggDictionary *dictionaries[3] = {NULL, NULL, dictionary};
	GpuAggTaskConfig config = {};
	GpuAggTask *task;
	GpuAggTaskStats stats;
	GpuAggError error = {};
	const Clock::time_point from = Clock::now();
	uint32_t	in_flight = 0;
	double		seconds;

	config.expected_groups = expected;
	config.expected_rows = (double) stripes.size() * STRIPE_ROWS;
	config.codes.dictionaries = what == TEXT ? dictionaries : NULL;
	*rows = *groups = 0;
	ops->task_begin(device, &p.head, &config, &task, &error);
	check(error, "begin");
	for (size_t s = 0; s < stripes.size(); s++)
	{
		if (!feed)
		{
			ops->task_resident(task, s, stripes[s], NULL, 0, &error);
			check(error, "resident");
			in_flight++;
			continue;
		}
		for (uint32_t first = 0; first < STRIPE_ROWS / LINES; first += BATCH)
		{
			static GpuAggPage list[BATCH];

			for (uint32_t i = 0; i < BATCH; i++)
			{
				list[i] = {};
				list[i].page = pages + (size_t) ((first + i + s * 997) % PAGES) * GPUAGG_PAGE_BYTES;
				list[i].nlines = LINES;
				list[i].stripe = keep ? stripes[s] : NULL;
				list[i].position = (first + i) * LINES;
			}
			ops->task_pages(task, first, list, BATCH, &error);
			check(error, "pages");
			if (++in_flight > AHEAD)
				collect(task, 1, rows);
			in_flight = std::min(in_flight, (uint32_t) AHEAD);
		}
	}
	collect(task, in_flight, rows);
	finish(task, groups);
	seconds = seconds_since(from);
	ops->task_stats(task, &stats);
	snprintf(strategy, 32, "%s", stats.strategy);
	while (!ops->task_idle(task))
		await_event();
	ops->task_end(task);
	return seconds;
}

static void
report(const char *name, What what, double expected, bool feed, bool keep)
{
	uint64_t	rows;
	uint64_t	groups;
	char		strategy[32];
	const double seconds = task_run(what, expected, feed, keep, &rows, &groups, strategy);

	printf("%s\t%s\t%llu\t%s\t%llu\t%.6f\n", card, name, (unsigned long long) groups, strategy,
		   (unsigned long long) rows, seconds);
	fflush(stdout);
}

/* ---------- the device ---------- */

static bool
open_device(void)
{
	GpuAggDeviceInfo cards[16];
	GpuAggDeviceConfig config = {};
	GpuAggError error = {};

	ops = gpuagg_device_provider();
	if (ops->list(cards, 16, &error) <= 0)
	{
		fprintf(stderr, "no GPU\n");
		return false;
	}
	snprintf(card, sizeof(card), "%s", cards[0].name);
	pages = (char *) mmap(NULL, (size_t) PAGES * GPUAGG_PAGE_BYTES, PROT_READ | PROT_WRITE,
						  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	config.ordinal = cards[0].ordinal;
	config.memory_limit = cards[0].memory_limit / 2;
	config.pages = pages;
	config.pages_bytes = (uint64_t) PAGES * GPUAGG_PAGE_BYTES;
	ops->open(&config, &device, &error);
	check(error, "open");
	ops->stripes->limit(device, cards[0].memory_limit / 3);
	return true;
}

static void
stripes_make(uint64_t rows)
{
	GpuAggError error = {};

	ops->stripes->dictionary_create(device, &dictionary, &error);
	check(error, "dictionary");
	for (uint64_t n = 0; n < rows; n += STRIPE_ROWS)
	{
		GpuAggStripe *stripe;

		ops->stripes->create(device, STRIPE_ROWS, &stripe, &error);
		check(error, "stripe");
		for (uint32_t i = 0; i < 3; i++)
		{
			ops->stripes->add_column(stripe, i, i < 2 ? GPUAGG_T_INT4 : GPUAGG_T_TEXT,
								   i < 2 ? NULL : dictionary, &error);
			check(error, "column");
		}
		stripes.push_back(stripe);
	}
}

static void
stripes_free(void)
{
	for (GpuAggStripe *stripe : stripes)
		ops->stripes->free(stripe);
	stripes.clear();
	ops->stripes->dictionary_free(dictionary);
}

static void
bench(int rounds, uint64_t rows, uint32_t groups)
{
	for (uint32_t i = 0; i < PAGES; i++)
		page_fill(pages + (size_t) i * GPUAGG_PAGE_BYTES, i, groups);
	stripes_make(rows);
	for (int i = 0; i < rounds; i++)
	{
		report("pages", NUMBER, groups, true, false);
		report("pages kept", NUMBER, groups, true, true);
		report("pages with text", LOAD, groups, true, false);
		report("pages kept with text", LOAD, groups, true, true);
	}
	for (int i = 0; i < rounds; i++)
	{
		report("stripes", NUMBER, groups, false, false);
		report("stripes filtered", FILTERED, groups, false, false);
		report("stripes by text", TEXT, groups, false, false);
	}
	stripes_free();
}

int
main(int argc, char **argv)
{
	const int	rounds = argc > 1 ? atoi(argv[1]) : 3;
	const uint64_t rows = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000000;

	if (rounds <= 0 || !open_device())
		return 0;
	for (int i = 3; i < argc; i++)
		bench(rounds, rows, (uint32_t) atoi(argv[i]));
	if (argc <= 3)
	{
		bench(rounds, rows, 100);
		bench(rounds, rows, 500000);
	}
	ops->close(device);
	return 0;
}
