/*
 * device_slab_cases.c
 *		Slabs: what is kept of pages while they are grouped is what later tasks
 *		find there.  Draws, codes and strings: device_slab_*_cases.c
 */
#include "device_slab_table.h"

/* Makes a slab of the whole table, with the program's columns, and fills it. */
static GpuAggSlab *
slab_of_table(const TestProgram *p, const char *name)
{
	uint32_t	places = lines_of(0, npages);
	GpuAggSlab *slab = slab_create(places);

	ok(slab != NULL && slab_add_loaded(slab, p), name);
	keep_pages(slab, 0, npages, 0);
	ok(table_kept(p), "grouped while it is kept");
	return slab;
}

static void
test_kept(uint32_t n, uint32_t groups, bool odd, const char *name)
{
	static TestProgram p;
	GpuAggSlab *slab;

	table_odd_lines = odd;
	table_make(scaled(n), groups, 0);
	table_odd_lines = false;
	program_standard(&p);
	slab = slab_of_table(&p, name);
	ok(slab_gives_table(&p, slab), "kept is what was there");
	ok(slab_gives_table(&p, slab), "twice");
	program_columns(&p, WANT(COL_A) | WANT(COL_D));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	ok(slab_gives_table(&p, slab), "fewer columns, in other registers");
	SLABS->free(slab);
	keep_nothing();
}

/* Filters, and no keys */
static void
test_programs(void)
{
	static TestProgram p;
	GpuAggSlab *slab;
	uint16_t	reg;

	table_make(scaled(30000), 100, 0);
	program_standard(&p);
	slab = slab_of_table(&p, "for programs of several kinds");
	p.head.nkeys = 0;
	ok(slab_gives_table(&p, slab), "no keys");
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	reg = program_const_i64(&p, GPUAGG_T_INT4, 30);
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_A], reg));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(&p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	ok(slab_gives_table(&p, slab), "a filter");
	program_init(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	ok(slab_gives_table(&p, slab), "no column");
	program_columns(&p, WANT(COL_V));
	reg = program_const_i64(&p, GPUAGG_T_INT8, 0);
	program_trans(&p, GPUAGG_TRANS_SUM_I64,
				  program_instr(&p, GPUAGG_OP_INT8_DIV, GPUAGG_CLASS_I64, col[COL_V], reg),
				  NONE, GPUAGG_T_INT8);
	ok(slab_gives_table(&p, slab), "an error");
	SLABS->free(slab);
	keep_nothing();
}

/* Which rows there are may be all that is kept. */
static void
test_rows(bool odd, const char *name)
{
	static TestProgram p;
	GpuAggSlab *slab;
	GpuAggPlaces without;

	table_odd_lines = odd;
	table_make(scaled(30000), 100, 0);
	table_odd_lines = false;
	program_init(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	slab = slab_of_table(&p, name);
	ok(slab_gives_table(&p, slab), "are counted");
	without = (GpuAggPlaces) {lines_of(0, 2), lines_of(2, npages - 2)};
	ok(slab_gives(&p, slab, &without, 1, page_list, 2), "those of two pages");
	program_standard(&p);
	ok(slab_add_loaded(slab, &p), "columns come to them");
	keep_pages(slab, 0, npages, 0);
	ok(table_kept(&p) && slab_gives_table(&p, slab), "and are kept at the same places");
	SLABS->free(slab);
	keep_nothing();
}

/* Some pages' places are not wanted: neither one of them, a run, the ends */
static void
test_without(void)
{
	static TestProgram p;
	static GpuAggPage wanted[ARENA_PAGES];
	static GpuAggPlaces without[ARENA_PAGES];
	static const uint32_t parts[] = {2, 3, 50, 1};
	GpuAggSlab *slab;

	table_make(scaled(100000), 100, 0);
	program_standard(&p);
	slab = slab_of_table(&p, "for a part of it");
	for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++)
	{
		uint32_t	n = 0;
		uint32_t	nwithout = 0;

		for (uint32_t i = 0; i < npages; i++)
			if (parts[k] > 1 && i % parts[k] != 0 && (i > 40 || parts[k] != 50))
				wanted[n++] = page_list[i];
			else if (nwithout > 0 && page_place[i] == without[nwithout - 1].first +
					 without[nwithout - 1].count)
				without[nwithout - 1].count += page_list[i].nlines;
			else
				without[nwithout++] = (GpuAggPlaces) {page_place[i], page_list[i].nlines};
		ok(slab_gives(&p, slab, without, nwithout, wanted, n), "without some pages");
	}
	SLABS->free(slab);
	keep_nothing();
}

static void
test_clear(void)
{
	static TestProgram p;
	GpuAggSlab *slab;
	GpuAggError error;
	uint32_t	half = 0;

	table_make(scaled(50000), 100, 0);
	half = npages / 2;
	program_standard(&p);
	slab = slab_of_table(&p, "to be cleared");
	SLABS->clear(slab, (GpuAggPlaces) {page_place[half], page_place[npages] - page_place[half]},
				 &error);
	ok(slab_gives(&p, slab, NULL, 0, page_list, half), "the second half is cleared");
	keep_pages(slab, 0, npages, 0);
	ok(table_kept(&p) && slab_gives_table(&p, slab), "and kept again");
	SLABS->clear(slab, (GpuAggPlaces) {0, page_place[npages]}, &error);
	ok(slab_gives(&p, slab, NULL, 0, page_list, 0), "nothing is left");
	SLABS->free(slab);
	keep_nothing();
}

/* A page has other rows by now, fewer or as many: they take its places. */
static void
test_changed(void)
{
	static TestProgram p;
	GpuAggSlab *slab;
	uint32_t	changed = 0;

	table_make(scaled(30000), 100, 0);
	program_standard(&p);
	slab = slab_of_table(&p, "of pages that change");
	for (uint32_t i = 0; i < npages; i += 3)
		for (uint32_t line = 0; line < pages[i].nlines; line += 2 + i % 5)
		{
			page_line(&pages[i], line)->flags = 3;
			changed++;
		}
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].slab = i % 3 == 0 ? slab : NULL;
	ok(changed > 0 && table_kept(&p) && slab_gives_table(&p, slab), "some rows have gone");
	SLABS->free(slab);
	keep_nothing();
}

/* One column, then another one at the same places */
static void
test_columns(void)
{
	static TestProgram p;
	GpuAggSlab *slab;
	uint64_t	bytes;

	table_make(scaled(50000), 100, 0);
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	slab = slab_of_table(&p, "of two columns");
	bytes = SLABS->bytes(slab);
	ok(slab_gives_table(&p, slab), "two columns");
	program_columns(&p, WANT(COL_A) | WANT(COL_D));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	ok(slab_add_loaded(slab, &p) && table_kept(&p) && slab_gives_table(&p, slab),
	   "a third one comes later");
	program_standard(&p);
	ok(slab_gives_table(&p, slab), "the first ones are still there");
	is_int((long long) SLABS->column_bytes(slab, COL_T), 0, "no bytes of a column that it has not");
	ok(SLABS->bytes(slab) == bytes + SLABS->column_bytes(slab, COL_D), "bytes");
	SLABS->drop_column(slab, COL_D);
	SLABS->drop_column(slab, COL_T);
	is_int((long long) SLABS->bytes(slab), (long long) bytes, "dropped");
	{
		Run			run;

		run_begin(&run, &p, &plain_config);
		ok(!run_resident(&run, slab, NULL, 0) && run.error.status == GPUAGG_UNSUPPORTED,
		   "a task that wants it is refused");
		run_end(&run);
	}
	SLABS->free(slab);
	keep_nothing();
}

/* A task reads some from a slab, some from pages, and keeps those, too. */
static void
test_mixed(void)
{
	static TestProgram p;
	GpuAggSlab *slabs[2];
	uint32_t	third;
	GpuAggPlaces rest[2];
	Oracle	   *o;
	Run			run;

	table_make(scaled(100000), 1000, 0);
	program_standard(&p);
	third = npages / 3;
	for (int i = 0; i < 2; i++)
	{
		slabs[i] = slab_create(lines_of(0, npages));
		ok(slabs[i] != NULL && slab_add_loaded(slabs[i], &p), "one of two slabs");
	}
	keep_pages(slabs[0], 0, third, 0);
	keep_pages(slabs[1], third, third, 0);
	ok(table_kept(&p), "two thirds are kept");
	rest[0] = (GpuAggPlaces) {lines_of(0, third), lines_of(0, npages) - lines_of(0, third)};
	rest[1] = (GpuAggPlaces) {lines_of(third, third), lines_of(0, npages) - lines_of(third, third)};

	o = oracle_start(&p);
	oracle_list(o, page_list, npages);
	keep_pages(slabs[0], 2 * third, npages - 2 * third, rest[0].first);
	if (run_begin(&run, &p, &plain_config) && run_resident(&run, slabs[0], &rest[0], 1) &&
		run_list(&run, page_list + 2 * third, npages - 2 * third, 40, 6) &&
		run_resident(&run, slabs[1], &rest[1], 1) && run_collect(&run, 2))
		run_finish(&run, 4096);
	ok(oracle_agrees(o, &run), "two slabs and pages, which go behind the first one's end");
	run_end(&run);
	oracle_end(o);

	o = oracle_start(&p);
	oracle_list(o, page_list, npages);
	if (run_begin(&run, &p, &plain_config) && run_resident(&run, slabs[0], NULL, 0) &&
		run_resident(&run, slabs[1], NULL, 0) && run_collect(&run, 2))
		run_finish(&run, 4096);
	ok(oracle_agrees(o, &run), "and are there");
	run_end(&run);
	oracle_end(o);
	SLABS->free(slabs[0]);
	SLABS->free(slabs[1]);
	keep_nothing();
}

/* What a failed task has kept is nobody's, but the slab is good again. */
static void
test_faults(void)
{
	static TestProgram p;
	GpuAggTaskConfig config = {.fault = GPUAGG_FAULT_PAGES};
	GpuAggSlab *slab;
	Run			run;

	table_make(scaled(20000), 100, 0);
	program_standard(&p);
	slab = slab_of_table(&p, "and failures");
	ok(run_begin(&run, &p, &config) && !run_feed(&run) && run.error.status == GPUAGG_INJECTED,
	   "pages that are kept fail");
	run_end(&run);
	ok(run_begin(&run, &p, &config) && run_resident(&run, slab, NULL, 0) &&
	   !run_collect(&run, 1) && run.error.status == GPUAGG_INJECTED, "so do slabs");
	run_end(&run);
	run_begin(&run, &p, &plain_config);
	run_resident(&run, slab, NULL, 0);
	OPS->task_cancel(run.task);
	run_collect(&run, 1);
	ok(run.error.status == GPUAGG_CANCELLED || run.error.status == GPUAGG_OK, "cancel");
	run_end(&run);
	ok(table_kept(&p) && slab_gives_table(&p, slab), "kept again");
	SLABS->free(slab);
	keep_nothing();
}

static void
test_limit(void)
{
	GpuAggSlab *slab = NULL;
	GpuAggSlab *other = NULL;
	GpuAggError error;

	SLABS->limit(device, 1 << 20);
	slab = slab_create(100000);
	ok(slab != NULL && slab_add(slab, 0, GPUAGG_T_INT8), "a megabyte has room for a column");
	ok(SLABS->used(device) >= SLABS->bytes(slab) && SLABS->used(device) <= 1 << 20, "used");
	ok(SLABS->add_column(slab, 1, GPUAGG_T_INT8, NULL, &error) == GPUAGG_OUT_OF_MEMORY &&
	   error.message[0] != '\0', "not for two");
	ok(SLABS->create(device, UINT32_C(1) << 30, &other, &error) == GPUAGG_OUT_OF_MEMORY &&
	   other == NULL, "nor for a large slab");
	SLABS->drop_column(slab, 0);
	ok(slab_add(slab, 1, GPUAGG_T_INT8), "one after the other");
	SLABS->free(slab);
	is_int((long long) SLABS->used(device), 0, "nothing is used any more");
	SLABS->limit(device, SLAB_LIMIT);
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
	GpuAggSlab *slab;

	types_make(scaled(20000));
	types_program(&p, NTYPES);
	slab = slab_of_table(&p, "of all types");
	for (uint32_t key = 0; key <= NTYPES; key++)
	{
		types_program(&p, key);
		ok(slab_gives_table(&p, slab), "a key of each type");
	}
	SLABS->free(slab);
	keep_nothing();
}

int
device_slab_cases(const TestDevice *d)
{
	GpuAggError error;
	GpuAggSlab *slab;

	if (!device_open(d))
		return done_testing();
	ok(SLABS->create(device, 1000, &slab, &error) == GPUAGG_OUT_OF_MEMORY && slab == NULL,
	   "no slabs before there is a limit");
	SLABS->limit(device, SLAB_LIMIT);
	test_kept(100, 10, false, "a page");
	test_kept(60000, 100, false, "few groups");
	test_kept(60000, 100, true, "odd lines");
	test_kept(200000, 100000, false, "many groups");
	test_programs();
	test_rows(false, "rows without columns");
	test_rows(true, "rows without columns, odd lines");
	test_without();
	test_clear();
	test_changed();
	test_columns();
	test_mixed();
	test_types();
	test_faults();
	test_limit();
	is_at_rest("no task has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
