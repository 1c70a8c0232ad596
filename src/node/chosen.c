/*
 * chosen.c
 *		The rows that a device has chosen (chosen.h).
 *
 * A row takes 4 bytes, a page that has any 8 more.  Batches are kept as they
 * come, up to work_mem, the rest in a temporary file, and found again by an
 * index in memory: devices may complete batches in any order, but rows are read
 * in the order in which the scan has met them, as PostgreSQL's own scan returns
 * them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "node/chosen.h"
#include "temp_file.h"
#include "utils/memutils.h"

typedef struct ChosenBatch
{
	uint64		id;
	uint32		npages;
	uint32		count;
	int			fileno;			/* where it lies in the file, unless in memory */
	off_t		offset;
	char	   *data;			/* pages, then rows; NULL: in the file */
} ChosenBatch;

struct GpuAggChosen
{
	MemoryContext context;
	ResourceOwner owner;
	ChosenBatch *batches;
	int			nbatches;
	int			max_batches;
	bool		sorted;			/* by their ids */
	Size		memory;
	BufFile    *file;

	/* reading: the batch after the current one, and what is left of that */
	int			next_batch;
	char	   *buffer;			/* a batch of the file */
	Size		buffer_bytes;
	const GpuAggChosenPage *pages;
	uint32		npages;
	const GpuAggChosenRow *at;
	uint32		left;
};

#define FIRST_BATCHES 64

GpuAggChosen *
gpuagg_chosen_create(MemoryContext parent, ResourceOwner owner)
{
	MemoryContext context = AllocSetContextCreate(parent, "gpuagg chosen rows",
												  ALLOCSET_DEFAULT_SIZES);
	GpuAggChosen *chosen = MemoryContextAllocZero(context,
												  sizeof(GpuAggChosen));

	chosen->context = context;
	chosen->owner = owner;
	chosen->sorted = true;
	chosen->max_batches = FIRST_BATCHES;
	chosen->batches = MemoryContextAlloc(context,
										 FIRST_BATCHES * sizeof(ChosenBatch));
	return chosen;
}

void
gpuagg_chosen_free(GpuAggChosen *chosen)
{
	if (chosen->file != NULL)
		BufFileClose(chosen->file);
	MemoryContextDelete(chosen->context);
}

/* ------------------------------------------------------------- storing --- */

static Size
batch_bytes(const ChosenBatch *batch)
{
	return batch->npages * sizeof(GpuAggChosenPage) +
		batch->count * sizeof(GpuAggChosenRow);
}

static void
chosen_write(GpuAggChosen *chosen, ChosenBatch *batch,
			 const GpuAggChosenPage *pages, const GpuAggChosenRow *rows)
{
	if (chosen->file == NULL)
		chosen->file = gpuagg_temp_file(chosen->context, chosen->owner);
	BufFileTell(chosen->file, &batch->fileno, &batch->offset);
	BufFileWrite(chosen->file, unconstify(GpuAggChosenPage *, pages),
				 batch->npages * sizeof(GpuAggChosenPage));
	BufFileWrite(chosen->file, unconstify(GpuAggChosenRow *, rows),
				 batch->count * sizeof(GpuAggChosenRow));
}

static ChosenBatch *
chosen_new_batch(GpuAggChosen *chosen)
{
	if (chosen->nbatches == chosen->max_batches)
	{
		chosen->max_batches *= 2;
		chosen->batches = repalloc_huge(chosen->batches,
										(Size) chosen->max_batches *
										sizeof(ChosenBatch));
	}
	return &chosen->batches[chosen->nbatches++];
}

void
gpuagg_chosen_add(GpuAggChosen *chosen, uint64 batch_id,
				  const GpuAggChosenPage *pages, uint32 npages,
				  const GpuAggChosenRow *rows, uint32 count)
{
	ChosenBatch *batch;

	if (count == 0)
		return;
	batch = chosen_new_batch(chosen);
	batch->id = batch_id;
	batch->npages = npages;
	batch->count = count;
	batch->data = NULL;
	if (batch > chosen->batches && batch[-1].id > batch_id)
		chosen->sorted = false;
	if (chosen->file != NULL ||
		chosen->memory + batch_bytes(batch) > work_mem * (Size) 1024)
	{
		chosen_write(chosen, batch, pages, rows);
		return;
	}
	batch->data = MemoryContextAllocHuge(chosen->context, batch_bytes(batch));
	memcpy(batch->data, pages, npages * sizeof(GpuAggChosenPage));
	memcpy(batch->data + npages * sizeof(GpuAggChosenPage), rows,
		   count * sizeof(GpuAggChosenRow));
	chosen->memory += batch_bytes(batch);
}

/* ------------------------------------------------------------- reading --- */

static int
batch_compare(const void *a, const void *b)
{
	const ChosenBatch *x = a;
	const ChosenBatch *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void
gpuagg_chosen_rewind(GpuAggChosen *chosen)
{
	if (!chosen->sorted)
		qsort(chosen->batches, chosen->nbatches, sizeof(ChosenBatch),
			  batch_compare);
	chosen->sorted = true;
	chosen->next_batch = 0;
	chosen->left = 0;
}

/* Reads a batch of the file into the buffer. */
static char *
chosen_read(GpuAggChosen *chosen, const ChosenBatch *batch)
{
	Size		bytes = batch_bytes(batch);

	if (bytes > chosen->buffer_bytes)
	{
		if (chosen->buffer != NULL)
			pfree(chosen->buffer);
		chosen->buffer = NULL;
		chosen->buffer_bytes = 0;
		chosen->buffer = MemoryContextAllocHuge(chosen->context, bytes);
		chosen->buffer_bytes = bytes;
	}
	if (BufFileSeek(chosen->file, batch->fileno, batch->offset, SEEK_SET) != 0 ||
		BufFileRead(chosen->file, chosen->buffer, bytes) != bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read gpuagg's temporary file: %m")));
	return chosen->buffer;
}

static bool
chosen_next_batch(GpuAggChosen *chosen)
{
	const ChosenBatch *batch;
	const char *data;

	if (chosen->next_batch == chosen->nbatches)
		return false;
	batch = &chosen->batches[chosen->next_batch++];
	data = batch->data != NULL ? batch->data : chosen_read(chosen, batch);
	chosen->pages = (const GpuAggChosenPage *) data;
	chosen->npages = batch->npages;
	chosen->at = (const GpuAggChosenRow *) (chosen->pages + batch->npages);
	chosen->left = batch->count;
	return true;
}

bool
gpuagg_chosen_next(GpuAggChosen *chosen, const GpuAggChosenPage **page,
				   const GpuAggChosenPage **next, OffsetNumber *line,
				   bool *undecided)
{
	GpuAggChosenRow row;
	uint32		number;

	if (chosen->left == 0 && !chosen_next_batch(chosen))
		return false;
	row = *chosen->at++;
	chosen->left--;
	number = row >> 16;
	*page = chosen->pages + number;
	*next = number + 1 < chosen->npages ? *page + 1 : NULL;
	*undecided = (row & GPUAGG_CHOSEN_UNDECIDED) != 0;
	*line = row & (GPUAGG_CHOSEN_UNDECIDED - 1);
	return true;
}
