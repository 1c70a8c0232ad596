/*
 * registration.c
 *		The background workers as PostgreSQL is asked for them (registration.h).
 */
#include "postgres.h"

#include "ipc/shmem.h"
#include "postmaster/bgworker.h"
#include "worker/registration.h"

static const BackgroundWorker definition = {
	.bgw_flags = BGWORKER_SHMEM_ACCESS,
	.bgw_start_time = BgWorkerStart_PostmasterStart,
	.bgw_restart_time = 1,
	.bgw_name = "gpuagg device worker",
	.bgw_type = "gpuagg device worker",
	.bgw_library_name = "gpuagg",
	.bgw_function_name = "gpuagg_worker_main"
};

void
gpuagg_worker_define(void)
{
	BackgroundWorker worker = definition;

	worker.bgw_main_arg = Int32GetDatum(0);
	RegisterBackgroundWorker(&worker);
}

void
gpuagg_worker_ask_for(int device)
{
	GpuAggDeviceState *state = gpuagg_shmem_state(device);
	BackgroundWorker worker = definition;

	if (pg_atomic_exchange_u32(&state->asked_for, 1) != 0)
		return;
	worker.bgw_main_arg = Int32GetDatum(device);
	snprintf(worker.bgw_name, sizeof(worker.bgw_name), "gpuagg device worker %d", device);
	if (RegisterDynamicBackgroundWorker(&worker, NULL))
		return;
	pg_atomic_write_u32(&state->asked_for, 0);
	SpinLockAcquire(&state->mutex);
	strlcpy(state->facts.why_not,
			"the device worker has not started; it needs a place among max_worker_processes",
			sizeof(state->facts.why_not));
	gpuagg_shmem_changed(state);
	ereport(LOG,
			(errmsg("gpuagg: no worker for device %d: there is no place among max_worker_processes",
					device)));
}
