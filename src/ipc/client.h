/*
 * client.h
 *		The backend's side of a device task.
 *
 * A task is synchronous: it begins, is fed, delivers all its groups and ends
 * within one call of the executor node, under the caller's
 * PG_ENSURE_ERROR_CLEANUP.  Between calls a backend holds no slot, no
 * shared memory segment and no pin.
 */
#ifndef GPUAGG_IPC_CLIENT_H
#define GPUAGG_IPC_CLIENT_H

#include "postgres.h"

#include "ipc/protocol.h"

typedef struct GpuAggClient GpuAggClient;

typedef struct GpuAggClientRequest
{
	const GpuAggProgram *program;
	int			device;			/* at work, which is to run it */
	GpuAggTaskConfig config;
	GpuAggCacheRequest cache;		/* relnumber 0: none */
	GpuAggAhead ahead;			/* what of it has been looked at */
	Oid			relid;			/* for gpuagg.tasks */
	uint64		total_pages;	/* for its progress */
	double		predicted_ms;	/* for the watchdog; 0: not known */
	bool		host;			/* on the host device even if there is a GPU;
								 * also waits for a worker that restarts */
	bool		at_once;		/* waits for no slot: the caller has a task already, for which
								 * others may be waiting */
	bool		several;		/* more tables than the one of the cache request;
								 * TABLE messages are the caller's to send */
	bool		called;			/* gives values of strings: ASK and ROWS messages are the
								 * caller's */
	bool		alone;			/* waits until no other task runs on the device, and keeps
								 * others waiting: all of its memory is the task's */
	bool		rogue;			/* a test's, of messages that are wrong on purpose: the worker's
								 * refusal is no error of ours */
	bool		measure;		/* measures that device: no groups come back,
								 * but records (probe/probe_task.h) */
	bool		on_gpu;			/* out: a GPU was to run it */
} GpuAggClientRequest;

/*
 * Announces a task to a device, or to the first one if the host device is asked for, sends its
 * program and waits until the worker has admitted it.  Waits interruptibly for a slot and for
 * memory, at most gpuagg.queue_timeout.  Returns NULL with the reason in *error when the device
 * cannot take it: GPUAGG_DEVICE_LOST (no worker, or it failed), GPUAGG_BUSY (timed out) or what the
 * device said.  Run PostgreSQL's plan.  Allocates in the current memory context.
 */
extern GpuAggClient *gpuagg_client_begin(GpuAggClientRequest *request,
										 GpuAggError *error);

extern const GpuAggDeviceInfo *gpuagg_client_info(const GpuAggClient *client);

/*
 * Sends one whole message (BEGIN is sent by gpuagg_client_begin).  Blocks,
 * interruptibly, while the queue is full.  GPUAGG_DEVICE_LOST: the worker
 * is gone.
 */
extern GpuAggStatus gpuagg_client_send(GpuAggClient *client, const void *msg,
									   Size bytes, GpuAggError *error);

/*
 * The next message from the worker; *msg is NULL if none waits and !wait.
 * Valid until the next call.  A FAILED message is returned as its status.
 * READY is consumed by gpuagg_client_begin.
 */
extern GpuAggStatus gpuagg_client_receive(GpuAggClient *client, bool wait,
										  const GpuAggMsg **msg, Size *bytes,
										  GpuAggError *error);

/*
 * Sleeps until the latch is set, by the worker or by anyone.  Call when nothing waited
 * in gpuagg_client_receive(), nor elsewhere.
 */
extern GpuAggStatus gpuagg_client_sleep(GpuAggClient *client, GpuAggError *error);

/*
 * Another process that holds pins of a task's pages for the client has a ticket of it.
 * If it must let go of them before the device has read them it says so first, and the
 * task fails: nothing that was read of them is believed, or kept.  Harmless of a task
 * that is over.
 */
typedef struct GpuAggTicket
{
	int			slot;
	uint64		task;
} GpuAggTicket;

extern GpuAggTicket gpuagg_client_ticket(const GpuAggClient *client);
extern void gpuagg_client_spoil(GpuAggTicket ticket);

/* Of a task that a FAILED message ended */
typedef struct GpuAggClientFailure
{
	uint64		rows;			/* rows that had passed the filter by then */
	uint64		groups;			/* groups that were found in these rows */
	bool		shared;			/* other tasks were on the device with it */
} GpuAggClientFailure;

extern GpuAggClientFailure gpuagg_client_failed(const GpuAggClient *client);

/* Progress for gpuagg.tasks: pages handed over so far. */
extern void gpuagg_client_progress(GpuAggClient *client, uint64 pages_done);

/* After DONE: gives everything back. */
extern void gpuagg_client_end(GpuAggClient *client);

/*
 * From any state, error cleanup included: cancels the task, waits for at most half
 * a second until the device reads no page of ours any more or the worker is gone,
 * gives everything back.  Whatever the device still reads after that, nobody
 * receives, and no pin is needed for it (README.md: Leaving early).
 */
extern void gpuagg_client_abort(GpuAggClient *client);

#endif							/* GPUAGG_IPC_CLIENT_H */
