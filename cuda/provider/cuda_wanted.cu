/*
 * cuda_wanted.cu
 *		Which groups of a finished task are returned (cuda/kernel/wanted.cu): asked for
 *		before their sizes, and what came of it.  Where groups are to be made of others all
 *		of these are, unless those that were made have taken their place.
 */
#include "cuda/columns/cuda_stripe.h"
#include "cuda/kernel/wanted.h"
#include "cuda/provider/provider.h"

/* Where the words of codes' strings are, on the card */
static void
texts_fill(const GpuAggTask *task, GpuAggAnswerPlan *plan)
{
	for (uint32_t i = 0; i < plan->ntexts; i++)
		plan->texts[i].blocks =
			gpuagg_cuda_dictionary_strings(task->dictionaries[plan->text_columns[i]]);
}

bool
gpuagg_cuda_wanted_launch(GpuAggTask *task, GpuAggError *error)
{
	const GpuAggAnswer *answer = &task->config.answer;
	cudaStream_t stream = task->streams->group;
	const GpuAggCudaPrepared *there;
	const GpuAggCudaPrepared *prepared = gpuagg_cuda_returned(task, &there);
	GpuAggCudaWanted *here;

	if (gpuagg_answer_wants_all(answer) ||
		(task->config.regrouping.nsets > 0 && !gpuagg_cuda_regrouped(task)))
		return true;
	task->wanted = (GpuAggCudaWanted *) gpuagg_cuda_alloc(task, sizeof(GpuAggCudaWanted), stream,
														  error);
	task->wanted_report = gpuagg_cuda_pin(task->device, sizeof(GpuAggCudaWanted), error);
	if (task->wanted == NULL || task->wanted_report == NULL)
		return false;
	here = (GpuAggCudaWanted *) task->wanted_report->data;
	memset(here, 0, sizeof(*here));
	gpuagg_answer_plan(answer, gpuagg_cuda_program(prepared), &here->plan);
	texts_fill(task, &here->plan);
	if (!CUDA_OK(task->device, cudaMemcpyAsync(task->wanted, here, sizeof(*here),
											   cudaMemcpyHostToDevice, stream), error))
		return false;
	gpuagg_cuda_wanted_settle(there, task->tables, task->ntables, gpuagg_wanted_steps(&here->plan),
							  task->wanted, stream);
	return CUDA_LAUNCHED(task->device, error) &&
		CUDA_OK(task->device, cudaMemcpyAsync(here, task->wanted, sizeof(*here),
											  cudaMemcpyDeviceToHost, stream), error);
}

bool
gpuagg_cuda_wanted_read(GpuAggTask *task, uint64_t *found, uint64_t *first, GpuAggError *error)
{
	const GpuAggCudaWanted *here;

	*first = UINT64_MAX;
	if (task->wanted == NULL)
		return true;
	here = (const GpuAggCudaWanted *) task->wanted_report->data;
	*found = here->found;
	if (here->plan.nwords == 0 && here->plan.first > 0)
		*first = here->plan.first;
	if (!here->infinite)
		return true;
	gpuagg_cuda_error(error, GPUAGG_VALUE_ERROR, "a floating-point sum is not finite");
	error->detail = GPUAGG_ST_NEEDS_PG;
	return false;
}

void
gpuagg_cuda_wanted_free(GpuAggTask *task)
{
	gpuagg_cuda_free(task, task->wanted, sizeof(GpuAggCudaWanted),
					 task->streams != NULL ? task->streams->group : NULL);
	gpuagg_cuda_unpin(task->device, task->wanted_report);
	task->wanted = NULL;
	task->wanted_report = NULL;
}
