/*
 * shmem_start.h
 *		The service's main shared memory comes to be.
 *
 * Of all that is shared; each unit of this folder knows how its own part begins.
 */
#ifndef GPUAGG_IPC_SHMEM_START_H
#define GPUAGG_IPC_SHMEM_START_H

/* In the postmaster's hook for requests: memory and locks */
extern void gpuagg_shmem_request(void);

/* In the hook for the start: finds the memory, or fills it in */
extern void gpuagg_shmem_startup(void);

#endif							/* GPUAGG_IPC_SHMEM_START_H */
