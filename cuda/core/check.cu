/*
 * check.cu
 *		CUDA's errors as statuses, with the place and the task they belong to.
 *
 * Some errors are the call's own (no memory, a bad argument): the task fails.
 * Others stick to the context and every later call returns them: the device
 * is lost, and only a new process gets another context.  CUDA tells them
 * apart: an error that asking for it has not cleared is sticky.
 */
#include <stdarg.h>
#include <stdio.h>

#include "cuda/core/cuda_device.h"

GpuAggStatus
gpuagg_cuda_error(GpuAggError *error, GpuAggStatus status, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	error->status = status;
	error->detail = 0;
	vsnprintf(error->message, sizeof(error->message), format, args);
	va_end(args);
	return status;
}

GpuAggStatus
gpuagg_cuda_injected(const char *where, GpuAggError *error)
{
	return gpuagg_cuda_error(error, GPUAGG_INJECTED,
							 "injected fault at stage \"%s\"", where);
}

/* Errors after which a context is of no more use, should CUDA not say so */
static bool
is_sticky(cudaError_t rc)
{
	switch ((int) rc)
	{
		case cudaErrorIllegalAddress:
		case cudaErrorIllegalInstruction:
		case cudaErrorMisalignedAddress:
		case cudaErrorInvalidAddressSpace:
		case cudaErrorInvalidPc:
		case cudaErrorHardwareStackError:
		case cudaErrorLaunchFailure:
		case cudaErrorLaunchTimeout:
		case cudaErrorAssert:
		case cudaErrorECCUncorrectable:
		case cudaErrorNvlinkUncorrectable:
		case cudaErrorContextIsDestroyed:
		case cudaErrorDevicesUnavailable:

			/* by number, where older toolkits lack the name */
		case 226:				/* cudaErrorContained */
		case 721:				/* cudaErrorTensorMemoryLeak */
		case 810:				/* cudaErrorMpsClientTerminated */
		case 911:				/* cudaErrorExternalDevice */
			return true;
		default:
			return false;
	}
}

GpuAggStatus
gpuagg_cuda_failed(GpuAggDevice *device, cudaError_t rc, const char *what,
				   const char *file, int line, GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_DEVICE_FAULT;
	int			call = (int) strcspn(what, "(");

	if (rc == cudaSuccess)
		return GPUAGG_OK;
	(void) cudaGetLastError();
	if (is_sticky(rc) || cudaPeekAtLastError() != cudaSuccess)
		status = GPUAGG_DEVICE_LOST;
	else if (rc == cudaErrorMemoryAllocation)
		status = GPUAGG_OUT_OF_MEMORY;
	gpuagg_cuda_error(error, status, "%s:%d: %.*s: %s", file, line, call, what,
					  cudaGetErrorString(rc));
	error->detail = (uint32_t) rc;
	if (status == GPUAGG_DEVICE_LOST && device != NULL && !device->lost)
	{
		device->lost = true;
		device->lost_error = *error;
	}
	return status;
}
