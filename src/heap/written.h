/*
 * written.h
 *		Pages of a table that nobody has written to yet.
 */
#ifndef GPUAGG_HEAP_WRITTEN_H
#define GPUAGG_HEAP_WRITTEN_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "storage/block.h"
#include "utils/relcache.h"

/*
 * The first nblocks pages less those that nobody has written to.  With "settled" only the
 * answer counts whether all others are all-visible: if one is not, it is nblocks.
 */
extern BlockNumber gpuagg_written_blocks(Relation rel, BlockNumber nblocks, bool settled);

/*
 * Are all of the first nblocks pages that somebody has written to all-visible?  How many there are.
 * To a snapshot taken before, they are all of the table.
 */
extern bool gpuagg_written_visible(Relation rel, BlockNumber nblocks, BlockNumber *written);

/*
 * Are the pages of an extent that somebody has written to all-visible?  The LSN of its map page; 0:
 * they are not, or it could not be told by it.
 */
extern XLogRecPtr gpuagg_written_extent(Relation rel, uint32 extent, uint32 nblocks);

#endif							/* GPUAGG_HEAP_WRITTEN_H */
