/*
 * regroup_device.h
 *		Which regroupings (planner/plan/regroup.h) a device can do, and how it is asked to.
 */
#ifndef GPUAGG_PLANNER_REGROUP_DEVICE_H
#define GPUAGG_PLANNER_REGROUP_DEVICE_H

#include "postgres.h"

#include "device/regrouping.h"
#include "planner/plan/regroup.h"

/*
 * Groups of this program as a device may regroup them; their rows then have the layout of
 * gpuagg_regroup_program() (node/regroup/regroup_layout.h).  False: only the backend can.
 */
extern bool gpuagg_regroup_device(const GpuAggRegroup *plan, const GpuAggProgram *program,
								  GpuAggRegrouping *wish);

/*
 * The smallest set that contains this one, of those that are made before it, which stand
 * behind it (PostgreSQL lists small sets first); -1: none may be read.
 */
extern int	gpuagg_regroup_parent(const GpuAggRegroup *plan, int set);

/* Do a set's keys, and a value if one is given, tell all groups of the device apart? */
extern bool gpuagg_regroup_tells_all(const GpuAggRegroup *plan, int set, int value);

/* Does a value enter once with each of the device's groups, whichever set is made? */
extern bool gpuagg_regroup_enters_once(const GpuAggRegroup *plan, int value);

#endif							/* GPUAGG_PLANNER_REGROUP_DEVICE_H */
