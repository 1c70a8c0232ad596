/*
 * answers.h
 *		What answers are kept in: groups, or the rows that are chosen.
 */
#ifndef GPUAGG_NODE_ANSWERS_H
#define GPUAGG_NODE_ANSWERS_H

#include "postgres.h"

#include "node/scan/order.h"

/* Begins an empty store for groups of a device, in the place of what the demand has found. */
extern void gpuagg_answers_begin(const GpuAggScan *scan, const GpuAggDemand *demand);

/* Takes back what was answered behind a mark. */
extern void gpuagg_answers_cut(const GpuAggScan *scan, const GpuAggDemand *demand,
							   const GpuAggStoreMark *mark);

/* Groups that the demand has found, of several tasks, merged, in a store of their own: so many */
extern GpuAggStatus gpuagg_answers_merge(const GpuAggScan *scan, const GpuAggDemand *demand,
										 uint64 *merged, GpuAggError *error);

/* Takes back all that was answered. */
extern void gpuagg_answers_forget(GpuAggFound *found);

/* The next row that is asked for is the first. */
extern void gpuagg_answers_rewind(GpuAggFound *found);

#endif							/* GPUAGG_NODE_ANSWERS_H */
