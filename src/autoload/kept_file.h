/*
 * kept_file.h
 *		The list of kept columns as a file of the data directory, gpuagg.autoload.
 *
 * Text: a version line, the system identifier of the cluster, a line for each column
 * ("database relation column pinned bytes"), and at the end their number and a checksum
 * of all that precedes.
 */
#ifndef GPUAGG_AUTOLOAD_KEPT_FILE_H
#define GPUAGG_AUTOLOAD_KEPT_FILE_H

#include "autoload/kept_list.h"

/* Replaces the file as a whole, for good; a LOG line if that fails. */
extern bool gpuagg_kept_write(const GpuAggKeptList *list);

/*
 * Reads it, into the current memory context.  Without one, or with one of another cluster
 * or version, or a damaged one, the list is empty; all but the first say so in the log.
 */
extern void gpuagg_kept_read(GpuAggKeptList *list);

#endif							/* GPUAGG_AUTOLOAD_KEPT_FILE_H */
