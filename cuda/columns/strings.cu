/*
 * strings.cu
 *		Groups of a task over codes, written with their strings
 *		(return_groups.cu): where kernels find these.
 *
 * One piece of the card's memory has the encoding (device/ops/decoding.h), the
 * dictionaries' strings by register, and the program as it was.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_codes.h"
#include "device/ops/decoding.h"

static size_t
texts_off(void)
{
	return gpuagg_align(sizeof(GpuAggEncoding), 16);
}

static size_t
program_off(uint32_t nregs)
{
	return texts_off() + gpuagg_align(nregs * sizeof(GpuAggDictionaryText), 16);
}

/* The encoding of groups as device_prepared has them */
static void
strings_fill(const GpuAggTask *task, GpuAggMade *const *places,
			 const GpuAggCudaPrepared *device_prepared, const GpuAggCudaPrepared *prepared)
{
	const GpuAggResultStrings *s = task->strings;
	const size_t off = program_off(s->nregs);
	char	   *there = (char *) s->device;
	char	   *here = s->staging->data;
	GpuAggEncoding *e = (GpuAggEncoding *) here;
	GpuAggDictionaryText *texts = (GpuAggDictionaryText *) (here + texts_off());

	memset(here, 0, off);
	e->from = (const GpuAggProgram *) (there + off);
	e->to = (const GpuAggProgram *) ((const char *) device_prepared + prepared->program_off);
	e->from_layout = s->layout;
	e->to_layout = prepared->layout;
	e->texts = (const GpuAggDictionaryText *) (there + texts_off());
	for (uint32_t r = 0; r < s->nregs; r++)
	{
		if (task->dictionaries[r] == NULL)
			continue;
		texts[r].entries = GPUAGG_DICTIONARY_ENTRIES;
		texts[r].blocks = gpuagg_cuda_dictionary_strings(task->dictionaries[r]);
		if (places == NULL || places[r] == NULL)
			continue;
		texts[r].entries = (uint32_t) places[r]->head->nrows;
		texts[r].order = gpuagg_cuda_code_table_there(places[r]);
	}
	memcpy(here + off, s->program, s->program->bytes);
}

bool
gpuagg_cuda_strings_make(GpuAggTask *task, const GpuAggProgram *results, GpuAggMade *const *places,
						 const GpuAggCudaPrepared *device_prepared,
						 const GpuAggCudaPrepared *prepared, GpuAggError *error)
{
	const uint32_t nregs = gpuagg_cuda_program(task->prepared)->nregs;
	const size_t bytes = program_off(nregs) + results->bytes;
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
	s->nregs = nregs;
	gpuagg_layout_compute(results, &s->layout);
	s->device = (GpuAggEncoding *) gpuagg_cuda_alloc(task, bytes, task->streams->group, error);
	if (s->device == NULL)
		return false;
	s->bytes = bytes;
	s->staging = gpuagg_cuda_pin(task->device, bytes, error);
	if (s->staging == NULL)
		return false;
	strings_fill(task, places, device_prepared, prepared);
	return CUDA_OK(task->device,
				   cudaMemcpyAsync(s->device, s->staging->data, bytes, cudaMemcpyHostToDevice,
								   task->streams->group), error);
}

bool
gpuagg_cuda_strings_begin(GpuAggTask *task, const GpuAggTaskConfig *config, GpuAggError *error)
{
	return gpuagg_cuda_strings_make(task, config->codes.results, config->codes.places,
									task->device_prepared, task->prepared, error);
}

bool
gpuagg_cuda_strings_follow(GpuAggTask *task, GpuAggError *error)
{
	if (task->strings == NULL)
		return true;
	for (uint32_t r = 0; r < task->strings->nregs; r++)
		if (task->dictionaries[r] != NULL &&
			!gpuagg_cuda_dictionary_follow(task->dictionaries[r], task->streams->group,
										   error))
			return false;
	return true;
}

void
gpuagg_cuda_strings_free(GpuAggTask *task)
{
	GpuAggResultStrings *s = task->strings;

	if (s == NULL)
		return;
	gpuagg_cuda_free(task, s->device, s->bytes,
					 task->streams != NULL ? task->streams->group : NULL);
	gpuagg_cuda_unpin(task->device, s->staging);
	free(s->program);
	free(s);
	task->strings = NULL;
}
