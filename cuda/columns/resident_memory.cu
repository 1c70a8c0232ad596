/*
 * resident_memory.cu
 *		Memory of a launch over stripes (resident_memory.h): one allocation, in the
 *		task's other stream, whose first part the host writes.
 */
#include <stdlib.h>

#include "cuda/columns/resident_memory.h"

uint32_t
gpuagg_cuda_resident_tiles(const GpuAggPendingStripe *w)
{
	return (w->positions + GPUAGG_STRIPE_TILE - 1) / GPUAGG_STRIPE_TILE;
}

uint32_t
gpuagg_cuda_resident_left_words(const GpuAggPendingStripe *w)
{
	return (gpuagg_cuda_resident_tiles(w) * (GPUAGG_STRIPE_TILE / GPUAGG_FRAME_GRANULE) + 31) / 32;
}

static char *
part(char *base, size_t *at, size_t bytes)
{
	char	   *p = base != NULL ? base + *at : NULL;

	*at += gpuagg_cuda_align(bytes);
	return p;
}

/* A bit for each position of all stripes, in whole tiles */
static size_t
bitmap_bytes(const GpuAggResidentShape *shape)
{
	size_t		tiles = 0;

	for (uint32_t i = 0; i < shape->n; i++)
		tiles += gpuagg_cuda_resident_tiles(&shape->pending[i]);
	return tiles * (GPUAGG_STRIPE_TILE / 8);
}

static size_t
resident_layout(const GpuAggTask *task, const GpuAggResidentShape *shape, char *base,
				GpuAggDecodedBatch *decoded, GpuAggResidentParts *parts)
{
	const uint32_t ncolumns = gpuagg_cuda_program(task->prepared)->ncolumns;
	const size_t bitmap = (size_t) shape->tiles * (GPUAGG_STRIPE_TILE / 8);
	size_t		at = 0;

	decoded->head = (GpuAggBatchHead *) part(base, &at, sizeof(GpuAggBatchHead));
	parts->inputs = (GpuAggStripeInput *) part(base, &at, shape->n * sizeof(GpuAggStripeInput));
	parts->columns = (GpuAggStripeColumn *) part(
		base, &at, (size_t) shape->n * ncolumns * sizeof(GpuAggStripeColumn));
	parts->without = (GpuAggPositions *) part(base, &at, shape->nwithout * sizeof(GpuAggPositions));
	parts->nentries = (uint32_t *) part(base, &at, sizeof(uint32_t));
	parts->left = (uint32_t *) part(base, &at, shape->left_words * sizeof(uint32_t));
	parts->upload = at;
	parts->bitmap_bytes = bitmap;
	parts->bitmaps = part(base, &at, shape->nbitmaps * bitmap);
	parts->taken_bytes = task->prepared->sampled ? bitmap_bytes(shape) : 0;
	parts->taken = (uint32_t *) part(base, &at, parts->taken_bytes);
	parts->entries_head = (GpuAggTableHead *) part(base, &at, sizeof(GpuAggTableHead));
	parts->flags = (uint8_t *) part(base, &at, shape->tiles > 0 ? 0 : shape->pending->positions);
	decoded->spill = part(base, &at, (size_t) shape->nspill * task->prepared->stride);
	return at;
}

/* What is input, here and there */
static void
inputs_stage(const GpuAggTask *task, const GpuAggResidentShape *shape,
			 const GpuAggResidentParts *parts, GpuAggBatch *batch)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggResident *r = batch->resident;
	GpuAggPositions *without = parts->without;
	uint32_t   *leftover = (uint32_t *) parts->bitmaps;
	uint32_t   *chosen = (uint32_t *) (parts->bitmaps + parts->bitmap_bytes);
	uint32_t   *left = parts->left;
	uint32_t   *taken = parts->taken;
	uint32_t	tile = 0;
	GpuAggError error;

	for (uint32_t i = 0; i < shape->n; i++)
	{
		const GpuAggPendingStripe *w = &shape->pending[i];
		GpuAggStripeInput *input = &r->inputs[i];
		const GpuAggStripeColumn *columns = parts->columns + (size_t) i * p->ncolumns;

		(void) gpuagg_cuda_stripe_columns(
			w->stripe, p, (GpuAggStripeColumn *) gpuagg_cuda_staged(batch, columns), &error);
		if (w->nwithout > 0)
			memcpy(gpuagg_cuda_staged(batch, without), w->without, w->nwithout * sizeof(*without));
		input->valid = parts->taken_bytes > 0 ? taken : w->stripe->valid;
		input->columns = columns;
		input->without = without;
		input->nwithout = w->nwithout;
		input->positions = w->positions;
		input->first_tile = tile;
		input->leftover = leftover + (size_t) tile * (GPUAGG_STRIPE_TILE / 32);
		input->left = shape->left_words > 0 ? left : NULL;
		input->chosen = shape->choose ? chosen + (size_t) tile * (GPUAGG_STRIPE_TILE / 32) : NULL;
		without += w->nwithout;
		left += gpuagg_cuda_resident_left_words(w);
		taken += gpuagg_cuda_resident_tiles(w) * (GPUAGG_STRIPE_TILE / 32);
		tile += gpuagg_cuda_resident_tiles(w);
	}
	memset(gpuagg_cuda_staged(batch, parts->left), 0, shape->left_words * sizeof(uint32_t));
	memcpy(gpuagg_cuda_staged(batch, parts->inputs), r->inputs, shape->n * sizeof(*r->inputs));
	*(uint32_t *) gpuagg_cuda_staged(batch, parts->nentries) = 0;
}

GpuAggBatch *
gpuagg_cuda_resident_make(GpuAggTask *task, const GpuAggResidentShape *shape,
						  GpuAggResidentParts *parts, GpuAggError *error)
{
	GpuAggDecodedBatch decoded = {};
	const size_t bytes = resident_layout(task, shape, NULL, &decoded, parts);
	GpuAggResident *r = (GpuAggResident *) calloc(1, sizeof(*r));
	GpuAggBatch *batch;

	if (r == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	batch = gpuagg_cuda_batch_make(task, bytes, parts->upload, task->streams->decode, error);
	if (batch == NULL)
	{
		free(r);
		return NULL;
	}
	batch->program = gpuagg_cuda_program(task->prepared);
	batch->prepared = task->device_prepared;
	batch->resident = r;
	batch->completion.batch_id = shape->pending->done->completion.batch_id;
	(void) resident_layout(task, shape, batch->memory, &batch->decoded, parts);
	r->n = shape->n;
	r->deferred = shape->deferred;
	inputs_stage(task, shape, parts, batch);
	return batch;
}

/* Of a sample, the positions that are taken, behind what has been told of lines */
static bool
take_sample(GpuAggTask *task, const GpuAggResidentShape *shape, const GpuAggResidentParts *parts,
			GpuAggError *error)
{
	cudaStream_t stream = task->streams->decode;
	uint32_t   *taken = parts->taken;

	if (!gpuagg_cuda_stripe_wait(task, stream, error) ||
		!CUDA_OK(task->device, cudaMemsetAsync(taken, 0, parts->taken_bytes, stream), error))
		return false;
	for (uint32_t i = 0; i < shape->n; i++)
	{
		const GpuAggPendingStripe *w = &shape->pending[i];

		if (!gpuagg_cuda_stripe_sample(w->stripe, w->pages, w->positions, &task->prepared->sample,
									   taken, stream, error))
			return false;
		taken += gpuagg_cuda_resident_tiles(w) * (GPUAGG_STRIPE_TILE / 32);
	}
	return true;
}

bool
gpuagg_cuda_resident_upload(GpuAggTask *task, GpuAggBatch *batch, const GpuAggResidentShape *shape,
							const GpuAggResidentParts *parts, GpuAggError *error)
{
	cudaStream_t stream = task->streams->decode;
	const size_t clear = shape->left_words > 0 ? 0 : shape->nbitmaps * parts->bitmap_bytes;

	return (parts->taken_bytes == 0 || take_sample(task, shape, parts, error)) &&
		gpuagg_cuda_batch_upload(task, batch, parts->upload, stream, error) &&
		(clear == 0 ||
		 CUDA_OK(task->device, cudaMemsetAsync(parts->bitmaps, 0, clear, stream), error));
}

bool
gpuagg_cuda_resident_wait(GpuAggTask *task, GpuAggBatch *batch, GpuAggError *error)
{
	return CUDA_OK(task->device, cudaEventRecord(batch->events->decoded, task->streams->decode),
				   error) &&
		gpuagg_cuda_stripe_wait(task, task->streams->group, error) &&
		CUDA_OK(task->device, cudaStreamWaitEvent(task->streams->group, batch->events->decoded, 0),
				error);
}
