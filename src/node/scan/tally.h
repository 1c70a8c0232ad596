/*
 * tally.h
 *		What tasks did, as EXPLAIN ANALYZE and views show it.
 *
 * Whoever runs a task is given a tally of its own.  Whoever has asked for it adds that to what it
 * counts itself, or throws it away: of a task that failed its work, of one that is run again
 * in another way all of it.
 */
#ifndef GPUAGG_NODE_TALLY_H
#define GPUAGG_NODE_TALLY_H

#include "postgres.h"

#include "device/choice/strategy.h"
#include "device/device.h"
#include "ipc/protocol.h"
#include "node/lookup/probes.h"
#include "portability/instr_time.h"
#include "settings.h"

/* What came of the work; of a task that fails nothing does. */
typedef struct GpuAggTallyWork
{
	uint64		runs;			/* Tasks that the device completed. */
	uint64		pages;			/* Pages that were read. */
	uint64		cached_pages;	/* Pages that the device had. */
	uint64		compared_pages; /* Pages whose LSNs told whether it had them. */
	uint64		pages_kept;		/* Pages that it has from now on. */
	uint64		feeder_pages;	/* Of the pages that were read, those by feeders. */
	GpuAggZonesCount zones;		/* Zones of cached columns. */
	uint64		rows_scanned;
	uint64		rows_passed;
	uint64		left[GPUAGG_STAGES - 1];	/* Rows that look-ups left, as in GpuAggStageRows. */
	uint64		rows_evaluated; /* Rows that PostgreSQL evaluated for the device. */
	uint64		groups;
	uint64		groups_returned;
} GpuAggTallyWork;

/* What a device was to group by, as far as was known before it did */
typedef struct GpuAggPlannedStrategy
{
	bool		known;
	GpuAggStrategy strategy;
	GpuAggStrategyChoice pages; /* Chosen for pages; cached columns need not be grouped by it. */
} GpuAggPlannedStrategy;

/* The cards that shared a task (spread.h) */
typedef struct GpuAggTallyCards
{
	int			n;				/* Cards; 0: one device had all of it. */
	int			done;			/* Tasks of these whose groups are in the store. */
	struct
	{
		char		name[sizeof(((GpuAggDeviceInfo *) 0)->kind)];
		uint64		rows;		/* Rows that were scanned there. */
	}			cards[GPUAGG_MAX_CARDS];
} GpuAggTallyCards;

typedef struct GpuAggTally
{
	GpuAggTallyWork work;
	GpuAggProbed probed;		/* Look-ups, of tasks that were completed. */
	uint64		groups_made;	/* Groups that were made by regrouping. */
	uint64		strings;		/* Of kept columns, of which PostgreSQL computed. */
	uint64		tables_read;	/* Of several tables, those that were not pruned. */
	uint64		blocks;			/* Blocks that tables have, of the last run. */
	uint64		memory_bytes;	/* The most that any task took. */

	/* Times: a GPU's own are zero where the device does not tell (GpuAggTaskStats). */
	uint64		device_ns;
	uint64		transfer_ns;
	uint64		decode_ns;
	uint64		kernel_ns;
	uint64		link_bytes;

	/* Times of the backend, only while timing. */
	instr_time	start_time;		/* Announcing tasks until they may be fed, and taking leave. */
	instr_time	feed_time;		/* Pin, check visibility, hand over, unpin. */
	instr_time	wait_time;		/* Waiting for the device. */
	instr_time	collect_time;	/* From the first groups to the last. */

	/* Failures of GPUs: tasks that were run again elsewhere, and why the last one was. */
	uint64		redone;
	char		redone_message[GPUAGG_MESSAGE_BYTES];

	/* How tasks were run; of a task that runs again, or of another run, how it was run last. */
	bool		tried;			/* There was a task. */
	bool		regrouped;		/* The device made the query's groups. */
	int			regroup_workers;	/* Processes that made them beside the backend. */
	bool		awaited;		/* It waited for another task's pages. */
	uint32		passes;			/* Windows that were grouped one by one. */
	uint32		splits;			/* Windows whose groups did not fit. */
	uint64		switches;		/* Changes of strategy, by the device. */
	uint64		compiled;		/* Tasks with a kernel made for them. */
	int			feeders_planned;	/* Processes beside the backend, of the last task. */
	int			feeders_launched;
	bool		bulkread;		/* The sample is large: PostgreSQL reads it through a ring. */
	GpuAggTallyCards cards;
	GpuAggPlannedStrategy planned;	/* Known only under EXPLAIN ANALYZE. */

	/* The last task that was completed. */
	uint64		link_rate;		/* Bytes a second, of its device. */
	GpuAggDrawWay draw_way;		/* How draws were made. */
	uint32		draw_windows;	/* 0: the device has no ways. */
	char		device[sizeof(((GpuAggDeviceInfo *) 0)->kind)];
	char		device_name[sizeof(((GpuAggDeviceInfo *) 0)->name)];
	char		strategy[sizeof(((GpuAggDoneMsg *) 0)->strategy)];	/* Of a pass. */
} GpuAggTally;

/* Adds what was tallied after it: the same task once more, another window, another run. */
extern void gpuagg_tally_then(GpuAggTally *tally, const GpuAggTally *next);

/* Adds another task of the same run, which is as much a part of it. */
extern void gpuagg_tally_beside(GpuAggTally *tally, const GpuAggTally *other);

/* The task has failed: the time was spent. */
extern void gpuagg_tally_fail(GpuAggTally *tally);

#endif							/* GPUAGG_NODE_TALLY_H */
