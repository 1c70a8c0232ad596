/*
 * device_regroup_cases.c
 *		Groups that a device makes of finer ones (device/regrouping.h): distinct values
 *		counted and added, states merged, sets of keys; each compared with rows that are
 *		counted one by one.
 */
#include "device/ops/answer_row.h"
#include "device/ops/regrouping_row.h"
#include "device_table.h"

#define BUFFER 65536

/* What there is of some rows, by their column v */
typedef struct Tally
{
	uint64_t	rows;
	uint64_t	values;			/* that are not NULL */
	uint64_t	distinct;
	int64_t		sum;
	int64_t		distinct_sum;
	int64_t		least;
	double		halves;			/* sum of d, which is exact */
} Tally;

/* States of the groups that are made, in this order */
enum
{
	DISTINCT_COUNT,
	DISTINCT_SUM,
	ROWS,
	VALUES,
	SUM,
	LEAST,
	HALVES,
	MOMENTS,
	ABSENT_COUNT,
	ABSENT_LEAST,
	NSTATES
};

/* How rows are grouped, and what is asked of distinct values */
typedef enum How
{
	ANY,
	SORTED,						/* by a device that sorts */
	COUNTED,					/* that, and values are only counted: there need be no finer groups */
	NHOWS
} How;

static How	how = ANY;

static const GpuAggRegroupingState states[NSTATES] = {
	{GPUAGG_TRANS_COUNT, GPUAGG_T_INT8, 1, 1},
	{GPUAGG_TRANS_SUM_I128, GPUAGG_T_INT8, 1, 1},
	{GPUAGG_TRANS_COUNT, 0, 0, 0},
	{GPUAGG_TRANS_COUNT, GPUAGG_T_INT8, 0, 1},
	{GPUAGG_TRANS_SUM_I64, GPUAGG_T_INT8, 0, 2},
	{GPUAGG_TRANS_MIN_I64, GPUAGG_T_INT8, 0, 3},
	{GPUAGG_TRANS_SUM_F64, GPUAGG_T_FLOAT8, 0, 4},
	{GPUAGG_TRANS_MOMENTS_F64, GPUAGG_T_FLOAT8, 0, 5},
	{GPUAGG_TRANS_COUNT, GPUAGG_T_INT8, GPUAGG_REGROUPING_OF_NOTHING, 0},
	{GPUAGG_TRANS_MIN_I64, GPUAGG_T_INT8, GPUAGG_REGROUPING_OF_NOTHING, 0}
};

/* n rows of so many keys a, each with up to so many values v */
static void
make_rows(uint32_t n, uint32_t groups, uint32_t values)
{
	table_make(n, groups, 0);
	for (uint32_t i = 0; i < nrows; i++)
	{
		rows[i].v = (int64_t) (random_next() % values) - values / 2;
		rows[i].v_null = random_next() % 13 == 0;
		rows[i].d = (double) (rows[i].v % 100) / 64;
	}
	table_build();
}

/* By a, or a's text, and v */
static void
program_finer(TestProgram *p, bool text)
{
	program_columns(p, WANT(text ? COL_T : COL_A) | WANT(COL_V) | WANT(COL_D));
	program_key(p, text ? col[COL_T] : col[COL_A], text ? GPUAGG_T_TEXT : GPUAGG_T_INT4);
	program_key(p, col[COL_V], GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_COUNT, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MIN_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_MOMENTS_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
}

/* One set, of the first so many keys */
static void
wish_for(GpuAggRegrouping *r, uint32_t nkeys)
{
	memset(r, 0, sizeof(*r));
	r->nsets = 1;
	r->nkeys = (uint8_t) nkeys;
	r->grouped = nkeys > 0;
	r->keys[1] = 1;
	r->nstates = NSTATES;
	memcpy(r->states, states, sizeof(states));
	if (how == COUNTED)
		r->states[DISTINCT_SUM].of_key = GPUAGG_REGROUPING_OF_NOTHING;
	r->sets[0].keys = gpuagg_regrouping_all_keys(r);
	r->sets[0].parent = GPUAGG_REGROUPING_FINER;
}

static bool
sorts(void)
{
	GpuAggDeviceInfo info;

	OPS->info(device, &info);
	return (info.strategies & GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SORTED)) != 0;
}

static void
configure(GpuAggTaskConfig *config, const GpuAggRegrouping *r)
{
	config->regrouping = *r;
	if (how == ANY || !sorts())
		return;
	config->strategy = config->resident_strategy = GPUAGG_STRATEGY_SORTED;
	config->forced = 1;
}

/* ---------- what is right ---------- */

static int
compare_rows(const void *x, const void *y)
{
	const Row  *a = *(Row *const *) x;
	const Row  *b = *(Row *const *) y;

	if (a->a_null != b->a_null)
		return a->a_null - b->a_null;
	if (!a->a_null && a->a != b->a)
		return a->a < b->a ? -1 : 1;
	if (a->v_null != b->v_null)
		return a->v_null - b->v_null;
	return a->v_null || a->v == b->v ? 0 : a->v < b->v ? -1 : 1;
}

/* All rows, by a and v */
static Row **
sorted_rows(void)
{
	Row		  **all = malloc((nrows + 1) * sizeof(*all));

	for (uint32_t i = 0; i < nrows; i++)
		all[i] = &rows[i];
	qsort(all, nrows, sizeof(*all), compare_rows);
	return all;
}

static void
tally_row(Tally *t, const Row *r, bool new_value)
{
	t->least = t->rows == 0 ? INT64_MAX : t->least;
	t->rows++;
	t->halves += r->d;
	if (r->v_null)
		return;
	t->values++;
	t->sum += r->v;
	if (r->v < t->least)
		t->least = r->v;
	if (!new_value)
		return;
	t->distinct++;
	t->distinct_sum += r->v;
}

/* Of rows first .. last - 1 in the order of a and v: of one a, so a value is new when it changes */
static Tally
tally_of(Row **all, uint32_t first, uint32_t last)
{
	Tally		t = {0};

	for (uint32_t i = first; i < last; i++)
		tally_row(&t, all[i], i == first || all[i - 1]->v != all[i]->v || all[i - 1]->v_null);
	return t;
}

/* The rows with this a: [*first, returned) */
static uint32_t
rows_of(Row **all, bool null, int32_t a, uint32_t *first)
{
	uint32_t	i = 0;

	while (i < nrows && (all[i]->a_null != null || (!null && all[i]->a != a)))
		i++;
	*first = i;
	while (i < nrows && all[i]->a_null == null && (null || all[i]->a == a))
		i++;
	return i;
}

static uint32_t
count_keys(Row **all)
{
	uint32_t	n = nrows > 0;

	for (uint32_t i = 1; i < nrows; i++)
		n += all[i]->a_null != all[i - 1]->a_null ||
			(!all[i]->a_null && all[i]->a != all[i - 1]->a);
	return n;
}

/* ---------- what came ---------- */

typedef struct Made
{
	GpuAggProgram *program;
	GpuAggLayout layout;
} Made;

static void
made_of(Made *m, const GpuAggRegrouping *r, const TestProgram *p)
{
	m->program = malloc(gpuagg_regrouping_program_bytes(r, false));
	gpuagg_regrouping_program(r, &p->head, false, m->program);
	gpuagg_layout_compute(m->program, &m->layout);
}

static int64_t
state_i64(const Made *m, const char *row, uint32_t state)
{
	int64_t		v;

	memcpy(&v, row + m->layout.state_off[state], sizeof(v));
	return v;
}

static double
state_f64(const Made *m, const char *row, uint32_t state, uint32_t word)
{
	double		v;

	memcpy(&v, row + m->layout.state_off[state] + 8 * word, sizeof(v));
	return v;
}

static bool
is_null(const char *row, uint32_t key)
{
	uint32_t	head;

	memcpy(&head, row, sizeof(head));
	return (head >> key & 1) != 0;
}

static int32_t
key_i32(const Made *m, const char *row, uint32_t key)
{
	int32_t		v;

	memcpy(&v, row + m->layout.key_off[key], sizeof(v));
	return v;
}

/* Distinct values are told only where a set's groups have one a, or all rows have. */
static bool
states_are(const Made *m, const char *row, const Tally *t, bool distinct)
{
	const int64_t high = state_i64(m, row, DISTINCT_SUM) >> 63;
	int64_t		word;

	memcpy(&word, row + m->layout.state_off[DISTINCT_SUM] + 8, sizeof(word));
	if (distinct && state_i64(m, row, DISTINCT_COUNT) != (int64_t) t->distinct)
		return false;
	if (distinct && how != COUNTED &&
		(state_i64(m, row, DISTINCT_SUM) != t->distinct_sum || word != high))
		return false;
	return state_i64(m, row, ROWS) == (int64_t) t->rows &&
		state_i64(m, row, VALUES) == (int64_t) t->values && state_i64(m, row, SUM) == t->sum &&
		(t->values == 0 || state_i64(m, row, LEAST) == t->least) &&
		(t->rows == 0 || state_f64(m, row, HALVES, 0) == t->halves) &&
		state_i64(m, row, ABSENT_COUNT) == 0 && state_i64(m, row, ABSENT_LEAST) == INT64_MAX &&
		state_f64(m, row, MOMENTS, 0) == (double) t->rows &&
		(t->rows == 0 || state_f64(m, row, MOMENTS, 1) == t->halves);
}

/* ok() of one of a case's parts */
static bool
part(bool right, const char *name, const char *what)
{
	char		text[128];

	snprintf(text, sizeof(text), "%s: %s", name, what);
	return ok(right, text);
}

/* Runs it, or prints why not. */
static bool
regroup(Run *run, const TestProgram *p, const GpuAggRegrouping *r, const char *name)
{
	GpuAggTaskConfig config = plain_config;

	configure(&config, r);
	if (part(run_task(run, p, &config, BUFFER), name, "runs"))
		return true;
	printf("# %s\n", run->error.message);
	return false;
}

/* Each group by a, once, with all that its rows have */
static void
by_a(const char *name)
{
	static TestProgram p;
	GpuAggRegrouping r;
	Run			run;
	Made		m;
	Row		  **all = sorted_rows();
	bool		right = true;
	uint64_t	seen = 0;

	program_finer(&p, false);
	wish_for(&r, 1);
	made_of(&m, &r, &p);
	if (regroup(&run, &p, &r, name))
	{
		part(run.stats.regrouped == 1, name, "by the device");
		part(how == ANY || !sorts() || strcmp(run.stats.strategy, "sorted") == 0, name, "sorted");
		is_int(run.groups, count_keys(all), name);
		for (const char *row = run.results; row < run.results + run.results_bytes;
			 row += m.layout.row_bytes)
		{
			uint32_t	first;
			const uint32_t last = rows_of(all, is_null(row, 0), key_i32(&m, row, 0), &first);
			const Tally t = tally_of(all, first, last);

			right &= last > first && states_are(&m, row, &t, true);
			seen += last - first;
		}
		part(right && seen == nrows, name, "values and states");
	}
	run_end(&run);
	is_at_rest(name);
	free(m.program);
	free(all);
}

/* ---------- cases ---------- */

static void
test_distinct(void)
{
	make_rows(scaled(20000), 40, 100);
	by_a("few groups");
	make_rows(scaled(30000), 3000, 1000000);
	by_a("nearly all values distinct");
	/* a GPU tries a table of 8192 first */
	make_rows(scaled(60000), 30000, 1000);
	by_a("many groups");
	make_rows(scaled(4000), 1, 2000);
	by_a("one group");
	make_rows(scaled(30000), 300, 1000);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v_null |= rows[i].a % 3 == 0;
	table_build();
	by_a("groups without a value");
	table_free();
}

/* Values of 4 bytes, by their v */
static void
narrow(const char *name)
{
	static TestProgram p;
	GpuAggRegrouping r;
	Run			run;
	Made		m;
	Row		  **all = sorted_rows();
	int64_t		values = 0;

	program_finer(&p, false);
	wish_for(&r, 1);
	r.keys[0] = 1;
	r.states[DISTINCT_COUNT].from = r.states[DISTINCT_SUM].from = 0;
	made_of(&m, &r, &p);
	if (regroup(&run, &p, &r, name))
		for (const char *row = run.results; row < run.results + run.results_bytes;
			 row += m.layout.row_bytes)
			values += state_i64(&m, row, DISTINCT_COUNT);
	for (uint32_t i = 0; i < nrows; i++)
		values -= !all[i]->a_null &&
			(i == 0 || compare_rows(&all[i], &all[i - 1]) != 0 || all[i - 1]->a_null);
	part(values == 0, name, "values of all groups");
	run_end(&run);
	is_at_rest(name);
	free(m.program);
	free(all);
}

static void
test_narrow(void)
{
	make_rows(scaled(20000), 500, 7);
	narrow("values of 4 bytes");
	table_free();
}

/* Without keys, of all rows or none */
static void
lone(const char *name, bool grouped, uint32_t expected)
{
	static TestProgram p;
	GpuAggRegrouping r;
	Run			run;
	Made		m;

	program_columns(&p, WANT(COL_V) | WANT(COL_D));
	program_key(&p, col[COL_V], GPUAGG_T_INT8);
	if (how != COUNTED)
		program_key(&p, col[COL_V], GPUAGG_T_INT8);
	for (uint32_t i = 0; i < 6; i++)
		program_trans(&p,
					  i < 2		 ? GPUAGG_TRANS_COUNT :
						  i == 2 ? GPUAGG_TRANS_SUM_I64 :
						  i == 3 ? GPUAGG_TRANS_MIN_I64 :
						  i == 4 ? GPUAGG_TRANS_SUM_F64 :
								   GPUAGG_TRANS_MOMENTS_F64,
					  i == 0	? NONE :
						  i < 4 ? col[COL_V] :
								  col[COL_D],
					  NONE, i < 4 ? GPUAGG_T_INT8 : GPUAGG_T_FLOAT8);
	wish_for(&r, 0);
	r.states[DISTINCT_COUNT].from = r.states[DISTINCT_SUM].from = how != COUNTED;
	r.grouped = grouped;
	made_of(&m, &r, &p);
	if (regroup(&run, &p, &r, name))
	{
		is_int(run.groups, expected, name);
		if (run.groups == 1)
		{
			Tally		t;
			Row		  **all;

			for (uint32_t i = 0; i < nrows; i++)
				rows[i].a_null = true;
			all = sorted_rows();
			t = tally_of(all, 0, nrows);
			part(states_are(&m, run.results, &t, true), name, "values and states");
			free(all);
		}
	}
	run_end(&run);
	is_at_rest(name);
	free(m.program);
}

static void
test_lone(void)
{
	make_rows(scaled(20000), 10, 3000);
	lone("no keys", false, 1);
	make_rows(0, 10, 3000);
	lone("no keys, no rows", false, 1);
	lone("grouped, no rows", true, 0);
	table_free();
}

/* The sets (), (a), (a, v) with their numbers, the first two made of others */
static void
sets_wish(GpuAggRegrouping *r)
{
	wish_for(r, 2);
	r->grouped = 0;
	r->nsets = 3;
	r->nconstants = 2;
	for (int32_t i = 0; i < 3; i++)
	{
		r->sets[i].keys = (1u << i) - 1;
		r->sets[i].parent = i + 1;
		r->sets[i].constants[0] = i;
		r->sets[i].constants[1] = 100 - i;
	}
	r->sets[2].parent = GPUAGG_REGROUPING_FINER;
	/* a value would enter each set's state anew: only the finest has it once */
	for (uint32_t i = 0; i < 2; i++)
		r->states[i] = states[ROWS];
}

/* The rows that a group of a set has */
static void
rows_of_group(const Made *m, Row **all, const char *row, uint32_t *first, uint32_t *last)
{
	int64_t		v;

	*first = 0;
	*last = nrows;
	if (key_i32(m, row, 2) == 0)
		return;
	*last = rows_of(all, is_null(row, 0), key_i32(m, row, 0), first);
	if (key_i32(m, row, 2) == 1)
		return;
	memcpy(&v, row + m->layout.key_off[1], sizeof(v));
	while (*first < *last &&
		   (all[*first]->v_null != is_null(row, 1) || (!is_null(row, 1) && all[*first]->v != v)))
		(*first)++;
	for (uint32_t i = *first; i < *last; i++)
		if (all[i]->v_null != is_null(row, 1) || (!is_null(row, 1) && all[i]->v != v))
			*last = i;
}

static void
sets(const char *name, uint32_t with_rows)
{
	static TestProgram p;
	GpuAggRegrouping r;
	Run			run;
	Made		m;
	Row		  **all = sorted_rows();
	uint64_t	seen[3] = {0};
	uint32_t	groups[3] = {0};
	bool		right = true;

	program_finer(&p, false);
	sets_wish(&r);
	made_of(&m, &r, &p);
	if (regroup(&run, &p, &r, name))
	{
		part(run.stats.regrouped == 1, name, "by the device");
		for (const char *row = run.results; row < run.results + run.results_bytes;
			 row += m.layout.row_bytes)
		{
			const int32_t set = key_i32(&m, row, 2);
			uint32_t	first;
			uint32_t	last;
			Tally		t;

			rows_of_group(&m, all, row, &first, &last);
			t = tally_of(all, first, last);
			right &= set >= 0 && set < 3 && key_i32(&m, row, 3) == 100 - set &&
				states_are(&m, row, &t, false) && (set > 0 || is_null(row, 0)) &&
				(set > 1 || is_null(row, 1));
			seen[set] += last - first;
			groups[set]++;
		}
		part(right, name, "keys, constants and states");
		part(seen[0] == nrows && seen[1] == nrows && seen[2] == nrows, name,
			 "each set has all rows");
		is_int(groups[0], 1, name);
		is_int(groups[1], with_rows ? count_keys(all) : 0, name);
		is_int(groups[2], run.stats.groups, name);
	}
	run_end(&run);
	is_at_rest(name);
	free(m.program);
	free(all);
}

static void
test_sets(void)
{
	make_rows(scaled(8000), 30, 40);
	sets("sets", 1);
	make_rows(0, 30, 40);
	sets("sets of no rows", 0);
	table_free();
}

/* The sets () and (a), of hidden ones that have v, too: all count distinct values. */
static void
hidden_wish(GpuAggRegrouping *r)
{
	wish_for(r, 1);
	r->grouped = 0;
	r->nsets = 4;
	r->nhidden = 2;
	r->nextra = 1;
	r->nconstants = 1;
	for (int32_t i = 0; i < 4; i++)
	{
		r->sets[i].keys = (i % 2 == 1 ? 1u : 0) | (i > 1 ? 2u : 0);
		r->sets[i].parent = i + 2;
		r->sets[i].constants[0] = i;
	}
	r->sets[2].parent = 3;
	r->sets[3].parent = GPUAGG_REGROUPING_FINER;
}

static int
compare_values(const void *x, const void *y)
{
	const Row  *a = *(Row *const *) x;
	const Row  *b = *(Row *const *) y;

	if (a->v_null != b->v_null)
		return a->v_null - b->v_null;
	return a->v_null || a->v == b->v ? 0 : a->v < b->v ? -1 : 1;
}

static void
hidden(const char *name, uint32_t with_rows)
{
	static TestProgram p;
	GpuAggRegrouping r;
	Run			run;
	Made		m;
	Row		  **by_key = sorted_rows();
	Row		  **by_value = sorted_rows();
	uint32_t	groups[2] = {0};
	bool		right = true;

	qsort(by_value, nrows, sizeof(*by_value), compare_values);
	program_finer(&p, false);
	hidden_wish(&r);
	made_of(&m, &r, &p);
	if (regroup(&run, &p, &r, name))
	{
		part(run.stats.regrouped == 1, name, "by the device");
		for (const char *row = run.results; row < run.results + run.results_bytes;
			 row += m.layout.row_bytes)
		{
			const int32_t set = key_i32(&m, row, 1);
			uint32_t	first = 0;
			uint32_t	last = nrows;
			Tally		t;

			if (set == 1)
				last = rows_of(by_key, is_null(row, 0), key_i32(&m, row, 0), &first);
			t = tally_of(set == 1 ? by_key : by_value, first, last);
			right &= set >= 0 && set < 2 && (set == 1 || is_null(row, 0)) &&
				states_are(&m, row, &t, true);
			groups[set == 1]++;
		}
		part(right, name, "distinct values and states");
		is_int(groups[0], 1, name);
		is_int(groups[1], with_rows ? count_keys(by_key) : 0, name);
	}
	run_end(&run);
	is_at_rest(name);
	free(m.program);
	free(by_value);
	free(by_key);
}

static void
test_hidden(void)
{
	make_rows(scaled(8000), 30, 40);
	hidden("hidden sets", 1);
	make_rows(scaled(20000), 300, 100000);
	hidden("hidden sets of many values", 1);
	make_rows(0, 30, 40);
	hidden("hidden sets of no rows", 0);
	table_free();
}

/* Texts as keys: whoever cannot make such groups returns the finer ones. */
static void
test_texts(void)
{
	static TestProgram p;
	GpuAggRegrouping r;
	Run			run;
	Made		m;
	Row		  **all;
	uint64_t	seen = 0;
	uint64_t	distinct = 0;
	uint64_t	expected = 0;

	make_rows(scaled(5000), 50, 60);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].a_null = false;
	table_build();
	all = sorted_rows();
	for (uint32_t i = 0; i < nrows; i++)
		expected += !all[i]->v_null &&
			(i == 0 || all[i]->a != all[i - 1]->a || all[i]->v != all[i - 1]->v ||
			 all[i - 1]->v_null);
	program_finer(&p, true);
	wish_for(&r, 1);
	made_of(&m, &r, &p);
	if (regroup(&run, &p, &r, "texts"))
	{
		const char *strings[4];

		is_int(run.groups, run.stats.regrouped ? count_keys(all) : run.stats.groups,
			   "texts: groups");
		ok(run.stats.regrouped || dut.gpu, "texts: by the host device");
		for (const char *row = run.results;
			 run.stats.regrouped && row < run.results + run.results_bytes;
			 row = group_next(row, &m.layout, gpuagg_program_keys(m.program),
							  gpuagg_program_transitions(m.program), strings))
		{
			seen += (uint64_t) state_i64(&m, row, ROWS);
			distinct += (uint64_t) state_i64(&m, row, DISTINCT_COUNT);
		}
		ok(!run.stats.regrouped || (seen == nrows && distinct == expected),
		   "texts: values and states");
	}
	run_end(&run);
	is_at_rest("texts");
	free(m.program);
	free(all);
	table_free();
}

/*
 * Under one limit after the other, up to twice what the finer groups take: the task fails, or
 * returns groups that are made, or the finer ones where there is no memory for others.
 */
typedef struct Limited
{
	uint32_t	made;
	uint32_t	finer;
	bool		right;
} Limited;

static Limited
under_limits(TestProgram *p, uint64_t peak, uint32_t groups, double expected_made)
{
	GpuAggTaskConfig config = plain_config;
	GpuAggRegrouping r;
	Limited		l = {.right = true};
	Run			run;

	wish_for(&r, 1);
	configure(&config, &r);
	config.expected_made = expected_made;
	for (uint32_t i = 8; i <= 40 && l.right; i++)
	{
		config.memory_limit = i < 40 ? peak * i / 20 : 0;
		if (!run_task(&run, p, &config, BUFFER))
			l.right = run.error.status == GPUAGG_OUT_OF_MEMORY && i < 40;
		else if (run.stats.regrouped)
			l.right = run.groups < groups && ++l.made > 0;
		else
			l.right = run.groups == groups && ++l.finer > 0;
		run_end(&run);
	}
	return l;
}

/* Of fewer groups than the first table of a GPU has, and of more */
static void
test_memory(void)
{
	static TestProgram p;
	Run			run;

	for (uint32_t keys = 3000; keys <= 20000; keys += 17000)
	{
		uint64_t	peak;
		uint32_t	groups;
		Limited		unknown;
		Limited		wild;

		make_rows(scaled(20000), keys, 1000);
		program_finer(&p, false);
		ok(run_task(&run, &p, &plain_config, BUFFER), "finer groups");
		peak = run.stats.memory_bytes;
		groups = run.groups;
		run_end(&run);
		unknown = under_limits(&p, peak, groups, 0);
		ok(unknown.right && unknown.made > 0, "with more and more memory");
		ok(unknown.finer > 0 || keys < 20000 || dut.gpu,
		   "finer groups are returned where there is none for others");
		wild = under_limits(&p, peak, groups, 1e9);
		/* what the host device takes differs from run to run */
		ok(wild.right && (wild.made >= unknown.made || !dut.gpu || how != ANY),
		   "too many are expected: no more memory is needed");
		is_at_rest("little memory");
	}
	table_free();
}

/* Of the groups that are made so many are wanted, with most distinct values, and ties. */
static void
wanted(const GpuAggAnswer *answer, const char *name)
{
	static TestProgram p;
	GpuAggTaskConfig config = plain_config;
	GpuAggRegrouping r;
	GpuAggAnswerPlan plan;
	Made		m;
	Run			all;
	Run			run;
	uint32_t	passing = 0;
	uint32_t	before = 0;
	bool		right = true;

	program_finer(&p, false);
	wish_for(&r, 1);
	made_of(&m, &r, &p);
	gpuagg_answer_plan(answer, m.program, &plan);
	configure(&config, &r);
	part(run_task(&all, &p, &config, BUFFER) && all.stats.regrouped, name, "all are made");
	config.answer = *answer;
	part(gpuagg_answer_check(answer, m.program) && run_task(&run, &p, &config, BUFFER) &&
		 run.stats.regrouped, name, "and those that are wanted");
	for (const char *row = all.results; row < all.results + all.results_bytes;
		 row += m.layout.row_bytes)
	{
		bool		there = false;
		uint32_t	less = 0;

		for (const char *one = run.results; !there && one < run.results + run.results_bytes;
			 one += m.layout.row_bytes)
			there = is_null(one, 0) == is_null(row, 0) &&
				(is_null(row, 0) || key_i32(&m, one, 0) == key_i32(&m, row, 0));
		/* as many as are wanted come first, or it is one of them */
		for (const char *one = all.results; one < all.results + all.results_bytes;
			 one += m.layout.row_bytes)
			less += gpuagg_answer_passes(&plan, one) &&
				state_i64(&m, one, DISTINCT_COUNT) > state_i64(&m, row, DISTINCT_COUNT);
		passing += gpuagg_answer_passes(&plan, row);
		if (answer->first == 0 || less < answer->first)
		{
			right &= there == gpuagg_answer_passes(&plan, row);
			before++;
		}
		else
			right &= !there;
	}
	part(right && before > 0 && passing > 0 && run.groups <= passing && run.groups < all.groups,
		 name, "are the right ones");
	run_end(&all);
	run_end(&run);
	is_at_rest(name);
	free(m.program);
}

static void
test_wanted(void)
{
	GpuAggAnswer answer = {.first = 10,.ncolumns = 1,.ties = 1};

	answer.columns[0].value = (GpuAggValueRef) {GPUAGG_VALUE_I64, DISTINCT_COUNT, 0, 0};
	answer.columns[0].descending = 1;
	make_rows(scaled(20000), 40, 100);
	wanted(&answer, "of few groups");
	make_rows(scaled(60000), 2000, 1000);
	wanted(&answer, "of many groups");
	answer.nterms = 1;
	answer.terms[0].value = (GpuAggValueRef) {GPUAGG_VALUE_I64, ROWS, 0, 0};
	answer.terms[0].comparison = GPUAGG_COMPARE_LT;
	answer.terms[0].low = scaled(60000) / 2000 + 1;
	wanted(&answer, "with HAVING");
	answer.first = 0;
	answer.ncolumns = 0;
	wanted(&answer, "by HAVING");
	table_free();
}

/* What no device may be asked for */
static void
test_check(void)
{
	static TestProgram p;
	GpuAggRegrouping r;

	program_finer(&p, false);
	sets_wish(&r);
	ok(gpuagg_regrouping_check(&r, &p.head), "sets");
	r.sets[1].parent = 1;
	ok(!gpuagg_regrouping_check(&r, &p.head), "a set made of itself");
	sets_wish(&r);
	r.sets[1].keys = 7;
	ok(!gpuagg_regrouping_check(&r, &p.head), "no such key in a set");
	sets_wish(&r);
	r.sets[2].keys = 0;
	ok(!gpuagg_regrouping_check(&r, &p.head), "a parent without the key");
	sets_wish(&r);
	r.keys[0] = 2;
	ok(!gpuagg_regrouping_check(&r, &p.head), "no such key");
	sets_wish(&r);
	r.states[ROWS].from = 6;
	ok(!gpuagg_regrouping_check(&r, &p.head), "no such transition");
	sets_wish(&r);
	r.states[ROWS].op = GPUAGG_TRANS_SUM_I64;
	ok(!gpuagg_regrouping_check(&r, &p.head), "another transition");
	hidden_wish(&r);
	ok(gpuagg_regrouping_check(&r, &p.head), "hidden sets");
	r.sets[1].keys = 2;
	ok(!gpuagg_regrouping_check(&r, &p.head), "an extra key that is returned");
	hidden_wish(&r);
	r.keys[1] = 0;
	ok(!gpuagg_regrouping_check(&r, &p.head), "nothing that enters");
	hidden_wish(&r);
	r.nhidden = 4;
	ok(!gpuagg_regrouping_check(&r, &p.head), "nothing that is returned");
	hidden_wish(&r);
	r.nextra = GPUAGG_MAX_KEYS;
	ok(!gpuagg_regrouping_check(&r, &p.head), "too many extra keys");
	wish_for(&r, 1);
	r.states[DISTINCT_SUM].op = GPUAGG_TRANS_SUM_F64;
	ok(!gpuagg_regrouping_check(&r, &p.head), "an integer among doubles");
	wish_for(&r, 1);
	r.states[DISTINCT_SUM].op = GPUAGG_TRANS_MOMENTS_F64;
	ok(!gpuagg_regrouping_check(&r, &p.head), "moments of a key");
}

/* What a device may only count, instead of having groups */
static void
test_counted(void)
{
	static TestProgram p;
	GpuAggRegrouping r;

	program_finer(&p, false);
	wish_for(&r, 1);
	ok(gpuagg_regrouping_counted_key(&r, &p.head) < 0, "values that are added, too");
	r.states[DISTINCT_SUM].of_key = GPUAGG_REGROUPING_OF_NOTHING;
	ok(gpuagg_regrouping_counted_key(&r, &p.head) == 1, "values that are counted");
	r.states[DISTINCT_COUNT].from = 0;
	ok(gpuagg_regrouping_counted_key(&r, &p.head) < 0, "values of a key that groups have");
	wish_for(&r, 0);
	r.states[DISTINCT_SUM].of_key = GPUAGG_REGROUPING_OF_NOTHING;
	ok(gpuagg_regrouping_counted_key(&r, &p.head) < 0, "a key beside that has several values");
	wish_for(&r, 1);
	r.states[DISTINCT_SUM].of_key = GPUAGG_REGROUPING_OF_NOTHING;
	r.nsets = 2;
	ok(gpuagg_regrouping_counted_key(&r, &p.head) < 0, "several sets");
	sets_wish(&r);
	ok(gpuagg_regrouping_counted_key(&r, &p.head) < 0, "other sets");
}

int
device_regroup_cases(const TestDevice *d)
{
	test_check();
	test_counted();
	if (!device_open(d))
		return done_testing();
	for (how = ANY; how < NHOWS; how++)
	{
		test_distinct();
		test_narrow();
		test_lone();
		test_wanted();
	}
	how = ANY;
	test_sets();
	test_hidden();
	test_texts();
	test_memory();
	how = COUNTED;
	test_memory();
	device_close();
	return done_testing();
}
