/*
 * host.c
 *		The host device: a pool of threads that read pages in place.
 *
 * A real engine for machines without a GPU.  Its parts, from below:
 *
 *	host_memory.c	budgets			arena.c, group_table.c	groups and their strings
 *	prepared.c		the program		update.c			transitions
 *	records.c	kept rows		partitions.c		shared tables
 *	decode.c	pages to rows	groups.c			local tables
 *	host_stripe.c		kept columns	host_scan.c				all of these for a block
 *	vector.c	expressions		host_task.c, host_results.c	tasks
 *	pool.c		threads					machine.c			what the kernel says
 *
 * Strategies that task_stats() names:
 *	plain			no keys: one group per thread, merged at the end
 *	block-local		each thread's table held all the groups it saw
 *	single-pass		they were too many: tables shared by all threads
 *	partitioned		the same, and tables far beyond a cache: rows are kept by
 *					partition until they are many
 */
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "host/host.h"
#include "host/host_probe.h"
#include "host/host_task.h"
#include "host/machine.h"

/*
 * 1024 pages are some 160 k rows, 2 ms of one thread, or 0.3 ms where a sample
 * has one row of a hundred: long against handing them over and waking who
 * sleeps.  64 pages were not (with 16 threads, 10 to 15 % of the feed), nor
 * were 256 of a sample (with two, a sixth of all time).  A batch is shared by
 * many threads, and the first batches are smaller (feed.c).
 */
#define HOST_BATCH_PAGES 1024

/*
 * Batches in flight: this many, or one for four threads.  No more, because
 * every page in flight is a pin, and a backend finds its own pins the slower
 * the more it has.
 */
#define HOST_MIN_BATCHES 4

/*
 * Free blocks are kept for records and tables of a million groups, and not more
 * than this part of what tasks may use.
 */
#define HOST_FREE_SHARE 16

/* What is larger than this has pages of its own; the most the C library takes */
#define HOST_MALLOC_BYTES (32 << 20)

static GpuAggStatus
open_failed(GpuAggDevice *device, const char *what, GpuAggError *error)
{
	error->status = GPUAGG_DEVICE_FAULT;
	error->detail = (uint32_t) errno;
	snprintf(error->message, sizeof(error->message),
			 "the host device could not be opened: %s", what);
	if (device != NULL && device->event_fd >= 0)
		close(device->event_fd);
	free(device);
	return error->status;
}

/* "AMD EPYC 9654, 2 threads" */
static void
name_device(GpuAggDevice *device)
{
	char		model[96];

	gpuagg_machine_model(model, sizeof(model));
	snprintf(device->name, sizeof(device->name), "%s, %d thread%s", model,
			 device->threads, device->threads == 1 ? "" : "s");
}

/*
 * What threads free stays theirs, as much in all as is kept of blocks.  The C
 * library gives it back to the kernel almost at once, and getting pages anew for
 * each task took a quarter of the time of grouping 10^5 rows into as many groups.
 */
static void
keep_freed(const GpuAggDevice *device)
{
#ifdef __GLIBC__
	uint64_t	each = device->blocks.most / (uint64_t) device->threads;

	(void) mallopt(M_TRIM_THRESHOLD, (int) each);
	(void) mallopt(M_MMAP_THRESHOLD, HOST_MALLOC_BYTES);
#endif
}

static GpuAggStatus
host_open(const GpuAggDeviceConfig *config, GpuAggDevice **device, GpuAggError *error)
{
	GpuAggDevice *d = calloc(1, sizeof(*d));

	*device = NULL;
	memset(error, 0, sizeof(*error));
	if (d == NULL)
		return open_failed(d, "no memory", error);
	d->threads = config->threads < 1 ? 1 : config->threads;
	gpuagg_memory_init(&d->memory, NULL, config->memory_limit);
	gpuagg_blocks_init(&d->blocks, d->memory.limit / HOST_FREE_SHARE < GPUAGG_HOST_FREE_BLOCKS ?
					   d->memory.limit / HOST_FREE_SHARE : GPUAGG_HOST_FREE_BLOCKS);
	d->memory.blocks = &d->blocks;
	gpuagg_memory_init(&d->stripes, NULL, 0);
	d->stripes.limit = 0;
	keep_freed(d);
	d->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (d->event_fd < 0)
		return open_failed(d, "no eventfd", error);
	d->pool = gpuagg_pool_create((uint32_t) d->threads);
	if (d->pool == NULL)
		return open_failed(d, "its threads could not be started", error);
	name_device(d);
	*device = d;
	return GPUAGG_OK;
}

/* All tasks have ended. */
static void
host_close(GpuAggDevice *device)
{
	gpuagg_pool_destroy(device->pool);
	gpuagg_blocks_destroy(&device->blocks);
	close(device->event_fd);
	free(device);
}

static void
host_info(GpuAggDevice *device, GpuAggDeviceInfo *info)
{
	memset(info, 0, sizeof(*info));
	snprintf(info->kind, sizeof(info->kind), "host");
	snprintf(info->name, sizeof(info->name), "%s", device->name);
	info->memory_used = atomic_load_explicit(&device->memory.used, memory_order_relaxed);
	info->memory_limit = device->memory.limit;
	info->strategies = GPUAGG_STRATEGIES_ALWAYS |
		GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_PARTITIONED);
	info->draws = 1;
	info->lookups = 1;
	info->orders = 1;
	info->batch_pages = HOST_BATCH_PAGES;
	info->batches_ahead = device->threads / 4 > HOST_MIN_BATCHES ?
		(uint32_t) device->threads / 4 : HOST_MIN_BATCHES;
}

static int
host_event_fd(GpuAggDevice *device)
{
	return device->event_fd;
}

const GpuAggDeviceOps gpuagg_host_ops = {
	.abi = GPUAGG_DEVICE_ABI,
	.kind = "host",
	.open = host_open,
	.close = host_close,
	.info = host_info,
	.event_fd = host_event_fd,
	.task_begin = gpuagg_host_task_begin,
	.task_pages = gpuagg_host_task_pages,
	.task_rows = gpuagg_host_task_rows,
	.task_resident = gpuagg_host_task_resident,
	.task_draws = gpuagg_host_task_draws,
	.task_poll = gpuagg_host_task_poll,
	.task_finish = gpuagg_host_task_finish,
	.task_results = gpuagg_host_task_results,
	.task_stats = gpuagg_host_task_stats,
	.task_cancel = gpuagg_host_task_cancel,
	.task_idle = gpuagg_host_task_idle,
	.task_end = gpuagg_host_task_end,
	.probe = &gpuagg_host_probe_ops,
	.stripes = &gpuagg_host_stripe_ops,
	.made = &gpuagg_host_made_ops
};
