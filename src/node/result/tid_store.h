/*
 * tid_store.h
 *		The rows that a device has chosen, kept until the node is closed or
 *		runs again: where they lie, not what is in them.
 */
#ifndef GPUAGG_NODE_TID_STORE_H
#define GPUAGG_NODE_TID_STORE_H

#include "postgres.h"

#include "storage/block.h"
#include "storage/buf.h"
#include "storage/off.h"
#include "utils/resowner.h"

typedef struct GpuAggTidStore GpuAggTidStore;

/* A page that holds chosen rows, and the buffer in which the scan met it */
typedef struct GpuAggTidPage
{
	BlockNumber block;
	Buffer		buffer;
} GpuAggTidPage;

/*
 * A chosen row as it is kept: the number of its page among those of its batch
 * in the upper half, its line in the lower one, with this bit if the device
 * could not decide it and PostgreSQL has to.  No line number has it.
 */
typedef uint32 GpuAggTidRow;

#define GPUAGG_TID_UNDECIDED 0x8000
#define GPUAGG_TID_ROW(page, line) ((GpuAggTidRow) (page) << 16 | (line))
#define GPUAGG_TID_MAX_PAGES 0x10000

/*
 * An empty store.  Keeps its memory in a context of its own below parent and
 * its temporary file, if it needs one, with owner.
 */
extern GpuAggTidStore *gpuagg_tid_store_create(MemoryContext parent,
										  ResourceOwner owner);

/*
 * Copies the rows of one batch, in the order in which they lie, on at most
 * GPUAGG_TID_MAX_PAGES pages.
 */
extern void gpuagg_tid_store_add(GpuAggTidStore *store, uint64 batch_id,
							  const GpuAggTidPage *pages, uint32 npages,
							  const GpuAggTidRow *rows, uint32 count);

/* To the first row; call it once before gpuagg_tid_store_next, too. */
extern void gpuagg_tid_store_rewind(GpuAggTidStore *store);

/*
 * The next row, batch by batch in the order of their numbers; false: no more.
 * *page is valid until the next call, and so is *next, the page after it in the
 * batch, or NULL.
 */
extern bool gpuagg_tid_store_next(GpuAggTidStore *store,
							   const GpuAggTidPage **page,
							   const GpuAggTidPage **next,
							   OffsetNumber *line, bool *undecided);

extern void gpuagg_tid_store_free(GpuAggTidStore *store);

#endif							/* GPUAGG_NODE_TID_STORE_H */
