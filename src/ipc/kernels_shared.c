/*
 * kernels_shared.c
 *		What backends see of kernels compiled for queries (kernels_shared.h).
 */
#include "postgres.h"

#include "ipc/kernels_shared.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "storage/lwlock.h"

#define LOCK_NAME "gpuagg_kernels"

static LWLock *
kernels_lock(void)
{
	return &GetNamedLWLockTranche(LOCK_NAME)->lock;
}

void
gpuagg_kernels_shared_request(void)
{
	RequestNamedLWLockTranche(LOCK_NAME, 1);
}

void
gpuagg_kernels_set(int device, const GpuAggCompiledInfo *entries, uint32 nentries)
{
	GpuAggKernelsShared *shared = &gpuagg_shared->devices[device].kernels;

	LWLockAcquire(kernels_lock(), LW_EXCLUSIVE);
	memcpy(shared->entries, entries, nentries * sizeof(*entries));
	shared->nentries = nentries;
	LWLockRelease(kernels_lock());
}

uint32
gpuagg_kernels_get(int device, GpuAggCompiledInfo **entries)
{
	const GpuAggKernelsShared *shared = &gpuagg_shared->devices[device].kernels;
	uint32		n;

	*entries = palloc(sizeof(shared->entries));
	LWLockAcquire(kernels_lock(), LW_SHARED);
	n = shared->nentries;
	memcpy(*entries, shared->entries, n * sizeof(**entries));
	LWLockRelease(kernels_lock());
	return n;
}

bool
gpuagg_kernels_ready(int device, uint64 program)
{
	const GpuAggKernelsShared *shared = &gpuagg_shared->devices[device].kernels;
	bool		ready = false;

	LWLockAcquire(kernels_lock(), LW_SHARED);
	for (uint32 i = 0; i < shared->nentries && !ready; i++)
		ready = shared->entries[i].program == program &&
			shared->entries[i].stage == GPUAGG_KERNEL_STAGE_LOADED;
	LWLockRelease(kernels_lock());
	return ready;
}
