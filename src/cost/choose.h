/*
 * choose.h
 *		Which strategy a grouping gets, how draws are made, and which look-up tables
 *		have filters: device/choice/strategy.h, draw_plan.h and predict_lookup.h, asked
 *		with the profile, the settings and the device as they are now.
 */
#ifndef GPUAGG_COST_CHOOSE_H
#define GPUAGG_COST_CHOOSE_H

#include "postgres.h"

#include "cost/predict_lookup.h"
#include "cost/predict_strategy.h"
#include "device/program.h"

/* Fills in what the program does; the rest is the caller's. */
extern void gpuagg_choose_work(GpuAggWork *work, const GpuAggProgram *program);

/*
 * On a device at work, or the host device (which behind a GPU has no
 * profile).  Programs without keys, and those that select rows, have no
 * strategy: GPUAGG_STRATEGY_AUTO, in one pass.
 */
extern void gpuagg_choose(int device, const GpuAggWork *work, const GpuAggProgram *program,
						  bool host, GpuAggStrategyChoice *choice);

/*
 * Of rows of columns that the device has, in each pass of those chosen for pages.  Also
 * notes in work->compiled what their kernels are predicted by.
 */
extern void gpuagg_choose_resident(int device, GpuAggWork *work, const GpuAggProgram *program,
								   bool host, GpuAggResidentChoice *choice);

/*
 * How so many draws from a table of so many rows are made, of the columns that the
 * program loads; of the host device predicted_ns are 0.
 */
extern void gpuagg_choose_draws(int device, const GpuAggProgram *program, double draws,
								double rows, bool host, GpuAggDrawPlan *plan);

/*
 * Among these numbers of slots, each a power of two, those of look-up tables that have a filter
 * before them (device/ops/lookup_make.h)
 */
extern uint64 gpuagg_choose_filters(int device, const GpuAggProbing *probing, uint64 slots);

#endif							/* GPUAGG_COST_CHOOSE_H */
