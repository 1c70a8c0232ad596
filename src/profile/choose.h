/*
 * choose.h
 *		Which strategy a grouping gets: device/strategy.h, asked with the
 *		profile, the settings and the device as they are now.
 */
#ifndef GPUAGG_PROFILE_CHOOSE_H
#define GPUAGG_PROFILE_CHOOSE_H

#include "postgres.h"

#include "device/program.h"
#include "profile/predict.h"

/* Fills in what the program does; the rest is the caller's. */
extern void gpuagg_choose_work(GpuAggWork *work, const GpuAggProgram *program);

/*
 * On the device that runs tasks, or the host device (which behind a GPU has no
 * profile).  Programs without keys, and those that select rows, have no
 * strategy: GPUAGG_STRATEGY_AUTO, in one pass.
 */
extern void gpuagg_choose(const GpuAggWork *work, const GpuAggProgram *program,
						  bool host, GpuAggStrategyChoice *choice);

#endif							/* GPUAGG_PROFILE_CHOOSE_H */
