/*
 * device_group_cases.c
 *		Grouping: few, many and skewed keys against a plain loop, keys and
 *		transitions of every kind, filters.
 */
#include "device_oracle.h"
#include "device_table.h"

typedef struct Expected
{
	uint64_t	count;
	uint64_t	count_v;
	__int128	sum;
	double		sum_d;
	int64_t		min;
	double		max_d;
} Expected;

static void
expected_add(Expected *e, const Row *r)
{
	if (e->count++ == 0)
	{
		e->min = INT64_MAX;
		e->max_d = r->d;
	}
	e->sum_d += r->d;
	if (r->d > e->max_d)
		e->max_d = r->d;
	if (r->v_null)
		return;
	e->count_v++;
	e->sum += r->v;
	if (r->v < e->min)
		e->min = r->v;
}

static bool
expected_is(const Expected *e, const char *group, const GpuAggLayout *layout)
{
	const uint16_t *off = layout->state_off;
	Expected	got;
	int64_t		narrow;
	int64_t		max;

	memcpy(&got.count, group + off[0], 8);
	memcpy(&got.count_v, group + off[1], 8);
	memcpy(&narrow, group + off[2], 8);
	memcpy(&got.sum, group + off[3], 16);
	memcpy(&got.sum_d, group + off[4], 8);
	memcpy(&got.min, group + off[5], 8);
	memcpy(&max, group + off[6], 8);
	return got.count == e->count && got.count_v == e->count_v && got.sum == e->sum &&
		narrow == (int64_t) (uint64_t) e->sum && got.sum_d == e->sum_d && got.min == e->min &&
		gpuagg_f64_unorder(max) == e->max_d;
}

/* Compares a standard program's groups with a loop over the rows. */
static bool
standard_ok(const Run *run, const TestProgram *p, uint32_t groups)
{
	Expected   *e = calloc(groups + 1, sizeof(*e));
	GpuAggLayout layout;
	const char *at = run->results;
	const char *strings[4];
	bool		good = true;
	uint32_t	want = 0;

	gpuagg_layout_compute(&p->head, &layout);
	for (uint32_t i = 0; i < nrows; i++)
		expected_add(&e[rows[i].a_null ? (int32_t) groups : rows[i].a], &rows[i]);
	for (uint32_t i = 0; i <= groups; i++)
		want += e[i].count > 0;
	for (uint32_t g = 0; g < run->groups; g++)
	{
		uint32_t	head;
		int32_t		key;

		memcpy(&head, at, 4);
		memcpy(&key, at + layout.key_off[0], 4);
		if (head == 1 && key == 0)
			key = (int32_t) groups;
		else if (head != 0)
			key = -1;
		good &= key >= 0 && key <= (int32_t) groups && expected_is(&e[key], at, &layout);
		at = group_next(at, &layout, p->keys, p->trans, strings);
	}
	free(e);
	return good && run->groups == want && at == run->results + run->results_bytes;
}

/* strategy: what it must end up doing, if all rows are there */
static void
test_groups(uint32_t n, uint32_t groups, uint32_t skew, const char *strategy)
{
	static TestProgram p;
	Run			run;
	char		name[80];

	table_make(scaled(n), groups, skew);
	program_standard(&p);
	snprintf(name, sizeof(name), skew == CLUSTERED ? "%u rows, %u groups, clustered" :
			 "%u rows, %u groups, %u0 %% in one", nrows, groups, skew);
	ok(run_all(&run, &p, 4096) && standard_ok(&run, &p, groups), name);
	ok(run.scanned == nrows && run.passed == nrows && run.stats.groups == run.groups, "counts");
	if (strategy != NULL && nrows == n &&
		!ok(strcmp(run.stats.strategy, strategy) == 0, strategy))
		printf("#   but %s\n", run.stats.strategy);
	ok(run.stats.device_ns > 0 && run.stats.memory_bytes > 0, "time and memory");
	run_end(&run);
}

/* A group's key is the least and greatest text in it. */
static void
test_text_keys(void)
{
	static TestProgram p;
	static const size_t buffers[] = {64, 1000, 1 << 20};
	Oracle	   *o;
	Run			run;

	table_make(scaled(50000), 3000, 0);
	program_texts(&p);
	program_trans(&p, GPUAGG_TRANS_MIN_BPCHAR, col[COL_T], NONE, GPUAGG_T_BPCHAR);
	program_trans(&p, GPUAGG_TRANS_MAX_BPCHAR, col[COL_T], NONE, GPUAGG_T_BPCHAR);
	for (size_t i = 0; i < sizeof(buffers) / sizeof(*buffers); i++)
	{
		o = oracle_start(&p);
		oracle_list(o, page_list, npages);
		run_all(&run, &p, buffers[i]);
		ok(oracle_agrees(o, &run), "text keys, min and max of text, by buffers of some size");
		run_end(&run);
		oracle_end(o);
	}
}

/* Columns of keys, and how many groups they make */
static void
test_several_keys(void)
{
	static const struct
	{
		const char *name;
		int			cols[4];
		uint8_t		types[4];
		int			n;
		uint32_t	groups;
	} cases[] = {
		{"an 8-byte key", {COL_V}, {GPUAGG_T_INT8}, 1, 400},
		{"keys of 4, 4 and 8 bytes",
		 {COL_A, COL_A, COL_V},
		 {GPUAGG_T_INT4, GPUAGG_T_INT4, GPUAGG_T_INT8},
		 3,
		 400 * 50},
		{"a float key", {COL_D}, {GPUAGG_T_FLOAT8}, 1, 21},
		{"keys of three types",
		 {COL_D, COL_A, COL_C},
		 {GPUAGG_T_FLOAT8, GPUAGG_T_INT4, GPUAGG_T_BPCHAR},
		 3,
		 21 * 50},
	};
	static TestProgram p;
	Oracle	   *o;
	Run			run;

	table_make(80000, 50, 0);
	for (uint32_t i = 0; i < nrows; i++)
	{
		Row		   *r = &rows[i];

		r->a = (int32_t) (i / 400 % 50);
		r->a_null = r->a == 7;
		r->v = i % 400;
		r->v_null = r->v == 7;
		/* -0 and 0 are one group, and so are all NaNs */
		r->d = i % 23 == 0 ? -0.0 : i % 23 == 1 ? 0.0 : i % 23 == 2 ? 0.0 / 0.0 :
			i % 23 == 3 ? -(0.0 / 0.0) : i % 23;
	}
	table_build();
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++)
	{
		program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
		for (int i = 0; i < cases[k].n; i++)
			program_key(&p, col[cases[k].cols[i]], cases[k].types[i]);
		program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
		o = oracle_start(&p);
		oracle_list(o, page_list, npages);
		run_all(&run, &p, 1000);
		ok(oracle_agrees(o, &run), cases[k].name);
		is_int(run.groups, cases[k].groups, "groups");
		run_end(&run);
		oracle_end(o);
	}
}

static void
program_all_transitions(TestProgram *p)
{
	static const uint8_t args[] = {
#define X(name, bytes, cls) GPUAGG_CLASS_##cls == GPUAGG_CLASS_I64 ? COL_V : \
		GPUAGG_CLASS_##cls == GPUAGG_CLASS_F64 ? COL_D : COL_T,
		GPUAGG_TRANSITION_LIST(X)
#undef X
	};
	static const uint8_t types[] = {
#define X(name, bytes, cls) GPUAGG_CLASS_##cls == GPUAGG_CLASS_I64 ? GPUAGG_T_INT8 : \
		GPUAGG_CLASS_##cls == GPUAGG_CLASS_F64 ? GPUAGG_T_FLOAT8 : GPUAGG_T_TEXT,
		GPUAGG_TRANSITION_LIST(X)
#undef X
	};
	uint16_t	zero;
	uint16_t	filter;

	program_columns(p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
	zero = program_const_i64(p, GPUAGG_T_INT8, 0);
	filter = program_instr(p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, col[COL_V], zero);
	for (uint32_t op = 0; op < GPUAGG_TRANS_MOMENTS_F64; op++)
	{
		program_trans(p, op, col[args[op]], NONE, types[op]);
		program_trans(p, op, col[args[op]], filter, types[op]);
	}
}

/* Every transition but moments, filtered or not: of all rows, by a constant, by others */
static void
test_transitions(void)
{
	static const int keys[] = {-1, COL_C, COL_A, COL_T};
	static const char *const names[] = {"all transitions without a key", "by a constant key",
	"by an integer", "by a text"};
	static TestProgram p;
	uint32_t	changed = 0;

	table_make(scaled(30000), 1000, 0);
	for (uint32_t i = 0; i < nrows; i++)
		if (rows[i].v % 64 == 0)
		{
			rows[i].d = changed % 2 ? -0.0 : -1.0 / 0.0;
			changed++;
		}
	table_build();
	for (int i = 0; i < 4; i++)
	{
		program_all_transitions(&p);
		if (keys[i] >= 0)
			program_key(&p, col[keys[i]], keys[i] == COL_A ? GPUAGG_T_INT4 : GPUAGG_T_TEXT);
		ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), names[i]);
	}
	/* v is NULL throughout: states as they began */
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v_null = true;
	table_build();
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "no value enters");
}

/* Moments of one number and of two, either of which may be NULL */
static void
program_moments(TestProgram *p, int key)
{
	uint16_t	zero;
	uint16_t	filter;
	uint16_t	v;

	program_columns(p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
	zero = program_const_i64(p, GPUAGG_T_INT8, 0);
	filter = program_instr(p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, col[COL_A], zero);
	v = program_instr(p, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_CLASS_F64, col[COL_V], zero);
	program_trans(p, GPUAGG_TRANS_MOMENTS_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_FIRST_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_COMOMENTS_F64, v, NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_FIRST_F64, v, filter, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_COMOMENTS_F64, col[COL_D], filter, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_MOMENTS_F64, v, filter, GPUAGG_T_FLOAT8);
	if (key >= 0)
		program_key(p, col[key], key == COL_A ? GPUAGG_T_INT4 : GPUAGG_T_TEXT);
}

static void
test_moments(void)
{
	static const int keys[] = {-1, COL_C, COL_A, COL_T};
	static const char *const names[] = {"moments without a key", "moments by a constant key",
	"moments by an integer", "moments by a text"};
	static TestProgram p;
	Run			run;

	table_make(scaled(30000), 1000, 0);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v_null = i > nrows / 2 && i % 9 == 0;
	for (int far = 0; far < 2; far++)
	{
		/* far from zero, squares are large and variances are not */
		for (uint32_t i = 0; i < nrows && far; i++)
			rows[i].d += 1e6;
		table_build();
		for (int i = 0; i < 4; i++)
		{
			program_moments(&p, keys[i]);
			ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), names[i]);
		}
	}
	rows[1].d = 1e200;
	table_build();
	ok(!run_all(&run, &p, 4096) && run.error.status == GPUAGG_VALUE_ERROR &&
	   run.error.detail == GPUAGG_ST_NEEDS_PG, "of a large float they are PostgreSQL's");
	run_end(&run);
}

/*
 * Strings that begin alike, some of which a slot has room for: minima go from one kind to the
 * other and back while others look at them.
 */
static void
test_alike(void)
{
	static TestProgram p;

	table_make(scaled(30000), 300, 0);
	for (uint32_t i = 0; i < nrows; i++)
	{
		/* 6 to 18 bytes, the numbers in no order */
		const uint32_t n = i * 2654435761u >> 8;

		snprintf(rows[i].t, sizeof(rows[i].t), "abab%.*s%u", (int) (n % 5) * 2, "abababab",
				 n % 100000);
	}
	table_build();
	for (int k = 0; k < 3; k++)
	{
		program_columns(&p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_C));
		program_trans(&p, GPUAGG_TRANS_MIN_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
		program_trans(&p, GPUAGG_TRANS_MAX_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
		program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
		if (k > 0)
			program_key(&p, col[k == 1 ? COL_A : COL_C], k == 1 ? GPUAGG_T_INT4 : GPUAGG_T_TEXT);
		for (int again = 0; again < 4; again++)
			ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "strings that begin alike");
	}
}

/* As many of the widest states as a program has room for: the largest row that there is */
static void
test_widest_row(void)
{
	static const int keys[] = {-1, COL_C, COL_A};
	static TestProgram p;
	uint16_t	v;

	table_make(scaled(3000), 50, 0);
	for (int k = 0; k < 3; k++)
	{
		program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
		v = program_instr(&p, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_CLASS_F64, col[COL_V],
						  program_const_i64(&p, GPUAGG_T_INT8, 0));
		for (int i = 0; i < GPUAGG_MAX_TRANSITIONS; i += 2)
		{
			program_trans(&p, GPUAGG_TRANS_FIRST_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
			program_trans(&p, GPUAGG_TRANS_COMOMENTS_F64, v, NONE, GPUAGG_T_FLOAT8);
		}
		if (keys[k] >= 0)
			program_key(&p, col[keys[k]], keys[k] == COL_A ? GPUAGG_T_INT4 : GPUAGG_T_TEXT);
		ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "the widest row");
	}
}

/* Only values at first, then NULLs in arguments, in keys, in filters */
static void
test_late_nulls(void)
{
	static TestProgram p;
	uint16_t	zero;

	table_make(scaled(60000), 5000, 0);
	for (uint32_t i = 0; i < nrows; i++)
	{
		rows[i].v_null = i > nrows / 2 && i % 9 == 0;
		rows[i].a_null = i > nrows / 4 * 3 && i % 11 == 0;
	}
	table_build();
	program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	zero = program_const_i64(&p, GPUAGG_T_INT8, 0);
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(&p, GPUAGG_TRANS_COUNT, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_A], NONE, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_MAX_I64, col[COL_V],
				  program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, col[COL_V], zero),
				  GPUAGG_T_INT8);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "NULLs that come late");
	program_key(&p, col[COL_V], GPUAGG_T_INT8);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "by two keys");
	program_key(&p, col[COL_D], GPUAGG_T_FLOAT8);
	for (int i = 0; i < 8; i++)
		program_trans(&p, GPUAGG_TRANS_MIN_I64,
					  program_instr(&p, GPUAGG_OP_INT8_ADD, GPUAGG_CLASS_I64, col[COL_A], zero),
					  NONE, GPUAGG_T_INT8);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "rows of many columns");
}

/* An int4 key and int4 arguments, none to four, for which devices have paths of
 * their own; without NULLs, and with some that come late */
static void
test_narrow_rows(void)
{
	static TestProgram p;
	static const char *const names[] = {"an int4 key alone", "and one int4", "and two",
		"and three", "and four"};
	uint16_t	constants[4] = {0};

	for (uint32_t late = 0; late < 2; late++)
		for (uint32_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		{
			table_make(scaled(30000), 4000, 0);
			for (uint32_t i = 0; i < nrows; i++)
				rows[i].a_null = late && i > nrows / 2 && i % 11 == 0;
			table_build();
			program_columns(&p, WANT(COL_A));
			for (uint32_t k = 0; k < n; k++)
				constants[k] = program_const_i64(&p, GPUAGG_T_INT4, k);
			program_key(&p, col[COL_A], GPUAGG_T_INT4);
			program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
			for (uint32_t k = 0; k < n; k++)
				program_trans(&p, k % 2 == 0 ? GPUAGG_TRANS_SUM_I64 : GPUAGG_TRANS_MIN_I64,
							  program_instr(&p, GPUAGG_OP_INT4_SUB, GPUAGG_CLASS_I64,
											col[COL_A], constants[k]), NONE, GPUAGG_T_INT4);
			ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), names[n]);
		}
}

static void
test_no_keys(void)
{
	static TestProgram p;
	GpuAggLayout layout;
	Expected	e = {0};
	Run			run;

	table_make(scaled(30000), 10, 0);
	for (uint32_t i = 0; i < nrows; i++)
		expected_add(&e, &rows[i]);
	program_standard(&p);
	p.head.nkeys = 0;
	gpuagg_layout_compute(&p.head, &layout);
	ok(run_all(&run, &p, 4096) && run.groups == 1 && expected_is(&e, run.results, &layout),
	   "without keys there is one group");
	ok(strcmp(run.stats.strategy, "plain") == 0, "plain");
	run_end(&run);
	ok(oracle_run(&p, page_list, 0, &plain_config, 40, 6), "also for no input");
	program_standard(&p);
	ok(oracle_run(&p, page_list, 0, &plain_config, 40, 6), "with keys there is none then");
	program_init(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	gpuagg_layout_compute(&p.head, &layout);
	e.count = nrows;
	ok(run_all(&run, &p, 4096) && run.groups == 1 &&
	   memcmp(run.results + layout.state_off[0], &e.count, 8) == 0,
	   "count(*) of tuples that nobody looks at");
	run_end(&run);
}

static void
test_filters(void)
{
	static TestProgram p;
	GpuAggLayout layout;
	Run			run;
	uint16_t	thirty;
	uint16_t	zero;
	uint16_t	reg;
	uint64_t	want[3] = {0};
	uint64_t	got[3] = {0};

	table_make(scaled(20000), 100, 0);
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	thirty = program_const_i64(&p, GPUAGG_T_INT4, 30);
	zero = program_const_i64(&p, GPUAGG_T_INT8, 0);
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_A], thirty));
	reg = program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, col[COL_V], zero);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(&p, GPUAGG_TRANS_COUNT, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], reg, GPUAGG_T_INT8);
	gpuagg_layout_compute(&p.head, &layout);
	for (uint32_t i = 0; i < nrows; i++)
	{
		if (rows[i].a_null || rows[i].a >= 30)
			continue;
		want[0]++;
		want[1] += !rows[i].v_null;
		if (!rows[i].v_null && rows[i].v > 0)
			want[2] += (uint64_t) rows[i].v;
	}
	ok(run_all(&run, &p, 4096) && run.passed == want[0] && run.scanned == nrows, "a filter");
	if (run.groups == 1)
		memcpy(got, run.results + layout.state_off[0], sizeof(got));
	ok(memcmp(got, want, sizeof(got)) == 0, "NULL is not true; FILTER of one aggregate");
	run_end(&run);
	program_key(&p, col[COL_V], GPUAGG_T_INT8);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "by a key");
}

/* Each table of the same groups, whatever makes it */
static void
test_strategy(const char *few, const char *many, const char *skewed)
{
	test_groups(20000, 100, 0, few);
	test_groups(1000, 1000000, 0, NULL);
	test_groups(300000, 60000, 0, many);
	test_groups(300000, 200000, 0, many);
	test_groups(300000, 50000, 6, skewed);
	test_groups(300000, 200000, 4, many);
	test_groups(300000, 50000, CLUSTERED, skewed);
	test_text_keys();
	test_several_keys();
	test_transitions();
	test_moments();
	test_widest_row();
	test_alike();
	test_late_nulls();
	test_narrow_rows();
	test_no_keys();
	test_filters();
	is_at_rest("no task has left memory behind");
}

/* Strategies that are only taken when asked for */
static void
test_strategies(uint32_t offered)
{
	const uint32_t keeping = offered & GPUAGG_STRATEGIES_DEFERRING;

	for (int s = 0; s < GPUAGG_NSTRATEGIES; s++)
	{
		const char *name = gpuagg_strategy_name((GpuAggStrategy) s);

		if (!(keeping & GPUAGG_STRATEGY_BIT(s)))
			continue;
		printf("# %s\n", name);
		run_strategy = (GpuAggStrategy) s;
		test_strategy(name, name, name);
	}
	run_strategy = GPUAGG_STRATEGY_AUTO;
}

int
device_group_cases(const TestDevice *d)
{
	GpuAggDeviceInfo info;

	if (!device_open(d))
		return done_testing();
	test_strategy(dut.few_groups, dut.many_groups, dut.skewed_groups);
	OPS->info(device, &info);
	ok(strcmp(info.kind, OPS->kind) == 0 && info.name[0] != '\0' && info.ordinal == dut.ordinal &&
	   info.memory_limit > 0 && info.batch_pages > 0 && info.batches_ahead > 1, "info");
	if (dut.strategy == GPUAGG_STRATEGY_AUTO)
		test_strategies(info.strategies);
	ok(dut.compiler == NULL || runs_compiled > 20,
	   "kernels made for programs ran, where there are any");
	table_free();
	device_close();
	return done_testing();
}
