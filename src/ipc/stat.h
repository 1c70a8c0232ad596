/*
 * stat.h
 *		Cumulative counters in shared memory, behind view gpuagg.stat.
 *
 * The executor counts fallbacks, redone tasks and what became of the column
 * cache, the worker all others, before it tells the client that its task is
 * over; tables_forgotten is stat_tables.c's.
 */
#ifndef GPUAGG_IPC_STAT_H
#define GPUAGG_IPC_STAT_H

#include "postgres.h"

/*
 * Counters: X(name, meaning); both become a row of gpuagg.stat.
 */
#define GPUAGG_STAT_LIST(X) \
	X(tasks, "tasks that a device completed") \
	X(rows_scanned, "visible rows that devices read") \
	X(rows_passed, "rows that passed the filter") \
	X(rows_evaluated, "rows that PostgreSQL evaluated for a device") \
	X(groups, "groups returned") \
	X(pages, "heap pages read by devices") \
	X(bytes, "bytes of heap pages read by devices") \
	X(pages_cached, "pages that need not be read, for the column cache had them") \
	X(pages_kept, "pages added to the column cache") \
	X(zones_skipped, "zones of cached columns not read, for the filter passes none of their rows") \
	X(zones_answered, "zones of cached columns not read, for what is known of them answers") \
	X(fallbacks_value, "queries redone by PostgreSQL: a value it must judge (overflow, division by zero, infinite date ...)") \
	X(fallbacks_memory, "queries redone by PostgreSQL: no device memory") \
	X(fallbacks_device, "queries redone by PostgreSQL: the device or its worker failed, refused a message, or was starting") \
	X(fallbacks_queue, "queries run by PostgreSQL: no place on the device within gpuagg.queue_timeout") \
	X(fallbacks_unsupported, "queries run by PostgreSQL: the device refused the program") \
	X(passes_shared, "tasks answered by the pass of another one, the same and in flight at once, over cached columns") \
	X(tasks_foreseen, "tasks over cached columns that began with all that the worker has to know: one exchange of messages") \
	X(tasks_awaited, "tasks that waited for another one to bring the pages of a table that both need, and began again") \
	X(tasks_waited, "tasks that waited for a place on the device, or for its memory") \
	X(waited_ms, "milliseconds from announcing these until they began") \
	X(redone, "tasks run again on the host device: a GPU had failed them") \
	X(kernels_compiled, "kernels compiled for queries") \
	X(kernels_from_disk, "kernels found compiled on disk") \
	X(kernels_failed, "kernels that did not compile, or could not be loaded; their queries are interpreted") \
	X(kernels_refused, "kernels not compiled for the moment: too many were waiting for that") \
	X(compiler_restarts, "times that the compiler's process crashed or did not answer") \
	X(feeders, "parallel workers that handed over pages beside their backends") \
	X(extents_arranged, "parts of tables, of 32,672 pages at most, whose kept pages were laid in order again after many had changed") \
	X(cancelled, "tasks cancelled by their query, or begun again (tasks_awaited)") \
	X(errors, "device errors") \
	X(refused, "tasks whose messages the device worker refused: errors of gpuagg's own, each told in the server's log") \
	X(tables_forgotten, "tables that gave way to others in gpuagg.stat_tables")

typedef enum GpuAggStat
{
#define X(name, meaning) GPUAGG_STAT_##name,
	GPUAGG_STAT_LIST(X)
#undef X
	GPUAGG_NSTATS
} GpuAggStat;

extern void gpuagg_stat_add(GpuAggStat stat, uint64 n);

#endif							/* GPUAGG_IPC_STAT_H */
