/*
 * groupby_run.h
 *		A run of grouping in device memory, as the files of its host side share it.
 *
 *	groupby.cu			what is next, end
 *	groupby_batches.cu	begin, rows that arrive in batches
 *	groupby_sources.cu	rows of columns that stay
 *	groupby_launch.cu	launches, and what they need
 *	groupby_memory.cu	memory, the table, counters up and down
 *	groupby_shape.cu		what follows from the program alone
 *	groupby_sorted.cu	grouping by sorting
 */
#ifndef GPUAGG_CUDA_GROUPBY_RUN_H
#define GPUAGG_CUDA_GROUPBY_RUN_H

#include "cuda/core/cuda_device.h"
#include "cuda/groupby/groupby.h"

typedef enum GpuAggGroupByPhase
{
	GPUAGG_GROUPBY_PHASE_BEGIN,	/* nothing is done yet, or decoded batches are packed */
	GPUAGG_GROUPBY_PHASE_PACKED,	/* how many records are there? */
	GPUAGG_GROUPBY_PHASE_SKETCHED,	/* how many groups are there? */
	GPUAGG_GROUPBY_PHASE_BOUNDED,	/* sorted: how wide are keys? */
	GPUAGG_GROUPBY_PHASE_SORTED,	/* sorted: how many groups are there? */
	GPUAGG_GROUPBY_PHASE_MAIN,	/* the strategy's launch */
	GPUAGG_GROUPBY_PHASE_SPLIT,	/* partitions for several blocks */
	GPUAGG_GROUPBY_PHASE_DONE
} GpuAggGroupByPhase;

typedef struct GpuAggGroupByBlock
{
	void	   *p;
	size_t		bytes;
} GpuAggGroupByBlock;

#define GPUAGG_GROUPBY_BLOCKS 96

struct GpuAggGroupBy
{
	GpuAggGroupByConfig config;
	GpuAggGroupByMemory memory;
	GpuAggGroupByReport *report;
	cudaStream_t stream;
	const GpuAggCudaPrepared *prepared;
	const GpuAggProgram *program;
	GpuAggRecord record;
	GpuAggKeyShape key;
	GpuAggGroupByArgs args;
	GpuAggGroupByLocal local;
	GpuAggGroupByLocal dense;	/* of partitions that a block has for itself */
	GpuAggGroupByLocal few_rows;	/* of those with few rows a group, or none */
	const GpuAggCudaPrepared *device_prepared;
	GpuAggSources sources;		/* list NULL: rows are records */
	uint64_t	taken;			/* rows of the sources that count */
	char	   *records;		/* of decoded batches, or packed sources; NULL: there are
								 * none, or they have been read */
	uint64_t	max_records;	/* room */
	uint64_t	with_null;		/* records with a NULL, or outside of a transition, as far as
								 * batches are counted */
	uint32_t	unsettled;		/* decoded batches whose records with a NULL are not counted yet */
	uint64_t	bound;			/* there are at most that many, those of decoded batches
								 * under way included */
	bool		all_split;		/* partitions have several blocks each */
	bool		retrying;		/* working off the lists */
	GpuAggGroupByPhase phase;
	GpuAggGroupByReport *device; /* its copy on the card */
	uint32_t	blocks;			/* of kernels with local tables */
	uint32_t	dense_blocks;
	uint64_t	window;
	GpuAggWindows windows;
	GpuAggPartitions parts;
	uint64_t	top[2];			/* the first level's only parent */
	uint64_t	max_pending;	/* room in the lists */
	uint64_t	max_spilled;
	GpuAggSortShape sort;
	GpuAggSorted sorted;
	GpuAggGroupByPiece pieces[GPUAGG_GROUPBY_PIECES];
	uint32_t	npieces;
	GpuAggGroupByBlock owned[GPUAGG_GROUPBY_BLOCKS];
	uint32_t	nowned;
};

#define GROUPBY_CHECK(call) \
	do { \
		GpuAggStatus status_ = gpuagg_cuda_failed(NULL, call, #call, __FILE__, __LINE__, error); \
		if (status_ != GPUAGG_OK) \
			return status_; \
	} while (0)

/* ---------- groupby_batches.cu ---------- */

/* Rows are of this shape from now on. */
extern void gpuagg_groupby_args_set(GpuAggGroupBy *s, const GpuAggGroupByArgs *args,
								   GpuAggKeyShape key);

/* All decoded batches are packed: how many records are there? */
extern GpuAggStatus gpuagg_groupby_batches_end(GpuAggGroupBy *s, GpuAggError *error);

/* What was enqueued last reads the records of decoded batches for the last time. */
extern void gpuagg_groupby_batches_read(GpuAggGroupBy *s);

/* ---------- groupby_sources.cu ---------- */

/* Grouping begins, or records are made of the sources first. */
extern GpuAggStatus gpuagg_groupby_sources_begin(GpuAggGroupBy *s, GpuAggError *error);

/* ---------- groupby_sorted.cu ---------- */

/* What is next of rows that are sorted: as gpuagg_cuda_groupby_step() */
extern GpuAggStatus gpuagg_groupby_sorted_step(GpuAggGroupBy *s, GpuAggError *error);

/* ---------- groupby_memory.cu ---------- */

/* Memory that the run gives back at its end, or before; NULL: *error */
extern void *gpuagg_groupby_take(GpuAggGroupBy *s, size_t bytes, GpuAggError *error);
extern void gpuagg_groupby_give(GpuAggGroupBy *s, void *p);

extern GpuAggStatus gpuagg_groupby_table(GpuAggGroupBy *s, uint64_t capacity,
										GpuAggTableRef *table, GpuAggError *error);

/* Room for `more` groups beyond those that are there */
extern GpuAggStatus gpuagg_groupby_grow(GpuAggGroupBy *s, uint64_t more, GpuAggError *error);

/* The counters to the card, and back: GPUAGG_BUSY, or it failed */
extern GpuAggStatus gpuagg_groupby_put(GpuAggGroupBy *s, GpuAggError *error);
extern GpuAggStatus gpuagg_groupby_ask(GpuAggGroupBy *s, GpuAggError *error);

/* ---------- groupby_launch.cu: GPUAGG_BUSY, or it failed ---------- */

/* In how many launches so many rows are gone through */
extern uint32_t gpuagg_groupby_slices(const GpuAggGroupBy *s, uint64_t rows);

/* Rows are there: how many groups have they, where that is asked, and then the start */
extern GpuAggStatus gpuagg_groupby_measure(GpuAggGroupBy *s, GpuAggError *error);

/* The strategy's first launch, with all that it needs; and again */
extern GpuAggStatus gpuagg_groupby_start(GpuAggGroupBy *s, GpuAggError *error);
extern GpuAggStatus gpuagg_groupby_launch(GpuAggGroupBy *s, GpuAggError *error);

/* Room for that many groups, and for those of partitions under way */
extern GpuAggStatus gpuagg_groupby_add_piece(GpuAggGroupBy *s, double groups,
											GpuAggError *error);

#endif							/* GPUAGG_CUDA_GROUPBY_RUN_H */
