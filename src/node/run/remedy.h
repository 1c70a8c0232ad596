/*
 * remedy.h
 *		What is tried when a task has failed.
 *
 * A pure function without PostgreSQL: what is known of the task goes in, the next thing to try
 * comes out.  Whoever drives the task does it and asks again, until the task succeeds or nothing
 * is left.  Then PostgreSQL's plan answers, or the error is raised.
 */
#ifndef GPUAGG_NODE_REMEDY_H
#define GPUAGG_NODE_REMEDY_H

#include "device/common.h"

typedef enum GpuAggRemedy
{
	GPUAGG_REMEDY_NONE,
	GPUAGG_REMEDY_ALONE,		/* Alone: without the tasks that shared its tables. */
	GPUAGG_REMEDY_AGAIN,		/* As it was: the device now knows strings that were new to it. */
	GPUAGG_REMEDY_UNCACHED,		/* Without the column cache. */
	GPUAGG_REMEDY_CALLED,		/* With values of strings that only PostgreSQL computes. */
	GPUAGG_REMEDY_LIMITED,		/* Over pages, and loads only numerics that fit their scale. */
	GPUAGG_REMEDY_ALL_GROUPS,	/* For all groups, whichever are wanted. */
	GPUAGG_REMEDY_OTHER_GPU,
	GPUAGG_REMEDY_TABLES_HERE,	/* With look-up tables that the backend makes. */
	GPUAGG_REMEDY_HOST			/* On the host device, with tables that the backend makes. */
} GpuAggRemedy;

/* The task that has failed, and what else there is */
typedef struct GpuAggTried
{
	bool		on_gpu;			/* It was to run on a GPU. */
	bool		on_host;		/* It was the last thing to try: the host device, behind a GPU. */
	bool		together;		/* Tasks of other cards shared its tables. */
	bool		cached;			/* It had asked for the column cache. */
	bool		again;			/* It was tried as it is before. */
	bool		called;			/* Only PostgreSQL computes some of it, of kept strings. */
	bool		all_called;		/* Nothing of that was missing, or not any more. */
	bool		draws;			/* It makes random draws, which only kept columns serve. */
	bool		limitable;		/* It loads numerics that could be limited to their scale. */
	bool		limited;		/* Its numerics are. */
	bool		met_long;		/* It met a value that can only be kept beside all groups. */
	bool		all_groups;		/* It was asked for all groups. */
	bool		other_gpu;		/* There is a GPU that it has not been on. */
	bool		tables_there;	/* Look-up tables lie on the device that has made them. */
} GpuAggTried;

/* What to try next; detail: of a value that is an error, the states that it had */
extern GpuAggRemedy gpuagg_remedy(GpuAggStatus status, uint32_t detail, const GpuAggTried *tried);

#endif							/* GPUAGG_NODE_REMEDY_H */
