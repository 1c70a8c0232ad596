/*
 * called_notes.h
 *		What a session knows of expressions over a column's strings that only PostgreSQL computes
 *		(planner/lower/lower_called.c): whether a device has their values, or cannot have them.
 */
#ifndef GPUAGG_PLANNER_CALLED_NOTES_H
#define GPUAGG_PLANNER_CALLED_NOTES_H

#include "postgres.h"

typedef enum GpuAggCalledNote
{
	GPUAGG_CALLED_UNKNOWN,
	GPUAGG_CALLED_THERE,		/* values of all strings were given, as this session has seen */
	GPUAGG_CALLED_REFUSED		/* a task with it has failed, a short time ago */
} GpuAggCalledNote;

/* The name is the instruction's. */
extern GpuAggCalledNote gpuagg_called_noted(Oid relid, const char *name, Size length);
extern void gpuagg_called_note(Oid relid, const char *name, Size length, GpuAggCalledNote note);

#endif							/* GPUAGG_PLANNER_CALLED_NOTES_H */
