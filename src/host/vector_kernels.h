/*
 * vector_kernels.h
 *		One function per instruction that runs it over a vector of rows, and
 *		the table of them.  vector.c includes this file once per instruction
 *		set, with
 *
 *		GPUAGG_KERNEL(name)		the function's name for this set
 *		GPUAGG_KERNEL_TARGET	its attributes
 *
 * Strict operators on numbers compute every lane, garbage included, and
 * gather the error bits of the whole vector in one byte; that loop has no
 * branches and vectorises.  Only if a bit came up are the errors computed
 * again, lane by lane, and given to lanes whose arguments are values.
 * Operators on byte strings, and those that are not strict, look at the
 * states first where there are any.
 *
 * Loops work on local restrict pointers: PostgreSQL is compiled with
 * -fno-strict-aliasing, and without them each store would make the compiler
 * fetch every pointer again.  An instruction's result is never one of its
 * arguments.
 *
 * There is no include guard: a second inclusion is the point.
 */

/* The head of every kernel; operators must end up inside its loop. */
#define GPUAGG_KERNEL_DEFINE(name) \
static __attribute__((flatten)) GPUAGG_KERNEL_TARGET void \
GPUAGG_KERNEL(name) (const GpuAggVectors *vs, const GpuAggInstr *ins, \
					 uint32_t n)

#define GPUAGG_EACH_LANE for (uint32_t i = 0; i < n; i++)

/* Arguments as vectors a, b, c with values x, y, z; result dst with r */
#define GPUAGG_A(type, m) \
	const GpuAggVector *a = &vs->reg[ins->a]; \
	const type *restrict x = a->v.m;
#define GPUAGG_B(type, m) \
	const GpuAggVector *b = &vs->reg[ins->b]; \
	const type *restrict y = b->v.m;
#define GPUAGG_NO_B \
	const GpuAggVector *b = NULL;
#define GPUAGG_C(type, m) \
	const GpuAggVector *c = &vs->reg[ins->c]; \
	const type *restrict z = c->v.m;
#define GPUAGG_NO_C \
	const GpuAggVector *c = NULL;
#define GPUAGG_R(type, m) \
	GpuAggVector *dst = &vs->reg[ins->dst]; \
	type	   *restrict r = dst->v.m; \
	uint8_t    *restrict st = dst->st; \
	uint8_t		bad = GPUAGG_ST_VALUE;

/* First loop of a numeric operator: results, and all error bits in bad */
#define GPUAGG_LANES(EXPR) \
	GPUAGG_EACH_LANE \
	{ \
		uint8_t		e = GPUAGG_ST_VALUE; \
\
		r[i] = EXPR; \
		bad |= e; \
	}

/* The rest of it */
#define GPUAGG_LANES_FINISH(EXPR) \
	gpuagg_vector_strict(dst, a, b, NULL, n); \
	if (bad != GPUAGG_ST_VALUE) \
	{ \
		gpuagg_vector_spell_out(dst, n); \
		GPUAGG_EACH_LANE \
		{ \
			uint8_t		e = GPUAGG_ST_VALUE; \
\
			(void) (EXPR); \
			st[i] = st[i] == GPUAGG_ST_VALUE ? e : st[i]; \
		} \
	}

#define GPUAGG_NUMERIC(EXPR) \
	GPUAGG_LANES(EXPR) \
	GPUAGG_LANES_FINISH(EXPR)

/* An operator that must not see what is no value */
#define GPUAGG_CAREFUL(EXPR) \
	bool		clean; \
\
	gpuagg_vector_strict(dst, a, b, c, n); \
	clean = dst->clean; \
	gpuagg_vector_spell_out(dst, n); \
	GPUAGG_EACH_LANE \
	{ \
		uint8_t		e = GPUAGG_ST_VALUE; \
\
		if (st[i] != GPUAGG_ST_VALUE) \
			continue; \
		r[i] = EXPR; \
		st[i] = e; \
		bad |= e; \
	} \
	dst->clean = clean && bad == GPUAGG_ST_VALUE;

/* Kernels by signature.  Those of SPECIAL are written out further down. */
#define GPUAGG_MAKE_SPECIAL(name, fn)
#define GPUAGG_MAKE_I_I(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_NO_B GPUAGG_R(int64_t, i) \
	GPUAGG_NUMERIC(fn(x[i], &e)) \
}
#define GPUAGG_MAKE_I_F(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_NO_B GPUAGG_R(double, f) \
	GPUAGG_NUMERIC(fn(x[i], &e)) \
}
#define GPUAGG_MAKE_F_I(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(double, f) GPUAGG_NO_B GPUAGG_R(int64_t, i) \
	GPUAGG_NUMERIC(fn(x[i], &e)) \
}
#define GPUAGG_MAKE_F_F(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(double, f) GPUAGG_NO_B GPUAGG_R(double, f) \
	GPUAGG_NUMERIC(fn(x[i], &e)) \
}
#define GPUAGG_MAKE_II_I(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_B(int64_t, i) GPUAGG_R(int64_t, i) \
	GPUAGG_NUMERIC(fn(x[i], y[i], &e)) \
}
#define GPUAGG_MAKE_FF_I(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(double, f) GPUAGG_B(double, f) GPUAGG_R(int64_t, i) \
	GPUAGG_NUMERIC(fn(x[i], y[i], &e)) \
}
#define GPUAGG_MAKE_FF_F(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(double, f) GPUAGG_B(double, f) GPUAGG_R(double, f) \
	GPUAGG_NUMERIC(fn(x[i], y[i], &e)) \
}
#define GPUAGG_MAKE_B_I(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(GpuAggBytes, b) GPUAGG_NO_B GPUAGG_NO_C GPUAGG_R(int64_t, i) \
	GPUAGG_CAREFUL(fn(x[i], &e)) \
}
#define GPUAGG_MAKE_B_B(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(GpuAggBytes, b) GPUAGG_NO_B GPUAGG_NO_C GPUAGG_R(GpuAggBytes, b) \
	GPUAGG_CAREFUL(fn(x[i], &e)) \
}
#define GPUAGG_MAKE_BB_I(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(GpuAggBytes, b) GPUAGG_B(GpuAggBytes, b) GPUAGG_NO_C \
	GPUAGG_R(int64_t, i) \
	GPUAGG_CAREFUL(fn(x[i], y[i], &e)) \
}
#define GPUAGG_MAKE_BB_F(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(GpuAggBytes, b) GPUAGG_B(GpuAggBytes, b) GPUAGG_NO_C \
	GPUAGG_R(double, f) \
	GPUAGG_CAREFUL(fn(x[i], y[i], &e)) \
}
#define GPUAGG_MAKE_BB_B(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(GpuAggBytes, b) GPUAGG_B(GpuAggBytes, b) GPUAGG_NO_C \
	GPUAGG_R(GpuAggBytes, b) \
	GPUAGG_CAREFUL(fn(x[i], y[i], &e)) \
}
#define GPUAGG_MAKE_BB_I_IMM(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(GpuAggBytes, b) GPUAGG_B(GpuAggBytes, b) GPUAGG_NO_C \
	GPUAGG_R(int64_t, i) \
	GPUAGG_CAREFUL(fn(x[i], y[i], &e, ins)) \
}
#define GPUAGG_MAKE_IB_I(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_B(GpuAggBytes, b) GPUAGG_NO_C \
	GPUAGG_R(int64_t, i) \
	GPUAGG_CAREFUL(fn(x[i], y[i], &e)) \
}
#define GPUAGG_MAKE_BI_B_IMM(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(GpuAggBytes, b) GPUAGG_B(int64_t, i) GPUAGG_NO_C \
	GPUAGG_R(GpuAggBytes, b) \
	GPUAGG_CAREFUL(fn(x[i], y[i], &e, ins)) \
}
#define GPUAGG_MAKE_BII_B_IMM(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(GpuAggBytes, b) GPUAGG_B(int64_t, i) GPUAGG_C(int64_t, i) \
	GPUAGG_R(GpuAggBytes, b) \
	GPUAGG_CAREFUL(fn(x[i], y[i], z[i], &e, ins)) \
}
#define GPUAGG_MAKE_IIB_I(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_B(int64_t, i) GPUAGG_C(GpuAggBytes, b) \
	GPUAGG_R(int64_t, i) \
	GPUAGG_CAREFUL(fn(x[i], y[i], z[i], &e)) \
}
#define GPUAGG_MAKE_IB_I_IMM(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_B(GpuAggBytes, b) GPUAGG_NO_C \
	GPUAGG_R(int64_t, i) \
	GPUAGG_CAREFUL(fn(x[i], y[i], &e, ins)) \
}
#define GPUAGG_MAKE_IB_F_IMM(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_B(GpuAggBytes, b) GPUAGG_NO_C \
	GPUAGG_R(double, f) \
	GPUAGG_CAREFUL(fn(x[i], y[i], &e, ins)) \
}
#define GPUAGG_MAKE_IB_B_IMM(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_B(GpuAggBytes, b) GPUAGG_NO_C \
	GPUAGG_R(GpuAggBytes, b) \
	GPUAGG_CAREFUL(fn(x[i], y[i], &e, ins)) \
}

/*
 * Fields of date_trunc and extract: the common ones get a loop of their own,
 * in which the field is a constant, so that only its part of the calendar
 * remains and vectorises.
 */
#define GPUAGG_FIELD_LANES(fn, field) \
		case GPUAGG_FIELD_##field: \
			{ \
				static const GpuAggInstr fixed = {.imm = GPUAGG_FIELD_##field}; \
\
				GPUAGG_LANES(fn(x[i], &e, &fixed)) \
				break; \
			}
#define GPUAGG_MAKE_I_I_IMM(name, fn) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_NO_B GPUAGG_R(int64_t, i) \
	switch (ins->imm) \
	{ \
		GPUAGG_FIELD_LANES(fn, HOUR) \
		GPUAGG_FIELD_LANES(fn, DAY) \
		GPUAGG_FIELD_LANES(fn, DOW) \
		GPUAGG_FIELD_LANES(fn, WEEK) \
		GPUAGG_FIELD_LANES(fn, MONTH) \
		GPUAGG_FIELD_LANES(fn, QUARTER) \
		GPUAGG_FIELD_LANES(fn, YEAR) \
		default: \
			GPUAGG_LANES(fn(x[i], &e, ins)) \
			break; \
	} \
	GPUAGG_LANES_FINISH(fn(x[i], &e, ins)) \
}

#define X(name, sig, fn, ...) GPUAGG_MAKE_##sig(name, fn)
GPUAGG_OP_LIST(X)
#undef X

/* AND and OR of values are bit operations; else three values and errors. */
#define GPUAGG_BOOL_KERNEL(name, operator, eval) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_B(int64_t, i) GPUAGG_R(int64_t, i) \
	const uint8_t *restrict sa = gpuagg_vector_states(a); \
	const uint8_t *restrict sb = gpuagg_vector_states(b); \
\
	dst->clean = a->clean && b->clean; \
	if (dst->clean) \
		GPUAGG_EACH_LANE r[i] = x[i] operator y[i]; \
	else \
	{ \
		GPUAGG_EACH_LANE \
		{ \
			uint8_t		s; \
\
			r[i] = eval(x[i], sa[i], y[i], sb[i], &s); \
			st[i] = s; \
			bad |= s; \
		} \
		dst->clean = bad == GPUAGG_ST_VALUE; \
	} \
}
GPUAGG_BOOL_KERNEL(AND, &, gpuagg_eval_and)
GPUAGG_BOOL_KERNEL(OR, |, gpuagg_eval_or)

/*
 * IS NULL and its kin.  The result is clean unless an error passes through.
 * Only the tests of truth read the argument, which may be of any class.
 */
#define GPUAGG_TEST_KERNEL(name, VALUE) \
GPUAGG_KERNEL_DEFINE(name) \
{ \
	GPUAGG_A(int64_t, i) GPUAGG_R(int64_t, i) \
	const uint8_t *restrict sa = gpuagg_vector_states(a); \
\
	(void) x; \
	GPUAGG_EACH_LANE \
	{ \
		uint8_t		s; \
\
		r[i] = gpuagg_eval_test(GPUAGG_OP_##name, VALUE, sa[i], &s); \
		st[i] = s; \
		bad |= s; \
	} \
	dst->clean = bad == GPUAGG_ST_VALUE; \
}
GPUAGG_TEST_KERNEL(IS_NULL, 0)
GPUAGG_TEST_KERNEL(IS_NOT_NULL, 0)
GPUAGG_TEST_KERNEL(IS_TRUE, x[i])
GPUAGG_TEST_KERNEL(IS_NOT_TRUE, x[i])
GPUAGG_TEST_KERNEL(IS_FALSE, x[i])
GPUAGG_TEST_KERNEL(IS_NOT_FALSE, x[i])

/* Runs LOOP(type, member) for the class of the result. */
#define GPUAGG_BY_CLASS(LOOP) \
	switch (gpuagg_program_classes(vs->program)[ins->dst]) \
	{ \
		case GPUAGG_CLASS_I64: \
			LOOP(int64_t, i) \
			break; \
		case GPUAGG_CLASS_F64: \
			LOOP(double, f) \
			break; \
		default: \
			LOOP(GpuAggBytes, b) \
			break; \
	}

#define GPUAGG_SELECT_LOOP(type, m) \
	{ \
		GPUAGG_B(type, m) GPUAGG_C(type, m) GPUAGG_R(type, m) \
		const uint8_t *restrict sb = gpuagg_vector_states(b); \
		const uint8_t *restrict sc = gpuagg_vector_states(c); \
\
		if (a->clean && b->clean && c->clean) \
			GPUAGG_EACH_LANE r[i] = x[i] ? y[i] : z[i]; \
		else \
			GPUAGG_EACH_LANE \
			{ \
				uint8_t		s; \
				int			choice = gpuagg_eval_choose(GPUAGG_OP_SELECT, x[i], \
														sa[i], 0, sb[i], sc[i], \
														&s); \
\
				r[i] = choice == 1 ? y[i] : z[i]; \
				st[i] = s; \
				bad |= s; \
			} \
		dst->clean = bad == GPUAGG_ST_VALUE; \
	}
GPUAGG_KERNEL_DEFINE(SELECT)
{
	GPUAGG_A(int64_t, i)
	const uint8_t *restrict sa = gpuagg_vector_states(a);

	GPUAGG_BY_CLASS(GPUAGG_SELECT_LOOP)
}

#define GPUAGG_COALESCE_LOOP(type, m) \
	{ \
		GPUAGG_A(type, m) GPUAGG_B(type, m) GPUAGG_R(type, m) \
		const uint8_t *restrict sa = gpuagg_vector_states(a); \
		const uint8_t *restrict sb = gpuagg_vector_states(b); \
\
		if (a->clean) \
			memcpy(r, x, n * sizeof(*r)); \
		else \
			GPUAGG_EACH_LANE \
			{ \
				uint8_t		s; \
				int			choice = gpuagg_eval_choose(GPUAGG_OP_COALESCE, 0, \
														sa[i], 0, sb[i], 0, &s); \
\
				r[i] = choice == 1 ? y[i] : x[i]; \
				st[i] = s; \
				bad |= s; \
			} \
		dst->clean = bad == GPUAGG_ST_VALUE; \
	}
GPUAGG_KERNEL_DEFINE(COALESCE)
{
	GPUAGG_BY_CLASS(GPUAGG_COALESCE_LOOP)
}

#define GPUAGG_NULL_IF_LOOP(type, m) \
	{ \
		GPUAGG_A(type, m) GPUAGG_B(int64_t, i) GPUAGG_R(type, m) \
		const uint8_t *restrict sa = gpuagg_vector_states(a); \
		const uint8_t *restrict sb = gpuagg_vector_states(b); \
\
		memcpy(r, x, n * sizeof(*r)); \
		GPUAGG_EACH_LANE \
		{ \
			uint8_t		s; \
\
			gpuagg_eval_choose(GPUAGG_OP_NULL_IF, 0, sa[i], y[i], sb[i], 0, \
							   &s); \
			st[i] = s; \
			bad |= s; \
		} \
		dst->clean = bad == GPUAGG_ST_VALUE; \
	}
GPUAGG_KERNEL_DEFINE(NULL_IF)
{
	GPUAGG_BY_CLASS(GPUAGG_NULL_IF_LOOP)
}

GPUAGG_KERNEL_DEFINE(DISTINCT_FROM)
{
	GPUAGG_B(int64_t, i) GPUAGG_R(int64_t, i)
	const uint8_t *restrict sa = gpuagg_vector_states(&vs->reg[ins->a]);
	const uint8_t *restrict sb = gpuagg_vector_states(b);
	const uint8_t *restrict sc = gpuagg_vector_states(&vs->reg[ins->c]);

	GPUAGG_EACH_LANE
	{
		uint8_t		s;

		r[i] = gpuagg_eval_distinct(sa[i], y[i], sb[i], sc[i], &s);
		st[i] = s;
		bad |= s;
	}
	dst->clean = bad == GPUAGG_ST_VALUE;
}

/* Turns "found" in r into the result of IN or NOT IN. */
#define GPUAGG_IN_FINISH \
	if (a->clean && !(ins->flags & GPUAGG_IN_HAS_NULL)) \
	{ \
		bool		negated = (ins->flags & GPUAGG_IN_NEGATED) != 0; \
\
		GPUAGG_EACH_LANE r[i] ^= negated; \
	} \
	else \
		GPUAGG_EACH_LANE \
		{ \
			uint8_t		s; \
\
			r[i] = gpuagg_eval_in(r[i] != 0, sa[i], ins, &s); \
			st[i] = s; \
			bad |= s; \
		} \
	dst->clean = bad == GPUAGG_ST_VALUE;

/* Short lists are compared member by member, several rows at once. */
GPUAGG_KERNEL_DEFINE(IN_I64)
{
	GPUAGG_A(int64_t, i) GPUAGG_R(int64_t, i)
	const uint8_t *restrict sa = gpuagg_vector_states(a);
	const GpuAggConst *list = gpuagg_program_consts(vs->program) + ins->imm;

	if (ins->imm2 > GPUAGG_IN_SHORT)
		GPUAGG_EACH_LANE r[i] = gpuagg_find_i64(list, ins->imm2, x[i]);
	else
	{
		memset(r, 0, n * sizeof(*r));
		for (int32_t k = 0; k < ins->imm2; k++)
		{
			int64_t		member = list[k].v.i;

			GPUAGG_EACH_LANE r[i] |= x[i] == member;
		}
	}
	GPUAGG_IN_FINISH
}

GPUAGG_KERNEL_DEFINE(IN_F64)
{
	GPUAGG_A(double, f) GPUAGG_R(int64_t, i)
	const uint8_t *restrict sa = gpuagg_vector_states(a);
	const GpuAggConst *list = gpuagg_program_consts(vs->program) + ins->imm;

	GPUAGG_EACH_LANE r[i] = gpuagg_find_f64(list, ins->imm2, x[i]);
	GPUAGG_IN_FINISH
}

GPUAGG_KERNEL_DEFINE(IN_BYTES)
{
	GPUAGG_A(GpuAggBytes, b) GPUAGG_R(int64_t, i)
	const uint8_t *restrict sa = gpuagg_vector_states(a);
	const GpuAggConst *list = gpuagg_program_consts(vs->program) + ins->imm;

	GPUAGG_EACH_LANE r[i] = sa[i] == GPUAGG_ST_VALUE &&
		gpuagg_find_bytes(vs->program, list, ins->imm2, x[i]);
	GPUAGG_IN_FINISH
}

static const GpuAggKernel GPUAGG_KERNEL(table)[GPUAGG_NOPS] = {
#define X(name, sig, fn, ...) GPUAGG_KERNEL(name),
	GPUAGG_OP_LIST(X)
#undef X
};
