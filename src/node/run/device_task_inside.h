/*
 * device_task_inside.h
 *		One device task while it runs: inside of device_task.c, task_messages.c
 *		and block_feed.c.
 */
#ifndef GPUAGG_NODE_DEVICE_TASK_INSIDE_H
#define GPUAGG_NODE_DEVICE_TASK_INSIDE_H

#include "postgres.h"

#include "ipc/filling.h"
#include "node/feed/task_inputs.h"
#include "node/leftover/joined_rows.h"
#include "node/run/device_task.h"

/* Rows of one batch that PostgreSQL is to evaluate */
typedef struct GpuAggTodo
{
	struct GpuAggTodo *next;
	uint64		batch_id;
	uint32		count;
	uint32		done;
	GpuAggRowRef refs[FLEXIBLE_ARRAY_MEMBER];
} GpuAggTodo;

/* May it wait for another task to read its pages? */
typedef enum GpuAggWaiting
{
	GPUAGG_MAY_NOT_WAIT,
	GPUAGG_MAY_WAIT,
	GPUAGG_WAITS,				/* It ends, and is run anew after that. */
	GPUAGG_HAS_WAITED			/* It is the run after that. */
} GpuAggWaiting;

struct GpuAggTaskRun
{
	const GpuAggScan *scan;
	const GpuAggOrder *order;
	const GpuAggPlanInfo *info; /* The plan of the order's demand. */
	GpuAggFound *found;			/* Where its answers go. */
	const GpuAggProgram *program;	/* The order's. */
	GpuAggPass *pass;
	GpuAggTally *tally;
	GpuAggOutcome *outcome;
	BlockNumber drawn_blocks;	/* Blocks that draws need. */
	bool		timing;
	GpuAggClient *client;
	GpuAggTaskInputs *inputs;

	/* Rows that PostgreSQL evaluates */
	uint32		rows_in_flight; /* Messages of rows that the device has. */
	GpuAggTodo *todo;			/* What is to be evaluated, oldest first. */
	GpuAggTodo *todo_last;
	uint64		evaluated;		/* Rows that were. */
	GpuAggJoinedRows *joined;	/* Rows that it is to join; NULL: none yet. */
	bool		joined_all;		/* All of these are joined and sent. */

	GpuAggWaiting waiting;		/* For another task that reads its pages. */
	GpuAggFiller other;			/* That one. */
	double		patience_ms;	/* So long at most. */

	bool		opened;			/* The first table may be fed. */
	bool		may_regroup;	/* The device was asked to regroup. */
	bool		collecting;		/* Some groups are here. */
	bool		done;			/* All groups are here. */
	instr_time	first_groups;	/* When the first groups came. */
	GpuAggStatus status;
	GpuAggError *error;
};

static inline void
gpuagg_task_time_start(const GpuAggTaskRun *run, instr_time *start)
{
	if (run->timing)
		INSTR_TIME_SET_CURRENT(*start);
}

static inline void
gpuagg_task_time_add(const GpuAggTaskRun *run, instr_time *sum, instr_time start)
{
	instr_time	now;

	if (!run->timing)
		return;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_ACCUM_DIFF(*sum, now, start);
}

/* Where values go that no device has a form of; NULL: nowhere, groups may be left out. */
static inline GpuAggLongValues *
gpuagg_task_long_values(const GpuAggTaskRun *run)
{
	return gpuagg_answer_wants_all(&run->order->answer) ?
		gpuagg_results_long(run->found->results) : NULL;
}

/* Further windows see the same rows and pages again. */
static inline bool
gpuagg_task_is_first(const GpuAggTaskRun *run)
{
	return run->pass->hash_window.index == 0;
}

/* Drops the pins of a batch that is consumed. */
extern void gpuagg_task_release(GpuAggTaskRun *run, uint64 batch_id);

/* What the worker sent was not to be sent. */
extern GpuAggStatus gpuagg_task_garbled(GpuAggTaskRun *run);

/* Takes the messages that are there; waits for one first if asked to. */
extern GpuAggStatus gpuagg_task_receive(GpuAggTaskRun *run, bool wait);

#endif							/* GPUAGG_NODE_DEVICE_TASK_INSIDE_H */
