/*
 * codegen_row.h
 *		What a text says of a row, between codegen_test.c and the C++ that it has
 *		compiled.
 */
#ifndef GPUAGG_TEST_CODEGEN_ROW_H
#define GPUAGG_TEST_CODEGEN_ROW_H

#include "device/transition.h"

typedef struct CodegenRow
{
	bool		passed;
	bool		ready;			/* and no key is an error */
	bool		equal;			/* its keys are those that it stores */
	uint32_t	errors;
	uint32_t	nulls;
	uint64_t	hash;
	bool		numbered;		/* its keys are in their ranges */
	uint32_t	number;			/* of its group then */
	char		entry[256];		/* keys; heads are not written */
	char		record[256];	/* of rows that have one */
	bool		enters[GPUAGG_MAX_TRANSITIONS];
	uint64_t	values[GPUAGG_MAX_TRANSITIONS];	/* of strings hashes */
	uint64_t	firsts[GPUAGG_MAX_TRANSITIONS];	/* of two arguments */
} CodegenRow;

/* What threads hold of the rows of a stripe, as states lie in a group's row */
typedef struct CodegenStates
{
	char		one[GPUAGG_MAX_TRANSITIONS][GPUAGG_MAX_STATE_BYTES];	/* one thread's */
	char		joined[GPUAGG_MAX_TRANSITIONS][GPUAGG_MAX_STATE_BYTES];	/* two threads' */
} CodegenStates;

#define CODEGEN_STRING_SEED 77

#endif							/* GPUAGG_TEST_CODEGEN_ROW_H */
