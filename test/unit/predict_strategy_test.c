/*
 * predict_strategy_test.c
 *		Where compiled kernels keep their groups, and that a plan's strategy is the one that
 *		runs, over kept columns and from pages.
 */
#include "device/choice/compile_rule.h"
#include "predict_cases.h"
#include "predict_shapes.h"

/* ---------- kept columns ---------- */

/* By one key of so many values, known or not */
static void
test_choice(Shape shape, double groups, bool known, GpuAggStrategy want, GpuAggFrame frame)
{
	const GpuAggRates rates = shapes_card();
	GpuAggResidentChoice c;
	GpuAggWork	work;
	GpuAggProgram *packed = shape_grouped(shape, groups, known && groups < 1e7 ? groups + 1 : 0,
										  &work);
	char		name[120];

	c = shape_choose(&rates, packed, &work);
	snprintf(name, sizeof(name), "%s, %g groups, ranges %sknown: %s", shapes_measured[shape].name,
			 groups, known ? "" : "un", gpuagg_strategy_name(want));
	if (!ok(c.runs == want && (frame == GPUAGG_NFRAMES || work.compiled.frame == frame), name))
		printf("#   got %s, frame %d, of %s\n", gpuagg_strategy_name(c.runs), work.compiled.frame,
			   gpuagg_strategy_name(c.strategy));
	free(packed);
}

static void
test_choices(void)
{
	for (int known = 0; known < 2; known++)
	{
		const GpuAggFrame few = known ? GPUAGG_FRAME_DIRECT : GPUAGG_FRAME_HASHED;

		test_choice(KEY_SUM, 10, known, GPUAGG_STRATEGY_BLOCK_LOCAL, few);
		test_choice(KEY_SUM, 1000, known, GPUAGG_STRATEGY_BLOCK_LOCAL, few);
		test_choice(KEY_SUM, 1e7, known, GPUAGG_STRATEGY_PARTITIONED, GPUAGG_NFRAMES);
	}
	/* numbers in device memory save a count more than a sum, which has more words there */
	test_choice(KEY_COUNT, 1e5, true, GPUAGG_STRATEGY_SINGLE_PASS, GPUAGG_FRAME_DENSE);
	test_choice(KEY_COUNT, 1e6, true, GPUAGG_STRATEGY_SINGLE_PASS, GPUAGG_FRAME_DENSE);
	test_choice(KEY_SUM, 1e5, false, GPUAGG_STRATEGY_PARTITIONED, GPUAGG_NFRAMES);
	test_choice(KEY_SUM, 1e6, false, GPUAGG_STRATEGY_PARTITIONED, GPUAGG_NFRAMES);
	/* values that have to be computed are kept as records: a table beyond the cache is sooner */
	test_choice(CASE, 1e6, true, GPUAGG_STRATEGY_SINGLE_PASS, GPUAGG_FRAME_DENSE);
	test_choice(CASE, 1e6, false, GPUAGG_STRATEGY_SINGLE_PASS, GPUAGG_FRAME_SINGLE);
}

/* An int4 and a key of this type */
static void
two_keys(TestProgram *p, uint8_t type)
{
	program_init(p);
	program_key(p, program_attr(p, GPUAGG_T_INT4, true), GPUAGG_T_INT4);
	program_key(p, program_attr(p, type, true), type);
}

/* Two int4 keys, as count(DISTINCT a) by b has them, or with a sum of a value that is never NULL */
static void
test_pairs(double groups, bool sum, GpuAggStrategy want)
{
	const GpuAggRates rates = shapes_card();
	GpuAggResidentChoice c;
	GpuAggProgram *packed;
	TestProgram p;
	GpuAggWork	work;
	char		name[120];

	two_keys(&p, GPUAGG_T_INT4);
	if (sum)
		program_trans(&p, GPUAGG_TRANS_SUM_I64, program_attr(&p, GPUAGG_T_INT4, true), NONE,
					  GPUAGG_T_INT4);
	packed = program_pack(&p);
	shape_work(packed, ROWS, 1, groups, 0, &work);
	c = shape_choose(&rates, packed, &work);
	snprintf(name, sizeof(name), "%g pairs%s: %s", groups, sum ? ", summed" : "",
			 gpuagg_strategy_name(want));
	if (!ok(c.runs == want, name))
		printf("#   got %s\n", gpuagg_strategy_name(c.runs));
	free(packed);
}

/*
 * A percentile of doubles by an int4: so many groups by values, made into so many (test/bench/sorted.sh)
 */
static void
test_sorted(double groups, double made, GpuAggStrategy want, double ms)
{
	const GpuAggRates rates = shapes_card();
	GpuAggPrediction prediction;
	GpuAggResidentChoice c;
	GpuAggProgram *packed;
	TestProgram p;
	GpuAggWork	work;
	char		name[120];

	two_keys(&p, GPUAGG_T_FLOAT8);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, GPUAGG_T_INT8);
	packed = program_pack(&p);
	shape_work(packed, ROWS, 1, groups, 0, &work);
	work.ordered = true;
	work.made = made;
	work.left_out = groups - fmin(groups, made * 6);
	work.word_sorts = made * 6 * log2(made * 6);
	ok(gpuagg_predict_input(&rates, &work) >= 0, "what is sorted behind it is no part of the input");
	c = shape_choose(&rates, packed, &work);
	snprintf(name, sizeof(name), "%g groups by values: %s", groups, gpuagg_strategy_name(want));
	if (!ok(c.runs == want, name))
		printf("#   got %s\n", gpuagg_strategy_name(c.runs));
	if (ms > 0)
	{
		gpuagg_predict(&rates, &work, &prediction);
		snprintf(name, sizeof(name), "... predicted to take %.1f ms", prediction.startup / 1e6);
		ok(prediction.startup > ms / 2 * 1e6 && prediction.startup < ms * 2 * 1e6, name);
	}
	free(packed);
}

/* The commonest of values of an int4 that are known, in groups by another one */
static void
test_mode(double groups, double made, GpuAggStrategy want)
{
	const GpuAggRates rates = shapes_card();
	GpuAggResidentChoice c;
	GpuAggProgram *packed;
	TestProgram p;
	GpuAggWork	work;
	char		name[120];

	two_keys(&p, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, GPUAGG_T_INT8);
	packed = program_pack(&p);
	shape_work(packed, ROWS, 1, groups, groups, &work);
	work.ordered = true;
	work.made = made;
	work.left_out = groups - fmin(groups, made * 2);
	c = shape_choose(&rates, packed, &work);
	snprintf(name, sizeof(name), "modes of %g groups by values: %s", groups,
			 gpuagg_strategy_name(want));
	if (!ok(c.runs == want, name))
		printf("#   got %s, of %s\n", gpuagg_strategy_name(c.runs), gpuagg_strategy_name(c.strategy));
	free(packed);
}

/*
 * Partitions of columns as they lie need no kernel: for half a millisecond none is compiled, unless
 * asked to.
 */
static void
test_not_worth_it(void)
{
	const GpuAggRates rates = shapes_card();

	for (int always = 0; always < 2; always++)
	{
		GpuAggWork	work;
		GpuAggProgram *packed = shape_grouped(KEY_COUNT, 1e5, 1e5 + 1, &work);

		work.compiled.state = GPUAGG_COMPILED_NEW;
		work.compiled.always = always != 0;
		ok(shape_choose(&rates, packed, &work).strategy ==
		   (always ? GPUAGG_STRATEGY_SINGLE_PASS : GPUAGG_STRATEGY_PARTITIONED),
		   always ? "a kernel that is always compiled" : "a kernel that is not worth compiling");
		free(packed);
	}
}

/*
 * Partitions of columns as they lie are sooner than the interpreter, but not than what they have to
 * be computed for.
 */
static void
test_interpreter(Shape shape, GpuAggStrategy want)
{
	const GpuAggRates rates = shapes_card();
	GpuAggWork	work;
	GpuAggProgram *packed = shape_measured(shape, &work);

	work.compiled.state = GPUAGG_COMPILED_NOT;
	ok(shape_choose(&rates, packed, &work).strategy == want, shapes_measured[shape].name);
	free(packed);
}

/* Without a kernel, tables of blocks are those of the kernels that group pages. */
static void
test_no_kernel(void)
{
	const GpuAggRates rates = shapes_card();
	GpuAggResidentChoice c;
	GpuAggWork	work;
	GpuAggProgram *packed = shape_grouped(KEY_SUM, 500, 501, &work);

	c = shape_choose(&rates, packed, &work);
	ok(c.interpreted == GPUAGG_STRATEGY_BLOCK_LOCAL,
	   "500 groups: also the interpreter's blocks have room");
	shape_work(packed, ROWS, 1, 2000, 2001, &work);
	c = shape_choose(&rates, packed, &work);
	ok(c.runs == GPUAGG_STRATEGY_BLOCK_LOCAL && c.interpreted == GPUAGG_STRATEGY_SINGLE_PASS,
	   "2000 groups: those of a compiled kernel alone");
	free(packed);
}

/*
 * What the device would do with a plan's strategy, where it knows the ranges as they were planned
 */
static void
test_rule(void)
{
	const GpuAggRates rates = shapes_card();
	bool		same = true;

	for (double groups = 1; groups < 2e7; groups *= 3)
		for (int known = 0; known < 2; known++)
		{
			GpuAggFrameCase device = {.whole = true,
									  .keyed = true,
									  .packs = true,
									  .defers = true,
									  .groups = groups,
									  .unit_shared_bytes = rates.unit_shared_bytes};
			GpuAggFrame frame;
			GpuAggWork	work;
			GpuAggProgram *packed = shape_grouped(KEY_SUM, groups,
												  known && groups < 1e6 ? groups + 1 : 0, &work);
			const GpuAggResidentChoice c = shape_choose(&rates, packed, &work);
			device.strategy = c.strategy;
			device.numbers = work.compiled.numbers;
			device.entry_bytes = work.compiled.entry_bytes;
			device.key_bytes = work.compiled.key_bytes;
			device.state_bytes = work.compiled.state_bytes;
			same &= c.runs ==
				(gpuagg_frame_choose(&device, &frame) ? gpuagg_frame_runs(frame, c.strategy) :
														c.strategy);
			free(packed);
		}
	ok(same, "the plan's strategy is the one that runs, from 1 to 10^7 groups");
}

/* ---------- pages ---------- */

/*
 * Besides the shapes above: states that need a lock, and keys that are too long for a block's table
 */
typedef enum PageShape
{
	PAGE_MAX_TEXT = NSHAPES, PAGE_TEXT_KEY, PAGE_LONG_KEYS, NPAGE_SHAPES
} PageShape;

static void
page_shape_make(int shape, TestProgram *p)
{
	if (shape < NSHAPES)
	{
		shape_make((Shape) shape, p);
		return;
	}
	program_init(p);
	for (int i = 0; i < (shape == PAGE_LONG_KEYS ? 4 : 1); i++)
		program_key(p,
					program_attr(p, shape == PAGE_MAX_TEXT ? GPUAGG_T_INT4 : GPUAGG_T_TEXT, true),
					shape == PAGE_MAX_TEXT ? GPUAGG_T_INT4 : GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, GPUAGG_T_INT8);
	if (shape == PAGE_MAX_TEXT)
		program_trans(p, GPUAGG_TRANS_MAX_BYTES, program_attr(p, GPUAGG_T_TEXT, true), NONE,
					  GPUAGG_T_TEXT);
}

/* What the device does with a strategy for pages (cuda/task/task_table.cu, local_choose) */
static GpuAggStrategy
page_runs(const GpuAggProgram *p, GpuAggStrategy strategy, double groups)
{
	GpuAggCompiledWork work;
	GpuAggRecord record;

	gpuagg_compiled_work(&work, p);
	if ((GPUAGG_STRATEGY_BIT(strategy) & GPUAGG_STRATEGIES_DEFERRING) &&
		gpuagg_record_of_rows(p, &record))
		return strategy;
	return gpuagg_page_local_entries(groups, true, work.entry_bytes, work.key_bytes, work.locked,
									 false) > 0 ?
		GPUAGG_STRATEGY_BLOCK_LOCAL :
		GPUAGG_STRATEGY_SINGLE_PASS;
}

static void
test_pages(const GpuAggRates *rates, const char *how)
{
	GpuAggStrategyRates strategy;
	bool		same = true;
	char		name[120];

	gpuagg_rates_strategy(rates, &strategy);
	for (int s = 0; s < NPAGE_SHAPES; s++)
		for (double groups = 10; groups < 2e7; groups *= 1.3)
		{
			GpuAggStrategyInput in = {.possible = ~UINT32_C(0),.overlapped = true};
			GpuAggStrategyChoice c;
			GpuAggWork	work;
			TestProgram p;
			GpuAggProgram *packed;

			page_shape_make(s, &p);
			packed = program_pack(&p);
			if (packed->nkeys > 0)
			{
				shape_work(packed, ROWS, 1, groups, 0, &work);
				work.cached_rows = 0;
				work.pages = ROWS / 180;
				in.input_ns = gpuagg_predict_input(rates, &work);
				gpuagg_strategy_input(&work, packed, &in);
				gpuagg_strategy_choose(&strategy, &in, &c);
				/* of passes each does as it pleases */
				if (c.passes == 1 && page_runs(packed, c.within, groups) != c.strategy)
				{
					same = false;
					printf("#   shape %d, %g groups: planned %s\n", s, groups,
						   gpuagg_strategy_name(c.strategy));
				}
			}
			free(packed);
		}
	snprintf(name, sizeof(name), "from pages, %s: what is planned is what runs", how);
	ok(same, name);
}

/* Also of a card of which little was measured, and one whose local tables are slow */
static void
test_all_pages(void)
{
	GpuAggRates rates = shapes_card();
	GpuAggRates unknown = {.gpu = true,.units = 132,.unit_shared_bytes = 228 << 10};

	test_pages(&rates, "an H200");
	rates.feed_page_ns = 1;
	rates.ceiling[GPUAGG_CEILING_ZERO_COPY_IN] = 1e15;
	test_pages(&rates, "pages that cost nothing");
	rates.ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_1024] = 1e9;
	test_pages(&rates, "slow tables of blocks");
	test_pages(&unknown, "a card without a profile");
}

/* A strategy that is forced is not left. */
static void
test_forced(void)
{
	GpuAggFrameCase c = {.forced = true,
						 .whole = true,
						 .keyed = true,
						 .packs = true,
						 .groups = 10,
						 .numbers = 11,
						 .entry_bytes = 24,
						 .key_bytes = 8,
						 .state_bytes = 12,
						 .unit_shared_bytes = 228 << 10};
	GpuAggFrame frame;

	c.strategy = GPUAGG_STRATEGY_SINGLE_PASS;
	ok(gpuagg_frame_choose(&c, &frame) && frame == GPUAGG_FRAME_DENSE,
	   "single pass: no table of a block");
	c.strategy = GPUAGG_STRATEGY_PARTITIONED;
	ok(gpuagg_frame_choose(&c, &frame) && frame == GPUAGG_FRAME_PACKED, "partitioned: records");
	c.strategy = GPUAGG_STRATEGY_BLOCK_LOCAL;
	ok(gpuagg_frame_choose(&c, &frame) && frame == GPUAGG_FRAME_DIRECT, "block-local: by number");
	c.numbers = 0;
	ok(gpuagg_frame_choose(&c, &frame) && frame == GPUAGG_FRAME_HASHED, "block-local: looked up");
	c.groups = 1e6;
	ok(!gpuagg_frame_choose(&c, &frame), "block-local of too many groups: by the interpreter");
	c.forced = false;
	ok(gpuagg_frame_choose(&c, &frame) && frame == GPUAGG_FRAME_SINGLE,
	   "not forced: the task's table");
	c.whole = false;
	c.numbers = 11;
	c.groups = 10;
	ok(gpuagg_frame_choose(&c, &frame) && frame == GPUAGG_FRAME_SINGLE,
	   "a hash window: the task's table");
	c.kept = true;
	c.packs = false;
	ok(!gpuagg_frame_choose(&c, &frame), "rows that are kept without a record: none");
}

/* Tables of the kernels that group pages: planned as the device makes them */
static void
test_page_local(void)
{
	const double most = gpuagg_page_local_groups(24, 8, false);

	ok(most >= 500 && gpuagg_page_local_entries(most, true, 24, 8, false, false) > 0,
	   "so many groups fit");
	is_int(gpuagg_page_local_entries(most + 1, true, 24, 8, false, false), 0, "not one more");
	is_int(gpuagg_page_local_entries(1, false, 24, 8, false, false), 1, "no keys: one entry");
	is_int(gpuagg_page_local_entries(10, true, 24, 8, false, false), 256,
		   "few groups: as many as copies leave room for");
	is_int(gpuagg_page_local_entries(10, true, 24, 8, true, false), 0,
		   "states with locks have none");
	ok(gpuagg_page_local_entries(1e6, true, 24, 8, false, true) > 1000,
	   "forced: what there is room for");
}

int
main(void)
{
	test_mode(5e4, 50, GPUAGG_STRATEGY_SORTED);
	test_mode(2000, 50, GPUAGG_STRATEGY_BLOCK_LOCAL);
	test_pairs(5e4, false, GPUAGG_STRATEGY_SINGLE_PASS);
	test_pairs(5.8e7, false, GPUAGG_STRATEGY_SORTED);
	test_pairs(5.8e7, true, GPUAGG_STRATEGY_SINGLE_PASS);
	test_sorted(500, 50, GPUAGG_STRATEGY_BLOCK_LOCAL, 0);
	test_sorted(5e6, 50, GPUAGG_STRATEGY_SORTED, 6);
	test_sorted(3.5e7, 50, GPUAGG_STRATEGY_SORTED, 5.5);
	test_sorted(5.8e7, 1000, GPUAGG_STRATEGY_SORTED, 6.8);
	test_choices();
	test_not_worth_it();
	test_interpreter(KEY_COUNT, GPUAGG_STRATEGY_PARTITIONED);
	test_interpreter(KEY_SUM, GPUAGG_STRATEGY_PARTITIONED);
	test_interpreter(FILTER, GPUAGG_STRATEGY_BLOCK_LOCAL);
	test_interpreter(CASE, GPUAGG_STRATEGY_BLOCK_LOCAL);
	test_interpreter(MONTH, GPUAGG_STRATEGY_BLOCK_LOCAL);
	test_interpreter(FLOAT, GPUAGG_STRATEGY_SINGLE_PASS);
	test_interpreter(TWO_KEYS, GPUAGG_STRATEGY_SINGLE_PASS);
	test_no_kernel();
	test_rule();
	test_all_pages();
	test_forced();
	test_page_local();
	return done_testing();
}
