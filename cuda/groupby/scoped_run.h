/*
 * scoped_run.h
 *		A run of scoped grouping, as the files of its host side share it.
 *
 *	scoped.cu			what is next, end
 *	scoped_batches.cu	begin, rows that arrive in batches
 *	scoped_sources.cu	rows of columns that stay
 *	scoped_launch.cu	launches, and what they need
 *	scoped_memory.cu	memory, the table, counters up and down
 *	scoped_shape.cu		what follows from the program alone
 */
#ifndef GPUAGG_CUDA_GROUPBY_SCOPED_RUN_H
#define GPUAGG_CUDA_GROUPBY_SCOPED_RUN_H

#include "cuda/core/cuda_device.h"
#include "cuda/groupby/scoped.h"

typedef enum GpuAggScopedPhase
{
	GPUAGG_SCOPED_PHASE_BEGIN,	/* or decoded batches are packed */
	GPUAGG_SCOPED_PHASE_PACKED,	/* how many records are there? */
	GPUAGG_SCOPED_PHASE_MAIN,	/* the strategy's launch */
	GPUAGG_SCOPED_PHASE_BIG,	/* partitions for several blocks */
	GPUAGG_SCOPED_PHASE_DONE
} GpuAggScopedPhase;

typedef struct GpuAggScopedBlock
{
	void	   *p;
	size_t		bytes;
} GpuAggScopedBlock;

#define GPUAGG_SCOPED_BLOCKS 96

struct GpuAggScoped
{
	GpuAggScopedConfig config;
	GpuAggScopedMemory memory;
	GpuAggScopedReport *report;
	cudaStream_t stream;
	const GpuAggPlan *plan;
	const GpuAggProgram *program;
	GpuAggRecord record;
	GpuAggKeyShape key;
	GpuAggScopedArgs args;
	GpuAggScopedLocal local;
	GpuAggScopedLocal dense;	/* of partitions that a block has for itself */
	GpuAggScopedLocal sparse;	/* of those with few rows a group, or none */
	const GpuAggPlan *device_plan;
	GpuAggSources sources;		/* list NULL: rows are records */
	uint64_t	taken;			/* rows of the sources that count */
	char	   *records;		/* of decoded batches, or packed sources; NULL: there are
								 * none, or they have been read */
	uint64_t	max_records;	/* room */
	uint64_t	bound;			/* there are at most that many, those of decoded batches
								 * under way included */
	bool		all_big;		/* partitions have several blocks each */
	bool		retrying;		/* working off the lists */
	GpuAggScopedPhase phase;
	GpuAggScopedReport *device; /* its copy on the card */
	uint32_t	blocks;			/* of kernels with local tables */
	uint32_t	dense_blocks;
	uint64_t	window;
	GpuAggWindows windows;
	GpuAggPartitions parts;
	uint64_t	top[2];			/* the first level's only parent */
	uint64_t	max_waiting;	/* room in the lists */
	uint64_t	max_spilled;
	GpuAggScopedPiece pieces[GPUAGG_SCOPED_PIECES];
	uint32_t	npieces;
	GpuAggScopedBlock owned[GPUAGG_SCOPED_BLOCKS];
	uint32_t	nowned;
};

#define SCOPED_CHECK(call) \
	do { \
		GpuAggStatus status_ = gpuagg_cuda_failed(NULL, call, #call, __FILE__, __LINE__, error); \
		if (status_ != GPUAGG_OK) \
			return status_; \
	} while (0)

/* ---------- scoped_batches.cu ---------- */

/* Rows are of this shape from now on. */
extern void gpuagg_scoped_args_set(GpuAggScoped *s, const GpuAggScopedArgs *args,
								   GpuAggKeyShape key);

/* All decoded batches are packed: how many records are there? */
extern GpuAggStatus gpuagg_scoped_batches_end(GpuAggScoped *s, GpuAggError *error);

/* What was enqueued last reads the records of decoded batches for the last time. */
extern void gpuagg_scoped_batches_read(GpuAggScoped *s);

/* ---------- scoped_sources.cu ---------- */

/* Grouping begins, or records are made of the sources first. */
extern GpuAggStatus gpuagg_scoped_sources_begin(GpuAggScoped *s, GpuAggError *error);

/* ---------- scoped_memory.cu ---------- */

/* Memory that the run gives back at its end, or before; NULL: *error */
extern void *gpuagg_scoped_take(GpuAggScoped *s, size_t bytes, GpuAggError *error);
extern void gpuagg_scoped_give(GpuAggScoped *s, void *p);

extern GpuAggStatus gpuagg_scoped_table(GpuAggScoped *s, uint64_t capacity,
										GpuAggTableRef *table, GpuAggError *error);

/* Room for `more` groups beyond those that are there */
extern GpuAggStatus gpuagg_scoped_grow(GpuAggScoped *s, uint64_t more, GpuAggError *error);

/* The counters to the card, and back: GPUAGG_BUSY, or it failed */
extern GpuAggStatus gpuagg_scoped_put(GpuAggScoped *s, GpuAggError *error);
extern GpuAggStatus gpuagg_scoped_ask(GpuAggScoped *s, GpuAggError *error);

/* ---------- scoped_launch.cu: GPUAGG_BUSY, or it failed ---------- */

/* The strategy's first launch, with all that it needs; and again */
extern GpuAggStatus gpuagg_scoped_start(GpuAggScoped *s, GpuAggError *error);
extern GpuAggStatus gpuagg_scoped_launch(GpuAggScoped *s, GpuAggError *error);

/* Room for that many groups, and for those of partitions under way */
extern GpuAggStatus gpuagg_scoped_add_piece(GpuAggScoped *s, double groups,
											GpuAggError *error);

#endif							/* GPUAGG_CUDA_GROUPBY_SCOPED_RUN_H */
