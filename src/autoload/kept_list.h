/*
 * kept_list.h
 *		The columns that devices keep, as a list that outlives the server.
 */
#ifndef GPUAGG_AUTOLOAD_KEPT_LIST_H
#define GPUAGG_AUTOLOAD_KEPT_LIST_H

#include "postgres.h"

#include "access/attnum.h"
#include "datatype/timestamp.h"

/*
 * A column, or with InvalidAttrNumber which rows a table has; a table has these only if
 * nothing else of it is kept.  Names change, and files, so these are the catalogs' numbers.
 */
typedef struct GpuAggKept
{
	Oid			dbid;
	Oid			relid;
	AttrNumber	attnum;
	bool		pinned;
	uint64		bytes;			/* that it takes of a device; 0: of a pinned column nothing is
								 * there */

	/* how much its table is worth; of the file, where it stands there */
	uint32		rank;			/* place in the list that was loaded last; PG_UINT32_MAX: none */
	bool		with_pinned;	/* a column of it is pinned */
	uint64		uses;
	TimestampTz last_use;
} GpuAggKept;

typedef struct GpuAggKeptList
{
	uint32		n;
	GpuAggKept *kept;			/* those of a table together, the most valuable table first */
} GpuAggKeptList;

/*
 * What all devices keep now, or kept when their workers ended, and what is pinned.
 * before: the list that was loaded last, ranked, which decides between tables used as often.
 */
extern void gpuagg_kept_look(GpuAggKeptList *list, const GpuAggKeptList *before);

/* For `before`: the places of a list's columns are their ranks, and they are in order of these. */
extern void gpuagg_kept_rank(GpuAggKeptList *list);

/* Have two lists the same columns, whatever their order? */
extern bool gpuagg_kept_same(const GpuAggKeptList *a, const GpuAggKeptList *b);

/*
 * The first columns of the list, table by table, that together take no more than a device
 * has for them; those of tables that do not fit are left out.
 */
extern void gpuagg_kept_fit(GpuAggKeptList *list, uint64 bytes);

/* How many columns from one on are of the same table? */
extern uint32 gpuagg_kept_table(const GpuAggKeptList *list, uint32 from);

extern void gpuagg_kept_free(GpuAggKeptList *list);

#endif							/* GPUAGG_AUTOLOAD_KEPT_LIST_H */
