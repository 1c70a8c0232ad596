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
#include "cost/profile.h"
#include "ipc/cache_shared.h"
#include "ipc/regrets.h"
#include "ipc/shmem.h"
#include "node/run/passes.h"
#include "node/run/place.h"
#include "node/run/spread.h"
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
draws_only(const GpuAggOrder *order)
{
	return order->sample.method == GPUAGG_SAMPLE_DRAWS;
}

static void
offer(const GpuAggOrder *order, int device, GpuAggOfferedDevice *o)
{
	uint64		limit;
	uint64		used;

	memset(o, 0, sizeof(*o));
	if (!gpuagg_shmem_is_gpu(device) || gpuagg_shmem_silence(device) > GPUAGG_SILENT_MS)
		return;
	o->usable = 1;
	o->held = gpuagg_passes_held(order, device);
	o->known = gpuagg_passes_known(order, device);
	o->queue_ns = queue_ns(device);
	o->run_ns = draws_only(order) ? (1 - o->held) * 1e12 :
		gpuagg_passes_predict(order, device, o->held);
	o->kept_ns = draws_only(order) || !gpuagg_passes_keeps(order) ? o->run_ns :
		gpuagg_passes_predict(order, device, 1);
	gpuagg_cache_memory(device, &limit, &used);
	o->room = (double) limit - (double) Min(used, limit);
}

/* What the cards of a spread task would take, each with its share of the table */
static void
offer_spread(const GpuAggOrder *order, const GpuAggOfferedDevice *devices,
			 const GpuAggPlace *place, GpuAggOfferedDevice *o)
{
	const double share = 1.0 / place->ncards;
	const BlockNumber blocks = (BlockNumber) (order->nblocks * share);
	GpuAggOfferedPart parts[GPUAGG_MAX_CARDS];
	GpuAggSpreadCosts costs = {
		.groups = gpuagg_spread_returned(order, gpuagg_passes_part_groups(order, share)),
		.left = gpuagg_spread_left(order)
	};

	for (int i = 0; i < place->ncards; i++)
	{
		const int	device = place->cards[i];
		GpuAggOfferedPart *p = &parts[i];
		GpuAggPrediction now;
		GpuAggPrediction kept;
		const GpuAggRates *rates = &gpuagg_profile_get(device)->rates;

		costs.round_trip_ns = rates->round_trip_ns;
		costs.group_ns = rates->postgres_group_ns;
		gpuagg_passes_predict_part(order, device, blocks, share,
								   Min(devices[device].held / share, 1), &now);
		/* a sample keeps nothing: it stays what it is now */
		if (gpuagg_passes_keeps(order))
			gpuagg_passes_predict_part(order, device, blocks, share, 1, &kept);
		else
			kept = now;
		p->queue_ns = devices[device].queue_ns;
		p->run_ns = now.startup;
		p->kept_ns = kept.startup;
		p->feed_ns = now.feed;
		p->held = devices[device].held;
		p->room = devices[device].room;
	}
	gpuagg_placement_spread(parts, place->ncards, &costs, o);
}

/* Chooses one device, or the cards of the spread task, of which it returns the first */
static int
choose(const GpuAggOrder *order, GpuAggPlace *place)
{
	const int	n = gpuagg_shared->ndevices;
	GpuAggOfferedDevice devices[GPUAGG_MAX_CARDS + 1];
	GpuAggOfferedDevice *together = &devices[n];
	double		gain;
	double		cost;
	int			first;
	int			wanted;

	memset(together, 0, sizeof(*together));
	for (int i = 0; i < n; i++)
	{
		offer(order, i, &devices[i]);
		if (devices[i].usable)
			place->cards[place->ncards++] = i;
	}
	if (!gpuagg_spread_possible(order, place->ncards))
		place->ncards = 0;
	else if (gpuagg_spread == GPUAGG_SPREAD_ALWAYS)
		return place->cards[0];
	else
		offer_spread(order, devices, place, together);
	first = gpuagg_placement_first(devices, n + 1);
	if (first >= 0 && first < n && gpuagg_placement_spread_first(&devices[first], together))
		first = n;
	wanted = gpuagg_placement_wanted(devices, n + 1, first, &gain, &cost);
	if (wanted >= 0 && !order->demand->info->of_plan &&
		gpuagg_regrets_add(RelationGetRelid(order->read[0].rel), gain, cost))
		first = wanted;
	if (first == n)
		return place->cards[0];
	place->ncards = 0;
	return Max(first, 0);
}

void
gpuagg_place(const GpuAggOrder *order, GpuAggPlace *place)
{
	if (place->chosen)
		return;
	place->ncards = 0;
	place->device = gpuagg_shared->ndevices == 1 ? 0 : choose(order, place);
	place->been_on = 1 << place->device;
	place->chosen = true;
}

int
gpuagg_place_other(uint32 been_on)
{
	int			to = -1;

	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		if (gpuagg_shmem_is_gpu(i) && (been_on & (1 << i)) == 0 &&
			(to < 0 || queue_ns(i) < queue_ns(to)))
			to = i;
	return to;
}
