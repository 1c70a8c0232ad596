/*
 * predict_host.h
 *		What predict.c and predict_host.c share.  PostgreSQL-free, as they are.
 */
#ifndef GPUAGG_COST_PREDICT_HOST_H
#define GPUAGG_COST_PREDICT_HOST_H

#include <math.h>

#include "cost/predict.h"
#include "device/choice/limits.h"

static inline double
gpuagg_predict_passes(const GpuAggWork *work)
{
	return fmax(1, work->passes);
}

/* Bytes of a pass's table, half full */
static inline double
gpuagg_predict_table_bytes(const GpuAggWork *work)
{
	return 2 * work->groups / gpuagg_predict_passes(work) * work->entry_bytes;
}

/* How much slower a unit is than one that does so many operations a second */
static inline double
gpuagg_predict_slowness(const GpuAggRates *rates, double reference)
{
	double		ops = rates->ceiling[GPUAGG_CEILING_INT_OPS] / rates->units;

	return ops > 0 ? reference / ops : 1;
}

/* What a thread of an EPYC reads a second */
#define GPUAGG_PREDICT_READ_RATE 3.04e10

/* What one thread of the host takes to read so many bytes from memory; ns */
static inline double
gpuagg_predict_read(const GpuAggRates *rates, double bytes)
{
	double		rate = rates->ceiling[rates->gpu ? GPUAGG_CEILING_HOST_READ :
									  GPUAGG_CEILING_THREAD_READ];

	return bytes / (rate > 0 ? rate : GPUAGG_PREDICT_READ_RATE) * 1e9;
}

/* How slow a process of PostgreSQL is here, and a thread of the host device, beside an EPYC's */
extern double gpuagg_predict_backend_slowness(const GpuAggRates *rates);
extern double gpuagg_predict_host_slowness(const GpuAggRates *rates);

/* Start of a task */
extern double gpuagg_predict_start(const GpuAggRates *rates, const GpuAggWork *work);

/* Start of a task of the host device, and all that its threads do; ns */
extern double gpuagg_predict_host_start(const GpuAggRates *rates,
										const GpuAggWork *work);
extern double gpuagg_predict_host_kernel(const GpuAggRates *rates,
										 const GpuAggWork *work);

#endif							/* GPUAGG_COST_PREDICT_HOST_H */
