/*
 * scoped_run.h
 *		A run of scoped grouping, as the files of its host side share it.
 *
 *	scoped.cu			begin, what is next, end
 *	scoped_chunks.cu	rows that arrive in batches
 *	scoped_launch.cu	launches, and what they need
 *	scoped_memory.cu	memory, the table, counters up and down
 *	scoped_shape.cu		what follows from the program alone
 */
#ifndef GPUAGG_CUDA_SCOPED_RUN_H
#define GPUAGG_CUDA_SCOPED_RUN_H

#include "cuda/cuda_device.h"
#include "cuda/scoped.h"

typedef enum GpuAggScopedPhase
{
	GPUAGG_SCOPED_PHASE_BEGIN,	/* or chunks are packed */
	GPUAGG_SCOPED_PHASE_PACKED,	/* records are being made of columns */
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
	GpuAggPackColumns columns;
	bool		direct;			/* kernels read the columns as they are */
	bool		chunks;			/* rows come in chunks */
	char	   *records;		/* of these; NULL: there are none, or they have
								 * been read */
	uint64_t	max_records;	/* room */
	uint64_t	bound;			/* there are at most that many, those of chunks
								 * under way included */
	bool		all_big;		/* partitions have several blocks each */
	bool		retrying;		/* working off the lists */
	GpuAggScopedPhase phase;
	GpuAggScopedReport *device; /* its copy on the card */
	uint32_t	blocks;			/* of kernels with local tables */
	uint32_t	dense_blocks;
	uint64_t	window;
	GpuAggWindows windows;
	char	   *kept;
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

/* ---------- scoped.cu ---------- */

/* A run that knows its program, but no rows; NULL: no memory */
extern GpuAggScoped *gpuagg_scoped_make(const GpuAggScopedConfig *config,
										const GpuAggPlan *plan,
										const GpuAggScopedMemory *memory,
										GpuAggScopedReport *report,
										cudaStream_t stream);

/* nullable[register]: what its rows are like */
extern GpuAggStatus gpuagg_scoped_rows(GpuAggScoped *s, const GpuAggPlan *device_plan,
									   const uint8_t *nullable, GpuAggError *error);

/* ---------- scoped_chunks.cu ---------- */

/* All chunks are packed: how many records are there? */
extern GpuAggStatus gpuagg_scoped_chunks_end(GpuAggScoped *s, GpuAggError *error);

/* What was enqueued last reads the records of chunks for the last time. */
extern void gpuagg_scoped_chunks_read(GpuAggScoped *s);

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

extern GpuAggStatus gpuagg_scoped_launch_pack(GpuAggScoped *s, GpuAggError *error);

/* The strategy's first launch, with all that it needs; and again */
extern GpuAggStatus gpuagg_scoped_start(GpuAggScoped *s, GpuAggError *error);
extern GpuAggStatus gpuagg_scoped_launch(GpuAggScoped *s, GpuAggError *error);

/* Room for that many groups, and for those of partitions under way */
extern GpuAggStatus gpuagg_scoped_add_piece(GpuAggScoped *s, double groups,
											GpuAggError *error);

/* Fields are the columns themselves. */
extern void gpuagg_scoped_read_columns(GpuAggScoped *s);

#endif							/* GPUAGG_CUDA_SCOPED_RUN_H */
