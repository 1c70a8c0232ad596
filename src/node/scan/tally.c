/*
 * tally.c
 *		What tasks did (tally.h).
 */
#include "postgres.h"

#include "node/scan/tally.h"

static void
add_work(GpuAggTallyWork *work, const GpuAggTallyWork *other)
{
	work->runs += other->runs;
	work->pages += other->pages;
	work->cached_pages += other->cached_pages;
	work->compared_pages += other->compared_pages;
	work->pages_kept += other->pages_kept;
	work->feeder_pages += other->feeder_pages;
	work->zones.read += other->zones.read;
	work->zones.skipped += other->zones.skipped;
	work->zones.answered += other->zones.answered;
	work->rows_scanned += other->rows_scanned;
	work->rows_passed += other->rows_passed;
	for (int i = 0; i < GPUAGG_STAGES - 1; i++)
		work->left[i] += other->left[i];
	work->rows_evaluated += other->rows_evaluated;
	work->groups += other->groups;
	work->groups_returned += other->groups_returned;
}

static void
add_time(GpuAggTally *tally, const GpuAggTally *other)
{
	tally->memory_bytes = Max(tally->memory_bytes, other->memory_bytes);
	tally->device_ns += other->device_ns;
	tally->transfer_ns += other->transfer_ns;
	tally->decode_ns += other->decode_ns;
	tally->kernel_ns += other->kernel_ns;
	tally->link_bytes += other->link_bytes;
	INSTR_TIME_ADD(tally->start_time, other->start_time);
	INSTR_TIME_ADD(tally->feed_time, other->feed_time);
	INSTR_TIME_ADD(tally->wait_time, other->wait_time);
	INSTR_TIME_ADD(tally->collect_time, other->collect_time);
}

static void
add_redone(GpuAggTally *tally, const GpuAggTally *other)
{
	if (other->redone == 0)
		return;
	tally->redone += other->redone;
	strlcpy(tally->redone_message, other->redone_message, sizeof(tally->redone_message));
}

/* The last task of the other one is the last of both, if it has completed any. */
static void
take_last(GpuAggTally *tally, const GpuAggTally *other)
{
	if (other->device[0] == '\0')
		return;
	tally->link_rate = other->link_rate;
	tally->draw_way = other->draw_way;
	tally->draw_windows = other->draw_windows;
	strlcpy(tally->device, other->device, sizeof(tally->device));
	strlcpy(tally->device_name, other->device_name, sizeof(tally->device_name));
	strlcpy(tally->strategy, other->strategy, sizeof(tally->strategy));
}

static void
add(GpuAggTally *tally, const GpuAggTally *other)
{
	add_work(&tally->work, &other->work);
	gpuagg_probed_then(&tally->probed, &other->probed);
	tally->strings += other->strings;
	tally->tables_read += other->tables_read;
	tally->awaited |= other->awaited;
	tally->groups_made += other->groups_made;
	add_time(tally, other);
	add_redone(tally, other);
	take_last(tally, other);
	if (other->planned.known)
		tally->planned = other->planned;
	if (!other->tried)
		return;
	tally->tried = true;
	tally->regrouped = other->regrouped;
	tally->regroup_workers = other->regroup_workers;
	tally->feeders_planned = other->feeders_planned;
	tally->feeders_launched = other->feeders_launched;
	tally->bulkread = other->bulkread;
	tally->cards = other->cards;
}

void
gpuagg_tally_then(GpuAggTally *tally, const GpuAggTally *next)
{
	add(tally, next);
	if (next->blocks > 0)
		tally->blocks = next->blocks;
	if (!next->tried)
		return;
	tally->passes = next->passes;
	tally->splits = next->splits;
	tally->switches = next->switches;
	tally->compiled = next->compiled;
}

void
gpuagg_tally_beside(GpuAggTally *tally, const GpuAggTally *other)
{
	add(tally, other);
	tally->blocks += other->blocks;
	tally->passes = Max(tally->passes, other->passes);
	tally->splits += other->splits;
	tally->switches += other->switches;
	tally->compiled += other->compiled;
}

void
gpuagg_tally_fail(GpuAggTally *tally)
{
	memset(&tally->work, 0, sizeof(tally->work));
}
