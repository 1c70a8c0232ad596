/*
 * place.c
 *		Which of several devices a scan's tasks are given to (place.h).
 *
 * One for all tasks of a run: look-up tables that one of them makes are the device's.
 * What a device has to do is what was predicted of tasks that have a slot and are not
 * done; what it has of the table its list of columns tells (ipc/cache_shared.h).
 */
#include "postgres.h"

#include "compat.h"
#include "cost/placement.h"
#include "ipc/cache_shared.h"
#include "ipc/regrets.h"
#include "ipc/shmem.h"
#include "node/passes.h"
#include "node/place.h"
#include "settings.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* A task that takes longer than predicted will go on for such a part of it. */
#define LATE_SHARE 0.1

/* What is left of a task, as predicted */
static double
slot_left_ns(const GpuAggSlot *slot, TimestampTz now)
{
	double		ms = slot->predicted_ms;
	TimestampTz begun = slot->begun_at;
	double		left = begun == 0 ? ms : ms - (now - begun) / 1000.0;

	return Max(left, ms * LATE_SHARE) * 1e6;
}

static double
queue_ns(int device)
{
	TimestampTz now = GetCurrentTimestamp();
	double		ns = 0;

	for (int i = 0; i < gpuagg_shared->nslots; i++)
	{
		GpuAggSlot *slot = gpuagg_shmem_slot(i);

		if ((pg_atomic_read_u32(&slot->holders) & GPUAGG_HOLD_CLIENT) &&
			slot->device == device && !slot->host && !slot->measure)
			ns += slot_left_ns(slot, now);
	}
	return ns;
}

/* Draws can be made of columns that are there, and of no others. */
static bool
draws_only(const GpuAggScan *scan)
{
	return scan->sample.method == GPUAGG_SAMPLE_DRAWS;
}

static void
offer(const GpuAggScan *scan, BlockNumber nblocks, int device, GpuAggOfferedDevice *o)
{
	uint64		limit;
	uint64		used;

	memset(o, 0, sizeof(*o));
	if (!gpuagg_shmem_is_gpu(device) || gpuagg_shmem_silence(device) > GPUAGG_SILENT_MS)
		return;
	gpuagg_device_at = device;	/* predictions are of this one */
	o->usable = 1;
	o->held = gpuagg_passes_held(scan, nblocks);
	o->queue_ns = queue_ns(device);
	o->run_ns = draws_only(scan) ? (1 - o->held) * 1e12 : gpuagg_passes_predict(scan, nblocks, o->held);
	o->kept_ns = draws_only(scan) || !gpuagg_passes_keeps(scan) ? o->run_ns :
		gpuagg_passes_predict(scan, nblocks, 1);
	gpuagg_cache_memory(device, &limit, &used);
	o->room = (double) limit - (double) Min(used, limit);
}

static int
choose(const GpuAggScan *scan, BlockNumber nblocks)
{
	const int	n = gpuagg_shared->ndevices;
	GpuAggOfferedDevice devices[GPUAGG_MAX_CARDS];
	double		gain;
	double		cost;
	int			first;
	int			wanted;

	for (int i = 0; i < n; i++)
		offer(scan, nblocks, i, &devices[i]);
	first = gpuagg_placement_first(devices, n);
	wanted = gpuagg_placement_wanted(devices, n, first, &gain, &cost);
	if (wanted >= 0 && scan->rel != NULL && gpuagg_regrets_add(RelationGetRelid(scan->rel), gain, cost))
		first = wanted;
	return Max(first, 0);
}

void
gpuagg_place_again(const GpuAggScan *scan)
{
	gpuagg_device_at = scan->device;
}

void
gpuagg_place(GpuAggScan *scan, BlockNumber nblocks)
{
	if (!scan->placed)
	{
		scan->device = gpuagg_shared->ndevices == 1 ? 0 : choose(scan, nblocks);
		scan->been_on = 1 << scan->device;
		scan->placed = true;
	}
	gpuagg_place_again(scan);
}

bool
gpuagg_place_move(GpuAggScan *scan)
{
	int			to = -1;

	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		if (gpuagg_shmem_is_gpu(i) && (scan->been_on & (1 << i)) == 0 &&
			(to < 0 || queue_ns(i) < queue_ns(to)))
			to = i;
	if (to < 0)
		return false;
	scan->device = to;
	scan->been_on |= 1 << to;
	gpuagg_place_again(scan);
	return true;
}
