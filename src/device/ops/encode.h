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

/* Codes of strings that are constants of the program, and of no column */
#define GPUAGG_OF_CONSTANTS (GPUAGG_NO_REG - 1)

/*
 * Which registers may be codes, into of[nregs]: of which column's strings, or of those that a code
 * table is read into; or OF_CONSTANTS; NO_REG: none.  Strings that are only keys of the column's
 * own type, counted, looked at for NULL, compared for equality, chosen among, or rows of a code
 * table.  Who has no codes of a
 * column, or of constants, may change all that are of it to NO_REG.
 */
extern void gpuagg_encode_plan(const GpuAggProgram *p, uint16_t *of);

/* Is a constant (its number, from 0) a string that becomes a code? */
extern bool gpuagg_encode_is_constant(const GpuAggProgram *p, const uint16_t *of,
									  uint32_t constant);

/*
 * Rewrites a program in place.  codes: of each constant that becomes one, by number; equal strings
 * have equal codes.
 */
extern void gpuagg_encode_program(GpuAggProgram *p, const uint16_t *of, const int32_t *codes);

/*
 * Fetches what decoding n groups from `row` on will look at; a few dozen at a
 * time, or they displace each other.
 */
extern void gpuagg_decode_fetch(const GpuAggEncoding *e, const char *row, uint32_t n);

#endif							/* GPUAGG_DEVICE_OPS_ENCODE_H */
