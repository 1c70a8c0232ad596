/*
 * device_lookup_cases.c
 *		Tasks that look rows up in tables: of every kind, joined in every way, over pages
 *		and over stripes; and a table for which there is no memory.
 */
#include "device_stripe_table.h"

/*
 * Of a table: rows, how far its keys are apart, whether they are pairs or strings, and have a
 * filter
 */
typedef struct Shape
{
	uint32_t	nrows;
	uint64_t	step;
	uint32_t	nkeys;
	bool		strings;
	bool		filter;
} Shape;

/* Columns of tables, those of keys not counted */
enum
{
	LOOK_SMALL, LOOK_WIDE, LOOK_REAL, LOOK_NAME, LOOK_NEXT, NLOOK
};

#define MOST_ROWS 400

static uint16_t
joined_table(TestProgram *p, Shape shape)
{
	static int64_t values[NLOOK + 2][MOST_ROWS];
	static double reals[MOST_ROWS];
	static char text[MOST_ROWS][100];
	static GpuAggBytes names[MOST_ROWS];
	static uint8_t nulls[MOST_ROWS];
	GpuAggLookupSource columns[NLOOK + 2] = {
		{GPUAGG_CLASS_I64, values[NLOOK], NULL},
		{GPUAGG_CLASS_I64, values[NLOOK + 1], NULL}
	};
	GpuAggLookupSource *c = columns + shape.nkeys;
	GpuAggLookupRows made = {shape.nrows, shape.nkeys, shape.nkeys + NLOOK, columns, 99,
	shape.filter ? UINT64_MAX : 0, NULL};

	for (uint32_t i = 0; i < shape.nrows; i++)
	{
		Row			r = {.a = (int32_t) i * 2};

		row_set_text(&r);
		memcpy(text[i], r.t, sizeof(text[i]));
		names[i] = (GpuAggBytes) {text[i], strlen(text[i])};
		values[NLOOK][i] = (int64_t) (i * shape.step);
		values[NLOOK + 1][i] = i % 3;
		values[LOOK_SMALL][i] = i % 13;
		values[LOOK_WIDE][i] = (int64_t) i << 40;
		values[LOOK_NEXT][i] = (int64_t) ((i * 7) % 150);
		reals[i] = i / 4.0;
		nulls[i] = i % 5 == 0;
	}
	if (shape.strings)
		columns[0] = (GpuAggLookupSource) {GPUAGG_CLASS_BYTES, names, NULL};
	c[LOOK_SMALL] = (GpuAggLookupSource) {GPUAGG_CLASS_I64, values[LOOK_SMALL], nulls};
	c[LOOK_WIDE] = (GpuAggLookupSource) {GPUAGG_CLASS_I64, values[LOOK_WIDE], NULL};
	c[LOOK_REAL] = (GpuAggLookupSource) {GPUAGG_CLASS_F64, reals, nulls};
	c[LOOK_NAME] = (GpuAggLookupSource) {GPUAGG_CLASS_BYTES, names, nulls};
	c[LOOK_NEXT] = (GpuAggLookupSource) {GPUAGG_CLASS_I64, values[LOOK_NEXT], NULL};
	return program_const_table(p, &made);
}

static const Shape bits = {120, 2, 1, false, false};
static const Shape slots = {120, UINT64_C(1) << 33, 1, false, false};
static const Shape pairs = {120, 1, 2, false, false};
static const Shape strings = {120, 1, 1, true, false};
static const Shape slots_filter = {120, UINT64_C(1) << 33, 1, false, true};
static const Shape pairs_filter = {120, 1, 2, false, true};
static const Shape strings_filter = {120, 1, 1, true, true};

/* ---------- programs ---------- */

static uint16_t
fetch(TestProgram *p, uint16_t row, uint16_t table, int32_t column)
{
	const uint32_t op = column == LOOK_REAL ? GPUAGG_OP_FETCH_F64 :
		column == LOOK_NAME ? GPUAGG_OP_FETCH_BYTES : GPUAGG_OP_FETCH_I64;

	p->instrs[p->head.ninstrs].imm = column;
	return program_instr(p, op, column == LOOK_REAL ? GPUAGG_CLASS_F64 :
						 column == LOOK_NAME ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64, row, table);
}

static uint16_t
find(TestProgram *p, uint16_t key, uint16_t table)
{
	return program_instr(p, GPUAGG_OP_LOOKUP, GPUAGG_CLASS_I64, key, table);
}

/* The filter AND whether there is a row, or none */
static uint16_t
joined(TestProgram *p, uint16_t filter, uint16_t row, uint32_t test)
{
	const uint16_t t = program_instr(p, test, GPUAGG_CLASS_I64, row, 0);

	return filter == NONE ? t : program_instr(p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, filter, t);
}

/* Every kind of number of a row, and of what the table has of it */
static void
outputs(TestProgram *p, uint16_t row, uint16_t table)
{
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I128, fetch(p, row, table, LOOK_WIDE), NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_F64, fetch(p, row, table, LOOK_REAL), NONE, GPUAGG_T_FLOAT8);
}

static void
program_begin(TestProgram *p, uint32_t more)
{
	program_columns(p, WANT(COL_A) | WANT(COL_V) | more);
}

/* Inner join of one table, grouped by a small column of it */
static void
program_inner(TestProgram *p, Shape shape)
{
	uint16_t	two;
	uint16_t	table;
	uint16_t	row;

	program_begin(p, shape.strings ? WANT(COL_T) : 0);
	two = program_const_i64(p, GPUAGG_T_INT8, 2);
	table = joined_table(p, shape);
	if (shape.strings)
		row = program_instr(p, GPUAGG_OP_LOOKUP_BYTES, GPUAGG_CLASS_I64, col[COL_T], table);
	else if (shape.nkeys > 1)
		row = program_instr3(p, GPUAGG_OP_LOOKUP_PAIR, GPUAGG_CLASS_I64, col[COL_A], two, table);
	else
		row = find(p, col[COL_A], table);
	program_filter(p, joined(p, NONE, row, GPUAGG_OP_IS_NOT_NULL));
	program_key(p, fetch(p, row, table, LOOK_SMALL), GPUAGG_T_INT4);
	outputs(p, row, table);
}

/* Left join: rows without partner have a NULL key */
static void
program_left(TestProgram *p)
{
	uint16_t	table;
	uint16_t	row;

	program_begin(p, 0);
	table = joined_table(p, bits);
	row = find(p, col[COL_A], table);
	program_key(p, fetch(p, row, table, LOOK_SMALL), GPUAGG_T_INT4);
	outputs(p, row, table);
}

/* Anti join, by the fact's own key */
static void
program_anti(TestProgram *p)
{
	program_begin(p, 0);
	program_filter(p,
				   joined(p, NONE, find(p, col[COL_A], joined_table(p, bits)), GPUAGG_OP_IS_NULL));
	program_key(p, col[COL_A], GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
}

/*
 * A star: three tables, one of which is looked up by what another has; a condition of
 * the fact before them; two keys, both fetched.
 */
static void
program_star(TestProgram *p, bool grouped)
{
	uint16_t	limit;
	uint16_t	table[3];
	uint16_t	row[3];
	uint16_t	filter;

	program_begin(p, 0);
	limit = program_const_i64(p, GPUAGG_T_INT8, 0);
	table[0] = joined_table(p, bits);
	table[1] = joined_table(p, slots);
	table[2] = joined_table(p, bits);
	filter = program_instr(p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, col[COL_V], limit);
	for (int i = 0; i < 3; i++)
	{
		const uint16_t key = i == 2 ? fetch(p, row[0], table[0], LOOK_NEXT) : col[COL_A];

		row[i] = find(p, key, table[i]);
		/* of slots there is one row that matches */
		if (i != 1)
			filter = joined(p, filter, row[i], GPUAGG_OP_IS_NOT_NULL);
	}
	program_filter(p, filter);
	if (grouped)
	{
		program_key(p, fetch(p, row[0], table[0], LOOK_SMALL), GPUAGG_T_INT4);
		program_key(p, fetch(p, row[2], table[2], LOOK_SMALL), GPUAGG_T_INT4);
	}
	outputs(p, row[1], table[1]);
}

/* Strings of a table as key, least and greatest */
static void
program_names(TestProgram *p)
{
	uint16_t	table;
	uint16_t	row;
	uint16_t	name;

	program_begin(p, 0);
	table = joined_table(p, bits);
	row = find(p, col[COL_A], table);
	program_filter(p, joined(p, NONE, row, GPUAGG_OP_IS_NOT_NULL));
	name = fetch(p, row, table, LOOK_NAME);
	program_key(p, name, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_COUNT, name, NONE, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_MAX_BYTES, name, NONE, GPUAGG_T_TEXT);
}

/* A row that the table does not have: an error, which ends the task */
static void
program_beyond(TestProgram *p)
{
	program_begin(p, 0);
	program_key(p, fetch(p, col[COL_A], joined_table(p, bits), LOOK_SMALL), GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
}

/* ---------- tests ---------- */

static GpuAggDictionary *texts;

/* A stripe of the whole table, with what the program loads */
static GpuAggStripe *
stripe_make(const TestProgram *p)
{
	GpuAggStripe *stripe = stripe_create(lines_of(0, npages));
	GpuAggError error = {0};
	bool		good = stripe != NULL &&
		STRIPES->dictionary_create(device, &texts, &error) == GPUAGG_OK;

	for (uint32_t i = 0; good && i < p->head.nattrs; i++)
		if (p->attrs[i].reg != NONE)
			good = STRIPES->add_column(stripe, i, p->attrs[i].type,
									   p->attrs[i].type == GPUAGG_T_TEXT ? texts : NULL,
									   &error) == GPUAGG_OK;
	ok(good, "a stripe");
	keep_pages(stripe, 0, npages, 0);
	return stripe;
}

static void
test_program(const TestProgram *p, const char *strategy, const char *name)
{
	GpuAggStripe *stripe = stripe_make(p);

	ok(oracle_run(p, page_list, npages, &plain_config, 40, 6), name);
	ok(stripe_gives_table(p, stripe), "... of a stripe");
	ok(oracle_run(p, page_list, npages, &ten_or_less, 40, 6), "... and more groups than expected");
	stripe_is_compiled(p, stripe, strategy);
	STRIPES->free(stripe);
	STRIPES->dictionary_free(texts);
	keep_nothing();
}

/* Keys of tables are multiples of two up to 240, those of rows up to 300 */
static void
test_joins(uint32_t n)
{
	static TestProgram p;

	table_make(scaled(n), 300, 0);
	program_inner(&p, bits);
	test_program(&p, "block-local", "an inner join by bits");
	program_inner(&p, slots);
	test_program(&p, "block-local", "... by slots");
	program_inner(&p, pairs);
	test_program(&p, "block-local", "... by pairs");
	program_inner(&p, strings);
	test_program(&p, "block-local", "... by strings");
	program_inner(&p, slots_filter);
	test_program(&p, "block-local", "... by slots behind a filter");
	program_inner(&p, pairs_filter);
	test_program(&p, "block-local", "... by pairs");
	program_inner(&p, strings_filter);
	test_program(&p, "block-local", "... by strings");
	program_left(&p);
	test_program(&p, "block-local", "a left join");
	program_anti(&p);
	test_program(&p, NULL, "an anti join");
	program_star(&p, true);
	test_program(&p, "block-local", "a star and a chain");
	program_star(&p, false);
	test_program(&p, "plain", "... without keys");
	program_names(&p);
	test_program(&p, "block-local", "strings of a table as groups");
}

static void
test_beyond(void)
{
	static TestProgram p;
	Run			run;

	table_make(1000, 300, 0);
	program_beyond(&p);
	ok(!(run_begin(&run, &p, &plain_config) && run_feed(&run) && run_finish(&run, 4096)) &&
	   run.error.status == GPUAGG_VALUE_ERROR, "a row that the table does not have ends the task");
	run_end(&run);
}

/* A table that is larger than what the task may use, and then one that is not */
static void
test_memory(void)
{
	static TestProgram p;
	GpuAggTaskConfig small = {.memory_limit = 8 << 20};
	Run			run;

	table_make(scaled(20000), 300, 0);
	program_inner(&p, bits);
	p.padding = 32 << 20;
	if (dut.gpu)
	{
		ok(!run_begin(&run, &p, &small) && run.error.status == GPUAGG_OUT_OF_MEMORY,
		   "a table without memory is refused");
		run_end(&run);
		is_at_rest("... and leaves none behind");
	}
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "a large table is looked up in");
	p.padding = 0;
}

int
device_lookup_cases(const TestDevice *d)
{
	GpuAggDeviceInfo info;

	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, STRIPE_LIMIT);
	OPS->info(device, &info);
	ok(info.lookups == 1, "the device looks up");
	test_joins(300);
	test_joins(60000);
	test_beyond();
	test_memory();
	is_int((long long) STRIPES->used(device), 0, "no stripe has left memory behind");
	is_at_rest("nor has a task");
	table_free();
	device_close();
	return done_testing();
}
