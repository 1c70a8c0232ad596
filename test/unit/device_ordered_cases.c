/*
 * device_ordered_cases.c
 *		Groups by values, of which rows at places of their order are wanted, or the commonest
 *		(device/ordered.h): whatever a device merges, the values at these places, and the
 *		commonest, are those of rows that are sorted one by one, no row is lost, and where a
 *		device orders few groups come back.
 */
#include "device/ops/ordered_row.h"
#include "device_table.h"

#define BUFFER 65536
#define NSEVERAL 7
#define NODD 7
#define NWHOLE 5
#define NUNITS 6
#define FEW_ROWS 100

enum
{
	ROWS,
	SUM,
	LEAST
};

/* A group that came back */
typedef struct Back
{
	bool		a_null;
	bool		v_null;
	int32_t		a;
	int64_t		v;
	int64_t		rows;
	int64_t		sum;
	int64_t		least;
} Back;

/* The value is d, and v its place in the order of doubles. */
static bool floats;

/* Rows count only where d is above 0. */
static bool filtered;

static bool
is_left_out(const Row *r)
{
	return filtered && !(r->d > 0);
}

/* Of rows with a place in the order */
static bool
has_place(const Row *r)
{
	return !r->v_null && !is_left_out(r);
}

static void
make_rows(uint32_t n, uint32_t groups, uint32_t values)
{
	floats = filtered = false;
	table_make(n, groups, 0);
	for (uint32_t i = 0; i < nrows; i++)
	{
		rows[i].v = (int64_t) (random_next() % values) - values / 2;
		rows[i].v_null = random_next() % 17 == 0;
	}
	table_build();
}

/* Values of so many bits; of all bits there may be some that no device has a number for beside NULL. */
static void
make_wide_rows(uint32_t n, uint32_t groups, uint32_t bits)
{
	make_rows(n, groups, 2);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v = (int64_t) (random_next() << 32 ^ random_next()) >> (64 - bits);
	rows[0].v = INT64_MIN >> (64 - bits);
	rows[1].v = INT64_MAX >> (64 - bits);
	rows[0].v_null = rows[1].v_null = false;
	table_build();
}

/* Whole ones, or so many times finer */
static void
make_float_rows(uint32_t n, uint32_t groups, uint32_t parts)
{
	static const double odd[NODD] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 5e-324, -1.5};
	const uint32_t nodd = parts > 1 ? NODD : NWHOLE;

	make_rows(n, groups, 2);
	floats = true;
	for (uint32_t i = 0; i < nrows; i++)
	{
		Row		   *r = &rows[i];

		r->d = random_next() % 3 == 0 ? odd[random_next() % nodd] :
			((double) (random_next() % 2000000) - 1000000) / parts;
		r->v = gpuagg_f64_order(r->d + 0.0);
		r->v_null = false;
	}
	table_build();
}

/* Multiples of this one, neither -0 nor what is no number */
static void
make_unit_rows(uint32_t n, uint32_t groups, double unit)
{
	make_rows(n, groups, 2);
	floats = true;
	for (uint32_t i = 0; i < nrows; i++)
	{
		rows[i].d = ((double) (random_next() % 3000) - 1000) * unit;
		rows[i].v = gpuagg_f64_order(rows[i].d);
		rows[i].v_null = false;
	}
	table_build();
}

static void
program_finer(TestProgram *p)
{
	program_columns(p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	program_key(p, col[COL_A], GPUAGG_T_INT4);
	if (floats)
		program_key(p, col[COL_D], GPUAGG_T_FLOAT8);
	else
		program_key(p, col[COL_V], GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE,
				  filtered ? program_instr(p, GPUAGG_OP_F64_GT, GPUAGG_CLASS_I64, col[COL_D],
										   program_const_f64(p, 0)) :
							 NONE,
				  0);
	program_trans(p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MIN_I64, col[COL_V], NONE, GPUAGG_T_INT8);
}

static GpuAggOrdered
wish_for(uint32_t nfractions, const GpuAggOrderedFraction *fractions)
{
	GpuAggOrdered wish = {.nfractions = (uint8_t) nfractions,.key = 1,.count = ROWS};

	memcpy(wish.fractions, fractions, nfractions * sizeof(*fractions));
	return wish;
}

static GpuAggOrdered
wish_for_mode(GpuAggOrderedMode mode)
{
	return (GpuAggOrdered) {.key = 1,.count = ROWS,.mode = (uint8_t) mode};
}

/* ---------- what came ---------- */

static int
compare(bool a_null, int64_t a, bool b_null, int64_t b)
{
	if (a_null != b_null)
		return a_null - b_null;
	return a_null || a == b ? 0 : a < b ? -1 : 1;
}

static int
compare_backs(const void *x, const void *y)
{
	const Back *p = x;
	const Back *q = y;
	const int	by_a = compare(p->a_null, p->a, q->a_null, q->a);

	return by_a != 0 ? by_a : compare(p->v_null, p->v, q->v_null, q->v);
}

static int
compare_rows(const void *x, const void *y)
{
	const Row  *p = x;
	const Row  *q = y;
	const int	by_a = compare(p->a_null, p->a, q->a_null, q->a);

	return by_a != 0 ? by_a : compare(!has_place(p), p->v, !has_place(q), q->v);
}

/* All groups, by a and v */
static Back *
backs_of(const Run *run, const TestProgram *p)
{
	GpuAggLayout layout;
	Back	   *backs = malloc((run->groups + 1) * sizeof(*backs));
	const char *row = run->results;

	gpuagg_layout_compute(&p->head, &layout);
	for (uint64_t i = 0; i < run->groups; i++, row += layout.row_bytes)
	{
		uint32_t	head;

		memcpy(&head, row, sizeof(head));
		backs[i].a_null = head & 1;
		backs[i].v_null = head >> 1 & 1;
		memcpy(&backs[i].a, row + layout.key_off[0], sizeof(int32_t));
		memcpy(&backs[i].v, row + layout.key_off[1], sizeof(int64_t));
		if (floats)
			backs[i].v = gpuagg_f64_order(gpuagg_key_slot_f64(row + layout.key_off[1]) + 0.0);
		memcpy(&backs[i].rows, row + layout.state_off[ROWS], sizeof(int64_t));
		memcpy(&backs[i].sum, row + layout.state_off[SUM], sizeof(int64_t));
		memcpy(&backs[i].least, row + layout.state_off[LEAST], sizeof(int64_t));
	}
	qsort(backs, run->groups, sizeof(*backs), compare_backs);
	return backs;
}

/* The value of a row, from 1, among groups in order */
static int64_t
value_at(const Back *backs, int64_t row)
{
	while (row > backs->rows)
		row -= (backs++)->rows;
	return backs->v;
}

/* Of values in order, rows of each: the commonest, the first or the last of equally common ones */
typedef struct Mode
{
	bool		last;
	int64_t		value;
	int64_t		rows;			/* of it; 0: there was none yet */
} Mode;

static void
mode_add(Mode *mode, int64_t value, int64_t counted)
{
	if (counted == 0 || counted < mode->rows || (counted == mode->rows && !mode->last))
		return;
	mode->value = value;
	mode->rows = counted;
}

/* Groups and rows of one a, both in order: the same mode */
static bool
same_mode(const Back *backs, uint64_t nbacks, const Row *all, uint64_t n, bool last)
{
	Mode		came = {.last = last};
	Mode		expected = {.last = last};

	for (uint64_t i = 0; i < nbacks; i++)
		if (!backs[i].v_null)
			mode_add(&came, backs[i].v, backs[i].rows);
	for (uint64_t i = 0, end; i < n; i = end)
	{
		for (end = i + 1; end < n && has_place(&all[end]) && all[end].v == all[i].v; end++)
			;
		if (has_place(&all[i]))
			mode_add(&expected, all[i].v, (int64_t) (end - i));
	}
	return came.rows == expected.rows && came.value == expected.value;
}

/* Groups and rows of one a, both in order: the same states in all, and values at the wished places */
static bool
same(const Back *backs, uint64_t nbacks, const Row *all, uint64_t n, const GpuAggOrdered *wish)
{
	uint64_t	sum = 0;		/* may go round */
	int64_t		least = INT64_MAX;
	int64_t		found = INT64_MAX;
	int64_t		values = 0;
	int64_t		counted = 0;

	for (uint64_t i = 0; i < n; i++)
	{
		counted -= !is_left_out(&all[i]);
		values += has_place(&all[i]);
		sum += all[i].v_null ? 0 : (uint64_t) all[i].v;
		least = !all[i].v_null && all[i].v < least ? all[i].v : least;
	}
	for (uint64_t i = 0; i < nbacks; i++)
	{
		counted += backs[i].rows;
		sum -= (uint64_t) backs[i].sum;
		found = backs[i].least < found ? backs[i].least : found;
	}
	if (counted != 0 || sum != 0 || found != least)
		return false;
	if (wish->mode != GPUAGG_MODE_NONE)
		return same_mode(backs, nbacks, all, n, wish->mode == GPUAGG_MODE_LAST);
	for (uint32_t f = 0; f < wish->nfractions && values > 0; f++)
	{
		int64_t		wanted[2];
		const uint32_t nwanted = gpuagg_ordered_rows(&wish->fractions[f], values, wanted);

		for (uint32_t i = 0; i < nwanted; i++)
			if (value_at(backs, wanted[i]) != all[wanted[i] - 1].v)
				return false;
	}
	return true;
}

/* ---------- cases ---------- */

static bool
has_minus_zero(void)
{
	for (uint32_t i = 0; i < nrows; i++)
		if (rows[i].d == 0 && signbit(rows[i].d))
			return true;
	return false;
}

static bool
is_null_somewhere(void)
{
	for (uint32_t i = 0; i < nrows; i++)
		if (rows[i].v_null)
			return true;
	return false;
}

static void
run_wish(const char *name, GpuAggOrdered wish)
{
	static TestProgram p;
	GpuAggTaskConfig config = plain_config;
	GpuAggDeviceInfo info;
	Run			run;
	Row		   *all = malloc((nrows + 1) * sizeof(*all));
	bool		right = true;
	uint64_t	at = 0;
	uint64_t	ngroups = 0;

	OPS->info(device, &info);
	program_finer(&p);
	config.ordered = wish;
	if ((info.strategies & GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SORTED)) != 0)
	{
		config.strategy = config.resident_strategy = GPUAGG_STRATEGY_SORTED;
		config.forced = 1;
	}
	memcpy(all, rows, nrows * sizeof(*all));
	qsort(all, nrows, sizeof(*all), compare_rows);
	if (ok(run_task(&run, &p, &config, BUFFER), name))
	{
		Back	   *backs = backs_of(&run, &p);

		for (uint64_t i = 0, end; i < run.groups; i = end, ngroups++)
		{
			uint64_t	n = 0;

			for (end = i; end < run.groups && backs[end].a_null == backs[i].a_null &&
				 (backs[i].a_null || backs[end].a == backs[i].a); end++)
				;
			while (at + n < nrows && all[at + n].a_null == backs[i].a_null &&
				   (backs[i].a_null || all[at + n].a == backs[i].a))
				n++;
			right &= same(backs + i, end - i, all + at, n, &config.ordered);
			at += n;
		}
		ok(right && at == nrows, name);
		/* beside a mode NULLs may have their own; few are not worth it, and a card makes all of -0 and 0 */
		if (info.orders != 0 && nrows > FEW_ROWS && !(floats && has_minus_zero() && wish.mode) &&
			(rows[0].v != INT64_MIN || !is_null_somewhere()))
			ok(run.groups <= ngroups * (gpuagg_ordered_pieces(&wish) + (wish.mode != 0)), name);
		free(backs);
	}
	else
		printf("# %s\n", run.error.message);
	run_end(&run);
	is_at_rest(name);
	free(all);
}

static void
run_case(const char *name, uint32_t nfractions, const GpuAggOrderedFraction *fractions)
{
	run_wish(name, wish_for(nfractions, fractions));
}

static void
run_modes(const char *name)
{
	run_wish(name, wish_for_mode(GPUAGG_MODE_FIRST));
	run_wish(name, wish_for_mode(GPUAGG_MODE_LAST));
}

static void
filter_rows(void)
{
	filtered = true;
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].d = (double) (random_next() % 3) - 1;
	table_build();
}

static void
test_modes(void)
{
	make_rows(scaled(30000), 20, 50);
	run_modes("modes of few values");
	make_rows(scaled(30000), 20, 1000000);
	run_modes("modes of many values, mostly rare ones");
	make_rows(scaled(30000), 5000, 20);
	run_modes("modes of many groups");
	make_rows(scaled(20000), 1, 3000);
	run_modes("the mode of all");
	make_rows(scaled(20000), 30, 1);
	run_modes("modes of one value");
	make_wide_rows(scaled(20000), 40, 64);
	run_modes("modes of values of all bits");
	make_float_rows(scaled(20000), 30, 7);
	run_modes("modes of doubles, 0 and -0 among them");
	make_unit_rows(scaled(20000), 30, 0.125);
	run_modes("modes of eighths");
	make_rows(scaled(30000), 40, 200);
	filter_rows();
	run_modes("modes of rows that are counted");
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].d = rows[i].a % 3 - 1;
	table_build();
	run_modes("modes of groups of which no row is counted");
	make_rows(scaled(20000), 20, 500);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v_null |= rows[i].a % 4 == 0;
	table_build();
	run_modes("modes of groups without a value");
	make_rows(FEW_ROWS, 3, 10);
	run_modes("modes of few rows");
}

static void
test_places(void)
{
	static const GpuAggOrderedFraction median = {0.5, 1, 0};
	static const GpuAggOrderedFraction several[NSEVERAL] = {
		{0, 1, 0}, {0.1, 0, 0}, {0.5, 0, 0}, {0.5, 1, 1}, {0.99, 1, 0}, {0.333, 0, 1}, {1, 0, 0}
	};

	static const double units[NUNITS] = {1, 0.125, 1024, 0x1p-990, 0x1p-1070, 0x1p960};

	make_rows(scaled(30000), 20, 1000000);
	run_case("a median of many values", 1, &median);
	run_case("several places", NSEVERAL, several);
	make_rows(scaled(30000), 20, 50);
	run_case("few values", 1, &median);
	make_rows(scaled(30000), 5000, 100000);
	run_case("many groups", NSEVERAL, several);
	make_rows(scaled(20000), 1, 1000000);
	run_case("one group", 1, &median);
	make_wide_rows(scaled(20000), 40, 63);
	run_case("wide values", NSEVERAL, several);
	make_wide_rows(scaled(20000), 40, 64);
	run_case("values of all bits", NSEVERAL, several);
	make_rows(scaled(20000), 30, 1000000);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v *= 4096;
	table_build();
	run_case("values with low bits that none uses", NSEVERAL, several);
	make_float_rows(scaled(20000), 30, 7);
	run_case("doubles", NSEVERAL, several);
	make_float_rows(scaled(20000), 30, 1);
	run_case("whole doubles", NSEVERAL, several);
	for (uint32_t i = 0; i < NUNITS; i++)
	{
		make_unit_rows(scaled(20000), 30, units[i]);
		run_case("doubles that are multiples", NSEVERAL, several);
		filtered = true;
		run_case("doubles that are multiples, and NULLs", NSEVERAL, several);
	}
	make_rows(scaled(30000), 40, 1000000);
	filter_rows();
	run_case("rows that are not counted", NSEVERAL, several);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].d = rows[i].a % 3 - 1;
	table_build();
	run_case("groups of which no row is counted", NSEVERAL, several);
	make_rows(scaled(20000), 30, 1);
	run_case("one value", NSEVERAL, several);
	make_wide_rows(scaled(20000), 1, 64);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v_null = false;
	table_build();
	run_case("values of all bits, one group", NSEVERAL, several);
	make_rows(scaled(20000), 20, 1000000);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v_null |= rows[i].a % 4 == 0;
	table_build();
	run_case("groups without a value", NSEVERAL, several);
	make_rows(FEW_ROWS, 3, 100);
	run_case("few rows", 1, &median);
}

static void
test_check(void)
{
	static const GpuAggOrderedFraction median = {0.5, 1, 0};
	static TestProgram p;
	GpuAggOrdered wish;

	program_finer(&p);
	wish = wish_for(1, &median);
	ok(gpuagg_ordered_check(&wish, &p.head), "a wish");
	wish.key = 2;
	ok(!gpuagg_ordered_check(&wish, &p.head), "no such key");
	wish.mode = GPUAGG_MODE_FIRST;
	wish.key = 1;
	ok(!gpuagg_ordered_check(&wish, &p.head), "places and a mode");
	wish = wish_for_mode(GPUAGG_MODE_LAST);
	ok(gpuagg_ordered_check(&wish, &p.head), "a mode");
	wish.mode++;
	ok(!gpuagg_ordered_check(&wish, &p.head), "no such mode");
	wish = wish_for(1, &median);
	wish.count = SUM;
	ok(!gpuagg_ordered_check(&wish, &p.head), "not a count");
	wish = wish_for(1, &median);
	wish.fractions[0].fraction = 1.5;
	ok(!gpuagg_ordered_check(&wish, &p.head), "more than all");
	wish.fractions[0].fraction = NAN;
	ok(!gpuagg_ordered_check(&wish, &p.head), "not a number");
	wish = wish_for(1, &median);
	wish.nfractions = GPUAGG_ORDERED_FRACTIONS + 1;
	ok(!gpuagg_ordered_check(&wish, &p.head), "too many");
	program_trans(&p, GPUAGG_TRANS_MOMENTS_F64, col[COL_V], NONE, GPUAGG_T_FLOAT8);
	wish = wish_for(1, &median);
	ok(!gpuagg_ordered_check(&wish, &p.head), "states that are not merged here");
}

int
device_ordered_cases(const TestDevice *d)
{
	test_check();
	if (!device_open(d))
		return done_testing();
	test_places();
	test_modes();
	table_free();
	device_close();
	return done_testing();
}
