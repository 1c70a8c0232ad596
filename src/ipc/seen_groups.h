/*
 * seen_groups.h
 *		How many groups groupings had when they ran last, in shared memory, for
 *		the planner.
 *
 * A grouping is known by its table and by what it groups by, and under which
 * conditions.  Other figures of a table that are to be remembered have keys that no hash
 * of keys is: shares that look-ups find, what a page takes to be handed over, and columns that
 * have NaN and the like.  There is room for GPUAGG_SEEN_SETS * GPUAGG_SEEN_WAYS; in each set the
 * one that was met longest ago gives way.  Kept until the server ends.
 */
#ifndef GPUAGG_IPC_SEEN_GROUPS_H
#define GPUAGG_IPC_SEEN_GROUPS_H

#include "postgres.h"

#include "access/attnum.h"
#include "storage/spin.h"

#define GPUAGG_SEEN_SETS 256
#define GPUAGG_SEEN_WAYS 8

typedef struct GpuAggSeenKey
{
	uint64		keys;			/* a hash of the keys; 0: not to be remembered */
	uint64		filter;			/* a hash of the conditions; 0: there are none */
} GpuAggSeenKey;

typedef struct GpuAggSeenEntry
{
	Oid			dbid;			/* InvalidOid: free */
	Oid			relid;
	GpuAggSeenKey key;
	double		pages;			/* of the table */
	double		groups;
	uint64		met;			/* when: a number that rises */
} GpuAggSeenEntry;

typedef struct GpuAggSeenGroups
{
	slock_t		mutex;
	uint64		clock;
	GpuAggSeenEntry entries[GPUAGG_SEEN_SETS][GPUAGG_SEEN_WAYS];
} GpuAggSeenGroups;

/* Of a task that is over */
extern void gpuagg_seen_groups_note(Oid relid, const GpuAggSeenKey *key,
									double pages, double groups);

/*
 * 0: not known, or known of the table when it was less than half or more than twice
 * as large.
 */
extern double gpuagg_seen_groups_find(Oid relid, const GpuAggSeenKey *key,
									  double pages);

/* A column has numerics that devices have no form of, whatever statistics say. */
extern void gpuagg_seen_strange_note(Oid relid, AttrNumber attno);

extern bool gpuagg_seen_strange(Oid relid, AttrNumber attno);

#endif							/* GPUAGG_IPC_SEEN_GROUPS_H */
