/*
 * tid_store.c
 *		The rows that a device has chosen (tid_store.h).
 *
 * A row takes 4 bytes, a page that has any 8 more.  Batches are kept as they
 * come, up to work_mem, the rest in a temporary file, and found again by an
 * index in memory: devices may complete batches in any order, but rows are read
 * in the order in which the scan has met them, as PostgreSQL's own scan returns
 * them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "node/result/tid_store.h"
#include "temp_file.h"
#include "utils/memutils.h"

typedef struct TidBatch
{
	uint64		id;
	uint32		npages;
	uint32		count;
	int			fileno;			/* where it lies in the file, unless in memory */
	off_t		offset;
	char	   *data;			/* pages, then rows; NULL: in the file */
} TidBatch;

struct GpuAggTidStore
{
	MemoryContext context;
	ResourceOwner owner;
	TidBatch *batches;
	int			nbatches;
	int			max_batches;
	bool		sorted;			/* by their ids */
	Size		memory;
	BufFile    *file;

	/* reading: the batch after the current one, and what is left of that */
	int			next_batch;
	char	   *buffer;			/* a batch of the file */
	Size		buffer_bytes;
	const GpuAggTidPage *pages;
	uint32		npages;
	const GpuAggTidRow *at;
	uint32		left;
};

#define FIRST_BATCHES 64

GpuAggTidStore *
gpuagg_tid_store_create(MemoryContext parent, ResourceOwner owner)
{
	MemoryContext context = AllocSetContextCreate(parent, "gpuagg chosen rows",
												  ALLOCSET_DEFAULT_SIZES);
	GpuAggTidStore *store = MemoryContextAllocZero(context,
												  sizeof(GpuAggTidStore));

	store->context = context;
	store->owner = owner;
	store->sorted = true;
	store->max_batches = FIRST_BATCHES;
	store->batches = MemoryContextAlloc(context,
										 FIRST_BATCHES * sizeof(TidBatch));
	return store;
}

void
gpuagg_tid_store_free(GpuAggTidStore *store)
{
	if (store->file != NULL)
		BufFileClose(store->file);
	MemoryContextDelete(store->context);
}

/* ------------------------------------------------------------- storing --- */

static Size
batch_bytes(const TidBatch *batch)
{
	return batch->npages * sizeof(GpuAggTidPage) +
		batch->count * sizeof(GpuAggTidRow);
}

static void
tid_write(GpuAggTidStore *store, TidBatch *batch,
			 const GpuAggTidPage *pages, const GpuAggTidRow *rows)
{
	if (store->file == NULL)
		store->file = gpuagg_temp_file(store->context, store->owner);
	BufFileTell(store->file, &batch->fileno, &batch->offset);
	BufFileWrite(store->file, unconstify(GpuAggTidPage *, pages),
				 batch->npages * sizeof(GpuAggTidPage));
	BufFileWrite(store->file, unconstify(GpuAggTidRow *, rows),
				 batch->count * sizeof(GpuAggTidRow));
}

static TidBatch *
tid_new_batch(GpuAggTidStore *store)
{
	if (store->nbatches == store->max_batches)
	{
		store->max_batches *= 2;
		store->batches = repalloc_huge(store->batches,
										(Size) store->max_batches *
										sizeof(TidBatch));
	}
	return &store->batches[store->nbatches++];
}

void
gpuagg_tid_store_add(GpuAggTidStore *store, uint64 batch_id,
				  const GpuAggTidPage *pages, uint32 npages,
				  const GpuAggTidRow *rows, uint32 count)
{
	TidBatch *batch;

	if (count == 0)
		return;
	batch = tid_new_batch(store);
	batch->id = batch_id;
	batch->npages = npages;
	batch->count = count;
	batch->data = NULL;
	if (batch > store->batches && batch[-1].id > batch_id)
		store->sorted = false;
	if (store->file != NULL ||
		store->memory + batch_bytes(batch) > work_mem * (Size) 1024)
	{
		tid_write(store, batch, pages, rows);
		return;
	}
	batch->data = MemoryContextAllocHuge(store->context, batch_bytes(batch));
	memcpy(batch->data, pages, npages * sizeof(GpuAggTidPage));
	memcpy(batch->data + npages * sizeof(GpuAggTidPage), rows,
		   count * sizeof(GpuAggTidRow));
	store->memory += batch_bytes(batch);
}

/* ------------------------------------------------------------- reading --- */

static int
batch_compare(const void *a, const void *b)
{
	const TidBatch *x = a;
	const TidBatch *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void
gpuagg_tid_store_rewind(GpuAggTidStore *store)
{
	if (!store->sorted)
		qsort(store->batches, store->nbatches, sizeof(TidBatch),
			  batch_compare);
	store->sorted = true;
	store->next_batch = 0;
	store->left = 0;
}

/* Reads a batch of the file into the buffer. */
static char *
tid_read(GpuAggTidStore *store, const TidBatch *batch)
{
	Size		bytes = batch_bytes(batch);

	if (bytes > store->buffer_bytes)
	{
		if (store->buffer != NULL)
			pfree(store->buffer);
		store->buffer = NULL;
		store->buffer_bytes = 0;
		store->buffer = MemoryContextAllocHuge(store->context, bytes);
		store->buffer_bytes = bytes;
	}
	if (BufFileSeek(store->file, batch->fileno, batch->offset, SEEK_SET) != 0 ||
		BufFileRead(store->file, store->buffer, bytes) != bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read gpuagg's temporary file: %m")));
	return store->buffer;
}

static bool
tid_next_batch(GpuAggTidStore *store)
{
	const TidBatch *batch;
	const char *data;

	if (store->next_batch == store->nbatches)
		return false;
	batch = &store->batches[store->next_batch++];
	data = batch->data != NULL ? batch->data : tid_read(store, batch);
	store->pages = (const GpuAggTidPage *) data;
	store->npages = batch->npages;
	store->at = (const GpuAggTidRow *) (store->pages + batch->npages);
	store->left = batch->count;
	return true;
}

bool
gpuagg_tid_store_next(GpuAggTidStore *store, const GpuAggTidPage **page,
				   const GpuAggTidPage **next, OffsetNumber *line,
				   bool *undecided)
{
	GpuAggTidRow row;
	uint32		number;

	if (store->left == 0 && !tid_next_batch(store))
		return false;
	row = *store->at++;
	store->left--;
	number = row >> 16;
	*page = store->pages + number;
	*next = number + 1 < store->npages ? *page + 1 : NULL;
	*undecided = (row & GPUAGG_TID_UNDECIDED) != 0;
	*line = row & (GPUAGG_TID_UNDECIDED - 1);
	return true;
}
