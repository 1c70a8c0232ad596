/*
 * zone_filter_test.c
 *		What filters say of zones: known cases, and random programs over random
 *		rows, of which none may contradict a verdict.
 */
#include <math.h>
#include <stdio.h>

#include "device/ops/eval.h"
#include "device/ops/zone_filter.h"
#include "device/transition.h"
#include "device_support.h"
#include "tap.h"

#define ROWS 8
#define PROGRAMS 200000

static TestProgram p;

/* Columns of all random programs, in this order */
enum
{
	COL_I4, COL_I8, COL_F8, COL_DATE, COL_TS, COL_BOOL, COL_TEXT, NCOLS
};

static const uint8_t col_type[NCOLS] = {
	GPUAGG_T_INT4, GPUAGG_T_INT8, GPUAGG_T_FLOAT8, GPUAGG_T_DATE, GPUAGG_T_TIMESTAMP,
	GPUAGG_T_BOOL, GPUAGG_T_TEXT
};

static uint64_t seed = 42;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (seed >> 33) % n;
}

/* ---------- zones ---------- */

static int64_t
order_of(uint32_t col, GpuAggValue v)
{
	return col_type[col] == GPUAGG_T_FLOAT8 ? gpuagg_f64_order(v.f) :
		col_type[col] == GPUAGG_T_TEXT ? 0 : v.i;
}

static void
zone_add(GpuAggZone *zone, int64_t order)
{
	zone->low = order < zone->low ? order : zone->low;
	zone->high = order > zone->high ? order : zone->high;
}

/* ---------- known cases ---------- */

static GpuAggVerdict
verdict(const GpuAggZone *const *columns)
{
	static GpuAggZoneFilter filter;

	gpuagg_zone_filter_init(&filter, &p.head);
	return gpuagg_zone_filter(&filter, columns);
}

/* An int4 column between low and high, with so many NULLs */
static void
verdict_is(int64_t low, int64_t high, uint64_t nulls, GpuAggVerdict want, const char *name)
{
	const GpuAggZone zone = {low, high, nulls};
	const GpuAggZone *columns[1] = {&zone};
	GpuAggVerdict got = verdict(columns);

	ok(got == want, name);
	if (got != want)
		printf("# got %d\n", got);
}

static uint16_t
start(uint32_t type)
{
	program_init(&p);
	return program_attr(&p, type, true);
}

/* Column 0 between two constants of the class */
static void
between(int64_t low, int64_t high)
{
	uint16_t	x = start(GPUAGG_T_INT4);
	uint16_t	a = program_const_i64(&p, GPUAGG_T_INT4, low);
	uint16_t	b = program_const_i64(&p, GPUAGG_T_INT4, high);

	a = program_instr(&p, GPUAGG_OP_I64_GE, GPUAGG_CLASS_I64, x, a);
	b = program_instr(&p, GPUAGG_OP_I64_LE, GPUAGG_CLASS_I64, x, b);
	program_filter(&p, program_instr(&p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, a, b));
}

static void
test_integers(void)
{
	uint16_t	x;

	start(GPUAGG_T_INT4);
	verdict_is(1, 2, 0, GPUAGG_VERDICT_ALL, "no filter");
	between(10, 20);
	verdict_is(1, 9, 5, GPUAGG_VERDICT_NONE, "below, and NULLs");
	verdict_is(21, 30, 0, GPUAGG_VERDICT_NONE, "above");
	verdict_is(1, 10, 0, GPUAGG_VERDICT_MAYBE, "touches it");
	verdict_is(10, 20, 0, GPUAGG_VERDICT_ALL, "within");
	verdict_is(10, 20, 1, GPUAGG_VERDICT_MAYBE, "within, with a NULL");
	verdict_is(INT64_MAX, INT64_MIN, 3, GPUAGG_VERDICT_NONE, "only NULLs");
	verdict_is(INT64_MAX, INT64_MIN, 0, GPUAGG_VERDICT_NONE, "nothing at all");
	x = start(GPUAGG_T_INT4);
	program_filter(&p, program_instr(&p, GPUAGG_OP_IS_NULL, GPUAGG_CLASS_I64, x, 0));
	verdict_is(1, 2, 0, GPUAGG_VERDICT_NONE, "IS NULL without one");
	verdict_is(1, 2, 1, GPUAGG_VERDICT_MAYBE, "IS NULL with one");
	verdict_is(INT64_MAX, INT64_MIN, 1, GPUAGG_VERDICT_ALL, "IS NULL of nothing else");
}

static void
test_lists(void)
{
	uint16_t	x = start(GPUAGG_T_INT4);

	program_const_i64(&p, GPUAGG_T_INT4, 5);
	program_const_i64(&p, GPUAGG_T_INT4, 50);
	x = program_instr(&p, GPUAGG_OP_IN_I64, GPUAGG_CLASS_I64, x, 0);
	p.instrs[0].imm2 = 2;
	program_filter(&p, x);
	verdict_is(6, 49, 1, GPUAGG_VERDICT_NONE, "between the members of a list");
	verdict_is(6, 50, 0, GPUAGG_VERDICT_MAYBE, "up to one");
	verdict_is(5, 5, 0, GPUAGG_VERDICT_ALL, "a member");
	p.instrs[0].flags = GPUAGG_IN_NEGATED;
	verdict_is(5, 5, 1, GPUAGG_VERDICT_NONE, "NOT IN of a member");
	verdict_is(6, 49, 0, GPUAGG_VERDICT_ALL, "NOT IN between them");
	p.instrs[0].flags = GPUAGG_IN_NEGATED | GPUAGG_IN_HAS_NULL;
	verdict_is(6, 49, 0, GPUAGG_VERDICT_NONE, "NOT IN a list with NULL");
}

/* 1 / x > 0 AND x > 100, and the other way round */
static void
test_errors(void)
{
	for (int swap = 0; swap < 2; swap++)
	{
		uint16_t	x = start(GPUAGG_T_INT4);
		uint16_t	zero = program_const_i64(&p, GPUAGG_T_INT4, 0);
		uint16_t	one = program_const_i64(&p, GPUAGG_T_INT4, 1);
		uint16_t	hundred = program_const_i64(&p, GPUAGG_T_INT4, 100);
		uint16_t	a = program_instr(&p, GPUAGG_OP_INT4_DIV, GPUAGG_CLASS_I64, one, x);
		uint16_t	b = program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, x, hundred);

		a = program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, a, zero);
		program_filter(&p, program_instr(&p, GPUAGG_OP_AND, GPUAGG_CLASS_I64,
										 swap ? b : a, swap ? a : b));
		verdict_is(0, 50, 0, swap ? GPUAGG_VERDICT_NONE : GPUAGG_VERDICT_MAYBE,
				   swap ? "false before an error" : "an error before false");
	}
}

/* CASE WHEN 1 / x > 0 THEN x ELSE x END > 100 */
static void
test_branches(void)
{
	uint16_t	x = start(GPUAGG_T_INT4);
	uint16_t	zero = program_const_i64(&p, GPUAGG_T_INT4, 0);
	uint16_t	one = program_const_i64(&p, GPUAGG_T_INT4, 1);
	uint16_t	hundred = program_const_i64(&p, GPUAGG_T_INT4, 100);
	uint16_t	a = program_instr(&p, GPUAGG_OP_INT4_DIV, GPUAGG_CLASS_I64, one, x);

	a = program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, a, zero);
	a = program_instr3(&p, GPUAGG_OP_SELECT, GPUAGG_CLASS_I64, a, x, x);
	program_filter(&p, program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, a, hundred));
	verdict_is(0, 50, 0, GPUAGG_VERDICT_MAYBE, "an error that chooses a branch");
}

static void
float_is(double low, double high, GpuAggVerdict want, const char *name)
{
	verdict_is(gpuagg_f64_order(low), gpuagg_f64_order(high), 0, want, name);
}

static void
test_floats(void)
{
	uint16_t	x = start(GPUAGG_T_FLOAT8);
	uint16_t	zero = program_const_f64(&p, 0.0);

	program_filter(&p, program_instr(&p, GPUAGG_OP_F64_EQ, GPUAGG_CLASS_I64, x, zero));
	float_is(-0.0, -0.0, GPUAGG_VERDICT_ALL, "-0 is 0");
	float_is(-1, -0.0, GPUAGG_VERDICT_MAYBE, "up to -0");
	float_is(0.5, NAN, GPUAGG_VERDICT_NONE, "above it, up to NaN");
	p.instrs[0].op = GPUAGG_OP_F64_LT;
	float_is(-0.0, 5, GPUAGG_VERDICT_NONE, "-0 is not below 0");
	float_is(-INFINITY, -0.5, GPUAGG_VERDICT_ALL, "-infinity is");
	p.instrs[0].op = GPUAGG_OP_F64_GT;
	float_is(NAN, NAN, GPUAGG_VERDICT_ALL, "NaN is above");
}

/* ---------- random programs ---------- */

static uint16_t any_bool(int depth);

static int64_t
some_integer(uint32_t type)
{
	static const int64_t edges[] = {
		INT64_MIN, INT64_MIN + 1, INT64_MAX, INT32_MIN, INT32_MAX, -1, 0, 1};

	switch (type)
	{
		case GPUAGG_T_BOOL:
			return rnd(2);
		case GPUAGG_T_INT4:
			return rnd(8) > 0 ? (int64_t) rnd(20) - 10 : rnd(2) ? INT32_MIN : INT32_MAX;
		case GPUAGG_T_INT8:
			return rnd(8) > 0 ? (int64_t) rnd(20) - 10 : edges[rnd(8)];
		case GPUAGG_T_DATE:
			return rnd(8) > 0 ? (int64_t) rnd(3000) - 1500 :
				rnd(3) == 0 ? GPUAGG_DATE_MIN + (int64_t) rnd(500) :
				rnd(2) ? INT32_MIN : rnd(2) ? INT32_MAX : INT32_MAX - 1000;
		default:				/* TIMESTAMP */
			return rnd(8) > 0 ? ((int64_t) rnd(3000) - 1500) * INT64_C(30000000000) :
				rnd(3) == 0 ? GPUAGG_DATE_MIN * GPUAGG_USECS_PER_DAY + rnd(1000000) :
				rnd(2) ? INT64_MIN : INT64_MAX;
	}
}

static double
some_double(void)
{
	static const double edges[] = {-0.0, 0.0, 1e300, -1e300, 5e-324, 0, 0, 0};
	uint32_t	k = rnd(16);

	return k == 8 ? NAN : k == 9 ? INFINITY : k == 10 ? -INFINITY :
		k < 5 ? edges[k] : (double) rnd(20) - 10;
}

/* One of the type, from a random one on: there is one of each. */
static uint16_t
any_const(uint32_t type)
{
	uint32_t	i = rnd(p.head.nconsts);

	while (p.consts[i % p.head.nconsts].type != type)
		i++;
	return (uint16_t) (NCOLS + i % p.head.nconsts);
}

static uint16_t
i64(uint32_t op, uint16_t a, uint16_t b)
{
	return program_instr(&p, op, GPUAGG_CLASS_I64, a, b);
}

static uint16_t
any_date(int depth)
{
	switch (depth > 0 ? rnd(6) : rnd(2))
	{
		case 0:
		case 1:
			return COL_DATE;
		case 2:
			return any_const(GPUAGG_T_DATE);
		case 3:
			return i64(GPUAGG_OP_TIMESTAMP_TO_DATE, COL_TS, 0);
		case 4:
			return i64(GPUAGG_OP_DATE_ADD, COL_DATE, any_const(GPUAGG_T_INT4));
		default:
			p.instrs[p.head.ninstrs].imm = (int32_t) (GPUAGG_FIELD_WEEK + rnd(4));
			return i64(GPUAGG_OP_DATE_TRUNC, COL_DATE, 0);
	}
}

static uint16_t
any_timestamp(int depth)
{
	uint16_t	date;

	switch (depth > 0 ? rnd(5) : rnd(2))
	{
		case 0:
		case 1:
			return COL_TS;
		case 2:
			return any_const(GPUAGG_T_TIMESTAMP);
		case 3:
			date = any_date(depth - 1);
			return i64(GPUAGG_OP_DATE_TO_TIMESTAMP, date, 0);
		default:
			p.instrs[p.head.ninstrs].imm = (int32_t) (rnd(2) ? GPUAGG_FIELD_DAY :
															   GPUAGG_FIELD_MONTH + rnd(3));
			return i64(GPUAGG_OP_TIMESTAMP_TRUNC, COL_TS, 0);
	}
}

static uint16_t
any_integer(int depth)
{
	static const uint16_t ops[] = {
		GPUAGG_OP_INT8_ADD, GPUAGG_OP_INT8_SUB, GPUAGG_OP_INT8_MUL, GPUAGG_OP_INT8_DIV,
		GPUAGG_OP_INT_MOD, GPUAGG_OP_INT_AND, GPUAGG_OP_I64_MIN, GPUAGG_OP_I64_MAX
	};
	uint16_t	a;
	uint16_t	b;

	switch (depth > 0 ? rnd(8) : rnd(3))
	{
		case 0:
			return COL_I4;
		case 1:
			return COL_I8;
		case 2:
			return any_const(rnd(2) ? GPUAGG_T_INT4 : GPUAGG_T_INT8);
		case 3:
			a = any_integer(depth - 1);
			return i64(rnd(2) ? GPUAGG_OP_TO_INT2 : GPUAGG_OP_TO_INT4, a, 0);
		case 4:
			a = any_bool(depth - 1);
			b = any_integer(depth - 1);
			return program_instr3(&p, GPUAGG_OP_SELECT, GPUAGG_CLASS_I64, a, b, COL_I4);
		case 5:
			a = any_integer(depth - 1);
			return i64(GPUAGG_OP_COALESCE, a, any_const(GPUAGG_T_INT4));
		case 6:
			p.instrs[p.head.ninstrs].imm = rnd(4) ? GPUAGG_FIELD_YEAR : GPUAGG_FIELD_MONTH;
			return rnd(2) ? i64(GPUAGG_OP_DATE_EXTRACT, COL_DATE, 0) :
				i64(GPUAGG_OP_TIMESTAMP_EXTRACT, COL_TS, 0);
		default:
			a = any_integer(depth - 1);
			b = any_integer(depth - 1);
			return i64(ops[rnd(8)], a, b);
	}
}

static uint16_t
any_double(int depth)
{
	uint16_t	a;

	switch (depth > 0 ? rnd(5) : rnd(2))
	{
		case 0:
		case 1:
			return COL_F8;
		case 2:
			return any_const(GPUAGG_T_FLOAT8);
		case 3:
			a = any_integer(depth - 1);
			return program_instr(&p, rnd(2) ? GPUAGG_OP_INT_TO_FLOAT8 : GPUAGG_OP_INT_TO_FLOAT4,
								 GPUAGG_CLASS_F64, a, 0);
		default:
			a = any_double(depth - 1);
			return program_instr(&p, rnd(2) ? GPUAGG_OP_FLOAT8_ADD : GPUAGG_OP_FLOAT_NEG,
								 GPUAGG_CLASS_F64, a, COL_F8);
	}
}

/* A list of constants lies in order: the ones that are made for it, 0 to 2 or 3 to 5 */
static uint16_t
any_in(int depth)
{
	const bool	f64 = rnd(3) == 0;
	uint16_t	a = f64 ? any_double(depth) : any_integer(depth);
	GpuAggInstr *ins = &p.instrs[p.head.ninstrs];

	ins->imm = f64 ? 3 : 0;
	ins->imm2 = (int32_t) rnd(4);
	ins->flags = (uint16_t) rnd(4);
	return i64(f64 ? GPUAGG_OP_IN_F64 : GPUAGG_OP_IN_I64, a, 0);
}

static uint16_t
any_comparison(int depth)
{
	uint16_t	a;
	uint16_t	b;

	switch (rnd(5))
	{
		case 4:
			return i64(rnd(2) ? GPUAGG_OP_STARTS_WITH : GPUAGG_OP_BYTES_EQ + rnd(6), COL_TEXT,
					   COL_TEXT);
		case 0:
			a = any_double(depth);
			b = any_double(depth);
			return i64(GPUAGG_OP_F64_EQ + rnd(6), a, b);
		case 1:
			a = any_date(depth);
			b = any_date(depth);
			break;
		case 2:
			a = any_timestamp(depth);
			b = any_timestamp(depth);
			break;
		default:
			a = any_integer(depth);
			b = any_integer(depth);
			break;
	}
	return i64(GPUAGG_OP_I64_EQ + rnd(6), a, b);
}

static uint16_t
any_bool(int depth)
{
	uint16_t	a;
	uint16_t	b;

	switch (depth > 0 ? rnd(9) : rnd(2))
	{
		case 0:
			return COL_BOOL;
		case 1:
		case 2:
			return any_comparison(depth - 1);
		case 3:
			return any_in(depth - 1);
		case 4:
			a = any_bool(depth - 1);
			return i64(GPUAGG_OP_NOT, a, 0);
		case 5:
			a = rnd(2) ? (uint16_t) rnd(NCOLS) : any_bool(depth - 1);
			return i64(GPUAGG_OP_IS_NULL + rnd(2), a, 0);
		case 6:
			a = any_bool(depth - 1);
			return i64(GPUAGG_OP_IS_TRUE + rnd(4), a, 0);
		case 7:
			a = any_bool(depth - 1);
			b = any_bool(depth - 1);
			if (rnd(3) > 0)
				return i64(GPUAGG_OP_NULL_IF, a, b);
			a = any_integer(depth - 1);
			b = i64(GPUAGG_OP_I64_EQ, a, COL_I4);
			return program_instr3(&p, GPUAGG_OP_DISTINCT_FROM, GPUAGG_CLASS_I64, a, b, COL_I4);
		default:
			a = any_bool(depth - 1);
			b = any_bool(depth - 1);
			return i64(rnd(3) ? GPUAGG_OP_AND : GPUAGG_OP_OR, a, b);
	}
}

static void
random_constants(void)
{
	static const uint8_t types[] = {
		GPUAGG_T_INT4, GPUAGG_T_INT8, GPUAGG_T_DATE, GPUAGG_T_TIMESTAMP
	};
	int64_t		first = rnd(5);

	for (int i = 0; i < 3; i++)
		program_const_i64(&p, GPUAGG_T_INT4, first += 1 + rnd(3));
	program_const_f64(&p, (double) rnd(3) - 3);
	program_const_f64(&p, rnd(2) ? 0.0 : -0.0);
	program_const_f64(&p, rnd(2) ? NAN : (double) rnd(4) + 1);
	for (int i = 6; i < 15; i++)
	{
		program_const_i64(&p, types[i % 4], some_integer(types[i % 4]));
		p.consts[i].state = rnd(12) == 0 ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
	}
	program_const_f64(&p, some_double());
}

/* A column whose rows lie near each other, of which some are NULL */
static void
random_column(uint32_t col, GpuAggValue *values, uint8_t *states)
{
	const uint32_t nulls = rnd(3) == 0 ? rnd(5) : 0;
	const bool	same = rnd(4) == 0;

	for (uint32_t i = 0; i < ROWS; i++)
	{
		memset(&values[i], 0, sizeof(*values));
		if (same && i > 0)
			values[i] = values[0];
		else if (col_type[col] == GPUAGG_T_FLOAT8)
			values[i].f = some_double();
		else if (col_type[col] == GPUAGG_T_TEXT)
			values[i].b = (GpuAggBytes) {"abc", rnd(4)};
		else
			values[i].i = some_integer(col_type[col]);
		states[i] = rnd(4) < nulls ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
	}
}

static void
random_zone(uint32_t col, const GpuAggValue *values, const uint8_t *states, GpuAggZone *zone)
{
	*zone = (GpuAggZone) GPUAGG_ZONE_EMPTY;
	for (uint32_t i = 0; i < ROWS; i++)
		if (states[i] == GPUAGG_ST_NULL)
			zone->count++;
		else
			zone_add(zone, order_of(col, values[i]));
	if (rnd(4) == 0 && col_type[col] != GPUAGG_T_FLOAT8)
		zone_add(zone, some_integer(col_type[col]));
	if (rnd(4) == 0)
		zone->count++;
}

/* What a row's filter is: 0 passes not, 1 passes, 2 raises an error */
static int
row_outcome(const GpuAggValue (*values)[ROWS], const uint8_t (*states)[ROWS], uint32_t row)
{
	static GpuAggValue reg[GPUAGG_MAX_REGS];
	static uint8_t st[GPUAGG_MAX_REGS];
	const uint16_t f = p.head.filter_reg;

	for (uint32_t c = 0; c < NCOLS; c++)
	{
		reg[c] = values[c][row];
		st[c] = states[c][row];
	}
	gpuagg_eval_constants(&p.head, reg, st);
	gpuagg_eval(&p.head, 0, p.head.filter_instrs, reg, st);
	return GPUAGG_ST_IS_ERROR(st[f]) ? 2 : st[f] == GPUAGG_ST_VALUE && reg[f].i != 0;
}

/*
 * Does a filter that is asked of one zone after the other say something else than one that is new?
 */
static bool
differs_when_used_again(const GpuAggZone *const *columns, GpuAggZone *zones)
{
	static GpuAggZoneFilter filter;
	bool		differs = false;

	gpuagg_zone_filter_init(&filter, &p.head);
	for (uint32_t i = 0; i < 4; i++)
	{
		static GpuAggValue values[ROWS];
		static uint8_t states[ROWS];
		const uint32_t c = rnd(NCOLS);

		differs |= gpuagg_zone_filter(&filter, columns) != verdict(columns);
		random_column(c, values, states);
		random_zone(c, values, states, &zones[c]);
	}
	return differs;
}

static void
test_random(void)
{
	uint32_t	verdicts[3] = {0};
	uint32_t	wrong = 0;
	uint32_t	differ = 0;

	for (uint32_t n = 0; n < PROGRAMS; n++)
	{
		static GpuAggValue values[NCOLS][ROWS];
		static uint8_t states[NCOLS][ROWS];
		static GpuAggZone zones[NCOLS];
		const GpuAggZone *columns[NCOLS];
		GpuAggVerdict v;

		program_init(&p);
		for (uint32_t c = 0; c < NCOLS; c++)
			program_attr(&p, col_type[c], true);
		random_constants();
		program_filter(&p, any_bool(3));
		for (uint32_t c = 0; c < NCOLS; c++)
		{
			random_column(c, values[c], states[c]);
			random_zone(c, values[c], states[c], &zones[c]);
			columns[c] = &zones[c];
		}
		v = verdict(columns);
		verdicts[v]++;
		for (uint32_t i = 0; v != GPUAGG_VERDICT_MAYBE && i < ROWS; i++)
			wrong += row_outcome(values, states, i) != (v == GPUAGG_VERDICT_ALL);
		differ += differs_when_used_again(columns, zones);
	}
	ok(differ == 0, "a filter says of each zone what it would say of it alone");
	ok(wrong == 0, "no row of random programs contradicts a verdict");
	ok(verdicts[GPUAGG_VERDICT_NONE] > PROGRAMS / 20 &&
		   verdicts[GPUAGG_VERDICT_ALL] > PROGRAMS / 20,
	   "and there are verdicts of both kinds");
	printf("# maybe %u, none %u, all %u, wrong %u\n", verdicts[0], verdicts[1], verdicts[2], wrong);
}

int
main(void)
{
	test_integers();
	test_lists();
	test_errors();
	test_branches();
	test_floats();
	test_random();
	return done_testing();
}
