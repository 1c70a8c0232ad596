/*
 * filter_order_test.c
 *		The order of a filter's conditions: known cases, and random filters, which pass
 *		the same rows in any order.
 */
#include <stdio.h>

#include "device/ops/eval.h"
#include "device/ops/filter_order.h"
#include "device_support.h"
#include "tap.h"

#define COLUMNS 8
#define PROGRAMS 20000
#define ROWS 16

static TestProgram p;
static uint16_t columns[COLUMNS];
static uint16_t bound;
static uint64_t seed = 7;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (seed >> 33) % n;
}

/* ---------- filters ---------- */

static void
start(void)
{
	program_init(&p);
	for (int i = 0; i < COLUMNS; i++)
		columns[i] = program_attr(&p, GPUAGG_T_INT4, true);
	bound = program_const_i64(&p, GPUAGG_T_INT4, 0);
}

/* A condition on column i, of an instruction that nothing else needs before it */
static uint16_t
condition(int i)
{
	const uint16_t sum = program_instr(&p, GPUAGG_OP_I64_MAX, GPUAGG_CLASS_I64, columns[i],
									   columns[i]);

	return program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, sum, bound);
}

static uint16_t
and_of(uint16_t a, uint16_t b)
{
	return program_instr(&p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, a, b);
}

static const GpuAggInstr *
instr_of(uint16_t reg)
{
	for (uint32_t i = 0; i < p.head.ninstrs; i++)
		if (p.instrs[i].dst == reg)
			return &p.instrs[i];
	return NULL;
}

/* The conditions as the filter has them, first one first; how many */
static uint32_t
conditions(uint16_t *found)
{
	uint16_t	back[GPUAGG_MAX_REGS];
	uint16_t	reg = p.head.filter_reg;
	uint32_t	n = 0;

	while (instr_of(reg)->op == GPUAGG_OP_AND)
	{
		back[n++] = instr_of(reg)->b;
		reg = instr_of(reg)->a;
	}
	back[n++] = reg;
	for (uint32_t i = 0; i < n; i++)
		found[i] = back[n - 1 - i];
	return n;
}

static void
order_is(const uint16_t *want, uint32_t n, const char *name)
{
	uint16_t	found[GPUAGG_MAX_REGS];

	ok(conditions(found) == n && memcmp(found, want, n * sizeof(*want)) == 0, name);
}

/* Is each register computed once, and before it is read?  And the filter by its end? */
static bool
is_sound(void)
{
	bool		known[GPUAGG_MAX_REGS] = {false};

	for (uint32_t i = 0; i < (uint32_t) p.head.ncolumns + p.head.nconsts; i++)
		known[i] = true;
	for (uint32_t i = 0; i < p.head.ninstrs; i++)
	{
		const GpuAggInstr *ins = &p.instrs[i];

		if (known[ins->dst] || !known[ins->a] || !known[ins->b])
			return false;
		known[ins->dst] = true;
		if (i + 1 == p.head.filter_instrs && !known[p.head.filter_reg])
			return false;
	}
	return true;
}

/* ---------- known cases ---------- */

static void
test_order(void)
{
	uint16_t	c[4];
	uint16_t	all;

	start();
	for (int i = 0; i < 4; i++)
		c[i] = condition(i);
	all = and_of(and_of(and_of(c[0], c[1]), c[2]), c[3]);
	program_filter(&p, all);
	gpuagg_filter_order(&p.head, (uint16_t[]) {c[3], c[1], c[0], c[2]}, 4);
	order_is((uint16_t[]){c[3], c[1], c[0], c[2]}, 4,
			 "four conditions in the order that is asked for");
	ok(p.head.filter_reg == all && p.head.filter_instrs == 11, "the filter's register is the same");
	ok(is_sound(), "instructions stand behind what they read");
	ok(p.instrs[1].dst == c[3] && p.instrs[3].dst == c[1] && p.instrs[4].op == GPUAGG_OP_AND,
	   "a condition's instructions stand before its AND, no later one's before them");
	gpuagg_filter_order(&p.head, (uint16_t[]) {c[0], c[1], c[2], c[3]}, 4);
	order_is(c, 4, "and back");
}

static void
test_bounds(void)
{
	uint16_t	c[4];
	uint16_t	two;

	start();
	for (int i = 0; i < 4; i++)
		c[i] = condition(i);
	program_filter(&p, and_of(and_of(and_of(c[0], c[1]), c[2]), c[3]));
	gpuagg_filter_order(&p.head, (uint16_t[]) {c[3], c[1], c[0]}, 3);
	order_is((uint16_t[]) {c[1], c[0], c[2], c[3]}, 4, "nothing passes by a condition that stays");

	start();
	for (int i = 0; i < 3; i++)
		c[i] = condition(i);
	two = and_of(c[0], c[1]);
	program_filter(&p, and_of(two, c[2]));
	program_trans(&p, GPUAGG_TRANS_COUNT, GPUAGG_NO_REG, two, 0);
	gpuagg_filter_order(&p.head, (uint16_t[]) {c[2], c[1], c[0]}, 3);
	order_is((uint16_t[]) {c[1], c[0], c[2]}, 3, "what somebody else reads stays what it is");

	start();
	c[0] = condition(0);
	program_filter(&p, c[0]);
	gpuagg_filter_order(&p.head, c, 1);
	order_is(c, 1, "a lone condition");
	start();
	(void) condition(0);
	gpuagg_filter_order(&p.head, c, 1);
	ok(p.head.filter_reg == GPUAGG_NO_REG, "no filter");
}

/* ---------- random filters ---------- */

static GpuAggValue reg[GPUAGG_MAX_REGS];
static uint8_t st[GPUAGG_MAX_REGS];

/* Which of the rows pass, by bits; columns that may not be NULL are the movable ones' */
static uint32_t
passing(uint64_t rows, const bool *nullable)
{
	const uint64_t saved = seed;
	uint32_t	bits = 0;

	seed = rows;
	for (uint32_t row = 0; row < ROWS; row++)
	{
		for (int i = 0; i < COLUMNS; i++)
		{
			st[i] = nullable[i] && rnd(3) == 0 ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
			reg[i].i = (int64_t) rnd(7) - 1;
		}
		gpuagg_eval_constants(&p.head, reg, st);
		gpuagg_eval(&p.head, 0, p.head.filter_instrs, reg, st);
		if (st[p.head.filter_reg] == GPUAGG_ST_VALUE && reg[p.head.filter_reg].i)
			bits |= UINT32_C(1) << row;
	}
	seed = saved;
	return bits;
}

/* Neighbours that may change places stand as they were asked for. */
static bool
is_ordered(const uint16_t *tests, uint32_t ntests)
{
	uint16_t	found[GPUAGG_MAX_REGS];
	const uint32_t n = conditions(found);
	uint32_t	last = 0;
	bool		movable = false;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	at = 0;

		while (at < ntests && tests[at] != found[i])
			at++;
		if (at < ntests && movable && at < last)
			return false;
		movable = at < ntests;
		last = at;
	}
	return true;
}

static void
random_filter(bool *nullable, uint16_t *tests, uint32_t *ntests)
{
	const int	n = 2 + (int) rnd(COLUMNS - 1);
	uint16_t	filter = GPUAGG_NO_REG;

	start();
	*ntests = 0;
	for (int i = 0; i < n; i++)
	{
		const uint16_t c = condition(i);

		nullable[i] = rnd(4) == 0;
		if (!nullable[i])
			tests[(*ntests)++] = c;
		filter = i == 0 ? c : and_of(filter, c);
	}
	program_filter(&p, filter);
	for (uint32_t i = *ntests; i > 1; i--)
	{
		const uint32_t j = rnd(i);
		const uint16_t swapped = tests[i - 1];

		tests[i - 1] = tests[j];
		tests[j] = swapped;
	}
}

static void
test_random(void)
{
	uint32_t	unsound = 0;
	uint32_t	unordered = 0;
	uint32_t	different = 0;

	for (uint32_t k = 0; k < PROGRAMS; k++)
	{
		bool		nullable[COLUMNS] = {false};
		uint16_t	tests[COLUMNS];
		uint32_t	n;
		uint32_t	before;

		random_filter(nullable, tests, &n);
		before = passing(k, nullable);
		gpuagg_filter_order(&p.head, tests, n);
		unsound += !is_sound();
		unordered += !is_ordered(tests, n);
		different += passing(k, nullable) != before;
	}
	is_int(unsound, 0, "random filters: instructions stand behind what they read");
	is_int(unordered, 0, "random filters: conditions stand as they were asked for");
	is_int(different, 0, "random filters: the same rows pass");
}

int
main(void)
{
	test_order();
	test_bounds();
	test_random();
	return done_testing();
}
