/*
 * host_device.h
 *		The host device on three threads, for device_cases.h.
 */
#ifndef GPUAGG_HOST_DEVICE_H
#define GPUAGG_HOST_DEVICE_H

#include "device_cases.h"

static const TestDevice host_device = {
	.ops = &gpuagg_host_ops,
	.threads = 3,
	.few_groups = "block-local",
	.many_groups = "single-pass",
	.skewed_groups = "single-pass",
};

#endif							/* GPUAGG_HOST_DEVICE_H */
