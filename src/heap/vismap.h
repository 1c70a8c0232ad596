/*
 * vismap.h
 *		What the visibility map says of an extent of a table, as the column cache
 *		needs it.
 */
#ifndef GPUAGG_HEAP_VISMAP_H
#define GPUAGG_HEAP_VISMAP_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "ipc/protocol.h"
#include "storage/buf.h"
#include "storage/block.h"
#include "utils/relcache.h"

/* Bits of blocks, counted from the extent's first one */
static inline bool
gpuagg_vismap_bit(const uint8 *bits, uint32 i)
{
	return (bits[i >> 3] >> (i & 7) & 1) != 0;
}

/*
 * The all-visible bits of the first nblocks blocks of an extent, all others 0, in
 * GPUAGG_EXTENT_BITMAP_BYTES aligned bytes, and the LSN of the map page, both as
 * of one moment.  LSN 0: nothing that it could be told by; the bits are 0.
 */
extern XLogRecPtr gpuagg_vismap_read(Relation rel, uint32 extent, uint32 nblocks,
									 uint8 *bits);

/*
 * The bits of gpuagg_vismap_read whatever the LSN, which is 0 of pages that no WAL tells of: for
 * estimates.
 */
extern XLogRecPtr gpuagg_vismap_look(Relation rel, uint32 extent, uint32 nblocks, uint8 *bits);

/*
 * Are all blocks of the extent all-visible, and can be told by the LSN of the map page, which is
 * returned then?  Else 0.  What is so of most tables that are read again takes a tenth of reading
 * bits and counting them.
 */
extern XLogRecPtr gpuagg_vismap_whole(Relation rel, uint32 extent, uint32 nblocks);

/*
 * A map page that was never logged, for who wrote it skipped WAL (COPY FREEZE into a new file
 * under wal_level = minimal), is logged as it is: from then on it can be told by its LSN.
 * False: there is no such page, no bit of it is set, or WAL cannot be written here.
 */
extern bool gpuagg_vismap_log(Relation rel, uint32 extent);

/* Are there such pages? */
extern bool gpuagg_vismap_unlogged(Relation rel, BlockNumber nblocks);

/* How many bits are set */
extern uint32 gpuagg_vismap_count(const uint8 *bits);

/*
 * The LSN of a heap page as of now, which is read through the strategy if it is not in
 * shared_buffers
 */
extern XLogRecPtr gpuagg_vismap_page_lsn(Relation rel, BlockNumber block,
										 BufferAccessStrategy strategy);

/*
 * LSNs of the heap pages whose bit is set, as of now, one after the other; returns how many
 * there are.  Pages that are not in shared_buffers are read through the strategy, if any.
 */
extern uint32 gpuagg_vismap_lsns(Relation rel, uint32 extent, uint32 nblocks,
								 const uint8 *bits, BufferAccessStrategy strategy,
								 uint64 *lsns);

#endif							/* GPUAGG_HEAP_VISMAP_H */
