/*
 * service_inside.h
 *		What the service's two sides share: who asks (service.c) and the thread that
 *		does the work (service_thread.c).
 */
#ifndef GPUAGG_CUDA_COMPILE_SERVICE_INSIDE_H
#define GPUAGG_CUDA_COMPILE_SERVICE_INSIDE_H

#include <pthread.h>

#include "cuda/compile/compiler.h"
#include "cuda/compile/kernel_disk.h"
#include "cuda/compile/service.h"

typedef enum GpuAggServiceState
{
	GPUAGG_SERVICE_STARTING,
	GPUAGG_SERVICE_WORKS,
	GPUAGG_SERVICE_BROKEN		/* for good; name says why */
} GpuAggServiceState;

/* First in, first out */
typedef struct GpuAggKernelList
{
	GpuAggCompiledKernel *first;
	GpuAggCompiledKernel *last;
	uint32_t	n;
} GpuAggKernelList;

struct GpuAggService
{
	GpuAggServiceConfig config;
	pthread_t	thread;
	int			wake_fd;		/* stop, whatever the thread waits for */

	/* the thread's own */
	GpuAggCompilerProcess process;
	GpuAggKernelDisk disk;
	uint32_t	deaths;			/* of processes, since one answered */

	pthread_mutex_t lock;		/* guards the rest */
	pthread_cond_t work;
	bool		stop;
	GpuAggServiceState state;
	char		name[GPUAGG_COMPILER_BYTES];
	GpuAggKernelTable table;
	GpuAggKernelList lookups;	/* on disk */
	GpuAggKernelList compiles;
	GpuAggKernelList unloads;	/* out of the table */
	uint32_t	compiling;		/* 1: the thread has one of compiles in hands */
	uint64_t	compile_ns;		/* what compiling and loading one takes, on average */
	GpuAggKernelTotals totals;
};

extern void gpuagg_service_push(GpuAggKernelList *list, GpuAggCompiledKernel *kernel);
extern uint64_t gpuagg_service_now(void);

/* pthread_create's */
extern void *gpuagg_service_main(void *service);

#endif							/* GPUAGG_CUDA_COMPILE_SERVICE_INSIDE_H */
