/*
 * result_store.h
 *		Messages of groups, kept in the order in which they came.
 */
#ifndef GPUAGG_NODE_RESULT_STORE_H
#define GPUAGG_NODE_RESULT_STORE_H

#include "postgres.h"

#include "utils/resowner.h"

typedef struct GpuAggStore GpuAggStore;

/*
 * An empty store, which keeps up to limit bytes in memory that goes with
 * context, and the rest in a temporary file of owner.
 */
extern GpuAggStore *gpuagg_store_create(MemoryContext context, ResourceOwner owner,
										Size limit);

/* Copies count groups of so many bytes. */
extern void gpuagg_store_add(GpuAggStore *store, const char *groups, uint32 count,
							 Size bytes);

/* How many there are */
extern uint64 gpuagg_store_groups(const GpuAggStore *store);

/*
 * Where the store ends now, and back to there: what came since is forgotten.
 */
typedef struct GpuAggStoreMark
{
	int			blocks;
	Size		used;			/* Bytes of the last block. */
	Size		memory;
	uint64		groups;
	uint64		file_chunks;
	int			file_no;
	off_t		file_at;
	int			beside;			/* Values beside the groups, which results.c counts. */
} GpuAggStoreMark;

extern void gpuagg_store_mark(GpuAggStore *store, GpuAggStoreMark *mark);
extern void gpuagg_store_cut(GpuAggStore *store, const GpuAggStoreMark *mark);

/* To the first message; call it once before gpuagg_store_next, too. */
extern void gpuagg_store_rewind(GpuAggStore *store);

/*
 * The next message's groups, aligned like a palloc, there until the next call;
 * NULL: no more.
 */
extern const char *gpuagg_store_next(GpuAggStore *store, uint32 *count);

/* gpuagg_store_next, with the bytes that these groups take */
extern const char *gpuagg_store_next_bytes(GpuAggStore *store, uint32 *count, Size *bytes);

/* Closes the file; memory goes when its context does. */
extern void gpuagg_store_free(GpuAggStore *store);

#endif							/* GPUAGG_NODE_RESULT_STORE_H */
