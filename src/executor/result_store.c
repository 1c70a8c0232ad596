/*
 * result_store.c
 *		Messages of groups, kept in the order in which they came.
 *
 * They lie one behind the other in blocks, each as large as all before it, up
 * to BLOCK_MOST.  Blocks of HUGE_BYTES and more ask for huge pages: memory is cleared
 * as it is touched for the first time, which a large result pays in full, for a backend
 * gives its memory back with each query.  On a virtual machine whose faults took
 * 10 us for 4 kB, that was three quarters of the time that 10^7 groups took.
 *
 * What would go beyond the limit is written to a temporary file.  Reading again, for
 * a rescan, is a rewind.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "commands/tablespace.h"
#include "compat.h"
#include "executor/result_store.h"
#include "miscadmin.h"
#include "storage/buffile.h"
#include "utils/memutils.h"

#define BLOCK_LEAST ((Size) 128 * 1024)
#define BLOCK_MOST ((Size) 16 * 1024 * 1024)
#define HUGE_BYTES ((Size) 2 * 1024 * 1024)

/* Groups of one message; the same head goes into the file. */
typedef struct GpuAggChunk
{
	uint32		count;
	uint32		bytes;
} GpuAggChunk;

#define CHUNK_DATA(chunk) ((char *) (chunk) + MAXALIGN(sizeof(GpuAggChunk)))
#define CHUNK_BYTES(bytes) MAXALIGN(MAXALIGN(sizeof(GpuAggChunk)) + (bytes))

typedef struct GpuAggBlock
{
	void	   *memory;
	char	   *data;			/* in it, aligned */
	Size		bytes;
	Size		used;
} GpuAggBlock;

struct GpuAggStore
{
	MemoryContext context;
	ResourceOwner owner;
	List	   *blocks;
	Size		memory;			/* of the blocks */
	Size		limit;
	BufFile    *file;
	uint64		file_chunks;	/* that count; others may follow, cut off */

	/* reading */
	int			next_block;
	Size		at;				/* in it */
	uint64		next_file_chunk;
	char	   *buffer;			/* a chunk of the file */
	Size		buffer_bytes;
};

GpuAggStore *
gpuagg_store_create(MemoryContext context, ResourceOwner owner, Size limit)
{
	GpuAggStore *store = MemoryContextAllocZero(context, sizeof(GpuAggStore));

	store->context = context;
	store->owner = owner;
	store->limit = limit;
	return store;
}

void
gpuagg_store_free(GpuAggStore *store)
{
	if (store->file != NULL)
		BufFileClose(store->file);
}

/* ------------------------------------------------------------- storing --- */

/*
 * A block that takes so many bytes at least; NULL: beyond the limit.  What is
 * asked for to align a huge one is never touched.
 */
static GpuAggBlock *
add_block(GpuAggStore *store, Size least)
{
	Size		bytes = Min(Max(store->memory, BLOCK_LEAST), BLOCK_MOST);
	MemoryContext old;
	GpuAggBlock *block;

	bytes = Min(Max(bytes, least), store->limit - store->memory);
	if (bytes < least)
		return NULL;
	old = MemoryContextSwitchTo(store->context);
	block = palloc0(sizeof(GpuAggBlock));
	block->bytes = bytes;
	if (bytes < HUGE_BYTES)
		block->data = block->memory = palloc(bytes);
	else
	{
		block->memory = MemoryContextAllocHuge(store->context, bytes + HUGE_BYTES);
		block->data = (char *) TYPEALIGN(HUGE_BYTES, block->memory);
		(void) madvise(block->data, bytes, MADV_HUGEPAGE);	/* advice only */
	}
	store->blocks = lappend(store->blocks, block);
	store->memory += bytes;
	MemoryContextSwitchTo(old);
	return block;
}

static void
write_chunk(GpuAggStore *store, GpuAggChunk *head, const char *groups)
{
	if (store->file == NULL)
	{
		ResourceOwner old_owner = CurrentResourceOwner;
		MemoryContext old = MemoryContextSwitchTo(store->context);

		PrepareTempTablespaces();
		CurrentResourceOwner = store->owner;
		store->file = BufFileCreateTemp(false);
		CurrentResourceOwner = old_owner;
		MemoryContextSwitchTo(old);
	}
	BufFileWrite(store->file, head, sizeof(*head));
	BufFileWrite(store->file, unconstify(char *, groups), head->bytes);
	store->file_chunks++;
}

void
gpuagg_store_add(GpuAggStore *store, const char *groups, uint32 count, Size bytes)
{
	GpuAggChunk head = {count, (uint32) bytes};
	Size		needed = CHUNK_BYTES(bytes);
	GpuAggBlock *block = store->blocks == NIL ? NULL : llast(store->blocks);
	GpuAggChunk *chunk;

	if (store->file == NULL && (block == NULL || block->bytes - block->used < needed))
		block = add_block(store, needed);
	if (store->file != NULL || block == NULL)
	{
		write_chunk(store, &head, groups);
		return;
	}
	chunk = (GpuAggChunk *) (block->data + block->used);
	*chunk = head;
	memcpy(CHUNK_DATA(chunk), groups, bytes);
	block->used += needed;
}

static void
seek(GpuAggStore *store, int file_no, off_t at)
{
	if (BufFileSeek(store->file, file_no, at, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind gpuagg's temporary file: %m")));
}

void
gpuagg_store_mark(GpuAggStore *store, GpuAggStoreMark *mark)
{
	memset(mark, 0, sizeof(*mark));
	mark->blocks = list_length(store->blocks);
	if (store->blocks != NIL)
		mark->used = ((GpuAggBlock *) llast(store->blocks))->used;
	mark->file_chunks = store->file_chunks;
	if (store->file != NULL)
		BufFileTell(store->file, &mark->file_no, &mark->file_at);
}

void
gpuagg_store_cut(GpuAggStore *store, const GpuAggStoreMark *mark)
{
	while (list_length(store->blocks) > mark->blocks)
	{
		GpuAggBlock *block = llast(store->blocks);

		store->memory -= block->bytes;
		store->blocks = list_delete_last(store->blocks);
		pfree(block->memory);
		pfree(block);
	}
	if (store->blocks != NIL)
		((GpuAggBlock *) llast(store->blocks))->used = mark->used;
	store->file_chunks = mark->file_chunks;
	if (store->file != NULL)
		seek(store, mark->file_no, mark->file_at);
}

/* ------------------------------------------------------------- reading --- */

void
gpuagg_store_rewind(GpuAggStore *store)
{
	store->next_block = 0;
	store->at = 0;
	store->next_file_chunk = 0;
	if (store->file != NULL)
		seek(store, 0, 0);
}

static void
read_exact(BufFile *file, void *to, Size bytes)
{
	Size		got = BufFileRead(file, to, bytes);

	if (got != bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read gpuagg's temporary file: read only %zu of %zu bytes",
						got, bytes)));
}

static const char *
read_chunk(GpuAggStore *store, uint32 *count)
{
	GpuAggChunk head;

	if (store->next_file_chunk == store->file_chunks)
		return NULL;
	store->next_file_chunk++;
	read_exact(store->file, &head, sizeof(head));
	if (head.bytes > store->buffer_bytes)
	{
		if (store->buffer != NULL)
			pfree(store->buffer);
		store->buffer = MemoryContextAlloc(store->context, head.bytes);
		store->buffer_bytes = head.bytes;
	}
	read_exact(store->file, store->buffer, head.bytes);
	*count = head.count;
	return store->buffer;
}

const char *
gpuagg_store_next(GpuAggStore *store, uint32 *count)
{
	while (store->next_block < list_length(store->blocks))
	{
		GpuAggBlock *block = list_nth(store->blocks, store->next_block);

		if (store->at < block->used)
		{
			GpuAggChunk *chunk = (GpuAggChunk *) (block->data + store->at);

			store->at += CHUNK_BYTES(chunk->bytes);
			*count = chunk->count;
			return CHUNK_DATA(chunk);
		}
		store->next_block++;
		store->at = 0;
	}
	return read_chunk(store, count);
}
