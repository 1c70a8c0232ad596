/*
 * service_inside.h
 *		What the service's two sides share: who asks (service.c) and the threads that
 *		do the work (service_thread.c).
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

/* Threads of a service, at most */
#define GPUAGG_SERVICE_THREADS 8

/* A thread, and the process that it alone talks to */
typedef struct GpuAggServiceThread
{
	struct GpuAggService *service;
	uint32_t	number;			/* 0: the one that also looks up and unloads */
	pthread_t	thread;
	GpuAggCompilerProcess process;
} GpuAggServiceThread;

struct GpuAggService
{
	GpuAggServiceConfig config;
	GpuAggServiceThread threads[GPUAGG_SERVICE_THREADS];
	uint32_t	nthreads;		/* that run */
	int			wake_fd;		/* stop, whatever a thread waits for */
	GpuAggKernelDisk disk;
	pthread_mutex_t disk_lock;	/* guards that: it is for one at a time */

	pthread_mutex_t lock;		/* guards the rest */
	pthread_cond_t work;
	bool		stop;
	GpuAggServiceState state;
	char		name[GPUAGG_COMPILER_BYTES];
	GpuAggKernelTable table;
	GpuAggKernelList lookups;	/* on disk */
	GpuAggKernelList compiles;
	GpuAggKernelList unloads;	/* out of the table */
	uint32_t	compiling;		/* threads that have one of compiles in hands */
	uint32_t	deaths;			/* of processes, since one answered */
	uint64_t	compile_ns;		/* what compiling and loading one takes, on average */
	GpuAggKernelTotals totals;
};

extern void gpuagg_service_push(GpuAggKernelList *list, GpuAggCompiledKernel *kernel);
extern uint64_t gpuagg_service_now(void);

/* pthread_create's, of a GpuAggServiceThread: the first one, and those beside it */
extern void *gpuagg_service_main(void *thread);
extern void *gpuagg_service_beside(void *thread);

#endif							/* GPUAGG_CUDA_COMPILE_SERVICE_INSIDE_H */
