/*
 * shmem_start.c
 *		The service's main shared memory: size, layout, start (shmem_start.h).
 */
#include "postgres.h"

#include "beyond.h"
#include "ipc/shmem.h"
#include "ipc/shmem_start.h"
#include "settings.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

StaticAssertDecl(GPUAGG_QUEUES_BYTES == 320 * 1024,
				 "the texts on gpuagg.max_tasks (settings.c) tell the right size");

static int
devices_count(void)
{
	GpuAggDeviceChoice choice;

	(void) gpuagg_device_parse(gpuagg_device, &choice);
	return choice.ndevices;
}

static Size
devices_bytes(void)
{
	return CACHELINEALIGN(devices_count() * sizeof(GpuAggDeviceShared));
}

static Size
shmem_bytes(void)
{
	Size		bytes = CACHELINEALIGN(sizeof(GpuAggShared));

	bytes = add_size(bytes, PG_CACHE_LINE_SIZE);
	bytes = add_size(bytes, devices_bytes());
	bytes = add_size(bytes, mul_size(gpuagg_max_tasks,
									 sizeof(GpuAggSlotPadded)));
	return add_size(bytes, mul_size(gpuagg_max_tasks, GPUAGG_QUEUES_BYTES));
}

void
gpuagg_shmem_request(void)
{
	RequestAddinShmemSpace(shmem_bytes());
	gpuagg_cache_shared_request();
	gpuagg_pins_request();
	gpuagg_kernels_shared_request();
}

static void
device_init(GpuAggDeviceState *device)
{
	pg_atomic_init_u32(&device->status, GPUAGG_STARTING);
	pg_atomic_init_u32(&device->gpu, 0);
	pg_atomic_init_u32(&device->reset, 0);
	pg_atomic_init_u32(&device->worker_procno, PG_UINT32_MAX);
	pg_atomic_init_u32(&device->claimed, 0);
	pg_atomic_init_u32(&device->asked_for, 0);
	pg_atomic_init_u32(&device->announced, 0);
	pg_atomic_init_u64(&device->backlog_us, 0);
	pg_atomic_init_u64(&device->asked_at, 0);
	pg_atomic_init_u64(&device->changes, 1);
	SpinLockInit(&device->mutex);
	device->facts.card = -1;
	device->facts.since = GetCurrentTimestamp();
}

static void
slot_init(GpuAggSlot *slot)
{
	pg_atomic_init_u32(&slot->holders, 0);
	pg_atomic_init_u32(&slot->cancel, 0);
	pg_atomic_init_u32(&slot->phase, GPUAGG_PHASE_QUEUED);
	pg_atomic_init_u64(&slot->spoiled, 0);
	pg_atomic_init_u64(&slot->pages_done, 0);
	pg_atomic_init_u64(&slot->rows, 0);
	pg_atomic_init_u64(&slot->memory, 0);
	pg_atomic_init_u64(&slot->filling.number, 0);
}

/* What is asked of the device's memory, by beyond.c */
static uint64
device_bytes(void)
{
	GpuAggDeviceState *state = gpuagg_shmem_state(0);
	uint64		bytes = 0;

	SpinLockAcquire(&state->mutex);
	if (pg_atomic_read_u32(&state->gpu) && state->facts.card >= 0)
		bytes = state->facts.cards[state->facts.card].memory_limit;
	SpinLockRelease(&state->mutex);
	return bytes > 0 ? bytes : gpuagg_machine_bytes();
}

/* Queue memory is not touched here: pages that no task uses stay unbacked. */
void
gpuagg_shmem_startup(void)
{
	bool		found;
	char	   *base;

	gpuagg_beyond_device_bytes = device_bytes;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	gpuagg_shared = ShmemInitStruct("gpuagg", shmem_bytes(), &found);
	if (!found)
	{
		memset(gpuagg_shared, 0, sizeof(GpuAggShared));
		gpuagg_host_machine(gpuagg_shared->machine,
							sizeof(gpuagg_shared->machine));
		base = (char *) CACHELINEALIGN((char *) gpuagg_shared +
									   sizeof(GpuAggShared));
		gpuagg_shared->ndevices = devices_count();
		gpuagg_shared->devices = (GpuAggDeviceShared *) base;
		memset(base, 0, devices_bytes());
		for (int i = 0; i < gpuagg_shared->ndevices; i++)
		{
			device_init(gpuagg_shmem_state(i));
			gpuagg_cache_shared_init(&gpuagg_shared->devices[i].cache);
			gpuagg_made_shared_init(&gpuagg_shared->devices[i].made);
		}
		gpuagg_pins_init(&gpuagg_shared->pins);
		gpuagg_async_commits_start(&gpuagg_shared->async_commits);
		base += devices_bytes();
		pg_atomic_init_u64(&gpuagg_shared->tasks, 0);
		pg_atomic_init_u32(&gpuagg_shared->waiting, 0);
		pg_atomic_init_u32(&gpuagg_shared->looking, 0);
		ConditionVariableInit(&gpuagg_shared->changed);
		gpuagg_fillings_init(&gpuagg_shared->fillings);
		SpinLockInit(&gpuagg_shared->regrets.mutex);
		gpuagg_shared->nslots = gpuagg_max_tasks;
		gpuagg_shared->slots = (GpuAggSlotPadded *) base;
		gpuagg_shared->queues = base +
			gpuagg_max_tasks * sizeof(GpuAggSlotPadded);
		memset(base, 0, gpuagg_max_tasks * sizeof(GpuAggSlotPadded));
		for (int i = 0; i < gpuagg_max_tasks; i++)
			slot_init(gpuagg_shmem_slot(i));
		for (int i = 0; i < GPUAGG_NSTATS; i++)
			pg_atomic_init_u64(&gpuagg_shared->stats[i], 0);
		SpinLockInit(&gpuagg_shared->costs.mutex);
		gpuagg_learned_init();
		SpinLockInit(&gpuagg_shared->tables.mutex);
		SpinLockInit(&gpuagg_shared->seen.mutex);
	}
	LWLockRelease(AddinShmemInitLock);
}
