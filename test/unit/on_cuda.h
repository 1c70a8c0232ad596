/*
 * on_cuda.h
 *		The first GPU of this machine, for device_cases.h.  Included by
 *		cuda_*_test.cu, which have nothing to do where there is none.
 */
#ifndef GPUAGG_TEST_CUDA_DEVICE_H
#define GPUAGG_TEST_CUDA_DEVICE_H

#include <stdlib.h>

extern "C"
{
#include "device_cases.h"

const GpuAggDeviceOps *gpuagg_device_provider(void);
}

#include "compiler_program.h"
#include "tap.h"

/* The cases on the first GPU, with or without compiled kernels: main's status */
static int
cuda_run_with(int (*cases) (const TestDevice *device), const char *compiler)
{
	TestDevice	test = {};
	GpuAggDeviceInfo cards[16];
	GpuAggError error = {};
	int			n;

	test.ops = gpuagg_device_provider();
	n = test.ops->list(cards, 16, &error);
	if (n <= 0)
	{
		printf("1..0 # SKIP no GPU %s\n", error.message);
		return 0;
	}
	printf("# %s\n", cards[0].name);
	test.ordinal = cards[0].ordinal;
	test.few_groups = "block-local";
	test.many_groups = "single-pass";
	test.gpu = true;
	test.compiler = compiler;
	return cases(&test);
}

/* GPUAGG_TEST_COMPILED in the environment: all of it through compiled kernels */
static inline int
cuda_run(int (*cases) (const TestDevice *device))
{
	return cuda_run_with(cases, getenv("GPUAGG_TEST_COMPILED") != NULL ? compiler_program() : NULL);
}

#endif							/* GPUAGG_TEST_CUDA_DEVICE_H */
