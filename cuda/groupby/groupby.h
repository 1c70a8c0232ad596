/*
 * groupby.h
 *		Grouping of rows that lie in device memory, by one of several strategies that keep
 *		random access within reach of shared memory, the L2 cache or the TLB (Karnagel et
 *		al., Big Data causing Big (TLB) Problems, sections 3 and 5.3).
 *
 *		single			the table in device memory, all at once
 *		multi-pass		the same, a window of the hash range a pass
 *		spatial			windows side by side, each on multiprocessors of its own
 *		partitioned		rows are partitioned by hash, at one or two levels,
 *						until the groups of a partition fit shared memory
 *		sorted			rows are sorted by their keys; of a wish (device/ordered.h) few
 *						groups are left
 *
 * Rows come as decoded batches, which are packed to records
 * (device/ops/record.h) when they come, or by kernels of the caller's that pack
 * them, or as sources: columns of stripes,
 * where the key is one integer column, there is at most one 4-byte argument,
 * and nothing is NULL.  Partitioning reads sources as they are; the others
 * have them packed at the end.
 *
 * Nothing here waits for the card.  gpuagg_cuda_groupby_step() is called when
 * all that it has put into the stream is done; it looks at what came of it
 * and enqueues what is next: a larger table, another window, more room for
 * groups.  No row and no group is lost or counted twice by that.
 */
#ifndef GPUAGG_CUDA_GROUPBY_H
#define GPUAGG_CUDA_GROUPBY_H

#include "cuda/groupby/groupby_sort.h"

typedef enum GpuAggGroupByStrategy
{
	GPUAGG_GROUPBY_SINGLE,		/* multi-pass, with windows_log2 > 0 */
	GPUAGG_GROUPBY_SPATIAL,
	GPUAGG_GROUPBY_PARTITIONED,
	GPUAGG_GROUPBY_SORTED		/* partitioned, if keys are too wide for it */
} GpuAggGroupByStrategy;

typedef struct GpuAggGroupByConfig
{
	GpuAggGroupByStrategy strategy;
	double		expected_groups;
	GpuAggOrdered ordered;		/* sorted: rows of an order that are wanted; if any */
	uint32_t	counted_key;	/* sorted: 1 + the key that groups are not by, whose slot has the
								 * number of different values, NULL for none; 0: no such key */
	const GpuAggLaunches *launches;	/* stays until the end */
	uint32_t	sms;			/* multiprocessors of the card */
	uint32_t	sm_bytes;		/* shared memory of one, for all its blocks */
	uint32_t	block_bytes;	/* at most, of one block */

	/* 0: chosen from the above */
	uint64_t	capacity;		/* entries of the table; a power of two */
	uint64_t	dense_groups;	/* room for groups written out, a piece */
	uint32_t	local_slots;
	uint32_t	local_copies;
	uint32_t	bits[2];		/* of both levels of partitioning */
	uint64_t	sketch_rows;	/* from so many on their groups are counted first */
	uint64_t	slice_rows;		/* of a launch, at most; 0: all */

	/* windows */
	uint32_t	windows_log2;
	const uint8_t *sm_windows;	/* spatial: on the device, by %smid, with
								 * GPUAGG_SPATIAL_UNITS of them */
} GpuAggGroupByConfig;

/* Device memory, in the order of a stream; NULL: *error */
typedef struct GpuAggGroupByMemory
{
	void	   *(*alloc) (void *arg, size_t bytes, cudaStream_t stream,
						  GpuAggError *error);
	void		(*free) (void *arg, void *p, size_t bytes, cudaStream_t stream);
	void	   *arg;
} GpuAggGroupByMemory;

/* What comes back after each step: pinned memory of the caller's */
typedef struct GpuAggGroupByReport
{
	GpuAggGroupByHead head;
	GpuAggTableHead table;
	GpuAggSortBounds bounds;
} GpuAggGroupByReport;

/* Groups written out: rows of layout.h, side by side, in device memory */
typedef struct GpuAggGroupByPiece
{
	char	   *rows;
	uint64_t	groups;
	uint64_t	capacity;
} GpuAggGroupByPiece;

#define GPUAGG_GROUPBY_PIECES 64

typedef struct GpuAggGroupBy GpuAggGroupBy;

/*
 * The prepared program lies on the device as well; both, and what config
 * points to, stay until the end.  Any column may be NULL.  GPUAGG_UNSUPPORTED:
 * the program has strings, or too many fields.
 */
extern GpuAggStatus gpuagg_cuda_groupby_open(const GpuAggGroupByConfig *config,
											const GpuAggCudaPrepared *prepared,
											const GpuAggCudaPrepared *device_prepared,
											const GpuAggGroupByMemory *memory,
											GpuAggGroupByReport *report,
											cudaStream_t stream,
											GpuAggGroupBy **groupby,
											GpuAggError *error);

/* Of batches that are packed [wide]: batch_blocks (launch.cu) knows what they take */
extern const GpuAggKernelRef gpuagg_cuda_pack_kernels[];

/*
 * Packs what is valid in a decoded batch, and passes; decoded->head
 * counts it.  The prepared program, here and there, is that of the decoded
 * batch's program, which has the same keys and transitions.  Scratch as
 * gpuagg_cuda_group().
 */
extern GpuAggStatus gpuagg_cuda_groupby_decoded(GpuAggGroupBy *groupby,
											 const GpuAggCudaPrepared *device_prepared,
											 const GpuAggProgram *program,
											 const GpuAggDecodedBatch *decoded, char *scratch,
											 uint32_t scratch_stride, uint32_t blocks,
											 GpuAggError *error);

/*
 * Room for as many records of rows that a kernel of the caller's packs, in the order
 * of the stream: all records that there are, and where they are counted.
 */
extern GpuAggStatus gpuagg_cuda_groupby_room(GpuAggGroupBy *groupby, uint32_t places,
											 char **records, unsigned long long **nrecords,
											 GpuAggError *error);

/*
 * A batch of that many places has come to its end with so many records, some with a NULL.
 * Once for each of the above, or nobody knows that there are no NULLs.
 */
extern void gpuagg_cuda_groupby_settle(GpuAggGroupBy *groupby, uint32_t places, uint64_t records,
									  uint64_t with_null);

/* Which columns sources of a program's rows have */
typedef struct GpuAggSourceShape
{
	uint16_t	key;			/* registers */
	uint16_t	arg;			/* the key's, if there is no argument */
	uint8_t		key_bytes;
	bool		has_arg;
} GpuAggSourceShape;

/* Of the prepared program here.  False: rows are of another shape. */
extern bool gpuagg_cuda_groupby_takes_sources(const GpuAggCudaPrepared *prepared,
											  GpuAggSourceShape *shape);

/*
 * All rows of the sources, n of them, and the records of all decoded batches
 * are input, before the first step; no decoded batch's row has a NULL.  The
 * sources are copied, what they point to stays until the end.  `first` is set
 * here.
 */
extern GpuAggStatus gpuagg_cuda_groupby_sources(GpuAggGroupBy *groupby, const GpuAggSource *sources,
											   const uint64_t *rows, uint32_t n,
											   uint64_t taken, GpuAggError *error);

/* GPUAGG_BUSY: call again when the stream is idle; GPUAGG_OK: all is grouped */
extern GpuAggStatus gpuagg_cuda_groupby_step(GpuAggGroupBy *groupby, GpuAggError *error);

/*
 * What it has found: groups written out, n pieces, and those of the table.  No
 * group is in both, or twice in one.
 */
extern const GpuAggGroupByPiece *gpuagg_cuda_groupby_pieces(const GpuAggGroupBy *groupby,
														   uint32_t *n);
extern const GpuAggTableRef *gpuagg_cuda_groupby_table(const GpuAggGroupBy *groupby);

/* Groups that it has found, where those of rows that are wanted are fewer; else 0 */
extern uint64_t gpuagg_cuda_groupby_found(const GpuAggGroupBy *groupby);

/* Are groups by all keys but the one whose values are counted? */
extern bool gpuagg_cuda_groupby_counted(const GpuAggGroupBy *groupby);

/* The strategy that it has come to */
extern GpuAggGroupByStrategy gpuagg_cuda_groupby_runs(const GpuAggGroupBy *groupby);

/* Frees everything, in the order of the stream. */
extern void gpuagg_cuda_groupby_end(GpuAggGroupBy *groupby);

/* ---------- groupby_shape.cu ---------- */

/* The fields, keys and steps of a program's rows; the prepared program and rows come later. */
extern void gpuagg_cuda_groupby_args(const GpuAggCudaPrepared *prepared,
									 const GpuAggProgram *program, const GpuAggRecord *record,
									 GpuAggGroupByArgs *args);

/* Rows as they lie now */
extern GpuAggFast gpuagg_cuda_groupby_fast(const GpuAggGroupByArgs *args, GpuAggKeyShape key);

/* Fields are those of records at `records`. */
extern void gpuagg_cuda_groupby_records(const GpuAggRecord *record, const char *records,
									   uint64_t n, GpuAggGroupByArgs *args);

/* A local table for that many groups; false: they do not fit */
extern bool gpuagg_cuda_groupby_shape(const GpuAggGroupByConfig *config,
									 const GpuAggGroupByArgs *args, GpuAggKeyShape key,
									 double groups, GpuAggGroupByLocal *local);

/*
 * A table for partitions of few rows a group, and one for those among them that
 * have too many rows; false: rows are others, or many for each group
 */
extern bool gpuagg_cuda_groupby_few_rows(const GpuAggGroupByConfig *config,
									  const GpuAggGroupByArgs *args, GpuAggKeyShape key,
									  GpuAggGroupByLocal *few_rows, GpuAggGroupByLocal *dense);

/* Bits of both levels, unless config names them */
extern void gpuagg_cuda_groupby_bits(const GpuAggGroupByConfig *config,
									const GpuAggGroupByArgs *args, GpuAggKeyShape key,
									uint32_t *bits);

/* ---------- kernels ---------- */

/* Blocks of the pack kernel, for each multiprocessor; and their threads */
#define GPUAGG_PACK_BLOCKS 8
#define GPUAGG_PACK_THREADS 256

/* Warps that may be on a multiprocessor: tiles that are under way */
#define GPUAGG_SM_WARPS 64

extern cudaError_t gpuagg_cuda_groupby_single(const GpuAggGroupByArgs *args, GpuAggKeyShape key,
											 const GpuAggWindows *windows,
											 uint32_t sms, cudaStream_t stream);
/* Rows of sources that count, as records of two fields; head->npacked counts them. */
extern cudaError_t gpuagg_cuda_groupby_pack_sources(const GpuAggGroupByArgs *args,
												   GpuAggKeyShape key,
												   const GpuAggSources *sources,
												   uint32_t slices, char *records, uint32_t sms,
												   cudaStream_t stream);

/* n records with their first field and their last one as columns with that much room */
extern cudaError_t gpuagg_cuda_groupby_to_source(const GpuAggRecord *record, const char *records,
												uint64_t n, uint64_t room, char *key,
												uint32_t *arg, uint32_t *taken, uint32_t sms,
												cudaStream_t stream);
extern cudaError_t gpuagg_cuda_groupby_pack_decoded(const GpuAggGroupByArgs *args,
												 const GpuAggPackDecodedBatch *decoded,
												 char *scratch, uint32_t scratch_stride,
												 uint32_t blocks, cudaStream_t stream);
/* Counts, starts and cursors of a level; bits: up to GPUAGG_COUNT_BITS */
extern cudaError_t gpuagg_cuda_groupby_count(const GpuAggGroupByArgs *args, GpuAggKeyShape key,
											const GpuAggPartLevel *level, uint32_t sms,
											cudaStream_t stream);

/* The pieces of a level */
extern cudaError_t gpuagg_cuda_groupby_cut(const GpuAggPartLevel *level, cudaStream_t stream);

/*
 * About how many groups all rows have: head->distinct.  level: of all of them; its counts
 * have GPUAGG_SKETCH_BYTES of zeros.
 */
#define GPUAGG_SKETCH_BYTES 8192
extern cudaError_t gpuagg_cuda_groupby_sketch(const GpuAggGroupByArgs *args, GpuAggKeyShape key,
											 const GpuAggPartLevel *level, uint32_t sms,
											 cudaStream_t stream);

/* Starts and cursors, from those of partitions with so many bits more */
extern void gpuagg_cuda_groupby_coarse(const GpuAggPartLevel *level, const uint64_t *fine,
									  uint32_t fine_bits, cudaStream_t stream);
extern cudaError_t gpuagg_cuda_groupby_write(const GpuAggGroupByArgs *args, GpuAggKeyShape key,
											const GpuAggPartLevel *level, uint32_t sms,
											cudaStream_t stream);

/* dense NULL: the split ones, which go to the table */
extern cudaError_t gpuagg_cuda_groupby_partitions(const GpuAggGroupByArgs *args,
												 GpuAggKeyShape key,
												 const GpuAggGroupByLocal *local,
												 const GpuAggGroupByLocal *few_rows,
												 const GpuAggPartitions *partitions,
												 const GpuAggDense *dense,
												 uint32_t blocks, cudaStream_t stream);

/* Rows and groups that waited for a larger table */
extern cudaError_t gpuagg_cuda_groupby_pending(const GpuAggGroupByArgs *args,
											  const uint64_t *rows, uint64_t nrows,
											  const char *spilled, uint64_t nspilled,
											  uint32_t sms, cudaStream_t stream);

#endif							/* GPUAGG_CUDA_GROUPBY_H */
