/*
 * codegen_expected.h
 *		What the interpreter (device/ops/eval.h) says of a row of codegen_rows.h.
 */
#ifndef GPUAGG_TEST_CODEGEN_EXPECTED_H
#define GPUAGG_TEST_CODEGEN_EXPECTED_H

#include "codegen_row.h"
#include "device/ops/eval.h"

/* Ranges of keys that number groups: many values lie outside */
#define CODEGEN_NUMBER_FIRST (-100)		/* times the key's unit */
#define CODEGEN_NUMBER_LAST 899
#define CODEGEN_NUMBER_STEP(i) (1 + 7919 * (i))

/* Its registers, of the last row; constants are the caller's to evaluate. */
extern GpuAggValue codegen_reg[GPUAGG_MAX_REGS];
extern uint8_t codegen_st[GPUAGG_MAX_REGS];

/* Values of keys that are units apart: those that have numbers, and others */
extern uint32_t codegen_nmultiples, codegen_nbeyond;

extern int64_t codegen_key_unit(const GpuAggProgram *p, uint32_t key);

/* out is zeroed; all has the states that the row's values enter. */
extern void codegen_expect(const GpuAggProgram *p, uint32_t r, CodegenRow *out, CodegenStates *all);

#endif							/* GPUAGG_TEST_CODEGEN_EXPECTED_H */
