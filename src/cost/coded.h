/*
 * coded.h
 *		A program as it runs over columns that are kept: their strings are codes where
 *		that is all that is needed of them, expressions over them tables by code, and least and
 *		greatest ones places.
 */
#ifndef GPUAGG_COST_CODED_H
#define GPUAGG_COST_CODED_H

#include "device/program.h"

/*
 * That program, palloc'd; its constants that are codes, and its code tables' places, are unknown.
 * of: whose codes registers hold (encode.h).
 */
extern GpuAggProgram *gpuagg_coded_program(const GpuAggProgram *program, uint16 *of);

#endif							/* GPUAGG_COST_CODED_H */
