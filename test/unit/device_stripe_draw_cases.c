/*
 * device_stripe_draw_cases.c
 *		Rows drawn from stripes at random are those that device/ops/draw.h defines,
 *		whichever way a device draws them.
 */
#include "device/ops/draw.h"
#include "device_stripe_table.h"

/* A page of the list for each row, on which only that one is visible */
static GpuAggPage *row_pages;
static uint8_t (*row_bits)[GPUAGG_VISIBILITY_BYTES];

/* The list's visible rows, in order; returns their number. */
static uint32_t
rows_list(void)
{
	uint32_t	n = 0;

	row_pages = malloc((lines_of(0, npages) + 1) * sizeof(*row_pages));
	row_bits = calloc(lines_of(0, npages) + 1, sizeof(*row_bits));
	for (uint32_t i = 0; i < npages; i++)
		for (uint32_t line = 0; line < page_list[i].nlines; line++)
		{
			GpuAggTuple tuple;

			if (!gpuagg_page_line_visible(page_list[i].visibility, line) ||
				gpuagg_page_tuple(page_list[i].page, line, &tuple) != GPUAGG_LINE_TUPLE)
				continue;
			row_pages[n] = page_list[i];
			row_bits[n][line / 8] = (uint8_t) (1 << line % 8);
			row_pages[n].visibility = row_bits[n];
			n++;
		}
	return n;
}

/* Ways that a task may be asked for, and what becomes of them on a GPU */
static const struct
{
	GpuAggDrawWay way;
	uint32_t	windows;
	uint32_t	units;
	GpuAggDrawWay done;
	const char *name;
} draw_ways[] = {
	{GPUAGG_DRAW_SINGLE, 0, 0, GPUAGG_DRAW_SINGLE, "single"},
	{GPUAGG_DRAW_PASSES, 3, 0, GPUAGG_DRAW_PASSES, "three passes"},
	{GPUAGG_DRAW_PASSES, GPUAGG_DRAW_WINDOWS, 0, GPUAGG_DRAW_PASSES,
	 "as many passes as there may be"},
	{GPUAGG_DRAW_SPATIAL, 2, 132, GPUAGG_DRAW_SPATIAL, "spatial"},
	{GPUAGG_DRAW_SPATIAL, 5, 1, GPUAGG_DRAW_SPATIAL, "spatial, most windows without units"},
	{GPUAGG_DRAW_SPATIAL, 2, 0, GPUAGG_DRAW_PASSES, "spatial, but nobody knows the units"},
	{GPUAGG_DRAW_SPATIAL, GPUAGG_SPATIAL_UNITS + 1, 132, GPUAGG_DRAW_PASSES,
	 "spatial, more windows than units"}};

#define NWAYS (sizeof(draw_ways) / sizeof(draw_ways[0]))

/*
 * Windows that are enough for slow tools: racecheck keeps what it notes of each of
 * their launches, of a thousand of them more than 120 GB.
 */
#define FEW_WINDOWS 16

/* One task, as asked for by a way; is what it says of itself right? */
static bool
draws_run(Run *run, const TestProgram *p, const GpuAggStripeRange *ranges, uint32_t nranges,
		  GpuAggSample sample, size_t way)
{
	GpuAggTaskConfig config = {.sample = sample, .draw.way = draw_ways[way].way,
	.draw.windows = draw_ways[way].windows};
	GpuAggStripeRange *copy = malloc((nranges + 1) * sizeof(*copy));
	GpuAggTaskStats stats = {0};
	GpuAggError error = {0};

	config.units.n = draw_ways[way].units;
	for (uint32_t i = 0; i < config.units.n; i++)
		config.units.group[i] = (uint8_t) (i % 22);
	memcpy(copy, ranges, nranges * sizeof(*copy));
	if (run_begin(run, p, &config))
	{
		if (OPS->task_draws(run->task, 78, copy, nranges, &error) != GPUAGG_OK)
			run->error = error;
		memset(copy, 0xFF, nranges * sizeof(*copy));
		if (error.status == GPUAGG_OK && run_collect(run, 1))
			run_finish(run, 4096);
		OPS->task_stats(run->task, &stats);
	}
	free(copy);
	return dut.gpu ? stats.draw_way == (uint32_t) draw_ways[way].done &&
		stats.draw_windows == (draw_ways[way].windows > 1 ? draw_ways[way].windows : 1) :
		stats.draw_windows == 0;
}

/* Draws from ranges, beside what the definition draws from the list */
static bool
draws_agree(const TestProgram *p, const GpuAggStripeRange *ranges, uint32_t nranges,
			uint64_t n, uint32_t seed)
{
	const GpuAggDraws draws = {gpuagg_draw_key(seed), n, rows_list()};
	const GpuAggSample sample = {GPUAGG_SAMPLE_DRAWS, seed, n};
	Oracle	   *o = oracle_start(p);
	bool		agree = true;
	Run			run;

	for (uint64_t i = 0; draws.rows > 0 && i < n; i++)
		oracle_list(o, &row_pages[gpuagg_draw_row(&draws, i)], 1);
	for (size_t way = 0; way < (dut.gpu ? NWAYS : 2); way++)
	{
		bool		told;

		if (scaled(100) < 100 && draw_ways[way].windows > FEW_WINDOWS)
			continue;
		told = draws_run(&run, p, ranges, nranges, sample, way);
		if (!oracle_agrees(o, &run) || !told)
		{
			printf("#   %s%s\n", draw_ways[way].name, told ? "" : " is not what the task says");
			agree = false;
		}
		run_end(&run);
	}
	oracle_end(o);
	free(row_pages);
	free(row_bits);
	return agree;
}

/* All positions of both stripes, those between pages too, which are no rows */
static void
test_draws_of_all(const TestProgram *p, GpuAggStripe *const *stripe, uint32_t positions, uint64_t n)
{
	const GpuAggStripeRange ranges[] = {
		{stripe[0], {3, positions - 3}},
		{stripe[1], {0, positions}}
	};

	ok(draws_agree(p, ranges, 2, n, 5), "of all positions");
}

/* The table in two stripes, with positions between pages that are no rows */
static void
test_draws(uint32_t n, uint32_t groups)
{
	static TestProgram p;
	static GpuAggStripeRange ranges[ARENA_PAGES];
	GpuAggStripe *stripe[2];
	uint32_t	position = 5;

	table_make(scaled(n), groups, 0);
	program_standard(&p);
	for (int i = 0; i < 2; i++)
	{
		stripe[i] = stripe_create(lines_of(0, npages) + 3 * npages + 64);
		ok(stripe[i] != NULL && stripe_add_loaded(stripe[i], &p), "a stripe to draw from");
	}
	for (uint32_t i = 0; i < npages; i++)
	{
		if (i == npages / 3)
			position = 0;
		ranges[i] = (GpuAggStripeRange) {stripe[i >= npages / 3], {position, page_list[i].nlines}};
		position = keep_pages(ranges[i].stripe, i, 1, position) + i % 3;
	}
	ok(table_kept(&p), "grouped while it is kept");
	ok(draws_agree(&p, ranges, npages, 1, 1), "a draw");
	ok(draws_agree(&p, ranges, npages, 1000, 2), "draws");
	ok(draws_agree(&p, ranges, npages, scaled(3 * n) + 17, 3), "more draws than rows");
	test_draws_of_all(&p, stripe, lines_of(0, npages) + 3 * npages + 64, scaled(n));
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_A],
									 program_const_i64(&p, GPUAGG_T_INT4, 30)));
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(&p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	ok(draws_agree(&p, ranges, npages, scaled(n), 4), "a filter, and no keys");
	STRIPES->free(stripe[0]);
	STRIPES->free(stripe[1]);
	keep_nothing();
}

int
device_stripe_draw_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, STRIPE_LIMIT);
	test_draws(300, 10);
	test_draws(60000, 100);
	test_draws(100000, 50000);
	is_at_rest("no task has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
