/*
 * lookup_windows.c
 *		Joins with an input that is larger than memory (lookup_windows.h).
 *
 * The input's look-up table is made of the keys of one window, and the program lets those rows
 * of the largest table pass that have a key of the same window, of which each row has one: so
 * whatever the kind of join, a row is looked up once, where its matches are.  For each window
 * the input and the largest table are read again, by all the tasks that a run has, and groups
 * of all windows are merged (merge.c).  Other inputs' tables stay.
 *
 * If tables of other inputs have been made again between windows, because the device that had
 * made them has failed, their strings have other numbers, and all windows run again.
 *
 * As many windows as the planner expects to be needed, then, whenever memory does not suffice,
 * four times as many, from the first one on.
 */
#include "postgres.h"

#include "ipc/errors.h"
#include "miscadmin.h"
#include "node/run/answers.h"
#include "node/run/lookup_windows.h"
#include "node/run/tables.h"
#include "utils/memutils.h"

/* Rows and pages that an earlier window has read count once. */
static void
count_once(GpuAggTallyWork *work)
{
	work->runs = 0;
	work->rows_scanned = 0;
	work->pages = 0;
	work->cached_pages = 0;
	work->compared_pages = 0;
}

static GpuAggStatus
run_window(const GpuAggScan *scan, const GpuAggDemand *demand, int i, GpuAggPlace *place,
		   GpuAggTally *tally, GpuAggError *error)
{
	GpuAggTally one = {0};
	/* for programs, which have the tables in them */
	MemoryContext window = AllocSetContextCreate(CurrentMemoryContext, "gpuagg window",
												 ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(window);
	GpuAggStatus status;

	CHECK_FOR_INTERRUPTS();
	gpuagg_lookups_window(scan->lookups, i);
	status = gpuagg_tables_run(scan, demand, place, &one, error);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(window);
	if (i > 0)
		count_once(&one.work);
	gpuagg_tally_then(tally, &one);
	return status;
}

static GpuAggStatus
run_windows(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggPlace *place,
			GpuAggTally *tally, GpuAggError *error)
{
	const int	windows = gpuagg_lookups_windows(scan->lookups);
	GpuAggStatus status = GPUAGG_OK;

	for (int i = 0; status == GPUAGG_OK && i < windows; i++)
		status = run_window(scan, demand, i, place, tally, error);
	return status == GPUAGG_OK ?
		gpuagg_answers_merge(scan, demand, &tally->work.groups, error) : status;
}

GpuAggStatus
gpuagg_windows_run(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggPlace *place,
				   GpuAggTally *tally, GpuAggError *error)
{
	bool		again = false;
	GpuAggStoreMark begin;

	/* rows that are selected are in no such store */
	if (scan->lookups == NULL)
		return gpuagg_tables_run(scan, demand, place, tally, error);
	gpuagg_results_mark(demand->found->results, &begin);
	for (;;)
	{
		GpuAggStatus status;

		gpuagg_lookups_window(scan->lookups, 0);
		status = gpuagg_lookups_several(scan->lookups) ?
			run_windows(scan, demand, place, tally, error) :
			gpuagg_tables_run(scan, demand, place, tally, error);
		if (status == GPUAGG_OK && !again && gpuagg_lookups_several(scan->lookups) &&
			gpuagg_lookups_again(scan->lookups))
			again = true;
		else if (status != GPUAGG_OUT_OF_MEMORY || !gpuagg_lookups_widen(scan->lookups))
			return status;
		/* all that was done counts for nothing */
		gpuagg_answers_cut(scan, demand, &begin);
		memset(tally, 0, sizeof(*tally));
		memset(error, 0, sizeof(*error));
	}
}
