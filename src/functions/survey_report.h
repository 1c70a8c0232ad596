/*
 * survey_report.h
 *		Why steps of a query are not planned on the device, in words.
 */
#ifndef GPUAGG_FUNCTIONS_SURVEY_REPORT_H
#define GPUAGG_FUNCTIONS_SURVEY_REPORT_H

#include "postgres.h"

#include "nodes/plannodes.h"
#include "planner/offer/offer.h"

/*
 * Adds our nodes in a plan by their kinds (used[GPUAGG_NSTEPS]), but for those that only
 * a fallback would run.
 */
extern void gpuagg_survey_count(PlannedStmt *stmt, int *used);

/*
 * Our nodes in a plan, a List of CustomScan, the upper ones first; below: also those below
 * others of them, which make what is looked up or grouped
 */
extern List *gpuagg_device_nodes(PlannedStmt *stmt, bool below);

/* Adds what the nodes in a plan are predicted to take; ms < 0 of plans without any */
extern double gpuagg_survey_predicted_ms(double ms, PlannedStmt *stmt);

/* What is to be said, a List of char *; NIL: all runs on the device */
extern List *gpuagg_survey_report(const GpuAggSurvey *survey, const int *used);

#endif							/* GPUAGG_FUNCTIONS_SURVEY_REPORT_H */
