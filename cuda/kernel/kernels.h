/*
 * kernels.h
 *		What the host side and the kernels of the CUDA device share: a task's
 *		prepared program, a decoded batch, the group table, and the
 *		functions that launch kernels.
 *
 * All pointers here are device addresses.  Structures are passed to kernels
 * by value, but for the prepared program, which lies in device memory.
 *
 * Decoded batch.  A batch of pages becomes columns in device memory.  Each
 * line pointer of a page has a position: page i's first line is row row_base
 * of the decoded batch, whatever the page holds, so that no thread has to ask
 * another where its row goes.  valid[row] tells whether a visible tuple is
 * there that is not yet in a group: the decoder sets it, grouping clears it.
 * What grouping could not place, because the table was full, keeps its flag,
 * and the same kernel is run again behind a larger table.  So growth loses
 * nothing and counts nothing twice.
 *
 * Column c has one or two 8-byte words a row (two: GpuAggBytes) from word
 * column_words[c] * rows on, and a state byte a row.  Byte strings point into
 * the decoded batch's own copy of its pages; behind their two words is one for
 * the code of a string in a dictionary.
 *
 * A decoded batch may also be a stripe, columns that stayed on the card
 * (device/stripe.h): it has the flags `valid` alone, and rows are loaded from
 * there.
 *
 * Group table.  Open addressing, linear probing, entries in place: a row of
 * layout.h, and a lock behind it if a state is a string.  The row's head is
 *		0							empty
 *		GPUAGG_HEAD_LOCKED			keys are being written
 *		GPUAGG_HEAD_READY | nulls	keys are there and do not change
 * States of empty entries are initialised, so that an entry needs only its
 * keys, and states change by atomics alone.
 */
#ifndef GPUAGG_CUDA_KERNEL_KERNELS_H
#define GPUAGG_CUDA_KERNEL_KERNELS_H

#include <cuda_runtime.h>

#include "cuda/kernel/card_types.h"
#include "device/batch_memory.h"
#include "device/choice/limits.h"
#include "device/choice/occupancy.h"

/* Parts of a block of device memory begin where cudaMalloc() would have them: at 256 bytes */
static inline size_t
gpuagg_cuda_align(size_t bytes)
{
	return gpuagg_align(bytes, GPUAGG_DECODED_ALIGN);
}

/* How groups get strings for codes: device/ops/decoding.h */
typedef struct GpuAggEncoding GpuAggEncoding;

/* Which groups are wanted: wanted.h */
typedef struct GpuAggCudaWanted GpuAggCudaWanted;

/* A task's prepared program: uploaded once, read by every kernel. */
typedef struct GpuAggCudaPrepared
{
	GpuAggLayout layout;
	uint32_t	stride;			/* bytes of an entry */
	uint32_t	lock_off;		/* of its lock, or 0: it has none */
	uint32_t	states_off;		/* first byte behind the keys */
	uint32_t	has_strings;	/* string keys or states */
	uint32_t	has_moments;	/* states to be finished (device/ops/moment_state.h) */
	uint32_t	has_bytes;		/* BYTES columns: decoded batches copy pages */
	uint32_t	nwords;			/* of a row of all columns */
	uint32_t	program_off;	/* of the program, from the prepared program's start */
	uint32_t	sampled;		/* only lines of the sample count */
	uint32_t	nstages;		/* of the filter: GpuAggStages' */
	uint16_t	stage_reg[GPUAGG_STAGES];
	uint16_t	stage_end[GPUAGG_STAGES];
	GpuAggSample sample;
	GpuAggHashWindow hash_window;			/* hashes whose groups are wanted */
	uint16_t	column_words[GPUAGG_MAX_REGS];	/* what a register loads */
	uint16_t	string_words[GPUAGG_MAX_REGS];	/* a string on the page, or
												 * GPUAGG_NO_REG */
	uint16_t	code_words[GPUAGG_MAX_REGS];	/* the code of a string */
	char		init_row[GPUAGG_MAX_ROW_BYTES + GPUAGG_LOCK_BYTES];
} GpuAggCudaPrepared;

/* One page of a batch */
typedef struct GpuAggPageRef
{
	const char *page;
	uint16_t	nlines;
	uint16_t	positions;		/* that are its own in the stripe; 0: which are valid there stays
								 * (GpuAggPage's beside) */
	uint32_t	row_base;
	uint32_t	bitmap;			/* 1 + number of its bitmap, or 0 */
	uint32_t	block;			/* in the table */
	uint32_t	stripe;			/* 1 + number of the one that keeps it, or 0 */
	uint32_t	position;			/* of its first line there */
	uint64_t	there;			/* as GpuAggPage's */
} GpuAggPageRef;

/* A stripe that a batch is kept in */
typedef struct GpuAggStripeRef
{
	uint32_t   *valid;			/* a bit a position */
	GpuAggZone *zones;			/* rows */
	const GpuAggStripeColumn *columns;	/* as many as the program has */
} GpuAggStripeRef;

typedef struct GpuAggDecodedBatch
{
	GpuAggBatchHead *head;
	uint32_t	nrows;			/* positions */
	uint32_t	npages;
	const GpuAggPageRef *refs;
	const uint8_t *bitmaps;
	uint8_t    *valid;
	uint8_t    *states;			/* nrows of each column */
	uint64_t   *words;
	char	   *pages;			/* copy; NULL if no column needs it */
	GpuAggRowRef *skipped;		/* the list; room for nrows */
	char	   *spill;			/* entries that found no place */
	const GpuAggStripeRef *stripes; /* where pages are kept, too; NULL: nowhere */
	unsigned long long fill_number; /* what the host is told when zones change; of each
									 * batch another */
	const GpuAggStripeColumn *resident;	/* NULL, or rows are those of a stripe:
										 * instead of states and words */
} GpuAggDecodedBatch;

/* Block-local tables: `copies` of `capacity` entries in shared memory. */
typedef struct GpuAggLocalShape
{
	uint32_t	capacity;		/* a power of two; 0: none */
	uint32_t	copies;			/* a power of two */
	uint32_t	limit;
} GpuAggLocalShape;

/* Slots whose groups are sized and written out by one block */
#define GPUAGG_RETURN_SLOTS 2048

/* Threads of a block of the group kernel */
#define GPUAGG_GROUP_THREADS 512

/* Registers of a row beyond which they lie in memory given by the caller */
#define GPUAGG_LOCAL_REGS 24

/* Bytes of scratch memory for that many threads of a wide program */
extern size_t gpuagg_cuda_scratch_bytes(const GpuAggProgram *program,
										uint32_t threads);

/* Shared memory of a block with such tables */
extern uint32_t gpuagg_cuda_local_bytes(const GpuAggLocalShape *local, uint32_t stride);

/* Blocks of the decoder on a multiprocessor: one keeps the link busy. */
#define GPUAGG_DECODE_BLOCKS 1

/*
 * Launches.  They enqueue and return; whoever calls checks
 * cudaGetLastError().  blocks are upper bounds; a GpuAggLaunch is the size of
 * blocks and their number (launch.cu).
 */
extern void gpuagg_cuda_decode(const GpuAggCudaPrepared *prepared,
							   const GpuAggDecodedBatch *decoded, uint32_t blocks,
							   cudaStream_t stream);
extern void gpuagg_cuda_group(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
							  const GpuAggTableRef *table,
							  const GpuAggLocalShape *local,
							  uint32_t stride, char *scratch,
							  uint32_t scratch_stride, uint32_t blocks,
							  cudaStream_t stream);
/* Programs that select rows: instead of grouping */
extern void gpuagg_cuda_select(const GpuAggCudaPrepared *prepared,
							   const GpuAggDecodedBatch *decoded, char *scratch,
							   uint32_t scratch_stride, uint32_t blocks, cudaStream_t stream);
/* Programs that select rows, where it is known which rows pass: bits */
extern void gpuagg_cuda_selected_list(const GpuAggDecodedBatch *decoded, const uint32_t *rows,
									  uint32_t blocks, cudaStream_t stream);
extern void gpuagg_cuda_merge_spill(const GpuAggCudaPrepared *prepared,
									const GpuAggDecodedBatch *decoded, uint32_t nspilled,
									const GpuAggTableRef *table,
									const GpuAggLaunch *launch,
									cudaStream_t stream);
extern void gpuagg_cuda_table_init(const GpuAggCudaPrepared *prepared,
								   const GpuAggTableRef *table, bool plain,
								   const GpuAggLaunch *launch,
								   cudaStream_t stream);
extern void gpuagg_cuda_table_move(const GpuAggCudaPrepared *prepared,
								   const GpuAggTableRef *from,
								   const GpuAggTableRef *to,
								   const GpuAggLaunch *launch,
								   cudaStream_t stream);

/* What groups are returned, and how; all on the card */
typedef struct GpuAggReturn
{
	const GpuAggCudaPrepared *prepared;
	const GpuAggEncoding *strings;	/* what they are written with instead of codes;
									 * NULL: they are written as they lie */
	const GpuAggCudaWanted *wanted; /* NULL: all */
} GpuAggReturn;

/*
 * Finds out which groups of these tables *wanted means, whose plan is filled in, in so
 * many steps (gpuagg_wanted_steps()); and counts them all.
 */
extern void gpuagg_cuda_wanted_settle(const GpuAggCudaPrepared *prepared,
									  const GpuAggTableRef *tables, uint32_t ntables,
									  uint32_t steps, GpuAggCudaWanted *wanted,
									  cudaStream_t stream);

/*
 * bytes[i], groups[i]: of slots i * GPUAGG_RETURN_SLOTS on.  base: slots of the
 * tables before this one.
 */
extern void gpuagg_cuda_size(const GpuAggReturn *r, const GpuAggTableRef *table, uint64_t base,
							 uint64_t *bytes, uint32_t *groups, cudaStream_t stream);

/*
 * Writes the groups of n runs of slots from run `first` on.  starts[i]: byte
 * of out at which run first + i begins.
 */
extern void gpuagg_cuda_return_groups(const GpuAggReturn *r, const GpuAggTableRef *table,
									  uint64_t base, uint64_t first, uint32_t n,
									  const uint64_t *starts, char *out,
									  cudaStream_t stream);

/*
 * Kernels as they are launched, for the occupancy of the device profile; the
 * last one has no name.
 */
typedef struct GpuAggKernelRef
{
	const char *name;
	const void *kernel;
	uint32_t	threads;		/* of a block */
	uint32_t	dynamic_bytes;	/* of shared memory, at most */
} GpuAggKernelRef;

/* What a kernel takes of a multiprocessor, as compiled */
typedef struct GpuAggKernelNeeds
{
	const GpuAggKernelRef *ref;
	GpuAggKernelNeed need;
	uint32_t	max_threads;	/* of a block */
} GpuAggKernelNeeds;

/* What decides the sizes of a card's launches (launch.cu) */
typedef struct GpuAggLaunches
{
	uint32_t	sms;			/* multiprocessors */
	GpuAggUnitLimits limits;	/* of each */
	uint32_t	block_bytes;	/* shared memory that a block may ask for */
	uint32_t	nneeds;
	GpuAggKernelNeeds needs[GPUAGG_MAX_KERNELS];
} GpuAggLaunches;

extern const GpuAggKernelRef gpuagg_cuda_decode_kernels[];
extern const GpuAggKernelRef gpuagg_cuda_group_kernels[];	/* [local][wide] */
extern const GpuAggKernelRef gpuagg_cuda_select_kernels[];	/* [wide] */
extern const GpuAggKernelRef gpuagg_cuda_merge_kernels[];	/* spilled groups */
extern const GpuAggKernelRef gpuagg_cuda_grow_kernels[];	/* init, move */
extern const GpuAggKernelRef gpuagg_cuda_return_kernels[];

/* A kernel that traps, for tests; with too many threads it cannot start. */
#define GPUAGG_TOO_MANY_THREADS 4096
extern void gpuagg_cuda_trap(uint32_t threads, cudaStream_t stream);

#endif							/* GPUAGG_CUDA_KERNEL_KERNELS_H */
