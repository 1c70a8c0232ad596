/*
 * service.h
 *		The compiling of kernels, without CUDA: what compile.h promises, for any
 *		compiler's process and any loader.
 *
 * For one thread, which never waits, but in close.
 */
#ifndef GPUAGG_CUDA_COMPILE_SERVICE_H
#define GPUAGG_CUDA_COMPILE_SERVICE_H

#include "cuda/compile/kernel_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes kernels of machine code; called by the service's threads, and by close. */
typedef struct GpuAggKernelLoader
{
	void	   *context;
	GpuAggStatus (*load) (void *context, const char *code, size_t bytes, const char *entry,
						  GpuAggLoadedKernel *loaded, GpuAggError *error);
	void		(*unload) (void *context, GpuAggLoadedKernel *loaded);
} GpuAggKernelLoader;

typedef struct GpuAggServiceConfig
{
	char *const *compiler;		/* how it is started; stays */
	const char *folder;			/* on disk; NULL or empty: none */
	uint64_t	disk_bytes;		/* of that, at most */
	uint64_t	wait_ms;		/* for compiling one, and of a task for one */
	uint32_t	max_kernels;	/* in memory */
	uint32_t	max_queued;		/* waiting to be compiled */
	uint32_t	processes;		/* of the compiler, at most; 0: one */
	uint32_t	idle_ms;		/* after which those beside the first one end */
	int			event_fd;		/* written to when something is ready; duplicated */
	GpuAggKernelLoader loader;
} GpuAggServiceConfig;

typedef struct GpuAggService GpuAggService;

/* Inherits the caller's signal mask to its threads.  NULL: no memory, thread, descriptor */
extern GpuAggService *gpuagg_service_open(const GpuAggServiceConfig *config);

/* No request may have a kernel any more.  Ends the processes, waits for the threads. */
extern void gpuagg_service_close(GpuAggService *service);

/* compile.h */
extern GpuAggKernelState gpuagg_service_request(GpuAggService *service,
												const GpuAggKernelSource *source,
												GpuAggKernelRequest *request);
extern void gpuagg_service_release(GpuAggService *service, GpuAggKernelRequest *request);

/* device.h, "kernels" */
extern uint32_t gpuagg_service_tell(GpuAggService *service, GpuAggCompiledInfo *infos, uint32_t max,
									GpuAggKernelTotals *totals);

/* The compiler's name, or why there is none; true: it compiles, or is about to. */
extern bool gpuagg_service_compiler(GpuAggService *service, char name[GPUAGG_COMPILER_BYTES]);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_CUDA_COMPILE_SERVICE_H */
