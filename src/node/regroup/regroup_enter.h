/*
 * regroup_enter.h
 *		Groups that regroup_run.c makes of a device's: what each of these gives to them.
 */
#ifndef GPUAGG_NODE_REGROUP_ENTER_H
#define GPUAGG_NODE_REGROUP_ENTER_H

#include "postgres.h"

#include "node/regroup/regroup_work.h"

/* Computes all values that the states of the set want of this group. */
extern void gpuagg_regroup_load(GpuAggRegroupWork *r, const char *row);

/*
 * The keys, in r->table's wanted row of that number, of the group of the set that a row belongs
 * to, made or the device's
 */
extern const char *gpuagg_regroup_want_group(GpuAggRegroupWork *r, const char *row, int number);

/*
 * Which values enter this group for the first time?  Two steps: to[] and the tables' wanted rows
 * of that number get what is looked for; and it is looked for.
 */
extern void gpuagg_regroup_want_entered(GpuAggRegroupWork *r, const char *row, int number,
										const char *group, GpuAggRegroupEntered *to);
extern void gpuagg_regroup_note_entered(GpuAggRegroupWork *r, const char *group,
										const GpuAggRegroupEntered *of);

/* Lets a row enter the states and the sorts of its group. */
extern GpuAggStatus gpuagg_regroup_enter_row(GpuAggRegroupWork *r, const char *row, char *group);

#endif							/* GPUAGG_NODE_REGROUP_ENTER_H */
