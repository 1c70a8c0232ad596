/*
 * value_rules.h
 *		Within value_set.h: what the rules of numbers and those of moments share.
 */
#ifndef GPUAGG_DEVICE_OPS_VALUE_RULES_H
#define GPUAGG_DEVICE_OPS_VALUE_RULES_H

#include "device/ops/eval.h"
#include "device/ops/value_set.h"

/* All values that the operator can have at all */
extern void gpuagg_set_add_values(GpuAggValueSet *set, uint32_t op);

/*
 * What the operator itself makes of one value of each of its arguments, one or two, as
 * values of sets; *st: the state
 */
extern int64_t gpuagg_set_apply(const GpuAggInstr *instr, const int64_t *values, uint8_t *st);

/*
 * Of an operator that is monotone in each argument, and whose errors lie at the ends, but for
 * infinities, which are further out and are none: so the neighbours of the ends are asked, too.
 * args: in their order; zero: also what 0 makes
 */
extern void gpuagg_set_ends(const GpuAggInstr *instr, const GpuAggValueSet *const *args, bool zero,
							GpuAggValueSet *result);

/*
 * What lies between the products or quotients of the ends, doubles that are finite; of quotients by
 * what may be 0 anything
 */
extern void gpuagg_set_float_corners(const GpuAggInstr *instr, bool quotient,
									 const GpuAggValueSet *const *args, GpuAggValueSet *result);

/* Rules from MONTHS on, and moments cut in a zone; sets: of all registers */
extern void gpuagg_set_moment(const GpuAggProgram *program, const GpuAggInstr *instr,
							  const GpuAggValueSet *const *args, const GpuAggValueSet *sets,
							  GpuAggValueSet *result);

#endif							/* GPUAGG_DEVICE_OPS_VALUE_RULES_H */
