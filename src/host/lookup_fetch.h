/*
 * lookup_fetch.h
 *		Fetches what look-ups of a block of rows will touch.
 */
#ifndef GPUAGG_HOST_LOOKUP_FETCH_H
#define GPUAGG_HOST_LOOKUP_FETCH_H

#include "vector.h"

/* Before an instruction that looks up, or fetches of what was found, runs for n rows */
extern void gpuagg_lookup_fetch(const GpuAggVectors *vs, const GpuAggInstr *ins, uint32_t n);

#endif							/* GPUAGG_HOST_LOOKUP_FETCH_H */
