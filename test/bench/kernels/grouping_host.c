/*
 * grouping_host.c
 *		How many rows a second the host device groups, strategy by strategy.
 *
 * usage: grouping_host ROUNDS THREADS [ROWS KEYS:GROUPS[:EXPECTED] ...]
 *
 * Heap pages of (int4 key, int4 value) go through the device interface, as the
 * worker feeds them, to SELECT key, count(*), sum(value) GROUP BY key.  KEYS
 * says how keys are distributed: uniform, zipf1.0, zipf1.5, half (one key in
 * half of the rows), one, sorted.  With "cached-" before that, rows come from
 * stripes that a task before has filled from the pages.  EXPECTED is how many
 * groups the device is told to expect, if not as many as there are.
 * Strategies take turns; prints a line for each round, after one that does not
 * count:
 *		keys <tab> strategy <tab> what it did <tab> rows a second
 * Time is from the beginning of the task until its groups are ready.  Counts
 * and sums of all groups are compared with the input's; without rounds that is
 * all, and there is a small input if none is given.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../unit/device_support.h"
#include "../../unit/random.h"
#include "host/host.h"

#define BATCHES_AHEAD 4
#define TUPLE_BYTES 32			/* header, key, value */
#define STRIPE_POSITIONS (1u << 22)
#define MAX_STRIPES 1024

static GpuAggDevice *device;
static uint32_t batch_pages;
static GpuAggPage *list;
static uint32_t npages;
static uint64_t nrows;
static uint64_t value_sum;
static TestProgram program;
static GpuAggStripe *stripes[MAX_STRIPES];
static uint32_t stripe_positions[MAX_STRIPES]; /* that have rows */
static uint32_t nstripes;			/* 0: rows come from pages */

static const struct
{
	const char *name;
	GpuAggStrategy strategy;
}			strategies[] = {{"single-pass", GPUAGG_STRATEGY_SINGLE_PASS},
{"partitioned", GPUAGG_STRATEGY_PARTITIONED}, {"auto", GPUAGG_STRATEGY_AUTO}};

#define NSTRATEGIES ((int) (sizeof(strategies) / sizeof(strategies[0])))

static void
fail(const char *what)
{
	fprintf(stderr, "grouping_host: %s\n", what);
	exit(1);
}

/* ---------- input ---------- */

/* Zipf's law, by inverting the continuous distribution */
static double
zipf(double s, double groups)
{
	double		u = (double) (random_next() >> 11) / 9007199254740992.0;

	return s == 1.0 ? pow(groups, u) :
		pow(1 + u * (pow(groups, 1 - s) - 1), 1 / (1 - s));
}

static uint32_t
key_of(const char *keys, uint64_t row, uint32_t groups)
{
	if (strcmp(keys, "sorted") == 0)
		return (uint32_t) (row * groups / nrows);
	if (strcmp(keys, "one") == 0 || (strcmp(keys, "half") == 0 && random_next() & 1))
		return groups / 2;
	if (strncmp(keys, "zipf", 4) == 0)
		return (uint32_t) zipf(atof(keys + 4), groups) - 1;
	return (uint32_t) (random_next() % groups);
}

static void
fill_page(TestPage *page, const char *keys, uint64_t *row, uint32_t groups)
{
	page_init(page);
	while (*row < nrows && page->upper >= TUPLE_BYTES + GPUAGG_PAGE_HEADER_BYTES +
		   4 * (page->nlines + 1))
	{
		GpuAggLinePointer lp = {.flags = GPUAGG_LP_NORMAL,.len = TUPLE_BYTES};
		uint32_t	key = key_of(keys, *row, groups);
		int32_t		value = (int32_t) (random_next() % 1000);
		char	   *tuple = page->bytes + (page->upper -= TUPLE_BYTES);

		tuple[GPUAGG_TUPLE_INFOMASK2] = 2;
		tuple[GPUAGG_TUPLE_HOFF] = 24;
		memcpy(tuple + 24, &key, 4);
		memcpy(tuple + 28, &value, 4);
		lp.off = page->upper;
		*page_line(page, page->nlines++) = lp;
		value_sum += (uint64_t) value;
		(*row)++;
	}
}

static void
fill_pages(TestPage *pages, const char *keys, uint32_t groups)
{
	uint64_t	row = 0;

	value_sum = 0;
	for (npages = 0; row < nrows; npages++)
	{
		fill_page(&pages[npages], keys, &row, groups);
		list[npages] = (GpuAggPage){
			.page = pages[npages].bytes, .nlines = pages[npages].nlines, .block = npages};
	}
}

static void
make_program(void)
{
	uint16_t	key;
	uint16_t	value;

	program_init(&program);
	key = program_attr(&program, GPUAGG_T_INT4, true);
	value = program_attr(&program, GPUAGG_T_INT4, true);
	program_key(&program, key, GPUAGG_T_INT4);
	program_trans(&program, GPUAGG_TRANS_COUNT, GPUAGG_NO_REG, GPUAGG_NO_REG, 0);
	program_trans(&program, GPUAGG_TRANS_SUM_I64, value, GPUAGG_NO_REG, GPUAGG_T_INT4);
}

/* ---------- a task ---------- */

static void
await_event(void)
{
	struct pollfd fd = {gpuagg_host_ops.event_fd(device), POLLIN, 0};
	uint64_t	count;

	if (poll(&fd, 1, 100) == 1 && read(fd.fd, &count, sizeof(count)) < 0)
		fail("the event cannot be read");
}

static void
await_batch(GpuAggTask *task)
{
	GpuAggCompletion c;

	while (!gpuagg_host_ops.task_poll(task, &c))
		await_event();
	if (c.error.status != GPUAGG_OK)
		fail(c.error.message);
}

static void
feed_pages(GpuAggTask *task)
{
	GpuAggError error;
	uint32_t	ahead = 0;

	for (uint32_t first = 0; first < npages; first += batch_pages)
	{
		uint32_t	n = npages - first < batch_pages ? npages - first : batch_pages;

		if (ahead == BATCHES_AHEAD)
			await_batch(task);
		else
			ahead++;
		if (gpuagg_host_ops.task_pages(task, first, list + first, n, &error) != GPUAGG_OK)
			fail(error.message);
	}
	while (ahead-- > 0)
		await_batch(task);
}

static void
feed_stripes(GpuAggTask *task)
{
	GpuAggError error;

	for (uint32_t i = 0; i < nstripes; i++)
	{
		GpuAggPositions rest = {stripe_positions[i], STRIPE_POSITIONS - stripe_positions[i]};

		if (gpuagg_host_ops.task_resident(task, i, stripes[i], &rest, 1, &error) != GPUAGG_OK)
			fail(error.message);
	}
	for (uint32_t i = 0; i < nstripes; i++)
		await_batch(task);
}

static void
feed(GpuAggTask *task)
{
	GpuAggError error;

	if (nstripes > 0)
		feed_stripes(task);
	else
		feed_pages(task);
	while (!gpuagg_host_ops.task_finish(task, &error))
		await_event();
	if (error.status != GPUAGG_OK)
		fail(error.message);
}

static void
check_groups(GpuAggTask *task)
{
	static char buffer[1 << 20];
	GpuAggLayout layout;
	GpuAggError error;
	uint64_t	rows = 0;
	uint64_t	sum = 0;
	uint32_t	n;
	size_t		used;

	gpuagg_layout_compute(&program.head, &layout);
	while ((n = gpuagg_host_ops.task_results(task, buffer, sizeof(buffer), &used, &error)) > 0)
		for (uint32_t i = 0; i < n; i++)
		{
			uint64_t	state[2];

			memcpy(state, buffer + i * layout.row_bytes + layout.state_off[0], sizeof(state));
			rows += state[0];
			sum += state[1];
		}
	if (error.status != GPUAGG_OK || rows != nrows || sum != value_sum)
		fail("wrong groups");
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static void
run(const char *name, int strategy, double expected, bool counts)
{
	GpuAggTaskConfig config = {.expected_groups = expected,.expected_rows = (double) nrows};
	GpuAggTaskStats stats = {0};
	GpuAggError error;
	GpuAggTask *task;
	double		began = seconds();
	double		took;

	config.strategy = strategies[strategy].strategy;
	config.forced = config.strategy != GPUAGG_STRATEGY_AUTO;
	if (gpuagg_host_ops.task_begin(device, &program.head, &config, &task, &error) != GPUAGG_OK)
		fail(error.message);
	feed(task);
	took = seconds() - began;
	gpuagg_host_ops.task_stats(task, &stats);
	check_groups(task);
	gpuagg_host_ops.task_end(task);
	if (counts)
		printf("%s\t%s\t%s\t%.6g\n", name, strategies[strategy].name, stats.strategy,
			   (double) nrows / took);
	fflush(stdout);
}

/* ---------- cached columns ---------- */

static void
add_stripe(void)
{
	const GpuAggStripeOps *ops = gpuagg_host_ops.stripes;
	GpuAggError error;

	if (nstripes == MAX_STRIPES ||
		ops->create(device, STRIPE_POSITIONS, &stripes[nstripes], &error) != GPUAGG_OK ||
		ops->add_column(stripes[nstripes], 0, GPUAGG_T_INT4, NULL, &error) != GPUAGG_OK ||
		ops->add_column(stripes[nstripes], 1, GPUAGG_T_INT4, NULL, &error) != GPUAGG_OK)
		fail("no stripe");
	stripe_positions[nstripes++] = 0;
}

/* Gives each page its places, and has a task fill them. */
static void
make_stripes(void)
{
	gpuagg_host_ops.stripes->limit(device, UINT64_MAX / 2);
	for (uint32_t i = 0; i < npages; i++)
	{
		if (nstripes == 0 || stripe_positions[nstripes - 1] + list[i].nlines > STRIPE_POSITIONS)
			add_stripe();
		list[i].stripe = stripes[nstripes - 1];
		list[i].position = stripe_positions[nstripes - 1];
		stripe_positions[nstripes - 1] += list[i].nlines;
	}
}

static void
fill_stripes(double expected)
{
	uint32_t	n;

	make_stripes();
	n = nstripes;
	nstripes = 0;
	run("", 0, expected, false);
	nstripes = n;
}

static void
free_stripes(void)
{
	while (nstripes > 0)
		gpuagg_host_ops.stripes->free(stripes[--nstripes]);
}

static void
time_keys(const char *name, TestPage *pages, int rounds)
{
	const bool	cached = strncmp(name, "cached-", 7) == 0;
	char		keys[32];
	double		groups;
	double		expected;
	int			fields = sscanf(cached ? name + 7 : name, "%31[^:]:%lf:%lf", keys, &groups,
								&expected);

	if (fields < 2 || groups < 1 || groups > INT32_MAX)
		fail("keys are [cached-]NAME:GROUPS[:EXPECTED]");
	if (fields < 3)
		expected = groups;
	fill_pages(pages, keys, (uint32_t) groups);
	if (cached)
		fill_stripes(expected);
	for (int round = 0; round <= rounds; round++)
		for (int i = 0; i < NSTRATEGIES; i++)
			run(name, i, expected, round > 0);
	free_stripes();
}

int
main(int argc, char **argv)
{
	GpuAggDeviceConfig config = {0};
	GpuAggDeviceInfo info;
	GpuAggError error;
	TestPage   *pages;
	size_t		most;

	if (argc != 3 && (argc < 5 || atof(argv[3]) < 1))
	{
		fprintf(stderr, "usage: grouping_host ROUNDS THREADS [ROWS KEYS:GROUPS[:EXPECTED] ...]\n");
		return 2;
	}
	nrows = argc == 3 ? 500000 : (uint64_t) atof(argv[3]);
	most = nrows / 200 + 1;
	list = calloc(most, sizeof(*list));
	pages = mmap(NULL, most * sizeof(*pages), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (list == NULL || pages == MAP_FAILED)
		fail("no memory");
	config.threads = atoi(argv[2]);
	if (gpuagg_host_ops.open(&config, &device, &error) != GPUAGG_OK)
		fail(error.message);
	gpuagg_host_ops.info(device, &info);
	batch_pages = info.batch_pages;
	make_program();
	if (argc == 3)
	{
		time_keys("zipf1.0:300000", pages, atoi(argv[1]));
		time_keys("cached-zipf1.0:300000", pages, atoi(argv[1]));
	}
	for (int i = 4; i < argc; i++)
		time_keys(argv[i], pages, atoi(argv[1]));
	gpuagg_host_ops.close(device);
	return 0;
}
