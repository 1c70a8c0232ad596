/*
 * groupby_memory.cu
 *		Grouping in device memory: memory by the caller's allocator, the table
 *		in device memory and its growth, the counters' way up and down.
 */
#include "cuda/groupby/groupby_run.h"

/* A table grows fourfold up to this size, then twofold */
#define FAST_GROWTH_BYTES ((uint64_t) 1 << 30)

/* ---------- memory ---------- */

void *
gpuagg_groupby_take(GpuAggGroupBy *s, size_t bytes, GpuAggError *error)
{
	void	   *p;

	bytes = gpuagg_cuda_align(bytes > 0 ? bytes : 1);
	if (s->nowned == GPUAGG_GROUPBY_BLOCKS)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "more than %d pieces of memory",
						  GPUAGG_GROUPBY_BLOCKS);
		return NULL;
	}
	p = s->memory.alloc(s->memory.arg, bytes, s->stream, error);
	if (p != NULL)
	{
		s->owned[s->nowned].p = p;
		s->owned[s->nowned++].bytes = bytes;
	}
	return p;
}

void
gpuagg_groupby_give(GpuAggGroupBy *s, void *p)
{
	for (uint32_t i = 0; i < s->nowned; i++)
		if (s->owned[i].p == p)
		{
			s->memory.free(s->memory.arg, p, s->owned[i].bytes, s->stream);
			s->owned[i] = s->owned[--s->nowned];
			return;
		}
}

/* ---------- the table ---------- */

GpuAggStatus
gpuagg_groupby_table(GpuAggGroupBy *s, uint64_t capacity, GpuAggTableRef *table, GpuAggError *error)
{
	GpuAggLaunch launch;

	table->capacity = capacity;
	table->limit = capacity / 2;
	table->head = &s->device->table;
	table->slots = (char *) gpuagg_groupby_take(s, table->capacity * s->prepared->stride, error);
	if (table->slots == NULL)
		return error->status;
	launch = gpuagg_cuda_launch(s->config.launches, &gpuagg_cuda_grow_kernels[0],
								table->capacity * (s->prepared->stride / 8));
	gpuagg_cuda_table_init(s->args.prepared, table, false, &launch, s->stream);
	GROUPBY_CHECK(cudaGetLastError());
	return GPUAGG_OK;
}

/* Room for `more` groups beyond those that are there */
GpuAggStatus
gpuagg_groupby_grow(GpuAggGroupBy *s, uint64_t more, GpuAggError *error)
{
	const GpuAggTableRef old = s->args.table;
	uint64_t	capacity = old.capacity *
		(old.capacity * s->prepared->stride < FAST_GROWTH_BYTES ? 4 : 2);
	GpuAggLaunch launch;
	GpuAggStatus status;

	while (capacity / 2 < s->report->table.count + more)
		capacity *= 2;
	status = gpuagg_groupby_table(s, capacity, &s->args.table, error);
	if (status != GPUAGG_OK)
		return status;
	launch = gpuagg_cuda_launch(s->config.launches, &gpuagg_cuda_grow_kernels[1], old.capacity);
	gpuagg_cuda_table_move(s->args.prepared, &old, &s->args.table, &launch, s->stream);
	GROUPBY_CHECK(cudaGetLastError());
	gpuagg_groupby_give(s, old.slots);
	return GPUAGG_OK;
}

/* Sends what is known of the counters to the card. */
GpuAggStatus
gpuagg_groupby_put(GpuAggGroupBy *s, GpuAggError *error)
{
	GROUPBY_CHECK(cudaMemcpyAsync(&s->device->head, &s->report->head, sizeof(s->report->head),
						  cudaMemcpyHostToDevice, s->stream));
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_groupby_ask(GpuAggGroupBy *s, GpuAggError *error)
{
	GROUPBY_CHECK(cudaMemcpyAsync(s->report, s->device, sizeof(*s->report), cudaMemcpyDeviceToHost,
						  s->stream));
	return GPUAGG_BUSY;
}
