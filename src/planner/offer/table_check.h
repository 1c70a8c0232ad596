/*
 * table_check.h
 *		Is this a table whose pages a device may read?
 */
#ifndef GPUAGG_PLANNER_TABLE_CHECK_H
#define GPUAGG_PLANNER_TABLE_CHECK_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "utils/relcache.h"

/* An ordinary table or materialized view?  If not, it is refused. */
extern bool gpuagg_table_check_kind(const RangeTblEntry *rte);

/* What only the open relation tells: can the table be read?  If not, it is refused. */
extern bool gpuagg_table_check(Relation relation);

#endif							/* GPUAGG_PLANNER_TABLE_CHECK_H */
