/*
 * stat_tables.h
 *		Cumulative counters of each table and database, in shared memory, behind
 *		views gpuagg.stat_tables and gpuagg.stat_databases.
 *
 * A table is what the query names: of a partitioned one that one.  A UNION ALL has no
 * table and counts for its database alone, as do refusals of queries without a main
 * table.  There is room for GPUAGG_STAT_TABLE_SETS * GPUAGG_STAT_TABLE_WAYS tables; in
 * each set the one that was used longest ago gives way, and the counter
 * tables_forgotten tells of it.  Databases do likewise among themselves.  Kept until
 * the server ends or gpuagg.stat_reset().
 */
#ifndef GPUAGG_IPC_STAT_TABLES_H
#define GPUAGG_IPC_STAT_TABLES_H

#include "postgres.h"

#include "storage/spin.h"

#define GPUAGG_STAT_TABLE_SETS 128
#define GPUAGG_STAT_TABLE_WAYS 8
#define GPUAGG_STAT_DATABASE_SETS 8

/*
 * Counters: X(name); each is a column of both views, in this order.  Of a query that
 * PostgreSQL's plan answered in the end only fallbacks, redone and time count.
 */
#define GPUAGG_TABLE_STAT_LIST(X) \
	X(runs)				/* of nodes that a device answered */ \
	X(fallbacks)		/* that PostgreSQL's plan answered instead */ \
	X(refusals)			/* plannings without a path for the device */ \
	X(redone)			/* tasks run again on the host device */ \
	X(rows_scanned) \
	X(rows_passed) \
	X(rows_evaluated) \
	X(groups) \
	X(pages) \
	X(pages_cached) \
	X(pages_kept) \
	X(zones_read) \
	X(zones_skipped) \
	X(zones_answered) \
	X(device_us)		/* that devices worked */ \
	X(run_us)			/* until the first row could be returned */

typedef enum GpuAggTableStat
{
#define X(name) GPUAGG_TABLE_STAT_##name,
	GPUAGG_TABLE_STAT_LIST(X)
#undef X
	GPUAGG_NTABLESTATS
} GpuAggTableStat;

typedef struct GpuAggTableEntry
{
	Oid			dbid;			/* InvalidOid: free */
	Oid			relid;			/* InvalidOid: the database itself */
	uint64		used;			/* when: a number that rises */
	uint64		values[GPUAGG_NTABLESTATS];
} GpuAggTableEntry;

typedef struct GpuAggTableStats
{
	slock_t		mutex;			/* held for one set */
	uint64		clock;
	GpuAggTableEntry tables[GPUAGG_STAT_TABLE_SETS][GPUAGG_STAT_TABLE_WAYS];
	GpuAggTableEntry databases[GPUAGG_STAT_DATABASE_SETS][GPUAGG_STAT_TABLE_WAYS];
} GpuAggTableStats;

/* Adds to what is known of a table of this database, and of the database. */
extern void gpuagg_stat_tables_add(Oid relid, const uint64 *values);

extern void gpuagg_stat_tables_reset(void);

/* Of a database that was dropped */
extern void gpuagg_stat_tables_forget(Oid dbid);

#endif							/* GPUAGG_IPC_STAT_TABLES_H */
