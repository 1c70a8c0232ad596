/*
 * records.h
 *		Rows that one thread keeps, by partition, until a partition is
 *		aggregated.
 *
 * A record is what a row contributes to its group, packed to a multiple of 4
 * bytes: the half of the hash that tables look at, image of the keys,
 * arguments and filters of the transitions, and their states.  As long as all
 * of these are values, records are compact: without states and the image's
 * head, where NULL keys are marked.
 *
 * Used by one thread at a time.  What it keeps points to nothing outside: the
 * pages of a row are gone when it is aggregated.  So rows with strings are not
 * kept; with copies of them records are so large that, as measured, a single
 * pass is as fast with a million groups and faster with three.
 */
#ifndef GPUAGG_HOST_RECORDS_H
#define GPUAGG_HOST_RECORDS_H

#include "host/update.h"

#define GPUAGG_MAX_RECORD_COLUMNS (2 * GPUAGG_MAX_TRANSITIONS)
#define GPUAGG_NO_COLUMN 0xFF

/*
 * Records that are read at once: what finding them prefetches stays in the L1
 * cache until it is looked at.  Measured: with 1024 of them a million groups
 * took a tenth longer.
 */
#define GPUAGG_RECORD_VIEW_ROWS 128

#define GPUAGG_RECORD_HEAD_BYTES 64	/* of a block and of a record block */
#define GPUAGG_RECORD_LINE_BYTES 64

/* Values of records that have a path of their own (stage_narrow) */
#define GPUAGG_RECORD_NARROW_COLUMNS 3

/*
 * Rows of their stage.  Measured: with half as many, writing them took a sixth
 * longer, for which stage is full is a guess that processors get wrong.
 */
#define GPUAGG_RECORD_NARROW_STAGE 32

/* An argument or filter; those of one register are one column. */
typedef struct GpuAggRecordColumn
{
	uint16_t	reg;
	uint8_t		transition;		/* whose argument (filter) it is first */
	bool		is_filter;
	uint32_t	width;			/* of a value: 4, 8; 0: only its state is looked
								 * at */
	uint32_t	off;			/* of it, behind the image */
} GpuAggRecordColumn;

/* Where things are in a record, compact or not, and records in record blocks */
typedef struct GpuAggRecordForm
{
	bool		has_states;
	bool		narrow;			/* nothing but fields of 4 bytes: half of the hash, one
								 * key, values */
	uint32_t	row_bytes;
	uint32_t	image_first;	/* bytes of an image before this are 0 */
	uint32_t	image_bytes;	/* that are kept; behind the hash */
	uint32_t	values_off;
	uint32_t	states_off;
	uint32_t	stage_rows;		/* whole cache lines together */

	/* gpuagg_record_layout_blocks() */
	uint32_t	record_block_rows;		/* a multiple of stage_rows */
	uint32_t	record_block_bytes;
} GpuAggRecordForm;

/* Of a task */
typedef struct GpuAggRecordLayout
{
	const GpuAggPrepared *prepared;
	uint32_t	ncolumns;
	GpuAggRecordColumn columns[GPUAGG_MAX_RECORD_COLUMNS];
	uint8_t		arg_column[GPUAGG_MAX_TRANSITIONS];
	uint8_t		filter_column[GPUAGG_MAX_TRANSITIONS];
	bool		possible;		/* no key or argument lies elsewhere */
	GpuAggRecordForm compact;
	GpuAggRecordForm whole;
	uint32_t	partition_bits;
} GpuAggRecordLayout;

typedef struct GpuAggRecordBlock
{
	struct GpuAggRecordBlock *next;
} GpuAggRecordBlock;

/* The records of a partition, but for those that are staged */
typedef struct GpuAggRecordList
{
	GpuAggRecordBlock *filling; /* NULL: none is being filled */
	GpuAggRecordBlock *full;
	uint32_t	n;				/* rows in filling */
	uint32_t	nfull;			/* record blocks */
} GpuAggRecordList;

/* Of a task and a thread */
typedef struct GpuAggRecords
{
	const GpuAggRecordLayout *layout;
	const GpuAggRecordForm *form;
	GpuAggMemory *memory;
	_Atomic uint64_t *total_bytes;	/* of all threads' */
	GpuAggRecordList *lists;	/* 1 << partition_bits */
	uint8_t    *staged;			/* rows of each partition's stage */
	char	   *stages;			/* stage_rows each */
	char	   *packed;			/* rows on their way to stages */
	size_t		own_bytes;		/* of this whole block */
	uint64_t	kept;			/* rows since they were last emptied */
	uint64_t	bytes;			/* of blocks */
	uint64_t	bytes_most;		/* that they may have */
	struct GpuAggRecordMemory *blocks;
	char	   *next;			/* what the newest block has left */
	size_t		left;
	GpuAggRecordBlock *free;
} GpuAggRecords;

/* Some records of a partition as a block of rows */
typedef struct GpuAggRecordView
{
	uint32_t	n;
	GpuAggKeyBlock block;
	GpuAggInputs in;
	GpuAggVector vectors[GPUAGG_MAX_RECORD_COLUMNS];
	char	   *images;
	uint64_t   *hashes;			/* their lower halves */
	size_t		bytes;			/* of this whole block */
} GpuAggRecordView;

/* Where in a partition's records a reader is; starts as zeros */
typedef struct GpuAggRecordCursor
{
	const GpuAggRecordBlock *record_block;
	bool		in_stage;
	uint32_t	row;			/* the next one */
	uint32_t	nrows;			/* of the record block or stage */
	const char *rows;
} GpuAggRecordCursor;

/* Columns: what the program alone decides. */
extern void gpuagg_record_layout_columns(GpuAggRecordLayout *layout,
										 const GpuAggPrepared *prepared);

/* The rest, once the number of partitions is known. */
extern void gpuagg_record_layout_blocks(GpuAggRecordLayout *layout,
										uint32_t partition_bits, uint32_t threads,
										size_t scope_bytes);

/* NULL: no memory.  Nothing is kept as long as bytes_most is 0. */
extern GpuAggRecords *gpuagg_records_create(const GpuAggRecordLayout *layout,
											GpuAggMemory *memory,
											_Atomic uint64_t *total_bytes);
extern void gpuagg_records_free(GpuAggRecords *r);

/*
 * Keep rows sel[0 .. n - 1].  Returns how many of them, from the first on,
 * found room; less than n: memory is used up, or what is kept is to be
 * aggregated first, for other rows are no longer compact.
 */
extern uint32_t gpuagg_records_add(GpuAggRecords *r, const GpuAggKeyBlock *block,
								   const GpuAggInputs *in, const uint16_t *sel,
								   uint32_t n);

static inline uint64_t
gpuagg_records_count(const GpuAggRecords *r, uint32_t partition)
{
	const GpuAggRecordList *list = &r->lists[partition];

	return (uint64_t) list->nfull * r->form->record_block_rows + r->staged[partition] +
		(list->filling != NULL ? list->n : 0);
}

/* NULL: no memory. */
extern GpuAggRecordView *gpuagg_record_view_create(const GpuAggRecordLayout *layout,
												   GpuAggMemory *memory);
extern void gpuagg_record_view_free(GpuAggRecordView *view, GpuAggMemory *memory);

/* A partition's records, some at a time.  False: there are no more. */
extern bool gpuagg_records_read(const GpuAggRecords *r, uint32_t partition,
								GpuAggRecordCursor *cursor, GpuAggRecordView *view);

/* The partition's records have been aggregated; its record blocks are free. */
extern void gpuagg_records_drop(GpuAggRecords *r, uint32_t partition);

/* Nothing is kept: give all memory of records back. */
extern void gpuagg_records_release(GpuAggRecords *r);

#endif							/* GPUAGG_HOST_RECORDS_H */
