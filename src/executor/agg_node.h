/*
 * agg_node.h
 *		The executor node GpuAgg.
 */
#ifndef GPUAGG_EXECUTOR_AGG_NODE_H
#define GPUAGG_EXECUTOR_AGG_NODE_H

#include "postgres.h"

#include "executor/errors.h"
#include "executor/results.h"
#include "executor/rows.h"
#include "executor/sample.h"
#include "nodes/extensible.h"
#include "planner/plan.h"
#include "portability/instr_time.h"
#include "utils/relcache.h"

/* What EXPLAIN ANALYZE shows; sums over all runs of the node */
typedef struct GpuAggCounters
{
	uint64		runs;			/* tasks that the device completed */
	uint64		pages;
	uint64		rows_scanned;
	uint64		rows_passed;
	uint64		rows_evaluated; /* by PostgreSQL, for the device */
	uint64		groups;
	uint64		memory_bytes;	/* the largest of any run */
	uint64		device_ns;

	/* of GPUs; zero where the device does not tell (GpuAggTaskStats) */
	uint64		transfer_ns;
	uint64		decode_ns;
	uint64		kernel_ns;
	uint64		link_bytes;
	uint64		link_rate;		/* bytes/s, of the last run's device */

	/* only while timing */
	instr_time	run_time;		/* in tasks: all but emitting groups */
	instr_time	feed_time;		/* pin, judge, hand over, unpin */
	instr_time	wait_time;		/* for the device */

	/* of the last run */
	char		device[sizeof(((GpuAggDeviceInfo *) 0)->kind)];
	char		device_name[sizeof(((GpuAggDeviceInfo *) 0)->name)];
	char		strategy[sizeof(((GpuAggDoneMsg *) 0)->strategy)];

	uint64		redone;			/* tasks that a GPU failed, run again on the
								 * host device */
	char		redone_message[GPUAGG_MESSAGE_BYTES];	/* the last failure */

	GpuAggFallback fallback;	/* why PostgreSQL's plan ran, if it did */
	char		fallback_message[GPUAGG_MESSAGE_BYTES];
} GpuAggCounters;

typedef struct GpuAggScanState
{
	CustomScanState css;
	GpuAggPlanInfo *info;
	Relation	rel;
	List	   *runtime;		/* ExprStates of custom_exprs, less the
								 * sample's */
	List	   *params;			/* ExprStates of the parameters in them */
	GpuAggSampleState sample;
	int			eflags;			/* for plans initialised later */
	ResourceOwner owner;		/* of the query */

	bool		on_gpu;			/* the last task was to run on a GPU */
	bool		ran;			/* rows may be returned */
	GpuAggResults *results;		/* what the device answered */
	bool		falling_back;	/* rows come from the fallback plan */
	PlanState  *fallback;		/* NULL until needed */
	GpuAggRows *rows;			/* NULL until needed */
	GpuAggCounters counters;
} GpuAggScanState;

/* For CustomScan.methods */
extern const CustomScanMethods gpuagg_agg_scan_methods;

/* Registers them; called when the library is loaded. */
extern void gpuagg_executor_init(void);

/* Does EXPLAIN want to know how long things take? */
extern bool gpuagg_node_timing(const GpuAggScanState *node);

#endif							/* GPUAGG_EXECUTOR_AGG_NODE_H */
