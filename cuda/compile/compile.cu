/*
 * compile.cu
 *		The compiling of kernels on a card: loading machine code, launching it.
 *
 * Code is loaded through the driver's library functions, asked for by name, for the
 * runtime has had its own only since CUDA 12.8.  Loading belongs to the service's
 * threads: it may wait for kernels that run.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cuda/compile/compile.h"
#include "cuda/compile/service.h"
#include "cuda/core/cuda_device.h"

/* Kernels in memory: with their code on the card some 50 kB each */
#define MAX_KERNELS 512

/* More than the clients that a server has with new shapes at once */
#define MAX_QUEUED 128

/* Processes of the compiler: one for so many cores, at most */
#define PROCESS_CORES 4
#define MAX_PROCESSES 4
#define PROCESS_IDLE_MS 10000

/* The block whose occupancy gpuagg.kernels shows */
#define SHOWN_BLOCK 256

/* The driver's functions: X(name), each in typed pointers of their declarations */
#define DRIVER_FUNCTIONS(X) \
	X(cuLibraryLoadData) \
	X(cuLibraryUnload) \
	X(cuLibraryGetKernel) \
	X(cuKernelGetFunction) \
	X(cuFuncGetAttribute) \
	X(cuFuncSetAttribute) \
	X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
	X(cuLaunchKernel)

/* Those of one process are the same for all its devices. */
#define X(name) static decltype(&name) driver_##name;
DRIVER_FUNCTIONS(X)
#undef X

struct GpuAggKernelCompiler
{
	GpuAggService *service;
	int			ordinal;
	int			block_bytes;	/* of shared memory, at most */
	char		arch[16];		/* as the program's arguments are */
	char		version[16];
	char	   *path;
	char	   *argv[4];
};

/* ------------------------------------------------------------- the driver --- */

static bool
driver_function(const char *name, void **function)
{
#if CUDART_VERSION >= 12050
	cudaDriverEntryPointQueryResult found;
	cudaError_t rc = cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault,
													  &found);

	return rc == cudaSuccess && found == cudaDriverEntryPointSuccess && *function != NULL;
#else
	return cudaGetDriverEntryPoint(name, function, cudaEnableDefault) == cudaSuccess &&
		*function != NULL;
#endif
}

static bool
driver_find(void)
{
#define X(name) && driver_function(#name, (void **) &driver_##name)
	return true DRIVER_FUNCTIONS(X);
#undef X
}

/* CUDA's runtime and driver number their errors alike. */
static bool
driver_ok(GpuAggDevice *device, CUresult rc, const char *what, int line, GpuAggError *error)
{
	return gpuagg_cuda_failed(device, (cudaError_t) rc, what, __FILE__, line, error) == GPUAGG_OK;
}

#define DRIVER_OK(device, call, error) driver_ok(device, driver_##call, #call, __LINE__, error)

/* --------------------------------------------------------------- loading --- */

static bool
facts_read(const GpuAggKernelCompiler *c, GpuAggLoadedKernel *loaded, GpuAggError *error)
{
	CUfunction	function = (CUfunction) loaded->function;
	const struct
	{
		uint32_t   *fact;
		CUfunction_attribute attribute;
	}			facts[] = {
		{&loaded->registers, CU_FUNC_ATTRIBUTE_NUM_REGS},
		{&loaded->shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
		{&loaded->local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
		{&loaded->block_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
	};
	int			value;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		if (!DRIVER_OK(NULL, cuFuncGetAttribute(&value, facts[i].attribute, function), error))
			return false;
		*facts[i].fact = (uint32_t) value;
	}
	/* dynamic shared memory up to all that a block may have */
	value = c->block_bytes - (int) loaded->shared_bytes;
	if (!DRIVER_OK(
			NULL,
			cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, value),
			error) ||
		!DRIVER_OK(NULL,
				   cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, SHOWN_BLOCK, 0),
				   error))
		return false;
	loaded->blocks = (uint32_t) value;
	return true;
}

static void
code_unload(void *context, GpuAggLoadedKernel *loaded)
{
	const GpuAggKernelCompiler *c = (const GpuAggKernelCompiler *) context;

	(void) cudaSetDevice(c->ordinal);
	(void) driver_cuLibraryUnload((CUlibrary) loaded->library);
	loaded->library = NULL;
}

/* On a thread of the service, which is none of CUDA's device yet the first time */
static GpuAggStatus
code_load(void *context, const char *code, size_t bytes, const char *entry,
		  GpuAggLoadedKernel *loaded, GpuAggError *error)
{
	const GpuAggKernelCompiler *c = (const GpuAggKernelCompiler *) context;
	CUlibrary	library = NULL;
	CUkernel	kernel = NULL;
	CUfunction	function = NULL;

	(void) bytes;
	if (!CUDA_OK(NULL, cudaSetDevice(c->ordinal), error) ||
		!DRIVER_OK(NULL, cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0), error))
		return error->status;
	loaded->library = library;
	if (DRIVER_OK(NULL, cuLibraryGetKernel(&kernel, library, entry), error) &&
		DRIVER_OK(NULL, cuKernelGetFunction(&function, kernel), error))
	{
		loaded->function = function;
		if (facts_read(c, loaded, error))
			return GPUAGG_OK;
	}
	code_unload(context, loaded);
	return error->status;
}

/* ------------------------------------------------------- opening, closing --- */

static void
compiler_free(GpuAggKernelCompiler *c)
{
	free(c->path);
	free(c);
}

static bool
compiler_prepare(GpuAggKernelCompiler *c, const char *path, const cudaDeviceProp *prop)
{
	int			version = 0;

	c->block_bytes = (int) prop->sharedMemPerBlockOptin;
	if ((c->path = strdup(path)) == NULL || cudaDriverGetVersion(&version) != cudaSuccess ||
		!driver_find())
		return false;
	snprintf(c->arch, sizeof(c->arch), "%d", prop->major * 10 + prop->minor);
	snprintf(c->version, sizeof(c->version), "%d", version / 1000);
	c->argv[0] = c->path;
	c->argv[1] = c->arch;
	c->argv[2] = c->version;
	return true;
}

static uint32_t
processes_choose(void)
{
	const long	n = sysconf(_SC_NPROCESSORS_ONLN) / PROCESS_CORES;

	return n < 1 ? 1 : n > MAX_PROCESSES ? MAX_PROCESSES : (uint32_t) n;
}

void
gpuagg_compile_open(GpuAggDevice *device, const GpuAggDeviceConfig *config,
					const cudaDeviceProp *prop)
{
	GpuAggKernelCompiler *c;
	GpuAggServiceConfig service = {};

	if (config->kernels.compiler == NULL ||
		(c = (GpuAggKernelCompiler *) calloc(1, sizeof(*c))) == NULL)
		return;
	c->ordinal = config->ordinal;
	if (compiler_prepare(c, config->kernels.compiler, prop))
	{
		service.compiler = c->argv;
		service.folder = config->kernels.folder;
		service.disk_bytes = config->kernels.disk_bytes;
		service.wait_ms = config->kernels.wait_ms;
		service.max_kernels = MAX_KERNELS;
		service.max_queued = MAX_QUEUED;
		service.processes = processes_choose();
		service.idle_ms = PROCESS_IDLE_MS;
		service.event_fd = device->event_fd;
		service.loader.context = c;
		service.loader.load = code_load;
		service.loader.unload = code_unload;
		c->service = gpuagg_service_open(&service);
	}
	if (c->service != NULL)
		device->compiler = c;
	else
		compiler_free(c);
}

void
gpuagg_compile_close(GpuAggDevice *device)
{
	if (device->compiler == NULL || device->lost)
		return;
	gpuagg_service_close(device->compiler->service);
	compiler_free(device->compiler);
	device->compiler = NULL;
}

/* ---------------------------------------------------------------- telling --- */

void
gpuagg_compile_info(GpuAggDevice *device, GpuAggDeviceInfo *info)
{
	if (device->compiler != NULL)
		info->compiles = gpuagg_service_compiler(device->compiler->service, info->compiler);
}

uint32_t
gpuagg_compile_kernels(GpuAggDevice *device, GpuAggCompiledInfo *infos, uint32_t max,
					   GpuAggKernelTotals *totals)
{
	if (device->compiler != NULL)
		return gpuagg_service_tell(device->compiler->service, infos, max, totals);
	memset(totals, 0, sizeof(*totals));
	return 0;
}

/* -------------------------------------------------------------- for tasks --- */

GpuAggKernelState
gpuagg_compile_request(GpuAggDevice *device, const GpuAggKernelSource *source,
					   GpuAggKernelRequest *request)
{
	if (device->compiler == NULL)
		return GPUAGG_KERNEL_OFF;
	return gpuagg_service_request(device->compiler->service, source, request);
}

void
gpuagg_compile_release(GpuAggDevice *device, GpuAggKernelRequest *request)
{
	if (request->kernel != NULL)
		gpuagg_service_release(device->compiler->service, request);
}

bool
gpuagg_compile_launch(GpuAggDevice *device, const GpuAggCompiledKernel *kernel, dim3 grid,
					  dim3 block, size_t shared, void **args, cudaStream_t stream,
					  GpuAggError *error)
{
	return DRIVER_OK(device, cuLaunchKernel((CUfunction) kernel->loaded.function, grid.x, grid.y,
											grid.z, block.x, block.y, block.z,
											(unsigned int) shared, stream, args, NULL), error);
}

uint32_t
gpuagg_compile_blocks(const GpuAggCompiledKernel *kernel, uint32_t threads, size_t shared)
{
	int			blocks = 0;

	if (driver_cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, (CUfunction) kernel->loaded.function, (int) threads, shared) != CUDA_SUCCESS)
		return 0;
	return (uint32_t) blocks;
}
