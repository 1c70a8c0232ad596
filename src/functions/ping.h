/*
 * ping.h
 *		Empty tasks.
 */
#ifndef GPUAGG_FUNCTIONS_PING_H
#define GPUAGG_FUNCTIONS_PING_H

#include "postgres.h"

#include "device/program.h"

/* The program of an empty task: count(*) without keys */
extern const GpuAggProgram *gpuagg_ping_program(void);

/*
 * Median round trip of n empty tasks of a device, or of the host device, microseconds; ERROR if
 * there is no answer.
 */
extern double gpuagg_ping_median(int n, int device, bool host);

#endif							/* GPUAGG_FUNCTIONS_PING_H */
