/*
 * zone_filter.c
 *		What a program's filter says of all rows of a zone (zone_filter.h).
 *
 * Comparisons, and what is monotone, follow intervals.  What is not strict has
 * few kinds of arguments (a value that is true or false, NULL, an error): each
 * combination is given to the function of eval.h, so that there is one truth.
 * Of all other instructions only their states are known.
 *
 * Zones after each other are often alike in what the filter asks: a key that is looked up
 * lies anywhere, a column of few values between the same two.  Then the verdict is the same.
 */
#include "device/ops/eval.h"
#include "device/ops/zone_filter.h"
#include "device/transition.h"

typedef GpuAggRegisterSet Set;

#define MAY_STRICT (GPUAGG_MAY_NULL | GPUAGG_MAY_ERROR)

static const Set set_nothing = {0, INT64_MAX, INT64_MIN};

static bool
may_value(const Set *s)
{
	return (s->may & GPUAGG_MAY_VALUE) != 0;
}

static bool
may_true(const Set *s)
{
	return may_value(s) && (s->low != 0 || s->high != 0);
}

static bool
may_false(const Set *s)
{
	return may_value(s) && s->low <= 0 && s->high >= 0;
}

static void
set_add(Set *s, int64_t v)
{
	s->may |= GPUAGG_MAY_VALUE;
	s->low = v < s->low ? v : s->low;
	s->high = v > s->high ? v : s->high;
}

static void
set_add_any(Set *s)
{
	set_add(s, INT64_MIN);
	set_add(s, INT64_MAX);
}

static void
set_unite(Set *s, const Set *other)
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
		set_add(s, v);
}

/* Doubles in PostgreSQL's order: -0 and 0 are the same */
static int64_t
f64_image(double d)
{
	return gpuagg_f64_order(d == 0 ? 0.0 : d);
}

static int64_t
f64_zone_image(int64_t order)
{
	return f64_image(gpuagg_f64_unorder(order));
}

/* ---------- what is not strict ---------- */

/* What a boolean may be, or anything of which only the state matters */
#define KINDS GPUAGG_ZONE_KINDS

static const uint8_t kind_states[KINDS] = {
	GPUAGG_ST_VALUE, GPUAGG_ST_VALUE, GPUAGG_ST_NULL, GPUAGG_ST_NEEDS_PG
};

/* Is the i-th of these in the set?  Then as an evaluated argument */
static bool
kind_of(const Set *s, int i, int64_t *v, uint8_t *st)
{
	*v = i == 1;
	*st = kind_states[i];
	return i == 0 ? may_false(s) : i == 1 ? may_true(s) :
		(s->may & (i == 2 ? GPUAGG_MAY_NULL : GPUAGG_MAY_ERROR)) != 0;
}

/* Which of these a set may be: a bit for each */
static uint32_t
kinds_of(const Set *s)
{
	return (may_false(s) ? 1 : 0) | (may_true(s) ? 2 : 0) |
		(s->may & GPUAGG_MAY_NULL ? 4 : 0) | (s->may & GPUAGG_MAY_ERROR ? 8 : 0);
}

/* The bit of an answer */
static uint8_t
kind_bit(int64_t v, uint8_t st)
{
	return GPUAGG_ST_IS_ERROR(st) ? 8 : st == GPUAGG_ST_NULL ? 4 : v != 0 ? 2 : 1;
}

/* What AND or OR says of each kind with any of so many others, which zones then only look up */
static void
logic_fill(uint32_t op, uint8_t logic[KINDS][1 << KINDS])
{
	for (int i = 0; i < KINDS; i++)
	{
		logic[i][0] = 0;
		for (int k = 0; k < KINDS; k++)
		{
			uint8_t		st;
			const int64_t v = op == GPUAGG_OP_AND ? gpuagg_eval_and(i == 1, kind_states[i], k == 1, kind_states[k], &st) :
				gpuagg_eval_or(i == 1, kind_states[i], k == 1, kind_states[k], &st);

			for (int others = 0; others < 1 << k; others++)
				logic[i][others | 1 << k] = logic[i][others] | kind_bit(v, st);
		}
	}
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
	Set			result = set_nothing;

	result.may = (a->may | b->may | c->may) & GPUAGG_MAY_ERROR;
	set_add(&result, 0);
	set_add(&result, 1);
	return result;
}

static Set
set_select(const Set *a, const Set *b, const Set *c)
{
	Set			result = set_nothing;

	result.may = a->may & GPUAGG_MAY_ERROR;
	if (may_true(a))
		set_unite(&result, b);
	if (may_false(a) || (a->may & GPUAGG_MAY_NULL))
		set_unite(&result, c);
	return result;
}

static Set
set_coalesce(const Set *a, const Set *b)
{
	Set			result = *a;

	result.may &= (uint8_t) ~GPUAGG_MAY_NULL;
	if (a->may & GPUAGG_MAY_NULL)
		set_unite(&result, b);
	return result;
}

static Set
set_null_if(const Set *a, const Set *b)
{
	Set			result = *a;

	result.may |= b->may & GPUAGG_MAY_ERROR;
	if (may_true(b))
		result.may |= GPUAGG_MAY_NULL;
	return result;
}

/* ---------- lists ---------- */

/* Is a member within the interval? */
static bool
list_meets(const GpuAggConst *list, const GpuAggInstr *ins, const Set *a)
{
	for (int32_t i = 0; i < ins->imm2; i++)
	{
		const int64_t v = ins->op == GPUAGG_OP_IN_F64 ? f64_image(list[i].v.f) : list[i].v.i;

		if (v >= a->low && v <= a->high)
			return true;
	}
	return false;
}

static Set
set_in(const GpuAggProgram *p, const GpuAggInstr *ins, const Set *a)
{
	const GpuAggConst *list = gpuagg_program_consts(p) + ins->imm;
	const bool	bytes = ins->op == GPUAGG_OP_IN_BYTES;
	const bool	meets = bytes || list_meets(list, ins, a);
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

/* ---------- what is strict ---------- */

/* Orders of two values that a comparison accepts */
#define LESS 1
#define EQUAL 2
#define MORE 4

/* 0: not a comparison of numbers */
static uint32_t
accepted(uint32_t op)
{
	switch (op)
	{
		case GPUAGG_OP_I64_EQ:
		case GPUAGG_OP_F64_EQ:
			return EQUAL;
		case GPUAGG_OP_I64_NE:
		case GPUAGG_OP_F64_NE:
			return LESS | MORE;
		case GPUAGG_OP_I64_LT:
		case GPUAGG_OP_F64_LT:
			return LESS;
		case GPUAGG_OP_I64_LE:
		case GPUAGG_OP_F64_LE:
			return LESS | EQUAL;
		case GPUAGG_OP_I64_GT:
		case GPUAGG_OP_F64_GT:
			return MORE;
		case GPUAGG_OP_I64_GE:
		case GPUAGG_OP_F64_GE:
			return MORE | EQUAL;
		default:
			return 0;
	}
}

static void
set_compare(uint32_t accepts, const Set *a, const Set *b, Set *result)
{
	const uint32_t orders = (a->low < b->high ? LESS : 0) |
		(a->low <= b->high && b->low <= a->high ? EQUAL : 0) |
		(a->high > b->low ? MORE : 0);

	if (orders & accepts)
		set_add(result, 1);
	if (orders & ~accepts)
		set_add(result, 0);
}

/* Nothing is known of strings, but these raise no error. */
static bool
compares_bytes(uint32_t op)
{
	return (op >= GPUAGG_OP_BYTES_EQ && op <= GPUAGG_OP_INET_GE) ||
		op == GPUAGG_OP_STARTS_WITH;
}

/* A monotone function of integers, at one of them */
static int64_t
monotone_at(const GpuAggInstr *ins, int64_t v, uint8_t *st)
{
	switch (ins->op)
	{
		case GPUAGG_OP_TO_INT2:
			return gpuagg_to_int2(v, st);
		case GPUAGG_OP_TO_INT4:
			return gpuagg_to_int4(v, st);
		case GPUAGG_OP_INT_TO_FLOAT8:
			return f64_image(gpuagg_int_to_float8(v, st));
		case GPUAGG_OP_INT_TO_FLOAT4:
			return f64_image(gpuagg_int_to_float4(v, st));
		case GPUAGG_OP_DATE_TO_TIMESTAMP:
			return gpuagg_date_to_timestamp(v, st);
		case GPUAGG_OP_TIMESTAMP_TO_DATE:
			return gpuagg_timestamp_to_date(v, st);
		case GPUAGG_OP_DATE_TRUNC:
			return gpuagg_date_trunc(v, st, ins);
		case GPUAGG_OP_DATE_EXTRACT:
			return gpuagg_date_extract(v, st, ins);
		case GPUAGG_OP_TIMESTAMP_EXTRACT:
			return gpuagg_timestamp_extract(v, st, ins);
		default:
			return gpuagg_timestamp_trunc(v, st, ins);
	}
}

/* Is it one of these, and the argument what it is made for? */
static bool
is_monotone(const GpuAggInstr *ins, const Set *a)
{
	const bool	date = a->low >= INT32_MIN && a->high <= INT32_MAX;

	switch (ins->op)
	{
		case GPUAGG_OP_TO_INT2:
		case GPUAGG_OP_TO_INT4:
		case GPUAGG_OP_INT_TO_FLOAT8:
		case GPUAGG_OP_INT_TO_FLOAT4:
		case GPUAGG_OP_TIMESTAMP_TO_DATE:
		case GPUAGG_OP_TIMESTAMP_TRUNC:
			return true;
		case GPUAGG_OP_DATE_TO_TIMESTAMP:
		case GPUAGG_OP_DATE_TRUNC:
			return date;
		case GPUAGG_OP_DATE_EXTRACT:
			return date && ins->imm == GPUAGG_FIELD_YEAR;
		case GPUAGG_OP_TIMESTAMP_EXTRACT:
			return ins->imm == GPUAGG_FIELD_YEAR;
		default:
			return false;
	}
}

/*
 * Results are in order, and errors lie at the ends, but for infinite dates, which
 * are further out and are none: so the neighbours of the ends are asked, too.
 */
static void
set_monotone(const GpuAggInstr *ins, const Set *a, Set *result)
{
	const bool	more = a->low < a->high;
	const int64_t at[4] = {a->low, a->high, a->low + more, a->high - more};

	for (int i = 0; i < 4; i++)
	{
		uint8_t		st = GPUAGG_ST_VALUE;
		const int64_t v = monotone_at(ins, at[i], &st);

		set_add_result(result, v, st);
	}
	if (result->may & GPUAGG_MAY_ERROR)
		set_add_any(result);
}

static uint32_t
arity(uint32_t op)
{
	switch (op)
	{
#define X(name, sig, fn) case GPUAGG_OP_##name: return GPUAGG_ARITY_##sig;
			GPUAGG_OP_LIST(X)
#undef X
	}
	return 0;
}

static Set
set_strict(const GpuAggInstr *ins, const Set *sets)
{
	const uint16_t args[3] = {ins->a, ins->b, ins->c};
	const uint32_t n = arity(ins->op);
	Set			result = set_nothing;
	bool		called = true;

	for (uint32_t i = 0; i < n; i++)
	{
		result.may |= sets[args[i]].may & MAY_STRICT;
		called &= may_value(&sets[args[i]]);
	}
	if (!called)
		return result;
	if (accepted(ins->op) != 0)
		set_compare(accepted(ins->op), &sets[ins->a], &sets[ins->b], &result);
	else if (ins->op == GPUAGG_OP_NOT)
	{
		if (may_true(&sets[ins->a]))
			set_add(&result, 0);
		if (may_false(&sets[ins->a]))
			set_add(&result, 1);
	}
	else if (is_monotone(ins, &sets[ins->a]))
		set_monotone(ins, &sets[ins->a], &result);
	else if (compares_bytes(ins->op))
	{
		set_add(&result, 0);
		set_add(&result, 1);
	}
	else
	{
		result.may |= MAY_STRICT;
		set_add_any(&result);
	}
	return result;
}

/* ---------- programs ---------- */

/*
 * What is not strict: how many registers it reads, whether it matters for the result between what
 * their values lie, not only in which states they are, and what it says of their sets
 */
#define NOT_STRICT_LIST(X) \
	X(AND, 2, true, set_and_or(filter->and_kinds, REG(a), REG(b))) \
	X(OR, 2, true, set_and_or(filter->or_kinds, REG(a), REG(b))) \
	X(SELECT, 3, true, set_select(REG(a), REG(b), REG(c))) \
	X(COALESCE, 2, true, set_coalesce(REG(a), REG(b))) \
	X(NULL_IF, 2, true, set_null_if(REG(a), REG(b))) \
	X(DISTINCT_FROM, 3, false, set_distinct(REG(a), REG(b), REG(c))) \
	X(IN_I64, 1, true, set_in(filter->program, ins, REG(a))) \
	X(IN_F64, 1, true, set_in(filter->program, ins, REG(a))) \
	X(IN_BYTES, 1, false, set_in(filter->program, ins, REG(a))) \
	X(IS_NULL, 1, false, set_test(ins->op, REG(a))) \
	X(IS_NOT_NULL, 1, false, set_test(ins->op, REG(a))) \
	X(IS_TRUE, 1, true, set_test(ins->op, REG(a))) \
	X(IS_NOT_TRUE, 1, true, set_test(ins->op, REG(a))) \
	X(IS_FALSE, 1, true, set_test(ins->op, REG(a))) \
	X(IS_NOT_FALSE, 1, true, set_test(ins->op, REG(a)))
#define REG(arg) (&filter->set[ins->arg])

static Set
set_of(const GpuAggZoneFilter *filter, const GpuAggInstr *ins)
{
	switch (ins->op)
	{
#define X(name, nargs, ranges, set) case GPUAGG_OP_##name: return set;
			NOT_STRICT_LIST(X)
#undef X
		default:
			return set_strict(ins, filter->set);
	}
}

/* Of any class; of strings only the state is known. */
static Set
set_constant(const GpuAggConst *c, uint32_t cls)
{
	Set			s = set_nothing;

	if (c->state != GPUAGG_ST_VALUE)
		s.may = GPUAGG_MAY_NULL;
	else if (cls == GPUAGG_CLASS_BYTES)
		set_add_any(&s);
	else
		set_add(&s, cls == GPUAGG_CLASS_F64 ? f64_image(c->v.f) : c->v.i);
	return s;
}

static Set
set_column(const GpuAggZone *zone, uint32_t cls)
{
	Set			s = set_nothing;

	if (zone->count > 0)
		s.may = GPUAGG_MAY_NULL;
	if (zone->low > zone->high)
		return s;
	if (cls == GPUAGG_CLASS_BYTES)
		set_add_any(&s);
	else
	{
		set_add(&s, cls == GPUAGG_CLASS_F64 ? f64_zone_image(zone->low) : zone->low);
		set_add(&s, cls == GPUAGG_CLASS_F64 ? f64_zone_image(zone->high) : zone->high);
	}
	return s;
}

/* How many of its registers an instruction reads, or more */
static uint32_t
arguments(uint32_t op)
{
	switch (op)
	{
#define X(name, nargs, ranges, set) case GPUAGG_OP_##name: return nargs;
			NOT_STRICT_LIST(X)
#undef X
		default:
			return arity(op) > 0 ? arity(op) : 3;
	}
}

static bool
asks_range(const GpuAggInstr *ins)
{
	static const Set zero = {GPUAGG_MAY_VALUE, 0, 0};

	switch (ins->op)
	{
#define X(name, nargs, ranges, set) case GPUAGG_OP_##name: return ranges;
			NOT_STRICT_LIST(X)
#undef X
		case GPUAGG_OP_NOT:
			return true;
		default:
			return accepted(ins->op) != 0 || is_monotone(ins, &zero);
	}
}

/* Takes in what a zone knows of a column; false: it is what the zone before knew. */
static bool
column_changes(GpuAggZoneFilter *filter, uint32_t column, const GpuAggZone *zone, uint32_t cls)
{
	Set		   *old = &filter->set[column];
	Set			s = set_column(zone, cls);

	if (may_value(&s) && !filter->ranges[column])
		set_add_any(&s);
	if (s.may == old->may && s.low == old->low && s.high == old->high)
		return false;
	*old = s;
	return true;
}

void
gpuagg_zone_filter_init(GpuAggZoneFilter *filter, const GpuAggProgram *p)
{
	const GpuAggConst *consts = gpuagg_program_consts(p);
	const uint8_t *classes = gpuagg_program_classes(p);
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);

	filter->program = p;
	logic_fill(GPUAGG_OP_AND, filter->and_kinds);
	logic_fill(GPUAGG_OP_OR, filter->or_kinds);
	filter->known = false;
	for (uint32_t i = 0; i < p->ncolumns; i++)
		filter->uses[i] = filter->ranges[i] = i == p->filter_reg;
	for (uint32_t i = 0; i < p->nconsts; i++)
		filter->set[p->ncolumns + i] = set_constant(&consts[i], classes[p->ncolumns + i]);
	for (uint32_t i = 0; p->filter_reg != GPUAGG_NO_REG && i < p->filter_instrs; i++)
	{
		const uint16_t args[3] = {instrs[i].a, instrs[i].b, instrs[i].c};

		for (uint32_t k = 0; k < arguments(instrs[i].op); k++)
			if (args[k] < p->ncolumns)
			{
				filter->uses[args[k]] = true;
				filter->ranges[args[k]] |= asks_range(&instrs[i]);
			}
	}
}

static GpuAggVerdict
verdict_of(const Set *result)
{
	if (result->may & GPUAGG_MAY_ERROR)
		return GPUAGG_VERDICT_MAYBE;
	if (!may_true(result))
		return GPUAGG_VERDICT_NONE;
	return may_false(result) || (result->may & GPUAGG_MAY_NULL) ?
		GPUAGG_VERDICT_MAYBE : GPUAGG_VERDICT_ALL;
}

GpuAggVerdict
gpuagg_zone_filter(GpuAggZoneFilter *filter, const GpuAggZone *const *columns)
{
	const GpuAggProgram *p = filter->program;
	const uint8_t *classes = gpuagg_program_classes(p);
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);
	bool		known = filter->known;

	if (p->filter_reg == GPUAGG_NO_REG)
		return GPUAGG_VERDICT_ALL;
	for (uint32_t i = 0; i < p->ncolumns; i++)
		if (filter->uses[i] && column_changes(filter, i, columns[i], classes[i]))
			known = false;
	if (known)
		return filter->verdict;
	for (uint32_t i = 0; i < p->filter_instrs; i++)
		filter->set[instrs[i].dst] = set_of(filter, &instrs[i]);
	filter->verdict = verdict_of(&filter->set[p->filter_reg]);
	filter->known = true;
	return filter->verdict;
}
