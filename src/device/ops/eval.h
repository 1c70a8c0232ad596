/*
 * eval.h
 *		The scalar interpreter: instructions of a program for one row.  One
 *		GPU thread runs it for one row; on the host it is the reference that
 *		the vectorised interpreter is tested against.
 *
 * The operators that are not strict (signature SPECIAL in ops.h) are written
 * out here, as functions of values and states that both interpreters use.
 * Strict operators run only if all their arguments are values, so nothing
 * here ever looks at the value of a NULL or an error.
 *
 * Registers and states are the caller's.  Before the first call it fills the
 * loaded columns and runs gpuagg_eval_constants; constants that are byte
 * strings point into the program.
 */
#ifndef GPUAGG_DEVICE_OPS_EVAL_H
#define GPUAGG_DEVICE_OPS_EVAL_H

#include "ops.h"
#include "ops_bytes.h"
#include "ops_datetime.h"
#include "ops_float.h"
#include "ops_int.h"
#include "ops_types.h"
#include "ops_interval.h"
#include "ops_lookup.h"
#include "ops_zone.h"

typedef union GpuAggValue
{
	int64_t		i;
	double		f;
	GpuAggBytes b;
} GpuAggValue;

/* SQL's AND of two evaluated arguments; 0 or 1, meaningless unless VALUE */
GPUAGG_FN int64_t
gpuagg_eval_and(int64_t a, uint8_t sa, int64_t b, uint8_t sb, uint8_t *st)
{
	bool		a_false = sa == GPUAGG_ST_VALUE && !a;
	bool		b_false = sb == GPUAGG_ST_VALUE && !b;

	if (GPUAGG_ST_IS_ERROR(sa) || a_false)
		*st = sa;
	else if (GPUAGG_ST_IS_ERROR(sb) || b_false)
		*st = sb;
	else
		*st = (uint8_t) (sa | sb);
	return !(a_false || b_false);
}

GPUAGG_FN int64_t
gpuagg_eval_or(int64_t a, uint8_t sa, int64_t b, uint8_t sb, uint8_t *st)
{
	bool		a_true = sa == GPUAGG_ST_VALUE && a;
	bool		b_true = sb == GPUAGG_ST_VALUE && b;

	if (GPUAGG_ST_IS_ERROR(sa) || a_true)
		*st = sa;
	else if (GPUAGG_ST_IS_ERROR(sb) || b_true)
		*st = sb;
	else
		*st = (uint8_t) (sa | sb);
	return a_true || b_true;
}

/* IS NULL, IS TRUE and their kin: an error stays, the rest is a value. */
GPUAGG_FN int64_t
gpuagg_eval_test(uint32_t op, int64_t a, uint8_t sa, uint8_t *st)
{
	bool		null = sa != GPUAGG_ST_VALUE;

	*st = GPUAGG_ST_IS_ERROR(sa) ? sa : GPUAGG_ST_VALUE;
	switch (op)
	{
		case GPUAGG_OP_IS_NULL:
			return null;
		case GPUAGG_OP_IS_NOT_NULL:
			return !null;
		case GPUAGG_OP_IS_TRUE:
			return !null && a;
		case GPUAGG_OP_IS_NOT_TRUE:
			return null || !a;
		case GPUAGG_OP_IS_FALSE:
			return !null && !a;
		default:				/* IS_NOT_FALSE */
			return null || a;
	}
}

/*
 * NULL-safe inequality of two arguments with states sa and sc, whose strict
 * equality is b.
 */
GPUAGG_FN int64_t
gpuagg_eval_distinct(uint8_t sa, int64_t b, uint8_t sb, uint8_t sc,
					 uint8_t *st)
{
	uint8_t		all = (uint8_t) (sa | sb | sc);

	*st = GPUAGG_ST_IS_ERROR(all) ? all : GPUAGG_ST_VALUE;
	return (sa | sc) == GPUAGG_ST_VALUE ? !b : sa != sc;
}

/*
 * Which argument NULL_IF, COALESCE and SELECT answer with, and its state.
 * Returns 0 for a, 1 for b, 2 for c; any number if the state is no value.
 */
GPUAGG_FN int
gpuagg_eval_choose(uint32_t op, int64_t a, uint8_t sa, int64_t b, uint8_t sb,
				   uint8_t sc, uint8_t *st)
{
	int			choice = 0;

	if (op == GPUAGG_OP_COALESCE)
		choice = sa == GPUAGG_ST_NULL ? 1 : 0;
	else if (op == GPUAGG_OP_SELECT && !GPUAGG_ST_IS_ERROR(sa))
		choice = sa == GPUAGG_ST_VALUE && a ? 1 : 2;
	*st = choice == 0 ? sa : choice == 1 ? sb : sc;
	if (op == GPUAGG_OP_NULL_IF)
	{
		if (GPUAGG_ST_IS_ERROR(sb))
			*st = sb;
		else if (sb == GPUAGG_ST_VALUE && b)
			*st = GPUAGG_ST_NULL;
	}
	return choice;
}

/*
 * IN lists: number of the first member that is not below the value, by
 * bisection.  list points to the first of n constants in ascending order.
 */
GPUAGG_FN bool
gpuagg_find_i64(const GpuAggConst *list, int32_t n, int64_t a)
{
	int32_t		lo = 0;
	int32_t		end = n;

	while (lo < end)
	{
		int32_t		mid = (lo + end) / 2;

		if (list[mid].v.i < a)
			lo = mid + 1;
		else
			end = mid;
	}
	return lo < n && list[lo].v.i == a;
}

GPUAGG_FN bool
gpuagg_find_f64(const GpuAggConst *list, int32_t n, double a)
{
	uint8_t		st = GPUAGG_ST_VALUE;
	int32_t		lo = 0;
	int32_t		end = n;

	while (lo < end)
	{
		int32_t		mid = (lo + end) / 2;

		if (gpuagg_f64_lt(list[mid].v.f, a, &st))
			lo = mid + 1;
		else
			end = mid;
	}
	return lo < n && gpuagg_f64_eq(list[lo].v.f, a, &st);
}

GPUAGG_FN GpuAggBytes
gpuagg_const_bytes(const GpuAggProgram *p, const GpuAggConst *c)
{
	GpuAggBytes b;

	/* a table that lies elsewhere (device/made.h) may be on either side of the program */
	b.data = (const char *) ((uintptr_t) p + c->v.off);
	b.len = c->len;
	return b;
}

GPUAGG_FN bool
gpuagg_find_bytes(const GpuAggProgram *p, const GpuAggConst *list, int32_t n,
				  GpuAggBytes a)
{
	int32_t		lo = 0;
	int32_t		end = n;

	while (lo < end)
	{
		int32_t		mid = (lo + end) / 2;
		int			d = gpuagg_bytes_compare(gpuagg_const_bytes(p, &list[mid]),
											 a);

		if (d == 0)
			return true;
		if (d < 0)
			lo = mid + 1;
		else
			end = mid;
	}
	return false;
}

/*
 * Result of IN or NOT IN.  Not found beside a NULL member is NULL.  A list may be without
 * members because none of PostgreSQL's can be a value of the left side (0.001 of numeric(8,2)).
 */
GPUAGG_FN int64_t
gpuagg_eval_in(bool found, uint8_t sa, const GpuAggInstr *ins, uint8_t *st)
{
	bool		has_null = (ins->flags & GPUAGG_IN_HAS_NULL) != 0;
	bool		negated = (ins->flags & GPUAGG_IN_NEGATED) != 0;

	if (sa != GPUAGG_ST_VALUE)
	{
		*st = sa;
		return negated;
	}
	*st = !found && has_null ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
	return found != negated;
}

/*
 * What follows interprets programs.  Compiled kernels do not, and parsing it takes a
 * quarter of what compiling one does.
 */
#ifndef __CUDACC_RTC__

/* One instruction that is not strict */
GPUAGG_FN void
gpuagg_eval_special(const GpuAggProgram *p, const GpuAggInstr *ins,
					GpuAggValue *reg, uint8_t *st)
{
	const GpuAggConst *list = gpuagg_program_consts(p);
	const GpuAggValue *a = &reg[ins->a];
	uint8_t		sa = st[ins->a];
	GpuAggValue *dst = &reg[ins->dst];
	uint8_t    *sd = &st[ins->dst];
	bool		value = sa == GPUAGG_ST_VALUE;
	int			choice;

	switch (ins->op)
	{
		case GPUAGG_OP_AND:
			dst->i = gpuagg_eval_and(a->i, sa, reg[ins->b].i, st[ins->b], sd);
			break;
		case GPUAGG_OP_OR:
			dst->i = gpuagg_eval_or(a->i, sa, reg[ins->b].i, st[ins->b], sd);
			break;
		case GPUAGG_OP_SELECT:
			choice = gpuagg_eval_choose(ins->op, value && a->i, sa, 0,
										st[ins->b], st[ins->c], sd);
			*dst = reg[choice == 1 ? ins->b : ins->c];
			break;
		case GPUAGG_OP_COALESCE:
			choice = gpuagg_eval_choose(ins->op, 0, sa, 0, st[ins->b], 0, sd);
			*dst = reg[choice == 1 ? ins->b : ins->a];
			break;
		case GPUAGG_OP_NULL_IF:
			gpuagg_eval_choose(ins->op, 0, sa, reg[ins->b].i, st[ins->b], 0,
							   sd);
			*dst = *a;
			break;
		case GPUAGG_OP_DISTINCT_FROM:
			dst->i = gpuagg_eval_distinct(sa, reg[ins->b].i, st[ins->b],
										  st[ins->c], sd);
			break;
		case GPUAGG_OP_IN_I64:
			value = value && gpuagg_find_i64(list + ins->imm, ins->imm2, a->i);
			dst->i = gpuagg_eval_in(value, sa, ins, sd);
			break;
		case GPUAGG_OP_IN_F64:
			value = value && gpuagg_find_f64(list + ins->imm, ins->imm2, a->f);
			dst->i = gpuagg_eval_in(value, sa, ins, sd);
			break;
		case GPUAGG_OP_IN_BYTES:
			value = value && gpuagg_find_bytes(p, list + ins->imm, ins->imm2,
											   a->b);
			dst->i = gpuagg_eval_in(value, sa, ins, sd);
			break;
		default:
			dst->i = gpuagg_eval_test(ins->op, a->i, sa, sd);
			break;
	}
}

/* Fills the registers of the constants. */
GPUAGG_FN void
gpuagg_eval_constants(const GpuAggProgram *p, GpuAggValue *reg, uint8_t *st)
{
	const GpuAggConst *consts = gpuagg_program_consts(p);
	const uint8_t *classes = gpuagg_program_classes(p);

	for (uint32_t i = 0; i < p->nconsts; i++)
	{
		uint32_t	r = p->ncolumns + i;

		st[r] = consts[i].state;
		if (classes[r] == GPUAGG_CLASS_BYTES)
			reg[r].b = gpuagg_const_bytes(p, &consts[i]);
		else
			reg[r].i = consts[i].v.i;
	}
}

/* How an operator of each signature is called */
#define GPUAGG_CALL_I_I(fn) reg[ins->dst].i = fn(a->i, &e)
#define GPUAGG_CALL_II_I(fn) reg[ins->dst].i = fn(a->i, b->i, &e)
#define GPUAGG_CALL_FF_I(fn) reg[ins->dst].i = fn(a->f, b->f, &e)
#define GPUAGG_CALL_BB_I(fn) reg[ins->dst].i = fn(a->b, b->b, &e)
#define GPUAGG_CALL_BB_F(fn) reg[ins->dst].f = fn(a->b, b->b, &e)
#define GPUAGG_CALL_BB_B(fn) reg[ins->dst].b = fn(a->b, b->b, &e)
#define GPUAGG_CALL_FF_F(fn) reg[ins->dst].f = fn(a->f, b->f, &e)
#define GPUAGG_CALL_F_F(fn) reg[ins->dst].f = fn(a->f, &e)
#define GPUAGG_CALL_I_F(fn) reg[ins->dst].f = fn(a->i, &e)
#define GPUAGG_CALL_F_I(fn) reg[ins->dst].i = fn(a->f, &e)
#define GPUAGG_CALL_I_I_IMM(fn) reg[ins->dst].i = fn(a->i, &e, ins)
#define GPUAGG_CALL_IB_I(fn) reg[ins->dst].i = fn(a->i, b->b, &e)
#define GPUAGG_CALL_B_I(fn) reg[ins->dst].i = fn(a->b, &e)
#define GPUAGG_CALL_B_B(fn) reg[ins->dst].b = fn(a->b, &e)
#define GPUAGG_CALL_BI_B_IMM(fn) reg[ins->dst].b = fn(a->b, b->i, &e, ins)
#define GPUAGG_CALL_BII_B_IMM(fn) \
	reg[ins->dst].b = fn(a->b, b->i, c->i, &e, ins)
#define GPUAGG_CALL_BB_I_IMM(fn) reg[ins->dst].i = fn(a->b, b->b, &e, ins)
#define GPUAGG_CALL_IIB_I(fn) reg[ins->dst].i = fn(a->i, b->i, c->b, &e)
#define GPUAGG_CALL_IB_I_IMM(fn) reg[ins->dst].i = fn(a->i, b->b, &e, ins)
#define GPUAGG_CALL_IB_F_IMM(fn) reg[ins->dst].f = fn(a->i, b->b, &e, ins)
#define GPUAGG_CALL_IB_B_IMM(fn) reg[ins->dst].b = fn(a->i, b->b, &e, ins)
#define GPUAGG_CALL_SPECIAL(fn)

/* How many arguments a signature takes; SPECIAL looks after itself. */
#define GPUAGG_ARITY_I_I 1
#define GPUAGG_ARITY_II_I 2
#define GPUAGG_ARITY_FF_I 2
#define GPUAGG_ARITY_BB_I 2
#define GPUAGG_ARITY_BB_F 2
#define GPUAGG_ARITY_BB_B 2
#define GPUAGG_ARITY_FF_F 2
#define GPUAGG_ARITY_F_F 1
#define GPUAGG_ARITY_I_F 1
#define GPUAGG_ARITY_F_I 1
#define GPUAGG_ARITY_I_I_IMM 1
#define GPUAGG_ARITY_IB_I 2
#define GPUAGG_ARITY_B_I 1
#define GPUAGG_ARITY_B_B 1
#define GPUAGG_ARITY_BI_B_IMM 2
#define GPUAGG_ARITY_BII_B_IMM 3
#define GPUAGG_ARITY_BB_I_IMM 2
#define GPUAGG_ARITY_IIB_I 3
#define GPUAGG_ARITY_IB_I_IMM 2
#define GPUAGG_ARITY_IB_F_IMM 2
#define GPUAGG_ARITY_IB_B_IMM 2
#define GPUAGG_ARITY_SPECIAL 0

/* Runs instructions [first, last). */
GPUAGG_FN void
gpuagg_eval(const GpuAggProgram *p, uint32_t first, uint32_t last,
			GpuAggValue *reg, uint8_t *st)
{
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);

	for (uint32_t i = first; i < last; i++)
	{
		const GpuAggInstr *ins = &instrs[i];
		const GpuAggValue *a = &reg[ins->a];
		const GpuAggValue *b = &reg[ins->b];
		const GpuAggValue *c = &reg[ins->c];
		uint8_t		e = GPUAGG_ST_VALUE;

		switch (ins->op)
		{
#define X(name, sig, fn, ...) \
			case GPUAGG_OP_##name: \
				if (GPUAGG_ARITY_##sig == 0) \
				{ \
					gpuagg_eval_special(p, ins, reg, st); \
					continue; \
				} \
				e = st[ins->a]; \
				if (GPUAGG_ARITY_##sig > 1) \
					e |= st[ins->b]; \
				if (GPUAGG_ARITY_##sig > 2) \
					e |= st[ins->c]; \
				if (e == GPUAGG_ST_VALUE) \
				{ \
					GPUAGG_CALL_##sig(fn); \
				} \
				break;
			GPUAGG_OP_LIST(X)
#undef X
			default:
				e = GPUAGG_ST_NEEDS_PG;
				break;
		}
		st[ins->dst] = e;
	}
}

#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_DEVICE_OPS_EVAL_H */
