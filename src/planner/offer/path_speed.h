/*
 * path_speed.h
 *		How much more of its cost a path of several processes does in a time.
 */
#ifndef GPUAGG_PLANNER_PATH_SPEED_H
#define GPUAGG_PLANNER_PATH_SPEED_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * A unit of its cost takes one process that many times as long as the path takes for one of its
 * own; 1: it is of one process.
 */
extern double gpuagg_path_speed(Path *path);

/* gpuagg_path_speed of the cheapest of these paths that is PostgreSQL's own */
extern double gpuagg_paths_speed(const List *paths);

#endif							/* GPUAGG_PLANNER_PATH_SPEED_H */
