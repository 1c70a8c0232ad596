/*
 * predict_strategy.h
 *		Which strategy a task gets, as far as it follows from the work, the program and the
 *		rates alone.  PostgreSQL-free; cost/choose.c adds the device and the settings.
 */
#ifndef GPUAGG_COST_PREDICT_STRATEGY_H
#define GPUAGG_COST_PREDICT_STRATEGY_H

#include "cost/predict.h"

/* Of rows of columns that the device has */
typedef struct GpuAggResidentChoice
{
	GpuAggStrategy strategy;	/* what the device is told */
	GpuAggStrategy runs;		/* what that becomes, as far as columns' ranges are known */
	GpuAggStrategy interpreted;	/* what that becomes where no kernel is compiled */
} GpuAggResidentChoice;

#ifdef __cplusplus
extern "C" {
#endif

/* Of the input: all that work and program say; plain is the caller's. */
extern void gpuagg_strategy_input(const GpuAggWork *work, const GpuAggProgram *program,
								  GpuAggStrategyInput *input);

/*
 * For columns, and a program with keys as the device gets it; work->compiled has the
 * program's part, and gets the strategy's.
 */
extern void gpuagg_resident_choose(const GpuAggRates *card, const GpuAggStrategyRates *rates,
								   GpuAggStrategyInput *input,
								   const GpuAggProgram *program, GpuAggWork *work,
								   GpuAggResidentChoice *out);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_COST_PREDICT_STRATEGY_H */
