/*
 * made_kept.h
 *		Look-up tables that the device has made for earlier statements of this session,
 *		and still has.
 */
#ifndef GPUAGG_NODE_MADE_KEPT_H
#define GPUAGG_NODE_MADE_KEPT_H

#include "postgres.h"

#include "heap/cached.h"
#include "node/lookup/lookup_made.h"

/*
 * Must its rows' keys be unique?  A helper's need not: any row of a key is its number.  Nor
 * those that are folded.
 */
extern bool gpuagg_made_is_unique(const GpuAggLookupPlan *plan);

/*
 * The header of the table that this input would have made, if that is there and nothing of
 * the relation has changed; in the current memory context.  Sets input->numbered.  NULL: none
 */
extern const GpuAggLookup *gpuagg_made_kept_find(GpuAggMadeInput *input, Relation rel,
												 BlockNumber nblocks);

/*
 * Notes a table that was just made, of all of the relation as the map pages told.  The strings
 * are in a context of their own, which this takes over.
 */
extern void gpuagg_made_kept_add(const GpuAggMadeInput *input, const GpuAggCached *cached,
								 const GpuAggLookup *made, MemoryContext strings);

#endif							/* GPUAGG_NODE_MADE_KEPT_H */
