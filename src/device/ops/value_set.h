/*
 * value_set.h
 *		Which values a register may have: an interval, and whether NULL or an error may come.
 *
 * One calculus for whoever asks without running a program: of the bounds of a zone, what a
 * filter says of all rows (zone_filter.h); of the range of a column, how groups are numbered
 * (choice/ranges.h); of its statistics, how many values an expression has
 * (planner/estimate/value_bound.h).  Each operator's rule stands beside it in ops.h.  A
 * result holds at least what eval.h could make of any values of the arguments' sets.
 *
 * Pure functions; for the host only.
 */
#ifndef GPUAGG_DEVICE_OPS_VALUE_SET_H
#define GPUAGG_DEVICE_OPS_VALUE_SET_H

#include "device/ops/instr.h"
#include "device/transition.h"

#define GPUAGG_MAY_VALUE 1
#define GPUAGG_MAY_NULL 2
#define GPUAGG_MAY_ERROR 4

/* Values lie between low and high, in both: low > high where there are none. */
typedef struct GpuAggValueSet
{
	uint8_t		may;
	int64_t		low;			/* of F64 gpuagg_set_image(); of BYTES nothing is known */
	int64_t		high;
} GpuAggValueSet;

#define GPUAGG_SET_NOTHING {0, INT64_MAX, INT64_MIN}

/* false, true, NULL, an error: what conditions are to AND and OR */
#define GPUAGG_SET_KINDS 4

/* Of a kind with others (a bit for each) which the answer may be: zones look it up. */
typedef struct GpuAggSetLogic
{
	uint8_t		of_and[GPUAGG_SET_KINDS][1 << GPUAGG_SET_KINDS];
	uint8_t		of_or[GPUAGG_SET_KINDS][1 << GPUAGG_SET_KINDS];
} GpuAggSetLogic;

static inline bool
gpuagg_set_may_value(const GpuAggValueSet *s)
{
	return (s->may & GPUAGG_MAY_VALUE) != 0;
}

/* Are both ends known? */
static inline bool
gpuagg_set_is_bounded(const GpuAggValueSet *s)
{
	return gpuagg_set_may_value(s) && s->low > INT64_MIN && s->high < INT64_MAX;
}

/* As a condition */
static inline bool
gpuagg_set_may_true(const GpuAggValueSet *s)
{
	return gpuagg_set_may_value(s) && (s->low != 0 || s->high != 0);
}

static inline bool
gpuagg_set_may_false(const GpuAggValueSet *s)
{
	return gpuagg_set_may_value(s) && s->low <= 0 && s->high >= 0;
}

static inline void
gpuagg_set_add(GpuAggValueSet *s, int64_t v)
{
	s->may |= GPUAGG_MAY_VALUE;
	s->low = v < s->low ? v : s->low;
	s->high = v > s->high ? v : s->high;
}

static inline void
gpuagg_set_add_any(GpuAggValueSet *s)
{
	gpuagg_set_add(s, INT64_MIN);
	gpuagg_set_add(s, INT64_MAX);
}

/* Doubles in PostgreSQL's order: -0 and 0 are the same */
static inline int64_t
gpuagg_set_image(double d)
{
	return gpuagg_f64_order(d == 0 ? 0.0 : d);
}

/* Does the rule ask between what its arguments lie, not only in which states they are? */
static inline bool
gpuagg_rule_asks(uint32_t rule)
{
	return rule > GPUAGG_RULE_NULL_TEST;
}

#ifdef __cplusplus
extern "C" {
#endif

extern void gpuagg_set_logic_init(GpuAggSetLogic *logic);

/* Of any class; of strings only the state is known. */
extern GpuAggValueSet gpuagg_set_constant(const GpuAggConst *constant, uint32_t cls);

/* What an instruction makes; sets: of all registers that it reads */
extern GpuAggValueSet gpuagg_set_result(const GpuAggSetLogic *logic, const GpuAggProgram *program,
										const GpuAggInstr *instr, const GpuAggValueSet *sets);

/*
 * What an operator makes alone, of sets of its arguments in their order.  It is none that asks for
 * constants: of lists, nor AND and OR.  In any zone: of one that is not known.
 */
extern GpuAggValueSet gpuagg_set_operator(uint32_t op, int32_t imm, const GpuAggValueSet *args);

/* The values, NULL and errors of both */
extern void gpuagg_set_unite(GpuAggValueSet *set, const GpuAggValueSet *other);

/*
 * What a function that no device has makes of doubles, which it puts in no other order.  Where it
 * has no finite value of an end, nothing is known.
 */
extern GpuAggValueSet gpuagg_set_rising(const GpuAggValueSet *arg, double (*function) (double));

/* Moments in bins of so many microseconds, of which one begins at the origin */
extern GpuAggValueSet gpuagg_set_bins(const GpuAggValueSet *arg, int64_t stride, int64_t origin);

/*
 * How many values lie about so far apart, both ends among them; HUGE_VAL: these are not known, or
 * step is none
 */
extern double gpuagg_set_steps(const GpuAggValueSet *set, uint32_t cls, double step);

/*
 * Is it date_trunc(unit below a day, timestamptz), which is the local time cut, less the
 * moment's offset (planner/lower/lower_zone.c)?  Then what cuts, else NULL; its argument is
 * made by what *local is set to, whose argument is the moment.
 */
extern const GpuAggInstr *gpuagg_zoned_cut(const GpuAggProgram *program, const GpuAggInstr *instr,
										   const GpuAggInstr **local);

/* What a moment is cut to, in microseconds; 0: to days or more */
extern int64_t gpuagg_cut_unit(const GpuAggInstr *cut);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_OPS_VALUE_SET_H */
