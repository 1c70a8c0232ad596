/*
 * encode.h
 *		Programs over codes: strings of a loaded column become numbers of its
 *		dictionary (stripe.h) where that is all that the program needs to know of
 *		them, and groups get their strings back.
 *
 * Pure functions over a program, its groups and a dictionary's text.
 */
#ifndef GPUAGG_DEVICE_OPS_ENCODE_H
#define GPUAGG_DEVICE_OPS_ENCODE_H

#include "decoding.h"
#include "device/layout.h"

/*
 * Would an instruction do the same with a code in the place of this argument, a string?  Of
 * rows of a look-up table it does, for these are the codes (code_table.h).
 */
extern bool gpuagg_encode_allows(const GpuAggProgram *p, const GpuAggInstr *in, uint32_t reg);

/*
 * Which of the ncolumns loaded columns may be codes, into coded[]: strings that
 * are only keys of the column's own type, counted, looked at for NULL, or
 * compared for equality with constants that nothing else uses.  Returns their
 * number.
 */
extern uint32_t gpuagg_encode_plan(const GpuAggProgram *p, bool *coded);

/*
 * The column of whose strings a constant (its number, from 0) becomes a code;
 * GPUAGG_NO_REG: it stays.
 */
extern uint32_t gpuagg_encode_constant(const GpuAggProgram *p, const bool *coded,
									   uint32_t constant);

/*
 * Rewrites a program in place.  codes: of each constant that becomes one, by
 * number.
 */
extern void gpuagg_encode_program(GpuAggProgram *p, const bool *coded,
								  const int32_t *codes);

/*
 * Fetches what decoding n groups from `row` on will look at; a few dozen at a
 * time, or they displace each other.
 */
extern void gpuagg_decode_fetch(const GpuAggEncoding *e, const char *row, uint32_t n);

#endif							/* GPUAGG_DEVICE_OPS_ENCODE_H */
