/*
 * row_table.h
 *		Groups by their keys: rows of device/layout.h in a backend's memory.
 */
#ifndef GPUAGG_NODE_ROW_TABLE_H
#define GPUAGG_NODE_ROW_TABLE_H

#include "postgres.h"

#include "device/ops/group.h"

typedef struct GpuAggRowTable GpuAggRowTable;

/* A table of groups with this program's keys and transitions; it goes with context. */
extern GpuAggRowTable *gpuagg_row_table_create(const GpuAggProgram *program,
													   MemoryContext context);

/* Forgets all groups, and gives their memory back. */
extern void gpuagg_row_table_reset(GpuAggRowTable *table);

extern const GpuAggLayout *gpuagg_row_table_layout(const GpuAggRowTable *table);

/* Bytes that it takes */
extern Size gpuagg_row_table_memory(const GpuAggRowTable *table);

/*
 * A row to be filled with the keys of a group that is looked for, all NULL.  Slots of
 * strings have their place in memory; those of new groups are copied.  There may be so many
 * at once, by number.
 */
#define GPUAGG_ROWS_WANTED 64
extern char *gpuagg_row_table_wanted(GpuAggRowTable *table, int number);

/* The hash of the keys of this row, or any other with such slots */
extern uint64 gpuagg_row_table_hash(const GpuAggRowTable *table, const char *row);

/* Tells that a group with this hash will be looked for. */
extern void gpuagg_row_table_prefetch(const GpuAggRowTable *table, uint64 hash);

/*
 * Tells how many groups there will be, if room for finding them takes no more than so much
 * memory.
 */
extern void gpuagg_row_table_expect(GpuAggRowTable *table, double groups, Size limit);
extern uint64 gpuagg_row_table_groups(const GpuAggRowTable *table);

/* The group with these keys, added if it is not there; its states are initial then. */
extern char *gpuagg_row_table_find(GpuAggRowTable *table, const char *row, uint64 hash,
								   bool *is_new);

/* The group with these keys; NULL: it is not there. */
extern char *gpuagg_row_table_lookup(const GpuAggRowTable *table, const char *row, uint64 hash);

/* Adds a group that is known to be new; find will not see it. */
extern char *gpuagg_row_table_append(GpuAggRowTable *table, const char *row);

/* Stores a copy of the string in a slot of a group. */
extern void gpuagg_row_table_keep(GpuAggRowTable *table, char *slot, GpuAggBytes b);

/* Stores it in place of the string before, if that is as long: where strings come often. */
extern void gpuagg_row_table_replace(GpuAggRowTable *table, char *slot, GpuAggBytes b);

/*
 * All groups, as many as lie side by side at once: *at is 0 at first; NULL: no more.
 */
extern const char *gpuagg_row_table_rows(const GpuAggRowTable *table, int *at,
											 uint32 *count);

#endif							/* GPUAGG_NODE_ROW_TABLE_H */
