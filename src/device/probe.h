/*
 * probe.h
 *		Measuring a device's memory hierarchy: what a device offers for it,
 *		and what comes out.
 *
 * A probe session runs on a thread of its own in the device worker, for
 * seconds, while the worker's event loop goes on.  The drivers (probe/) are
 * the same for all devices: which strides and distances, how often, what the
 * curves mean.  A device only runs one measurement at a time, as told, and
 * says how long it took; its functions may block, but look at *cancel between
 * pieces of at most 100 ms.
 *
 * Units: bytes, nanoseconds, cycles of the unit's own clock, events a second.
 * Numbers are of one measurement; repeating and taking medians is the
 * driver's affair.  0 where a device cannot tell.
 *
 * Sources: dependent chases over strides and distances, and TLB sharing, are Karnagel et
 * al., Big Data causing Big (TLB) Problems (3.2, 3.3); stride by size is Inferring Kaveri's
 * Shared Virtual Memory Implementation; ceilings are Revisiting Query Performance in GPU
 * Database Systems (5.2); the host's access patterns are Khuong, There's more to locality
 * than caches.
 */
#ifndef GPUAGG_DEVICE_PROBE_H
#define GPUAGG_DEVICE_PROBE_H

#include "common.h"

/* One session: its memory, and whatever else the device needs */
typedef struct GpuAggProbe GpuAggProbe;

typedef struct GpuAggProbeLimits
{
	double		seconds;		/* all probes together, about */
	double		memory_share;	/* of the free memory that may be taken, <= 1 */
	uint64_t	memory_bytes;	/* bytes that may be taken at most; 0: no such limit */
} GpuAggProbeLimits;

/* What the device knows of itself without measuring */
typedef struct GpuAggProbeMachine
{
	uint32_t	units;			/* multiprocessors; cores of the host */
	uint32_t	warp;			/* threads in lockstep; 1 on the host */
	uint64_t	bytes;			/* of the session's memory */
	uint64_t	total_bytes;	/* of the device's */
	uint64_t	cache_bytes;	/* last-level cache, as its maker says; 0: unknown */
	uint64_t	page_bytes;		/* of the session's memory as far as the
								 * device knows (host: 4 KiB or 2 MiB); 0 */
	double		clock_ghz;		/* of a unit, now or at most; 0 */
	uint32_t	guest;			/* a virtual machine, whose pages are not what
								 * the processor's TLBs hold */
	uint32_t	pad;
} GpuAggProbeMachine;

/*
 * A dependent chase by one thread: `count` elements of 8 bytes, each holds
 * where the next one is; element i lies at i * stride plus an offset
 * (gpuagg_chase_offset) that makes elements fall into all cache sets, and all TLB
 * sets where the stride is longer than a page.  stride * count and what align
 * skips fit the memory.  They are visited in an order that hardware prefetchers
 * do not guess when shuffle is set, in order of address otherwise.  All elements
 * are visited once untimed, then `rounds` times timed.
 */
typedef struct GpuAggChase
{
	uint64_t	stride;			/* bytes, a power of two, >= 8 */
	uint64_t	count;			/* elements, >= 2; stride * count <= bytes */
	uint32_t	rounds;			/* >= 1 */
	uint32_t	unit;			/* which one runs it */
	uint32_t	huge;			/* host: on 2 MiB pages, if it has them */
	uint32_t	shuffle;
	uint64_t	start;			/* first byte of the region */
	uint64_t	align;			/* the first element lies at the first multiple of
								 * it from there on, as addresses count: a power
								 * of two; 0: at start */
	uint32_t	own_cache;		/* go through the unit's own cache too, where that
								 * can be passed by: a GPU's L1 is looked up
								 * before addresses are translated, and would
								 * hide the TLB.  0 for TLBs, 1 for caches */
	uint32_t	pad;
} GpuAggChase;

/* Offsets are multiples of it: no line is shorter. */
#define GPUAGG_CHASE_LINE 64

/*
 * How far behind i * stride element i lies: so many lines as the digits of i add up
 * to, in the base of how many lines a stride has, modulo that.  i alone would use
 * but one of so many of a cache's sets, since it has repeated where these wrap; so
 * would any sum that ends before its last digit.
 */
GPUAGG_FN uint64_t
gpuagg_chase_offset(uint64_t stride, uint64_t i)
{
	uint64_t	lines = stride / GPUAGG_CHASE_LINE;
	uint64_t	sum = 0;
	uint32_t	bits = 0;

	if (lines <= 1)
		return 0;
	while (lines >> bits > 1)
		bits++;
	for (; i > 0; i >>= bits)
		sum += i;
	return (sum & (lines - 1)) * GPUAGG_CHASE_LINE;
}

/* Where it begins, in memory whose first byte has that address */
static inline uint64_t
gpuagg_chase_first(const GpuAggChase *chase, uint64_t address)
{
	uint64_t	at = address + chase->start;

	return chase->align == 0 ? chase->start :
		chase->start + ((0 - at) & (chase->align - 1));
}

typedef struct GpuAggChaseTime
{
	double		ns;				/* an access */
	double		cycles;
} GpuAggChaseTime;

/* What random accesses are: independent ones, by the whole device */
typedef enum GpuAggRandomKind
{
	GPUAGG_RANDOM_READ8,
	GPUAGG_RANDOM_READ32,		/* one aligned sector */
	GPUAGG_RANDOM_ATOMIC8,		/* 64-bit add whose result nobody wants */
	GPUAGG_NRANDOMS
} GpuAggRandomKind;

/*
 * Ceilings.  X(name, what the number is, direction of better)
 * Rates are a second; times are ns.
 */
#define GPUAGG_CEILING_LIST(X) \
	X(MEMORY_READ, "bytes_per_second")		/* sequential read of memory far larger than caches */ \
	X(MEMORY_COPY, "bytes_per_second")		/* read plus written bytes of a copy */ \
	X(CACHE_READ, "bytes_per_second")		/* sequential read of a region inside the
											 * last-level cache */ \
	X(INT_OPS, "operations_per_second")		/* 32-bit integer multiply-adds, all units; counted
											 * as one */ \
	X(LOCAL_ATOMICS_1, "operations_per_second")		/* 32-bit atomic adds to the block's own
													 * memory, all threads of a block to one
													 * address (host: a thread's own table) */ \
	X(LOCAL_ATOMICS_32, "operations_per_second")	/* as LOCAL_ATOMICS_1, to 32 addresses */ \
	X(LOCAL_ATOMICS_1024, "operations_per_second") \
	X(PARTITION, "rows_per_second")			/* one radix pass of (4-byte key, 4-byte value),
											 * 256 partitions */ \
	X(COPY_IN, "bytes_per_second")			/* pinned host memory to the device; host: memcpy
											 * by one thread */ \
	X(COPY_OUT, "bytes_per_second") \
	X(ZERO_COPY_IN, "bytes_per_second")		/* kernel reads pinned host memory, 8 KiB pieces in
											 * random order */ \
	X(ZERO_COPY_OUT, "bytes_per_second") \
	X(LAUNCH, "ns")							/* an empty kernel, enqueued and waited for; host:
											 * a task to the pool and back */ \
	X(THREAD_READ, "bytes_per_second")		/* sequential read by one unit alone */ \
	/* First touch: from asking for memory to having written all of it. */ \
	X(TOUCH, "bytes_per_second")			/* the device's own, by the device; host: pages of
											 * 4 KiB */ \
	X(TOUCH_HUGE, "bytes_per_second")		/* host: pages of 2 MiB */ \
	X(TOUCH_PINNED_HOST, "bytes_per_second")	/* pinned host memory, by the host */ \
	X(TOUCH_PINNED_DEVICE, "bytes_per_second")	/* pinned host memory, by the device */ \
	X(TOUCH_MANAGED_HOST, "bytes_per_second")	/* memory that moves to who touches it, by the
												 * host */ \
	X(TOUCH_MANAGED_DEVICE, "bytes_per_second") /* memory that moves to who touches it, by the
												 * device */ \
	X(HOST_READ, "bytes_per_second")		/* sequential read of the host's memory by a backend: no
											 * device measures it (calibrate/measure.c) */ \
	X(GROUP, "rows_per_second")				/* host: rows of (int4, int4, float8) on pages in
											 * caches, grouped by the first, counted and the
											 * second summed */ \
	X(COMPILED, "ns")						/* what a kernel compiled for a query takes for few
											 * rows, by the device's clock, as a task of a backend
											 * (calibrate/measure.c) */

typedef enum GpuAggCeiling
{
#define X(name, unit) GPUAGG_CEILING_##name,
	GPUAGG_CEILING_LIST(X)
#undef X
	GPUAGG_NCEILINGS
} GpuAggCeiling;

/*
 * One of the device's kernels (Li et al., Performance Modeling in CUDA Streams, table I); none on
 * the host
 */
typedef struct GpuAggKernelInfo
{
	char		name[48];
	uint32_t	threads;		/* of a block, as it is launched */
	uint32_t	registers;		/* of a thread */
	uint32_t	shared_bytes;	/* static, of a block */
	uint32_t	dynamic_bytes;	/* as it is launched, at most */
	uint32_t	blocks_per_unit;	/* that the runtime says fit at once */
} GpuAggKernelInfo;

/* Limits of a unit, for the occupancy model (Li et al., equations 2 to 9) */
typedef struct GpuAggUnitLimits
{
	uint32_t	threads;
	uint32_t	blocks;
	uint32_t	warps;
	uint32_t	registers;
	uint32_t	shared_bytes;
	uint32_t	warp_threads;
	uint32_t	block_threads;	/* of one block */
	uint32_t	register_unit;	/* registers are given to a warp in multiples */
	uint32_t	warp_unit;		/* warps are counted in multiples of so many */
	uint32_t	shared_unit;	/* bytes */
	uint32_t	shared_reserved;	/* of each block, by the system */
	uint32_t	thread_registers;	/* of one thread; 0: not known */
} GpuAggUnitLimits;

typedef struct GpuAggProbeOps
{
	/*
	 * Takes memory within the limits.  *cancel is read at any time until
	 * end; a function that finds it set returns GPUAGG_CANCELLED.
	 */
	GpuAggStatus (*begin) (void *device, const GpuAggProbeLimits *limits,
						   const volatile int *cancel, GpuAggProbe **probe,
						   GpuAggProbeMachine *machine, GpuAggError *error);
	void		(*end) (GpuAggProbe *probe);

	GpuAggStatus (*chase) (GpuAggProbe *probe, const GpuAggChase *chase,
						   GpuAggChaseTime *time, GpuAggError *error);

	/*
	 * Two units at once, each with a region of its own from start and
	 * other_start on, `bytes` long, reading at random; *rate is what `unit`
	 * reads a second meanwhile.  other == unit: alone.  NULL where units do not
	 * differ (host).
	 */
	GpuAggStatus (*pair) (GpuAggProbe *probe, uint32_t unit, uint32_t other,
						  uint64_t start, uint64_t other_start, uint64_t bytes,
						  double *rate, GpuAggError *error);

	/* Events a second of the whole device in a region from byte 0 on */
	GpuAggStatus (*random) (GpuAggProbe *probe, GpuAggRandomKind kind,
							uint64_t bytes, double *rate, GpuAggError *error);

	/* GPUAGG_UNSUPPORTED: the device has no such thing */
	GpuAggStatus (*ceiling) (GpuAggProbe *probe, GpuAggCeiling ceiling,
							 double *value, GpuAggError *error);

	/* The n-th kernel, while there is one */
	bool		(*kernel) (GpuAggProbe *probe, uint32_t n,
						   GpuAggKernelInfo *kernel);
	void		(*unit_limits) (GpuAggProbe *probe, GpuAggUnitLimits *limits);

	/*
	 * Host only, NULL elsewhere: ns of reading four 8-byte words of a random
	 * 128-byte bucket by pattern (Khuong: 0; 0, 3; 0, 3, 7; 0, 3, 7, 8 as
	 * lines' eighths) in a region, and rows a second of `threads` threads
	 * that read at random.
	 */
	GpuAggStatus (*pattern) (GpuAggProbe *probe, uint32_t words, uint64_t bytes,
							 bool huge, double *ns, GpuAggError *error);
	GpuAggStatus (*threads) (GpuAggProbe *probe, uint32_t threads,
							 double *rate, GpuAggError *error);
} GpuAggProbeOps;

/* ---------- results ---------- */

typedef enum GpuAggLevelKind
{
	GPUAGG_LEVEL_CACHE,
	GPUAGG_LEVEL_TLB,
	GPUAGG_LEVEL_MEMORY			/* behind the last cache */
} GpuAggLevelKind;

/* One level of the hierarchy; 0: not found, or does not apply */
typedef struct GpuAggLevel
{
	GpuAggLevelKind kind;
	uint32_t	level;			/* from 1, of its kind */
	uint64_t	entries;		/* TLB */
	uint64_t	page_bytes;		/* TLB: what an entry covers; cache: line bytes */
	uint64_t	reach_bytes;
	double		hit_ns;			/* an access that this level answers */
	double		hit_cycles;
	double		miss_ns;		/* what missing it adds */
	double		miss_cycles;
	double		confidence;		/* 0 to 1: share of repeats that agree */
	uint64_t	searched_bytes; /* how far was looked */
	uint64_t	sector_bytes;	/* cache: what a miss of the level fetches */
} GpuAggLevel;

#define GPUAGG_MAX_LEVELS 12
#define GPUAGG_MAX_UNITS 1024
#define GPUAGG_MAX_RANDOM_POINTS 64
#define GPUAGG_MAX_KERNELS 32

typedef struct GpuAggRandomPoint
{
	uint64_t	bytes;
	double		rate[GPUAGG_NRANDOMS];
	double		spread[GPUAGG_NRANDOMS];	/* (max - min) / median of the repeats */
} GpuAggRandomPoint;

typedef struct GpuAggHostPattern
{
	uint32_t	words;
	uint32_t	huge;
	uint64_t	bytes;
	double		ns;
} GpuAggHostPattern;

#define GPUAGG_MAX_PATTERNS 32
#define GPUAGG_MAX_THREAD_POINTS 32

/* All that a session found; sent to the client as one block */
typedef struct GpuAggProbeResult
{
	GpuAggProbeMachine machine;
	GpuAggUnitLimits limits;
	uint32_t	nlevels;
	uint32_t	ngroups;		/* TLB sharing: groups of units; 0: not measured */
	uint32_t	npoints;
	uint32_t	nkernels;
	uint32_t	npatterns;
	uint32_t	nthreads;
	GpuAggLevel levels[GPUAGG_MAX_LEVELS];
	uint16_t	group[GPUAGG_MAX_UNITS];	/* of each unit, from 0 */
	GpuAggRandomPoint points[GPUAGG_MAX_RANDOM_POINTS];
	double		ceiling[GPUAGG_NCEILINGS];	/* 0: has none */
	double		ceiling_spread[GPUAGG_NCEILINGS];
	GpuAggKernelInfo kernels[GPUAGG_MAX_KERNELS];
	GpuAggHostPattern patterns[GPUAGG_MAX_PATTERNS];
	struct
	{
		uint32_t	threads;
		double		rate;
	}			thread_points[GPUAGG_MAX_THREAD_POINTS];
	double		spread;			/* that two thirds of the ceilings' do not exceed */
	uint32_t	busy;			/* the device was not ours alone, it seems */
	double		seconds;
} GpuAggProbeResult;

/* Points of curves, for pictures: sent as they are measured */
typedef enum GpuAggCurve
{
	GPUAGG_CURVE_CHASE,			/* x: distance in bytes, of: stride, y: cycles */
	GPUAGG_CURVE_SIZE,			/* x: bytes, of: stride, y: ns (cache and line) */
	GPUAGG_CURVE_SHARING		/* x: unit, of: other unit, y: slowed by */
} GpuAggCurve;

typedef struct GpuAggCurvePoint
{
	uint32_t	curve;			/* GpuAggCurve */
	uint32_t	pad;
	uint64_t	of;
	uint64_t	x;
	double		y;
} GpuAggCurvePoint;

/* How the session goes, called on the session's thread */
typedef struct GpuAggProbeObserver
{
	void		(*progress) (void *context, const char *stage, double share);
	void		(*point) (void *context, const GpuAggCurvePoint *point);
	void	   *context;
} GpuAggProbeObserver;

#endif							/* GPUAGG_DEVICE_PROBE_H */
