/*
 * slab.cu
 *		Slabs of the CUDA device: their memory, columns and valid places.
 *
 * Memory comes from the tasks' pool, so that what a slab gives back serves
 * tasks and the other way round, but is counted by itself.  It is allocated,
 * cleared and freed in a stream of the device's own, behind which tasks come
 * that use slabs.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_slab.h"

/* ---------- memory ---------- */

static bool
stream_open(GpuAggDevice *device, GpuAggError *error)
{
	if (device->slab_stream != NULL)
		return true;
	if (!CUDA_OK(device, cudaEventCreateWithFlags(&device->slab_event, cudaEventDisableTiming),
				 error))
		return false;
	if (CUDA_OK(device, cudaStreamCreateWithFlags(&device->slab_stream, cudaStreamNonBlocking),
				error))
		return true;
	(void) cudaEventDestroy(device->slab_event);
	device->slab_stream = NULL;
	return false;
}

void
gpuagg_cuda_slabs_close(GpuAggDevice *device)
{
	if (device->slab_stream == NULL)
		return;
	(void) cudaEventDestroy(device->slab_event);
	(void) cudaStreamDestroy(device->slab_stream);
}

bool
gpuagg_cuda_slab_done(GpuAggDevice *device, GpuAggError *error)
{
	return CUDA_OK(device, cudaEventRecord(device->slab_event, device->slab_stream), error);
}

bool
gpuagg_cuda_slab_wait(GpuAggTask *task, cudaStream_t stream, GpuAggError *error)
{
	return CUDA_OK(task->device, cudaStreamWaitEvent(stream, task->device->slab_event, 0), error);
}

void *
gpuagg_cuda_slab_alloc(GpuAggDevice *device, size_t bytes, GpuAggError *error)
{
	void	   *p = NULL;

	if (device->lost)
	{
		*error = device->lost_error;
		return NULL;
	}
	if (device->slab_used + bytes > device->slab_limit)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "the cache's %llu kB of device memory are used up",
						  (unsigned long long) device->slab_limit / 1024);
		return NULL;
	}
	if (!stream_open(device, error) ||
		!CUDA_OK(device, cudaMallocFromPoolAsync(&p, bytes, device->pool, device->slab_stream), error))
		return NULL;
	device->slab_used += bytes;
	return p;
}

void
gpuagg_cuda_slab_release(GpuAggDevice *device, void *p, size_t bytes)
{
	if (p == NULL)
		return;
	if (!device->lost)
		(void) cudaFreeAsync(p, device->slab_stream);
	device->slab_used -= bytes;
}

static void
slab_limit(GpuAggDevice *device, uint64_t bytes)
{
	device->slab_limit = bytes;
}

static uint64_t
slab_used(GpuAggDevice *device)
{
	return device->slab_used;
}

/* ---------- slabs ---------- */

static void
slab_free(GpuAggSlab *slab)
{
	for (uint32_t i = 0; i < slab->ncolumns; i++)
		gpuagg_cuda_slab_release(slab->device, slab->columns[i].memory, slab->columns[i].memory_bytes);
	gpuagg_cuda_slab_release(slab->device, slab->valid, slab->valid_bytes);
	free(slab->columns);
	free(slab);
}

static GpuAggStatus
slab_create(GpuAggDevice *device, uint32_t places, GpuAggSlab **result, GpuAggError *error)
{
	GpuAggSlab *slab = (GpuAggSlab *) calloc(1, sizeof(*slab));

	*result = NULL;
	memset(error, 0, sizeof(*error));
	if (slab == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	slab->device = device;
	slab->places = places;
	slab->room = (places + GPUAGG_SLAB_TILE - 1) / GPUAGG_SLAB_TILE * GPUAGG_SLAB_TILE;
	slab->valid_bytes = gpuagg_cuda_align(slab->room / 8);
	slab->valid = (uint32_t *) gpuagg_cuda_slab_alloc(device, slab->valid_bytes, error);
	if (slab->valid == NULL ||
		!CUDA_OK(device, cudaMemsetAsync(slab->valid, 0, slab->valid_bytes, device->slab_stream),
				 error) ||
		!gpuagg_cuda_slab_done(device, error))
	{
		slab_free(slab);
		return error->status;
	}
	*result = slab;
	return GPUAGG_OK;
}

const GpuAggStored *
gpuagg_cuda_slab_stored(const GpuAggSlab *slab, uint32_t attr)
{
	for (uint32_t i = 0; i < slab->ncolumns; i++)
		if (slab->columns[i].attr == attr)
			return &slab->columns[i];
	return NULL;
}

static GpuAggStatus
slab_add_column(GpuAggSlab *slab, uint32_t attr, uint32_t type, GpuAggDictionary *dictionary,
				GpuAggError *error)
{
	GpuAggDevice *device = slab->device;
	const bool	string = gpuagg_key_class(type) == GPUAGG_CLASS_BYTES;
	GpuAggStored *columns;
	GpuAggStored c = {};
	size_t		values;

	memset(error, 0, sizeof(*error));
	c.attr = attr;
	c.type = type;
	c.dictionary = dictionary;
	c.bytes = string ? 4 : gpuagg_type_slot_bytes(type);
	values = gpuagg_cuda_align((size_t) slab->room * c.bytes);
	c.memory_bytes = values + slab->valid_bytes + gpuagg_cuda_align(sizeof(*c.has_nulls));
	columns = (GpuAggStored *) realloc(slab->columns, (slab->ncolumns + 1) * sizeof(*columns));
	if (columns == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	slab->columns = columns;
	c.memory = (char *) gpuagg_cuda_slab_alloc(device, c.memory_bytes, error);
	if (c.memory == NULL)
		return error->status;
	c.nulls = (uint32_t *) (c.memory + values);
	c.has_nulls = (uint32_t *) (c.memory + values + slab->valid_bytes);

	/* so that nothing is read that was never written: codes lead to strings */
	if (!CUDA_OK(device, cudaMemsetAsync(c.memory, 0, c.memory_bytes, device->slab_stream), error) ||
		!gpuagg_cuda_slab_done(device, error))
	{
		gpuagg_cuda_slab_release(device, c.memory, c.memory_bytes);
		return error->status;
	}
	columns[slab->ncolumns++] = c;
	return GPUAGG_OK;
}

static void
slab_drop_column(GpuAggSlab *slab, uint32_t attr)
{
	for (uint32_t i = 0; i < slab->ncolumns; i++)
		if (slab->columns[i].attr == attr)
		{
			gpuagg_cuda_slab_release(slab->device, slab->columns[i].memory, slab->columns[i].memory_bytes);
			slab->columns[i] = slab->columns[--slab->ncolumns];
			return;
		}
}

static GpuAggStatus
slab_clear(GpuAggSlab *slab, GpuAggPlaces places, GpuAggError *error)
{
	GpuAggDevice *device = slab->device;

	memset(error, 0, sizeof(*error));
	if (device->lost)
	{
		*error = device->lost_error;
		return error->status;
	}
	if (places.first >= slab->places || places.count == 0)
		return GPUAGG_OK;
	if (places.count > slab->places - places.first)
		places.count = slab->places - places.first;
	gpuagg_cuda_slab_clear(slab->valid, places, device->slab_stream);
	if (CUDA_LAUNCHED(device, error))
		(void) gpuagg_cuda_slab_done(device, error);
	return error->status;
}

static uint64_t
slab_column_bytes(const GpuAggSlab *slab, uint32_t attr)
{
	const GpuAggStored *c = gpuagg_cuda_slab_stored(slab, attr);

	return c != NULL ? c->memory_bytes : 0;
}

static uint64_t
slab_bytes(const GpuAggSlab *slab)
{
	uint64_t	bytes = slab->valid_bytes;

	for (uint32_t i = 0; i < slab->ncolumns; i++)
		bytes += slab->columns[i].memory_bytes;
	return bytes;
}

bool
gpuagg_cuda_slab_columns(const GpuAggSlab *slab, const GpuAggProgram *p, GpuAggSlabColumn *columns,
						 GpuAggError *error)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const uint8_t *classes = gpuagg_program_classes(p);

	for (uint32_t i = 0; i < p->nattrs; i++)
	{
		const uint32_t reg = attrs[i].reg;
		const GpuAggStored *stored;

		if (reg == GPUAGG_NO_REG)
			continue;
		stored = gpuagg_cuda_slab_stored(slab, i);
		if (stored == NULL || stored->type != attrs[i].type)
		{
			gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "a slab has no column %u of that type", i);
			return false;
		}
		memset(&columns[reg], 0, sizeof(*columns));
		columns[reg].values = stored->memory;
		columns[reg].nulls = stored->nulls;
		columns[reg].has_nulls = stored->has_nulls;
		columns[reg].bytes = stored->bytes;
		if (classes[reg] == GPUAGG_CLASS_BYTES)
			columns[reg].strings = gpuagg_cuda_dictionary_strings(stored->dictionary);
	}
	return true;
}

const GpuAggSlabOps gpuagg_cuda_slab_ops = {
	slab_create,
	slab_free,
	slab_add_column,
	slab_drop_column,
	slab_clear,
	slab_bytes,
	slab_column_bytes,
	slab_limit,
	slab_used,
	gpuagg_cuda_dictionary_create,
	gpuagg_cuda_dictionary_free,
	gpuagg_cuda_dictionary_info,
	gpuagg_cuda_dictionary_encode,
	gpuagg_cuda_dictionary_read,
	true,
};
