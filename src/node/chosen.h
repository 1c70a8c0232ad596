/*
 * chosen.h
 *		The rows that a device has chosen, kept until the node is closed or
 *		runs again: where they lie, not what is in them.
 */
#ifndef GPUAGG_NODE_CHOSEN_H
#define GPUAGG_NODE_CHOSEN_H

#include "postgres.h"

#include "storage/block.h"
#include "storage/buf.h"
#include "storage/off.h"
#include "utils/resowner.h"

typedef struct GpuAggChosen GpuAggChosen;

/* A page that holds chosen rows, and the buffer in which the scan met it */
typedef struct GpuAggChosenPage
{
	BlockNumber block;
	Buffer		buffer;
} GpuAggChosenPage;

/*
 * A chosen row as it is kept: the number of its page among those of its batch
 * in the upper half, its line in the lower one, with this bit if the device
 * could not decide it and PostgreSQL has to.  No line number has it.
 */
typedef uint32 GpuAggChosenRow;

#define GPUAGG_CHOSEN_UNDECIDED 0x8000
#define GPUAGG_CHOSEN_ROW(page, line) ((GpuAggChosenRow) (page) << 16 | (line))
#define GPUAGG_CHOSEN_MAX_PAGES 0x10000

/*
 * An empty store.  Keeps its memory in a context of its own below parent and
 * its temporary file, if it needs one, with owner.
 */
extern GpuAggChosen *gpuagg_chosen_create(MemoryContext parent,
										  ResourceOwner owner);

/*
 * Copies the rows of one batch, in the order in which they lie, on at most
 * GPUAGG_CHOSEN_MAX_PAGES pages.
 */
extern void gpuagg_chosen_add(GpuAggChosen *chosen, uint64 batch_id,
							  const GpuAggChosenPage *pages, uint32 npages,
							  const GpuAggChosenRow *rows, uint32 count);

/* To the first row; call it once before gpuagg_chosen_next, too. */
extern void gpuagg_chosen_rewind(GpuAggChosen *chosen);

/*
 * The next row, batch by batch in the order of their numbers; false: no more.
 * *page is valid until the next call, and so is *next, the page after it in the
 * batch, or NULL.
 */
extern bool gpuagg_chosen_next(GpuAggChosen *chosen,
							   const GpuAggChosenPage **page,
							   const GpuAggChosenPage **next,
							   OffsetNumber *line, bool *undecided);

extern void gpuagg_chosen_free(GpuAggChosen *chosen);

#endif							/* GPUAGG_NODE_CHOSEN_H */
