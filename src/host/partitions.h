/*
 * partitions.h
 *		Groups of one task that do not stay in its threads' own tables: tables
 *		by partition of the hash space, which all threads share.
 */
#ifndef GPUAGG_HOST_PARTITIONS_H
#define GPUAGG_HOST_PARTITIONS_H

#include <pthread.h>

#include "device/device.h"
#include "host/records.h"

typedef struct GpuAggPartition
{
	_Alignas(64) pthread_mutex_t lock;
	uint64_t	rows;			/* that its groups have come of; a local table's
								 * group counts as one */
	GpuAggTable table;
} GpuAggPartition;

/* Of a task */
typedef struct GpuAggPartitions
{
	const GpuAggPrepared *prepared;
	GpuAggMemory *memory;
	uint32_t	threads;
	GpuAggStrategy forced;		/* AUTO: none */
	size_t		scope_bytes;	/* that a partition's table should not exceed */
	double		expected_groups;
	double		expected_rows;

	pthread_mutex_t lock;		/* guards making them */
	_Atomic(GpuAggPartition *) all; /* 1 << bits, once a thread needed them */
	uint32_t	bits;
	bool		partitioned;	/* pieces and layout of records are there */
	GpuAggPieces pieces;		/* of tables, if partitioned */
	GpuAggRecordLayout records;
	_Atomic uint64_t record_bytes;	/* of all threads' records */

	/* corrected by what aggregated records show */
	_Atomic bool keeps_records;
	_Atomic uint64_t expected_tables;	/* bytes */
	_Atomic bool learned;		/* it has been */
} GpuAggPartitions;

/* Of a task and a thread: what going to partitions takes */
typedef struct GpuAggSpiller
{
	GpuAggPartitions *partitions;
	uint32_t	thread;
	GpuAggRecords *records;		/* NULL: none are kept, or none yet */
	GpuAggRecordView *view;		/* made when records are first aggregated */
	char	   *rows[GPUAGG_VECTOR_ROWS];
	uint16_t	all[GPUAGG_VECTOR_ROWS];	/* 0, 1, 2, ... */
	uint16_t	order[GPUAGG_VECTOR_ROWS];
} GpuAggSpiller;

/* What goes into partitions: rows of a block, or groups of a local table. */
typedef struct GpuAggSpill
{
	GpuAggKeyBlock block;
	const GpuAggInputs *in;		/* NULL: groups, whose states are merged */
} GpuAggSpill;

/* They are made when they are first needed. */
extern void gpuagg_partitions_init(GpuAggPartitions *ps, const GpuAggPrepared *prepared,
								   GpuAggMemory *memory, uint32_t threads,
								   const GpuAggTaskConfig *config);
extern void gpuagg_partitions_free(GpuAggPartitions *ps);

/* NULL: nothing went there. */
static inline GpuAggPartition *
gpuagg_partitions(GpuAggPartitions *ps)
{
	return atomic_load_explicit(&ps->all, memory_order_acquire);
}

/*
 * Make them, unless they are there.  So many rows of a thread had so many
 * groups, which with what was expected says how many partitions.  False: no
 * memory.
 */
extern bool gpuagg_partitions_make(GpuAggPartitions *ps, uint64_t rows, uint64_t groups);

/*
 * Are rows kept as records?  Once they are not, never again.
 */
static inline bool
gpuagg_partitions_keep(const GpuAggPartitions *ps)
{
	return atomic_load_explicit(&ps->keeps_records, memory_order_relaxed);
}

/* Groups in them, while threads add to them */
extern uint64_t gpuagg_partitions_groups(GpuAggPartitions *ps);

extern void gpuagg_spiller_init(GpuAggSpiller *spiller, GpuAggPartitions *ps,
								uint32_t thread);
extern void gpuagg_spiller_free(GpuAggSpiller *spiller);

/*
 * Send rows sel[0 .. n - 1] to their partitions, which are there.  Several
 * threads may do so at the same time.
 */
extern GpuAggStatus gpuagg_spill_rows(GpuAggSpiller *spiller, const GpuAggSpill *spill,
									  const uint16_t *sel, uint32_t n, GpuAggError *error);

/* Send the rows to their partitions, or keep them as records until there are many. */
extern GpuAggStatus gpuagg_spill_records(GpuAggSpiller *spiller, const GpuAggSpill *spill,
										 const uint16_t *sel, uint32_t n,
										 GpuAggError *error);

/*
 * At the end: aggregate what another thread's spiller has kept of a
 * partition.  One thread at a time works on a partition, none adds records.
 */
extern GpuAggStatus gpuagg_partition_aggregate(GpuAggSpiller *spiller, uint32_t partition,
											   const GpuAggRecords *records,
											   GpuAggError *error);

#endif							/* GPUAGG_HOST_PARTITIONS_H */
