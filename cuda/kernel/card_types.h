/*
 * card_types.h
 *		What lies on the card and many kernels share: the group table, counters
 *		of a batch, stripes as input.  Without CUDA's headers, because kernels
 *		that are compiled for a query include it, too.
 */
#ifndef GPUAGG_CUDA_KERNEL_CARD_TYPES_H
#define GPUAGG_CUDA_KERNEL_CARD_TYPES_H

#include "device/choice/hash_window.h"
#include "device/ops/packed.h"
#include "device/stripe.h"

#define GPUAGG_HEAD_READY 0x80000000u
#define GPUAGG_HEAD_LOCKED 0x7FFFFFFFu

/* Counters of a batch; the kernels add, the host reads a copy. */
typedef struct GpuAggBatchHead
{
	unsigned long long rows_scanned;
	unsigned long long rows_passed;
	unsigned long long left[GPUAGG_STAGES - 1];	/* GpuAggCompletion's */
	uint32_t	errors;			/* GPUAGG_ST_ bits that were consumed */
	uint32_t	corrupt;		/* 1 + (page << 16 | line) of a bad line */
	uint32_t	nskipped;		/* rows of the list: for PostgreSQL, or selected */
	uint32_t	overflow;		/* rows that found no place */
	uint32_t	nspilled;		/* groups of block-local tables that did */
	uint32_t	local_misses;	/* rows that block-local tables had no room for */
	uint32_t	nkept;			/* rows that became records, or will */
	uint32_t	nnulls;			/* of these, rows with a NULL that matters */
	uint32_t	nrefused;		/* strings that a dictionary did not take */
} GpuAggBatchHead;

typedef struct GpuAggTableHead
{
	unsigned long long count;	/* groups */
	unsigned long long arena_used;
	unsigned long long arena_need;	/* longest string without room */
} GpuAggTableHead;

typedef struct GpuAggTableRef
{
	char	   *slots;
	uint64_t	capacity;		/* entries, a power of two */
	uint64_t	limit;			/* groups beyond which none is added */
	char	   *arena;
	uint64_t	arena_bytes;
	GpuAggTableHead *head;
	GpuAggHashWindow hash_window;			/* window of its hashes: places are spread */
	bool		dense;			/* no hash table: every entry is a group */
	bool		mixed;			/* places follow no order of hashes */
} GpuAggTableRef;

/* Bitmaps and values end with whole tiles, so that kernels need not ask. */
#define GPUAGG_STRIPE_TILE 2048

/*
 * A column of a stripe (device/stripe.h), for one of a program: values of 4 or 8
 * bytes, or packed ones, and a bit each that says NULL.
 */
typedef struct GpuAggStripeColumn
{
	char	   *values;			/* of packed ones the words */
	const GpuAggMiniblock *blocks;	/* NULL: values are plain */
	uint32_t   *nulls;			/* of packed ones NULL, if none is NULL */
	uint32_t   *has_nulls;		/* 0: none was ever kept */
	uint32_t	bytes;
	uint32_t	f64;			/* 1: values are doubles */
	GpuAggZone *zones;			/* device/stripe.h */
	const GpuAggZone *known;	/* as the host knows them */
	unsigned long long *told;	/* in its memory: it is told of a value that lies outside, or
								 * that other rows are NULL */
	GpuAggBytes *const *strings;	/* NULL, or what codes mean: blocks of
									 * GPUAGG_STRING_BLOCK */
} GpuAggStripeColumn;

/* What is at a position of some column: an integer, a code, or the bits of a double */
GPUAGG_FN int64_t
gpuagg_card_value(const char *values, const GpuAggMiniblock *blocks, uint32_t bytes,
				  uint32_t position)
{
	if (blocks == NULL)
		return bytes == 4 ? ((const int32_t *) values)[position] :
			((const int64_t *) values)[position];
	const int64_t value = gpuagg_packed_value(blocks, (const uint64_t *) values, position);

	/* of plain width there is no base: the sign is the value's own */
	return bytes == 4 ? (int32_t) value : value;
}

/* A word of a bitmap of NULLs, which there may be none of */
GPUAGG_FN uint32_t
gpuagg_card_nulls(const uint32_t *nulls, uint32_t word)
{
	return nulls != NULL ? nulls[word] : 0;
}

/* Positions that a warp of a compiled kernel takes, by turns */
#define GPUAGG_FRAME_GRANULE 1024

/* A stripe as input: what of it, and what is to become of it */
typedef struct GpuAggStripeInput
{
	const uint32_t *valid;
	const GpuAggStripeColumn *columns;	/* as the program loads them */
	const GpuAggPositions *without;	/* listed positions: no input; in order */
	uint32_t	nwithout;
	uint32_t	positions;			/* positions from here on are no input, either */
	uint32_t	first_tile;		/* of the batch's tiles */
	uint32_t	pad;
	uint32_t   *chosen;			/* NULL, or input positions that pass the filter, of
								 * stripes that are deferred */
	uint32_t   *leftover;			/* those that are left to the interpreter; of
								 * stripes that are deferred, those that are not */
	uint32_t   *left;			/* NULL, or a bit a granule: only of those whose bit is set
								 * has `leftover` been written, and is anything left */
} GpuAggStripeInput;

/* Columns that keys and arguments may be, where rows are read as they lie */
#define GPUAGG_STRIPE_USED 16

#endif							/* GPUAGG_CUDA_KERNEL_CARD_TYPES_H */
