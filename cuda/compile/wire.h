/*
 * wire.h
 *		What the device worker and its compiler (program/gpuagg_compile.c) say to
 *		each other, through pipes: one hello, then a reply for each request.
 *
 * Both are of one build and one machine: structures travel as they lie in memory.
 */
#ifndef GPUAGG_CUDA_COMPILE_WIRE_H
#define GPUAGG_CUDA_COMPILE_WIRE_H

#include <stdint.h>

/* Changes with this file */
#define GPUAGG_WIRE_MAGIC UINT64_C(0x3143676170677561)

#define GPUAGG_DIGEST_BYTES 32

/* Longer ones are no kernel texts, no machine code, no log. */
#define GPUAGG_WIRE_MAX (64 << 20)

/* The compiler, first of all */
typedef struct GpuAggWireHello
{
	uint64_t	magic;
	uint32_t	works;			/* 0: it ends now; name says why */
	uint32_t	arch;			/* that it compiles for */
	uint8_t		digest[GPUAGG_DIGEST_BYTES];	/* of all but the text that
												 * decides on the machine code */
	char		name[96];		/* "NVRTC 13.0, sm_90" */
} GpuAggWireHello;

/* Then the text */
typedef struct GpuAggWireRequest
{
	uint64_t	magic;
	uint64_t	bytes;
} GpuAggWireRequest;

/* Then machine code, or what the compiler says of the text */
typedef struct GpuAggWireReply
{
	uint64_t	magic;
	uint32_t	compiled;
	uint32_t	pad;
	uint64_t	bytes;
	uint64_t	compile_ns;
} GpuAggWireReply;

#endif							/* GPUAGG_CUDA_COMPILE_WIRE_H */
