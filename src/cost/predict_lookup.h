/*
 * predict_lookup.h
 *		What looking rows up among a table's slots takes, and for which tables a filter before the
 *		slots (device/ops/lookup_filter.h) pays.
 */
#ifndef GPUAGG_COST_PREDICT_LOOKUP_H
#define GPUAGG_COST_PREDICT_LOOKUP_H

#include "cost/predict.h"

/* Rows that are looked up in a table */
typedef struct GpuAggProbing
{
	double		probes;			/* rows that are looked up */
	double		found;			/* the part of the rows looked up that has a row in the table */
	bool		made;			/* the device makes the table; else the backend does */
} GpuAggProbing;

#ifdef __cplusplus
extern "C" {
#endif

/* ns of a row, all of the device at work, of so many bytes of slots; 0: not known */
extern double gpuagg_predict_probe(const GpuAggRates *rates, double slots_bytes, double found,
								   bool filter);

/* Among these numbers of slots, each a power of two, those of tables for which a filter pays */
extern uint64_t gpuagg_predict_filters(const GpuAggRates *rates, const GpuAggProbing *probing,
									   uint64_t slots);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_COST_PREDICT_LOOKUP_H */
