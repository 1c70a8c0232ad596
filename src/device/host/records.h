/*
 * records.h
 *		Rows that one thread keeps, by partition, until a partition is
 *		aggregated.
 *
 * A record is what a row contributes to its group: hash, image of the keys,
 * and the arguments and filters of the transitions with their states.
 * Records of a partition lie in chunks, a column after the other, so that a
 * chunk is aggregated as a block of rows is, without unpacking.
 *
 * Used by one thread at a time.  What it keeps points to nothing outside: the
 * pages of a row are gone when it is aggregated.  So rows with strings are not
 * kept; with copies of them records are so large that, as measured, a single
 * pass is as fast with a million groups and faster with three.
 */
#ifndef GPUAGG_DEVICE_HOST_RECORDS_H
#define GPUAGG_DEVICE_HOST_RECORDS_H

#include "device/host/update.h"

#define GPUAGG_MAX_RECORD_COLUMNS (2 * GPUAGG_MAX_TRANSITIONS)
#define GPUAGG_NO_COLUMN 0xFF

/* An argument or filter; those of one register are one column. */
typedef struct GpuAggRecordColumn
{
	uint16_t	reg;
	uint8_t		transition;		/* whose argument (filter) it is first */
	bool		is_filter;
	uint32_t	width;			/* of a value; 0: only its state is looked at */
	uint32_t	values_off;		/* in a chunk */
	uint32_t	states_off;
} GpuAggRecordColumn;

/* Of a task */
typedef struct GpuAggRecordLayout
{
	const GpuAggShape *shape;
	uint32_t	ncolumns;
	uint32_t	row_bytes;
	GpuAggRecordColumn columns[GPUAGG_MAX_RECORD_COLUMNS];
	uint8_t		arg_column[GPUAGG_MAX_TRANSITIONS];
	uint8_t		filter_column[GPUAGG_MAX_TRANSITIONS];
	bool		possible;		/* no key or argument lies elsewhere */

	/* gpuagg_record_layout_chunks() */
	uint32_t	partition_bits;
	uint32_t	chunk_rows;
	uint32_t	chunk_bytes;
	uint32_t	images_off;
} GpuAggRecordLayout;

typedef struct GpuAggRecordChunk
{
	struct GpuAggRecordChunk *next;
} GpuAggRecordChunk;

/* The records of a partition */
typedef struct GpuAggRecordList
{
	GpuAggRecordChunk *filling; /* or NULL */
	GpuAggRecordChunk *full;
	uint32_t	n;				/* rows in filling; chunk_rows if there is none */
	uint32_t	nfull;			/* chunks */
} GpuAggRecordList;

/* Of a task and a thread */
typedef struct GpuAggRecords
{
	const GpuAggRecordLayout *layout;
	GpuAggMemory *memory;
	_Atomic uint64_t *total_bytes;	/* of all threads' */
	GpuAggRecordList *lists;	/* 1 << partition_bits */
	uint64_t	kept;			/* rows since they were last emptied */
	uint64_t	bytes;			/* of blocks */
	uint64_t	bytes_most;		/* that they may have */
	struct GpuAggRecordBlock *blocks;
	char	   *next;			/* what the newest block has left */
	size_t		left;
	GpuAggRecordChunk *free;
	bool		clean[GPUAGG_MAX_RECORD_COLUMNS];	/* its states are not
													 * written: all are values */
	char	   *chunk[GPUAGG_VECTOR_ROWS];	/* where rows being added go */
	uint16_t	at[GPUAGG_VECTOR_ROWS];
} GpuAggRecords;

/* A chunk's records as a block of rows */
typedef struct GpuAggRecordView
{
	uint32_t	n;
	GpuAggKeyBlock block;
	GpuAggInputs in;
	GpuAggVector vectors[GPUAGG_MAX_RECORD_COLUMNS];
} GpuAggRecordView;

/* Columns: what the program alone decides. */
extern void gpuagg_record_layout_columns(GpuAggRecordLayout *layout,
										 const GpuAggShape *shape);

/* The rest, once the number of partitions is known. */
extern void gpuagg_record_layout_chunks(GpuAggRecordLayout *layout,
										uint32_t partition_bits, uint32_t threads,
										size_t scope_bytes);

/* NULL: no memory.  Nothing is kept as long as bytes_most is 0. */
extern GpuAggRecords *gpuagg_records_create(const GpuAggRecordLayout *layout,
											GpuAggMemory *memory,
											_Atomic uint64_t *total_bytes);
extern void gpuagg_records_free(GpuAggRecords *r);

/*
 * Keep rows sel[0 .. n - 1].  Returns how many of them, from the first on,
 * found room; less than n: memory is used up.
 */
extern uint32_t gpuagg_records_add(GpuAggRecords *r, const GpuAggKeyBlock *block,
								   const GpuAggInputs *in, const uint16_t *sel,
								   uint32_t n);

static inline bool
gpuagg_records_any(const GpuAggRecords *r, uint32_t partition)
{
	return r->lists[partition].filling != NULL || r->lists[partition].full != NULL;
}

static inline uint32_t
gpuagg_records_count(const GpuAggRecords *r, uint32_t partition)
{
	const GpuAggRecordList *list = &r->lists[partition];

	return list->nfull * r->layout->chunk_rows + (list->filling != NULL ? list->n : 0);
}

/*
 * A partition's records, chunk after chunk: *chunk starts as NULL and is the
 * view's afterwards.  False: there are no more.
 */
extern bool gpuagg_records_next(const GpuAggRecords *r, uint32_t partition,
								GpuAggRecordChunk **chunk, GpuAggRecordView *view);

/* The partition's records have been aggregated; its chunks are free. */
extern void gpuagg_records_drop(GpuAggRecords *r, uint32_t partition);

/* All partitions' have: states start anew; blocks stay. */
extern void gpuagg_records_restart(GpuAggRecords *r);

/* Nothing is kept: give all memory of records back. */
extern void gpuagg_records_release(GpuAggRecords *r);

#endif							/* GPUAGG_DEVICE_HOST_RECORDS_H */
