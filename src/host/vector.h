/*
 * vector.h
 *		The host device's interpreter: runs a program instruction by
 *		instruction over up to 1024 rows at once.
 *
 * Each register is a vector of values and, unless all of them are values, a
 * vector of states.  Memory belongs to the caller: one block of
 * gpuagg_vectors_bytes(p), used by one thread, valid for as long as program
 * and block are.  Callers fill the loaded columns (values, and states or
 * clean) and run; constants are broadcast once, at init.
 *
 * Values in lanes whose state is not VALUE are arbitrary.
 */
#ifndef GPUAGG_HOST_VECTOR_H
#define GPUAGG_HOST_VECTOR_H

#include "device/choice/limits.h"
#include "device/program.h"

typedef struct GpuAggVector
{
	union
	{
		int64_t    *i;
		double	   *f;
		GpuAggBytes *b;
	}			v;
	uint8_t    *st;
	bool		clean;			/* every state is VALUE; then st need not have
								 * been written */
} GpuAggVector;

typedef struct GpuAggVectors
{
	const GpuAggProgram *program;
	GpuAggVector *reg;			/* [program->nregs] */
} GpuAggVectors;

/* Size of the block that init takes; a multiple of 64. */
extern size_t gpuagg_vectors_bytes(const GpuAggProgram *p);

/*
 * Lays registers out in memory (64-byte aligned) and broadcasts constants.
 * A constant that is only a member of an IN list gets no vector (v.i is
 * NULL): the lists are read from the program.
 */
extern void gpuagg_vectors_init(GpuAggVectors *vs, const GpuAggProgram *p,
								void *memory);

/* Runs instructions [first, last) for rows 0 .. n - 1. */
extern void gpuagg_vectors_run(GpuAggVectors *vs, uint32_t first,
							   uint32_t last, uint32_t n);

/* gpuagg_vectors_run without fetching ahead what look-ups touch, to be compared with */
extern void gpuagg_vectors_run_alone(GpuAggVectors *vs, uint32_t first,
									 uint32_t last, uint32_t n);

#endif							/* GPUAGG_HOST_VECTOR_H */
