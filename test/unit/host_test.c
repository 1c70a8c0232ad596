/*
 * host_test.c
 *		Grouping on the host device, on three threads: few, many and skewed
 *		keys against a plain loop, keys and transitions of every kind,
 *		filters, errors that are consumed or not, rows left to PostgreSQL.
 */
#include "host_support.h"

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
		at = group_next(at, &layout, p, strings);
	}
	free(e);
	return good && run->groups == want && at == run->results + run->results_bytes;
}

static void
test_groups(uint32_t n, uint32_t groups, uint32_t skew, const char *strategy)
{
	static TestProgram p;
	Run			run;
	char		name[80];

	table_make(n, groups, skew);
	program_standard(&p);
	snprintf(name, sizeof(name), skew == CLUSTERED ? "%u rows, %u groups, clustered" :
			 "%u rows, %u groups, %u0 %% in one", n, groups, skew);
	ok(run_all(&run, &p, 4096) && standard_ok(&run, &p, groups), name);
	ok(run.scanned == n && run.passed == n && run.stats.groups == run.groups, "counts");
	ok(strcmp(run.stats.strategy, strategy) == 0 && run.stats.device_ns > 0 &&
	   run.stats.memory_bytes > 0, strategy);
	run_end(&run);
}

/* A group's key is the least and greatest text in it. */
static void
test_text_keys(void)
{
	static TestProgram p;
	GpuAggLayout layout;
	Run			run;
	const char *at;
	const char *strings[4];
	bool		good = true;
	uint64_t	total = 0;

	table_make(50000, 3000, 0);
	program_columns(&p, WANT(COL_A) | WANT(COL_T) | WANT(COL_D));
	program_key(&p, col[COL_T], GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(&p, GPUAGG_TRANS_MIN_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_MAX_BPCHAR, col[COL_T], NONE, GPUAGG_T_BPCHAR);
	gpuagg_layout_compute(&p.head, &layout);
	good = run_all(&run, &p, 64);
	at = run.results;
	for (uint32_t g = 0; g < run.groups; g++)
	{
		GpuAggBytes key = gpuagg_string_slot_bytes(at + layout.key_off[0]);
		GpuAggBytes min = gpuagg_string_slot_bytes(at + layout.state_off[1]);
		GpuAggBytes max = gpuagg_string_slot_bytes(at + layout.state_off[2]);
		const char *next = group_next(at, &layout, &p, strings);
		uint64_t	count;

		memcpy(&count, at + layout.state_off[0], 8);
		total += count;
		if (key.len > GPUAGG_STRING_INLINE)
		{
			good &= key.data == NULL && min.data == NULL;
			key.data = strings[0];
			min.data = strings[1];
			max.data = strings[2];
		}
		good &= key.len == min.len && memcmp(key.data, min.data, key.len) == 0 &&
			key.len == max.len && memcmp(key.data, max.data, key.len) == 0;
		at = next;
	}
	ok(good && total == nrows && run.groups == 3000, "text keys, min and max of text");
	run_end(&run);
}

/* Keys of several types: the number of groups, and counts must add up. */
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
	}			cases[] = {
		{"an 8-byte key", {COL_V}, {GPUAGG_T_INT8}, 1, 400},
		{"keys of 4, 4 and 8 bytes", {COL_A, COL_A, COL_V}, {GPUAGG_T_INT4, GPUAGG_T_INT4, GPUAGG_T_INT8}, 3, 400 * 50},
		{"a float key", {COL_D}, {GPUAGG_T_FLOAT8}, 1, 21},
		{"keys of three types", {COL_D, COL_A, COL_C}, {GPUAGG_T_FLOAT8, GPUAGG_T_INT4, GPUAGG_T_BPCHAR}, 3, 21 * 50},
	};
	static TestProgram p;
	GpuAggLayout layout;
	Run			run;

	table_make(80000, 50, 0);
	npages = 0;
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
		table_add(r);
	}
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++)
	{
		uint64_t	total = 0;
		bool		good;

		program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
		for (int i = 0; i < cases[k].n; i++)
			program_key(&p, col[cases[k].cols[i]], cases[k].types[i]);
		program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
		gpuagg_layout_compute(&p.head, &layout);
		good = run_all(&run, &p, 1000);
		for (uint32_t g = 0; g < run.groups; g++)
		{
			uint64_t	count;

			memcpy(&count, run.results + g * layout.row_bytes + layout.state_off[0], 8);
			total += count;
		}
		ok(good && total == nrows, cases[k].name);
		is_int(run.groups, cases[k].groups, "groups");
		run_end(&run);
	}
}

/* Every transition over the whole table, plain and keyed, filtered or not */
static void
test_transitions(void)
{
	static TestProgram p;
	GpuAggLayout layout[2];
	Run			run[2];
	uint16_t	zero;
	uint16_t	filter;
	bool		good = true;

	table_make(30000, 1000, 0);
	for (int keyed = 0; keyed < 2; keyed++)
	{
		program_columns(&p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
		zero = program_const_i64(&p, GPUAGG_T_INT8, 0);
		filter = program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, col[COL_V], zero);
		if (keyed)
			program_key(&p, col[COL_C], GPUAGG_T_TEXT);
		for (uint32_t op = 0; op < GPUAGG_NTRANSITIONS; op++)
		{
			static const uint8_t args[] = {
#define X(name, bytes, cls) GPUAGG_CLASS_##cls == GPUAGG_CLASS_I64 ? COL_V : \
				GPUAGG_CLASS_##cls == GPUAGG_CLASS_F64 ? COL_D : COL_T,
				GPUAGG_TRANSITION_LIST(X)
#undef X
			};

			program_trans(&p, op, col[args[op]], NONE, 0);
			if (op <= GPUAGG_TRANS_SUM_F64_AVG || op == GPUAGG_TRANS_MIN_BYTES)
				program_trans(&p, op, col[args[op]], filter, 0);
		}
		gpuagg_layout_compute(&p.head, &layout[keyed]);
		good &= run_all(&run[keyed], &p, 4096) && run[keyed].groups == 1;
	}
	if (ok(good, "all transitions"))
	{
		uint32_t	bytes = layout[0].row_bytes - layout[0].state_off[0];
		uint64_t	count[2] = {0};
		uint64_t	got[2];
		int64_t		all = -1;
		int64_t		all_got;

		ok(bytes == layout[1].row_bytes - layout[1].state_off[0] &&
		   memcmp(run[0].results + layout[0].state_off[0], run[1].results + layout[1].state_off[0], bytes) == 0,
		   "the same with a key and without");
		for (uint32_t i = 0; i < nrows; i++)
		{
			if (rows[i].v_null)
				continue;
			count[0]++;
			count[1] += rows[i].v > 0;
			all &= rows[i].v;
		}
		memcpy(got, run[0].results + layout[0].state_off[0], sizeof(got));
		ok(memcmp(got, count, sizeof(got)) == 0, "counts");
		for (uint32_t j = 0; j < p.head.ntransitions; j++)
			if (p.trans[j].op == GPUAGG_TRANS_AND_I64)
			{
				memcpy(&all_got, run[0].results + layout[0].state_off[j], 8);
				ok(all_got == all, "and");
			}
	}
	run_end(&run[0]);
	run_end(&run[1]);
}

static void
test_no_keys(void)
{
	static TestProgram p;
	GpuAggLayout layout;
	Expected	e = {0};
	Run			run;

	table_make(30000, 10, 0);
	for (uint32_t i = 0; i < nrows; i++)
		expected_add(&e, &rows[i]);
	program_standard(&p);
	p.head.nkeys = 0;
	gpuagg_layout_compute(&p.head, &layout);
	ok(run_all(&run, &p, 4096) && run.groups == 1 && expected_is(&e, run.results, &layout),
	   "without keys there is one group");
	ok(strcmp(run.stats.strategy, "plain") == 0, "plain");
	run_end(&run);
	memset(&e, 0, sizeof(e));
	ok(run_begin(&run, &p, &plain_config) && run_finish(&run, 4096) && run.groups == 1 &&
	   memcmp(run.results + layout.state_off[0], &e.count, 8) == 0, "also for no input");
	run_end(&run);
	program_standard(&p);
	ok(run_begin(&run, &p, &plain_config) && run_finish(&run, 4096) && run.groups == 0,
	   "with keys there is none then");
	run_end(&run);
	program_init(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	gpuagg_layout_compute(&p.head, &layout);
	e.count = nrows;
	ok(run_all(&run, &p, 4096) && memcmp(run.results + layout.state_off[0], &e.count, 8) == 0,
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
	uint64_t	got[3];

	table_make(20000, 100, 0);
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
	memcpy(got, run.results + layout.state_off[0], sizeof(got));
	ok(memcmp(got, want, sizeof(got)) == 0, "NULL is not true; FILTER of one aggregate");
	run_end(&run);
}

/* What an error value does where it is consumed, and where it is not. */
static void
test_value_errors(void)
{
	static TestProgram p;
	Run			run;
	uint16_t	zero;
	uint16_t	error;
	uint16_t	never;

	table_make(3000, 100, 0);
	for (int where = 0; where < 5; where++)
	{
		static const char *const names[] = {"error in the filter", "error in a key",
			"error in an argument", "error in a FILTER", "error behind a FILTER does no harm"};

		program_columns(&p, WANT(COL_A) | WANT(COL_V));
		zero = program_const_i64(&p, GPUAGG_T_INT8, 0);
		error = program_instr(&p, GPUAGG_OP_INT8_DIV, GPUAGG_CLASS_I64, col[COL_V], zero);
		if (where == 0)
			program_filter(&p, error);
		never = program_instr(&p, GPUAGG_OP_I64_NE, GPUAGG_CLASS_I64, col[COL_A], col[COL_A]);
		program_key(&p, where == 1 ? error : col[COL_A], where == 1 ? GPUAGG_T_INT8 : GPUAGG_T_INT4);
		program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
		if (where == 2)
			program_trans(&p, GPUAGG_TRANS_SUM_I64, error, NONE, GPUAGG_T_INT8);
		if (where == 3)
			program_trans(&p, GPUAGG_TRANS_SUM_I64, zero, error, GPUAGG_T_INT8);
		if (where == 4)
			program_trans(&p, GPUAGG_TRANS_SUM_I64, error, never, GPUAGG_T_INT8);
		if (where == 4)
			ok(run_all(&run, &p, 4096), names[where]);
		else
			ok(!run_all(&run, &p, 4096) && run.error.status == GPUAGG_VALUE_ERROR &&
			   run.error.detail == GPUAGG_ST_DIV_ZERO, names[where]);
		run_end(&run);
	}

	rows[0].d = 1e200;
	npages = 0;
	for (uint32_t i = 0; i < nrows; i++)
		table_add(&rows[i]);
	program_columns(&p, WANT(COL_A) | WANT(COL_D));
	program_trans(&p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	ok(run_all(&run, &p, 4096), "sum of a large float");
	run_end(&run);
	program_trans(&p, GPUAGG_TRANS_SUM_F64_AVG, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	ok(!run_all(&run, &p, 4096) && run.error.detail == GPUAGG_ST_NEEDS_PG, "avg of it");
	run_end(&run);
}

/* Rows that only PostgreSQL can read come back, and return evaluated. */
static void
test_skipped(void)
{
	static TestProgram p;
	static TestPage page;
	const uint8_t visible[GPUAGG_VISIBILITY_BYTES] = {0x07};
	GpuAggPage	batch = {page.bytes, visible, 0};
	GpuAggLayout layout;
	char		buf[64];
	int32_t		a = 5;
	Run			run;
	GpuAggBytes keys[2] = {{"a long key from PostgreSQL", 26}, {"x", 1}};
	int64_t		args[2] = {40, 0};
	const uint8_t key_states[2] = {GPUAGG_ST_VALUE, GPUAGG_ST_VALUE};
	const uint8_t arg_states[2] = {GPUAGG_ST_VALUE, GPUAGG_ST_NULL};
	GpuAggRowColumn columns[2] = {{key_states, keys}, {arg_states, args}};
	const char *strings[2];
	const char *at;
	int64_t		sums[2] = {0};

	program_columns(&p, WANT(COL_A) | WANT(COL_T));
	program_key(&p, col[COL_T], GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_A], NONE, GPUAGG_T_INT4);
	gpuagg_layout_compute(&p.head, &layout);
	page_init(&page);
	page_add(&page, (TestValue[]) {{&a, 4, 4}, short_text(buf, "x", 1)}, 2);
	page_add(&page, (TestValue[]) {{&a, 4, 4}, external_text(buf)}, 2);
	page_add(&page, (TestValue[]) {{&a, 4, 4}, long_text(buf, "abc", 3, 2)}, 2);
	page_add(&page, (TestValue[]) {{&a, 4, 4}, short_text(buf, "not visible", 11)}, 2);
	batch.nlines = page.nlines;
	run_begin(&run, &p, &plain_config);
	ok(OPS->task_pages(run.task, 9, &batch, 1, &run.error) == GPUAGG_OK && run_collect(&run, 1) &&
	   run.scanned == 3 && run.passed == 1 && run.skipped == 2 && run.last_skipped.line == 3 &&
	   run.last_skipped.page == 0, "compressed and external values are skipped");
	ok(OPS->task_rows(run.task, 10, columns, 2, &run.error) == GPUAGG_OK, "rows from PostgreSQL");
	keys[0].data = NULL;		/* they have been copied */
	ok(run_collect(&run, 1) && run.scanned == 3 && run.passed == 3, "they count as passed");
	ok(run_finish(&run, 4096) && run.groups == 2, "two groups");
	at = run.results;
	for (uint32_t g = 0; at != NULL && g < run.groups; g++)
	{
		GpuAggBytes key = gpuagg_string_slot_bytes(at + layout.key_off[0]);
		const char *next = group_next(at, &layout, &p, strings);

		memcpy(&sums[key.len == 26], at + layout.state_off[0], 8);
		if (key.len == 26)
			ok(memcmp(strings[0], "a long key from PostgreSQL", 26) == 0, "the long key");
		at = next;
	}
	ok(sums[0] == 5 && sums[1] == 40, "and sums");
	run_end(&run);
}

int
main(void)
{
	GpuAggDeviceInfo info;

	ok(host_open(3), "open");
	test_groups(20000, 100, 0, "block-local");
	test_groups(1000, 1000000, 0, "block-local");
	test_groups(300000, 60000, 0, "partitioned");
	test_groups(300000, 200000, 0, "partitioned");
	test_groups(300000, 50000, 6, "partitioned");
	test_groups(300000, 200000, 4, "partitioned");
	test_groups(300000, 50000, CLUSTERED, "partitioned");
	test_text_keys();
	test_several_keys();
	test_transitions();
	test_no_keys();
	test_filters();
	test_value_errors();
	test_skipped();
	OPS->info(device, &info);
	ok(strcmp(info.kind, "host") == 0 && strstr(info.name, "3 threads") != NULL &&
	   info.batch_pages > 0 && info.batches_ahead > 3, "info");
	is_int((long long) info.memory_used, 0, "no task has left memory behind");
	host_close();
	return done_testing();
}
