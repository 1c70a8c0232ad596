/*
 * value_set.c
 *		Which values an instruction's result may have (value_set.h).
 *
 * Sums and their like are computed in 128 bits and cut to the operator's type, beyond which
 * lies an error.  What is monotone is asked of the operator itself, at the ends of its
 * arguments.  What is not strict has few kinds of arguments (a value that is true or false,
 * NULL, an error): each combination is given to the function of eval.h, so that there is
 * one truth.
 */
#include <float.h>
#include <stddef.h>

#include "device/ops/code_table.h"
#include "device/ops/value_rules.h"

typedef GpuAggValueSet Set;
__extension__ typedef __int128 Wide;

#define MAY_STRICT (GPUAGG_MAY_NULL | GPUAGG_MAY_ERROR)
#define KINDS GPUAGG_SET_KINDS

static const Set set_nothing = GPUAGG_SET_NOTHING;

void
gpuagg_set_unite(Set *s, const Set *other)
{
	s->may |= other->may;
	s->low = other->low < s->low ? other->low : s->low;
	s->high = other->high > s->high ? other->high : s->high;
}

/* What an operator answered */
static void
set_add_result(Set *s, int64_t v, uint8_t st)
{
	if (GPUAGG_ST_IS_ERROR(st))
		s->may |= GPUAGG_MAY_ERROR;
	else if (st == GPUAGG_ST_NULL)
		s->may |= GPUAGG_MAY_NULL;
	else
		gpuagg_set_add(s, v);
}

/* ---------- values of operators ---------- */

static Set
values_of(uint32_t op)
{
	switch ((GpuAggValues) gpuagg_op_traits(op)->values)
	{
		case GPUAGG_VALUES_BOOL:
			return (Set) {GPUAGG_MAY_VALUE, 0, 1};
		case GPUAGG_VALUES_INT2:
			return (Set) {GPUAGG_MAY_VALUE, INT16_MIN, INT16_MAX};
		case GPUAGG_VALUES_INT4:
			return (Set) {GPUAGG_MAY_VALUE, INT32_MIN, INT32_MAX};
		case GPUAGG_VALUES_LENGTH:
			return (Set) {GPUAGG_MAY_VALUE, 0, INT32_MAX};
		case GPUAGG_VALUES_TIME:
			return (Set) {GPUAGG_MAY_VALUE, 0, GPUAGG_USECS_PER_DAY - 1};
		case GPUAGG_VALUES_INT8:
		case GPUAGG_VALUES_ANY:
			break;
	}
	return (Set) {GPUAGG_MAY_VALUE, INT64_MIN, INT64_MAX};
}

void
gpuagg_set_add_values(Set *s, uint32_t op)
{
	const Set	all = values_of(op);

	gpuagg_set_unite(s, &all);
}

/* ---------- what is not strict ---------- */

static const uint8_t kind_states[KINDS] = {
	GPUAGG_ST_VALUE, GPUAGG_ST_VALUE, GPUAGG_ST_NULL, GPUAGG_ST_NEEDS_PG
};

/* Is the i-th of these in the set?  Then as an evaluated argument */
static bool
kind_of(const Set *s, int i, int64_t *v, uint8_t *st)
{
	*v = i == 1;
	*st = kind_states[i];
	return i == 0 ? gpuagg_set_may_false(s) : i == 1 ? gpuagg_set_may_true(s) :
		(s->may & (i == 2 ? GPUAGG_MAY_NULL : GPUAGG_MAY_ERROR)) != 0;
}

/* Which of these a set may be: a bit for each */
static uint32_t
kinds_of(const Set *s)
{
	return (gpuagg_set_may_false(s) ? 1 : 0) | (gpuagg_set_may_true(s) ? 2 : 0) |
		(s->may & GPUAGG_MAY_NULL ? 4 : 0) | (s->may & GPUAGG_MAY_ERROR ? 8 : 0);
}

/* The bit of an answer */
static uint8_t
kind_bit(int64_t v, uint8_t st)
{
	return GPUAGG_ST_IS_ERROR(st) ? 8 : st == GPUAGG_ST_NULL ? 4 : v != 0 ? 2 : 1;
}

/* What AND or OR says of each kind with any of so many others */
static void
logic_fill(uint32_t rule, uint8_t logic[KINDS][1 << KINDS])
{
	for (int i = 0; i < KINDS; i++)
	{
		logic[i][0] = 0;
		for (int k = 0; k < KINDS; k++)
		{
			uint8_t		st;
			const int64_t v = rule == GPUAGG_RULE_AND ?
				gpuagg_eval_and(i == 1, kind_states[i], k == 1, kind_states[k], &st) :
				gpuagg_eval_or(i == 1, kind_states[i], k == 1, kind_states[k], &st);

			for (int others = 0; others < 1 << k; others++)
				logic[i][others | 1 << k] = logic[i][others] | kind_bit(v, st);
		}
	}
}

void
gpuagg_set_logic_init(GpuAggSetLogic *logic)
{
	logic_fill(GPUAGG_RULE_AND, logic->of_and);
	logic_fill(GPUAGG_RULE_OR, logic->of_or);
}

static Set
set_and_or(const uint8_t logic[KINDS][1 << KINDS], const Set *a, const Set *b)
{
	const uint32_t left = kinds_of(a);
	const uint32_t right = kinds_of(b);
	uint32_t	kinds = 0;
	Set			result = set_nothing;

	for (int i = 0; i < KINDS; i++)
		if (left & 1u << i)
			kinds |= logic[i][right];
	result.may = (uint8_t) ((kinds & 3 ? GPUAGG_MAY_VALUE : 0) | (kinds & 4 ? GPUAGG_MAY_NULL : 0) |
							(kinds & 8 ? GPUAGG_MAY_ERROR : 0));
	if (kinds & 3)
	{
		result.low = kinds & 1 ? 0 : 1;
		result.high = kinds & 2 ? 1 : 0;
	}
	return result;
}

/* IS NULL and its kin; of values other than booleans, too */
static Set
set_test(uint32_t op, const Set *a)
{
	Set			result = set_nothing;
	int64_t		v;
	uint8_t		st;

	for (int i = 0; i < KINDS; i++)
		if (kind_of(a, i, &v, &st))
		{
			v = gpuagg_eval_test(op, v, st, &st);
			set_add_result(&result, v, st);
		}
	return result;
}

static Set
set_distinct(const Set *a, const Set *b, const Set *c)
{
	Set			result = {GPUAGG_MAY_VALUE, 0, 1};

	result.may |= (a->may | b->may | c->may) & GPUAGG_MAY_ERROR;
	return result;
}

static Set
set_select(const Set *a, const Set *b, const Set *c)
{
	Set			result = set_nothing;

	result.may = a->may & GPUAGG_MAY_ERROR;
	if (gpuagg_set_may_true(a))
		gpuagg_set_unite(&result, b);
	if (gpuagg_set_may_false(a) || (a->may & GPUAGG_MAY_NULL))
		gpuagg_set_unite(&result, c);
	return result;
}

static Set
set_coalesce(const Set *a, const Set *b)
{
	Set			result = *a;

	result.may &= (uint8_t) ~GPUAGG_MAY_NULL;
	if (a->may & GPUAGG_MAY_NULL)
		gpuagg_set_unite(&result, b);
	return result;
}

static Set
set_null_if(const Set *a, const Set *b)
{
	Set			result = *a;

	result.may |= b->may & GPUAGG_MAY_ERROR;
	if (gpuagg_set_may_true(b))
		result.may |= GPUAGG_MAY_NULL;
	return result;
}

/* Is a member within the interval? */
static bool
list_meets(const GpuAggConst *list, const GpuAggInstr *ins, bool doubles, const Set *a)
{
	for (int32_t i = 0; i < ins->imm2; i++)
	{
		const int64_t v = doubles ? gpuagg_set_image(list[i].v.f) : list[i].v.i;

		if (v >= a->low && v <= a->high)
			return true;
	}
	return false;
}

static Set
set_in(const GpuAggProgram *p, const GpuAggInstr *ins, const Set *a)
{
	const GpuAggConst *list = gpuagg_program_consts(p) + ins->imm;
	const uint32_t cls = gpuagg_program_classes(p)[ins->a];
	const bool	bytes = cls == GPUAGG_CLASS_BYTES;
	const bool	meets = bytes || list_meets(list, ins, cls == GPUAGG_CLASS_F64, a);
	const bool	surely = meets && !bytes && a->low == a->high;
	const Set	found = {a->may, surely, meets};
	Set			result = set_nothing;
	int64_t		v;
	uint8_t		st;

	for (int i = 0; i < KINDS; i++)
		if (kind_of(&found, i, &v, &st))
		{
			v = gpuagg_eval_in(v != 0, st, ins, &st);
			set_add_result(&result, v, st);
		}
	return result;
}

/* ---------- comparisons ---------- */

/* Orders of two values that a comparison accepts */
#define LESS 1
#define EQUAL 2
#define MORE 4

static void
set_compare(uint32_t rule, const Set *a, const Set *b, Set *result)
{
	static const uint8_t accepted[] = {
		EQUAL, LESS | MORE, LESS, LESS | EQUAL, MORE, MORE | EQUAL
	};
	const uint32_t accepts = accepted[rule - GPUAGG_RULE_EQ];
	const uint32_t orders = (a->low < b->high ? LESS : 0) |
		(a->low <= b->high && b->low <= a->high ? EQUAL : 0) |
		(a->high > b->low ? MORE : 0);

	if (orders & accepts)
		gpuagg_set_add(result, 1);
	if (orders & ~accepts)
		gpuagg_set_add(result, 0);
}

/* ---------- integers ---------- */

/* What the operator's type has of [low, high]; an error if that is not all */
static void
set_add_wide(Set *s, Wide low, Wide high, uint32_t op)
{
	const Set	all = values_of(op);

	if (low < all.low || high > all.high)
		s->may |= GPUAGG_MAY_ERROR;
	if (low <= all.high && high >= all.low)
	{
		gpuagg_set_add(s, low < all.low ? all.low : (int64_t) low);
		gpuagg_set_add(s, high > all.high ? all.high : (int64_t) high);
	}
}

static Wide
size_of(const Set *s)
{
	const Wide	low = -(Wide) s->low;

	return low > s->high ? low : s->high;
}

/* What lies between the products or quotients of the ends; of quotients by no 0 */
static void
set_corners(const GpuAggInstr *ins, bool quotients, const Set *a, const Set *b, Set *result)
{
	const Wide	left[] = {a->low, a->high};
	const Wide	right[] = {b->low, b->high};
	Wide		low = quotients ? left[0] / right[0] : left[0] * right[0];
	Wide		high = low;

	for (int i = 1; i < 4; i++)
	{
		const Wide	v = quotients ? left[i / 2] / right[i % 2] : left[i / 2] * right[i % 2];

		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	set_add_wide(result, low, high, ins->op);
}

static bool
has_zero(const Set *s)
{
	return s->low <= 0 && s->high >= 0;
}

static void
set_quotient(const GpuAggInstr *ins, const Set *a, const Set *b, Set *result)
{
	if (!has_zero(b))
	{
		set_corners(ins, true, a, b, result);
		return;
	}
	result->may |= GPUAGG_MAY_ERROR;
	if (b->low < b->high)
		set_add_wide(result, -size_of(a), size_of(a), ins->op);
}

/* x % y is smaller than y, and has the sign of x; within a multiple of y it rises. */
static void
set_remainder(const GpuAggInstr *ins, const Set *a, const Set *b, Set *result)
{
	const Wide	most = size_of(b) - 1;

	if (has_zero(b))
		result->may |= GPUAGG_MAY_ERROR;
	if (most < 0)
		return;
	if (!has_zero(b) && b->low == b->high && (Wide) a->low / b->low == (Wide) a->high / b->low)
		set_add_wide(result, (Wide) a->low % b->low, (Wide) a->high % b->low, ins->op);
	else
		set_add_wide(result, a->low >= 0 ? 0 : a->low > -most ? a->low : -most,
					 a->high <= 0 ? 0 : a->high < most ? a->high : most, ins->op);
}

/* Bits that are not negative make no number that is greater. */
static void
set_mask(const Set *a, const Set *b, Set *result)
{
	if (a->low < 0 && b->low < 0)
	{
		gpuagg_set_add_any(result);
		return;
	}
	gpuagg_set_add(result, 0);
	gpuagg_set_add(result, a->low < 0 || (b->low >= 0 && b->high < a->high) ? b->high : a->high);
}

static void
set_integer(const GpuAggInstr *ins, const Set *const *args, Set *result)
{
	const Set  *a = args[0];
	const Set  *b = args[1];

	switch (gpuagg_op_traits(ins->op)->rule)
	{
		case GPUAGG_RULE_SAME:
			set_add_wide(result, a->low, a->high, ins->op);
			break;
		case GPUAGG_RULE_SUM:
			set_add_wide(result, (Wide) a->low + b->low, (Wide) a->high + b->high, ins->op);
			break;
		case GPUAGG_RULE_DIFFERENCE:
			set_add_wide(result, (Wide) a->low - b->high, (Wide) a->high - b->low, ins->op);
			break;
		case GPUAGG_RULE_PRODUCT:
			set_corners(ins, false, a, b, result);
			break;
		case GPUAGG_RULE_QUOTIENT:
			set_quotient(ins, a, b, result);
			break;
		case GPUAGG_RULE_REMAINDER:
			set_remainder(ins, a, b, result);
			break;
		default:
			set_mask(a, b, result);
			break;
	}
}

/* ---------- what is monotone ---------- */

/* As a register holds it */
static GpuAggValue
value_of(char cls, int64_t v)
{
	GpuAggValue value = {.i = v};

	if (cls == 'F')
		value.f = gpuagg_f64_unorder(v);
	return value;
}

/* An operator alone: its arguments are the first registers, its result is behind them. */
typedef struct Alone
{
	GpuAggProgram head;
	GpuAggInstr instr;
	const char *classes;
	uint32_t	nargs;
} Alone;

#define RESULT 3

static void
alone_init(Alone *alone, const GpuAggInstr *ins)
{
	uint16_t	args[3];

	alone->instr = *ins;
	alone->instr.a = 0;
	alone->instr.b = 1;
	alone->instr.c = 2;
	alone->instr.dst = RESULT;
	/* the interpreter asks the program for no more */
	alone->head.instrs_off = offsetof(Alone, instr);
	alone->classes = gpuagg_op_traits(ins->op)->classes;
	alone->nargs = gpuagg_instr_args(ins, args);
}

static int64_t
alone_apply(const Alone *alone, const int64_t *values, uint8_t *st)
{
	GpuAggValue reg[RESULT + 1];
	uint8_t		states[RESULT + 1] = {0};

	for (uint32_t i = 0; i < alone->nargs; i++)
		reg[i] = value_of(alone->classes[i], values[i]);
	gpuagg_eval(&alone->head, 0, 1, reg, states);
	*st = states[RESULT];
	return alone->classes[alone->nargs + 1] == 'F' ? gpuagg_set_image(reg[RESULT].f) :
		reg[RESULT].i;
}

int64_t
gpuagg_set_apply(const GpuAggInstr *ins, const int64_t *values, uint8_t *st)
{
	Alone		alone;

	alone_init(&alone, ins);
	return alone_apply(&alone, values, st);
}

/* The ends of an interval, their neighbours, and perhaps 0, as far as they are there */
static uint32_t
points_of(const Set *s, bool zero, int64_t *points)
{
	uint32_t	n = 0;

	points[n++] = s->low;
	if (s->low < s->high)
		points[n++] = s->high;
	if (s->low < s->high && s->low + 1 < s->high)
	{
		points[n++] = s->low + 1;
		points[n++] = s->high - 1;
	}
	if (zero && s->low < 0 && s->high > 0)
		points[n++] = 0;
	return n;
}

void
gpuagg_set_ends(const GpuAggInstr *ins, const Set *const *args, bool zero, Set *result)
{
	int64_t		points[2][5];
	const uint32_t n = points_of(args[0], zero, points[0]);
	uint32_t	others = 1;
	Alone		alone;
	Set			ends = set_nothing;

	alone_init(&alone, ins);
	if (alone.nargs > 1)
		others = points_of(args[1], zero, points[1]);

	for (uint32_t i = 0; i < n * others; i++)
	{
		const int64_t values[2] = {
			points[0][i / others], alone.nargs > 1 ? points[1][i % others] : 0
		};
		uint8_t		st;
		const int64_t v = alone_apply(&alone, values, &st);

		set_add_result(&ends, v, st);
	}
	/* one of its own: what lies before it is not known */
	if (ends.may & GPUAGG_MAY_ERROR)
		gpuagg_set_add_values(&ends, ins->op);
	gpuagg_set_unite(result, &ends);
}

static bool
lies_between(const Set *s, int64_t low, int64_t high)
{
	return s->low >= low && s->high <= high;
}

/* Is the rule made for such an argument? */
static bool
is_made_for(uint8_t rule, uint32_t arg, const Set *s)
{
	switch (rule)
	{
		case GPUAGG_RULE_DATE_ENDS:
			return lies_between(s, INT32_MIN, INT32_MAX);
		case GPUAGG_RULE_MOMENT_ENDS:
			return arg > 0 || lies_between(s, GPUAGG_TIMESTAMP_MIN, GPUAGG_TIMESTAMP_END - 1);
		case GPUAGG_RULE_FLOAT_ENDS:
		case GPUAGG_RULE_FLOAT_TURNS:
		case GPUAGG_RULE_FLOAT_PRODUCT:
		case GPUAGG_RULE_FLOAT_QUOTIENT:
			return lies_between(s, gpuagg_set_image(-DBL_MAX), gpuagg_set_image(DBL_MAX));
		default:
			return true;
	}
}

static void
set_monotone(const GpuAggInstr *ins, const Set *const *args, Set *result)
{
	const uint8_t rule = gpuagg_op_traits(ins->op)->rule;
	uint16_t	regs[3];
	const uint32_t n = gpuagg_instr_args(ins, regs);
	bool		all = true;

	for (uint32_t i = 0; i < n; i++)
		all &= is_made_for(rule, i, args[i]);
	if (!all)
	{
		result->may |= MAY_STRICT;
		gpuagg_set_add_values(result, ins->op);
	}
	else if (rule == GPUAGG_RULE_FLOAT_PRODUCT || rule == GPUAGG_RULE_FLOAT_QUOTIENT)
		gpuagg_set_float_corners(ins, rule == GPUAGG_RULE_FLOAT_QUOTIENT, args, result);
	else
		gpuagg_set_ends(ins, args, rule == GPUAGG_RULE_TURNS || rule == GPUAGG_RULE_FLOAT_TURNS,
						result);
}

/* ---------- instructions ---------- */

/* Of arguments that all may be values */
static void
set_values(const GpuAggProgram *p, const GpuAggInstr *ins, const Set *const *args, const Set *sets,
		   Set *result)
{
	const uint8_t rule = gpuagg_op_traits(ins->op)->rule;
	const GpuAggLookupColumn *table = rule == GPUAGG_RULE_OPEN ? gpuagg_code_table_read(p, ins) :
		NULL;

	if (table != NULL)
	{
		result->may |= table->nulls != 0 ? GPUAGG_MAY_NULL : 0;
		if (gpuagg_op_traits(ins->op)->values == GPUAGG_VALUES_ANY)
			gpuagg_set_add_values(result, ins->op);
		else
		{
			gpuagg_set_add(result, table->low);
			gpuagg_set_add(result, table->high);
		}
	}
	else if (rule == GPUAGG_RULE_OPEN || rule == GPUAGG_RULE_SAFE)
	{
		result->may |= rule == GPUAGG_RULE_OPEN ? MAY_STRICT : 0;
		gpuagg_set_add_values(result, ins->op);
	}
	else if (rule == GPUAGG_RULE_NOT || rule == GPUAGG_RULE_TRUTH)
	{
		if (gpuagg_set_may_true(args[0]))
			gpuagg_set_add(result, rule == GPUAGG_RULE_TRUTH);
		if (gpuagg_set_may_false(args[0]))
			gpuagg_set_add(result, rule == GPUAGG_RULE_NOT);
	}
	else if (rule >= GPUAGG_RULE_MONTHS ||
			 (rule == GPUAGG_RULE_DIFFERENCE && gpuagg_zoned_cut(p, ins, NULL) != NULL))
		gpuagg_set_moment(p, ins, args, sets, result);
	else if (rule >= GPUAGG_RULE_ENDS)
		set_monotone(ins, args, result);
	else if (rule >= GPUAGG_RULE_SAME)
		set_integer(ins, args, result);
	else
		set_compare(rule, args[0], args[1], result);
}

static Set
set_strict(const GpuAggProgram *p, const GpuAggInstr *ins, const Set *sets)
{
	const Set  *args[3];
	uint16_t	regs[3];
	const uint32_t n = gpuagg_instr_args(ins, regs);
	Set			result = set_nothing;
	bool		called = true;

	for (uint32_t i = 0; i < n; i++)
	{
		args[i] = &sets[regs[i]];
		result.may |= args[i]->may & MAY_STRICT;
		called &= gpuagg_set_may_value(args[i]);
	}
	if (called)
		set_values(p, ins, args, sets, &result);
	return result;
}

#define REG(arg) (&sets[ins->arg])

Set
gpuagg_set_result(const GpuAggSetLogic *logic, const GpuAggProgram *p, const GpuAggInstr *ins,
				  const Set *sets)
{
	switch (gpuagg_op_traits(ins->op)->rule)
	{
		case GPUAGG_RULE_AND:
			return set_and_or(logic->of_and, REG(a), REG(b));
		case GPUAGG_RULE_OR:
			return set_and_or(logic->of_or, REG(a), REG(b));
		case GPUAGG_RULE_SELECT:
			return set_select(REG(a), REG(b), REG(c));
		case GPUAGG_RULE_COALESCE:
			return set_coalesce(REG(a), REG(b));
		case GPUAGG_RULE_NULL_IF:
			return set_null_if(REG(a), REG(b));
		case GPUAGG_RULE_DISTINCT:
			return set_distinct(REG(a), REG(b), REG(c));
		case GPUAGG_RULE_LIST:
			return set_in(p, ins, REG(a));
		case GPUAGG_RULE_NULL_TEST:
		case GPUAGG_RULE_TEST:
			return set_test(ins->op, REG(a));
		default:
			return set_strict(p, ins, sets);
	}
}

Set
gpuagg_set_operator(uint32_t op, int32_t imm, const Set *args)
{
	const GpuAggInstr ins = {.op = op,.imm = imm};
	Alone		alone;

	alone_init(&alone, &ins);
	/* no constant is asked for, and nothing has made an argument */
	alone.head.ncolumns = RESULT;
	alone.head.nconsts = 0;
	return gpuagg_set_result(NULL, &alone.head, &alone.instr, args);
}

Set
gpuagg_set_constant(const GpuAggConst *c, uint32_t cls)
{
	Set			s = set_nothing;

	if (c->state != GPUAGG_ST_VALUE)
		s.may = GPUAGG_MAY_NULL;
	else if (cls == GPUAGG_CLASS_BYTES)
		gpuagg_set_add_any(&s);
	else
		gpuagg_set_add(&s, cls == GPUAGG_CLASS_F64 ? gpuagg_set_image(c->v.f) : c->v.i);
	return s;
}
