/*
 * host_fault.c
 *		Errors that a fault setting asked for (host_fault.h).
 */
#include <stdio.h>

#include "host/host_fault.h"

GpuAggStatus
gpuagg_host_injected(const char *where, GpuAggError *error)
{
	error->status = GPUAGG_INJECTED;
	error->detail = 0;
	snprintf(error->message, sizeof(error->message),
			 "injected fault at stage \"%s\"", where);
	return error->status;
}

GpuAggStatus
gpuagg_host_lost(GpuAggError *error)
{
	error->status = GPUAGG_DEVICE_LOST;
	error->detail = 0;
	snprintf(error->message, sizeof(error->message),
			 "injected fault: the device is lost");
	return error->status;
}
