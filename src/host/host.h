/*
 * host.h
 *		The host device: tasks on the CPUs of this machine.
 */
#ifndef GPUAGG_HOST_HOST_H
#define GPUAGG_HOST_HOST_H

#include "device/device.h"

extern const GpuAggDeviceOps gpuagg_host_ops;

#endif							/* GPUAGG_HOST_HOST_H */
