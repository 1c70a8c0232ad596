/*
 * device_stripe_pack_cases.c
 *		Stripes whose columns are packed are read as they were before, whatever reads them.
 */
#include "device_stripe_encoded.h"

static TestProgram numbers;
static TestProgram texts;

/*
 * The table's numbers are such that packing them pays: times of whole seconds, or of many groups
 * whole days, and decimals.  Of many groups some rows have keys of all bits, of either sign.
 */
static void
table_make_narrow(uint32_t n, uint32_t groups, uint32_t skew)
{
	table_make(n, groups, skew);
	for (uint32_t i = 0; i < n; i++)
	{
		if (groups > 1000 && i % 10000 < 3000)
			rows[i].a = (int32_t) random_next();
		rows[i].v = groups > 1000 ? rows[i].v % 365 * INT64_C(86400000000) :
			(int64_t) i * INT64_C(61000000) - rows[i].v % 100000 * INT64_C(1000000);
		rows[i].d = (double) (rows[i].a % 1000) / 64;
	}
	table_build();
}

static bool
add_texts(GpuAggStripe *stripe)
{
	GpuAggError error;

	return STRIPES->add_column(stripe, COL_T, GPUAGG_T_TEXT, dictionaries[COL_T], &error) ==
		GPUAGG_OK;
}

/* The table in a stripe, with positions between pages that are no rows */
static GpuAggStripe *
stripe_fill(void)
{
	GpuAggStripe *stripe = stripe_create(lines_of(0, npages) + 3 * npages + 77);
	uint32_t	position = 5;

	ok(stripe != NULL && stripe_add_loaded(stripe, &numbers) && add_texts(stripe), "a stripe");
	for (uint32_t i = 0; i < npages; i++)
		position = keep_pages(stripe, i, 1, position) + i % 3;
	ok(table_kept(&numbers) && table_kept(&texts), "is filled");
	return stripe;
}

/* Do the stripe's rows give what the table's do, all of them, most of them, and few of them? */
static bool
gives_table(GpuAggStripe *stripe)
{
	static GpuAggPositions without[ARENA_PAGES];
	static GpuAggPage left[ARENA_PAGES];
	bool		good = stripe_gives_table(&numbers, stripe) &&
		stripe_gives_table(&texts, stripe);

	for (uint32_t every = 2; good && every <= 12; every += 5)
		for (int few = 0; good && few < 2; few++)
		{
			uint32_t	nwithout = 0;
			uint32_t	nleft = 0;

			for (uint32_t i = 0; i < npages; i++)
				if ((i % every == 0) == few)
					left[nleft++] = page_list[i];
				else
					without[nwithout++] = (GpuAggPositions) {
						page_list[i].position, page_list[i].positions
					};
			good = stripe_gives(&numbers, stripe, without, nwithout, left, nleft) &&
				stripe_gives(&texts, stripe, without, nwithout, left, nleft);
		}
	return good;
}

/* The one group of some draws; room for 256 bytes */
static bool
draws_give(GpuAggStripe *stripe, char *group)
{
	static TestProgram p;
	const GpuAggSample sample = {GPUAGG_SAMPLE_DRAWS, 3, scaled(20000)};
	const GpuAggTaskConfig config = {.sample = sample};
	const GpuAggStripeRange range = {
		stripe, {0, page_position[npages]}
	};
	GpuAggError error = {0};
	GpuAggLayout layout;
	bool		good;
	Run			run;

	program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	program_trans(&p, GPUAGG_TRANS_COUNT, col[COL_A], NONE, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_A], NONE, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_MAX_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	gpuagg_layout_compute(&p.head, &layout);
	good = run_begin(&run, &p, &config) &&
		OPS->task_draws(run.task, 78, &range, 1, &error) == GPUAGG_OK && run_collect(&run, 1) &&
		run_finish(&run, 4096) && run.groups == 1;
	if (good)
		memcpy(group, run.results, layout.row_bytes);
	run_end(&run);
	return good;
}

static bool
draws_agree(GpuAggStripe *plain, GpuAggStripe *packed)
{
	char		one[256] = {0};
	char		other[256] = {0};

	return draws_give(plain, one) && draws_give(packed, other) &&
		memcmp(one, other, sizeof(one)) == 0;
}

/*
 * Does a task by that strategy have the rows of a plain stripe, and then of one that is packed?  Its
 * kernel is for the first.
 */
static bool
gives_both(GpuAggStripe *plain, GpuAggStripe *packed, uint32_t groups, uint32_t strategy)
{
	static TestProgram p;
	const GpuAggTaskConfig config = {
		.expected_groups = groups,.resident_strategy = strategy,.scope_bytes = 16384
	};
	uint16_t	bound;
	Oracle	   *o;
	Run			run;
	bool		agree;

	program_columns(&p, WANT(COL_A));
	bound = program_const_i64(&p, GPUAGG_T_INT4, groups / 2);
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_A], bound));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_A], NONE, GPUAGG_T_INT4);
	o = oracle_start(&p);
	oracle_list(o, page_list, npages);
	oracle_list(o, page_list, npages);
	if (run_begin(&run, &p, &config) && run_resident(&run, plain, NULL, 0) &&
		run_collect(&run, 1) && run_resident(&run, packed, NULL, 0) && run_collect(&run, 1))
		run_finish(&run, 4096);
	agree = oracle_agrees(o, &run);
	run_end(&run);
	oracle_end(o);
	return agree;
}

/* One page in so many is not read any more; 0: all are. */
static uint32_t gone;

static bool
is_gone(uint32_t page)
{
	return gone > 0 && page % gone == 0;
}

static bool
pack(GpuAggStripe *stripe, uint32_t attr)
{
	static GpuAggPositions live[ARENA_PAGES];
	uint32_t	nlive = 0;
	GpuAggError error;

	for (uint32_t i = 0; i < npages; i++)
		if (page_list[i].stripe != NULL && !is_gone(i))
			live[nlive++] = (GpuAggPositions) {page_list[i].position, page_list[i].positions};
	return STRIPES->pack(stripe, attr, live, nlive, &error) == GPUAGG_OK;
}

/* A column's bytes become at most one part of so many, and stay. */
static bool
packs(GpuAggStripe *stripe, uint32_t attr, uint64_t part)
{
	const uint64_t plain = STRIPES->column_bytes(stripe, attr);
	const uint64_t used = STRIPES->used(device);
	const bool	done = pack(stripe, attr);
	const uint64_t packed = STRIPES->column_bytes(stripe, attr);

	if (!done || packed > plain / part)
		printf("#   column %u: %llu of %llu bytes\n", attr, (unsigned long long) packed,
			   (unsigned long long) plain);
	return done && packed <= plain / part && used - STRIPES->used(device) == plain - packed &&
		pack(stripe, attr) && STRIPES->column_bytes(stripe, attr) == packed;
}

/* Zones stay as they were. */
static bool
zones_are_same(GpuAggStripe *one, GpuAggStripe *other)
{
	static const uint32_t attrs[] = {COL_A, COL_V, COL_D, COL_T};
	bool		same = true;

	for (size_t k = 0; k < sizeof(attrs) / sizeof(*attrs); k++)
	{
		const GpuAggZone *a;
		const GpuAggZone *b;
		GpuAggError error;

		same &= STRIPES->zones(one, attrs[k], true, false, &a, &error) == GPUAGG_OK;
		same &= STRIPES->zones(other, attrs[k], true, false, &b, &error) == GPUAGG_OK;
		same = same && a->low == b->low && a->high == b->high && a->count == b->count;
	}
	return same;
}

static void
test_packed(uint32_t n, uint32_t groups, uint32_t skew, bool odd)
{
	GpuAggStripe *stripe;
	GpuAggStripe *plain;
	GpuAggStripe *ordered;
	GpuAggStripeRange *ranges;
	GpuAggError error;

	table_odd_lines = odd;
	table_make_narrow(scaled(n), groups, skew);
	table_odd_lines = false;
	if (odd)
		table_hide_rows();
	program_standard(&numbers);
	program_texts(&texts);
	dictionaries_make();
	plain = stripe_fill();
	stripe = stripe_fill();
	ranges = calloc(npages, sizeof(*ranges));
	for (uint32_t i = 0; i < npages; i++)
		ranges[i] = (GpuAggStripeRange) {
			stripe, {page_list[i].position, page_list[i].positions}
		};
	ok(packs(stripe, COL_A, 1) && packs(stripe, COL_V, 1) && packs(stripe, COL_D, 1) &&
	   packs(stripe, COL_T, 1), "its columns are packed");
	if (scaled(n) >= 10000)
		ok(STRIPES->column_bytes(stripe, COL_A) < STRIPES->column_bytes(plain, COL_A) &&
		   STRIPES->column_bytes(stripe, COL_T) < STRIPES->column_bytes(plain, COL_T) &&
		   STRIPES->column_bytes(stripe, COL_V) < STRIPES->column_bytes(plain, COL_V) / 2 &&
		   STRIPES->column_bytes(stripe, COL_D) < STRIPES->column_bytes(plain, COL_D) / 2,
		   "in fewer bytes");
	ok(gives_table(stripe), "and read as they were");
	ok(zones_are_same(stripe, plain), "with zones as they were");
	ok(draws_agree(plain, stripe), "draws are the same");
	for (uint32_t s = 0; s < GPUAGG_NSTRATEGIES; s++)
		ok(gives_both(plain, stripe, groups, s), gpuagg_strategy_name(s));
	ordered = stripe_create(page_position[npages]);
	ok(stripe_add_loaded(ordered, &numbers) && add_texts(ordered) &&
	   STRIPES->rearrange(ordered, ranges, npages, &error) == GPUAGG_OK, "its rows go into another");
	STRIPES->drop_column(stripe, COL_V);
	ok(STRIPES->column_bytes(stripe, COL_V) == 0 && stripe_add_loaded(stripe, &numbers),
	   "a column goes, and another comes");
	program_standard(&numbers);
	for (uint32_t i = 0; i < npages; i++)
	{
		page_list[i].beside = 1;
		page_list[i].there = UINT64_C(1) << col[COL_A] | UINT64_C(1) << col[COL_D];
	}
	ok(table_kept(&numbers), "is filled beside those that are packed");
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].beside = page_list[i].there = 0;
	ok(gives_table(stripe), "all is there");
	keep_pages(ordered, 0, npages, 0);
	ok(gives_table(ordered), "so it is in the other");
	ok(pack(ordered, COL_A) && pack(ordered, COL_T) && gives_table(ordered), "packed again");
	STRIPES->free(stripe);
	STRIPES->free(plain);
	STRIPES->free(ordered);
	dictionaries_free();
	free(ranges);
	keep_nothing();
}

/*
 * Positions that are not read any more, to which a column's values never came, spoil nothing: not
 * the widths, and not what lies at NULLs.
 */
static void
test_gone(void)
{
	static GpuAggPositions without[ARENA_PAGES];
	static GpuAggPage left[ARENA_PAGES];
	GpuAggStripe *stripe;
	uint32_t	nwithout = 0;
	uint32_t	nleft = 0;
	uint64_t	bytes;

	table_make_narrow(scaled(60000), 100, 0);
	/* of pages that go any bits */
	for (uint32_t i = 0; i < npages; i++)
		for (uint32_t line = 0; i % 5 == 0 && line < page_list[i].nlines; line++)
			rows[line_row[i][line]].v = (int64_t) (random_next() << 32 ^ random_next());
	table_build();
	program_standard(&numbers);
	program_texts(&texts);
	dictionaries_make();
	stripe = stripe_fill();
	for (uint32_t i = 0; i < npages; i++)
		if (i % 5 == 0)
			without[nwithout++] = (GpuAggPositions) {
				page_list[i].position, page_list[i].positions
			};
		else
			left[nleft++] = page_list[i];
	gone = 5;
	bytes = STRIPES->column_bytes(stripe, COL_V);
	ok(pack(stripe, COL_V) && STRIPES->column_bytes(stripe, COL_V) < bytes / 2 &&
	   pack(stripe, COL_T) && pack(stripe, COL_A), "what is not read does not make values wide");
	ok(stripe_gives(&numbers, stripe, without, nwithout, left, nleft) &&
	   stripe_gives(&texts, stripe, without, nwithout, left, nleft), "the rest is read");
	gone = 0;
	STRIPES->free(stripe);
	dictionaries_free();
	keep_nothing();
}

/* What cannot be less stays as it is; a stripe without rows takes nothing. */
static void
test_plain(void)
{
	GpuAggStripe *stripe;
	uint64_t	bytes;

	program_standard(&numbers);
	table_make(scaled(20000), 1000, 0);
	stripe = stripe_create(lines_of(0, npages));
	ok(stripe_add_loaded(stripe, &numbers), "a stripe");
	keep_pages(stripe, 0, npages, 0);
	ok(table_kept(&numbers), "of numbers at random");
	bytes = STRIPES->column_bytes(stripe, COL_V);
	ok(pack(stripe, COL_V) && STRIPES->column_bytes(stripe, COL_V) == bytes &&
	   stripe_gives_table(&numbers, stripe), "is not packed");
	ok(pack(stripe, COL_T), "nor is a column that it has not");
	STRIPES->free(stripe);
	keep_nothing();
	stripe = stripe_create(100000);
	ok(stripe_add_loaded(stripe, &numbers) && packs(stripe, COL_A, 8) && packs(stripe, COL_V, 8),
	   "a stripe without rows takes nothing");
	ok(stripe_gives(&numbers, stripe, NULL, 0, NULL, 0), "and gives nothing");
	STRIPES->free(stripe);
}

int
device_stripe_pack_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, STRIPE_LIMIT);
	if (STRIPES->pack != NULL)
	{
		test_packed(300, 10, 0, false);
		test_packed(60000, 100, 0, false);
		test_packed(60000, 20000, 5, true);
		test_packed(100000, 50000, CLUSTERED, true);
		test_gone();
		test_plain();
	}
	is_int((long long) STRIPES->used(device), 0, "nothing is left");
	table_free();
	device_close();
	return done_testing();
}
