/*
 * client_inside.h
 *		What client.c and client_slot.c share: the client, and taking its slot.
 */
#ifndef GPUAGG_IPC_CLIENT_INSIDE_H
#define GPUAGG_IPC_CLIENT_INSIDE_H

#include "ipc/client.h"
#include "ipc/shmem.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"

struct GpuAggClient
{
	GpuAggSlot *slot;			/* NULL: given back */
	MemoryContext context;		/* of what the queues allocate */
	shm_mq_handle *in;			/* to the worker */
	shm_mq_handle *out;			/* from it */
	dsm_segment *segment;		/* of a long program, until the worker has it */
	int			device;			/* that runs the task */
	bool		waiting;		/* counted in gpuagg_shared->waiting */
	bool		admitted;		/* begin is through */
	bool		rogue;			/* a refusal is what its caller expects */
	TimestampTz deadline;		/* of begin; 0: none */
	TimestampTz look_at;		/* of begin: when to look who waits for whom; 0: never */
	GpuAggDeviceInfo info;
	GpuAggClientFailure failure;	/* of a FAILED message */
};

/* The reason why a function fails; of a device that is not there its own words */
extern void gpuagg_client_error(GpuAggError *error, GpuAggStatus status, const char *message);
extern void gpuagg_client_error_busy(GpuAggError *error);
extern GpuAggStatus gpuagg_client_error_lost(const GpuAggClient *client, GpuAggError *error);

extern bool gpuagg_client_is_stuck(const GpuAggClient *client);
extern bool gpuagg_client_waits_in_vain(GpuAggClient *client, GpuAggError *error);
extern long gpuagg_client_look_ms(const GpuAggClient *client);

/* In this order; wait_over is for whoever is thrown out of take_slot. */
extern bool gpuagg_client_take_slot(GpuAggClient *client, const GpuAggClientRequest *request,
									GpuAggError *error);
extern void gpuagg_client_wait_over(GpuAggClient *client, bool got);
extern void gpuagg_client_fill_slot(GpuAggClient *client, const GpuAggClientRequest *request);
extern bool gpuagg_client_make_queues(GpuAggClient *client, GpuAggError *error);
extern void gpuagg_client_announce(GpuAggClient *client);

#endif							/* GPUAGG_IPC_CLIENT_INSIDE_H */
