/*
 * batch_input.cu
 *		Batches of the CUDA device: pages and rows in.  complete.cu:
 *		completions out.
 *
 * What a batch needs on the card is one allocation, laid out by
 * batch_alloc().  It goes through the streams in one go: upload of what the
 * client said of the pages, decoding, grouping (or packing, of tasks that keep
 * rows), download of the counters.
 *
 * Pages that find no memory, while others are in flight, wait for them
 * (pending.cu); so do pages whose kernel is worth waiting for (columns/page_path.h).
 */
#include <stdlib.h>

#include "cuda/columns/cuda_stripe.h"
#include "cuda/columns/resident.h"
#include "cuda/provider/provider.h"
#include "device/batch_memory.h"

/* Blocks that keep pages, on a multiprocessor */
#define FILL_BLOCKS 2

/* ---------- memory of a batch ---------- */

typedef struct BatchShape
{
	uint32_t	npages;
	uint32_t	nbitmaps;
	uint32_t	nstripes;			/* runs of pages that one stripe keeps */
	uint32_t	nrows;
	size_t		heap;			/* bytes of strings of evaluated rows */
} BatchShape;

static_assert(sizeof(GpuAggPageRef) == GPUAGG_DECODED_REF_BYTES,
			  "batch_memory.h says what a page takes");

static void
batch_layout(const GpuAggCudaPrepared *prepared, const BatchShape *shape, uint32_t max_spill,
			 bool rows, GpuAggBatchLayout *layout)
{
	const uint32_t ncolumns = gpuagg_cuda_program(prepared)->ncolumns;
	GpuAggBatchSizes decoded = {};

	decoded.rows = rows;
	decoded.copies = prepared->has_bytes && !rows;
	decoded.npages = shape->npages;
	decoded.nbitmaps = shape->nbitmaps;
	decoded.nrows = shape->nrows;
	decoded.ncolumns = ncolumns;
	decoded.nwords = prepared->nwords;
	decoded.head_bytes = sizeof(GpuAggBatchHead);
	decoded.stripe_bytes = shape->nstripes *
		(sizeof(GpuAggStripeRef) + ncolumns * sizeof(GpuAggStripeColumn));
	decoded.heap_bytes = shape->heap;
	decoded.spill_bytes = (uint64_t) max_spill * prepared->stride;
	gpuagg_batch_layout(&decoded, layout);
}

/* The parts of a decoded batch that is laid out from base */
static void
batch_decoded(const GpuAggCudaPrepared *prepared, const BatchShape *shape, bool rows, char *base,
			const GpuAggBatchLayout *layout, GpuAggDecodedBatch *decoded)
{
	decoded->nrows = shape->nrows;
	decoded->npages = shape->npages;
	decoded->head = (GpuAggBatchHead *) (base + layout->head);
	decoded->refs = (const GpuAggPageRef *) (base + layout->refs);
	decoded->bitmaps = (const uint8_t *) (base + layout->bitmaps);
	decoded->stripes = shape->nstripes > 0 ? (const GpuAggStripeRef *) (base + layout->stripes) :
											 NULL;
	decoded->valid = (uint8_t *) (base + layout->valid);
	decoded->states = (uint8_t *) (base + layout->states);
	decoded->words = (uint64_t *) (base + layout->words);
	decoded->pages = prepared->has_bytes && !rows ? base + layout->pages : NULL;
	decoded->skipped = (GpuAggRowRef *) (base + layout->skipped);
	decoded->spill = base + layout->spill;
}

void
gpuagg_cuda_batches_free(GpuAggTask *task)
{
	gpuagg_cuda_pending_free(task);
	gpuagg_cuda_batch_free(task, task->polled);
	task->polled = NULL;
	while (task->first != NULL)
	{
		GpuAggBatch *batch = task->first;

		task->first = batch->next;
		gpuagg_cuda_batch_free(task, batch);
	}
}

/* A batch of pages or rows; *upload: bytes to go up */
static GpuAggBatch *
batch_alloc(GpuAggTask *task, const BatchShape *shape, const GpuAggCudaPrepared *prepared,
			bool rows, char **heap, size_t *upload, GpuAggError *error)
{
	const uint32_t max_spill = gpuagg_cuda_spill_room(task, shape->nrows);
	cudaStream_t stream = rows ? task->streams->group : task->streams->decode;
	GpuAggBatchLayout layout;
	GpuAggBatch *batch;

	batch_layout(prepared, shape, max_spill, rows, &layout);
	*upload = layout.upload;
	batch = gpuagg_cuda_batch_make(task, layout.bytes, *upload, stream, error);
	if (batch == NULL)
		return NULL;
	batch->program = gpuagg_cuda_program(prepared);
	*heap = batch->memory + layout.heap;
	batch_decoded(prepared, shape, rows, batch->memory, &layout, &batch->decoded);
	return batch;
}

/* ---------- launching ---------- */

static bool
batch_decode(GpuAggTask *task, GpuAggBatch *batch, size_t upload, GpuAggError *error)
{
	cudaStream_t stream = task->streams->decode;

	if (!gpuagg_cuda_batch_upload(task, batch, upload, stream, error) ||
		!CUDA_OK(task->device, cudaEventRecord(batch->events->decode, stream), error))
		return false;
	gpuagg_cuda_decode(batch->prepared, &batch->decoded, task->device->sms * GPUAGG_DECODE_BLOCKS,
					   stream);
	return CUDA_LAUNCHED(task->device, error) &&
		CUDA_OK(task->device, cudaEventRecord(batch->events->decoded, stream), error) &&
		CUDA_OK(task->device,
				cudaStreamWaitEvent(task->streams->group, batch->events->decoded, 0), error);
}

/*
 * Strings get their codes, and rows their positions in stripes, before grouping
 * clears flags; beside the decoder, so that the link stays busy.
 */
static bool
batch_fill(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error)
{
	cudaStream_t stream = task->streams->group;

	if (!gpuagg_cuda_encode_columns(task, batch, stream, error))
		return false;
	if (batch->decoded.stripes == NULL)
		return true;
	if (!gpuagg_cuda_stripe_wait(task, stream, error))
		return false;
	batch->decoded.fill_number = ++task->device->fill_number;
	gpuagg_cuda_fill(batch->prepared, &batch->decoded, task->device->sms * FILL_BLOCKS, stream);
	return CUDA_LAUNCHED(task->device, error);
}

/* ---------- pages ---------- */

/* That are a page's own in its stripe */
static uint32_t
page_positions(const GpuAggPage *page)
{
	return page->positions > page->nlines ? page->positions : page->nlines;
}

static GpuAggStatus
pages_check(const GpuAggTask *task, const GpuAggPage *pages, uint32_t npages,
			BatchShape *shape, GpuAggError *error)
{
	const GpuAggDevice *device = task->device;
	GpuAggStripeColumn columns[GPUAGG_MAX_REGS];

	memset(shape, 0, sizeof(*shape));
	shape->npages = npages;
	for (uint32_t i = 0; i < npages; i++)
	{
		if (pages[i].page < device->pages ||
			pages[i].page + GPUAGG_PAGE_BYTES > device->pages + device->pages_bytes)
			return gpuagg_cuda_error(error, GPUAGG_DEVICE_FAULT,
									 "page %u of the batch is not in shared_buffers", i);
		if (pages[i].nlines > GPUAGG_MAX_LINES)
			return gpuagg_cuda_error(error, GPUAGG_CORRUPT_PAGE,
									 "page %u of the batch has %u line pointers",
									 i, pages[i].nlines);
		shape->nrows += pages[i].nlines;
		shape->nbitmaps += pages[i].visibility != NULL;
		if (pages[i].stripe == NULL)
			continue;
		if (pages[i].position > pages[i].stripe->positions ||
			page_positions(&pages[i]) > GPUAGG_MAX_LINES ||
			page_positions(&pages[i]) > pages[i].stripe->positions - pages[i].position)
			return gpuagg_cuda_error(error, GPUAGG_DEVICE_FAULT,
									 "page %u of the batch exceeds its stripe", i);
		if (i > 0 && pages[i].stripe == pages[i - 1].stripe)
			continue;
		if (!gpuagg_cuda_stripe_columns(pages[i].stripe, gpuagg_cuda_program(task->prepared),
										columns, error))
			return error->status;
		shape->nstripes++;
	}
	return GPUAGG_OK;
}

/*
 * Where the card reads a page: in place, or in a copy, of which there is room for
 * `left`.  NULL: no memory for copies.
 */
static const char *
page_address(GpuAggTask *task, GpuAggBatch *batch, const char *page, uint32_t left,
			 uint32_t *ncopies, GpuAggError *error)
{
	const char *there = gpuagg_cuda_registered(task->device, page);
	char	   *copy;

	if (there != NULL)
		return there;
	if (batch->copies == NULL)
		batch->copies = gpuagg_cuda_pin(task->device, (size_t) left * GPUAGG_PAGE_BYTES, error);
	if (batch->copies == NULL)
		return NULL;
	copy = batch->copies->data + (size_t) (*ncopies)++ * GPUAGG_PAGE_BYTES;
	memcpy(copy, page, GPUAGG_PAGE_BYTES);
	return copy;
}

static bool
pages_stage(GpuAggTask *task, GpuAggBatch *batch, const GpuAggPage *pages, GpuAggError *error)
{
	GpuAggPageRef *refs = (GpuAggPageRef *) gpuagg_cuda_staged(batch, batch->decoded.refs);
	uint8_t    *bitmaps = (uint8_t *) gpuagg_cuda_staged(batch, batch->decoded.bitmaps);
	uint32_t	nbitmaps = 0;
	uint32_t	nstripes = 0;
	uint32_t	ncopies = 0;
	uint32_t	row = 0;

	for (uint32_t i = 0; i < batch->decoded.npages; i++)
	{
		GpuAggPageRef *ref = &refs[i];

		ref->page = page_address(task, batch, pages[i].page, batch->decoded.npages - i,
								 &ncopies, error);
		if (ref->page == NULL)
			return false;
		ref->nlines = (uint16_t) pages[i].nlines;
		ref->positions = pages[i].beside != 0 ? 0 : (uint16_t) page_positions(&pages[i]);
		ref->there = pages[i].there;
		ref->row_base = row;
		ref->bitmap = 0;
		ref->block = pages[i].block;
		ref->stripe = 0;
		ref->position = pages[i].position;
		if (pages[i].stripe != NULL)
		{
			nstripes += i == 0 || pages[i].stripe != pages[i - 1].stripe;
			ref->stripe = nstripes;
			gpuagg_cuda_stripe_extend(pages[i].stripe, pages[i].position + pages[i].nlines);
		}
		row += pages[i].nlines;
		if (pages[i].visibility == NULL)
			continue;
		memcpy(bitmaps + (size_t) nbitmaps * GPUAGG_VISIBILITY_BYTES, pages[i].visibility,
			   GPUAGG_VISIBILITY_BYTES);
		ref->bitmap = ++nbitmaps;
	}
	return true;
}

/* The stripes that keep pages of the batch; behind them are the columns of each. */
static void
stripes_stage(GpuAggBatch *batch, const GpuAggPage *pages, uint32_t nstripes)
{
	const GpuAggStripeColumn *there = (const GpuAggStripeColumn *) (batch->decoded.stripes +
																	nstripes);
	GpuAggStripeRef *ref = (GpuAggStripeRef *) gpuagg_cuda_staged(batch, batch->decoded.stripes);
	GpuAggError error;

	for (uint32_t i = 0; nstripes > 0 && i < batch->decoded.npages; i++)
	{
		if (pages[i].stripe == NULL || (i > 0 && pages[i].stripe == pages[i - 1].stripe))
			continue;
		ref->valid = pages[i].stripe->valid;
		ref->zones = pages[i].stripe->zones.there;
		ref->columns = there;
		(void) gpuagg_cuda_stripe_columns(pages[i].stripe, batch->program,
										  (GpuAggStripeColumn *) gpuagg_cuda_staged(batch, there),
										  &error);
		batch->filled = pages[i].stripe;
		there += batch->program->ncolumns;
		ref++;
	}
}

GpuAggStatus
gpuagg_cuda_task_pages(GpuAggTask *task, uint64_t batch_id, const GpuAggPage *pages,
					   uint32_t npages, GpuAggError *error)
{
	BatchShape	shape;
	GpuAggBatch *batch;
	size_t		upload;
	char	   *heap;
	bool		waits;
	bool		ok;

	gpuagg_cuda_resident_flush(task);
	if (gpuagg_cuda_input_check(task, error) != GPUAGG_OK)
		return error->status == GPUAGG_DEVICE_LOST ? error->status :
			gpuagg_cuda_batch_failed(task, batch_id, error);
	if (gpuagg_cuda_input_faults(task, error) != GPUAGG_OK ||
		pages_check(task, pages, npages, &shape, error) != GPUAGG_OK)
		return gpuagg_cuda_batch_failed(task, batch_id, error);
	waits = task->pending == NULL && gpuagg_cuda_page_waits(task);
	batch = task->pending != NULL || waits ? NULL :
		batch_alloc(task, &shape, task->prepared, false, &heap, &upload, error);
	if (batch == NULL && gpuagg_cuda_pending_add(task, batch_id, pages, npages, waits, error))
		return GPUAGG_OK;
	if (batch == NULL)
		return gpuagg_cuda_batch_failed(task, batch_id, error);
	batch->prepared = task->device_prepared;
	batch->completion.batch_id = batch_id;
	task->fed = true;
	stripes_stage(batch, pages, shape.nstripes);
	ok = pages_stage(task, batch, pages, error) && batch_decode(task, batch, upload, error) &&
		batch_fill(task, batch, error) &&
		(gpuagg_cuda_page_open(task, batch) == GPUAGG_KERNEL_READY ?
			 gpuagg_cuda_page_group(task, batch, error) :
			 gpuagg_cuda_batch_group(task, batch, task->local.capacity > 0, error));
	return gpuagg_cuda_batch_enqueued(task, batch, ok, error);
}

/* ---------- rows that PostgreSQL evaluated ---------- */

/* Bytes of their strings, and of the longest one */
static size_t
rows_heap(const GpuAggProgram *p, const GpuAggRowColumn *columns, uint32_t nrows, size_t *longest)
{
	const uint8_t *classes = gpuagg_program_classes(p);
	size_t		bytes = 0;

	*longest = 0;

	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		const GpuAggBytes *values = (const GpuAggBytes *) columns[c].values;

		for (uint32_t i = 0; classes[c] == GPUAGG_CLASS_BYTES && i < nrows; i++)
			if (columns[c].states[i] == GPUAGG_ST_VALUE)
			{
				bytes += values[i].len;
				*longest = values[i].len > *longest ? values[i].len : *longest;
			}
	}
	return bytes;
}

/* Copies the columns; strings get the addresses that they will have. */
static void
rows_stage(GpuAggBatch *batch, const GpuAggCudaPrepared *prepared, const GpuAggRowColumn *columns,
		   char *heap)
{
	const GpuAggProgram *p = batch->program;
	const uint8_t *classes = gpuagg_program_classes(p);
	const size_t nrows = batch->decoded.nrows;

	memset(gpuagg_cuda_staged(batch, batch->decoded.valid), 1, nrows);
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		uint64_t   *words = (uint64_t *) gpuagg_cuda_staged(batch, batch->decoded.words) +
			prepared->column_words[c] * nrows;
		const GpuAggBytes *values = (const GpuAggBytes *) columns[c].values;

		memcpy(gpuagg_cuda_staged(batch, batch->decoded.states) + c * nrows, columns[c].states,
			   nrows);
		if (classes[c] != GPUAGG_CLASS_BYTES)
		{
			memcpy(words, columns[c].values, nrows * sizeof(uint64_t));
			continue;
		}
		for (size_t i = 0; i < nrows; i++)
		{
			bool		value = columns[c].states[i] == GPUAGG_ST_VALUE;

			words[2 * i] = (uint64_t) (uintptr_t) heap;
			words[2 * i + 1] = value ? values[i].len : 0;
			if (!value || values[i].len == 0)
				continue;
			memcpy(gpuagg_cuda_staged(batch, heap), values[i].data, values[i].len);
			heap += values[i].len;
		}
	}
}

/* Columns of a stripe have no errors: kernels for these know values and NULLs. */
static bool
rows_have_errors(const GpuAggRowColumn *columns, uint32_t ncolumns, uint32_t nrows)
{
	uint8_t		states = 0;

	for (uint32_t c = 0; c < ncolumns; c++)
		for (uint32_t i = 0; i < nrows; i++)
			states |= columns[c].states[i];
	return GPUAGG_ST_IS_ERROR(states);
}

static bool
rows_prepared_make(GpuAggTask *task, GpuAggError *error)
{
	if (task->device_rows_prepared != NULL)
		return true;
	if (task->rows_prepared == NULL)
	{
		GpuAggProgram *p = gpuagg_rows_program(gpuagg_cuda_program(task->prepared));

		if (p != NULL)
			task->rows_prepared = gpuagg_cuda_prepare(p, &task->rows_prepared_bytes);
		free(p);
	}
	if (task->rows_prepared == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	task->rows_prepared->hash_window = task->prepared->hash_window;
	task->device_rows_prepared = gpuagg_cuda_task_upload(task, task->rows_prepared,
													 task->rows_prepared_bytes,
													 &task->rows_prepared_staging, error);
	return task->device_rows_prepared != NULL;
}

bool
gpuagg_cuda_rows_group(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error)
{
	const GpuAggKernelState state = gpuagg_cuda_page_open(task, batch);

	batch->stage = state == GPUAGG_KERNEL_WAIT ? GPUAGG_BATCH_WAITING : GPUAGG_BATCH_GROUPING;
	if (state == GPUAGG_KERNEL_READY)
		return gpuagg_cuda_page_group(task, batch, error);
	return state == GPUAGG_KERNEL_WAIT || gpuagg_cuda_batch_group(task, batch, false, error);
}

GpuAggStatus
gpuagg_cuda_task_rows(GpuAggTask *task, uint64_t batch_id, const GpuAggRowColumn *columns,
					  uint32_t nrows, GpuAggError *error)
{
	BatchShape	shape = {0, 0, 0, nrows, 0};
	GpuAggBatch *batch;
	size_t		longest;
	size_t		upload;
	char	   *heap;
	bool		ok;

	gpuagg_cuda_resident_flush(task);
	if (gpuagg_cuda_input_check(task, error) != GPUAGG_OK)
		return error->status == GPUAGG_DEVICE_LOST ? error->status :
			gpuagg_cuda_batch_failed(task, batch_id, error);
	if (task->fault == GPUAGG_FAULT_ROWS)
		return gpuagg_cuda_injected("rows", error);
	if (!rows_prepared_make(task, error))
		return gpuagg_cuda_batch_failed(task, batch_id, error);
	shape.heap = rows_heap(gpuagg_cuda_program(task->rows_prepared), columns, nrows, &longest);
	batch = batch_alloc(task, &shape, task->rows_prepared, true, &heap, &upload, error);
	if (batch == NULL)
		return gpuagg_cuda_batch_failed(task, batch_id, error);
	batch->prepared = task->device_rows_prepared;
	batch->evaluated = true;
	batch->odd = (longest >= GPUAGG_CODEGEN_STRING && gpuagg_program_has_lock(batch->program)) ||
		rows_have_errors(columns, batch->program->ncolumns, nrows);
	batch->completion.batch_id = batch_id;
	task->fed = true;
	rows_stage(batch, task->rows_prepared, columns, heap);
	ok = gpuagg_cuda_batch_upload(task, batch, upload, task->streams->group, error) &&
		gpuagg_cuda_rows_group(task, batch, error);
	return gpuagg_cuda_batch_enqueued(task, batch, ok, error);
}
