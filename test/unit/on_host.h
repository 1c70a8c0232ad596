/*
 * on_host.h
 *		The host device on three threads, for device_cases.h.
 */
#ifndef GPUAGG_HOST_DEVICE_H
#define GPUAGG_HOST_DEVICE_H

#include "device_cases.h"
#include "host/host.h"

/* A small cache is soon too small for all groups. */
static const TestDevice host_device = {
	.ops = &gpuagg_host_ops,
	.threads = 3,
	.few_groups = "block-local",
	.many_groups = "partitioned",
	.skewed_groups = "partitioned",
	.scope_bytes = 16384,
};

/* From the first row on, with tables of a few dozen groups */
static const TestDevice host_partitioned = {
	.ops = &gpuagg_host_ops,
	.threads = 3,
	.few_groups = "partitioned",
	.many_groups = "partitioned",
	.skewed_groups = "partitioned",
	.strategy = GPUAGG_STRATEGY_PARTITIONED,
	.scope_bytes = 4096,
};

static const TestDevice host_single_pass = {
	.ops = &gpuagg_host_ops,
	.threads = 3,
	.few_groups = "single-pass",
	.many_groups = "single-pass",
	.skewed_groups = "single-pass",
	.strategy = GPUAGG_STRATEGY_SINGLE_PASS,
};

#endif							/* GPUAGG_HOST_DEVICE_H */
