/*
 * value_set_test.c
 *		Which values operators may answer (device/ops/value_set.h): of each operator, over
 *		random intervals, none may lie outside; and known cases of each rule.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "device/ops/eval.h"
#include "device/ops/value_set.h"
#include "device_support.h"
#include "tap.h"

#define ROUNDS 3000
#define VALUES 10
#define HOUR INT64_C(3600000000)
#define DAY INT64_C(86400000000)
#define TWENTIES (8766 * DAY)		/* 2024-01-01 */

static uint64_t seed = 42;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (seed >> 33) % n;
}

/* ---------- arguments ---------- */

typedef enum Domain
{
	INT2, INT4, INT8, SMALL, DATE, MOMENT, FLOAT, DOUBLE
} Domain;

static bool
begins(uint32_t op, const char *with)
{
	return strncmp(gpuagg_op_traits(op)->name, with, strlen(with)) == 0;
}

/* What an operator's argument is made for */
static Domain
domain_of(uint32_t op, uint32_t arg)
{
	const uint8_t rule = gpuagg_op_traits(op)->rule;

	if (gpuagg_op_traits(op)->classes[arg] == 'F')
		return begins(op, "FLOAT4_") ? FLOAT : DOUBLE;
	if (begins(op, "INT2_"))
		return INT2;
	if (begins(op, "INT4_"))
		return INT4;
	if (rule == GPUAGG_RULE_DATE_ENDS || op == GPUAGG_OP_DATE_EXTRACT)
		return arg == 0 || op == GPUAGG_OP_DATE_DIFF ? DATE : SMALL;
	if (begins(op, "TIMESTAMP_") || begins(op, "ZONE_") || op == GPUAGG_OP_DATE_BIN)
		return arg == 0 || op == GPUAGG_OP_TIMESTAMP_DIFF ? MOMENT : rnd(2) ? SMALL : INT8;
	return op == GPUAGG_OP_EPOCH_QUOTIENT && arg == 0 ? MOMENT : INT8;
}

static int64_t
some_bits(int64_t lowest, int64_t most)
{
	const int64_t edges[] = {lowest, lowest + 1, most, most - 1, 0, -1};

	return rnd(6) == 0 ? edges[rnd(6)] :
		rnd(2) ? (int64_t) rnd(2000) - 1000 :
		lowest + (int64_t) (((uint64_t) rnd(UINT32_MAX) << 32 | rnd(UINT32_MAX)) %
							((uint64_t) most - (uint64_t) lowest + 1 + (lowest == INT64_MIN)));
}

static int64_t
some_double(void)
{
	static const double edges[] = {
		-0.0, 0.0, 1e300, -1e300, 5e-324, 1e19, NAN, INFINITY, -INFINITY, DBL_MAX
	};
	const double d = rnd(8) == 0 ? edges[rnd(10)] : ((double) rnd(200000) - 100000) / (1 + rnd(64));

	return gpuagg_set_image(d);
}

/* Near each other for the most part, as values of a zone are */
static int64_t
some_value(Domain domain, int64_t near)
{
	switch (domain)
	{
		case INT2:
			return some_bits(INT16_MIN, INT16_MAX);
		case INT4:
			return some_bits(INT32_MIN, INT32_MAX);
		case INT8:
			return some_bits(INT64_MIN, INT64_MAX);
		case SMALL:
			return (int64_t) rnd(2000) - 1000;
		case DATE:
			return rnd(20) > 0 ? near / DAY + (int64_t) rnd(300) :
				rnd(3) == 0 ? GPUAGG_DATE_MIN + (int64_t) rnd(500) : rnd(2) ? INT32_MIN : INT32_MAX;
		case MOMENT:
			return rnd(20) > 0 ? near + (int64_t) rnd(UINT32_MAX) * (1 + rnd(4000)) :
				rnd(3) == 0 ? GPUAGG_TIMESTAMP_MIN + (int64_t) rnd(1000000) :
				rnd(2) ? INT64_MIN : INT64_MAX;
		case FLOAT:
			return gpuagg_set_image((float) gpuagg_f64_unorder(some_double()));
		default:
			return some_double();
	}
}

/* ---------- programs of one instruction ---------- */

typedef struct Zone
{
	GpuAggZoneHead head;
	GpuAggZoneSpan spans[2];
	uint16_t	index[4];
} Zone;

static const Zone zone = {
	{-60000 * DAY, 4 * TWENTIES, TWENTIES + 90 * DAY, 2, 1, 63, 0, 0, 0},
	{{TWENTIES + 90 * DAY, HOUR}, {4 * TWENTIES, 2 * HOUR}}, {0, 0, 0, 0}
};
static const int64_t bin[2] = {15 * HOUR, TWENTIES - 7};

static TestProgram p;

/* Columns of its arguments; of strings a table */
static void
program_of(uint32_t op, int32_t imm)
{
	const char *classes = gpuagg_op_traits(op)->classes;
	uint16_t	args[3] = {0, 0, 0};
	uint32_t	n = 0;

	program_init(&p);
	for (; classes[n] != '_'; n++)
		if (classes[n] != 'B')
			args[n] = program_attr(&p, classes[n] == 'F' ? GPUAGG_T_FLOAT8 : GPUAGG_T_INT8, true);
	for (uint32_t i = 0; i < n; i++)
		if (classes[i] == 'B')
			args[i] = op == GPUAGG_OP_DATE_BIN ? program_const_bytes(&p, bin, sizeof(bin)) :
				program_const_bytes(&p, &zone, sizeof(zone));
	p.instrs[0].imm = imm;
	(void) program_instr3(&p, op, classes[n + 1] == 'F' ? GPUAGG_CLASS_F64 : GPUAGG_CLASS_I64,
						  args[0], args[1], args[2]);
}

static GpuAggValueSet
result_of(const GpuAggProgram *program, const GpuAggValueSet *args)
{
	GpuAggValueSet sets[8];
	GpuAggSetLogic logic;

	gpuagg_set_logic_init(&logic);
	for (uint32_t i = 0; i < program->ncolumns; i++)
		sets[i] = args[i];
	for (uint32_t i = 0; i < program->nconsts; i++)
		sets[program->ncolumns + i] = (GpuAggValueSet) {GPUAGG_MAY_VALUE, INT64_MIN, INT64_MAX};
	return gpuagg_set_result(&logic, program, gpuagg_program_instrs(program), sets);
}

/* Is what the operator answers of these in the set? */
static bool
holds(const GpuAggProgram *program, const int64_t *values, const GpuAggValueSet *set)
{
	const uint8_t *classes = gpuagg_program_classes(program);
	const uint16_t dst = gpuagg_program_instrs(program)->dst;
	GpuAggValue reg[8];
	uint8_t		st[8] = {0};
	int64_t		v;

	gpuagg_eval_constants(program, reg, st);
	for (uint32_t i = 0; i < program->ncolumns; i++)
		if (classes[i] == GPUAGG_CLASS_F64)
			reg[i].f = gpuagg_f64_unorder(values[i]);
		else
			reg[i].i = values[i];
	gpuagg_eval(program, 0, 1, reg, st);
	if (GPUAGG_ST_IS_ERROR(st[dst]))
		return (set->may & GPUAGG_MAY_ERROR) != 0;
	if (st[dst] == GPUAGG_ST_NULL)
		return (set->may & GPUAGG_MAY_NULL) != 0;
	v = classes[dst] == GPUAGG_CLASS_F64 ? gpuagg_set_image(reg[dst].f) : reg[dst].i;
	return gpuagg_set_may_value(set) && v >= set->low && v <= set->high;
}

/* ---------- each operator ---------- */

static bool
is_tried(uint32_t op)
{
	const GpuAggOpTraits *traits = gpuagg_op_traits(op);

	return traits->strict && traits->classes[0] != 'B' && op != GPUAGG_OP_ENUM_ORDER &&
		op != GPUAGG_OP_LISTED_I64 && traits->takes != GPUAGG_TAKES_KEY &&
		traits->takes != GPUAGG_TAKES_COLUMN;
}

static int32_t
some_imm(uint32_t op)
{
	switch (gpuagg_op_traits(op)->takes)
	{
		case GPUAGG_TAKES_FIELD:
			return (int32_t) rnd(GPUAGG_FIELD_EPOCH + 1);
		case GPUAGG_TAKES_DIGITS:
			return (int32_t) rnd(GPUAGG_MAX_SCALE + 1);
		default:
			return 0;
	}
}

/* Random intervals: how many answers lie outside; *narrow: how many sets say something */
static uint32_t
try_operator(uint32_t op, uint32_t *narrow)
{
	uint32_t	wrong = 0;

	for (uint32_t round = 0; round < ROUNDS; round++)
	{
		GpuAggProgram *program;
		GpuAggValueSet args[3];
		GpuAggValueSet set;
		int64_t		values[3][VALUES];
		const int64_t near = ((int64_t) rnd(40000) - 10000) * DAY;

		program_of(op, some_imm(op));
		program = program_pack(&p);
		for (uint32_t i = 0; i < program->ncolumns; i++)
		{
			const Domain domain = domain_of(op, i);
			const bool	same = rnd(3) == 0;

			args[i] = (GpuAggValueSet) GPUAGG_SET_NOTHING;
			for (uint32_t k = 0; k < VALUES; k++)
			{
				values[i][k] = same && k > 0 ? values[i][0] : some_value(domain, near);
				gpuagg_set_add(&args[i], values[i][k]);
			}
		}
		set = result_of(program, args);
		*narrow += (set.may & GPUAGG_MAY_ERROR) == 0 &&
			(set.low > INT64_MIN || set.high < INT64_MAX);
		for (uint32_t k = 0; k < VALUES * VALUES; k++)
		{
			const int64_t row[3] = {
				values[0][k / VALUES], program->ncolumns > 1 ? values[1][k % VALUES] : 0, 0
			};

			wrong += !holds(program, row, &set);
		}
		free(program);
	}
	return wrong;
}

static void
test_operators(void)
{
	for (uint32_t op = 0; op < GPUAGG_NOPS; op++)
	{
		uint32_t	narrow = 0;
		uint32_t	wrong;
		char		name[128];

		if (!is_tried(op))
			continue;
		wrong = try_operator(op, &narrow);
		snprintf(name, sizeof(name), "%s: %u outside, %u of %d say something",
				 gpuagg_op_traits(op)->name, wrong, narrow, ROUNDS);
		ok(wrong == 0 &&
		   (narrow > ROUNDS / 50 || !gpuagg_rule_asks(gpuagg_op_traits(op)->rule)), name);
	}
}

/* ---------- known cases ---------- */

typedef struct Case
{
	const char *name;
	uint32_t	op;
	int32_t		imm;
	int64_t		a[2];
	int64_t		b[2];
	uint8_t		may;
	int64_t		low;
	int64_t		high;
} Case;

#define VALUE GPUAGG_MAY_VALUE
#define VALUE_OR_ERROR (GPUAGG_MAY_VALUE | GPUAGG_MAY_ERROR)
#define OP(name) GPUAGG_OP_##name
#define FIELD(name) GPUAGG_FIELD_##name

static const Case cases[] = {
	{"a sum", OP(INT4_ADD), 0, {1, 5}, {10, 20}, VALUE, 11, 25},
	{"a sum that may leave its type", OP(INT4_ADD), 0, {1, INT32_MAX}, {1, 1},
	VALUE_OR_ERROR, 2, INT32_MAX},
	{"a sum that must", OP(INT2_ADD), 0, {INT16_MAX, INT16_MAX}, {1, 2},
	GPUAGG_MAY_ERROR, INT64_MAX, INT64_MIN},
	{"a difference", OP(INT8_SUB), 0, {1, 5}, {10, 20}, VALUE, -19, -5},
	{"a product of either sign", OP(INT4_MUL), 0, {-3, 5}, {-7, 2}, VALUE, -35, 21},
	{"a quotient", OP(INT4_DIV), 0, {-7, 100}, {10, 10}, VALUE, 0, 10},
	{"a quotient by -1", OP(INT4_DIV), 0, {INT32_MIN, 5}, {-1, -1}, VALUE_OR_ERROR, -5, INT32_MAX},
	{"a quotient by what may be 0", OP(INT4_DIV), 0, {1, 100}, {0, 10}, VALUE_OR_ERROR, -100, 100},
	{"a remainder", OP(INT_MOD), 0, {0, 100}, {10, 10}, VALUE, 0, 9},
	{"a remainder between two multiples", OP(INT_MOD), 0, {42, 47}, {10, 10}, VALUE, 2, 7},
	{"a remainder of either sign", OP(INT_MOD), 0, {-3, 100}, {10, 10}, VALUE, -3, 9},
	{"bits of a mask", OP(INT_AND), 0, {-100, 100}, {15, 15}, VALUE, 0, 15},
	{"an amount", OP(INT4_ABS), 0, {-7, 3}, {0, 0}, VALUE, 0, 7},
	{"a narrower integer", OP(TO_INT2), 0, {5, 100000}, {0, 0}, VALUE_OR_ERROR, 5, INT16_MAX},
	{"the greater one", OP(I64_MAX), 0, {1, 50}, {10, 20}, VALUE, 10, 50},
	{"a decimal that is rounded", OP(DECIMAL_ROUND), 2, {149, 250}, {0, 0}, VALUE, 1, 3},
	{"days later", OP(DATE_ADD), 0, {100, 200}, {7, 7}, VALUE, 107, 207},
	{"days between", OP(DATE_DIFF), 0, {100, 200}, {50, 60}, VALUE, 40, 150},
	{"a month", OP(DATE_EXTRACT), FIELD(MONTH), {8766 + 31, 8766 + 80}, {0, 0}, VALUE, 2, 3},
	{"months of more than a year", OP(DATE_EXTRACT), FIELD(MONTH), {8766 + 31, 8766 + 400},
	{0, 0}, VALUE, 1, 12},
	{"hours of a day", OP(TIMESTAMP_EXTRACT), FIELD(HOUR),
	{TWENTIES + 3 * HOUR, TWENTIES + 5 * HOUR}, {0, 0}, VALUE, 3, 5},
	{"a decade", OP(DATE_EXTRACT), FIELD(DECADE), {8766, 8766 + 400}, {0, 0}, VALUE, 202, 202},
	{"a moment of what may be infinite", OP(TIMESTAMP_EXTRACT), FIELD(HOUR),
	{TWENTIES, INT64_MAX}, {0, 0}, VALUE_OR_ERROR, 0, 23},
	{"local time", OP(ZONE_LOCAL), 0, {TWENTIES, TWENTIES + HOUR}, {0, 0},
	VALUE, TWENTIES - DAY, TWENTIES + DAY + HOUR},
	{"local time that no table has", OP(ZONE_LOCAL), 0, {TWENTIES, 4 * TWENTIES}, {0, 0},
	VALUE_OR_ERROR, TWENTIES - DAY, 4 * TWENTIES + DAY},
	{"the month of what is local time of it", OP(ZONE_MONTH), 0,
	{TWENTIES + 15 * DAY, TWENTIES + 30 * DAY}, {0, 0}, VALUE, TWENTIES / DAY, TWENTIES / DAY + 31},
	{"the month of what no table has", OP(ZONE_MONTH), 0, {TWENTIES, 4 * TWENTIES}, {0, 0},
	VALUE_OR_ERROR, TWENTIES / DAY - 31, 4 * TWENTIES / DAY},
	{"the month of what may be infinite", OP(ZONE_MONTH), 0, {TWENTIES, INT64_MAX}, {0, 0},
	GPUAGG_MAY_NULL | VALUE_OR_ERROR, INT32_MIN, INT32_MAX},
	{"a bin", OP(DATE_BIN), 0, {TWENTIES, TWENTIES + 16 * HOUR}, {0, 0},
	VALUE, TWENTIES - 7, TWENTIES - 7 + 15 * HOUR},
	{"a bin before the origin", OP(DATE_BIN), 0, {TWENTIES - DAY, TWENTIES}, {0, 0}, VALUE_OR_ERROR,
	TWENTIES - 7 - 30 * HOUR, TWENTIES - 7},
	{"a month later, where days are cut to the last", OP(TIMESTAMP_ADD_MONTHS), 0,
	{TWENTIES + 29 * DAY + 12 * HOUR, TWENTIES + 30 * DAY + 10 * HOUR}, {1, 1}, VALUE,
	TWENTIES + 59 * DAY, TWENTIES + 60 * DAY - 1},
	{"five minutes of an epoch", OP(EPOCH_QUOTIENT), 0, {3000000000, 6000000000},
	{300, 300}, VALUE, 10, 20},
};

static void
test_cases(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		const Case *c = &cases[i];
		const GpuAggValueSet args[2] = {
			{GPUAGG_MAY_VALUE, c->a[0], c->a[1]}, {GPUAGG_MAY_VALUE, c->b[0], c->b[1]}
		};
		GpuAggProgram *program;
		GpuAggValueSet set;
		bool		good;

		program_of(c->op, c->imm);
		program = program_pack(&p);
		set = result_of(program, args);
		good = set.may == c->may && set.low == c->low && set.high == c->high;
		ok(good, c->name);
		if (!good)
			printf("# may %d, from %lld to %lld\n", set.may, (long long) set.low,
				   (long long) set.high);
		free(program);
	}
}

/* ---------- doubles, and moments cut in a zone ---------- */

static GpuAggValueSet
doubles(double low, double high)
{
	return (GpuAggValueSet) {GPUAGG_MAY_VALUE, gpuagg_set_image(low), gpuagg_set_image(high)};
}

static bool
is_doubles(const GpuAggValueSet *set, uint8_t may, double low, double high)
{
	return set->may == may && set->low == gpuagg_set_image(low) &&
		set->high == gpuagg_set_image(high);
}

/* Where NULL may come, too, nothing is known of the values. */
static void
double_is(const char *name, uint32_t op, double low, double high, double b, uint8_t may,
		  double want_low, double want_high)
{
	const GpuAggValueSet args[2] = {doubles(low, high), doubles(b, b)};
	GpuAggProgram *program;
	GpuAggValueSet set;

	program_of(op, 0);
	program = program_pack(&p);
	set = result_of(program, args);
	ok(is_doubles(&set, may, want_low, want_high) ||
	   (set.may == may && want_low > want_high && !gpuagg_set_is_bounded(&set)), name);
	free(program);
}

static void
test_doubles(void)
{
	const uint8_t open = VALUE_OR_ERROR | GPUAGG_MAY_NULL;

	double_is("a sum of doubles", OP(FLOAT8_ADD), -0.5, 1e10, 1, VALUE, 0.5, 1e10 + 1);
	double_is("with an infinity nothing is known", OP(FLOAT8_ADD), 1, INFINITY, 1, open, 1, 0);
	double_is("down to a whole number", OP(FLOAT_FLOOR), -0.5, 2.5, 0, VALUE, -1, 2);
	double_is("the other sign", OP(FLOAT_NEG), -0.5, 2.5, 0, VALUE, -2.5, 0.5);
	double_is("an amount of doubles", OP(FLOAT_ABS), -0.5, 2.5, 0, VALUE, 0, 2.5);
	double_is("a root", OP(FLOAT_SQRT), 4, 9, 0, VALUE, 2, 3);
	double_is("a root of what may be negative", OP(FLOAT_SQRT), -1, 9, 0, VALUE_OR_ERROR, 1, 0);
	double_is("a product of doubles", OP(FLOAT8_MUL), 1, 2, -3, VALUE, -6, -3);
	double_is("of what may be 0", OP(FLOAT8_MUL), 0, 2, 3, VALUE, 0, 6);
	double_is("by 0", OP(FLOAT8_MUL), -7, 2, 0, VALUE, 0, 0);
	double_is("of what may be too small", OP(FLOAT8_MUL), -2, 2, 0.5, VALUE_OR_ERROR, -1, 1);
	double_is("of what is", OP(FLOAT8_MUL), 1e-300, 1, 1e-300, VALUE_OR_ERROR, 0, 1e-300);
	double_is("a product may overflow", OP(FLOAT8_MUL), 1, 1e300, 1e300, VALUE_OR_ERROR, 1, 0);
	double_is("a product of floats", OP(FLOAT4_MUL), 1, 2, 3, VALUE, 3, 6);
	double_is("a quotient of doubles", OP(FLOAT8_DIV), -1, 2, -0.5, VALUE, -4, 2);
	double_is("a quotient of what may be too small", OP(FLOAT8_DIV), -1, 2, 2, VALUE_OR_ERROR,
			  -0.5, 1);
	double_is("a quotient by a small one", OP(FLOAT8_DIV), 1, 1e300, 1e-300, VALUE_OR_ERROR, 1, 0);
	double_is("a quotient by 0", OP(FLOAT8_DIV), 1, 2, -0.0, GPUAGG_MAY_ERROR, 1, 0);
}

/* ---------- for whoever has no program ---------- */

static void
test_alone(void)
{
	const GpuAggValueSet moment[2] = {
		{VALUE, TWENTIES + 59 * DAY, TWENTIES + 62 * DAY}, {VALUE, INT64_MIN, INT64_MAX}
	};
	const GpuAggValueSet numbers[2] = {{VALUE | GPUAGG_MAY_NULL, 3, 10}, {VALUE, 4, 4}};
	GpuAggValueSet set = gpuagg_set_operator(OP(INT8_SUB), 0, numbers);

	ok(set.may == numbers[0].may && set.low == -1 && set.high == 6, "an operator alone");
	set = gpuagg_set_operator(OP(COALESCE), 0, numbers);
	ok(set.may == VALUE && set.low == 3 && set.high == 10, "one that is not strict");
	set = gpuagg_set_operator(OP(TIMESTAMP_EXTRACT), FIELD(MONTH), moment);
	ok(set.may == VALUE && set.low == 2 && set.high == 3, "one of a field");
	set = gpuagg_set_operator(OP(ZONE_LOCAL), 0, moment);
	ok(set.may == VALUE_OR_ERROR && set.low == moment[0].low - DAY &&
	   set.high == moment[0].high + DAY, "local time of any zone");
	set = gpuagg_set_bins(&moment[0], DAY, TWENTIES - HOUR);
	ok(set.may == VALUE && set.low == TWENTIES + 59 * DAY - HOUR &&
	   set.high == TWENTIES + 62 * DAY - HOUR, "bins of a day");
	set = numbers[0];
	gpuagg_set_unite(&set, &(GpuAggValueSet) {GPUAGG_MAY_ERROR | VALUE, -5, 4});
	ok(set.may == (VALUE_OR_ERROR | GPUAGG_MAY_NULL) && set.low == -5 && set.high == 10,
	   "what either may be");
}

static void
test_rising(void)
{
	GpuAggValueSet some = doubles(-2.5, 1000);
	GpuAggValueSet set = gpuagg_set_rising(&some, round);

	ok(is_doubles(&set, VALUE, -3, 1000), "rounded");
	some.may |= GPUAGG_MAY_NULL;
	set = gpuagg_set_rising(&some, log);
	ok(set.may == (VALUE_OR_ERROR | GPUAGG_MAY_NULL) && !gpuagg_set_is_bounded(&set),
	   "a logarithm of what may be negative");
	some = doubles(1, 100);
	set = gpuagg_set_rising(&some, log10);
	ok(is_doubles(&set, VALUE, 0, 2), "a logarithm");
	some = (GpuAggValueSet) {GPUAGG_MAY_NULL, INT64_MAX, INT64_MIN};
	set = gpuagg_set_rising(&some, log);
	ok(set.may == GPUAGG_MAY_NULL, "of NULL");
}

static double
steps(int64_t low, int64_t high, double step)
{
	return gpuagg_set_steps(&(GpuAggValueSet) {VALUE, low, high}, GPUAGG_CLASS_I64, step);
}

static void
test_steps(void)
{
	const GpuAggValueSet some = doubles(-0.25, 1);
	const GpuAggValueSet wide = doubles(-DBL_MAX, DBL_MAX);
	const GpuAggValueSet none = GPUAGG_SET_NOTHING;

	ok(steps(-3, 3, 1) == 7, "numbers between two");
	ok(steps(INT64_MAX - 2, INT64_MAX - 1, 1) == 2, "of great ones");
	ok(steps(TWENTIES, TWENTIES + 366 * DAY, 30.436875 * (double) DAY) == 13,
	   "months, which are not equally long");
	ok(steps(INT64_MIN, 0, 1) == HUGE_VAL && steps(0, INT64_MAX, 1) == HUGE_VAL,
	   "an end that is not known");
	ok(steps(0, 5, 0) == HUGE_VAL, "no step");
	ok(gpuagg_set_steps(&some, GPUAGG_CLASS_F64, 0.25) == 6, "quarters between two doubles");
	ok(gpuagg_set_steps(&wide, GPUAGG_CLASS_F64, 1) == HUGE_VAL, "more than there are numbers of");
	ok(gpuagg_set_steps(&none, GPUAGG_CLASS_I64, 1) == 0, "none");
}

/* What comes before an operator may be NULL or fail, and its values are what they are. */
static void
test_states(void)
{
	const GpuAggValueSet args[2] = {
		{GPUAGG_MAY_VALUE | GPUAGG_MAY_NULL | GPUAGG_MAY_ERROR, 100, 200}, {GPUAGG_MAY_VALUE, 7, 7}
	};
	const GpuAggValueSet nulls[2] = {
		{GPUAGG_MAY_NULL, INT64_MAX, INT64_MIN}, {GPUAGG_MAY_VALUE, 7, 7}
	};
	GpuAggProgram *program;
	GpuAggValueSet set;

	program_of(OP(DATE_ADD), 0);
	program = program_pack(&p);
	set = result_of(program, args);
	ok(set.may == args[0].may && set.low == 107 && set.high == 207,
	   "of what may fail the values are known");
	set = result_of(program, nulls);
	ok(set.may == GPUAGG_MAY_NULL, "of NULL there is none");
	free(program);
}

/* date_trunc('hour', x) of a timestamptz, as lower_zone.c makes it */
static void
test_zoned_cut(void)
{
	GpuAggSetLogic logic;
	GpuAggValueSet sets[8];
	GpuAggProgram *program;
	uint16_t	moment;
	uint16_t	table;
	uint16_t	local;
	uint16_t	cut;
	uint16_t	key;

	program_init(&p);
	moment = program_attr(&p, GPUAGG_T_TIMESTAMPTZ, true);
	table = program_const_bytes(&p, &zone, sizeof(zone));
	local = program_instr(&p, OP(ZONE_LOCAL), GPUAGG_CLASS_I64, moment, table);
	key = program_instr(&p, OP(INT8_SUB), GPUAGG_CLASS_I64, local, moment);
	p.instrs[p.head.ninstrs].imm = FIELD(HOUR);
	cut = program_instr(&p, OP(TIMESTAMP_TRUNC), GPUAGG_CLASS_I64, local, 0);
	key = program_instr(&p, OP(INT8_SUB), GPUAGG_CLASS_I64, cut, key);
	program = program_pack(&p);
	gpuagg_set_logic_init(&logic);
	sets[moment] = (GpuAggValueSet) {GPUAGG_MAY_VALUE, TWENTIES, TWENTIES + DAY};
	sets[table] = (GpuAggValueSet) {GPUAGG_MAY_VALUE, INT64_MIN, INT64_MAX};
	for (uint32_t i = 0; i < program->ninstrs; i++)
	{
		const GpuAggInstr *ins = &gpuagg_program_instrs(program)[i];

		sets[ins->dst] = gpuagg_set_result(&logic, program, ins, sets);
	}
	ok(sets[key].may == VALUE && sets[key].low == TWENTIES - HOUR &&
	   sets[key].high == TWENTIES + DAY,
	   "an hour in a zone lies at most an hour before the moment");
	free(program);
}

int
main(void)
{
	test_operators();
	test_cases();
	test_doubles();
	test_alone();
	test_rising();
	test_steps();
	test_states();
	test_zoned_cut();
	return done_testing();
}
