/*
 * refuse.h
 *		Reasons why a grouping step or a sampled scan is not planned on the device.
 *
 * Nobody looks at them in ordinary planning, so they are put into words only
 * while somebody listens: gpuagg.why_not(), or gpuagg.debug_require.  Then
 * lowering also goes on after the first obstacle, to find the others.
 */
#ifndef GPUAGG_PLANNER_REFUSE_H
#define GPUAGG_PLANNER_REFUSE_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* Is somebody listening?  Set by gpuagg_refuse_begin(). */
extern bool gpuagg_refuse_listening;

/*
 * Around the look at one step.  begin forgets what an earlier look,
 * perhaps ended by an ERROR, has left.  end returns the reasons, a List of
 * char * without repeats in the memory context that was current at begin.
 */
extern void gpuagg_refuse_begin(bool listening);
extern List *gpuagg_refuse_end(void);

/* What was said so far is no obstacle after all. */
extern void gpuagg_refuse_forget(void);

extern void gpuagg_refuse_add(char *reason);

/* Appends a reason to a List of char *, unless it is there. */
extern List *gpuagg_refuse_append(List *list, char *reason);

/*
 * Always false, so that "return GPUAGG_REFUSE(...)" reads well.  Arguments
 * are evaluated only if somebody listens.
 */
#define GPUAGG_REFUSE(...) \
	(gpuagg_refuse_listening ? \
	 (gpuagg_refuse_add(psprintf(__VA_ARGS__)), false) : false)

/*
 * Tries something whose refusal is no obstacle yet: reasons given between
 * the two are dropped.  May be nested.
 */
extern bool gpuagg_refuse_pause(void);
extern void gpuagg_refuse_resume(bool before);

#endif							/* GPUAGG_PLANNER_REFUSE_H */
