/*
 * compiled.h
 *		Kernels that a device compiles for queries: what a task wants, and what
 *		the device tells of those that it has.
 */
#ifndef GPUAGG_DEVICE_COMPILED_H
#define GPUAGG_DEVICE_COMPILED_H

#include "common.h"

/* gpuagg.compile */
typedef enum GpuAggCompileMode
{
	GPUAGG_COMPILE_AUTO,		/* where it pays (choice/compile_rule.h) */
	GPUAGG_COMPILE_OFF,			/* interpret */
	GPUAGG_COMPILE_ALWAYS		/* wait for it */
} GpuAggCompileMode;

/* Times are predictions of what the task's kernels take; 0: unknown */
typedef struct GpuAggCompileWish
{
	uint32_t	mode;			/* GpuAggCompileMode */
	uint32_t	pad;
	uint64_t	interpreted_ns;
	uint64_t	compiled_ns;
	uint64_t	program;		/* a number for programs that share their kernels, by who
								 * predicts; 0: none */
} GpuAggCompileWish;

/*
 * Frames, which are what becomes of the rows of a kernel (cuda/frame/);
 * X(name, header there, strategy as EXPLAIN tells it, or NULL: the task's)
 */
#define GPUAGG_FRAME_LIST(X) \
	X(PLAIN, plain, "plain") \
	X(DIRECT, direct, "block-local") \
	X(DENSE, dense, "single-pass") \
	X(HASHED, hashed, "block-local") \
	X(SINGLE, single, "single-pass") \
	X(PACKED, packed, NULL) \
	X(SELECTED, selected, NULL)

typedef enum GpuAggFrame
{
#define X(name, header, strategy) GPUAGG_FRAME_##name,
	GPUAGG_FRAME_LIST(X)
#undef X
	GPUAGG_NFRAMES
} GpuAggFrame;

/* Room for the compiler's name, or for why there is none */
#define GPUAGG_COMPILER_BYTES 96

#define GPUAGG_SHAPE_BYTES 128

typedef enum GpuAggKernelStage
{
	GPUAGG_KERNEL_STAGE_SEEN,	/* asked for, and not worth compiling so far */
	GPUAGG_KERNEL_STAGE_QUEUED,
	GPUAGG_KERNEL_STAGE_LOADED,
	GPUAGG_KERNEL_STAGE_FAILED
} GpuAggKernelStage;

/* One kernel */
typedef struct GpuAggCompiledInfo
{
	char		shape[GPUAGG_SHAPE_BYTES];
	char		message[GPUAGG_MESSAGE_BYTES];	/* why it failed */
	uint64_t	digest;			/* of its text */
	uint64_t	program;		/* of who asked for it last (GpuAggCompileWish) */
	uint32_t	stage;			/* GpuAggKernelStage */
	uint32_t	from_disk;		/* 1: not compiled by this worker */
	uint64_t	compile_ns;		/* by whoever compiled it */
	uint64_t	load_ns;
	uint64_t	uses;			/* tasks that ran it */
	uint64_t	bytes;			/* of machine code */
	uint32_t	registers;		/* of a thread */
	uint32_t	shared_bytes;	/* static, of a block */
	uint32_t	local_bytes;	/* of a thread: spilled */
	uint32_t	block_threads;	/* of a block, at most */
	uint32_t	blocks;			/* of 256 threads that a multiprocessor runs at once */
	uint32_t	news;			/* 1: it has failed, and this is told the first time */
} GpuAggCompiledInfo;

/* All of them, since the device was opened */
typedef struct GpuAggKernelTotals
{
	uint64_t	changes;		/* rises whenever a kernel's stage changes */
	uint64_t	compiled;
	uint64_t	from_disk;
	uint64_t	failed;
	uint64_t	refused;		/* not queued: too many were */
	uint64_t	restarts;		/* of the compiler's process, for it crashed or hung */
} GpuAggKernelTotals;

#endif							/* GPUAGG_DEVICE_COMPILED_H */
