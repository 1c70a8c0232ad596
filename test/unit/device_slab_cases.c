/*
 * device_slab_cases.c
 *		Slabs: what is kept of pages while they are grouped is what later tasks
 *		find there.
 */
#include "device/draw.h"
#include "device/encode.h"
#include "device_oracle.h"
#include "device_table.h"

#define SLABS (OPS->slabs)
#define SLAB_LIMIT (UINT64_C(256) << 20)

/* ---------- slabs of the test table ---------- */

/* The place of each page's first line, and of the end */
static uint32_t page_place[ARENA_PAGES + 1];

static GpuAggSlab *
slab_create(uint32_t places)
{
	GpuAggSlab *slab = NULL;
	GpuAggError error;

	if (SLABS->create(device, places, &slab, &error) != GPUAGG_OK)
		printf("# create: %s\n", error.message);
	return slab;
}

static bool
slab_add(GpuAggSlab *slab, uint32_t attr, uint32_t type)
{
	GpuAggError error;

	return SLABS->add_column(slab, attr, type, NULL, &error) == GPUAGG_OK;
}

/* Columns for all that a program loads */
static bool
slab_add_loaded(GpuAggSlab *slab, const TestProgram *p)
{
	bool		good = true;

	for (uint32_t i = 0; i < p->head.nattrs; i++)
		if (p->attrs[i].reg != NONE && SLABS->column_bytes(slab, i) == 0)
			good &= slab_add(slab, i, p->attrs[i].type);
	return good;
}

/* Pages [first, first + n) of the list are to be kept, from a place on. */
static uint32_t
keep_pages(GpuAggSlab *slab, uint32_t first, uint32_t n, uint32_t place)
{
	for (uint32_t i = first; i < first + n; i++)
	{
		page_list[i].slab = slab;
		page_list[i].place = page_place[i] = place;
		place += page_list[i].nlines;
	}
	page_place[first + n] = place;
	return place;
}

static uint32_t
lines_of(uint32_t first, uint32_t n)
{
	uint32_t	lines = 0;

	for (uint32_t i = first; i < first + n; i++)
		lines += page_list[i].nlines;
	return lines;
}

static void
keep_nothing(void)
{
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].slab = NULL;
}

static bool
run_resident(Run *run, GpuAggSlab *slab, const GpuAggPlaces *without, uint32_t nwithout)
{
	GpuAggPlaces *copy = calloc(nwithout + 1, sizeof(*copy));
	GpuAggError error = {0};

	if (nwithout > 0)
		memcpy(copy, without, nwithout * sizeof(*copy));
	if (OPS->task_resident(run->task, 77, slab, copy, nwithout, &error) != GPUAGG_OK &&
		run->error.status == GPUAGG_OK)
		run->error = error;
	memset(copy, 0xFF, (nwithout + 1) * sizeof(*copy));
	free(copy);
	return error.status == GPUAGG_OK;
}

/* The table grouped as it is kept */
static bool
table_kept(const TestProgram *p)
{
	return oracle_run(p, page_list, npages, &plain_config, 40, 6);
}

/* Do the slab's rows, but for some, give what the listed pages give? */
static bool
slab_gives(const TestProgram *p, GpuAggSlab *slab, const GpuAggPlaces *without,
		   uint32_t nwithout, const GpuAggPage *list, uint32_t n)
{
	Oracle	   *o = oracle_start(p);
	Run			run;
	bool		agree;

	oracle_list(o, list, n);
	if (run_begin(&run, p, &plain_config) &&
		run_resident(&run, slab, without, nwithout) && run_collect(&run, 1))
		run_finish(&run, 4096);
	agree = oracle_agrees(o, &run);
	run_end(&run);
	oracle_end(o);
	return agree;
}

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

static bool
slab_gives_table(const TestProgram *p, GpuAggSlab *slab)
{
	return slab_gives(p, slab, NULL, 0, page_list, npages);
}

/* ---------- cases ---------- */

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

/* ---------- strings ---------- */

/* Of the test table's columns, by attribute */
static GpuAggDictionary *dictionaries[NCOLS];

static void
dictionaries_make(void)
{
	static const int strings[] = {COL_T, COL_C};
	GpuAggError error;

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		ok(SLABS->dictionary_create(device, &dictionaries[strings[i]], &error) == GPUAGG_OK,
		   "a dictionary");
}

static void
dictionaries_free(void)
{
	for (int i = 0; i < NCOLS; i++)
		if (dictionaries[i] != NULL)
			SLABS->dictionary_free(dictionaries[i]);
	memset(dictionaries, 0, sizeof(dictionaries));
}

/* A program whose strings are codes where they can be */
typedef struct Encoded
{
	TestProgram p;
	bool		coded[16];
	GpuAggDictionary *dictionaries[16];
	GpuAggTaskConfig config;
} Encoded;

/* The attribute that a column is */
static uint32_t
column_attr(const TestProgram *p, uint32_t column)
{
	uint32_t	i = 0;

	while (p->attrs[i].reg != column)
		i++;
	return i;
}

static uint32_t
encode(const TestProgram *p, Encoded *e)
{
	int32_t		codes[16] = {0};
	uint32_t	n;

	memset(e, 0, sizeof(*e));
	e->p = *p;
	n = gpuagg_encode_plan(&p->head, e->coded);
	for (uint32_t r = 0; r < p->head.ncolumns; r++)
		if (e->coded[r])
			e->dictionaries[r] = dictionaries[column_attr(p, r)];
	for (uint32_t k = 0; k < p->head.nconsts; k++)
	{
		uint32_t	column = gpuagg_encode_constant(&p->head, e->coded, k);
		GpuAggBytes b = {(const char *) p + p->consts[k].v.off, p->consts[k].len};
		GpuAggError error;

		if (column != NONE)
			SLABS->dictionary_encode(e->dictionaries[column], &b, 1, &codes[k], &error);
	}
	gpuagg_encode_program(&e->p.head, e->coded, codes);
	if (n > 0)
		e->config.dictionaries = e->dictionaries;
	return n;
}

/* Groups of codes become groups of strings. */
static bool
run_decode(Run *run, const TestProgram *p, const Encoded *e)
{
	GpuAggDictionaryText texts[16] = {{0}};
	GpuAggEncoding encoding = {&p->head, &e->p.head, {0}, {0}, texts};
	char	   *results = NULL;
	size_t		bytes = 0;
	const char *at = run->results;
	GpuAggError error;

	gpuagg_layout_compute(&p->head, &encoding.from_layout);
	gpuagg_layout_compute(&e->p.head, &encoding.to_layout);
	for (uint32_t r = 0; r < p->head.ncolumns; r++)
		if (e->coded[r])
			SLABS->dictionary_read(e->dictionaries[r], &texts[r], &error);
	for (uint32_t g = 0; g < run->groups; g++)
	{
		const uint64_t size = gpuagg_decode_bytes(&encoding, at);

		if (size == 0)
			return false;
		if (bytes % (1 << 20) + size >= 1 << 20 || results == NULL)
			results = realloc(results, bytes + (2 << 20));
		gpuagg_decode_group(&encoding, at, at + encoding.to_layout.row_bytes,
							results + bytes);
		at += gpuagg_group_bytes(&e->p.head, &encoding.to_layout, at);
		bytes += size;
	}
	if (at != run->results + run->results_bytes)
		return false;
	free(run->results);
	run->results = results;
	run->results_bytes = bytes;
	return true;
}

/*
 * Pages (slab NULL) or a slab, by codes where they can be, against the oracle.
 * written: the device itself writes strings for codes.
 */
static bool
strings_agree_as(const TestProgram *p, GpuAggSlab *slab, bool written)
{
	Oracle	   *o = oracle_start(p);
	static Encoded e;
	Run			run;
	bool		agree = false;

	oracle_list(o, page_list, npages);
	encode(p, &e);
	if (written)
		e.config.results = &p->head;
	if (run_begin(&run, &e.p, &e.config) &&
		(slab == NULL ? run_feed(&run) : run_resident(&run, slab, NULL, 0) &&
		 run_collect(&run, 1)) && run_finish(&run, 4096) &&
		(written || run_decode(&run, p, &e)))
		agree = oracle_agrees(o, &run);
	else
		printf("# %s\n", run.error.message);
	run_end(&run);
	oracle_end(o);
	return agree;
}

static bool
strings_agree(const TestProgram *p, GpuAggSlab *slab)
{
	return strings_agree_as(p, slab, false) &&
		(!SLABS->results || strings_agree_as(p, slab, true));
}

/* A slab of all columns of the test table */
static GpuAggSlab *
slab_of_strings(void)
{
	GpuAggSlab *slab = slab_create(lines_of(0, npages));
	GpuAggError error;

	for (uint32_t i = 0; i < NCOLS; i++)
	{
		static const uint8_t types[NCOLS] = {GPUAGG_T_INT4, GPUAGG_T_TEXT, GPUAGG_T_INT8,
		GPUAGG_T_FLOAT8, GPUAGG_T_TEXT};

		ok(SLABS->add_column(slab, i, types[i], dictionaries[i], &error) == GPUAGG_OK,
		   "columns of strings and others");
	}
	return slab;
}

/* t as the key, counted, or a filter on it; c as another key */
static void
program_codes(TestProgram *p, int kind)
{
	uint16_t	a;
	uint16_t	b;

	program_columns(p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
	if (kind == 1)
	{
		a = program_const_text(p, "13");
		b = program_const_text(p, "nowhere");
		a = program_instr(p, GPUAGG_OP_BYTES_NE, GPUAGG_CLASS_I64, col[COL_T], a);
		b = program_instr(p, GPUAGG_OP_BYTES_EQ, GPUAGG_CLASS_I64, b, col[COL_T]);
		program_filter(p, program_instr(p, GPUAGG_OP_OR, GPUAGG_CLASS_I64, a, b));
	}
	if (kind == 2)
	{
		program_const_text(p, "101");
		program_const_text(p, "15");
		program_const_text(p, "16 is a longer string");
		program_const_text(p, "never");
		a = program_instr(p, GPUAGG_OP_IN_BYTES, GPUAGG_CLASS_I64, col[COL_T], NONE);
		p->instrs[p->head.ninstrs - 1].imm2 = 4;
		program_filter(p, a);
	}
	if (kind != 3)
		program_key(p, col[COL_T], GPUAGG_T_TEXT);
	if (kind == 3 || kind == 4)
		program_key(p, col[COL_C], GPUAGG_T_TEXT);
	if (kind == 6)
		program_key(p, col[COL_C], GPUAGG_T_BPCHAR);
	program_key(p, col[COL_A], GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_COUNT, col[COL_T], NONE, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	if (kind == 4)
		program_trans(p, GPUAGG_TRANS_MAX_BYTES, col[COL_C], NONE, GPUAGG_T_TEXT);
	if (kind == 5)
		program_trans(p, GPUAGG_TRANS_MIN_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
}

static void
test_strings(uint32_t n, uint32_t groups)
{
	static const char *const names[] = {"text as a key", "text compared", "text in a list",
	"text that is counted", "one column as codes, one as it is", "text of which the least is wanted",
	"text as a key that ignores blanks"};
	static const uint32_t coded[] = {2, 2, 2, 2, 1, 1, 1};
	static TestProgram p;
	static Encoded e;
	GpuAggSlab *slab;

	table_make(scaled(n), groups, 0);
	for (uint32_t i = 0; i < nrows; i += 9)
		rows[i].natts = (uint8_t) (1 + i % (NCOLS - 1));
	table_build();
	dictionaries_make();
	slab = slab_of_strings();
	for (int kind = 0; kind < 7; kind++)
	{
		program_codes(&p, kind);
		is_int(encode(&p, &e), coded[kind], "columns of codes");
		keep_pages(slab, 0, npages, 0);
		ok(strings_agree(&p, NULL), names[kind]);
		ok(strings_agree(&p, slab), "from a slab");
		keep_nothing();
		ok(strings_agree(&p, NULL), "from pages alone");
		ok(slab_gives_table(&p, slab), "a slab's codes as strings");
	}
	SLABS->free(slab);
	dictionaries_free();
	is_int((long long) SLABS->used(device), 0, "nothing is left");
}

/* Rows that PostgreSQL evaluates are not kept, and have no code. */
static void
test_toasted(void)
{
	static TestProgram p;
	GpuAggSlab *slab;
	uint32_t	toasted = 0;

	table_make(scaled(20000), 100, 0);
	for (uint32_t i = 0; i < nrows; i += 11)
	{
		rows[i].toast = i % 2 ? EXTERNAL : COMPRESSED;
		toasted++;
	}
	table_build();
	dictionaries_make();
	slab = slab_of_strings();
	keep_pages(slab, 0, npages, 0);
	program_codes(&p, 0);
	ok(toasted > 0 && strings_agree(&p, NULL), "toasted strings are listed");
	{
		static Encoded e;
		Run			run;

		encode(&p, &e);
		if (run_begin(&run, &e.p, &e.config) && run_resident(&run, slab, NULL, 0))
			run_collect(&run, 1);
		is_int((long long) run.scanned, nrows - toasted, "and not in the slab");
		run_end(&run);
	}
	SLABS->free(slab);
	dictionaries_free();
	keep_nothing();
}

static void
test_dictionary(void)
{
	GpuAggDictionary *d = NULL;
	GpuAggDictionaryInfo info;
	GpuAggDictionaryText text;
	GpuAggError error;
	GpuAggBytes b[3] = {{"one", 3}, {"", 0}, {"one", 3}};
	int32_t		codes[3];
	char		s[16];
	bool		good = true;

	SLABS->dictionary_create(device, &d, &error);
	SLABS->dictionary_encode(d, b, 3, codes, &error);
	ok(codes[0] == codes[2] && codes[0] != codes[1] && codes[0] + codes[1] == 1, "codes");
	for (int i = 0; i < 50000; i++)
	{
		b[0] = (GpuAggBytes) {s, (uint64_t) snprintf(s, sizeof(s), "%d", i)};
		good &= SLABS->dictionary_encode(d, b, 1, codes, &error) == GPUAGG_OK && codes[0] == i + 2;
	}
	ok(good, "they go up");
	SLABS->dictionary_info(d, &info);
	ok(info.entries == 50002 && info.full == 0 && info.bytes > 0, "info");
	SLABS->dictionary_read(d, &text, &error);
	good = text.entries == 50002;
	for (int i = 0; i < 50000 && good; i++)
	{
		uint64_t	start = text.starts[i + 2];
		size_t		len = (size_t) snprintf(s, sizeof(s), "%d", i);

		good &= text.starts[i + 3] - start == len && memcmp(text.bytes + start, s, len) == 0;
	}
	ok(good, "text");
	SLABS->dictionary_free(d);
}

/* No memory for more strings: a task over codes ends, one that keeps goes on. */
static void
test_full(void)
{
	static TestProgram p;
	static Encoded e;
	GpuAggDictionaryInfo info;
	GpuAggSlab *slab;
	Run			run;

	table_make(scaled(200000), 200000, 0);
	dictionaries_make();
	slab = slab_of_strings();
	SLABS->limit(device, SLABS->used(device) + (64 << 10));
	program_codes(&p, 5);
	p.head.nkeys = 0;
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	keep_pages(slab, 0, npages, 0);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "pages are grouped");
	SLABS->dictionary_info(dictionaries[COL_T], &info);
	ok(info.full || nrows < 100000, "but not all strings are kept");
	keep_nothing();
	program_codes(&p, 0);
	encode(&p, &e);
	ok(nrows < 100000 || (run_begin(&run, &e.p, &e.config) && !run_feed(&run) &&
						  run.error.status == GPUAGG_UNSUPPORTED), "codes end");
	if (nrows >= 100000)
		run_end(&run);
	SLABS->free(slab);
	dictionaries_free();
	is_int((long long) SLABS->used(device), 0, "nothing is left");
	SLABS->limit(device, SLAB_LIMIT);
}

/* ---------- draws ---------- */

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
}			draw_ways[] = {
	{GPUAGG_DRAW_SINGLE, 0, 0, GPUAGG_DRAW_SINGLE, "single"},
	{GPUAGG_DRAW_PASSES, 3, 0, GPUAGG_DRAW_PASSES, "three passes"},
	{GPUAGG_DRAW_PASSES, GPUAGG_DRAW_WINDOWS, 0, GPUAGG_DRAW_PASSES, "as many passes as there may be"},
	{GPUAGG_DRAW_SPATIAL, 2, 132, GPUAGG_DRAW_SPATIAL, "spatial"},
	{GPUAGG_DRAW_SPATIAL, 5, 1, GPUAGG_DRAW_SPATIAL, "spatial, most windows without units"},
	{GPUAGG_DRAW_SPATIAL, 2, 0, GPUAGG_DRAW_PASSES, "spatial, but nobody knows the units"},
	{GPUAGG_DRAW_SPATIAL, GPUAGG_SPATIAL_UNITS + 1, 132, GPUAGG_DRAW_PASSES, "spatial, more windows than units"}
};

#define NWAYS (sizeof(draw_ways) / sizeof(draw_ways[0]))

/* One task, as asked for by a way; is what it says of itself right? */
static bool
draws_run(Run *run, const TestProgram *p, const GpuAggDrawRange *ranges, uint32_t nranges,
		  GpuAggSample sample, size_t way)
{
	GpuAggTaskConfig config = {.sample = sample, .draw_way = draw_ways[way].way,
	.draw_windows = draw_ways[way].windows};
	GpuAggDrawRange *copy = malloc((nranges + 1) * sizeof(*copy));
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
draws_agree(const TestProgram *p, const GpuAggDrawRange *ranges, uint32_t nranges,
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
		const bool	told = draws_run(&run, p, ranges, nranges, sample, way);

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

/* All places of both slabs, those between pages too, which are no rows */
static void
test_draws_of_all(const TestProgram *p, GpuAggSlab *const *slab, uint32_t places, uint64_t n)
{
	const GpuAggDrawRange ranges[] = {
		{slab[0], {3, places - 3}},
		{slab[1], {0, places}}
	};

	ok(draws_agree(p, ranges, 2, n, 5), "of all places");
}

/* The table in two slabs, with places between pages that are no rows */
static void
test_draws(uint32_t n, uint32_t groups)
{
	static TestProgram p;
	static GpuAggDrawRange ranges[ARENA_PAGES];
	GpuAggSlab *slab[2];
	uint32_t	place = 5;

	table_make(scaled(n), groups, 0);
	program_standard(&p);
	for (int i = 0; i < 2; i++)
	{
		slab[i] = slab_create(lines_of(0, npages) + 3 * npages + 64);
		ok(slab[i] != NULL && slab_add_loaded(slab[i], &p), "a slab to draw from");
	}
	for (uint32_t i = 0; i < npages; i++)
	{
		if (i == npages / 3)
			place = 0;
		ranges[i] = (GpuAggDrawRange) {slab[i >= npages / 3], {place, page_list[i].nlines}};
		place = keep_pages(ranges[i].slab, i, 1, place) + i % 3;
	}
	ok(table_kept(&p), "grouped while it is kept");
	ok(draws_agree(&p, ranges, npages, 1, 1), "a draw");
	ok(draws_agree(&p, ranges, npages, 1000, 2), "draws");
	ok(draws_agree(&p, ranges, npages, scaled(3 * n) + 17, 3), "more draws than rows");
	test_draws_of_all(&p, slab, lines_of(0, npages) + 3 * npages + 64, scaled(n));
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_A],
									 program_const_i64(&p, GPUAGG_T_INT4, 30)));
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(&p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	ok(draws_agree(&p, ranges, npages, scaled(n), 4), "a filter, and no keys");
	SLABS->free(slab[0]);
	SLABS->free(slab[1]);
	keep_nothing();
}

/* Part of the tests, where GPUAGG_TEST_PART names one: sanitizers take long. */
static bool
wants(const char *part)
{
	const char *wanted = getenv("GPUAGG_TEST_PART");

	return wanted == NULL || strcmp(wanted, part) == 0;
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
	if (wants("kept"))
	{
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
	}
	if (wants("draws"))
	{
		test_draws(300, 10);
		test_draws(60000, 100);
		test_draws(100000, 50000);
	}
	if (wants("faults"))
	{
		test_faults();
		test_limit();
	}
	if (SLABS->dictionary_create != NULL && wants("strings"))
	{
		test_dictionary();
		test_strings(100, 5);
		test_strings(30000, 100);
		test_strings(100000, 50000);
		test_toasted();
		test_full();
	}
	is_at_rest("no task has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
