/*
 * task_failure.cu
 *		The first error of a task, which stays with it; and whether it takes more input.
 */
#include "cuda/task/task.h"

GpuAggStatus
gpuagg_cuda_task_fail(GpuAggTask *task, const GpuAggError *error)
{
	if (task->error.status == GPUAGG_OK)
		task->error = *error;
	return task->error.status;
}

GpuAggStatus
gpuagg_cuda_input_check(GpuAggTask *task, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	if (task->device->lost)
		*error = task->device->lost_error;
	else if (task->error.status != GPUAGG_OK)
		*error = task->error;
	return error->status;
}

GpuAggStatus
gpuagg_cuda_input_faults(GpuAggTask *task, GpuAggError *error)
{
	switch (task->fault)
	{
		case GPUAGG_FAULT_PAGES:
			return gpuagg_cuda_injected("pages", error);
		case GPUAGG_FAULT_MEMORY:
			return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY,
									 "injected fault: the device has no memory");
		case GPUAGG_FAULT_KERNEL:
			gpuagg_cuda_trap(GPUAGG_TOO_MANY_THREADS, task->streams->group);
			(void) CUDA_LAUNCHED(task->device, error);
			return error->status;
		case GPUAGG_FAULT_LOST:
			gpuagg_cuda_error(error, GPUAGG_DEVICE_LOST,
							  "injected fault: the device is lost");
			task->device->lost = true;
			task->device->lost_error = *error;
			return error->status;
		default:
			return GPUAGG_OK;
	}
}
