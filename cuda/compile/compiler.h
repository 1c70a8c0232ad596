/*
 * compiler.h
 *		The compiler's process (program/gpuagg_compile.c), as the device worker sees
 *		it.  For one thread, which waits; knows nothing of CUDA.
 */
#ifndef GPUAGG_CUDA_COMPILE_COMPILER_H
#define GPUAGG_CUDA_COMPILE_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cuda/compile/wire.h"

typedef struct GpuAggCompilerProcess
{
	char *const *argv;			/* how it is started; argv[0] is its path */
	int			wake_fd;		/* readable: give up what you wait for */
	pid_t		pid;			/* 0: it does not run */
	int			to;				/* pipes */
	int			from;
	GpuAggWireHello hello;		/* of the one that runs, or of the last one */
} GpuAggCompilerProcess;

typedef enum GpuAggCompilerResult
{
	GPUAGG_COMPILER_DONE,
	GPUAGG_COMPILER_REFUSED,	/* the text; result is what the compiler says */
	GPUAGG_COMPILER_DIED,		/* result: how; it no longer runs */
	GPUAGG_COMPILER_HUNG,		/* it no longer runs; result: how */
	GPUAGG_COMPILER_WOKEN		/* by wake_fd; it no longer runs */
} GpuAggCompilerResult;

/*
 * Starts it and waits for its hello, at most so long.  False with the reason: it
 * could not be started, or does not work.
 */
extern bool gpuagg_compiler_start(GpuAggCompilerProcess *process, uint64_t wait_ms,
								  char *why, size_t why_bytes);

/*
 * Compiles a text.  *result, to be freed, has *bytes bytes; text ends with a zero
 * there.  NULL: no memory, told as DIED.
 */
extern GpuAggCompilerResult gpuagg_compiler_run(GpuAggCompilerProcess *process,
												const char *text, size_t text_bytes,
												uint64_t wait_ms, char **result, size_t *bytes,
												uint64_t *compile_ns);

/* Ends it, if it runs. */
extern void gpuagg_compiler_stop(GpuAggCompilerProcess *process);

#endif							/* GPUAGG_CUDA_COMPILE_COMPILER_H */
