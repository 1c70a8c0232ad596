/*
 * handle.cuh
 *		A string that a minimum or maximum is, in one word, so that threads change it
 *		by compare-and-swap: its address and, in the lowest bits, its length.
 *
 * Strings of a launch's input stay where they are until its entries have been merged
 * (columns/numbered.cu), so a frame copies none.  Dictionaries and pages have none that
 * is too long for it, and programs with longer constants have no text; whatever has no
 * handle for another reason (an address that no card has) is left to PostgreSQL.
 */
#ifndef GPUAGG_CUDA_FRAME_HANDLE_CUH
#define GPUAGG_CUDA_FRAME_HANDLE_CUH

#include "cuda/frame/frame.h"
#include "cuda/kernel/atomics.h"
#include "device/ops/group.h"

#define FRAME_HANDLE_BITS 15
#define FRAME_HANDLE_LEN GPUAGG_CODEGEN_STRING	/* which none has */

/* No string yet: the first word of a slot that has none (layout.h), and no handle */
#define FRAME_NO_STRING ((uint64_t) GPUAGG_STRING_NONE)

GPUAGG_FN bool
frame_has_handle(GpuAggBytes b)
{
	return b.len < FRAME_HANDLE_LEN &&
		(uint64_t) (uintptr_t) b.data >> (64 - FRAME_HANDLE_BITS) == 0;
}

GPUAGG_FN uint64_t
frame_handle(GpuAggBytes b)
{
	return (uint64_t) (uintptr_t) b.data << FRAME_HANDLE_BITS | b.len;
}

GPUAGG_FN GpuAggBytes
frame_handle_string(uint64_t handle)
{
	GpuAggBytes b;

	b.data = (const char *) (uintptr_t) (handle >> FRAME_HANDLE_BITS);
	b.len = handle & FRAME_HANDLE_LEN;
	return b;
}

/* Does a handle replace another one, of which either may be none? */
GPUAGG_FN bool
frame_handle_prefers(uint32_t op, uint64_t old, uint64_t handle)
{
	if (handle == old || handle == FRAME_NO_STRING)
		return false;
	return old == FRAME_NO_STRING ||
		gpuagg_string_prefers(op, frame_handle_string(old), frame_handle_string(handle));
}

#endif							/* GPUAGG_CUDA_FRAME_HANDLE_CUH */
