/*
 * rogue.h
 *		What clients with wrong messages share: a task of theirs, from its begin to its end.
 */
#ifndef GPUAGG_TEST_ROGUE_H
#define GPUAGG_TEST_ROGUE_H

#include "postgres.h"

#include "common/pg_prng.h"
#include "ipc/client.h"
#include "utils/builtins.h"

typedef struct RogueTask
{
	const char *what;			/* is wrong */
	pg_prng_state random;		/* for "fuzz" */
	GpuAggClient *client;
	GpuAggError error;
} RogueTask;

static bool
is(const RogueTask *task, const char *what)
{
	return strcmp(task->what, what) == 0;
}

static void
rogue_begin(RogueTask *task, GpuAggClientRequest *request)
{
	request->rogue = true;
	task->client = gpuagg_client_begin(request, &task->error);
	if (task->client == NULL)
		elog(ERROR, "could not begin: %s", task->error.message);
}

/* What the task says at its end; false: it has failed. */
static bool
rogue_finish(RogueTask *task, GpuAggDoneMsg *done)
{
	GpuAggMsg	end = {GPUAGG_MSG_FINISH, 0, 0};
	const GpuAggMsg *msg;
	Size		bytes;

	if (gpuagg_client_send(task->client, &end, sizeof(end), &task->error) != GPUAGG_OK)
		return false;
	do
	{
		if (gpuagg_client_receive(task->client, true, &msg, &bytes, &task->error) != GPUAGG_OK)
			return false;
	} while (msg->type != GPUAGG_MSG_DONE);
	memcpy(done, msg, sizeof(*done));
	return true;
}

/* A task that has begun: how it ended.  send: its messages; false: it has failed. */
static bool
rogue_run(RogueTask *task, bool (*send) (RogueTask *), GpuAggDoneMsg *done)
{
	volatile bool good = false;

	PG_TRY();
	{
		good = send(task) && rogue_finish(task, done);
	}
	PG_CATCH();
	{
		gpuagg_client_abort(task->client);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (good)
		gpuagg_client_end(task->client);
	else
		gpuagg_client_abort(task->client);
	return good;
}

/* For SQL: so many of them, or the task's error */
static text *
rogue_answer(const RogueTask *task, bool good, uint64 count, const char *of)
{
	return cstring_to_text(good ? psprintf(UINT64_FORMAT " %s", count, of) : task->error.message);
}

#endif							/* GPUAGG_TEST_ROGUE_H */
