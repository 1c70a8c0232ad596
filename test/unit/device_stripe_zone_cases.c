/*
 * device_stripe_zone_cases.c
 *		Zones of stripes: what they know is what their rows give when they are
 *		read; tasks that are given the rest only answer the same with them.
 */
#include "device/ops/zone_answer.h"
#include "device/ops/zone_filter.h"
#include "device_stripe_table.h"

static TestProgram p;
static uint32_t positions;

/* All that zones can answer, of three columns */
static void
program_answers(void)
{
	static const uint8_t cols[] = {COL_A, COL_V, COL_D};

	program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	for (int i = 0; i < 3; i++)
	{
		const bool	f64 = cols[i] == COL_D;
		const uint32_t type = f64 ? GPUAGG_T_FLOAT8 :
			cols[i] == COL_A	  ? GPUAGG_T_INT4 :
									GPUAGG_T_INT8;

		program_trans(&p, GPUAGG_TRANS_COUNT, col[cols[i]], NONE, type);
		program_trans(&p, f64 ? GPUAGG_TRANS_MIN_F64 : GPUAGG_TRANS_MIN_I64, col[cols[i]], NONE,
					  type);
		program_trans(&p, f64 ? GPUAGG_TRANS_MAX_F64 : GPUAGG_TRANS_MAX_I64, col[cols[i]], NONE,
					  type);
	}
}

/* Zones of each loaded column by register */
static bool
columns_of(GpuAggStripe *stripe, bool counts, const GpuAggZone **columns)
{
	GpuAggError error;
	bool		good = true;

	for (uint32_t i = 0; i < p.head.nattrs; i++)
		if (p.attrs[i].reg != NONE)
			good &= STRIPES->zones(stripe, i, counts, false, &columns[p.attrs[i].reg],
								   &error) == GPUAGG_OK;
	return good;
}

/* Zones of rows, and of each loaded column by register */
static bool
zones_of(GpuAggStripe *stripe, const GpuAggZone **all, const GpuAggZone **columns)
{
	GpuAggError error;

	return STRIPES->zones(stripe, GPUAGG_ZONE_ROWS, true, false, all, &error) == GPUAGG_OK &&
		columns_of(stripe, true, columns);
}

/* Are bounds that are asked for without counts those of all that has come? */
static bool
bounds_cover(GpuAggStripe *stripe)
{
	const uint32_t n = gpuagg_zones(positions);
	const GpuAggZone *columns[GPUAGG_MAX_REGS];
	GpuAggZone *known = malloc(p.head.ncolumns * n * sizeof(GpuAggZone));
	bool		good = columns_of(stripe, false, columns);

	for (uint32_t c = 0; good && c < p.head.ncolumns; c++)
		memcpy(known + c * n, columns[c], n * sizeof(GpuAggZone));
	good = good && columns_of(stripe, true, columns);
	for (uint32_t c = 0; good && c < p.head.ncolumns; c++)
		for (uint32_t z = 0; good && z < n; z++)
			good = known[c * n + z].low == columns[c][z].low &&
				known[c * n + z].high == columns[c][z].high;
	free(known);
	return good;
}

/* The one group of the stripe's rows but some; room for 256 bytes */
static bool
group_of(GpuAggStripe *stripe, const GpuAggPositions *without, uint32_t nwithout, char *group)
{
	GpuAggLayout layout;
	Run			run;
	bool		good = false;

	gpuagg_layout_compute(&p.head, &layout);
	gpuagg_zone_answer_init(&p.head, group);
	if (run_begin(&run, &p, &plain_config) && run_resident(&run, stripe, without, nwithout) &&
		run_collect(&run, 1))
	{
		run_finish(&run, 4096);
		good = run.error.status == GPUAGG_OK;
	}
	if (good && run.groups > 0)
		memcpy(group, run.results, layout.row_bytes);
	run_end(&run);
	return good;
}

/* Does each zone know what reading its rows gives? */
static bool
zones_agree(GpuAggStripe *stripe)
{
	const GpuAggZone *all;
	const GpuAggZone *columns[GPUAGG_MAX_REGS];
	GpuAggLayout layout;
	bool		agree = zones_of(stripe, &all, columns);

	gpuagg_layout_compute(&p.head, &layout);
	for (uint32_t z = 0; agree && z < gpuagg_zones(positions); z++)
	{
		const GpuAggZone *one[GPUAGG_MAX_REGS];
		const uint32_t first = z * GPUAGG_ZONE;
		const uint32_t end = first + GPUAGG_ZONE < positions ? first + GPUAGG_ZONE : positions;
		GpuAggPositions without[2] = {{0, first}, {end, positions - end}};
		char		known[256];
		char		read[256];

		for (uint32_t c = 0; c < p.head.ncolumns; c++)
			one[c] = &columns[c][z];
		gpuagg_zone_answer_init(&p.head, known);
		gpuagg_zone_answer_add(&p.head, known, &all[z], one);
		agree = group_of(stripe, without + (first == 0), 2 - (first == 0) - (end == positions),
						 read) &&
			memcmp(known, read, layout.row_bytes) == 0;
	}
	return agree;
}

/* Does the range that is told without waiting cover all zones? */
static bool
range_covers(GpuAggStripe *stripe)
{
	const GpuAggZone *all;
	const GpuAggZone *columns[GPUAGG_MAX_REGS];
	bool		good = zones_of(stripe, &all, columns);

	for (uint32_t i = 0; good && i < p.head.nattrs; i++)
	{
		GpuAggZone	range;

		if (p.attrs[i].reg == NONE)
			continue;
		good = STRIPES->range(stripe, i, &range);
		for (uint32_t z = 0; good && z < gpuagg_zones(positions); z++)
			good = columns[p.attrs[i].reg][z].low >= range.low &&
				columns[p.attrs[i].reg][z].high <= range.high;
	}
	return good;
}

/* A stripe of the table: its pages from the first on, or each second one later */
static GpuAggStripe *
stripe_make(bool in_order)
{
	GpuAggStripe *stripe;

	program_answers();
	positions = lines_of(0, npages);
	stripe = stripe_create(positions);
	ok(stripe != NULL && stripe_add_loaded(stripe, &p), "a stripe with zones");
	ok(zones_agree(stripe), "of which nothing is there");
	keep_pages(stripe, 0, npages, 0);
	for (uint32_t i = 0; !in_order && i < npages; i += 2)
		page_list[i].stripe = NULL;
	ok(table_kept(&p), "is filled");
	ok(bounds_cover(stripe), "bounds cover what has come");
	if (!in_order)
	{
		ok(zones_agree(stripe), "by every second page, and zones know them");
		for (uint32_t i = 0; i < npages; i++)
			page_list[i].stripe = i % 2 == 0 ? stripe : NULL;
		ok(table_kept(&p), "then by the others");
		ok(bounds_cover(stripe), "bounds cover these, too");
	}
	return stripe;
}

static void
test_zones(bool odd, bool in_order)
{
	GpuAggStripe *stripe;

	table_odd_lines = odd;
	table_make(scaled(300000), 1000, 0);
	table_odd_lines = false;
	stripe = stripe_make(in_order);
	ok(zones_agree(stripe), "zones know what their rows give");
	ok(range_covers(stripe), "and so does the range of all");
	keep_pages(stripe, 0, npages, 0);
	ok(table_kept(&p) && bounds_cover(stripe) && zones_agree(stripe),
	   "also if the same comes again");
	STRIPES->free(stripe);
	keep_nothing();
}

/* A column that comes later has no bounds before it is filled. */
static void
test_columns(void)
{
	GpuAggStripe *stripe;
	const GpuAggZone *zones;
	GpuAggError error;

	table_make(scaled(100000), 1000, 0);
	positions = lines_of(0, npages);
	stripe = stripe_create(positions);
	program_columns(&p, WANT(COL_A));
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	ok(stripe_add_loaded(stripe, &p), "a stripe of one column");
	keep_pages(stripe, 0, npages, 0);
	ok(table_kept(&p), "is filled");
	ok(STRIPES->zones(stripe, COL_V, true, false, &zones, &error) == GPUAGG_UNSUPPORTED,
	   "of another one it has no zones");
	program_answers();
	ok(stripe_add_loaded(stripe, &p) &&
	   STRIPES->zones(stripe, COL_V, true, false, &zones, &error) == GPUAGG_OK &&
	   zones->low > zones->high && zones->count == 0, "others are added, and empty");
	ok(table_kept(&p) && zones_agree(stripe), "then all is filled, and known");
	STRIPES->drop_column(stripe, COL_V);
	ok(STRIPES->zones(stripe, COL_V, true, false, &zones, &error) == GPUAGG_UNSUPPORTED &&
	   STRIPES->zones(stripe, COL_D, true, false, &zones, &error) == GPUAGG_OK,
	   "a column goes with its zones");
	STRIPES->free(stripe);
	keep_nothing();
}

/* What goes leaves its bounds; rows are counted as they are. */
static void
test_fewer_lines(void)
{
	const GpuAggZone *all;
	const GpuAggZone *columns[GPUAGG_MAX_REGS];
	GpuAggStripe *stripe;
	uint64_t	rows = 0;
	uint64_t	left = 0;
	int64_t		low;

	table_make(scaled(100000), 1000, 0);
	stripe = stripe_make(true);
	ok(zones_of(stripe, &all, columns), "zones");
	low = columns[0]->low;
	for (uint32_t z = 0; z < gpuagg_zones(positions); z++)
		rows += all[z].count;
	lines_leave(0, npages);
	ok(table_kept(&p) && zones_of(stripe, &all, columns), "lines have gone");
	for (uint32_t z = 0; z < gpuagg_zones(positions); z++)
		left += all[z].count;
	ok(left > 0 && left < rows && columns[0]->low == low, "rows count no more, bounds stay");
	lines_return();
	ok(table_kept(&p) && zones_agree(stripe), "and come back");
	STRIPES->free(stripe);
	keep_nothing();
}

/* Values in order: a filter passes rows of one zone, and nothing else is read. */
static void
test_skip(void)
{
	static GpuAggZoneFilter filter;
	const GpuAggZone *all;
	const GpuAggZone *columns[GPUAGG_MAX_REGS];
	GpuAggPositions without[64];
	GpuAggStripe *stripe;
	GpuAggLayout layout;
	char		some[256];
	char		whole[256];
	uint32_t	n = 0;
	uint16_t	reg;

	table_make(scaled(300000), 1000, 0);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v = i;
	table_build();
	stripe = stripe_make(true);
	reg = program_const_i64(&p, GPUAGG_T_INT8, 100);
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_V], reg));
	gpuagg_zone_filter_init(&filter, &p.head);
	ok(zones_of(stripe, &all, columns), "zones in order");
	for (uint32_t z = 0; z < gpuagg_zones(positions); z++)
	{
		const uint32_t first = z * GPUAGG_ZONE;

		if (gpuagg_zone_filter(&filter, columns) == GPUAGG_VERDICT_NONE)
			without[n++] = (GpuAggPositions) {first, positions - first < GPUAGG_ZONE ?
				positions - first : GPUAGG_ZONE};
		for (uint32_t c = 0; c < p.head.ncolumns; c++)
			columns[c]++;
	}
	is_int(n, gpuagg_zones(positions) - 1, "all but one are skipped");
	gpuagg_layout_compute(&p.head, &layout);
	ok(group_of(stripe, without, n, some) && group_of(stripe, NULL, 0, whole) &&
	   memcmp(some, whole, layout.row_bytes) == 0, "and the answer is the same");
	STRIPES->free(stripe);
	keep_nothing();
}

/*
 * Pages that lie mixed in two stripes, and from which lines have gone, are laid in order: the rows
 * are the same, and zones know them again.
 */
static void
test_rearrange(bool odd)
{
	GpuAggStripe *mixed[2];
	GpuAggStripe *ordered;
	GpuAggStripeRange *ranges;
	GpuAggPositions without = {0, 0};
	GpuAggLayout layout;
	GpuAggError error;
	char		kept[256];
	char		laid[256];
	uint32_t	at[2] = {0, 0};

	table_odd_lines = odd;
	table_make(scaled(300000), 1000, 0);
	table_odd_lines = false;
	program_answers();
	gpuagg_layout_compute(&p.head, &layout);
	positions = lines_of(0, npages);
	ranges = calloc(npages, sizeof(*ranges));
	for (int s = 0; s < 2; s++)
		mixed[s] = stripe_create(positions + 7);
	ok(stripe_add_loaded(mixed[0], &p) && stripe_add_loaded(mixed[1], &p), "two stripes");
	/* from the last page on */
	for (uint32_t i = npages; i-- > 0;)
	{
		const int	s = i % 3 == 0;

		at[s] = keep_pages(mixed[s], i, 1, at[s] + (i % 5 == 0));
		ranges[i] = (GpuAggStripeRange) {
			mixed[s], {page_list[i].position, page_list[i].positions}
		};
	}
	ok(table_kept(&p), "have the pages, mixed");
	lines_leave(0, npages);
	ok(table_kept(&p), "and lines have gone");
	lines_return();
	ordered = stripe_create(positions);
	ok(stripe_add_loaded(ordered, &p) &&
	   STRIPES->rearrange(ordered, ranges, npages, &error) == GPUAGG_OK, "they are laid in order");
	ok(zones_agree(ordered), "zones know what is there, no more");
	ok(range_covers(ordered) && bounds_cover(ordered), "so do ranges");
	ok(group_of(ordered, NULL, 0, laid), "it is read");
	keep_nothing();
	/* the same pages in a stripe that never was another */
	STRIPES->free(mixed[0]);
	mixed[0] = stripe_create(positions);
	ok(stripe_add_loaded(mixed[0], &p), "a stripe");
	keep_pages(mixed[0], 0, npages, 0);
	lines_leave(0, npages);
	ok(table_kept(&p) && group_of(mixed[0], NULL, 0, kept) &&
	   memcmp(kept, laid, layout.row_bytes) == 0, "the rows are the same");
	without.count = page_list[0].positions + 5;
	ok(group_of(mixed[0], &without, 1, kept) && group_of(ordered, &without, 1, laid) &&
	   memcmp(kept, laid, layout.row_bytes) == 0, "in the same places");
	lines_return();
	keep_pages(ordered, 0, npages, 0);
	ok(table_kept(&p) && zones_agree(ordered), "and pages come again");
	free(ranges);
	STRIPES->free(mixed[0]);
	STRIPES->free(mixed[1]);
	STRIPES->free(ordered);
	keep_nothing();
}

int
device_stripe_zone_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, STRIPE_LIMIT);
	test_zones(false, true);
	test_zones(true, true);
	test_zones(false, false);
	test_columns();
	test_fewer_lines();
	test_skip();
	test_rearrange(false);
	test_rearrange(true);
	is_int((long long) STRIPES->used(device), 0, "nothing is left");
	table_free();
	device_close();
	return done_testing();
}
