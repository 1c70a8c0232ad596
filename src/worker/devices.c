/*
 * devices.c
 *		The devices of the worker: which one runs tasks, and the host device
 *		behind a GPU.
 *
 * Tasks run on the primary device.  That is a GPU if gpuagg.device allows
 * one and it can be opened, else the host device.  Behind a GPU the host
 * device opens when a task that the GPU failed is sent to it; without GPU
 * faults it never takes a thread or a byte.
 *
 * GPUs come from a provider library (device/device.h), loaded like
 * PostgreSQL's JIT provider, in this process only.  Whatever keeps a GPU from
 * being used, no library, no driver, no card, no memory, ends in one line in
 * the log, in gpuagg.devices, and with the host device as the primary one;
 * only that "auto" finds no library is not worth a line.  A GPU that was lost
 * too often stays closed until gpuagg.reset_device().
 *
 * Threads: all signals are blocked while a provider is loaded and devices
 * open, so that threads that they start inherit a full mask and signals
 * reach only the main thread.
 */
#include "postgres.h"

#include <signal.h>
#include <sys/stat.h>

#include "fmgr.h"
#include "host/host.h"
#include "host/machine.h"
#include "miscadmin.h"
#include "probe/probe_task.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "worker/constant_codes.h"
#include "worker/devices.h"
#include "worker/events.h"
#include "worker/job_made.h"
#include "worker/registration.h"

/* Of a GPU's memory; what else is on the card keeps the rest. */
#define GPU_MEMORY_SHARE 0.8

/*
 * Of the machine's memory, for columns that the host device keeps, however small shared_buffers are
 */
#define HOST_CACHE_SHARE 8

/* For cached columns: of all its memory, and of what tasks leave of it */
#define GPU_CACHE_SHARE 0.15
#define GPU_CACHE_OF_REST 0.75

/* --------------------------------------------------------------- opening --- */

static void
signals_block(sigset_t *old)
{
	sigset_t	all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

static void
signals_restore(const sigset_t *old)
{
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* Kernels on disk, in the data directory; of workers after the first, with their number */
#define KERNEL_FOLDER "gpuagg_kernels"

static bool
device_open(GpuAggWorkerDevice *on, const GpuAggDeviceOps *ops, int ordinal,
			uint64 memory_limit, GpuAggError *error)
{
	char		compiler[MAXPGPATH];
	char		folder[MAXPGPATH];
	GpuAggDeviceConfig config = {
		.ordinal = ordinal,
		.threads = gpuagg_host_threads > 0 ? gpuagg_host_threads :
		gpuagg_host_cpus(),
		.memory_limit = memory_limit,
		.pages = BufferBlocks,
		.pages_bytes = (uint64) NBuffers * BLCKSZ,
		.kernels.compiler = compiler,
		.kernels.folder = folder,
		.kernels.disk_bytes = (uint64) gpuagg_kernel_cache_size * 1024 * 1024,
		.kernels.wait_ms = gpuagg_compile_timeout
	};
	sigset_t	old;
	GpuAggStatus status;

	snprintf(compiler, sizeof(compiler), "%s/gpuagg_compile", pkglib_path);
	snprintf(folder, sizeof(folder), "%s/" KERNEL_FOLDER, DataDir);
	if (gpuagg_worker.at > 0)
		snprintf(folder, sizeof(folder), "%s/" KERNEL_FOLDER "_%d", DataDir, gpuagg_worker.at);
	signals_block(&old);
	status = ops->open(&config, &on->device, error);
	signals_restore(&old);
	if (status != GPUAGG_OK)
	{
		on->device = NULL;
		if (error->message[0] == '\0')
			strlcpy(error->message, "the device gives no reason",
					sizeof(error->message));
		return false;
	}
	on->ops = ops;
	return true;
}

static bool
host_open(GpuAggWorkerDevice *on, GpuAggError *error)
{
	uint64		memory = gpuagg_device_memory > 0 ?
		(uint64) gpuagg_device_memory * 1024 * 1024 : gpuagg_machine_memory() / 4;

	return device_open(on, &gpuagg_host_ops, 0, memory, error);
}

/* -------------------------------------------------------------- provider --- */

/* An ERROR while the library is loaded becomes a message. */
static GpuAggDeviceProvider
provider_function(const char *path, GpuAggError *error)
{
	MemoryContext context = CurrentMemoryContext;
	void	   *volatile function = NULL;
	sigset_t	old;

	signals_block(&old);
	PG_TRY();
	{
		function = load_external_function(path, GPUAGG_DEVICE_PROVIDER, true,
										  NULL);
	}
	PG_CATCH();
	{
		ErrorData  *edata;

		MemoryContextSwitchTo(context);
		edata = CopyErrorData();
		FlushErrorState();
		strlcpy(error->message, edata->message, sizeof(error->message));
		FreeErrorData(edata);
	}
	PG_END_TRY();
	signals_restore(&old);
	return (GpuAggDeviceProvider) function;
}

/*
 * The GPUs' operations; NULL with the reason.  Without a library the reason
 * is only told to those who insist on a GPU.
 */
static const GpuAggDeviceOps *
provider_load(bool must, GpuAggError *error)
{
	char		path[MAXPGPATH];
	struct stat st;
	GpuAggDeviceProvider provider;
	const GpuAggDeviceOps *ops;

	snprintf(path, sizeof(path), "%s/%s%s", pkglib_path,
			 gpuagg_device_provider, DLSUFFIX);
	if (stat(path, &st) != 0 || S_ISDIR(st.st_mode))
	{
		if (must)
			snprintf(error->message, sizeof(error->message),
					 "this installation has no library \"%s%s\"",
					 gpuagg_device_provider, DLSUFFIX);
		else
			elog(DEBUG1, "gpuagg: no library \"%s\"", path);
		return NULL;
	}
	provider = provider_function(path, error);
	if (provider == NULL)
		return NULL;
	ops = provider();
	if (ops == NULL || ops->abi != GPUAGG_DEVICE_ABI)
	{
		snprintf(error->message, sizeof(error->message),
				 "library \"%s%s\" belongs to another version of gpuagg",
				 gpuagg_device_provider, DLSUFFIX);
		return NULL;
	}
	return ops;
}

/* ----------------------------------------------------------------- cards --- */

/* Lists the cards for everyone to see; their number, or -1 with the reason. */
static int
cards_list(const GpuAggDeviceOps *ops, GpuAggError *error)
{
	GpuAggDeviceFacts *facts = &gpuagg_worker_state()->facts;
	GpuAggDeviceInfo cards[GPUAGG_MAX_CARDS] = {0};
	sigset_t	old;
	int			n;

	signals_block(&old);
	n = ops->list(cards, GPUAGG_MAX_CARDS, error);
	signals_restore(&old);
	n = Min(n, GPUAGG_MAX_CARDS);

	SpinLockAcquire(&gpuagg_worker_state()->mutex);
	memcpy(facts->cards, cards, sizeof(cards));
	facts->ncards = Max(n, 0);
	facts->card = -1;
	gpuagg_shmem_changed(gpuagg_worker_state());

	if (n < 0 && error->message[0] == '\0')
		strlcpy(error->message, "the GPUs cannot be listed",
				sizeof(error->message));
	return n;
}

/*
 * The index of the card that our device is to be, or -1 with the reason: of all cards the
 * one of its number.
 */
static int
card_choose(int ncards, const GpuAggDeviceChoice *choice, GpuAggError *error)
{
	GpuAggDeviceFacts *facts = &gpuagg_worker_state()->facts;
	int			ordinal = choice->ordinals[gpuagg_worker.at];
	int			card = choice->all && gpuagg_worker.at < ncards ? gpuagg_worker.at : -1;

	for (int i = ncards - 1; i >= 0 && !choice->all; i--)
		if (ordinal < 0 || facts->cards[i].ordinal == ordinal)
			card = i;
	if (ncards == 0)
		strlcpy(error->message, "the machine has no GPU",
				sizeof(error->message));
	else if (card < 0)
		snprintf(error->message, sizeof(error->message),
				 "there is no GPU number %d; the machine has %d", ordinal,
				 ncards);

	SpinLockAcquire(&gpuagg_worker_state()->mutex);
	facts->card = card;
	gpuagg_shmem_changed(gpuagg_worker_state());
	return card;
}

static uint64
card_memory(const GpuAggDeviceInfo *card)
{
	uint64		wanted = (uint64) gpuagg_device_memory * 1024 * 1024;

	if (wanted == 0)
		return (uint64) (card->memory_limit * GPU_MEMORY_SHARE);
	return card->memory_limit > 0 ? Min(wanted, card->memory_limit) : wanted;
}

/*
 * The first worker knows how many cards there are.  Of a list each has a worker, also one
 * that is not there, which then says so.
 */
static void
cards_ask_for_workers(int ncards, const GpuAggDeviceChoice *choice)
{
	int			n = choice->all ? Min(ncards, choice->ndevices) : choice->ndevices;

	if (gpuagg_worker.at > 0)
		return;
	for (int i = 1; i < n; i++)
		gpuagg_worker_ask_for(i);
}

/* False with the reason; without one there is nothing to tell. */
static bool
gpu_open(GpuAggError *error)
{
	GpuAggDeviceFacts *facts = &gpuagg_worker_state()->facts;
	GpuAggDeviceChoice choice;
	const GpuAggDeviceOps *ops;
	int			n;
	int			card;

	(void) gpuagg_device_parse(gpuagg_device, &choice);
	if (!choice.gpu)
		return false;
	if (facts->gpu_off)
	{
		snprintf(error->message, sizeof(error->message),
				 "the GPU was lost %d times in short succession; gpuagg.reset_device() turns it on again",
				 GPUAGG_MAX_LOSSES);
		return false;
	}
	ops = provider_load(choice.must, error);
	if (ops == NULL || (n = cards_list(ops, error)) < 0)
		return false;
	cards_ask_for_workers(n, &choice);
	if ((card = card_choose(n, &choice, error)) < 0)
		return false;
	pg_atomic_write_u32(&gpuagg_worker_state()->gpu, 1);	/* unless it cannot be opened */
	return device_open(&gpuagg_worker.primary, ops,
					   facts->cards[card].ordinal,
					   card_memory(&facts->cards[card]), error);
}

/* ------------------------------------------------------ for the worker --- */

bool
gpuagg_devices_open_gpu(void)
{
	GpuAggDeviceState *state = gpuagg_worker_state();
	GpuAggError error = {0};
	bool		opened;

	SpinLockAcquire(&state->mutex);
	state->facts.gpu_why_not[0] = '\0';
	gpuagg_shmem_changed(state);
	opened = gpu_open(&error);
	SpinLockAcquire(&state->mutex);
	pg_atomic_write_u32(&state->gpu, opened);
	strlcpy(state->facts.gpu_why_not, error.message,
			sizeof(state->facts.gpu_why_not));
	gpuagg_shmem_changed(state);
	if (!opened && error.message[0] != '\0')
		ereport(LOG,
				(gpuagg_worker.at == 0 ?
				 errmsg("gpuagg: the host device takes the place of a GPU: %s", error.message) :
				 errmsg("gpuagg: a GPU cannot be used: %s", error.message)));
	return opened;
}

bool
gpuagg_devices_open_host(GpuAggError *error)
{
	return host_open(&gpuagg_worker.primary, error);
}

/*
 * What the cache may take unless the setting says: of the host device as much
 * as shared_buffers do, and no less than a share of the machine's memory, for who leaves
 * caching to the kernel has small buffers; no more than half of what its tasks may.  Of a GPU
 * a share of its memory that fits beside theirs.
 */
uint64
gpuagg_devices_spare(void)
{
	const GpuAggWorkerDevice *on = &gpuagg_worker.primary;
	const GpuAggDeviceFacts *facts = &gpuagg_worker_state()->facts;
	GpuAggDeviceInfo info = {0};
	uint64		card;

	on->ops->info(on->device, &info);
	if (on->ops == &gpuagg_host_ops)
	{
		const uint64 share = gpuagg_machine_memory() / HOST_CACHE_SHARE;

		return Min(Max((uint64) NBuffers * BLCKSZ, share), info.memory_limit / 2);
	}
	card = facts->cards[facts->card].memory_limit;
	return Min((uint64) (card * GPU_CACHE_SHARE),
			   (uint64) ((card - Min(card, info.memory_limit)) * GPU_CACHE_OF_REST));
}

static GpuAggWorkerDevice *
route_task(bool host, GpuAggError *error)
{
	GpuAggWorkerDevice *on = &gpuagg_worker.fallback;

	if (!host || gpuagg_worker.primary.ops == &gpuagg_host_ops)
		return &gpuagg_worker.primary;
	if (on->device == NULL)
	{
		if (!host_open(on, error))
			return NULL;
		gpuagg_events_watch(on);
		ereport(LOG,
				(errmsg("gpuagg: the host device is ready for tasks that the GPU fails")));
	}
	return on;
}

/* What measures a device; opened now if it is not. */
static GpuAggWorkerDevice *
route_measure(GpuAggWorkerDevice *measured, GpuAggError *error)
{
	GpuAggWorkerDevice *on = measured == &gpuagg_worker.primary ?
		&gpuagg_worker.measure_primary : &gpuagg_worker.measure_fallback;

	if (on->device != NULL)
		return on;
	on->device = gpuagg_probe_task_open(measured->ops, measured->device, error);
	if (on->device == NULL)
		return NULL;
	on->ops = &gpuagg_probe_task_ops;
	on->measures = measured;
	gpuagg_events_watch(on);
	return on;
}

GpuAggWorkerDevice *
gpuagg_devices_route(bool host, bool measure, GpuAggError *error)
{
	GpuAggWorkerDevice *on = route_task(host, error);

	return on != NULL && measure ? route_measure(on, error) : on;
}

void
gpuagg_devices_publish(void)
{
	GpuAggDeviceState *state = gpuagg_worker_state();
	const GpuAggWorkerDevice *primary = &gpuagg_worker.primary;
	const GpuAggWorkerDevice *fallback = &gpuagg_worker.fallback;
	GpuAggDeviceInfo info = {0};
	GpuAggDeviceInfo host = {0};

	primary->ops->info(primary->device, &info);
	if (fallback->device != NULL)
		fallback->ops->info(fallback->device, &host);
	SpinLockAcquire(&state->mutex);
	state->facts.info = info;
	state->facts.host = host;
	gpuagg_shmem_changed(state);
}

void
gpuagg_devices_close(void)
{
	gpuagg_made_clear();
	gpuagg_constant_codes_clear();
	for (int i = 0; i < GPUAGG_WORKER_DEVICES; i++)
	{
		GpuAggWorkerDevice *on = gpuagg_worker_device(i);

		if (on->device != NULL)
			on->ops->close(on->device);
	}
}
