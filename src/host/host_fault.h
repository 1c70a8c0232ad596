/*
 * host_fault.h
 *		Errors of the host device that a fault setting asked for.
 */
#ifndef GPUAGG_HOST_HOST_FAULT_H
#define GPUAGG_HOST_HOST_FAULT_H

#include "device/device.h"

/* Fill in an error, and return its status: a fault at a stage, a device that is lost. */
extern GpuAggStatus gpuagg_host_injected(const char *where, GpuAggError *error);
extern GpuAggStatus gpuagg_host_lost(GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_FAULT_H */
