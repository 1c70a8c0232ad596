/*
 * strategy.h
 *		How a device groups: the strategies, and which one is expected to be
 *		fastest.
 *
 * Pure functions, used by costs, by the executor and by EXPLAIN alike.
 */
#ifndef GPUAGG_DEVICE_CHOICE_STRATEGY_H
#define GPUAGG_DEVICE_CHOICE_STRATEGY_H

#include "hash_window.h"
#include "local.h"

/*
 * X(name, its word in settings and EXPLAIN, what serves where it cannot run)
 *
 *	BLOCK_LOCAL			a small table for each block or thread, merged
 *	SINGLE_PASS			one table for all
 *	MULTI_PASS_NAIVE	a pass over the input for each window of the hash space
 *	MULTI_PASS_COPY		the first pass keeps the rows, later ones read those
 *	PARTITIONED			rows by parts of the hash space, then part by part
 *	SPATIAL				windows for the units that share a TLB, in one pass
 *	SORTED				rows sorted by their keys
 */
#define GPUAGG_STRATEGY_LIST(X) \
	X(AUTO, "auto", AUTO) \
	X(BLOCK_LOCAL, "block-local", SINGLE_PASS) \
	X(SINGLE_PASS, "single-pass", SINGLE_PASS) \
	X(MULTI_PASS_NAIVE, "multi-pass-naive", SINGLE_PASS) \
	X(MULTI_PASS_COPY, "multi-pass-copy", MULTI_PASS_NAIVE) \
	X(PARTITIONED, "partitioned", MULTI_PASS_COPY) \
	X(SPATIAL, "spatial", PARTITIONED) \
	X(SORTED, "sorted", PARTITIONED)

typedef enum GpuAggStrategy
{
#define X(name, word, instead) GPUAGG_STRATEGY_##name,
	GPUAGG_STRATEGY_LIST(X)
#undef X
	GPUAGG_NSTRATEGIES
} GpuAggStrategy;

/* A set of them */
#define GPUAGG_STRATEGY_BIT(s) (UINT32_C(1) << (s))

/* What every device has */
#define GPUAGG_STRATEGIES_ALWAYS \
	(GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_BLOCK_LOCAL) | \
	 GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SINGLE_PASS) | \
	 GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_MULTI_PASS_NAIVE))

/* Those that keep rows as records (record.h): of programs that have them */
#define GPUAGG_STRATEGIES_DEFERRING \
	(GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_MULTI_PASS_COPY) | \
	 GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_PARTITIONED) | \
	 GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SPATIAL) | \
	 GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SORTED))

#define GPUAGG_STRATEGY_POINTS 64

/* Of a device profile, what strategies differ by; 0: not known */
typedef struct GpuAggStrategyRates
{
	double		local_bytes;	/* that a block's or thread's own table may have */
	double		shared_bytes;	/* shared memory of a multiprocessor; 0: there is none */
	double		local_updates;	/* updates a second of all such tables */
	double		cache_bytes;	/* reach of the last cache */
	double		tlb_bytes;		/* reach of the last TLB level */
	uint32_t	tlb_groups;		/* groups of units that share one; 0: not known */
	double		part_bytes;		/* of a CPU: that the table of a part should have */
	uint32_t	threads;		/* of a CPU */
	double		stream_bytes;	/* bytes a second, read or written in order */
	double		partition_rows; /* records of 8 bytes a second, one level */
	int			npoints;		/* random updates a second in a region */
	struct
	{
		double		bytes;		/* ascending */
		double		updates;
	}			points[GPUAGG_STRATEGY_POINTS];
} GpuAggStrategyRates;

/* A grouping, as far as strategies differ by it */
typedef struct GpuAggStrategyInput
{
	uint32_t	possible;		/* set of what device and program allow */
	GpuAggStrategy forced;		/* GPUAGG_STRATEGY_AUTO: the fastest */
	double		rows;			/* that are grouped */
	double		groups;
	double		entry_bytes;	/* of a group in a table */
	double		record_bytes;	/* of a row's keys and arguments, kept */
	double		local_entry_bytes;	/* of a group in shared memory (local.h); 0:
									 * there are no such tables */
	GpuAggPartRows part_rows;	/* what of rows decides how they are partitioned there */
	double		local_groups;	/* of a GPU: that a block's own table may have; 0: as
								 * many as its bytes say; negative: none */
	double		updates;		/* of states and heads, a row */
	double		counted;		/* of the states, those that count all rows */
	double		sort_bits;		/* of a row's keys, put side by side, about */
	double		words;			/* of a GPU, whose threads share states: of words; 0: as
								 * many */
	bool		resident;		/* rows lie in the device's memory as columns */
	bool		plain;			/* resident rows are partitioned as they lie (local.h) */
	double		input_ns;		/* of rows that are not resident: reading and decoding the input
								 * once */
	bool		overlapped;		/* of rows that are not resident: groups are updated while they are
								 * read */
	double		behind_ns;		/* what follows of each group, once it has been made, where sorting
								 * rows would leave few (device/ordered.h); else 0 */
	double		left;			/* those that it leaves then */
	double		scope_bytes;	/* of a pass's table; 0: the profile's */
	double		memory_bytes;	/* that tables may take; 0: any */
} GpuAggStrategyInput;

typedef struct GpuAggStrategyChoice
{
	GpuAggStrategy strategy;
	GpuAggStrategy within;		/* how each pass groups */
	uint32_t	passes;			/* windows, one task each; 1: all at once */
	uint32_t	kept_passes;	/* over the rows that a task has kept */
	uint32_t	windows;		/* side by side (spatial.h) */
	bool		by_capacity;	/* because the table does not fit the memory */
	double		table_bytes;	/* of all groups */
	double		scope_bytes;	/* of the table of a pass */
	uint32_t	radix_bits[2];	/* of both levels of partitioning; [1] 0: one */
	double		predicted_ns[GPUAGG_NSTRATEGIES];	/* negative: not possible */
} GpuAggStrategyChoice;

#ifdef __cplusplus
extern "C" {
#endif

/* Inline, for devices that lie in other libraries */
GPUAGG_FN const char *
gpuagg_strategy_name(GpuAggStrategy strategy)
{
	switch (strategy)
	{
#define X(name, word, instead) case GPUAGG_STRATEGY_##name: return word;
			GPUAGG_STRATEGY_LIST(X)
#undef X
		default:
			return "?";
	}
}

/* What runs where this is asked for: itself, or what serves instead. */
extern GpuAggStrategy gpuagg_strategy_possible(GpuAggStrategy strategy,
											   uint32_t possible);

extern void gpuagg_strategy_choose(const GpuAggStrategyRates *rates,
								   const GpuAggStrategyInput *input,
								   GpuAggStrategyChoice *choice);

/* Is sorting rows, which takes `sorted`, less than `other` and what follows of all groups? */
extern bool gpuagg_strategy_sorting_pays(const GpuAggStrategyInput *input, double sorted,
										 double other);

/*
 * How many groups will there be, when `seen` were found in the first `rows` of
 * `total` rows?
 */
extern double gpuagg_strategy_extrapolate(double rows, double seen,
										  double total);

/*
 * Into how many windows to split one whose groups did not fit, when `fit` were
 * found and `groups` are expected; at least 2.
 */
extern uint32_t gpuagg_strategy_split(double fit, double groups);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_CHOICE_STRATEGY_H */
