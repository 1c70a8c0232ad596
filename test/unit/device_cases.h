/*
 * device_cases.h
 *		Known answers that every device must give, driven through its ops.
 *
 * The cases are C files that any test program may link: host_*_test.c run
 * them on the host device, cuda_*_test.cu on a GPU.  Each function is a whole
 * program: it opens the device, prints TAP with its plan and returns main's
 * status.  GPUAGG_TEST_SCALE in the environment is a percentage of the
 * number of rows, for runs under slow tools.
 */
#ifndef GPUAGG_DEVICE_CASES_H
#define GPUAGG_DEVICE_CASES_H

#include "device/device.h"

typedef struct TestDevice
{
	const GpuAggDeviceOps *ops;
	int			ordinal;
	int			threads;
	const char *few_groups;		/* its names of these strategies */
	const char *many_groups;
	const char *skewed_groups;	/* NULL: either, depending on batches */
	bool		gpu;
	const char *compiler;		/* NULL, or what compiles kernels: always */

	/* of its tasks, where a test says nothing else */
	GpuAggStrategy strategy;	/* forced; AUTO: none */
	uint64_t	scope_bytes;
} TestDevice;

int			device_group_cases(const TestDevice *device);
int			device_growth_cases(const TestDevice *device);
int			device_value_cases(const TestDevice *device);
int			device_fault_cases(const TestDevice *device);
int			device_window_cases(const TestDevice *device);
int			device_answer_cases(const TestDevice *device);
int			device_lookup_cases(const TestDevice *device);
int			device_make_cases(const TestDevice *device);
int			device_fold_cases(const TestDevice *device);
int			device_regroup_cases(const TestDevice *device);
int			device_ordered_cases(const TestDevice *device);
int			device_select_cases(const TestDevice *device);
int			device_stripe_cases(const TestDevice *device);
int			device_stripe_called_cases(const TestDevice *device);
int			device_stripe_code_cases(const TestDevice *device);
int			device_stripe_draw_cases(const TestDevice *device);
int			device_stripe_pack_cases(const TestDevice *device);
int			device_stripe_path_cases(const TestDevice *device);
int			device_stripe_text_cases(const TestDevice *device);
int			device_race_cases(const TestDevice *device);
int			device_register_cases(const TestDevice *device);
int			device_stripe_zone_cases(const TestDevice *device);

/* GPUs only */
int			device_trap_cases(const TestDevice *device);

#endif							/* GPUAGG_DEVICE_CASES_H */
