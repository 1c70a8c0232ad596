/*
 * result_store.c
 *		Messages of groups, kept in the order in which they came.
 *
 * They lie one behind the other in blocks, each about as large as all before
 * it, up to BLOCK_MOST (huge_blocks.h).
 *
 * What would go beyond the limit is written to a temporary file, and so is
 * what there is no memory to map for.  Reading again, for a rescan, is a
 * rewind.
 */
#include "postgres.h"

#include "node/result/huge_blocks.h"
#include "node/result/result_store.h"
#include "nodes/pg_list.h"
#include "temp_file.h"
#include "utils/memutils.h"

#define BLOCK_LEAST ((Size) 8 * 1024)
#define BLOCK_MOST ((Size) 16 * 1024 * 1024)

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
	char	   *data;
	Size		bytes;
	Size		used;
} GpuAggBlock;

struct GpuAggStore
{
	MemoryContext context;
	ResourceOwner owner;
	List	   *blocks;
	Size		memory;			/* that blocks have in use */
	Size		limit;
	uint64		groups;			/* in memory and in the file */
	MemoryContextCallback free_huge;
	BufFile    *file;
	uint64		file_chunks;	/* that count; others may follow, cut off */

	/* reading */
	int			next_block;
	Size		at;				/* in it */
	uint64		next_file_chunk;
	char	   *buffer;			/* a chunk of the file */
	Size		buffer_bytes;
};

/* -------------------------------------------------------------- blocks --- */

/* Called when the context goes, and with it the list */
static void
free_huge(void *arg)
{
	GpuAggStore *store = arg;
	ListCell   *cell;

	foreach(cell, store->blocks)
	{
		GpuAggBlock *block = lfirst(cell);

		if (block->bytes >= GPUAGG_HUGE_BYTES)
			gpuagg_huge_free(block->data, block->bytes);
	}
}

/* A block for so many bytes at least, which the limit allows; NULL: no memory */
static GpuAggBlock *
add_block(GpuAggStore *store, Size least)
{
	MemoryContext old = MemoryContextSwitchTo(store->context);
	GpuAggBlock *block = palloc0(sizeof(GpuAggBlock));
	Size		bytes = Min(Max(store->memory, BLOCK_LEAST), BLOCK_MOST);

	block->bytes = Min(Max(bytes, least), store->limit - store->memory);
	store->blocks = lappend(store->blocks, block);
	block->data = gpuagg_block_alloc(&block->bytes);
	if (block->data == NULL)
	{
		store->blocks = list_delete_last(store->blocks);
		pfree(block);
		block = NULL;
	}
	MemoryContextSwitchTo(old);
	return block;
}

/* ------------------------------------------------------------ creation --- */

GpuAggStore *
gpuagg_store_create(MemoryContext context, ResourceOwner owner, Size limit)
{
	GpuAggStore *store = MemoryContextAllocZero(context, sizeof(GpuAggStore));

	store->context = context;
	store->owner = owner;
	store->limit = limit;
	store->free_huge.func = free_huge;
	store->free_huge.arg = store;
	MemoryContextRegisterResetCallback(context, &store->free_huge);
	return store;
}

static void
close_file(GpuAggStore *store)
{
	if (store->file != NULL)
		BufFileClose(store->file);
	store->file = NULL;
}

void
gpuagg_store_free(GpuAggStore *store)
{
	close_file(store);
}

/* ------------------------------------------------------------- storing --- */

static void
write_chunk(GpuAggStore *store, GpuAggChunk *head, const char *groups)
{
	if (store->file == NULL)
		store->file = gpuagg_temp_file(store->context, store->owner);
	BufFileWrite(store->file, head, sizeof(*head));
	BufFileWrite(store->file, unconstify(char *, groups), head->bytes);
	store->file_chunks++;
}

static GpuAggBlock *
last_block(const GpuAggStore *store)
{
	return store->blocks == NIL ? NULL : llast(store->blocks);
}

/* Where the next chunk of so many bytes goes; NULL: into the file */
static GpuAggBlock *
place(GpuAggStore *store, Size bytes)
{
	GpuAggBlock *block = last_block(store);

	if (store->file != NULL || bytes > store->limit - store->memory)
		return NULL;
	if (block != NULL && bytes <= block->bytes - block->used)
		return block;
	return add_block(store, bytes);
}

void
gpuagg_store_add(GpuAggStore *store, const char *groups, uint32 count, Size bytes)
{
	GpuAggChunk head = {count, (uint32) bytes};
	GpuAggBlock *block = place(store, CHUNK_BYTES(bytes));
	GpuAggChunk *chunk;

	store->groups += count;
	if (block == NULL)
	{
		write_chunk(store, &head, groups);
		return;
	}
	chunk = (GpuAggChunk *) (block->data + block->used);
	*chunk = head;
	memcpy(CHUNK_DATA(chunk), groups, bytes);
	block->used += CHUNK_BYTES(bytes);
	store->memory += CHUNK_BYTES(bytes);
}

static void
seek(GpuAggStore *store, int file_no, off_t at)
{
	if (BufFileSeek(store->file, file_no, at, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind gpuagg's temporary file: %m")));
}

uint64
gpuagg_store_groups(const GpuAggStore *store)
{
	return store->groups;
}

void
gpuagg_store_mark(GpuAggStore *store, GpuAggStoreMark *mark)
{
	memset(mark, 0, sizeof(*mark));
	mark->blocks = list_length(store->blocks);
	mark->used = store->blocks == NIL ? 0 : last_block(store)->used;
	mark->memory = store->memory;
	mark->groups = store->groups;
	mark->file_chunks = store->file_chunks;
	if (store->file != NULL)
		BufFileTell(store->file, &mark->file_no, &mark->file_at);
}

void
gpuagg_store_cut(GpuAggStore *store, const GpuAggStoreMark *mark)
{
	while (list_length(store->blocks) > mark->blocks)
	{
		GpuAggBlock *block = last_block(store);

		store->blocks = list_delete_last(store->blocks);
		gpuagg_block_free(block->data, block->bytes);
		pfree(block);
	}
	if (store->blocks != NIL)
		last_block(store)->used = mark->used;
	store->memory = mark->memory;
	store->groups = mark->groups;
	store->file_chunks = mark->file_chunks;
	if (mark->file_chunks == 0)
		close_file(store);
	else
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
read_chunk(GpuAggStore *store, uint32 *count, Size *bytes)
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
	*bytes = head.bytes;
	return store->buffer;
}

const char *
gpuagg_store_next_bytes(GpuAggStore *store, uint32 *count, Size *bytes)
{
	while (store->next_block < list_length(store->blocks))
	{
		GpuAggBlock *block = list_nth(store->blocks, store->next_block);

		if (store->at < block->used)
		{
			GpuAggChunk *chunk = (GpuAggChunk *) (block->data + store->at);

			store->at += CHUNK_BYTES(chunk->bytes);
			*count = chunk->count;
			*bytes = chunk->bytes;
			return CHUNK_DATA(chunk);
		}
		store->next_block++;
		store->at = 0;
	}
	return read_chunk(store, count, bytes);
}

const char *
gpuagg_store_next(GpuAggStore *store, uint32 *count)
{
	Size		bytes;

	return gpuagg_store_next_bytes(store, count, &bytes);
}
