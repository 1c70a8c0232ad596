/*
 * host_stripe.h
 *		Columns that stay in memory between tasks (device/stripe.h), on the host
 *		device.
 *
 * Columns come to a stripe while threads read others; the main thread puts them in
 * front of its list.  They go while no thread reads the stripe.  Positions are written
 * by the pool thread that decodes their page; pages of one stripe are decoded by many
 * threads at once, and the bitmaps' words that two of them share are changed atomically.
 * A page that comes beside readers (GpuAggPage) writes to columns that these have no more
 * than what is there.
 */
#ifndef GPUAGG_HOST_HOST_STRIPE_H
#define GPUAGG_HOST_HOST_STRIPE_H

#include "device/ops/packed.h"
#include "device/ops/sample.h"
#include "device/stripe.h"
#include "host/host_memory.h"
#include "host/host_zones.h"
#include "host/vector.h"

typedef struct GpuAggStripeColumn
{
	struct GpuAggStripeColumn *next;
	uint32_t	attr;
	uint32_t	type;
	uint32_t	width;			/* 4 or 8 bytes of a value */
	GpuAggDictionary *dictionary;	/* of strings */
	char	   *values;			/* NULL: they are packed */
	const GpuAggMiniblock *blocks;	/* of packed values */
	const uint64_t *words;
	_Atomic uint64_t *nulls;	/* a bit for each position; NULL: packed without any */
	GpuAggZone *zones;
	atomic_bool has_nulls;		/* false: all of `nulls` are zero */
	atomic_bool unpackable;		/* packing would save too little of what is there */
	uint64_t	bytes;			/* of this whole block */
	uint64_t	plain_bytes;	/* as it was before it was packed */
} GpuAggStripeColumn;

/* Which lines lie where (GpuAggStripeOps.pages): a stripe's, and that of batches which read it */
typedef struct GpuAggStripePages
{
	uint32_t	refs;			/* the main thread's */
	uint32_t	n;
	size_t		bytes;			/* of this whole block */
	GpuAggMemory *memory;
	GpuAggStripePage pages[];
} GpuAggStripePages;

struct GpuAggStripe
{
	GpuAggMemory *memory;		/* that of all stripes */
	uint32_t	positions;
	GpuAggStripeColumn *_Atomic columns;
	_Atomic uint64_t *valid;	/* a bit for each position; zero beyond them */
	GpuAggZone *zones;			/* rows */
	uint64_t	bytes;			/* of struct and bitmap */
	struct GpuAggStripePages *pages;	/* NULL: not told */
};

/* Where rows of a page lie in a block of vectors, and what lines they had */
typedef struct GpuAggFillRows
{
	uint32_t	position;			/* of the page's first line */
	uint32_t	line;			/* lines [line, end) are meant, from 0 */
	uint32_t	end;
	uint32_t	row;			/* the first row's in the vectors */
	uint32_t	nrows;
	const uint16_t *lines;		/* of each row */
	bool		beside;			/* as GpuAggPage's */
	uint64_t	there;			/* the same */
} GpuAggFillRows;

/* What a batch reads instead of pages */
typedef struct GpuAggResident
{
	const GpuAggStripe *stripe;
	const GpuAggPositions *without;	/* in order */
	uint32_t	nwithout;
	const GpuAggSample *sample;	/* of lines; NULL: none */
	GpuAggStripePages *pages;	/* of a sample, held; NULL: none */
} GpuAggResident;

extern const GpuAggStripeOps gpuagg_host_stripe_ops;

static inline GpuAggStripeColumn *
gpuagg_stripe_first(const GpuAggStripe *stripe)
{
	return atomic_load_explicit(&stripe->columns, memory_order_acquire);
}

/* NULL: the stripe has no such column. */
static inline const GpuAggStripeColumn *
gpuagg_stripe_column(const GpuAggStripe *stripe, uint32_t attr)
{
	for (GpuAggStripeColumn *c = gpuagg_stripe_first(stripe); c != NULL; c = c->next)
		if (c->attr == attr)
			return c;
	return NULL;
}

static inline bool
gpuagg_column_is_packed(const GpuAggStripeColumn *column)
{
	return column->values == NULL;
}

/* The value at a position: an integer, a code, or the bits of a double */
static inline int64_t
gpuagg_column_value(const GpuAggStripeColumn *column, uint32_t position)
{
	if (gpuagg_column_is_packed(column))
		return gpuagg_packed_value(column->blocks, column->words, position);
	return column->width == 8 ? ((const int64_t *) column->values)[position] :
		((const int32_t *) column->values)[position];
}

/*
 * Copies loaded columns of some rows from vectors to their positions; lines
 * without a row become invalid, but beside readers.
 */
extern void gpuagg_stripe_fill(GpuAggStripe *stripe, const GpuAggVectors *vectors,
							 const GpuAggFillRows *rows);

/* Nobody's any more, of one holder; NULL is fine.  By the main thread */
extern void gpuagg_stripe_pages_release(GpuAggStripePages *pages);

/* At most GPUAGG_MAX_LINES positions become invalid. */
extern void gpuagg_stripe_clear(GpuAggStripe *stripe, GpuAggPositions positions);

#endif							/* GPUAGG_HOST_HOST_STRIPE_H */
