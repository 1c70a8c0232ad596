/*
 * refuse.c
 *		Collects reasons (refuse.h).  State of the backend; only one step of
 *		a query is looked at at a time.
 */
#include "postgres.h"

#include "planner/plan/refuse.h"

bool		gpuagg_refuse_listening = false;

static List *reasons = NIL;

void
gpuagg_refuse_begin(bool listening)
{
	reasons = NIL;
	gpuagg_refuse_listening = listening;
}

List *
gpuagg_refuse_end(void)
{
	List	   *result = reasons;

	reasons = NIL;
	gpuagg_refuse_listening = false;
	return result;
}

void
gpuagg_refuse_forget(void)
{
	reasons = NIL;
}

List *
gpuagg_refuse_append(List *list, char *reason)
{
	ListCell   *lc;

	foreach(lc, list)
	{
		if (strcmp((char *) lfirst(lc), reason) == 0)
			return list;
	}
	return lappend(list, reason);
}

void
gpuagg_refuse_add(char *reason)
{
	reasons = gpuagg_refuse_append(reasons, reason);
}

bool
gpuagg_refuse_pause(void)
{
	bool		before = gpuagg_refuse_listening;

	gpuagg_refuse_listening = false;
	return before;
}

void
gpuagg_refuse_resume(bool before)
{
	gpuagg_refuse_listening = before;
}
