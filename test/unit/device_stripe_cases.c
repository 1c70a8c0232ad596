/*
 * device_stripe_cases.c
 *		Stripes: what is kept of pages while they are grouped is what later tasks
 *		find there.  Draws, codes and strings: device_stripe_*_cases.c
 */
#include "device/ops/ops_zone.h"
#include "device_stripe_table.h"

/* Makes a stripe of the whole table, with the program's columns, and fills it. */
static GpuAggStripe *
stripe_of_table(const TestProgram *p, const char *name)
{
	uint32_t	positions = lines_of(0, npages);
	GpuAggStripe *stripe = stripe_create(positions);

	ok(stripe != NULL && stripe_add_loaded(stripe, p), name);
	keep_pages(stripe, 0, npages, 0);
	ok(table_kept(p), "grouped while it is kept");
	return stripe;
}

static void
test_kept(uint32_t n, uint32_t groups, bool odd, const char *name)
{
	static TestProgram p;
	GpuAggStripe *stripe;

	table_odd_lines = odd;
	table_make(scaled(n), groups, 0);
	table_odd_lines = false;
	program_standard(&p);
	stripe = stripe_of_table(&p, name);
	ok(stripe_gives_table(&p, stripe), "kept is what was there");
	ok(stripe_gives_table(&p, stripe), "twice");
	program_columns(&p, WANT(COL_A) | WANT(COL_D));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	ok(stripe_gives_table(&p, stripe), "fewer columns, in other registers");
	STRIPES->free(stripe);
	keep_nothing();
}

/* Filters, and no keys */
static void
test_programs(void)
{
	static TestProgram p;
	GpuAggStripe *stripe;
	uint16_t	reg;

	table_make(scaled(30000), 100, 0);
	program_standard(&p);
	stripe = stripe_of_table(&p, "for programs of several kinds");
	p.head.nkeys = 0;
	ok(stripe_gives_table(&p, stripe), "no keys");
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	reg = program_const_i64(&p, GPUAGG_T_INT4, 30);
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_A], reg));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(&p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	ok(stripe_gives_table(&p, stripe), "a filter");
	program_init(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	ok(stripe_gives_table(&p, stripe), "no column");
	program_columns(&p, WANT(COL_V));
	reg = program_const_i64(&p, GPUAGG_T_INT8, 0);
	program_trans(&p, GPUAGG_TRANS_SUM_I64,
				  program_instr(&p, GPUAGG_OP_INT8_DIV, GPUAGG_CLASS_I64, col[COL_V], reg),
				  NONE, GPUAGG_T_INT8);
	ok(stripe_gives_table(&p, stripe), "an error");
	STRIPES->free(stripe);
	keep_nothing();
}

/* Which rows there are may be all that is kept. */
static void
test_rows(bool odd, const char *name)
{
	static TestProgram p;
	GpuAggStripe *stripe;
	GpuAggPositions without;

	table_odd_lines = odd;
	table_make(scaled(30000), 100, 0);
	table_odd_lines = false;
	program_init(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	stripe = stripe_of_table(&p, name);
	ok(stripe_gives_table(&p, stripe), "are counted");
	without = (GpuAggPositions) {lines_of(0, 2), lines_of(2, npages - 2)};
	ok(stripe_gives(&p, stripe, &without, 1, page_list, 2), "those of two pages");
	program_standard(&p);
	ok(stripe_add_loaded(stripe, &p), "columns come to them");
	keep_pages(stripe, 0, npages, 0);
	ok(table_kept(&p) && stripe_gives_table(&p, stripe), "and are kept at the same positions");
	STRIPES->free(stripe);
	keep_nothing();
}

/* Some pages' positions are not wanted: neither one of them, a run, the ends */
static void
test_without(void)
{
	static TestProgram p;
	static GpuAggPage wanted[ARENA_PAGES];
	static GpuAggPositions without[ARENA_PAGES];
	static const uint32_t parts[] = {2, 3, 50, 1};
	GpuAggStripe *stripe;

	table_make(scaled(100000), 100, 0);
	program_standard(&p);
	stripe = stripe_of_table(&p, "for a part of it");
	for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++)
	{
		uint32_t	n = 0;
		uint32_t	nwithout = 0;

		for (uint32_t i = 0; i < npages; i++)
			if (parts[k] > 1 && i % parts[k] != 0 && (i > 40 || parts[k] != 50))
				wanted[n++] = page_list[i];
			else if (nwithout > 0 && page_position[i] == without[nwithout - 1].first +
					 without[nwithout - 1].count)
				without[nwithout - 1].count += page_list[i].nlines;
			else
				without[nwithout++] = (GpuAggPositions) {page_position[i], page_list[i].nlines};
		ok(stripe_gives(&p, stripe, without, nwithout, wanted, n), "without some pages");
	}
	STRIPES->free(stripe);
	keep_nothing();
}

/* A page has fewer lines by now, or none: at its other positions there is no row any more. */
static void
test_fewer_lines(void)
{
	static TestProgram p;
	GpuAggStripe *stripe;

	table_make(scaled(50000), 100, 0);
	program_standard(&p);
	stripe = stripe_of_table(&p, "of pages that shrink");
	lines_leave(0, npages);
	ok(table_kept(&p) && stripe_gives_table(&p, stripe), "lines have gone");
	lines_return();
	ok(table_kept(&p) && stripe_gives_table(&p, stripe), "and come back");
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].nlines = 0;
	ok(table_kept(&p) && stripe_gives(&p, stripe, NULL, 0, page_list, 0), "nothing is left");
	lines_return();
	STRIPES->free(stripe);
	keep_nothing();
}

/* A page has other rows by now, fewer or as many: they take its places. */
static void
test_changed(void)
{
	static TestProgram p;
	GpuAggStripe *stripe;
	uint32_t	changed = 0;

	table_make(scaled(30000), 100, 0);
	program_standard(&p);
	stripe = stripe_of_table(&p, "of pages that change");
	for (uint32_t i = 0; i < npages; i += 3)
		for (uint32_t line = 0; line < pages[i].nlines; line += 2 + i % 5)
		{
			page_line(&pages[i], line)->flags = 3;
			changed++;
		}
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].stripe = i % 3 == 0 ? stripe : NULL;
	ok(changed > 0 && table_kept(&p) && stripe_gives_table(&p, stripe), "some rows have gone");
	STRIPES->free(stripe);
	keep_nothing();
}

/* One column, then another one at the same positions */
static void
test_columns(void)
{
	static TestProgram p;
	GpuAggStripe *stripe;
	uint64_t	bytes;

	table_make(scaled(50000), 100, 0);
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	stripe = stripe_of_table(&p, "of two columns");
	bytes = STRIPES->bytes(stripe);
	ok(stripe_gives_table(&p, stripe), "two columns");
	program_columns(&p, WANT(COL_A) | WANT(COL_D));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	ok(stripe_add_loaded(stripe, &p) && table_kept(&p) && stripe_gives_table(&p, stripe),
	   "a third one comes later");
	program_standard(&p);
	ok(stripe_gives_table(&p, stripe), "the first ones are still there");
	is_int((long long) STRIPES->column_bytes(stripe, COL_T), 0,
		   "no bytes of a column that it has not");
	ok(STRIPES->bytes(stripe) == bytes + STRIPES->column_bytes(stripe, COL_D), "bytes");
	STRIPES->drop_column(stripe, COL_D);
	STRIPES->drop_column(stripe, COL_T);
	is_int((long long) STRIPES->bytes(stripe), (long long) bytes, "dropped");
	{
		Run			run;

		run_begin(&run, &p, &plain_config);
		ok(!run_resident(&run, stripe, NULL, 0) && run.error.status == GPUAGG_UNSUPPORTED,
		   "a task that wants it is refused");
		run_end(&run);
	}
	STRIPES->free(stripe);
	keep_nothing();
}

/* Some lines hold no row, as if it were left to PostgreSQL, or do so again. */
static void
lines_set(uint8_t flags)
{
	for (uint32_t i = 0; i < npages; i += 2)
		for (uint32_t line = i % 7; line < pages[i].nlines; line += 3)
			page_line(&pages[i], line)->flags = flags;
}

/*
 * Columns come to rows that others may be reading: what is decoded of a page without some of
 * its rows takes none of them, and no NULL, from the columns that are there.
 */
static void
test_beside(void)
{
	static TestProgram p;
	GpuAggStripe *stripe;

	table_make(scaled(50000), 100, 0);
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_COUNT, col[COL_V], NONE, GPUAGG_T_INT8);
	stripe = stripe_of_table(&p, "of columns that are read");
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].beside = 1;
	program_standard(&p);
	lines_set(3);
	ok(stripe_add_loaded(stripe, &p) && table_kept(&p), "others come, of fewer rows");
	lines_set(GPUAGG_LP_NORMAL);
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_COUNT, col[COL_V], NONE, GPUAGG_T_INT8);
	ok(stripe_gives_table(&p, stripe), "the first ones are what they were");
	program_standard(&p);
	ok(table_kept(&p) && stripe_gives_table(&p, stripe), "the others come again, whole");
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].beside = 0;
	STRIPES->free(stripe);
	keep_nothing();
}

/* Values of the first two columns become others, which lie where those did; or are so again. */
static void
values_move(int by)
{
	for (uint32_t i = 0; i < nrows; i++)
	{
		rows[i].a += by;
		rows[i].v += by;
	}
	table_build();
}

/* Columns that are there stay as they are, whatever the pages are that bring others. */
static void
test_there(void)
{
	static TestProgram p;
	GpuAggStripe *stripe;

	table_make(scaled(50000), 100, 0);
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	stripe = stripe_of_table(&p, "of columns that stay");
	program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	values_move(1);
	keep_pages(stripe, 0, npages, 0);
	for (uint32_t i = 0; i < npages; i++)
	{
		page_list[i].beside = 1;
		page_list[i].there = UINT64_C(1) << col[COL_A] | UINT64_C(1) << col[COL_V];
	}
	ok(stripe_add_loaded(stripe, &p) && table_kept(&p), "another one comes");
	values_move(-1);
	ok(stripe_gives_table(&p, stripe), "the first ones are what they were, and it is there");
	values_move(1);
	keep_pages(stripe, 0, npages, 0);
	ok(table_kept(&p) && stripe_gives_table(&p, stripe), "without that they are not");
	STRIPES->free(stripe);
	keep_nothing();
}

/* A task reads some from a stripe, some from pages, and keeps those, too. */
static void
test_mixed(void)
{
	static TestProgram p;
	GpuAggStripe *stripes[2];
	uint32_t	third;
	GpuAggPositions rest[2];
	Oracle	   *o;
	Run			run;

	table_make(scaled(100000), 1000, 0);
	program_standard(&p);
	third = npages / 3;
	for (int i = 0; i < 2; i++)
	{
		stripes[i] = stripe_create(lines_of(0, npages));
		ok(stripes[i] != NULL && stripe_add_loaded(stripes[i], &p), "one of two stripes");
	}
	keep_pages(stripes[0], 0, third, 0);
	keep_pages(stripes[1], third, third, 0);
	ok(table_kept(&p), "two thirds are kept");
	rest[0] = (GpuAggPositions) {lines_of(0, third), lines_of(0, npages) - lines_of(0, third)};
	rest[1] = (GpuAggPositions){lines_of(third, third),
								lines_of(0, npages) - lines_of(third, third)};

	o = oracle_start(&p);
	oracle_list(o, page_list, npages);
	keep_pages(stripes[0], 2 * third, npages - 2 * third, rest[0].first);
	if (run_begin(&run, &p, &plain_config) && run_resident(&run, stripes[0], &rest[0], 1) &&
		run_list(&run, page_list + 2 * third, npages - 2 * third, 40, 6) &&
		run_resident(&run, stripes[1], &rest[1], 1) && run_collect(&run, 2))
		run_finish(&run, 4096);
	ok(oracle_agrees(o, &run), "two stripes and pages, which go behind the first one's end");
	run_end(&run);
	oracle_end(o);

	o = oracle_start(&p);
	oracle_list(o, page_list, npages);
	if (run_begin(&run, &p, &plain_config) && run_resident(&run, stripes[0], NULL, 0) &&
		run_resident(&run, stripes[1], NULL, 0) && run_collect(&run, 2))
		run_finish(&run, 4096);
	ok(oracle_agrees(o, &run), "and are there");
	run_end(&run);
	oracle_end(o);
	STRIPES->free(stripes[0]);
	STRIPES->free(stripes[1]);
	keep_nothing();
}

/* What a failed task has kept is nobody's, but the stripe is good again. */
static void
test_faults(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.fault = GPUAGG_FAULT_PAGES};
	GpuAggStripe *stripe;
	Run			run;

	table_make(scaled(20000), 100, 0);
	program_standard(&p);
	stripe = stripe_of_table(&p, "and failures");
	ok(run_begin(&run, &p, &config) && !run_feed(&run) && run.error.status == GPUAGG_INJECTED,
	   "pages that are kept fail");
	run_end(&run);
	ok(run_begin(&run, &p, &config) && run_resident(&run, stripe, NULL, 0) &&
	   !run_collect(&run, 1) && run.error.status == GPUAGG_INJECTED, "so do stripes");
	run_end(&run);
	run_begin(&run, &p, &plain_config);
	run_resident(&run, stripe, NULL, 0);
	OPS->task_cancel(run.task);
	run_collect(&run, 1);
	ok(run.error.status == GPUAGG_CANCELLED || run.error.status == GPUAGG_OK, "cancel");
	run_end(&run);
	ok(table_kept(&p) && stripe_gives_table(&p, stripe), "kept again");
	STRIPES->free(stripe);
	keep_nothing();
}

static void
test_limit(void)
{
	GpuAggStripe *stripe = NULL;
	GpuAggStripe *other = NULL;
	GpuAggError error;

	STRIPES->limit(device, 1 << 20);
	stripe = stripe_create(100000);
	ok(stripe != NULL && stripe_add(stripe, 0, GPUAGG_T_INT8), "a megabyte has room for a column");
	ok(STRIPES->used(device) >= STRIPES->bytes(stripe) && STRIPES->used(device) <= 1 << 20, "used");
	ok(STRIPES->add_column(stripe, 1, GPUAGG_T_INT8, NULL, &error) == GPUAGG_OUT_OF_MEMORY &&
	   error.message[0] != '\0', "not for two");
	ok(STRIPES->create(device, UINT32_C(1) << 30, &other, &error) == GPUAGG_OUT_OF_MEMORY &&
	   other == NULL, "nor for a large stripe");
	STRIPES->drop_column(stripe, 0);
	ok(stripe_add(stripe, 1, GPUAGG_T_INT8), "one after the other");
	STRIPES->free(stripe);
	is_int((long long) STRIPES->used(device), 0, "nothing is used any more");
	STRIPES->limit(device, STRIPE_LIMIT);
}

/* ---------- every type ---------- */

/* Fixed-width types in an order that needs padding */
static const uint8_t all_types[] = {
	GPUAGG_T_BOOL, GPUAGG_T_INT4, GPUAGG_T_INT2, GPUAGG_T_INT8, GPUAGG_T_FLOAT4,
	GPUAGG_T_TIMESTAMP, GPUAGG_T_DATE, GPUAGG_T_FLOAT8, GPUAGG_T_BOOL, GPUAGG_T_TIMESTAMPTZ
};
#define NTYPES (sizeof(all_types) / sizeof(*all_types))

/* A random value as it lies on a page; of floats, small integers and NaN */
static void
type_value(uint32_t type, char *to)
{
	int64_t		v = (int64_t) random_next();
	float		f4 = (float) (v % 1000);
	double		f8 = v % 50 == 0 ? 0.0 / 0.0 : (double) (v % 1000000);

	if (type == GPUAGG_T_BOOL)
		v &= 1;
	if (type == GPUAGG_T_FLOAT4)
		memcpy(to, &f4, sizeof(f4));
	else if (type == GPUAGG_T_FLOAT8)
		memcpy(to, &f8, sizeof(f8));
	else
		memcpy(to, &v, 8);
}

/* Rows of all types, some values NULL, some rows without the last ones */
static void
types_make(uint32_t n)
{
	char		bytes[NTYPES][8];
	TestValue	values[NTYPES];

	npages = 0;
	for (uint32_t r = 0; r < n; r++)
	{
		uint32_t	natts = random_next() % 20 == 0 ? 1 + random_next() % NTYPES : NTYPES;

		for (uint32_t i = 0; i < NTYPES; i++)
		{
			uint32_t	size = (uint32_t) test_type_bytes[all_types[i]];

			type_value(all_types[i], bytes[i]);
			values[i] = (TestValue) {random_next() % 16 == 0 ? NULL : bytes[i], size, size};
		}
		while (npages == 0 || !page_add(&pages[npages - 1], values, natts))
			page_init(&pages[npages++]);
	}
	for (uint32_t i = 0; i < npages; i++)
		page_list[i] = (GpuAggPage) {.page = pages[i].bytes,.nlines = pages[i].nlines,.block = i};
}

/* Each column as a key, with the others' counts, least and greatest */
static void
types_program(TestProgram *p, uint32_t key)
{
	program_init(p);
	for (uint32_t i = 0; i < NTYPES; i++)
		program_attr(p, all_types[i], true);
	for (uint32_t i = 0; i < NTYPES; i++)
		if (i == key)
			program_key(p, (uint16_t) i, all_types[i]);
	for (uint32_t i = 0; i < NTYPES; i++)
	{
		bool		real = test_type_class[all_types[i]] == GPUAGG_CLASS_F64;

		program_trans(p, GPUAGG_TRANS_COUNT, (uint16_t) i, NONE, all_types[i]);
		program_trans(p, real ? GPUAGG_TRANS_MIN_F64 : GPUAGG_TRANS_MIN_I64, (uint16_t) i, NONE,
					  all_types[i]);
		program_trans(p, real ? GPUAGG_TRANS_MAX_F64 : GPUAGG_TRANS_SUM_I128, (uint16_t) i, NONE,
					  all_types[i]);
	}
}

static void
test_types(void)
{
	static TestProgram p;
	GpuAggStripe *stripe;

	types_make(scaled(20000));
	types_program(&p, NTYPES);
	stripe = stripe_of_table(&p, "of all types");
	for (uint32_t key = 0; key <= NTYPES; key++)
	{
		types_program(&p, key);
		ok(stripe_gives_table(&p, stripe), "a key of each type");
	}
	STRIPES->free(stripe);
	keep_nothing();
}

/*
 * Ten minutes a step of the first column; hours of a zone whose offset becomes half an hour more on
 * the sixth day
 */
static uint16_t
zoned_hours(TestProgram *p)
{
	const int64_t hour = INT64_C(3600000000);
	const struct
	{
		GpuAggZoneHead head;
		GpuAggZoneSpan spans[2];
		uint16_t	index[4];
	}			zone = {
		{GPUAGG_TIMESTAMP_MIN, GPUAGG_TIMESTAMP_END, 120 * hour, 2, 1, 63, 0, 0, 0},
		{{120 * hour, hour}, {GPUAGG_TIMESTAMP_END, hour + hour / 2}}, {0, 0, 0, 0}
	};
	const uint16_t step = program_const_i64(p, GPUAGG_T_INT8, 600000000);
	const uint16_t table = program_const_bytes(p, &zone, sizeof(zone));
	const uint16_t moment = program_instr(p, GPUAGG_OP_INT8_MUL, GPUAGG_CLASS_I64, col[COL_A],
										  step);
	const uint16_t local = program_instr(p, GPUAGG_OP_ZONE_LOCAL, GPUAGG_CLASS_I64, moment, table);
	const uint16_t offset = program_instr(p, GPUAGG_OP_INT8_SUB, GPUAGG_CLASS_I64, local, moment);
	const uint16_t cut = program_instr(p, GPUAGG_OP_TIMESTAMP_TRUNC, GPUAGG_CLASS_I64, local, 0);

	p->instrs[p->head.ninstrs - 1].imm = GPUAGG_FIELD_HOUR;
	return program_instr(p, GPUAGG_OP_INT8_SUB, GPUAGG_CLASS_I64, cut, offset);
}

/* Hours of moments without a zone, four steps each; before 2000, too */
static uint16_t
plain_hours(TestProgram *p)
{
	const uint16_t step = program_const_i64(p, GPUAGG_T_INT8, 900000000);
	const uint16_t start = program_const_i64(p, GPUAGG_T_INT8, INT64_C(-1234567890123));
	const uint16_t steps = program_instr(p, GPUAGG_OP_INT8_MUL, GPUAGG_CLASS_I64, col[COL_A], step);
	const uint16_t moment = program_instr(p, GPUAGG_OP_INT8_ADD, GPUAGG_CLASS_I64, steps, start);
	const uint16_t cut = program_instr(p, GPUAGG_OP_TIMESTAMP_TRUNC, GPUAGG_CLASS_I64, moment, 0);

	p->instrs[p->head.ninstrs - 1].imm = GPUAGG_FIELD_HOUR;
	return cut;
}

static uint16_t
tens(TestProgram *p)
{
	const uint16_t ten = program_const_i64(p, GPUAGG_T_INT4, 10);

	return program_instr(p, GPUAGG_OP_INT4_MUL, GPUAGG_CLASS_I64,
						 program_instr(p, GPUAGG_OP_INT4_DIV, GPUAGG_CLASS_I64, col[COL_A], ten),
						 ten);
}

/* Keys whose values are units apart, and values between them that have no number */
static void
test_apart(void)
{
	static TestProgram p;
	GpuAggStripe *stripe;

	table_make(scaled(60000), 1500, 0);
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_key(&p, tens(&p), GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	stripe = stripe_of_table(&p, "for keys that are units apart");
	ok(stripe_gives_table(&p, stripe), "tens");
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_key(&p, zoned_hours(&p), GPUAGG_T_TIMESTAMPTZ);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	ok(stripe_gives_table(&p, stripe), "hours of a zone, of which some have no number");
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_key(&p, plain_hours(&p), GPUAGG_T_TIMESTAMP);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	ok(stripe_gives_table(&p, stripe), "hours, numbered before they are cut");
	STRIPES->free(stripe);
	keep_nothing();
}

int
device_stripe_cases(const TestDevice *d)
{
	GpuAggError error;
	GpuAggStripe *stripe;

	if (!device_open(d))
		return done_testing();
	ok(STRIPES->create(device, 1000, &stripe, &error) == GPUAGG_OUT_OF_MEMORY && stripe == NULL,
	   "no stripes before there is a limit");
	STRIPES->limit(device, STRIPE_LIMIT);
	test_kept(100, 10, false, "a page");
	test_kept(60000, 100, false, "few groups");
	test_kept(60000, 100, true, "odd lines");
	test_kept(200000, 100000, false, "many groups");
	test_programs();
	test_rows(false, "rows without columns");
	test_rows(true, "rows without columns, odd lines");
	test_without();
	test_fewer_lines();
	test_changed();
	test_columns();
	test_beside();
	test_there();
	test_mixed();
	test_types();
	test_apart();
	test_faults();
	test_limit();
	is_at_rest("no task has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
