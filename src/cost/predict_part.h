/*
 * predict_part.h
 *		What a part of a device would be measured as: fewer multiprocessors, as a MIG slice
 *		or a share of MPS has, another bandwidth of memory.
 */
#ifndef GPUAGG_COST_PREDICT_PART_H
#define GPUAGG_COST_PREDICT_PART_H

#include "cost/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Rates of a device with so many units and so many bytes of memory a second; 0: as many as
 * it has, of the latter as many as that many units can ask for.
 *
 * What units do by themselves goes by their number.  Memory gives what it is told to, or
 * has, but no more than the units ask for: one of them alone reads THREAD_READ bytes a second.
 * Random accesses are sectors of memory, and go by the same bounds.  The link, launches and what a
 * backend does are as they were.
 */
extern void gpuagg_rates_part(GpuAggRates *rates, int units, double bandwidth);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_COST_PREDICT_PART_H */
