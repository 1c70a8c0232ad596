/*
 * frame.h
 *		What a kernel compiled for a query is launched with.
 *
 * The text (device/codegen/codegen.h) says how a row is evaluated; a frame, one
 * of the headers beside this one, what becomes of rows:
 *
 *	plain.cuh		no keys: states in registers
 *	direct.cuh		keys are numbered by their values: groups in shared memory
 *	dense.cuh		the same, groups in device memory
 *	hashed.cuh		a hash table in shared memory for each block
 *	single.cuh		the task's table
 *	packed.cuh		records, which are grouped later
 *	selected.cuh	a bitmap of what passes
 *
 * Literals, parameters and IN lists are arguments, so that one kernel serves all
 * of them.
 */
#ifndef GPUAGG_CUDA_FRAME_FRAME_H
#define GPUAGG_CUDA_FRAME_FRAME_H

#include "cuda/kernel/card_types.h"
#include "device/codegen/codegen.h"
#include "device/ops/eval.h"

/* Stripes of one launch, at most */
#define GPUAGG_FRAME_STRIPES 64

/* Threads of a block where there are few rows and it has no groups */
#define GPUAGG_FRAME_FEW_THREADS 128

/* Copies of a group's states in a block, at most: a lane each */
#define GPUAGG_FRAME_MAX_COPIES_LOG2 5

/*
 * A key of groups that are numbered: values from base on, each `unit` above the one
 * before, of which there are `extent`, are 1 to extent, and NULL is 0.  A group's number is
 * the sum of its keys', times step.
 */
typedef struct GpuAggFrameKey
{
	int64_t		base;
	uint64_t	extent;
	int64_t		unit;			/* an odd number times 2^shift */
	uint64_t	inverse;		/* what that odd number times it is 1, of 2^64 */
	uint32_t	shift;
	uint32_t	step;
	GpuAggBytes *const *strings;	/* NULL, or values are codes, which mean these */
} GpuAggFrameKey;

/*
 * How many units a value lies above the base; what is no multiple becomes more than any multiple
 * is: without a division, by a product that loses nothing and turns the low bits to the top
 */
GPUAGG_FN uint64_t
gpuagg_frame_units(const GpuAggFrameKey *key, int64_t v)
{
	const uint64_t above = ((uint64_t) v - (uint64_t) key->base) * key->inverse;

	return above >> key->shift | above << ((64 - key->shift) & 63);
}

/* Members of an IN list, where they lie */
typedef struct GpuAggFrameList
{
	const GpuAggConst *members;
	int64_t		n;
} GpuAggFrameList;

/* A look-up table of bits (device/ops/ops_lookup.h), and a column of a table */
typedef struct GpuAggFrameTable
{
	const GpuAggLookupBits *bits;
	int64_t		first;
	uint64_t	span;
} GpuAggFrameTable;

typedef struct GpuAggFrameFetched
{
	const char *values;
	const uint64_t *nulls;		/* NULL: none is */
	const uint64_t *errors;		/* NULL: none is */
	uint64_t	nrows;
} GpuAggFrameFetched;

typedef struct GpuAggFrameArgs
{
	const GpuAggStripeInput *inputs;
	uint32_t	n;				/* of these */
	uint32_t	tiles;			/* of all of them */
	uint32_t	first_tile[GPUAGG_FRAME_STRIPES];
	uint32_t	again;			/* 1: only rows of `leftover`: those of pages, or that the
								 * last launch had no place for */
	uint32_t	copies_log2;	/* of a block's groups */
	uint32_t	groups;			/* direct, dense: numbers; hashed: a block's slots, a
								 * power of two */
	uint32_t	nused;			/* selected: columns whose NULLs matter */
	GpuAggBatchHead *head;
	GpuAggTableRef table;
	uint64_t	seed;			/* of hashes */
	GpuAggHashWindow hash_window;	/* hashes whose groups are wanted */
	char	   *entries;		/* direct, dense: of all numbers; hashed: what blocks
								 * have found, nentries of them */
	uint32_t   *nentries;
	char	   *records;		/* packed: all of the task's, nrecords of them */
	unsigned long long *nrecords;
	uint16_t	used[GPUAGG_STRIPE_USED];
	const GpuAggProgram *program;	/* strings of IN lists lie there */
	GpuAggFrameKey keys[GPUAGG_CODEGEN_NUMBERED];
	GpuAggFrameList lists[GPUAGG_CODEGEN_LISTS];
	GpuAggFrameTable tables[GPUAGG_CODEGEN_TABLES];
	GpuAggFrameFetched fetched[GPUAGG_CODEGEN_FETCHED];
	GpuAggValue consts[GPUAGG_CODEGEN_CONSTS];
} GpuAggFrameArgs;

#ifndef __CUDACC_RTC__
/* Each step doubles the bits that are right, of which the number itself has three. */
static inline uint64_t
gpuagg_frame_inverse(uint64_t odd)
{
	uint64_t	x = odd;

	for (int bits = 3; bits < 64; bits *= 2)
		x *= 2 - odd * x;
	return x;
}

static inline GpuAggFrameKey
gpuagg_frame_key(int64_t low, int64_t high, int64_t unit, uint32_t step)
{
	GpuAggFrameKey key;

	key.base = low;
	key.extent = ((uint64_t) high - (uint64_t) low) / (uint64_t) unit + 1;
	key.unit = unit;
	for (key.shift = 0; ((uint64_t) unit >> key.shift & 1) == 0; key.shift++)
		;
	key.inverse = gpuagg_frame_inverse((uint64_t) unit >> key.shift);
	key.step = step;
	key.strings = NULL;
	return key;
}

/*
 * Tables and columns of a text's program p, which lies at `there` for the kernel.  at: of
 * each constant the place of a table that lies elsewhere (device/made.h), or NULL.
 */
static inline void
gpuagg_frame_tables(const GpuAggProgram *p, const GpuAggCodegenArgs *from, const char *there,
					const char *const *at, GpuAggFrameArgs *a)
{
	const GpuAggConst *consts = gpuagg_program_consts(p);

	for (uint32_t i = 0; i < from->ntables; i++)
	{
		const uint32_t k = from->tables[i] - p->ncolumns;
		const GpuAggLookup *t = gpuagg_lookup_of(gpuagg_const_bytes(p, &consts[k]));
		const char *block = at != NULL && at[k] != NULL ? at[k] : there + consts[k].v.off;

		a->tables[i].bits = (const GpuAggLookupBits *) (block + t->finder);
		a->tables[i].first = t->first;
		a->tables[i].span = t->span;
	}
	for (uint32_t i = 0; i < from->nfetched; i++)
	{
		const uint32_t k = from->fetched[i].table - p->ncolumns;
		const GpuAggLookup *t = gpuagg_lookup_of(gpuagg_const_bytes(p, &consts[k]));
		const GpuAggLookupColumn *column = gpuagg_lookup_column(t, from->fetched[i].column);
		const char *block = at != NULL && at[k] != NULL ? at[k] : there + consts[k].v.off;

		a->fetched[i].values = block + column->values;
		a->fetched[i].nulls = column->nulls == 0 ? NULL :
												   (const uint64_t *) (block + column->nulls);
		a->fetched[i].errors = column->errors == 0 ? NULL :
													 (const uint64_t *) (block + column->errors);
		a->fetched[i].nrows = t->nrows;
	}
}
#endif							/* __CUDACC_RTC__ */

#endif							/* GPUAGG_CUDA_FRAME_FRAME_H */
