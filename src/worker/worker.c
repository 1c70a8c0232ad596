/*
 * worker.c
 *		The worker's devices, and their losses (worker.h).
 */
#include "postgres.h"

#include "compat.h"
#include "host/host.h"
#include "ipc/stat.h"
#include "storage/ipc.h"
#include "utils/timestamp.h"
#include "worker/worker.h"

/* Losses within that long of each other come in short succession. */
#define GPUAGG_LOSS_MS 60000
GpuAggWorker gpuagg_worker;
bool		gpuagg_worker_hung;

GpuAggWorkerDevice *
gpuagg_worker_device(int i)
{
	GpuAggWorkerDevice *all[GPUAGG_WORKER_DEVICES] = {
		&gpuagg_worker.measure_primary, &gpuagg_worker.measure_fallback,
		&gpuagg_worker.primary, &gpuagg_worker.fallback
	};

	return all[i];
}

void
gpuagg_worker_status(GpuAggDeviceStatus status, const char *why_not)
{
	GpuAggDeviceState *state = gpuagg_worker_state();
	TimestampTz now = GetCurrentTimestamp();

	SpinLockAcquire(&state->mutex);
	pg_atomic_write_u32(&state->status, status);
	state->facts.since = now;
	if (why_not != NULL)
		strlcpy(state->facts.why_not, why_not, sizeof(state->facts.why_not));
	gpuagg_shmem_changed(state);
	ConditionVariableBroadcast(&gpuagg_shared->changed);
}

uint32
gpuagg_worker_losses(void)
{
	GpuAggDeviceState *state = gpuagg_worker_state();
	TimestampTz now = GetCurrentTimestamp();
	uint32		losses;

	SpinLockAcquire(&state->mutex);
	losses = state->facts.losses;
	if (TimestampDifferenceExceeds(state->facts.last_loss, now,
								   GPUAGG_LOSS_MS))
		losses = 0;
	SpinLockRelease(&state->mutex);
	return losses;
}

/*
 * A GPU lost too often is off from now on; then the count starts anew, for
 * the host device that takes its place was not lost.
 */
void
gpuagg_worker_lost(const GpuAggWorkerDevice *on, const char *message)
{
	GpuAggDeviceState *state = gpuagg_worker_state();
	uint32		losses = gpuagg_worker_losses() + 1;
	TimestampTz now = GetCurrentTimestamp();
	const GpuAggWorkerDevice *lost = on->measures != NULL ? on->measures : on;
	bool		off = lost->ops != &gpuagg_host_ops &&
		losses >= GPUAGG_MAX_LOSSES;

	SpinLockAcquire(&state->mutex);
	state->facts.losses = off ? 0 : losses;
	state->facts.last_loss = now;
	if (off)
		state->facts.gpu_off = true;
	gpuagg_shmem_changed(state);

	gpuagg_stat_add(GPUAGG_STAT_errors, 1);
	gpuagg_worker_status(GPUAGG_STOPPED, message);
	ereport(LOG,
			(errmsg("gpuagg: device lost, restarting its worker: %s",
					message)));
	proc_exit(1);
}

void
gpuagg_worker_hangs(const GpuAggWorkerDevice *on, const char *message)
{
	gpuagg_worker_hung = true;
	gpuagg_worker_lost(on, message);
}
