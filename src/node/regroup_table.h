/*
 * regroup_table.h
 *		Groups by their keys: rows of device/layout.h in a backend's memory.
 */
#ifndef GPUAGG_NODE_REGROUP_TABLE_H
#define GPUAGG_NODE_REGROUP_TABLE_H

#include "postgres.h"

#include "device/ops/group.h"

typedef struct GpuAggRegroupTable GpuAggRegroupTable;

/* Of groups with this program's keys and transitions; goes with context */
extern GpuAggRegroupTable *gpuagg_regroup_table_create(const GpuAggProgram *program,
													   MemoryContext context);

/* Forgets all groups, and gives their memory back. */
extern void gpuagg_regroup_table_reset(GpuAggRegroupTable *table);

extern const GpuAggLayout *gpuagg_regroup_table_layout(const GpuAggRegroupTable *table);

/* Bytes that it takes */
extern Size gpuagg_regroup_table_memory(const GpuAggRegroupTable *table);

/*
 * A row to be filled with the keys of a group that is looked for, all NULL.  Strings
 * may lie anywhere; those of new groups are copied.
 */
extern char *gpuagg_regroup_table_wanted(GpuAggRegroupTable *table);
extern uint64 gpuagg_regroup_table_hash(const GpuAggRegroupTable *table);

/* The group that is wanted, added if it is not there; its states are initial then. */
extern char *gpuagg_regroup_table_find(GpuAggRegroupTable *table, uint64 hash, bool *is_new);

/* The same of one that is known to be new; find will not see it. */
extern char *gpuagg_regroup_table_append(GpuAggRegroupTable *table);

/* Stores a copy of the string in a slot of a group. */
extern void gpuagg_regroup_table_keep(GpuAggRegroupTable *table, char *slot, GpuAggBytes b);

/* The same where such strings come often: in place of the one before, if it is as long. */
extern void gpuagg_regroup_table_replace(GpuAggRegroupTable *table, char *slot, GpuAggBytes b);

/*
 * All groups, as many as lie side by side at once: *at is 0 at first; NULL: no more.
 */
extern const char *gpuagg_regroup_table_rows(const GpuAggRegroupTable *table, int *at,
											 uint32 *count);

#endif							/* GPUAGG_NODE_REGROUP_TABLE_H */
