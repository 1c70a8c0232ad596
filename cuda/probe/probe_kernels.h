/*
 * probe_kernels.h
 *		Kernels that measure the card's memory hierarchy, and what they share
 *		with the host side (cuda_probe.h).
 *
 * All addresses are the card's.  Launches enqueue and return; whoever calls
 * checks cudaGetLastError().  A kernel that is to run on one multiprocessor
 * is launched with more blocks than the card has multiprocessors: the first
 * block that finds itself on it claims the work, the others return.  So a
 * report tells whether any did.
 */
#ifndef GPUAGG_CUDA_PROBE_KERNELS_H
#define GPUAGG_CUDA_PROBE_KERNELS_H

#include <cuda_runtime.h>

#include "device/probe.h"

/* %smid of any card; they need not be dense where a card is divided */
#define GPUAGG_MAX_SMIDS 4096

/* What a kernel tells; cleared before each measurement */
typedef struct GpuAggProbeReport
{
	uint32_t	claimed[2];		/* by a block on the one, the other unit */
	uint32_t	ready;			/* blocks that wait to start together */
	uint32_t	alone;			/* one waited too long */
	unsigned long long at;		/* chase: the element it has come to */
	unsigned long long events;
	unsigned long long cycles;
	unsigned long long ns;		/* by %globaltimer, which may be coarse */
	unsigned long long sink;	/* never written, though nvcc cannot know */
	uint8_t		present[GPUAGG_MAX_SMIDS];	/* which %smid there are */
} GpuAggProbeReport;

/* What the chase follows; see GpuAggChase */
typedef struct GpuAggChain
{
	char	   *start;
	uint64_t	stride;
	uint64_t	count;
	uint32_t	bits;			/* of count - 1; shuffled, or 0: in order */
} GpuAggChain;

/* Two blocks that read at random, each in its own region, for some cycles */
typedef struct GpuAggPairReads
{
	uint32_t	smid[2];
	uint32_t	blocks;			/* 1: the first alone */
	const char *start[2];
	uint64_t	bytes;
	uint64_t	warm_cycles;
	uint64_t	cycles;
} GpuAggPairReads;

/* ---------- probe_kernels.cu ---------- */

extern void gpuagg_cuda_probe_present(uint32_t blocks, GpuAggProbeReport *report,
									  cudaStream_t stream);

/* One thread spins for so long; cycles and ns tell the clock. */
extern void gpuagg_cuda_probe_clock(uint64_t ns, GpuAggProbeReport *report,
									cudaStream_t stream);

/* Words that look random, and are the same each time */
extern void gpuagg_cuda_probe_fill(char *start, uint64_t bytes,
								   cudaStream_t stream);

/* Elements first .. first + n - 1 of the order; start is the first of all */
extern void gpuagg_cuda_probe_chain(const GpuAggChain *chain, uint64_t first,
									uint64_t n, cudaStream_t stream);
extern char *gpuagg_cuda_probe_chain_start(const GpuAggChain *chain);

/* Goes on from report->at: `untimed` steps, then `timed` ones */
extern void gpuagg_cuda_probe_chase(uint32_t smid, uint32_t blocks, bool own_cache,
									uint64_t untimed, uint64_t timed,
									GpuAggProbeReport *report, cudaStream_t stream);

/* report: events and cycles of the first */
extern void gpuagg_cuda_probe_pair(const GpuAggPairReads *pair, uint32_t blocks,
								   GpuAggProbeReport *report, cudaStream_t stream);

/* Accesses of a launch: blocks * GPUAGG_RANDOM_THREADS * GPUAGG_RANDOM_AHEAD * rounds */
#define GPUAGG_RANDOM_THREADS 256
#define GPUAGG_RANDOM_AHEAD 8
extern void gpuagg_cuda_probe_random(GpuAggRandomKind kind, char *start,
									 uint64_t bytes, uint32_t blocks,
									 uint64_t rounds, GpuAggProbeReport *report,
									 cudaStream_t stream);

/* ---------- probe_rates.cu ---------- */

/*
 * Reads around the quads (16 bytes) of a region, GPUAGG_READ_AHEAD at a time
 * by each thread; of one unit alone: report's events and cycles.
 */
#define GPUAGG_READ_THREADS 256
#define GPUAGG_READ_AHEAD 8
#define GPUAGG_READ_UNIT_THREADS 1024
extern void gpuagg_cuda_probe_read(const char *start, uint64_t bytes, uint32_t blocks,
								   uint64_t rounds, GpuAggProbeReport *report,
								   cudaStream_t stream);
extern void gpuagg_cuda_probe_read_unit(uint32_t smid, const char *start,
										uint64_t bytes, uint32_t blocks,
										uint64_t rounds, GpuAggProbeReport *report,
										cudaStream_t stream);

/* A round: GPUAGG_INT_CHAINS multiply-adds of each thread */
#define GPUAGG_INT_THREADS 256
#define GPUAGG_INT_CHAINS 32
extern void gpuagg_cuda_probe_int(uint32_t blocks, uint64_t rounds,
								  GpuAggProbeReport *report, cudaStream_t stream);

/* A round: GPUAGG_ATOMICS_AHEAD adds of each thread to one of `addresses` */
#define GPUAGG_ATOMICS_THREADS 512
#define GPUAGG_ATOMICS_AHEAD 8
#define GPUAGG_ATOMICS_MAX 1024
extern void gpuagg_cuda_probe_atomics(uint32_t addresses, uint32_t blocks,
									  uint64_t rounds, GpuAggProbeReport *report,
									  cudaStream_t stream);

/* Each of the pieces of GPUAGG_PAGE_BYTES once, in random order */
extern void gpuagg_cuda_probe_pieces(bool write, char *start, uint64_t npieces,
									 uint32_t blocks, GpuAggProbeReport *report,
									 cudaStream_t stream);
extern void gpuagg_cuda_probe_empty(cudaStream_t stream);

/* ---------- probe_partition.cu ---------- */

/* Columns of `tiles` * GPUAGG_PARTITION_TILE rows, and what the pass needs */
#define GPUAGG_PARTITIONS 256
#define GPUAGG_PARTITION_TILE 7168
typedef struct GpuAggPartition
{
	uint32_t	tiles;
	const uint32_t *keys;
	const uint32_t *values;
	uint32_t   *out_keys;		/* by key % GPUAGG_PARTITIONS */
	uint32_t   *out_values;
	uint32_t   *counts;			/* GPUAGG_PARTITIONS * tiles of each */
	uint32_t   *starts;
	void	   *scratch;		/* the scan's */
	size_t		scratch_bytes;
} GpuAggPartition;

/* Lays it out for as many rows as memory has room for; false: for none */
extern bool gpuagg_cuda_probe_partition_layout(char *memory, uint64_t bytes,
											   uint32_t max_tiles,
											   GpuAggPartition *partition);
extern cudaError_t gpuagg_cuda_probe_partition(const GpuAggPartition *partition,
											   cudaStream_t stream);

#endif							/* GPUAGG_CUDA_PROBE_KERNELS_H */
