/*
 * cuda_check_test.cu
 *		CUDA's errors as statuses (cuda/core/check.cu), fed one by one.  Needs no
 *		GPU: the runtime's memory of its last error is ours here, because a
 *		runtime without a driver remembers that for ever.
 */
#include <cstdio>
#include <cstring>

#include "cuda/core/cuda_device.h"
#include "tap.h"

static cudaError_t last_error;	/* as cudaPeekAtLastError tells it */
static bool last_sticks;		/* asking for it does not clear it */

static cudaError_t
test_peek(void)
{
	return last_error;
}

static cudaError_t
test_get(void)
{
	cudaError_t rc = last_error;

	if (!last_sticks)
		last_error = cudaSuccess;
	return rc;
}

#define cudaPeekAtLastError test_peek
#define cudaGetLastError test_get
#include "cuda/core/check.cu"
#undef cudaPeekAtLastError
#undef cudaGetLastError

struct Case
{
	int			code;
	GpuAggStatus status;
};

/*
 * Numbers, for older toolkits lack some of the names.  Lost are all of which
 * CUDA's documentation says that the process must be relaunched.
 */
static const Case cases[] = {
	{1, GPUAGG_DEVICE_FAULT},	/* InvalidValue */
	{2, GPUAGG_OUT_OF_MEMORY},	/* MemoryAllocation */
	{3, GPUAGG_DEVICE_FAULT},	/* InitializationError */
	{9, GPUAGG_DEVICE_FAULT},	/* InvalidConfiguration */
	{35, GPUAGG_DEVICE_FAULT},	/* InsufficientDriver */
	{46, GPUAGG_DEVICE_LOST},	/* DevicesUnavailable: exclusive mode, taken */
	{98, GPUAGG_DEVICE_FAULT},	/* InvalidDeviceFunction */
	{100, GPUAGG_DEVICE_FAULT}, /* NoDevice */
	{101, GPUAGG_DEVICE_FAULT}, /* InvalidDevice */
	{209, GPUAGG_DEVICE_FAULT}, /* NoKernelImageForDevice */
	{214, GPUAGG_DEVICE_LOST},	/* ECCUncorrectable */
	{220, GPUAGG_DEVICE_LOST},	/* NvlinkUncorrectable */
	{226, GPUAGG_DEVICE_LOST},	/* Contained */
	{304, GPUAGG_DEVICE_FAULT}, /* OperatingSystem */
	{600, GPUAGG_DEVICE_FAULT}, /* NotReady */
	{700, GPUAGG_DEVICE_LOST},	/* IllegalAddress */
	{701, GPUAGG_DEVICE_FAULT}, /* LaunchOutOfResources */
	{702, GPUAGG_DEVICE_LOST},	/* LaunchTimeout */
	{709, GPUAGG_DEVICE_LOST},	/* ContextIsDestroyed */
	{710, GPUAGG_DEVICE_LOST},	/* Assert */
	{712, GPUAGG_DEVICE_FAULT}, /* HostMemoryAlreadyRegistered */
	{714, GPUAGG_DEVICE_LOST},	/* HardwareStackError */
	{715, GPUAGG_DEVICE_LOST},	/* IllegalInstruction */
	{716, GPUAGG_DEVICE_LOST},	/* MisalignedAddress */
	{717, GPUAGG_DEVICE_LOST},	/* InvalidAddressSpace */
	{718, GPUAGG_DEVICE_LOST},	/* InvalidPc */
	{719, GPUAGG_DEVICE_LOST},	/* LaunchFailure */
	{721, GPUAGG_DEVICE_LOST},	/* TensorMemoryLeak */
	{801, GPUAGG_DEVICE_FAULT}, /* NotSupported */
	{810, GPUAGG_DEVICE_LOST},	/* MpsClientTerminated */
	{911, GPUAGG_DEVICE_LOST},	/* ExternalDevice */
	{999, GPUAGG_DEVICE_FAULT}, /* Unknown */
};

static GpuAggStatus
failed(GpuAggDevice *device, int code, bool sticks, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	last_error = (cudaError_t) code;
	last_sticks = sticks;
	return gpuagg_cuda_failed(device, (cudaError_t) code, "cudaCall(a, b)", "file.cu", 7, error);
}

static void
test_codes(void)
{
	for (const Case &c : cases)
	{
		GpuAggError error;
		char		name[128];

		snprintf(name, sizeof(name), "error %d", c.code);
		is_int(failed(NULL, c.code, false, &error), c.status, name);
		snprintf(name, sizeof(name), "error %d: told as it is", c.code);
		ok(error.status == c.status && error.detail == (uint32_t) c.code &&
		   strncmp(error.message, "file.cu:7: cudaCall: ", 21) == 0, name);
		snprintf(name, sizeof(name), "error %d: forgotten by the runtime", c.code);
		ok(test_peek() == cudaSuccess, name);
		snprintf(name, sizeof(name), "error %d that stays: the device is lost", c.code);
		is_int(failed(NULL, c.code, true, &error), GPUAGG_DEVICE_LOST, name);
	}
}

/* The first loss is the one that is told later */
static void
test_device(void)
{
	static GpuAggDevice device;
	GpuAggError error;

	is_int(failed(&device, 0, false, &error), GPUAGG_OK, "success is no error");
	is_int(failed(&device, 2, false, &error), GPUAGG_OUT_OF_MEMORY, "no memory");
	ok(!device.lost, "does not lose the device");
	failed(&device, 700, true, &error);
	ok(device.lost && device.lost_error.detail == 700, "an illegal address does");
	failed(&device, 719, true, &error);
	ok(error.detail == 719 && device.lost_error.detail == 700, "the first one counts");
}

int
main(void)
{
	test_codes();
	test_device();
	return done_testing();
}
