/*
 * chosen.h
 *		The rows that a device has chosen, kept until the node is closed or
 *		runs again: where they lie, not what is in them.
 */
#ifndef GPUAGG_EXECUTOR_CHOSEN_H
#define GPUAGG_EXECUTOR_CHOSEN_H

#include "postgres.h"

#include "storage/itemptr.h"
#include "utils/resowner.h"

typedef struct GpuAggChosen GpuAggChosen;

/*
 * Added to the offset number of a row that the device could not decide, which
 * PostgreSQL has to.  No offset number has this bit.
 */
#define GPUAGG_CHOSEN_UNDECIDED 0x8000

/*
 * An empty store.  Keeps its memory in a context of its own below parent and
 * its temporary file, if it needs one, with owner.
 */
extern GpuAggChosen *gpuagg_chosen_create(MemoryContext parent,
										  ResourceOwner owner);

/* Copies the rows of one batch, in the order in which they lie. */
extern void gpuagg_chosen_add(GpuAggChosen *chosen, uint64 batch_id,
							  const ItemPointerData *rows, uint32 count);

/* To the first row; call it once before gpuagg_chosen_next, too. */
extern void gpuagg_chosen_rewind(GpuAggChosen *chosen);

/* The next row, batch by batch in the order of their numbers; false: no more */
extern bool gpuagg_chosen_next(GpuAggChosen *chosen, ItemPointer row,
							   bool *undecided);

extern void gpuagg_chosen_free(GpuAggChosen *chosen);

#endif							/* GPUAGG_EXECUTOR_CHOSEN_H */
