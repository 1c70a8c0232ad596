/*
 * groupby_rows.h
 *		What the kernels of grouping in device memory share with who launches
 *		them: rows as fields, the steps of a row into its group, counters,
 *		shapes.
 *
 * A row is a set of fields (device/ops/record.h) that lie at base + row * step.
 * Rows of one integer key and at most one 4-byte argument are also read from
 * sources: columns as they lie in stripes, with a bit for each row that counts.
 */
#ifndef GPUAGG_CUDA_GROUPBY_ROWS_H
#define GPUAGG_CUDA_GROUPBY_ROWS_H

#include "cuda/kernel/kernels.h"
#include "device/choice/local.h"
#include "device/choice/slices.h"

typedef struct GpuAggRowField
{
	const char *base;
	uint32_t	step;
	uint8_t		bytes;			/* 4 or 8 */
	uint8_t		f64;
	uint8_t		pad[2];
} GpuAggRowField;

/* One transition */
typedef struct GpuAggStep
{
	uint8_t		op;				/* GpuAggTransOp */
	uint8_t		field;			/* number of its argument's field; GPUAGG_NO_FIELD: it has none */
	uint8_t		kind;			/* GpuAggLocalKind */
	uint8_t		bytes;			/* of its state in a block-local table */
	uint16_t	off;			/* of its state in the group's row */
	uint16_t	local_off;		/* bytes of a local group before this state */
} GpuAggStep;

/* Rows of one integer key, and of one 4-byte integer argument at most */
typedef enum GpuAggFast
{
	GPUAGG_FAST_NOT,			/* other rows, or states that need whole words */
	GPUAGG_FAST_SOURCES,		/* columns of sources */
	GPUAGG_FAST_PAIRS			/* records of both */
} GpuAggFast;

/*
 * Rows that lie in columns.  Rows of all sources are numbered through, and
 * pointers are such that a row's number is its index: row r has the key
 * key[r] and the argument arg[r], and counts if bit r % 32 of taken[r / 32]
 * is set.  A source has whole tiles.  Of packed columns (device/ops/packed.h)
 * these are the words, whose first row's number is `first`.
 */
typedef struct GpuAggSource
{
	uint64_t	key;			/* addresses */
	uint64_t	arg;			/* of 4-byte values */
	uint64_t	key_blocks;		/* 0: the column is plain */
	uint64_t	arg_blocks;
	uint64_t	taken;
	uint64_t	first;			/* number of the first row */
} GpuAggSource;

/* Sources of a run, on the device; behind the last one is an end */
typedef struct GpuAggSources
{
	const GpuAggSource *list;	/* NULL: rows are not in sources */
	uint32_t	n;
	uint32_t	pad;
	uint64_t	end;			/* the number after the last row */
} GpuAggSources;

/* Counters on the device; zero when a launch begins, unless said otherwise */
typedef struct GpuAggGroupByHead
{
	unsigned long long tile;	/* next tile; kept from launch to launch */
	unsigned long long groups;	/* entries written out; kept */
	unsigned long long npacked; /* rows written as records; kept */
	unsigned long long npending;	/* rows of the overflow list */
	unsigned long long nspilled;	/* groups of local tables that wait, too */
	unsigned long long misses;	/* rows without place in a local table; kept */
	uint32_t	stop;			/* no more tiles: a table is full */
	uint32_t	errors;			/* GPUAGG_ST_ bits that were consumed; kept */
	uint32_t	nsplit;			/* partitions left to several blocks; kept */
	uint32_t	full;			/* no more partitions: no room for groups */
	unsigned long long many_rows;	/* next of the many-rows partitions; kept */
	uint32_t	nmany_rows;			/* partitions with keys of many rows; kept */
	uint32_t	pad;
	double		distinct;		/* groups of all rows, about */
} GpuAggGroupByHead;

/* What every kernel of a run gets, by value */
typedef struct GpuAggGroupByArgs
{
	const GpuAggCudaPrepared *prepared;		/* on the device */
	GpuAggGroupByHead *head;
	GpuAggTableRef table;
	uint64_t	seed;			/* of the hash */
	uint32_t	nkeys;
	uint32_t	nsteps;
	uint32_t	row_bytes;		/* of a group, and from one to the next */
	uint32_t	record_bytes;
	uint32_t	local_bytes;	/* of a local group's states */
	uint32_t	has_head;
	GpuAggPartRows kind;		/* of rows */
	GpuAggRowField flags;			/* the records' heads, if they have them */
	uint32_t	nfields;
	GpuAggRowField fields[GPUAGG_RECORD_FIELDS];
	uint16_t	field_off[GPUAGG_RECORD_FIELDS];	/* in a record */
	uint16_t	field_reg[GPUAGG_RECORD_FIELDS];	/* where packing finds it */
	uint8_t		key_field[GPUAGG_MAX_KEYS + 1];
	uint16_t	key_off[GPUAGG_MAX_KEYS + 1];
	GpuAggStep	steps[GPUAGG_MAX_TRANSITIONS];
	uint64_t	n;				/* rows */
	uint64_t   *pending;		/* overflow list: rows for a larger table */
	char	   *spilled;		/* groups of local tables, likewise */
} GpuAggGroupByArgs;

/* A launch takes rows in tiles of this many, a warp each. */
#define GPUAGG_WARP_TILE GPUAGG_STRIPE_TILE

/* Partitions with few rows a group are drawn so many at once. */
#define GPUAGG_FEW_ROWS_BATCH 4

/* Tables in shared memory: `copies` of each state, keys once */
typedef struct GpuAggGroupByLocal
{
	uint32_t	threads;		/* of a block */
	uint32_t	slots;			/* any number */
	uint32_t	copies;			/* a power of two, at most 32 */
	uint32_t	key_bytes;		/* of a slot */
	uint32_t	stage_bytes;	/* where a warp puts finished rows; or 0 */
	uint32_t	bytes;			/* of shared memory, with all that goes along */
	bool		words;			/* no state is GPUAGG_LOCAL_STATE */
	uint8_t		few_rows;			/* GpuAggFewRows */
} GpuAggGroupByLocal;

/*
 * Windows: rows whose hash is in [first, first + count) of 2^log2 ranges.  With
 * sm_windows, each multiprocessor has its own window, by its number, and
 * every window its own count of tiles.
 */
typedef struct GpuAggWindows
{
	uint32_t	log2;			/* 0: all rows */
	uint32_t	window;
	const uint8_t *sm_windows;	/* GPUAGG_SPATIAL_UNITS; NULL: all take `window` */
	unsigned long long *tiles;	/* one for each window, with sm_windows */
	uint64_t	end_tile;		/* that the launch does not begin, nor those behind it */
} GpuAggWindows;

/*
 * One level of partitioning: each parent's rows go to 2^bits partitions, by
 * the bits of the hash behind those of the levels before.
 */
#define GPUAGG_MAX_PARTITION_BITS 12

/* Partitions whose rows are counted in shared memory at once: 128 kB */
#define GPUAGG_COUNT_BITS 15

/* A piece of work of a level: rows of one parent or source; it has whole tiles */
#define GPUAGG_PIECE_ROWS 131072

typedef struct GpuAggPiece
{
	uint64_t	first;
	uint64_t	end;
	uint32_t	parent;			/* its parent's number, or its source's */
} GpuAggPiece;

typedef struct GpuAggPartLevel
{
	GpuAggHashWindow hash_window;			/* window that all hashes are in */
	uint32_t	bits;			/* of this level */
	uint32_t	before;			/* of the levels before */
	uint32_t	nparents;
	const uint64_t *parents;	/* nparents + 1 starts of their rows */
	GpuAggSources sources;		/* rows of the only parent, if they are in such */
	GpuAggSlice slice;			/* of the pieces, of each launch that goes through rows */
	GpuAggPiece *pieces;		/* of work, one parent's behind the other's */
	uint32_t   *npieces;
	uint32_t   *counts;			/* of each partition of each parent */
	uint64_t   *starts;			/* where each partition of each parent starts, and one more at the
								 * end */
	unsigned long long *cursors;	/* where the next row goes */
	char	   *records;		/* where to */
} GpuAggPartLevel;

/* Partitions that are grouped, one block each */
typedef struct GpuAggPartitions
{
	uint32_t	n;
	const uint64_t *starts;
	uint64_t	split_rows;		/* larger ones are left to several blocks */
	uint32_t   *split;			/* those */
	uint32_t   *many_rows;			/* of many rows a group, where others have few */
	GpuAggSlice slice;			/* of each launch */
} GpuAggPartitions;

/* A decoded batch whose rows become records */
typedef struct GpuAggPackDecodedBatch
{
	const GpuAggCudaPrepared *prepared;		/* of its program, on the device */
	GpuAggDecodedBatch decoded;
	char	   *records;		/* from number head->npacked on */
	uint16_t	regs[GPUAGG_RECORD_FIELDS];	/* where the program has the fields */
} GpuAggPackDecodedBatch;

/* Where finished groups go, rows of layout.h side by side */
typedef struct GpuAggDense
{
	char	   *out;
	uint64_t	capacity;		/* groups */
} GpuAggDense;

#endif							/* GPUAGG_CUDA_GROUPBY_ROWS_H */
