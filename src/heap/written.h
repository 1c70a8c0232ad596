/*
 * written.h
 *		Pages of a table that nobody has written to yet.
 */
#ifndef GPUAGG_HEAP_WRITTEN_H
#define GPUAGG_HEAP_WRITTEN_H

#include "postgres.h"

#include "storage/block.h"
#include "utils/relcache.h"

/*
 * The first nblocks pages less those that nobody has written to.  With "settled" only the
 * answer counts whether all others are all-visible: if one is not, it is nblocks.
 */
extern BlockNumber gpuagg_written_blocks(Relation rel, BlockNumber nblocks, bool settled);

#endif							/* GPUAGG_HEAP_WRITTEN_H */
