/*
 * strings.cu
 *		Groups of a task over codes, written with their strings
 *		(return_groups.cu): where kernels find these.
 *
 * One piece of the card's memory has the encoding (device/ops/decoding.h), the
 * dictionaries' strings by loaded column, and the program as it was.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_stripe.h"
#include "device/ops/decoding.h"

static size_t
texts_off(void)
{
	return gpuagg_align(sizeof(GpuAggEncoding), 16);
}

static size_t
program_off(const GpuAggProgram *p)
{
	return texts_off() + gpuagg_align(p->ncolumns * sizeof(GpuAggDictionaryText), 16);
}

static void
strings_fill(const GpuAggTask *task, const GpuAggProgram *results, char *there, char *here)
{
	GpuAggEncoding *e = (GpuAggEncoding *) here;
	GpuAggDictionaryText *texts = (GpuAggDictionaryText *) (here + texts_off());

	memset(here, 0, program_off(results));
	e->from = (const GpuAggProgram *) (there + program_off(results));
	e->to = (const GpuAggProgram *) ((const char *) task->device_prepared + task->prepared->program_off);
	e->from_layout = task->strings->layout;
	e->to_layout = task->prepared->layout;
	e->texts = (const GpuAggDictionaryText *) (there + texts_off());
	for (uint32_t r = 0; r < results->ncolumns; r++)
	{
		if (task->dictionaries[r] == NULL)
			continue;
		texts[r].entries = GPUAGG_DICTIONARY_ENTRIES;
		texts[r].blocks = gpuagg_cuda_dictionary_strings(task->dictionaries[r]);
	}
	memcpy(here + program_off(results), results, results->bytes);
}

bool
gpuagg_cuda_strings_begin(GpuAggTask *task, const GpuAggProgram *results, GpuAggError *error)
{
	const size_t bytes = program_off(results) + results->bytes;
	GpuAggResultStrings *s = (GpuAggResultStrings *) calloc(1, sizeof(*s));

	task->strings = s;
	if (s != NULL)
		s->program = (GpuAggProgram *) malloc(results->bytes);
	if (s == NULL || s->program == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	memcpy(s->program, results, results->bytes);
	gpuagg_layout_compute(results, &s->layout);
	s->device = (GpuAggEncoding *) gpuagg_cuda_alloc(task, bytes, task->streams->group, error);
	if (s->device == NULL)
		return false;
	s->bytes = bytes;
	s->staging = gpuagg_cuda_pin(task->device, bytes, error);
	if (s->staging == NULL)
		return false;
	strings_fill(task, results, (char *) s->device, s->staging->data);
	return CUDA_OK(task->device,
				   cudaMemcpyAsync(s->device, s->staging->data, bytes, cudaMemcpyHostToDevice,
								   task->streams->group), error);
}

bool
gpuagg_cuda_strings_follow(GpuAggTask *task, GpuAggError *error)
{
	if (task->strings == NULL)
		return true;
	for (uint32_t r = 0; r < task->strings->program->ncolumns; r++)
		if (task->dictionaries[r] != NULL &&
			!gpuagg_cuda_dictionary_follow(task, task->dictionaries[r], task->streams->group, error))
			return false;
	return true;
}

void
gpuagg_cuda_strings_free(GpuAggTask *task)
{
	GpuAggResultStrings *s = task->strings;

	if (s == NULL)
		return;
	gpuagg_cuda_free(task, s->device, s->bytes, task->streams != NULL ? task->streams->group : NULL);
	gpuagg_cuda_unpin(task->device, s->staging);
	free(s->program);
	free(s);
}
