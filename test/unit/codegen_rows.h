/*
 * codegen_rows.h
 *		Rows at random for a program: NULLs, edges of each type, strings; as a stripe
 *		has them, and as decoded pages do.
 */
#ifndef GPUAGG_TEST_CODEGEN_ROWS_H
#define GPUAGG_TEST_CODEGEN_ROWS_H

#include "cuda/columns/page_columns.h"
#include "device/program.h"

#define CODEGEN_ROWS 64

/* The position of the first: in the second half of a miniblock that is not its column's first */
#define CODEGEN_FIRST (GPUAGG_MINIBLOCK + GPUAGG_FRAME_GRANULE)
#define CODEGEN_COLUMNS (GPUAGG_MAX_KEYS + 2 * GPUAGG_MAX_TRANSITIONS)

/* The stripe, always the same for a seed; the next one takes its place */
extern int64_t codegen_values[CODEGEN_COLUMNS][CODEGEN_ROWS];
extern uint32_t codegen_nulls[CODEGEN_COLUMNS][CODEGEN_ROWS / 32];
extern GpuAggStripeColumn codegen_columns[CODEGEN_COLUMNS];

/* May the columns of that program's text be packed, as about half of them are then? */
extern bool codegen_packed(uint64_t seed);

extern void codegen_stripe_make(const GpuAggProgram *p, uint64_t seed);

/* A row's string, by the value of its column */
extern GpuAggBytes codegen_string(int64_t value);

/*
 * The rows of the stripe as pages, and these as columns, as kernels make them; the caller frees
 * l->memory.
 */
extern const GpuAggStripeColumn *codegen_pages_make(const GpuAggProgram *p, GpuAggPageColumns *l);

#endif							/* GPUAGG_TEST_CODEGEN_ROWS_H */
