/*
 * zone_answer.h
 *		Answers from zones (device/stripe.h) alone: count, min and max of all rows of
 *		a zone, where nothing is grouped.
 *
 * An answer is the one group of a program without keys, as task_results writes
 * it.  Zones must be exact: all of their rows count, and what they know is of no
 * others.  Pure functions.
 */
#ifndef GPUAGG_DEVICE_OPS_ZONE_ANSWER_H
#define GPUAGG_DEVICE_OPS_ZONE_ANSWER_H

#include "device/layout.h"
#include "device/stripe.h"

/* Is all that the program asks of rows that pass known of a zone? */
extern bool gpuagg_zone_answerable(const GpuAggProgram *p);

/* An answer of no rows; room for row_bytes of the layout */
extern void gpuagg_zone_answer_init(const GpuAggProgram *p, char *answer);

/* A zone's rows enter; columns: its zone of each loaded column, by register */
extern void gpuagg_zone_answer_add(const GpuAggProgram *p, char *answer,
								   const GpuAggZone *rows, const GpuAggZone *const *columns);

/* Another answer, or what a device has grouped, enters. */
extern void gpuagg_zone_answer_merge(const GpuAggProgram *p, char *answer, const char *other);

#endif							/* GPUAGG_DEVICE_OPS_ZONE_ANSWER_H */
